//! Arguments of calls.

use crate::Value;

/// An argument of a call.
#[derive(Debug, Clone, Copy)]
pub struct Arg<'a> {
    /// The keyword; `None` for a positional argument.
    pub keyword: Option<&'a str>,
    /// The value.
    pub value: Value,
}

impl<'a> Arg<'a> {
    /// A positional argument.
    #[track_caller]
    pub fn new(value: impl Into<Value>) -> Arg<'a> {
        Arg { keyword: None, value: value.into() }
    }

    /// A keyword argument.
    #[track_caller]
    pub fn named(keyword: &'a str, value: impl Into<Value>) -> Arg<'a> {
        Arg { keyword: Some(keyword), value: value.into() }
    }
}

/// The arguments of a call: values, then `keyword => value` for keyword arguments.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(; $($keyword:literal => $named:expr),+)? $(,)?) => {
        &[$($crate::Arg::new($value),)* $($($crate::Arg::named($keyword, $named),)+)?]
    };
}
