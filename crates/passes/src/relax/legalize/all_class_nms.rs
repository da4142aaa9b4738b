//! The boxes of each class that do not overlap better ones.
//!
//! Upstream counterparts: `topi/vision/{nms,nms_util}.py`, `topi/{sort,scan}.py`.

use std::slice::from_ref;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::ops;
use tvmscript_relax::attrs::AllClassNonMaximumSuppressionAttrs;
use tvmscript_te::Declared;
use tvmscript_tir::{Buffer, ForKind};

use super::Outcome;
use super::elementwise::map;
use super::manipulate::{gathered, reshaped, unsupported};
use super::nms::{overlap, truth};
use super::reduce::reduced;
use super::scalar::{Scalar, Scalars, constant, int};
use super::search::bisected;
use super::site::Site;
use super::sort::{argsort, sums_before};
use super::statements::{
    Cells, Flat, Local, cast_node, each, either, in_order, inside, number, output, repeat, sequence, when,
    wide, written, written_all,
};
use super::tensor::{Answer, Combine, Stage, Tensor};

const INT32: DataType = DataType::INT32;
const INT64: DataType = DataType::INT64;

/// The number of scores of each row above a threshold, found by bisection.
fn counted(scores: &Tensor, threshold: &Tensor) -> Answer<Tensor> {
    let dims = scores.dims();
    let (rows, length) = (dims.pick(0), dims.pick(1));
    let inputs = [
        (scores.clone(), Declared::named("scores_buf").aligned(8)),
        (threshold.clone(), Declared::named("score_thresh_buf").aligned(8)),
    ];
    let result = output(&dims.range(0, 1), INT32, Declared::named("searchsorted").aligned(8));
    let [result] = written("searchsorted", inputs, [result], move |[scores, threshold], [result]| {
        repeat(&rows, ForKind::Parallel, |i| {
            bisected(
                cast_node(&length, INT32),
                |low, high, to| to(&(high + low)).with(1, ops::shift_right),
                |place| Cells(scores).at(&[i.clone(), place.clone()]).gt(Cells(threshold).at(&[])),
                |place| Cells(result).store(from_ref(i), place),
            )
        })
    })?;
    Ok(result)
}

/// The limits of the choice: boxes per class, overlap from which a box is dropped.
struct Limits {
    boxes: i64,
    overlap: Scalar,
}

/// The lengths of the operands.
struct Lengths {
    batches: Scalar,
    classes: Scalar,
    boxes: Scalar,
}

impl Lengths {
    /// Batches times classes.
    fn rows(&self) -> Scalar {
        &self.batches * &self.classes
    }
}

/// For each row, the boxes that are chosen, their scores if wanted, and their number. Dropped boxes lose their scores.
fn chosen(
    boxes: &Tensor,
    [scores, sorted, count, threshold]: [&Tensor; 4],
    Limits { boxes: most, overlap: least }: Limits,
    has_scores: bool,
) -> Answer<Vec<Tensor>> {
    let (dims, dtype) = (scores.dims(), scores.dtype());
    let (rows, own) = (dims.pick(0), boxes.dims());
    let classes = rows.floordiv(own.pick(0));
    let per_box = [own.pick(1), own.pick(2)];
    let name = "all_class_nms";
    let body = move |[boxes, scores, sorted, count, threshold]: &[Ref<Buffer>; 5],
                     outputs: &[Ref<Buffer>]| {
        let [indices, rest @ .., found] = outputs else {
            return unsupported("the choice of boxes lacks buffers");
        };
        let (boxes, scores, sorted) = (Flat(boxes), Cells(scores), Cells(sorted));
        each(&rows, |i| {
            let limit = wide(&Cells(count).at(from_ref(i)));
            let chosen = Local::new("chosen", INT32)?;
            let score = |j: &Scalar| scores.at(&[i.clone(), j.clone()]);
            let [length, numbers] = &per_box;
            let base = i.floordiv(&classes) * length * numbers;
            let coordinate = |j: &Scalar, place: i64| {
                boxes.at(&(&base + wide(&sorted.at(&[i.clone(), j.clone()])) * numbers + place))
            };
            let each_box = each(&limit, |j| {
                let place = [i.clone(), chosen.get()];
                let index = Cells(indices).store(&place, sorted.at(&[i.clone(), j.clone()]));
                let kept = rest.iter().map(|buffer| Cells(buffer).store(&place, score(j)));
                let keep = when(truth(true), sequence(std::iter::once(index).chain(kept)));
                let others = repeat(&(&limit - j - 1), ForKind::Parallel, |k| {
                    let k = &(j + 1 + k);
                    let common =
                        overlap(|at| coordinate(j, at), |at| coordinate(k, at), &constant(dtype, 0.0));
                    let drop = scores.store(&[i.clone(), k.clone()], constant(dtype, -1.0));
                    when(k.lt(&limit).and(score(k).gt(0)), when(common.ge(&least), drop))
                });
                let is_left = score(j).gt(-1).and(wide(&chosen.get()).lt(most));
                let is_good = score(j).gt(Cells(threshold).at(&[]));
                when(is_left, when(is_good, sequence([keep, chosen.count(), others])))
            });
            let set = |value: Scalar| Cells(found).store(from_ref(i), value);
            let some = sequence([chosen.set(number(INT32, 0)), each_box, set(chosen.get())]);
            either(least.gt(0).and(limit.gt(0)), chosen.around(some), set(number(INT32, 0)))
        })
    };
    let found = dims.range(0, 1);
    let outputs = if has_scores {
        let buffer = || Declared::inside(name);
        let scores = output(&dims, DataType::FLOAT32, buffer());
        vec![output(&dims, INT32, buffer()), scores, output(&found, INT32, buffer())]
    } else {
        let buffer = |name: &str| Declared::named(name).aligned(8);
        let indices = output(&dims, INT32, buffer("all_class_nms0"));
        vec![indices, output(&found, INT32, buffer("all_class_nms1"))]
    };
    written_all(name, [boxes, scores, sorted, count, threshold].map(inside), outputs, body)
}

/// Batch, class and index of each box that is chosen, then zeros.
fn listed([indices, count, offsets]: [&Tensor; 3], lengths: &Lengths, most: i64) -> Answer<Tensor> {
    let (rows, classes) = (lengths.rows(), lengths.classes.clone());
    let (name, all) = ("collect_indices", &rows * most);
    let result = output(&[all.clone(), int(3)], INT64, Declared::inside(name));
    let [result] =
        written(name, [indices, count, offsets].map(inside), [result], move |inputs, [result]| {
            let [indices, count, offsets] = inputs;
            let result = Cells(result);
            let clear = each(&all, |i| each(&int(3), |j| result.store(&[i.clone(), j.clone()], int(0))));
            let fill = repeat(&rows, ForKind::Parallel, |i| {
                let limit = wide(&Cells(count).at(from_ref(i))).min(most);
                each(&limit, |j| {
                    let row = Cells(offsets).at(from_ref(i)) + j;
                    let index = wide(&Cells(indices).at(&[i.clone(), j.clone()]));
                    let numbers = [i.floordiv(&classes), i.floormod(&classes), index];
                    let stores = numbers.into_iter().zip(0..);
                    sequence(stores.map(|(value, at)| result.store(&[row.clone(), int(at)], value)))
                })
            });
            in_order([clear, fill])
        })?;
    Ok(result)
}

/// For each batch, class and index of each box that is chosen, and its score; then zeros.
fn listed_by_batch(
    inputs: [&Tensor; 5],
    Lengths { batches, classes, boxes }: Lengths,
) -> Answer<[Tensor; 2]> {
    let name = "collect_indices_and_scores";
    let dims = [batches.clone(), &classes * &boxes];
    let outputs = [
        output(&[dims.as_slice(), &[int(2)]].concat(), INT64, Declared::inside(name)),
        output(&dims, DataType::FLOAT32, Declared::inside(name)),
    ];
    written(name, inputs.map(inside), outputs, move |inputs, outputs| {
        let [indices, scores, count, offsets, total] = inputs;
        let [out, out_scores] = outputs.each_ref().map(Cells);
        repeat(&(&batches * &classes), ForKind::Parallel, |i| {
            let (batch, class) = (i.floordiv(&classes), i.floormod(&classes));
            let place = [batch.clone(), class.clone()];
            let (count, offset) = (wide(&Cells(count).at(&place)), Cells(offsets).at(&place));
            each(&boxes, |j| {
                let row = |to: Scalar, first: Scalar, second: Scalar, score: Scalar| {
                    let place = |at: i64| [batch.clone(), to.clone(), int(at)];
                    let score = out_scores.store(&[batch.clone(), to.clone()], score);
                    sequence([out.store(&place(0), first), out.store(&place(1), second), score])
                };
                let from = [i.clone(), j.clone()];
                let (index, score) = (wide(&Cells(indices).at(&from)), Cells(scores).at(&from));
                let after = Cells(total).at(from_ref(&batch)) + &class * &boxes - &offset + j - &count;
                let zero = constant(DataType::FLOAT32, 0.0);
                let chosen = row(&offset + j, class.clone(), index, score);
                either(j.lt(&count), chosen, row(after, int(0), int(0), zero))
            })
        })
    })
}

/// The boxes, and how many rows there are; for `tensorflow`, also their scores.
pub(super) fn all_class_non_max_suppression(site: &mut Site<'_>) -> Answer<Outcome> {
    let is_onnx = site.attrs::<AllClassNonMaximumSuppressionAttrs>()?.output_format.as_str() == "onnx";
    let (boxes, scores) = (site.tensor(0)?, site.tensor(1)?);
    let (overlap, threshold) = (site.tensor(3)?, site.tensor(4)?);
    let own = scores.dims();
    let most = match site.literal(2) {
        Some(most) => most.known(),
        None if site.is_constant(2) => None,
        None => own.pick(2).known(),
    };
    let overlap = match overlap.dims().as_slice() {
        [] => overlap.at(&[]),
        [length] if length.known() == Some(1) => overlap.at(&[int(0)]),
        _ => return Ok(Outcome::Keep),
    };
    let (Some(most), 3, 0) = (most, own.len(), threshold.rank()) else { return Ok(Outcome::Keep) };
    let lengths = Lengths { batches: own.pick(0), classes: own.pick(1), boxes: own.pick(2) };
    let scores = reshaped(&scores, &[lengths.rows(), own.pick(2)])?;
    let sorted = argsort(&scores, 1, false, INT32)?;
    let scores = gathered(&scores, 1, &sorted)?;
    let valid = counted(&scores, &threshold)?;
    let limits = Limits { boxes: most, overlap };
    let found = chosen(&boxes, [&scores, &sorted, &valid, &threshold], limits, !is_onnx)?;
    match found.as_slice() {
        [indices, count] => {
            let offsets = sums_before(count)?;
            let clamped = Stage::python("clamped_num").with_axes(&["i"]);
            let clamped = clamped.over(&count.dims(), |i| count.at(i).min(most))?;
            let total = reduced(&map(&clamped, |number| wide(&number))?, &[0], false, Combine::Sum)?;
            let total = reshaped(&total, &[int(1)])?;
            Ok(Outcome::Trimmed([listed([indices, count, &offsets], &lengths, most)?, total]))
        }
        [indices, kept, count] => {
            let count = reshaped(count, &[own.pick(0), own.pick(1)])?;
            let offsets = sums_before(&count)?;
            let total = reduced(&map(&count, |number| wide(&number))?, &[1], false, Combine::Sum)?;
            let [indices, scores] = listed_by_batch([indices, kept, &count, &offsets, &total], lengths)?;
            Ok(Outcome::Tensors(vec![indices, scores, total]))
        }
        _ => Ok(Outcome::Keep),
    }
}
