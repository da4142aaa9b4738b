//! The dialect of later TVM releases, over the nodes of [`tvmscript_tir`].
//!
//! From 0.25 on, bindings, allocations, declared buffers and assertions are statements of their own: they hold until the
//! end of the enclosing sequence, and nest nothing. Everything else is TIR's, under other names, which the release lists. The
//! overlay of such a release puts [`dialect`] in place of TIR's.
//!
//! ```
//! use tvmscript_ir_core::RegistryBuilder;
//!
//! let dialects = [tvmscript_prim::dialect(), tvmscript_ir::dialect(), tvmscript_tirx::dialect()];
//! let registry = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build()?;
//! assert!(registry.node("tirx.Bind").is_some());
//! # Ok::<(), tvmscript_ir_core::RegistryErrors>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "build")]
pub mod build;
pub mod current;
pub mod layout;
pub mod node;
pub mod op;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "print")]
mod print;
pub mod standalone;
pub mod tilelang;

pub use layout::{Fragment, Layout};
pub use node::{
    AllocBuffer, AnnotatedCall, AssertStmt, Bind, BufferArgument, DeclBuffer, ScopeIdDefStmt, TypedCall,
};

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::registry::NameDialect as _;

/// Returns the dialect for a registry: TIR with the words and statements of 0.25.
pub fn dialect() -> Dialect {
    let dialect = tvmscript_tir::dialect_of(&tilelang::SURFACE)
        .node::<Bind>()
        .node::<AllocBuffer>()
        .node::<DeclBuffer>()
        .node::<AssertStmt>()
        .node::<AnnotatedCall>()
        .node::<Layout>()
        .node::<Fragment>()
        .names::<tvmscript_prim::Op>(op::TILELANG_0_25.iter().map(|operator| operator.name()))
        .finish();
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "build")]
    let dialect = {
        use tvmscript_irbuilder::ContextDialect as _;
        dialect
            .context(tvmscript_ir::build::AsWritten)
            .context(tvmscript_tir::build::operator::Unfolded(|_| true))
    };
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect);
    dialect
}
