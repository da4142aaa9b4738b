//! Fixes as edits of the diagnosed text.

use std::ops::Range;

/// Confidence in a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Applicability {
    /// The fix is what was meant; it may be applied without asking.
    Certain,
    /// The fix is a guess, or changes more than the text at the label.
    Uncertain,
}

impl Applicability {
    /// The lower-case name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Applicability::Certain => "certain",
            Applicability::Uncertain => "uncertain",
        }
    }
}

/// A replacement of a byte range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced bytes; empty for an insertion.
    pub range: Range<u32>,
    /// The new text.
    pub replacement: String,
}

/// A fix: edits that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Description of the fix, e.g. "replace `foo` by `bar`".
    pub title: String,
    /// The edits, in any order; they do not overlap.
    pub edits: Vec<TextEdit>,
    /// Confidence.
    pub applicability: Applicability,
}

impl Fix {
    /// A fix that replaces one range.
    pub fn replace(
        range: impl Into<Range<u32>>,
        replacement: impl Into<String>,
        applicability: Applicability,
    ) -> Fix {
        let (range, replacement) = (range.into(), replacement.into());
        let title = match (range.is_empty(), replacement.is_empty()) {
            (true, _) => format!("insert `{replacement}`"),
            (false, true) => "remove this".to_owned(),
            (false, false) => format!("write `{replacement}`"),
        };
        Fix { title, edits: vec![TextEdit { range, replacement }], applicability }
    }
}
