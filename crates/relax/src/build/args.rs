//! What script functions of the dialect take, and how plain values become it.

use std::rc::Rc;

use hashbrown::HashMap;
use num_bigint::BigInt;
use tvmscript_ir_core::{Array, DataType, Ref, Span, Str};
use tvmscript_irbuilder::{BuildError, FromScript, Result, ScriptValue};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{self as prim, FloatImm, IntImm, PrimExpr};

use super::struct_info::StructInfoProxy;
use crate::describe;
use crate::node::*;

fn expected(what: &str, value: &ScriptValue) -> BuildError {
    BuildError::expected(what, describe::value(value))
}

fn too_large(value: &BigInt) -> BuildError {
    BuildError::message(format!("the integer {value} does not fit 64 bits"))
}

/// An expression of the dialect; nothing becomes one by itself.
#[derive(Debug, Clone)]
pub struct ExprArg(pub Expr);

impl FromScript for ExprArg {
    const TYPE: &'static str = "Expr";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<BaseExpr>() {
            Some(expr) if !expr.is::<PrimExpr>() => Ok(ExprArg(expr.clone())),
            _ => {
                let error = expected("a Relax expression", &value);
                Err(match value {
                    ScriptValue::Int(_) | ScriptValue::Float(_) | ScriptValue::Bool(_) => {
                        error.with_help("write a constant with its type: `R.const(1, \"float32\")`")
                    }
                    _ => error,
                })
            }
        }
    }
}

/// The value as an expression: numbers become scalars of 64 bits, text a string, tuples and lists a tuple.
///
/// # Errors
/// When it is none of these.
/// # Source
/// `convert_to_expr`, `python/tvm/relax/utils.py`.
pub fn convert(value: &ScriptValue) -> Result<Expr> {
    convert_shared(value, &mut HashMap::new())
}

/// The containers that are being converted (nothing), or are converted.
type Made = HashMap<*const (), Option<Expr>>;

/// As [`convert`]. `made` has the tuples and lists that were converted, so that what is shared stays shared.
fn convert_shared(value: &ScriptValue, made: &mut Made) -> Result<Expr> {
    let place: Option<*const ()> = match value {
        ScriptValue::Tuple(items) => Some(Rc::as_ptr(items).cast()),
        ScriptValue::List(items) => Some(Rc::as_ptr(items).cast()),
        _ => None,
    };
    let Some(place) = place else { return convert_new(value, made) };
    match made.get(&place) {
        Some(Some(known)) => return Ok(known.clone()),
        Some(None) => return Err(BuildError::message("a list that contains itself is no value")),
        None => made.insert(place, None),
    };
    let new = convert_new(value, made)?;
    made.insert(place, Some(new.clone()));
    Ok(new)
}

fn convert_new(value: &ScriptValue, made: &mut Made) -> Result<Expr> {
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
                return Ok(PrimValue::new(scalar.clone()).upcast());
            }
            match value.as_node::<BaseExpr>() {
                Some(expr) => expr.clone(),
                None => return Err(expected("an expression", value)),
            }
        }
        _ => return Err(expected("an expression", value)),
    })
}

fn tuple_of(items: &[ScriptValue], made: &mut Made) -> Result<Expr> {
    let convert = |(i, item)| {
        let converted = tvmscript_ir_core::with_stack(|| convert_shared(item, made));
        converted.map_err(|e| e.at_item(i))
    };
    let fields = items.iter().enumerate().map(convert);
    Ok(Tuple::new(fields.collect::<Result<Vec<_>>>()?).upcast())
}

/// Any value that [`convert`] makes an expression of.
#[derive(Debug, Clone)]
pub struct AnyExprArg(pub Expr);

impl FromScript for AnyExprArg {
    const TYPE: &'static str = "Expr | float | str | tuple";
    fn from_script(value: ScriptValue) -> Result<Self> {
        convert(&value).map(AnyExprArg)
    }
}

/// A scalar: an integer is `int64` at most where it must be one, a float is `float32`, as TVM reads plain Python numbers.
pub(crate) fn scalar(value: &ScriptValue) -> Result<prim::Expr> {
    Ok(match value {
        ScriptValue::Bool(b) => IntImm::bool(*b),
        ScriptValue::Int(i) => IntImm::int64(*i),
        ScriptValue::Float(f) => FloatImm::try_new(DataType::FLOAT32, *f)?,
        ScriptValue::BigInt(i) => return Err(too_large(i)),
        _ => match value.as_node::<PrimExpr>() {
            Some(expr) => expr.clone(),
            None => return Err(expected("a number or a scalar", value)),
        },
    })
}

/// A dimension: a number or a scalar.
///
/// # Errors
/// When it is none.
pub fn dimension_of(value: &ScriptValue) -> Result<prim::Expr> {
    scalar(value)
}

/// A scalar as a value.
#[derive(Debug, Clone)]
pub struct PrimArg(pub Expr);

impl FromScript for PrimArg {
    const TYPE: &'static str = "Expr | PrimExpr | float";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<BaseExpr>() {
            Some(expr) if !expr.is::<PrimExpr>() => Ok(PrimArg(expr.clone())),
            _ => Ok(PrimArg(
                PrimValue::new(match &value {
                    ScriptValue::Bool(b) => IntImm::int64(i64::from(*b)),
                    other => scalar(other)?,
                })
                .upcast(),
            )),
        }
    }
}

/// A scalar as a value, of the node `PrimValue` itself: no variable that holds one.
#[derive(Debug, Clone)]
pub struct PrimValueArg(pub Ref<PrimValue>);

impl FromScript for PrimValueArg {
    const TYPE: &'static str = "PrimValue | PrimExpr | float";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let found = expected("a number, a scalar or `R.prim_value(..)`", &value);
        PrimArg::from_script(value)?.0.downcast().map(PrimValueArg).map_err(|_| found)
    }
}

impl From<i64> for PrimValueArg {
    fn from(value: i64) -> PrimValueArg {
        PrimValueArg(PrimValue::new(IntImm::int64(value)))
    }
}

impl From<i64> for PrimArg {
    fn from(value: i64) -> PrimArg {
        PrimArg(PrimValue::new(IntImm::int64(value)).upcast())
    }
}

/// A plain integer. Truth values are integers, as in Python.
#[derive(Debug, Clone, Copy)]
pub struct IntArg(pub i64);

impl From<i64> for IntArg {
    fn from(value: i64) -> IntArg {
        IntArg(value)
    }
}

impl FromScript for IntArg {
    const TYPE: &'static str = "int";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Bool(b) => Ok(IntArg(i64::from(*b))),
            ScriptValue::Int(i) => Ok(IntArg(*i)),
            ScriptValue::BigInt(i) => Err(too_large(i)),
            _ => Err(expected("an int", &value)),
        }
    }
}

/// Dimensions: plain numbers and scalars, in a list or tuple.
pub(crate) fn dims(value: &ScriptValue) -> Result<Vec<prim::Expr>> {
    let Some(items) = value.items() else { return Err(expected("a list or tuple of dimensions", value)) };
    items.iter().enumerate().map(|(i, item)| scalar(item).map_err(|e| e.at_item(i))).collect()
}

/// A shape: dimensions in a list or tuple, or an expression that is one.
#[derive(Debug, Clone)]
pub struct ShapeArg(pub Expr);

impl FromScript for ShapeArg {
    const TYPE: &'static str = "Expr | Sequence[PrimExpr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let Some(expr) = value.as_node::<BaseExpr>()
            && !expr.is::<PrimExpr>()
        {
            return Ok(ShapeArg(expr.clone()));
        }
        Ok(ShapeArg(ShapeExpr::try_new(dims(&value)?)?.upcast()))
    }
}

/// Several expressions: a list or tuple of them, or an expression that is a tuple.
#[derive(Debug, Clone)]
pub struct TupleArg(pub Expr);

impl FromScript for TupleArg {
    const TYPE: &'static str = "Expr | Sequence[Expr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::List(_) | ScriptValue::Tuple(_) => {
                let items = value.items().unwrap_or_default();
                let fields = items.into_iter().enumerate();
                let fields =
                    fields.map(|(i, item)| ExprArg::from_script(item).map(|e| e.0).map_err(|e| e.at_item(i)));
                Ok(TupleArg(Tuple::new(fields.collect::<Result<Vec<_>>>()?).upcast()))
            }
            _ => ExprArg::from_script(value).map(|e| TupleArg(e.0)),
        }
    }
}

/// A truth value, or an integer that stands for one.
#[derive(Debug, Clone, Copy)]
pub struct FlagArg(pub bool);

impl FromScript for FlagArg {
    const TYPE: &'static str = "bool";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value {
            ScriptValue::Bool(value) => Ok(FlagArg(value)),
            ScriptValue::Int(value) => Ok(FlagArg(value != 0)),
            other => Err(expected("a truth value", &other)),
        }
    }
}

impl From<bool> for FlagArg {
    fn from(value: bool) -> FlagArg {
        FlagArg(value)
    }
}

/// An integer that an attribute holds as a node: a plain one is `int32` where it fits, as TVM's bridge from Python makes it.
#[derive(Debug, Clone)]
pub struct IntImmArg(pub Ref<IntImm>);

impl FromScript for IntImmArg {
    const TYPE: &'static str = "int";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) => {
                IntArg::from_script(value).map(|int| IntImmArg(plain_int(int.0)))
            }
            _ => match value.as_node::<IntImm>() {
                Some(literal) => Ok(IntImmArg(literal.clone())),
                None => Err(expected("an integer", &value)),
            },
        }
    }
}

impl From<i64> for IntImmArg {
    fn from(value: i64) -> IntImmArg {
        IntImmArg(plain_int(value))
    }
}

fn plain_int(value: i64) -> Ref<IntImm> {
    let dtype = if i32::try_from(value).is_ok() { DataType::INT32 } else { DataType::INT64 };
    Ref::new(IntImm { span: Span::current(), dtype, value })
}

/// A floating number that an attribute holds as a node: a plain one is `float32`, as TVM's bridge from Python makes it.
#[derive(Debug, Clone)]
pub struct FloatImmArg(pub Ref<FloatImm>);

impl FromScript for FloatImmArg {
    const TYPE: &'static str = "float";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let Some(literal) = value.as_node::<FloatImm>() {
            return Ok(FloatImmArg(literal.clone()));
        }
        let wrong = expected("a floating number", &value);
        let literal = FloatImm::try_new(DataType::FLOAT32, f64::from_script(value)?)?;
        literal.downcast().map(FloatImmArg).map_err(|_| wrong)
    }
}

/// A list or tuple of integers.
#[derive(Debug, Clone)]
pub struct IntListArg(pub Array<Ref<IntImm>>);

impl FromScript for IntListArg {
    const TYPE: &'static str = "Sequence[int]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let Some(items) = value.items() else {
            return Err(expected("a list or tuple of integers", &value));
        };
        let ints = items.into_iter().enumerate();
        let ints =
            ints.map(|(i, item)| IntImmArg::from_script(item).map(|int| int.0).map_err(|e| e.at_item(i)));
        Ok(IntListArg(ints.collect::<Result<_>>()?))
    }
}

impl<const N: usize> From<[i64; N]> for IntListArg {
    fn from(values: [i64; N]) -> Self {
        IntListArg(values.into_iter().map(plain_int).collect())
    }
}

/// Integers: one plain one, or a list or tuple of them.
#[derive(Debug, Clone)]
pub struct IntsArg(pub Array<Ref<IntImm>>);

impl IntsArg {
    /// The integers as `int64` each, as most operators keep them that slide windows.
    #[must_use]
    pub fn into_int64(self) -> Array<Ref<IntImm>> {
        let wide = |int: &Ref<IntImm>| match int.dtype == DataType::INT64 {
            true => int.clone(),
            false => Ref::new(IntImm { span: int.span, dtype: DataType::INT64, value: int.value }),
        };
        self.0.iter().map(wide).collect()
    }
}

impl FromScript for IntsArg {
    const TYPE: &'static str = "int | Sequence[int]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) => {
                IntImmArg::from_script(value).map(|int| IntsArg([int.0].into_iter().collect()))
            }
            _ if value.items().is_some() => IntListArg::from_script(value).map(|list| IntsArg(list.0)),
            _ => Err(expected("an integer, or a list or tuple of them", &value)),
        }
    }
}

impl<const N: usize> From<[i64; N]> for IntsArg {
    fn from(values: [i64; N]) -> Self {
        IntsArg(IntListArg::from(values).0)
    }
}

impl From<i64> for IntsArg {
    fn from(value: i64) -> Self {
        IntsArg::from([value])
    }
}

/// Struct info, called or not: `R.Object`, `R.Tensor((2,))`.
#[derive(Debug, Clone)]
pub struct InfoArg(pub Ref<StructInfo>);

impl FromScript for InfoArg {
    const TYPE: &'static str = "StructInfo";
    fn from_script(value: ScriptValue) -> Result<Self> {
        StructInfoProxy::of(&value)?.resolve(None).map(InfoArg)
    }
}

/// Struct info of one or several values.
#[derive(Debug, Clone)]
pub struct InfosArg(pub Vec<Ref<StructInfo>>);

impl FromScript for InfosArg {
    const TYPE: &'static str = "StructInfo | Sequence[StructInfo]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::List(_) | ScriptValue::Tuple(_) => {
                let items = value.items().unwrap_or_default();
                let infos = items.into_iter().enumerate();
                let infos =
                    infos.map(|(i, item)| InfoArg::from_script(item).map(|i| i.0).map_err(|e| e.at_item(i)));
                Ok(InfosArg(infos.collect::<Result<_>>()?))
            }
            _ => InfoArg::from_script(value).map(|info| InfosArg(vec![info.0])),
        }
    }
}

impl InfosArg {
    /// One struct info: itself, or a tuple of several.
    pub fn into_one(self) -> Ref<StructInfo> {
        match <[Ref<StructInfo>; 1]>::try_from(self.0) {
            Ok([info]) => info,
            Err(infos) => TupleStructInfo::new(infos),
        }
    }
}

/// Text, or text as a value.
#[derive(Debug, Clone)]
pub struct StringArg(pub Expr);

impl FromScript for StringArg {
    const TYPE: &'static str = "str | Expr";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Str(text) => Ok(StringArg(StringImm::new(text.clone()).upcast())),
            _ => ExprArg::from_script(value).map(|e| StringArg(e.0)),
        }
    }
}

/// A data type, or one as a value.
#[derive(Debug, Clone)]
pub struct DtypeArg(pub Expr);

impl FromScript for DtypeArg {
    const TYPE: &'static str = "str | Expr";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<BaseExpr>() {
            Some(expr) => Ok(DtypeArg(expr.clone())),
            None => Ok(DtypeArg(DataTypeImm::new(DataType::from_script(value)?).upcast())),
        }
    }
}

/// Text as a value, which stands in the call itself: no variable that holds it.
#[derive(Debug, Clone)]
pub struct StringImmArg(pub Ref<StringImm>);

impl FromScript for StringImmArg {
    const TYPE: &'static str = "str | StringImm";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let ScriptValue::Str(text) = &value {
            return Ok(StringImmArg(StringImm::new(text.clone())));
        }
        match value.as_node::<StringImm>() {
            Some(text) => Ok(StringImmArg(text.clone())),
            None => Err(expected("a string, or `R.str(..)`", &value)),
        }
    }
}

impl From<&str> for StringImmArg {
    fn from(text: &str) -> StringImmArg {
        StringImmArg(StringImm::new(text))
    }
}

/// A data type as a value, which stands in the call itself: no variable that holds it.
#[derive(Debug, Clone)]
pub struct DataTypeImmArg(pub Ref<DataTypeImm>);

impl FromScript for DataTypeImmArg {
    const TYPE: &'static str = "str | DataTypeImm";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<DataTypeImm>() {
            Some(dtype) => Ok(DataTypeImmArg(dtype.clone())),
            None => DataType::from_script(value).map(|dtype| DataTypeImmArg(DataTypeImm::new(dtype))),
        }
    }
}

/// An integer as a value, which stands in the call itself: no variable that holds it.
#[derive(Debug, Clone)]
pub struct IntValueArg(pub Expr);

impl FromScript for IntValueArg {
    const TYPE: &'static str = "int | PrimValue";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<PrimValue>() {
            Some(scalar) => Ok(IntValueArg(scalar.clone().upcast())),
            None => match IntArg::from_script(value.clone()) {
                Ok(int) => Ok(IntValueArg(PrimValue::new(IntImm::int64(int.0)).upcast())),
                Err(_) => Err(expected("an integer, or `R.prim_value(..)`", &value)),
            },
        }
    }
}

/// Several expressions: one, or a list or tuple of them. A tuple as a value is one.
#[derive(Debug, Clone)]
pub struct ExprsArg(pub Vec<Expr>);

impl FromScript for ExprsArg {
    const TYPE: &'static str = "Expr | Sequence[Expr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let Some(items) = plain_items(&value) else {
            return ExprArg::from_script(value).map(|expr| ExprsArg(vec![expr.0]));
        };
        let exprs = items.into_iter().enumerate();
        let exprs = exprs.map(|(i, item)| ExprArg::from_script(item).map(|e| e.0).map_err(|e| e.at_item(i)));
        Ok(ExprsArg(exprs.collect::<Result<_>>()?))
    }
}

/// The items of a list or tuple of the script.
fn plain_items(value: &ScriptValue) -> Option<Vec<ScriptValue>> {
    matches!(value, ScriptValue::List(_) | ScriptValue::Tuple(_)).then(|| value.items().unwrap_or_default())
}

/// A layout such as `NCHW`.
pub type Layout = Str;

/// A variable.
#[derive(Debug, Clone)]
pub struct VarArg(pub Ref<Var>);

impl FromScript for VarArg {
    const TYPE: &'static str = "Var";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<Var>() {
            Some(var) => Ok(VarArg(var.clone())),
            None => Err(expected("a variable", &value)),
        }
    }
}
