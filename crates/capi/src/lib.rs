//! The C interface of TVMScript: `include/tvmscript.h` and the library behind it.
//!
//! Objects of the library are handles: numbers of slots in one table, each with a generation, so that a handle that was freed,
//! is of another kind or was never given out is an error code and not a crash. Texts are UTF-8 with a length. Every function
//! returns a [`Status`] and writes its results through pointers. Mistakes in programs are lists of diagnostics, the same that
//! the command prints. No panic crosses the border.
//!
//! Invariant: only the module `raw` has unsafe code; it converts pointers at the border and calls safe functions of the other
//! modules. The library has no state but the table of handles.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod builder;
mod callable;
mod compare;
mod diagnostics;
mod emit;
mod handles;
mod json;
mod options;
mod plugin;
mod program;
mod raw;
mod reflect;
mod status;
mod text;
mod transform;
mod value;

pub use plugin::{Plugin, PluginError};
pub use status::Status;
