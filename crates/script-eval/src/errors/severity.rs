//! How serious a diagnostic is.

/// How serious a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Severity {
    /// Something worth knowing that needs no change.
    Note,
    /// Something that was left out or guessed; what was read is still right.
    Warning,
    /// A mistake: what it belongs to is not read.
    #[default]
    Error,
}

impl Severity {
    /// The lower-case name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}
