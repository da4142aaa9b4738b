//! Run-time properties of tensors as attributes: `x.shape[0]`, `x.dtype.bits`, `x.ndim`.

use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, FromScript, HostFunction, HostObject, ScriptValue,
};

use crate::build::args::PrimArg;
use crate::node::{Call, Expr, PrimStructInfo, TensorStructInfo, struct_info_of};

/// The attributes of expressions that may be tensors.
pub(super) const NAMES: [&str; 7] =
    ["astype", "byte_offset", "dtype", "elem_offset", "ndim", "shape", "strides"];

pub(super) fn attribute(expr: &Expr, name: &str) -> BuildResult<Option<ScriptValue>> {
    if !NAMES.contains(&name) {
        return Ok(None);
    }
    if name == "astype" {
        return Ok(Some(astype(expr)));
    }
    if let Some(info) = struct_info_of(expr)
        && !info.is::<TensorStructInfo>()
    {
        let found = crate::describe::struct_info(&info);
        return Err(BuildError::message(format!(
            "only tensors have the attribute `{name}`, found `{found}`"
        )));
    }
    let tensor = expr.clone();
    let call = |op| ScriptValue::from(Call::of_op(op, [tensor.clone()], None));
    Ok(Some(match name {
        "byte_offset" => call("relax.inspect.tensor_byte_offset"),
        "elem_offset" => call("relax.inspect.tensor_elem_offset"),
        "ndim" => call("relax.inspect.tensor_ndim"),
        "shape" => ScriptValue::host(PerAxis { tensor, op: "relax.inspect.tensor_shape_i" }),
        "strides" => ScriptValue::host(PerAxis { tensor, op: "relax.inspect.tensor_stride_i" }),
        _ => ScriptValue::host(Dtype { tensor }),
    }))
}

/// `x.astype`
fn astype(expr: &Expr) -> ScriptValue {
    let expr = expr.clone();
    HostFunction::value("the method `astype`", move |mut args: CallArgs| {
        args.positional.insert(0, expr.clone().into());
        crate::op::datatype::script::ASTYPE.call(args)
    })
}

/// A property per axis of a tensor.
struct PerAxis {
    tensor: Expr,
    op: &'static str,
}

impl HostObject for PerAxis {
    fn type_name(&self) -> &str {
        "a property per axis of a tensor, which must be subscripted: `x.shape[0]`"
    }
    fn subscript(&self, index: &ScriptValue) -> Option<BuildResult<ScriptValue>> {
        Some(PrimArg::from_script(index.clone()).and_then(|axis| match struct_info_of(&axis.0) {
            Some(info) if !info.is::<PrimStructInfo>() => {
                let found = format!("`{}`", crate::describe::struct_info(&info));
                Err(BuildError::expected("an axis that is a scalar", found))
            }
            _ => Ok(Call::of_op(self.op, [self.tensor.clone(), axis.0], None).into()),
        }))
    }
}

/// The element type of a tensor.
struct Dtype {
    tensor: Expr,
}

impl HostObject for Dtype {
    fn type_name(&self) -> &str {
        "the element type of a tensor at run time, with the attributes `type_code`, `bits` and `lanes`"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let op = match name {
            "type_code" => "relax.inspect.tensor_dtype_code",
            "bits" => "relax.inspect.tensor_dtype_bits",
            "lanes" => "relax.inspect.tensor_dtype_lanes",
            _ => return None,
        };
        Some(Call::of_op(op, [self.tensor.clone()], None).into())
    }
    fn attribute_names(&self) -> Vec<String> {
        ["type_code", "bits", "lanes"].map(str::to_owned).to_vec()
    }
}
