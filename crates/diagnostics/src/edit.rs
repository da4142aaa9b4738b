//! Edits of a text.

use tvmscript_ir_core::diagnostic::TextEdit;

/// The reason why edits cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// Two edits change the same bytes.
    Overlap {
        /// Offset of the second edit.
        at_bytes: u32,
    },
    /// An edit is beyond the text, inside a character, or ends before it starts.
    Range {
        /// Offset of the edit.
        at_bytes: u32,
    },
}

impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EditError::Overlap { at_bytes } => write!(f, "two edits overlap at byte {at_bytes}"),
            EditError::Range { at_bytes } => write!(f, "the edit at byte {at_bytes} is not in the text"),
        }
    }
}

impl std::error::Error for EditError {}

/// Tests whether two edits change the same bytes, or insert at the same place.
pub fn overlap(a: &TextEdit, b: &TextEdit) -> bool {
    let (a, b) = (&a.range, &b.range);
    if a.is_empty() || b.is_empty() {
        a.start <= b.end && b.start <= a.end
    } else {
        a.start < b.end && b.start < a.end
    }
}

/// Returns the text with the edits applied, which may be in any order.
///
/// # Errors
/// If two edits overlap ([`overlap`]), or one is not in the text. Nothing is applied then.
pub fn apply(text: &str, edits: &[TextEdit]) -> Result<String, EditError> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out =
        String::with_capacity(text.len() + edits.iter().map(|e| e.replacement.len()).sum::<usize>());
    let mut at = 0;
    let mut last: Option<&TextEdit> = None;
    for edit in sorted {
        let at_bytes = edit.range.start;
        if last.is_some_and(|last| overlap(last, edit)) {
            return Err(EditError::Overlap { at_bytes });
        }
        let (start, end) = (edit.range.start as usize, edit.range.end as usize);
        let (Some(before), Some(_)) = (text.get(at..start), text.get(start..end)) else {
            return Err(EditError::Range { at_bytes });
        };
        out.push_str(before);
        out.push_str(&edit.replacement);
        at = end;
        last = Some(edit);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: std::ops::Range<u32>, replacement: &str) -> TextEdit {
        TextEdit { range, replacement: replacement.to_owned() }
    }

    #[test]
    fn edits_apply_in_any_order() {
        let edits = [edit(4..7, "three"), edit(0..3, "1"), edit(8..8, "!")];
        assert_eq!(apply("one two ", &edits).unwrap(), "1 three !");
        assert_eq!(apply("ä", &[]).unwrap(), "ä");
    }

    #[test]
    fn overlapping_and_outlying_edits_are_refused() {
        let overlap = |a, b| apply("0123456789", &[a, b]);
        assert_eq!(overlap(edit(2..5, ""), edit(4..6, "x")), Err(EditError::Overlap { at_bytes: 4 }));
        assert_eq!(overlap(edit(2..2, "a"), edit(2..2, "b")), Err(EditError::Overlap { at_bytes: 2 }));
        assert_eq!(overlap(edit(2..5, ""), edit(5..5, "b")), Err(EditError::Overlap { at_bytes: 5 }));
        assert!(overlap(edit(2..5, ""), edit(5..6, "b")).is_ok());
        assert_eq!(apply("ä", &[edit(1..2, "")]), Err(EditError::Range { at_bytes: 1 }));
        assert_eq!(apply("a", &[edit(3..4, "")]), Err(EditError::Range { at_bytes: 3 }));
    }
}
