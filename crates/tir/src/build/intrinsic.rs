//! Calls of operators: every registered operator is a function of its printed name.
//!
//! Most operators differ only in where their type comes from, which one table says. Those with rules of their own
//! (folding, matching of types) are plain functions of the crate `prim`.

use tvmscript_ir_core::{DataType, Op, Ref};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, CallArgs, FromScript, HostFunction, Result, ScriptValue,
};
use tvmscript_prim::ops::Operand;
use tvmscript_prim::ops::op_table::{DtypeArg, OPS, OpEntry, ResultType};
use tvmscript_prim::{Call, Expr, IntImm, PrimExprExt, ops};

use super::args::ExprArg;
use crate::node::{Buffer, BufferLoad};

/// The arguments of a packed call: buffers become arrays on the stack.
fn pack(value: ScriptValue) -> Result<Expr> {
    let Some(buffer) = value.as_node::<Buffer>() else { return ExprArg::convert(value) };
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
    Ok(Call::new(DataType::HANDLE, Op::get("tir.tvm_stack_make_array"), args))
}

fn call_entry(entry: &'static OpEntry, mut args: CallArgs) -> Result<ScriptValue> {
    let mut given = args.take_keyword("dtype");
    if let Some((name, _)) = args.keywords.first() {
        let kind =
            BuildErrorKind::UnknownKeyword { function: entry.printed.to_owned(), name: name.to_string() };
        let at = tvmscript_irbuilder::ArgumentRef::Keyword(name.to_string());
        return Err(BuildError::from(kind).at(at));
    }
    let mut positional = args.positional;
    let mut first_argument = 0;
    match entry.dtype_arg {
        DtypeArg::None => given = None,
        DtypeArg::First if given.is_none() && !positional.is_empty() => {
            given = Some(positional.remove(0));
            first_argument = 1;
        }
        DtypeArg::Last if given.is_none() => given = positional.pop(),
        DtypeArg::First | DtypeArg::Last => {}
    }
    let dtype = match (given, entry.dtype_arg) {
        (None, DtypeArg::None) => None,
        (Some(value), _) => Some(DataType::from_script(value).map_err(|e| e.at_position(0))?),
        (None, _) => {
            return Err(BuildErrorKind::MissingArgument {
                function: entry.printed.to_owned(),
                name: "dtype",
            }
            .into());
        }
    };
    let packs = matches!(
        entry.printed,
        "call_packed" | "call_cpacked" | "call_packed_lowered" | "call_cpacked_lowered"
    );
    let convert = |(i, value): (usize, ScriptValue)| {
        let expr = if packs { pack(value) } else { ExprArg::convert(value) };
        expr.map_err(|e| e.at_position(i + first_argument))
    };
    let exprs = positional.into_iter().enumerate().map(convert).collect::<Result<Vec<Expr>>>()?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => match entry.result_type() {
            ResultType::Fixed(dtype) => dtype,
            ResultType::SameAs(index) => match exprs.get(index) {
                Some(expr) => expr.dtype(),
                None => {
                    let kind =
                        BuildErrorKind::MissingArgument { function: entry.printed.to_owned(), name: "x" };
                    return Err(kind.into());
                }
            },
        },
    };
    Ok(Call::new(dtype, Op::get(entry.name), exprs).into())
}

fn as_unary(f: fn(Expr) -> Expr) -> impl Fn(CallArgs) -> Result<ScriptValue> {
    move |args| Ok(f(one(args)?).into())
}

fn try_unary(f: fn(Expr) -> tvmscript_prim::error::Result<Expr>) -> impl Fn(CallArgs) -> Result<ScriptValue> {
    move |args| Ok(f(one(args)?).map_err(|e| BuildError::from(e).at_position(0))?.into())
}

fn try_binary(
    f: fn(Expr, Expr) -> tvmscript_prim::error::Result<Expr>,
) -> impl Fn(CallArgs) -> Result<ScriptValue> {
    move |args| {
        let [a, b] = exprs::<2>(args)?;
        Ok(f(a, b)?.into())
    }
}

/// Shifts and bit operations: a Python `int` takes the other operand's type.
fn try_bits(
    f: fn(Expr, Expr) -> tvmscript_prim::error::Result<Expr>,
) -> impl Fn(CallArgs) -> Result<ScriptValue> {
    move |args| {
        let operand = |value| match value {
            ScriptValue::Int(i) => Ok(Operand::Int(i)),
            other => ExprArg::convert(other).map(Operand::Expr),
        };
        let [a, b] = converted::<Operand, 2>(args, operand)?;
        Ok(ops::python::bits(f, a, b)?.into())
    }
}

fn one(args: CallArgs) -> Result<Expr> {
    let [x] = exprs::<1>(args)?;
    Ok(x)
}

/// Exactly `N` expressions; a stray `dtype=` is dropped, and parameter names are not known here.
fn exprs<const N: usize>(args: CallArgs) -> Result<[Expr; N]> {
    converted(args, ExprArg::convert)
}

fn converted<T, const N: usize>(
    mut args: CallArgs,
    convert: impl Fn(ScriptValue) -> Result<T>,
) -> Result<[T; N]> {
    args.take_keyword("dtype");
    let mut values: Vec<ScriptValue> = args.positional.into_iter().collect();
    values.extend(args.keywords.into_iter().map(|(_, v)| v));
    let found = values.len();
    let converted = values
        .into_iter()
        .enumerate()
        .map(|(i, v)| convert(v).map_err(|e| e.at_position(i)))
        .collect::<Result<Vec<T>>>()?;
    converted.try_into().map_err(|_| {
        BuildError::message(format!(
            "{N} {} expected, {found} given",
            if N == 1 { "argument" } else { "arguments" }
        ))
    })
}

macro_rules! functions {
    ($name:expr, $($kind:ident [$($word:ident),* $(,)?]);* $(;)?) => {
        match $name {
            $($(stringify!($word) => Some(HostFunction::value(concat!("T.", stringify!($word)), $kind(ops::math::$word))),)*)*
            _ => None,
        }
    };
}

/// The value of a name that is an operator or a scalar function.
pub fn find(name: &str) -> Option<ScriptValue> {
    let math = functions!(name,
        as_unary [
            exp2, exp10, erf, tanh, sigmoid, log, log2, log10, log1p, tan, cos, cosh, sin, sinh, asin, acos, atan,
            asinh, acosh, atanh, sqrt, rsqrt, popcount, clz,
        ];
        try_unary [exp, abs, floor, ceil, trunc, round, nearbyint, isnan, isinf, isfinite];
        try_binary [pow];
    );
    if math.is_some() {
        return math;
    }
    type Binary = fn(Expr, Expr) -> tvmscript_prim::error::Result<Expr>;
    let binary: Option<Binary> = match name {
        "min" => Some(ops::min),
        "max" => Some(ops::max),
        "floordiv" => Some(ops::floordiv),
        "floormod" => Some(ops::floormod),
        "truncdiv" => Some(ops::truncdiv),
        "truncmod" => Some(ops::truncmod),
        "ceildiv" => Some(ops::ceildiv),
        _ => None,
    };
    if let Some(f) = binary {
        return Some(HostFunction::value(format!("T.{name}"), try_binary(f)));
    }
    let bits: Option<Binary> = match name {
        "shift_left" => Some(ops::shift_left),
        "shift_right" => Some(ops::shift_right),
        "bitwise_and" => Some(ops::bitwise_and),
        "bitwise_or" => Some(ops::bitwise_or),
        "bitwise_xor" => Some(ops::bitwise_xor),
        _ => None,
    };
    if let Some(f) = bits {
        return Some(HostFunction::value(format!("T.{name}"), try_bits(f)));
    }
    Some(match name {
        "bitwise_not" => HostFunction::value("T.bitwise_not", try_unary(ops::bitwise_not)),
        // Another name of `abs`, which takes integers too.
        "fabs" => HostFunction::value("T.fabs", try_unary(ops::math::abs)),
        "reinterpret" => {
            let entry = entry_by_printed(name)?;
            HostFunction::value("T.reinterpret", move |args| reinterpret(entry, args))
        }
        "likely" => HostFunction::value("T.likely", as_unary(ops::likely)),
        "if_then_else" => HostFunction::value("T.if_then_else", |args| {
            let [condition, a, b] = exprs::<3>(args)?;
            Ok(ops::if_then_else(condition, a, b)?.into())
        }),
        "max_value" | "min_value" | "infinity" => {
            let f = match name {
                "max_value" => ops::math::max_value,
                "min_value" => ops::math::min_value,
                _ => ops::math::infinity,
            };
            HostFunction::value(format!("T.{name}"), move |mut args: CallArgs| {
                let dtype = args.take_keyword("dtype").or_else(|| args.positional.first().cloned());
                let dtype = DataType::from_script(dtype.unwrap_or_default())?;
                Ok(f(dtype)?.into())
            })
        }
        "address_of" => HostFunction::value("T.address_of", address_of),
        "call_llvm_intrin" | "call_llvm_pure_intrin" => {
            let entry = entry_by_printed(name)?;
            HostFunction::value(format!("T.{name}"), move |args| llvm_intrinsic(entry, args))
        }
        "call_intrin" => HostFunction::value("T.call_intrin", call_intrin),
        "simdgroup_load" | "simdgroup_store" | "make_filled_simdgroup_matrix" => {
            let entry = entry_by_printed(name)?;
            HostFunction::value(format!("T.{name}"), move |args| simdgroup(entry, args))
        }
        "undef" => HostFunction::value("T.undef", |_| Ok(ops::math::undef().into())),
        "ret" => HostFunction::value("T.ret", |args| Ok(ops::math::ret(one(args)?).into())),
        "dp4a" => {
            let entry = entry_by_printed(name)?;
            HostFunction::value("T.dp4a", move |args| dp4a(entry, args))
        }
        _ => {
            let entry = entry_by_printed(name)?;
            HostFunction::value(format!("T.{name}"), move |args| call_entry(entry, args))
        }
    })
}

fn entry_by_printed(name: &str) -> Option<&'static OpEntry> {
    use std::collections::HashMap;
    use std::sync::OnceLock;
    static MAP: OnceLock<HashMap<&'static str, &'static OpEntry>> = OnceLock::new();
    let map = MAP.get_or_init(|| {
        let printed = OPS.iter().map(|e| (e.printed, e));
        // The names of packed calls without their `tvm_`, and the operators' own names.
        let own = OPS.iter().filter_map(|e| e.name.strip_prefix("tir.").map(|n| (n, e)));
        own.chain(printed).collect()
    });
    map.get(name).copied()
}

/// All names this module knows, for suggestions.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        OPS.iter().filter(|e| !e.printed.contains('.')).map(|e| e.printed).collect();
    names.extend([
        "abs",
        "ceildiv",
        "floordiv",
        "floormod",
        "truncdiv",
        "truncmod",
        "min",
        "max",
        "max_value",
        "min_value",
        "infinity",
        "isinf",
        "isfinite",
        "call_intrin",
    ]);
    names
}

fn address_of(mut args: CallArgs) -> Result<ScriptValue> {
    args.take_keyword("dtype");
    let value = args.positional.into_iter().next().unwrap_or_default();
    let expr = match value.as_node::<Buffer>() {
        Some(buffer) => {
            let zeros = buffer.shape.iter().map(|e| IntImm::try_new(e.dtype(), 0));
            let zeros = zeros.collect::<std::result::Result<_, _>>()?;
            BufferLoad::try_new(buffer.clone(), zeros, None)?
        }
        None => ExprArg::convert(value).map_err(|e| e.at_position(0))?,
    };
    if expr.as_node::<BufferLoad>().is_none() {
        let error = BuildError::expected("a buffer or an element of one", "another expression");
        return Err(error.at_position(0));
    }
    Ok(Call::new(DataType::HANDLE, Op::get("tir.address_of"), [expr]).into())
}

/// `T.reinterpret(dtype, value)`: the value itself where it has the type.
fn reinterpret(entry: &'static OpEntry, args: CallArgs) -> Result<ScriptValue> {
    let as_written = call_entry(entry, args)?;
    match as_written.as_node::<Call>() {
        Some(call) if call.args.len() == 1 => Ok(ops::reinterpret(call.dtype, call.args[0].clone())
            .map_err(|e| BuildError::from(e).at_position(1))?
            .into()),
        Some(call) => {
            Err(BuildError::message(format!("1 value expected after the type, {} given", call.args.len())))
        }
        None => Ok(as_written),
    }
}

/// The intrinsic is kept as it is written: a number, or a name where no table of numbers is at hand.
fn llvm_intrinsic(entry: &'static OpEntry, mut args: CallArgs) -> Result<ScriptValue> {
    let at = usize::from(args.keywords.iter().all(|(k, _)| k.as_str() != "dtype"));
    if let Some(id) = args.positional.get_mut(at)
        && let ScriptValue::Int(number) = id
    {
        *id = ops::make_const(DataType::uint(32), *number)?.into();
    }
    call_entry(entry, args)
}

fn simdgroup(entry: &'static OpEntry, mut args: CallArgs) -> Result<ScriptValue> {
    let defaults: &[(&str, ScriptValue)] = match entry.printed {
        "make_filled_simdgroup_matrix" => &[("col", ScriptValue::Int(8)), ("row", ScriptValue::Int(8))],
        _ => &[
            ("col", ScriptValue::Int(8)),
            ("row", ScriptValue::Int(8)),
            ("transpose_matrix", ScriptValue::Bool(false)),
        ],
    };
    let required = if entry.printed == "make_filled_simdgroup_matrix" { 3 } else { 4 };
    for (i, (name, default)) in defaults.iter().enumerate() {
        let given = args.take_keyword(name);
        if args.positional.len() == required + i {
            args.positional.push(given.unwrap_or_else(|| default.clone()));
        }
    }
    call_entry(entry, args)
}

/// `T.dp4a(vec1, vec2, acc=0)` as written by hand, or with the type in front as printed.
fn dp4a(entry: &'static OpEntry, mut args: CallArgs) -> Result<ScriptValue> {
    if let Some(acc) = args.take_keyword("acc") {
        args.positional.push(acc);
    }
    let has_type = args.positional.first().is_some_and(|v| v.as_str().is_some());
    if !has_type {
        args.positional.insert(0, ScriptValue::DType(DataType::INT32));
    }
    if args.positional.len() == 3 {
        args.positional.push(ScriptValue::Int(0));
    }
    call_entry(entry, args)
}

/// `T.call_intrin(dtype, "tir.name", *args)`.
fn call_intrin(mut args: CallArgs) -> Result<ScriptValue> {
    let dtype = match args.take_keyword("dtype") {
        Some(dtype) => dtype,
        None if args.positional.is_empty() => ScriptValue::None,
        None => args.positional.remove(0),
    };
    let dtype = DataType::from_script(dtype).map_err(|e| e.at_position(0))?;
    if args.positional.is_empty() {
        return Err(BuildErrorKind::MissingArgument {
            function: "call_intrin".to_owned(),
            name: "func_name",
        }
        .into());
    }
    let op: Ref<Op> = match args.positional.remove(0) {
        ScriptValue::Str(name) => Op::get(&name),
        other => match other.as_node::<Op>() {
            Some(op) => op.clone(),
            None => return Err(BuildError::expected("an operator's name", other.type_name()).at_position(1)),
        },
    };
    let exprs = args
        .positional
        .into_iter()
        .enumerate()
        .map(|(i, v)| ExprArg::convert(v).map_err(|e| e.at_position(i + 2)))
        .collect::<Result<Vec<_>>>()?;
    Ok(Call::new(dtype, op, exprs).into())
}
