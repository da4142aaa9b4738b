//! The rules of the rewriter, one file per family of operators.
//!
//! Each rule is an identity of integer arithmetic. Selection and order follow `src/arith/rewrite_simplify.cc` of TVM
//! 0.23, because the printed result depends on both.

pub(crate) mod add;
pub(crate) mod compare;
pub(crate) mod floor;
pub(crate) mod logic;
pub(crate) mod min_max;
pub(crate) mod mul;
pub(crate) mod sub;
pub(crate) mod trunc;
