//! Operators of Metal, `T.metal.simdgroup_load(..)`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::VOID;

operators! {
    prefix = "tirx.metal.";
    namespace = "metal";
    result = Expr;
    script = crate::op::types;
    call = crate::tirx_0_1::build::call_entry;
    effect = Update;

    params typed = (*, ty: DataType = None);
    /// Fills a cooperative tensor with a value.
    cooperative_tensor_fill(d, index, value, rows, cols, ..typed) -> VOID;
    /// Loads a cooperative tensor from memory.
    cooperative_tensor_load(
        d, index, ptr, stride, rows, cols, transpose_matrix = false, mma_M = 0, mma_N = 0, mma_K = 0, operand_role = 0,
        ..typed
    ) -> VOID;
    /// `D = A @ B + C` on cooperative tensors.
    cooperative_tensor_multiply_accumulate(
        d, index_d, a, index_a, b, index_b, c, index_c, M, N, K, transpose_a = false, transpose_b = false, ..typed
    ) -> VOID;
    /// Stores a cooperative tensor in memory.
    cooperative_tensor_store(
        d, index, ptr, stride, rows, cols, transpose_matrix = false, mma_M = 0, mma_N = 0, mma_K = 0, operand_role = 0,
        ..typed
    ) -> VOID;
    /// Sets all elements of a matrix to a value.
    make_filled_simdgroup_matrix(d, index, value, col = 8, row = 8, ..typed) -> VOID;
    /// Loads a matrix from memory.
    simdgroup_load(d, index, ptr, stride, col = 8, row = 8, transpose_matrix = false, ..typed) -> VOID;
    /// `D = A @ B + C` on matrices.
    simdgroup_multiply_accumulate(d, index_d, a, index_a, b, index_b, c, index_c, ..typed) -> VOID;
    /// Stores a matrix in memory.
    simdgroup_store(d, index, ptr, stride, col = 8, row = 8, transpose_matrix = false, ..typed) -> VOID;
}
