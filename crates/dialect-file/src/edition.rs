//! Editions of a dialect: which entries of a file each edition has.

use std::fmt;

/// An edition, such as `1.2`: numbers between dots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Edition(Vec<u32>);

impl Edition {
    /// Reads an edition; `None` for another text.
    pub(crate) fn parse(text: &str) -> Option<Edition> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        let mut numbers = numbers?;
        // `1.0` and `1` are one edition.
        while numbers.len() > 1 && numbers.last() == Some(&0) {
            numbers.pop();
        }
        Some(Edition(numbers))
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if index == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}

/// The editions whose entries are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Editions<'e> {
    /// The edition of the file.
    #[default]
    Newest,
    /// An earlier edition, to read its texts.
    One(&'e str),
    /// All entries, to rewrite texts of earlier editions.
    All,
}
