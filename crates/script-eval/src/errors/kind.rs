//! Kinds of errors.

use std::sync::LazyLock;

use tvmscript_ir_core::diagnostic::{DiagnosticKind, ErrorCode};
use tvmscript_ir_core::error_codes;
use tvmscript_ir_core::release::UnknownRelease;
use tvmscript_script_value::{BuildError, BuildErrorKind};

use super::HostError;
use tvmscript_python_syntax::SyntaxErrorKind;
use tvmscript_python_syntax::ast::StmtKind;

/// An error of reading a script: one variant per cause.
///
/// The fields are parts of the message. A description of a value or of syntax is a noun phrase with its article; names
/// and code in it have backticks (``"the int `3`"``, ``"`None`"``). The evaluator's `describe` makes it from a value. A
/// field that is a plain name has none; the message adds them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A syntax error.
    #[error("{0}")]
    Syntax(SyntaxErrorKind),
    /// A script header that cannot be applied.
    #[error("{message}")]
    Header {
        /// The message.
        message: String,
    },
    /// The registry does not have the selected release.
    #[error(transparent)]
    UnknownRelease(UnknownRelease),
    /// A name was used before any definition in scope.
    #[error("undefined name `{name}`")]
    UndefinedName {
        /// The name.
        name: String,
    },
    /// A name was defined twice in its scope.
    #[error("`{name}` is already defined in this scope")]
    AlreadyDefined {
        /// The name.
        name: String,
    },
    /// An attribute that the value does not have.
    #[error("{what} has no attribute `{name}`")]
    NoAttribute {
        /// Description of the value, e.g. "the dialect `toy`".
        what: String,
        /// The attribute, without backticks.
        name: String,
    },
    /// Calls of a function that the dialect does not have, kept as they are written.
    #[error("the dialect `{dialect}` has no function `{name}`; calls kept as written: {count}")]
    UnknownFunction {
        /// The dialect.
        dialect: &'static str,
        /// Name of the function with its namespaces, without backticks.
        name: String,
        /// Number of calls.
        count: usize,
    },
    /// Nodes of a type that no dialect declares, kept as they are written.
    #[error("no dialect has the type `{key}`; nodes kept as written: {count}")]
    UnknownType {
        /// Key of the type, without backticks.
        key: String,
        /// Number of nodes.
        count: usize,
    },
    /// A statement that is not supported here.
    #[error("{kind} is not supported {place}")]
    UnsupportedStatement {
        /// The statement as [`StmtKind::describe`] returns it, e.g. "`def`" or "an assignment".
        kind: &'static str,
        /// The context with its preposition, e.g. "inside a circuit" or "outside a loop".
        place: &'static str,
    },
    /// An expression that scripts do not support.
    #[error("{what} is not supported")]
    UnsupportedExpression {
        /// The syntax, in the singular, e.g. "an annotation without a value" or "`else` of a loop".
        what: &'static str,
    },
    /// An invalid assignment target.
    #[error("cannot assign to {what}")]
    InvalidTarget {
        /// The target, e.g. "an attribute" or "this expression".
        what: &'static str,
    },
    /// A definition without a decorator of any dialect.
    #[error("`{name}` has no decorator of a dialect")]
    MissingDecorator {
        /// The name of the definition.
        name: String,
    },
    /// A function decorator on a class, or a class decorator on a function.
    #[error("`{decorator}` decorates {expected}, not {found}")]
    WrongDecorator {
        /// The decorator as in the text, without `@` and backticks, e.g. "C.circuit".
        decorator: String,
        /// The decorated definition: "a function" or "a class".
        expected: &'static str,
        /// The decorated definition: "a function" or "a class".
        found: &'static str,
    },
    /// A decorator whose value is not a decorator of any dialect.
    #[error("{what} is not a decorator")]
    NotADecorator {
        /// Description of the value, e.g. "the int `3`".
        what: String,
    },
    /// A value of another kind than expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected form, e.g. "an integer" or "a call such as `C.output(..)`".
        expected: String,
        /// The form found, e.g. "a parameter without type" or the description of a value.
        found: String,
    },
    /// Host code that is not evaluated.
    #[error("{reason}; values that depend on it are unknown")]
    NotEvaluated {
        /// A clause, e.g. "this takes too many steps to be evaluated".
        reason: String,
    },
    /// A script uses a value of host code that the evaluator does not know.
    #[error("the value of `{name}` is unknown")]
    UnknownValue {
        /// The name or expression as in the text, without backticks.
        name: String,
    },
    /// A script uses a parameter of a function that is never called.
    #[error(
        "`{script}` needs arguments: it depends on the parameter `{parameter}` of `{function}`, which is not called"
    )]
    NeedsArguments {
        /// Path of the script.
        script: String,
        /// The parameter.
        parameter: String,
        /// Path of the function.
        function: String,
    },
    /// A script uses a variable around it that its decorator does not declare.
    #[error(
        "`{name}` is not captured: without a declaration, scripts here use only numbers, texts and `None`"
    )]
    UndeclaredCapture {
        /// The name.
        name: String,
    },
    /// The text contains no script.
    #[error("the text contains no script")]
    NoScript,
    /// The evaluation exceeded its step limit.
    #[error("the evaluation takes more than {limit} steps")]
    TooManySteps {
        /// The limit.
        limit: u64,
    },
    /// The values of host code exceeded the memory limit.
    #[error("the evaluation needs more than {limit} bytes of memory")]
    TooMuchMemory {
        /// The limit.
        limit: u64,
    },
    /// The nodes that the text builds exceeded the size limit.
    #[error("the nodes of the program need more than {limit} bytes of memory")]
    TooLargeProgram {
        /// The limit.
        limit: u64,
    },
    /// Calls of host functions exceeded the depth limit.
    #[error("calls are nested deeper than {limit} levels")]
    CallsTooDeep {
        /// The limit.
        limit: u32,
    },
    /// An exception that Python raises for the same expression.
    #[error("{}", .0.explained())]
    Host(HostError),
    /// A wrong call or a misused frame.
    #[error("{0}")]
    Build(BuildErrorKind),
    /// An error of a dialect's own type.
    #[error("{message}")]
    Dialect {
        /// The whole message: lower case, no full stop, e.g. "a step cannot take less than no time".
        message: String,
    },
}

// A code never changes its meaning and is never reused: programs and documentation refer to it. The hundreds group the
// causes: 01 syntax, 02 names, 03 statements and expressions that scripts do not have, 04 exceptions of host code,
// 05 calls and frames of the builder, 06 checks of a dialect, 07 limits, 08 files, 09 printing.
error_codes! {
    ParseErrorKind {
        ParseErrorKind::UndefinedName { .. } => "E0201" "undefined-name"
            "A name is used that nothing defines at this place: it is misspelt, defined further down, or defined in a \
             scope that is closed. The help names the nearest known name.";
        ParseErrorKind::AlreadyDefined { .. } => "E0202" "already-defined"
            "A name is defined twice in a scope that binds each name once. Use another name for the second one.";
        ParseErrorKind::UnknownFunction { .. } => "E0204" "unknown-function"
            "A note: a printed text calls functions that the dialect does not have, such as operators of another release. \
             The calls are kept as they are written and print as they were. The type of their results is that of the place \
             where they stand, if it tells one.";
        ParseErrorKind::UnknownType { .. } => "E0205" "unknown-type"
            "A note: the metadata section of a printed text has nodes of a type that no dialect declares. They are kept as \
             they are written, can be used as values of attributes and as arguments of unknown functions, and print as they \
             were.";
        ParseErrorKind::NoAttribute { .. } => "E0203" "no-attribute"
            "A dialect, module or value has no attribute of this name. It may be misspelt, or belong to another dialect.";
        ParseErrorKind::UnsupportedStatement { .. } => "E0301" "unsupported-statement"
            "The body of a script allows fewer statements than Python. The message names the place; move host code \
             outside of the script.";
        ParseErrorKind::UnsupportedExpression { .. } => "E0302" "unsupported-expression"
            "Scripts, or the evaluator of host code, do not support this expression or form of a statement.";
        ParseErrorKind::InvalidTarget { .. } => "E0303" "invalid-target"
            "The left side of an assignment is valid Python, but nothing that this dialect assigns to.";
        ParseErrorKind::MissingDecorator { .. } => "E0304" "missing-decorator"
            "A definition where a script is expected has no decorator of a dialect, so that it is unknown what it \
             defines.";
        ParseErrorKind::WrongDecorator { .. } => "E0305" "wrong-decorator"
            "A decorator for functions is used on a class, or one for classes on a function.";
        ParseErrorKind::NotADecorator { .. } => "E0306" "not-a-decorator"
            "The expression behind `@` is no decorator of any dialect.";
        ParseErrorKind::Expected { .. } => "E0307" "expected"
            "A value or piece of syntax is of another kind than this place needs. The message says which is expected and \
             which was found.";
        ParseErrorKind::NoScript => "E0308" "no-script"
            "The text defines no script: no function or class has a decorator of a dialect, or the file does not import \
             the dialect.";
        ParseErrorKind::Header { .. } => "E0309" "header"
            "The header comment in front of a script names an option that does not exist, or a value that the option \
             does not have.";
        ParseErrorKind::NotEvaluated { .. } => "E0310" "not-evaluated"
            "A warning: a piece of host code is not evaluated, because it has effects or is not known. Values that depend \
             on it are unknown; scripts that do not use them are read.";
        ParseErrorKind::UnknownValue { .. } => "E0311" "unknown-value"
            "A script uses a value of host code that is not evaluated, such as the result of an unknown library. Write the \
             value itself.";
        ParseErrorKind::NeedsArguments { .. } => "E0312" "needs-arguments"
            "A note: a script inside a function depends on the parameters of the function, and the file never calls it. It \
             is read where it is called with values.";
        ParseErrorKind::UnknownRelease(_) => "E0313" "unknown-profile"
            "The registry does not have the release that the options of parsing select.";
        ParseErrorKind::UndeclaredCapture { .. } => "E0315" "undeclared-capture"
            "A script uses a function, list or other object around it that its decorator does not declare. The list \
             `capture` of the decorator, or the option for the capture rule, allows declared ones only.";
        ParseErrorKind::Dialect { .. } => "E0600" "dialect"
            "A dialect rejects a call or value with an error of its own. The message says what it expects.";
        ParseErrorKind::TooManySteps { .. } => "E0701" "too-many-steps"
            "Evaluating the host code takes more steps than allowed, e.g. in an endless loop.";
        ParseErrorKind::TooMuchMemory { .. } => "E0702" "too-much-memory"
            "The values of host code need more memory than allowed.";
        ParseErrorKind::CallsTooDeep { .. } => "E0703" "calls-too-deep"
            "Calls of functions in host code are nested deeper than allowed, e.g. in an endless recursion.";
        ParseErrorKind::TooLargeProgram { .. } => "E0704" "too-large-program"
            "The nodes that the text builds need more memory than allowed.";
    }
    delegate {
        ParseErrorKind::Syntax(kind) => syntax_code(kind);
        ParseErrorKind::Host(error) => error.kind.error_code();
        ParseErrorKind::Build(kind) => kind.error_code();
    }
}

/// The codes of syntax errors.
pub fn syntax_codes() -> &'static [ErrorCode] {
    static CODES: LazyLock<Vec<ErrorCode>> = LazyLock::new(|| {
        let code =
            |(code, meaning): &(&'static str, &'static str)| ErrorCode { code, name: "syntax", meaning };
        SyntaxErrorKind::CODES.iter().map(code).collect()
    });
    &CODES
}

fn syntax_code(kind: &SyntaxErrorKind) -> &'static ErrorCode {
    static UNKNOWN: ErrorCode =
        ErrorCode { code: "E0100", name: "syntax", meaning: "The text is not valid Python." };
    syntax_codes().iter().find(|known| known.code == kind.code()).unwrap_or(&UNKNOWN)
}

impl ParseErrorKind {
    /// The stable code of the kind, e.g. `E0201`.
    pub fn code(&self) -> &'static str {
        self.error_code().code
    }

    /// The stable name of the kind, for programs.
    pub fn name(&self) -> &'static str {
        self.error_code().name
    }

    /// Tests whether the evaluation exceeded one of its limits.
    pub(crate) fn is_exceeded_limit(&self) -> bool {
        matches!(
            self,
            ParseErrorKind::TooManySteps { .. }
                | ParseErrorKind::TooMuchMemory { .. }
                | ParseErrorKind::TooLargeProgram { .. }
                | ParseErrorKind::CallsTooDeep { .. }
        )
    }

    /// A value of another kind than expected. The message is `expected {expected}, found {found}`.
    pub fn expected(expected: impl Into<String>, found: impl Into<String>) -> ParseErrorKind {
        ParseErrorKind::Expected { expected: expected.into(), found: found.into() }
    }

    /// A statement that is not supported here. `place` has its preposition: "inside a circuit".
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
