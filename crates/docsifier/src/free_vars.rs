//! Where free variables belong: the deepest node around all uses of each.
//!
//! One walk over all reflected fields, in their order; each node is entered once, but every meeting of a variable
//! counts. Made only when a print first meets a variable that nothing defines.
//! Upstream counterpart: `ComputeCommonPrefix`, `src/script/printer/ir_docsifier.cc`.

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::Object;
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::type_table::Shape;

/// For each variable, the nodes around all its uses.
#[derive(Debug, Default)]
pub(crate) struct CommonPrefix {
    /// Nodes as the walk entered them, each with the one around it.
    entered: Vec<Entered>,
    /// The deepest common node of each variable.
    of: HashMap<usize, u32>,
}

#[derive(Debug)]
struct Entered {
    address: usize,
    around: u32,
    open: bool,
}

const NONE: u32 = u32::MAX;

impl CommonPrefix {
    /// Walks `root`. `is_var` says which nodes are variables.
    pub(crate) fn new(root: &Object, is_var: impl Fn(&Object) -> bool) -> CommonPrefix {
        let mut out = CommonPrefix::default();
        let mut seen = HashSet::new();
        let mut stack = Vec::new();
        out.meet(root, &is_var, &mut seen, &mut stack, NONE);
        while let Some((object, next, id)) = stack.last_mut() {
            let id = *id;
            let (object, index) = (*object, *next);
            *next += 1;
            match child(object, index) {
                Some(Some(found)) => out.meet(found, &is_var, &mut seen, &mut stack, id),
                Some(None) => {}
                None => {
                    out.entered[id as usize].open = false;
                    stack.pop();
                }
            }
        }
        out
    }

    fn meet<'a>(
        &mut self,
        object: &'a Object,
        is_var: &impl Fn(&Object) -> bool,
        seen: &mut HashSet<usize>,
        stack: &mut Vec<(&'a Object, usize, u32)>,
        around: u32,
    ) {
        if matches!(object.info().shape(), Shape::Str | Shape::Tensor) {
            return;
        }
        let address = object.address();
        let id = self.entered.len() as u32;
        if is_var(object) {
            match self.of.get(&address) {
                None => {
                    self.entered.push(Entered { address, around, open: true });
                    self.of.insert(address, id);
                    if seen.insert(address) {
                        stack.push((object, 0, id));
                    }
                }
                Some(&before) => {
                    // The nodes around this meeting are exactly the open ones.
                    let mut at = before;
                    while at != NONE && !self.entered[at as usize].open {
                        at = self.entered[at as usize].around;
                    }
                    // A variable met again inside itself stays where it was.
                    self.of.insert(address, if at == NONE { around } else { at });
                }
            }
            return;
        }
        if seen.insert(address) {
            self.entered.push(Entered { address, around, open: true });
            stack.push((object, 0, id));
        }
    }

    /// The addresses of the nodes around all uses of the variable, innermost first; the variable itself is among them
    /// when it is used once.
    pub(crate) fn around(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        let mut at = self.of.get(&variable).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let entry = self.entered.get(at as usize)?;
            at = entry.around;
            Some(entry.address)
        })
    }
}

/// The child at `index` in walking order: `None` past the end, `Some(None)` where there is no node.
fn child(object: &Object, index: usize) -> Option<Option<&Object>> {
    use tvmscript_ir_core::FieldRef;
    match object.info().shape() {
        Shape::Fields => {
            object.info().fields().get(index)?;
            Some(if let FieldRef::Node(o) = object.field(index) { Some(o) } else { None })
        }
        Shape::Array => {
            let value = object.as_node::<ArrayNode>()?.items().get(index)?;
            Some(value.as_object())
        }
        Shape::Map => {
            let (key, value) = object.as_node::<MapNode>()?.entries().get_index(index / 2)?;
            Some(if index.is_multiple_of(2) { key.value().as_object() } else { value.as_object() })
        }
        Shape::Str | Shape::Tensor => None,
    }
}
