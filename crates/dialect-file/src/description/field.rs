//! Fields with their kinds and defaults.

use toml::Spanned;
use toml::de::DeValue;
use tvmscript_ir_core::{DataType, Value};

use super::Field;
use crate::error::DescriptionErrorKind;
use crate::kind::{Kind, WORDS};
use crate::source::{Mistakes, Section, Text, kind_of, place};

impl Field {
    pub(super) fn read(
        name: Text,
        value: &Spanned<DeValue<'_>>,
        around: &Section<'_>,
        what: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Field> {
        let (text, default) = match value.get_ref() {
            DeValue::String(_) => (around.text_of(value), None),
            DeValue::Table(table) => {
                let known = ["kind", "default", "doc"];
                for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
                    let kind = DescriptionErrorKind::UnknownKey {
                        table: what.to_owned(),
                        key: key.get_ref().to_string(),
                    };
                    mistakes.with_help(kind, &place(key), "known keys: kind, default, doc");
                }
                match table.get("kind") {
                    Some(kind) if matches!(kind.get_ref(), DeValue::String(_)) => {
                        (around.text_of(kind), table.get("default"))
                    }
                    _ => {
                        let kind = DescriptionErrorKind::MissingKey {
                            table: what.to_owned(),
                            key: "kind".to_owned(),
                        };
                        mistakes.with_help(kind, &place(value), "write `{ kind = \"int\", default = 0 }`");
                        return None;
                    }
                }
            }
            other => {
                let kind = DescriptionErrorKind::Value {
                    what: what.to_owned(),
                    expected: "a kind of field or `{ kind = \"..\" }`".to_owned(),
                    found: kind_of(other).to_owned(),
                };
                mistakes.with_help(kind, &place(value), format!("kinds are {WORDS}"));
                return None;
            }
        };
        let (role, kind) = Kind::parse(&text, what, mistakes)?;
        let default = match default {
            Some(value) => Some(read_default(value, &kind, what, mistakes)?),
            None if matches!(kind, Kind::Optional(_)) => Some(Value::None),
            None => None,
        };
        Some(Field { name, role, kind, at: text.at, default })
    }
}

/// The default of a field: a number, string or boolean of its kind.
pub(super) fn read_default(
    value: &Spanned<DeValue<'_>>,
    kind: &Kind,
    what: &str,
    mistakes: &mut Mistakes,
) -> Option<Value> {
    let (inner, expected) = match kind {
        Kind::Optional(inner) => (&**inner, "a value of the kind"),
        other => (other, "a value of the kind"),
    };
    let read = match (inner, value.get_ref()) {
        (Kind::Int | Kind::Any, DeValue::Integer(number)) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Int)
        }
        (Kind::Float, DeValue::Integer(number)) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(|number| Value::Float(number as f64)),
        (Kind::Float | Kind::Any, DeValue::Float(number)) => number.as_str().parse().ok().map(Value::Float),
        (Kind::Bool | Kind::Any, DeValue::Boolean(flag)) => Some(Value::Bool(*flag)),
        (Kind::Str | Kind::Any, DeValue::String(text)) => Some(Value::str(text)),
        (Kind::DType, DeValue::String(text)) => parse_dtype(text).map(Value::DType),
        // Of an enum, which is resolved later.
        (Kind::Class(_), DeValue::String(text)) => Some(Value::str(text)),
        (Kind::Either(all), _) => {
            let mut ignored = Mistakes::default();
            all.iter().find_map(|one| read_default(value, one, what, &mut ignored))
        }
        _ => None,
    };
    if read.is_none() {
        let kind = DescriptionErrorKind::Value {
            what: format!("the default of {what}"),
            expected: expected.to_owned(),
            found: kind_of(value.get_ref()).to_owned(),
        };
        mistakes.with_help(kind, &place(value), "defaults are numbers, strings, booleans and dtypes");
    }
    read
}

/// A dtype by its name.
pub(crate) fn parse_dtype(text: &str) -> Option<DataType> {
    text.parse::<DataType>().ok().filter(|dtype| dtype.is_valid() && dtype.to_string() == text)
}
