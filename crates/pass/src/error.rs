//! Errors of passes: diagnostics about the input of a pass.

use std::fmt;

#[cfg(feature = "print")]
use tvmscript_docsifier::{DiagnosticOptions, render_diagnostics};
#[cfg(feature = "print")]
use tvmscript_ir_core::Registry;
use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, DiagnosticKind, IntoAnchor, Label, Message};
use tvmscript_ir_core::{NodeSearch, Object, error_codes};

use crate::context::OptionError;

/// Causes of errors that this crate reports. A pass may declare its own kinds with
/// [`error_codes!`](tvmscript_ir_core::error_codes).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PassErrorKind {
    /// The input is outside of what the pass can transform.
    #[error("{message}")]
    Unsupported {
        /// The reason, lower case, without a full stop.
        message: String,
    },
    /// An option is unknown or has a wrong value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A pass that another one requires is not registered.
    #[error("the pass `{pass}` requires `{required}`, which is not registered")]
    MissingRequired {
        /// The pass.
        pass: String,
        /// Name of the required pass.
        required: String,
    },
    /// Passes require each other.
    #[error("the pass `{pass}` requires itself")]
    CircularRequirement {
        /// The pass.
        pass: String,
    },
    /// An instrument rejects the result of a pass.
    #[error("{instrument}: {message}")]
    Instrument {
        /// The instrument.
        instrument: &'static str,
        /// The reason, lower case, without a full stop.
        message: String,
    },
}

error_codes! {
    PassErrorKind {
        PassErrorKind::Unsupported { .. } => "E1101" "pass-unsupported"
            "The program contains something that the pass cannot transform. The label is on it.";
        PassErrorKind::Option(_) => "E1102" "pass-option"
            "An option of a pass is unknown or has a wrong value. `tvmscript opt --list-passes` lists the options.";
        PassErrorKind::MissingRequired { .. } => "E1103" "pass-required"
            "A pass requires another one that no dialect registers.";
        PassErrorKind::CircularRequirement { .. } => "E1104" "pass-requires-itself"
            "A pass requires itself, directly or through other passes.";
        PassErrorKind::Instrument { .. } => "E1105" "pass-instrument"
            "An instrument rejects the result of a pass: it is not well-formed, does not read back from its text, or has lost \
             sources.";
    }
}

/// Error of a pass or an instrument: a diagnostic about the input of the pass, which it holds as [`PassError::root`].
///
/// Every kind of error with a code converts into one by `?`. [`PassError::at`] adds the place; rewriters and
/// [`PassContext::run`](crate::PassContext::run) add the innermost place, the pass and its input where they are missing.
///
/// ```
/// use tvmscript_ir_core::{Array, ObjectLike, Value};
/// use tvmscript_pass::PassError;
///
/// let list = Array::of_values([Value::Int(1)]).into_object();
/// let error = PassError::unsupported("a list of 1 element").at(&list).at(&list).with_help("append an element");
/// assert_eq!(error.diagnostic().code(), "E1101");
/// assert_eq!(error.diagnostic().labels.len(), 1, "the first place counts");
/// ```
#[derive(Clone, PartialEq)]
pub struct PassError(Box<Parts>);

#[derive(Clone, PartialEq)]
struct Parts {
    pass: Option<String>,
    root: Option<Root>,
    diagnostic: Diagnostic,
}

/// Compares by identity.
#[derive(Clone)]
struct Root(Object);

impl PartialEq for Root {
    fn eq(&self, other: &Root) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl PassError {
    /// An error about input that a pass cannot transform.
    #[cold]
    pub fn unsupported(message: impl Into<String>) -> PassError {
        PassErrorKind::Unsupported { message: message.into() }.into()
    }

    /// An error with the labels, notes and help of a diagnostic.
    #[cold]
    pub fn from_diagnostic<K: DiagnosticKind>(diagnostic: &Diagnostic<K>) -> PassError {
        PassError(Box::new(Parts { pass: None, root: None, diagnostic: diagnostic.erased() }))
    }

    /// Sets the place, unless there is one.
    #[must_use]
    pub fn at(mut self, at: impl IntoAnchor) -> PassError {
        if self.0.diagnostic.labels.is_empty() {
            self.0.diagnostic.labels.push(Label::new(at, ""));
        }
        self
    }

    /// Sets the text of the place.
    #[must_use]
    pub fn labelled(self, text: impl Into<String>) -> PassError {
        self.map(|diagnostic| diagnostic.labelled(text))
    }

    /// Adds a place that explains the error.
    #[must_use]
    pub fn with_label(self, at: impl IntoAnchor, text: impl Into<String>) -> PassError {
        self.map(|diagnostic| diagnostic.with_label(at, text))
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> PassError {
        self.map(|diagnostic| diagnostic.with_note(note))
    }

    /// Adds advice, unless there is some.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> PassError {
        self.map(|diagnostic| diagnostic.with_help(help))
    }

    fn map(mut self, f: impl FnOnce(Diagnostic) -> Diagnostic) -> PassError {
        self.0.diagnostic = f(self.0.diagnostic);
        self
    }

    /// Returns the diagnostic. Its labels are on access paths from [`PassError::root`], and on nodes that are not part
    /// of it.
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.0.diagnostic
    }

    /// Returns the input of the pass.
    pub fn root(&self) -> Option<&Object> {
        self.0.root.as_ref().map(|root| &root.0)
    }

    /// Returns the name of the innermost pass that failed.
    pub fn pass(&self) -> Option<&str> {
        self.0.pass.as_deref()
    }

    /// Shows the error in the printed input of the pass, and in the texts of `options` that its nodes come from.
    #[cfg(feature = "print")]
    pub fn render(&self, registry: &Registry, options: &DiagnosticOptions<'_>) -> String {
        let mut diagnostic = self.0.diagnostic.clone();
        diagnostic.notes.extend(self.pass().map(|pass| format!("in the pass `{pass}`")));
        let shown = self.root().map(|root| render_diagnostics(root, registry, &[diagnostic], options));
        match shown {
            Some(Ok(text)) => text,
            _ => format!("{self}\n"),
        }
    }

    /// Tests whether the error has a place.
    pub fn is_located(&self) -> bool {
        !self.0.diagnostic.labels.is_empty()
    }

    /// Adds the pass and its input, unless those of a nested pass are known, and the paths of labelled nodes.
    pub(crate) fn in_pass(mut self, pass: &str, root: &Object) -> PassError {
        let parts = &mut *self.0;
        if parts.root.is_some() {
            return self;
        }
        for label in &mut parts.diagnostic.labels {
            let Anchor::Node(node) = &label.at else { continue };
            let search = NodeSearch { limit: 1, derived: false };
            let found = search.run(root, |candidate| candidate.ptr_eq(node)).pop();
            if let Some((node, path)) = found {
                label.at = Anchor::path(path, node.span());
            }
        }
        (parts.pass, parts.root) = (Some(pass.to_owned()), Some(Root(root.clone())));
        self
    }
}

impl<K: DiagnosticKind> From<K> for PassError {
    #[cold]
    fn from(kind: K) -> PassError {
        let mut diagnostic = Diagnostic::new(Message::new(kind.error_code(), kind.to_string()), 0..0);
        diagnostic.labels.clear();
        PassError(Box::new(Parts { pass: None, root: None, diagnostic }))
    }
}

impl From<OptionError> for PassError {
    #[cold]
    fn from(error: OptionError) -> PassError {
        PassErrorKind::Option(error).into()
    }
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pass) = self.pass() {
            write!(f, "in the pass `{pass}`: ")?;
        }
        self.0.diagnostic.fmt(f)
    }
}

impl fmt::Debug for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassError")
            .field("pass", &self.0.pass)
            .field("diagnostic", &self.0.diagnostic)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for PassError {}
