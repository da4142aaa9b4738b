//! Values of fields, arguments and results.

use std::sync::Arc;

use tvmscript::Value;
use tvmscript::ir_core::{DataType, ObjectLike as _, Str};

use crate::callable::Callable;
use crate::program::{Origin, Part};
use crate::status::{Outcome, Status};

/// A value that crosses the border.
#[derive(Clone)]
pub(crate) enum Datum {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    DType(DataType),
    Object(Part),
    Function(Arc<Callable>),
}

impl Datum {
    /// The value of a part of a node.
    pub(crate) fn of(value: Value, part: &Part) -> Datum {
        match value {
            Value::None => Datum::None,
            Value::Bool(value) => Datum::Bool(value),
            Value::Int(value) => Datum::Int(value),
            Value::Float(value) => Datum::Float(value),
            Value::DType(value) => Datum::DType(value),
            Value::Node(node) => match Str::try_ref(&node) {
                Some(text) => Datum::Text(text.as_str().to_owned()),
                None => Datum::Object(part.with(node)),
            },
        }
    }

    /// The value as a part of a node.
    pub(crate) fn into_value(self) -> Outcome<Value> {
        Ok(match self {
            Datum::None => Value::None,
            Datum::Bool(value) => Value::Bool(value),
            Datum::Int(value) => Value::Int(value),
            Datum::Float(value) => Value::Float(value),
            Datum::DType(value) => Value::DType(value),
            Datum::Text(text) => Value::str(&text),
            Datum::Object(part) => Value::Node(part.node),
            Datum::Function(_) => return Err(Status::InvalidArgument),
        })
    }

    /// The origin of the first node among values.
    pub(crate) fn origin(values: &[Datum]) -> Option<Arc<Origin>> {
        values.iter().find_map(|value| match value {
            Datum::Object(part) => Some(Arc::clone(&part.origin)),
            _ => None,
        })
    }
}
