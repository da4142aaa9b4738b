//! What can go wrong while docs are made and printed.

use crate::operation::OperationKind;

/// A doc whose parts do not fit together, or an arena that is full.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocError {
    /// An operation got a wrong number of operands.
    #[error("operation `{}` takes {} operands, got {got}", kind.name(), kind.arity())]
    Arity {
        /// The operation.
        kind: OperationKind,
        /// How many operands came.
        got: usize,
    },
    /// An assignment has neither a value nor an annotation.
    #[error("an assignment needs a value or an annotation")]
    EmptyAssign,
    /// An annotation stands beside something that is not a name.
    #[error("an annotated assignment needs a name on its left side")]
    AnnotationWithoutName,
    /// Both branches of an `if` are empty.
    #[error("an `if` needs a statement in one of its branches")]
    EmptyIf,
    /// A name was expected: of a function, a class, or a parameter of a lambda.
    #[error("{role} must be a name")]
    NotAName {
        /// What the doc was meant to be.
        role: &'static str,
    },
    /// A parameter of a function is not an assignment.
    #[error("a parameter of a function must be an assignment")]
    NotAParameter,
    /// The arena reached its limit, or found no memory; docs made since then are placeholders.
    #[error("printing needs more than {limit} pieces of syntax, or more memory than there is")]
    Full {
        /// The limit of the arena.
        limit: u32,
    },
}

/// A tree of docs that cannot be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// The text would be longer than the budget allows.
    #[error("the printed text is longer than {max_bytes} bytes")]
    OutputBudget {
        /// The budget of the print.
        max_bytes: usize,
    },
    /// There is no memory for the text.
    #[error("there is not enough memory for the printed text")]
    OutOfMemory,
    /// A comment that follows its statement on the same line has several lines.
    #[error("the comment of a `{stmt}` statement cannot have a newline")]
    CommentHasNewline {
        /// The kind of the statement.
        stmt: &'static str,
    },
    /// A parameter of a function has a comment.
    #[error("a parameter of a function cannot have a comment")]
    CommentOnParameter,
    /// The docs are incomplete because the arena was full.
    #[error(transparent)]
    Doc(#[from] DocError),
}
