//! Windows of signal processing, and reversed sequences.

use std::f64::consts::PI;

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::is_float;
use tvmscript_relax::Constant;
use tvmscript_relax::evaluate::{MAX_ELEMENTS, Tensor};
use tvmscript_relax::op::tvm_0_27::sequence::reverse_sequence;

use super::super::node::{Converted, Node};
use super::rows;
use super::scalar::constant_int;
use crate::error::Reason;

rows! {
    "BlackmanWindow" { 17: |cx| window(cx, [0.42, -0.5, 0.08]) } => "a constant", "a size at run time";
    "HammingWindow" { 17: |cx| window(cx, [25.0 / 46.0, -21.0 / 46.0, 0.0]) } => "a constant", "a size at run time";
    "HannWindow" { 17: |cx| window(cx, [0.5, -0.5, 0.0]) } => "a constant", "a size at run time";
    "ReverseSequence" { 10: |cx| {
        let (time, batch) = (cx.int("time_axis").unwrap_or(0), cx.int("batch_axis").unwrap_or(1));
        Ok(reverse_sequence(cx.input(0)?, cx.input(1)?, time, batch).into())
    } } => "reverse_sequence";
}

/// A sum of cosines with the given factors.
fn window(cx: &mut Node<'_, '_>, factors: [f64; 3]) -> Converted {
    let size = constant_int(cx, 0).ok_or_else(|| Reason::from("the size must be constant"))?;
    let count = usize::try_from(size).ok().filter(|count| *count <= MAX_ELEMENTS);
    let count = count.ok_or_else(|| Reason(format!("the size {size} is out of range")))?;
    let dtype = cx.dtype("output_datatype")?.unwrap_or(DataType::FLOAT32);
    let is_periodic = cx.int("periodic").unwrap_or(1) != 0;
    let period = if is_periodic { size } else { size - 1 }.max(1) as f64;
    let values = (0..size).map(|at| {
        let angle = 2.0 * PI * at as f64 / period;
        let [constant, first, second] = factors;
        constant + first * angle.cos() + second * (2.0 * angle).cos()
    });
    let tensor = match is_float(dtype) {
        true => Tensor::of_floats(dtype, vec![count], values),
        false => Tensor::of_ints(dtype, vec![count], values.map(|value| value as i128)),
    };
    Ok(cx.named(Constant::new(tensor.encode())).into())
}
