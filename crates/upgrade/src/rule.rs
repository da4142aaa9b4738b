//! Rules: the differences of two releases, one entry each.

use tvmscript_ir_core::diagnostic::ErrorCode;

use crate::Level;

/// The effect of a rule on a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name of the text, which texts of the target have.
    Rename,
    /// A rewrite with the same meaning.
    Rewrite,
    /// One of several targets; a note says which.
    Choice,
    /// Nothing in the target has the meaning: it is lost, or the old form stays.
    Report,
}

impl Kind {
    /// The lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Rename => "rename",
            Kind::Rewrite => "rewrite",
            Kind::Choice => "choice",
            Kind::Report => "report",
        }
    }
}

/// A difference of two releases.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name, such as `flat-bindings`.
    pub name: &'static str,
    /// Its effect.
    pub kind: Kind,
    /// The form in the older text, as Python code.
    pub old: &'static str,
    /// The form in the target's text; for a report, what happens to the program.
    pub new: &'static str,
    /// The code of its notes and reports.
    pub code: Option<&'static ErrorCode>,
    /// The level of programs that the difference begins with.
    pub level: Level,
}

impl Rule {
    /// A rule without findings.
    pub const fn new(
        kind: Kind,
        level: Level,
        name: &'static str,
        old: &'static str,
        new: &'static str,
    ) -> Rule {
        Rule { name, kind, old, new, code: None, level }
    }

    /// A rule whose findings have a code.
    pub const fn with_code(
        kind: Kind,
        level: Level,
        code: &'static ErrorCode,
        old: &'static str,
        new: &'static str,
    ) -> Rule {
        Rule { name: code.name, kind, old, new, code: Some(code), level }
    }
}
