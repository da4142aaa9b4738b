//! Index expressions as sums of iterator parts, and the shape of a mapped index space.
//!
//! Iterators over ranges are divided into parts (`i // 4 % 8`) and recombined (`i * 8 + j`). If all indices are sums
//! of parts that do not overlap, their ranges follow exactly, even for uneven divisions: the iterator is padded to
//! the next multiple. Other indices are covered by intervals.
//!
//! Upstream counterpart: `src/arith/iter_affine_map.cc` without predicates on iterators and without strict check
//! levels; `IndexMapNode::MapRanges` of `src/tir/ir/index_map.cc`.

mod fuse;
mod rewrite;
mod used;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Var;

use crate::analyzer::Analyzer;
use crate::error::{ArithError, Result};
use crate::eval_set::eval_set;
use crate::expr::{self, BinOp, Expr, VarMap};
use crate::interval::{DomMap, IntSet};
use rewrite::Rewriter;

/// Index of a [`IterMark`].
type MarkId = usize;

/// An iterator, or an expression that behaves like one: its values are `0..extent`.
#[derive(Debug, Clone)]
struct IterMark {
    source: Source,
    extent: Expr,
}

/// The expression that a mark stands for.
#[derive(Debug, Clone)]
enum Source {
    /// A variable minus the start of its range.
    Variable,
    /// One part of another mark.
    IterSplit(IterSplit),
    /// Recombined parts, or a mark with padding before it.
    Sum(Sum),
}

/// `mark // lower_factor % extent * scale`
#[derive(Debug, Clone)]
struct IterSplit {
    mark: MarkId,
    lower_factor: Expr,
    extent: Expr,
    scale: Expr,
}

/// A sum of parts, and a base without iterators.
#[derive(Debug, Clone)]
struct Sum {
    parts: Vec<IterSplit>,
    base: Expr,
}

/// The ranges of `indices`, each as least value and extent, if the variables take all values of their ranges. `None`
/// if an index is unbounded.
pub fn map_ranges(
    variables: &[(Ref<Var>, Expr, Expr)],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> Option<Vec<(Expr, Expr)>> {
    let ranges = match detect(variables, indices, analyzer) {
        Ok(Some(ranges)) => ranges,
        Ok(None) | Err(_) => covered(variables, indices, analyzer)?,
    };
    let bits = variables.iter().map(|(_, _, extent)| expr::dtype(extent).bits).max().unwrap_or(32);
    let dtype = DataType::int(bits);
    let typed = |e: Expr| if expr::dtype(&e) == dtype { Ok(e) } else { expr::cast(dtype, e) };
    ranges.into_iter().map(|(min, extent)| Some((typed(min).ok()?, typed(extent).ok()?))).collect()
}

/// The exact ranges; `None` if an index is not a sum of parts.
fn detect(
    variables: &[(Ref<Var>, Expr, Expr)],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> Result<Option<Vec<(Expr, Expr)>>> {
    analyzer.metered(|analyzer| {
        let Some(mut rewriter) = Rewriter::new(variables, analyzer)? else { return Ok(None) };
        let Some(sums) = rewriter.detect(indices)? else { return Ok(None) };
        let range = |sum: Sum| {
            let mut extent: Option<Expr> = None;
            for part in &sum.parts {
                let of_part = expr::folded(BinOp::Mul, &part.extent, &part.scale)?;
                extent = Some(match extent {
                    Some(extent) => expr::fold(BinOp::Max, extent, of_part)?,
                    None => of_part,
                });
            }
            let one = || expr::like(&sum.base, 1);
            let extent = extent.map_or_else(one, Ok)?;
            Ok((sum.base, extent))
        };
        sums.into_iter().map(range).collect::<Result<_>>().map(Some)
    })
}

/// The ranges of the intervals that cover the indices.
fn covered(
    variables: &[(Ref<Var>, Expr, Expr)],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> Option<Vec<(Expr, Expr)>> {
    let mut domains = DomMap::new();
    for (var, min, extent) in variables {
        domains.insert(var, IntSet::from_range(min, extent));
    }
    let range = |index: &Expr| {
        let set = eval_set(index, &domains);
        let (min, max) = (set.min()?, set.max()?);
        let span = expr::folded(BinOp::Sub, max, min).ok()?;
        let extent = expr::plus(&span, 1).ok()?;
        Some((analyzer.simplify(min), analyzer.simplify(&extent)))
    };
    indices.iter().map(range).collect()
}

/// The variables as parts of new marks.
fn iterators(
    variables: &[(Ref<Var>, Expr, Expr)],
    marks: &mut Vec<IterMark>,
) -> Result<Option<VarMap<rewrite::Value>>> {
    let mut known = VarMap::default();
    for (var, min, extent) in variables {
        let mark = marks.len();
        marks.push(IterMark { source: Source::Variable, extent: extent.clone() });
        let part = IterSplit::whole(mark, extent.clone(), expr::dtype(var.upcast_ref()))?;
        let value = match expr::as_int(min) {
            Some(0) => rewrite::Value::IterSplit(part),
            _ => rewrite::Value::Sum(Sum { parts: vec![part], base: min.clone() }),
        };
        known.insert(var.upcast_ref(), value);
    }
    // Ranges must not depend on the iterators.
    let is_valid = variables
        .iter()
        .all(|(_, min, extent)| !expr::mentions(min, &known) && !expr::mentions(extent, &known));
    Ok(is_valid.then_some(known))
}

impl IterSplit {
    /// The whole of a mark.
    fn whole(mark: MarkId, extent: Expr, dtype: DataType) -> Result<IterSplit> {
        let one = expr::constant(dtype, 1)?;
        Ok(IterSplit { mark, lower_factor: one.clone(), extent, scale: one })
    }

    fn dtype(&self) -> DataType {
        expr::dtype(&self.scale)
    }
}

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
