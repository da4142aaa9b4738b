//! Script functions as Rust functions, which collect errors instead of returning them.
//!
//! A function with required arguments only becomes a plain function. One with optional arguments returns a call with a
//! setter for each, which [`Emit::emit`] executes. An error is recorded in the current builder with its call site, and
//! the function returns a poison value; [`crate::Builder::finish`] returns all errors. A function with a poison
//! argument does nothing and reports nothing, so one mistake is one message. The `try_` form of each function and
//! [`Emit::try_emit`] return the error.

use std::panic::Location;

use tvmscript_ir_core::{Array, Class, Map, MapPart, PoisonNode, Ref, Str};

use crate::builder::Builder;
use tvmscript_script_value::BuildResult;
use tvmscript_script_value::ScriptValue;

/// A type with a placeholder for values that could not be built. Whatever is built from it is discarded.
pub trait Poison {
    /// The placeholder.
    fn poison() -> Self;
}

impl Poison for () {
    fn poison() {}
}

impl Poison for ScriptValue {
    fn poison() -> ScriptValue {
        ScriptValue::None
    }
}

macro_rules! defaults {
    ($($ty:ty)*) => {$(
        impl Poison for $ty {
            fn poison() -> $ty {
                <$ty>::default()
            }
        }
    )*};
}
defaults! { bool i64 f64 }

impl Poison for Str {
    fn poison() -> Str {
        Str::new("")
    }
}

impl<T: PoisonNode> Poison for Ref<T> {
    fn poison() -> Ref<T> {
        T::poison()
    }
}

impl<T> Poison for Option<T> {
    fn poison() -> Option<T> {
        None
    }
}

impl<T> Poison for Vec<T> {
    fn poison() -> Vec<T> {
        Vec::new()
    }
}

impl<T: Poison, const N: usize> Poison for [T; N] {
    fn poison() -> [T; N] {
        std::array::from_fn(|_| T::poison())
    }
}

impl<T: Class> Poison for Array<Ref<T>> {
    fn poison() -> Array<Ref<T>> {
        Array::default()
    }
}

impl<K: MapPart, V: MapPart> Poison for Map<K, V> {
    fn poison() -> Map<K, V> {
        Map::default()
    }
}

/// [`Poison`] bound at the call instead of the definition: the trait bound on a function that takes an `A` is checked
/// only when it is called, so a result type without poison is not an error before.
pub trait PoisonAfter<A> {
    /// The placeholder.
    fn dummy() -> Self;
}

impl<A, T: Poison> PoisonAfter<A> for T {
    fn dummy() -> T {
        T::poison()
    }
}

/// Turns a fallible function into one that Rust code calls without `?`: returns the value of `result`, or records the
/// error and returns poison.
///
/// - `caller`: the call site for the error, `Location::caller()` in a `#[track_caller]` function;
/// - `poison`: makes the value to return, usually [`Poison::poison`].
///
/// ```
/// # use std::panic::Location;
/// # use tvmscript_irbuilder::{Builder, Poison, BuildResult, value_or_poison};
/// # fn try_width(bits: i64) -> BuildResult<i64> { Ok(bits) }
/// #[track_caller]
/// fn width(bits: i64) -> i64 {
///     value_or_poison(try_width(bits), Location::caller(), i64::poison)
/// }
/// # assert_eq!(width(3), 3);
/// ```
///
/// # Panics
/// Panics on an error if no builder is open.
pub fn value_or_poison<T>(
    result: BuildResult<T>,
    caller: &'static Location<'static>,
    poison: fn() -> T,
) -> T {
    result.unwrap_or_else(|error| {
        Builder::record(error, caller);
        poison()
    })
}

/// A call of a script function that is ready to execute.
pub trait Emit: Sized {
    /// The call's result type.
    type Out;

    /// Executes the call.
    ///
    /// # Errors
    /// Errors of the function.
    fn try_emit(self) -> BuildResult<Self::Out>;

    /// The call site.
    fn caller(&self) -> &'static Location<'static>;

    /// Executes the call; records an error in the current builder.
    ///
    /// # Panics
    /// Panics on an error if no builder is open.
    fn emit(self) -> Self::Out
    where
        Self::Out: Poison,
    {
        let caller = self.caller();
        value_or_poison(self.try_emit(), caller, Self::Out::poison)
    }
}
