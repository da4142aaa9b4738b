//! Traits: facts about nodes that checks and passes ask for.

use std::fmt;

/// Traits of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// It has no effect besides its value.
    pub pure: bool,
    /// It ends the statements around it: none may follow.
    pub terminator: bool,
    /// Its two operands may be exchanged.
    pub commutative: bool,
    /// Names that its body defines end with it.
    pub scope: bool,
}

/// Names of traits in files.
pub(crate) const NAMES: [&str; 4] = ["pure", "terminator", "commutative", "scope"];

impl Traits {
    /// Adds the trait of a name. Returns `false` for another name.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        match name {
            "pure" => self.pure = true,
            "terminator" => self.terminator = true,
            "commutative" => self.commutative = true,
            "scope" => self.scope = true,
            _ => return false,
        }
        true
    }
}

impl fmt::Display for Traits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [self.pure, self.terminator, self.commutative, self.scope];
        let names: Vec<&str> =
            NAMES.iter().zip(flags).filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        f.write_str(&names.join(", "))
    }
}
