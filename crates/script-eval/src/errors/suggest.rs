//! Suggestions for misspelt names.

/// The name nearest to `wanted`: at most two edits away, and fewer than half of the characters changed; or a name that
/// differs in case only.
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
        // Ties are broken alphabetically, so that the result does not depend on hash order.
        if best.is_none_or(|(d, n)| (distance, name) < (d, n)) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Damerau-Levenshtein distance (restricted), if it is at most `limit`. Names that differ in case only have distance
/// 1.
fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return Some(1);
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    Some(above[b.len()]).filter(|d| *d <= limit)
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
