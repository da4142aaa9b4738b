//! Instructions of Trainium, `T.nki.load(..)`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::VOID;

operators! {
    prefix = "tirx.nki.";
    namespace = "nki";
    result = Expr;
    script = crate::op::types;
    call = crate::op::device::call;
    effect = Update;

    /// Applies a function such as `"exp"` to `data * scale + bias`.
    activation(result, data, opcode, bias, scale) -> VOID;
    /// [`activation`], and reduces its result.
    activation_reduce(reduce_res, act_res, data, opcode, reduce_opcode, bias, scale) -> VOID;
    /// Elements of one tile or another, by an affine condition.
    affine_select(result, pred, true_value, false_value) -> VOID;
    /// Writes the unit matrix.
    identity(result, size) -> VOID;
    /// Loads a tile from memory.
    load(res, data) -> VOID;
    /// Multiplies matrices; adds the product if `accum` holds.
    matmul(res, lhs, rhs, accum = true) -> VOID;
    /// Sets the elements of a tile to a value.
    memset(result, value) -> VOID;
    /// Reciprocals.
    reciprocal(result, data) -> VOID;
    /// Applies an operation with a scalar, then another one with a scalar.
    scalar_tensor_scalar(
        result, data, operand0, operand1, opcode0, opcode1, reverse0 = false, reverse1 = false
    ) -> VOID;
    /// Applies an operation with a scalar, then another one with a tile.
    scalar_tensor_tensor(
        result, data, operand0, operand1, opcode0, opcode1, reverse0 = false, reverse1 = false
    ) -> VOID;
    /// Stores a tile in memory.
    store(res, data) -> VOID;
    /// Copies a tile.
    tensor_copy(res, data) -> VOID;
    /// Reduces a tile along axes.
    tensorreduce(result, data, opcode, negate, *axes) -> VOID;
    /// Applies an operation to a tile and a scalar.
    tensorscalar(result, operand0, operand1, opcode, reverse = false) -> VOID;
    /// [`tensorscalar`], and reduces its result.
    tensorscalar_reduce(
        reduce_res, tensorscalar_res, operand0, operand1, opcode, reduce_opcode, reverse = false
    ) -> VOID;
    /// Applies an operation to two tiles.
    tensortensor(result, operand0, operand1, opcode) -> VOID;
}
