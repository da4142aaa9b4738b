//! Maps of indices: the shape of a mapped index space, and inverse maps.
//!
//! Upstream counterpart: `src/tir/ir/index_map.cc`.

use tvmscript_ir_core::{Array, DataType, ObjectLike, PtrMap, Ref, substitute};
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{Expr, IndexMap, IntImm, Var};

use super::detect::{IterMapLevel, detect_iter_map};
use super::error::{IterMapError, IterMapErrors};
use super::inverse::inverse_affine_iter_map;
use crate::VarRange;
use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::eval_set::eval_set;
use crate::expr::{self, BinOp};
use crate::interval::{DomMap, IntSet};

/// A least value and a number of values.
type MinExtent = (Expr, Expr);

/// The ranges of `indices`, each as least value and extent, if the variables take all values of their ranges. `None`
/// if an index is unbounded.
///
/// Indices that are no affine map are covered by intervals.
pub fn map_ranges(
    variables: &[(Ref<Var>, Expr, Expr)],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> Option<Vec<(Expr, Expr)>> {
    let ranges: Vec<VarRange> = variables
        .iter()
        .map(|(var, min, extent)| VarRange { var: var.clone(), min: min.clone(), extent: extent.clone() })
        .collect();
    let mapped = match exact(&ranges, indices, analyzer) {
        Ok(mapped) => mapped,
        Err(_) => covered(&ranges, indices, analyzer)?,
    };
    let bits = ranges.iter().map(|range| expr::dtype(&range.extent).bits).max().unwrap_or(32);
    let dtype = DataType::int(bits);
    let typed = |e: Expr| if expr::dtype(&e) == dtype { Ok(e) } else { expr::cast(dtype, e) };
    mapped.into_iter().map(|(min, extent)| Some((typed(min).ok()?, typed(extent).ok()?))).collect()
}

/// The exact ranges.
fn exact(
    ranges: &[VarRange],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> std::result::Result<Vec<MinExtent>, IterMapErrors> {
    let all = IntImm::bool(true);
    let map = detect_iter_map(indices, ranges, &all, IterMapLevel::NoCheck, false, analyzer)?;
    let mut mapped = Vec::with_capacity(indices.len());
    for sum in map.sums() {
        let mut extent: Option<Expr> = None;
        for part in sum.args() {
            let of_part = expr::folded(BinOp::Mul, part.extent(), part.scale())?;
            extent = Some(match extent {
                Some(extent) => expr::fold(BinOp::Max, extent, of_part)?,
                None => of_part,
            });
        }
        let extent = extent.map_or_else(|| expr::like(sum.base(), 1), Ok)?;
        mapped.push((sum.base().clone(), extent));
    }
    Ok(mapped)
}

/// The ranges of the intervals that cover the indices.
fn covered(ranges: &[VarRange], indices: &[Expr], analyzer: &mut Analyzer) -> Option<Vec<MinExtent>> {
    let domains = domains(ranges);
    let range = |index: &Expr| {
        let set = eval_set(index, &domains);
        let (min, max) = (set.min()?, set.max()?);
        let span = expr::folded(BinOp::Sub, max, min).ok()?;
        let extent = expr::plus(&span, 1).ok()?;
        Some((analyzer.simplify(min), analyzer.simplify(&extent)))
    };
    indices.iter().map(range).collect()
}

/// The ranges as sets.
pub(super) fn domains(ranges: &[VarRange]) -> DomMap {
    let mut domains = DomMap::new();
    for VarRange { var, min, extent } in ranges {
        domains.insert(var, IntSet::from_range(min, extent));
    }
    domains
}

/// The map from the results of `map` back to its parameters, which take all values of `ranges`, each given as least
/// value and extent. A map that names its inverse has that one.
///
/// # Errors
/// [`IterMapErrors`] if the map is not bijective or cannot be inverted.
///
/// # Source
/// `IndexMap::Inverse`, `src/tir/ir/index_map.cc`.
pub fn inverse_index_map(
    map: &IndexMap,
    ranges: &[(Expr, Expr)],
    analyzer: &mut Analyzer,
) -> std::result::Result<Ref<IndexMap>, IterMapErrors> {
    inverse(map, ranges, IterMapLevel::Bijective, analyzer).map(|(inverse, _)| inverse)
}

/// Like [`inverse_index_map`], for maps whose results need not be filled; also the condition, in terms of the results,
/// under which they are padding.
///
/// # Errors
/// [`IterMapErrors`] if the map cannot be inverted.
///
/// # Source
/// `IndexMap::NonSurjectiveInverse`, `src/tir/ir/index_map.cc`.
pub fn non_surjective_inverse(
    map: &IndexMap,
    ranges: &[(Expr, Expr)],
    analyzer: &mut Analyzer,
) -> std::result::Result<(Ref<IndexMap>, Expr), IterMapErrors> {
    inverse(map, ranges, IterMapLevel::NoCheck, analyzer)
}

fn inverse(
    map: &IndexMap,
    ranges: &[MinExtent],
    level: IterMapLevel,
    analyzer: &mut Analyzer,
) -> std::result::Result<(Ref<IndexMap>, Expr), IterMapErrors> {
    let nowhere = IntImm::bool(false);
    if let Some(given) = map.inverse_index_map.as_ref().and_then(Ref::<IndexMap>::try_ref) {
        return Ok((given.clone(), nowhere));
    }
    if map.initial_indices.len() != ranges.len() {
        return Err(IterMapError::Count { expected: map.initial_indices.len(), found: ranges.len() }.into());
    }
    let inputs = map.initial_indices.iter().zip(ranges);
    let inputs: Vec<VarRange> = inputs
        .map(|(var, (min, extent))| VarRange { var: var.clone(), min: min.clone(), extent: extent.clone() })
        .collect();
    let indices: Vec<Expr> = map.final_indices.iter().cloned().collect();
    let detected = detect_iter_map(&indices, &inputs, &IntImm::bool(true), level, false, analyzer)?;
    let outputs: Vec<Ref<Var>> =
        indices.iter().enumerate().map(|(i, e)| Var::new(format!("axis{i}"), expr::dtype(e))).collect();
    let output_values: Vec<Expr> = outputs.iter().map(|var| var.clone().upcast()).collect();
    let values = inverse_affine_iter_map(detected.sums(), &output_values)?;
    let replaced: PtrMap<_> =
        values.into_iter().map(|(var, value)| (var.into_object(), value.into_object())).collect();
    let mut results = Vec::with_capacity(inputs.len());
    for VarRange { var, min, extent } in &inputs {
        let value = match replaced.get(var.object()).and_then(|object| object.downcast_ref()) {
            Some(value) => value,
            None if is_one(extent) => min,
            None => return Err(IterMapError::LostVariable(var.clone()).into()),
        };
        results.push(analyzer.simplify(value));
    }
    let padding = padding(detected.padding_predicate(), &replaced, &outputs, &inputs, &indices, analyzer)?;
    let inverse = IndexMap {
        initial_indices: Array::new(outputs),
        final_indices: Array::new(results),
        inverse_index_map: None,
    };
    Ok((Ref::new(inverse), padding))
}

/// The padding predicate in terms of the outputs.
fn padding(
    predicate: &Expr,
    inverse: &PtrMap<tvmscript_ir_core::Object>,
    outputs: &[Ref<Var>],
    inputs: &[VarRange],
    indices: &[Expr],
    analyzer: &mut Analyzer,
) -> Result<Expr> {
    if expr::as_int(predicate).is_some() {
        return Ok(predicate.clone());
    }
    let predicate = substitute(predicate.clone(), inverse).map_err(|_| crate::ArithError::Budget)?;
    let variables: Vec<(Ref<Var>, Expr, Expr)> =
        inputs.iter().map(|range| (range.var.clone(), range.min.clone(), range.extent.clone())).collect();
    let mut bound = Analyzer::new();
    for (var, (min, extent)) in
        outputs.iter().zip(map_ranges(&variables, indices, analyzer).into_iter().flatten())
    {
        bound.bind_range(var, &min, &extent);
    }
    Ok(bound.simplify_with_steps(&predicate, 10))
}
