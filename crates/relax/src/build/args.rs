//! Arguments of script functions, and their conversion from script values.

use std::rc::Rc;

use hashbrown::HashMap;
use num_bigint::BigInt;
use tvmscript_ir_core::{Array, DataType, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};
use tvmscript_prim::{self as prim, BaseExpr, FloatImm, IntImm, PrimExpr};

use super::struct_info::StructInfoProxy;
use crate::describe;
use crate::node::*;
use crate::op::plain_int;
use crate::syntax::RelaxSyntax;

fn expected(what: &str, value: &ScriptValue) -> BuildError {
    BuildError::expected(what, describe::value(value))
}

fn too_large(value: &BigInt) -> BuildError {
    BuildError::message(format!("the integer {value} does not fit 64 bits"))
}

/// The value as a Relax expression.
fn expr_of(value: &ScriptValue) -> Option<&Expr> {
    value.as_node::<BaseExpr>().filter(|expr| !expr.is::<PrimExpr>())
}

/// Converts the items of a list or tuple; errors are located at the item.
fn items_of<T>(
    items: Vec<ScriptValue>,
    convert: impl Fn(ScriptValue) -> BuildResult<T>,
) -> BuildResult<Vec<T>> {
    items.into_iter().enumerate().map(|(i, item)| convert(item).map_err(|e| e.at_item(i))).collect()
}

/// The items of a Python list or tuple.
fn plain_items(value: &ScriptValue) -> Option<Vec<ScriptValue>> {
    matches!(value, ScriptValue::List(_) | ScriptValue::Tuple(_)).then(|| value.items().unwrap_or_default())
}

/// Converts a value to an expression: numbers to scalars of 64 bits, text to a string, tuples and lists to a tuple.
///
/// # Errors
/// Fails for other values.
/// # Source
/// `convert_to_expr`, `python/tvm/relax/utils.py`.
pub fn convert(value: &ScriptValue) -> BuildResult<Expr> {
    convert_shared(value, &mut HashMap::new())
}

/// Converted containers; `None` for those being converted.
type Made = HashMap<*const (), Option<Expr>>;

/// Like [`convert`]. `made` memoizes containers, so that shared ones stay shared.
fn convert_shared(value: &ScriptValue, made: &mut Made) -> BuildResult<Expr> {
    let place: Option<*const ()> = match value {
        ScriptValue::Tuple(items) => Some(Rc::as_ptr(items).cast()),
        ScriptValue::List(items) => Some(Rc::as_ptr(items).cast()),
        _ => None,
    };
    let Some(place) = place else { return convert_new(value, made) };
    match made.get(&place) {
        Some(Some(known)) => return Ok(known.clone()),
        Some(None) => return Err(BuildError::message("a list cannot contain itself")),
        None => made.insert(place, None),
    };
    let new = convert_new(value, made)?;
    made.insert(place, Some(new.clone()));
    Ok(new)
}

fn convert_new(value: &ScriptValue, made: &mut Made) -> BuildResult<Expr> {
    Ok(match value {
        ScriptValue::Bool(b) => PrimValue::new(IntImm::int64(i64::from(*b))).upcast(),
        ScriptValue::Int(i) => PrimValue::new(IntImm::int64(*i)).upcast(),
        ScriptValue::Float(f) => PrimValue::new(FloatImm::try_new(DataType::float(64), *f)?).upcast(),
        ScriptValue::Str(s) => StringImm::new(s.clone()).upcast(),
        ScriptValue::BigInt(i) => return Err(too_large(i)),
        ScriptValue::Tuple(items) => tuple_of(items, made)?,
        ScriptValue::List(items) => tuple_of(&items.borrow(), made)?,
        ScriptValue::Node(_) => {
            if let Some(scalar) = value.as_node::<PrimExpr>() {
                return Ok(PrimValue::or_variable(scalar.clone()));
            }
            match value.as_node::<BaseExpr>() {
                Some(expr) => expr.clone(),
                None => return Err(expected("an expression", value)),
            }
        }
        _ => return Err(expected("an expression", value)),
    })
}

fn tuple_of(items: &[ScriptValue], made: &mut Made) -> BuildResult<Expr> {
    let convert = |(i, item)| {
        let converted = tvmscript_ir_core::with_stack(|| convert_shared(item, made));
        converted.map_err(|e| e.at_item(i))
    };
    let fields = items.iter().enumerate().map(convert);
    Ok(Tuple::new(fields.collect::<BuildResult<Vec<_>>>()?).upcast())
}

/// Converts a scalar. Like in TVM, an integer becomes `int64` and a float `float32`, or `float64` where scalars are bare.
pub(crate) fn scalar(value: &ScriptValue) -> BuildResult<prim::Expr> {
    Ok(match value {
        ScriptValue::Bool(b) => IntImm::bool(*b),
        ScriptValue::Int(i) => IntImm::int64(*i),
        ScriptValue::Float(f) => {
            let bits = if RelaxSyntax::open().has_bare_scalars { 64 } else { 32 };
            FloatImm::try_new(DataType::float(bits), *f)?
        }
        ScriptValue::BigInt(i) => return Err(too_large(i)),
        _ => match value.as_node::<PrimExpr>() {
            Some(expr) => expr.clone(),
            None => return Err(expected("a number or a scalar", value)),
        },
    })
}

/// Converts a dimension: a number or a scalar.
///
/// # Errors
/// Fails for other values.
pub fn dimension_of(value: &ScriptValue) -> BuildResult<prim::Expr> {
    scalar(value)
}

/// Converts a list or tuple of numbers and scalars.
pub(crate) fn dims(value: &ScriptValue) -> BuildResult<Vec<prim::Expr>> {
    let Some(items) = value.items() else { return Err(expected("a list or tuple of dimensions", value)) };
    items.iter().enumerate().map(|(i, item)| scalar(item).map_err(|e| e.at_item(i))).collect()
}

/// Type of Relax expressions.
pub(crate) const EXPR: PyType = PyType::node::<BaseExpr>();

/// Type of dimensions of shapes.
pub(crate) const DIMENSION: PyType = PyType::Alias {
    name: "DimensionLike",
    is: &PyType::Union { of: &[PyType::node::<PrimExpr>(), PyType::Name("SupportsFloat")] },
};

/// Type of annotations: struct info, or a function that makes it, without a call.
pub(crate) const INFO: PyType = PyType::Alias {
    name: "StructInfoLike",
    is: &PyType::Union {
        of: &[
            PyType::node::<StructInfo>(),
            PyType::Generic { name: "type", of: &[PyType::node::<StructInfo>()] },
        ],
    },
};

arguments! {
    /// A Relax expression; other values are not converted.
    ExprArg(Expr): EXPR, |value| match expr_of(&value) {
        Some(expr) => Ok(expr.clone()),
        None => {
            if let Some(scalar) = bare_scalar(&value) {
                return Ok(PrimValue::or_variable(scalar));
            }
            let error = expected("a Relax expression", &value);
            Err(match value {
                ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => {
                    error.with_help("write a constant with its type: `R.const(1, \"float32\")`")
                }
                _ => error,
            })
        }
    };
    /// Any value that [`convert`] accepts.
    AnyExprArg(Expr): PyType::Union { of: &[EXPR, PyType::FLOAT, PyType::STR, PyType::Name("tuple")] }, |value| convert(&value);
    /// A scalar expression.
    PrimArg(Expr): PyType::Union { of: &[EXPR, DIMENSION, PyType::FLOAT] }, |value| match (expr_of(&value), &value) {
        (Some(expr), _) => Ok(expr.clone()),
        (None, ScriptValue::Bool(flag)) => Ok(PrimValue::new(flag_scalar(*flag)).upcast()),
        (None, other) => Ok(PrimValue::or_variable(scalar(other)?)),
    };
    /// A scalar literal (`PrimValue`); a variable that holds a scalar in releases whose scalars are bare.
    PrimValueArg(Expr): PyType::Union { of: &[PyType::node::<PrimValue>(), DIMENSION, PyType::FLOAT] }, |value| {
        let found = expected("a number, a scalar or `R.prim_value(..)`", &value);
        let scalar = PrimArg::from_script(value)?.0;
        let is_bare = scalar.is::<Var>() && RelaxSyntax::open().has_bare_scalars;
        if is_bare || scalar.is::<PrimValue>() { Ok(scalar) } else { Err(found) }
    };
    /// An integer. Like in Python, a bool is one.
    IntArg(i64): PyType::INT, |value| match &value {
        ScriptValue::Bool(b) => Ok(i64::from(*b)),
        ScriptValue::Int(i) => Ok(*i),
        ScriptValue::BigInt(i) => Err(too_large(i)),
        _ => Err(expected("an int", &value)),
    };
    /// A shape: a list or tuple of dimensions, or an expression.
    ShapeArg(Expr): PyType::Union { of: &[EXPR, PyType::Generic { name: "Sequence", of: &[DIMENSION] }] }, |value| match expr_of(&value) {
        Some(expr) => Ok(expr.clone()),
        None => Ok(ShapeExpr::try_new(dims(&value)?)?.upcast()),
    };
    /// A tuple: a list or tuple of expressions, or an expression.
    TupleArg(Expr): PyType::Union { of: &[EXPR, PyType::Generic { name: "Sequence", of: &[EXPR] }] }, |value| match plain_items(&value) {
        Some(items) => {
            Ok(Tuple::new(items_of(items, |item| ExprArg::from_script(item).map(|expr| expr.0))?).upcast())
        }
        None => ExprArg::from_script(value).map(|expr| expr.0),
    };
    /// A bool, or an integer in place of one.
    FlagArg(bool): PyType::BOOL, |value| match value {
        ScriptValue::Bool(value) => Ok(value),
        ScriptValue::Int(value) => Ok(value != 0),
        other => Err(expected("a bool", &other)),
    };
    /// An integer attribute that is a node. Like TVM's conversion from Python, a plain integer is `int32` if it fits.
    IntImmArg(Ref<IntImm>): PyType::INT, |value| match &value {
        ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) => {
            IntArg::from_script(value).map(|int| plain_int(int.0))
        }
        _ => value.as_node::<IntImm>().cloned().ok_or_else(|| expected("an integer", &value)),
    };
    /// A floating-point attribute that is a node. Like TVM's conversion from Python, a plain float is `float32`.
    FloatImmArg(Ref<FloatImm>): PyType::FLOAT, |value| {
        if let Some(literal) = value.as_node::<FloatImm>() {
            return Ok(literal.clone());
        }
        let wrong = expected("a float", &value);
        let literal = FloatImm::try_new(DataType::FLOAT32, f64::from_script(value)?)?;
        literal.downcast().map_err(|_| wrong)
    };
    /// A list or tuple of integers.
    IntListArg(Array<Ref<IntImm>>): PyType::Generic { name: "Sequence", of: &[PyType::INT] }, |value| match value.items() {
        Some(items) => {
            let ints = items_of(items, |item| IntImmArg::from_script(item).map(|int| int.0))?;
            Ok(ints.into_iter().collect())
        }
        None => Err(expected("a list or tuple of integers", &value)),
    };
    /// An integer, or a list or tuple of them.
    IntsArg(Array<Ref<IntImm>>): PyType::Union { of: &[PyType::INT, PyType::Generic { name: "Sequence", of: &[PyType::INT] }] }, |value| match &value {
        ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) => {
            IntImmArg::from_script(value).map(|int| [int.0].into_iter().collect())
        }
        _ if value.items().is_some() => IntListArg::from_script(value).map(|list| list.0),
        _ => Err(expected("an integer, or a list or tuple of them", &value)),
    };
    /// Struct info, as a call or the bare function: `R.Tensor((2,))`, `R.Object`.
    InfoArg(Ref<StructInfo>): INFO, |value| StructInfoProxy::of(&value)?.resolve(None);
    /// The struct info of one or several values.
    InfosArg(Vec<Ref<StructInfo>>): PyType::Union { of: &[INFO, PyType::Generic { name: "Sequence", of: &[INFO] }] }, |value| match plain_items(&value) {
        Some(items) => items_of(items, |item| InfoArg::from_script(item).map(|info| info.0)),
        None => InfoArg::from_script(value).map(|info| vec![info.0]),
    };
    /// Text, or an expression.
    StringArg(Expr): PyType::Union { of: &[PyType::STR, EXPR] }, |value| match &value {
        ScriptValue::Str(text) => Ok(StringImm::new(text.clone()).upcast()),
        _ => ExprArg::from_script(value).map(|expr| expr.0),
    };
    /// A data type, or an expression.
    DtypeArg(Expr): PyType::Union { of: &[PyType::STR, EXPR] }, |value| match value.as_node::<BaseExpr>() {
        Some(expr) => Ok(expr.clone()),
        None => Ok(DataTypeImm::new(DataType::from_script(value)?).upcast()),
    };
    /// A text literal, not a variable that holds one.
    StringImmArg(Ref<StringImm>): PyType::Union { of: &[PyType::STR, PyType::node::<StringImm>()] }, |value| match (&value, value.as_node::<StringImm>()) {
        (ScriptValue::Str(text), _) => Ok(StringImm::new(text.clone())),
        (_, Some(text)) => Ok(text.clone()),
        _ => Err(expected("a string, or `R.str(..)`", &value)),
    };
    /// A data type literal, not a variable that holds one.
    DataTypeImmArg(Ref<DataTypeImm>): PyType::Union { of: &[PyType::STR, PyType::node::<DataTypeImm>()] }, |value| match value.as_node::<DataTypeImm>() {
        Some(dtype) => Ok(dtype.clone()),
        None => DataType::from_script(value).map(DataTypeImm::new),
    };
    /// An integer literal, not a variable that holds one.
    IntValueArg(Expr): PyType::Union { of: &[PyType::INT, PyType::node::<PrimValue>()] }, |value| match value.as_node::<PrimValue>() {
        Some(scalar) => Ok(scalar.clone().upcast()),
        None => match IntArg::from_script(value.clone()) {
            Ok(int) => Ok(PrimValue::new(IntImm::int64(int.0)).upcast()),
            Err(_) => Err(expected("an integer, or `R.prim_value(..)`", &value)),
        },
    };
    /// An expression, or a list or tuple of them.
    ExprsArg(Vec<Expr>): PyType::Union { of: &[EXPR, PyType::Generic { name: "Sequence", of: &[EXPR] }] }, |value| match plain_items(&value) {
        Some(items) => items_of(items, |item| ExprArg::from_script(item).map(|expr| expr.0)),
        None => ExprArg::from_script(value).map(|expr| vec![expr.0]),
    };
    /// A variable.
    VarArg(Ref<Var>): PyType::node::<Var>(), |value| {
        let var = value.as_node::<Var>().or_else(|| value.as_node::<ScalarUse>().map(|used| &used.var));
        var.cloned().ok_or_else(|| expected("a variable", &value))
    };
}

/// A flag as a scalar: a bool in releases whose scalars are bare, else a number.
pub(super) fn flag_scalar(flag: bool) -> prim::Expr {
    match RelaxSyntax::open().has_bare_scalars {
        true => IntImm::bool(flag),
        false => IntImm::int64(i64::from(flag)),
    }
}

/// A scalar as an operand, in releases that have it.
pub(crate) fn bare_scalar(value: &ScriptValue) -> Option<prim::Expr> {
    if !RelaxSyntax::open().has_bare_scalars {
        return None;
    }
    match value {
        // An integer prints so.
        ScriptValue::Int(value) => Some(IntImm::int64(*value)),
        other => other.as_node::<PrimExpr>().cloned(),
    }
}

impl InfosArg {
    /// The only struct info, or a tuple of several.
    pub fn into_one(self) -> Ref<StructInfo> {
        match <[Ref<StructInfo>; 1]>::try_from(self.0) {
            Ok([info]) => info,
            Err(infos) => TupleStructInfo::new(infos),
        }
    }
}

defaults! {
    i64 => IntArg(|value| value), IntImmArg(plain_int), IntsArg(|value| IntsArg::from([value]).0),
        PrimValueArg(|value| PrimValue::new(IntImm::int64(value)).upcast()),
        PrimArg(|value| PrimValue::new(IntImm::int64(value)).upcast());
    bool => FlagArg(|value| value);
    &str => StringImmArg(StringImm::new);
}

impl<const N: usize> From<[i64; N]> for IntListArg {
    fn from(values: [i64; N]) -> Self {
        IntListArg(values.into_iter().map(plain_int).collect())
    }
}

impl<const N: usize> From<[i64; N]> for IntsArg {
    fn from(values: [i64; N]) -> Self {
        IntsArg(IntListArg::from(values).0)
    }
}
