//! Tables, keys and values of the TOML file, each with its place.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{DescriptionError, DescriptionErrorKind};

/// A range of the file, in bytes.
pub(crate) type Place = Range<u32>;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(pub(crate) Vec<DescriptionError>);

impl Mistakes {
    pub(crate) fn add(&mut self, kind: DescriptionErrorKind, at: &Place) -> &mut DescriptionError {
        self.0.push(DescriptionError::new(kind, at.clone()));
        match self.0.last_mut() {
            Some(error) => error,
            None => unreachable!("an error was pushed"),
        }
    }

    pub(crate) fn with_help(&mut self, kind: DescriptionErrorKind, at: &Place, help: impl Into<String>) {
        self.add(kind, at).help = Some(help.into());
    }
}

/// A text of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) at: Place,
    /// Place of the first byte of the text, if the file has it as it is, without escapes.
    plain: Option<u32>,
}

impl Text {
    /// A text that the file implies.
    pub(crate) fn implied(text: impl Into<String>, at: &Place) -> Text {
        Text { text: text.into(), at: at.clone(), plain: None }
    }

    /// The place of a part of the text.
    pub(crate) fn part(&self, range: Range<usize>) -> Place {
        match self.plain {
            Some(start) => {
                let at = |offset: usize| start.saturating_add(offset.min(self.text.len()) as u32);
                at(range.start)..at(range.end).max(at(range.start))
            }
            None => self.at.clone(),
        }
    }
}

pub(crate) fn place<T>(value: &Spanned<T>) -> Place {
    let span = value.span();
    let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    at(span.start)..at(span.end)
}

/// Describes the type of a value.
pub(crate) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// A table of the file.
#[derive(Debug, Clone)]
pub(crate) struct Section<'t> {
    /// The table in messages: `[node.Clamp]`, with backticks.
    pub(crate) what: String,
    pub(crate) at: Place,
    table: &'t DeTable<'t>,
    source: &'t str,
}

impl<'t> Section<'t> {
    pub(crate) fn root(table: &'t Spanned<DeTable<'t>>, source: &'t str) -> Section<'t> {
        let at = 0..source.lines().next().map_or(0, |line| u32::try_from(line.len()).unwrap_or(0));
        Section { what: "the file".to_owned(), at, table: table.get_ref(), source }
    }

    /// The keys in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (Text, &'t Spanned<DeValue<'t>>)> {
        self.table.iter().map(|(key, value)| {
            let text = key.get_ref().to_string();
            (Text { text, at: place(key), plain: None }, value)
        })
    }

    fn get(&self, key: &str) -> Option<(&'t Spanned<DeValue<'t>>, String)> {
        let value = self.table.get(key)?;
        Some((value, format!("`{key}` of {}", self.what)))
    }

    /// Reports keys that are not known.
    pub(crate) fn only(&self, known: &[&str], mistakes: &mut Mistakes) {
        for (key, _) in self.keys() {
            if known.contains(&key.text.as_str()) {
                continue;
            }
            let nearest = known.iter().min_by_key(|known| strsim::damerau_levenshtein(known, &key.text));
            let help = match nearest.filter(|known| strsim::damerau_levenshtein(known, &key.text) <= 2) {
                Some(nearest) => format!("write `{nearest}`"),
                None => format!("known keys: {}", known.join(", ")),
            };
            let kind = DescriptionErrorKind::UnknownKey { table: self.what.clone(), key: key.text };
            mistakes.with_help(kind, &key.at, help);
        }
    }

    fn wrong<T>(
        what: String,
        expected: &str,
        value: &Spanned<DeValue<'_>>,
        mistakes: &mut Mistakes,
    ) -> Option<T> {
        let found = kind_of(value.get_ref()).to_owned();
        let kind = DescriptionErrorKind::Value { what, expected: expected.to_owned(), found };
        mistakes.add(kind, &place(value));
        None
    }

    fn missing<T>(&self, key: &str, help: &str, mistakes: &mut Mistakes) -> Option<T> {
        let kind = DescriptionErrorKind::MissingKey { table: self.what.clone(), key: key.to_owned() };
        mistakes.with_help(kind, &self.at, help);
        None
    }

    /// The text under a key.
    pub(crate) fn text(&self, key: &str, mistakes: &mut Mistakes) -> Option<Text> {
        let (value, what) = self.get(key)?;
        match value.get_ref() {
            DeValue::String(_) => Some(self.text_of(value)),
            _ => Section::wrong(what, "a string", value, mistakes),
        }
    }

    /// The text of a string value.
    pub(crate) fn text_of(&self, value: &Spanned<DeValue<'_>>) -> Text {
        let DeValue::String(text) = value.get_ref() else { return Text::implied("", &place(value)) };
        let written = self.source.get(value.span()).unwrap_or_default();
        let start = written.find(&**text).filter(|_| !text.is_empty());
        let plain = start.and_then(|start| u32::try_from(value.span().start + start).ok());
        Text { text: text.to_string(), at: place(value), plain }
    }

    /// The text under a key that has to be there.
    pub(crate) fn required_text(&self, key: &str, help: &str, mistakes: &mut Mistakes) -> Option<Text> {
        match self.get(key) {
            Some(_) => self.text(key, mistakes),
            None => self.missing(key, help, mistakes),
        }
    }

    /// The boolean under a key; `false` if it is missing.
    pub(crate) fn flag(&self, key: &str, mistakes: &mut Mistakes) -> bool {
        let Some((value, what)) = self.get(key) else { return false };
        match value.get_ref() {
            DeValue::Boolean(flag) => *flag,
            _ => Section::wrong(what, "`true` or `false`", value, mistakes).unwrap_or_default(),
        }
    }

    /// The texts under a key: a string or an array of strings.
    pub(crate) fn texts(&self, key: &str, mistakes: &mut Mistakes) -> Vec<Text> {
        let Some((value, what)) = self.get(key) else { return Vec::new() };
        match value.get_ref() {
            DeValue::String(_) => vec![self.text_of(value)],
            DeValue::Array(items) => {
                let item = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
                    DeValue::String(_) => Some(self.text_of(item)),
                    _ => Section::wrong(format!("each element of {what}"), "a string", item, mistakes),
                };
                items.iter().filter_map(item).collect()
            }
            _ => Section::wrong(what, "a string or an array of strings", value, mistakes).unwrap_or_default(),
        }
    }

    /// The value under a key.
    pub(crate) fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    /// The table under a key.
    pub(crate) fn section(&self, key: &str, mistakes: &mut Mistakes) -> Option<Section<'t>> {
        let (value, what) = self.get(key)?;
        let at = self.key_place(key).unwrap_or_else(|| place(value));
        self.section_of(value, what, at, mistakes)
    }

    fn key_place(&self, key: &str) -> Option<Place> {
        self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(name, _)| place(name))
    }

    /// A value as a table.
    pub(crate) fn section_of(
        &self,
        value: &'t Spanned<DeValue<'t>>,
        what: String,
        at: Place,
        mistakes: &mut Mistakes,
    ) -> Option<Section<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Section { what, at, table, source: self.source }),
            _ => Section::wrong(what, "a table", value, mistakes),
        }
    }

    /// The tables below a key, such as `[node.Clamp]` and `[node.Trace]` below `node`.
    pub(crate) fn sections(&self, key: &str, mistakes: &mut Mistakes) -> Vec<(Text, Section<'t>)> {
        let Some(all) = self.section(key, mistakes) else { return Vec::new() };
        let mut sections = Vec::new();
        for (name, value) in all.keys() {
            let what = format!("`[{key}.{}]`", name.text);
            if let Some(section) = self.section_of(value, what, name.at.clone(), mistakes) {
                sections.push((name, section));
            }
        }
        sections
    }
}
