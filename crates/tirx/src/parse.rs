//! Names of scripts: the operators of the table as functions, and the modules to import.

use tvmscript_ir_core::{Array, DataType, Dialect, Map, Ref, Span, Value};
use tvmscript_irbuilder::{
    BuildDialect as _, BuildError, CallArgs, FromScript, HostObject, ParamKind, Result, ScriptValue,
};
use tvmscript_prim::{Expr, PrimExpr, PrimExprExt};
use tvmscript_script_parser::{Member, ParseDialect as _, PythonModule};
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::op::{Operator, ResultType};

use crate::build::{ALLOC_BUFFER, BIND, BITWISE_XOR, DECL_BUFFER, LAUNCH_THREAD};
use crate::node::AnnotatedCall;

/// An operator as a function of the namespace.
struct OperatorFunction {
    operator: &'static Operator,
    /// The operator of TIR with the same name in text, which the number of arguments tells apart.
    of_tir: Option<ScriptValue>,
}

impl OperatorFunction {
    /// Returns `true` if TIR's operator takes as many arguments as the call has.
    fn is_of_tir(&self, args: &CallArgs) -> bool {
        match &self.of_tir {
            Some(ScriptValue::Function(function)) => {
                let required = function.params.iter().filter(|param| param.default.is_none());
                let most = match function.params.iter().any(|param| param.kind == ParamKind::Args) {
                    true => usize::MAX,
                    false => function.params.len(),
                };
                (required.count().max(1)..=most).contains(&args.positional.len())
            }
            _ => false,
        }
    }
}

impl HostObject for OperatorFunction {
    fn type_name(&self) -> &str {
        self.operator.text
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, args: CallArgs) -> Result<ScriptValue> {
        if self.is_of_tir(&args)
            && let Some(ScriptValue::Function(function)) = &self.of_tir
        {
            return function.call(args);
        }
        let operands = args.positional.into_iter().enumerate();
        let operands =
            operands.map(|(i, value)| ExprArg::convert(value).map_err(|error| error.at_position(i)));
        let operands: Array<Expr> = operands.collect::<Result<_>>()?;
        if let Some(make) = self.operator.make {
            return match make(DataType::VOID, &operands) {
                Some(made) => Ok(made?.into()),
                None => Err(BuildError::expected("the name of a type", "other arguments").at_position(0)),
            };
        }
        let dtype = match self.operator.result {
            ResultType::Fixed(dtype) => dtype,
            ResultType::SameAs(index) => {
                operands.get(index).map_or(DataType::VOID, |operand| operand.dtype())
            }
            ResultType::First | ResultType::Last => DataType::VOID,
        };
        if args.keywords.is_empty() {
            return Ok(self.operator.call(dtype, operands.iter().cloned()).into());
        }
        let annotations = args.keywords.into_iter().map(|(key, value)| Ok((key, Value::from_script(value)?)));
        let annotations = Map::new(annotations.collect::<Result<Vec<_>>>()?);
        let op = self.operator.op.get().clone().upcast();
        let call = AnnotatedCall { span: Span::current(), dtype, op, args: operands, annotations };
        Ok(Ref::new(call).upcast::<PrimExpr>().into())
    }
}

/// The function of an operator by its name in text.
fn find(name: &str) -> Option<ScriptValue> {
    let operator = crate::op::find(name)?;
    // A call whose argument names its type has as many arguments as TIR's.
    let of_tir = if operator.make.is_some() { None } else { tvmscript_tir::build::find_name(name) };
    Some(ScriptValue::host(OperatorFunction { operator, of_tir }))
}

fn names() -> Vec<&'static str> {
    crate::op::TILELANG.iter().map(|operator| operator.text).collect()
}

/// Registers the functions, and the namespace for imports.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    static MODULES: &[PythonModule] =
        &[PythonModule::new(&["tvm.script", "tvm.script.parser", "tvm.script.ir_builder"])
            .members(&[("tirx", Member::Namespace)])];
    let functions = &[&BIND, &ALLOC_BUFFER, &DECL_BUFFER, &LAUNCH_THREAD, &BITWISE_XOR];
    dialect
        .namespace(&["tirx"])
        .functions(functions)
        .functions_as(&[("sblock_alloc_buffer", &tvmscript_tir::build::buffer::ALLOC_BUFFER)])
        .name_fallback(find, names)
        .python_modules(MODULES)
}
