//! Rewrites of single nodes.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Mutator, Object, ObjectLike as _, structural_equal};
use tvmscript_prim::Call;
use tvmscript_relax::op::Operator;
use tvmscript_relax::{self as relax, PrimStructInfo, ScalarUse};
use tvmscript_tir::Buffer;
use tvmscript_tir::op::thread::TVM_STORAGE_SYNC;
use tvmscript_tirx::tvm_0_27::SCHEDULABLE;
use tvmscript_tirx::tvm_0_27::calls::storage_sync;
use tvmscript_tirx::tvm_0_27::layout::is_row_major;
use tvmscript_tirx::tvm_0_27::tile::TilePrimitiveCall;
use tvmscript_tirx::{AnnotatedCall, ScopeIdDefStmt};

use crate::Level;
use crate::finding::{Finding, codes};
use crate::keys::Prefix;

/// Rewrites nodes, children first.
pub(super) struct Nodes<'f> {
    pub(super) from: Level,
    pub(super) to: Level,
    pub(super) keys: Option<Prefix>,
    pub(super) findings: &'f mut Vec<Finding>,
}

impl Mutator for Nodes<'_> {
    fn leave(&mut self, node: Object) -> Object {
        let (leaves_flags, leaves_scalars) = (self.leaves(Level::Flagged), self.leaves(Level::Current));
        let node = without_flag(&node).filter(|_| leaves_flags).unwrap_or(node);
        let new = self
            .buffer(&node)
            .or_else(|| self.keys.and_then(|keys| keys.rename(&node)))
            .or_else(|| short_barrier(&node).filter(|_| leaves_flags));
        let new = new.or_else(|| known_scalar(&node).filter(|_| leaves_scalars));
        let lost = match node.as_node::<ScalarUse>().filter(|_| new.is_none()) {
            Some(used) => Some((
                format!(
                    "the older release does not compute with the variable `{}`",
                    used.var.vid.name_hint.get()
                ),
                "compute with a symbolic variable: `n = T.int64()`, `R.match_cast(p, R.Prim(value=n))`",
            )),
            None if leaves_flags
                && (node.is::<AnnotatedCall>()
                    || node.is::<ScopeIdDefStmt>()
                    || node.is::<TilePrimitiveCall>()) =>
            {
                Some((
                    "the older release has nothing like it".to_owned(),
                    "write it by hand for the older release",
                ))
            }
            None => later_operator(&node).filter(|_| leaves_scalars).map(|operator| {
                (
                    format!("the older release has no operator `R.{}`", operator.text),
                    "write it with operators of the older release",
                )
            }),
        };
        if let Some((message, help)) = lost {
            self.findings.push(Finding::loss(&codes::NO_FORM, message, help, &node));
        }
        new.unwrap_or(node)
    }
}

/// The operator of a call of Relax that the older release lacks.
fn later_operator(node: &Object) -> Option<&'static Operator> {
    let name = node.as_node::<relax::Call>()?.op_name()?;
    relax::op::TVM_0_27.operators().find(|operator| operator.name == name)
}

impl Nodes<'_> {
    /// Returns `true` if the level ends between the two releases.
    fn leaves(&self, level: Level) -> bool {
        self.to < level && level <= self.from
    }

    /// A buffer with a layout.
    fn buffer(&mut self, node: &Object) -> Option<Object> {
        let buffer = node.downcast_ref::<Buffer>().filter(|_| self.leaves(Level::Flagged))?;
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

/// A barrier whose other arguments have their defaults. No text of the older release has them.
fn short_barrier(node: &Object) -> Option<Object> {
    let call = node.as_node::<Call>().filter(|call| call.is_op(TVM_STORAGE_SYNC.op.get()))?;
    let scope = call.args.first().filter(|_| call.args.len() > 1)?;
    let is_default = structural_equal(node, storage_sync(scope.clone(), None, None).object());
    is_default.then(|| TVM_STORAGE_SYNC.call(call.dtype, [scope.clone()]).object().clone())
}

/// The value of a scalar variable of Relax in a scalar expression, where the text tells it.
fn known_scalar(node: &Object) -> Option<Object> {
    let info = node.as_node::<ScalarUse>()?.var.struct_info_.as_ref()?;
    info.as_node::<PrimStructInfo>()?.value.as_ref().map(|value| value.object().clone())
}

/// The attributes of a function without the flag that only the newer release has.
fn without_flag(node: &Object) -> Option<Object> {
    let attrs = node.as_node::<DictAttrs>()?;
    attrs.dict.get_str(SCHEDULABLE)?;
    let kept = attrs.dict.iter().filter(|(key, _)| key.as_str() != SCHEDULABLE);
    Some(DictAttrs::new(kept.map(|(key, value)| (key.clone(), value.clone()))).into_object())
}
