//! Passes over IR of any dialect: context, sequences, instruments, errors with places, and rewriting by rules.
//!
//! A [`Pass`] maps a graph to a graph with a root of the same class, such as a module; [`pass!`] declares one. A
//! [`PassContext`] holds options, the optimisation level and [`PassInstrument`]s, and runs passes. A [`PassError`] is a
//! diagnostic about the nodes that a pass cannot transform. Passes keep source information: every node of the result has
//! the span of the nodes that it was made from.
//!
//! Generic rewrites of graphs are in `tvmscript-ir-core` ([`mutate`](tvmscript_ir_core::mutate()), `post_order_mutate`,
//! `substitute`); [`Rewriter`] applies rules until none applies. Invariant: this crate knows no dialect.
//!
//! ```
//! use tvmscript_ir_core::{Node, Object, Ref, post_order_mutate};
//! use tvmscript_pass::{PassContext, Sequential, pass};
//!
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Number")]
//! struct Number {
//!     value: i64,
//!     next: Option<Ref<Number>>,
//! }
//!
//! pass! {
//!     /// Replaces each 1 by 2.
//!     pub OneToTwo = "doc.OneToTwo" for Number |list, _context| {
//!         Ok(post_order_mutate(list, |node| {
//!             let number = node.as_node::<Number>().filter(|number| number.value == 1)?;
//!             Some(Ref::new(Number { value: 2, ..number.clone() }).into())
//!         })?)
//!     }
//! }
//!
//! let list = Ref::new(Number { value: 1, next: Some(Ref::new(Number { value: 3, next: None })) });
//! let passes = Sequential::new("both").then(OneToTwo).then(OneToTwo);
//! let context = PassContext::new().with_opt_level(3);
//! let new = context.run(&passes, list)?;
//! assert_eq!(new.value, 2);
//! assert!(context.run(&passes, new.clone())?.ptr_eq(&new), "nothing to change");
//! # Ok::<(), tvmscript_pass::PassError>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod context;
mod error;
pub mod instrument;
mod pass;
pub mod rewrite;
mod sequential;
mod table;

pub use context::{OptionError, PassContext};
pub use error::{PassError, PassErrorKind};
pub use instrument::{PassInstrument, PassRun};
pub use pass::{Pass, PassInfo, map_parts};
pub use rewrite::{RewriteRule, Rewriter};
pub use sequential::Sequential;
pub use table::{OptionDecl, OptionKind, OptionValue, PassDialect, PassOptions, PassTable};

/// Items that [`pass!`] uses.
#[doc(hidden)]
pub mod __private {
    pub use tvmscript_ir_core::Ref;
}
