//! The Python modules `tvm.tir` and `tvm.te`, as far as scripts and their helpers use them.
//!
//! The name lists state which functions of these modules are those of `T`. They describe TVM's modules, not the
//! operators.

use tvmscript_ir_core::Class;
use tvmscript_prim as prim;
use tvmscript_prim::Op;
use tvmscript_script_parser::{Member, NodeClass, PythonModule};

use crate::build::{self, expr};
use crate::node;

use Member::{Class as IsClass, Function, LeftOut};

/// A class of nodes that scripts only use in type tests.
const fn class<T: Class>() -> Member {
    IsClass(NodeClass::new(T::type_info))
}

/// A class of nodes with its constructor.
macro_rules! made {
    ($node:ty, $function:expr) => {
        IsClass(NodeClass::new(<$node>::type_info).made_by(&$function))
    };
}

const STATEMENT: Member =
    LeftOut("scripts make statements by writing them: `for`, `if`, `T.evaluate(..)`, `with T.block(..)`");
const TENSOR: Member =
    LeftOut("external computations are not read; write the computation as a `T.prim_func`");

/// Names that `T` lacks in TVM too, or that are not supported, with advice.
pub(super) const ABSENT: &[(&str, &str)] = &[
    ("const", "write `T.int32(1)`, `T.float32(0.5)`, or `tvm.tir.const(1, \"int32\")`"),
    ("all", "write `a and b`, or `tvm.tir.all(a, b)`"),
    ("any", "write `a or b`, or `tvm.tir.any(a, b)`"),
    ("add", "write `a + b`, or `T.Add(a, b)` for the node itself"),
    ("subtract", "write `a - b`, or `T.Sub(a, b)` for the node itself"),
    ("multiply", "write `a * b`, or `T.Mul(a, b)` for the node itself"),
    ("div", "write `a // b`, or `T.truncdiv(a, b)`"),
    ("power", "write `T.pow(x, y)`"),
    ("Evaluate", "write `T.evaluate(..)`"),
    ("e4m3_float8", "its name is `T.float8_e4m3fn` since TVM 0.20"),
    ("e5m2_float8", "its name is `T.float8_e5m2` since TVM 0.20"),
    (
        "reduce_axis",
        "since TVM 0.9, axes are statements: `vk = T.axis.reduce(16, k)` in `with T.block(\"C\"):`",
    ),
    ("bind", "since TVM 0.9, the axis has its value: `vi = T.axis.spatial(16, i)`"),
    ("store", "write `A[i] = value`; pointers have a buffer: `A = T.Buffer((16,), data=a)`"),
    ("load", "write `A[i]`; pointers have a buffer: `A = T.Buffer((16,), data=a)`"),
    ("var", "write `T.int32()`"),
    ("Tensor", "its name is `T.Buffer`, which is called: `A: T.Buffer((16,), \"float32\")`"),
    ("preflattened_buffer", "the attribute was removed in TVM 0.11: leave it out"),
    ("BufferStore", "write `A[i, j] = value`"),
];

/// Functions that run code outside of scripts.
pub(super) const UNEVALUATED: &[(&str, &str)] =
    &[("call_kernel", "kernels are not compiled here; call an external function with `T.call_extern`")];

/// Functions of `tvm.tir` that are those of `T`.
#[rustfmt::skip]
pub const SAME: &[&str] = &[
    "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "abs", "acos", "acosh", "address_of", "asin",
    "asinh", "assume", "atan", "atan2", "atanh", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor",
    "break_loop", "call_cpacked", "call_cpacked_lowered", "call_extern", "call_intrin", "call_llvm_intrin",
    "call_llvm_pure_intrin", "call_packed", "call_packed_lowered", "call_pure_extern", "ceil", "ceildiv",
    "clz", "continue_loop", "copysign", "cos", "cosh", "create_barriers", "dp4a", "end_profile_intrinsic",
    "erf", "exp", "exp10", "exp2", "floor", "floordiv", "floormod", "fmod", "get_active_lane_mask",
    "handle_add_byte_offset", "hypot", "if_then_else", "ignore_loop_partition", "infinity", "isfinite",
    "isinf", "isnan", "isnullptr", "ldexp", "likely", "log", "log10", "log1p", "log2", "lookup_param",
    "make_filled_simdgroup_matrix", "max", "max_value", "min", "min_value", "mma_fill", "mma_store",
    "nearbyint", "nextafter", "popcount", "pow", "ptx_arrive_barrier", "ptx_arrive_barrier_expect_tx",
    "ptx_commit_group", "ptx_cp_async", "ptx_cp_async_barrier", "ptx_cp_async_bulk",
    "ptx_init_barrier_thread_count", "ptx_ldmatrix", "ptx_mma", "ptx_mma_sp", "ptx_wait_barrier",
    "ptx_wait_group", "q_multiply_shift", "q_multiply_shift_per_axis", "reinterpret", "ret", "round",
    "rsqrt", "shift_left", "shift_right", "sigmoid", "simdgroup_load", "simdgroup_multiply_accumulate",
    "simdgroup_store", "sin", "sinh", "sqrt", "start_profile_intrinsic", "tan", "tanh", "trunc", "truncdiv",
    "truncmod", "tvm_access_ptr", "tvm_bmma_sync", "tvm_fill_fragment", "tvm_load_matrix_sync",
    "tvm_mma_sync", "tvm_stack_alloca", "tvm_stack_make_array", "tvm_stack_make_shape",
    "tvm_store_matrix_sync", "tvm_struct_get", "tvm_struct_set", "tvm_thread_allreduce",
    "tvm_throw_last_error", "tvm_tuple", "type_annotation", "undef", "vectorcombine", "vectorhigh",
    "vectorlow", "vscale",
];

/// Functions of `tvm.tir.op` only that are those of `T`.
const SAME_OPERATORS: &[&str] = &[
    "anylist_getitem",
    "anylist_resetitem",
    "anylist_setitem_call_cpacked",
    "anylist_setitem_call_packed",
    "thread_return",
    "tvm_storage_sync",
    "tvm_thread_invariant",
    "tvm_warp_activemask",
    "tvm_warp_shuffle",
    "tvm_warp_shuffle_down",
    "tvm_warp_shuffle_up",
];

/// Functions of `tvm.te` that are those of `T`.
#[rustfmt::skip]
const SAME_IN_TE: &[&str] = &[
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor",
    "floordiv", "floormod", "fmod", "if_then_else", "isfinite", "isinf", "isnan", "log", "log10", "log2",
    "max", "max_value", "min", "min_value", "nearbyint", "popcount", "round", "rsqrt", "sigmoid", "sin",
    "sinh", "sqrt", "tan", "tanh", "trunc", "truncdiv", "truncmod",
];

/// Members of `tvm.tir` and of its submodules.
pub const MEMBERS: &[(&str, Member)] = &[
    // nodes of expressions
    ("Add", made!(prim::Add, expr::ADD)),
    ("And", made!(prim::And, expr::AND)),
    ("Broadcast", made!(prim::Broadcast, expr::BROADCAST)),
    ("BufferLoad", made!(node::BufferLoad, expr::BUFFER_LOAD)),
    ("BufferRegion", made!(node::BufferRegion, expr::BUFFER_REGION)),
    ("Call", made!(prim::Call, expr::CALL)),
    ("Cast", made!(prim::Cast, expr::CAST_NODE)),
    ("CommReducer", made!(prim::CommReducer, expr::COMM_REDUCER_NODE)),
    ("Div", made!(prim::Div, expr::DIV)),
    ("EQ", made!(prim::EQ, expr::EQ)),
    ("FloatImm", made!(prim::FloatImm, expr::FLOAT_IMM)),
    ("FloorDiv", made!(prim::FloorDiv, expr::FLOOR_DIV)),
    ("FloorMod", made!(prim::FloorMod, expr::FLOOR_MOD)),
    ("GE", made!(prim::GE, expr::GE)),
    ("GT", made!(prim::GT, expr::GT)),
    ("IndexMap", made!(prim::IndexMap, build::INDEX_MAP_NODE)),
    ("IntImm", made!(prim::IntImm, expr::INT_IMM)),
    ("IterVar", made!(node::IterVar, expr::ITER_VAR_NODE)),
    ("LE", made!(prim::LE, expr::LE)),
    ("LT", made!(prim::LT, expr::LT)),
    ("Let", made!(prim::Let, build::LET_NODE)),
    ("Max", made!(prim::Max, expr::MAX)),
    ("Min", made!(prim::Min, expr::MIN)),
    ("Mod", made!(prim::Mod, expr::MOD)),
    ("Mul", made!(prim::Mul, expr::MUL)),
    ("NE", made!(prim::NE, expr::NE)),
    ("Not", made!(prim::Not, expr::NOT)),
    ("Or", made!(prim::Or, expr::OR)),
    ("PrimExpr", class::<prim::PrimExpr>()),
    ("ProducerLoad", class::<node::ProducerLoad>()),
    ("Ramp", made!(prim::Ramp, expr::RAMP)),
    ("Reduce", made!(node::Reduce, expr::REDUCE)),
    ("Select", made!(prim::Select, expr::SELECT)),
    ("Shuffle", made!(prim::Shuffle, expr::SHUFFLE)),
    ("SizeVar", IsClass(NodeClass::new(prim::size_var_type).made_by(&expr::SIZE_VAR))),
    ("StringImm", made!(prim::StringImm, expr::STRING_IMM)),
    ("Sub", made!(prim::Sub, expr::SUB)),
    ("Var", made!(prim::Var, expr::VAR)),
    // buffers, functions, statements
    ("Buffer", class::<node::Buffer>()),
    ("BufferStore", made!(node::BufferStore, build::BUFFER_STORE_NODE)),
    ("PrimFunc", class::<node::PrimFunc>()),
    ("Stmt", class::<node::Stmt>()),
    ("decl_buffer", Function(&build::FREE_BUFFER)),
    ("Allocate", STATEMENT),
    ("AllocateConst", STATEMENT),
    ("AssertStmt", STATEMENT),
    ("AttrStmt", STATEMENT),
    ("Block", STATEMENT),
    ("BlockRealize", STATEMENT),
    ("BufferRealize", STATEMENT),
    ("DeclBuffer", STATEMENT),
    ("Evaluate", STATEMENT),
    ("For", STATEMENT),
    ("IfThenElse", STATEMENT),
    ("LetStmt", STATEMENT),
    ("SeqStmt", STATEMENT),
    ("While", STATEMENT),
    ("stmt_list", STATEMENT),
    ("stmt_seq", STATEMENT),
    // functions
    ("add", Function(&build::ADD)),
    ("all", Function(&build::ALL)),
    ("any", Function(&build::ANY)),
    ("call_tir", Function(&build::CALL_TIR)),
    ("const", Function(&tvmscript_ir::build::CONST)),
    ("convert", Function(&tvmscript_ir::build::CONVERT)),
    ("div", Function(&build::DIV)),
    ("get_vscale_expr", Function(&build::GET_VSCALE_EXPR)),
    ("indexdiv", Function(&build::INDEXDIV)),
    ("indexmod", Function(&build::INDEXMOD)),
    ("logaddexp", Function(&build::LOGADDEXP)),
    ("multiply", Function(&build::MULTIPLY)),
    ("power", Function(&build::POWER)),
    ("subtract", Function(&build::SUBTRACT)),
    ("trace", Function(&build::TRACE)),
    ("comm_reducer", Function(&build::reducer::MAKE_REDUCER)),
    ("sum", Function(&build::compute::SUM)),
];

/// Members of `tvm.te`.
const TE_MEMBERS: &[(&str, Member)] = &[
    ("add", Function(&build::ADD)),
    ("all", Function(&build::ALL)),
    ("any", Function(&build::ANY)),
    ("const", Function(&tvmscript_ir::build::INT_CONST)),
    ("div", Function(&build::DIV)),
    ("indexdiv", Function(&build::INDEXDIV)),
    ("indexmod", Function(&build::INDEXMOD)),
    ("logaddexp", Function(&build::LOGADDEXP)),
    ("multiply", Function(&build::MULTIPLY)),
    ("power", Function(&build::POWER)),
    ("reduce_axis", Function(&build::compute::REDUCE_AXIS)),
    ("size_var", Function(&build::TE_SIZE_VAR)),
    ("subtract", Function(&build::SUBTRACT)),
    ("thread_axis", Function(&build::THREAD_AXIS)),
    ("trace", Function(&build::TRACE)),
    ("var", Function(&build::TE_VAR)),
    ("comm_reducer", Function(&build::reducer::MAKE_REDUCER)),
    ("sum", Function(&build::compute::SUM)),
    ("extern", TENSOR),
    ("scan", TENSOR),
];

/// The modules.
pub(super) static MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm.script", "tvm.script.parser"]).members(&[("tir", Member::Namespace)]),
    PythonModule::new(&["tvm.script.ir_builder"]).members(&[("tir", Member::Namespace)]).scopes(),
    PythonModule::new(&[
        "tvm.tir",
        "tvm.tir.buffer",
        "tvm.tir.expr",
        "tvm.tir.function",
        "tvm.tir.generic",
        "tvm.tir.op",
        "tvm.tir.stmt",
    ])
    .names(SAME)
    .members(MEMBERS),
    PythonModule::new(&["tvm.tir.op"])
        .names(SAME_OPERATORS)
        .members(&[("Op", made!(Op, tvmscript_ir::build::OP))]),
    PythonModule::new(&["tvm.target.codegen"]).names(&["llvm_lookup_intrinsic_id"]),
    PythonModule::new(&["tvm.te"]).names(SAME_IN_TE).members(TE_MEMBERS),
];
