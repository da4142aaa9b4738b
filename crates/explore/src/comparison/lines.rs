//! Lines as keys and words, and the alignment of two texts.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use tvmscript_ir_core::equal::align::{ALONE, Row, UNLIKE, align_by};

use super::text::Words;

/// Maximum number of words of a line by which its likeness to another one is measured.
const MAX_WORDS: usize = 48;

/// The lines of a text; none of an empty text.
pub(crate) fn lines_of(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split('\n').collect() }
}

/// A hash of a line without white space; 0 for a blank line.
pub(crate) fn key(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut is_blank = true;
    for piece in line.split_whitespace() {
        is_blank = false;
        hasher.write(piece.as_bytes());
    }
    if is_blank { 0 } else { hasher.finish().max(1) }
}

/// The lines of a text that are not blank.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) texts: Vec<&'a str>,
    /// Index of each line in the whole text.
    pub(crate) numbers: Vec<u32>,
    pub(crate) keys: Vec<u64>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Lines<'a> {
        let mut lines = Lines { texts: Vec::new(), numbers: Vec::new(), keys: Vec::new() };
        for (number, line) in lines_of(text).into_iter().enumerate() {
            let key = key(line);
            if key != 0 {
                lines.texts.push(line);
                lines.numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
                lines.keys.push(key);
            }
        }
        lines
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn text(&self, index: usize) -> &'a str {
        self.texts.get(index).copied().unwrap_or_default()
    }

    /// Number of a line in the whole text, from 1.
    pub(crate) fn number(&self, index: usize) -> u32 {
        self.numbers.get(index).map_or(0, |number| number.saturating_add(1))
    }

    /// Index of a line, given its number in the whole text, from 0.
    pub(crate) fn index_of(&self, number: u32) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The numbers of lines at the beginning of two ranges that have the same text without white space.
    pub(crate) fn wrapped(
        &self,
        range: Range<usize>,
        other: &Lines<'_>,
        other_range: Range<usize>,
    ) -> Option<(usize, usize)> {
        let (mut left, mut right) = (self.texts.get(range)?.iter(), other.texts.get(other_range)?.iter());
        let (mut x, mut y) = (squeezed(left.next()?), squeezed(right.next()?));
        let (mut lines, mut others) = (1, 1);
        loop {
            match (x.peek(), y.peek()) {
                (None, None) => return Some((lines, others)),
                (None, _) => (x, lines) = (squeezed(left.next()?), lines + 1),
                (_, None) => (y, others) = (squeezed(right.next()?), others + 1),
                (a, b) if a != b => return None,
                _ => {
                    x.next();
                    y.next();
                }
            }
        }
    }

    /// Places for the words of each line, which few lines need.
    fn words(&self) -> Vec<OnceCell<Vec<u64>>> {
        vec![OnceCell::new(); self.len()]
    }
}

/// Hashes of the words of a line, sorted.
fn words(line: &str) -> Vec<u64> {
    let hash = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        hasher.finish()
    };
    let mut words: Vec<u64> = Words::of(line).take(MAX_WORDS).map(hash).collect();
    words.sort_unstable();
    words
}

/// The characters of a line without white space.
fn squeezed(line: &str) -> std::iter::Peekable<impl Iterator<Item = char> + '_> {
    line.split_whitespace().flat_map(str::chars).peekable()
}

/// Aligns lines: equal ones, and those that have at least half of their words in common.
pub(crate) fn aligned(before: &Lines<'_>, after: &Lines<'_>) -> Vec<(usize, usize)> {
    if before.keys == after.keys {
        return (0..before.len()).map(|index| (index, index)).collect();
    }
    let (left, right) = (before.words(), after.words());
    let cost_of = |i: usize, j: usize| match (left.get(i), right.get(j)) {
        (Some(x), Some(y)) => {
            let (x, y) = (x.get_or_init(|| words(before.text(i))), y.get_or_init(|| words(after.text(j))));
            cost(x, y)
        }
        _ => UNLIKE,
    };
    let rows = align_by(&before.keys, &after.keys, cost_of);
    let both = rows.into_iter().filter_map(|row| match row {
        Row::Both(i, j) => Some((i, j)),
        _ => None,
    });
    // A pair that was aligned by position alone may have nothing in common.
    both.filter(|&(i, j)| before.keys.get(i) == after.keys.get(j) || cost_of(i, j) < UNLIKE).collect()
}

/// The cost of a pair of lines, given their sorted words.
fn cost(x: &[u64], y: &[u64]) -> u32 {
    let (shorter, longer) = (x.len().min(y.len()), x.len().max(y.len()));
    if shorter * 3 < longer {
        return UNLIKE;
    }
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(a), Some(b)) = (x.get(i), y.get(j)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    let apart = u32::try_from(x.len() + y.len() - 2 * common).unwrap_or(u32::MAX);
    let whole = u32::try_from(x.len() + y.len()).unwrap_or(u32::MAX).max(1);
    if apart.saturating_mul(2) > whole { UNLIKE } else { apart * 4 * ALONE / whole }
}
