//! Severity of diagnostics.

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Severity {
    /// Information; nothing has to change.
    Note,
    /// Something was left out or guessed; what was read is right.
    Warning,
    /// An error: the enclosing definition is not read.
    #[default]
    Error,
}

impl Severity {
    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}
