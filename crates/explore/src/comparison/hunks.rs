//! Hunks: the lines that differ, with the kind of the difference.

use std::collections::BTreeSet;

use crate::page::{Change, Hunk};

use super::lines::Lines;
use super::matched::Matched;
use super::order::longest_rise;
use super::text::{Text, Words, is_word};

/// Maximum number of renamed variables in a note.
const MAX_NAMES: usize = 3;

/// The differences of two texts of one function, in order of the lines of `after`. Lines outside of hunks are equal, apart from
/// layout.
///
/// With IR, a line is edited if it has a counterpart, renamed if only names of variables that correspond differ, and moved if
/// its counterpart stands elsewhere. Without, counterparts are equal and similar lines.
pub fn hunks(before: &Text<'_>, after: &Text<'_>) -> Vec<Hunk> {
    if before.text == after.text {
        return Vec::new();
    }
    of_matched(&Matched::new(before, after))
}

/// The differences of texts that differ, as [`hunks`].
pub(crate) fn of_matched(matched: &Matched<'_>) -> Vec<Hunk> {
    let moved = moved(matched);
    let mut found = Found { before: &matched.before, after: &matched.after, runs: Vec::new() };
    let removed = |found: &mut Found<'_>, range: std::ops::Range<usize>, after: usize| {
        for i in range.filter(|i| !matched.used.contains(i)) {
            found.push(Change::Removed, i..i + 1, after..after, None);
        }
    };
    let mut at = 0;
    for (j, (pair, is_moved)) in matched.pairs.iter().zip(moved).enumerate() {
        let Some(i) = *pair else {
            found.push(Change::Added, at..at, j..j + 1, None);
            continue;
        };
        let (change, note) =
            if matched.wrapped.contains(&j) { (None, None) } else { difference(matched, i, j) };
        if is_moved {
            let note =
                if change == Some(Change::Edited) { Some("moved and edited".to_owned()) } else { note };
            found.push(Change::Moved, i..i + 1, j..j + 1, note.as_deref());
            continue;
        }
        removed(&mut found, at..i, j);
        if let Some(change) = change {
            found.push(change, i..i + 1, j..j + 1, note.as_deref());
        }
        at = at.max(i + 1);
    }
    removed(&mut found, at..matched.before.len(), matched.pairs.len());
    found.runs.into_iter().map(|run| run.hunk(&matched.before, &matched.after)).collect()
}

/// Marks the lines whose counterparts are not in order with those of most other lines.
fn moved(matched: &Matched<'_>) -> Vec<bool> {
    let in_order = longest_rise(&matched.pairs);
    let is_moved = |(pair, is_in_order): (&Option<usize>, bool)| pair.is_some() && !is_in_order;
    let moved = matched.pairs.iter().zip(in_order).map(is_moved);
    // The lines of a wrapped one have the same counterpart.
    moved.enumerate().map(|(index, is_moved)| is_moved && !matched.wrapped.contains(&index)).collect()
}

/// The kind of difference of two lines, with a note on names.
fn difference(matched: &Matched<'_>, before: usize, after: usize) -> (Option<Change>, Option<String>) {
    if matched.is_equal(before, after) {
        return (None, None);
    }
    let (mut x, mut y) = (Words::of(matched.before.text(before)), Words::of(matched.after.text(after)));
    let is_name = |word: &str| word.starts_with(|c: char| is_word(c) && !c.is_numeric());
    let mut names = BTreeSet::new();
    loop {
        match (x.next(), y.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if is_name(a) && is_name(b) => {
                if !matched.renamed.contains(&(a.to_owned(), b.to_owned())) {
                    return (Some(Change::Edited), None);
                }
                names.insert(format!("{a} became {b}"));
            }
            _ => return (Some(Change::Edited), None),
        }
    }
    match names.is_empty() {
        true => (None, None),
        false => {
            (Some(Change::Renamed), Some(names.into_iter().take(MAX_NAMES).collect::<Vec<_>>().join(", ")))
        }
    }
}

/// Hunks while they grow.
struct Found<'m> {
    before: &'m Lines<'m>,
    after: &'m Lines<'m>,
    runs: Vec<Run>,
}

/// Successive lines with one kind of change, by index.
struct Run {
    change: Change,
    before: std::ops::Range<usize>,
    after: std::ops::Range<usize>,
    notes: Vec<String>,
}

impl Found<'_> {
    fn push(
        &mut self,
        change: Change,
        before: std::ops::Range<usize>,
        after: std::ops::Range<usize>,
        note: Option<&str>,
    ) {
        debug_assert!(before.end <= self.before.len() && after.end <= self.after.len());
        let last = self.runs.last_mut().filter(|last| {
            last.change == change && last.before.end == before.start && last.after.end == after.start
        });
        let run = match last {
            Some(last) => {
                (last.before.end, last.after.end) = (before.end, after.end);
                last
            }
            None => {
                self.runs.push(Run { change, before, after, notes: Vec::new() });
                let Some(last) = self.runs.last_mut() else { return };
                last
            }
        };
        let notes = note.into_iter().flat_map(|note| note.split(", "));
        for note in notes {
            if run.notes.len() < MAX_NAMES && !run.notes.iter().any(|known| known == note) {
                run.notes.push(note.to_owned());
            }
        }
    }
}

impl Run {
    fn hunk(self, before: &Lines<'_>, after: &Lines<'_>) -> Hunk {
        let note = (!self.notes.is_empty()).then(|| self.notes.join(", "));
        Hunk {
            kind: self.change,
            before: numbers(before, &self.before),
            after: numbers(after, &self.after),
            note,
        }
    }
}

/// First line and number of lines; for no lines the line before, or 0.
fn numbers(lines: &Lines<'_>, range: &std::ops::Range<usize>) -> [u32; 2] {
    if range.is_empty() {
        return [range.start.checked_sub(1).map_or(0, |last| lines.number(last)), 0];
    }
    let (first, last) = (lines.number(range.start), lines.number(range.end - 1));
    [first, last.saturating_sub(first).saturating_add(1)]
}
