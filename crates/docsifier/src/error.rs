//! What can go wrong between node and text.

use tvmscript_doc::{DocError, PrintError};
use tvmscript_ir_core::LeftOut;
use tvmscript_ir_core::profile::UnknownProfile;

/// Why a node cannot be printed: one variant, one cause.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DocsifyError {
    /// The docs cannot be made, or there are too many of them.
    #[error(transparent)]
    Doc(DocError),
    /// The docs cannot be written out, or the text grows too long.
    #[error(transparent)]
    Print(PrintError),
    /// The metadata section has a constant without elements.
    #[error(transparent)]
    LeftOut(LeftOut),
    /// A node printed as a statement where an expression stands.
    #[error("`{key}` is no expression, but stands where one is needed")]
    NotAnExpression {
        /// The node's type key.
        key: &'static str,
    },
    /// A variable is used, but no open frame can declare it.
    #[error("variable `{name}` is used where nothing can declare it")]
    Undeclared {
        /// The variable's name hint.
        name: String,
    },
    /// The node holds what the text form cannot say.
    #[error("`{key}` cannot be written: {reason}")]
    Unwritable {
        /// The node's type key.
        key: &'static str,
        /// What the text form cannot say.
        reason: String,
    },
    /// No dialect registers the selected text profile.
    #[error(transparent)]
    UnknownProfile(UnknownProfile),
    /// An option has a value with which no text reads back.
    #[error("{reason}, so the option `{option}` cannot have it")]
    BadOption {
        /// The option.
        option: String,
        /// What is wrong with its value.
        reason: String,
    },
    /// A prefix or alias is taken.
    #[error("`{name}` cannot be the {what}: it is {holder}")]
    NameClash {
        /// What it would name.
        what: String,
        /// The given name.
        name: String,
        /// What has the name.
        holder: String,
    },
    /// A variable is defined again after the scope of its definition ended.
    #[error("variable `{name}` is defined by two scopes, neither of which contains all of its uses")]
    DefinedTwice {
        /// The variable's name.
        name: String,
    },
    /// The text needs a word that a variable has as its name.
    #[error("the text needs the name `{word}`, which a variable has")]
    TakenWord {
        /// The word.
        word: &'static str,
    },
    /// A prefix or alias is no identifier.
    #[error("`{name}` is no identifier, so it cannot be the {what}")]
    BadName {
        /// What it would name.
        what: String,
        /// The given text.
        name: String,
    },
}

/// A result with a [`DocsifyError`]: boxed, so that what the printer of each node returns is small.
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
