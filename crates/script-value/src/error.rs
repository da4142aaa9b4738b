//! Errors of calls and of building.
//!
//! A [`BuildError`] carries a typed error (a [`BuildErrorKind`] or a dialect's own), the argument that it is about,
//! and a suggested fix. The parser reports it at that argument; builders used from Rust record it with the caller's
//! location.

use std::borrow::Cow;
use std::error::Error;

use tvmscript_ir_core::{Span, Str, error_codes};

/// Wrong calls and misused frames.
///
/// The fields are parts of the message. `function` and `name` are plain names as in scripts (`C.register`), to which the
/// message adds backticks. A description is a noun phrase with its article and its own backticks ("an int", "`None`").
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A required argument is missing.
    #[error("`{function}` is missing the argument `{name}`")]
    MissingArgument {
        /// The called function.
        function: String,
        /// The parameter.
        name: &'static str,
    },
    /// More positional arguments than parameters.
    #[error("`{function}` takes {} positional argument{}, not {found}", at_most(*limit), if *limit == 1 { "" } else { "s" })]
    TooManyArguments {
        /// The called function.
        function: String,
        /// Maximum number of positional arguments.
        limit: usize,
        /// Number of positional arguments given.
        found: usize,
    },
    /// A keyword argument without a parameter.
    #[error("`{function}` has no parameter `{name}`")]
    UnknownKeyword {
        /// The called function.
        function: String,
        /// The keyword.
        name: String,
        /// The parameters of the function.
        known: Vec<&'static str>,
    },
    /// An argument is given twice.
    #[error("`{function}` got multiple values for the argument `{name}`")]
    RepeatedArgument {
        /// The called function.
        function: String,
        /// The parameter.
        name: String,
    },
    /// An argument has the wrong type.
    #[error("`{name}` of `{function}` must be {expected}, not {found}")]
    ArgumentType {
        /// The called function.
        function: String,
        /// The parameter.
        name: &'static str,
        /// The expected form, e.g. "an int".
        expected: String,
        /// Description of the argument's type or value, e.g. "str".
        found: String,
    },
    /// A value of another type than expected.
    #[error("expected {expected}, found {found}")]
    Type {
        /// The expected form, e.g. "an int".
        expected: String,
        /// Description of the value's type or of the value, e.g. "str".
        found: String,
    },
    /// The value is not callable.
    #[error("{what} cannot be called")]
    NotCallable {
        /// Description of the value, e.g. "the int `3`".
        what: String,
    },
    /// A function was called outside the frame that it needs.
    #[error("`{function}` must be used {expected}, but {found}")]
    WrongFrame {
        /// The called function, e.g. "C.register".
        function: String,
        /// The required position, after "must be used": "directly in a circuit", "inside `with C.clocked(..)`".
        expected: Cow<'static, str>,
        /// The actual position, a predicate after "but": "is used in `C.circuit`", "is used outside of any scope".
        found: String,
    },
    /// A function was called twice in a frame that allows it once.
    #[error("{what} is given twice")]
    Repeated {
        /// The repeated part, e.g. "`C.output`" or "the branch `else`".
        what: String,
    },
    /// No builder is open on this thread.
    #[error("no builder is open")]
    NoBuilder,
    /// A frame was closed while an inner one is open.
    #[error("`{name}` is closed while `{inner}` is still open inside it")]
    Nesting {
        /// The closed frame.
        name: &'static str,
        /// The inner frame.
        inner: &'static str,
    },
    /// A frame was left that its enclosing frame had closed already.
    #[error("`{name}` is closed already")]
    Closed {
        /// The frame.
        name: &'static str,
    },
    /// A builder was finished while an inner one is open.
    #[error("the builder is finished before the one opened inside it")]
    InnerBuilder,
    /// More than one node was built at the top level.
    #[error("{count} nodes were built, but a builder returns one")]
    SecondResult {
        /// Number of nodes.
        count: usize,
    },
    /// The builder was finished without a result.
    #[error("nothing was built")]
    NoResult,
    /// A node of a class without names was named.
    #[error("a `{what}` cannot be named `{name}`")]
    Unnameable {
        /// The name, without backticks.
        name: String,
        /// The type key of the node, e.g. "circuit.Gate".
        what: &'static str,
    },
    /// A poisoned argument: it stands for a value whose error was reported already.
    #[error("an argument stands for a value that could not be made")]
    Poisoned,
    /// A message of a dialect: lower case, no full stop, names in backticks.
    #[error("{0}")]
    Message(String),
}

error_codes! {
    BuildErrorKind {
        BuildErrorKind::Message(_) => "E0500" "build"
            "A call of a script function fails for a reason that its dialect explains in the message.";
        BuildErrorKind::MissingArgument { .. } => "E0501" "build" "A call lacks an argument that has no default value.";
        BuildErrorKind::TooManyArguments { .. } => "E0502" "build"
            "A call has more positional arguments than the function takes. Some parameters are given by keyword only.";
        BuildErrorKind::UnknownKeyword { .. } => "E0503" "build"
            "A call has a keyword argument that the function does not take. The help names the nearest parameter.";
        BuildErrorKind::RepeatedArgument { .. } => "E0504" "build"
            "A parameter is given twice: by position and by keyword, or by `*` and `**`.";
        BuildErrorKind::ArgumentType { .. } => "E0505" "build"
            "An argument has a type that the parameter does not accept. The message says which types it accepts.";
        BuildErrorKind::Type { .. } => "E0506" "build" "A value has another type than this place needs.";
        BuildErrorKind::NotCallable { .. } => "E0507" "build" "A value that is not a function is called.";
        BuildErrorKind::WrongFrame { .. } => "E0508" "build"
            "A script function is used outside the scope that it belongs to, such as an axis outside of a block.";
        BuildErrorKind::Repeated { .. } => "E0509" "build" "A part that a scope has once is given twice.";
        BuildErrorKind::NoBuilder => "E0510" "build"
            "A script function is called from Rust while no builder is open on the thread.";
        BuildErrorKind::Nesting { .. } => "E0511" "build"
            "A frame is closed while a frame that was opened inside it is still open.";
        BuildErrorKind::Closed { .. } => "E0512" "build" "A frame is closed a second time.";
        BuildErrorKind::InnerBuilder => "E0513" "build"
            "A builder is finished while another one, opened later on the same thread, is still open.";
        BuildErrorKind::SecondResult { .. } => "E0514" "build"
            "More than one function or module was built at the top level of a builder that returns one.";
        BuildErrorKind::NoResult => "E0515" "build" "A builder was finished before any function or module was built.";
        BuildErrorKind::Unnameable { .. } => "E0516" "build" "A name was given to a node that has none.";
        BuildErrorKind::Poisoned => "E0517" "build"
            "An argument stands for the result of a call that failed. That error is reported by its own builder.";
    }
}

impl BuildErrorKind {
    /// A suggested fix for misuse of builders and frames.
    fn help(&self) -> Option<String> {
        Some(match self {
            BuildErrorKind::NoBuilder => "open one with `Builder::new()`".to_owned(),
            BuildErrorKind::Nesting { inner, .. } => format!("leave `{inner}` first"),
            BuildErrorKind::Closed { .. } => {
                "a scope closes what was entered inside it: leave the inner ones first".to_owned()
            }
            BuildErrorKind::InnerBuilder => "finish or drop the inner builder first".to_owned(),
            BuildErrorKind::SecondResult { .. } => {
                "build each with a builder of its own, or all inside one module".to_owned()
            }
            BuildErrorKind::NoResult => "enter a scope, such as a function, and leave it".to_owned(),
            BuildErrorKind::Unnameable { .. } => {
                "variables, buffers and axes have names; bind another value to a variable".to_owned()
            }
            BuildErrorKind::Poisoned => {
                "it comes from a builder that reported errors: mend those, or keep it inside".to_owned()
            }
            _ => return None,
        })
    }
}

fn at_most(limit: usize) -> String {
    if limit == 0 { "no".to_owned() } else { format!("at most {limit}") }
}

/// An error of a call or frame.
pub struct BuildError {
    error: Box<dyn Error + Send + Sync>,
    /// The argument that the error is about.
    pub argument: Option<ArgumentRef>,
    /// The part of the argument that the error is about; `None` for all of it.
    pub part: Option<Box<ArgumentPart>>,
    /// The source range that the error is about, if it is not the call's; unknown otherwise.
    pub span: Span,
    /// A note.
    pub note: Option<Box<str>>,
    /// A suggested fix.
    pub help: Option<Box<str>>,
}

/// A part of an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentPart {
    /// Indices into nested lists or tuples, innermost first.
    pub items: Vec<usize>,
    /// Byte offset in the text of the argument or element.
    pub byte: Option<usize>,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentRef {
    /// The index of a positional argument.
    Position(usize),
    /// A keyword.
    Keyword(Str),
    /// A parameter, given by keyword or by position.
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// The parameter's index.
        index: u32,
    },
}

impl BuildError {
    /// Wraps an error of any type.
    pub fn from_boxed(error: Box<dyn Error + Send + Sync>) -> BuildError {
        let help = error.downcast_ref().and_then(BuildErrorKind::help).map(String::into_boxed_str);
        BuildError { error, argument: None, part: None, span: Span::UNKNOWN, note: None, help }
    }

    /// The kind, if the error is a [`BuildErrorKind`].
    pub fn kind(&self) -> Option<&BuildErrorKind> {
        self.error.downcast_ref()
    }

    /// The error as type `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// An error with a message of a dialect.
    pub fn message(text: impl Into<String>) -> BuildError {
        BuildErrorKind::Message(text.into()).into()
    }

    /// A value of another type than expected.
    pub fn expected(expected: impl Into<String>, found: impl Into<String>) -> BuildError {
        BuildErrorKind::Type { expected: expected.into(), found: found.into() }.into()
    }

    /// A value that is not callable.
    pub fn not_callable(what: &str) -> BuildError {
        BuildErrorKind::NotCallable { what: what.to_owned() }.into()
    }

    /// Adds a suggested fix, unless there is one.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> BuildError {
        self.help.get_or_insert_with(|| help.into().into_boxed_str());
        self
    }

    /// Adds the call syntax as a note, unless there is one.
    #[must_use]
    pub fn with_usage(mut self, usage: &str) -> BuildError {
        self.note.get_or_insert_with(|| format!("the call syntax is `{usage}`").into());
        self
    }

    /// Names the called function otherwise, in the message and in the call syntax: as a release does.
    #[must_use]
    pub fn with_callee(mut self, own: &str, new: &str) -> BuildError {
        if let Some(
            BuildErrorKind::MissingArgument { function, .. }
            | BuildErrorKind::TooManyArguments { function, .. }
            | BuildErrorKind::UnknownKeyword { function, .. }
            | BuildErrorKind::RepeatedArgument { function, .. }
            | BuildErrorKind::ArgumentType { function, .. },
        ) = self.error.downcast_mut()
            && function == own
        {
            new.clone_into(function);
            self.note =
                self.note.map(|note| note.replacen(&format!("`{own}("), &format!("`{new}("), 1).into());
        }
        self
    }

    /// Converts [`BuildErrorKind::Type`] to [`BuildErrorKind::ArgumentType`] for a parameter.
    #[must_use]
    pub(crate) fn of_parameter(self, function: &str, name: Option<&'static str>) -> BuildError {
        let (Some(BuildErrorKind::Type { expected, found }), Some(name)) = (self.kind(), name) else {
            return self;
        };
        let (function, expected, found) = (function.to_owned(), expected.clone(), found.clone());
        let kind = BuildErrorKind::ArgumentType { function, name, expected, found };
        BuildError { error: Box::new(kind), ..self }
    }

    /// Sets the argument, unless it is set.
    #[must_use]
    pub fn at(mut self, argument: ArgumentRef) -> BuildError {
        self.argument.get_or_insert(argument);
        self
    }

    /// Sets the byte offset in the text, unless it is set.
    #[must_use]
    pub fn at_byte(mut self, offset: usize) -> BuildError {
        self.part.get_or_insert_default().byte.get_or_insert(offset);
        self
    }

    /// Adds the index of a list or tuple element.
    #[must_use]
    pub fn at_item(mut self, index: usize) -> BuildError {
        if self.argument.is_none() {
            self.part.get_or_insert_default().items.push(index);
        }
        self
    }

    /// Sets the argument to a parameter of the called function, unless it is set.
    #[must_use]
    pub fn at_parameter(self, name: &str) -> BuildError {
        self.at(ArgumentRef::Keyword(Str::new(name)))
    }

    /// Sets the source range, unless it is set.
    #[must_use]
    pub fn at_span(mut self, span: Span) -> BuildError {
        if !self.span.is_known() {
            self.span = span;
        }
        self
    }

    /// Sets the argument to a positional one, unless it is set.
    #[must_use]
    pub fn at_position(self, index: usize) -> BuildError {
        self.at(ArgumentRef::Position(index))
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for BuildError {
    fn from(error: E) -> BuildError {
        BuildError::from_boxed(Box::new(error))
    }
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::fmt::Debug for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// A result with a [`BuildError`].
pub type BuildResult<T> = Result<T, BuildError>;
