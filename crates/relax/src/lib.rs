//! The dialect `relax`: functions of tensors with dataflow, whose shapes are inferred.
//!
//! [`op`] declares the operators with type inference, [`blocks`] builds bindings in normal form, [`analysis`] computes with
//! struct info (the static type of a value, with its shape), and [`check`] tests whether a function is well-formed. These need no
//! feature; `print`, `build` and `parse` add the printer, the builder and the parser.
//!
//! ```
//! use tvmscript_ir_core::DataType;
//! use tvmscript_prim::IntImm;
//! use tvmscript_relax::blocks::BlockBuilder;
//! use tvmscript_relax::op::linear_algebra::matmul;
//! use tvmscript_relax::{ShapeExpr, TensorStructInfo, Var, struct_info_of};
//!
//! let tensor = |name: &str, dims: [i64; 2]| {
//!     let shape = ShapeExpr::try_new(dims.map(IntImm::int64)).expect("the dimensions are `int64`");
//!     let info = TensorStructInfo::of_shape(shape, DataType::FLOAT32, None);
//!     Var::new(name, Some(info.upcast())).upcast()
//! };
//! let mut blocks = BlockBuilder::default();
//! let product = matmul(tensor("a", [2, 3]), tensor("b", [3, 4]), None);
//! let product = blocks.emit(product.upcast(), None)?;
//! let info = struct_info_of(&product.upcast()).expect("it was inferred");
//! let dims = info.as_node::<TensorStructInfo>().and_then(|tensor| tensor.known_dims()).expect("it is known");
//! assert!(dims.iter().zip([2, 4]).all(|(dim, length)| dim.as_node::<IntImm>().is_some_and(|dim| dim.value == length)));
//!
//! let error = blocks.emit(matmul(tensor("a", [2, 3]), tensor("c", [4, 4]), None).upcast(), None).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "`R.matmul`: contraction dimensions differ: dimension -1 of the first operand is 3, dimension -2 of the second is 4"
//! );
//! # Ok::<(), tvmscript_relax::error::RelaxError>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod analysis;
pub mod blocks;
#[cfg(feature = "build")]
pub mod build;
pub mod check;
mod describe;
pub use describe::struct_info as describe;
pub mod error;
pub mod evaluate;
pub mod func_type;
pub mod node;
pub mod op;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "print")]
pub mod print;
mod source;
pub mod syntax;

pub use node::*;
pub use syntax::RelaxSyntax;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::{CheckDialect, NameDialect};

/// Creates the dialect, with what the enabled features add to its nodes.
pub fn dialect() -> Dialect {
    dialect_of(&syntax::TVM_0_23)
}

/// Creates the dialect with the words and forms of a release.
pub fn dialect_of(syntax: &'static RelaxSyntax) -> Dialect {
    let mut dialect =
        nodes().names::<tvmscript_prim::Op>(syntax.operators.operators().map(|operator| operator.name));
    dialect.slot_mut::<syntax::SyntaxSlot>().set(syntax);
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect, &syntax.operators);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect;
        dialect.context(syntax)
    };
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_ir::signature::FunctionTyper;
        use tvmscript_irbuilder::ContextDialect;
        dialect.context(FunctionTyper(func_type::prim_func_type))
    };
    #[cfg(feature = "parse")]
    let dialect = {
        use tvmscript_ir::build::FunctionCaller;
        use tvmscript_irbuilder::ContextDialect;
        dialect.context(FunctionCaller(parse::call_function))
    };
    dialect
}

/// Creates the dialect with its nodes alone.
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
        .node::<UnknownCall>()
        .node::<Tuple>()
        .node::<TupleGetItem>()
        .node::<ShapeExpr>()
        .node::<Id>()
        .node::<Var>()
        .node_info(dataflow_var_type())
        .node::<Constant>()
        .node::<PrimValue>()
        .node::<ScalarUse>()
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
        .names::<tvmscript_prim::Op>(op::SHARED.operators().map(|operator| operator.name))
        .check(check::diagnostics)
}
