//! Tables of texts, origins and lists of origins, in which each stands once.

use indexmap::IndexSet;

use super::{LineOrigins, Origin};

/// Index of a text of a [`Store`].
pub type TextId = u32;

/// The tables of a page while it is made, in order of first occurrences.
#[derive(Debug, Default)]
pub struct Store {
    texts: IndexSet<String>,
    links: IndexSet<LineOrigins>,
    origins: IndexSet<Origin>,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The index of a text, which loses newlines at its end, among those that are kept.
pub(crate) fn kept(texts: &mut IndexSet<String>, text: &str) -> usize {
    let text = text.trim_end_matches('\n');
    texts.get_index_of(text).unwrap_or_else(|| texts.insert_full(text.to_owned()).0)
}

impl Store {
    /// The index of a text, which loses newlines at its end.
    pub fn text(&mut self, text: &str) -> TextId {
        number(kept(&mut self.texts, text))
    }

    /// The number of lines of a text.
    pub fn line_count(&self, text: TextId) -> u32 {
        let text = self.texts.get_index(text as usize).map_or("", String::as_str);
        u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX)
    }

    /// The index of an origin.
    pub fn origin(&mut self, origin: Origin) -> u32 {
        number(self.origins.insert_full(origin).0)
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
        (!is_empty).then(|| number(self.links.insert_full(flat).0))
    }

    /// Moves the tables to a page.
    pub fn finish(self, page: &mut super::Page) {
        page.version = super::VERSION;
        page.texts = self.texts.into_iter().collect();
        page.links = self.links.into_iter().collect();
        page.origins = self.origins.into_iter().collect();
    }
}
