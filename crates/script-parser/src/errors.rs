//! Kinds of errors of reading a script.

use tvmscript_ir_core::diagnostic::{Diagnostic, DiagnosticKind};
use tvmscript_ir_core::error_codes;
use tvmscript_ir_core::release::UnknownRelease;
use tvmscript_python_syntax::ast::StmtKind;
use tvmscript_script_eval::errors::{EvalError, EvalErrorKind, HostError, OwnError, OwnErrorKind};

/// An error of reading a script: one variant per cause.
///
/// The fields are parts of the message, as those of [`EvalErrorKind`] are.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// An error of evaluation.
    #[error("{0}")]
    Eval(EvalErrorKind),
    /// A script header that cannot be applied.
    #[error("{message}")]
    Header {
        /// The message.
        message: String,
    },
    /// The registry does not have the selected release.
    #[error(transparent)]
    UnknownRelease(UnknownRelease),
    /// A name was defined twice in its scope.
    #[error("`{name}` is already defined in this scope")]
    AlreadyDefined {
        /// The name.
        name: String,
    },
    /// Calls of a function that the dialect does not have, kept as they are written.
    #[error("{}; calls kept as written: {count}", lacking(dialect, name, *is_known))]
    UnknownFunction {
        /// The dialect.
        dialect: &'static str,
        /// Name of the function with its namespaces, without backticks.
        name: String,
        /// The dialect has the function, but calls of this form fit none of its operators, or several.
        is_known: bool,
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
    /// Values of a metadata section that the text leaves out, kept as they are written.
    #[error("the text leaves out its metadata section; values kept as written: {count} ({keys})")]
    Omitted {
        /// Keys of their types, in backticks.
        keys: String,
        /// Number of values.
        count: usize,
    },
    /// The text has no script but a function that builds one, which was called.
    #[error("the text has no script, so that `{name}()` was called and its result taken")]
    BuildCalled {
        /// Name of the function, without backticks.
        name: &'static str,
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
    /// A value of another kind than expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected form, e.g. "an integer" or "a call such as `C.output(..)`".
        expected: String,
        /// The form found, e.g. "a parameter without type" or the description of a value.
        found: String,
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
}

fn lacking(dialect: &str, name: &str, is_known: bool) -> String {
    match is_known {
        true => format!(
            "operands and modifiers of `{name}` fit no operator of the dialect `{dialect}`, or several"
        ),
        false => format!("the dialect `{dialect}` has no function `{name}`"),
    }
}

error_codes! {
    ParseErrorKind {
        ParseErrorKind::AlreadyDefined { .. } => "E0202" "already-defined"
            "A name is defined twice in a scope that binds each name once. Use another name for the second one.";
        ParseErrorKind::UnknownFunction { .. } => "E0204" "unknown-function"
            "A note: a printed text calls functions that the dialect does not have, such as operators of another release, \
             or calls them with operands that fit no operator, or several. The calls are kept as they are written and print \
             as they were. The type of their results is that of the place where they stand, if it tells one.";
        ParseErrorKind::UnknownType { .. } => "E0205" "unknown-type"
            "A note: the metadata section of a printed text has nodes of a type that no dialect declares. They are kept as \
             they are written, can be used as values of attributes and as arguments of unknown functions, and print as they \
             were.";
        ParseErrorKind::Omitted { .. } => "E0206" "omitted"
            "A note: the text refers to values of its metadata section and leaves out the section, as printers do by default. \
             They are kept as they are written and print as they were. Print with the metadata section to have the values.";
        ParseErrorKind::BuildCalled { .. } => "E0207" "build-called"
            "A note: the text has no script, but a function `build` without parameters that opens a builder, as programs \
             have that `emit` writes. The function is called, and what it returns are the scripts of the text. A call at \
             module level, or the option `--call`, chooses another function.";
        ParseErrorKind::MissingDecorator { .. } => "E0304" "missing-decorator"
            "A definition where a script is expected has no decorator of a dialect, so that it is unknown what it \
             defines.";
        ParseErrorKind::WrongDecorator { .. } => "E0305" "wrong-decorator"
            "A decorator for functions is used on a class, or one for classes on a function.";
        ParseErrorKind::Expected { .. } => "E0307" "expected"
            "A value or piece of syntax is of another kind than this place needs. The message says which is expected and \
             which was found.";
        ParseErrorKind::NoScript => "E0308" "no-script"
            "The text defines no script: no function or class has a decorator of a dialect, or the file does not import \
             the dialect.";
        ParseErrorKind::Header { .. } => "E0309" "header"
            "The header comment in front of a script names an option that does not exist, or a value that the option \
             does not have.";
        ParseErrorKind::UnknownRelease(_) => "E0313" "unknown-profile"
            "The registry does not have the release that the options of parsing select.";
        ParseErrorKind::UndeclaredCapture { .. } => "E0315" "undeclared-capture"
            "A script uses a function, list or other object around it that its decorator does not declare. The list \
             `capture` of the decorator, or the option for the capture rule, allows declared ones only.";
    }
    delegate {
        ParseErrorKind::Eval(kind) => kind.error_code();
    }
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

    /// A value of another kind than expected. The message is `expected {expected}, found {found}`.
    pub fn expected(expected: impl Into<String>, found: impl Into<String>) -> ParseErrorKind {
        ParseErrorKind::Expected { expected: expected.into(), found: found.into() }
    }

    /// A statement that is not supported here. `place` has its preposition: "inside a circuit".
    pub fn unsupported_statement(kind: StmtKind, place: &'static str) -> ParseErrorKind {
        ParseErrorKind::Eval(EvalErrorKind::unsupported_statement(kind, place))
    }
}

impl OwnErrorKind for ParseErrorKind {
    fn is_equal(&self, other: &dyn std::any::Any) -> bool {
        other.downcast_ref::<ParseErrorKind>() == Some(self)
    }

    fn is_certain(&self) -> bool {
        matches!(self, ParseErrorKind::AlreadyDefined { .. })
    }
}

/// An error among those of the evaluation around the script.
impl From<ParseErrorKind> for EvalErrorKind {
    fn from(kind: ParseErrorKind) -> EvalErrorKind {
        match kind {
            ParseErrorKind::Eval(kind) => kind,
            own => EvalErrorKind::Own(OwnError::new(own)),
        }
    }
}

impl From<EvalErrorKind> for ParseErrorKind {
    fn from(kind: EvalErrorKind) -> ParseErrorKind {
        match &kind {
            EvalErrorKind::Own(own) => match own.downcast_ref::<ParseErrorKind>() {
                Some(own) => own.clone(),
                None => ParseErrorKind::Eval(kind),
            },
            _ => ParseErrorKind::Eval(kind),
        }
    }
}

impl From<HostError> for ParseErrorKind {
    fn from(error: HostError) -> ParseErrorKind {
        ParseErrorKind::Eval(error.into())
    }
}

/// A diagnostic of reading a script.
pub type ParseError = Diagnostic<ParseErrorKind>;

/// The diagnostics of a parse.
pub(crate) fn parse_errors(errors: Vec<EvalError>) -> Vec<ParseError> {
    errors.into_iter().map(|error| error.map(ParseErrorKind::from)).collect()
}
