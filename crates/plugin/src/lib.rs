//! Dialects as dynamic libraries.
//!
//! A plugin is a `cdylib` that exports a [`Dialect`]: the description of its nodes, operators and statements in TOML, and functions,
//! printers and passes in code. It shares no type of Rust with the program that loads it, only tables of C with a version, so the two
//! may be built apart, by different compilers.
//!
//! ```
//! use tvmscript_plugin::{Call, Dialect, Node, Value, export_dialect};
//!
//! fn toy() -> Dialect {
//!     Dialect::new("[dialect]\nname = 'toy'\nprefix = 'Toy'\n[node.Pair]\nfields = { first = 'node', second = 'node' }\n")
//!         .function("pair", &["first", "second"], "Pairs two nodes.", |args| match args {
//!             [first, second] => Node::new("toy.Pair", &[("first", first), ("second", second)]).map(Value::Node),
//!             _ => Err("two arguments are expected".into()),
//!         })
//!         .printer("toy.Pair", |pair| Ok(Call::new("pair", [pair.field("first")?, pair.field("second")?])))
//! }
//!
//! export_dialect!(toy);
//! ```
//!
//! A panic in a function, printer or pass is an error of the call. Invariant: only the module `raw` has unsafe code.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod dialect;
mod node;
#[doc(hidden)]
pub mod raw;

pub use dialect::{Call, Dialect};
pub use node::{Error, Node, Value};

/// Exports a dialect from a `cdylib`, given a function without parameters that makes it.
#[macro_export]
macro_rules! export_dialect {
    ($make:expr) => {
        const _: () = {
            static TABLE: $crate::raw::TableCell = $crate::raw::TableCell::new();
            $crate::__export!(TABLE, $make);
        };
    };
}
