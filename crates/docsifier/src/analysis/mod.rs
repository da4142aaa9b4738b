//! Analyses of the IR graph whose results a printer needs before it reaches the nodes they describe.
//!
//! - [`UseScopes`]: the innermost scope that contains all uses of a variable. It decides where a free variable is
//!   declared, and whether a scope may define a variable.
//! - [`size`]: whether a graph with shared nodes unfolds to more text than can be printed.
//!
//! Both run on first request, `UseScopes` once per [`Region`] and `size` once per print. They take `O(n log n)` time,
//! visit a shared node once, and use an explicit stack. Neither knows a dialect: whether a node opens a scope follows
//! from the printers of its type, and dialects register which types are variables.
//!
//! Conflicts of names with words of the text are resolved in [`crate::words`] after all docs are made.

pub(crate) mod size;

use std::any::{Any, TypeId};
use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressHasher;

pub(crate) use tvmscript_ir_core::use_scopes::{Role, UseScopes};

use crate::table::PrinterTable;

/// A subgraph whose variables are local to it, such as a function: uses outside do not count. The printed root is
/// always one.
pub(crate) struct Region {
    root: Object,
    use_scopes: Option<UseScopes>,
    /// Per variable, by address, the scope that was assumed to contain all of its uses.
    assumed: HashMap<usize, (Object, Object), BuildHasherDefault<AddressHasher>>,
    facts: HashMap<TypeId, Box<dyn Any>>,
    /// Its number in the print. Defining a variable again in the same region is a conflict.
    number: usize,
}

impl Region {
    pub(crate) fn new(root: Object, number: usize) -> Region {
        Region { root, use_scopes: None, assumed: HashMap::default(), facts: HashMap::new(), number }
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    pub(crate) fn root(&self) -> &Object {
        &self.root
    }

    /// The scopes of the region's variables.
    pub(crate) fn use_scopes(&mut self, table: &PrinterTable) -> &mut UseScopes {
        self.use_scopes.get_or_insert_with(|| UseScopes::new(&self.root, |info| table.role(info)))
    }

    /// Returns `true` if the scopes of the region's variables are known.
    pub(crate) fn has_use_scopes(&self) -> bool {
        self.use_scopes.is_some()
    }

    /// Assumes that a scope contains all uses of a variable. Returns `false` if another scope was assumed to.
    pub(crate) fn assume(&mut self, scope: &Object, variable: &Object) -> bool {
        let assumed = || (scope.clone(), variable.clone());
        self.assumed.entry(variable.address()).or_insert_with(assumed).0.ptr_eq(scope)
    }

    /// Tests what was assumed against the scopes of the region's variables.
    pub(crate) fn assumed_rightly(&mut self, table: &PrinterTable) -> bool {
        let assumed = std::mem::take(&mut self.assumed);
        if assumed.is_empty() {
            return true;
        }
        let scopes = self.use_scopes(table);
        assumed.values().all(|(scope, variable)| !scopes.has_uses_outside(scope, variable))
    }

    /// A dialect's analysis of the root, cached by its type.
    pub(crate) fn fact<T: Any>(&mut self, find: impl FnOnce(&Object) -> T) -> &T {
        let root = &self.root;
        let fact = self.facts.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(find(root)));
        match fact.downcast_ref::<T>() {
            Some(fact) => fact,
            None => unreachable!("facts are stored under their own type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{ObjectLike, Str};

    use super::*;

    #[test]
    fn a_fact_is_computed_once() {
        let mut region = Region::new(Str::new("root").into_object(), 0);
        assert_eq!(*region.fact(|_| 1_u8), 1);
        assert_eq!(*region.fact(|_| 2_u8), 1);
        assert_eq!(*region.fact(|_| "other type"), "other type");
    }
}
