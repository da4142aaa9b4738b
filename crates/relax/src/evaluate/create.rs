//! Operators that make tensors.

use super::Operands;
use super::tensor::{Data, Indices, Tensor, count};
use tvmscript_ir_core::arithmetic::is_float;

/// Computes an operator that makes a tensor.
pub(super) fn evaluate(cx: &Operands<'_>) -> Option<Tensor> {
    match cx.name {
        "zeros" | "zeros_like" => Some(filled(cx, 0)),
        "ones" | "ones_like" => Some(filled(cx, 1)),
        "full" | "full_like" => {
            let value = cx.tensor(1)?;
            let position = (value.len() == 1 && value.dtype == cx.dtype).then_some(0)?;
            value.gather(&cx.shape, std::iter::repeat_n(position, count(&cx.shape)))
        }
        "arange" => {
            let (start, step) = (cx.number(0)?, cx.number(2)?);
            let values = (0..count(&cx.shape)).map(|at| at as f64);
            let shape = cx.shape.clone();
            Some(match is_float(cx.dtype) {
                true => Tensor::of_floats(cx.dtype, shape, values.map(|at| start + at * step)),
                false => {
                    let (start, step) = (i128::from(cx.integer(0)?), i128::from(cx.integer(2)?));
                    Tensor::of_ints(
                        cx.dtype,
                        shape,
                        (0..count(&cx.shape)).map(|at| start + at as i128 * step),
                    )
                }
            })
        }
        "tril" | "triu" => {
            let (x, k) = (cx.tensor(0)?, i128::from(cx.integer(1)?));
            let keeps = |index: &[usize]| match index {
                [.., row, column] if cx.name == "tril" => *column as i128 - *row as i128 <= k,
                [.., row, column] => *column as i128 - *row as i128 >= k,
                _ => true,
            };
            let mask: Vec<bool> = Indices::new(&x.shape).map(|index| keeps(&index)).collect();
            let data = match &x.data {
                Data::Int(values) => {
                    Data::Int(values.iter().zip(&mask).map(|(x, m)| if *m { *x } else { 0 }).collect())
                }
                Data::Float(values) => {
                    Data::Float(values.iter().zip(&mask).map(|(x, m)| if *m { *x } else { 0.0 }).collect())
                }
            };
            Some(Tensor { data, ..x })
        }
        _ => None,
    }
}

fn filled(cx: &Operands<'_>, value: i32) -> Tensor {
    let values = std::iter::repeat_n(value, count(&cx.shape));
    match is_float(cx.dtype) {
        true => Tensor::of_floats(cx.dtype, cx.shape.clone(), values.map(f64::from)),
        false => Tensor::of_ints(cx.dtype, cx.shape.clone(), values.map(i128::from)),
    }
}
