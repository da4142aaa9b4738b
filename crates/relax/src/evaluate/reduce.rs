//! Reductions, scans and matrix products.

use crate::node::attrs::{ArgmaxArgminAttrs, ScanopAttrs, StatisticalAttrs};
use tvmscript_ir_core::arithmetic::wrap;

use super::elementwise::arithmetic;
use super::rearrange::axes_of;
use super::tensor::{Data, Indices, Tensor, count, dot, rounded, strides};
use super::{MAX_PRODUCTS, Operands};

/// Computes an operator that combines elements.
pub(super) fn evaluate(cx: &Operands<'_>) -> Option<Tensor> {
    match cx.name {
        "sum" | "prod" | "max" | "min" | "mean" | "variance" | "std" => {
            let x = cx.tensor(0)?;
            let axes = match &cx.attrs::<StatisticalAttrs>()?.axis {
                Some(axes) => axes_of(axes, x.shape.len())?,
                None => (0..x.shape.len()).collect(),
            };
            statistic(cx.name, &x, &axes)?.reshaped(&cx.shape)
        }
        "argmax" | "argmin" => extreme(cx),
        "cumsum" | "cumprod" => scanned(cx),
        "matmul" => product(cx),
        _ => None,
    }
}

/// Reduces axes to length 1.
fn statistic(name: &str, x: &Tensor, axes: &[usize]) -> Option<Tensor> {
    match name {
        "mean" => {
            let sum = folded("sum", x, axes)?;
            x.floats()?;
            let divisor = (x.len() / sum.len().max(1)) as f64;
            let divisor = Tensor::of_floats(x.dtype, Vec::new(), [divisor]);
            let shape = sum.shape.clone();
            arithmetic("divide", &sum, &divisor, &shape)
        }
        "variance" => {
            let mean = statistic("mean", x, axes)?;
            let deviation = arithmetic("subtract", x, &mean, &x.shape)?;
            let squares = arithmetic("multiply", &deviation, &deviation, &x.shape)?;
            statistic("mean", &squares, axes)
        }
        "std" => {
            let variance = statistic("variance", x, axes)?;
            let roots: Vec<f64> = variance.floats()?.iter().map(|value| value.sqrt()).collect();
            Some(Tensor::of_floats(x.dtype, variance.shape, roots))
        }
        _ => folded(name, x, axes),
    }
}

/// Steps that lead from the index of an element to the position of its reduction.
fn targets(x: &Tensor, axes: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let kept = |(axis, dim): (usize, &usize)| if axes.contains(&axis) { 1 } else { *dim };
    let shape: Vec<usize> = x.shape.iter().enumerate().map(kept).collect();
    let own = strides(&shape);
    let step = |(axis, step): (usize, &usize)| if axes.contains(&axis) { 0 } else { *step };
    let steps = own.iter().enumerate().map(step).collect();
    (shape, steps)
}

fn folded(name: &str, x: &Tensor, axes: &[usize]) -> Option<Tensor> {
    let (shape, steps) = targets(x, axes);
    if x.is_empty() {
        return None;
    }
    let dtype = x.dtype;
    fn fold<T: Copy>(
        (shape, steps): (&[usize], &[usize]),
        whole: &[usize],
        values: &[T],
        mut combine: impl FnMut(T, T) -> T,
    ) -> Option<Vec<T>> {
        let mut result: Vec<Option<T>> = vec![None; count(shape)];
        for (index, value) in Indices::new(whole).zip(values) {
            let slot = result.get_mut(dot(&index, steps))?;
            *slot = Some(slot.map_or(*value, |so_far| combine(so_far, *value)));
        }
        result.into_iter().collect()
    }
    let target = (&shape[..], &steps[..]);
    let data = match &x.data {
        Data::Int(values) => Data::Int(match name {
            "sum" => fold(target, &x.shape, values, |a, b| wrap(dtype, a + b))?,
            "prod" => fold(target, &x.shape, values, |a, b| wrap(dtype, a * b))?,
            "max" => fold(target, &x.shape, values, i128::max)?,
            "min" => fold(target, &x.shape, values, i128::min)?,
            _ => return None,
        }),
        Data::Float(values) => Data::Float(match name {
            "sum" => fold(target, &x.shape, values, |a, b| rounded(dtype, a + b))?,
            "prod" => fold(target, &x.shape, values, |a, b| rounded(dtype, a * b))?,
            "max" => fold(target, &x.shape, values, |a, b| if a > b { a } else { b })?,
            "min" => fold(target, &x.shape, values, |a, b| if a < b { a } else { b })?,
            _ => return None,
        }),
    };
    Some(Tensor { dtype, shape, data })
}

/// The index of the first greatest or least element.
fn extreme(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let (x, axis) = x.along(cx.attrs::<ArgmaxArgminAttrs>()?.axis)?;
    let is_max = cx.name == "argmax";
    let (shape, steps) = targets(&x, &[axis]);
    fn best<T: PartialOrd + Copy>(
        x: &Tensor,
        (axis, count, steps): (usize, usize, &[usize]),
        values: &[T],
        is_better: impl Fn(T, T) -> bool,
    ) -> Option<Vec<i128>> {
        let mut found: Vec<Option<(T, usize)>> = vec![None; count];
        for (index, value) in Indices::new(&x.shape).zip(values) {
            let slot = found.get_mut(dot(&index, steps))?;
            if slot.is_none_or(|(known, _)| is_better(*value, known)) {
                *slot = Some((*value, *index.get(axis)?));
            }
        }
        found.into_iter().map(|found| Some(found?.1 as i128)).collect()
    }
    let target = (axis, count(&shape), &steps[..]);
    let positions = match &x.data {
        Data::Int(values) => best(&x, target, values, |a, b| if is_max { a > b } else { a < b })?,
        Data::Float(values) => best(&x, target, values, |a, b| if is_max { a > b } else { a < b })?,
    };
    Tensor::of_ints(cx.dtype, shape, positions).reshaped(&cx.shape)
}

fn scanned(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let attrs = cx.attrs::<ScanopAttrs>()?;
    if attrs.exclusive.value != 0 || x.dtype != cx.dtype {
        return None;
    }
    let (mut x, axis) = x.along(attrs.axis)?;
    let step = *strides(&x.shape).get(axis)?;
    let name = if cx.name == "cumsum" { "add" } else { "multiply" };
    let first = |index: &[usize]| index.get(axis) == Some(&0);
    let dtype = x.dtype;
    for (at, index) in Indices::new(&x.shape.clone()).enumerate() {
        if first(&index) {
            continue;
        }
        match &mut x.data {
            Data::Int(values) => {
                let before = *values.get(at.checked_sub(step)?)?;
                let value = values.get_mut(at)?;
                *value = wrap(dtype, if name == "add" { before + *value } else { before * *value });
            }
            Data::Float(values) => {
                let before = *values.get(at.checked_sub(step)?)?;
                let value = values.get_mut(at)?;
                *value = rounded(dtype, if name == "add" { before + *value } else { before * *value });
            }
        }
    }
    x.reshaped(&cx.shape)
}

/// A matrix product of operands with two or more axes of the same type.
fn product(cx: &Operands<'_>) -> Option<Tensor> {
    let (a, b) = (cx.tensor(0)?, cx.tensor(1)?);
    if a.dtype != cx.dtype || b.dtype != cx.dtype {
        return None;
    }
    let ([.., rows, inner], [.., depth, columns]) = (&a.shape[..], &b.shape[..]) else { return None };
    let (rows, inner, columns) = (*rows, *inner, *columns);
    let work = count(&cx.shape).checked_mul(inner)?;
    if inner != *depth || inner == 0 || work > MAX_PRODUCTS {
        return None;
    }
    let batch = cx.shape.get(..cx.shape.len().checked_sub(2)?)?;
    let whole = |matrix: [usize; 2]| batch.iter().copied().chain(matrix).collect::<Vec<_>>();
    let (a, b) = (a.broadcast(&whole([rows, inner]))?, b.broadcast(&whole([inner, columns]))?);
    let dtype = cx.dtype;
    fn multiply<T: Copy>(
        (batch, rows, inner, columns): (usize, usize, usize, usize),
        (a, b): (&[T], &[T]),
        zero: T,
        add_product: impl Fn(T, T, T) -> T,
    ) -> Option<Vec<T>> {
        let mut result = Vec::with_capacity(batch * rows * columns);
        for matrix in 0..batch {
            for row in 0..rows {
                for column in 0..columns {
                    let mut sum = zero;
                    for at in 0..inner {
                        let x = *a.get((matrix * rows + row) * inner + at)?;
                        let y = *b.get((matrix * inner + at) * columns + column)?;
                        sum = add_product(sum, x, y);
                    }
                    result.push(sum);
                }
            }
        }
        Some(result)
    }
    let size = (count(batch), rows, inner, columns);
    let data = match (&a.data, &b.data) {
        (Data::Int(x), Data::Int(y)) => {
            Data::Int(multiply(size, (x, y), 0, |sum, x, y| wrap(dtype, sum + wrap(dtype, x * y)))?)
        }
        (Data::Float(x), Data::Float(y)) => {
            Data::Float(multiply(size, (x, y), 0.0, |sum, x, y| rounded(dtype, sum + rounded(dtype, x * y)))?)
        }
        _ => return None,
    };
    Some(Tensor { dtype, shape: cx.shape.clone(), data })
}
