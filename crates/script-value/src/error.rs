//! Errors of calls and of building.
//!
//! A [`BuildError`] carries any typed error (this crate's [`BuildErrorKind`], or a dialect's own), which argument of the
//! call it speaks of, and what to do about it. The parser turns it into a message at that argument; in the Rust face it
//! is recorded with the caller's place.

use std::error::Error;

use tvmscript_ir_core::Span;

/// Mistakes in calls and in the use of frames.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A required argument is missing.
    #[error("`{function}` misses the argument `{name}`")]
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
        /// How many it takes.
        limit: usize,
        /// How many were given.
        found: usize,
    },
    /// A keyword that no parameter has.
    #[error("`{function}` has no parameter `{name}`")]
    UnknownKeyword {
        /// The called function.
        function: String,
        /// The keyword.
        name: String,
        /// The keywords that it has.
        known: Vec<&'static str>,
    },
    /// A parameter is given twice.
    #[error("`{function}` gets the argument `{name}` twice")]
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
        /// What it takes, in words.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A value of another type was expected.
    #[error("expected {expected}, found {found}")]
    Type {
        /// What is taken, in words.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The value cannot be called.
    #[error("{what} cannot be called")]
    NotCallable {
        /// What it is.
        what: String,
    },
    /// A function was called where no frame of its kind is open.
    #[error("`{function}` must stand {expected}, but {found}")]
    WrongFrame {
        /// The called function.
        function: String,
        /// Where it belongs, in words.
        expected: &'static str,
        /// Where it was called, in words.
        found: String,
    },
    /// A function that may be called once in its frame was called again.
    #[error("{what} is given twice")]
    Repeated {
        /// What is given twice, in words.
        what: String,
    },
    /// No builder is open on this thread.
    #[error("no builder is open")]
    NoBuilder,
    /// A frame was closed that is not the innermost.
    #[error("`{name}` is closed while `{inner}` is still open inside it")]
    Nesting {
        /// The frame closed.
        name: &'static str,
        /// The frame inside it.
        inner: &'static str,
    },
    /// A frame was left after it was closed with the one around it.
    #[error("`{name}` is closed already")]
    Closed {
        /// The frame.
        name: &'static str,
    },
    /// A builder was finished while another that was opened later is still open.
    #[error("the builder is finished before the one opened inside it")]
    InnerBuilder,
    /// More than one thing was built.
    #[error("{count} things were built, and a builder gives one")]
    SecondResult {
        /// How many.
        count: usize,
    },
    /// The builder was finished before anything was built.
    #[error("nothing was built")]
    NoResult,
    /// A node whose type has no name was to be named.
    #[error("a `{what}` cannot be named `{name}`")]
    Unnameable {
        /// The name.
        name: String,
        /// The type key of the node.
        what: &'static str,
    },
    /// An argument stands for a value that could not be made; the error that says why was reported then.
    #[error("an argument stands for a value that could not be made")]
    Poisoned,
    /// Anything a dialect says in words of its own.
    #[error("{0}")]
    Message(String),
}

impl BuildErrorKind {
    /// What to do about misuse of builders and frames.
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

/// "at most 2"
fn at_most(limit: usize) -> String {
    if limit == 0 { "no".to_owned() } else { format!("at most {limit}") }
}

/// An error of a call or frame.
pub struct BuildError {
    error: Box<dyn Error + Send + Sync>,
    /// The argument it speaks of: its number among the positional ones, or its keyword.
    pub argument: Option<ArgumentRef>,
    /// Which part of the argument it speaks of; none for the whole.
    pub part: Option<Box<ArgumentPart>>,
    /// The place it speaks of, where that is another than the call's; unknown otherwise.
    pub span: Span,
    /// What else helps to see it.
    pub note: Option<Box<str>>,
    /// What to do about it.
    pub help: Option<Box<str>>,
}

/// A part of an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentPart {
    /// An item of a list or tuple, which may stand in others: numbers from the innermost outwards.
    pub items: Vec<usize>,
    /// A byte of the text that the argument, or the item, is.
    pub byte: Option<usize>,
}

/// Which argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentRef {
    /// By number among the positional ones.
    Position(usize),
    /// By keyword.
    Keyword(Box<str>),
    /// That of a parameter: by keyword, or by number where no keyword says it.
    Parameter {
        /// The name of the parameter.
        name: &'static str,
        /// Its number.
        index: u32,
    },
}

impl BuildError {
    /// An error of any type.
    pub fn from_boxed(error: Box<dyn Error + Send + Sync>) -> BuildError {
        let help = error.downcast_ref().and_then(BuildErrorKind::help).map(String::into_boxed_str);
        BuildError { error, argument: None, part: None, span: Span::UNKNOWN, note: None, help }
    }

    /// The kind, if the error is this crate's own.
    pub fn kind(&self) -> Option<&BuildErrorKind> {
        self.error.downcast_ref()
    }

    /// The error as one of type `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// A mistake that a dialect describes in words of its own.
    pub fn message(text: impl Into<String>) -> BuildError {
        BuildErrorKind::Message(text.into()).into()
    }

    /// A value of another type was expected.
    pub fn expected(expected: impl Into<String>, found: impl Into<String>) -> BuildError {
        BuildErrorKind::Type { expected: expected.into(), found: found.into() }.into()
    }

    /// The value cannot be called.
    pub fn not_callable(what: &str) -> BuildError {
        BuildErrorKind::NotCallable { what: what.to_owned() }.into()
    }

    /// The same error, with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> BuildError {
        self.help.get_or_insert_with(|| help.into().into_boxed_str());
        self
    }

    /// The same error, with how the function is called.
    #[must_use]
    pub fn with_usage(mut self, usage: &str) -> BuildError {
        self.note.get_or_insert_with(|| format!("it is called as `{usage}`").into());
        self
    }

    /// The same error, speaking of a parameter where it spoke of a value of another type.
    #[must_use]
    pub fn of_parameter(self, function: &str, name: Option<&'static str>) -> BuildError {
        let (Some(BuildErrorKind::Type { expected, found }), Some(name)) = (self.kind(), name) else {
            return self;
        };
        let (function, expected, found) = (function.to_owned(), expected.clone(), found.clone());
        let kind = BuildErrorKind::ArgumentType { function, name, expected, found };
        BuildError { error: Box::new(kind), ..self }
    }

    /// The same error, speaking of an argument, unless it speaks of one already.
    #[must_use]
    pub fn at(mut self, argument: ArgumentRef) -> BuildError {
        self.argument.get_or_insert(argument);
        self
    }

    /// The same error, speaking of a byte of the text that the value is.
    #[must_use]
    pub fn at_byte(mut self, offset: usize) -> BuildError {
        self.part.get_or_insert_default().byte.get_or_insert(offset);
        self
    }

    /// The same error, speaking of an item of the list or tuple that the value is.
    #[must_use]
    pub fn at_item(mut self, index: usize) -> BuildError {
        if self.argument.is_none() {
            self.part.get_or_insert_default().items.push(index);
        }
        self
    }

    /// The same error, speaking of a parameter of the function that was called.
    #[must_use]
    pub fn at_parameter(self, name: &str) -> BuildError {
        self.at(ArgumentRef::Keyword(name.into()))
    }

    /// The same error, speaking of a place in the source, unless it speaks of one already.
    #[must_use]
    pub fn at_span(mut self, span: Span) -> BuildError {
        if !self.span.is_known() {
            self.span = span;
        }
        self
    }

    /// The same error, speaking of a positional argument.
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
pub type Result<T> = std::result::Result<T, BuildError>;
