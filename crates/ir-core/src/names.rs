//! Names that are given once each.
//!
//! ```
//! use tvmscript_ir_core::names::UniqueNames;
//!
//! let mut names = UniqueNames::numbered_from(1);
//! names.insert("x_2");
//! assert_eq!(["x", "x", "x", "y"].map(|name| names.take(name)), ["x", "x_1", "x_3", "y"]);
//! ```

use hashbrown::{HashMap, HashSet};

/// Gives names once each: a further one gets a number.
#[derive(Debug, Clone)]
pub struct UniqueNames {
    taken: HashSet<String>,
    /// The next number of a name that is taken; without it, numbering names would be quadratic.
    next: HashMap<String, usize>,
    first: usize,
    separator: &'static str,
}

impl UniqueNames {
    /// No names; the second of a name gets the number `first` after an underscore.
    pub fn numbered_from(first: usize) -> UniqueNames {
        UniqueNames { taken: HashSet::new(), next: HashMap::new(), first, separator: "_" }
    }

    /// With another text between a name and its number.
    pub fn separated_by(self, separator: &'static str) -> UniqueNames {
        UniqueNames { separator, ..self }
    }

    /// Takes a name as it is; `false` if it was taken.
    pub fn insert(&mut self, name: &str) -> bool {
        !self.taken.contains(name) && self.taken.insert(name.to_owned())
    }

    /// The name, with a number if it is taken.
    pub fn take(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        while !self.taken.insert(unique.clone()) {
            let number = self.next.entry_ref(name).or_insert(self.first);
            unique = format!("{name}{}{number}", self.separator);
            *number += 1;
        }
        unique
    }
}

impl<S: AsRef<str>> Extend<S> for UniqueNames {
    fn extend<I: IntoIterator<Item = S>>(&mut self, names: I) {
        for name in names {
            self.insert(name.as_ref());
        }
    }
}
