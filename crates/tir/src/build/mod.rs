//! The builder: the functions that scripts call as `T.*`, and their Rust counterparts.

mod access;
pub mod args;
pub mod block;
pub mod buffer;
pub mod compute;
pub mod expr;
pub mod frame;
pub mod function;
mod into_arg;
pub mod loops;
mod names;
pub mod operator;
#[cfg(feature = "parse")]
mod python;
pub mod reducer;
pub mod script;
pub mod stmt;
pub mod subscript;
pub mod thread;
pub mod types;

pub use access::BufferAccess;
pub use frame::{FrameKind, TirFrame};
pub use into_arg::Indices;
pub use names::{ALIASES, FUNCTIONS};
#[cfg(feature = "parse")]
pub(crate) use names::{ConstExpr, REGION_FUNCTIONS};
pub use names::{find as find_name, names as other_names};
#[cfg(feature = "parse")]
pub(crate) use python::*;
