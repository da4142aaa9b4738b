//! Expression nodes with strict constructors: no promotion, no folding.

mod binary;
mod call;
mod index_map;
pub(crate) mod leaf;
mod logic;
mod unknown;
mod vector;

pub use binary::{Add, Div, EQ, FloorDiv, FloorMod, GE, GT, LE, LT, Max, Min, Mod, Mul, NE, Sub};
pub use call::{Call, CommReducer, Let};
pub use index_map::IndexMap;
pub use leaf::{Cast, FloatImm, IntImm, StringImm, Var, size_var_type};
pub use logic::{And, Not, Or, Select};
pub use unknown::{UnknownCall, WrittenTuple};
pub use vector::{Broadcast, Lanes, Ramp, Shuffle};
