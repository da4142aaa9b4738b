//! Passes over modules, with instruments, and the passes of TIR and Relax.
//!
//! A [`Pass`] maps a module to a module; [`pass!`] declares one. A [`PassContext`] holds options, the optimisation level
//! and [`PassInstrument`]s, and runs passes. Passes keep source information: every node of the result has the span of
//! the nodes that it was made from.
//!
//! ```
//! use tvmscript_ir::{DictAttrs, IRModule};
//! use tvmscript_ir_core::{Map, post_order_mutate};
//! use tvmscript_passes::{PassContext, Sequential, pass};
//! use tvmscript_prim::IntImm;
//! use tvmscript_tir::node::PrimFunc;
//!
//! pass! {
//!     /// Replaces each 1 by 2.
//!     pub OneToTwo = "doc.OneToTwo" for PrimFunc |function, _context| {
//!         let two = |old: &IntImm| IntImm::try_new(old.dtype, 2);
//!         Ok(post_order_mutate(function, |node| match node.as_node::<IntImm>() {
//!             Some(one) if one.value == 1 => two(one).ok().map(Into::into),
//!             _ => None,
//!         })?)
//!     }
//! }
//!
//! let module = IRModule::new([], DictAttrs::new([]), Map::default());
//! let passes = Sequential::new("both").then(OneToTwo).then(OneToTwo);
//! let context = PassContext::new().with_opt_level(3);
//! assert!(context.run(&passes, module.clone())?.ptr_eq(&module), "nothing to change");
//! # Ok::<(), tvmscript_passes::PassError>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod pattern;
mod program;
pub mod relax;
pub mod tir;

pub use program::on_module;
pub use tvmscript_pass::{
    ENABLE_SI_BUILDER, OptionDecl, OptionError, OptionKind, OptionValue, Pass, PassContext, PassError,
    PassInfo, PassInstrument, PassRun, PassTable, PassesOfDialect, RewriteRule, Rewriter, Sequential,
    instrument, map_functions, pass, rewrite,
};

use tvmscript_ir_core::Dialect;

/// The passes of this crate and the options that they share, for a registry.
pub fn dialect() -> Dialect {
    let common = Dialect::new("passes").pass_option(OptionDecl {
        key: ENABLE_SI_BUILDER,
        default: OptionValue::Bool(true),
        doc: "fill and merge the spans of nodes that passes make",
    });
    relax::register(tir::register(common))
}
