//! From TVM 0.23 to TVM 0.27.

mod calls;
mod nodes;
mod scopes;

use tvmscript_ir_core::diagnostic::ErrorCode;
use tvmscript_ir_core::{Object, RewriteError, mutate};

use crate::finding::{Finding, codes};
use crate::rule::{Kind, Rule};
use crate::{Level, Step, Upgraded, devices};

const fn rename(level: Level, name: &'static str, old: &'static str, new: &'static str) -> Rule {
    Rule::new(Kind::Rename, level, name, old, new)
}

const fn rewritten(level: Level, name: &'static str, old: &'static str, new: &'static str) -> Rule {
    Rule::new(Kind::Rewrite, level, name, old, new)
}

const fn report(level: Level, code: &'static ErrorCode, old: &'static str, new: &'static str) -> Rule {
    Rule::with_code(Kind::Report, level, code, old, new)
}

/// The differences of the releases.
pub static RULES: &[Rule] = &[
    rename(
        Level::Declared,
        "constants",
        "metadata[\"relax.expr.Constant\"]",
        "metadata[\"ir.GenericConst\"]",
    ),
    rewritten(Level::Flagged, "schedulable", "@T.prim_func with blocks", "@T.prim_func(s_tir=True)"),
    rewritten(
        Level::Current,
        "buffer-parameters",
        "A = T.match_buffer(a, (n, 4))",
        "A: T.Buffer((\"n\", 4), \"float32\")",
    ),
    rewritten(
        Level::Current,
        "handles",
        "A = T.match_buffer(a, ..), f(a)",
        "f(T.reinterpret(T.handle().ty, A.data))",
    ),
    rewritten(Level::Declared, "type-variables", "n = T.int64()", "n = TypeVar(\"n\")"),
    rewritten(Level::Flat, "flat-bindings", "with T.LetStmt(e) as v:", "v: T.int32 = e"),
    rewritten(Level::Flagged, "bindings", "v: T.int32 = e", "v: T.let[T.int32] = e"),
    rewritten(
        Level::Flat,
        "flat-allocations",
        "b = T.allocate(..), B = T.Buffer(.., data=b)",
        "B = T.alloc_buffer(..)",
    ),
    rewritten(Level::Flat, "views", "B = T.Buffer(.., data=A.data)", "B = T.decl_buffer(.., data=A.data)"),
    rewritten(Level::Flat, "flat-assertions", "assert c, \"m\"", "assert c, (\"RuntimeError\", [\"m\"])"),
    rewritten(Level::Flagged, "attributes", "T.attr(0, \"k\", v)", "T.attr({\"k\": v})"),
    rewritten(Level::Declared, "bit-operations", "T.bitwise_and(x, 3), T.shift_left(x, 1)", "x & 3, x << 1"),
    rewritten(Level::Flat, "return", "T.ret(e)", "return e"),
    rewritten(Level::Declared, "vector-loads", "A[0:4]", "A[T.Ramp(0, 1, 4)]"),
    rewritten(
        Level::Declared,
        "masks",
        "A.vload([i], predicate=m), B.vstore([i], x, predicate=m)",
        "T.masked_load(\"float32x4\", A, i, m), T.masked_store(B, x, i, m)",
    ),
    rewritten(
        Level::Flagged,
        "barriers",
        "T.tvm_storage_sync(\"shared\")",
        "T.tvm_storage_sync(\"shared\", T.bool(False), -1)",
    ),
    rewritten(Level::Flagged, "unrolling", "annotations={\"disable_unroll\": True}", "unroll=False"),
    rewritten(
        Level::Current,
        "symbolic-arguments",
        "R.call_tir(f, (x,), .., tir_vars=R.shape([n]))",
        "R.call_tir(f, (x, n), ..)",
    ),
    rewritten(
        Level::Current,
        "devices",
        "R.memory.alloc_tensor(s, o, shape, dtype)",
        "R.memory.alloc_tensor(s, o, shape, dtype, device)",
    ),
    rewritten(Level::Current, "scalars", "R.prim_value(n), R.Prim(\"int64\")", "n, T.int64"),
    Rule::with_code(
        Kind::Choice,
        Level::Flagged,
        &codes::SCHEDULABLE,
        "@T.prim_func without blocks",
        "@T.prim_func(s_tir=True)",
    ),
    Rule::with_code(
        Kind::Choice,
        Level::Current,
        &codes::PARAMETERS,
        "def f(x, y, n) with tir_vars",
        "def f(x, n, y)",
    ),
    Rule::with_code(
        Kind::Choice,
        Level::Current,
        &codes::DEVICE,
        "R.vm.alloc_tensor(s, ..) of other storage",
        "R.vm.alloc_tensor(s, .., 0)",
    ),
    report(
        Level::Current,
        &codes::SIZE_VARIABLE,
        "n = T.int32(is_size_var=True)",
        "the knowledge n >= 0 is lost",
    ),
    report(Level::Current, &codes::BUFFER_KIND, "axis_separators=.., buffer_type=\"auto\"", "left out"),
    report(Level::Flat, &codes::CONDITION, "T.allocate(.., condition=c)", "the condition is left out"),
    report(Level::Flat, &codes::CONSTANT_ARRAY, "T.allocate_const(..)", "stays"),
    report(Level::Flat, &codes::OLD_STATEMENT, "T.realize(..), a load of a producer", "stays"),
    report(Level::Flagged, &codes::LLVM_NUMBER, "T.call_llvm_intrin(.., T.uint32(1), x)", "stays"),
    report(Level::Declared, &codes::OPERATOR, "T.ptx_cp_async(..), T.create_barriers(..)", "stays"),
    report(Level::Current, &codes::KNOWN_VALUE, "R.Prim(value=e)", "the value is left out"),
    report(Level::Flagged, &codes::POINTER, "T.Select(c, p, q) of pointers", "stays"),
    report(Level::Flat, &codes::REDUCER, "T.comm_reducer(lambda x, y: x and y, ..)", "stays"),
    report(Level::Current, &codes::CALLERS, "tir_vars that differ by caller", "stays"),
];

/// Rewrites a program of one level to a later one.
pub(crate) fn raise(node: &Object, step: &Step, from: Level, to: Level) -> Result<Upgraded, RewriteError> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut node = node.clone();
    if from < Level::Current && to >= Level::Current {
        node = calls::rewrite(node, &mut findings)?;
        node = devices::add(node, &mut findings)?;
    }
    let node = {
        let mut nodes = nodes::Nodes::new(&node, step, (from, to), &mut findings);
        mutate(node, &mut nodes)?
    };
    let node = match from < Level::Current {
        true => scopes::rewrite(node, to, &mut findings)?,
        false => node,
    };
    Ok(Upgraded { node, findings })
}
