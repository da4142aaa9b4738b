//! The dialect `tir` of TVM 0.23: loops, buffers, blocks and functions over scalars.
//!
//! - [`node`]: the nodes; constructors check types and never fold.
//! - [`op`]: the operators, one entry each.
//! - [`check`]: well-formedness of functions; [`complete`]: access regions that scripts leave out.
//! - `build`, `print` and the parser (features `build`, `print`, `parse`, all enabled by default): script functions and
//!   frames, nodes to text, text to nodes.
//!
//! ```
//! # #[cfg(all(feature = "build", feature = "print"))] {
//! use tvmscript_docsifier::{PrinterConfig, print};
//! use tvmscript_ir_core::RegistryBuilder;
//! use tvmscript_irbuilder::Builder;
//! use tvmscript_tir::PrimFunc;
//! use tvmscript_tir::build::script::{self as T, BufferAccess};
//!
//! let builder = Builder::new();
//! T::prim_func().body(|| {
//!     T::func_name("double");
//!     let a = T::arg("A", T::buffer(16).dtype("float32"));
//!     T::serial(16).body(|i| a.set(&i, a.at(&i) * 2.0));
//! });
//! let function = builder.get::<PrimFunc>()?;
//!
//! let dialects = [tvmscript_prim::dialect(), tvmscript_ir::dialect(), tvmscript_tir::dialect()];
//! let registry = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build()?;
//! let text = print(function.object(), &registry, &PrinterConfig::default())?;
//! assert!(text.contains("A[v] = A[v] * T.float32(2.0)"), "{text}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

#[cfg(any(feature = "build", feature = "print"))]
mod bare;
#[cfg(feature = "build")]
pub mod build;
pub mod check;
pub mod complete;
pub mod error;
#[cfg(any(feature = "build", feature = "print"))]
mod extent;
pub mod handles;
pub mod node;
pub mod op;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "print")]
pub mod print;
pub mod signature;
pub mod syntax;

pub use error::TirError;
pub use node::*;
pub use syntax::TirSyntax;

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::{CheckDialect, NameDialect};

/// Returns the dialect for a registry: its nodes, with the printers and parsers that the enabled features provide.
pub fn dialect() -> Dialect {
    dialect_of(&syntax::TVM_0_23)
}

/// Returns the dialect with the words and forms of a release.
pub fn dialect_of(syntax: &'static TirSyntax) -> Dialect {
    let mut dialect = nodes();
    dialect.slot_mut::<syntax::SyntaxSlot>().set(syntax);
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect, syntax);
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
        .names::<tvmscript_prim::Op>(op::operators().map(op::Operator::name))
        .check(check::diagnostics)
        .finish()
}
