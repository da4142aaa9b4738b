//! Names of earlier releases that no release here reads, in the text of a file.

use tvmscript::ir_core::DataType;

use crate::older_blocks;

/// The text with today's names and blocks; `None` if it has no earlier ones.
pub(crate) fn renewed(text: &str) -> Option<String> {
    match older_blocks::renewed(text) {
        Some(blocks) => Some(with_types(&blocks).unwrap_or(blocks)),
        None => with_types(text),
    }
}

/// The changes of [`renewed`]: the name of the rule, the older words and those of today.
pub(crate) fn words() -> impl Iterator<Item = (&'static str, String, String)> {
    let types = ["e4m3_float8", "e5m2_float8"].into_iter();
    let types = types.filter_map(|old| Some(("data-types", old.to_owned(), DataType::renamed(old)?)));
    older_blocks::words().into_iter().chain(types)
}

/// The text with today's names of data types, in quotes and as functions of `T`.
fn with_types(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (start, quote) in text.match_indices(['"', '\'', '.']) {
        let rest = text.get(start + 1..).unwrap_or_default();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let Some(word) = rest.get(..length) else { continue };
        let is_closed = quote == "." || rest.get(length..).is_some_and(|after| after.starts_with(quote));
        if let Some(new) = DataType::renamed(word).filter(|_| is_closed && start >= end) {
            out.push_str(text.get(end..=start).unwrap_or_default());
            out.push_str(&new);
            end = start + 1 + length;
        }
    }
    out.push_str(text.get(end..).unwrap_or_default());
    (end > 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::renewed;

    #[test]
    fn names_of_types_in_quotes_and_as_functions() {
        let old = "A: T.Buffer((16,), \"e4m3_float8x4\"), T.e5m2_float8(x), 'e5m2_float8', \"e4m3_float8s\"";
        let new =
            "A: T.Buffer((16,), \"float8_e4m3fnx4\"), T.float8_e5m2(x), 'float8_e5m2', \"e4m3_float8s\"";
        assert_eq!(renewed(old).as_deref(), Some(new));
        assert_eq!(renewed("\"float32\""), None);
    }
}
