//! The order of counterparts.

/// Marks the members of a longest series of parts or lines whose counterparts rise.
pub(super) fn longest_rise(pairs: &[Option<usize>]) -> Vec<bool> {
    // Counterpart and index of the last member of the best series of each length, and the member before each.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let Some(pair) = *pair else { continue };
        let length = ends.partition_point(|(end, _)| *end < pair);
        let before = length.checked_sub(1).and_then(|last| ends.get(last)).map(|(_, at)| *at);
        previous.get_mut(index).into_iter().for_each(|place| *place = before);
        match ends.get_mut(length) {
            Some(end) => *end = (pair, index),
            None => ends.push((pair, index)),
        }
    }
    let mut marks = vec![false; pairs.len()];
    let mut at = ends.last().map(|(_, index)| *index);
    while let Some(index) = at {
        marks.get_mut(index).into_iter().for_each(|mark| *mark = true);
        at = previous.get(index).copied().flatten();
    }
    marks
}
