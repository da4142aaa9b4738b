//! The lines that lines come from.

use std::collections::{HashMap, HashSet};

use tvmscript_diff::diff_matched;

use super::lines::{Lines, aligned, lines_of};
use super::text::Text;

/// The lines of `before`, from 1, that each line of `after` comes from, in rising order; none for a line that is new, and for
/// blank lines.
///
/// A line comes from those on which the counterparts of its nodes begin. A line whose nodes have none, and a line without
/// nodes, comes from an equal or a similar line.
pub fn matched_lines(before: &Text<'_>, after: &Text<'_>) -> Vec<Vec<u32>> {
    Matched::new(before, after).origins(after)
}

/// Lines that correspond, by structure and by text.
pub(crate) struct Matched<'a> {
    pub(crate) before: Lines<'a>,
    pub(crate) after: Lines<'a>,
    /// Pairs of lines that are equal or similar, in order.
    pub(crate) aligned: Vec<(usize, usize)>,
    pub(crate) structure: Structure,
}

/// The answers of the matching of two graphs.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    /// For each line of `after`, by index, the lines of `before`, in rising order. Empty without IR.
    pub(crate) lines: Vec<Vec<usize>>,
    /// Names of variables that correspond and differ, before and after.
    pub(crate) renamed: HashSet<(String, String)>,
}

impl<'a> Matched<'a> {
    pub(crate) fn new(before: &Text<'a>, after: &Text<'a>) -> Matched<'a> {
        let (left, right) = (Lines::of(before.text), Lines::of(after.text));
        let structure = match (before.ir, after.ir) {
            _ if before.text == after.text => Structure::default(),
            (Some(x), Some(y)) => {
                let (script, pairs) = diff_matched(&x.root, &y.root);
                let mut lines = vec![Vec::new(); right.len()];
                for (a, b) in &pairs {
                    let (Some(from), Some(to)) = (x.line(a), y.line(b)) else { continue };
                    let (Some(from), Some(to)) = (left.index_of(from), right.index_of(to)) else { continue };
                    lines.get_mut(to).into_iter().for_each(|origins: &mut Vec<usize>| origins.push(from));
                }
                for origins in &mut lines {
                    origins.sort_unstable();
                    origins.dedup();
                }
                let names =
                    script.correspondences().iter().filter_map(|(a, b)| Some((x.name(a)?, y.name(b)?)));
                let renamed = names.filter(|(a, b)| a != b).map(|(a, b)| (a.to_owned(), b.to_owned()));
                Structure { lines, renamed: renamed.collect() }
            }
            _ => Structure::default(),
        };
        let aligned = aligned(&left, &right);
        Matched { before: left, after: right, aligned, structure }
    }

    /// The lines of `before` that the nodes of a line come from.
    pub(crate) fn by_structure(&self, after: usize) -> &[usize] {
        self.structure.lines.get(after).map_or(&[], Vec::as_slice)
    }

    fn origins(&self, after: &Text<'_>) -> Vec<Vec<u32>> {
        let mut by_text: HashMap<usize, usize> = self.aligned.iter().map(|&(i, j)| (j, i)).collect();
        by_text.extend(self.moved(|index| by_text.contains_key(&index), &self.aligned));
        let mut origins = vec![Vec::new(); lines_of(after.text).len()];
        for index in 0..self.after.len() {
            let found = match self.by_structure(index) {
                [] => by_text.get(&index).copied().into_iter().collect(),
                found => found.to_vec(),
            };
            let number = self.after.number(index).saturating_sub(1) as usize;
            if let Some(line) = origins.get_mut(number) {
                *line = found.into_iter().map(|index| self.before.number(index)).collect();
            }
        }
        origins
    }

    /// Pairs of a line of `after` and a line of `before` that are equal and that occur once each among the lines without a
    /// counterpart.
    pub(crate) fn moved(
        &self,
        is_paired: impl Fn(usize) -> bool,
        paired: &[(usize, usize)],
    ) -> Vec<(usize, usize)> {
        /// Shorter lines, such as `else:`, are too common to be moved ones.
        const MIN_LEN_BYTES: usize = 8;
        let used: HashSet<usize> = paired.iter().map(|(i, _)| *i).collect();
        let is_long = |line: &str| line.trim().len() >= MIN_LEN_BYTES;
        let mut left: HashMap<u64, Option<usize>> = HashMap::new();
        for (index, key) in self.before.keys.iter().enumerate() {
            if !used.contains(&index) && is_long(self.before.text(index)) {
                left.entry(*key).and_modify(|known| *known = None).or_insert(Some(index));
            }
        }
        let mut right: HashMap<u64, Option<usize>> = HashMap::new();
        for (index, key) in self.after.keys.iter().enumerate() {
            if !is_paired(index) && left.contains_key(key) {
                right.entry(*key).and_modify(|known| *known = None).or_insert(Some(index));
            }
        }
        let mut found: Vec<(usize, usize)> = right
            .into_iter()
            .filter_map(|(key, after)| Some((after?, left.get(&key).copied().flatten()?)))
            .collect();
        found.sort_unstable();
        found
    }
}
