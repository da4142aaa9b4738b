//! "Did you mean": the nearest of some names.

/// The name nearest to `wanted`, if it is at most two edits away and less than half of it is changed;
/// or one that differs in case alone.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    if length == 0 || length > 64 {
        return None;
    }
    let limit = if length < 4 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        if name == wanted {
            continue;
        }
        let Some(distance) = edit_distance(wanted, name, limit) else { continue };
        if 2 * distance >= length && !wanted.eq_ignore_ascii_case(name) {
            continue;
        }
        // Of names equally near the first in the order of the alphabet: the answer must not depend on hash order.
        if best.is_none_or(|(d, n)| (distance, name) < (d, n)) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Edits from `a` to `b`, if at most `limit`: insertions, deletions, replacements and swaps of neighbours. A change of
/// case alone counts as one.
fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return Some(1);
    }
    // The distance is at least the difference in length; long names are not compared.
    if a.chars().count().abs_diff(b.chars().count()) > limit {
        return None;
    }
    Some(strsim::osa_distance(a, b)).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["serial", "parallel", "grid", "float32", "float16"];
        assert_eq!(nearest("serail", names), Some("serial"));
        assert_eq!(nearest("Serial", names), Some("serial"));
        assert_eq!(nearest("float3", names), Some("float32"));
        assert_eq!(nearest("block", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("w", ["A", "B"]), None);
        assert_eq!(nearest("a", ["B", "A"]), Some("A"));
    }
}
