//! Errors of building and printing docs.

use crate::operation::OperationKind;

/// A malformed doc, or a full arena.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocError {
    /// An operation has a wrong number of operands.
    #[error("operation `{}` takes {} operands, got {got}", kind.name(), kind.arity())]
    Arity {
        /// The operation.
        kind: OperationKind,
        /// The number of operands given.
        got: usize,
    },
    /// An assignment has neither a value nor an annotation.
    #[error("an assignment needs a value or an annotation")]
    EmptyAssign,
    /// An annotated assignment has a target that is not a name.
    #[error("an annotated assignment needs a name on its left side")]
    AnnotationWithoutName,
    /// Both branches of an `if` are empty.
    #[error("an `if` needs a statement in one of its branches")]
    EmptyIf,
    /// The name of a function, class or lambda parameter is not a name doc.
    #[error("{role} must be a name")]
    NotAName {
        /// The role of the doc.
        role: &'static str,
    },
    /// A parameter of a function is not an assignment.
    #[error("a parameter of a function must be an assignment")]
    NotAParameter,
    /// The arena reached its limit or ran out of memory; later docs are placeholders.
    #[error("printing needs more than {limit} pieces of syntax, or more memory than there is")]
    Full {
        /// The limit of the arena.
        limit: u32,
    },
    /// The literals of the arena are longer than the printed text may be; later docs are placeholders.
    #[error("the printed text is longer than {max_bytes} bytes")]
    TooMuchText {
        /// The limit of the arena.
        max_bytes: usize,
    },
}

/// A doc that cannot be printed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// The text exceeds the output budget.
    #[error("the printed text is longer than {max_bytes} bytes")]
    OutputBudget {
        /// The budget.
        max_bytes: usize,
    },
    /// Memory for the text ran out.
    #[error("there is not enough memory for the printed text")]
    OutOfMemory,
    /// A comment at the end of a line has several lines.
    #[error("the comment of a `{stmt}` statement cannot have a newline")]
    CommentHasNewline {
        /// The kind of the statement.
        stmt: &'static str,
    },
    /// A parameter of a function has a comment.
    #[error("a parameter of a function cannot have a comment")]
    CommentOnParameter,
    /// A builder program has a statement that its targets do not know.
    #[error("a program that builds nodes cannot have a `{kind}` statement")]
    NotInProgram {
        /// The kind of the statement.
        kind: &'static str,
    },
    /// A builder program does what the interface of its target lacks.
    #[error("the target has no form of `{what}`; build this part of the program by hand")]
    NoForm {
        /// The function, operator or kind of expression.
        what: String,
    },
    /// The arena is full, so the docs are incomplete.
    #[error(transparent)]
    Doc(#[from] DocError),
}
