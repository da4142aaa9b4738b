//! Simplification, bounds and symbolic intervals of scalar integer expressions.
//!
//! [`Analyzer::simplify`] returns the expression that TVM's `arith.Analyzer().simplify` returns; [`eval_set`] returns
//! the interval that an index covers, from which access regions are computed. All analyses are rule-based; there is
//! no solver. Nodes of other dialects are opaque.
//!
//! ```
//! use tvmscript_arith::Analyzer;
//! use tvmscript_prim::{Compare, DataType, IntImm, Var};
//!
//! let i = Var::new("i", DataType::INT32);
//! let mut analyzer = Analyzer::new();
//! analyzer.bind_range(&i, &IntImm::int32(0), &IntImm::int32(16));
//! // A guard that the range of `i` already implies.
//! assert!(analyzer.can_prove(&(&i * 4 + 3).less(64)));
//! // (i * 4 + 3) // 4 is i, and i % 32 is at most 15.
//! assert!(analyzer.simplify(&tvmscript_prim::ops::floordiv(&i * 4 + 3, IntImm::int32(4)).unwrap()).ptr_eq(&i));
//! assert_eq!(analyzer.const_int_bound(&(&i % 32)).max, 15);
//! ```
//!
//! # Affine maps
//!
//! [`detect_iter_map`] writes indices as sums of parts of iterators ([`IterSum`], [`IterSplit`], [`IterMark`]), for the
//! iterations in which a predicate holds. On this form
//!
//! - [`iter_map_simplify`] and [`normalize_iter_map_to_expr`] write indices as simply as their parts allow;
//! - [`subspace_divide`] divides a map into one of outer and one of inner iterators;
//! - [`inverse_affine_iter_map`], [`inverse_index_map`] and [`non_surjective_inverse`] invert maps;
//! - [`estimate_region_lower_bound`] and its kin bound the region that loops touch.
//!
//! # Differences from upstream
//!
//! Some simplifications of TVM 0.23 change the value of an expression. This crate leaves them out:
//!
//! - bounds of a remainder whose dividend has a step and an offset beyond it, or is negative and the remainder
//!   truncated (`bound.rs`);
//! - a floor quotient times a negative number, divided again (`canonical/divide.rs`);
//! - a comparison divided by a common factor although a remainder is subtracted (`canonical/mod.rs`);
//! - ramps across zero, divided with truncation (`rewrite/vector.rs`).
//!
//! One is kept because access regions show it: the interval of a truncated remainder is that of a non-negative
//! dividend.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

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
mod normal;
mod number;
mod opaque;
mod pattern;
mod rewrite;
mod solve;
mod structure;
mod transitive;
mod witness;

pub use analyzer::{Analyzer, Constraint, DEFAULT_NODE_BUDGET, ProofStrength, simplify};
pub use bound::ConstIntBound;
pub use error::ArithError;
pub use eval_set::{eval_set, eval_set_of_range, eval_set_of_set, vector_set};
pub use interval::{DomMap, IntSet};
pub use iter_map::{
    IterMap, IterMapError, IterMapErrors, IterMapLevel, IterMark, IterSource, IterSplit, IterSum,
    SubspaceDivision, detect_iter_map, estimate_region_lower_bound, estimate_region_strict_bound,
    estimate_region_upper_bound, inverse_affine_iter_map, inverse_index_map, iter_map_simplify, map_ranges,
    non_surjective_inverse, normalize_iter_map_to_expr, normalize_to_iter_sum, subspace_divide,
};
pub use modular::ModularSet;
pub use pattern::{RuleError, Rules};
pub use solve::{Narrowing, VarRange, narrow_domains, solve_inequalities};
pub use structure::effect;
