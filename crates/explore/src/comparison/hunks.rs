//! Hunks: the lines that differ, with the kind of the difference.

use std::collections::{BTreeSet, HashSet};

use crate::page::{Change, Hunk};

use super::lines::Lines;
use super::matched::Matched;
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
    let matched = Matched::new(before, after);
    let pairs = Pairs::new(&matched);
    pairs.hunks(&matched)
}

/// A line of `after` with its counterpart.
#[derive(Debug, Clone)]
struct Pair {
    before: usize,
    /// The kind of change; nothing for lines that are equal apart from layout.
    change: Option<Change>,
    note: Option<String>,
}

/// Counterparts by line of `after`.
struct Pairs {
    by_after: Vec<Option<Pair>>,
    /// Lines of `before` with a counterpart.
    used: HashSet<usize>,
}

impl Pairs {
    fn new(matched: &Matched<'_>) -> Pairs {
        let mut pairs = Pairs { by_after: vec![None; matched.after.len()], used: HashSet::new() };
        let mut is_whole = |i: usize, j: usize| matched.before.keys.get(i) == matched.after.keys.get(j);
        pairs.same_regions(matched, &mut is_whole);
        for &(i, j) in &matched.aligned {
            let structure = matched.by_structure(j);
            let (change, note) = difference(matched, i, j);
            // The nodes of the line say that it comes from another one.
            let is_other = change == Some(Change::Edited) && !structure.is_empty() && !structure.contains(&i);
            if !is_other && !pairs.is_known(i, j) {
                pairs.add(j, Pair { before: i, change, note });
            }
        }
        pairs.by_nodes(matched);
        let paired: Vec<(usize, usize)> = pairs.used.iter().map(|&before| (before, 0)).collect();
        let moved = matched.moved(|j| pairs.by_after.get(j).is_some_and(Option::is_some), &paired);
        for (j, i) in moved {
            pairs.add(j, Pair { before: i, change: Some(Change::Moved), note: None });
        }
        pairs
    }

    fn add(&mut self, after: usize, pair: Pair) {
        self.used.insert(pair.before);
        if let Some(place) = self.by_after.get_mut(after) {
            *place = Some(pair);
        }
    }

    fn is_known(&self, before: usize, after: usize) -> bool {
        self.used.contains(&before) || self.by_after.get(after).is_some_and(Option::is_some)
    }

    /// Pairs the lines of regions between equal lines that differ only in the places where lines break.
    fn same_regions(&mut self, matched: &Matched<'_>, is_equal: &mut impl FnMut(usize, usize) -> bool) {
        let (before, after) = (&matched.before, &matched.after);
        let (mut i, mut j) = (0, 0);
        let equal: Vec<(usize, usize)> =
            matched.aligned.iter().copied().filter(|&(i, j)| is_equal(i, j)).collect();
        for (x, y) in equal.into_iter().chain([(before.len(), after.len())]) {
            if i < x && j < y && (x - i, y - j) != (1, 1) && is_same_text(before, i..x, after, j..y) {
                for at in j..y {
                    // Only the pairing of all lines matters: none of them is in a hunk.
                    let other = (i + (at - j)).min(x - 1);
                    self.add(at, Pair { before: other, change: None, note: None });
                }
                self.used.extend(i..x);
            }
            (i, j) = (x + 1, y + 1);
        }
    }

    /// Pairs lines without a counterpart that have the same nodes.
    fn by_nodes(&mut self, matched: &Matched<'_>) {
        // Lines of `before` that the neighbours of a line come from: the last one above, and the first one below.
        let in_order = |pair: &Option<Pair>| pair.as_ref().map(|pair| pair.before);
        let mut below = vec![usize::MAX; self.by_after.len()];
        let mut next = usize::MAX;
        for (place, pair) in below.iter_mut().zip(&self.by_after).rev() {
            *place = next;
            next = in_order(pair).unwrap_or(next).min(next);
        }
        let mut last: Option<usize> = None;
        for j in 0..self.by_after.len() {
            if let Some(before) = self.by_after.get(j).and_then(in_order) {
                last = last.max(Some(before));
                continue;
            }
            let Some(&i) = matched.by_structure(j).iter().find(|i| !self.used.contains(i)) else { continue };
            let is_between = last.is_none_or(|last| last < i) && below.get(j).is_none_or(|&below| i < below);
            let (change, note) = difference(matched, i, j);
            let (change, note) = match is_between {
                true => (change, note),
                false if change == Some(Change::Edited) => {
                    (Some(Change::Moved), Some("moved and edited".to_owned()))
                }
                false => (Some(Change::Moved), note),
            };
            if is_between {
                last = Some(i);
            }
            self.add(j, Pair { before: i, change, note });
        }
    }

    fn hunks(&self, matched: &Matched<'_>) -> Vec<Hunk> {
        let mut found = Found { before: &matched.before, after: &matched.after, runs: Vec::new() };
        let mut at = 0;
        for (j, pair) in self.by_after.iter().enumerate() {
            let Some(pair) = pair else {
                found.push(Change::Added, at..at, j..j + 1, None);
                continue;
            };
            if pair.change == Some(Change::Moved) {
                found.push(Change::Moved, pair.before..pair.before + 1, j..j + 1, pair.note.as_deref());
                continue;
            }
            self.removed(&mut found, at..pair.before, j);
            if let Some(change) = pair.change {
                found.push(change, pair.before..pair.before + 1, j..j + 1, pair.note.as_deref());
            }
            at = at.max(pair.before + 1);
        }
        self.removed(&mut found, at..matched.before.len(), self.by_after.len());
        found.runs.into_iter().map(|run| run.hunk(&matched.before, &matched.after)).collect()
    }

    fn removed(&self, found: &mut Found<'_>, range: std::ops::Range<usize>, after: usize) {
        for i in range.filter(|i| !self.used.contains(i)) {
            found.push(Change::Removed, i..i + 1, after..after, None);
        }
    }
}

/// Returns `true` if two ranges of lines are equal without white space.
fn is_same_text(
    before: &Lines<'_>,
    i: std::ops::Range<usize>,
    after: &Lines<'_>,
    j: std::ops::Range<usize>,
) -> bool {
    let of = |texts: &[&str]| -> String { texts.iter().flat_map(|line| line.split_whitespace()).collect() };
    match (before.texts.get(i), after.texts.get(j)) {
        (Some(x), Some(y)) => of(x) == of(y),
        _ => false,
    }
}

/// The kind of difference of two lines, with a note on names.
fn difference(matched: &Matched<'_>, before: usize, after: usize) -> (Option<Change>, Option<String>) {
    if matched.before.keys.get(before) == matched.after.keys.get(after) {
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
                if !matched.structure.renamed.contains(&(a.to_owned(), b.to_owned())) {
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
