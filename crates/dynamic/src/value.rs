//! Values of a program.

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::ScriptValue;

use crate::Arg;
use crate::program;

/// A value of the thread's innermost [`Program`](crate::Program).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value(pub(crate) u32);

/// The result of a failed operation. Operations on it do nothing.
pub(crate) const FAILED: Value = Value(u32::MAX);

impl Value {
    /// Returns `false` for the result of a failed operation.
    pub fn is_valid(self) -> bool {
        self != FAILED
    }

    /// The number of the value, for interfaces of other languages.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The value with a number. Operations on a number that no value has fail.
    pub fn from_number(number: u32) -> Value {
        Value(number)
    }

    /// `self.name`
    #[track_caller]
    pub fn attr(self, name: &str) -> Value {
        program::operation([self], |operations, [value]| operations.attribute(value, name))
    }

    /// `self[items]`
    #[track_caller]
    pub fn at(self, items: &[Arg<'_>]) -> Value {
        program::subscript(self, items)
    }

    /// `self(args)`
    #[track_caller]
    pub fn call(self, args: &[Arg<'_>]) -> Value {
        program::call_value(self, args)
    }

    /// `self.name(args)`
    #[track_caller]
    pub fn method(self, name: &str, args: &[Arg<'_>]) -> Value {
        self.attr(name).call(args)
    }

    /// The elements of a value, which must be `N`.
    #[track_caller]
    pub fn items<const N: usize>(self) -> [Value; N] {
        program::items(self)
    }

    /// The text, if the value is one.
    pub fn text(self) -> Option<String> {
        match program::get(self)? {
            ScriptValue::Str(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The node, if the value is one.
    pub fn node(self) -> Option<Object> {
        match program::get(self)? {
            ScriptValue::Node(node) => Some(node),
            _ => None,
        }
    }
}

macro_rules! constant {
    ($($of:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$of> for Value {
            #[track_caller]
            fn from($value: $of) -> Value {
                program::add($made)
            }
        })*
    };
}

constant! {
    i64 => |value| ScriptValue::Int(value);
    i32 => |value| ScriptValue::Int(value.into());
    f64 => |value| ScriptValue::Float(value);
    bool => |value| ScriptValue::Bool(value);
    &str => |text| ScriptValue::str(text);
    Object => |node| ScriptValue::Node(node);
}

/// A function with these parameters, for a number of them that is known at run time.
#[track_caller]
pub fn function(names: &[&str], body: impl Fn(&[Value]) -> Value + 'static) -> Value {
    program::function(names, body)
}

/// A value, for operators whose left operand is a number: `val(2) * n`.
#[track_caller]
pub fn val(value: impl Into<Value>) -> Value {
    value.into()
}

/// The value at a path of names, like [`call`](crate::call) finds its function.
#[track_caller]
pub fn name(path: &str) -> Value {
    program::name(path)
}

/// `None`
#[track_caller]
pub fn none() -> Value {
    program::add(ScriptValue::None)
}

/// `...`
#[track_caller]
pub fn ellipsis() -> Value {
    program::add(ScriptValue::Ellipsis)
}

/// `(items)`
#[track_caller]
pub fn tuple(items: &[Arg<'_>]) -> Value {
    program::collect(items, ScriptValue::tuple)
}

/// `[items]`
#[track_caller]
pub fn list(items: &[Arg<'_>]) -> Value {
    program::collect(items, ScriptValue::list)
}

/// `{key: value}`: keys and values alternate.
#[track_caller]
pub fn dict(entries: &[Arg<'_>]) -> Value {
    program::dict(entries)
}

/// `lambda names: body(names)`
#[track_caller]
pub fn lambda<const N: usize>(names: [&str; N], body: impl Fn([Value; N]) -> Value + 'static) -> Value {
    function(&names, move |values| <[Value; N]>::try_from(values).map_or(FAILED, &body))
}
