//! The registered operators of TIR: how each is printed, where its type stands among the arguments, and what it does.
//!
//! One line an operator: reading, printing, binding of keywords and purity follow from it. An operator without a line prints
//! under its full name and may do anything. Functions that fold or convert have a line in [`super::function_table`] as well.
//!
//! Upstream counterparts: `src/tir/op/builtin.cc`, `src/tir/op/op.cc`, and the exports of
//! `python/tvm/script/ir_builder/tir/ir.py`, parameters and types from `python/tvm/tir/op.py`.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{BaseExpr, Op};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Ref};

/// Where a call's type comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeFrom {
    /// The text gives it as the first argument, `dtype`.
    First,
    /// The text gives it as the last argument, `dtype`.
    Last,
    /// It is that of an argument.
    SameAs(usize),
    /// It is always this one.
    Fixed(DataType),
}

/// What a call may do, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A mark on its argument.
    Annotation,
    /// The value depends on the arguments alone.
    Pure,
    /// Reads state.
    Read,
    /// Changes state.
    Update,
    /// Anything.
    Opaque,
    /// An argument of a special kind of another call.
    Special,
    /// Information for the compiler, embedded in the code.
    Embed,
    /// Leaves the place it stands at.
    Jump,
    /// Not recorded upstream.
    Unknown,
}

/// What is known of one operator.
#[derive(Debug, Clone, Copy)]
pub struct OpEntry {
    /// The full name, such as `tir.exp`.
    pub name: &'static str,
    /// The name after `T.` in text; the full name where TVM has none.
    pub printed: &'static str,
    /// The parameters of the script function as Python writes them. A default of `None` is left out of the call; `*args`
    /// are any others, and all there is known of a function that TVM does not have.
    pub params: &'static str,
    /// Where the call's type comes from.
    pub dtype: TypeFrom,
    /// What a call may do.
    pub effect: Effect,
    /// Whether TVM's script language has a function of the printed name.
    pub exported: bool,
}

/// How many operands a script function makes a call of, the type not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandCounts {
    /// No fewer.
    pub least: usize,
    /// No more.
    pub most: usize,
}

impl OperandCounts {
    /// Whether a call of so many operands can be made.
    pub fn contains(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

impl OpEntry {
    /// How many operands the script function makes a call of.
    pub fn operand_counts(&self) -> OperandCounts {
        let operands =
            || self.params.split(", ").filter(|p| !p.is_empty() && *p != "dtype" && !p.starts_with('*'));
        let least = operands().filter(|p| !p.ends_with("=None")).count();
        let most = if self.params.contains('*') { usize::MAX } else { operands().count() };
        OperandCounts { least, most }
    }
}

use Effect::{Annotation, Embed, Jump, Opaque, Pure, Read, Special, Unknown, Update};
use TypeFrom::{First, Fixed as Is, Last, SameAs as Same};

const BOOL: DataType = DataType::BOOL;
const I32: DataType = DataType::INT32;
const U32: DataType = DataType::uint(32);
const U64: DataType = DataType::uint(64);
const HANDLE: DataType = DataType::HANDLE;
const VOID: DataType = DataType::VOID;

const fn exported(
    name: &'static str,
    printed: &'static str,
    params: &'static str,
    dtype: TypeFrom,
    effect: Effect,
) -> OpEntry {
    OpEntry { name, printed, params, dtype, effect, exported: true }
}

const fn hidden(
    name: &'static str,
    printed: &'static str,
    params: &'static str,
    dtype: TypeFrom,
    effect: Effect,
) -> OpEntry {
    OpEntry { name, printed, params, dtype, effect, exported: false }
}

/// All registered operators, by name.
#[rustfmt::skip]
pub static OPS: &[OpEntry] = &[
    exported("tir.TVMBackendAllocWorkspace", "TVMBackendAllocWorkspace", "device_type, device_id, nbytes, dtype_code_hint, dtype_bits_hint", Is(HANDLE), Opaque),
    hidden("tir.TVMBackendAnyListMoveFromPackedReturn", "tir.TVMBackendAnyListMoveFromPackedReturn", "*args", Same(0), Update),
    hidden("tir.TVMBackendAnyListSetPackedArg", "tir.TVMBackendAnyListSetPackedArg", "*args", Same(0), Update),
    exported("tir.TVMBackendFreeWorkspace", "TVMBackendFreeWorkspace", "device_type, device_id, ptr", Is(I32), Opaque),
    exported("tir.acos", "acos", "x", Same(0), Pure),
    exported("tir.acosh", "acosh", "x", Same(0), Pure),
    exported("tir.address_of", "address_of", "obj", Is(HANDLE), Pure),
    exported("tir.anylist_getitem", "anylist_getitem", "list_handle, index", Is(HANDLE), Read),
    exported("tir.anylist_resetitem", "anylist_resetitem", "list_handle, index", Is(I32), Opaque),
    exported("tir.anylist_setitem_call_cpacked", "anylist_setitem_call_cpacked", "list_handle, index, func_name, *args", Is(I32), Opaque),
    exported("tir.anylist_setitem_call_packed", "anylist_setitem_call_packed", "list_handle, index, func_name, *args", Is(I32), Opaque),
    exported("tir.asin", "asin", "x", Same(0), Pure),
    exported("tir.asinh", "asinh", "x", Same(0), Pure),
    exported("tir.assume", "assume", "cond", Is(BOOL), Embed),
    exported("tir.atan", "atan", "x", Same(0), Pure),
    exported("tir.atan2", "atan2", "x1, x2", Same(0), Pure),
    exported("tir.atanh", "atanh", "x", Same(0), Pure),
    hidden("tir.atomic_add", "atomic_add", "*args", Same(0), Opaque),
    exported("tir.bitwise_and", "bitwise_and", "x, y", Same(0), Pure),
    exported("tir.bitwise_not", "bitwise_not", "x", Same(0), Pure),
    exported("tir.bitwise_or", "bitwise_or", "x, y", Same(0), Pure),
    exported("tir.bitwise_xor", "bitwise_xor", "x, y", Same(0), Pure),
    exported("tir.break_loop", "break_loop", "", Is(VOID), Jump),
    exported("tir.call_extern", "call_extern", "dtype, func_name, *args", First, Opaque),
    exported("tir.call_llvm_intrin", "call_llvm_intrin", "dtype, name, *args", First, Opaque),
    exported("tir.call_llvm_pure_intrin", "call_llvm_pure_intrin", "dtype, name, *args", First, Pure),
    exported("tir.call_pure_extern", "call_pure_extern", "dtype, func_name, *args", First, Pure),
    hidden("tir.call_spirv_pure_glsl450", "call_spirv_pure_glsl450", "*args", Same(0), Pure),
    exported("tir.ceil", "ceil", "x", Same(0), Pure),
    exported("tir.clz", "clz", "x", Is(I32), Pure),
    exported("tir.continue_loop", "continue_loop", "", Is(VOID), Jump),
    exported("tir.copysign", "copysign", "x1, x2", Same(0), Pure),
    exported("tir.cos", "cos", "x", Same(0), Pure),
    exported("tir.cosh", "cosh", "x", Same(0), Pure),
    exported("tir.create_barriers", "create_barriers", "barrier_count", Is(VOID), Opaque),
    hidden("tir.dma_copy", "dma_copy", "*args", Is(I32), Opaque),
    hidden("tir.dma_end_group", "dma_end_group", "*args", Is(I32), Opaque),
    hidden("tir.dma_start_group", "dma_start_group", "*args", Is(I32), Opaque),
    hidden("tir.dma_wait", "dma_wait", "*args", Is(I32), Opaque),
    exported("tir.dp4a", "dp4a", "vec1, vec2, acc=0", First, Pure),
    exported("tir.end_profile_intrinsic", "end_profile_intrinsic", "id", Is(HANDLE), Pure),
    exported("tir.erf", "erf", "x", Same(0), Pure),
    exported("tir.exp", "exp", "x", Same(0), Pure),
    exported("tir.exp10", "exp10", "x", Same(0), Pure),
    exported("tir.exp2", "exp2", "x", Same(0), Pure),
    exported("tir.fabs", "fabs", "x", Same(0), Pure),
    exported("tir.floor", "floor", "x", Same(0), Pure),
    hidden("tir.fma", "fma", "*args", Same(0), Pure),
    exported("tir.fmod", "fmod", "x, y", Same(0), Pure),
    exported("tir.get_active_lane_mask", "get_active_lane_mask", "dtype, base, limit", First, Pure),
    exported("tir.handle_add_byte_offset", "handle_add_byte_offset", "handle, offset", Is(HANDLE), Pure),
    exported("tir.hypot", "hypot", "x1, x2", Same(0), Pure),
    exported("tir.if_then_else", "if_then_else", "cond, t, f", Same(0), Pure),
    exported("tir.ignore_loop_partition", "ignore_loop_partition", "predicate", Is(BOOL), Pure),
    hidden("tir.isfinite", "tir.isfinite", "*args", Is(BOOL), Unknown),
    hidden("tir.isinf", "tir.isinf", "*args", Is(BOOL), Unknown),
    exported("tir.isnan", "isnan", "x", Is(BOOL), Pure),
    exported("tir.isnullptr", "isnullptr", "x", Is(BOOL), Pure),
    hidden("tir.large_uint_imm", "large_uint_imm", "*args", Is(U64), Pure),
    exported("tir.ldexp", "ldexp", "x1, x2", Same(0), Pure),
    exported("tir.likely", "likely", "cond", Same(0), Annotation),
    exported("tir.log", "log", "x", Same(0), Pure),
    exported("tir.log10", "log10", "x", Same(0), Pure),
    exported("tir.log1p", "log1p", "x", Same(0), Pure),
    exported("tir.log2", "log2", "x", Same(0), Pure),
    exported("tir.lookup_param", "lookup_param", "param_name", Is(HANDLE), Update),
    exported("tir.make_filled_simdgroup_matrix", "make_filled_simdgroup_matrix", "d, index, value, col=8, row=8", Is(HANDLE), Opaque),
    exported("tir.mma_fill", "mma_fill", "dtype, local_size, local_ptr, offset", First, Opaque),
    exported("tir.mma_store", "mma_store", "dtype, m, n, dst_ptr, src_ptr, src_offset, dst_stride", First, Opaque),
    hidden("tir.nd_mem_alloc_with_scope", "nd_mem_alloc_with_scope", "*args", Is(HANDLE), Opaque),
    exported("tir.nearbyint", "nearbyint", "x", Same(0), Pure),
    exported("tir.nextafter", "nextafter", "x1, x2", Same(0), Pure),
    exported("tir.popcount", "popcount", "x", Same(0), Pure),
    exported("tir.pow", "pow", "x, y", Same(0), Pure),
    hidden("tir.prefetch", "prefetch", "*args", Is(I32), Opaque),
    exported("tir.ptx_arrive_barrier", "ptx_arrive_barrier", "barrier_id", Is(VOID), Opaque),
    exported("tir.ptx_arrive_barrier_expect_tx", "ptx_arrive_barrier_expect_tx", "barrier_id, byte_count", Is(VOID), Opaque),
    exported("tir.ptx_commit_group", "ptx_commit_group", "", Is(VOID), Opaque),
    exported("tir.ptx_cp_async", "ptx_cp_async", "dtype, shared_ptr, shared_offset, global_ptr, global_offset, bytes", First, Opaque),
    exported("tir.ptx_cp_async_barrier", "ptx_cp_async_barrier", "barrier_id", Is(VOID), Opaque),
    exported("tir.ptx_cp_async_bulk", "ptx_cp_async_bulk", "dtype, shared_ptr, shared_offset, global_ptr, global_offset, bytes, barrier_id", First, Opaque),
    exported("tir.ptx_init_barrier_thread_count", "ptx_init_barrier_thread_count", "barrier_id, thread_count", Is(VOID), Opaque),
    hidden("tir.ptx_ldg32", "ptx_ldg32", "*args", Is(VOID), Pure),
    exported("tir.ptx_ldmatrix", "ptx_ldmatrix", "dtype, trans, num, type, local_ptr, local_offset, smem_ptr, smem_offset", First, Opaque),
    exported("tir.ptx_mma", "ptx_mma", "dtype, shape, A_layout, B_layout, A_dtype, B_dtype, C_dtype, multiplicand_a, a_index, multiplicand_b, b_index, accumulator, c_index, saturate, operator=None", First, Opaque),
    exported("tir.ptx_mma_sp", "ptx_mma_sp", "dtype, shape, A_layout, B_layout, A_dtype, B_dtype, C_dtype, multiplicand_a, a_index, multiplicand_b, b_index, accumulator, c_index, metadata, meta_index, sparse_selector, saturate", First, Opaque),
    exported("tir.ptx_wait_barrier", "ptx_wait_barrier", "barrier_id", Is(VOID), Opaque),
    exported("tir.ptx_wait_group", "ptx_wait_group", "num", Is(VOID), Opaque),
    exported("tir.q_multiply_shift", "q_multiply_shift", "x, y, q, s", Is(I32), Pure),
    exported("tir.q_multiply_shift_per_axis", "q_multiply_shift_per_axis", "x, y, ls, rs, q, is_lshift_required, is_rshift_required", Is(I32), Pure),
    exported("tir.reinterpret", "reinterpret", "dtype, value", First, Pure),
    exported("tir.ret", "ret", "val", Same(0), Jump),
    exported("tir.round", "round", "x", Same(0), Pure),
    exported("tir.rsqrt", "rsqrt", "x", Same(0), Pure),
    exported("tir.shift_left", "shift_left", "x, y", Same(0), Pure),
    exported("tir.shift_right", "shift_right", "x, y", Same(0), Pure),
    exported("tir.sigmoid", "sigmoid", "x", Same(0), Pure),
    exported("tir.simdgroup_load", "simdgroup_load", "d, index, ptr, stride, col=8, row=8, transpose_matrix=False", Is(HANDLE), Opaque),
    exported("tir.simdgroup_multiply_accumulate", "simdgroup_multiply_accumulate", "d, index_d, a, index_a, b, index_b, c, index_c", Is(HANDLE), Opaque),
    exported("tir.simdgroup_store", "simdgroup_store", "d, index, ptr, stride, col=8, row=8, transpose_matrix=False", Is(HANDLE), Opaque),
    exported("tir.sin", "sin", "x", Same(0), Pure),
    exported("tir.sinh", "sinh", "x", Same(0), Pure),
    exported("tir.sqrt", "sqrt", "x", Same(0), Pure),
    exported("tir.start_profile_intrinsic", "start_profile_intrinsic", "id", Is(HANDLE), Pure),
    exported("tir.tan", "tan", "x", Same(0), Pure),
    exported("tir.tanh", "tanh", "x", Same(0), Pure),
    hidden("tir.texture2d_load", "texture2d_load", "*args", Same(0), Opaque),
    hidden("tir.texture2d_store", "texture2d_store", "*args", Is(VOID), Opaque),
    exported("tir.thread_return", "thread_return", "", Is(VOID), Jump),
    exported("tir.trunc", "trunc", "x", Same(0), Pure),
    exported("tir.tvm_access_ptr", "tvm_access_ptr", "ptype, data, offset, extent, rw_mask", Is(HANDLE), Special),
    exported("tir.tvm_bmma_sync", "tvm_bmma_sync", "fragment_d, index_d, fragment_a, index_a, fragment_b, index_b, fragment_c, index_c", Is(HANDLE), Opaque),
    exported("tir.tvm_call_cpacked", "call_cpacked", "*args", Is(I32), Opaque),
    exported("tir.tvm_call_cpacked_lowered", "call_cpacked_lowered", "*args", Is(I32), Opaque),
    exported("tir.tvm_call_packed", "call_packed", "*args", Is(I32), Opaque),
    exported("tir.tvm_call_packed_lowered", "call_packed_lowered", "*args", Is(I32), Opaque),
    hidden("tir.tvm_call_trace_packed", "tvm_call_trace_packed", "*args", Is(I32), Opaque),
    hidden("tir.tvm_call_trace_packed_lowered", "tvm_call_trace_packed_lowered", "*args", Is(I32), Opaque),
    hidden("tir.tvm_context_id", "tvm_context_id", "*args", Is(HANDLE), Read),
    hidden("tir.tvm_check_return", "tvm_check_return", "expected, return_unexpected, nested_call", Same(2), Pure),
    exported("tir.tvm_fill_fragment", "tvm_fill_fragment", "fragment, m, n, k, index, value", Is(HANDLE), Opaque),
    hidden("tir.tvm_global_barrier_kinit", "tvm_global_barrier_kinit", "*args", Is(I32), Opaque),
    exported("tir.tvm_load_matrix_sync", "tvm_load_matrix_sync", "fragment, m, n, k, index, buffer_ptr, stride, layout", Is(HANDLE), Read),
    exported("tir.tvm_mma_sync", "tvm_mma_sync", "fragment_d, index_d, fragment_a, index_a, fragment_b, index_b, fragment_c, index_c", Is(HANDLE), Opaque),
    exported("tir.tvm_stack_alloca", "tvm_stack_alloca", "dtype_str, num", Is(HANDLE), Opaque),
    exported("tir.tvm_stack_make_array", "tvm_stack_make_array", "data, shape, strides, ndim, arr_dtype, elem_offset", Is(HANDLE), Opaque),
    exported("tir.tvm_stack_make_shape", "tvm_stack_make_shape", "*args", Is(HANDLE), Opaque),
    hidden("tir.tvm_static_handle", "tvm_static_handle", "*args", Is(HANDLE), Special),
    exported("tir.tvm_storage_sync", "tvm_storage_sync", "storage_scope", Is(I32), Opaque),
    exported("tir.tvm_store_matrix_sync", "tvm_store_matrix_sync", "fragment, m, n, k, index, buffer_ptr, stride, layout", Is(HANDLE), Opaque),
    exported("tir.tvm_struct_get", "tvm_struct_get", "arr, index, field, dtype", Last, Read),
    exported("tir.tvm_struct_set", "tvm_struct_set", "arr, index, field, value", Is(I32), Update),
    exported("tir.tvm_thread_allreduce", "tvm_thread_allreduce", "*freduce_args", Is(HANDLE), Opaque),
    hidden("tir.tvm_thread_context", "tvm_thread_context", "*args", Is(HANDLE), Opaque),
    exported("tir.tvm_thread_invariant", "tvm_thread_invariant", "cond", Same(0), Pure),
    exported("tir.tvm_throw_last_error", "tvm_throw_last_error", "", Is(HANDLE), Opaque),
    exported("tir.tvm_tuple", "tvm_tuple", "*value", Is(HANDLE), Embed),
    exported("tir.tvm_warp_activemask", "tvm_warp_activemask", "", Is(U32), Opaque),
    exported("tir.tvm_warp_shuffle", "tvm_warp_shuffle", "mask, value, warp_id, width, warp_size", Same(1), Opaque),
    exported("tir.tvm_warp_shuffle_down", "tvm_warp_shuffle_down", "mask, value, offset, width, warp_size", Same(1), Opaque),
    exported("tir.tvm_warp_shuffle_up", "tvm_warp_shuffle_up", "mask, value, offset, width, warp_size", Same(1), Opaque),
    exported("tir.type_annotation", "type_annotation", "dtype", First, Pure),
    exported("tir.undef", "undef", "", Is(I32), Read),
    exported("tir.vectorcombine", "vectorcombine", "dtype, vec1, vec2", First, Pure),
    exported("tir.vectorhigh", "vectorhigh", "dtype, vec", First, Pure),
    exported("tir.vectorlow", "vectorlow", "dtype, vec", First, Pure),
    exported("tir.vscale", "vscale", "", Is(I32), Pure),
    hidden("tir.cuda.__activemask", "tir.cuda.__activemask", "*args", Is(U32), Pure),
    hidden("tir.cuda.__shfl_down_sync", "tir.cuda.__shfl_down_sync", "*args", Same(1), Opaque),
    hidden("tir.cuda.__shfl_sync", "tir.cuda.__shfl_sync", "*args", Same(1), Opaque),
    hidden("tir.cuda.__shfl_up_sync", "tir.cuda.__shfl_up_sync", "*args", Same(1), Opaque),
    hidden("tir.metal.simd_shuffle", "tir.metal.simd_shuffle", "*args", Same(0), Opaque),
    hidden("tir.metal.simd_shuffle_down", "tir.metal.simd_shuffle_down", "*args", Same(0), Opaque),
    hidden("tir.metal.simd_shuffle_up", "tir.metal.simd_shuffle_up", "*args", Same(0), Opaque),
];

fn by_address() -> &'static AddressMap<&'static OpEntry> {
    static MAP: OnceLock<AddressMap<&'static OpEntry>> = OnceLock::new();
    // Interned operators live as long as the process, so their addresses name them.
    MAP.get_or_init(|| OPS.iter().map(|entry| (Op::get(entry.name).object().address(), entry)).collect())
}

/// What is known of an operator.
pub fn entry(op: &Ref<Op>) -> Option<&'static OpEntry> {
    by_address().get(&op.object().address()).copied()
}

/// What is known of a call's callee, if it is a registered operator.
pub fn entry_of_callee(callee: &Ref<BaseExpr>) -> Option<&'static OpEntry> {
    by_address().get(&callee.object().address()).copied()
}

/// The operator of this full name.
pub fn entry_by_name(name: &str) -> Option<&'static OpEntry> {
    static MAP: OnceLock<HashMap<&'static str, &'static OpEntry>> = OnceLock::new();
    MAP.get_or_init(|| OPS.iter().map(|entry| (entry.name, entry)).collect()).get(name).copied()
}
