//! Arguments of single operators that scripts may pass in several forms.

use tvmscript_ir::VDevice;
use tvmscript_ir::build::index_map_of;
use tvmscript_ir_core::{Array, DataType, Object, ObjectLike, Ref, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptValue};
use tvmscript_prim::{BaseExpr, FloatImm, IndexMap, IntImm, PrimExpr};

use super::args::*;
use super::call_args::OutInfosArg;
use super::constant::integer_of;
use super::struct_info::find_vdevice;
use crate::node::{Constant, Expr, PrimValue, StructInfo, Var};
use crate::op::wide;
use crate::syntax::RelaxSyntax;

fn one_of(value: ScriptValue, expected: &'static str, names: &[&str]) -> BuildResult<Str> {
    match value {
        ScriptValue::Str(name) if names.contains(&name.as_str()) => Ok(name),
        ScriptValue::Str(name) => Err(BuildError::expected(expected, format!("`{name}`"))),
        other => Err(BuildError::expected("a string", other.type_name())),
    }
}

fn prim_value(value: &Expr, expected: &'static str) -> BuildResult<Expr> {
    let is_bare = RelaxSyntax::open().has_bare_scalars && value.is::<Var>();
    match value.is::<PrimValue>() || is_bare {
        true => Ok(value.clone()),
        false => Err(BuildError::expected(expected, value.object().info().key())),
    }
}

arguments! {
    /// The reduction of the tensors of several workers.
    CombineArg(Str): PyType::STR, |value| {
        one_of(value, "`sum`, `prod`, `min`, `max` or `avg`", &["sum", "prod", "min", "max", "avg"])
    };
    /// The reduction of a loss.
    ReductionArg(Str): PyType::STR, |value| one_of(value, "`none`, `sum` or `mean`", &["none", "sum", "mean"]);
    /// A device of the module, or its name.
    VDeviceArg(Ref<VDevice>): PyType::Union { of: &[PyType::node::<VDevice>(), PyType::STR] }, |value| match find_vdevice(&value)? {
        Some(device) => Ok(device),
        None => Err(BuildError::expected("a device such as `cuda:0`", value.type_name())),
    };
    /// A number of elements: an integer, or a constant of one integer.
    CountArg(i64): PyType::INT, |value| {
        let Some(constant) = value.as_node::<Constant>() else {
            return IntArg::from_script(value).map(|count| count.0);
        };
        integer_of(constant)
            .ok_or_else(|| BuildError::expected("a constant of one integer", value.type_name()))
    };
    /// A positive integer.
    PositiveArg(i64): PyType::INT, |value| match IntArg::from_script(value)?.0 {
        count @ 1.. => Ok(count),
        found => Err(BuildError::expected("a positive integer", found.to_string())),
    };
    /// A data type; `None` for void in releases that print it so.
    DtypeOrNoneArg(DataType): <DataType as FromScript>::TYPE, |value| match value {
        ScriptValue::None if RelaxSyntax::open().has_absent_dtypes => Ok(DataType::VOID),
        value => DataType::from_script(value),
    };
    /// An element type, not void.
    ElementTypeArg(DataType): <DataType as FromScript>::TYPE, |value| match DataType::from_script(value)? {
        dtype if dtype.is_void() => Err(BuildError::expected("an element type", "`void`")),
        dtype => Ok(dtype),
    };
    /// A flag that is a scalar in the call: a number, or a bool in releases whose scalars are bare.
    FlagValueArg(Expr): PyType::Union { of: &[PyType::BOOL, EXPR] }, |value| match (&value, value.as_node::<PrimValue>()) {
        (ScriptValue::Bool(flag), _) => Ok(FlagValueArg::from(*flag).0),
        (_, Some(scalar)) => Ok(scalar.clone().upcast()),
        _ if RelaxSyntax::open().has_bare_scalars => Ok(PrimValue::or_variable(scalar(&value)?)),
        _ => Err(BuildError::expected("a bool or `R.prim_value(..)`", value.type_name())),
    };
    /// A number literal; a floating-point number is `float64`.
    NumberArg(Expr): AnyExprArg::TYPE, |value| {
        AnyExprArg::from_script(value).and_then(|value| prim_value(&value.0, "a number or a scalar"))
    };
    /// `R.prim_value(..)`, or a number in releases whose scalars are bare.
    PrimLiteralArg(Expr): ExprArg::TYPE, |value| {
        let value = match RelaxSyntax::open().has_bare_scalars {
            true => PrimArg::from_script(value)?.0,
            false => ExprArg::from_script(value)?.0,
        };
        prim_value(&value, "`R.prim_value(..)`")
    };
    /// The size of a plane: one length for both sides, or a shape.
    PlaneSizeArg(Expr): SIZE, |value| {
        let size = if is_length(&value) { ScriptValue::tuple([value.clone(), value]) } else { value };
        ShapeArg::from_script(size).map(|size| size.0)
    };
    /// A list of floating-point numbers, which stay Python floats.
    FloatsArg(Array<Value>): PyType::Generic { name: "Sequence", of: &[PyType::FLOAT] }, |value| {
        let items = value.items().ok_or_else(|| BuildError::expected("a list or tuple of floats", value.type_name()))?;
        let numbers = items.into_iter().map(|item| f64::from_script(item).map(Value::Float));
        numbers.collect::<BuildResult<Vec<_>>>().map(Array::of_values)
    };
    /// A number of parts, or the start of each part but the first.
    SectionsArg(Object): PyType::Union { of: &[PyType::INT, PyType::Generic { name: "Sequence", of: &[PyType::INT] }] }, |value| {
        if value.items().is_some() {
            return Ok(wide(&IntListArg::from_script(value)?.0).into_object());
        }
        match IntImmArg::from_script(value)?.0.value {
            count @ 1.. => Ok(IntImm::int64(count).into()),
            found => Err(BuildError::expected("at least one part", found.to_string())),
        }
    };
    /// A map of indices, or a Python function that computes it.
    IndexMapArg(Ref<IndexMap>): PyType::Union { of: &[PyType::node::<IndexMap>(), PyType::Name("Callable")] }, |value| match value.as_node::<IndexMap>() {
        Some(map) => Ok(map.clone()),
        None => index_map_of(&value, DataType::INT64, |result| scalar(&result)),
    };
    /// The struct info of one result, or of several as a tuple.
    ResultInfoArg(Vec<Ref<StructInfo>>): InfosArg::TYPE, |value| {
        InfosArg::from_script(value).map(|infos| vec![infos.into_one()])
    };
    /// Like [`ResultInfoArg`], for tensors whose shapes are known.
    OutInfoArg(Vec<Ref<StructInfo>>): OutInfosArg::TYPE, |value| {
        OutInfosArg::from_script(value).map(|infos| vec![infos.0.into_one()])
    };
}

/// The integers for `N` axes, from one for all or one for each.
fn per_axis(given: &Array<Ref<IntImm>>, axes: usize) -> BuildResult<Array<Ref<IntImm>>> {
    let all: Vec<_> = given.iter().cloned().collect();
    match &all[..] {
        [one] => Ok(std::iter::repeat_n(one.clone(), axes).collect()),
        all if all.len() == axes => Ok(given.clone()),
        all => {
            let expected = format!("one number for all axes, or {axes}");
            Err(BuildError::expected(expected, format!("{} numbers", all.len())))
        }
    }
}

const SIZE: PyType = PyType::Union {
    of: &[EXPR, DIMENSION, PyType::INT, PyType::Generic { name: "Sequence", of: &[DIMENSION] }],
};

fn is_length(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Int(_) | ScriptValue::Bool(_))
        || value.as_node::<BaseExpr>().is_some_and(|expr| expr.is::<PrimExpr>())
}

/// The size of an image with `N` sides: one length for all, also in a list or tuple, one for each, or a shape.
#[derive(Debug, Clone)]
pub struct ImageSizeArg<const N: usize>(pub(crate) Expr);

impl<const N: usize> FromScript for ImageSizeArg<N> {
    const TYPE: PyType = SIZE;
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let for_all = |length: &ScriptValue| ScriptValue::tuple(std::iter::repeat_n(length.clone(), N));
        let size = match value.items().as_deref() {
            _ if is_length(&value) => for_all(&value),
            Some([length]) => for_all(length),
            _ => value,
        };
        ShapeArg::from_script(size).map(|size| ImageSizeArg(size.0))
    }
}

impl<const N: usize> From<ImageSizeArg<N>> for Expr {
    fn from(size: ImageSizeArg<N>) -> Self {
        size.0
    }
}

/// The region of an image: one number for all `N` bounds, or a list or tuple of them.
#[derive(Debug, Clone)]
pub struct RegionArg<const N: usize>(pub(crate) Array<Ref<FloatImm>>);

impl<const N: usize> FromScript for RegionArg<N> {
    const TYPE: PyType =
        PyType::Union { of: &[PyType::FLOAT, PyType::Generic { name: "Sequence", of: &[PyType::FLOAT] }] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        // TVM reads the numbers as Python floats, so `float64` and integers become `float32` here.
        let number = |value: ScriptValue| match value.as_node::<FloatImm>() {
            Some(literal) => FloatImmArg::from_script(ScriptValue::Float(literal.value)),
            None => FloatImmArg::from_script(value),
        };
        let bounds: Array<_> = match value.items() {
            Some(items) => {
                items.into_iter().map(|item| number(item).map(|n| n.0)).collect::<BuildResult<_>>()?
            }
            None if matches!(value, ScriptValue::Float(_)) => {
                std::iter::repeat_n(number(value)?.0, N).collect()
            }
            None => {
                return Err(BuildError::expected("a float, or a list or tuple of floats", value.type_name()));
            }
        };
        Ok(RegionArg(bounds))
    }
}

impl<const N: usize> From<RegionArg<N>> for Array<Ref<FloatImm>> {
    fn from(region: RegionArg<N>) -> Self {
        region.0
    }
}

/// The padding of `N` axes, all before, then all after: from one number for all sides, one per axis, or all of them.
fn both_sides(given: &Array<Ref<IntImm>>, axes: usize) -> BuildResult<Array<Ref<IntImm>>> {
    let all: Vec<_> = given.iter().cloned().collect();
    match &all[..] {
        [one] => Ok(std::iter::repeat_n(one.clone(), 2 * axes).collect()),
        all if all.len() == axes => Ok(all.iter().chain(all).cloned().collect()),
        all if all.len() == 2 * axes => Ok(given.clone()),
        all => {
            let expected = match axes {
                1 => "one number for both sides, or 2".to_owned(),
                _ => format!("one number for all sides, {axes} for opposite sides, or {}", 2 * axes),
            };
            Err(BuildError::expected(expected, format!("{} numbers", all.len())))
        }
    }
}

/// Declares lists of integers whose length depends on the number of axes.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $convert:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<const N: usize>(pub(crate) Array<Ref<IntImm>>);

        impl<const N: usize> FromScript for $name<N> {
            const TYPE: PyType = IntsArg::TYPE;
            fn from_script(value: ScriptValue) -> BuildResult<Self> {
                let convert: fn(Array<Ref<IntImm>>, usize) -> BuildResult<Array<Ref<IntImm>>> = $convert;
                convert(IntsArg::from_script(value)?.0, N).map($name)
            }
        }

        impl<const N: usize, const M: usize> From<[i64; M]> for $name<N> {
            fn from(values: [i64; M]) -> Self {
                let convert: fn(Array<Ref<IntImm>>, usize) -> BuildResult<Array<Ref<IntImm>>> = $convert;
                let values = IntsArg::from(values).0;
                $name(convert(values.clone(), N).unwrap_or(values))
            }
        }

        impl<const N: usize> From<i64> for $name<N> {
            fn from(value: i64) -> Self {
                $name::from([value])
            }
        }

        impl<const N: usize> From<$name<N>> for Array<Ref<IntImm>> {
            fn from(list: $name<N>) -> Self {
                list.0
            }
        }
    )*};
}
lists! {
    /// `N` integers of `int64`, from one for all axes or one for each.
    PerAxisArg: |given, axes| per_axis(&wide(&given), axes);
    /// The padding of `N` axes: all before, then all after, of `int64`.
    PaddingArg: |given, axes| both_sides(&wide(&given), axes);
    /// `N` integers, from one for all axes or one for each.
    RepeatedArg: |given, axes| per_axis(&given, axes);
}

impl<const N: usize> From<[f64; N]> for FloatsArg {
    fn from(values: [f64; N]) -> Self {
        FloatsArg(Array::of_values(values.map(Value::Float)))
    }
}

defaults! {
    DataType => DtypeOrNoneArg(|dtype| dtype);
    &str => CombineArg(Str::from), ReductionArg(Str::from);
    i64 => CountArg(|value| value), PositiveArg(|value| value);
    bool => FlagValueArg(|value| PrimValue::new(flag_scalar(value)).upcast());
}
