//! Arguments of nodes: an object with one key, which states the kind.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use super::program::Graph;

/// An argument, a result, or an input of a graph.
#[derive(Debug)]
pub(super) enum Argument {
    /// No value.
    None,
    /// The value of a name: a tensor or a symbolic number.
    Name(String),
    /// Several arguments.
    List(Vec<Argument>),
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
    /// An element type, as its number.
    Dtype(i64),
    /// A graph.
    Graph(Box<Graph>),
    /// A device, layout or memory format, which have no meaning here.
    Ignored,
    /// An argument of a kind that is not supported.
    Unknown(String),
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        // Older versions write all keys, with null for those that are absent.
        let mut set = fields.into_iter().filter(|(_, value)| !value.is_null());
        match (set.next(), set.next()) {
            (Some((key, value)), None) => argument(&key, value)
                .map_err(|found| D::Error::custom(format!("an argument `{key}` holds {found}"))),
            (None, _) => Ok(Argument::None),
            (Some((first, _)), Some((second, _))) => {
                Err(D::Error::custom(format!("an argument holds `{first}` and `{second}`")))
            }
        }
    }
}

fn argument(key: &str, value: Json) -> Result<Argument, String> {
    let wrong = |value: &Json| {
        let text = value.to_string();
        text.chars().take(80).collect::<String>()
    };
    let found = match (key, &value) {
        ("as_none", _) => Some(Argument::None),
        ("as_device" | "as_layout" | "as_memory_format", _) => Some(Argument::Ignored),
        ("as_bool", _) => value.as_bool().map(Argument::Bool),
        ("as_int", _) => value.as_i64().map(Argument::Int),
        ("as_float", _) => float(&value).map(Argument::Float),
        ("as_string", _) => value.as_str().map(|text| Argument::Text(text.to_owned())),
        ("as_scalar_type", _) => value.as_i64().map(Argument::Dtype),
        ("as_tensor" | "as_name" | "as_sym_int" | "as_sym_float" | "as_sym_bool", _) => named(&value),
        ("as_graph", Json::Object(fields)) => {
            let graph = fields.get("graph").ok_or("no graph")?;
            Some(Argument::Graph(Box::new(Graph::deserialize(graph).map_err(|error| error.to_string())?)))
        }
        (_, Json::Array(items)) => {
            items.iter().map(|item| item_of(key, item)).collect::<Option<_>>().map(Argument::List)
        }
        _ => return Ok(Argument::Unknown(key.to_owned())),
    };
    found.ok_or_else(|| wrong(&value))
}

/// An item of a list with this key.
fn item_of(key: &str, item: &Json) -> Option<Argument> {
    match (key, item) {
        (_, Json::Array(items)) => {
            items.iter().map(|item| item_of(key, item)).collect::<Option<_>>().map(Argument::List)
        }
        ("as_floats", _) => float(item).map(Argument::Float),
        (_, Json::Bool(value)) => Some(Argument::Bool(*value)),
        (_, Json::Number(value)) => value.as_i64().map(Argument::Int),
        (_, Json::String(value)) => Some(Argument::Text(value.clone())),
        (_, Json::Null) => Some(Argument::None),
        (_, Json::Object(_)) => named(item),
    }
}

/// A tensor or symbolic number by its name, or the number in place of one.
fn named(value: &Json) -> Option<Argument> {
    let fields = value.as_object()?;
    let set = |key: &str| fields.get(key).filter(|value| !value.is_null());
    if let Some(name) = set("name").or_else(|| set("as_name")) {
        return name.as_str().map(|name| Argument::Name(name.to_owned()));
    }
    if let Some(inner) = set("as_tensor") {
        return named(inner);
    }
    if let Some(value) = set("as_int") {
        return value.as_i64().map(Argument::Int);
    }
    if let Some(value) = set("as_float") {
        return float(value).map(Argument::Float);
    }
    if let Some(value) = set("as_bool") {
        return value.as_bool().map(Argument::Bool);
    }
    fields.contains_key("as_none").then_some(Argument::None)
}

/// A number; infinite ones are texts.
fn float(value: &Json) -> Option<f64> {
    value.as_f64().or_else(|| match value.as_str()? {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => None,
    })
}
