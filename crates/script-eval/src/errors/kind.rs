//! Kinds of errors of evaluation.

use std::sync::LazyLock;

use tvmscript_ir_core::diagnostic::{DiagnosticKind, ErrorCode};
use tvmscript_ir_core::error_codes;
use tvmscript_script_value::{BuildError, BuildErrorKind};

use super::{HostError, OwnError};
use tvmscript_python_syntax::SyntaxErrorKind;
use tvmscript_python_syntax::ast::StmtKind;

/// An error of evaluation: one variant per cause.
///
/// The fields are parts of the message. A description of a value or of syntax is a noun phrase with its article; names
/// and code in it have backticks (``"the int `3`"``, ``"`None`"``). The evaluator's `describe` makes it from a value. A
/// field that is a plain name has none; the message adds them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// A syntax error.
    #[error("{0}")]
    Syntax(SyntaxErrorKind),
    /// A name was used before any definition in scope.
    #[error("undefined name `{name}`")]
    UndefinedName {
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
    /// A decorator whose value is not a decorator of any dialect.
    #[error("{what} is not a decorator")]
    NotADecorator {
        /// Description of the value, e.g. "the int `3`".
        what: String,
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
    /// A script needs host code, which is not run.
    #[error("{what} is host code, which is not run")]
    HostCode {
        /// The code, e.g. "a comprehension".
        what: &'static str,
    },
    /// A script uses a parameter of a function that is never called.
    #[error("`{script}` needs arguments: it depends on the parameter `{parameter}` of `{function}`, {call}")]
    NeedsArguments {
        /// Path of the script.
        script: String,
        /// The parameter.
        parameter: String,
        /// Path of the function.
        function: String,
        /// The missing call: "which is not called", or what is unknown about its argument.
        call: String,
    },
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
    /// An error of the host's own.
    #[error("{0}")]
    Own(OwnError),
}

// A code never changes its meaning and is never reused: programs and documentation refer to it. The hundreds group the
// causes: 01 syntax, 02 names, 03 statements and expressions that scripts do not have, 04 exceptions of host code,
// 05 calls and frames of the builder, 06 checks of a dialect, 07 limits, 08 files, 09 printing.
error_codes! {
    EvalErrorKind {
        EvalErrorKind::UndefinedName { .. } => "E0201" "undefined-name"
            "A name is used that nothing defines at this place: it is misspelt, defined further down, or defined in a \
             scope that is closed. The help names the nearest known name.";
        EvalErrorKind::NoAttribute { .. } => "E0203" "no-attribute"
            "A dialect, module or value has no attribute of this name. It may be misspelt, or belong to another dialect.";
        EvalErrorKind::UnsupportedStatement { .. } => "E0301" "unsupported-statement"
            "The body of a script allows fewer statements than Python. The message names the place; move host code \
             outside of the script.";
        EvalErrorKind::UnsupportedExpression { .. } => "E0302" "unsupported-expression"
            "Scripts, or the evaluator of host code, do not support this expression or form of a statement.";
        EvalErrorKind::InvalidTarget { .. } => "E0303" "invalid-target"
            "The left side of an assignment is valid Python, but nothing that this dialect assigns to.";
        EvalErrorKind::NotADecorator { .. } => "E0306" "not-a-decorator"
            "The expression behind `@` is not a decorator of any dialect.";
        EvalErrorKind::NotEvaluated { .. } => "E0310" "not-evaluated"
            "A warning: a piece of host code is not evaluated, because it has effects or is not known. Values that depend \
             on it are unknown; scripts that do not use them are read.";
        EvalErrorKind::UnknownValue { .. } => "E0311" "unknown-value"
            "A script uses a value of host code that is not evaluated, such as the result of an unknown library. Write the \
             value itself.";
        EvalErrorKind::HostCode { .. } => "E0316" "host-code"
            "A script needs code of the file or of Python, which `--host-code none` does not run. Write its value as a literal, \
             or run host code.";
        EvalErrorKind::NeedsArguments { .. } => "E0312" "needs-arguments"
            "A note: a script inside a function depends on the parameters of the function, and the file never calls it, or \
             only with values that are unknown. It is read where it is called with values.";
        EvalErrorKind::Dialect { .. } => "E0600" "dialect"
            "A dialect rejects a call or value with an error of its own. The message says what it expects.";
        EvalErrorKind::TooManySteps { .. } => "E0701" "too-many-steps"
            "Evaluating the host code that a script calls takes more steps than allowed, e.g. in an endless loop. A module-level \
             statement that does is given up with a warning, E0310.";
        EvalErrorKind::TooMuchMemory { .. } => "E0702" "too-much-memory"
            "The values of host code that a script calls need more memory than allowed. A module-level statement whose values do is \
             given up with a warning, E0310.";
        EvalErrorKind::CallsTooDeep { .. } => "E0703" "calls-too-deep"
            "Calls of functions in host code are nested deeper than allowed, e.g. in an endless recursion.";
        EvalErrorKind::TooLargeProgram { .. } => "E0704" "too-large-program"
            "The nodes that the text builds need more memory than allowed.";
    }
    delegate {
        EvalErrorKind::Syntax(kind) => syntax_code(kind);
        EvalErrorKind::Host(error) => error.kind.error_code();
        EvalErrorKind::Build(kind) => kind.error_code();
        EvalErrorKind::Own(error) => error.0.error_code();
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

impl EvalErrorKind {
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
            EvalErrorKind::TooManySteps { .. }
                | EvalErrorKind::TooMuchMemory { .. }
                | EvalErrorKind::TooLargeProgram { .. }
                | EvalErrorKind::CallsTooDeep { .. }
        )
    }

    /// A statement that is not supported here. `place` has its preposition: "inside a circuit".
    pub fn unsupported_statement(kind: StmtKind, place: &'static str) -> EvalErrorKind {
        EvalErrorKind::UnsupportedStatement { kind: kind.describe(), place }
    }
}

impl From<HostError> for EvalErrorKind {
    fn from(error: HostError) -> EvalErrorKind {
        EvalErrorKind::Host(error)
    }
}

impl From<&BuildError> for EvalErrorKind {
    fn from(error: &BuildError) -> EvalErrorKind {
        if let Some(kind) = error.kind() {
            return EvalErrorKind::Build(kind.clone());
        }
        match error.downcast_ref::<HostError>() {
            Some(host) => EvalErrorKind::Host(host.clone()),
            None => EvalErrorKind::Dialect { message: error.to_string() },
        }
    }
}
