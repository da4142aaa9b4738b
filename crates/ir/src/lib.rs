//! The dialect `ir`: modules, ranges, types, targets, global infos and metadata. Its token is the default one.
//!
//! ```
//! use tvmscript_ir::{GlobalVar, constants::ConstantStore};
//! use tvmscript_ir_core::RegistryBuilder;
//!
//! let registry = RegistryBuilder::new().with(tvmscript_prim::dialect()).with(tvmscript_ir::dialect()).build()?;
//! assert!(registry.node("ir.IRModule").is_some());
//! assert_eq!(GlobalVar::new("main").name_hint.as_str(), "main");
//! assert!(ConstantStore::new().is_empty());
//! # Ok::<(), tvmscript_ir_core::RegistryErrors>(())
//! ```
//!
//! Features, all on by default: `print` (nodes to text), `build` (script functions and frames), `parse` (text to nodes,
//! includes `build`).

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

#[cfg(feature = "build")]
pub mod build;
pub mod constants;
pub mod node;
#[cfg(feature = "parse")]
pub mod parse;
#[cfg(feature = "print")]
pub mod print;
pub mod program_key;
pub mod release;
pub mod signature;
mod source;

pub use node::*;
pub use source::{SPAN_FILLING, set_span, span_filling};

use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::json::UnknownNode;
use tvmscript_tvm_json::{TvmJsonDialect as _, TvmJsonVersion};

use crate::release::TVM_0_23;

/// The dialect: its nodes, the release that TVM's dialects are written for, and the parts that the enabled features add.
pub fn dialect() -> Dialect {
    let dialect = nodes().of_release(&TVM_0_23).tvm_json(&TVM_0_23, &TvmJsonVersion::V0_23);
    #[cfg(feature = "print")]
    let dialect = print::register(dialect);
    #[cfg(feature = "parse")]
    let dialect = parse::register(dialect);
    dialect
}

/// The nodes of this dialect alone.
pub fn nodes() -> Dialect {
    Dialect::new("ir")
        .node::<RelaxExpr>()
        .node::<BaseFunc>()
        .node::<GlobalVar>()
        .node::<GlobalInfo>()
        .node::<DummyGlobalInfo>()
        .node::<VDevice>()
        .node::<EnvFunc>()
        .node::<Attrs>()
        .node::<DictAttrs>()
        .node::<Target>()
        .node::<TargetKind>()
        .node::<SourceMap>()
        .node::<IRModule>()
        .node::<UnknownNode>()
        .node::<Omitted>()
        .finish()
}
