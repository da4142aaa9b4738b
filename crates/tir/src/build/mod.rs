//! The builder: what scripts call as `T.*`, and Rust programs as functions of the same names.

pub mod args;
pub mod block;
pub mod buffer;
mod complete;
pub mod dtypes;
pub mod expr;
pub mod frame;
pub mod function;
pub mod intrinsic;
pub mod loops;
mod names;
mod signature;
mod simplify;
pub mod stmt;
pub mod thread;
pub mod types;

pub use frame::{FrameKind, TirFrame, name_object};
pub use names::{ALIASES, FUNCTIONS};
pub use names::{find as find_name, names as other_names};
pub(crate) use simplify::simplify;
