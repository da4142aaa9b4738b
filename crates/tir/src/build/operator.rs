//! Script functions of operators: argument types, the conventions for the result type, and lookup by name.
//!
//! The functions are generated from the entries in [`crate::op`]. Each parameter type there has a type of the same
//! name here, which converts the script value.

use std::sync::LazyLock;

use hashbrown::HashMap;
use tvmscript_ir_core::Ref;
use tvmscript_ir_core::operators::is_poison;
use tvmscript_irbuilder::{
    ArgumentRef, Around, BindFn, BuildError, BuildResult, Builder, CallArgs, FromScript, Param, ParamKind,
    PyType, ScriptFn, ScriptValue, script_fn,
};
use tvmscript_prim::Op;
use tvmscript_prim::ops;
use tvmscript_prim::{Call, IntImm, PrimExprExt};

pub use super::args::ExprArg as Expr;
use super::args::ExprArg;
use crate::node::{Buffer, BufferLoad};
use crate::op::{Operator, functions, memory, operators};

pub use tvmscript_ir_core::DataType;

type PrimExpr = tvmscript_prim::Expr;

/// The script functions of all entries, also under the operators' own names (`tvm_call_packed` for `call_packed`).
static FUNCTIONS: LazyLock<HashMap<&'static str, &'static ScriptFn>> = LazyLock::new(|| {
    let own = operators().filter_map(|op| Some((op.name().strip_prefix("tir.")?, op.function?)));
    own.chain(functions().map(|function| (function.name, function))).collect()
});

/// The script function of an operator.
pub fn find(name: &str) -> Option<ScriptValue> {
    FUNCTIONS.get(name).map(|function| ScriptValue::Function(function))
}

/// The names of all operators, for suggestions.
pub fn names() -> Vec<&'static str> {
    FUNCTIONS.keys().copied().filter(|name| !name.contains('.')).collect()
}

/// The position of the result type in calls of operators.
pub static DTYPE_CONVENTION: Around = Around { call: around_binding, forms: dtype_forms };

/// The forms of calls with the result type elsewhere: as a keyword instead of the first argument, and the reverse. A
/// function without this parameter takes and ignores the keyword.
fn dtype_forms(params: &[Param]) -> Vec<Vec<Param>> {
    let at = params.iter().position(|param| param.name == "dtype");
    let keyword = |dtype: Param| {
        let others = params.iter().filter(|param| param.name != "dtype").copied();
        let mut others: Vec<Param> = others.collect();
        let place = others.iter().position(|param| param.kind == ParamKind::Kwargs).unwrap_or(others.len());
        others.insert(place, Param { kind: ParamKind::KeywordOnly, default: None, ..dtype });
        others
    };
    let is_positional = |param: &Param| matches!(param.kind, ParamKind::Plain | ParamKind::Args);
    match at.and_then(|index| Some((index, *params.get(index)?))) {
        None => {
            let kind = ParamKind::KeywordOnly;
            vec![keyword(Param { name: "dtype", kind, default: None, py_type: PyType::ANY })]
        }
        // Without operands, the declared form takes the keyword too.
        Some((0, _)) if !params.iter().skip(1).any(is_positional) => Vec::new(),
        Some((0, dtype)) => vec![keyword(dtype)],
        Some((_, dtype)) if dtype.kind == ParamKind::KeywordOnly => {
            let first = Param { kind: ParamKind::Plain, default: None, ..dtype };
            let others = params.iter().filter(|param| param.name != "dtype").copied();
            vec![std::iter::once(first).chain(others).collect()]
        }
        Some(_) => Vec::new(),
    }
}

/// Moves the result type of a call to its parameter, then binds the arguments.
///
/// As in TVM, `dtype=..` precedes the other arguments if the function starts with it, and is dropped if the function
/// has no such parameter. A leading type that has a default is told from an operand by its value.
///
/// # Errors
/// Those of `bind`.
fn around_binding(function: &'static ScriptFn, args: CallArgs, bind: BindFn) -> BuildResult<ScriptValue> {
    let Some(unfolded) = Builder::context::<Unfolded>() else {
        return with_type_in_place(function, args, bind);
    };
    let made = with_type_in_place(function, args.clone(), bind);
    match call_as_written(function, args, made.as_ref().ok(), &unfolded) {
        Some(call) => Ok(call.into()),
        None => made,
    }
}

/// Context of releases whose reader leaves calls of these operators as they are written, where TVM 0.23 computes with
/// numbers, selects an operand, or refuses the types.
#[derive(Debug)]
pub struct Unfolded(pub fn(&Operator) -> bool);

/// The call of an operator as its text has it, if the operator's function made another expression of it or none. `None`
/// if the operands' types would have to be converted first.
fn call_as_written(
    function: &'static ScriptFn,
    args: CallArgs,
    made: Option<&ScriptValue>,
    Unfolded(is_unfolded): &Unfolded,
) -> Option<PrimExpr> {
    let operator = operators().find(|op| op.function.is_some_and(|own| std::ptr::eq(own, function)))?;
    operator.make?;
    let call = made.and_then(|made| made.as_node::<Call>());
    let is_call = call.is_some_and(|call| call.is_op(operator.op.get()));
    if is_call || !args.keywords.is_empty() || !is_unfolded(operator) {
        return None;
    }
    let operands: Vec<PrimExpr> =
        args.positional.into_iter().map(ExprArg::convert).collect::<BuildResult<_>>().ok()?;
    operator.plain_call(operands)
}

fn with_type_in_place(
    function: &'static ScriptFn,
    mut args: CallArgs,
    bind: BindFn,
) -> BuildResult<ScriptValue> {
    match function.params.iter().enumerate().find(|(_, param)| param.name == "dtype") {
        None => drop(args.take_keyword("dtype")),
        Some((0, _)) => {
            if let Some(dtype) = args.take_keyword("dtype") {
                args.positional.insert(0, dtype);
                return bind(function, args).map_err(type_is_a_keyword);
            }
        }
        Some((_, param)) if param.kind == ParamKind::KeywordOnly => {
            let is_type = |v: &ScriptValue| matches!(v, ScriptValue::Str(_) | ScriptValue::DType(_));
            if args.positional.first().is_some_and(is_type) {
                let dtype = args.positional.remove(0);
                args.keywords.push(("dtype".into(), dtype));
            }
        }
        Some(_) => {}
    }
    bind(function, args)
}

/// Maps the argument positions of an error back to the call as written, before the type was moved to the front.
fn type_is_a_keyword(mut error: BuildError) -> BuildError {
    error.argument = match error.argument {
        Some(ArgumentRef::Position(0)) => Some(ArgumentRef::Keyword("dtype".into())),
        Some(ArgumentRef::Position(index)) => Some(ArgumentRef::Position(index - 1)),
        Some(ArgumentRef::Parameter { name, index }) => {
            Some(ArgumentRef::Parameter { name, index: index.saturating_sub(1) })
        }
        other => other,
    };
    error
}

/// An operator, or its full name.
#[derive(Debug, Clone)]
pub struct OpArg(Ref<Op>);

impl FromScript for OpArg {
    const TYPE: PyType = PyType::Union { of: &[PyType::STR, PyType::node::<Op>()] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::Str(name) => tvmscript_ir::build::operator(&name).map(OpArg),
            other => match other.as_node::<Op>() {
                Some(op) => Ok(OpArg(op.clone())),
                None => Err(BuildError::expected("an operator's name", other.type_name())),
            },
        }
    }
}

/// Calls the named operator.
#[script_fn]
pub fn call_intrin(dtype: DataType, func_name: OpArg, #[args] args: Vec<ExprArg>) -> BuildResult<PrimExpr> {
    Ok(Call::new(dtype, func_name.0, args.into_iter().map(|arg| arg.0)))
}

/// Conversions to the parameter types of the typed functions.
macro_rules! expressions {
    ($($arg:ident)*) => {$(
        impl From<$arg> for PrimExpr {
            fn from(arg: $arg) -> PrimExpr {
                arg.0
            }
        }
    )*};
}
expressions! { ExprArg Element LlvmName Packed }

/// Default values of parameters.
impl From<i32> for ExprArg {
    fn from(value: i32) -> ExprArg {
        ExprArg(IntImm::int32(value))
    }
}

impl From<bool> for ExprArg {
    fn from(value: bool) -> ExprArg {
        ExprArg(IntImm::bool(value))
    }
}

/// An LLVM intrinsic: a number, or the name itself, since no table of numbers is available.
#[derive(Debug, Clone)]
pub struct LlvmName(PrimExpr);

impl FromScript for LlvmName {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let name = ExprArg::convert(value)?;
        Ok(LlvmName(match name.as_node::<IntImm>() {
            Some(number) if number.dtype == DataType::INT32 => {
                ops::make_const(DataType::uint(32), number.value)?
            }
            _ => name,
        }))
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

/// An expression, or a number that takes the other operand's type.
#[derive(Debug, Clone)]
pub struct Operand(pub ops::Operand);

impl FromScript for Operand {
    const TYPE: PyType = ExprArg::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value {
            ScriptValue::Int(i) => Ok(Operand(ops::Operand::Int(i))),
            other => ExprArg::convert(other).map(|expr| Operand(ops::Operand::Expr(expr))),
        }
    }
    fn is_poison(&self) -> bool {
        matches!(&self.0, ops::Operand::Expr(expr) if is_poison(expr.object()))
    }
}

impl From<Operand> for ops::Operand {
    fn from(operand: Operand) -> ops::Operand {
        operand.0
    }
}

/// An argument of a packed call; buffers become arrays on the stack.
#[derive(Debug, Clone)]
pub struct Packed(pub(super) PrimExpr);

impl FromScript for Packed {
    const TYPE: PyType = PyType::Union { of: &[ExprArg::TYPE, PyType::node::<Buffer>()] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let Some(buffer) = value.as_node::<Buffer>() else { return ExprArg::convert(value).map(Packed) };
        Ok(Packed(memory::stack_array(buffer)?))
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

/// A buffer element; a buffer stands for its first element.
#[derive(Debug, Clone)]
pub struct Element(PrimExpr);

impl FromScript for Element {
    const TYPE: PyType = PyType::Union { of: &[PyType::node::<Buffer>(), PyType::node::<BufferLoad>()] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let found = value.type_name();
        let expr = match value.as_node::<Buffer>() {
            Some(buffer) => {
                let zeros = buffer.shape.iter().map(|e| IntImm::try_new(e.dtype(), 0));
                let zeros = zeros.collect::<std::result::Result<_, _>>()?;
                BufferLoad::try_new(buffer.clone(), zeros, None)?
            }
            None => ExprArg::convert(value)?,
        };
        match expr.is::<BufferLoad>() {
            true => Ok(Element(expr)),
            false => Err(BuildError::expected("a buffer or an element of one", found)),
        }
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}
