//! Calls of operators: each line of the tables of the crate `prim` is a script function.
//!
//! An operator of [`op_table`](tvmscript_prim::ops::op_table) makes the call that its line describes; a function of
//! [`function_table`](tvmscript_prim::ops::function_table) folds, converts or checks first. Both bind arguments by position and
//! keyword as the signature in the line says. The few whose arguments mean something of their own are functions of this file.

use std::collections::HashMap;
use std::sync::OnceLock;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{DataType, Ref};
use tvmscript_irbuilder::{
    ArgumentRef, Binding, BuildError, CallArgs, FromScript, Param, ParamKind, Result, ScriptFn, ScriptValue,
    script_fn,
};
use tvmscript_prim::Op;
use tvmscript_prim::ops::function_table::{FUNCTIONS, Make};
use tvmscript_prim::ops::op_table::{OPS, OpEntry, TypeFrom};
use tvmscript_prim::ops::{self, Operand};
use tvmscript_prim::{Call, Expr, IntImm, PrimExprExt};

use super::args::ExprArg;
use crate::node::{Buffer, BufferLoad};

/// What an operator's script function does.
#[derive(Clone, Copy)]
enum Kind {
    /// Makes the call.
    Call(&'static OpEntry),
    /// Folds, converts or checks.
    Make(Make),
    /// `T.call_intrin("float32", "tir.exp", x)`: makes a call of the operator that is named.
    Named,
}

/// A script function made from a line of a table.
struct Operator {
    function: ScriptFn,
    kind: Kind,
}

/// The script functions of all operators, by name: made once, and kept as long as the process.
fn operators() -> &'static HashMap<&'static str, &'static Operator> {
    static MAP: OnceLock<HashMap<&'static str, &'static Operator>> = OnceLock::new();
    MAP.get_or_init(|| {
        // The names of packed calls without their `tvm_`, and the operators' own names.
        let own = OPS.iter().filter_map(|e| e.name.strip_prefix("tir.").map(|name| (name, e)));
        let printed = OPS.iter().map(|e| (e.printed, e));
        let calls =
            own.chain(printed).map(|(name, entry)| (name, operator(name, entry.params, Kind::Call(entry))));
        let made = FUNCTIONS.iter().map(|f| (f.name, operator(f.name, f.params, Kind::Make(f.make))));
        let named = ("call_intrin", operator("call_intrin", "dtype, func_name, *args", Kind::Named));
        calls.chain(made).chain([named]).collect()
    })
}

fn operator(name: &'static str, params: &'static str, kind: Kind) -> &'static Operator {
    let params: Vec<Param> = params.split(", ").filter(|p| !p.is_empty()).map(param).collect();
    let params = Box::leak(params.into_boxed_slice());
    let function = ScriptFn { name, doc: "", params, returns: "PrimExpr", call: call_operator, members: &[] };
    Box::leak(Box::new(Operator { function, kind }))
}

/// A parameter as the tables write it: `x`, `col=8`, `*args`.
fn param(text: &'static str) -> Param {
    let (text, kind) = match text.strip_prefix('*') {
        Some(rest) => (rest, ParamKind::Args),
        None => (text, ParamKind::Plain),
    };
    let (name, default) = match text.split_once('=') {
        Some((name, default)) => (name, Some(default)),
        None => (text, None),
    };
    let type_name = if name == "dtype" { "str" } else { "PrimExpr" };
    Param { name, kind, default, type_name }
}

/// The script function of an operator.
pub fn find(name: &str) -> Option<ScriptValue> {
    operators().get(name).map(|operator| ScriptValue::Function(&operator.function))
}

/// The names of all operators, for suggestions.
pub fn names() -> Vec<&'static str> {
    operators().keys().copied().filter(|name| !name.contains('.')).collect()
}

/// Calls an operator of this name.
///
/// # Errors
/// When there is none, or its arguments do not fit.
pub(crate) fn try_call(name: &str, args: Vec<ScriptValue>) -> Result<Expr> {
    let own = (name == ADDRESS_OF.name).then_some(&ADDRESS_OF);
    match own.or_else(|| operators().get(name).map(|operator| &operator.function)) {
        Some(function) => ExprArg::convert(function.call(CallArgs::positional(args))?),
        None => Err(BuildError::message(format!("there is no operator `{name}`")).at_position(0)),
    }
}

/// The arguments of an operator on the way to its call.
struct Arguments {
    binding: Binding,
    params: &'static [Param],
    dtype: Option<DataType>,
}

impl Arguments {
    /// The argument at `index`, or what stands for it when it is not given; nothing where it is to be left out.
    fn take<T: FromScript>(&mut self, index: usize) -> Result<Option<T>> {
        let Some(default) = self.params[index].default else {
            return self.binding.required(index).map(Some);
        };
        if default == "None" {
            return Ok(self.binding.optional::<Option<T>>(index)?.flatten());
        }
        if let Some(given) = self.binding.optional(index)? {
            return Ok(Some(given));
        }
        let value = match default {
            "True" => ScriptValue::Bool(true),
            "False" => ScriptValue::Bool(false),
            number => ScriptValue::Int(number.parse()?),
        };
        T::from_script(value).map(Some)
    }

    /// All operands in order, the type among them put aside.
    fn operands<T: FromScript>(&mut self) -> Result<Vec<T>> {
        let mut operands = Vec::with_capacity(self.params.len());
        for (index, param) in self.params.iter().enumerate() {
            match param.kind {
                ParamKind::Args => operands.extend(self.binding.rest(index)?),
                _ if param.name == "dtype" => self.dtype = self.take(index)?,
                _ => operands.extend(self.take(index)?),
            }
        }
        Ok(operands)
    }
}

fn call_operator(function: &'static ScriptFn, mut args: CallArgs) -> Result<ScriptValue> {
    let Some(Operator { kind, .. }) = operators().get(function.name) else {
        return Err(BuildError::not_callable(function.name));
    };
    let params = function.params;
    let has_dtype = params.iter().any(|p| p.name == "dtype");
    let mut dtype = None;
    match kind {
        // By hand `T.dp4a(a, b)`; printed with the type in front.
        Kind::Call(OpEntry { name: "tir.dp4a", .. }) => {
            let is_type = |v: &ScriptValue| matches!(v, ScriptValue::Str(_) | ScriptValue::DType(_));
            let given = args.positional.first().is_some_and(is_type).then(|| args.positional.remove(0));
            dtype = Some(DataType::from_script(given.unwrap_or(ScriptValue::DType(DataType::INT32)))?);
        }
        // TVM drops a type that is not wanted, and puts one that is in front.
        _ if !has_dtype => drop(args.take_keyword("dtype")),
        _ if params[0].name == "dtype" => {
            if let Some(given) = args.take_keyword("dtype") {
                args.positional.insert(0, given);
                return make(*kind, function, args, None).map_err(type_is_a_keyword);
            }
        }
        _ => {}
    }
    make(*kind, function, args, dtype)
}

/// An error of a call whose type was put in front of the other arguments, at the arguments as they are written.
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

fn make(
    kind: Kind,
    function: &'static ScriptFn,
    args: CallArgs,
    dtype: Option<DataType>,
) -> Result<ScriptValue> {
    let params = function.params;
    let mut args = Arguments { binding: Binding::new(function, args)?, params, dtype };
    let made = match kind {
        Kind::Named => return call_named(&mut args.binding),
        Kind::Call(entry) => return call(entry, &mut args),
        Kind::Make(Make::Bits(make)) => {
            let operands = args.operands::<OperandArg>()?;
            match <[OperandArg; 2]>::try_from(operands) {
                // Of two numbers none has a type to give.
                Ok([OperandArg(a @ Operand::Int(_)), OperandArg(b @ Operand::Int(_))]) => {
                    Some(ops::python::bits(make, a, ops::bare::operand(b)?))
                }
                Ok([a, b]) => Some(ops::python::bits(make, a.0, b.0)),
                Err(_) => None,
            }
        }
        Kind::Make(make) => {
            let operands = args.operands::<ExprArg>()?.into_iter().map(|arg| arg.0).collect();
            make.of(args.dtype.unwrap_or(DataType::VOID), &operands)
        }
    };
    let error = |e| match params {
        // With one operand there is no doubt which is wrong.
        [_] => BuildError::from(e).at_position(0),
        [dtype, _] if dtype.name == "dtype" => BuildError::from(e).at_position(1),
        _ => BuildError::from(e),
    };
    match made {
        Some(made) => Ok(made.map_err(error)?.into()),
        None => Err(BuildError::message(format!("`{}` takes other operands", function.name))),
    }
}

/// An operator, or its full name.
struct OpArg(Ref<Op>);

impl FromScript for OpArg {
    const TYPE: &'static str = "str | Op";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value {
            ScriptValue::Str(name) => Ok(OpArg(Op::get(&name))),
            other => match other.as_node::<Op>() {
                Some(op) => Ok(OpArg(op.clone())),
                None => Err(BuildError::expected("an operator's name", other.type_name())),
            },
        }
    }
}

fn call_named(binding: &mut Binding) -> Result<ScriptValue> {
    let (dtype, op) = (binding.required::<DataType>(0)?, binding.required::<OpArg>(1)?);
    let args = binding.rest::<ExprArg>(2)?;
    Ok(Call::new(dtype, op.0, args.into_iter().map(|arg| arg.0)).into())
}

fn call(entry: &'static OpEntry, args: &mut Arguments) -> Result<ScriptValue> {
    let operands: Vec<Expr> = match entry.printed {
        "call_packed" | "call_cpacked" | "call_packed_lowered" | "call_cpacked_lowered" => {
            args.operands::<PackedArg>()?.into_iter().map(|arg| arg.0).collect()
        }
        "call_llvm_intrin" | "call_llvm_pure_intrin" => {
            let operands = args.operands::<ExprArg>()?.into_iter().map(|arg| arg.0);
            operands.enumerate().map(|(i, operand)| llvm_operand(i, operand)).collect::<Result<_>>()?
        }
        _ => args.operands::<ExprArg>()?.into_iter().map(|arg| arg.0).collect(),
    };
    let dtype = match (args.dtype, entry.dtype) {
        (Some(dtype), _) | (None, TypeFrom::Fixed(dtype)) => dtype,
        (None, TypeFrom::SameAs(index)) => match operands.get(index) {
            Some(operand) => operand.dtype(),
            None => {
                let message = format!("`{}` has the type of an argument that is not given", entry.printed);
                return Err(BuildError::message(message));
            }
        },
        (None, TypeFrom::First | TypeFrom::Last) => {
            return Err(BuildError::message(format!("`{}` needs the type of its result", entry.printed)));
        }
    };
    Ok(Call::new(dtype, Op::get(entry.name), operands).into())
}

/// The intrinsic is kept as it is written: a number, or a name where no table of numbers is at hand.
fn llvm_operand(index: usize, operand: Expr) -> Result<Expr> {
    match operand.as_node::<IntImm>() {
        Some(number) if index == 0 && number.dtype == DataType::INT32 => {
            Ok(ops::make_const(DataType::uint(32), number.value)?)
        }
        _ => Ok(operand),
    }
}

/// A number that takes the other operand's type, or an expression.
#[derive(Debug, Clone)]
pub struct OperandArg(pub Operand);

impl FromScript for OperandArg {
    const TYPE: &'static str = "PrimExpr";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value {
            ScriptValue::Int(i) => Ok(OperandArg(Operand::Int(i))),
            other => ExprArg::convert(other).map(|expr| OperandArg(Operand::Expr(expr))),
        }
    }
    fn is_poison(&self) -> bool {
        matches!(&self.0, Operand::Expr(expr) if is_poison(expr.object()))
    }
}

impl From<OperandArg> for ScriptValue {
    fn from(operand: OperandArg) -> ScriptValue {
        match operand.0 {
            Operand::Expr(expr) => expr.into(),
            Operand::Int(i) => ScriptValue::Int(i),
            Operand::Float(f) => ScriptValue::Float(f),
            Operand::Bool(b) => ScriptValue::Bool(b),
        }
    }
}

/// An argument of a packed call: buffers become arrays on the stack.
pub(super) struct PackedArg(pub(super) Expr);

impl FromScript for PackedArg {
    const TYPE: &'static str = "PrimExpr | Buffer";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let Some(buffer) = value.as_node::<Buffer>() else { return ExprArg::convert(value).map(PackedArg) };
        let shape_op = || Op::get("tir.tvm_stack_make_shape");
        let shape = Call::new(DataType::HANDLE, shape_op(), buffer.shape.iter().cloned());
        let strides = match buffer.strides.is_empty() {
            true => IntImm::int32(0),
            false => Call::new(DataType::HANDLE, shape_op(), buffer.strides.iter().cloned()),
        };
        let args = [
            buffer.data.clone().upcast(),
            shape,
            strides,
            ops::python::int_literal(buffer.shape.len() as i64),
            ops::make_const(buffer.dtype, 0)?,
            buffer.elem_offset.clone(),
        ];
        Ok(PackedArg(Call::new(DataType::HANDLE, Op::get("tir.tvm_stack_make_array"), args)))
    }
}

/// The address of an element; of a buffer, that of its first.
#[script_fn]
pub fn address_of(
    obj: ScriptValue,
    #[kw_only]
    #[default = None]
    dtype: Option<DataType>,
) -> Result<Expr> {
    let _ = dtype;
    let found = obj.type_name();
    let expr = match obj.as_node::<Buffer>() {
        Some(buffer) => {
            let zeros = buffer.shape.iter().map(|e| IntImm::try_new(e.dtype(), 0));
            let zeros = zeros.collect::<std::result::Result<_, _>>()?;
            BufferLoad::try_new(buffer.clone(), zeros, None)?
        }
        None => ExprArg::convert(obj).map_err(|e| e.at_position(0))?,
    };
    if expr.as_node::<BufferLoad>().is_none() {
        return Err(BuildError::expected("a buffer or an element of one", found).at_position(0));
    }
    Ok(Call::new(DataType::HANDLE, Op::get("tir.address_of"), [expr]))
}
