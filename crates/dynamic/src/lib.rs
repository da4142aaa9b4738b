//! Builder calls by name: the operations of a program around scripts, as functions.
//!
//! `tvmscript emit --target rust-builder` writes such programs, and the C ABI makes the same calls. A program has the
//! values, names and errors that the same code in Python would have:
//!
//! ```
//! # use tvmscript_dynamic as dynamic;
//! use dynamic::{Program, args, call, with};
//!
//! # fn main() -> Result<(), dynamic::BuildErrors> {
//! let program = Program::new(tvmscript::registry());
//! program.import("tvm.script.ir_builder", "IRBuilder", "IRBuilder");
//! program.import("tvm.script.ir_builder", "tir", "T");
//! let main;
//! {
//!     let b = with(call("IRBuilder", args![]));
//!     {
//!         let _function = with(call("T.prim_func", args![]));
//!         call("T.func_name", args!["main"]);
//!         let n = call("T.arg", args!["n", call("T.int32", args![])]);
//!         call("T.evaluate", args![n * 2 + 1]);
//!     }
//!     main = b.value().method("get", args![]);
//! }
//! let function = program.finish(main)?;
//! # let config = tvmscript::PrinterConfig::default();
//! let text = tvmscript::print(&function, tvmscript::registry(), &config).expect("a function has a text");
//! assert!(text.ends_with("def main(n: T.int32):\n    T.evaluate(n * 2 + 1)"), "{text}");
//! # Ok(())
//! # }
//! ```
//!
//! A [`Value`] is the number of a value of the thread's innermost [`Program`], so that it can be copied and used in
//! expressions. A failed operation records its error with its place in the Rust code; operations on its result do
//! nothing, and [`Program::finish`] returns all errors.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod args;
mod operators;
mod program;
mod value;

pub use args::Arg;
pub use program::{Program, Scope, call, operate, with};
pub use tvmscript_irbuilder::BuildErrors;
pub use tvmscript_python_syntax::ast::{BinOp, BoolOp, CmpOp, UnaryOp};
pub use tvmscript_script_eval::Operator;
pub use value::{Value, dict, ellipsis, function, lambda, list, name, none, tuple, val};
