//! Prefixes of dialects (`T`), and which of them the text uses.

use crate::config::PrinterConfig;
use crate::table::PrinterTable;

/// The prefixes of one print.
#[derive(Debug)]
pub(crate) struct Prefixes(Vec<Prefix>);

/// The prefix of one dialect.
#[derive(Debug)]
pub(crate) struct Prefix {
    /// The dialect's token.
    pub(crate) dialect: &'static str,
    /// The prefix in this print.
    pub(crate) prefix: Box<str>,
    /// `true` if it is the dialect's default.
    pub(crate) is_default: bool,
    is_used: bool,
}

impl Prefixes {
    /// The dialects' prefixes, as changed by the options.
    pub(crate) fn new(table: &PrinterTable, config: &PrinterConfig) -> Prefixes {
        let prefixes = table.prefixes().map(|(dialect, default)| {
            let prefix = config.prefix(dialect, default);
            Prefix { dialect, prefix: prefix.into(), is_default: prefix == default, is_used: false }
        });
        Prefixes(prefixes.collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Prefix> {
        self.0.iter()
    }

    /// The prefix of a dialect; marks it as used.
    pub(crate) fn take(&mut self, dialect: &str) -> Option<&str> {
        let entry = self.0.iter_mut().find(|entry| entry.dialect == dialect)?;
        entry.is_used = true;
        Some(&entry.prefix)
    }

    /// The prefixes used so far.
    pub(crate) fn used(&self) -> impl Iterator<Item = &Prefix> {
        self.iter().filter(|entry| entry.is_used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_used_once_it_was_taken() {
        let entry = |dialect| Prefix { dialect, prefix: "T".into(), is_default: true, is_used: false };
        let mut prefixes = Prefixes(vec![entry("tir"), entry("relax")]);
        assert_eq!(prefixes.take("tir"), Some("T"));
        assert_eq!(prefixes.take("toy"), None);
        assert_eq!(prefixes.used().map(|p| p.dialect).collect::<Vec<_>>(), ["tir"]);
    }
}
