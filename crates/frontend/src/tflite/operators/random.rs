//! Random numbers, by functions of TVM's runtime.

use tvmscript_ir_core::DataType;
use tvmscript_relax::op::call::call_dps_packed;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::nn::activation::softmax;
use tvmscript_relax::op::search::multinomial_from_uniform;
use tvmscript_relax::op::shape::{broadcast_to, expand_dims};
use tvmscript_relax::{Expr, ExternFunc, ShapeExpr, Tuple};

use super::super::node::{Converted, Node};
use super::super::schema::Random;
use super::create::shape_operand;
use super::rows;
use crate::error::Reason;
use crate::ops::{float_operand, int_operand, ints, reshape, shape, tensor_of};

rows! {
    "MULTINOMIAL": Stored multinomial => "call_dps_packed, nn.softmax, multinomial_from_uniform", "a number of samples computed at run time";
    "RANDOM_STANDARD_NORMAL": Stored |cx| random(cx, "normal") => "call_dps_packed";
    "RANDOM_UNIFORM": Stored |cx| random(cx, "uniform") => "call_dps_packed";
}

/// Numbers of a distribution between, or with mean and deviation of, 0 and 1.
fn drawn(cx: &Node<'_, '_>, distribution: &str, dims: Expr) -> Result<Expr, Reason> {
    let seeds = [cx.long(Random::Seed, 0)?, cx.long(Random::Seed2, 0)?].map(int_operand);
    let args = seeds.into_iter().chain([0.0, 1.0].map(float_operand));
    let callee = ExternFunc::new(format!("tvm.contrib.random.{distribution}"), None).upcast();
    let dims = dims.as_node::<ShapeExpr>().map(|shape| shape.values.clone()).unwrap_or_default();
    let info = tensor_of(dims.iter().cloned(), DataType::FLOAT32);
    Ok(call_dps_packed(callee, Tuple::new(args).upcast(), vec![info]).upcast())
}

fn random(cx: &mut Node<'_, '_>, distribution: &str) -> Converted {
    if cx.output_dtype(0)? != DataType::FLOAT32 {
        return Err("only `float32` numbers are supported".into());
    }
    let name = if distribution == "normal" { "random_standard_normal_dim" } else { "random_uniform_dim" };
    let dims = shape_operand(cx, 0, name)?;
    Ok(drawn(cx, distribution, dims)?.into())
}

fn multinomial(cx: &mut Node<'_, '_>) -> Converted {
    let [batch, _] = cx.lengths(0)?;
    let samples = cx.single_int(1, "the number of samples")?;
    let all = batch.saturating_mul(samples);
    let dtype = cx.output_dtype(0)?;
    let drawn = drawn(cx, "uniform", shape(&[all, 1]))?;
    let rows = arange(int_operand(batch), None, int_operand(1), Some(DataType::INT64));
    let rows = expand_dims(rows.upcast(), ints(&[1]));
    let rows = broadcast_to(rows.upcast(), shape(&[batch, samples]));
    let rows = reshape(rows.upcast(), shape(&[all, 1]))?.upcast();
    let chances = softmax(cx.input(0)?, -1).upcast();
    let found = multinomial_from_uniform(chances, drawn, rows, dtype);
    Ok(reshape(found.upcast(), shape(&[batch, samples]))?.into())
}
