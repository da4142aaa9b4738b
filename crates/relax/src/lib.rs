//! The dialect `relax`. Today: the nodes that signatures of functions need, so that modules with any functions can be
//! loaded, compared and saved.

pub mod func_type;
pub mod node;

pub use node::*;

use tvmscript_ir_core::Dialect;

/// The dialect for a registry: its nodes, and what the features of this crate add to them.
pub fn dialect() -> Dialect {
    let dialect = nodes();
    #[cfg(feature = "print")]
    let dialect = tvmscript_docsifier::DocsifyDialect::alias(dialect, "R");
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
    Dialect::new("relax")
        .node::<StructInfo>()
        .node::<ObjectStructInfo>()
        .node::<PrimStructInfo>()
        .node::<ShapeStructInfo>()
        .node::<TensorStructInfo>()
        .node::<TupleStructInfo>()
        .node::<FuncStructInfo>()
        .node::<ShapeExpr>()
        .finish()
}
