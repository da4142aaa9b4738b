//! Folding operators on expressions: match the operands' types, fold constants, then construct.
//!
//! [`arith`], [`logic`], [`bits`] and [`convert`] follow TVM's C++ operators, [`python`] Python's operators on
//! expressions, [`script`] comparisons and logic in the body of a script. Operands are taken by value, so `0 + b`
//! returns `b` itself. Only the roots of operands are inspected; nothing recurses.
//!
//! Upstream counterparts: `src/tir/op/op.cc`, `src/arith/const_fold.h`, `python/tvm/tir/expr.py`.
//!
//! ```
//! use tvmscript_prim::{DataType, IntImm, Var, ops};
//!
//! let x = Var::new("x", DataType::INT32).upcast();
//! assert!(ops::add(x.clone(), IntImm::int32(0))?.ptr_eq(&x));
//! assert!(ops::floordiv(x, IntImm::int32(0)).is_err());
//! # Ok::<(), tvmscript_prim::PrimError>(())
//! ```

pub mod arith;
pub mod bare;
pub mod bits;
pub mod convert;
pub mod fold;
pub mod limits;
pub mod literal;
pub mod logic;
pub mod python;
pub mod script;
pub mod undetermined;

pub use arith::{
    BinaryOp, add, binary, ceildiv, div, eq, floordiv, floormod, ge, gt, le, lt, max, min, mul, ne, neg,
    neg_inf, operands, pos_inf, sub, truncdiv, truncmod,
};
pub use bits::{bitwise_and, bitwise_not, bitwise_or, bitwise_xor, shift_left, shift_right};
pub use convert::{broadcast_to, cast, ceil, match_types, reinterpret, round_with, vscale};
pub use fold::Folded;
pub use limits::{infinity, max_value, min_value};
pub use literal::{Number, int_value, is_one, is_zero, large_uint_imm, make_const, make_zero};
pub use logic::{and, if_then_else, likely, not, or, select};
pub use python::Operand;
