//! Conversion of Rust values to arguments of script functions.

use tvmscript_ir_core::{Class, DataType, Map, MapPart, Object, Ref, Str, Value};

use crate::error::{BuildError, BuildErrorKind, BuildResult};
use crate::function::FromScript;
use crate::value::ScriptValue;

/// Conversion to an argument of type `T`: `128` to an expression, `"float32"` to a dtype, `[&i, &j]` to a list.
///
/// Dialects implement it for their own types. The conversion may fail, e.g. for a misspelt dtype.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an argument of type `{T}`")]
pub trait IntoArg<T> {
    /// Converts the value.
    ///
    /// # Errors
    /// Fails if the value cannot be converted.
    fn into_arg(self) -> BuildResult<T>;
}

impl<T> IntoArg<T> for T {
    fn into_arg(self) -> BuildResult<T> {
        Ok(self)
    }
}

impl IntoArg<DataType> for &str {
    fn into_arg(self) -> BuildResult<DataType> {
        DataType::from_script(ScriptValue::str(self))
    }
}

impl IntoArg<Str> for &str {
    fn into_arg(self) -> BuildResult<Str> {
        Ok(Str::new(self))
    }
}

impl IntoArg<Str> for String {
    fn into_arg(self) -> BuildResult<Str> {
        Ok(self.into())
    }
}

impl IntoArg<Str> for &Str {
    fn into_arg(self) -> BuildResult<Str> {
        Ok(self.clone())
    }
}

impl IntoArg<i64> for i32 {
    fn into_arg(self) -> BuildResult<i64> {
        Ok(self.into())
    }
}

impl<T: Class> IntoArg<Ref<T>> for &Ref<T> {
    fn into_arg(self) -> BuildResult<Ref<T>> {
        Ok(self.clone())
    }
}

impl<K, V: Into<Value>, const N: usize> IntoArg<Map<Str, Value>> for [(K, V); N]
where
    K: Into<Str>,
    Str: MapPart,
{
    fn into_arg(self) -> BuildResult<Map<Str, Value>> {
        Ok(Map::new(self.into_iter().map(|(k, v)| (k.into(), v.into())).collect::<Vec<_>>()))
    }
}

impl<T, A: IntoArg<T>, const N: usize> IntoArg<Vec<T>> for [A; N] {
    fn into_arg(self) -> BuildResult<Vec<T>> {
        self.into_iter().map(A::into_arg).collect()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        #[allow(non_snake_case)]
        impl<T, $($name: IntoArg<T>),+> IntoArg<Vec<T>> for ($($name,)+) {
            fn into_arg(self) -> BuildResult<Vec<T>> {
                let ($($name,)+) = self;
                Ok(vec![$($name.into_arg()?),+])
            }
        }
    )*};
}
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

macro_rules! script_values {
    ($($ty:ty => |$x:ident| $value:expr;)*) => {$(
        impl IntoArg<ScriptValue> for $ty {
            fn into_arg(self) -> BuildResult<ScriptValue> {
                let $x = self;
                Ok($value)
            }
        }
    )*};
}
script_values! {
    bool => |x| ScriptValue::Bool(x);
    i32 => |x| ScriptValue::Int(x.into());
    i64 => |x| ScriptValue::Int(x);
    f64 => |x| ScriptValue::Float(x);
    &str => |x| ScriptValue::str(x);
    Str => |x| ScriptValue::Str(x);
    DataType => |x| ScriptValue::DType(x);
    Object => |x| ScriptValue::Node(x);
}

impl<T: Class> IntoArg<ScriptValue> for Ref<T> {
    fn into_arg(self) -> BuildResult<ScriptValue> {
        Ok(self.into())
    }
}

impl<T: Class> IntoArg<ScriptValue> for &Ref<T> {
    fn into_arg(self) -> BuildResult<ScriptValue> {
        Ok(self.clone().into())
    }
}

impl<A: IntoArg<ScriptValue>, const N: usize> IntoArg<ScriptValue> for [A; N] {
    fn into_arg(self) -> BuildResult<ScriptValue> {
        Ok(ScriptValue::list(self.into_arg()?))
    }
}

/// Converts argument `position` of a Rust call.
///
/// # Errors
/// Fails if the conversion fails, or with [`BuildErrorKind::Poisoned`] for a poisoned value.
pub fn argument<T: FromScript>(value: impl IntoArg<T>, position: usize) -> BuildResult<T> {
    let value = value.into_arg().map_err(|e: BuildError| e.at_position(position))?;
    match value.is_poison() {
        true => Err(BuildErrorKind::Poisoned.into()),
        false => Ok(value),
    }
}
