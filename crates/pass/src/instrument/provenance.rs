//! The passes that made each node.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use tvmscript_ir_core::{Object, PtrMap, PtrSet, Span, TypeInfo, pre_order_visit};

use super::{PassInstrument, PassRun};
use crate::{PassError, PassInfo};

/// The effect of a pass on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PassEffect {
    /// The pass made the node.
    Made,
    /// The pass changed the node or a part of it.
    Changed,
}

/// Records which passes made and changed each node. Clones share their records.
///
/// A new node is a changed one if the pass removed a node of the same class with the same span; pairs are formed in the
/// order of a walk. All nodes of all roots stay alive as long as the record.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    record: Rc<RefCell<Record>>,
}

#[derive(Debug, Default)]
struct Record {
    /// Nodes that were seen, so that new ones are recognised.
    seen: PtrSet,
    origins: PtrMap<Origin>,
}

#[derive(Debug)]
struct Origin {
    pass: String,
    /// The node in whose place this one is.
    before: Option<Object>,
}

impl Provenance {
    /// Returns the passes that made and changed a node, in the order in which they ran. Empty for a node of the input.
    pub fn history(&self, node: &Object) -> Vec<(String, PassEffect)> {
        let record = self.record.borrow();
        let mut history = Vec::new();
        let mut at = record.origins.get(node);
        while let Some(Origin { pass, before }) = at {
            let effect = if before.is_some() { PassEffect::Changed } else { PassEffect::Made };
            history.push((pass.clone(), effect));
            at = before.as_ref().and_then(|before| record.origins.get(before));
        }
        history.reverse();
        history
    }
}

/// Class and span of a node.
type Identity = (*const TypeInfo, Span);

fn identity(node: &Object) -> Identity {
    (std::ptr::from_ref(node.info()), node.span())
}

impl PassInstrument for Provenance {
    fn before(&mut self, root: &Object, _: &PassInfo) -> Result<(), PassError> {
        let seen = &mut self.record.borrow_mut().seen;
        pre_order_visit(root, |node| seen.insert(node.clone()));
        Ok(())
    }

    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        let PassRun { pass, before, after, .. } = *run;
        if before.ptr_eq(after) {
            return Ok(());
        }
        let Record { seen, origins } = &mut *self.record.borrow_mut();
        let mut kept = PtrSet::default();
        pre_order_visit(after, |node| kept.insert(node.clone()));
        let mut removed: HashMap<Identity, VecDeque<Object>> = HashMap::new();
        pre_order_visit(before, |node| {
            if !kept.contains(node) && node.span().is_known() {
                removed.entry(identity(node)).or_default().push_back(node.clone());
            }
            true
        });
        pre_order_visit(after, |node| {
            if seen.insert(node.clone()) {
                let before = removed.get_mut(&identity(node)).and_then(VecDeque::pop_front);
                origins.insert(node.clone(), Origin { pass: pass.name.clone(), before });
            }
            true
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tvmscript_ir_core::{DataType, Ref, ptr_map, substitute};
    use tvmscript_toy_nodes::{Add, Int};

    use super::*;

    #[test]
    fn nodes_of_the_input_have_no_history() {
        let dtype = DataType::INT32;
        let int = |value| Ref::new(Int { span: Span::UNKNOWN, dtype, value }).upcast();
        let (old, other) = (int(1), int(2));
        let sum = Add { span: Span::UNKNOWN, dtype, a: old.clone(), b: old.clone() };
        let root: Object = Ref::new(sum).into();
        let mut provenance = Provenance::default();
        let pass = PassInfo::new("test.Pass", "");
        provenance.before(&root, &pass).unwrap();
        let new = substitute(root.clone(), &ptr_map([(&old, other.object().clone())])).unwrap();
        provenance.after(&PassRun::new(&pass, &root, &new, Duration::ZERO)).unwrap();
        assert!(provenance.history(old.object()).is_empty());
        assert_eq!(provenance.history(other.object()), [("test.Pass".to_owned(), PassEffect::Made)]);
        assert_eq!(provenance.history(&new).len(), 1);
    }
}
