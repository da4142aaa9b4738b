//! Operators of TIRx 0.1 beside those of TIR and of [`device`](crate::op). The type of a call is its argument `ty`,
//! which texts state where it does not follow.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
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
    /// Raises the last error of the runtime.
    throw_last_error(..typed) -> VOID, effect = Opaque;
}
