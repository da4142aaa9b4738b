//! The Python module `tvm.relax`, as far as scripts use it.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::Class;
use tvmscript_irbuilder::{HostObject, ScriptFn, ScriptValue};
use tvmscript_prim::BaseExpr;
use tvmscript_script_parser::{Member, NodeClass, PythonModule};

use crate::build::{self, expr, struct_info};
use crate::node;

use Member::{Class as IsClass, LeftOut, Value as IsValue};

/// A class without a constructor.
const fn class<T: Class>() -> Member {
    IsClass(NodeClass::new(T::type_info))
}

/// A class with its constructor.
macro_rules! made {
    ($node:ty, $function:expr) => {
        IsClass(NodeClass::new(<$node>::type_info).made_by(&$function))
    };
}

const BINDINGS: Member =
    LeftOut("scripts write bindings and blocks as statements: `y = R.add(x, x)`, `with R.dataflow():`");

/// Names that `R` does not have, with hints.
pub(super) const ABSENT: &[(&str, &str)] = &[
    ("Var", "parameters and assignments create variables; outside scripts, use `tvm.relax.Var(..)`"),
    ("PrimValue", "write `R.prim_value(..)`"),
    ("StringImm", "write `R.str(..)`"),
    ("DataTypeImm", "write `R.dtype(..)`"),
    ("Constant", "write `R.const(..)`"),
];

/// Functions shared with `R`.
const SAME: &[&str] =
    &["call_dps_packed", "call_pure_packed", "call_tir", "call_tir_inplace", "call_tir_with_grad", "const"];

/// Devices, which are functions of `R`, too.
const DEVICES: &[&str] =
    &["cpu", "cuda", "device", "ext_dev", "hexagon", "metal", "opencl", "rocm", "vpi", "vulkan", "webgpu"];

/// Numbers by name, the instructions of a function of the virtual machine.
///
/// # Source
/// `python/tvm/relax/testing/runtime_builtin.py` of TVM 0.23.
struct Codes(&'static str, &'static [(&'static str, i64)]);

impl HostObject for Codes {
    fn type_name(&self) -> &str {
        self.0
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        self.1.iter().find(|(own, _)| *own == name).map(|(_, code)| ScriptValue::Int(*code))
    }
    fn attribute_names(&self) -> Vec<String> {
        self.1.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

fn make_shape_codes() -> ScriptValue {
    ScriptValue::host(Codes("MakeShapeCode", &[("USE_IMM", 0), ("LOAD_SHAPE", 1)]))
}

fn match_shape_codes() -> ScriptValue {
    let codes =
        &[("ASSERT_EQUAL_TO_IMM", 0), ("STORE_TO_HEAP", 1), ("NO_OP", 2), ("ASSERT_EQUAL_TO_LOAD", 3)];
    ScriptValue::host(Codes("MatchShapeCode", codes))
}

const OF_FUNCTION: &[&ScriptFn] = &[&build::CREATE_EMPTY];

const MEMBERS: &[(&str, Member)] = &[
    ("Call", made!(node::Call, build::CALL_NODE)),
    ("Constant", class::<node::Constant>()),
    ("DataTypeImm", made!(node::DataTypeImm, expr::DTYPE)),
    ("DataflowVar", IsClass(NodeClass::new(node::dataflow_var_type).made_by(&build::DATAFLOW_VAR_NODE))),
    ("Expr", class::<BaseExpr>()),
    ("ExternFunc", made!(node::ExternFunc, expr::EXTERN_FUNC)),
    ("Function", IsClass(NodeClass::new(node::Function::type_info).members(OF_FUNCTION))),
    ("GlobalVar", made!(GlobalVar, tvmscript_ir::build::GLOBAL_VAR)),
    ("If", class::<node::If>()),
    ("PrimValue", made!(node::PrimValue, expr::PRIM_VALUE)),
    ("SeqExpr", class::<node::SeqExpr>()),
    ("ShapeExpr", made!(node::ShapeExpr, expr::SHAPE_NODE)),
    ("StringImm", made!(node::StringImm, expr::STRING)),
    ("Tuple", made!(node::Tuple, expr::TUPLE_NODE)),
    ("TupleGetItem", made!(node::TupleGetItem, expr::TUPLE_GET_ITEM)),
    ("Var", made!(node::Var, build::VAR_NODE)),
    ("get_shape_of", Member::Function(&build::GET_SHAPE_OF)),
    ("FuncStructInfo", made!(node::FuncStructInfo, build::FUNC_STRUCT_INFO)),
    ("ObjectStructInfo", made!(node::ObjectStructInfo, struct_info::OBJECT)),
    ("PrimStructInfo", made!(node::PrimStructInfo, struct_info::PRIM)),
    ("ShapeStructInfo", made!(node::ShapeStructInfo, struct_info::SHAPE)),
    ("StructInfo", class::<node::StructInfo>()),
    ("TensorStructInfo", made!(node::TensorStructInfo, build::TENSOR_STRUCT_INFO)),
    ("TupleStructInfo", made!(node::TupleStructInfo, build::TUPLE_STRUCT_INFO)),
    // written as statements in scripts
    ("BindingBlock", BINDINGS),
    ("BlockBuilder", BINDINGS),
    ("DataflowBlock", BINDINGS),
    ("MatchCast", BINDINGS),
    ("VarBinding", BINDINGS),
];

/// The modules.
pub(super) static MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm.script", "tvm.script.parser"]).members(&[("relax", Member::Namespace)]),
    PythonModule::new(&["tvm.script.ir_builder"]).members(&[("relax", Member::Namespace)]).scopes(),
    PythonModule::new(&["tvm.relax", "tvm.relax.expr", "tvm.relax.struct_info"]).names(SAME).members(MEMBERS),
    PythonModule::new(&["tvm.relax.op"]).owns(build::is_operator),
    PythonModule::new(&["tvm", "tvm.runtime"]).names(DEVICES),
    PythonModule::new(&["tvm.relax.testing.runtime_builtin"]).members(&[
        ("MakeShapeCode", IsValue(make_shape_codes)),
        ("MatchShapeCode", IsValue(match_shape_codes)),
    ]),
];
