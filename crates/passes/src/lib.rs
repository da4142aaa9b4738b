//! Passes over TIR and Relax, and the rewriters they are made with.
//!
//! [`tir`] and [`relax`] hold the passes, [`tir::rewrite`] and [`relax::rewrite`] the rewriters of statements and
//! bindings, [`pattern`] dataflow patterns of Relax. Declaring and running passes is the task of `tvmscript-pass`.
//!
//! ```
//! use tvmscript_ir::{DictAttrs, IRModule};
//! use tvmscript_ir_core::{Map, post_order_mutate};
//! use tvmscript_pass::{PassContext, Sequential, pass};
//! use tvmscript_passes::tir::Simplify;
//! use tvmscript_prim::IntImm;
//! use tvmscript_tir::node::PrimFunc;
//!
//! pass! {
//!     /// Replaces each 1 by 2.
//!     pub OneToTwo = "doc.OneToTwo" for PrimFunc in IRModule |function, _context| {
//!         let two = |old: &IntImm| IntImm::try_new(old.dtype, 2);
//!         Ok(post_order_mutate(function, |node| match node.as_node::<IntImm>() {
//!             Some(one) if one.value == 1 => two(one).ok().map(Into::into),
//!             _ => None,
//!         })?)
//!     }
//! }
//!
//! let module = IRModule::new([], DictAttrs::new([]), Map::default());
//! let passes = Sequential::new("both").then(OneToTwo).then(Simplify);
//! let context = PassContext::new().with_opt_level(3);
//! assert!(context.run(&passes, module.clone())?.ptr_eq(&module), "nothing to change");
//! # Ok::<(), tvmscript_pass::PassError>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod pattern;
mod program;
pub mod relax;
mod scalar;
pub mod tir;

pub use program::{ProgramForm, on_module};
pub use scalar::scalar_rules;

use tvmscript_ir_core::Dialect;
use tvmscript_pass::{OptionDecl, OptionValue, PassDialect};

/// Result of a rewrite.
pub(crate) type Result<T> = std::result::Result<T, tvmscript_pass::PassError>;

/// The passes of this crate and the options that they share, for a registry.
pub fn dialect() -> Dialect {
    let common = Dialect::new("passes").span_switch(OptionDecl {
        key: "ir.enable_si_builder",
        default: OptionValue::Bool(true),
        doc: "fill and merge the spans of nodes that passes make",
    });
    relax::register(tir::register(common))
}
