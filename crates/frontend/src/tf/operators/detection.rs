//! The best boxes that do not overlap.

use tvmscript_ir_core::DataType;
use tvmscript_prim::Var;
use tvmscript_relax::Expr;
use tvmscript_relax::op::create::arange;
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{less, minimum, where_};
use tvmscript_relax::op::image::all_class_non_max_suppression;
use tvmscript_relax::op::index::{dynamic_strided_slice, take};
use tvmscript_relax::op::shape::{expand_dims, squeeze};

use super::super::node::{Converted, Node, Output};
use super::rows;
use super::slice::{Range, slice};
use crate::error::Reason;
use crate::ops::{dtype_of, field, int_operand, int64_number, int64_vector, ints, number, tensor_of};

rows! {
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"
        => suppressed, "vision.all_class_non_max_suppression, strided_slice, squeeze, dynamic_strided_slice; take of the scores",
        "a number of boxes and thresholds that are not constant; `soft_nms_sigma`";
}

fn suppressed(cx: &mut Node<'_, '_>) -> Converted {
    let [boxes, scores] = [cx.input(0)?, cx.input(1)?];
    let limit = cx.int(2, "the number of boxes")?;
    if !(1..=1 << 24).contains(&limit) {
        return Err("the number of boxes is out of range".into());
    }
    let overlap = match cx.count() > 3 {
        true => cx.number(3, "the threshold of overlaps")?,
        false => cx.float_attr("iou_threshold").unwrap_or(0.5),
    };
    let least = if cx.count() > 4 { cx.number(4, "the threshold of scores")? } else { f64::NEG_INFINITY };
    if cx.count() > 5 && cx.number(5, "`soft_nms_sigma`")? != 0.0 {
        return Err("`soft_nms_sigma` other than 0 is not supported".into());
    }
    let float = dtype_of(&scores);
    let all = expand_dims(boxes, ints(&[0])).upcast();
    let rows = expand_dims(scores.clone(), ints(&[0, 1])).upcast();
    let least = number(float, least.max(f64::from(f32::MIN)));
    let chosen = all_class_non_max_suppression(
        all,
        rows,
        int64_number(limit),
        number(float, overlap),
        least,
        "onnx".into(),
    );
    let chosen = cx.normalize(chosen)?;
    let places = cx.step(slice(field(&chosen, 0), &[Range::of(1, 2, 3)]))?;
    let places = cx.step(squeeze(places, Some(ints(&[1]))))?;
    let count = cx.step(minimum(field(&chosen, 1), int64_vector(&[limit])))?;
    let number_of = |cx: &mut Node<'_, '_>| -> Result<Expr, Reason> {
        let scalar = cx.step(squeeze(count.clone(), Some(ints(&[0]))))?;
        cx.step(astype(scalar, DataType::INT32))
    };
    if cx.flag("pad_to_max_output_size") {
        let counted = number_of(cx)?;
        let positions =
            arange(int_operand(0), Some(int_operand(limit)), int_operand(1), Some(DataType::INT64));
        let is_valid = cx.step(less(positions.upcast(), count))?;
        let first = cx.step(slice(places, &[Range::of(0, 0, limit)]))?;
        let padded = cx.step(where_(is_valid, first, int64_number(0)))?;
        return Ok(Output::Many(vec![astype(padded, DataType::INT32).upcast(), counted]));
    }
    let counted = number_of(cx)?;
    let valid = dynamic_strided_slice(places, int64_vector(&[0]), count, int64_vector(&[1]));
    let length = Var::new(format!("{}_count", cx.layer), DataType::INT64).upcast();
    let valid = cx.graph().match_cast(valid, tensor_of([length], DataType::INT64))?;
    let indices = cx.step(astype(valid, DataType::INT32))?;
    Ok(match cx.proto.op.as_ref() {
        b"NonMaxSuppressionV4" => Output::Many(vec![indices, counted]),
        b"NonMaxSuppressionV5" => {
            let best = take(scores, indices.clone(), Some(0), "fast".into()).upcast();
            Output::Many(vec![indices, best, counted])
        }
        _ => indices.into(),
    })
}
