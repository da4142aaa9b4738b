//! The Python module `tvm.relax`, as far as scripts use it.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::Class;
use tvmscript_prim::BaseExpr;
use tvmscript_script_parser::{Member, NodeClass, PythonModule};

use crate::build::{self, expr, struct_info};
use crate::node;

use Member::{Class as IsClass, LeftOut};

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
    (
        "emit_te",
        "it runs Python code to create a tensor expression, which is not supported; write the computation as a \
     `T.prim_func` of the module and call it with `R.call_tir`",
    ),
    ("Call", "call the operator's function, such as `R.add(x, y)`, or write `tvm.relax.Call(op, args)`"),
    ("op", "operators are direct members of `R`: write `R.add(x, y)`; the Python module is `tvm.relax.op`"),
    ("Var", "parameters and assignments create variables; outside scripts, use `tvm.relax.Var(..)`"),
    ("PrimValue", "write `R.prim_value(..)`"),
    ("StringImm", "write `R.str(..)`"),
    ("DataTypeImm", "write `R.dtype(..)`"),
    ("Constant", "write `R.const(..)`"),
];

/// Functions shared with `R`.
const SAME: &[&str] =
    &["call_dps_packed", "call_pure_packed", "call_tir", "call_tir_inplace", "call_tir_with_grad", "const"];

const MEMBERS: &[(&str, Member)] = &[
    ("Call", made!(node::Call, build::CALL_NODE)),
    ("Constant", class::<node::Constant>()),
    ("DataTypeImm", made!(node::DataTypeImm, expr::DTYPE)),
    ("DataflowVar", IsClass(NodeClass::new(node::dataflow_var_type).made_by(&build::DATAFLOW_VAR_NODE))),
    ("Expr", class::<BaseExpr>()),
    ("ExternFunc", made!(node::ExternFunc, expr::EXTERN_FUNC)),
    ("Function", class::<node::Function>()),
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
];
