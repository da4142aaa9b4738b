//! What follows from struct info: whether one is a base of another, what two have in common, what of it holds in a scope, what
//! a call gives.
//!
//! Upstream counterpart: `src/relax/analysis/struct_info_analysis.cc`.

mod base;
mod call;
mod erase;
mod lca;

pub use base::{BaseCheck, base_check};
pub use call::{CallMismatch, call_result};
pub use erase::erase_to_well_defined;
pub use lca::lca;

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Array;
use tvmscript_prim::{Expr, IntImm};

/// Whether two dimensions are the same: literals by their value, anything else where it can be proved.
pub fn same_dim(a: &Expr, b: &Expr, analyzer: &mut Analyzer) -> bool {
    if a.ptr_eq(b) {
        return true;
    }
    match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
        (Some(a), Some(b)) => a.value == b.value,
        _ => analyzer.can_prove_equal(a, b),
    }
}

/// Whether two shapes have the same dimensions, as far as can be proved.
pub fn same_dims(a: &Array<Expr>, b: &Array<Expr>, analyzer: &mut Analyzer) -> bool {
    a.ptr_eq(b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_dim(a, b, analyzer)))
}
