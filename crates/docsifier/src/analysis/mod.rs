//! Facts about a graph that printing needs before it reaches the nodes they concern.
//!
//! A printer writes a scope before it has seen what follows. Two analyses answer in advance, so that one pass suffices:
//!
//! - [`Places`]: the innermost scope around all uses of a variable. It says where a free variable is declared, and
//!   whether a scope that would define a variable contains all of its uses.
//! - [`size`]: whether a graph that shares its nodes stands for more text than can be printed.
//!
//! Each runs when it is first asked for: once a [`Region`] for places, once a print for the size. Both are linear in the graph
//! but for a logarithm, visit a shared node once, and keep their own stack. Neither knows a dialect: what opens a scope follows
//! from the printers of a type, what is a variable is registered.
//!
//! Names that clash with a word of the text are no part of this: [`crate::words`] settles them when all docs are there.

mod places;
pub(crate) mod size;

use std::any::{Any, TypeId};
use std::hash::BuildHasherDefault;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressHasher;

pub(crate) use places::{Places, Role};

use crate::table::PrinterTable;

/// A part of the graph whose variables are its own, such as a function: nothing outside of it counts as their use. The printed
/// root is one, whatever it is.
pub(crate) struct Region {
    root: Object,
    places: Option<Places>,
    facts: HashMap<TypeId, Box<dyn Any>>,
    /// The variables defined so far, by address: none may be defined again.
    defined: HashSet<usize, BuildHasherDefault<AddressHasher>>,
}

impl Region {
    pub(crate) fn new(root: Object) -> Region {
        Region { root, places: None, facts: HashMap::new(), defined: HashSet::default() }
    }

    pub(crate) fn root(&self) -> &Object {
        &self.root
    }

    /// The places of the region's variables.
    pub(crate) fn places(&mut self, table: &PrinterTable) -> &mut Places {
        self.places.get_or_insert_with(|| Places::new(&self.root, |info| table.role(info)))
    }

    /// What a dialect found out about the root.
    pub(crate) fn fact<T: Any>(&mut self, find: impl FnOnce(&Object) -> T) -> &T {
        let root = &self.root;
        let fact = self.facts.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(find(root)));
        match fact.downcast_ref::<T>() {
            Some(fact) => fact,
            None => unreachable!("facts are stored under their own type"),
        }
    }

    /// Records the definition of a variable. False if there was one before.
    pub(crate) fn define(&mut self, variable: &Object) -> bool {
        self.defined.insert(variable.address())
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{ObjectLike, Str};

    use super::*;

    #[test]
    fn a_variable_is_defined_once_per_region() {
        let variable = Str::new("x").into_object();
        let mut region = Region::new(variable.clone());
        assert!(region.define(&variable));
        assert!(!region.define(&variable));
        assert!(Region::new(variable.clone()).define(&variable));
    }

    #[test]
    fn a_fact_is_computed_once() {
        let mut region = Region::new(Str::new("root").into_object());
        assert_eq!(*region.fact(|_| 1_u8), 1);
        assert_eq!(*region.fact(|_| 2_u8), 1);
        assert_eq!(*region.fact(|_| "other type"), "other type");
    }
}
