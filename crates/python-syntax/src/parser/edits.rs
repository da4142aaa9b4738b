//! Mapping between a text and an edited copy with some lines replaced.

/// One replaced range.
#[derive(Debug, Clone, Copy)]
struct Edit {
    /// Range in the edited text.
    start: u32,
    len: u32,
    /// Range in the original text.
    original_start: u32,
    original_len: u32,
}

/// Replacements in a piece of text, ordered and disjoint.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.edits.clear();
    }

    /// Records that `original` is replaced by `len` bytes at `start`.
    pub(super) fn push(&mut self, start: u32, len: u32, original: std::ops::Range<u32>) {
        self.edits.push(Edit {
            start,
            len,
            original_start: original.start,
            original_len: original.end - original.start,
        });
    }

    fn before(&self, pos: u32) -> Option<&Edit> {
        let n = self.edits.partition_point(|e| e.start <= pos);
        self.edits.get(n.checked_sub(1)?)
    }

    /// Maps a position of the edited text to the original; positions inside a replacement map to its start.
    pub(super) fn original(&self, pos: u32) -> u32 {
        match self.before(pos) {
            None => pos,
            Some(e) if pos >= e.start + e.len => pos - e.start - e.len + e.original_start + e.original_len,
            Some(e) => e.original_start,
        }
    }

    /// Maps an end position; the end of a replacement maps to the end of the replaced range.
    pub(super) fn original_end(&self, pos: u32) -> u32 {
        match pos.checked_sub(1).and_then(|p| self.before(p)) {
            Some(e) if pos <= e.start + e.len => e.original_start + e.original_len,
            _ => self.original(pos),
        }
    }

    /// Maps a position of the original text to the edited text; positions inside a replaced range map to its start.
    pub(super) fn edited(&self, pos: u32) -> u32 {
        let n = self.edits.partition_point(|e| e.original_start <= pos);
        match n.checked_sub(1).and_then(|i| self.edits.get(i)) {
            None => pos,
            Some(e) if pos >= e.original_start + e.original_len => {
                pos - e.original_start - e.original_len + e.start + e.len
            }
            Some(e) => e.start,
        }
    }

    /// Returns `true` if a replacement covers this position of the edited text.
    pub(super) fn is_placeholder(&self, pos: u32) -> bool {
        self.before(pos).is_some_and(|e| pos < e.start + e.len)
    }
}
