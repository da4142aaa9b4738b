//! Lines and columns of byte ranges.
//!
//! Spans keep byte offsets and no text, so whoever shows positions supplies the texts.

use std::collections::HashMap;
use std::sync::Arc;

use super::SourceId;

/// Texts of sources, for lines and columns.
///
/// ```
/// use tvmscript_ir_core::{SourceId, SourceTexts, Span};
///
/// let source = SourceId::new("model.py");
/// let texts = SourceTexts::new().with(source, "x = 1\nyé = f(2)\n");
/// assert_eq!(texts.line_column(source, 12), Some((2, 6)));
/// assert_eq!(texts.line_column(source, 99), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct SourceTexts {
    texts: HashMap<SourceId, Arc<Lines>>,
}

/// The offsets from which lines and columns of one text are computed.
#[derive(Debug)]
struct Lines {
    /// Number of bytes.
    len: u32,
    /// First byte of each line.
    starts: Vec<u32>,
    /// The bytes that continue a character; empty for ASCII.
    continuations: Vec<u32>,
}

impl Lines {
    fn new(text: &str) -> Lines {
        let mut starts = vec![0];
        let mut continuations = Vec::new();
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                starts.push(at as u32 + 1);
            } else if byte & 0xC0 == 0x80 {
                continuations.push(at as u32);
            }
        }
        Lines { len: text.len() as u32, starts, continuations }
    }

    fn line_column(&self, offset: u32) -> Option<(u32, u32)> {
        if offset > self.len {
            return None;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.checked_sub(1)?).copied()?;
        let chars = |end: u32| end - self.continuations.partition_point(|at| *at < end) as u32;
        Some((line as u32, chars(offset) - chars(start) + 1))
    }
}

impl SourceTexts {
    /// No texts: byte ranges are shown as such.
    pub fn new() -> SourceTexts {
        SourceTexts::default()
    }

    /// Adds the text of a source.
    #[must_use]
    pub fn with(mut self, source: SourceId, text: &str) -> SourceTexts {
        self.texts.insert(source, Arc::new(Lines::new(text)));
        self
    }

    /// Returns `true` without any text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Line and column of a byte, from 1; columns count characters. `None` without the text, or past its end.
    pub fn line_column(&self, source: SourceId, offset_bytes: u32) -> Option<(u32, u32)> {
        self.texts.get(&source)?.line_column(offset_bytes)
    }
}
