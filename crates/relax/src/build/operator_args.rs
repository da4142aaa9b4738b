//! Arguments of single operators that scripts may give in several forms.

use tvmscript_ir::VDevice;
use tvmscript_ir::build::index_map_of;
use tvmscript_ir_core::{DataType, Object, ObjectLike, Ref, Span, Str};
use tvmscript_irbuilder::{BuildError, FromScript, Result, ScriptValue};
use tvmscript_prim::BaseExpr;
use tvmscript_prim::{FloatImm, IndexMap, IntImm, PrimExpr};

use super::args::{FloatImmArg, IntArg, IntImmArg, IntListArg, IntsArg, ShapeArg, dims, scalar};
use super::constant::integer_of;
use super::struct_info::find_vdevice;
use crate::node::{Constant, Expr, PrimValue, ShapeExpr};

/// How the tensors of workers become one.
#[derive(Debug, Clone)]
pub struct CombineArg(pub(crate) Str);

impl FromScript for CombineArg {
    const TYPE: &'static str = "str";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match &value {
            ScriptValue::Str(name) if matches!(name.as_str(), "sum" | "prod" | "min" | "max" | "avg") => {
                Ok(CombineArg(name.clone()))
            }
            ScriptValue::Str(name) => {
                Err(BuildError::expected("`sum`, `prod`, `min`, `max` or `avg`", format!("`{name}`")))
            }
            other => Err(BuildError::expected("a string", other.type_name())),
        }
    }
}

impl From<&str> for CombineArg {
    fn from(name: &str) -> CombineArg {
        CombineArg(name.into())
    }
}

/// A device of the module, or its name.
#[derive(Debug, Clone)]
pub struct VDeviceArg(pub(crate) Ref<VDevice>);

impl FromScript for VDeviceArg {
    const TYPE: &'static str = "VDevice | str";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match find_vdevice(&value)? {
            Some(device) => Ok(VDeviceArg(device)),
            None => Err(BuildError::expected("a device such as `cuda:0`", value.type_name())),
        }
    }
}

/// How many elements: a number, or a constant that is one.
#[derive(Debug, Clone, Copy)]
pub struct CountArg(pub(crate) i64);

impl FromScript for CountArg {
    const TYPE: &'static str = "int";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let Some(constant) = value.as_node::<Constant>() else {
            return IntArg::from_script(value).map(|count| CountArg(count.0));
        };
        match integer_of(constant) {
            Some(count) => Ok(CountArg(count)),
            None => Err(BuildError::expected("a constant that is one integer", value.type_name())),
        }
    }
}

impl From<i64> for CountArg {
    fn from(value: i64) -> CountArg {
        CountArg(value)
    }
}

/// A truth value that stands in the call as a number.
#[derive(Debug, Clone)]
pub struct FlagValueArg(pub(crate) Expr);

impl FromScript for FlagValueArg {
    const TYPE: &'static str = "bool | Expr";
    fn from_script(value: ScriptValue) -> Result<Self> {
        match (&value, value.as_node::<PrimValue>()) {
            (ScriptValue::Bool(flag), _) => Ok(FlagValueArg::from(*flag)),
            (_, Some(scalar)) => Ok(FlagValueArg(scalar.clone().upcast())),
            _ => Err(BuildError::expected("a truth value or `R.prim_value`", value.type_name())),
        }
    }
}

impl From<bool> for FlagValueArg {
    fn from(value: bool) -> FlagValueArg {
        FlagValueArg(PrimValue::new(IntImm::int64(i64::from(value))).upcast())
    }
}

/// The size of an image: one length for both sides, two in a list or tuple, or a shape.
#[derive(Debug, Clone)]
pub struct ImageSizeArg(pub Expr);

impl FromScript for ImageSizeArg {
    const TYPE: &'static str = "Expr | PrimExpr | int | Sequence[PrimExpr]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        let is_one = matches!(value, ScriptValue::Int(_) | ScriptValue::Bool(_))
            || value.as_node::<BaseExpr>().is_some_and(|expr| expr.is::<PrimExpr>());
        let size = match value.items() {
            _ if is_one => ScriptValue::tuple(vec![value.clone(), value]),
            Some(sides) if sides.len() == 1 => ScriptValue::tuple(vec![sides[0].clone(), sides[0].clone()]),
            _ => value,
        };
        ShapeArg::from_script(size).map(|size| ImageSizeArg(size.0))
    }
}

/// The region of an image: one number for all its four, or a list or tuple of them.
#[derive(Debug, Clone)]
pub struct RegionArg(pub Vec<Ref<FloatImm>>);

impl FromScript for RegionArg {
    const TYPE: &'static str = "float | Sequence[float]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        // Numbers of the region are plain ones to TVM, so that `float64` and integers become `float32` here.
        let number = |value: ScriptValue| match value.as_node::<FloatImm>() {
            Some(literal) => FloatImmArg::from_script(ScriptValue::Float(literal.value)),
            None => FloatImmArg::from_script(value),
        };
        match value.items() {
            Some(items) => {
                let numbers = items.into_iter().map(|item| number(item).map(|n| n.0));
                Ok(RegionArg(numbers.collect::<Result<_>>()?))
            }
            None if matches!(value, ScriptValue::Float(_)) => Ok(RegionArg(vec![number(value)?.0; 4])),
            None => Err(BuildError::expected("a float, or a list or tuple of them", value.type_name())),
        }
    }
}

impl From<[f64; 4]> for RegionArg {
    fn from(numbers: [f64; 4]) -> RegionArg {
        let literal = |value| Ref::new(FloatImm { span: Span::current(), dtype: DataType::FLOAT32, value });
        RegionArg(numbers.into_iter().map(literal).collect())
    }
}

/// How many parts, or where each but the first begins.
#[derive(Debug, Clone)]
pub struct SectionsArg(pub(crate) Object);

impl FromScript for SectionsArg {
    const TYPE: &'static str = "int | Sequence[int]";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if value.items().is_some() {
            let indices = IntsArg(IntListArg::from_script(value)?.0).into_int64();
            return Ok(SectionsArg(indices.into_object()));
        }
        let count = IntImmArg::from_script(value)?.0.value;
        if count <= 0 {
            return Err(BuildError::message(format!(
                "a tensor is split into at least one part, not {count}"
            )));
        }
        Ok(SectionsArg(IntImm::int64(count).into()))
    }
}

/// A map of indices, or the function of scripts that is one.
#[derive(Debug, Clone)]
pub struct IndexMapArg(pub Ref<IndexMap>);

impl FromScript for IndexMapArg {
    const TYPE: &'static str = "IndexMap | Callable";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if let Some(map) = value.as_node::<IndexMap>() {
            return Ok(IndexMapArg(map.clone()));
        }
        index_map_of(&value, DataType::INT64, |result| scalar(&result)).map(IndexMapArg)
    }
}

/// A shape in which 0 stands for the operand's length at the same axis, and one -1 for what is left over.
#[derive(Debug, Clone)]
pub struct NewShapeArg(pub(crate) Expr);

impl FromScript for NewShapeArg {
    const TYPE: &'static str = ShapeArg::TYPE;
    fn from_script(value: ScriptValue) -> Result<Self> {
        match value.as_node::<BaseExpr>() {
            Some(expr) if !expr.is::<PrimExpr>() => Ok(NewShapeArg(expr.clone())),
            _ => Ok(NewShapeArg(ShapeExpr::try_new(dims(&value)?)?.upcast())),
        }
    }
}
