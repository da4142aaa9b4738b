//! Words that text uses without a prefix (`range`, `float`, `metadata`), where variables ask for the same names.
//!
//! A variable may be called `range`, unless the text around it needs the word. Whether it does is known only when all of it is
//! there: so a variable that asks for a word gets a symbol of its own, whose text is settled last. The names `range`,
//! `range_1` and so on are handed out as usual; if the word was needed where a variable has it, each becomes the next one
//! (`range_1`, `range_2`), as if the word had been reserved from the start.

use tvmscript_doc::{DocArena, Sym};

use crate::names::Namer;

/// `float("inf")`: a float without a literal.
pub(crate) const FLOAT: &str = "float";

/// The words of one print.
#[derive(Debug)]
pub(crate) struct Words(Vec<Word>);

#[derive(Debug)]
struct Word {
    word: &'static str,
    /// Whether the word was needed where a variable has it.
    is_needed: bool,
    /// The symbols of variables that have the word as their name, with the number behind it; zero for none.
    variables: Vec<(Sym, u32)>,
}

impl Words {
    /// The word of this crate, and those of the text profile and the dialects.
    pub(crate) fn new(others: &[&'static str]) -> Words {
        let words = [FLOAT].into_iter().chain(others.iter().copied());
        Words(words.map(|word| Word { word, is_needed: false, variables: Vec::new() }).collect())
    }

    /// The symbol of a variable that got this name.
    pub(crate) fn symbol(&mut self, name: Sym, docs: &mut DocArena) -> Sym {
        for Word { word, variables, .. } in &mut self.0 {
            if let Some(number) = number_behind(docs.text(name), word) {
                let own = docs.own_sym(name);
                variables.push((own, number));
                return own;
            }
        }
        name
    }

    /// Records that the text needs a word where a variable has it. False if this is none of the words.
    pub(crate) fn need(&mut self, word: &str) -> bool {
        let found = self.0.iter_mut().find(|entry| entry.word == word);
        found.map(|entry| entry.is_needed = true).is_some()
    }

    /// Gives variables that have a needed word as their name the next names.
    pub(crate) fn settle(&mut self, names: &Namer, docs: &mut DocArena) {
        for Word { word, variables, .. } in self.0.iter().filter(|word| word.is_needed) {
            let name = |number: u32, by: u64| format!("{word}_{}", u64::from(number) + by);
            let mut by = 1;
            while variables.iter().any(|(_, number)| names.is_reserved(docs.sym(&name(*number, by)))) {
                by += 1;
            }
            for (sym, number) in variables {
                docs.set_text(*sym, &name(*number, by));
            }
        }
    }
}

/// The number behind a word: `range_2` has 2, the word alone 0. Nothing for other names.
fn number_behind(name: &str, word: &str) -> Option<u32> {
    let rest = name.strip_prefix(word)?;
    if rest.is_empty() {
        return Some(0);
    }
    let digits = rest.strip_prefix('_')?;
    let is_plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names for the hints, settled; `needed` is a word that the text needs behind them.
    fn settled(hints: &[&str], needed: Option<&str>, reserved: &[&str]) -> String {
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
        words.settle(&names, &mut docs);
        syms.iter().map(|sym| docs.text(*sym)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_variable_has_a_word_that_the_text_does_not_need() {
        assert_eq!(settled(&["range", "range", "x"], None, &[]), "range range_1 x");
        assert_eq!(settled(&["range", "x"], Some("float"), &[]), "range x");
    }

    #[test]
    fn names_move_on_where_the_word_is_needed() {
        assert_eq!(settled(&["range", "range", "range_1"], Some("range"), &[]), "range_1 range_2 range_1_1");
        assert_eq!(settled(&["range_1", "range", "ranges"], Some("range"), &[]), "range_2 range_1 ranges");
    }

    #[test]
    fn names_move_past_reserved_ones() {
        assert_eq!(settled(&["range"], Some("range"), &["range_1"]), "range_2");
    }

    #[test]
    fn other_words_are_not_known() {
        assert!(!Words::new(&[]).need("range"));
    }
}
