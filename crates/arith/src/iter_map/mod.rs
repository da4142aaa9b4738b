//! Indices as sums of parts of iterators, and the shape that a map of indices makes of another.
//!
//! Iterators, each over a range, are divided into parts (`i // 4 % 8`) and put together again (`i * 8 + j`). Where all
//! indices are such sums of parts that do not overlap, their ranges follow exactly, also where a division does not come
//! out even: the iterator is padded to the next multiple. Other indices are covered by intervals.
//!
//! Upstream counterpart: `src/arith/iter_affine_map.cc` without predicates on iterators and without strict levels of
//! checking; `IndexMapNode::MapRanges` of `src/tir/ir/index_map.cc`.

mod fuse;
mod rewrite;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Var;

use crate::analyzer::Analyzer;
use crate::error::{Result, Stop};
use crate::eval_set::eval_set;
use crate::expr::{self, BinOp, Expr, VarMap};
use crate::interval::{DomMap, IntSet};
use rewrite::Rewriter;

/// The number of a [`Mark`].
type MarkId = usize;

/// An iterator, or what behaves as one: its values are those from zero to before the extent.
#[derive(Debug, Clone)]
struct Mark {
    source: Source,
    extent: Expr,
}

/// What a mark stands for.
#[derive(Debug, Clone)]
enum Source {
    /// A variable, less the begin of its range.
    Variable,
    /// One part of another mark, as an iterator of its own.
    Part(Part),
    /// Parts put together, or a mark with a pad before it.
    Sum(Sum),
}

/// `mark // lower_factor % extent * scale`
#[derive(Debug, Clone)]
struct Part {
    mark: MarkId,
    lower_factor: Expr,
    extent: Expr,
    scale: Expr,
}

/// Parts added up, and a rest without iterators.
#[derive(Debug, Clone)]
struct Sum {
    parts: Vec<Part>,
    base: Expr,
}

/// The ranges of indices, each its least value and the number of values, when variables take the values of theirs.
/// `None` where an index has no bounds.
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

/// The ranges as the sums of parts say them; `None` where an index is no such sum.
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

/// The iterators by their variables.
fn iterators(
    variables: &[(Ref<Var>, Expr, Expr)],
    marks: &mut Vec<Mark>,
) -> Result<Option<VarMap<rewrite::Value>>> {
    let mut known = VarMap::default();
    for (var, min, extent) in variables {
        let mark = marks.len();
        marks.push(Mark { source: Source::Variable, extent: extent.clone() });
        let part = Part::whole(mark, extent.clone(), expr::dtype(var.upcast_ref()))?;
        let value = match expr::as_int(min) {
            Some(0) => rewrite::Value::Part(part),
            _ => rewrite::Value::Sum(Sum { parts: vec![part], base: min.clone() }),
        };
        known.insert(var.upcast_ref(), value);
    }
    // Ranges that speak of the iterators themselves are none.
    let is_valid = variables
        .iter()
        .all(|(_, min, extent)| !expr::mentions(min, &known) && !expr::mentions(extent, &known));
    Ok(is_valid.then_some(known))
}

impl Part {
    /// All of a mark.
    fn whole(mark: MarkId, extent: Expr, dtype: DataType) -> Result<Part> {
        let one = expr::constant(dtype, 1)?;
        Ok(Part { mark, lower_factor: one.clone(), extent, scale: one })
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
            expr::View::Int(value) => constant = constant.checked_mul(value).ok_or(Stop::Budget)?,
            _ => symbols = expr::fold(BinOp::Mul, symbols, e.clone())?,
        }
    }
    if constant == 1 {
        return Ok(symbols);
    }
    let constant = expr::like(&symbols, constant)?;
    expr::fold(BinOp::Mul, symbols, constant)
}
