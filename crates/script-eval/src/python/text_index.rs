//! Character indices of texts.
//!
//! Text is UTF-8, but Python counts characters. Short and ASCII texts need no index; for others the byte offset of
//! every 64th character is cached, the first time a character is accessed by index or the length is needed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_ir_core::Str;

use super::cost;
use crate::EvalState;
use crate::eval::Raise;

/// Number of characters between two cached offsets.
const STRIDE: usize = 64;
/// Maximum length in bytes of texts without a cached index.
const SHORT: usize = 64;
/// Maximum number of cached indices.
const MAX_TEXTS: usize = 4096;

/// Indices by the address of the text. The text is retained, so that its address is not reused.
#[derive(Debug, Default)]
pub(crate) struct TextIndexes(RefCell<HashMap<usize, (Str, Index)>>);

#[derive(Debug, Clone)]
enum Index {
    Ascii,
    /// Number of characters, and the byte offset of every 64th.
    Marks(usize, Rc<[u32]>),
}

/// The characters of a text.
pub(crate) struct Chars<'a> {
    text: &'a str,
    index: Index,
}

impl<'a> Chars<'a> {
    /// Indexes a text. The first call per text is charged its length.
    pub(crate) fn of(p: &EvalState, text: &'a Str) -> Result<Chars<'a>, Raise> {
        let (text, held) = (text.as_str(), text);
        if text.len() <= SHORT {
            return Ok(Chars { text, index: index(text) });
        }
        let mut known = p.program.text_indexes.0.borrow_mut();
        let address = text.as_ptr() as usize;
        if let Some((_, index)) = known.get(&address) {
            return Ok(Chars { text, index: index.clone() });
        }
        cost::scan(p, text.len())?;
        let index = index(text);
        if known.len() >= MAX_TEXTS {
            known.clear();
        }
        known.insert(address, (held.clone(), index.clone()));
        Ok(Chars { text, index })
    }

    pub(crate) fn count(&self) -> usize {
        match &self.index {
            Index::Ascii => self.text.len(),
            Index::Marks(count, _) => *count,
        }
    }

    /// The byte offset of a character; the length of the text beyond the last one.
    pub(crate) fn byte(&self, at: usize) -> usize {
        match &self.index {
            Index::Ascii => at.min(self.text.len()),
            Index::Marks(_, marks) => {
                let Some(mark) = marks.get(at / STRIDE) else { return self.text.len() };
                let rest = &self.text[*mark as usize..];
                *mark as usize + rest.char_indices().nth(at % STRIDE).map_or(rest.len(), |(byte, _)| byte)
            }
        }
    }

    /// The character at an index, as text.
    pub(crate) fn get(&self, at: usize) -> &'a str {
        let start = self.byte(at);
        let len = self.text[start..].chars().next().map_or(0, char::len_utf8);
        &self.text[start..start + len]
    }

    /// The characters between two indices.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'a str {
        let (from, to) = (self.byte(from), self.byte(to));
        self.text.get(from..to).unwrap_or("")
    }
}

fn index(text: &str) -> Index {
    if text.is_ascii() {
        return Index::Ascii;
    }
    let mut marks = Vec::new();
    let mut count = 0;
    for (byte, _) in text.char_indices() {
        if count % STRIDE == 0 {
            marks.push(byte as u32);
        }
        count += 1;
    }
    Index::Marks(count, marks.into())
}
