//! Tables of texts, origins and lists of origins, in which each stands once.

use std::collections::HashMap;

use super::{LineOrigins, Origin};

/// Index of a text of a [`Store`].
pub type TextId = u32;

/// The tables of a page while it is made.
#[derive(Debug, Default)]
pub struct Store {
    texts: Table<String>,
    links: Table<LineOrigins>,
    origins: Table<Origin>,
}

/// Values with their indices, in order of their first occurrence.
#[derive(Debug)]
struct Table<T> {
    values: Vec<T>,
    indices: HashMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { values: Vec::new(), indices: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn index(&mut self, value: T) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        *self.indices.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}

impl Store {
    /// The index of a text, which loses newlines at its end.
    pub fn text(&mut self, text: &str) -> TextId {
        self.texts.index(text.trim_end_matches('\n').to_owned())
    }

    /// The number of lines of a text.
    pub fn line_count(&self, text: TextId) -> u32 {
        let text = self.texts.values.get(text as usize).map_or("", String::as_str);
        u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX)
    }

    /// The index of an origin.
    pub fn origin(&mut self, origin: Origin) -> u32 {
        self.origins.index(origin)
    }

    /// The index of the origins of the lines of a text, each in any order and with repetitions; nothing if no line has one.
    pub fn links(&mut self, lines: impl IntoIterator<Item = Vec<u32>>) -> Option<u32> {
        let mut flat = Vec::new();
        let (mut first, mut is_empty) = (0, true);
        for mut origins in lines {
            origins.sort_unstable();
            origins.dedup();
            flat.push(i64::try_from(origins.len()).unwrap_or(i64::MAX));
            let mut last = first;
            for (index, origin) in origins.into_iter().map(i64::from).enumerate() {
                flat.push(origin - last);
                last = origin;
                if index == 0 {
                    first = origin;
                }
                is_empty = false;
            }
        }
        (!is_empty).then(|| self.links.index(flat))
    }

    /// Moves the tables to a page.
    pub fn finish(self, page: &mut super::Page) {
        page.version = super::VERSION;
        page.texts = self.texts.values;
        page.links = self.links.values;
        page.origins = self.origins.values;
    }
}
