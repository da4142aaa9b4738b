//! Values written to places of a tensor that other tensors state: statements over whole buffers.
//!
//! Upstream counterparts: `topi/scatter_elements.py`, `topi/scatter.py`.

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span};
use tvmscript_prim::{Expr, IntImm, StringImm, Var};
use tvmscript_relax::attrs::{ScatterElementsAttrs, ScatterNDAttrs};
use tvmscript_te::Operation;
use tvmscript_tir::node::{StmtRef, flatten};
use tvmscript_tir::{AttrStmt, Buffer, BufferLoad, BufferStore, For, ForKind};

use super::Outcome;
use super::manipulate::{transposed, unsupported};
use super::scalar::{Scalar, Scalars, int, unravel_below};
use super::site::Site;
use super::tensor::{Answer, Tensor};

/// A combination of the old element and an update.
type Combine = fn(&Scalar, &Scalar) -> Scalar;

/// The combination of a name; `None` for unknown ones.
fn combination(name: &str) -> Option<Combine> {
    Some(match name {
        "update" => |_, update| update.clone(),
        "add" => |old, update| old + update,
        "mul" => |old, update| old * update,
        "mean" => |old, update| (old + update) / 2,
        "min" => |old, update| old.min(update),
        "max" => |old, update| old.max(update),
        _ => return None,
    })
}

/// A buffer that is read and written by positions in row-major order.
struct Flat<'b>(&'b Ref<Buffer>);

impl Flat<'_> {
    fn indices(&self, position: &Scalar) -> Answer<Array<Expr>> {
        let inner: Vec<Scalar> = self.0.shape.iter().skip(1).map(Scalar::from).collect();
        let (first, rest) = unravel_below(position.clone(), &inner);
        std::iter::once(first).chain(rest).map(|index| index.0).collect()
    }

    fn at(&self, position: &Scalar) -> Scalar {
        let load = |indices| Ok(BufferLoad::try_new(self.0.clone(), indices, None)?);
        Scalar(self.indices(position).and_then(load))
    }

    fn store(&self, position: &Scalar, value: Scalar) -> Answer<StmtRef> {
        Ok(BufferStore::try_new(self.0.clone(), value.0?, self.indices(position)?, None)?)
    }

    /// Combines an element with an update.
    fn combine(&self, position: &Scalar, update: &Scalar, combine: Combine) -> Answer<StmtRef> {
        self.store(position, combine(&self.at(position), update))
    }
}

/// A loop from 0 on.
fn repeat(extent: &Scalar, kind: ForKind, body: impl FnOnce(&Scalar) -> Answer<StmtRef>) -> Answer<StmtRef> {
    let loop_var = Var::new("i", DataType::INT64);
    let body = body(&Scalar::from(Expr::from(loop_var.clone().upcast())))?;
    Ok(For::try_new(For {
        span: Span::current(),
        loop_var,
        min: int(0).0?,
        extent: extent.clone().0?,
        kind,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })?)
}

/// The statements in a scope whose order is kept.
fn in_order(stmts: Vec<StmtRef>) -> StmtRef {
    let scope = AttrStmt {
        span: Span::current(),
        node: IntImm::int32(0).into(),
        attr_key: "pragma_scope".into(),
        value: StringImm::new("seq"),
        body: flatten(stmts, true),
    };
    Ref::new(scope).upcast()
}

/// A tensor of the shape of `data`, written by statements: `body` gets the buffers of the inputs and that of the result.
fn written(
    name: &str,
    inputs: [&Tensor; 3],
    body: impl Fn([Flat<'_>; 3], Flat<'_>) -> Answer<StmtRef> + Send + Sync + 'static,
) -> Answer<Tensor> {
    let [data, ..] = inputs;
    let (shape, dtype) = (data.0.shape.clone(), data.0.dtype);
    let inputs = inputs.iter().map(|input| input.0.clone()).collect();
    let op = Operation::external(name, inputs, shape, dtype, "out_buf", move |inputs, output| match inputs {
        [data, indices, updates] => body([Flat(data), Flat(indices), Flat(updates)], Flat(output)),
        _ => unsupported("there are not three inputs"),
    });
    Ok(Tensor(op.output(0)))
}

pub(super) fn scatter_elements(site: &mut Site<'_>) -> Answer<Outcome> {
    let attrs = site.attrs::<ScatterElementsAttrs>()?;
    let Some(combine) = combination(&attrs.reduction) else { return Ok(Outcome::Keep) };
    let (data, indices, updates) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let axis = data.axis(attrs.axis.value)?;
    let (own, places) = (data.dims(), indices.dims());
    let after = |dims: &[Scalar]| dims.range(axis + 1, dims.len()).product();
    let (all, length, behind) = (own.product(), own.pick(axis), after(&own));
    let (outer, count, inner) = (places.range(0, axis).product(), places.pick(axis), after(&places));
    let result = written("scatter_elements.generic", [&data, &indices, &updates], move |inputs, out| {
        let [data, indices, updates] = inputs;
        let copy = repeat(&all, ForKind::Parallel, |i| out.store(i, data.at(i)))?;
        let scatter = repeat(&(&outer * &inner), ForKind::Parallel, |fused| {
            let (i, j) = (fused.floordiv(&inner), fused.floormod(&inner));
            let from = &i * (&count * &inner) + &j;
            let to = i * (&length * &behind) + j;
            repeat(&count, ForKind::Serial, |k| {
                let from = &from + k * &inner;
                let index = indices.at(&from);
                let shift = index.lt(0).cast(DataType::INT64) * &length;
                let to = &to + (index.cast(DataType::INT64) + shift) * &behind;
                out.combine(&to, &updates.at(&from), combine)
            })
        })?;
        Ok(in_order(vec![copy, scatter]))
    });
    Outcome::one(result?)
}

pub(super) fn scatter_nd(site: &mut Site<'_>) -> Answer<Outcome> {
    let combine = match site.attrs::<ScatterNDAttrs>()?.reduction.as_str() {
        "mean" => None,
        name => combination(name),
    };
    let Some(combine) = combine else { return Ok(Outcome::Keep) };
    let (data, indices, updates) = (site.tensor(0)?, site.tensor(1)?, site.tensor(2)?);
    let Some(last) = indices.rank().checked_sub(1) else { return unsupported("there are no indices") };
    let indices = transposed(&indices, &std::iter::once(last).chain(0..last).collect::<Vec<_>>())?;
    let (own, places, new) = (data.dims(), indices.dims(), updates.dims());
    let Some(axes) = places.pick(0).known().and_then(|axes| usize::try_from(axes).ok()) else {
        return unsupported("the number of indices is not known");
    };
    if axes > own.len() {
        return unsupported("there are more indices than axes");
    }
    let (all, count) = (own.product(), places.range(1, places.len()).product());
    let size = new.range(last, new.len()).product();
    let result = written("scatter_nd.generic", [&data, &indices, &updates], move |inputs, out| {
        let [data, indices, updates] = inputs;
        let copy = repeat(&all, ForKind::Serial, |i| out.store(i, data.at(i)))?;
        let scatter = repeat(&count, ForKind::Serial, |i| {
            repeat(&size, ForKind::Parallel, |j| {
                let (mut to, mut step) = (j.clone(), size.clone());
                for (axis, length) in own.iter().enumerate().take(axes).rev() {
                    let index = indices.at(&(i + int(axis as i64) * &count)).cast(DataType::INT64);
                    to = to + &step * index;
                    step = step * length;
                }
                out.combine(&to, &updates.at(&(i * &size + j)), combine)
            })
        })?;
        Ok(in_order(vec![copy, scatter]))
    });
    Outcome::one(result?)
}
