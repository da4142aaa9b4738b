//! The order of counterparts.

use tvmscript_ir_core::equal::align::increasing;

/// Marks the members of a longest series of parts or lines whose counterparts rise.
pub(super) fn longest_rise(pairs: &[Option<usize>]) -> Vec<bool> {
    let known: Vec<(usize, usize)> =
        pairs.iter().enumerate().filter_map(|(index, pair)| Some((index, (*pair)?))).collect();
    let mut marks = vec![false; pairs.len()];
    for (index, _) in increasing(&known) {
        marks.get_mut(index).into_iter().for_each(|mark| *mark = true);
    }
    marks
}
