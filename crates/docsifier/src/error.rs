//! Errors of printing.

use tvmscript_doc::{DocError, PrintError};
use tvmscript_ir_core::json::SaveError;
use tvmscript_ir_core::release::UnknownRelease;
use tvmscript_ir_core::{Object, error_codes};

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
    /// The metadata section contains a constant without elements, or unknown nodes of two sections.
    #[error(transparent)]
    Metadata(SaveError),
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
    /// The registry does not have the selected release.
    #[error(transparent)]
    UnknownRelease(UnknownRelease),
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

impl DocsifyError {
    /// The error of a node that the text form cannot represent.
    #[cold]
    pub fn unwritable(node: &Object, reason: impl Into<String>) -> Box<DocsifyError> {
        Box::new(DocsifyError::Unwritable { key: node.info().key(), reason: reason.into() })
    }
}

error_codes! {
    DocsifyError {
        DocsifyError::Doc(_) => "E0901" "unprintable"
            "The node needs more docs than the limit allows, or a name that is not an identifier.";
        DocsifyError::Print(_) => "E0902" "unprintable"
            "The text of the node is longer than the limit allows, or nested deeper.";
        DocsifyError::Metadata(_) => "E0903" "unprintable"
            "The metadata section contains a constant whose elements were left out when its text was printed: give the \
             file of constants. Or it contains nodes of unknown types from two sections.";
        DocsifyError::NotAnExpression { .. } => "E0904" "unprintable"
            "A node that prints as a statement stands where the text needs an expression.";
        DocsifyError::Undeclared { .. } => "E0905" "unprintable"
            "The node uses a variable that no scope of the text can declare.";
        DocsifyError::Unwritable { .. } => "E0906" "unprintable"
            "The text form has no spelling for this value of the node. The message names the part.";
        DocsifyError::UnknownRelease(_) => "E0907" "unprintable" "The registry does not have the release of the options.";
        DocsifyError::BadOption { .. } => "E0908" "unprintable"
            "No text printed with this value of an option reads back.";
        DocsifyError::NameClash { .. } => "E0909" "unprintable"
            "A prefix or alias of the options is the name of something else in the text.";
        DocsifyError::DefinedTwice { .. } => "E0910" "unprintable"
            "Two scopes define the same variable, and neither contains all of its uses, so that no text reads back to it.";
        DocsifyError::TakenWord { .. } => "E0911" "unprintable"
            "The text needs a word that a variable has as its name, and the variable cannot be renamed.";
        DocsifyError::BadName { .. } => "E0912" "unprintable" "A prefix or alias of the options is not an identifier.";
    }
}

/// A result with a boxed [`DocsifyError`], which keeps the results of handlers small.
pub type DocsifyResult<T> = Result<T, Box<DocsifyError>>;

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
impl From<SaveError> for Box<DocsifyError> {
    #[cold]
    fn from(error: SaveError) -> Self {
        Box::new(DocsifyError::Metadata(error))
    }
}
