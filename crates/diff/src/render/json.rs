//! Edits as JSON.

use serde::Serialize;

/// An edit with the text of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// `change`, `insert`, `remove`, `rename` or `move`.
    pub op: &'static str,
    /// Access path of the part in A.
    pub a: Option<String>,
    /// Access path of the part in B.
    pub b: Option<String>,
    /// Smallest text that contains the part in A; empty without one.
    pub text_a: String,
    /// Smallest text that contains the part in B.
    pub text_b: String,
}

/// Formats edits as JSON: `{"edits":[{"op","a","b","text_a","text_b"}]}`.
pub fn to_json(records: &[Record]) -> String {
    #[derive(Serialize)]
    struct Document<'r> {
        edits: &'r [Record],
    }
    // Strings are always representable.
    serde_json::to_string(&Document { edits: records }).unwrap_or_default()
}
