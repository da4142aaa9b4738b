//! Operators of TIRx 0.1 beside those of TIR and of [`device`](crate::op). The type of a call is its argument `ty`,
//! which texts state where it does not follow.

mod cuda;
mod metal;
mod nvshmem;

use tvmscript_ir_core::{Array, DataType};
use tvmscript_ir_macros::operators;
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, PrimExprExt as _};
use tvmscript_tir::op::{Effect, Operator, ResultType};

use crate::op::{BOOL, HANDLE, INT32, VOID};

operators! {
    prefix = "tirx.";
    result = Expr;
    script = crate::op::types;
    call = crate::tirx_0_1::build::call_entry;
    effect = Update;

    params typed = (*, ty: DataType = None);
    /// A field of an argument of the packed interface, by its number.
    abi_field_get(arr, index, field, *, ty: DataType) -> ty, effect = Read;
    /// Sets a field of an argument of the packed interface.
    abi_field_set(arr, index, field, value, ..typed) -> INT32;
    /// Allocates temporary memory on a device.
    alloc_workspace(device_type, device_id, nbytes, dtype_code_hint, dtype_bits_hint, ..typed)
        -> HANDLE, effect = Opaque;
    /// States that the memory of a tensor is aligned.
    assume_aligned(tensor, alignment_bytes, ..typed) -> VOID, effect = Opaque;
    /// A condition that the compiler may rely on everywhere.
    assume_always(predicate, ..typed) -> VOID;
    /// Adds a value to an element, atomically; its value is the previous one.
    atomic_add(dst, value, ..typed) -> same_as(dst);
    /// Launches a kernel by its name, with its arguments and then the values of the launch, which `launch_params`
    /// names.
    call_ffi_kernel(*args, *, launch_params: Option<Vec<Str>> = None, ty: DataType = None) -> INT32;
    /// Waits for all threads of a parallel loop on the host.
    cpu_parallel_barrier(..typed) -> VOID;
    /// Releases temporary memory of a device.
    free_workspace(device_type, device_id, ptr, ..typed) -> INT32, effect = Opaque;
    /// Dot product of four integers of 8 bits each, packed in 32 bits, plus `acc`.
    gpu_dp4a(vec1, vec2, acc = 0, ..typed) -> same_as(acc), effect = Pure;
    /// The index of the thread that the predicate selects.
    gpu_active_thread_selector(var, pred, ..typed) -> same_as(var);
    /// Tests whether the thread with this index is selected by the predicate.
    gpu_thread_filter(var, pred, ..typed) -> BOOL;
    /// The value of the lane whose index differs by the bits of `lane_mask`.
    gpu_warp_shuffle_xor(mask, value, lane_mask, width, warp_size, ..typed) -> same_as(value);
    /// The place at which a kernel is put in.
    kernel_replace_point(..typed) -> VOID;
    /// A pointer moved by bytes.
    ptr_byte_offset(data, byte_offset, *, ty: DataType) -> ty, effect = Pure;
    /// Allocates memory of a scope, by the number of dimensions and the shape.
    nd_mem_alloc_with_scope(storage_scope, rank, shape, *extents, ..typed)
        -> VOID, name = "tirx.opencl.nd_mem_alloc_with_scope", text = "opencl.nd_mem_alloc_with_scope";
    /// Loads from a texture.
    texture2d_load(*args, ..typed) -> VOID, name = "tirx.opencl.texture2d_load", text = "opencl.texture2d_load";
    /// Stores in a texture.
    texture2d_store(*args, ..typed) -> VOID, name = "tirx.opencl.texture2d_store", text = "opencl.texture2d_store";
    /// Loads matrices from shared memory.
    ldmatrix(trans, num, dtype_name, local_ptr, local_offset, smem_ptr, smem_offset, ..typed)
        -> VOID, name = "tirx.ptx_legacy.ldmatrix", text = "ptx_legacy.ldmatrix";
    /// `C = A @ B + C` on the registers of a warp.
    mma(
        shape, a_layout, b_layout, a_dtype, b_dtype, c_dtype, a_ptr, a_offset, b_ptr, b_offset, acc_ptr, c_offset,
        saturate, operator = None, ..typed
    ) -> VOID, name = "tirx.ptx_legacy.mma", text = "ptx_legacy.mma";
    /// Starts a copy from global to shared memory, as a pass writes it.
    cp_async_raw(*args, ..typed) -> VOID, name = "tirx.s_tir.cp_async_raw", text = "s_tir.cp_async_raw";
    /// A handle that stays for all calls of the function.
    static_handle(*args, ..typed) -> VOID, effect = Special;
    /// The two vectors as one.
    vector_combine(vec1, vec2, ..typed) -> VOID = combined, effect = Pure;
    /// The upper half of a vector.
    vector_high(vec, ..typed) -> VOID = upper, effect = Pure;
    /// The lower half of a vector.
    vector_low(vec, ..typed) -> VOID = lower, effect = Pure;
    /// Raises the last error of the runtime.
    throw_last_error(..typed) -> VOID, effect = Opaque;
}

/// A call whose type has so many lanes more or fewer than the first operand.
fn of_lanes(
    operator: &Operator,
    args: &Array<Expr>,
    lanes: impl Fn(i16) -> Option<i16>,
) -> Option<PrimResult<Expr>> {
    let dtype = args.first()?.dtype();
    let dtype = dtype.with_lanes(lanes(dtype.lanes)?);
    Some(Ok(operator.call(dtype, args.iter().cloned())))
}

fn combined(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    of_lanes(&VECTOR_COMBINE, args, |lanes| lanes.checked_mul(2))
}

fn upper(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    of_lanes(&VECTOR_HIGH, args, |lanes| Some(lanes / 2))
}

fn lower(_: DataType, args: &Array<Expr>) -> Option<PrimResult<Expr>> {
    of_lanes(&VECTOR_LOW, args, |lanes| Some(lanes / 2))
}

/// The families of the release.
pub(crate) static FAMILIES: &[&[&Operator]] =
    &[OPERATORS, cuda::OPERATORS, metal::OPERATORS, nvshmem::OPERATORS];
