//! Types as arguments and annotations, and data types as functions (`T.int32()` creates a variable, `T.int32(x)`
//! converts).

use std::borrow::Cow;
use std::sync::LazyLock;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{DataType, Ref, Str};
use tvmscript_irbuilder::{
    ArgumentRef, BuildError, BuildErrorKind, BuildResult, CallArgs, Declaration, FromScript, HostFunction,
    Param, ParamKind, PyType, ScriptValue, script_fn,
};
use tvmscript_prim::{
    Expr, FloatImm, PointerType, PrimType, StringImm, TensorMapType, TupleType, Type, Var, ops,
};

use super::args::ExprArg;

/// The value of a name that is a data type.
pub fn find(name: &str) -> Option<ScriptValue> {
    let dtype = match name {
        "boolean" => DataType::BOOL,
        "handle" | "ptr" | "int" | "uint" | "float" | "bfloat" | "" => return None,
        _ => name.parse::<DataType>().ok()?,
    };
    Some(HostFunction::declared(format!("T.{name}"), &CONVERSION, move |args| convert(dtype, args)))
}

/// The function of a data type.
static CONVERSION: Declaration = Declaration {
    doc: "A value converted to the data type; without a value, a variable of it.",
    params: Cow::Borrowed(&[
        Param {
            name: "expr",
            kind: ParamKind::Plain,
            default: Some("None"),
            py_type: <Option<ExprArg>>::TYPE,
        },
        Param {
            name: "is_size_var",
            kind: ParamKind::KeywordOnly,
            default: Some("False"),
            py_type: PyType::BOOL,
        },
    ]),
    returns: PyType::node::<Var>(),
    is_annotation: true,
    around: None,
};

/// Names of common data types, for suggestions and descriptions.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let elements = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 \
                    float8_e4m3fn float8_e5m2";
    let mut names: Vec<String> = ["bool", "boolean", "void"].map(str::to_owned).into();
    for element in elements.split_whitespace() {
        names.push(element.to_owned());
        names.extend([2, 4, 8, 16, 32, 64].map(|lanes| format!("{element}x{lanes}")));
    }
    names
});

/// Common data types.
pub fn names() -> Vec<&'static str> {
    NAMES.iter().map(String::as_str).collect()
}

fn convert(dtype: DataType, mut args: CallArgs) -> BuildResult<ScriptValue> {
    let usage = || format!("{dtype}(expr=None, *, is_size_var=False)");
    let is_size_var = match args.take_keyword("is_size_var") {
        Some(value) => bool::from_script(value)?,
        None => false,
    };
    let value = match args.take_keyword("expr") {
        Some(value) => value,
        None if args.positional.len() > 1 => {
            let kind = BuildErrorKind::TooManyArguments {
                function: dtype.to_string(),
                limit: 1,
                found: args.positional.len(),
            };
            return Err(BuildError::from(kind).with_usage(&usage()).at_position(1));
        }
        None => args.positional.pop().unwrap_or_default(),
    };
    if let Some((name, _)) = args.keywords.first() {
        let kind = BuildErrorKind::UnknownKeyword {
            function: dtype.to_string(),
            name: name.to_string(),
            known: vec!["expr", "is_size_var"],
        };
        let at = ArgumentRef::Keyword(name.clone());
        return Err(BuildError::from(kind).with_usage(&usage()).at(at));
    }
    let at = |e: tvmscript_prim::PrimError| BuildError::from(e).at_position(0);
    Ok(match value {
        ScriptValue::None if is_size_var => Var::size_var("", dtype).into(),
        ScriptValue::None => Var::new("", dtype).into(),
        ScriptValue::Int(i) => ops::make_const(dtype, i).map_err(at)?.into(),
        ScriptValue::Bool(b) => ops::make_const(dtype, i64::from(b)).map_err(at)?.into(),
        // A literal of the type itself, so that `T.float64(1e300)` is not rounded to `float32`.
        ScriptValue::Float(f) => ops::make_const(dtype, f).map_err(at)?.into(),
        ScriptValue::BigInt(i) => big_literal(dtype, &i)?.into(),
        ScriptValue::Str(text) => {
            let number = python_float(&text).ok_or_else(|| {
                BuildError::expected("a number, \"inf\" or \"nan\"", format!("\"{text}\"")).at_position(0)
            })?;
            if dtype.is_any_float() && dtype.is_scalar() {
                FloatImm::try_new(dtype, number).map_err(at)?.into()
            } else {
                ops::make_const(dtype, number).map_err(at)?.into()
            }
        }
        // It has no number here, and keeps its name.
        other if is_intrinsic_name(other.as_node::<StringImm>().map(|name| &**name)) => other,
        other => {
            let expr = ExprArg::convert(other).map_err(|e| e.at_position(0))?;
            ops::cast(dtype, expr).map_err(at)?.into()
        }
    })
}

/// Returns `true` for the name of an intrinsic of LLVM, which is a number in TVM.
pub(crate) fn is_intrinsic_name(value: Option<&StringImm>) -> bool {
    value.is_some_and(|name| name.value.starts_with("llvm."))
}

/// Converts a value to `dtype`: `T.float32(0)`.
///
/// # Errors
/// If the value cannot be converted.
pub(crate) fn try_convert(dtype: DataType, value: ScriptValue) -> BuildResult<Expr> {
    ExprArg::convert(convert(dtype, CallArgs::positional([value]))?)
}

/// An unsigned literal beyond the range of `int64`.
pub(super) fn big_literal(dtype: DataType, value: &num_bigint::BigInt) -> BuildResult<Expr> {
    let fits = dtype.is_uint() && dtype.is_scalar() && dtype.bits == 64;
    match u64::try_from(value) {
        Ok(bits) if fits => Ok(ops::make_const(dtype, ops::Number::UInt(bits))?),
        _ => Err(tvmscript_prim::PrimError::OutOfRange { value: value.to_string(), dtype }.into()),
    }
}

/// Python's conversion of text to `float`.
fn python_float(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let magnitude = match unsigned {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        _ if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            unsigned.replace('_', "").parse().ok()?
        }
        _ => return None,
    };
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// A pointer variable; `T.handle()` is an opaque one.
#[script_fn(annotation)]
pub fn handle(
    #[default = None] dtype: Option<ScriptValue>,
    #[default = "global"] storage_scope: Str,
    #[kw_only]
    #[default = false]
    is_size_var: bool,
) -> BuildResult<Ref<Var>> {
    let element = match dtype {
        None if storage_scope.as_str() == "global" => {
            return Ok(pointer(PrimType::new(DataType::HANDLE), is_size_var));
        }
        None => PrimType::new(DataType::VOID),
        Some(ScriptValue::Str(text)) if text.as_str() == "tensormap" => {
            let element = Ref::new(TensorMapType { span: tvmscript_ir_core::Span::current() }).upcast();
            return Ok(pointer(PointerType::new(element, "global"), is_size_var));
        }
        Some(ScriptValue::Str(text)) => PrimType::new(DataType::from_script(ScriptValue::Str(text))?),
        Some(other) => TypeArg::from_script(other)?.0,
    };
    Ok(pointer(PointerType::new(element, &storage_scope), is_size_var))
}

fn pointer(annotation: Ref<Type>, is_size_var: bool) -> Ref<Var> {
    match is_size_var {
        true => Var::size_var_with_type("", annotation),
        false => Var::with_type("", annotation),
    }
}

/// A pointer variable.
#[script_fn(annotation)]
pub fn ptr(
    dtype: ElementType,
    #[default = "global"] storage_scope: Str,
    #[default = false] is_size_var: bool,
) -> BuildResult<Ref<Var>> {
    Ok(pointer(PointerType::new(PrimType::new(dtype.0), &storage_scope), is_size_var))
}

/// A data type, or a function that creates a variable of it (`T.float32`).
#[derive(Debug, Clone, Copy)]
pub struct ElementType(pub DataType);

impl FromScript for ElementType {
    const TYPE: PyType = DataType::TYPE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if matches!(value, ScriptValue::Function(_) | ScriptValue::Host(_))
            && let Some(var) = call_annotation(value.clone())?.as_node::<Var>()
        {
            return Ok(ElementType(var.dtype));
        }
        DataType::from_script(value).map(ElementType)
    }
}

/// A type node, a variable (for its type), a function that creates a variable (`T.int32`), or `None` for void.
#[derive(Debug, Clone)]
pub struct TypeArg(pub Ref<Type>);

impl FromScript for TypeArg {
    const TYPE: PyType = PyType::ANY;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if matches!(value, ScriptValue::None) {
            return Ok(TypeArg(TupleType::void()));
        }
        let found = value.type_name();
        let called = call_annotation(value)?;
        if let Some(var) = called.as_node::<Var>() {
            return Ok(TypeArg(var.type_annotation.clone()));
        }
        if let Some(ty) = called.as_node::<Type>() {
            return Ok(TypeArg(ty.clone()));
        }
        match called {
            ScriptValue::DType(d) => Ok(TypeArg(PrimType::new(d))),
            _ => Err(BuildError::expected("a type such as `T.int32`", found)),
        }
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

/// The value of an annotation: functions are called without arguments.
///
/// # Errors
/// Those of the called function.
pub fn call_annotation(value: ScriptValue) -> BuildResult<ScriptValue> {
    match value {
        ScriptValue::Function(function) => function.call(CallArgs::default()),
        ScriptValue::Host(host) if host.is_callable() => host.call(CallArgs::default()),
        other => Ok(other),
    }
}
