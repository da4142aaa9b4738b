//! Interned strings of one print.
//!
//! The arena stores each distinct string once, in one buffer, and docs hold a [`Sym`]. Two interned symbols of an arena
//! are equal exactly if their texts are; mutable symbols ([`DocArena::own_sym`](crate::DocArena::own_sym)) are
//! distinct.

use crate::dense::{at, at_mut};
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use tvmscript_ir_core::fallible;

/// A string of a [`DocArena`](crate::DocArena): a name, an attribute, the text of a literal or a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(u32);

impl Sym {
    /// The index, counted from zero in order of creation.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The buffer and index of an arena's symbols.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    text: String,
    spans: Vec<(u32, u32)>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Symbols {
    /// The symbol for `text`; `None` if the buffer would exceed 4 GiB or memory runs out.
    pub(crate) fn intern(&mut self, text: &str) -> Option<Sym> {
        let hash = self.hasher.hash_one(text);
        let same = |&index: &u32| slice(&self.text, *at(&self.spans, index)) == text;
        if let Some(&index) = self.table.find(hash, same) {
            return Some(Sym(index));
        }
        let start = u32::try_from(self.text.len()).ok()?;
        let end = u32::try_from(self.text.len().checked_add(text.len())?).ok()?;
        let index = u32::try_from(self.spans.len()).ok()?;
        if !fallible::reserve_text(&mut self.text, text.len()) || !fallible::reserve(&mut self.spans, 1) {
            return None;
        }
        let Symbols { text: buffer, spans, table, hasher } = self;
        let rehash = |&index: &u32| hasher.hash_one(slice(buffer, *at(spans, index)));
        if table.len() == table.capacity() {
            fallible::attempt(|| table.try_reserve(1, rehash)).ok()?;
        }
        // Does not hash: there is capacity for the entry.
        table.insert_unique(hash, index, rehash);
        buffer.push_str(text);
        spans.push((start, end));
        Some(Sym(index))
    }

    /// A new symbol with the same text; `None` if memory runs out.
    pub(crate) fn duplicate(&mut self, sym: Sym) -> Option<Sym> {
        let index = u32::try_from(self.spans.len()).ok()?;
        if !fallible::reserve(&mut self.spans, 1) {
            return None;
        }
        self.spans.push(*at(&self.spans, sym.0));
        Some(Sym(index))
    }

    /// Sets the text of a symbol to that of another.
    pub(crate) fn set(&mut self, sym: Sym, text: Sym) {
        *at_mut(&mut self.spans, sym.0) = *at(&self.spans, text.0);
    }

    /// The text of `sym`.
    #[inline]
    pub(crate) fn get(&self, sym: Sym) -> &str {
        slice(&self.text, *at(&self.spans, sym.0))
    }
}

#[inline]
fn slice(text: &str, (start, end): (u32, u32)) -> &str {
    &text[start as usize..end as usize]
}

/// A name argument of builder methods: text, or an interned symbol.
pub trait Name {
    /// Interns the name in `arena`.
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
