//! The lines that lines come from.

use std::collections::{HashMap, HashSet};

use tvmscript_diff::diff_matched;

use super::derived::derived;
use super::lines::{Lines, aligned, lines_of};
use super::text::Text;

/// Shorter lines, such as `else:`, are too common to be recognised by their text alone.
const MIN_LEN_BYTES: usize = 8;

/// The lines of `before`, from 1, that each line of `after` comes from, in rising order; none for a line that is new, and for
/// blank lines.
///
/// A line comes from those on which the counterparts of its nodes begin. A line whose nodes have none, and a line without
/// nodes, comes from an equal or a similar line, or else from the lines in whose place it is and whose names it has.
pub fn matched_lines(before: &Text<'_>, after: &Text<'_>) -> Vec<Vec<u32>> {
    Matched::new(before, after).lines(lines_of(after.text).len())
}

/// Lines that correspond, by structure and by text. Lines are counted from 0, without blank ones.
pub(crate) struct Matched<'a> {
    pub(crate) before: Lines<'a>,
    pub(crate) after: Lines<'a>,
    /// The counterpart of each line of `after`. Several lines have the same one only if they are one line that was wrapped.
    pub(crate) pairs: Vec<Option<usize>>,
    /// Lines of `before` with a counterpart.
    pub(crate) used: HashSet<usize>,
    /// Lines of `after` that differ from those of `before` only in the places where lines break.
    pub(crate) wrapped: HashSet<usize>,
    structure: Vec<Vec<usize>>,
    /// Names of variables that correspond and differ, before and after.
    pub(crate) renamed: HashSet<(String, String)>,
}

impl<'a> Matched<'a> {
    pub(crate) fn new(before: &Text<'a>, after: &Text<'a>) -> Matched<'a> {
        let (left, right) = (Lines::of(before.text), Lines::of(after.text));
        let aligned = aligned(&left, &right);
        let mut matched = Matched {
            pairs: vec![None; right.len()],
            used: HashSet::new(),
            wrapped: HashSet::new(),
            structure: Vec::new(),
            renamed: HashSet::new(),
            before: left,
            after: right,
        };
        if before.text != after.text {
            matched.compare_nodes(before, after);
        }
        matched.pair_wrapped(&aligned);
        matched.pair_single();
        let nodes: Vec<(usize, usize)> = matched
            .structure
            .iter()
            .enumerate()
            .flat_map(|(after, lines)| lines.iter().map(move |before| (*before, after)))
            .collect();
        matched.pair_all(&nodes, |this, i, j| this.is_equal(i, j));
        matched.pair_all(&aligned, |this, i, j| this.is_equal(i, j));
        matched.pair_all(&aligned, |this, i, j| {
            // The nodes of the line may say that it comes from another one.
            let nodes = this.by_structure(j);
            nodes.contains(&i) || nodes.iter().all(|other| this.used.contains(other))
        });
        matched.pair_all(&nodes, |_, _, _| true);
        matched
    }

    /// The lines that each line of `after` comes from, as [`matched_lines`]; `count` is the number of lines with blank ones.
    pub(crate) fn lines(&self, count: usize) -> Vec<Vec<u32>> {
        let mut origins = vec![Vec::new(); count];
        for (index, derived) in derived(self).into_iter().enumerate() {
            let structure = self.by_structure(index);
            let found = match self.pairs.get(index).copied().flatten() {
                Some(pair) if !structure.contains(&pair) => vec![pair],
                None if structure.is_empty() => derived,
                _ => structure.to_vec(),
            };
            let number = self.after.number(index).saturating_sub(1) as usize;
            if let Some(line) = origins.get_mut(number) {
                *line = found.into_iter().map(|index| self.before.number(index)).collect();
            }
        }
        origins
    }

    /// The lines of `before` that the nodes of a line come from.
    pub(crate) fn by_structure(&self, after: usize) -> &[usize] {
        self.structure.get(after).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` for lines that are equal apart from layout.
    pub(crate) fn is_equal(&self, before: usize, after: usize) -> bool {
        self.before.keys.get(before) == self.after.keys.get(after)
    }

    fn compare_nodes(&mut self, before: &Text<'a>, after: &Text<'a>) {
        let (Some(x), Some(y)) = (before.ir, after.ir) else { return };
        let (script, pairs) = diff_matched(&x.root, &y.root);
        self.structure = vec![Vec::new(); self.after.len()];
        for (a, b) in &pairs {
            let (Some(from), Some(to)) = (x.line(a), y.line(b)) else { continue };
            let (Some(from), Some(to)) = (self.before.index_of(from), self.after.index_of(to)) else {
                continue;
            };
            self.structure.get_mut(to).into_iter().for_each(|lines| lines.push(from));
        }
        for lines in &mut self.structure {
            lines.sort_unstable();
            lines.dedup();
        }
        let names = script.correspondences().iter().filter_map(|(a, b)| Some((x.name(a)?, y.name(b)?)));
        let renamed = names.filter(|(a, b)| a != b).map(|(a, b)| (a.to_owned(), b.to_owned()));
        self.renamed = renamed.collect();
    }

    fn pair_all(&mut self, pairs: &[(usize, usize)], accepts: impl Fn(&Self, usize, usize) -> bool) {
        for &(i, j) in pairs {
            let is_free = !self.used.contains(&i) && self.pairs.get(j).is_some_and(Option::is_none);
            if is_free && accepts(self, i, j) {
                self.pair(i, j);
            }
        }
    }

    fn pair(&mut self, before: usize, after: usize) {
        self.used.insert(before);
        self.pairs.get_mut(after).into_iter().for_each(|pair| *pair = Some(before));
    }

    /// Pairs lines after equal ones that differ only in the places where lines break.
    fn pair_wrapped(&mut self, aligned: &[(usize, usize)]) {
        let equal: Vec<(usize, usize)> =
            aligned.iter().copied().filter(|&(i, j)| self.is_equal(i, j)).collect();
        let (mut i, mut j) = (0, 0);
        for (x, y) in equal.into_iter().chain([(self.before.len(), self.after.len())]) {
            while let Some((lines, others)) = self.before.wrapped(i..x, &self.after, j..y) {
                if (lines, others) != (1, 1) {
                    for at in 0..others {
                        self.pair(i + at.min(lines - 1), j + at);
                        self.wrapped.insert(j + at);
                    }
                    self.used.extend(i..i + lines);
                }
                (i, j) = (i + lines, j + others);
            }
            (i, j) = (x + 1, y + 1);
        }
    }

    /// Pairs equal lines that occur once on each side.
    fn pair_single(&mut self) {
        let single = |lines: &Lines<'_>| {
            let mut found: HashMap<u64, Option<usize>> = HashMap::new();
            for (index, key) in lines.keys.iter().enumerate() {
                if lines.text(index).trim().len() >= MIN_LEN_BYTES {
                    found.entry(*key).and_modify(|known| *known = None).or_insert(Some(index));
                }
            }
            found
        };
        let (left, right) = (single(&self.before), single(&self.after));
        let both =
            right.into_iter().filter_map(|(key, after)| Some((left.get(&key).copied().flatten()?, after?)));
        let both: Vec<(usize, usize)> = both.collect();
        self.pair_all(&both, |_, _, _| true);
    }
}
