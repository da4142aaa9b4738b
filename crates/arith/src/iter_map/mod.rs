//! Affine maps of iterators: index expressions as sums of iterator parts, and what follows from the form.
//!
//! Iterators over ranges are divided into parts (`i // 4 % 8`) and recombined (`i * 8 + j`). If all indices are sums of
//! parts that do not overlap, a map can be simplified, divided into an outer and an inner map, and inverted, and its
//! ranges follow exactly, even for uneven divisions: the iterator is padded to the next multiple.
//!
//! Upstream counterparts: `src/arith/iter_affine_map.cc`; the regions of `src/arith/int_set.cc`;
//! `src/tir/ir/index_map.cc`.

mod check;
mod combine;
mod detect;
mod divide;
mod error;
mod form;
mod fuse;
mod index_map;
mod inverse;
mod nest;
mod pad;
mod predicate;
mod regions;
mod rewrite;
mod subspace;
mod to_expr;
mod used;

pub use detect::{IterMap, IterMapLevel, detect_iter_map, iter_map_simplify, normalize_to_iter_sum};
pub use error::{IterMapError, IterMapErrors};
pub use form::{IterMark, IterSource, IterSplit, IterSum};
pub use index_map::{inverse_index_map, map_ranges, non_surjective_inverse};
pub use inverse::inverse_affine_iter_map;
pub use regions::{estimate_region_lower_bound, estimate_region_strict_bound, estimate_region_upper_bound};
pub use subspace::{SubspaceDivision, subspace_divide};
pub use to_expr::normalize_iter_map_to_expr;

use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr};

/// The product with its constant factor last.
fn product(a: &Expr, b: &Expr) -> Result<Expr> {
    let mut constant = 1i64;
    let mut symbols = expr::like(a, 1)?;
    let mut pending = vec![b, a];
    while let Some(e) = pending.pop() {
        match expr::view(e) {
            expr::View::Bin(BinOp::Mul, x, y) => pending.extend([y, x]),
            expr::View::Int(value) => constant = constant.checked_mul(value).ok_or(ArithError::Budget)?,
            _ => symbols = expr::fold(BinOp::Mul, symbols, e.clone())?,
        }
    }
    if constant == 1 {
        return Ok(symbols);
    }
    let constant = expr::like(&symbols, constant)?;
    expr::fold(BinOp::Mul, symbols, constant)
}
