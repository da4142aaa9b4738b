//! Uses of buffers: loads, stores, regions, and declarations of free buffers.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{ExprDoc, StmtDoc, StmtRole, Subscript};
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{Array, PathId, Ref, field};
use tvmscript_prim::ops;
use tvmscript_prim::ops::is_one;
use tvmscript_prim::{Expr, IntImm, PrimExprExt, Ramp, Range};

use super::buffer_decl::{self, Inline};
use super::expr::{end, items as items_of, list};
use super::state::TirDocsifier;
use crate::extent;
use crate::node::{Buffer, BufferLoad, BufferRegion, BufferStore, MatchBufferRegion, ProducerLoad};

type Indices = SmallVec<[Subscript; 4]>;

/// Names a buffer in the innermost frame, or returns its name.
pub fn define(buffer: &Ref<Buffer>, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    d.define(buffer.object(), buffer.name.text_or("buffer"))
}

/// The buffer's name; a free buffer is declared first.
pub(crate) fn buffer(node: &Ref<Buffer>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    if let Some(doc) = d.defined_doc(node.object())? {
        return Ok(doc);
    }
    let hint = node.name.text();
    // A pointer that is used in an outer frame is declared there.
    if !d.is_defined(node.data.object())
        && d.frame_of_free(node.data.object()) < d.frame_of_free(node.object())
    {
        d.part(&node.data, path, field!(Buffer, data))?;
    }
    let within = buffer_decl::visible_from(node, d);
    d.declare_free_within(node.object(), hint, within, |d| {
        let name = define(node, d)?;
        let value = buffer_decl::declaration(node, "Buffer", (&[], &[]), path, Inline::DataPointer, d)?;
        let stmt = d.docs.bind(name, value);
        d.push_stmt(stmt);
        Ok(())
    })?;
    define(node, d)
}

/// Indices; a ramp with a positive literal stride prints as a slice. TVM prints any literal stride so, and parses
/// another number of lanes if it is negative.
fn indices(items: &Array<Expr>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Indices> {
    let mut docs = Indices::new();
    for (i, index) in items.iter().enumerate() {
        let at = d.item(path, i);
        match index.as_node::<Ramp>() {
            Some(ramp) if ramp.stride.as_node::<IntImm>().is_some_and(|stride| stride.value > 0) => {
                docs.push(ramp_slice(ramp, at, d)?)
            }
            _ => docs.push(d.expr(index, at)?.into()),
        }
    }
    Ok(docs)
}

/// `base:base + lanes * stride`, and the stride unless it is 1
fn ramp_slice(ramp: &Ramp, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Subscript> {
    let start = d.part(&ramp.base, path, field!(Ramp, base))?;
    let length = ops::mul(ramp.lanes.clone(), ramp.stride.clone()).unwrap_or_else(|_| ramp.lanes.clone());
    let at = d.field(path, field!(Ramp, lanes));
    let stop = end(&extent::sum(&ramp.base, &length), &ramp.lanes, at, d)?;
    let step = match is_one(&ramp.stride) {
        true => None,
        false => Some(d.part(&ramp.stride, path, field!(Ramp, stride))?),
    };
    let slice = d.docs.slice(Some(start), Some(stop), step);
    Ok(d.at_slice(slice, path).into())
}

/// The printed form of a range of a region.
enum RangeForm {
    /// The index of a single element.
    Index,
    /// A slice with this end.
    Slice(Expr),
}

/// The form that parses back to the range, if there is one.
fn range_form(range: &Range, points: PointForm) -> Option<RangeForm> {
    let Range { min, extent, span: _ } = range;
    if points == PointForm::Index && is_one(extent) && extent.dtype() == min.dtype().element() {
        return Some(RangeForm::Index);
    }
    extent::stop_of(min, extent).map(RangeForm::Slice)
}

/// The printed form of ranges of extent 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PointForm {
    /// As an index.
    Index,
    /// As slices.
    Slice,
}

/// `A[0:4, i]`, or `tvm.tir.BufferRegion(A, [T.Range(0, n + 0)])` if no slice parses back to a range. Each part has
/// its path.
pub(crate) fn region_of(
    (buffer, buffer_path): (&Ref<Buffer>, PathId),
    (region, path): (&Array<Ref<Range>>, PathId),
    points: PointForm,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let buffer = d.expr(buffer, buffer_path)?;
    let Some(forms) = range_forms(region, points) else { return region_call(buffer, (region, path), d) };
    let mut indices = Indices::new();
    for (i, (range, form)) in region.iter().zip(forms).enumerate() {
        let at = d.item(path, i);
        indices.push(range_index(range, form, at, d)?);
    }
    Ok(d.docs.index(buffer, &indices))
}

/// The forms of the ranges of a region, if all have one.
fn range_forms(region: &Array<Ref<Range>>, points: PointForm) -> Option<SmallVec<[RangeForm; 4]>> {
    region.iter().map(|range| range_form(range, points)).collect()
}

/// `i` or `0:4`
fn range_index(
    range: &Ref<Range>,
    form: RangeForm,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Subscript> {
    let start = d.part(&range.min, path, field!(Range, min))?;
    Ok(match form {
        RangeForm::Index => d.at(start, path).into(),
        RangeForm::Slice(stop) => {
            let extent = d.field(path, field!(Range, extent));
            let stop = end(&stop, &range.extent, extent, d)?;
            let slice = d.docs.slice(Some(start), Some(stop), None);
            d.at_slice(slice, path).into()
        }
    })
}

/// `tvm.tir.BufferRegion(A, [T.Range(0, n + 0)])`
fn region_call(
    buffer: ExprDoc,
    (region, path): (&Array<Ref<Range>>, PathId),
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let mut ranges: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    for (i, range) in region.iter().enumerate() {
        let at = d.item(path, i);
        ranges.push(super::types::range(range, at, d)?);
    }
    let ranges = d.docs.list(&ranges);
    let callee = tvmscript_ir::print::tvm_name(&["tir", "BufferRegion"], d);
    Ok(d.docs.call_args(callee, &[buffer, ranges]))
}

/// `A[0:4, i]`
pub(crate) fn region(
    node: &Ref<BufferRegion>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let BufferRegion { buffer, region } = &**node;
    let (buffer_path, region_path) =
        (d.field(path, field!(BufferRegion, buffer)), d.field(path, field!(BufferRegion, region)));
    // PointForm alone are a load, so a region that is printed on its own has slices.
    let is_load = d.is_alone(node.object())
        && region.iter().all(|range| matches!(range_form(range, PointForm::Index), Some(RangeForm::Index)));
    if is_load && region.is_empty() {
        let buffer = d.expr(buffer, buffer_path)?;
        return region_call(buffer, (region, region_path), d);
    }
    let points = if is_load { PointForm::Slice } else { PointForm::Index };
    region_of((buffer, buffer_path), (region, region_path), points, d)
}

/// `A[i]`, `A.vload([i], predicate=p)`
pub(crate) fn load(node: &Ref<BufferLoad>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let BufferLoad { span: _, dtype: _, buffer, indices: items, predicate } = &**node;
    let buffer = d.part(buffer, path, field!(BufferLoad, buffer))?;
    let at = d.field(path, field!(BufferLoad, indices));
    let Some(predicate) = predicate else {
        // Slices without a step are a region, so a load that is printed on its own has ramps.
        let has_step = |index: &Expr| index.as_node::<Ramp>().is_some_and(|ramp| !is_one(&ramp.stride));
        let is_region = d.is_host_code() || d.is_alone(node.object()) && !items.iter().any(has_step);
        let indices = match is_region {
            true => items_of(items, at, d)?.into_iter().map(Into::into).collect(),
            false => indices(items, at, d)?,
        };
        return Ok(d.docs.index(buffer, &indices));
    };
    let items = list(items, at, d)?;
    let predicate = d.keyword_value(|d| d.part(predicate, path, field!(BufferLoad, predicate)))?;
    let callee = d.docs.attr(buffer, "vload");
    Ok(d.docs.call(callee, &[items], &[("predicate", predicate)]))
}

/// `A[i] = value`, `A.vstore([i], value, predicate=p)`
pub(crate) fn store(node: &Ref<BufferStore>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtDoc> {
    let BufferStore { span: _, buffer, value, indices: items, predicate } = &**node;
    let buffer = d.part(buffer, path, field!(BufferStore, buffer))?;
    let value = d.part(value, path, field!(BufferStore, value))?;
    let at = d.field(path, field!(BufferStore, indices));
    let Some(predicate) = predicate else {
        let indices = indices(items, at, d)?;
        let target = d.docs.index(buffer, &indices);
        return Ok(d.docs.store(target, value));
    };
    let items = list(items, at, d)?;
    let predicate = d.keyword_value(|d| d.part(predicate, path, field!(BufferStore, predicate)))?;
    let callee = d.docs.attr(buffer, "vstore");
    let call = d.docs.call(callee, &[items, value], &[("predicate", predicate)]);
    let stmt = d.docs.expr_stmt(call);
    d.docs.set_role(stmt, StmtRole::Store);
    Ok(stmt)
}

/// `B = T.match_buffer(A[0:4], (4,))`
pub(crate) fn match_region(
    node: &Ref<MatchBufferRegion>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let MatchBufferRegion { buffer, source } = &**node;
    let known = d.is_defined(buffer.object());
    let name = define(buffer, d)?;
    let source = d.part(source, path, field!(MatchBufferRegion, source))?;
    if known {
        return Ok(known_buffer("match_buffer", &[source], name, d));
    }
    let at = d.field(path, field!(MatchBufferRegion, buffer));
    let value =
        buffer_decl::declaration(buffer, "match_buffer", (&[source], &[]), at, Inline::DataAndParts, d)?;
    Ok(d.docs.bind(name, value))
}

/// `T.method(args, buffer=B)`, for a buffer that is already declared.
pub(crate) fn known_buffer(method: &str, args: &[ExprDoc], name: ExprDoc, d: &mut Docsifier<'_>) -> StmtDoc {
    let callee = d.t(method);
    let call = d.docs.call(callee, args, &[("buffer", name)]);
    d.docs.expr_stmt(call)
}

/// `producer[i]`
pub(crate) fn producer_load(
    node: &Ref<ProducerLoad>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let ProducerLoad { span: _, dtype: _, producer, indices: items } = &**node;
    let name = tvmscript_docsifier::field_value(producer, "name");
    let name = name.as_ref().and_then(|n| n.as_str()).unwrap_or("producer");
    let producer = d.docs.id(name);
    let at = d.field(path, field!(ProducerLoad, indices));
    let indices = indices(items, at, d)?;
    Ok(d.docs.index(producer, &indices))
}
