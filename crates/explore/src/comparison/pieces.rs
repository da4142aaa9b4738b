//! Versions of a program of several parts: which parts correspond, and the hunks of all of them.

use std::collections::HashMap;

use crate::page::{Change, Hunk};

use super::hunks::hunks;
use super::lines::lines_of;
use super::order::longest_rise;
use super::text::{Ir, Text};

/// A part of a version: a function, or what stands between functions.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// Name of the function.
    pub function: Option<&'a str>,
    /// The text.
    pub text: &'a str,
    /// Lines of the version before this part.
    pub lines_before: u32,
    /// The IR of the function.
    pub ir: Option<&'a Ir>,
}

impl<'a> Piece<'a> {
    /// The text with its IR.
    pub fn text(&self) -> Text<'a> {
        Text { text: self.text, ir: self.ir }
    }

    fn lines(&self) -> u32 {
        u32::try_from(lines_of(self.text).len()).unwrap_or(u32::MAX)
    }

    /// First line and number of lines of the whole part.
    fn whole(&self) -> [u32; 2] {
        [self.lines_before.saturating_add(1), self.lines()]
    }
}

/// The part of `before` that each part of `after` corresponds to: that of the same name, and the only function without a
/// counterpart on each side.
pub fn paired(before: &[Piece<'_>], after: &[Piece<'_>]) -> Vec<Option<usize>> {
    let mut by_name: HashMap<Option<&str>, std::collections::VecDeque<usize>> = HashMap::new();
    for (index, piece) in before.iter().enumerate() {
        by_name.entry(piece.function).or_default().push_back(index);
    }
    let mut pairs: Vec<Option<usize>> =
        after.iter().map(|piece| by_name.get_mut(&piece.function)?.pop_front()).collect();
    let lone_before = by_name.iter().filter(|(name, _)| name.is_some()).flat_map(|(_, left)| left.iter());
    let lone_before: Vec<usize> = lone_before.take(2).copied().collect();
    let is_lone = |(piece, pair): (&Piece<'_>, &Option<usize>)| piece.function.is_some() && pair.is_none();
    let lone_after: Vec<usize> = (0..after.len())
        .filter(|&index| after.get(index).zip(pairs.get(index)).is_some_and(is_lone))
        .take(2)
        .collect();
    if let (&[before], &[after]) = (&*lone_before, &*lone_after)
        && let Some(place) = pairs.get_mut(after)
    {
        *place = Some(before);
    }
    pairs
}

/// The differences of two versions, in order of the lines of `after`; as [`hunks`], part by part. A part that stands elsewhere is
/// one hunk.
pub fn version_hunks(before: &[Piece<'_>], after: &[Piece<'_>]) -> Vec<Hunk> {
    version_hunks_by(before, after, &mut |before, after| hunks(&before.text(), &after.text()))
}

/// [`version_hunks`] with the differences of two parts by `compare`.
pub(crate) fn version_hunks_by<'a>(
    before: &[Piece<'a>],
    after: &[Piece<'a>],
    compare: &mut dyn FnMut(&Piece<'a>, &Piece<'a>) -> Vec<Hunk>,
) -> Vec<Hunk> {
    let pairs = paired(before, after);
    let in_order = longest_rise(&pairs);
    let mut found = Vec::new();
    let mut used = vec![false; before.len()];
    for index in pairs.iter().flatten() {
        used.get_mut(*index).into_iter().for_each(|used| *used = true);
    }
    let mut at = 0;
    let line_before = |at: usize| {
        before.get(at).map_or_else(
            || before.last().map_or(0, |last| last.lines_before.saturating_add(last.lines())),
            |piece| piece.lines_before,
        )
    };
    let removed = |range: std::ops::Range<usize>, line_after: u32, found: &mut Vec<Hunk>| {
        for index in range {
            let Some(piece) = before.get(index) else { continue };
            if used.get(index) == Some(&false) && piece.lines() > 0 {
                let note = None;
                found.push(Hunk {
                    kind: Change::Removed,
                    before: piece.whole(),
                    after: [line_after, 0],
                    note,
                });
            }
        }
    };
    for ((piece, pair), is_in_order) in after.iter().zip(&pairs).zip(in_order) {
        let other = pair.and_then(|index| Some((index, before.get(index)?)));
        match other {
            Some((index, other)) if is_in_order => {
                removed(at..index, piece.lines_before, &mut found);
                at = index + 1;
                let shift = |[line, count]: [u32; 2], by: u32| [line.saturating_add(by), count];
                found.extend(compare(other, piece).into_iter().map(|hunk| Hunk {
                    before: shift(hunk.before, other.lines_before),
                    after: shift(hunk.after, piece.lines_before),
                    ..hunk
                }));
            }
            Some((_, other)) => {
                let note = (other.text != piece.text).then(|| "moved and edited".to_owned());
                found.push(Hunk { kind: Change::Moved, before: other.whole(), after: piece.whole(), note });
            }
            None if piece.lines() > 0 => {
                let before = [line_before(at), 0];
                found.push(Hunk { kind: Change::Added, before, after: piece.whole(), note: None });
            }
            None => {}
        }
    }
    let end = after.last().map_or(0, |last| last.lines_before.saturating_add(last.lines()));
    removed(at..before.len(), end, &mut found);
    found
}
