//! The dialect of later TVM releases, over the nodes of [`tvmscript_tir`].
//!
//! From 0.24 on, bindings, allocations, declared buffers and assertions are statements of their own: they hold until the
//! end of the enclosing sequence, and nest nothing. Everything else is TIR's, under other names, which the release lists. The
//! overlay of such a release puts the release's dialect, such as [`tvm_0_27::dialect`], in place of TIR's.
//!
//! ```
//! use tvmscript_ir_core::RegistryBuilder;
//!
//! let dialects = [tvmscript_prim::dialect(), tvmscript_ir::dialect(), tvmscript_tirx::tilelang_0_25::dialect()];
//! let registry = dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build()?;
//! assert!(registry.node("tirx.Bind").is_some());
//! # Ok::<(), tvmscript_ir_core::RegistryErrors>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "build")]
pub mod build;
pub mod layout;
mod made;
pub mod node;
pub mod op;
#[cfg(feature = "print")]
mod print;
pub mod tilelang_0_25;
pub mod tirx_0_1;
pub mod tvm_0_24;
pub mod tvm_0_25;
pub mod tvm_0_26;
pub mod tvm_0_27;

pub use layout::{Fragment, Layout};
pub use node::{
    AllocBuffer, AnnotatedCall, AssertStmt, Bind, BufferArgument, DeclBuffer, ScopeIdDefStmt, TypedCall,
};
