//! Interned strings of one print.
//!
//! Names repeat a great deal in printed programs, so the arena stores each distinct string once, in one
//! buffer, and docs hold a [`Sym`]. Two interned symbols of the same arena are equal exactly when their texts are; symbols
//! whose text may still change stand for themselves.

use hashbrown::HashTable;
use tvmscript_ir_core::fallible;

/// A string kept by a [`DocArena`](crate::DocArena): a name, an attribute, the text of a literal or a comment.
///
/// A symbol is meaningful only for the arena that handed it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(u32);

impl Sym {
    /// Its number: symbols are counted from zero as they come up.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The buffer and index behind the symbols of one arena.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    text: String,
    spans: Vec<(u32, u32)>,
    table: HashTable<u32>,
}

impl Symbols {
    /// The symbol for `text`, or `None` when the buffer would pass 4 GiB or there is no memory.
    pub(crate) fn intern(&mut self, text: &str) -> Option<Sym> {
        let hash = hash(text.as_bytes());
        let same = |&index: &u32| slice(&self.text, self.spans[index as usize]) == text;
        if let Some(&index) = self.table.find(hash, same) {
            return Some(Sym(index));
        }
        let start = u32::try_from(self.text.len()).ok()?;
        let end = u32::try_from(self.text.len().checked_add(text.len())?).ok()?;
        let index = u32::try_from(self.spans.len()).ok()?;
        let has_room =
            fallible::reserve_text(&mut self.text, text.len()) && fallible::reserve(&mut self.spans, 1);
        if !has_room {
            return None;
        }
        let (buffer, spans) = (&self.text, &self.spans);
        let rehash = |&at: &u32| self::hash(slice(buffer, spans[at as usize]).as_bytes());
        if self.table.len() == self.table.capacity() {
            fallible::attempt(|| self.table.try_reserve(1, rehash)).ok()?;
        }
        self.text.push_str(text);
        self.spans.push((start, end));
        let (buffer, spans) = (&self.text, &self.spans);
        self.table.insert_unique(hash, index, |&at| self::hash(slice(buffer, spans[at as usize]).as_bytes()));
        Some(Sym(index))
    }

    /// A symbol of its own with the same text, or `None` when there is no memory.
    pub(crate) fn duplicate(&mut self, sym: Sym) -> Option<Sym> {
        let index = u32::try_from(self.spans.len()).ok()?;
        if !fallible::reserve(&mut self.spans, 1) {
            return None;
        }
        self.spans.push(self.spans[sym.0 as usize]);
        Some(Sym(index))
    }

    /// Gives a symbol the text of another.
    pub(crate) fn set(&mut self, sym: Sym, text: Sym) {
        self.spans[sym.0 as usize] = self.spans[text.0 as usize];
    }

    /// The text of `sym`.
    #[inline]
    pub(crate) fn get(&self, sym: Sym) -> &str {
        slice(&self.text, self.spans[sym.0 as usize])
    }
}

#[inline]
fn slice(text: &str, (start, end): (u32, u32)) -> &str {
    &text[start as usize..end as usize]
}

const K: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn fold(h: u64, word: u64) -> u64 {
    let wide = u128::from(h ^ word) * u128::from(K);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The hash of a name. The number at its end counts on from the place of what stands before it: `lv1`, `lv2` and so on
/// come up one after the other, and stand side by side in the table. The highest bits, by which the table tells its
/// entries apart, are mixed.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let (stem, digits) = bytes.split_at(bytes.len() - digits);
    let stem = hash_stem(stem);
    if digits.is_empty() {
        return stem;
    }
    let number = digits.iter().fold(0, |number, byte| number * 10 + u64::from(byte - b'0'));
    let place = stem.wrapping_add(number) & u64::from(u32::MAX);
    fold(stem, number) & !u64::from(u32::MAX) | place
}

/// A longer number is part of what stands before it.
const MOST_DIGITS: usize = 9;

/// A multiply-and-fold hash: names are short, and the table is private to one print.
#[inline]
fn hash_stem(bytes: &[u8]) -> u64 {
    let mut h = K ^ bytes.len() as u64;
    let mut rest = bytes;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        h = fold(h, u64::from_le_bytes(*word));
        rest = tail;
    }
    if let Some((word, tail)) = rest.split_first_chunk::<4>() {
        h = fold(h, u64::from(u32::from_le_bytes(*word)));
        rest = tail;
    }
    let last = rest.iter().fold(1u64, |word, &byte| word << 8 | u64::from(byte));
    fold(h, last)
}

/// What a builder method accepts as a name: text, or a symbol interned before.
pub trait Name {
    /// The symbol of this name in `arena`.
    fn sym_in(self, arena: &mut crate::DocArena) -> Sym;
}

impl Name for Sym {
    #[inline]
    fn sym_in(self, _: &mut crate::DocArena) -> Sym {
        self
    }
}

impl Name for &str {
    #[inline]
    fn sym_in(self, arena: &mut crate::DocArena) -> Sym {
        arena.sym(self)
    }
}

impl Name for &String {
    #[inline]
    fn sym_in(self, arena: &mut crate::DocArena) -> Sym {
        arena.sym(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_a_symbol() {
        let mut symbols = Symbols::default();
        let mut seen = Vec::new();
        for i in 0..5000 {
            seen.push(symbols.intern(&format!("name_{i}")).unwrap());
        }
        for (i, &sym) in seen.iter().enumerate() {
            assert_eq!(symbols.get(sym), format!("name_{i}"));
            assert_eq!(symbols.intern(&format!("name_{i}")), Some(sym));
        }
        assert_eq!(symbols.intern(""), symbols.intern(""));
    }
}
