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
    /// The stable code, e.g. `E0201`, and the stable name, e.g. `undefined-name`, of the kind.
    ///
    /// A code never changes its meaning and is never reused: programs and documentation may refer to it. The hundreds
    /// group the causes: 01 syntax, 02 names, 03 statements and expressions that scripts do not have, 04 exceptions of
    /// host code, 05 calls and frames of the builder, 06 checks of a dialect, 07 limits.
    fn code_and_name(&self) -> (&'static str, &'static str) {
        match self {
            ParseErrorKind::Syntax(kind) => (kind.code(), "syntax"),
            ParseErrorKind::Host(error) => (error.kind.code(), error.class()),
            ParseErrorKind::Build(kind) => (code_of_call(kind), "build"),
            ParseErrorKind::UndefinedName { .. } => ("E0201", "undefined-name"),
            ParseErrorKind::AlreadyDefined { .. } => ("E0202", "already-defined"),
            ParseErrorKind::NoAttribute { .. } => ("E0203", "no-attribute"),
            ParseErrorKind::UnsupportedStatement { .. } => ("E0301", "unsupported-statement"),
            ParseErrorKind::UnsupportedExpression { .. } => ("E0302", "unsupported-expression"),
            ParseErrorKind::InvalidTarget { .. } => ("E0303", "invalid-target"),
            ParseErrorKind::MissingDecorator { .. } => ("E0304", "missing-decorator"),
            ParseErrorKind::WrongDecorator { .. } => ("E0305", "wrong-decorator"),
            ParseErrorKind::NotADecorator { .. } => ("E0306", "not-a-decorator"),
            ParseErrorKind::Expected { .. } => ("E0307", "expected"),
            ParseErrorKind::NoScript => ("E0308", "no-script"),
            ParseErrorKind::Header { .. } => ("E0309", "header"),
            ParseErrorKind::NotEvaluated { .. } => ("E0310", "not-evaluated"),
            ParseErrorKind::UnknownValue { .. } => ("E0311", "unknown-value"),
            ParseErrorKind::NeedsArguments { .. } => ("E0312", "needs-arguments"),
            ParseErrorKind::UnknownProfile(_) => ("E0313", "unknown-profile"),
            ParseErrorKind::Dialect { .. } => ("E0600", "dialect"),
            ParseErrorKind::IllFormed { .. } => ("E0601", "ill-formed"),
            ParseErrorKind::TooManySteps { .. } => ("E0701", "too-many-steps"),
            ParseErrorKind::TooMuchMemory { .. } => ("E0702", "too-much-memory"),
            ParseErrorKind::CallsTooDeep { .. } => ("E0703", "calls-too-deep"),
            ParseErrorKind::TooLargeProgram { .. } => ("E0704", "too-large-program"),
        }
    }

    /// The stable code of the kind, e.g. `E0201`.
    pub fn code(&self) -> &'static str {
        self.code_and_name().0
    }

    /// The stable name of the kind, for programs.
    pub fn name(&self) -> &'static str {
        self.code_and_name().1
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

fn code_of_call(kind: &BuildErrorKind) -> &'static str {
    match kind {
        BuildErrorKind::MissingArgument { .. } => "E0501",
        BuildErrorKind::TooManyArguments { .. } => "E0502",
        BuildErrorKind::UnknownKeyword { .. } => "E0503",
        BuildErrorKind::RepeatedArgument { .. } => "E0504",
        BuildErrorKind::ArgumentType { .. } => "E0505",
        BuildErrorKind::Type { .. } => "E0506",
        BuildErrorKind::NotCallable { .. } => "E0507",
        BuildErrorKind::WrongFrame { .. } => "E0508",
        BuildErrorKind::Repeated { .. } => "E0509",
        BuildErrorKind::NoBuilder => "E0510",
        BuildErrorKind::Nesting { .. } => "E0511",
        BuildErrorKind::Closed { .. } => "E0512",
        BuildErrorKind::InnerBuilder => "E0513",
        BuildErrorKind::SecondResult { .. } => "E0514",
        BuildErrorKind::NoResult => "E0515",
        BuildErrorKind::Unnameable { .. } => "E0516",
        BuildErrorKind::Poisoned => "E0517",
        // Messages of a dialect, and kinds added later.
        _ => "E0500",
    }
}
