//! Calls of the operators of a release from the arguments of scripts.

use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_irbuilder::{
    Binding, BuildError, BuildErrorKind, BuildResult, CallArgs, FromScript, Param, ParamKind, ScriptFn,
    ScriptValue,
};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt};
use tvmscript_tir::op::{Operator, ResultType};

use crate::node::AnnotatedCall;

/// Default values by the index of the parameter. A parameter with the default `None` is omitted.
pub(crate) type Defaults = fn(usize) -> Option<ScriptValue>;

/// Arguments bound to the parameters of an operator's function.
pub(crate) struct Arguments {
    /// Positional arguments.
    pub(crate) operands: Array<Expr>,
    /// The argument of the parameter `ret_ty`, `return_type` or `dtype`.
    pub(crate) dtype: Option<DataType>,
    /// Keyword-only arguments, and those of `**annotations`.
    pub(crate) annotations: Vec<(Str, Value)>,
}

impl Arguments {
    /// Binds and converts arguments.
    ///
    /// # Errors
    /// Fails for missing, unknown or too many arguments, for those of a wrong type, and for an operand without those
    /// before it.
    pub(crate) fn bind<A: FromScript + Into<Expr>>(
        function: &'static ScriptFn,
        args: CallArgs,
        defaults: Defaults,
    ) -> BuildResult<Arguments> {
        let mut binding = Binding::new(function, args)?;
        let mut operands: Vec<Expr> = Vec::new();
        let (mut dtype, mut annotations, mut omitted) = (None, Vec::new(), None);
        for (index, param) in function.params.iter().enumerate() {
            match param.kind {
                // The release has taken it from the arguments.
                _ if param.name == "ty" => {}
                _ if matches!(param.name, "ret_ty" | "return_type" | "dtype") => {
                    dtype = match param.default {
                        None => Some(binding.required(index)?),
                        Some(_) => binding.optional(index)?,
                    };
                }
                ParamKind::KeywordOnly if param.name == "descriptor_dtype" => {
                    annotations.push((param.name.into(), Value::DType(binding.required(index)?)));
                }
                ParamKind::Plain => {
                    let operand = match param.default {
                        None => Some(binding.required::<A>(index)?),
                        Some(_) => match binding.optional::<Option<A>>(index)? {
                            Some(given) => given,
                            None => defaults(index).map(A::from_script).transpose()?,
                        },
                    };
                    match (operand, omitted) {
                        (Some(_), Some(name)) => return Err(missing(function, name)),
                        (Some(operand), None) => operands.push(operand.into()),
                        (None, _) => omitted = omitted.or(Some(param.name)),
                    }
                }
                ParamKind::Args => {
                    let rest = binding.rest::<A>(index)?;
                    if let (Some(name), false) = (omitted, rest.is_empty()) {
                        return Err(missing(function, name));
                    }
                    operands.extend(rest.into_iter().map(Into::into));
                }
                ParamKind::KeywordOnly => {
                    let given = match param.default {
                        None => Some(binding.required::<Value>(index)?),
                        Some(_) => match binding.optional::<Value>(index)? {
                            Some(given) => Some(given),
                            None => defaults(index).map(Value::from_script).transpose()?,
                        },
                    };
                    annotations.extend(given.map(|value| (param.name.into(), value)));
                }
                ParamKind::Kwargs => annotations.extend(binding.extra::<Value>(index)?),
            }
        }
        Ok(Arguments { operands: Array::new(operands), dtype, annotations })
    }
}

/// The parameters of a function of TIR with the type of the call as a keyword, which is optional if it has a default.
pub(crate) fn typed_by_keyword(
    function: &ScriptFn,
    keyword: &'static str,
    default: Option<&'static str>,
) -> Vec<Param> {
    let (types, mut params): (Vec<Param>, Vec<Param>) =
        function.params.iter().partition(|param| param.name == "dtype");
    let keyword = |param: Param| Param { name: keyword, kind: ParamKind::KeywordOnly, default, ..param };
    params.extend(types.into_iter().map(keyword));
    params
}

fn missing(function: &ScriptFn, name: &'static str) -> BuildError {
    let kind = BuildErrorKind::MissingArgument { function: function.name.to_owned(), name };
    BuildError::from(kind).with_usage(&function.usage())
}

/// The type of a call that follows from the operator and its operands.
pub(crate) fn type_of(operator: &Operator, operands: &Array<Expr>) -> Option<DataType> {
    match operator.result {
        ResultType::Fixed(dtype) => Some(dtype),
        ResultType::SameAs(index) => operands.get(index).map(|operand| operand.dtype()),
        ResultType::First | ResultType::Last => None,
    }
}

/// A call with operands and annotations.
pub(crate) fn make(
    operator: &Operator,
    dtype: DataType,
    operands: Array<Expr>,
    annotations: Vec<(Str, Value)>,
) -> ScriptValue {
    if annotations.is_empty() {
        return operator.call(dtype, operands.iter().cloned()).into();
    }
    let op = operator.op.get().clone().upcast();
    let annotations = Map::new(annotations);
    let call = AnnotatedCall { span: Span::current(), dtype, op, args: operands, annotations };
    Ref::new(call).upcast::<PrimExpr>().into()
}
