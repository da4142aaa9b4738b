//! Rewrites of single nodes.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Mutator, Object, ObjectLike as _};
use tvmscript_tir::Buffer;
use tvmscript_tirx::current::SCHEDULABLE;
use tvmscript_tirx::current::layout::is_row_major;
use tvmscript_tirx::{AnnotatedCall, ScopeIdDefStmt};

use crate::finding::{Finding, codes};
use crate::keys::Prefix;

const KEYS: Prefix = Prefix { from: "tirx.", to: "tir." };

/// Rewrites nodes, children first.
pub(super) struct Nodes<'f> {
    pub(super) findings: &'f mut Vec<Finding>,
}

impl Mutator for Nodes<'_> {
    fn leave(&mut self, node: Object) -> Object {
        let node = without_flag(&node).unwrap_or(node);
        let new = self.buffer(&node).or_else(|| KEYS.rename(&node));
        if node.is::<AnnotatedCall>() || node.is::<ScopeIdDefStmt>() {
            self.findings.push(Finding::loss(
                &codes::NO_FORM,
                "the older release has nothing like it",
                "write it by hand for the older release",
                &node,
            ));
        }
        new.unwrap_or(node)
    }
}

impl Nodes<'_> {
    /// A buffer with a layout.
    fn buffer(&mut self, node: &Object) -> Option<Object> {
        let buffer = node.downcast_ref::<Buffer>()?;
        let layout = buffer.layout.as_ref()?;
        if !is_row_major(layout, &buffer.shape) {
            self.findings.push(Finding::loss(
                &codes::LAYOUT,
                format!("the buffer `{}` has a layout", buffer.name),
                "compute the places of its elements in the indices",
                node,
            ));
        }
        let mut buffer = buffer.clone();
        buffer.make_mut().layout = None;
        Some(buffer.into_object())
    }
}

/// The attributes of a function without the flag that only the newer release has.
fn without_flag(node: &Object) -> Option<Object> {
    let attrs = node.as_node::<DictAttrs>()?;
    attrs.dict.get_str(SCHEDULABLE)?;
    let kept = attrs.dict.iter().filter(|(key, _)| key.as_str() != SCHEDULABLE);
    Some(DictAttrs::new(kept.map(|(key, value)| (key.clone(), value.clone()))).into_object())
}
