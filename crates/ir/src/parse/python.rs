//! The Python modules `tvm`, `tvm.ir`, `tvm.target`, `tvm.runtime` and `tvm.script`, as far as scripts use them.

use tvmscript_ir_core::Class;
use tvmscript_prim::Op;
use tvmscript_prim::{FuncType, PointerType, PrimExpr, PrimType, Range, TupleType, Type};
use tvmscript_script_parser::{Member, NodeClass, PythonModule};

use crate::build::{
    CONST, CONVERT, DATA_TYPE, DUMMY_GLOBAL_INFO, FUNC_TYPE, GLOBAL_VAR, IR_MODULE_NODE, OP, POINTER_TYPE,
    PRIM_TYPE, RANGE, TARGET_CLASS, TENSOR, TUPLE_TYPE, VDEVICE,
};
use crate::node::{BaseFunc, DummyGlobalInfo, GlobalInfo, GlobalVar, IRModule, RelaxExpr, Target, VDevice};

use Member::{Class as IsClass, Function, LeftOut};

/// A node class used in `isinstance` checks only.
const fn class<T: Class>() -> Member {
    IsClass(NodeClass::new(T::type_info))
}

/// A node class with its constructor function.
macro_rules! made {
    ($node:ty, $function:expr) => {
        IsClass(NodeClass::new(<$node>::type_info).made_by(&$function))
    };
}

const TARGET_BY_NAME: Member = LeftOut("name the target: `tvm.target.Target(\"cuda\")`");

/// The modules.
pub(super) static MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm"])
        .names(&["get_global_func"])
        .members(&[("DataType", Function(&DATA_TYPE)), ("IRModule", made!(IRModule, IR_MODULE_NODE))]),
    PythonModule::new(&["tvm.script", "tvm.script.parser"])
        .names(&["ir_module"])
        .members(&[("ir", Member::Namespace)]),
    PythonModule::new(&["tvm.script.ir_builder"])
        .names(&["ir_module"])
        .members(&[("ir", Member::Namespace)])
        .scopes(),
    PythonModule::new(&[
        "tvm.ir",
        "tvm.ir.op",
        "tvm.ir.expr",
        "tvm.ir.type",
        "tvm.ir.module",
        "tvm.ir.global_info",
    ])
    .names(&["load_json"])
    .members(&[
        ("BaseFunc", class::<BaseFunc>()),
        ("DummyGlobalInfo", made!(DummyGlobalInfo, DUMMY_GLOBAL_INFO)),
        ("FuncType", made!(FuncType, FUNC_TYPE)),
        ("GlobalInfo", class::<GlobalInfo>()),
        ("GlobalVar", made!(GlobalVar, GLOBAL_VAR)),
        ("IRModule", made!(IRModule, IR_MODULE_NODE)),
        ("Op", made!(Op, OP)),
        ("PointerType", made!(PointerType, POINTER_TYPE)),
        ("PrimExpr", class::<PrimExpr>()),
        ("PrimType", made!(PrimType, PRIM_TYPE)),
        ("Range", made!(Range, RANGE)),
        ("RelaxExpr", class::<RelaxExpr>()),
        ("TupleType", made!(TupleType, TUPLE_TYPE)),
        ("Type", class::<Type>()),
        ("VDevice", made!(VDevice, VDEVICE)),
    ]),
    PythonModule::new(&["tvm.target", "tvm.target.target"]).members(&[
        ("Target", made!(Target, TARGET_CLASS)),
        ("arm_cpu", TARGET_BY_NAME),
        ("create", TARGET_BY_NAME),
        ("cuda", TARGET_BY_NAME),
        ("hexagon", TARGET_BY_NAME),
        ("rocm", TARGET_BY_NAME),
    ]),
    PythonModule::new(&["tvm.runtime", "tvm.runtime.ndarray", "tvm.nd"])
        .members(&[("array", Function(&TENSOR)), ("tensor", Function(&TENSOR))]),
    PythonModule::new(&["tvm.runtime"]).members(&[
        ("DataType", Function(&DATA_TYPE)),
        ("const", Function(&CONST)),
        ("convert", Function(&CONVERT)),
    ]),
];
