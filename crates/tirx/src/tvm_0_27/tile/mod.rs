//! Operations on tiles: `T.warp.copy(A[0:16, 0:16], B[0:16, 0:16], dispatch="tma")`.
//!
//! Such a call is a statement. The threads of its scope run it together; a pass chooses how. Operands are regions of
//! buffers, scalars, operators (`"add"`), axes, or a function of the indices.
//!
//! Upstream counterparts: `python/tvm/tirx/script/{tile,builder/tirx}.py`, `python/tvm/tirx/tile_primitive.py`.

#[cfg(feature = "build")]
#[cfg_attr(not(feature = "parse"), expect(dead_code, reason = "texts name the scopes"))]
pub(super) mod build;
#[cfg(feature = "print")]
pub(super) mod print;

use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{Array, Map, Node, Ref, Span, Str, Value};
use tvmscript_ir_macros::operators;
use tvmscript_prim::{Expr, Op, Var};
use tvmscript_tir::op::{Effect, Operator, ResultType};
use tvmscript_tir::{Buffer, Stmt};

use crate::op::VOID;

/// Runs an operation on tiles (`tirx.TilePrimitiveCall`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.TilePrimitiveCall", parent = Stmt)]
pub struct TilePrimitiveCall {
    /// Source span.
    pub span: Span,
    /// The operator, `tirx.tile.copy`.
    pub op: Ref<Op>,
    /// The operands.
    pub args: Ref<ArrayNode>,
    /// Buffers that the operation works in, by name.
    pub workspace: Map<Str, Ref<Buffer>>,
    /// Options by name.
    pub config: Map<Str, Value>,
    /// The variant that a pass has to choose.
    pub dispatch: Option<Str>,
    /// The threads that run the operation.
    pub scope: Ref<ExecScope>,
}

/// Threads that work together (`tirx.ExecScope`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.ExecScope")]
pub struct ExecScope {
    /// The number of the scope: 2 for a cluster, 3 for a CTA, 4 for a warp group, 5 for a warp, 6 for a thread.
    pub kind: i64,
}

/// A function of the indices of an element (`tirx.LambdaExpr`).
#[derive(Debug, Clone, Node)]
#[node(key = "tirx.LambdaExpr")]
pub struct LambdaExpr {
    /// The indices.
    #[node(def)]
    pub vars: Array<Ref<Var>>,
    /// The value.
    pub pred: Expr,
}

/// Start of the names of operators.
#[cfg(any(feature = "build", feature = "print"))]
const PREFIX: &str = "tirx.tile.";

/// Namespaces of the functions, and the numbers of their scopes. The first one of a scope is that of printed text.
#[cfg(any(feature = "build", feature = "print"))]
const SCOPES: &[(&str, i64)] = &[
    ("tile", THREAD),
    ("cluster", 2),
    ("cta", 3),
    ("wg", 4),
    ("warp", 5),
    ("warpgroup", 4),
    ("thread", THREAD),
];

/// The number of the innermost scope.
#[cfg(any(feature = "build", feature = "print"))]
const THREAD: i64 = 6;

operators! {
    prefix = "tirx.tile.";
    namespace = "tile";
    result = ();
    script = crate::tvm_0_27::tile::build::types;
    call = crate::tvm_0_27::tile::build::call;
    effect = Update;

    params call = (*, workspace: Workspace = None, dispatch: Option<Str> = None, **config: Expr);
    /// Sums.
    add(dst: Region, src1, src2, ..call) -> VOID;
    /// `(operand0 op0 data) op1 operand1`, or with the second operation's operands exchanged.
    binary_chain(output: Region, data: Region, operand0, operand1, op0: Op, op1: Op, reverse1: bool = false, ..call)
        -> VOID;
    /// Applies an operation to two tiles, and reduces its result.
    binary_reduce(
        binary_output: Region, reduce_output: Region, binary_input1, binary_input2, binary_op: Op, reduce_op: Op,
        reduce_axes: Axes = -1, ..call
    ) -> VOID;
    /// Converts to the type of the destination.
    cast(dst: Region, src: Region = None, ..call) -> VOID;
    /// Copies a tile.
    copy(dst: Region, src: Region = None, ..call) -> VOID;
    /// Starts the copy of a tile.
    copy_async(dst: Region, src: Region = None, ..call) -> VOID;
    /// Exponentials of `src * scale + bias`.
    exp(dst: Region, src: Region = None, bias = None, scale = None, ..call) -> VOID;
    /// Powers of two, of `src * scale + bias`.
    exp2(dst: Region, src: Region = None, bias = None, scale = None, ..call) -> VOID;
    /// Quotients.
    fdiv(dst: Region, src1: Region, src2, ..call) -> VOID;
    /// Sets all elements to a value.
    fill(dst: Region, value, ..call) -> VOID;
    /// `src * scale + bias`.
    fma(dst: Region, src: Region, scale, bias, ..call) -> VOID;
    /// `D = alpha * A @ B + beta * C`.
    gemm(
        D: Region, A: Region, B: Region, C: Region, transpose_A: bool = false, transpose_B: bool = false,
        alpha = 1.0, beta = 0.0, ..call
    ) -> VOID;
    /// Starts a multiplication `C = A @ B`, which adds to `C` if `accum` holds. `SFA` and `SFB` are scales.
    gemm_async(
        C: Region, A: Region, B: Region, SFA: Region = None, SFB: Region = None, transA: bool = false,
        transB: bool = false, accum: bool = false, ..call
    ) -> VOID;
    /// Binary logarithms of `src * scale + bias`.
    log2(dst: Region, src: Region = None, bias = None, scale = None, ..call) -> VOID;
    /// Maxima along axes.
    max(dst: Region, src: Region, axes: Axes = -1, accum: bool = false, ..call) -> VOID;
    /// Larger elements of two tiles.
    maximum(dst: Region, src1, src2, ..call) -> VOID;
    /// Sets all elements to a value.
    memset(dst: Region, value, ..call) -> VOID;
    /// Minima along axes.
    min(dst: Region, src: Region, axes: Axes = -1, accum: bool = false, ..call) -> VOID;
    /// Smaller elements of two tiles.
    minimum(dst: Region, src1, src2, ..call) -> VOID;
    /// Products.
    mul(dst: Region, src1, src2, ..call) -> VOID;
    /// Copies a tile to another layout.
    permute_layout(dst: Region, src: Region = None, ..call) -> VOID;
    /// Reciprocals.
    reciprocal(dst: Region, src: Region = None, ..call) -> VOID;
    /// The negated result of a reduction along axes.
    reduce_negate(
        output: Region, input: Region, reduce_op: Op, reduce_axes: Axes = -1, accum: bool = false, ..call
    ) -> VOID;
    /// Elements of one tile or another, by a function of the indices.
    select(dst: Region, true_value, false_value, pred: Predicate) -> VOID;
    /// `x * sigmoid(x)`.
    silu(dst: Region, src: Region = None, ..call) -> VOID;
    /// Square roots of `src * scale + bias`.
    sqrt(dst: Region, src: Region = None, bias = None, scale = None, ..call) -> VOID;
    /// Differences.
    sub(dst: Region, src1, src2, ..call) -> VOID;
    /// Sums along axes.
    sum(dst: Region, src: Region, axes: Axes = -1, accum: bool = false, ..call) -> VOID;
    /// Applies an operation to a tile, and reduces its result.
    unary_reduce(
        unary_output: Region, reduce_output: Region, unary_input: Region, unary_op: Op, reduce_op: Op, bias = None,
        scale = None, reduce_axes: Axes = -1, ..call
    ) -> VOID;
    /// Sets all elements to zero.
    zero(dst: Region, src: Region = None, ..call) -> VOID;
}
