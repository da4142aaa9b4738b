//! Composite operators as simpler ones.
//!
//! Upstream counterpart: `src/relax/transform/decompose_ops.cc`.

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{DataType, Ref, Span};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::attrs::BatchNormAttrs;
use tvmscript_relax::op::{elementwise, shape};
use tvmscript_relax::{
    Call, Constant, Expr, ExternFunc, Function, MatchCast, ShapeExpr, ShapeStructInfo, TensorStructInfo,
    Tuple, Var,
};
use tvmscript_si_builder::SIBuilder;

use super::rewrite::{CurrentSpan, Rewriter, Rules, info_of, relax_error, rewrite};
use crate::Result;
use tvmscript_ir_core::arithmetic::is_float;
use tvmscript_pass::{PassError, pass};
use tvmscript_relax::evaluate::{Tensor, axis_of};

pass! {
    /// Replaces batch normalisation by elementwise operators on the stored statistics, and a shape held by a tensor by a
    /// cast that binds its dimensions.
    pub DecomposeOpsForInference = "relax.DecomposeOpsForInference" for Function in IRModule |function, context| {
        rewrite(&function, &mut Decomposer { fills_spans: context.fills_spans()? })
    }
}

struct Decomposer {
    fills_spans: bool,
}

impl Rules for Decomposer {
    fn expression(&mut self, _: &Expr, new: Expr, cx: &mut Rewriter) -> Result<Expr> {
        match new.as_node::<Call>().and_then(Call::op_name) {
            Some("relax.nn.batch_norm") => {
                let new = cx.blocks.normalize(new).map_err(relax_error)?;
                new.as_node::<Call>().map_or(Ok(new.clone()), |call| batch_norm(call, self.fills_spans))
            }
            Some("relax.tensor_to_shape") => {
                let new = cx.blocks.normalize(new).map_err(relax_error)?;
                new.as_node::<Call>().map_or(Ok(new.clone()), |call| tensor_to_shape(call, cx))
            }
            _ => Ok(new),
        }
    }
}

/// `(data - mean) / sqrt(variance + epsilon) * gamma + beta`, and the statistics as they are. Each new node has the span
/// of the call.
fn batch_norm(call: &Call, fills_spans: bool) -> Result<Expr> {
    let unknown = || PassError::unsupported("the data of `R.nn.batch_norm` must be a tensor of known rank");
    let attrs =
        call.attrs.as_ref().and_then(|attrs| attrs.as_node::<BatchNormAttrs>()).ok_or_else(unknown)?;
    let [data, gamma, beta, mean, variance] = &call.args.iter().collect::<Vec<_>>()[..] else {
        return Err(unknown());
    };
    let info = info_of(data);
    let tensor = info.as_node::<TensorStructInfo>().ok_or_else(unknown)?;
    let ndim = usize::try_from(tensor.ndim).map_err(|_| unknown())?;
    let axis = axis_of(attrs.axis, ndim).ok_or_else(unknown)?;
    let scalar = |value: f64| scalar(value, tensor.dtype);

    let fresh = CurrentSpan::replace(Span::UNKNOWN);
    let widened = |x: &Expr| -> Expr {
        let axis_literal =
            |axis| Ref::new(IntImm { span: Span::UNKNOWN, dtype: DataType::INT32, value: axis as i64 });
        let axes = (0..ndim).filter(|other| *other != axis).map(axis_literal).collect();
        shape::expand_dims(x.clone(), axes).upcast()
    };
    let deviation = elementwise::subtract((*data).clone(), widened(mean)).upcast();
    let spread = elementwise::add(widened(variance), scalar(attrs.epsilon)?).upcast();
    let mut out: Expr = elementwise::divide(deviation, elementwise::sqrt(spread).upcast()).upcast();
    if attrs.scale {
        out = elementwise::multiply(out, widened(gamma)).upcast();
    }
    if attrs.center {
        out = elementwise::add(out, widened(beta)).upcast();
    }
    let results: Expr = Tuple::new([out, (*mean).clone(), (*variance).clone()]).upcast();
    drop(fresh);
    let builder = if fills_spans { SIBuilder::new(call.span) } else { SIBuilder::off() };
    Ok(builder.recursively_fill_span(results, call.args.iter())?)
}

/// A constant without dimensions.
fn scalar(value: f64, dtype: DataType) -> Result<Expr> {
    if !is_float(dtype) {
        return Err(PassError::unsupported(format!("`R.nn.batch_norm` of `{dtype}` cannot be decomposed")));
    }
    Ok(Constant::new(Tensor::of_floats(dtype, Vec::new(), [value]).encode()).upcast())
}

/// Binds the dimensions of a shape that is known at run time.
fn tensor_to_shape(call: &Call, cx: &mut Rewriter) -> Result<Expr> {
    let _span = CurrentSpan::set(call.span);
    let unknown = || PassError::unsupported("the rank of the shape must be known");
    let info = call.struct_info_.as_ref().and_then(|info| info.downcast_ref()).ok_or_else(unknown)?;
    let shape: &Ref<tvmscript_relax::StructInfo> = info;
    let ndim = shape.as_node::<ShapeStructInfo>().ok_or_else(unknown)?.ndim;
    let tensor = call.args.iter().next().cloned().ok_or_else(unknown)?;
    let function = ExternFunc::new("vm.builtin.tensor_to_shape", None).upcast();
    let packed = Call::new(
        prim::Op::get("relax.call_pure_packed").upcast(),
        [function, tensor],
        None,
        [shape.clone()],
    );
    let value = cx.blocks.emit(packed.upcast(), None).map_err(relax_error)?;
    let dims: Vec<prim::Expr> = (0..ndim).map(|_| prim::Var::new("x", DataType::INT64).upcast()).collect();
    let not_a_dimension = |error: tvmscript_relax::NotADimension| PassError::unsupported(error.to_string());
    let struct_info = ShapeStructInfo::try_of(dims.clone()).map_err(not_a_dimension)?;
    let var = Var::new("y", Some(struct_info.clone()));
    let cast = MatchCast { span: Span::current(), var, value: value.upcast(), struct_info };
    cx.blocks.emit_binding(Ref::new(cast).upcast()).map_err(relax_error)?;
    Ok(ShapeExpr::try_new(dims).map_err(not_a_dimension)?.upcast())
}
