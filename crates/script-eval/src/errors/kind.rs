//! The kinds of errors of reading a script.

use tvmscript_ir_core::profile::UnknownProfile;
use tvmscript_script_value::{BuildError, BuildErrorKind};

use super::HostError;
use tvmscript_python_syntax::SyntaxErrorKind;
use tvmscript_python_syntax::ast::StmtKind;

/// What can go wrong while reading a script: one variant, one cause.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is not Python.
    #[error("{0}")]
    Syntax(SyntaxErrorKind),
    /// The header of a script cannot be followed.
    #[error("{message}")]
    Header {
        /// What is wrong with it.
        message: String,
    },
    /// No dialect registers the selected text profile.
    #[error(transparent)]
    UnknownProfile(UnknownProfile),
    /// A name was used before any definition in scope.
    #[error("undefined name `{name}`")]
    UndefinedName {
        /// The name.
        name: String,
    },
    /// A name was defined again in its scope.
    #[error("`{name}` is already defined in this scope")]
    AlreadyDefined {
        /// The name.
        name: String,
    },
    /// A value has no attribute of this name.
    #[error("{what} has no attribute `{name}`")]
    NoAttribute {
        /// What the value is, in words.
        what: String,
        /// The attribute.
        name: String,
    },
    /// A statement that scripts do not have at this place.
    #[error("{kind} is not supported {place}")]
    UnsupportedStatement {
        /// The statement, in words.
        kind: &'static str,
        /// Where it stands, in words.
        place: &'static str,
    },
    /// An expression that scripts do not have.
    #[error("{what} is not supported")]
    UnsupportedExpression {
        /// What it is, in words.
        what: &'static str,
    },
    /// Something cannot be assigned to.
    #[error("cannot assign to {what}")]
    InvalidTarget {
        /// What it is, in words.
        what: &'static str,
    },
    /// A definition has no decorator that a dialect knows.
    #[error("`{name}` has no decorator of a dialect")]
    MissingDecorator {
        /// The name of the definition.
        name: String,
    },
    /// A decorator of functions stands on a class, or the other way round.
    #[error("`{decorator}` decorates {expected}, not {found}")]
    WrongDecorator {
        /// The decorator.
        decorator: String,
        /// What it decorates, in words.
        expected: &'static str,
        /// What it stands on, in words.
        found: &'static str,
    },
    /// The value of a decorator is none that a dialect knows.
    #[error("{what} is not a decorator")]
    NotADecorator {
        /// What it is, in words.
        what: String,
    },
    /// A value that is no frame where a frame is needed.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What is needed, in words.
        expected: String,
        /// What was found, in words.
        found: String,
    },
    /// Host code that is not evaluated.
    #[error("{reason}; what depends on it is not known")]
    NotEvaluated {
        /// What is not evaluated, in words.
        reason: String,
    },
    /// A script uses a value of host code that is not known.
    #[error("the value of `{name}` is not known")]
    UnknownValue {
        /// The name or expression.
        name: String,
    },
    /// A script in a function that nobody calls uses a parameter of the function.
    #[error(
        "`{script}` needs arguments: it depends on the parameter `{parameter}` of `{function}`, which is not called"
    )]
    NeedsArguments {
        /// The path of the script.
        script: String,
        /// The parameter.
        parameter: String,
        /// The path of the function.
        function: String,
    },
    /// Nothing in the text is a script.
    #[error("the text holds no script")]
    NoScript,
    /// An evaluation took more steps than allowed.
    #[error("the evaluation takes more than {limit} steps")]
    TooManySteps {
        /// The limit.
        limit: u64,
    },
    /// Values grew larger than allowed.
    #[error("the evaluation needs more than {limit} bytes of memory")]
    TooMuchMemory {
        /// The limit.
        limit: u64,
    },
    /// The nodes that the text builds grew larger than allowed.
    #[error("what the text builds needs more than {limit} bytes of memory")]
    TooLargeProgram {
        /// The limit.
        limit: u64,
    },
    /// Calls are nested deeper than allowed.
    #[error("calls are nested deeper than {limit} levels")]
    CallsTooDeep {
        /// The limit.
        limit: u32,
    },
    /// What Python raises for the same expression.
    #[error("{}", .0.explained())]
    Host(HostError),
    /// A call, or a frame, that does not fit.
    #[error("{0}")]
    Build(BuildErrorKind),
    /// A mistake that a dialect describes with an error type of its own; the text of that error.
    #[error("{message}")]
    Dialect {
        /// The dialect's words.
        message: String,
    },
    /// What is read is not well-formed as a whole; the words of the dialect's check.
    #[error("{message}")]
    IllFormed {
        /// The words of the check.
        message: String,
    },
}

impl ParseErrorKind {
    /// A stable name of the kind, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            ParseErrorKind::Syntax(_) => "syntax",
            ParseErrorKind::Header { .. } => "header",
            ParseErrorKind::UnknownProfile(_) => "unknown-profile",
            ParseErrorKind::UndefinedName { .. } => "undefined-name",
            ParseErrorKind::AlreadyDefined { .. } => "already-defined",
            ParseErrorKind::NoAttribute { .. } => "no-attribute",
            ParseErrorKind::UnsupportedStatement { .. } => "unsupported-statement",
            ParseErrorKind::UnsupportedExpression { .. } => "unsupported-expression",
            ParseErrorKind::InvalidTarget { .. } => "invalid-target",
            ParseErrorKind::MissingDecorator { .. } => "missing-decorator",
            ParseErrorKind::WrongDecorator { .. } => "wrong-decorator",
            ParseErrorKind::NotADecorator { .. } => "not-a-decorator",
            ParseErrorKind::Expected { .. } => "expected",
            ParseErrorKind::NoScript => "no-script",
            ParseErrorKind::NotEvaluated { .. } => "not-evaluated",
            ParseErrorKind::UnknownValue { .. } => "unknown-value",
            ParseErrorKind::NeedsArguments { .. } => "needs-arguments",
            ParseErrorKind::TooManySteps { .. } => "too-many-steps",
            ParseErrorKind::TooMuchMemory { .. } => "too-much-memory",
            ParseErrorKind::TooLargeProgram { .. } => "too-large-program",
            ParseErrorKind::CallsTooDeep { .. } => "calls-too-deep",
            ParseErrorKind::Host(error) => error.class(),
            ParseErrorKind::Build(_) => "build",
            ParseErrorKind::Dialect { .. } => "dialect",
            ParseErrorKind::IllFormed { .. } => "ill-formed",
        }
    }

    /// A value of the wrong kind, in words.
    pub fn expected(expected: impl Into<String>, found: impl Into<String>) -> ParseErrorKind {
        ParseErrorKind::Expected { expected: expected.into(), found: found.into() }
    }

    /// A statement that scripts do not have at this place.
    pub fn unsupported_statement(kind: StmtKind, place: &'static str) -> ParseErrorKind {
        ParseErrorKind::UnsupportedStatement { kind: kind.describe(), place }
    }
}

impl From<HostError> for ParseErrorKind {
    fn from(error: HostError) -> ParseErrorKind {
        ParseErrorKind::Host(error)
    }
}

impl From<&BuildError> for ParseErrorKind {
    fn from(error: &BuildError) -> ParseErrorKind {
        if let Some(kind) = error.kind() {
            return ParseErrorKind::Build(kind.clone());
        }
        match error.downcast_ref::<HostError>() {
            Some(host) => ParseErrorKind::Host(host.clone()),
            None => ParseErrorKind::Dialect { message: error.to_string() },
        }
    }
}
