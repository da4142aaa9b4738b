//! The Rust face of script functions: mistakes are collected, not returned at every step.
//!
//! A function whose arguments are all required is a plain function; one with optional arguments gives a call with a
//! setter for each, made by [`Emit::emit`]. An error is recorded with the caller's place in the current builder, and a
//! poison value is given instead; [`crate::Builder::finish`] gives all errors. What takes a poison value does nothing and
//! reports nothing, so that one mistake is one message. The `try_` form of each function, and [`Emit::try_emit`], return
//! the error.

use std::panic::Location;

use tvmscript_ir_core::{Array, Class, Map, MapPart, PoisonNode, Ref, Str};

use crate::builder::Builder;
use tvmscript_script_value::Result;
use tvmscript_script_value::ScriptValue;

/// A value that stands for one that could not be made. What is made of it is thrown away with it.
pub trait Poison {
    /// The stand-in.
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

/// [`Poison`], asked for in the signature of a function that takes an `A`: a result without poison is then no error
/// before somebody calls the function.
pub trait PoisonAfter<A> {
    /// The stand-in.
    fn stand_in() -> Self;
}

impl<A, T: Poison> PoisonAfter<A> for T {
    fn stand_in() -> T {
        T::poison()
    }
}

/// What a call gives: its result, or poison once the error is recorded.
pub fn settle<T>(result: Result<T>, caller: &'static Location<'static>, poison: fn() -> T) -> T {
    result.unwrap_or_else(|error| {
        Builder::record(error, caller);
        poison()
    })
}

/// A call of a script function that is ready to be made.
pub trait Emit: Sized {
    /// What the call gives.
    type Out;

    /// Makes the call.
    ///
    /// # Errors
    /// Whatever the function says.
    fn try_emit(self) -> Result<Self::Out>;

    /// Where the call was written.
    fn caller(&self) -> &'static Location<'static>;

    /// Makes the call; an error is recorded in the current builder.
    ///
    /// # Panics
    /// When there is an error and no builder is open.
    fn emit(self) -> Self::Out
    where
        Self::Out: Poison,
    {
        let caller = self.caller();
        settle(self.try_emit(), caller, Self::Out::poison)
    }
}
