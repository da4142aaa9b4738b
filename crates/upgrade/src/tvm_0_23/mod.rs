//! From TVM 0.27 back to TVM 0.23, where a construct has an older form.

mod nodes;
mod scopes;

use tvmscript_ir_core::{Object, PtrMap, RewriteError, mutate};

use crate::finding::{Finding, codes};
use crate::rule::{Kind, Rule};
use crate::{Level, Step, Upgraded, devices};

/// The differences of the releases.
pub static RULES: &[Rule] = &[
    Rule::new(Kind::Rewrite, Level::Flagged, "schedulable", "@T.prim_func(s_tir=True)", "@T.prim_func"),
    Rule::new(Kind::Rewrite, Level::Flat, "nested-bindings", "v: T.let[T.int32] = e", "v: T.int32 = e"),
    Rule::new(
        Kind::Rewrite,
        Level::Flat,
        "nested-allocations",
        "B = T.alloc_buffer(..)",
        "with T.decl_buffer(..) as B:",
    ),
    Rule::new(
        Kind::Rewrite,
        Level::Flat,
        "nested-assertions",
        "assert c, (\"RuntimeError\", [\"m\"])",
        "assert c, \"m\"",
    ),
    Rule::new(
        Kind::Rewrite,
        Level::Flagged,
        "barriers",
        "T.tvm_storage_sync(\"shared\", T.bool(False), -1)",
        "T.tvm_storage_sync(\"shared\")",
    ),
    Rule::new(
        Kind::Rewrite,
        Level::Current,
        "devices",
        "R.memory.alloc_tensor(s, o, shape, dtype, device)",
        "R.memory.alloc_tensor(s, o, shape, dtype)",
    ),
    Rule::with_code(
        Kind::Report,
        Level::Current,
        &codes::DEVICE,
        "R.vm.alloc_tensor(s, .., 1) of other storage",
        "left out",
    ),
    Rule::with_code(Kind::Report, Level::Flagged, &codes::LAYOUT, "layout=..", "left out"),
    Rule::with_code(
        Kind::Report,
        Level::Flat,
        &codes::ERROR_KIND,
        "assert c, (\"ValueError\", [..])",
        "the kind is left out",
    ),
    Rule::with_code(
        Kind::Report,
        Level::Flat,
        &codes::NO_FORM,
        "T.cta_id(..), T.call_ffi_kernel(..), a parameter `p: T.int64` in `p + 1`",
        "stays",
    ),
];

/// Rewrites a program of one level to an earlier one.
pub(crate) fn lower(node: &Object, step: &Step, from: Level, to: Level) -> Result<Upgraded, RewriteError> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut node = node.clone();
    if from >= Level::Current && to < Level::Current {
        node = devices::remove(node, &mut findings)?;
    }
    let node =
        mutate(node, &mut nodes::Nodes { from, to, keys: step.key_prefix(), findings: &mut findings })?;
    if to > Level::Flagged {
        return Ok(Upgraded { node, findings });
    }
    let mut scopes = scopes::Scopes { to, findings: &mut findings, shared: PtrMap::default() };
    let node = mutate(node, &mut scopes)?;
    let node = scopes.finish(node)?;
    Ok(Upgraded { node, findings })
}
