//! Integer analysis over scalar expressions: simplification, bounds, and symbolic intervals.
//!
//! [`Analyzer::simplify`] prints the same expression as TVM's `arith.Analyzer().simplify`; [`eval_set`] gives the
//! interval an index covers, from which access regions are made. Nodes this crate does not know are opaque.
//! Everything is a question of rules; no solver is asked.
//!
//! # Where upstream changes a value
//!
//! Random evaluation shows some simplifications of TVM 0.23 to be wrong. They are left out here, so the text differs in
//! these rare places: bounds of a remainder whose dividend has a step and an offset beyond it, or is negative and the
//! remainder truncated (`bound.rs`); a floor quotient times a negative number, divided again (`canonical/divide.rs`); a
//! comparison divided by a common factor although a remainder is subtracted (`canonical/mod.rs`); ramps across zero,
//! divided with truncation (`rewrite/vector.rs`). One is kept, because access regions show it: the interval of a
//! truncated remainder is that of a dividend that is not negative.
//!
//! ```
//! use tvmscript_arith::Analyzer;
//! use tvmscript_ir_core::DataType;
//! use tvmscript_prim::{FloorMod, IntImm, Mul, Var};
//!
//! let n = Var::new("n", DataType::INT32);
//! let multiple = Mul::try_new(n.upcast(), IntImm::int32(4)).unwrap();
//! let remainder = FloorMod::try_new(multiple, IntImm::int32(4)).unwrap();
//! let simple = Analyzer::new().simplify(&remainder);
//! assert_eq!(simple.as_node::<IntImm>().map(|zero| zero.value), Some(0));
//! ```

mod analyzer;
mod bound;
mod canonical;
mod constraint;
mod error;
mod eval_set;
mod expr;
mod interval;
mod iter_map;
mod memo;
mod modular;
mod number;
mod opaque;
mod pattern;
mod rewrite;
mod solve;
mod structure;
mod transitive;

pub use analyzer::{Analyzer, DEFAULT_NODE_BUDGET, ProofStrength, simplify};
pub use bound::ConstIntBound;
pub use error::Stop;
pub use eval_set::{eval_set, eval_set_of_range, eval_set_of_set, vector_set};
pub use interval::{DomMap, IntSet};
pub use iter_map::map_ranges;
pub use modular::ModularSet;
pub use solve::{Narrowing, VarRange, narrow_domains, solve_inequalities};
