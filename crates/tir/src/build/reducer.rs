//! Reducers of tensor expressions: functions that reduce over axes, from a function of two values.

use std::rc::Rc;

use tvmscript_ir::build::parameter_names;
use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
use tvmscript_irbuilder::{
    BuildError, BuildResult, CallArgs, HostFunction, ScriptValue, Signature, script_fn,
};
use tvmscript_prim::{CommReducer, Expr, IntImm, PrimExprExt, Var};

use super::args::ExprArg;
use super::compute::reduction_axes;

/// Makes a function that reduces one value, or a tuple of values, over axes.
///
/// The combining function gets two values, or two tuples; the function of the identity gets the data types.
#[script_fn(name = "comm_reducer")]
pub fn make_reducer(
    fcombine: ScriptValue,
    fidentity: ScriptValue,
    #[default = "reduce"] name: Str,
) -> BuildResult<ScriptValue> {
    let reducer = Rc::new(Reducer { combine: fcombine, identity: fidentity });
    let signature = Signature::new("reducer", &["expr", "axis", "where", "init"]).with_required(2);
    Ok(HostFunction::value(name.to_string(), move |args| {
        let mut args = signature.bind(args)?;
        let (value, axis) = (args.required(0, Ok)?, args.required(1, Ok)?);
        let condition = args.optional(2, ExprArg::convert)?.unwrap_or_else(|| IntImm::bool(true));
        let init = args.optional(3, |value| Ok(list(value)))?.unwrap_or_default();
        reducer.reduce(value, axis, condition, init)
    }))
}

struct Reducer {
    combine: ScriptValue,
    identity: ScriptValue,
}

impl Reducer {
    fn reduce(
        &self,
        value: ScriptValue,
        axis: ScriptValue,
        condition: Expr,
        init: Vec<ScriptValue>,
    ) -> BuildResult<ScriptValue> {
        let Some(axis) = reduction_axes(&axis) else {
            let error =
                BuildError::expected("an axis of `te.reduce_axis`, or a list of them", axis.type_name());
            return Err(error.at_parameter("axis"));
        };
        let is_tuple = value.items().is_some();
        let source = list(value).into_iter().map(ExprArg::convert).collect::<BuildResult<Vec<_>>>()?;
        let dtypes: Vec<DataType> = source.iter().map(PrimExprExt::dtype).collect();
        let names = parameter_names(&self.combine);
        let vars = |side: usize, other: &str| -> Vec<Ref<Var>> {
            let name = names.get(side).map_or(other, String::as_str);
            let numbered = |index: usize| if is_tuple { format!("{name}_{index}") } else { name.to_owned() };
            dtypes.iter().enumerate().map(|(index, dtype)| Var::new(numbered(index), *dtype)).collect()
        };
        let (lhs, rhs) = (vars(0, "x"), vars(1, "y"));
        let side = |vars: &[Ref<Var>]| match (is_tuple, vars) {
            (false, [var]) => var.clone().into(),
            _ => ScriptValue::list(vars.iter().map(|var| var.clone().into()).collect()),
        };
        let result = self.call(&self.combine, vec![side(&lhs), side(&rhs)], source.len())?;
        let names = dtypes.iter().map(|dtype| ScriptValue::str(&dtype.to_string())).collect();
        let identity = self.call(&self.identity, names, source.len())?;
        let combiner = Ref::new(CommReducer {
            lhs: Array::new(lhs),
            rhs: Array::new(rhs),
            result: Array::new(result),
            identity_element: Array::new(identity),
            span: Span::current(),
        });
        let init: Array<Expr> = init.into_iter().map(ExprArg::convert).collect::<BuildResult<_>>()?;
        let axis: Array<_> = axis.into_iter().collect();
        let outputs = (0..source.len()).map(|index| {
            let source = Array::new(source.iter().cloned());
            let (init, axis) = (init.clone(), axis.clone());
            super::expr::make_reduce(combiner.clone(), source, init, axis, condition.clone(), index as i64)
        });
        let mut outputs: Vec<ScriptValue> =
            outputs.map(|output| output.map(ScriptValue::from)).collect::<BuildResult<_>>()?;
        match outputs.len() {
            1 => Ok(outputs.remove(0)),
            _ => Ok(ScriptValue::tuple(outputs)),
        }
    }

    /// The results of a function, as many as there are values.
    fn call(&self, function: &ScriptValue, args: Vec<ScriptValue>, count: usize) -> BuildResult<Vec<Expr>> {
        let args = CallArgs::positional(args);
        let result = match function {
            ScriptValue::Function(function) => function.call(args)?,
            ScriptValue::Host(host) if host.is_callable() => host.call(args)?,
            other => return Err(BuildError::not_callable(&other.type_name())),
        };
        let values = list(result).into_iter().map(ExprArg::convert).collect::<BuildResult<Vec<_>>>()?;
        match values.len() == count {
            true => Ok(values),
            false => Err(BuildError::expected(format!("{count} values"), format!("{} values", values.len()))),
        }
    }
}

/// The items of a tuple or list, or the value alone.
fn list(value: ScriptValue) -> Vec<ScriptValue> {
    value.items().unwrap_or_else(|| vec![value])
}
