//! Traces as JSON: `[[instruction, ..], [decision, ..]]`.

use hashbrown::HashMap;
use serde_json::{Value, json};
use tvmscript_ir_core::Str;

use super::text::names;
use super::{Instruction, Trace};
use crate::argument::{Argument, Rv};
use crate::buffers::{self, Access};
use crate::error::ScheduleError;
use crate::index_map;
use crate::primitive::{Parameter, Place};
use crate::schedule::Schedule;

/// A trace that cannot be applied.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The text is no trace.
    #[error("the JSON is no trace: {0}")]
    Form(String),
    /// The trace has a primitive that is not there.
    #[error("instruction {at} is `{kind}`, which is not supported")]
    Unknown {
        /// Its position.
        at: usize,
        /// Its kind.
        kind: String,
    },
    /// A primitive is refused.
    #[error("instruction {at}, `{primitive}`: {error}")]
    Refused {
        /// Its position.
        at: usize,
        /// The name of the primitive.
        primitive: &'static str,
        /// The refusal.
        error: ScheduleError,
    },
}

impl Trace {
    /// The trace as TVM writes it.
    pub fn json(&self, schedule: &Schedule) -> Value {
        let names = names(self, schedule);
        let mut decisions = Vec::new();
        let instructions: Vec<Value> = self
            .instructions
            .iter()
            .enumerate()
            .map(|(at, instruction)| {
                if let Some(decision) = &instruction.decision {
                    decisions.push(json!([at, attribute(decision)]));
                }
                entry(instruction, &names)
            })
            .collect();
        json!([instructions, decisions])
    }
}

fn entry(instruction: &Instruction, names: &HashMap<Rv, String>) -> Value {
    let (mut inputs, mut attributes) = (Vec::new(), Vec::new());
    for (parameter, argument) in instruction.primitive.parameters.iter().zip(&instruction.arguments) {
        match (parameter.place, argument) {
            (Place::Kind, argument) => {
                let kind = buffers::access(argument).unwrap_or_default();
                inputs.push(json!(i64::from(kind == Access::Write)));
            }
            (Place::Input | Place::Positional | Place::Ranges, argument) => {
                inputs.push(input(argument, names))
            }
            (Place::Variadic | Place::Spread, Argument::List(items)) => {
                inputs.extend(items.iter().map(|item| input(item, names)));
            }
            (Place::Variadic | Place::Spread, argument) => inputs.push(input(argument, names)),
            (Place::Decision, _) => {}
            (Place::Flag, Argument::Bool(value)) => attributes.push(json!(i64::from(*value))),
            (Place::Buffer, argument) => {
                let (kind, index) = buffers::parts(argument).unwrap_or_default();
                attributes.extend([json!(index), json!(i64::from(kind == Access::Write))]);
            }
            (Place::Flag | Place::Attribute | Place::Map, argument) => attributes.push(attribute(argument)),
        }
    }
    let name = |rv: &Rv| names.get(rv).map_or("_", String::as_str);
    let outputs: Vec<&str> = instruction.outputs.iter().map(name).collect();
    json!([instruction.primitive.kind, inputs, attributes, outputs])
}

fn input(argument: &Argument, names: &HashMap<Rv, String>) -> Value {
    match argument {
        Argument::Rv(rv) => json!(names.get(rv).map_or("_", String::as_str)),
        Argument::None => json!("None"),
        Argument::Str(text) => json!(format!("\"{}\"", text.as_str())),
        Argument::List(items) => items.iter().map(|item| input(item, names)).collect(),
        Argument::Dict(entries) => {
            entries.iter().map(|(key, value)| (key.to_string(), input(value, names))).collect()
        }
        other => attribute(other),
    }
}

fn attribute(argument: &Argument) -> Value {
    match argument {
        Argument::None | Argument::Rv(_) => Value::Null,
        Argument::Node(node) => index_map::to_json(node).map_or(Value::Null, Value::String),
        Argument::Bool(value) => json!(value),
        Argument::Int(value) => json!(value),
        Argument::Float(value) => json!(value),
        Argument::Str(text) => json!(text.as_str()),
        Argument::List(items) => items.iter().map(attribute).collect(),
        Argument::Dict(entries) => {
            entries.iter().map(|(key, value)| (key.to_string(), attribute(value))).collect()
        }
    }
}

impl Schedule {
    /// Applies a trace in JSON.
    ///
    /// # Errors
    /// If the value is no trace, or a primitive is refused.
    pub fn apply_json(&mut self, trace: &Value) -> Result<(), TraceError> {
        let form = |message: &str| TraceError::Form(message.to_owned());
        let instructions =
            trace.get(0).and_then(Value::as_array).ok_or_else(|| form("expected a list of two lists"))?;
        let decisions = trace.get(1).and_then(Value::as_array).into_iter().flatten();
        let mut decisions: HashMap<u64, &Value> =
            decisions.filter_map(|entry| Some((entry.get(0)?.as_u64()?, entry.get(1)?))).collect();
        let mut rvs: HashMap<String, Rv> = HashMap::new();
        for (at, instruction) in instructions.iter().enumerate() {
            let part = |index: usize| instruction.get(index).and_then(Value::as_array);
            let kind = instruction.get(0).and_then(Value::as_str);
            let (Some(kind), Some(inputs), Some(attributes), Some(outputs)) =
                (kind, part(1), part(2), part(3))
            else {
                return Err(form("expected `[kind, inputs, attributes, outputs]`"));
            };
            let Some(primitive) = self.primitives().iter().copied().find(|primitive| primitive.kind == kind)
            else {
                return Err(TraceError::Unknown { at, kind: kind.to_owned() });
            };
            let arguments =
                arguments(primitive.parameters, [inputs, attributes], decisions.remove(&(at as u64)), &rvs)
                    .map_err(|error| TraceError::Refused { at, primitive: primitive.name, error })?;
            let results = self.run_in_trace(primitive, arguments).map_err(|error| TraceError::Refused {
                at,
                primitive: primitive.name,
                error,
            })?;
            for (name, rv) in outputs.iter().filter_map(Value::as_str).zip(results) {
                rvs.insert(name.to_owned(), rv);
            }
        }
        Ok(())
    }
}

/// One argument per parameter.
fn arguments(
    parameters: &[Parameter],
    [inputs, attributes]: [&[Value]; 2],
    decision: Option<&Value>,
    rvs: &HashMap<String, Rv>,
) -> Result<Vec<Argument>, ScheduleError> {
    let (mut inputs, mut attributes) = (inputs.iter(), attributes.iter());
    let mut arguments = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        let missing = || ScheduleError::plain(format!("the argument `{}` is missing", parameter.name));
        arguments.push(match parameter.place {
            Place::Kind => {
                let is_write = read_attribute(inputs.next().ok_or_else(missing)?)?.bool()?;
                Argument::from(if is_write { Access::Write } else { Access::Read }.name())
            }
            Place::Input | Place::Positional | Place::Ranges => {
                read_input(inputs.next().ok_or_else(missing)?, rvs)?
            }
            Place::Variadic | Place::Spread => {
                Argument::List(inputs.by_ref().map(|value| read_input(value, rvs)).collect::<Result<_, _>>()?)
            }
            Place::Map => match attributes.next().ok_or_else(missing)? {
                Value::String(text) => index_map::from_json(text)?,
                other => read_attribute(other)?,
            },
            Place::Decision => decision.map_or(Ok(Argument::None), read_attribute)?,
            Place::Buffer => {
                let index = read_attribute(attributes.next().ok_or_else(missing)?)?.int()?;
                let is_write = read_attribute(attributes.next().ok_or_else(missing)?)?.bool()?;
                buffers::argument(if is_write { Access::Write } else { Access::Read }, index)
            }
            Place::Attribute | Place::Flag => read_attribute(attributes.next().ok_or_else(missing)?)?,
        });
    }
    Ok(arguments)
}

fn read_input(value: &Value, rvs: &HashMap<String, Rv>) -> Result<Argument, ScheduleError> {
    // In the values of annotations, texts have no quotes of their own.
    let read = |value: &Value| match value {
        Value::String(text) if !text.starts_with('"') && !rvs.contains_key(text) => {
            Ok(Argument::Str(Str::from(text.as_str())))
        }
        value => read_input(value, rvs),
    };
    Ok(match value {
        Value::String(text) => match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) => Argument::Str(Str::from(text)),
            None if text == "None" => Argument::None,
            None if text.starts_with('{') && text.ends_with('}') => index_map::from_json(text)?,
            None => {
                let rv = rvs.get(text.as_str()).copied();
                let rv = rv.ok_or_else(|| ScheduleError::plain(format!("`{text}` is no earlier result")))?;
                Argument::Rv(rv)
            }
        },
        Value::Array(items) => Argument::List(items.iter().map(read).collect::<Result<_, _>>()?),
        Value::Object(entries) => Argument::Dict(
            entries
                .iter()
                .map(|(key, value)| Ok((Str::from(key.as_str()), read(value)?)))
                .collect::<Result<_, ScheduleError>>()?,
        ),
        other => read_attribute(other)?,
    })
}

fn read_attribute(value: &Value) -> Result<Argument, ScheduleError> {
    Ok(match value {
        Value::Null => Argument::None,
        Value::Bool(value) => Argument::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => Argument::Int(value),
            (None, Some(value)) => Argument::Float(value),
            (None, None) => return Err(ScheduleError::plain(format!("{number} is too large"))),
        },
        Value::String(text) => Argument::Str(Str::from(text.as_str())),
        Value::Array(items) => Argument::List(items.iter().map(read_attribute).collect::<Result<_, _>>()?),
        Value::Object(entries) => Argument::Dict(
            entries
                .iter()
                .map(|(key, value)| Ok((Str::from(key.as_str()), read_attribute(value)?)))
                .collect::<Result<_, ScheduleError>>()?,
        ),
    })
}
