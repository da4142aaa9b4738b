//! Characters of texts by number.
//!
//! Text is UTF-8, Python counts characters. Short texts and those of ASCII alone need no table; of others every 64th
//! character has its place remembered, the first time somebody asks for a character by number or for how many there are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_ir_core::Str;

use super::cost;
use crate::Evaluator;
use crate::eval::Raise;

/// Characters between two remembered places.
const STRIDE: usize = 64;
/// Longer texts are remembered.
const SHORT: usize = 64;
/// How many texts are remembered at a time.
const MAX_TEXTS: usize = 4096;

/// What is known about texts, by the address of their bytes; the text is held so that the address stays its own.
#[derive(Debug, Default)]
pub(crate) struct TextIndexes(RefCell<HashMap<usize, (Str, Index)>>);

#[derive(Debug, Clone)]
enum Index {
    Ascii,
    /// The number of characters, and the place of every 64th.
    Marks(usize, Rc<[u32]>),
}

/// The characters of one text.
pub(crate) struct Chars<'a> {
    text: &'a str,
    index: Index,
}

impl<'a> Chars<'a> {
    /// The characters of a text; the first call on a text costs its length, later ones nothing.
    pub(crate) fn of(p: &Evaluator, text: &'a Str) -> Result<Chars<'a>, Raise> {
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

    /// The number of characters.
    pub(crate) fn count(&self) -> usize {
        match &self.index {
            Index::Ascii => self.text.len(),
            Index::Marks(count, _) => *count,
        }
    }

    /// The place in bytes of a character; the end of the text for those behind it.
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

    /// The character of this number, as text.
    pub(crate) fn get(&self, at: usize) -> &'a str {
        let start = self.byte(at);
        let len = self.text[start..].chars().next().map_or(0, char::len_utf8);
        &self.text[start..start + len]
    }

    /// The characters from one number to before another.
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
