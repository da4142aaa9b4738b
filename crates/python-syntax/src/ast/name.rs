//! Interned identifiers and string constants of one text.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

/// An identifier or a string constant of one [`Ast`](super::Ast). Equal texts have the same `Name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Dense index, from 0, for arrays indexed by name.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names in one buffer, and a hash table of their positions.
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
        // The table stores 32 bits of the hash with each index, for growth.
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

/// The table takes the bucket from the low bits and the tag from the high bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[expect(clippy::indexing_slicing, reason = "names are positions in the array of their tree")]
fn get<'a>(text: &'a str, ends: &[u32], i: u32) -> &'a str {
    let i = i as usize;
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}
