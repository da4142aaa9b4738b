//! Releases, one description each.
//!
//! The dialects of this workspace are written for [`TVM_0_23`]. Each module here describes another release: its
//! [`Release`](tvmscript_ir_core::Release) with syntax and renames, its form of TVM's JSON, and a function that returns
//! its [`Overlay`](tvmscript_ir_core::registry::Overlay), which a registry lays over all of its dialects. Nodes, printers and parsers of a
//! release are in `tvmscript-tirx`, rewrites of programs in `tvmscript-upgrade`; both read names from the release.
//!
//! ```
//! use tvmscript_ir_core::RegistryBuilder;
//! use tvmscript_releases::{tvm_0_27, TVM_0_23};
//!
//! let registry = RegistryBuilder::new()
//!     .with(tvmscript_prim::dialect())
//!     .with(tvmscript_ir::dialect())
//!     .with(tvmscript_tir::dialect())
//!     .with(tvmscript_relax::dialect())
//!     .release(tvm_0_27::overlay())
//!     .build()?;
//! assert_eq!(registry.releases().collect::<Vec<_>>(), [&TVM_0_23, &tvm_0_27::RELEASE]);
//! assert_eq!(tvm_0_27::RELEASE.renames.function_name("tir", "block"), "sblock");
//! # Ok::<(), tvmscript_ir_core::RegistryErrors>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod keys;
mod steps;
pub mod tilelang_0_25;
pub mod tirx_0_1;
pub mod tvm_0_24;
pub mod tvm_0_25;
pub mod tvm_0_26;
pub mod tvm_0_27;

/// The builder of [`TVM_0_23`] in C++: a table of its functions and types, which targets of programs read.
pub const CPP_BUILDER: &str = include_str!("tvm_0_23_cpp.txt");

pub use keys::{RELEASE_OF_KEYS, program_key};
pub use tvmscript_ir::release::TVM_0_23;
