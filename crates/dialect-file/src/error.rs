//! Errors of descriptions: typed, each at a place of the file.

use tvmscript_ir_core::diagnostic::Diagnostic;
use tvmscript_ir_core::error_codes;

/// A mistake in the description of a dialect.
///
/// `what` is a noun phrase with its own backticks, such as "`parent` of `[node.Clamp]`".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionErrorKind {
    /// The file is not TOML.
    #[error("the file is not TOML: {message}")]
    Syntax {
        /// The message of the TOML reader.
        message: String,
    },
    /// A key is missing.
    #[error("{table} lacks `{key}`")]
    MissingKey {
        /// The table.
        table: String,
        /// The key.
        key: String,
    },
    /// A key is not known.
    #[error("{table} has no key `{key}`")]
    UnknownKey {
        /// The table.
        table: String,
        /// The key.
        key: String,
    },
    /// A value has another type or form than expected.
    #[error("{what} must be {expected}, not {found}")]
    Value {
        /// The value.
        what: String,
        /// The expected form.
        expected: String,
        /// The form that was found.
        found: String,
    },
    /// A name cannot be written in a script.
    #[error("{what} cannot be `{name}`: {reason}")]
    Name {
        /// The named thing.
        what: String,
        /// The name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// A name that nothing declares.
    #[error("{what} names `{name}`, which is not {expected}")]
    Unknown {
        /// The place of the name.
        what: String,
        /// The name.
        name: String,
        /// What it should be.
        expected: String,
    },
    /// Something is declared twice.
    #[error("{what} is declared twice")]
    Duplicate {
        /// The declared thing.
        what: String,
    },
    /// Something that another dialect has.
    #[error("{what} is taken by the dialect `{dialect}`")]
    Taken {
        /// The declared thing.
        what: String,
        /// The other dialect.
        dialect: String,
    },
    /// A parent class that nodes of a file cannot have.
    #[error("`{parent}` cannot be the parent of `{node}`: {reason}")]
    Parent {
        /// The parent.
        parent: String,
        /// The type key of the node.
        node: String,
        /// The reason.
        reason: String,
    },
    /// An assembly template that cannot print and parse a node.
    #[error("the assembly of `{entry}` {reason}")]
    Assembly {
        /// The entry.
        entry: String,
        /// The reason, a predicate.
        reason: String,
    },
    /// A rule or check that is not an expression.
    #[error("{what} is not a Python expression: {message}")]
    Expression {
        /// The rule.
        what: String,
        /// The message of the parser.
        message: String,
    },
    /// Too much of something.
    #[error("there are too many {what}: at most {limit}")]
    TooMany {
        /// The things.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

error_codes! {
    DescriptionErrorKind {
        DescriptionErrorKind::Syntax { .. } => "E1201" "description-syntax"
            "The file that describes a dialect is not TOML.";
        DescriptionErrorKind::MissingKey { .. } => "E1202" "description-missing-key"
            "A table of the file lacks a key that it needs.";
        DescriptionErrorKind::UnknownKey { .. } => "E1203" "description-unknown-key"
            "A table of the file has a key that has no meaning there. The help names the nearest one.";
        DescriptionErrorKind::Value { .. } => "E1204" "description-value"
            "A value of the file has another type or form than its key needs.";
        DescriptionErrorKind::Name { .. } => "E1205" "description-name"
            "A name of the file cannot be written in a script.";
        DescriptionErrorKind::Unknown { .. } => "E1206" "description-unknown-name"
            "The file uses a name that neither the file nor a loaded dialect declares.";
        DescriptionErrorKind::Duplicate { .. } => "E1207" "description-duplicate"
            "The file declares something twice: two functions of one name, two nodes of one key, or two texts of one node.";
        DescriptionErrorKind::Taken { .. } => "E1208" "description-taken"
            "A dialect that is loaded already has the name, prefix or type key. Choose another one.";
        DescriptionErrorKind::Parent { .. } => "E1209" "description-parent"
            "The parent of a node is not an abstract class, so nodes without its fields cannot descend from it.";
        DescriptionErrorKind::Assembly { .. } => "E1210" "description-assembly"
            "The template of a statement cannot both print and parse its node: it is not a call, `with`, `for`, binding or \
             function, a field is missing, or a placeholder names no field.";
        DescriptionErrorKind::Expression { .. } => "E1211" "description-expression"
            "A rule or check is not an expression of Python.";
        DescriptionErrorKind::TooMany { .. } => "E1212" "description-too-many"
            "The description is larger than what a process has room for.";
    }
}

/// A mistake with its place in the file.
pub type DescriptionError = Diagnostic<DescriptionErrorKind>;
