//! Analyses of struct info: subtyping, common ancestor, restriction to a scope, results of calls. Effects of calls.
//!
//! Upstream counterpart: `src/relax/analysis/struct_info_analysis.cc`.

mod base;
mod call;
mod erase;
mod lca;
mod purity;

pub use base::{BaseCheck, base_check};
pub use call::{CallMismatch, call_result};
pub use erase::erase_to_well_defined;
pub use lca::lca;
pub use purity::{contains_impure_call, is_impure_call};

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::Array;
use tvmscript_prim::{Expr, IntImm};

/// Returns `true` if two dimensions are provably equal.
pub fn same_dim(a: &Expr, b: &Expr, analyzer: &mut Analyzer) -> bool {
    if a.ptr_eq(b) {
        return true;
    }
    match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
        (Some(a), Some(b)) => a.value == b.value,
        _ => analyzer.can_prove_equal(a, b),
    }
}

/// Returns `true` if two shapes are provably equal.
pub fn same_dims(a: &Array<Expr>, b: &Array<Expr>, analyzer: &mut Analyzer) -> bool {
    a.ptr_eq(b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_dim(a, b, analyzer)))
}
