//! Tensors and stages of templates: a thin layer over `te`.

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_prim::{CommReducer, Expr, IntImm, Range, Var, ops};
use tvmscript_te::{Operation, TeError};
use tvmscript_tir::{IterType, IterVar, Reduce};

use super::narrow::NARROW_AXES;
use super::scalar::{Operand, Scalar};

/// Result of a template.
pub(super) type Answer<T> = Result<T, TeError>;

/// A tensor of a template.
#[derive(Debug, Clone)]
pub(super) struct Tensor(pub Ref<tvmscript_te::Tensor>);

impl Tensor {
    /// An element.
    pub(super) fn at(&self, indices: &[Scalar]) -> Scalar {
        let indices: Answer<Array<Expr>> = indices.iter().map(|index| index.0.clone()).collect();
        Scalar(indices.and_then(|indices| tvmscript_te::load(&self.0, indices)))
    }

    pub(super) fn dims(&self) -> Vec<Scalar> {
        self.0.shape.iter().map(Scalar::from).collect()
    }

    pub(super) fn rank(&self) -> usize {
        self.0.shape.len()
    }

    pub(super) fn dtype(&self) -> DataType {
        self.0.dtype
    }

    /// The name of the computation or parameter.
    pub(super) fn name(&self) -> Str {
        self.0.op().map_or_else(|| self.0.name.clone(), |op| op.name.clone())
    }

    /// An axis counted from the front.
    pub(super) fn axis(&self, axis: i64) -> Answer<usize> {
        axis_of(axis, self.rank())
    }

    /// Axes counted from the front, in order and once each; `None` for all.
    pub(super) fn axes<'a>(
        &self,
        axes: Option<impl IntoIterator<Item = &'a Ref<IntImm>>>,
    ) -> Answer<Vec<usize>> {
        let Some(axes) = axes else { return Ok((0..self.rank()).collect()) };
        let mut real = axes.into_iter().map(|axis| self.axis(axis.value)).collect::<Answer<Vec<_>>>()?;
        real.sort_unstable();
        real.dedup();
        Ok(real)
    }
}

/// An axis counted from the front.
pub(super) fn axis_of(axis: i64, rank: usize) -> Answer<usize> {
    tvmscript_relax::evaluate::axis_of(axis, rank)
        .ok_or_else(|| TeError::Node(format!("there is no axis {axis}")))
}

/// A computation: its name, the names of its axes and its attributes.
pub(super) struct Stage<'n> {
    name: Str,
    axes: Axes<'n>,
    attrs: Vec<(Str, Value)>,
}

/// Names of the axes of a stage.
enum Axes<'n> {
    /// A prefix, followed by the number of the axis.
    Numbered(&'n str),
    Given(&'n [&'n str]),
}

impl<'n> Stage<'n> {
    /// A stage of the C++ library, whose axes are `ax0`, `ax1`, ...
    pub(super) fn new(name: impl Into<Str>) -> Stage<'n> {
        Stage { name: name.into(), axes: Axes::Numbered("ax"), attrs: Vec::new() }
    }

    /// A stage of the Python library, whose axes are `i0`, `i1`, ...
    pub(super) fn python(name: impl Into<Str>) -> Stage<'n> {
        Stage { axes: Axes::Numbered("i"), ..Stage::new(name) }
    }

    pub(super) fn with_axes(self, names: &'n [&'n str]) -> Stage<'n> {
        Stage { axes: Axes::Given(names), ..self }
    }

    pub(super) fn with_attr(mut self, key: &str, value: Value) -> Stage<'n> {
        self.attrs.push((key.into(), value));
        self
    }

    /// Marks the axes from this one on, those of reductions included, as narrow ([`super::narrow`]).
    pub(super) fn with_narrow_axes(self, first: usize) -> Stage<'n> {
        self.with_attr(NARROW_AXES, Value::Int(first as i64))
    }

    /// The tensor with these lengths.
    pub(super) fn over(self, dims: &[Scalar], body: impl FnOnce(&[Scalar]) -> Scalar) -> Answer<Tensor> {
        let tensors = self.all_over(dims, |indices| vec![body(indices)])?;
        tensors.into_iter().next().ok_or_else(|| TeError::Node("a stage has no result".to_owned()))
    }

    /// The tensors with these lengths, computed together.
    pub(super) fn all_over(
        self,
        dims: &[Scalar],
        body: impl FnOnce(&[Scalar]) -> Vec<Scalar>,
    ) -> Answer<Vec<Tensor>> {
        let mut axes = Vec::with_capacity(dims.len());
        for (index, length) in dims.iter().enumerate() {
            let name = match self.axes {
                Axes::Numbered(prefix) => format!("{prefix}{index}"),
                Axes::Given(names) => {
                    names.get(index).map_or_else(|| format!("ax{index}"), |name| (*name).to_owned())
                }
            };
            axes.push(iter_var(length, &name, IterType::DataPar)?);
        }
        let indices: Vec<Scalar> =
            axes.iter().map(|axis| Scalar::from(Expr::from(axis.var.clone().upcast()))).collect();
        let body = body(&indices).into_iter().map(|value| value.0).collect::<Answer<Vec<_>>>()?;
        let op = Operation::compute(self.name, "".into(), Map::new(self.attrs), axes, body)?;
        Ok(op.outputs().into_iter().map(Tensor).collect())
    }
}

fn iter_var(length: &Scalar, name: &str, kind: IterType) -> Answer<Ref<IterVar>> {
    let extent = length.cast(DataType::INT64).0?;
    let var = Var::new(name, DataType::INT64);
    let dom = Range::from_min_extent(ops::make_const(DataType::INT64, 0)?, extent);
    Ok(IterVar::try_new(Some(dom), var, kind, "".into())?)
}

/// An axis that a computation reduces over.
#[derive(Debug, Clone)]
pub(super) struct ReduceAxis(Ref<IterVar>);

impl ReduceAxis {
    pub(super) fn new(length: &Scalar, name: &str) -> Answer<ReduceAxis> {
        iter_var(length, name, IterType::CommReduce).map(ReduceAxis)
    }

    pub(super) fn index(&self) -> Scalar {
        Scalar::from(Expr::from(self.0.var.clone().upcast()))
    }
}

/// A combination of two values, and its identity element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Combine {
    Sum,
    Product,
    Max,
    Min,
    /// The disjunction of bools.
    Any,
}

impl Combine {
    /// The combination of the values over the axes.
    pub(super) fn over(self, value: Scalar, axes: &[ReduceAxis]) -> Scalar {
        let combine = |a: &Scalar, b: &Scalar| match self {
            Combine::Sum => a + b,
            Combine::Product => a * b,
            Combine::Max => a.max(b),
            Combine::Min => a.min(b),
            Combine::Any => a.or(b),
        };
        let identity = |dtype: DataType| match self {
            Combine::Sum | Combine::Any => ops::make_const(dtype, 0),
            Combine::Product => ops::make_const(dtype, 1),
            Combine::Max => ops::min_value(dtype),
            Combine::Min => ops::max_value(dtype),
        };
        let combined =
            reduce([value], axes, |[a], [b]| [combine(a, b)], |[dtype]| [Scalar::of(identity(dtype))]);
        match combined {
            Ok([result]) => result,
            Err(error) => Scalar(Err(error)),
        }
    }
}

/// The combination of tuples of values over axes: one expression per value.
pub(super) fn reduce<const N: usize>(
    values: [Scalar; N],
    axes: &[ReduceAxis],
    combine: impl FnOnce([&Scalar; N], [&Scalar; N]) -> [Scalar; N],
    identity: impl FnOnce([DataType; N]) -> [Scalar; N],
) -> Answer<[Scalar; N]> {
    let dtypes = values.each_ref().map(Scalar::dtype);
    let vars = |name: &str| dtypes.map(|dtype| Var::new(name, dtype));
    let (lhs, rhs) = (vars("x"), vars("y"));
    let scalars =
        |vars: &[Ref<Var>; N]| vars.each_ref().map(|var| Scalar::from(Expr::from(var.clone().upcast())));
    let (left, right) = (scalars(&lhs), scalars(&rhs));
    let all = |values: [Scalar; N]| values.into_iter().map(|value| value.0).collect::<Answer<Array<Expr>>>();
    let combiner = Ref::new(CommReducer {
        lhs: Array::new(lhs),
        rhs: Array::new(rhs),
        result: all(combine(left.each_ref(), right.each_ref()))?,
        identity_element: all(identity(dtypes))?,
        span: Span::current(),
    });
    let source = all(values)?;
    let axis: Array<Ref<IterVar>> = axes.iter().map(|axis| axis.0.clone()).collect();
    let result = |(index, dtype): (usize, DataType)| {
        let node = Reduce {
            span: Span::current(),
            dtype,
            combiner: combiner.clone(),
            source: source.clone(),
            init: Array::default(),
            axis: axis.clone(),
            condition: IntImm::bool(true),
            value_index: index as i64,
        };
        Scalar::from(Expr::from(Ref::new(node).upcast()))
    };
    let mut index = 0;
    Ok(dtypes.map(|dtype| {
        index += 1;
        result((index - 1, dtype))
    }))
}

impl Operand for &Expr {
    fn scalar(self, _: DataType) -> Scalar {
        Scalar::from(self)
    }
}
