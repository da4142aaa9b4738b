//! Boxes that do not overlap better ones, and the boxes with a sufficient score.
//!
//! Upstream counterpart: `topi/vision/nms.py`.

use std::slice::from_ref;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::IntImm;
use tvmscript_relax::attrs::{GetValidCountsAttrs, NonMaximumSuppressionAttrs};
use tvmscript_te::Declared;
use tvmscript_tir::node::StmtRef;
use tvmscript_tir::{Buffer, ForKind};

use super::Outcome;
use super::manipulate::unsupported;
use super::scalar::{Scalar, Scalars, constant, int};
use super::site::Site;
use super::statements::{
    Cells, Local, cast_node, each, either, named, number, output, packed_call, repeat, sequence, when, wide,
    written, written_all,
};
use super::tensor::{Answer, Stage, Tensor};

const INT32: DataType = DataType::INT32;

pub(super) fn truth(value: bool) -> Scalar {
    Scalar::from(IntImm::bool(value))
}

/// A number as TVM's Python library casts it, also to the type that it has.
fn float(dtype: DataType, value: f64) -> Scalar {
    cast_node(&constant(DataType::FLOAT32, value), dtype)
}

/// The area that two boxes share, as a part of that of both. A box has four coordinates: those of one corner, then those of
/// the opposite one.
pub(super) fn overlap(a: impl Fn(i64) -> Scalar, b: impl Fn(i64) -> Scalar, zero: &Scalar) -> Scalar {
    let low = |of: &dyn Fn(i64) -> Scalar, axis: i64| of(axis).min(of(axis + 2));
    let high = |of: &dyn Fn(i64) -> Scalar, axis: i64| of(axis).max(of(axis + 2));
    let shared = |axis: i64| zero.max(high(&a, axis).min(high(&b, axis)) - low(&a, axis).max(low(&b, axis)));
    let area = |of: &dyn Fn(i64) -> Scalar| (high(of, 0) - low(of, 0)) * (high(of, 1) - low(of, 1));
    let common = shared(1) * shared(0);
    let all = area(&a) + area(&b) - &common;
    all.le(zero).select(zero, &(common / &all))
}

pub(super) fn get_valid_counts(site: &mut Site<'_>) -> Answer<Outcome> {
    let GetValidCountsAttrs { score_threshold, id_index, score_index } = *site.attrs()?;
    let data = site.tensor(0)?;
    let (dims, dtype) = (data.dims(), data.dtype());
    let [batches, boxes, length] = [0, 1, 2].map(|axis| dims.pick(axis));
    let outputs = [
        output(&dims.range(0, 1), INT32, Declared::named("valid_count")),
        output(&dims, dtype, Declared::named("out_tensor")),
        output(&dims.range(0, 2), INT32, Declared::named("out_indices")),
    ];
    let results = written("get_valid_counts", [named(&data, "data")], outputs, move |[data], outputs| {
        let (data, [count, kept, indices]) = (Cells(data), outputs.each_ref().map(Cells));
        repeat(&batches, ForKind::Parallel, |i| {
            let counted = count.at(from_ref(i));
            let set = |value: Scalar| count.store(from_ref(i), value);
            let copy = |j: &Scalar| {
                let is_good = data.at(&[i.clone(), j.clone(), int(score_index)]).gt(score_threshold);
                let is_known = || data.at(&[i.clone(), j.clone(), int(id_index)]).ge(0);
                let row = each(&length, |k| {
                    let value = data.at(&[i.clone(), j.clone(), k.clone()]);
                    kept.store(&[i.clone(), counted.clone(), k.clone()], value)
                });
                let index = indices.store(&[i.clone(), counted.clone()], j.cast(INT32));
                let is_valid = if id_index < 0 { is_good } else { is_good.and(is_known()) };
                when(is_valid, sequence([row, index, set(&counted + 1)]))
            };
            let fill = |j: &Scalar| {
                let index = indices.store(&[i.clone(), j.clone()], number(INT32, -1));
                when(j.ge(wide(&counted)), sequence([cleared(kept, dtype, i, j, &length), index]))
            };
            sequence([set(number(INT32, 0)), each(&boxes, copy), each(&boxes, fill)])
        })
    })?;
    Ok(Outcome::Tensors(results.to_vec()))
}

/// Fills a box with -1.
fn cleared(boxes: Cells<'_>, dtype: DataType, i: &Scalar, j: &Scalar, length: &Scalar) -> Answer<StmtRef> {
    each(length, |k| boxes.store(&[i.clone(), j.clone(), k.clone()], float(dtype, -1.0)))
}

/// The boxes of a call of `R.vision.non_max_suppression`, best first, under suppression.
struct Suppression {
    attrs: NonMaximumSuppressionAttrs,
    dtype: DataType,
    /// Boxes per batch, and numbers per box.
    boxes: Scalar,
    length: Scalar,
}

/// The statement in one batch, with the buffers of inputs and results.
struct Batch<'a> {
    of: &'a Suppression,
    i: &'a Scalar,
    data: Cells<'a>,
    sorted: Cells<'a>,
    indices: Cells<'a>,
    out: Cells<'a>,
    kept: Cells<'a>,
    /// The number of boxes to consider.
    considered: Local,
    /// The number of boxes that stay.
    found: Local,
}

impl Batch<'_> {
    fn limit(&self) -> Scalar {
        wide(&self.considered.get())
    }

    fn value(&self, j: &Scalar, k: i64) -> Scalar {
        self.out.at(&[self.i.clone(), j.clone(), int(k)])
    }

    fn score(&self, j: &Scalar) -> Scalar {
        self.value(j, self.of.attrs.score_index)
    }

    fn set_score(&self, j: &Scalar, value: Scalar) -> Answer<StmtRef> {
        self.out.store(&[self.i.clone(), j.clone(), int(self.of.attrs.score_index)], value)
    }

    fn kept(&self, j: &Scalar) -> Scalar {
        self.kept.at(&[self.i.clone(), j.clone()])
    }

    fn keep(&self, j: &Scalar, index: Scalar) -> Answer<StmtRef> {
        self.kept.store(&[self.i.clone(), j.clone()], index)
    }

    fn drop_index(&self, j: &Scalar) -> Answer<StmtRef> {
        self.keep(j, number(INT32, -1))
    }

    fn clear(&self, j: &Scalar) -> Answer<StmtRef> {
        cleared(self.out, self.of.dtype, self.i, j, &self.of.length)
    }

    /// A test whether more boxes may stay.
    fn has_room(&self) -> Scalar {
        let limit = self.of.attrs.max_output_size;
        truth(limit > 0).select(wide(&self.found.get()).lt(limit), &truth(true))
    }

    /// A test whether one box can suppress the other.
    fn is_of_same_class(&self, j: &Scalar, k: &Scalar) -> Scalar {
        let NonMaximumSuppressionAttrs { force_suppress, id_index, .. } = self.of.attrs;
        match force_suppress || id_index < 0 {
            true => truth(true),
            false => self.value(j, id_index).equals(self.value(k, id_index)),
        }
    }

    fn overlap(&self, j: &Scalar, k: &Scalar) -> Scalar {
        let first = self.of.attrs.coord_start;
        let zero = float(self.of.dtype, 0.0);
        overlap(|place| self.value(j, first + place), |place| self.value(k, first + place), &zero)
    }

    /// The boxes in the order of their scores; nothing after those to consider.
    fn copy_sorted(&self) -> Answer<StmtRef> {
        each(&self.of.boxes, |j| {
            let from = self.sorted.at(&[self.i.clone(), j.clone()]);
            let copy = each(&self.of.length, |k| {
                let value = self.data.at(&[self.i.clone(), from.clone(), k.clone()]);
                self.out.store(&[self.i.clone(), j.clone(), k.clone()], value)
            });
            let copied = sequence([copy, self.keep(j, from.clone())]);
            either(j.lt(self.limit()), copied, sequence([self.clear(j), self.drop_index(j)]))
        })
    }

    /// Each box that is left suppresses the boxes after it.
    fn suppress(&self) -> Answer<StmtRef> {
        let threshold = float(self.of.dtype, 0.0);
        each(&self.limit(), |j| {
            let others = each(&self.limit(), |k| {
                let suppressed =
                    sequence([self.set_score(k, float(self.of.dtype, -1.0)), self.drop_index(k)]);
                let is_close = self.overlap(j, k).ge(self.of.attrs.iou_threshold);
                let is_left = k.gt(j).and(self.score(k).gt(&threshold));
                when(is_left, when(self.is_of_same_class(j, k), when(is_close, suppressed)))
            });
            let is_left = self.score(j).gt(&threshold).and(self.has_room());
            let dropped = sequence([self.clear(j), self.drop_index(j)]);
            either(is_left, sequence([self.found.count(), others]), dropped)
        })
    }

    /// Moves the best box that is left to the front again and again, and lowers the scores of those that it overlaps.
    fn decay(&self, [best, best_score, index, value]: [&Local; 4]) -> Answer<StmtRef> {
        let attrs = &self.of.attrs;
        let threshold = float(self.of.dtype, attrs.score_threshold);
        let found = self.found.get();
        let is_kept = |j: &Scalar| wide(&self.kept(j)).ge(0);
        let search = each(&self.limit(), |j| {
            let is_candidate = j.ge(wide(&found)).and(is_kept(j));
            let is_better = is_candidate.and(self.score(j).gt(best_score.get()));
            when(is_better, sequence([best.set(j.cast(INT32)), best_score.set(self.score(j))]))
        });
        let swap = sequence([
            index.set(self.kept(&found)),
            self.keep(&found, self.kept(&best.get())),
            self.keep(&best.get(), index.get()),
            each(&self.of.length, |k| {
                let place = |j: &Scalar| [self.i.clone(), j.clone(), k.clone()];
                sequence([
                    value.set(self.out.at(&place(&found))),
                    self.out.store(&place(&found), self.out.at(&place(&best.get()))),
                    self.out.store(&place(&best.get()), value.get()),
                ])
            }),
        ]);
        let lower = each(&self.limit(), |j| {
            let overlap = self.overlap(&found, j);
            let factor =
                (float(self.of.dtype, -0.5 / attrs.soft_nms_sigma) * &overlap * &overlap).call("exp");
            let lowered = self.set_score(j, self.score(j) * factor);
            let low = when(self.score(j).le(&threshold), self.drop_index(j));
            let close = when(overlap.ge(attrs.iou_threshold), self.drop_index(j));
            let far = when(overlap.lt(attrs.iou_threshold), sequence([lowered, low]));
            let is_left = j.gt(wide(&found)).and(is_kept(j)).and(self.score(j).gt(&threshold));
            when(is_left, when(self.is_of_same_class(&found, j), sequence([close, far])))
        });
        let choose = sequence([when(best.get().differs(&found), swap), lower, self.found.count()]);
        each(&self.limit(), |_| {
            let start = sequence([best.set(number(INT32, -1)), best_score.set(threshold.clone())]);
            let chosen = when(wide(&best.get()).ge(0), choose);
            when(self.has_room(), sequence([start, search, chosen]))
        })
    }

    /// The index in the input of a box.
    fn original(&self, j: &Scalar) -> Scalar {
        self.indices.at(&[self.i.clone(), self.kept(j)])
    }

    /// Moves the indices of boxes that stay to the front, and writes their number.
    fn gather(&self, count: Cells<'_>) -> Answer<StmtRef> {
        let place = Local::new("place", INT32)?;
        let body = sequence([
            place.set(number(INT32, 0)),
            each(&self.of.boxes, |j| {
                let moved = sequence([self.keep(&place.get(), self.original(j)), place.count()]);
                when(wide(&self.kept(j)).ge(0), moved)
            }),
            count.store(&[self.i.clone(), int(0)], place.get()),
            each(&self.of.boxes, |j| when(j.ge(wide(&place.get())), self.drop_index(j))),
        ]);
        place.around(body)
    }

    /// Clears what is after the boxes that stay.
    fn finish(&self, count: Option<Cells<'_>>) -> Answer<StmtRef> {
        let found = self.found.get();
        let is_after = |j: &Scalar| j.ge(wide(&found));
        match count {
            Some(count) => sequence([
                count.store(&[self.i.clone(), int(0)], found.clone()),
                each(&self.of.boxes, |j| {
                    let kept = when(j.lt(wide(&found)), self.keep(j, self.original(j)));
                    sequence([kept, when(is_after(j), sequence([self.clear(j), self.drop_index(j)]))])
                }),
            ]),
            None => each(&self.of.boxes, |j| when(is_after(j), self.clear(j))),
        }
    }

    /// All statements.
    fn body(&self, count: &Cells<'_>, valid: Option<Cells<'_>>) -> Answer<StmtRef> {
        let attrs = &self.of.attrs;
        let is_soft = attrs.soft_nms_sigma > 0.0;
        let top_k = attrs.top_k;
        let is_cut = match top_k > 0 {
            true => self.limit().gt(top_k),
            false => truth(false),
        };
        let locals = [
            Local::new("best", INT32)?,
            Local::new("best_score", self.of.dtype)?,
            Local::new("index", INT32)?,
            Local::new("value", self.of.dtype)?,
        ];
        let chosen = if is_soft { self.decay(locals.each_ref()) } else { self.suppress() };
        let end = match (is_soft, valid) {
            (true, valid) => Some(self.finish(valid)),
            (false, Some(valid)) => Some(self.gather(valid)),
            (false, None) => None,
        };
        let inner = locals
            .iter()
            .rev()
            .fold(sequence(std::iter::once(chosen).chain(end)), |body, local| local.around(body));
        let counted = self.found.around(sequence([self.found.set(number(INT32, 0)), inner]));
        self.considered.around(sequence([
            self.considered.set(count.at(from_ref(self.i))),
            when(is_cut, self.considered.set(number(INT32, top_k))),
            self.copy_sorted(),
            counted,
        ]))
    }
}

impl Suppression {
    fn body(
        &self,
        [data, sorted, count, indices]: &[Ref<Buffer>; 4],
        outputs: &[Ref<Buffer>],
        batches: &Scalar,
    ) -> Answer<StmtRef> {
        let [out, kept, rest @ ..] = outputs else {
            return unsupported("the suppression lacks buffers");
        };
        repeat(batches, ForKind::Parallel, |i| {
            let batch = Batch {
                of: self,
                i,
                data: Cells(data),
                sorted: Cells(sorted),
                indices: Cells(indices),
                out: Cells(out),
                kept: Cells(kept),
                considered: Local::new("considered", INT32)?,
                found: Local::new("found", INT32)?,
            };
            batch.body(&Cells(count), rest.first().map(Cells))
        })
    }
}

pub(super) fn non_max_suppression(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<NonMaximumSuppressionAttrs>()?;
    let (data, count, indices) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let (dims, dtype) = (data.dims(), data.dtype());
    let rows = dims.range(0, 2);
    let scores = Stage::python("score_tensor").with_axes(&["i", "j"]);
    let scores = scores.over(&rows, |i| data.at(&[i, &[int(attrs.score_index)]].concat()))?;
    let sorted = sorted_boxes(&scores, &count)?;
    let of = Suppression { dtype, boxes: dims.pick(1), length: dims.pick(2), attrs: attrs.clone() };
    let batches = dims.pick(0);
    let inputs = [
        named(&data, "data"),
        named(&sorted, "sorted_index"),
        named(&count, "valid_count"),
        named(&indices, "indices"),
    ];
    let out = output(&dims, dtype, Declared::named("out_data"));
    let kept = output(&rows, INT32, Declared::named("out_box_indices"));
    let count = || output(&[dims.pick(0), int(1)], INT32, Declared::named("out_valid_box_count"));
    let outputs = [out, kept].into_iter().chain(attrs.return_indices.then(count));
    let body = move |inputs: &[Ref<Buffer>; 4], outputs: &[Ref<Buffer>]| of.body(inputs, outputs, &batches);
    let results = written_all("non_max_suppression", inputs, outputs, body)?;
    match results.as_slice() {
        [_, _, _] if attrs.soft_nms_sigma > 0.0 => Ok(Outcome::Tensors(results)),
        [_, kept, valid] => Ok(Outcome::Tensors(vec![kept.clone(), valid.clone()])),
        [out, _] if attrs.invalid_to_bottom => Outcome::one(valid_first(out, attrs.score_index)?),
        [out, ..] => Outcome::one(out.clone()),
        [] => unsupported("the suppression has no results"),
    }
}

/// The indices of the boxes in the order of their scores, as far as they are valid.
fn sorted_boxes(scores: &Tensor, count: &Tensor) -> Answer<Tensor> {
    let inputs = [
        (scores.clone(), Declared::named("data_buf").aligned(8)),
        (count.clone(), Declared::named("valid_count_buf").aligned(4)),
    ];
    let sorted = output(&scores.dims(), INT32, Declared::named("out_buf").aligned(8));
    let [sorted] = written("argsort_nms_cpu", inputs, [sorted], |[scores, count], [sorted]| {
        packed_call("tvm.contrib.sort.argsort_nms", &[scores, count, sorted], 1, false)
    })?;
    Ok(sorted)
}

/// The boxes with those first whose score is not negative.
fn valid_first(boxes: &Tensor, score_index: i64) -> Answer<Tensor> {
    let (dims, dtype) = (boxes.dims(), boxes.dtype());
    let [batches, count, length] = [0, 1, 2].map(|axis| dims.pick(axis));
    let result = output(&dims, dtype, Declared::named("rearranged"));
    let [result] = written("rearrange_out", [named(boxes, "out_data")], [result], move |[data], [out]| {
        let (data, out) = (Cells(data), Cells(out));
        repeat(&batches, ForKind::Parallel, |i| {
            let place = Local::new("place", INT32)?;
            let copy = |j: &Scalar| {
                let row = each(&length, |k| {
                    let value = data.at(&[i.clone(), j.clone(), k.clone()]);
                    out.store(&[i.clone(), place.get(), k.clone()], value)
                });
                let is_valid = data.at(&[i.clone(), j.clone(), int(score_index)]).ge(float(dtype, 0.0));
                when(is_valid, sequence([row, place.count()]))
            };
            let clear = |j: &Scalar| when(j.ge(wide(&place.get())), cleared(out, dtype, i, j, &length));
            place.around(sequence([place.set(number(INT32, 0)), each(&count, copy), each(&count, clear)]))
        })
    })?;
    Ok(result)
}
