//! Names of printed variables.
//!
//! A `Namer` allocates Python identifiers that are not keywords and unique among the names in use. It never looks at a
//! node, so all dialects share it. A name is a symbol of the doc arena, and its state is stored by symbol index.
//!
//! Invariant: a name is free again exactly when it is released; the lowest free number of its hint is then used next.
//!
//! Upstream counterpart: `IRDocsifierNode::Define`, `src/script/printer/ir_docsifier.cc`. Keywords, empty names and
//! leading digits are handled here only, since Python cannot read them.

use hashbrown::HashMap;
use tvmscript_doc::{DocArena, Sym};
use tvmscript_ir_core::vectors::entry;

/// Python's reserved words.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Returns `true` if Python reserves the word.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns `true` if the text is a valid name of a printed variable: an ASCII identifier that is not a keyword.
///
/// The parser accepts every identifier of Python; printed variables keep to ASCII, as upstream does.
pub fn is_identifier(text: &str) -> bool {
    text.is_ascii() && is_wide_identifier(text)
}

/// Returns `true` if the text is a valid name of a printed function: an identifier of any script that is not a keyword.
///
/// Python normalizes identifiers (NFKC), so a text in another form does not read back as itself.
pub fn is_wide_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c))
        && chars.all(unicode_ident::is_xid_continue)
        && !is_keyword(text)
        && (text.is_ascii() || unicode_normalization::is_nfkc(text))
}

/// Converts a hint to an identifier: other characters become `_`, a leading digit or an empty hint gets a leading `_`,
/// a keyword a trailing one.
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
pub(crate) struct Namer {
    /// By symbol index.
    entries: Vec<NameEntry>,
    /// For a name with a numeric suffix: the name without it, and the number.
    numbered: HashMap<Sym, (Sym, u32)>,
}

/// The state of a name.
#[derive(Debug, Clone, Copy, Default)]
struct NameEntry {
    /// No number below this one is free as a suffix of the name; zero if none was requested.
    next: u32,
    is_taken: bool,
    is_reserved: bool,
    /// `true` once the name is known to be an identifier and its suffix is in `numbered`.
    is_inspected: bool,
}

impl Namer {
    /// Creates a namer without names in use.
    pub(crate) fn new() -> Namer {
        Namer::default()
    }

    fn entry(&mut self, name: Sym) -> &mut NameEntry {
        entry(&mut self.entries, name.index())
    }

    /// Reserves a name that no variable may have. Returns `true` if it was free.
    pub(crate) fn reserve(&mut self, name: Sym) -> bool {
        let entry = self.entry(name);
        entry.is_reserved = true;
        !std::mem::replace(&mut entry.is_taken, true)
    }

    /// Returns `true` if the name is reserved.
    pub(crate) fn is_reserved(&self, name: Sym) -> bool {
        self.entries.get(name.index()).is_some_and(|entry| entry.is_reserved)
    }

    /// Returns `true` if the name is in use.
    pub(crate) fn is_taken(&self, name: Sym) -> bool {
        self.entries.get(name.index()).is_some_and(|entry| entry.is_taken)
    }

    /// Takes a name as it is. Returns `true` if it was free.
    pub(crate) fn hold(&mut self, name: Sym) -> bool {
        !std::mem::replace(&mut self.entry(name).is_taken, true)
    }

    /// Takes the hint's identifier, with the lowest free numeric suffix if it is in use. The name is unspecified if the
    /// arena is full ([`DocArena::check`]).
    pub(crate) fn take(&mut self, hint: &str, docs: &mut DocArena) -> Sym {
        let mut base = docs.sym(hint);
        if !self.entry(base).is_inspected {
            if !is_identifier(hint) {
                base = docs.sym(&sanitize(hint));
            }
            self.inspect(base, docs);
        }
        if !std::mem::replace(&mut self.entry(base).is_taken, true) {
            return base;
        }
        loop {
            let entry = self.entry(base);
            let number = entry.next.max(1);
            entry.next = number + 1;
            let text = format!("{}_{number}", docs.text(base));
            let name = docs.sym(&text);
            let entry = self.entry(name);
            entry.is_inspected = true;
            if !std::mem::replace(&mut entry.is_taken, true) {
                self.numbered.insert(name, (base, number));
                return name;
            }
            if docs.check().is_err() {
                return name;
            }
        }
    }

    fn inspect(&mut self, name: Sym, docs: &mut DocArena) {
        let entry = self.entry(name);
        if std::mem::replace(&mut entry.is_inspected, true) {
            return;
        }
        if let Some((base, number)) = docs.text(name).rsplit_once('_')
            && let Ok(number) = number.parse()
        {
            let base = base.to_owned();
            self.numbered.insert(name, (docs.sym(&base), number));
        }
    }

    /// Releases a name.
    pub(crate) fn release(&mut self, name: Sym) {
        self.entry(name).is_taken = false;
        if self.numbered.is_empty() {
            return;
        }
        if let Some(&(base, number)) = self.numbered.get(&name) {
            let entry = self.entry(base);
            entry.next = entry.next.min(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a name for each hint; returns them as one text.
    fn take(names: &mut Namer, docs: &mut DocArena, hints: &[&str]) -> String {
        let taken = hints.iter().map(|hint| names.take(hint, docs));
        let taken: Vec<Sym> = taken.collect();
        taken.iter().map(|name| docs.text(*name)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_count_per_hint() {
        let (mut names, mut docs) = (Namer::new(), DocArena::new());
        assert_eq!(take(&mut names, &mut docs, &["i", "i_1", "i", "i_1"]), "i i_1 i_2 i_1_1");
    }

    #[test]
    fn released_numbers_come_again() {
        let (mut names, mut docs) = (Namer::new(), DocArena::new());
        assert_eq!(take(&mut names, &mut docs, &["i", "i", "i"]), "i i_1 i_2");
        names.release(docs.sym("i_1"));
        assert_eq!(take(&mut names, &mut docs, &["i", "i"]), "i_1 i_3");
        names.release(docs.sym("i"));
        assert_eq!(take(&mut names, &mut docs, &["i", "i"]), "i i_4");
    }

    #[test]
    fn a_hint_with_a_number_gives_its_number_back() {
        let (mut names, mut docs) = (Namer::new(), DocArena::new());
        assert_eq!(take(&mut names, &mut docs, &["i_1", "i", "i"]), "i_1 i i_2");
        names.release(docs.sym("i_1"));
        assert_eq!(take(&mut names, &mut docs, &["i"]), "i_1");
    }

    #[test]
    fn hints_become_identifiers() {
        let (mut names, mut docs) = (Namer::new(), DocArena::new());
        let hints = ["i@x", "A-b", "lambda", "0x", "", "i@x"];
        assert_eq!(take(&mut names, &mut docs, &hints), "i_x A_b lambda_ _0x _ i_x_1");
    }

    #[test]
    fn reserved_names_are_no_variables() {
        let (mut names, mut docs) = (Namer::new(), DocArena::new());
        assert!(names.reserve(docs.sym("T")));
        assert!(names.is_reserved(docs.sym("T")));
        assert_eq!(take(&mut names, &mut docs, &["T"]), "T_1");
    }
}
