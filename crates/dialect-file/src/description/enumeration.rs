//! Enums: `[enum.Memory]` with `values = ["L1", "L2"]`.

use std::collections::HashSet;

use super::names::check_name;
use crate::error::DescriptionErrorKind;
use crate::source::{Mistakes, Section, Text};

/// An enum of the file.
#[derive(Debug)]
pub(crate) struct EnumEntry {
    pub(crate) name: Text,
    pub(crate) doc: String,
    pub(crate) values: Vec<Text>,
    /// The names in front of a value, such as `Memory.`; `None` for names without the prefix.
    pub(crate) path: Option<String>,
}

impl EnumEntry {
    /// Reads the enums of a file.
    pub(super) fn read_all(root: &Section<'_>, prefix: &str, mistakes: &mut Mistakes) -> Vec<EnumEntry> {
        let sections = root.sections("enum", mistakes);
        sections
            .into_iter()
            .map(|(name, section)| EnumEntry::read(name, &section, prefix, mistakes))
            .collect()
    }

    fn read(name: Text, section: &Section<'_>, prefix: &str, mistakes: &mut Mistakes) -> EnumEntry {
        section.only(&["doc", "values", "text"], mistakes);
        check_name(&name, &section.what, mistakes);
        let values = section.texts("values", mistakes);
        if values.is_empty() {
            let kind =
                DescriptionErrorKind::MissingKey { table: section.what.clone(), key: "values".to_owned() };
            mistakes.with_help(kind, &section.at, "add `values = [\"first\", \"second\"]`");
        }
        let mut seen = HashSet::new();
        for value in &values {
            check_name(value, &format!("a value of {}", section.what), mistakes);
            if !seen.insert(value.text.as_str()) {
                let what = format!("the value `{}` of {}", value.text, section.what);
                mistakes.add(DescriptionErrorKind::Duplicate { what }, &value.at);
            }
        }
        let path = match section.text("text", mistakes) {
            None => Some(format!("{}.", name.text)),
            Some(text) => read_text(&text, section, prefix, mistakes),
        };
        let doc = section.text("doc", mistakes).map(|doc| doc.text).unwrap_or_default();
        EnumEntry { name, doc, values, path }
    }
}

/// The names between the prefix and a value, in a text such as `X.Mem.{value}`; `None` of `{value}`.
fn read_text(text: &Text, section: &Section<'_>, prefix: &str, mistakes: &mut Mistakes) -> Option<String> {
    let before = text.text.strip_suffix("{value}");
    if before == Some("") {
        return None;
    }
    let path = before.and_then(|before| before.strip_prefix(prefix)?.strip_prefix('.'));
    let is_path = |path: &str| {
        path.is_empty()
            || path
                .strip_suffix('.')
                .is_some_and(|path| path.split('.').all(tvmscript_python_syntax::is_identifier))
    };
    match path {
        Some(path) if is_path(path) => Some(path.to_owned()),
        _ => {
            let kind = DescriptionErrorKind::Value {
                what: format!("`text` of {}", section.what),
                expected: format!(
                    "a text such as `{prefix}.Name.{{value}}`, `{prefix}.{{value}}` or `{{value}}`"
                ),
                found: format!("`{}`", text.text),
            };
            mistakes.add(kind, &text.at);
            Some(String::new())
        }
    }
}
