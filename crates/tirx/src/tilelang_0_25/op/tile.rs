//! Operators on tiles, until they are lowered: their operands are regions, and keywords are annotations of the call.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

use super::HANDLE;

operators! {
    prefix = "tl.tileop.";
    result = Expr;
    script = crate::op::types;
    call = crate::tilelang_0_25::op::call;
    effect = Update;

    /// Copies a tile with the data movers of Ascend.
    ascend_copy(src, dst, **annotations) -> HANDLE;
    /// Copies a tile asynchronously.
    async_copy(src, dst, **annotations) -> HANDLE;
    /// Adds a value or a tile to a tile in memory, atomically.
    atomicadd(value, dst, **annotations) -> HANDLE;
    /// Replaces the elements of a tile by larger ones of a value or a tile, atomically.
    atomicmax(value, dst, **annotations) -> HANDLE;
    /// Replaces the elements of a tile by smaller ones of a value or a tile, atomically.
    atomicmin(value, dst, **annotations) -> HANDLE;
    /// Copies the patches of an image that a step of a convolution reads, as [`im2col`] does.
    c2d_im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad, **annotations) -> HANDLE;
    /// Copies a tile.
    copy(src, dst, **annotations) -> HANDLE;
    /// Running maximum of a tile along a dimension.
    cummax(src, dst, dim, reverse, **annotations) -> HANDLE;
    /// Running sum of a tile along a dimension.
    cumsum(src, dst, dim, reverse, **annotations) -> HANDLE;
    /// Sets the elements of a tile to a value.
    fill(dst, value, **annotations) -> HANDLE;
    /// Completes a reduction that is spread over threads; `steps` are pairs of a number of threads and a scale.
    finalize_reducer(reducer, op = None, *steps, **annotations) -> HANDLE;
    /// Completes a reduction that is spread over threads, into another tile.
    finalize_reducer_v2(reducer, dst, **annotations) -> HANDLE;
    /// Multiplies two tiles and adds the product to a third one, or stores it if `clear_accum` holds.
    gemm(A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, mbar, C_row, C_col, **annotations) -> HANDLE;
    /// [`gemm`] of tiles whose blocks have scales of their own.
    gemm_blockscaled(
        A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, mbar, C_row, C_col, scale_A, scale_B,
        scale_start, **annotations
    ) -> HANDLE;
    /// [`gemm`] with a sparse first tile, whose metadata is `E`.
    gemm_sp(A, E, B, C, transpose_A, transpose_E, transpose_B, M, N, K, policy, clear_accum, *args, **annotations)
        -> HANDLE;
    /// Copies the patches of an image that a step of a convolution reads, as columns of a matrix.
    im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad, **annotations) -> HANDLE;
    /// Reduces a tile along a dimension by a kind such as `"max"`; starts anew if `clear` holds.
    reduce(src, dst, kind, dim, clear, **annotations) -> HANDLE;
    /// Starts a reduction, from the neutral element or a value.
    reducer_init(reducer, init = None) -> HANDLE;
    /// [`gemm`] on the fifth generation of tensor cores.
    tcgen05_gemm(A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, mbar, C_row, C_col, **annotations)
        -> HANDLE;
    /// [`gemm_blockscaled`] on the fifth generation of tensor cores.
    tcgen05_gemm_blockscaled(
        A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, mbar, C_row, C_col, scale_A, scale_B,
        scale_start, **annotations
    ) -> HANDLE;
    /// [`gemm_sp`] on the fifth generation of tensor cores.
    tcgen05_gemm_sp(A, E, B, C, transpose_A, transpose_E, transpose_B, M, N, K, policy, clear_accum, *args, **annotations)
        -> HANDLE;
    /// Copies a tile with the tensor memory accelerator.
    tma_copy(src, dst, **annotations) -> HANDLE;
    /// Transposes a tile into another one.
    transpose(src, dst, **annotations) -> HANDLE;
    /// [`gemm`] by the instructions of a warp group.
    wgmma_gemm(A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, mbar, C_row, C_col, **annotations)
        -> HANDLE;
    /// [`gemm_sp`] by the instructions of a warp group.
    wgmma_gemm_sp(A, E, B, C, transpose_A, transpose_E, transpose_B, M, N, K, policy, clear_accum, *args, **annotations)
        -> HANDLE;
}
