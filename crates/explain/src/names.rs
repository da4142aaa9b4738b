//! New names for variables.

use std::collections::{HashMap, HashSet};

/// The names that new variables must not have.
#[derive(Debug, Default)]
pub(crate) struct Names {
    used: HashSet<String>,
    /// The number to try next, by name.
    next: HashMap<String, usize>,
}

impl Names {
    pub(crate) fn insert(&mut self, name: &str) {
        if !self.used.contains(name) {
            self.used.insert(name.to_owned());
        }
    }

    /// A name that is not used yet: the given one, or one with a number.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        if self.used.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_default();
        loop {
            *next += 1;
            let candidate = format!("{name}_{next}");
            if self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Names {
        Names { used: names.into_iter().collect(), next: HashMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_given_once() {
        let mut names: Names = ["x".to_owned(), "x_2".to_owned()].into_iter().collect();
        names.insert("y");
        assert_eq!(["x", "x", "y", "z"].map(|name| names.fresh(name)), ["x_1", "x_3", "y_1", "z"]);
    }
}
