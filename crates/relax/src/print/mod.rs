//! Printers of Relax nodes, by family.
//!
//! Scalars print by the rules of their own dialect, except variables, which are declared in the outermost function, and
//! literals of dimensions, which are plain numbers.

mod binding;
mod call;
mod constant;
mod distributed;
mod expr;
mod function;
mod scalar;
mod state;
mod stated;
mod struct_info;
mod types;

pub use state::RelaxOptions;

use tvmscript_docsifier::doc::Doc;
use tvmscript_docsifier::{DocsifyDialect, Frame};
use tvmscript_ir::print::ModuleOrder;
use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::Dialect;
use tvmscript_prim as prim;

use crate::node::*;
use state::RelaxFrame;

/// Registers the printers.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    let dialect = dialect.alias("R").root_frame(|_| Frame::fragment(RelaxFrame::default()));
    let dialect = dialect.printer_options(state::OPTIONS);
    shared(expressions(struct_info_and_types(dialect)))
}

fn struct_info_and_types(dialect: Dialect) -> Dialect {
    dialect
        .on::<ObjectStructInfo>()
        .docsify(struct_info::object)
        .on::<PrimStructInfo>()
        .docsify(struct_info::prim)
        .on::<ShapeStructInfo>()
        .docsify(struct_info::shape)
        .on::<TensorStructInfo>()
        .docsify(struct_info::tensor)
        .on::<TupleStructInfo>()
        .docsify(struct_info::tuple)
        .on::<FuncStructInfo>()
        .docsify(struct_info::func)
        .on::<DTensorStructInfo>()
        .docsify(distributed::dtensor)
        .on::<DeviceMesh>()
        .docsify(distributed::device_mesh)
        .on::<Placement>()
        .docsify(distributed::placement)
        .on::<ShapeType>()
        .docsify(types::shape)
        .on::<TensorType>()
        .docsify(types::tensor)
        .on::<ObjectType>()
        .docsify(types::object)
        .on::<PackedFuncType>()
        .docsify(types::packed_func)
        .finish()
}

fn expressions(dialect: Dialect) -> Dialect {
    dialect
        .on::<Call>()
        .docsify(call::call)
        .on::<Tuple>()
        .docsify(expr::tuple)
        .on::<TupleGetItem>()
        .docsify(expr::tuple_get_item)
        .on::<ShapeExpr>()
        .docsify(expr::shape)
        .on::<Var>()
        .docsify(expr::var)
        .variable()
        .docsify_info(dataflow_var_type(), |object, path, d| expr::any_var(object, path, d).map(Doc::from))
        .on::<Constant>()
        .docsify(expr::constant)
        .on::<PrimValue>()
        .docsify(expr::prim_value)
        .on::<ScalarUse>()
        .docsify(expr::scalar_use)
        .on::<StringImm>()
        .docsify(expr::string)
        .on::<DataTypeImm>()
        .docsify(expr::data_type)
        .on::<SeqExpr>()
        .docsify(binding::seq_expr)
        .on::<If>()
        .docsify(binding::if_alone)
        .on::<VarBinding>()
        .docsify(binding::var_binding)
        .span_of_field("value")
        .on::<MatchCast>()
        .docsify(binding::match_cast)
        .span_of_field("value")
        .on::<BindingBlock>()
        .docsify(binding::block)
        .docsify_info(dataflow_block_type(), binding::dataflow_block)
        .on::<Function>()
        .docsify(function::function)
        .module_order(3)
        .on::<UnknownCall>()
        .docsify(expr::unknown_call)
        .on::<ExternFunc>()
        .docsify(expr::extern_func)
        .module_order(2)
        .finish()
}

/// Nodes of other dialects under the dispatch token of this one.
fn shared(dialect: Dialect) -> Dialect {
    dialect
        .on::<prim::Var>()
        .docsify_under("relax", scalar::var)
        .docsify_info_under("relax", prim::size_var_type(), |object, path, d| {
            scalar::size_var(object, path, d).map(Doc::from)
        })
        .on::<prim::IntImm>()
        .docsify_under("relax", scalar::int_imm)
        .on::<prim::FloatImm>()
        .docsify_under("relax", scalar::float_imm)
        .on::<GlobalVar>()
        .docsify_under("relax", tvmscript_ir::print::function_reference)
        .on::<IRModule>()
        .docsify_under("relax", scalar::module)
        .on::<prim::TupleType>()
        .docsify_under("relax", types::tuple)
        .on::<prim::FuncType>()
        .docsify_under("relax", types::func)
        .on::<prim::Range>()
        .docsify_under("relax", types::range)
        .finish()
}
