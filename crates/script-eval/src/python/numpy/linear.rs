//! Products of matrices.

use tvmscript_ir_core::DataType;
use tvmscript_script_value::ScriptValue;

use super::array::{Array, Num, charge, count_of};
use super::create;
use super::dtype::{self, is_float, promoted, rounded, wide, wrapped};
use super::operate::{broadcast_shape, shape_text};
use crate::Eval;
use crate::eval::Raise;
use crate::python::Outcome;

/// `a @ b`, broadcast over all dimensions but the last two.
pub(super) fn matmul(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    let (a, b) = (create::array(p, a, None)?, create::array(p, b, None)?);
    if a.shape.is_empty() || b.shape.is_empty() {
        raise!(
            Value,
            "matmul: Input operand 0 does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        );
    }
    // A vector is a row on the left and a column on the right.
    let (is_row, is_column) = (a.shape.len() == 1, b.shape.len() == 1);
    let a = if is_row { a.reshaped(p, [vec![1], a.shape.clone()].concat())? } else { a };
    let b = if is_column { b.reshaped(p, [b.shape.clone(), vec![1]].concat())? } else { b };
    let (outer_a, [n, k]) = split(&a.shape);
    let (outer_b, [other, m]) = split(&b.shape);
    if k != other {
        raise!(
            Value,
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size {other} is different from {k})"
        );
    }
    let outer = broadcast_shape(&outer_a, &outer_b)?;
    let dtype = promoted(a.dtype, b.dtype);
    let count = count_of(&outer).saturating_mul(n).saturating_mul(m);
    charge(p, count.saturating_add(count_of(&outer)))?;
    p.state.program.budget.step(count.saturating_mul(k) as u64 / 8)?;
    let x = a.broadcast(&[outer.clone(), vec![n, k]].concat());
    let y = b.broadcast(&[outer.clone(), vec![k, m]].concat());
    charge(p, x.size().saturating_add(y.size()))?;
    let (x, y) = (x.elements(), y.elements());
    let mut out = Vec::with_capacity(count);
    for batch in 0..count_of(&outer) {
        let (x, y) = (&x[batch * n * k..], &y[batch * k * m..]);
        for row in 0..n {
            for column in 0..m {
                let pairs = (0..k).map(|at| (x[row * k + at], y[at * m + column]));
                out.push(dot(pairs, a.dtype, b.dtype, dtype));
            }
        }
    }
    let mut shape = outer;
    if !is_row {
        shape.push(n);
    }
    if !is_column {
        shape.push(m);
    }
    let result = Array::new(dtype, shape, out);
    Ok(if result.shape.is_empty() { result.result() } else { result.value() })
}

fn split(shape: &[usize]) -> (Vec<usize>, [usize; 2]) {
    let at = shape.len().saturating_sub(2);
    let inner = [shape.get(at).copied().unwrap_or(1), shape.get(at + 1).copied().unwrap_or(1)];
    (shape[..at].to_vec(), inner)
}

fn dot(pairs: impl Iterator<Item = (Num, Num)>, x: DataType, y: DataType, dtype: DataType) -> Num {
    if is_float(dtype) {
        let sum = pairs.fold(0.0, |sum: f64, (a, b)| {
            let product = dtype::float(a, x) * dtype::float(b, y);
            match rounded(sum + product, dtype) {
                Num::Float(sum) => sum,
                Num::Int(sum) => sum as f64,
            }
        });
        return rounded(sum, dtype);
    }
    let sum = pairs.fold(0i128, |sum, (a, b)| sum.wrapping_add(wide(a, x).wrapping_mul(wide(b, y))));
    wrapped(sum, dtype)
}

/// `np.dot`
pub(super) fn dot_of(p: &mut Eval<'_>, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    let (x, y) = (create::array(p, a, None)?, create::array(p, b, None)?);
    if x.shape.is_empty() || y.shape.is_empty() {
        let product = super::operate::Binary::Operator(tvmscript_python_syntax::ast::BinOp::Mult);
        return Ok(super::operate::binary(p, product, a, b)?.unwrap_or_default());
    }
    let at = y.shape.len().saturating_sub(2);
    if x.shape.last() != y.shape.get(at) {
        let (k, other) = (x.shape.last().copied().unwrap_or(0), y.shape.get(at).copied().unwrap_or(0));
        raise!(
            Value,
            "shapes {} and {} not aligned: {k} (dim {}) != {other} (dim {at})",
            shape_text(&x.shape),
            shape_text(&y.shape),
            x.shape.len() - 1
        );
    }
    if x.shape.len() > 2 || y.shape.len() > 2 {
        let kind = "`numpy.dot` of more than two dimensions is not evaluated: use `@`";
        return Err(Raise::from(crate::errors::HostError::type_error(kind)));
    }
    matmul(p, a, b)
}
