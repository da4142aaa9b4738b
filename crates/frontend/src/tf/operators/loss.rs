//! Losses of classifiers.

use tvmscript_ir_core::DataType;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::index::gather_elements;
use tvmscript_relax::op::join::one_hot;
use tvmscript_relax::op::nn::activation::{log_softmax, softmax};
use tvmscript_relax::op::reduce::sum;
use tvmscript_relax::op::shape::{expand_dims, squeeze};
use tvmscript_relax::{Expr, PrimValue};

use super::super::node::{Converted, Node, Output};
use super::rows;
use crate::error::Reason;
use crate::ops::{self, dtype_of, ints};

rows! {
    "InTopKV2" => |cx| {
        let [scores, classes] = [cx.input(0)?, cx.input(1)?];
        let k = cx.input(2)?;
        let classes = cx.agree(&scores, classes, Some)?;
        let own = of_class(cx, &scores, classes)?;
        let is_better = astype(op::greater(scores, own).upcast(), dtype_of(&k)).upcast();
        let better = cx.step(sum(is_better, Some(ints(&[-1])), false))?;
        Ok(op::less(better, k).into())
    }, "gather_elements, greater, sum, less";
    "SoftmaxCrossEntropyWithLogits" => |cx| {
        let [x, labels] = cx.pair()?;
        let logs = cx.step(log_softmax(x.clone(), -1))?;
        let loss = op::negative(sum(op::multiply(labels.clone(), logs).upcast(), Some(ints(&[-1])), false).upcast());
        let gradient = op::subtract(softmax(x, -1).upcast(), labels);
        Ok(Output::Many(vec![loss.upcast(), gradient.upcast()]))
    }, "nn.log_softmax, multiply, sum, negative; nn.softmax, subtract";
    "SparseSoftmaxCrossEntropyWithLogits" => sparse, "nn.log_softmax, gather_elements, negative; nn.softmax, one_hot, subtract";
}

/// The score of the class of each row, in a column.
fn of_class(cx: &mut Node<'_, '_>, scores: &Expr, classes: Expr) -> Result<Expr, Reason> {
    let classes = cx.step(astype(classes, DataType::INT64))?;
    let classes = cx.step(expand_dims(classes, ints(&[-1])))?;
    cx.step(gather_elements(scores.clone(), classes, -1))
}

fn sparse(cx: &mut Node<'_, '_>) -> Converted {
    let [x, labels] = [cx.input(0)?, cx.input(1)?];
    let labels = cx.agree(&x, labels, Some)?;
    let logs = cx.step(log_softmax(x.clone(), -1))?;
    let own = of_class(cx, &logs, labels.clone())?;
    let loss = op::negative(squeeze(own, Some(ints(&[-1]))).upcast()).upcast();
    let classes = ops::dims(&x)?.last().and_then(tvmscript_prim::ops::int_value);
    let Some(classes) = classes.filter(|classes| *classes > 0) else { return Ok(Output::Many(vec![loss])) };
    let value = |number: f64| -> Result<Expr, Reason> {
        Ok(PrimValue::new(tvmscript_prim::ops::make_const(dtype_of(&x), number)?).upcast())
    };
    let truth = one_hot(labels, value(1.0)?, value(0.0)?, classes, -1);
    let gradient = op::subtract(softmax(x.clone(), -1).upcast(), truth.upcast());
    Ok(Output::Many(vec![loss, gradient.upcast()]))
}
