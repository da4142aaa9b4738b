//! Explanations of scripts: the builder calls behind them, and their helpers written out.
//!
//! - [`mod@explain`] shows the builder calls behind a script and writes a program of them.
//! - [`mod@expand`] writes out the helpers and macros that scripts call.
//!
//! ```
//! use tvmscript::{ParseOptions, registry};
//! use tvmscript_explain::expand::expand;
//!
//! let text = "from tvm.script import tir as T\n\n@T.prim_func\ndef f(a: T.handle):\n    T.evaluate(0)\n";
//! let expanded = expand("f.py", text, registry(), &ParseOptions::default(), 1)?;
//! assert_eq!(expanded.text, text, "there is nothing to write out");
//! # Ok::<(), Vec<tvmscript::ParseError>>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

pub mod expand;
#[cfg(feature = "print")]
pub mod explain;
