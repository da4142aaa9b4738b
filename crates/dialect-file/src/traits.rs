//! Traits: facts about nodes that checks and passes ask for.

use std::fmt;

/// Traits of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// It has no effect besides its value, which depends on the operands alone: passes may remove or repeat it.
    pub pure: bool,
    /// It ends the statements around it: none may follow.
    pub terminator: bool,
}

/// Names of traits in files.
pub(crate) const NAMES: [&str; 2] = ["pure", "terminator"];

impl Traits {
    /// Adds the trait of a name. Returns `false` for another name.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        match name {
            "pure" => self.pure = true,
            "terminator" => self.terminator = true,
            _ => return false,
        }
        true
    }
}

impl fmt::Display for Traits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = NAMES.iter().zip([self.pure, self.terminator]);
        let names: Vec<&str> = names.filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        f.write_str(&names.join(", "))
    }
}
