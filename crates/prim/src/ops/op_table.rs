//! The registered operators of TIR: how each is printed, where its type stands among the arguments, and what it does.
//!
//! One line an operator. An operator without a line prints under its full name and may do anything.
//!
//! Upstream counterparts: `src/tir/op/builtin.cc`, `src/tir/op/op.cc`, and the exports of
//! `python/tvm/script/ir_builder/tir/ir.py`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use tvmscript_ir_core::{BaseExpr, DataType, Op, Ref, TypeCode};

/// Where the text of a call gives the result's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DtypeArg {
    /// Nowhere: the reader knows it.
    None,
    /// As the first argument.
    First,
    /// As the last argument.
    Last,
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
    /// Where the text gives the type.
    pub dtype_arg: DtypeArg,
    /// What a call may do.
    pub effect: Effect,
    /// Whether TVM's script language has a function of the printed name.
    pub exported: bool,
}

use DtypeArg::{First, Last, None};
use Effect::{Annotation, Embed, Jump, Opaque, Pure, Read, Special, Unknown, Update};

const fn exported(name: &'static str, printed: &'static str, dtype_arg: DtypeArg, effect: Effect) -> OpEntry {
    OpEntry { name, printed, dtype_arg, effect, exported: true }
}

const fn hidden(name: &'static str, printed: &'static str, dtype_arg: DtypeArg, effect: Effect) -> OpEntry {
    OpEntry { name, printed, dtype_arg, effect, exported: false }
}

/// All registered operators, by name.
#[rustfmt::skip]
pub static OPS: &[OpEntry] = &[
    exported("tir.TVMBackendAllocWorkspace", "TVMBackendAllocWorkspace", None, Opaque),
    hidden("tir.TVMBackendAnyListMoveFromPackedReturn", "tir.TVMBackendAnyListMoveFromPackedReturn", None, Update),
    hidden("tir.TVMBackendAnyListSetPackedArg", "tir.TVMBackendAnyListSetPackedArg", None, Update),
    exported("tir.TVMBackendFreeWorkspace", "TVMBackendFreeWorkspace", None, Opaque),
    exported("tir.acos", "acos", None, Pure),
    exported("tir.acosh", "acosh", None, Pure),
    exported("tir.address_of", "address_of", None, Pure),
    exported("tir.anylist_getitem", "anylist_getitem", None, Read),
    exported("tir.anylist_resetitem", "anylist_resetitem", None, Opaque),
    exported("tir.anylist_setitem_call_cpacked", "anylist_setitem_call_cpacked", None, Opaque),
    exported("tir.anylist_setitem_call_packed", "anylist_setitem_call_packed", None, Opaque),
    exported("tir.asin", "asin", None, Pure),
    exported("tir.asinh", "asinh", None, Pure),
    exported("tir.assume", "assume", None, Embed),
    exported("tir.atan", "atan", None, Pure),
    exported("tir.atan2", "atan2", None, Pure),
    exported("tir.atanh", "atanh", None, Pure),
    hidden("tir.atomic_add", "atomic_add", None, Opaque),
    exported("tir.bitwise_and", "bitwise_and", None, Pure),
    exported("tir.bitwise_not", "bitwise_not", None, Pure),
    exported("tir.bitwise_or", "bitwise_or", None, Pure),
    exported("tir.bitwise_xor", "bitwise_xor", None, Pure),
    exported("tir.break_loop", "break_loop", None, Jump),
    exported("tir.call_extern", "call_extern", First, Opaque),
    exported("tir.call_llvm_intrin", "call_llvm_intrin", First, Opaque),
    exported("tir.call_llvm_pure_intrin", "call_llvm_pure_intrin", First, Pure),
    exported("tir.call_pure_extern", "call_pure_extern", First, Pure),
    hidden("tir.call_spirv_pure_glsl450", "call_spirv_pure_glsl450", None, Pure),
    exported("tir.ceil", "ceil", None, Pure),
    exported("tir.clz", "clz", None, Pure),
    exported("tir.continue_loop", "continue_loop", None, Jump),
    exported("tir.copysign", "copysign", None, Pure),
    exported("tir.cos", "cos", None, Pure),
    exported("tir.cosh", "cosh", None, Pure),
    exported("tir.create_barriers", "create_barriers", None, Opaque),
    hidden("tir.dma_copy", "dma_copy", None, Opaque),
    hidden("tir.dma_end_group", "dma_end_group", None, Opaque),
    hidden("tir.dma_start_group", "dma_start_group", None, Opaque),
    hidden("tir.dma_wait", "dma_wait", None, Opaque),
    exported("tir.dp4a", "dp4a", First, Pure),
    exported("tir.end_profile_intrinsic", "end_profile_intrinsic", None, Pure),
    exported("tir.erf", "erf", None, Pure),
    exported("tir.exp", "exp", None, Pure),
    exported("tir.exp10", "exp10", None, Pure),
    exported("tir.exp2", "exp2", None, Pure),
    exported("tir.fabs", "fabs", None, Pure),
    exported("tir.floor", "floor", None, Pure),
    hidden("tir.fma", "fma", None, Pure),
    exported("tir.fmod", "fmod", None, Pure),
    exported("tir.get_active_lane_mask", "get_active_lane_mask", First, Pure),
    exported("tir.handle_add_byte_offset", "handle_add_byte_offset", None, Pure),
    exported("tir.hypot", "hypot", None, Pure),
    exported("tir.if_then_else", "if_then_else", None, Pure),
    exported("tir.ignore_loop_partition", "ignore_loop_partition", None, Pure),
    hidden("tir.isfinite", "tir.isfinite", None, Unknown),
    hidden("tir.isinf", "tir.isinf", None, Unknown),
    exported("tir.isnan", "isnan", None, Pure),
    exported("tir.isnullptr", "isnullptr", None, Pure),
    hidden("tir.large_uint_imm", "large_uint_imm", None, Pure),
    exported("tir.ldexp", "ldexp", None, Pure),
    exported("tir.likely", "likely", None, Annotation),
    exported("tir.log", "log", None, Pure),
    exported("tir.log10", "log10", None, Pure),
    exported("tir.log1p", "log1p", None, Pure),
    exported("tir.log2", "log2", None, Pure),
    exported("tir.lookup_param", "lookup_param", None, Update),
    exported("tir.make_filled_simdgroup_matrix", "make_filled_simdgroup_matrix", None, Opaque),
    exported("tir.mma_fill", "mma_fill", First, Opaque),
    exported("tir.mma_store", "mma_store", First, Opaque),
    hidden("tir.nd_mem_alloc_with_scope", "nd_mem_alloc_with_scope", None, Opaque),
    exported("tir.nearbyint", "nearbyint", None, Pure),
    exported("tir.nextafter", "nextafter", None, Pure),
    exported("tir.popcount", "popcount", None, Pure),
    exported("tir.pow", "pow", None, Pure),
    hidden("tir.prefetch", "prefetch", None, Opaque),
    exported("tir.ptx_arrive_barrier", "ptx_arrive_barrier", None, Opaque),
    exported("tir.ptx_arrive_barrier_expect_tx", "ptx_arrive_barrier_expect_tx", None, Opaque),
    exported("tir.ptx_commit_group", "ptx_commit_group", None, Opaque),
    exported("tir.ptx_cp_async", "ptx_cp_async", First, Opaque),
    exported("tir.ptx_cp_async_barrier", "ptx_cp_async_barrier", None, Opaque),
    exported("tir.ptx_cp_async_bulk", "ptx_cp_async_bulk", First, Opaque),
    exported("tir.ptx_init_barrier_thread_count", "ptx_init_barrier_thread_count", None, Opaque),
    hidden("tir.ptx_ldg32", "ptx_ldg32", None, Pure),
    exported("tir.ptx_ldmatrix", "ptx_ldmatrix", First, Opaque),
    exported("tir.ptx_mma", "ptx_mma", First, Opaque),
    exported("tir.ptx_mma_sp", "ptx_mma_sp", First, Opaque),
    exported("tir.ptx_wait_barrier", "ptx_wait_barrier", None, Opaque),
    exported("tir.ptx_wait_group", "ptx_wait_group", None, Opaque),
    exported("tir.q_multiply_shift", "q_multiply_shift", None, Pure),
    exported("tir.q_multiply_shift_per_axis", "q_multiply_shift_per_axis", None, Pure),
    exported("tir.reinterpret", "reinterpret", First, Pure),
    exported("tir.ret", "ret", None, Jump),
    exported("tir.round", "round", None, Pure),
    exported("tir.rsqrt", "rsqrt", None, Pure),
    exported("tir.shift_left", "shift_left", None, Pure),
    exported("tir.shift_right", "shift_right", None, Pure),
    exported("tir.sigmoid", "sigmoid", None, Pure),
    exported("tir.simdgroup_load", "simdgroup_load", None, Opaque),
    exported("tir.simdgroup_multiply_accumulate", "simdgroup_multiply_accumulate", None, Opaque),
    exported("tir.simdgroup_store", "simdgroup_store", None, Opaque),
    exported("tir.sin", "sin", None, Pure),
    exported("tir.sinh", "sinh", None, Pure),
    exported("tir.sqrt", "sqrt", None, Pure),
    exported("tir.start_profile_intrinsic", "start_profile_intrinsic", None, Pure),
    exported("tir.tan", "tan", None, Pure),
    exported("tir.tanh", "tanh", None, Pure),
    hidden("tir.texture2d_load", "texture2d_load", None, Opaque),
    hidden("tir.texture2d_store", "texture2d_store", None, Opaque),
    exported("tir.thread_return", "thread_return", None, Jump),
    exported("tir.trunc", "trunc", None, Pure),
    exported("tir.tvm_access_ptr", "tvm_access_ptr", None, Special),
    exported("tir.tvm_bmma_sync", "tvm_bmma_sync", None, Opaque),
    exported("tir.tvm_call_cpacked", "call_cpacked", None, Opaque),
    exported("tir.tvm_call_cpacked_lowered", "call_cpacked_lowered", None, Opaque),
    exported("tir.tvm_call_packed", "call_packed", None, Opaque),
    exported("tir.tvm_call_packed_lowered", "call_packed_lowered", None, Opaque),
    hidden("tir.tvm_call_trace_packed", "tvm_call_trace_packed", None, Opaque),
    hidden("tir.tvm_call_trace_packed_lowered", "tvm_call_trace_packed_lowered", None, Opaque),
    hidden("tir.tvm_context_id", "tvm_context_id", None, Read),
    exported("tir.tvm_fill_fragment", "tvm_fill_fragment", None, Opaque),
    hidden("tir.tvm_global_barrier_kinit", "tvm_global_barrier_kinit", None, Opaque),
    exported("tir.tvm_load_matrix_sync", "tvm_load_matrix_sync", None, Read),
    exported("tir.tvm_mma_sync", "tvm_mma_sync", None, Opaque),
    exported("tir.tvm_stack_alloca", "tvm_stack_alloca", None, Opaque),
    exported("tir.tvm_stack_make_array", "tvm_stack_make_array", None, Opaque),
    exported("tir.tvm_stack_make_shape", "tvm_stack_make_shape", None, Opaque),
    hidden("tir.tvm_static_handle", "tvm_static_handle", None, Special),
    exported("tir.tvm_storage_sync", "tvm_storage_sync", None, Opaque),
    exported("tir.tvm_store_matrix_sync", "tvm_store_matrix_sync", None, Opaque),
    exported("tir.tvm_struct_get", "tvm_struct_get", Last, Read),
    exported("tir.tvm_struct_set", "tvm_struct_set", None, Update),
    exported("tir.tvm_thread_allreduce", "tvm_thread_allreduce", None, Opaque),
    hidden("tir.tvm_thread_context", "tvm_thread_context", None, Opaque),
    exported("tir.tvm_thread_invariant", "tvm_thread_invariant", None, Pure),
    exported("tir.tvm_throw_last_error", "tvm_throw_last_error", None, Opaque),
    exported("tir.tvm_tuple", "tvm_tuple", None, Embed),
    exported("tir.tvm_warp_activemask", "tvm_warp_activemask", None, Opaque),
    exported("tir.tvm_warp_shuffle", "tvm_warp_shuffle", None, Opaque),
    exported("tir.tvm_warp_shuffle_down", "tvm_warp_shuffle_down", None, Opaque),
    exported("tir.tvm_warp_shuffle_up", "tvm_warp_shuffle_up", None, Opaque),
    exported("tir.type_annotation", "type_annotation", First, Pure),
    exported("tir.undef", "undef", None, Read),
    exported("tir.vectorcombine", "vectorcombine", First, Pure),
    exported("tir.vectorhigh", "vectorhigh", First, Pure),
    exported("tir.vectorlow", "vectorlow", First, Pure),
    exported("tir.vscale", "vscale", None, Pure),
    hidden("tir.cuda.__activemask", "tir.cuda.__activemask", None, Pure),
    hidden("tir.cuda.__shfl_down_sync", "tir.cuda.__shfl_down_sync", None, Opaque),
    hidden("tir.cuda.__shfl_sync", "tir.cuda.__shfl_sync", None, Opaque),
    hidden("tir.cuda.__shfl_up_sync", "tir.cuda.__shfl_up_sync", None, Opaque),
    hidden("tir.metal.simd_shuffle", "tir.metal.simd_shuffle", None, Opaque),
    hidden("tir.metal.simd_shuffle_down", "tir.metal.simd_shuffle_down", None, Opaque),
    hidden("tir.metal.simd_shuffle_up", "tir.metal.simd_shuffle_up", None, Opaque),
];

/// The type of a call's result, where the text does not give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// Always this one.
    Fixed(DataType),
    /// That of an argument.
    SameAs(usize),
}

const INT32: ResultType = ResultType::Fixed(DataType::INT32);
const HANDLE: ResultType = ResultType::Fixed(DataType::HANDLE);
const VOID: ResultType = ResultType::Fixed(DataType::VOID);

impl OpEntry {
    /// The type of calls that the operator's script function makes, where the text does not give it.
    /// # Source
    /// `python/tvm/tir/op.py`.
    pub fn result_type(&self) -> ResultType {
        result_type(self.printed)
    }
}

fn result_type(printed: &str) -> ResultType {
    match printed {
        "call_packed"
        | "call_cpacked"
        | "call_packed_lowered"
        | "call_cpacked_lowered"
        | "tvm_call_trace_packed"
        | "tvm_call_trace_packed_lowered"
        | "undef"
        | "tvm_struct_set"
        | "tvm_storage_sync"
        | "clz"
        | "q_multiply_shift"
        | "q_multiply_shift_per_axis"
        | "TVMBackendFreeWorkspace"
        | "vscale"
        | "anylist_resetitem"
        | "anylist_setitem_call_packed"
        | "anylist_setitem_call_cpacked"
        | "prefetch"
        | "tvm_global_barrier_kinit"
        | "dma_copy"
        | "dma_wait"
        | "dma_start_group"
        | "dma_end_group"
        | "thread_return_value" => INT32,
        "tvm_stack_alloca"
        | "tvm_stack_make_shape"
        | "tvm_stack_make_array"
        | "start_profile_intrinsic"
        | "end_profile_intrinsic"
        | "tvm_tuple"
        | "handle_add_byte_offset"
        | "lookup_param"
        | "tvm_thread_allreduce"
        | "tvm_access_ptr"
        | "tvm_throw_last_error"
        | "tvm_load_matrix_sync"
        | "tvm_mma_sync"
        | "tvm_bmma_sync"
        | "tvm_fill_fragment"
        | "tvm_store_matrix_sync"
        | "address_of"
        | "make_filled_simdgroup_matrix"
        | "simdgroup_load"
        | "simdgroup_store"
        | "simdgroup_multiply_accumulate"
        | "TVMBackendAllocWorkspace"
        | "anylist_getitem"
        | "tvm_static_handle"
        | "tvm_context_id"
        | "tvm_thread_context"
        | "nd_mem_alloc_with_scope" => HANDLE,
        "ptx_commit_group"
        | "ptx_wait_group"
        | "ptx_cp_async_barrier"
        | "ptx_init_barrier_thread_count"
        | "ptx_arrive_barrier"
        | "ptx_arrive_barrier_expect_tx"
        | "ptx_wait_barrier"
        | "create_barriers"
        | "ptx_ldg32"
        | "texture2d_store"
        | "thread_return"
        | "continue_loop"
        | "break_loop" => VOID,
        "isnullptr" | "assume" | "isnan" | "isinf" | "isfinite" | "tir.isinf" | "tir.isfinite" => {
            ResultType::Fixed(DataType::BOOL)
        }
        "tvm_warp_activemask" | "tir.cuda.__activemask" => {
            ResultType::Fixed(DataType { code: TypeCode::UInt, bits: 32, lanes: 1 })
        }
        "large_uint_imm" => ResultType::Fixed(DataType::uint(64)),
        "tvm_warp_shuffle"
        | "tvm_warp_shuffle_up"
        | "tvm_warp_shuffle_down"
        | "tir.cuda.__shfl_sync"
        | "tir.cuda.__shfl_up_sync"
        | "tir.cuda.__shfl_down_sync" => ResultType::SameAs(1),
        _ => ResultType::SameAs(0),
    }
}

/// Hashes the address of an interned operator: one multiplication.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }
    fn write_usize(&mut self, value: usize) {
        self.0 = (self.0 ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

type AddressMap = HashMap<usize, &'static OpEntry, BuildHasherDefault<AddressHasher>>;

fn by_address() -> &'static AddressMap {
    static MAP: OnceLock<AddressMap> = OnceLock::new();
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
