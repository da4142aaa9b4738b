//! The custom operator after detectors of objects: boxes from anchors, and the best ones that do not overlap.

use tvmscript_ir_core::{Array, DataType, Value};
use tvmscript_relax::Expr;
use tvmscript_relax::op::create::{arange, zeros};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::elementwise::{add, less, minimum, multiply, where_};
use tvmscript_relax::op::image::all_class_non_max_suppression;
use tvmscript_relax::op::index::{gather_elements, gather_nd};
use tvmscript_relax::op::join::{repeat, split};
use tvmscript_relax::op::search::topk;
use tvmscript_relax::op::shape::{expand_dims, permute_dims, squeeze};
use tvmscript_relax::op::tvm_0_27::vision::multibox_transform_loc;

use super::super::flexbuffer;
use super::super::importer::element;
use super::super::node::{Converted, Node, Output};
use super::rows;
use super::shape::{joined, sections};
use super::slice::sliced;
use crate::error::Reason;
use crate::ops::{int_operand, int64_number, int64_vector, ints, lengths, number, reshape, shape};

rows! {
    "TFLite_Detection_PostProcess": Real detections
        => "vision.multibox_transform_loc, vision.all_class_non_max_suppression, topk, gather_nd, where";
}

/// The options of the operator.
struct Options {
    classes: i64,
    limit: i64,
    per_class: i64,
    overlap: f64,
    least: f64,
    /// Scales of the center and the size of boxes.
    scales: [f64; 4],
    /// Each class has boxes of its own.
    is_regular: bool,
}

fn options(cx: &Node<'_, '_>) -> Result<Options, Reason> {
    let found = flexbuffer::numbers(cx.operator.custom);
    let found = found.ok_or_else(|| Reason::from("the options cannot be read"))?;
    let get = |name: &str| {
        found.get(name).copied().ok_or_else(|| Reason(format!("the option `{name}` is missing")))
    };
    let count = |name: &str| match get(name)? {
        value if (1.0..1e6).contains(&value) => Ok(value as i64),
        value => Err(Reason(format!("the option `{name}` must be a positive number, found {value}"))),
    };
    let scales = [get("x_scale")?, get("y_scale")?, get("w_scale")?, get("h_scale")?];
    if scales.iter().any(|scale| *scale <= 0.0) {
        return Err("the scales must be positive".into());
    }
    Ok(Options {
        classes: count("num_classes")?,
        limit: count("max_detections")?,
        per_class: count("detections_per_class")?,
        overlap: get("nms_iou_threshold")?,
        least: get("nms_score_threshold")?,
        scales,
        is_regular: found.get("use_regular_nms").is_some_and(|flag| *flag != 0.0),
    })
}

const F32: DataType = DataType::FLOAT32;

/// Four equal parts along an axis.
fn quarters(x: Expr, axis: i64) -> [Expr; 4] {
    let parts: Expr = split(x, sections(4), axis).upcast();
    [0, 1, 2, 3].map(|at| element(&parts, at))
}

/// The corners of anchors from their centers and sizes.
fn corners(anchors: Expr) -> Expr {
    let [y, x, height, width] = quarters(anchors, 1);
    let at = |center: &Expr, size: &Expr, part: f64| {
        add(center.clone(), multiply(size.clone(), number(F32, part)).upcast()).upcast()
    };
    let sides = vec![at(&x, &width, -0.5), at(&y, &height, -0.5), at(&x, &width, 0.5), at(&y, &height, 0.5)];
    expand_dims(joined(sides, 1), ints(&[0])).upcast()
}

/// The operands are the encoded boxes, the scores of classes and the anchors.
fn detections(cx: &mut Node<'_, '_>) -> Converted {
    let options = options(cx)?;
    let [batch, _, found_classes] = cx.lengths(1)?;
    let [anchors, _] = cx.lengths(2)?;
    let background = found_classes - options.classes;
    if !(0..=1).contains(&background) {
        return Err(Reason(format!(
            "has scores of {found_classes} classes, and {} are stated",
            options.classes
        )));
    }
    let anchor_boxes = cx.input(2)?;
    let (encoded, mut scores) = (cx.input(0)?, cx.input(1)?);
    if background == 1 {
        scores = sliced(scores, &[2], &[1], &[1 + options.classes], None);
    }
    let [y, x, height, width] = quarters(encoded, 2);
    let encoded = joined(vec![x, y, width, height], 2);
    let encoded = reshape(encoded, shape(&[batch, anchors.saturating_mul(4)]))?.upcast();
    let variances = options.scales.iter().map(|scale| Value::Float(1.0 / scale));
    let least = if options.is_regular { 0.0 } else { options.least };
    let decoded = multibox_transform_loc(
        permute_dims(scores, Some(ints(&[0, 2, 1]))).upcast(),
        encoded,
        corners(anchor_boxes),
        false,
        least,
        Array::of_values(variances),
        true,
        false,
    );
    let decoded = cx.emit(decoded)?;
    let (boxes, scores) = (cx.emit(element(&decoded, 0))?, cx.emit(element(&decoded, 1))?);
    let (best, classes) = match options.is_regular {
        true => (scores, None),
        false => {
            // Each box has its best class alone.
            let best = cx.emit(topk(scores, 1, 1, "both".into(), true, DataType::INT32))?;
            let (scores, classes) = (cx.emit(element(&best, 0))?, cx.emit(element(&best, 1))?);
            (scores, Some(squeeze(classes, Some(ints(&[1]))).upcast()))
        }
    };
    let limit = if options.is_regular { options.per_class } else { options.limit };
    let chosen = all_class_non_max_suppression(
        boxes.clone(),
        best,
        int64_number(limit),
        number(F32, options.overlap),
        number(F32, options.least),
        "tensorflow".into(),
    );
    let chosen = cx.emit(chosen)?;
    let mut parts = Vec::new();
    for at in 0..3 {
        parts.push(cx.emit(element(&chosen, at))?);
    }
    let [indices, scores, counts] = parts.try_into().map_err(|_| Reason::from("has three parts"))?;
    ranked(cx, &options, batch, Chosen { boxes, classes, indices, scores, counts })
}

/// The boxes that were chosen for each class.
struct Chosen {
    boxes: Expr,
    /// The class of each box, if it has only one.
    classes: Option<Expr>,
    /// Pairs of class and box.
    indices: Expr,
    scores: Expr,
    counts: Expr,
}

/// Positions from 0 as a row.
fn positions(count: i64) -> Expr {
    let line = arange(int_operand(count), None, int_operand(1), Some(DataType::INT64));
    expand_dims(line.upcast(), ints(&[0])).upcast()
}

/// The best boxes of all classes, with zeros after them.
fn ranked(cx: &mut Node<'_, '_>, options: &Options, batch: i64, chosen: Chosen) -> Converted {
    let limit = options.limit;
    let slots = lengths(&chosen.scores)?.get(1).copied().unwrap_or(0);
    let counts = expand_dims(chosen.counts.clone(), ints(&[1])).upcast();
    let is_valid = less(positions(slots), counts).upcast();
    let scores = where_(is_valid, chosen.scores, number(F32, -1.0));
    let best = cx.emit(topk(scores.upcast(), limit, 1, "both".into(), true, DataType::INT32))?;
    let (scores, places) = (cx.emit(element(&best, 0))?, cx.emit(element(&best, 1))?);
    let counts: Expr = minimum(chosen.counts, int64_vector(&[limit])).upcast();
    let is_valid: Expr = less(positions(limit), expand_dims(counts.clone(), ints(&[1])).upcast()).upcast();
    let places = expand_dims(places, ints(&[2]));
    let pairs: Expr =
        gather_elements(chosen.indices, repeat(places.upcast(), 2, Some(2)).upcast(), 1).upcast();
    let column =
        |at: i64| squeeze(sliced(pairs.clone(), &[2], &[at], &[at + 1], None), Some(ints(&[2]))).upcast();
    let ids: Expr = column(1);
    let at_ids = || expand_dims(astype(ids.clone(), DataType::INT64).upcast(), ints(&[2])).upcast();
    let boxes = gather_nd(chosen.boxes, at_ids(), 1);
    let classes = match chosen.classes {
        None => astype(column(0), DataType::INT32),
        Some(classes) => gather_nd(classes, at_ids(), 1),
    };
    let mask = expand_dims(is_valid.clone(), ints(&[2]));
    let none = |dims: &[i64], dtype| zeros(shape(dims), dtype).upcast();
    let boxes = where_(mask.upcast(), boxes.upcast(), none(&[batch, limit, 4], F32)).upcast();
    let classes = where_(is_valid.clone(), classes.upcast(), none(&[batch, limit], DataType::INT32));
    let scores = where_(is_valid, scores, none(&[batch, limit], F32)).upcast();
    let classes = astype(classes.upcast(), F32).upcast();
    Ok(Output::Many(vec![boxes, classes, scores, astype(counts, F32).upcast()]))
}
