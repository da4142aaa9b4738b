//! Differences of maps: entries are matched by key, renamed variables by their values.

use super::{Finder, MismatchKind, Paths, Work, WorkItem};
use crate::access_path::PathStep;
use crate::containers::{ByValue, Key, MapNode};
use crate::equal::align::{Signature, Signatures};
use crate::raw::Object;
use crate::type_table::Plan;
use crate::value::{FieldRef, Value};

impl<'a> Finder<'a> {
    pub(super) fn map(&mut self, lhs: &'a Object, rhs: &'a Object, position: usize, paths: Paths, def: bool) {
        let (Some(a), Some(b)) = (lhs.as_node::<MapNode>(), rhs.as_node::<MapNode>()) else { return };
        if position == 0 {
            let renamed = self.renamed(a, b);
            if !renamed.is_empty() {
                // Binds the renamed keys, then walks this map again.
                self.worklist.push(WorkItem { work: Work::Map { lhs, rhs, position: 0 }, paths, def });
                for (left, right) in renamed {
                    let paths = self.key_step(paths, left, right);
                    self.push(FieldRef::Node(left), FieldRef::Node(right), paths, true);
                }
                return;
            }
        }
        let Some((key, value)) = a.entries().get_index(position) else {
            for key in b.entries().keys().map(|k| k.value()) {
                let back = self.key_on_left(key);
                if back.as_ref().is_none_or(|back| !a.entries().contains_key(&ByValue(back))) {
                    let missing = PathStep::MissingKey(back.unwrap_or_else(|| key.clone()));
                    let paths = self.step(paths, missing, PathStep::Key(key.clone()));
                    self.report(MismatchKind::Missing, paths);
                }
            }
            return;
        };
        self.worklist.push(WorkItem { work: Work::Map { lhs, rhs, position: position + 1 }, paths, def });
        if let Value::Node(key) = key.value()
            && self.bindings.translate(key).is_some_and(|there| there.ptr_eq(key))
        {
            self.own_keys.insert(key.address(), ());
        }
        let there = self.key_on_right(key.value());
        let here = PathStep::Key(key.value().clone());
        match there.as_ref().and_then(|there| b.entries().get(&ByValue(there))) {
            Some(other) => {
                let there = PathStep::Key(there.unwrap_or_default());
                let paths = self.step(paths, here, there);
                self.push(value.as_field(), other.as_field(), paths, def);
            }
            None => {
                let missing = PathStep::MissingKey(there.unwrap_or_else(|| key.value().clone()));
                let paths = self.step(paths, here, missing);
                self.report(MismatchKind::Missing, paths);
            }
        }
    }

    /// Returns the right key that corresponds to a left one.
    fn key_on_right(&self, key: &'a Value) -> Option<Value> {
        match key {
            Value::Node(key) => self.bindings.translate(key).cloned().map(Value::Node),
            scalar => Some(scalar.clone()),
        }
    }

    /// Returns the left key that corresponds to a right one.
    fn key_on_left(&self, key: &'a Value) -> Option<Value> {
        match key {
            Value::Node(key) => self.bindings.translate_back(key).cloned().map(Value::Node),
            scalar => Some(scalar.clone()),
        }
    }

    /// Pairs variables that are keys on one side only, such as the functions of a module, by the signature of their
    /// values. If one is left on each side, those are paired as well.
    fn renamed(&self, lhs: &'a MapNode, rhs: &'a MapNode) -> Vec<(&'a Object, &'a Object)> {
        let variable = |key: &'a Key| {
            let node = key.value().as_object()?;
            let is_free = !self.bindings.to_rhs.contains_key(&node.address())
                && !self.bindings.to_lhs.contains_key(&node.address());
            (matches!(node.info().plan(), Plan::FreeVar | Plan::Dag) && is_free).then_some(node)
        };
        let alone = |side: &'a MapNode, other: &'a MapNode, is_left: bool| {
            let signatures = Signatures { bindings: &self.bindings, is_left };
            let entries = side.entries().iter().filter(|(key, _)| !other.entries().contains_key(*key));
            entries
                .filter_map(|(key, value)| Some((variable(key)?, signatures.of(value.as_field()))))
                .collect::<Vec<_>>()
        };
        let mut right = alone(rhs, lhs, false);
        if right.is_empty() {
            return Vec::new();
        }
        let mut left = alone(lhs, rhs, true);
        let mut pairs = Vec::new();
        left.retain(|(key, signature)| {
            let same = |(other, there): &(&Object, Signature)| {
                signature.content == there.content && std::ptr::eq(key.info(), other.info())
            };
            let Some(at) = right.iter().position(same) else { return true };
            pairs.push((*key, right.remove(at).0));
            false
        });
        if let ([(key, here)], [(other, there)]) = (&*left, &*right)
            && here.class == there.class
            && std::ptr::eq(key.info(), other.info())
        {
            pairs.push((*key, *other));
        }
        pairs
    }
}
