//! Nodes that several parts of a text would each define for themselves, such as a variable of two functions of a module.
//!
//! Each part is printed without knowledge of the others, so its definition would read back as another node. A print that
//! finds such nodes is made again with the list of them, and declares them before the parts.

use std::hash::BuildHasherDefault;

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::Object;
use tvmscript_ir_core::ptr_map::AddressHasher;

/// The part of a text that defines a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A region, by its number in the print.
    Region(usize),
    /// The part that prints a node, by the node's address.
    Node(usize),
    /// This use alone.
    Use,
}

/// The definitions of a print, and the nodes that have several.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The part that defined each node last, by the node's address.
    defined: HashMap<usize, Part, BuildHasherDefault<AddressHasher>>,
    found: Vec<Object>,
    found_addresses: HashSet<usize>,
    /// The nodes that the print before found.
    known: Vec<Object>,
}

impl Shared {
    /// The definitions of a print that knows what the one before found.
    pub(crate) fn knowing(known: Vec<Object>) -> Shared {
        Shared { known, ..Shared::default() }
    }

    /// Records a definition. Returns `false` if the same part has defined the node before.
    pub(crate) fn define(&mut self, object: &Object, part: Part) -> bool {
        match self.defined.insert(object.address(), part) {
            None => true,
            Some(before) if before == part && part != Part::Use => false,
            Some(_) => {
                if self.found_addresses.insert(object.address()) {
                    self.found.push(object.clone());
                }
                true
            }
        }
    }

    /// The nodes that the print before found.
    pub(crate) fn known(&self) -> &[Object] {
        &self.known
    }

    /// Takes the nodes that several parts define.
    pub(crate) fn take_found(&mut self) -> Vec<Object> {
        std::mem::take(&mut self.found)
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{ObjectLike, Str};

    use super::*;

    #[test]
    fn a_variable_is_defined_once_per_part() {
        let variable = Str::new("x").into_object();
        let mut shared = Shared::default();
        assert!(shared.define(&variable, Part::Region(0)));
        assert!(!shared.define(&variable, Part::Region(0)));
        assert!(shared.take_found().is_empty());
        assert!(shared.define(&variable, Part::Region(1)));
        assert!(shared.define(&variable, Part::Node(1)));
        assert_eq!(shared.take_found().len(), 1);
    }

    #[test]
    fn each_use_is_a_part() {
        let node = Str::new("f").into_object();
        let mut shared = Shared::default();
        assert!(shared.define(&node, Part::Use));
        assert!(shared.take_found().is_empty());
        assert!(shared.define(&node, Part::Use));
        assert_eq!(shared.take_found().len(), 1);
    }
}
