//! Source information for transformations: filling and collecting spans by reflection, in any dialect.
//!
//! [`SIBuilder`] serves passes. It fills the nodes that a rewrite makes with the span of the nodes that they replace,
//! and merges the spans of a matched subgraph into one. [`set_span`] serves frontends: it names the source of the
//! nodes that the conversion of one operator or layer makes; [`onnx_names`] and [`pytorch_names`] name the operators.
//!
//! ```
//! # use tvmscript_ir_core::{Class, Node, Ref};
//! use tvmscript_ir_core::{SourceId, Span};
//! use tvmscript_si_builder::SIBuilder;
//!
//! # /// Expressions.
//! # #[derive(Class)]
//! # #[class(key = "doc.Expr")]
//! # struct Expr(());
//! # /// A product.
//! # #[derive(Debug, Clone, Node)]
//! # #[node(key = "doc.Mul", parent = Expr)]
//! # struct Mul { args: tvmscript_ir_core::Array<Ref<Expr>>, span: Span }
//! # fn mul(args: &[&Ref<Expr>], span: Span) -> Ref<Expr> {
//! #     Ref::new(Mul { args: args.iter().map(|&a| a.clone()).collect(), span }).upcast()
//! # }
//! let layer = Span::source(SourceId::new("layer1"));
//! let x = mul(&[], Span::UNKNOWN);
//! // A rewrite replaces a node by two new ones.
//! let new = mul(&[&mul(&[&x], Span::UNKNOWN), &x], Span::UNKNOWN);
//! let new = SIBuilder::new(layer).recursively_fill_span(new, [&x])?;
//! assert_eq!(new.span(), layer);
//! assert!(!x.span().is_known(), "inputs keep their spans");
//! # Ok::<(), tvmscript_ir_core::RewriteError>(())
//! ```
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod builder;
mod filler;
mod names;

pub use builder::SIBuilder;
pub use filler::{Expression, Fillable, SpanFiller, SpanSource, TupleItem, TupleWrapper, set_span};
pub use names::{Operator, onnx_names, pytorch_names};
