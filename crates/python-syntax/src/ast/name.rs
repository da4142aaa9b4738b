//! Interned identifiers and string constants of one text.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

/// An identifier or a string constant of one [`Ast`](super::Ast): equal text, equal `Name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// The dense index of this name, from 0: tables by name are plain arrays.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One buffer of text and a table of the pieces of it that are names.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    text: String,
    ends: Vec<u32>,
    table: HashTable<(u32, u32)>,
    hasher: hashbrown::DefaultHashBuilder,
}

impl Interner {
    pub(super) fn get(&self, name: Name) -> &str {
        get(&self.text, &self.ends, name.0)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Name> + use<> {
        (0..self.ends.len() as u32).map(Name)
    }

    fn hash(&self, s: &str) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(s.as_bytes());
        // The upper half is as well mixed as the lower one; 32 bits are kept beside the index for growing.
        (hasher.finish() >> 32) as u32
    }

    pub(super) fn find(&self, s: &str) -> Option<Name> {
        let hash = self.hash(s);
        self.table
            .find(spread(hash), |&(h, i)| h == hash && get(&self.text, &self.ends, i) == s)
            .map(|&(_, i)| Name(i))
    }

    pub(super) fn intern(&mut self, s: &str) -> Name {
        let hash = self.hash(s);
        let found = self.table.find(spread(hash), |&(h, i)| h == hash && get(&self.text, &self.ends, i) == s);
        if let Some(&(_, i)) = found {
            return Name(i);
        }
        let i = self.ends.len() as u32;
        self.text.push_str(s);
        self.ends.push(self.text.len() as u32);
        self.table.insert_unique(spread(hash), (hash, i), |&(h, _)| spread(h));
        Name(i)
    }
}

/// The table takes its bucket from the low bits and its tag from the high ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn get<'a>(text: &'a str, ends: &[u32], i: u32) -> &'a str {
    let i = i as usize;
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}
