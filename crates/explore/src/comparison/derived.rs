//! Lines that took the place of others.
//!
//! A pass that lowers a statement leaves no node of it, so that nothing is matched. The new lines come from the old ones in whose
//! place they are; of several old lines, from those with whose names they have most in common.

use std::collections::{BTreeSet, HashMap};

use super::matched::Matched;
use super::text::{Words, is_word};

/// Names on more lines tell nothing.
const MAX_LINES: usize = 64;
/// Maximum number of lines that a line comes from.
const MAX_FROM: usize = 4;
/// Words of languages, which are no names.
const WORDS: [&str; 16] = [
    "T", "R", "I", "for", "in", "range", "def", "return", "if", "else", "with", "as", "int", "float", "and",
    "or",
];

/// For each line of `after`, the lines of `before` in whose place it is, for a line without a counterpart.
pub(crate) fn derived(matched: &Matched<'_>) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); matched.pairs.len()];
    let has_origin = |after: usize| {
        matched.pairs.get(after).is_none_or(Option::is_some) || !matched.by_structure(after).is_empty()
    };
    // The counterpart of the next line below, by line.
    let mut below = vec![matched.before.len(); matched.pairs.len() + 1];
    for (index, pair) in matched.pairs.iter().enumerate().rev() {
        let next = below.get(index + 1).copied().unwrap_or_default();
        below.get_mut(index).into_iter().for_each(|place| *place = pair.unwrap_or(next));
    }
    let (mut begin, mut above) = (0, 0);
    while begin < matched.pairs.len() {
        if has_origin(begin) {
            above = matched.pairs.get(begin).copied().flatten().map_or(above, |pair| pair + 1);
            begin += 1;
            continue;
        }
        let mut end = begin;
        while end < matched.pairs.len() && !has_origin(end) {
            end += 1;
        }
        let below = below.get(end).copied().unwrap_or_default();
        let gone: Vec<usize> = (above..below).filter(|line| !matched.used.contains(line)).collect();
        replace(matched, &gone, begin..end, &mut found);
        begin = end;
    }
    found
}

/// Finds the lines that a range of lines comes from among those that are gone.
fn replace(matched: &Matched<'_>, gone: &[usize], range: std::ops::Range<usize>, found: &mut [Vec<usize>]) {
    if gone.is_empty() {
        return;
    }
    if let [gone] = gone {
        found.get_mut(range).into_iter().flatten().for_each(|lines| lines.push(*gone));
        return;
    }
    let mut lines_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for &line in gone {
        for name in names(matched.before.text(line)) {
            lines_of.entry(name).or_default().push(line);
        }
    }
    let mut last: Vec<usize> = Vec::new();
    // Lines that wait for one with names in common, because they begin a block around it.
    let mut open: Vec<usize> = Vec::new();
    for index in range {
        let line = matched.after.text(index);
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for name in names(line) {
            let Some(lines) = lines_of.get(name).filter(|lines| lines.len() <= MAX_LINES) else { continue };
            for line in lines {
                *scores.entry(*line).or_default() += 1.0 / lines.len() as f64;
            }
        }
        let best = scores.values().copied().fold(0.0, f64::max);
        let mut from: Vec<usize> =
            scores.iter().filter(|(_, score)| **score >= best).map(|(line, _)| *line).collect();
        from.sort_unstable();
        from.truncate(MAX_FROM);
        if from.is_empty() {
            match line.trim_end().ends_with([':', '{']) {
                true => open.push(index),
                false => found.get_mut(index).into_iter().for_each(|lines| lines.clone_from(&last)),
            }
            continue;
        }
        for index in open.drain(..).chain([index]) {
            found.get_mut(index).into_iter().for_each(|lines| lines.clone_from(&from));
        }
        last = from;
    }
    for index in open {
        found.get_mut(index).into_iter().for_each(|lines| lines.clone_from(&last));
    }
}

/// The names on a line, each once and without a number that makes it unique: `i` for `i_1`. In
/// order, because the sums of scores depend on it.
fn names(line: &str) -> BTreeSet<&str> {
    let is_name =
        |word: &&str| word.starts_with(|c: char| is_word(c) && !c.is_numeric()) && !WORDS.contains(word);
    let stem = |word| match str::rsplit_once(word, '_') {
        Some((stem, number)) if !stem.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => word,
    };
    Words::of(line).take(64).filter(is_name).map(stem).collect()
}
