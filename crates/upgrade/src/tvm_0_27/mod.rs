//! From TVM 0.23 to TVM 0.27.

mod calls;
mod nodes;
mod scopes;

use tvmscript_ir_core::diagnostic::ErrorCode;
use tvmscript_ir_core::{Object, RewriteError, mutate};

use crate::finding::{Finding, codes};
use crate::rule::{Kind, Rule};
use crate::{Level, Step, Upgraded, devices};

const fn rename(name: &'static str, old: &'static str, new: &'static str) -> Rule {
    Rule::new(Kind::Rename, name, old, new)
}

const fn rewritten(name: &'static str, old: &'static str, new: &'static str) -> Rule {
    Rule::new(Kind::Rewrite, name, old, new)
}

const fn report(code: &'static ErrorCode, old: &'static str, new: &'static str) -> Rule {
    Rule::with_code(Kind::Report, code, old, new)
}

/// The differences of the releases.
pub static RULES: &[Rule] = &[
    rename("namespace", "from tvm.script import tir as T", "from tvm.script import tirx as T"),
    rename(
        "blocks",
        "T.block, T.block_attr, T.alloc_buffer",
        "T.sblock, T.sblock_attr, T.sblock_alloc_buffer",
    ),
    rename(
        "operators",
        "T.ptx_mma, T.ptx_ldmatrix, T.mma_fill, T.mma_store, T.simdgroup_load",
        "T.ptx_legacy.mma, T.ptx_legacy.ldmatrix, T.cuda.mma_fill_legacy, T.cuda.mma_store_legacy, T.metal.simdgroup_load",
    ),
    rename("relax-keywords", "out_sinfo=, sinfo_args=", "out_ty=, ty_args="),
    rename("relax-names", "R.Object, R.func_ret_struct_info", "R.Any, R.func_ret_ty"),
    rename("constants", "metadata[\"relax.expr.Constant\"]", "metadata[\"ir.GenericConst\"]"),
    rewritten("attribute-keys", "\"tir.noalias\"", "\"tirx.noalias\""),
    rewritten("schedulable", "@T.prim_func with blocks", "@T.prim_func(s_tir=True)"),
    rewritten("buffer-parameters", "A = T.match_buffer(a, (n, 4))", "A: T.Buffer((\"n\", 4), \"float32\")"),
    rewritten("handles", "A = T.match_buffer(a, ..), f(a)", "f(T.reinterpret(T.handle().ty, A.data))"),
    rewritten("type-variables", "n = T.int64()", "n = TypeVar(\"n\")"),
    rewritten("flat-bindings", "with T.LetStmt(e) as v:", "v: T.let[T.int32] = e"),
    rewritten("flat-allocations", "b = T.allocate(..), B = T.Buffer(.., data=b)", "B = T.alloc_buffer(..)"),
    rewritten("views", "B = T.Buffer(.., data=A.data)", "B = T.decl_buffer(.., data=A.data)"),
    rewritten("flat-assertions", "assert c, \"m\"", "assert c, (\"RuntimeError\", [\"m\"])"),
    rewritten("attributes", "T.attr(0, \"k\", v)", "T.attr({\"k\": v})"),
    rewritten("bit-operations", "T.bitwise_and(x, 3), T.shift_left(x, 1)", "x & 3, x << 1"),
    rewritten("return", "T.ret(e)", "return e"),
    rewritten("vector-loads", "A[0:4]", "A[T.Ramp(0, 1, 4)]"),
    rewritten(
        "masks",
        "A.vload([i], predicate=m), B.vstore([i], x, predicate=m)",
        "T.masked_load(\"float32x4\", A, i, m), T.masked_store(B, x, i, m)",
    ),
    rewritten(
        "barriers",
        "T.tvm_storage_sync(\"shared\")",
        "T.tvm_storage_sync(\"shared\", T.bool(False), -1)",
    ),
    rewritten("unrolling", "annotations={\"disable_unroll\": True}", "unroll=False"),
    rewritten(
        "symbolic-arguments",
        "R.call_tir(f, (x,), .., tir_vars=R.shape([n]))",
        "R.call_tir(f, (x, n), ..)",
    ),
    rewritten(
        "devices",
        "R.memory.alloc_tensor(s, o, shape, dtype)",
        "R.memory.alloc_tensor(s, o, shape, dtype, device)",
    ),
    rewritten("scalars", "R.prim_value(n), R.Prim(\"int64\")", "n, T.int64"),
    Rule::with_code(
        Kind::Choice,
        &codes::SCHEDULABLE,
        "@T.prim_func without blocks",
        "@T.prim_func(s_tir=True)",
    ),
    Rule::with_code(Kind::Choice, &codes::PARAMETERS, "def f(x, y, n) with tir_vars", "def f(x, n, y)"),
    Rule::with_code(
        Kind::Choice,
        &codes::DEVICE,
        "R.vm.alloc_tensor(s, ..) of other storage",
        "R.vm.alloc_tensor(s, .., 0)",
    ),
    report(&codes::SIZE_VARIABLE, "n = T.int32(is_size_var=True)", "the knowledge n >= 0 is lost"),
    report(&codes::BUFFER_KIND, "axis_separators=.., buffer_type=\"auto\"", "left out"),
    report(&codes::CONDITION, "T.allocate(.., condition=c)", "the condition is left out"),
    report(&codes::CONSTANT_ARRAY, "T.allocate_const(..)", "stays"),
    report(&codes::OLD_STATEMENT, "T.realize(..), a load of a producer", "stays"),
    report(&codes::LLVM_NUMBER, "T.call_llvm_intrin(.., T.uint32(1), x)", "stays"),
    report(&codes::OPERATOR, "T.ptx_cp_async(..), T.create_barriers(..)", "stays"),
    report(&codes::KNOWN_VALUE, "R.Prim(value=e)", "the value is left out"),
    report(&codes::POINTER, "T.Select(c, p, q) of pointers", "stays"),
    report(&codes::REDUCER, "T.comm_reducer(lambda x, y: x and y, ..)", "stays"),
    report(&codes::CALLERS, "tir_vars that differ by caller", "stays"),
];

/// Rewrites a program.
///
/// # Errors
/// See [`upgrade`](crate::upgrade()).
pub fn rewrite(node: &Object, step: &Step) -> Result<Upgraded, RewriteError> {
    raise(node, step, Level::Nested, Level::Current)
}

/// Rewrites a program of one level to a later one.
pub(crate) fn raise(node: &Object, step: &Step, from: Level, to: Level) -> Result<Upgraded, RewriteError> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut node = node.clone();
    if to == Level::Current {
        node = calls::rewrite(node, &mut findings)?;
        node = devices::add(node, &mut findings)?;
    }
    let node = {
        let mut nodes = nodes::Nodes::new(&node, step, (from, to), &mut findings);
        mutate(node, &mut nodes)?
    };
    let node = scopes::rewrite(node, to, &mut findings)?;
    Ok(Upgraded { node, findings })
}
