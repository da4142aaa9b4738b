//! Functions of `tvm.topi.nn`.

use tvmscript_ir_core::{DataType, Map, Ref, Str, Value};
use tvmscript_irbuilder::{BuildResult, script_fn};
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Expr, IntImm, PrimExprExt as _, Select, ops};
use tvmscript_script_parser::Member::{self, Function};
use tvmscript_tir::build::compute::reduction;
use tvmscript_tir::op::{fold, math};

use super::elementwise::elementwise;
use super::reduce::reduced_axis;
use super::{ELEMENTWISE, Style, at, dims, position};
use crate::Tensor;

/// The functions.
pub(super) const MEMBERS: &[(&str, Member)] = &[
    ("leaky_relu", Function(&LEAKY_RELU)),
    ("log_softmax", Function(&LOG_SOFTMAX)),
    ("relu", Function(&RELU)),
    ("softmax", Function(&SOFTMAX)),
];

/// The positive elements, zeros elsewhere.
#[script_fn]
pub fn relu(x: Ref<Tensor>) -> BuildResult<Ref<Tensor>> {
    elementwise(Style::python("compute", ELEMENTWISE), &x, |x| {
        let zero = ops::make_zero(x.dtype())?;
        Ok(ops::max(x, zero)?)
    })
}

/// The positive elements, and the others times a number.
#[script_fn]
pub fn leaky_relu(x: Ref<Tensor>, alpha: f64) -> BuildResult<Ref<Tensor>> {
    elementwise(Style::python("compute", ELEMENTWISE), &x, |x| {
        let (zero, factor) = (ops::make_zero(x.dtype())?, ops::make_const(x.dtype(), alpha)?);
        Ok(Select::try_new(ops::gt(x.clone(), zero)?, x.clone(), ops::mul(x, factor)?)?)
    })
}

/// A tensor whose elements along an axis are normalized.
struct Normalized<'t> {
    x: &'t Ref<Tensor>,
    axis: usize,
    tag: &'static str,
}

impl<'t> Normalized<'t> {
    fn new(x: &'t Ref<Tensor>, axis: i64, tag: &'static str) -> BuildResult<Normalized<'t>> {
        let axis = position(axis, x.shape.len()).map_err(|error| error.at_position(1))?;
        Ok(Normalized { x, axis, tag })
    }

    /// All but one of some indices or dimensions.
    fn others(&self, all: &[Expr]) -> Vec<Expr> {
        let others = all.iter().enumerate().filter(|(at, _)| *at != self.axis);
        others.map(|(_, index)| index.clone()).collect()
    }

    /// A reduction along the axis; `value` gets the indices of an element and the others among them.
    fn reduce(
        &self,
        name: &str,
        combine: fn(Expr, Expr) -> PrimResult<Expr>,
        identity: fn(DataType) -> PrimResult<Expr>,
        value: impl FnOnce(&[Expr], &[Expr]) -> BuildResult<Expr>,
    ) -> BuildResult<Ref<Tensor>> {
        let shape = dims(self.x);
        let extent = shape.get(self.axis).cloned().unwrap_or_else(|| IntImm::int32(1));
        let k = reduced_axis("k", extent)?;
        Style::python(name, self.tag).compute(&self.others(&shape), |indices| {
            let mut all = indices.to_vec();
            all.insert(self.axis.min(all.len()), k.var.clone().upcast());
            reduction(combine, identity, value(&all, indices)?, vec![k.clone()], None, None)
        })
    }

    fn max(&self) -> BuildResult<Ref<Tensor>> {
        self.reduce("T_softmax_maxelem", ops::max, ops::min_value, |all, _| at(self.x, all.iter().cloned()))
    }

    /// The last computation, with the axis as an attribute.
    fn result(
        &self,
        name: &str,
        value: impl FnOnce(&[Expr]) -> BuildResult<Expr>,
    ) -> BuildResult<Ref<Tensor>> {
        let axis: Map<Str, Value> = Map::new([("axis".into(), Value::Int(self.axis as i64))]);
        Style::python(name, self.tag).compute_with(axis, &dims(self.x), value)
    }
}

/// Exponentials divided by their sum along an axis.
#[script_fn]
pub fn softmax(x: Ref<Tensor>, #[default = -1] axis: i64) -> BuildResult<Ref<Tensor>> {
    let along = Normalized::new(&x, axis, "softmax_output")?;
    let max = along.max()?;
    let exp = Style::python("T_softmax_exp", along.tag).compute(&dims(&x), |indices| {
        let difference = ops::sub(at(&x, indices.iter().cloned())?, at(&max, along.others(indices))?)?;
        Ok(fold::exp(difference)?)
    })?;
    let sum =
        along.reduce("T_softmax_expsum", ops::add, ops::make_zero, |all, _| at(&exp, all.iter().cloned()))?;
    along.result("T_softmax_norm", |indices| {
        Ok(ops::div(at(&exp, indices.iter().cloned())?, at(&sum, along.others(indices))?)?)
    })
}

/// The logarithm of [`softmax`].
#[script_fn]
pub fn log_softmax(x: Ref<Tensor>, #[default = -1] axis: i64) -> BuildResult<Ref<Tensor>> {
    let along = Normalized::new(&x, axis, "log_softmax_output")?;
    let max = along.max()?;
    let sum = along.reduce("compute", ops::add, ops::make_zero, |all, others| {
        let difference = ops::sub(at(&x, all.iter().cloned())?, at(&max, others.iter().cloned())?)?;
        Ok(fold::exp(difference)?)
    })?;
    along.result("compute", |indices| {
        let others = along.others(indices);
        let difference = ops::sub(at(&x, indices.iter().cloned())?, at(&max, others.clone())?)?;
        Ok(ops::sub(difference, math::log(at(&sum, others)?))?)
    })
}
