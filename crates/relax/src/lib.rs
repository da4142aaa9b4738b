//! The dialect `relax`: functions of tensors, with what is known of each value before it is computed.

pub mod analysis;
pub mod blocks;
#[cfg(feature = "build")]
pub mod build;
pub mod check;
mod describe;
pub mod error;
pub mod func_type;
pub mod node;
pub mod op;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "print")]
pub mod print;

pub use node::*;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::{CheckDialect, NameDialect};

/// The dialect for a registry: its nodes, and what the features of this crate add to them.
pub fn dialect() -> Dialect {
    let dialect = nodes();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_ir::signature::FunctionTyper;
        use tvmscript_irbuilder::ContextDialect;
        dialect.context(FunctionTyper(func_type::prim_func_type))
    };
    dialect
}

/// The nodes of this dialect, for a registry.
pub fn nodes() -> Dialect {
    let dialect = Dialect::new("relax")
        .node::<StructInfo>()
        .node::<ObjectStructInfo>()
        .node::<PrimStructInfo>()
        .node::<ShapeStructInfo>()
        .node::<TensorStructInfo>()
        .node::<TupleStructInfo>()
        .node::<FuncStructInfo>()
        .node::<ShapeType>()
        .node::<TensorType>()
        .node::<ObjectType>()
        .node::<PackedFuncType>()
        .node::<LeafExpr>()
        .node::<Call>()
        .node::<Tuple>()
        .node::<TupleGetItem>()
        .node::<ShapeExpr>()
        .node::<Id>()
        .node::<Var>()
        .node_info(dataflow_var_type())
        .node::<Constant>()
        .node::<PrimValue>()
        .node::<StringImm>()
        .node::<DataTypeImm>()
        .node::<SeqExpr>()
        .node::<If>()
        .node::<Function>()
        .node::<ExternFunc>()
        .node::<Binding>()
        .node::<VarBinding>()
        .node::<MatchCast>()
        .node::<BindingBlock>()
        .node_info(dataflow_block_type())
        .node::<DeviceMesh>()
        .node::<PlacementSpec>()
        .node::<Placement>()
        .node::<DTensorStructInfo>();
    attrs::nodes(dialect)
        .names::<tvmscript_prim::Op>(op::operators().map(|operator| operator.name))
        .check(check::findings)
}
