//! Operators that the interpreter knows, by their declarations.

use std::sync::OnceLock;

use tvmscript_ir_core::Ref;
use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_prim::{BaseExpr, Op};

use crate::functions::{BINARY, UNARY};
use crate::program::{Binary, Unary};
use crate::warp::Exchange;

/// The meaning of an operator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Intrinsic {
    Unary(Unary),
    Binary(Binary),
    Bits(Operator),
    /// The value of an argument, by its position.
    Argument(usize),
    /// Nothing; the value is 0.
    Nothing,
    IfThenElse,
    Absolute,
    Classify(Unary),
    Fma,
    Ldexp,
    Not,
    Popcount,
    LeadingZeros,
    Reinterpret,
    LargeUnsigned,
    MultiplyShift,
    VectorLow,
    VectorHigh,
    VectorCombine,
    ActiveLanes,
    DotProduct4,
    Clamp,
    Infinity,
    Pack {
        bits: u8,
    },
    Return,
    ThreadReturn,
    Break,
    Continue,
    /// A call of a function of C, whose name is the first argument.
    Extern,
    /// A call of a packed function, whose name is the first argument.
    Packed,
    IsNull,
    TypeAnnotation,
    Assert,
    Pointer(PointerOperator),
    Record(RecordOperator),
    Thread(ThreadOperator),
    Tile(TileOperator),
}

/// An operator on pointers and what they point to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PointerOperator {
    AddressOf,
    /// The pointer to a part of another one, in elements of a type.
    AccessPointer,
    /// The pointer to a part of a buffer from an element on.
    ElementPointer,
    AddOffset,
    /// A load of some 32-bit words.
    LoadWords,
    StoreWords,
    Atomic {
        operator: Option<Operator>,
        returns: bool,
    },
    AtomicLoad,
    AsyncCopy,
    /// A descriptor of a tensor, by the function that makes it.
    TensorMap(&'static str),
    /// A copy of a box or of bytes to shared memory.
    BulkLoad,
    BulkStore,
    LoadPatches,
}

/// An operator on records of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordOperator {
    Get,
    Set,
    Stack,
    Shape,
    Array,
    Workspace,
    /// A call with an array of values.
    Call,
}

/// An operator on the threads of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ThreadOperator {
    Barrier,
    BarrierCount(Operator),
    Exchange(Exchange),
    /// An exchange whose first argument is a mask.
    MaskedExchange(Exchange),
    AllReduce,
    ThreadIndex,
    LaneIndex,
    WarpIndex,
    ElectThread,
    InitBarrier,
    ArriveBarrier,
    ExpectBytes,
    ArriveExpectingBytes,
    WaitBarrier,
    Matrix(MatrixOperator),
}

/// An operator of a warp on matrices.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MatrixOperator {
    Load,
    Store,
    Multiply,
    InitDescriptor,
    MoveDescriptor,
    /// A product of a group of warps; whether its first operand is in shared memory.
    Warpgroup {
        is_shared: bool,
    },
    Wavefront,
}

/// An operator on tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TileOperator {
    Copy,
    Fill,
    Gemm,
    Reduce,
    Cumulate(Operator),
    Im2col,
    Transpose,
    Atomic(Operator),
}

const fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// An operation on an element of memory that no other thread interrupts; without an operator, a store.
const fn atomic(operator: Option<Operator>, returns: bool) -> Intrinsic {
    Intrinsic::Pointer(PointerOperator::Atomic { operator, returns })
}

const OTHERS: &[(&str, Intrinsic)] = &[
    ("tir.if_then_else", Intrinsic::IfThenElse),
    ("tir.likely", Intrinsic::Argument(0)),
    ("tir.ignore_loop_partition", Intrinsic::Argument(0)),
    ("tir.tvm_thread_invariant", Intrinsic::Argument(0)),
    ("tirx.filter", Intrinsic::Argument(1)),
    ("tirx.selector", Intrinsic::Argument(0)),
    ("tl.mvb_stage_index", Intrinsic::Argument(0)),
    ("tl.__ldg", Intrinsic::Argument(0)),
    ("tir.assume", Intrinsic::Nothing),
    ("tir.undef", Intrinsic::Nothing),
    ("tir.prefetch", Intrinsic::Nothing),
    ("tir.start_profile_intrinsic", Intrinsic::Nothing),
    ("tir.end_profile_intrinsic", Intrinsic::Nothing),
    ("tir.tvm_throw_last_error", Intrinsic::Nothing),
    ("tir.fabs", Intrinsic::Absolute),
    ("tir.isnan", Intrinsic::Classify(|x| truth(x.is_nan()))),
    ("tir.isinf", Intrinsic::Classify(|x| truth(x.is_infinite()))),
    ("tir.isfinite", Intrinsic::Classify(|x| truth(x.is_finite()))),
    ("tir.fma", Intrinsic::Fma),
    ("tir.ldexp", Intrinsic::Ldexp),
    ("tir.bitwise_not", Intrinsic::Not),
    ("tir.bitwise_and", Intrinsic::Bits(Operator::BitAnd)),
    ("tir.bitwise_or", Intrinsic::Bits(Operator::BitOr)),
    ("tir.bitwise_xor", Intrinsic::Bits(Operator::BitXor)),
    ("tir.shift_left", Intrinsic::Bits(Operator::ShiftLeft)),
    ("tir.shift_right", Intrinsic::Bits(Operator::ShiftRight)),
    ("tir.popcount", Intrinsic::Popcount),
    ("tir.clz", Intrinsic::LeadingZeros),
    ("tir.reinterpret", Intrinsic::Reinterpret),
    ("tir.large_uint_imm", Intrinsic::LargeUnsigned),
    ("tir.q_multiply_shift", Intrinsic::MultiplyShift),
    ("tir.vectorlow", Intrinsic::VectorLow),
    ("tir.vectorhigh", Intrinsic::VectorHigh),
    ("tir.vectorcombine", Intrinsic::VectorCombine),
    ("tir.get_active_lane_mask", Intrinsic::ActiveLanes),
    ("tir.dp4a", Intrinsic::DotProduct4),
    ("tl.clamp", Intrinsic::Clamp),
    ("tl.infinity", Intrinsic::Infinity),
    ("tir.infinity", Intrinsic::Infinity),
    ("tl.pack_b16", Intrinsic::Pack { bits: 16 }),
    ("tl.pack_b8x4", Intrinsic::Pack { bits: 8 }),
    ("tir.ret", Intrinsic::Return),
    ("tir.thread_return", Intrinsic::ThreadReturn),
    ("tir.break_loop", Intrinsic::Break),
    ("tl.loop_break", Intrinsic::Break),
    ("tir.continue_loop", Intrinsic::Continue),
    ("tir.call_extern", Intrinsic::Extern),
    ("tir.call_pure_extern", Intrinsic::Extern),
    ("tir.tvm_call_packed", Intrinsic::Packed),
    ("tir.tvm_call_cpacked", Intrinsic::Packed),
    ("tirx.call_ffi_kernel", Intrinsic::Packed),
    ("tir.address_of", Intrinsic::Pointer(PointerOperator::AddressOf)),
    ("tir.tvm_access_ptr", Intrinsic::Pointer(PointerOperator::AccessPointer)),
    ("tl.access_ptr", Intrinsic::Pointer(PointerOperator::ElementPointer)),
    ("tir.handle_add_byte_offset", Intrinsic::Pointer(PointerOperator::AddOffset)),
    ("tirx.ptr_byte_offset", Intrinsic::Pointer(PointerOperator::AddOffset)),
    ("tir.tvm_struct_get", Intrinsic::Record(RecordOperator::Get)),
    ("tir.tvm_struct_set", Intrinsic::Record(RecordOperator::Set)),
    ("tir.tvm_stack_alloca", Intrinsic::Record(RecordOperator::Stack)),
    ("tir.tvm_stack_make_shape", Intrinsic::Record(RecordOperator::Shape)),
    ("tir.tvm_stack_make_array", Intrinsic::Record(RecordOperator::Array)),
    ("tir.TVMBackendAllocWorkspace", Intrinsic::Record(RecordOperator::Workspace)),
    ("tir.TVMBackendFreeWorkspace", Intrinsic::Nothing),
    ("tir.tvm_call_packed_lowered", Intrinsic::Record(RecordOperator::Call)),
    ("tir.tvm_call_cpacked_lowered", Intrinsic::Record(RecordOperator::Call)),
    ("tir.isnullptr", Intrinsic::IsNull),
    ("tir.type_annotation", Intrinsic::TypeAnnotation),
    ("tl.ldg32", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.ldg64", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.ldg128", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.ldg256", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.lds32", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.lds64", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.lds128", Intrinsic::Pointer(PointerOperator::LoadWords)),
    ("tl.stg32", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.stg64", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.stg128", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.stg256", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.sts32", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.sts64", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.sts128", Intrinsic::Pointer(PointerOperator::StoreWords)),
    ("tl.atomic_add_elem_op", atomic(Some(Operator::Add), false)),
    ("tl.atomic_add_ret_elem_op", atomic(Some(Operator::Add), true)),
    ("tl.atomic_addx2_elem_op", atomic(Some(Operator::Add), false)),
    ("tl.atomic_addx4_elem_op", atomic(Some(Operator::Add), false)),
    ("tl.atomic_max_elem_op", atomic(Some(Operator::Max), false)),
    ("tl.atomic_max_ret_elem_op", atomic(Some(Operator::Max), true)),
    ("tl.atomic_min_elem_op", atomic(Some(Operator::Min), false)),
    ("tl.atomic_min_ret_elem_op", atomic(Some(Operator::Min), true)),
    ("tl.atomic_or_elem_op", atomic(Some(Operator::BitOr), false)),
    ("tl.atomic_store_elem_op", atomic(None, false)),
    ("tl.atomic_load_elem_op", Intrinsic::Pointer(PointerOperator::AtomicLoad)),
    ("tir.atomic_add", atomic(Some(Operator::Add), true)),
    ("tirx.cuda.atomic_add", atomic(Some(Operator::Add), true)),
    ("tl.ptx_cp_async", Intrinsic::Pointer(PointerOperator::AsyncCopy)),
    ("tir.ptx_cp_async", Intrinsic::Pointer(PointerOperator::AsyncCopy)),
    ("tir.tvm_storage_sync", Intrinsic::Thread(ThreadOperator::Barrier)),
    ("tirx.cuda.cta_sync", Intrinsic::Thread(ThreadOperator::Barrier)),
    ("tl.syncthreads_and", Intrinsic::Thread(ThreadOperator::BarrierCount(Operator::Min))),
    ("tl.syncthreads_or", Intrinsic::Thread(ThreadOperator::BarrierCount(Operator::Max))),
    ("tl.syncthreads_count", Intrinsic::Thread(ThreadOperator::BarrierCount(Operator::Add))),
    ("tir.tvm_thread_allreduce", Intrinsic::Thread(ThreadOperator::AllReduce)),
    ("tl.launch_thread_idx", Intrinsic::Thread(ThreadOperator::ThreadIndex)),
    ("tl.get_lane_idx", Intrinsic::Thread(ThreadOperator::LaneIndex)),
    ("tl.get_warp_idx", Intrinsic::Thread(ThreadOperator::WarpIndex)),
    ("tl.get_warp_idx_sync", Intrinsic::Thread(ThreadOperator::WarpIndex)),
    ("tl.tl_shuffle_elect", Intrinsic::Thread(ThreadOperator::ElectThread)),
    ("tir.ptx_init_barrier_thread_count", Intrinsic::Thread(ThreadOperator::InitBarrier)),
    ("tl.ptx_init_barrier_thread_count", Intrinsic::Thread(ThreadOperator::InitBarrier)),
    ("tir.ptx_arrive_barrier", Intrinsic::Thread(ThreadOperator::ArriveBarrier)),
    ("tl.ptx_arrive_barrier", Intrinsic::Thread(ThreadOperator::ArriveBarrier)),
    ("tir.ptx_arrive_barrier_expect_tx", Intrinsic::Thread(ThreadOperator::ArriveExpectingBytes)),
    ("tl.ptx_arrive_barrier_expect_tx", Intrinsic::Thread(ThreadOperator::ArriveExpectingBytes)),
    ("tl.mbarrier_wait_parity", Intrinsic::Thread(ThreadOperator::WaitBarrier)),
    ("tl.mbarrier_expect_tx", Intrinsic::Thread(ThreadOperator::ExpectBytes)),
    (
        "tl.create_tma_descriptor",
        Intrinsic::Pointer(PointerOperator::TensorMap("__tvm_tensormap_create_tiled")),
    ),
    (
        "tl.create_tma_im2col_descriptor",
        Intrinsic::Pointer(PointerOperator::TensorMap("__tvm_tensormap_create_im2col")),
    ),
    ("tl.tma_load", Intrinsic::Pointer(PointerOperator::BulkLoad)),
    ("tl.tma_load_im2col", Intrinsic::Pointer(PointerOperator::LoadPatches)),
    ("tl.tma_store", Intrinsic::Pointer(PointerOperator::BulkStore)),
    (
        "tl.initialize_wgmma_descriptor",
        Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::InitDescriptor)),
    ),
    (
        "tl.increase_descriptor_offset",
        Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::MoveDescriptor)),
    ),
    (
        "tl.ptx_wgmma_ss",
        Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Warpgroup { is_shared: true })),
    ),
    (
        "tl.ptx_wgmma_rs",
        Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Warpgroup { is_shared: false })),
    ),
    ("tl.tvm_mfma", Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Wavefront))),
    ("tl.ptx_fence_barrier_init", Intrinsic::Nothing),
    ("tl.fence_proxy_async", Intrinsic::Nothing),
    ("tl.pdl_sync", Intrinsic::Nothing),
    ("tl.pdl_trigger", Intrinsic::Nothing),
    ("tl.cluster_sync", Intrinsic::Thread(ThreadOperator::Barrier)),
    ("tl.cluster_arrive", Intrinsic::Nothing),
    ("tl.cluster_arrive_relaxed", Intrinsic::Nothing),
    ("tl.cluster_wait", Intrinsic::Thread(ThreadOperator::Barrier)),
    ("tl.set_max_nreg", Intrinsic::Nothing),
    ("tl.no_set_max_nreg", Intrinsic::Nothing),
    ("tl.annotate_consumer_reg_alloc", Intrinsic::Nothing),
    ("tl.annotate_producer_reg_dealloc", Intrinsic::Nothing),
    ("tl.prefetch_tma_descriptor", Intrinsic::Nothing),
    ("tl.warpgroup_arrive", Intrinsic::Nothing),
    ("tl.warpgroup_commit_batch", Intrinsic::Nothing),
    ("tl.warpgroup_wait", Intrinsic::Nothing),
    ("tl.warpgroup_fence_operand", Intrinsic::Nothing),
    ("tl.wait_wgmma", Intrinsic::Nothing),
    ("tl.tma_store_arrive", Intrinsic::Nothing),
    ("tl.tma_store_wait", Intrinsic::Nothing),
    ("tir.ptx_commit_group", Intrinsic::Nothing),
    ("tl.ptx_commit_group", Intrinsic::Nothing),
    // A group of copies is complete for the block at the barrier that follows.
    ("tir.ptx_wait_group", Intrinsic::Nothing),
    ("tl.ptx_wait_group", Intrinsic::Nothing),
    ("tir.ptx_ldmatrix", Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Load))),
    ("tl.ptx_ldmatrix", Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Load))),
    ("tl.ptx_stmatrix", Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Store))),
    ("tir.ptx_mma", Intrinsic::Thread(ThreadOperator::Matrix(MatrixOperator::Multiply))),
    ("tl.device_assert", Intrinsic::Assert),
    ("tl.device_assert_with_msg", Intrinsic::Assert),
    ("tl.tileop.copy", Intrinsic::Tile(TileOperator::Copy)),
    ("tl.tileop.async_copy", Intrinsic::Tile(TileOperator::Copy)),
    ("tl.tileop.ascend_copy", Intrinsic::Tile(TileOperator::Copy)),
    ("tl.tileop.tma_copy", Intrinsic::Tile(TileOperator::Copy)),
    ("tl.tileop.fill", Intrinsic::Tile(TileOperator::Fill)),
    ("tl.tileop.gemm", Intrinsic::Tile(TileOperator::Gemm)),
    ("tl.tileop.wgmma_gemm", Intrinsic::Tile(TileOperator::Gemm)),
    ("tl.tileop.tcgen05_gemm", Intrinsic::Tile(TileOperator::Gemm)),
    ("tl.tileop.reduce", Intrinsic::Tile(TileOperator::Reduce)),
    ("tl.tileop.cumsum", Intrinsic::Tile(TileOperator::Cumulate(Operator::Add))),
    ("tl.tileop.cummax", Intrinsic::Tile(TileOperator::Cumulate(Operator::Max))),
    ("tl.tileop.im2col", Intrinsic::Tile(TileOperator::Im2col)),
    ("tl.tileop.c2d_im2col", Intrinsic::Tile(TileOperator::Im2col)),
    ("tl.tileop.transpose", Intrinsic::Tile(TileOperator::Transpose)),
    ("tl.tileop.atomicadd", Intrinsic::Tile(TileOperator::Atomic(Operator::Add))),
    ("tl.tileop.atomicmax", Intrinsic::Tile(TileOperator::Atomic(Operator::Max))),
    ("tl.tileop.atomicmin", Intrinsic::Tile(TileOperator::Atomic(Operator::Min))),
    ("tir.tvm_warp_shuffle", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Lane))),
    ("tir.tvm_warp_shuffle_up", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Up))),
    ("tir.tvm_warp_shuffle_down", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Down))),
    ("tirx.tvm_warp_shuffle_xor", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Xor))),
    ("tir.cuda.__shfl_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Lane))),
    ("tir.cuda.__shfl_up_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Up))),
    ("tir.cuda.__shfl_down_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Down))),
    ("tirx.cuda.__shfl_xor_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Xor))),
    ("tl.shfl_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Lane))),
    ("tl.shfl_up_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Up))),
    ("tl.shfl_down_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Down))),
    ("tl.shfl_xor_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Xor))),
    ("tl.any_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Any))),
    ("tl.all_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::All))),
    ("tl.ballot_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Ballot))),
    ("tl.match_any_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Match))),
    ("tirx.cuda.any_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Any))),
    ("tirx.cuda.ballot_sync", Intrinsic::Thread(ThreadOperator::MaskedExchange(Exchange::Ballot))),
    ("tl.ballot", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Ballot))),
    ("tl.activemask", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Active))),
    ("tir.tvm_warp_activemask", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Active))),
    ("tir.cuda.__activemask", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Active))),
    ("tl.sync_warp", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Active))),
    ("tirx.cuda.warp_sync", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Active))),
    ("tl.warp_reduce_sum", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Reduce(Operator::Add)))),
    ("tl.warp_reduce_max", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Reduce(Operator::Max)))),
    ("tl.warp_reduce_min", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Reduce(Operator::Min)))),
    (
        "tl.warp_reduce_bitand",
        Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Reduce(Operator::BitAnd))),
    ),
    ("tl.warp_reduce_bitor", Intrinsic::Thread(ThreadOperator::Exchange(Exchange::Reduce(Operator::BitOr)))),
];

/// The meaning of an operator; `None` for operators that are left out.
pub(crate) fn intrinsic(callee: &Ref<BaseExpr>) -> Option<Intrinsic> {
    static TABLE: OnceLock<AddressMap<Intrinsic>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let unary = UNARY.iter().map(|(name, f)| (*name, Intrinsic::Unary(*f)));
        let binary = BINARY.iter().map(|(name, f)| (*name, Intrinsic::Binary(*f)));
        // Interned operators live as long as the process, so their addresses identify them.
        let entry = |(name, intrinsic): (&str, Intrinsic)| (Op::get(name).object().address(), intrinsic);
        unary.chain(binary).chain(OTHERS.iter().copied()).map(entry).collect()
    });
    table.get(&callee.object().address()).copied()
}

/// `x * y` in fixed point with `q` fractional bits, shifted left by `s` and rounded half up.
pub(crate) fn quantized(x: i64, y: i64, q: i64, s: i64) -> Option<i64> {
    let shift = q - s;
    if !(1..=62).contains(&shift) || s.max(0) > 31 {
        return None;
    }
    let product = i128::from(x) * i128::from(y);
    let rounded = (product + (1 << (shift - 1))) >> shift;
    Some(i64::from(rounded as i32))
}
