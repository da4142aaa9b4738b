//! What workers do together: sums over all of them, tensors of all, parts for each.
//!
//! Upstream counterpart: `src/relax/op/ccl/ccl.cc`.

use tvmscript_ir_core::{Array, Ref};
use tvmscript_irbuilder::{BuildError, FromScript, Result, ScriptValue, script_fn};
use tvmscript_prim::{self as prim, IntImm, ops};

use super::{Infer, InferError, InferErrorKind, Operator, plain_operators, tensor_of};
use crate::build::args::{ExprArg, FlagArg, IntArg};
use crate::node::attrs::{AllGatherAttrs, AllReduceAttrs, ScatterCollectiveAttrs};
use crate::node::*;

use super::elementwise::same_as_operand;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

plain_operators! { PLAIN;
    /// The first worker's tensor, for all workers.
    broadcast_from_worker0 BROADCAST_FROM_WORKER0 "ccl.broadcast_from_worker0" (x) same_as_operand;
}

/// How the tensors of workers become one.
#[derive(Debug, Clone)]
pub struct CombineArg(tvmscript_ir_core::Str);

impl FromScript for CombineArg {
    const TYPE: &'static str = "str";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Str(name) if matches!(name.as_str(), "sum" | "prod" | "min" | "max" | "avg") => {
                Ok(CombineArg(name.clone()))
            }
            ScriptValue::Str(name) => {
                Err(BuildError::expected("`sum`, `prod`, `min`, `max` or `avg`", format!("`{name}`")))
            }
            other => Err(BuildError::expected("a string", other.type_name())),
        }
    }
}

impl From<&str> for CombineArg {
    fn from(name: &str) -> CombineArg {
        CombineArg(name.into())
    }
}

/// The tensors of all workers, combined element by element.
#[script_fn(name = "ccl.allreduce")]
pub fn allreduce(
    x: ExprArg,
    #[default = "sum"] op_type: CombineArg,
    #[default = true] in_group: FlagArg,
) -> Result<Ref<Call>> {
    let attrs = AllReduceAttrs { op_type: op_type.0, in_group: in_group.0 };
    Ok(Call::of_op("relax.ccl.allreduce", [x.0], Some(Ref::new(attrs).upcast())))
}

/// The tensors of all workers, joined along the first axis.
#[script_fn(name = "ccl.allgather")]
pub fn allgather(x: ExprArg, num_workers: IntArg, #[default = true] in_group: FlagArg) -> Result<Ref<Call>> {
    let attrs = AllGatherAttrs { num_workers: num_workers.0, in_group: in_group.0 };
    Ok(Call::of_op("relax.ccl.allgather", [x.0], Some(Ref::new(attrs).upcast())))
}

/// The first worker's tensor, cut along an axis into one part for each worker.
#[script_fn(name = "ccl.scatter_from_worker0")]
pub fn scatter_from_worker0(
    x: ExprArg,
    num_workers: IntArg,
    #[default = 0] axis: IntArg,
) -> Result<Ref<Call>> {
    let attrs = ScatterCollectiveAttrs { num_workers: num_workers.0, axis: axis.0 };
    Ok(Call::of_op("relax.ccl.scatter_from_worker0", [x.0], Some(Ref::new(attrs).upcast())))
}

/// The operators with attributes.
pub static OPERATORS: &[Operator] = &[
    Operator::new("relax.ccl.allgather", &ALLGATHER, gathered),
    Operator::new("relax.ccl.allreduce", &ALLREDUCE, same_as_operand),
    Operator::new("relax.ccl.scatter_from_worker0", &SCATTER_FROM_WORKER0, scattered),
];

/// The number of workers as a scalar of a plain integer's type.
fn workers(count: i64) -> prim::Expr {
    ops::python::int_literal(count)
}

fn with_dim(dims: &Array<prim::Expr>, axis: usize, dim: prim::Expr, x: &TensorStructInfo) -> Ref<StructInfo> {
    let dims = dims.iter().enumerate().map(|(i, old)| if i == axis { dim.clone() } else { old.clone() });
    tensor_of(dims, x.dtype, x.vdevice.clone())
}

fn gathered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let count = cx.attrs::<AllGatherAttrs>()?.num_workers;
    let Some(dims) = x.known_dims() else { return Ok(x.upcast()) };
    let Some(first) = dims.get(0) else {
        return Err(InferErrorKind::Axis { axis: 0, ndim: 0 }.at(0));
    };
    Ok(with_dim(&dims, 0, ops::mul(first.clone(), workers(count))?, &x))
}

/// The axis is counted from the first; the number of workers divides its length, as far as can be told.
pub(super) fn scattered(cx: &mut Infer<'_>) -> Inferred {
    let [x] = cx.tensors()?;
    let ScatterCollectiveAttrs { num_workers, axis } = *cx.attrs()?;
    let Some(dims) = x.known_dims() else { return Err(cx.wrong_kind(0, "a tensor of known shape")) };
    let length = usize::try_from(axis).ok().and_then(|axis| Some((axis, dims.get(axis)?)));
    let Some((at, length)) = length else {
        return Err(InferErrorKind::Axis { axis, ndim: dims.len() as i64 }.at(0));
    };
    let rest = ops::floormod(length.clone(), workers(num_workers))?;
    let leaves_some = ops::ne(rest, IntImm::int64(0))?;
    if cx.analyzer.can_prove(&leaves_some) {
        return Err(
            cx.wrong_shape_at(0, format!("axis {axis} cannot be divided among {num_workers} workers"))
        );
    }
    Ok(with_dim(&dims, at, ops::div(length.clone(), workers(num_workers))?, &x))
}
