//! `R.einsum`: sums of products in Einstein notation.
//!
//! Upstream counterparts: `src/relax/op/tensor/linear_algebra.cc`, `src/topi/einsum.cc`.

use std::collections::BTreeMap;

use tvmscript_arith::simplify;
use tvmscript_ir_core::structural_equal;

use super::prelude::*;
use crate::node::attrs::EinsumAttrs;

operators! {
    /// The sum of products of elements that the subscripts name, e.g. `ij,jk->ik`.
    einsum(operands: TensorTuple; subscripts: Str) -> infer(summed), attrs = EinsumAttrs;
}

/// An element of a subscript, in the order of the dimensions of an implicit result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// `...`: all dimensions without a label.
    Ellipsis,
    /// A labelled dimension.
    Axis(u8),
}

/// Labels of each operand and of the result.
#[derive(Debug, PartialEq)]
pub struct Equation {
    /// Labels of the dimensions of each operand.
    pub operands: Vec<Vec<Label>>,
    /// Labels of the dimensions of the result.
    pub result: Vec<Label>,
}

impl Equation {
    /// Parses subscripts. Without an arrow, the result has the labels that occur once, in alphabetical order.
    ///
    /// # Errors
    /// The reason why the subscripts are wrong.
    pub fn parse(subscripts: &str) -> std::result::Result<Equation, String> {
        let mut operands = Vec::new();
        let mut labels = Vec::new();
        let mut has_arrow = false;
        let mut rest = subscripts;
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            match first {
                ' ' => {}
                ',' => operands.push(std::mem::take(&mut labels)),
                '-' if rest.starts_with("->") => {
                    if has_arrow {
                        return Err("has two arrows".to_owned());
                    }
                    (has_arrow, length) = (true, 2);
                    operands.push(std::mem::take(&mut labels));
                }
                '.' if rest.starts_with("...") => {
                    if labels.contains(&Label::Ellipsis) {
                        return Err("has two ellipses for one operand".to_owned());
                    }
                    length = 3;
                    labels.push(Label::Ellipsis);
                }
                name if name.is_ascii_alphabetic() => labels.push(Label::Axis(name as u8)),
                other => return Err(format!("has `{other}`, but labels are single letters")),
            }
            rest = &rest[length..];
        }
        if has_arrow {
            return Ok(Equation { operands, result: labels });
        }
        operands.push(labels);
        let mut counts = BTreeMap::new();
        for label in operands.iter().flatten() {
            *counts.entry(*label).or_insert(0) += 1;
        }
        let once = counts.into_iter().filter(|(label, count)| *label == Label::Ellipsis || *count == 1);
        let result = once.map(|(label, _)| label).collect();
        Ok(Equation { operands, result })
    }
}

/// The length of a label's dimensions: any other expression takes precedence over a literal.
fn extent_of(a: &prim::Expr, b: &prim::Expr) -> Option<prim::Expr> {
    match (a.as_node::<IntImm>(), b.as_node::<IntImm>()) {
        (Some(x), Some(y)) if x.value == y.value || y.value == 1 => Some(a.clone()),
        (Some(x), Some(_)) => (x.value == 1).then(|| b.clone()),
        (Some(_), None) => Some(b.clone()),
        (None, Some(_)) => Some(a.clone()),
        (None, None) => ops::max(a.clone(), b.clone()).ok(),
    }
}

fn is_same(a: &prim::Expr, b: &prim::Expr) -> bool {
    structural_equal(a.object(), b.object())
        || ops::sub(a.clone(), b.clone()).is_ok_and(|rest| ops::is_zero(&simplify(&rest)))
}

/// Broadcasts the dimensions of two ellipses; unequal symbolic dimensions yield their maximum.
///
/// # Source
/// `BroadcastShape`, `include/tvm/topi/detail/broadcast.h`.
fn broadcast(a: &Array<prim::Expr>, b: &Array<prim::Expr>) -> Option<Array<prim::Expr>> {
    let (longer, shorter) = if a.len() > b.len() { (a, b) } else { (b, a) };
    let extra = longer.len() - shorter.len();
    let mut dims: Vec<prim::Expr> = longer.iter().take(extra).cloned().collect();
    for (x, y) in a.iter().skip(a.len() - shorter.len()).zip(b.iter().skip(b.len() - shorter.len())) {
        let one = IntImm::int32(1);
        dims.push(if is_same(x, y) || is_same(&one, y) {
            x.clone()
        } else if is_same(&one, x) {
            y.clone()
        } else {
            match (x.is::<IntImm>(), y.is::<IntImm>()) {
                (false, false) => ops::max(x.clone(), y.clone()).ok()?,
                (false, true) => y.clone(),
                (true, false) => x.clone(),
                (true, true) => return None,
            }
        });
    }
    Some(dims.into_iter().collect())
}

/// The dimensions of the result.
fn dims_of(
    equation: &Equation,
    shapes: &[Array<prim::Expr>],
) -> std::result::Result<Vec<prim::Expr>, String> {
    if equation.operands.len() != shapes.len() {
        return Err(format!(
            "has subscripts for {} operands, found {}",
            equation.operands.len(),
            shapes.len()
        ));
    }
    let mut extents: BTreeMap<Label, prim::Expr> = BTreeMap::new();
    let mut ellipses: Vec<Array<prim::Expr>> = Vec::new();
    for (index, (labels, dims)) in equation.operands.iter().zip(shapes).enumerate() {
        let named = labels.iter().filter(|label| **label != Label::Ellipsis).count();
        let has_ellipsis = named < labels.len();
        if named > dims.len() || (!has_ellipsis && named < dims.len()) {
            let found = dims.len();
            return Err(format!("has {named} labels for operand {index}, which has {found} dimensions"));
        }
        let mut at = 0;
        for label in labels {
            if *label == Label::Ellipsis {
                let end = at + dims.len() - named;
                ellipses.push(dims.iter().take(end).skip(at).cloned().collect());
                at = end;
                continue;
            }
            let dim = &dims[at];
            at += 1;
            let extent = match extents.get(label) {
                None => dim.clone(),
                Some(extent) => extent_of(extent, dim)
                    .ok_or_else(|| format!("uses one label for different dimensions, in operand {index}"))?,
            };
            extents.insert(*label, extent);
        }
    }
    // Of ellipses of equal rank, the first one counts.
    let longest = ellipses.iter().rev().max_by_key(|dims| dims.len()).cloned().unwrap_or_default();
    let ellipsis = ellipses.iter().try_fold(longest, |all, dims| broadcast(&all, dims));
    let ellipsis = ellipsis.ok_or("has ellipses that cannot be broadcast")?;
    let mut result = Vec::new();
    for label in &equation.result {
        match label {
            Label::Ellipsis => result.extend(ellipsis.iter().cloned()),
            Label::Axis(name) => match extents.get(label) {
                Some(extent) => result.push(extent.clone()),
                None => return Err(format!("has the label `{}` in the result only", char::from(*name))),
            },
        }
    }
    Ok(result)
}

fn summed(cx: &mut Infer<'_>) -> Inferred {
    cx.expect_args(1)?;
    let tensors = cx.tensors_of_tuple(0)?;
    let Some(first) = tensors.first() else { return Err(cx.wrong_kind(0, "at least one tensor")) };
    let (dtype, vdevice) = (first.dtype, shared_device(&tensors));
    let mut shapes = Vec::with_capacity(tensors.len());
    for tensor in &tensors {
        if tensor.dtype != dtype {
            return Err(cx.wrong_dtype(0, format!("tensors of the same type, `{dtype}`"), tensor.dtype));
        }
        match tensor.dims() {
            Some(dims) => shapes.push(dims.clone()),
            None => return Ok(tensor_of_rank(tensor.ndim, dtype, vdevice)),
        }
    }
    let dims = Equation::parse(&cx.attrs::<EinsumAttrs>()?.subscripts)
        .and_then(|equation| dims_of(&equation, &shapes));
    let dims = dims.map_err(|what| cx.wrong_attribute("subscripts", what))?;
    Ok(tensor_of(dims, dtype, vdevice))
}
