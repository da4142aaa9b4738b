//! Loader of the native form.

use serde_json::Value as Json;

use super::{Document, FORMAT, NodeEntry, SpanEntry, TensorEntry, VERSION};
use crate::containers::{ArrayNode, Key, MapNode, ShapeNode, TensorNode, keys};
use crate::dtype::DataType;
use crate::json::error::{JsonError, JsonErrorKind};
use crate::json::limits::{self, Counter};
use crate::json::scan::{BYTE_ORDER_MARK, Scanner};
use crate::json::{base64, check_description};
use crate::raw::{Array, Object, ObjectLike as _, Ref};
use crate::registry::Registry;
use crate::session::Session;
use crate::span::{SourceId, Span, SpanKind, SpanMark};
use crate::tensor::TensorData;
use crate::type_table::{FieldInfo, FieldKind, TypeInfo};
use crate::value::{FieldError, Value};

type Result<T> = std::result::Result<T, JsonError>;

/// Loads a value, usually a node. Each source that the spans name is opened once ([`SourceId::new`]).
///
/// # Errors
/// Fails with the path and position of the first error.
pub fn load<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Value> {
    let document: Document =
        serde_json::from_str(text.trim_start_matches(BYTE_ORDER_MARK)).map_err(|e| malformed(text, &e))?;
    load_document(document, session.into()).map_err(|error| {
        let offset_bytes = Scanner::locate(text, &error.path);
        JsonError { offset_bytes, ..error }
    })
}

/// Returns the name of the release that a text names.
pub fn release(text: &str) -> Option<String> {
    let mut scan = Scanner::new(text);
    scan.expect(b'{').ok()?;
    let mut first = true;
    while scan.more(first, b'}').ok()? {
        first = false;
        match &*scan.key().ok()? {
            "profile" => return scan.string().ok().map(std::borrow::Cow::into_owned),
            "format" | "version" => scan.skip_value().ok()?,
            _ => return None,
        }
    }
    None
}

fn load_document(document: Document, session: Session<'_>) -> Result<Value> {
    if document.format != FORMAT || !(1..=VERSION).contains(&document.version) {
        let found = format!("{} {}", document.format, document.version);
        return Err(JsonError::new(JsonErrorKind::UnknownFormat { found }));
    }
    for (dialect, found) in &document.descriptions {
        check_description(dialect, found, session.registry)
            .map_err(|error| error.within(format_args!(".descriptions.{dialect}")))?;
    }
    let sources: Vec<SourceId> = document.sources.iter().map(|name| SourceId::new(name)).collect();
    let value = nodes(document, &sources, session);
    if value.is_err() {
        sources.into_iter().for_each(SourceId::release);
    }
    value
}

fn nodes(document: Document, sources: &[SourceId], session: Session<'_>) -> Result<Value> {
    let mut counter = Counter::new(session.limits);
    let spans = spans(&document.spans, sources, &mut counter)?;
    let count = document.nodes.len();
    let mut loader =
        Loader { registry: session.registry, spans, counter, count, nodes: Vec::with_capacity(count) };
    for (index, entry) in document.nodes.into_iter().enumerate() {
        let node = loader.node(entry).map_err(|e| e.within(format_args!(".nodes[{index}]")))?;
        loader.nodes.push(node);
    }
    loader.any(document.root).map_err(|e| e.within(".root"))
}

fn malformed(text: &str, error: &serde_json::Error) -> JsonError {
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let lines = text[mark..].split_inclusive('\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (mark + before + error.column().saturating_sub(1)).min(text.len());
    JsonError::at(JsonErrorKind::Malformed { message: error.to_string() }, offset)
}

fn fault<T>(kind: JsonErrorKind) -> Result<T> {
    Err(JsonError::new(kind))
}

fn expected<T>(expected: &'static str) -> Result<T> {
    fault(JsonErrorKind::Expected { expected })
}

fn earlier<T>(items: &[T], index: u32) -> Result<&T> {
    items.get(index as usize).ok_or_else(|| JsonError::new(JsonErrorKind::BadIndex { index: index.into() }))
}

fn spans(entries: &[SpanEntry], sources: &[SourceId], counter: &mut Counter) -> Result<Vec<Span>> {
    let mut spans: Vec<Span> = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let within = |e: JsonError| e.within(format_args!(".spans[{at}]"));
        let source = |index: u32| earlier(sources, index).copied().map_err(within);
        let part = |index: Option<u32>| match index {
            Some(index) => earlier(&spans, index).copied().map_err(within),
            None => Ok(Span::UNKNOWN),
        };
        let kind = match entry {
            SpanEntry::Range(name, start_bytes, end_bytes) => SpanKind::Range {
                source: source(*name)?,
                start_bytes: *start_bytes,
                end_bytes: *end_bytes.max(start_bytes),
            },
            SpanEntry::Source(name) => SpanKind::Source { source: source(*name)? },
            SpanEntry::LineColumn(name, line, column, end_line, end_column) => SpanKind::LineColumn {
                source: source(*name)?,
                line: *line,
                column: *column,
                end_line: *end_line,
                end_column: *end_column,
            },
            SpanEntry::CallSite { callee, caller } => {
                SpanKind::CallSite { callee: part(*callee)?, caller: part(*caller)? }
            }
            SpanEntry::Output(of) | SpanEntry::Input(of) | SpanEntry::Parameter(of) => {
                let mark = match entry {
                    SpanEntry::Output(_) => SpanMark::Output,
                    SpanEntry::Input(_) => SpanMark::Input,
                    _ => SpanMark::Parameter,
                };
                let of = part(*of)?;
                // Marking a sequence marks each part.
                let count = of.part_count();
                counter.spans(count).map_err(|kind| within(JsonError::new(kind)))?;
                spans.push(of.with_mark(mark));
                continue;
            }
            SpanEntry::Sequence { spans: parts, reason } => {
                let parts = parts.iter().map(|s| part(*s)).collect::<Result<Vec<_>>>()?;
                let count = parts.iter().map(|part| part.part_count()).fold(0usize, usize::saturating_add);
                counter.spans(count).map_err(|kind| within(JsonError::new(kind)))?;
                spans.push(Span::sequence(parts, reason));
                continue;
            }
        };
        spans.push(Span::new(kind));
    }
    Ok(spans)
}

struct Loader<'r> {
    registry: &'r Registry,
    spans: Vec<Span>,
    counter: Counter,
    /// Number of nodes in the text.
    count: usize,
    nodes: Vec<Object>,
}

impl Loader<'_> {
    fn node(&mut self, entry: NodeEntry) -> Result<Object> {
        let NodeEntry { key, span, fields, name, items, entries, tensor, shape } = entry;
        let span = match span {
            Some(index) => *earlier(&self.spans, index).map_err(|e| e.within(".span"))?,
            None => Span::UNKNOWN,
        };
        // Exactly the data that belongs to the type.
        let container = self.container(&key);
        let mut object: Object = match (container, fields, name, items, entries, tensor, shape) {
            (Some("Array"), None, None, Some(items), None, None, None) => {
                let items = items.into_iter().enumerate();
                let items = items
                    .map(|(i, item)| self.any(item).map_err(|e| e.within(format_args!(".items[{i}]"))))
                    .collect::<Result<_>>()?;
                Array::<Value>::from_node(ArrayNode::new(items)).into_object()
            }
            (Some("Map"), None, None, None, Some(entries), None, None) => {
                let pair = |(i, (key, value)): (usize, (Json, Json))| {
                    let within = |e: JsonError| e.within(format_args!(".entries[{i}]"));
                    Ok((Key::new(self.any(key).map_err(within)?), self.any(value).map_err(within)?))
                };
                let entries = entries.into_iter().enumerate().map(pair).collect::<Result<_>>()?;
                Ref::new(MapNode::new(entries)).into()
            }
            (Some("Tensor"), None, None, None, None, Some(tensor), None) => {
                let tensor = self.tensor(&tensor).map_err(|e| e.within(".tensor"))?;
                let tensor = Object::from(Ref::new(tensor));
                tensor.check().map_err(|error| {
                    let step = error.field().map_or(String::new(), |field| format!(".{field}"));
                    JsonError::new(error.into()).within(step).within(".tensor")
                })?;
                tensor
            }
            (Some("Shape"), None, None, None, None, None, Some(values)) => {
                Ref::new(ShapeNode { values: values.into() }).into()
            }
            (None, Some(fields), None, None, None, None, None) => {
                let info = self.info(&key)?;
                if info.by_name().is_some() {
                    return expected("`name`");
                }
                self.fields(info, fields)?
            }
            (None, None, Some(name), None, None, None, None) => {
                let info = self.info(&key)?;
                let Some(make) = info.by_name() else { return expected("`fields`") };
                if !self.registry.allows_name(info, &name) {
                    let kind = JsonErrorKind::UnknownName { key: info.key(), name };
                    return Err(JsonError::new(kind).within(".name"));
                }
                make(&name)
            }
            _ => {
                if container.is_none() {
                    self.info(&key)?;
                }
                return expected("the data of the type and nothing else");
            }
        };
        if span.is_known() && object.info().by_name().is_none() {
            object.set_span(span);
        }
        Ok(object)
    }

    /// Returns the last part of a container's key. Its prefix, another one in version 1, is not checked.
    fn container<'k>(&self, key: &'k str) -> Option<&'k str> {
        let (_, name) = key.rsplit_once('.')?;
        let is_known = key.starts_with(keys::PREFIX) || self.registry.node(key).is_none();
        (is_known && matches!(name, "Array" | "Map" | "Tensor" | "Shape")).then_some(name)
    }

    fn info(&self, key: &str) -> Result<&'static TypeInfo> {
        let unknown = || JsonErrorKind::UnknownType { key: key.to_owned() };
        let within = |kind| JsonError::new(kind).within(".type");
        let info = self.registry.node(key).ok_or_else(|| within(unknown()))?;
        if !info.is_concrete() {
            return Err(within(FieldError::Abstract { key: info.key() }.into()));
        }
        Ok(info)
    }

    fn fields(
        &mut self,
        info: &'static TypeInfo,
        mut fields: serde_json::Map<String, Json>,
    ) -> Result<Object> {
        let within = |name: &str, e: JsonError| e.within(format_args!(".fields.{name}"));
        let mut values = Vec::with_capacity(info.fields().len());
        for field in info.fields() {
            if field.kind == FieldKind::Span {
                values.push(Value::None);
                continue;
            }
            let Some(json) = fields.remove(field.name) else {
                if field.optional {
                    values.push(Value::None);
                    continue;
                }
                let kind = JsonErrorKind::MissingKey { key: field.name.to_owned() };
                return Err(JsonError::new(kind).within(".fields"));
            };
            values.push(self.field(field, json).map_err(|e| within(field.name, e))?);
        }
        if let Some((key, _)) = fields.into_iter().next() {
            return Err(JsonError::new(JsonErrorKind::UnknownKey { key }).within(".fields"));
        }
        self.counter.construct(info, &mut values).map_err(|(field, kind)| match field {
            Some(field) => within(field, JsonError::new(kind)),
            None => JsonError::new(kind),
        })
    }

    fn field(&self, field: &FieldInfo, json: Json) -> Result<Value> {
        match (field.kind, json) {
            (FieldKind::DType, Json::String(text)) => dtype(&text).map(Value::DType),
            (FieldKind::DType, _) => expected("the text of a dtype"),
            (FieldKind::Float, Json::String(text)) => float(&text).map(Value::Float),
            (FieldKind::Node, Json::Number(number)) => self.earlier_node(&number).map(Value::Node),
            (_, json) => self.any(json),
        }
    }

    /// Returns the node with an index; the current node is the one after the loaded ones.
    fn earlier_node(&self, number: &serde_json::Number) -> Result<Object> {
        let Some(index) = number.as_i64() else { return expected("the number of a node") };
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        match self.nodes.get(at) {
            Some(node) => Ok(node.clone()),
            None if at < self.count => {
                fault(JsonErrorKind::ForwardReference { from: self.nodes.len() as i64, index })
            }
            None => fault(JsonErrorKind::BadIndex { index }),
        }
    }

    fn any(&self, json: Json) -> Result<Value> {
        Ok(match json {
            Json::Null => Value::None,
            Json::Bool(b) => Value::Bool(b),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(int), _) => Value::Int(int),
                (None, Some(float)) if number.is_f64() => Value::Float(float),
                _ => return fault(JsonErrorKind::NumberRange),
            },
            Json::String(text) => Value::str(&text),
            Json::Array(_) => return expected("a value, not an array: arrays are nodes"),
            Json::Object(object) => {
                let mut entries = object.into_iter();
                match (entries.next(), entries.next()) {
                    (Some((key, Json::Number(number))), None) if key == "node" => {
                        Value::Node(self.earlier_node(&number)?)
                    }
                    (Some((key, Json::String(text))), None) if key == "dtype" => Value::DType(dtype(&text)?),
                    (Some((key, Json::String(text))), None) if key == "float" => Value::Float(float(&text)?),
                    _ => return expected("an object with one of `node`, `dtype`, `float`"),
                }
            }
        })
    }

    fn tensor(&self, entry: &TensorEntry) -> Result<TensorNode> {
        let dtype = dtype(&entry.dtype).map_err(|e| e.within(".dtype"))?;
        let bad = |reason| JsonError::new(JsonErrorKind::BadTensor { reason });
        let data = match (&entry.data, &entry.left_out) {
            (Some(data), None) => base64::decode(data).ok_or_else(|| bad("not base64"))?.into(),
            (None, Some(hash)) => TensorData::elided(hash.parse().map_err(|_| bad("not a content hash"))?),
            _ => return Err(bad("needs either the elements or the hash of those left out")),
        };
        Ok(TensorNode { dtype, shape: entry.shape.clone().into(), data })
    }
}

fn dtype(text: &str) -> Result<DataType> {
    let unknown = || JsonError::new(JsonErrorKind::UnknownDataType { text: text.to_owned() });
    limits::dtype(text).ok_or_else(unknown)
}

fn float(text: &str) -> Result<f64> {
    match text {
        "nan" => Ok(f64::NAN),
        "inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        _ => expected("`nan`, `inf` or `-inf`"),
    }
}
