//! The dialect `tir`: loops, buffers, blocks and functions of scalars.

#[cfg(any(feature = "build", feature = "print"))]
mod bare;
#[cfg(feature = "build")]
pub mod build;
pub mod check;
pub mod complete;
pub mod error;
#[cfg(any(feature = "build", feature = "print"))]
mod extent;
pub mod node;
pub mod op;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "print")]
pub mod print;
pub mod signature;

pub use error::TirError;
pub use node::*;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::CheckDialect;

/// Returns the dialect for a registry: its nodes, with the printers and parsers that the enabled features provide.
pub fn dialect() -> Dialect {
    let dialect = nodes();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect);
    dialect
}

/// Returns the dialect with its nodes alone, and declares its operators to the scalar analyses.
pub fn nodes() -> Dialect {
    op::declare();
    Dialect::new("tir")
        .node::<Buffer>()
        .node::<BufferLoad>()
        .node::<ProducerLoad>()
        .node::<IterVar>()
        .node::<Reduce>()
        .node::<Stmt>()
        .node::<LetStmt>()
        .node::<AttrStmt>()
        .node::<AssertStmt>()
        .node::<BufferStore>()
        .node::<BufferRealize>()
        .node::<Allocate>()
        .node::<AllocateConst>()
        .node::<DeclBuffer>()
        .node::<SeqStmt>()
        .node::<Evaluate>()
        .node::<IfThenElse>()
        .node::<For>()
        .node::<While>()
        .node::<BufferRegion>()
        .node::<MatchBufferRegion>()
        .node::<Block>()
        .node::<BlockRealize>()
        .node::<PrimFunc>()
        .check(check::findings)
        .finish()
}
