//! Suggestions for misspelt names.

/// The name nearest to `wanted`: at most two edits away, and fewer than half of the characters changed; or a name that
/// differs in case only.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    if length == 0 || length > 64 {
        return None;
    }
    let limit = if length < 4 { 1 } else { 2 };
    let distance = |name: &str| match name {
        _ if name.eq_ignore_ascii_case(wanted) => Some(1),
        _ if name.chars().count().abs_diff(length) > limit => None,
        _ => Some(strsim::osa_distance(wanted, name)).filter(|d| *d <= limit && 2 * d < length),
    };
    // Ties are broken alphabetically, so that the result does not depend on hash order.
    let others = names.into_iter().filter(|name| *name != wanted);
    others.filter_map(|name| Some((distance(name)?, name))).min().map(|(_, name)| name)
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
