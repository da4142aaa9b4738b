//! Errors of printing.

use tvmscript_doc::{DocError, PrintError};
use tvmscript_ir_core::LeftOut;
use tvmscript_ir_core::profile::UnknownProfile;

/// The reason why a node cannot be printed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DocsifyError {
    /// Docs could not be made, or there are too many.
    #[error(transparent)]
    Doc(DocError),
    /// Docs could not be printed, or the text is too long.
    #[error(transparent)]
    Print(PrintError),
    /// The metadata section contains a constant without elements.
    #[error(transparent)]
    LeftOut(LeftOut),
    /// A node that prints as a statement is used as an expression.
    #[error("`{key}` does not print as an expression, which is required here")]
    NotAnExpression {
        /// The node's type key.
        key: &'static str,
    },
    /// A variable is used, but no open frame can declare it.
    #[error("no open scope can declare the variable `{name}`")]
    Undeclared {
        /// The variable's name hint.
        name: String,
    },
    /// The text form cannot represent the node.
    #[error("`{key}` cannot be written: {reason}")]
    Unwritable {
        /// The node's type key.
        key: &'static str,
        /// The part that cannot be represented.
        reason: String,
    },
    /// No dialect registers the selected text profile.
    #[error(transparent)]
    UnknownProfile(UnknownProfile),
    /// No text printed with this option value reads back.
    #[error("invalid value of the option `{option}`: {reason}")]
    BadOption {
        /// The option.
        option: String,
        /// The problem with the value.
        reason: String,
    },
    /// A prefix or alias conflicts with another name.
    #[error("`{name}` cannot be the {what}: it is {holder}")]
    NameClash {
        /// The purpose of the name.
        what: String,
        /// The given name.
        name: String,
        /// The holder of the name.
        holder: String,
    },
    /// A variable is defined in two scopes, neither of which contains the other.
    #[error("variable `{name}` is defined by two scopes, neither of which contains all of its uses")]
    DefinedTwice {
        /// The variable's name.
        name: String,
    },
    /// The text needs a word that a variable has as its name.
    #[error("the text uses the name `{word}`, which is a variable here")]
    TakenWord {
        /// The word.
        word: &'static str,
    },
    /// A prefix or alias is not an identifier.
    #[error("`{name}` cannot be the {what}: it is not an identifier")]
    BadName {
        /// The purpose of the name.
        what: String,
        /// The given text.
        name: String,
    },
}

/// A result with a boxed [`DocsifyError`], which keeps the results of handlers small.
pub type Result<T> = std::result::Result<T, Box<DocsifyError>>;

impl From<DocError> for Box<DocsifyError> {
    #[cold]
    fn from(error: DocError) -> Self {
        Box::new(DocsifyError::Doc(error))
    }
}
impl From<PrintError> for Box<DocsifyError> {
    #[cold]
    fn from(error: PrintError) -> Self {
        Box::new(DocsifyError::Print(error))
    }
}
impl From<LeftOut> for Box<DocsifyError> {
    #[cold]
    fn from(error: LeftOut) -> Self {
        Box::new(DocsifyError::LeftOut(error))
    }
}
