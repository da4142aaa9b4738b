//! Values as C has them.

use std::sync::Arc;

use super::handle::{Function, Handle as _, Object, Text};
use super::{Out, Str, absent, enter};
use crate::status::{Outcome, Status};
use crate::text::OwnedText;
use crate::value::Datum;

/// Kind of a value.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Absent; Python's None.
    None = 0,
    /// `int_value` is 0 or 1.
    Bool = 1,
    /// `int_value`.
    Int = 2,
    /// `float_value`.
    Float = 3,
    /// `text`.
    Text = 4,
    /// A data type such as "float32x4": `text`.
    Dtype = 5,
    /// `object`.
    Object = 6,
    /// `function`.
    Function = 7,
}

/// A value of a field, an argument or a result. A value that the library returns owns its object, function and text:
/// `tvmscript_value_free` frees them. A value that it gets stays the caller's.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// A `tvmscript_value_kind`.
    pub kind: i32,
    /// The bool or integer.
    pub int_value: i64,
    /// The float.
    pub float_value: f64,
    /// The text or name of the data type.
    pub text: Str,
    /// The node.
    pub object: Object,
    /// The function.
    pub function: Function,
    /// The owner of `text`, in results.
    pub owner: Text,
}

impl Value {
    pub(crate) const NONE: Value = Value {
        kind: ValueKind::None as i32,
        int_value: 0,
        float_value: 0.0,
        text: Str::EMPTY,
        object: Object { id: 0 },
        function: Function { id: 0 },
        owner: Text { id: 0 },
    };

    /// Makes a value for the caller.
    pub(crate) fn store(datum: Datum) -> Outcome<Value> {
        let text = |kind: ValueKind, text: String| {
            let owned = Arc::new(OwnedText::new(text));
            // The bytes stay where they are while the table has the text.
            let view = Str::of_bytes(owned.bytes());
            Ok(Value { kind: kind as i32, text: view, owner: Text::store(owned)?, ..Value::NONE })
        };
        Ok(match datum {
            Datum::None => Value::NONE,
            Datum::Bool(value) => {
                Value { kind: ValueKind::Bool as i32, int_value: value.into(), ..Value::NONE }
            }
            Datum::Int(int_value) => Value { kind: ValueKind::Int as i32, int_value, ..Value::NONE },
            Datum::Float(float_value) => Value { kind: ValueKind::Float as i32, float_value, ..Value::NONE },
            Datum::Text(value) => return text(ValueKind::Text, value),
            Datum::DType(value) => return text(ValueKind::Dtype, value.to_string()),
            Datum::Object(part) => {
                Value { kind: ValueKind::Object as i32, object: Object::store(part)?, ..Value::NONE }
            }
            Datum::Function(function) => Value {
                kind: ValueKind::Function as i32,
                function: Function::store(function)?,
                ..Value::NONE
            },
        })
    }

    /// Reads a value of the caller.
    ///
    /// # Safety
    /// As for [`Str::read`].
    pub(crate) unsafe fn read(self) -> Outcome<Datum> {
        let kind = |kind: ValueKind| self.kind == kind as i32;
        Ok(if kind(ValueKind::None) {
            Datum::None
        } else if kind(ValueKind::Bool) {
            Datum::Bool(self.int_value != 0)
        } else if kind(ValueKind::Int) {
            Datum::Int(self.int_value)
        } else if kind(ValueKind::Float) {
            Datum::Float(self.float_value)
        } else if kind(ValueKind::Text) {
            // SAFETY: the same contract.
            Datum::Text(unsafe { self.text.read()? }.to_owned())
        } else if kind(ValueKind::Dtype) {
            // SAFETY: the same contract.
            let text = unsafe { self.text.read()? };
            Datum::DType(text.parse().map_err(|_| Status::InvalidArgument)?)
        } else if kind(ValueKind::Object) {
            Datum::Object(self.object.load()?)
        } else if kind(ValueKind::Function) {
            Datum::Function(self.function.load()?)
        } else {
            return Err(Status::InvalidArgument);
        })
    }

    /// Frees what a value owns.
    pub(crate) fn free(self) -> Outcome {
        self.object.free().and(self.function.free()).and(self.owner.free())
    }
}

absent! { Value => Value::NONE }

/// Reads values of the caller.
///
/// # Safety
/// If `count` is not 0 and `values` neither null nor misaligned, that many values have to be there.
pub(crate) unsafe fn read_values(values: *const Value, count: usize) -> Outcome<Vec<Datum>> {
    // SAFETY: the same contract.
    let values = unsafe { super::read_slice(values, count)? };
    // SAFETY: values of the caller, as the contract of the exported function says.
    values.iter().map(|value| unsafe { value.read() }).collect()
}

/// Frees the object, function and text of a value that the library returned, and makes it the absent value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_value_free(value: *mut Value) -> Status {
    enter(|| {
        if value.is_null() {
            return Ok(());
        }
        if !value.is_aligned() {
            return Err(Status::InvalidPointer);
        }
        // SAFETY: not null and aligned; the caller promises a value there.
        let content = unsafe { value.read() };
        // SAFETY: as above.
        unsafe { Out::new(value)? }.set(Value::NONE);
        content.free()
    })
}
