//! Evaluation of operators on constants.
//!
//! [`evaluate`] computes a call whose operands are constants. Elements are computed in the element type of the tensor:
//! integers wrap, floating-point numbers are rounded after each operation, and sums are added up in order of the
//! elements, as in the loops that TVM generates. Calls without a defined result (a division by zero), too large ones,
//! and other operators have no value here.

mod create;
mod elementwise;
mod quantize;
mod rearrange;
mod reduce;
mod tensor;

pub(super) use tensor::{Data, Tensor};

use tvmscript_prim::{FloatImm, IntImm};
use tvmscript_relax::{Call, Constant, Expr, PrimValue, TensorStructInfo, Tuple, struct_info_of};

/// Maximum number of elements of a result.
pub(super) const MAX_ELEMENTS: usize = 1 << 20;
/// Maximum number of multiplications of a matrix product.
const MAX_PRODUCTS: usize = 1 << 26;

/// Computes a normalized call. `None` if an operand is not constant or the operator is not one of the supported ones.
pub(super) fn evaluate(call: &Call) -> Option<Tensor> {
    let name = call.op_name()?.strip_prefix("relax.")?;
    let info = call.struct_info_.as_ref()?.as_node::<TensorStructInfo>()?;
    let shape: Option<Vec<usize>> =
        info.dims()?.iter().map(|dim| usize::try_from(dim.as_node::<IntImm>()?.value).ok()).collect();
    let shape = shape?;
    let count = shape.iter().try_fold(1usize, |count, dim| count.checked_mul(*dim))?;
    if count > MAX_ELEMENTS || !tensor::is_supported(info.dtype) {
        return None;
    }
    let cx = Operands { call, name, shape, dtype: info.dtype };
    elementwise::evaluate(&cx)
        .or_else(|| rearrange::evaluate(&cx))
        .or_else(|| reduce::evaluate(&cx))
        .or_else(|| create::evaluate(&cx))
        .or_else(|| quantize::evaluate(&cx))
}

/// A call and the type of its result.
struct Operands<'a> {
    call: &'a Call,
    name: &'a str,
    shape: Vec<usize>,
    dtype: tvmscript_ir_core::DataType,
}

impl Operands<'_> {
    /// The tensor at a position.
    fn tensor(&self, index: usize) -> Option<Tensor> {
        constant(self.call.args.get(index)?)
    }

    /// The tensors of a tuple at a position.
    fn tensors(&self, index: usize) -> Option<Vec<Tensor>> {
        self.call.args.get(index)?.as_node::<Tuple>()?.fields.iter().map(constant).collect()
    }

    /// The number at a position.
    fn number(&self, index: usize) -> Option<f64> {
        let value = &self.call.args.get(index)?.as_node::<PrimValue>()?.value;
        let int = value.as_node::<IntImm>().map(|int| int.value as f64);
        int.or_else(|| value.as_node::<FloatImm>().map(|float| float.value))
    }

    /// The integer at a position.
    fn integer(&self, index: usize) -> Option<i64> {
        Some(self.call.args.get(index)?.as_node::<PrimValue>()?.value.as_node::<IntImm>()?.value)
    }

    /// The integers of a tuple at a position.
    fn integers(&self, index: usize) -> Option<Vec<i64>> {
        let fields = &self.call.args.get(index)?.as_node::<Tuple>()?.fields;
        fields
            .iter()
            .map(|field| Some(field.as_node::<PrimValue>()?.value.as_node::<IntImm>()?.value))
            .collect()
    }

    /// The attributes of the call.
    fn attrs<N: tvmscript_ir_core::Node>(&self) -> Option<&N> {
        self.call.attrs.as_ref()?.as_node::<N>()
    }
}

fn constant(expr: &Expr) -> Option<Tensor> {
    // A constant of another device than the host is not folded.
    let info = struct_info_of(expr)?;
    info.as_node::<TensorStructInfo>().filter(|info| info.vdevice.is_none())?;
    Tensor::decode(&expr.as_node::<Constant>()?.data)
}

/// An axis counted from the front.
pub(super) fn axis_of(axis: i64, ndim: usize) -> Option<usize> {
    let ndim = i64::try_from(ndim).ok()?;
    let axis = if axis < 0 { axis + ndim } else { axis };
    (0..ndim).contains(&axis).then(|| usize::try_from(axis).ok()).flatten()
}
