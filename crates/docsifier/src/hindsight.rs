//! What a print finds out too late, so that it is made anew.

use hashbrown::HashSet;

/// What the next print must know from the start.
#[derive(Debug, Default)]
pub(crate) struct Hindsight {
    /// The words that were needed where a variable has their name.
    words: Vec<&'static str>,
    /// The variables, by address, that stand both inside and outside of the scope that made them.
    escaping: HashSet<usize>,
}

impl Hindsight {
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.escaping.is_empty()
    }

    /// What was found, in words; nothing if there is no such thing.
    pub(crate) fn conflict(&self) -> Option<String> {
        match (self.words.first(), self.escaping.is_empty()) {
            (Some(word), _) => Some(format!("the name `{word}` is needed where a variable has it")),
            (None, false) => Some("a variable is used outside of the scope that defines it".to_owned()),
            (None, true) => None,
        }
    }

    /// Both together.
    pub(crate) fn and(&self, other: &Hindsight) -> Hindsight {
        Hindsight {
            words: self.words.iter().chain(&other.words).copied().collect(),
            escaping: &self.escaping | &other.escaping,
        }
    }

    pub(crate) fn words(&self) -> &[&'static str] {
        &self.words
    }

    pub(crate) fn add_word(&mut self, word: &'static str) {
        if !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    pub(crate) fn escapes(&self, variable: usize) -> bool {
        self.escaping.contains(&variable)
    }

    pub(crate) fn add_escaping(&mut self, variable: usize) {
        self.escaping.insert(variable);
    }
}
