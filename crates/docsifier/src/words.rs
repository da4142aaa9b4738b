//! Conflicts between variables and words that text uses without a prefix (`range`, `float`, `metadata`).
//!
//! A variable may be named `range` unless the text in its scope uses the word, which is known only at the end. Such a
//! variable therefore gets a symbol of its own whose text is set last. The names `range`, `range_1` and so on are
//! allocated as usual; if the word is used in scope of a variable, each number is raised by one (`range_1`, `range_2`), as if
//! the word had been reserved from the start.

use tvmscript_doc::{DocArena, Sym};

use crate::names::Namer;

/// Used by `float("inf")`, a float without a literal.
pub(crate) const FLOAT: &str = "float";

/// The words of one print.
#[derive(Debug)]
pub(crate) struct Words(Vec<Word>);

#[derive(Debug)]
struct Word {
    word: &'static str,
    /// `true` if the text uses the word in scope of a variable with that name.
    is_needed: bool,
    /// Symbols of variables named after the word, with their numeric suffixes (0 for none).
    variables: Vec<(Sym, u32)>,
    /// Names after the word with larger suffixes, which stay.
    fixed: Vec<Sym>,
}

impl Words {
    /// Creates the set of words: that of this crate, plus `others` of the release and the dialects.
    pub(crate) fn new(others: &[&'static str]) -> Words {
        let words = [FLOAT].into_iter().chain(others.iter().copied());
        Words(
            words
                .map(|word| Word { word, is_needed: false, variables: Vec::new(), fixed: Vec::new() })
                .collect(),
        )
    }

    /// The symbol for a variable with this name.
    pub(crate) fn symbol(&mut self, name: Sym, docs: &mut DocArena) -> Sym {
        for Word { word, variables, fixed, .. } in &mut self.0 {
            let Some(digits) = suffix(docs.text(name), word) else { continue };
            let Ok(number) = digits.parse() else {
                fixed.push(name);
                return name;
            };
            let own = docs.own_sym(name);
            variables.push((own, number));
            return own;
        }
        name
    }

    /// Records a use of a word in scope of a variable. Returns `false` for an unknown word.
    pub(crate) fn need(&mut self, word: &str) -> bool {
        let found = self.0.iter_mut().find(|entry| entry.word == word);
        found.map(|entry| entry.is_needed = true).is_some()
    }

    /// Renames the variables that conflict with a used word.
    pub(crate) fn resolve(&mut self, names: &Namer, docs: &mut DocArena) {
        for Word { word, variables, fixed, .. } in self.0.iter().filter(|word| word.is_needed) {
            let name = |number: u32, by: u64| format!("{word}_{}", u64::from(number) + by);
            let mut by = 1;
            let is_taken = |name| names.is_reserved(name) || fixed.contains(&name);
            while variables.iter().any(|(_, number)| is_taken(docs.sym(&name(*number, by)))) {
                by += 1;
            }
            for (sym, number) in variables {
                docs.set_text(*sym, &name(*number, by));
            }
        }
    }
}

/// The digits behind a word in a name: `2` for `range_2`, `0` for the word itself, `None` for other names.
fn suffix<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(word)?;
    if rest.is_empty() {
        return Some("0");
    }
    let digits = rest.strip_prefix('_')?;
    let is_plain =
        digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() && !digits.starts_with('0');
    is_plain.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names for the hints after conflicts are resolved; `needed` is a word that the text uses.
    fn resolved(hints: &[&str], needed: Option<&str>, reserved: &[&str]) -> String {
        let (mut words, mut names, mut docs) = (Words::new(&["range"]), Namer::new(), DocArena::new());
        for word in reserved {
            names.reserve(docs.sym(word));
        }
        let mut syms = Vec::new();
        for hint in hints {
            let name = names.take(hint, &mut docs);
            syms.push(words.symbol(name, &mut docs));
        }
        if let Some(word) = needed {
            assert!(words.need(word));
        }
        words.resolve(&names, &mut docs);
        syms.iter().map(|sym| docs.text(*sym)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_variable_has_a_word_that_the_text_does_not_need() {
        assert_eq!(resolved(&["range", "range", "x"], None, &[]), "range range_1 x");
        assert_eq!(resolved(&["range", "x"], Some("float"), &[]), "range x");
    }

    #[test]
    fn names_move_on_where_the_word_is_needed() {
        assert_eq!(resolved(&["range", "range", "range_1"], Some("range"), &[]), "range_1 range_2 range_1_1");
        assert_eq!(resolved(&["range_1", "range", "ranges"], Some("range"), &[]), "range_2 range_1 ranges");
    }

    #[test]
    fn names_with_large_suffixes_stay_and_are_avoided() {
        let hints = ["range_4294967296", "range_4294967295", "range"];
        assert_eq!(resolved(&hints, Some("range"), &[]), "range_4294967296 range_4294967297 range_2");
    }

    #[test]
    fn names_move_past_reserved_ones() {
        assert_eq!(resolved(&["range"], Some("range"), &["range_1"]), "range_2");
    }

    #[test]
    fn other_words_are_not_known() {
        assert!(!Words::new(&[]).need("range"));
    }
}
