//! Dataflow patterns: shapes of Relax expressions across bindings.
//!
//! A [`Pattern`] describes an expression. It matches through variables: where a pattern describes a call and the program
//! has a variable, the value of the variable is matched. [`Bindings`] holds the values and uses of the variables of a
//! function, [`Pattern::matches`] matches one expression, and [`rewrite_matches`] rewrites a function until no match is left.
//!
//! | pattern | matches |
//! |---|---|
//! | [`wildcard`] | any expression |
//! | [`op`], [`constant`], [`global`], [`external`], [`exactly`] | an operator, a constant, a function, a certain node |
//! | [`call`], [`call_tir`], [`Pattern::call`], [`Pattern::call_any`] | a call |
//! | [`tuple()`], [`Pattern::item`], [`Pattern::any_item`] | a tuple, an item of one |
//! | `a \| b`, `a & b`, `!a` | either, both, neither |
//! | [`Pattern::with_attr`] .. [`Pattern::with_struct_info`] | an expression with an attribute, type, shape or struct info |
//! | [`Pattern::used_by`], [`Pattern::only_used_by`] | a variable by what uses it |
//! | [`Pattern::named`] | the same, under a name in the [`Match`] |
//!
//! A pattern that occurs twice matches the same expression twice: with `x = wildcard()`, the pattern
//! `call("relax.add", [x.clone(), x])` describes the sum of an expression with itself.
//!
//! ```
//! use tvmscript_ir_core::{DataType, Ref};
//! use tvmscript_passes::pattern::{Bindings, call, constant, wildcard};
//! use tvmscript_prim::IntImm;
//! use tvmscript_relax::op::elementwise::{exp, negative};
//! use tvmscript_relax::{Call, Expr, ShapeExpr, TensorStructInfo, Var};
//!
//! let shape = ShapeExpr::try_new([IntImm::int64(4)]).expect("the dimension is `int64`");
//! let info = TensorStructInfo::of_shape(shape, DataType::FLOAT32, None);
//! let x: Expr = Var::new("x", Some(info.upcast())).upcast();
//! let program: Expr = exp(negative(x.clone()).upcast()).upcast();
//!
//! // `exp(-a)`, where `a` is not a constant.
//! let a = (wildcard() & !constant()).named("a");
//! let pattern = call("relax.exp", [call("relax.negative", [a])]);
//! let found = pattern.matches(&program, &Bindings::default()).expect("it matches");
//! assert!(found.get("a").is_some_and(|a| a.ptr_eq(&x)));
//! ```
//!
//! Upstream counterparts: `src/relax/ir/dataflow_pattern.cc`, `dataflow_matcher.cc`, `dataflow_expr_rewriter.cc`.

mod bindings;
mod language;
mod matcher;
mod rewrite;

pub use bindings::Bindings;
pub use language::{Pattern, call, call_tir, constant, exactly, external, global, op, tuple, wildcard};
pub use matcher::Match;
pub use rewrite::rewrite_matches;
