//! Calls of operators: every registered operator is a function of its printed name.
//!
//! Most operators differ only in where their type comes from, which one table says. Those with rules of their own
//! (folding, matching of types) are plain functions of the crate `prim`.

use std::panic::Location;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{DataType, Op, PoisonNode, Ref};
use tvmscript_irbuilder::{
    BuildError, BuildErrorKind, CallArgs, FromScript, HostFunction, IntoArg, Result, ScriptValue, argument,
    settle,
};
use tvmscript_prim::ops::Operand;
use tvmscript_prim::ops::op_table::{DtypeArg, OPS, OpEntry, ResultType};
use tvmscript_prim::{Call, Expr, IntImm, PrimExpr, PrimExprExt, ops};

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

/// Exactly `N` arguments; a stray `dtype=` is dropped, and parameter names are not known here.
fn exactly<T: FromScript, const N: usize>(mut args: CallArgs) -> Result<[T; N]> {
    args.take_keyword("dtype");
    let mut values: Vec<ScriptValue> = args.positional.into_iter().collect();
    values.extend(args.keywords.into_iter().map(|(_, v)| v));
    let found = values.len();
    let convert = |(i, value)| T::from_script(value).map_err(|e| e.at_position(i));
    let converted = values.into_iter().enumerate().map(convert).collect::<Result<Vec<T>>>()?;
    converted.try_into().map_err(|_| {
        BuildError::message(format!(
            "{N} {} expected, {found} given",
            if N == 1 { "argument" } else { "arguments" }
        ))
    })
}

/// What a function of expressions gives.
trait Made {
    fn made(self) -> Result<Expr>;
}

impl Made for Expr {
    fn made(self) -> Result<Expr> {
        Ok(self)
    }
}

impl Made for tvmscript_prim::error::Result<Expr> {
    fn made(self) -> Result<Expr> {
        Ok(self?)
    }
}

/// One line a function: its name in scripts, which Rust's face has too, its operands, and what makes it. What its operands
/// may be stands before the lines.
macro_rules! functions {
    ($($arg:ident: { $($name:ident($($x:ident),+) = $make:expr;)* })*) => {
        /// Functions of expressions as Rust functions.
        pub mod functions {
            use super::*;

            $($(
                #[doc = concat!("`T.", stringify!($name), "`, of operands as `tvmscript_prim::ops` takes them.")]
                ///
                /// # Panics
                /// When there is an error and no builder is open.
                #[track_caller]
                pub fn $name($($x: impl IntoArg<$arg>),+) -> Expr {
                    let make = || ($make)($(argument::<$arg>($x, 0)?.0),+).made();
                    settle(make(), Location::caller(), PrimExpr::poison)
                }
            )*)*
        }

        fn find_function(name: &str) -> Option<ScriptValue> {
            match name {
                $($(stringify!($name) => Some(HostFunction::value(concat!("T.", stringify!($name)), |args| {
                    let [$($x),+] = exactly::<$arg, _>(args)?;
                    let operands = [$(stringify!($x)),+].len();
                    let made = ($make)($($x.0),+).made();
                    // With one operand there is no doubt which is wrong.
                    Ok(made.map_err(|e| if operands == 1 { e.at_position(0) } else { e })?.into())
                })),)*)*
                _ => None,
            }
        }

        const FUNCTIONS: &[&str] = &[$($(stringify!($name)),*),*];
    };
}

/// A shift or bit operation: a Python `int` takes the other operand's type.
fn bits(
    make: fn(Expr, Expr) -> tvmscript_prim::error::Result<Expr>,
) -> impl Fn(Operand, Operand) -> tvmscript_prim::error::Result<Expr> {
    move |a, b| ops::python::bits(make, a, b)
}

functions! { ExprArg: {
exp(x) = ops::math::exp;
    exp2(x) = ops::math::exp2;
    exp10(x) = ops::math::exp10;
    erf(x) = ops::math::erf;
    tanh(x) = ops::math::tanh;
    sigmoid(x) = ops::math::sigmoid;
    log(x) = ops::math::log;
    log2(x) = ops::math::log2;
    log10(x) = ops::math::log10;
    log1p(x) = ops::math::log1p;
    tan(x) = ops::math::tan;
    cos(x) = ops::math::cos;
    cosh(x) = ops::math::cosh;
    sin(x) = ops::math::sin;
    sinh(x) = ops::math::sinh;
    asin(x) = ops::math::asin;
    acos(x) = ops::math::acos;
    atan(x) = ops::math::atan;
    asinh(x) = ops::math::asinh;
    acosh(x) = ops::math::acosh;
    atanh(x) = ops::math::atanh;
    sqrt(x) = ops::math::sqrt;
    rsqrt(x) = ops::math::rsqrt;
    popcount(x) = ops::math::popcount;
    clz(x) = ops::math::clz;
    abs(x) = ops::math::abs;
    floor(x) = ops::math::floor;
    ceil(x) = ops::math::ceil;
    trunc(x) = ops::math::trunc;
    round(x) = ops::math::round;
    nearbyint(x) = ops::math::nearbyint;
    isnan(x) = ops::math::isnan;
    isinf(x) = ops::math::isinf;
    isfinite(x) = ops::math::isfinite;
    pow(x, y) = ops::math::pow;
    min(a, b) = ops::min;
    max(a, b) = ops::max;
    floordiv(a, b) = ops::floordiv;
    floormod(a, b) = ops::floormod;
    truncdiv(a, b) = ops::truncdiv;
    truncmod(a, b) = ops::truncmod;
    ceildiv(a, b) = ops::ceildiv;
    bitwise_not(x) = ops::bitwise_not;
    likely(x) = ops::likely;
    if_then_else(condition, a, b) = ops::if_then_else;
    ret(x) = ops::math::ret;
    // Another name of `abs`, which takes integers too.
    fabs(x) = ops::math::abs;
} OperandArg: {
    shift_left(a, b) = bits(ops::shift_left);
    shift_right(a, b) = bits(ops::shift_right);
    bitwise_and(a, b) = bits(ops::bitwise_and);
    bitwise_or(a, b) = bits(ops::bitwise_or);
    bitwise_xor(a, b) = bits(ops::bitwise_xor);
}}

/// The value of a name that is an operator or a scalar function.
pub fn find(name: &str) -> Option<ScriptValue> {
    if let Some(function) = find_function(name) {
        return Some(function);
    }
    Some(match name {
        "reinterpret" => {
            let entry = entry_by_printed(name)?;
            HostFunction::value("T.reinterpret", move |args| reinterpret(entry, args))
        }
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

/// Calls an operator or scalar function of this name.
///
/// # Errors
/// When there is none, or its arguments do not fit.
pub(crate) fn try_call(name: &str, args: Vec<ScriptValue>) -> Result<Expr> {
    let args = CallArgs::positional(args);
    match find(name) {
        Some(ScriptValue::Host(function)) => ExprArg::convert(function.call(args)?),
        _ => Err(BuildError::message(format!("there is no operator `{name}`")).at_position(0)),
    }
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
    names.extend(FUNCTIONS);
    names.extend(["max_value", "min_value", "infinity", "call_intrin"]);
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
