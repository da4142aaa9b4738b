//! Names for printed variables.
//!
//! A [`Namer`] hands out Python identifiers that are valid, not keywords, and unique among the names in use. It is pure
//! bookkeeping: it never looks at a node, so every dialect shares it.
//!
//! Invariant: a name handed out is free again exactly when it is released; then the lowest free number of its hint comes
//! next, as if the name had never been taken.
//! Upstream counterpart: `IRDocsifierNode::Define`, `src/script/printer/ir_docsifier.cc`; keywords, empty names and
//! leading digits are ours, since Python cannot read them.

use hashbrown::{HashMap, HashSet};

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether Python reserves the word.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search_by(|k| k.cmp(&word)).is_ok()
}

/// Whether Python reads the text as one name.
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !is_keyword(text)
}

/// Whether Python reads the text as one name, letters of any script included. Functions keep such names; variables get
/// plain ones, as in TVM.
pub fn is_wide_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !is_keyword(text)
}

/// The hint as an identifier: other characters become `_`; a leading digit, or nothing at all, gets one in front; a
/// keyword gets one at the end.
pub fn sanitize(hint: &str) -> String {
    let mut name = String::with_capacity(hint.len() + 1);
    if hint.bytes().next().is_none_or(|b| b.is_ascii_digit()) {
        name.push('_');
    }
    name.extend(hint.bytes().map(|b| if b.is_ascii_alphanumeric() { char::from(b) } else { '_' }));
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

/// Names in use.
#[derive(Debug, Default)]
pub struct Namer {
    taken: HashSet<Box<str>>,
    reserved: Vec<Box<str>>,
    /// For each hint whose plain form is taken: no number below this one is free.
    next: HashMap<Box<str>, u32>,
}

impl Namer {
    /// No names in use.
    pub fn new() -> Namer {
        Namer::default()
    }

    /// Takes a name as it is, for words that no variable may have. Tells whether it was free.
    pub fn reserve(&mut self, name: &str) -> bool {
        self.reserved.push(name.into());
        self.taken.insert(name.into())
    }

    /// Whether the name was taken as it is.
    pub fn is_reserved(&self, name: &str) -> bool {
        self.reserved.iter().any(|r| **r == *name)
    }

    /// Whether the name is in use.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Takes the hint's identifier, or that with the lowest free number behind it.
    pub fn take(&mut self, hint: &str) -> Box<str> {
        let base: Box<str> = if is_identifier(hint) { hint.into() } else { sanitize(hint).into() };
        if self.taken.insert(base.clone()) {
            return base;
        }
        let next = self.next.entry(base.clone()).or_insert(1);
        loop {
            let name: Box<str> = format!("{base}_{next}").into();
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Gives a name back.
    pub fn release(&mut self, name: &str) {
        self.taken.remove(name);
        if let Some((base, number)) = name.rsplit_once('_')
            && let Ok(number) = number.parse::<u32>()
            && let Some(next) = self.next.get_mut(base)
        {
            *next = (*next).min(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_per_hint() {
        let mut names = Namer::new();
        assert_eq!(&*names.take("i"), "i");
        assert_eq!(&*names.take("i_1"), "i_1");
        assert_eq!(&*names.take("i"), "i_2");
        assert_eq!(&*names.take("i_1"), "i_1_1");
    }

    #[test]
    fn released_numbers_come_again() {
        let mut names = Namer::new();
        names.take("i");
        let second = names.take("i");
        names.take("i");
        names.release(&second);
        assert_eq!(&*names.take("i"), "i_1");
        assert_eq!(&*names.take("i"), "i_3");
    }

    #[test]
    fn hints_become_identifiers() {
        let mut names = Namer::new();
        assert_eq!(&*names.take("i@x"), "i_x");
        assert_eq!(&*names.take("A-b"), "A_b");
        assert_eq!(&*names.take("lambda"), "lambda_");
        assert_eq!(&*names.take("0x"), "_0x");
        assert_eq!(&*names.take(""), "_");
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }
}
