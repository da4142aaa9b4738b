//! Loader of the format: one pass over the text, without a syntax tree.

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::legacy;
use crate::metadata;
use crate::tensor;
use crate::translate;
use crate::version::TvmJsonVersion;
use tvmscript_ir_core::containers::{ArrayNode, Key, MapNode, ShapeNode};
use tvmscript_ir_core::dtype::DataType;
use tvmscript_ir_core::json::limits::{self, Counter};
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, JsonErrorKind, UnknownGraph};
use tvmscript_ir_core::registry::Registry;
use tvmscript_ir_core::span::{SourceId, Span, SpanKind};
use tvmscript_ir_core::type_table::{FieldKind, TypeInfo};
use tvmscript_ir_core::value::{FieldError, Value};
use tvmscript_ir_core::{Object, ObjectLike, Ref, Session, Str};

type Result<T> = std::result::Result<T, JsonError>;

/// Loads a graph of the newest release; see [`load_version`].
///
/// # Errors
/// See [`load_version`].
pub fn load<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Value> {
    load_version(text, session, &TvmJsonVersion::V0_23)
}

/// Loads a graph. The root is usually a node, but can be any value. Each source that the spans name is opened once
/// ([`SourceId::new`]).
///
/// Unknown fields are errors unless their value is absent or an empty container, because builds of TVM differ in such
/// fields.
///
/// # Errors
/// Fails with the path and position of the first error. A node may only refer to earlier nodes, so cycles are errors.
pub fn load_version<'r>(
    text: &str,
    session: impl Into<Session<'r>>,
    version: &'static TvmJsonVersion,
) -> Result<Value> {
    load_graph(text, session.into(), version, None)
}

/// As [`load_version`]. Nodes of types that no dialect declares become [`UnknownNode`](tvmscript_ir_core::json::UnknownNode)s of the JSON text `kept`, whose
/// nodes have the same numbers as those of `text`.
///
/// # Errors
/// See [`load_version`].
pub fn load_keeping<'r>(
    text: &str,
    session: impl Into<Session<'r>>,
    version: &'static TvmJsonVersion,
    kept: &str,
) -> Result<Value> {
    load_graph(text, session.into(), version, Some(UnknownGraph::new(kept)))
}

/// Loads a graph in the format of TVM 0.8 to 0.20 ([`Form::TvmLegacy`](crate::Form::TvmLegacy)).
///
/// # Errors
/// If the text is not such a graph, its nodes form a cycle, or one has a type or fields that no dialect declares.
pub fn load_legacy<'r>(text: &str, session: impl Into<Session<'r>>) -> Result<Value> {
    let session = session.into();
    let (translated, origins) = legacy::translate(text, session.registry)?;
    load_nodes(&translated, session, &TvmJsonVersion::V0_23, None, None)
        .map_err(|error| translate::at_origin(error, text, &origins))
}

fn load_graph(
    text: &str,
    session: Session<'_>,
    version: &'static TvmJsonVersion,
    kept: Option<UnknownGraph>,
) -> Result<Value> {
    let registry = session.registry;
    load_translated(text, session, version, kept)
        .map_err(|error| metadata::check_text(text, registry).err().unwrap_or(error))
}

fn load_translated(
    text: &str,
    session: Session<'_>,
    version: &'static TvmJsonVersion,
    kept: Option<UnknownGraph>,
) -> Result<Value> {
    if version.plain_numbers.is_some() {
        let (translated, origins) = translate::from_plain_numbers(text, version)?;
        return load_nodes(&translated, session, version, kept, Some(&origins))
            .map_err(|error| translate::at_origin(error, text, &origins));
    }
    let Some(nodes) = version.types_as_nodes else {
        return load_nodes(text, session, version, kept, None);
    };
    let (translated, origins) = translate::from_release(text, version, nodes, session.registry)?;
    load_nodes(&translated, session, &TvmJsonVersion::V0_23, kept, Some(&origins))
        .map_err(|error| translate::at_origin(error, text, &origins))
}

/// Loads a graph. `origins` are the numbers in the graph of unknown nodes, if they differ.
fn load_nodes(
    text: &str,
    session: Session<'_>,
    version: &'static TvmJsonVersion,
    kept: Option<UnknownGraph>,
    origins: Option<&[usize]>,
) -> Result<Value> {
    let mut loader = Loader {
        kept,
        origins,
        unknown: Vec::new(),
        version,
        scan: Scanner::new(text),
        registry: session.registry,
        decoders: HashMap::new(),
        nodes: Vec::with_capacity(text.len() / 150),
        spans: HashMap::new(),
        span_arrays: HashMap::new(),
        sources: HashMap::new(),
        fields: Vec::new(),
        dtypes: HashMap::new(),
        counter: Counter::new(session.limits),
    };
    loader.document().map_err(|error| {
        loader.sources.values().for_each(|source| source.release());
        match error.kind {
            // Detected after the whole node was scanned; the path leads to the field.
            JsonErrorKind::Field(_) => {
                JsonError { offset_bytes: Scanner::locate(text, &error.path), ..error }
            }
            _ => error,
        }
    })
}

/// Decoder of the data of a type.
#[derive(Clone, Copy)]
enum Decoder {
    None,
    Bool,
    Int,
    Float,
    DType,
    Str,
    Array,
    Map,
    Shape,
    Tensor,
    Span,
    SequentialSpan,
    ByName(&'static TypeInfo, fn(&str) -> Object),
    Fields(&'static TypeInfo),
    /// A type that no dialect declares, by its position in [`Loader::unknown`].
    Unknown(usize),
}

struct Loader<'s, 'r> {
    /// The graph of which unknown nodes are kept.
    kept: Option<UnknownGraph>,
    /// Numbers of the nodes in that graph, if they differ.
    origins: Option<&'r [usize]>,
    /// Keys of types that no dialect declares.
    unknown: Vec<Str>,
    version: &'static TvmJsonVersion,
    scan: Scanner<'s>,
    registry: &'r Registry,
    decoders: HashMap<Box<str>, Decoder>,
    nodes: Vec<Value>,
    /// Spans by the index of their node, whose value is `None`.
    spans: HashMap<usize, Span>,
    /// Spans in arrays, by the index of the array.
    span_arrays: HashMap<usize, Vec<Span>>,
    /// Open sources by name.
    sources: HashMap<String, SourceId>,
    /// Scratch buffer for the fields of a node.
    fields: Vec<Value>,
    dtypes: HashMap<Box<str>, DataType>,
    counter: Counter,
}

impl<'s> Loader<'s, '_> {
    fn document(&mut self) -> Result<Value> {
        let (mut root, mut nodes, mut metadata) = (None, false, false);
        self.scan.expect(b'{')?;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let start = self.scan.offset();
            let key = self.scan.key()?;
            let again = match &*key {
                "root_index" => {
                    let place = self.scan.offset();
                    let index = self.scan.int().map_err(|e| e.within(".root_index"))?;
                    root.replace((index, place)).is_some()
                }
                "nodes" => {
                    let again = std::mem::replace(&mut nodes, true);
                    if !again {
                        self.nodes()?;
                    }
                    again
                }
                "metadata" => {
                    let descriptions = metadata::read(&mut self.scan).map_err(|e| e.within(".metadata"))?;
                    metadata::check(&descriptions, self.registry)?;
                    std::mem::replace(&mut metadata, true)
                }
                _ => return Err(JsonError::at(JsonErrorKind::UnknownKey { key: key.into_owned() }, start)),
            };
            if again {
                return Err(JsonError::at(JsonErrorKind::DuplicateKey { key: key.into_owned() }, start));
            }
        }
        self.scan.end()?;
        let missing = |key: &str| JsonError::new(JsonErrorKind::MissingKey { key: key.to_owned() });
        if !nodes {
            return Err(missing("nodes"));
        }
        let (index, place) = root.ok_or_else(|| missing("root_index"))?;
        let value = usize::try_from(index).ok().and_then(|i| self.nodes.get(i)).cloned();
        value.ok_or_else(|| JsonError::at(JsonErrorKind::BadIndex { index }, place).within(".root_index"))
    }

    fn nodes(&mut self) -> Result<()> {
        self.scan.expect(b'[').map_err(|e| e.within(".nodes"))?;
        let mut first = true;
        loop {
            let index = self.nodes.len();
            let within = |e: JsonError| e.within(format_args!(".nodes[{index}]"));
            if !self.scan.more(first, b']').map_err(within)? {
                return Ok(());
            }
            first = false;
            let value = self.node().map_err(within)?;
            self.nodes.push(value);
        }
    }

    fn node(&mut self) -> Result<Value> {
        self.scan.expect(b'{')?;
        let (mut decoder, mut data) = (None, None);
        let mut value = None;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let start = self.scan.offset();
            if decoder.is_none() && self.scan.take_key("type") {
                decoder = Some(self.decoder().map_err(|e| e.within(".type"))?);
                continue;
            }
            if let Some(decoder) = decoder
                && data.is_none()
                && self.scan.take_key("data")
            {
                data = Some(self.scan.offset());
                value = Some(self.data(decoder).map_err(|e| e.within(".data"))?);
                continue;
            }
            let key = self.scan.key()?;
            match &*key {
                "data" if data.is_none() => {
                    data = Some(self.scan.offset());
                    self.scan.skip_value().map_err(|e| e.within(".data"))?;
                }
                "type" | "data" => {
                    return Err(JsonError::at(JsonErrorKind::DuplicateKey { key: key.into() }, start));
                }
                _ => return Err(JsonError::at(JsonErrorKind::UnknownKey { key: key.into() }, start)),
            }
        }
        let missing =
            |scan: &Scanner<'_>, key: &str| scan.error(JsonErrorKind::MissingKey { key: key.into() });
        let decoder = decoder.ok_or_else(|| missing(&self.scan, "type"))?;
        match (value, data) {
            (Some(value), _) => Ok(value),
            // The data precedes the type.
            (None, Some(place)) => {
                let end = self.scan.offset();
                self.scan.set_offset(place);
                let value = self.data(decoder).map_err(|e| e.within(".data"))?;
                self.scan.set_offset(end);
                Ok(value)
            }
            (None, None) if matches!(decoder, Decoder::None) => Ok(Value::None),
            (None, None) => match decoder {
                Decoder::Unknown(at) => Ok(self.unknown(at)),
                _ => Err(missing(&self.scan, "data")),
            },
        }
    }

    fn decoder(&mut self) -> Result<Decoder> {
        self.scan.peek();
        let start = self.scan.offset();
        let key = self.scan.string()?;
        if let Some(&decoder) = self.decoders.get(&*key) {
            return Ok(decoder);
        }
        let keys = &self.version.keys;
        let decoder = match &*key {
            k if k == keys.none => Decoder::None,
            k if k == keys.bool => Decoder::Bool,
            k if k == keys.int => Decoder::Int,
            k if k == keys.float => Decoder::Float,
            k if k == keys.dtype => Decoder::DType,
            k if k == keys.string || k == keys.source_name => Decoder::Str,
            k if k == keys.array => Decoder::Array,
            k if k == keys.map => Decoder::Map,
            k if k == keys.shape => Decoder::Shape,
            k if k == keys.tensor => Decoder::Tensor,
            k if k == keys.span => Decoder::Span,
            k if k == keys.sequential_span => Decoder::SequentialSpan,
            _ => match self.registry.node(self.version.own_key(&key)) {
                None if self.kept.is_some() => {
                    self.unknown.push(Str::new(&*key));
                    Decoder::Unknown(self.unknown.len() - 1)
                }
                None => {
                    let kind = JsonErrorKind::UnknownType { key: key.into_owned() };
                    return Err(JsonError::at(kind, start));
                }
                Some(info) if !info.is_concrete() => {
                    let kind = FieldError::Abstract { key: info.key() }.into();
                    return Err(JsonError::at(kind, start));
                }
                Some(info) => match info.by_name() {
                    Some(make) => Decoder::ByName(info, make),
                    None => Decoder::Fields(info),
                },
            },
        };
        self.decoders.insert(key.into(), decoder);
        Ok(decoder)
    }

    fn data(&mut self, decoder: Decoder) -> Result<Value> {
        Ok(match decoder {
            Decoder::None => {
                self.scan.skip_value()?;
                Value::None
            }
            Decoder::Bool => Value::Bool(self.scan.bool()?),
            Decoder::Int => Value::Int(self.scan.int()?),
            Decoder::Float => Value::Float(self.scan.number("a number")?.as_f64()),
            Decoder::DType => Value::DType(self.dtype()?),
            Decoder::Str => Value::Node(Str::new(self.scan.string()?).into_object()),
            Decoder::ByName(info, make) => {
                let start = self.scan.offset();
                let name = self.scan.string()?;
                let name = self.version.own_name(info.key(), &name);
                if !self.registry.allows_name(info, &name) {
                    let kind = JsonErrorKind::UnknownName { key: info.key(), name: name.into_owned() };
                    return Err(JsonError::at(kind, start));
                }
                Value::Node(make(&name))
            }
            Decoder::Array => {
                let (mut items, mut parts) = (SmallVec::new(), Vec::new());
                let has_spans = !self.spans.is_empty();
                self.indices(|index, value| {
                    items.push(value);
                    if has_spans {
                        parts.push(index);
                    }
                })?;
                if has_spans {
                    let parts: Vec<Span> = parts.iter().filter_map(|i| self.spans.get(i).copied()).collect();
                    self.span_arrays.insert(self.nodes.len(), parts);
                }
                Value::Node(Object::from(Ref::new(ArrayNode::new(items))))
            }
            Decoder::Map => {
                self.scan.peek();
                let start = self.scan.offset();
                let mut key = None;
                let mut entries = indexmap::IndexMap::default();
                self.indices(|_, value| match key.take() {
                    None => key = Some(value),
                    Some(key) => drop(entries.insert(Key::new(key), value)),
                })?;
                if key.is_some() {
                    return Err(JsonError::at(JsonErrorKind::OddMap, start));
                }
                Value::Node(Object::from(Ref::new(MapNode::new(entries))))
            }
            Decoder::Shape => {
                let values = self.array(|l| l.scan.int())?;
                Value::from(Ref::new(ShapeNode { values: values.into() }))
            }
            Decoder::Tensor => {
                self.scan.peek();
                let start = self.scan.offset();
                let text = self.scan.string()?;
                let tensor = tensor::decode(&text);
                let bad = |reason| JsonError::at(JsonErrorKind::BadTensor { reason }, start);
                let tensor = Object::from(Ref::new(tensor.map_err(bad)?));
                tensor.check().map_err(|error| JsonError::at(error.into(), start))?;
                Value::Node(tensor)
            }
            Decoder::Span => {
                let span = self.span()?;
                self.spans.insert(self.nodes.len(), span);
                Value::None
            }
            Decoder::SequentialSpan => {
                let span = self.sequential_span()?;
                self.spans.insert(self.nodes.len(), span);
                Value::None
            }
            Decoder::Fields(info) => self.node_fields(info)?,
            Decoder::Unknown(at) => {
                self.scan.skip_value()?;
                self.unknown(at)
            }
        })
    }

    /// The node that is read now, of an unknown type.
    fn unknown(&mut self, at: usize) -> Value {
        match (&mut self.kept, self.unknown.get(at)) {
            (Some(graph), Some(key)) => {
                let own = self.nodes.len();
                let index = self.origins.map_or(own, |origins| origins.get(own).copied().unwrap_or(own));
                Value::from(Ref::new(graph.node(key.clone(), index)))
            }
            _ => Value::None,
        }
    }

    /// Scans an array.
    fn array<T>(&mut self, mut element: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        self.scan.expect(b'[')?;
        let mut first = true;
        while self.scan.more(first, b']')? {
            first = false;
            let value = element(self).map_err(|e| e.within(format_args!("[{}]", out.len())))?;
            out.push(value);
        }
        Ok(out)
    }

    /// Scans an array of indices, and calls `each` with each index and its value.
    #[inline]
    fn indices(&mut self, mut each: impl FnMut(usize, Value)) -> Result<()> {
        self.scan.expect(b'[')?;
        let mut count = 0;
        while self.scan.more(count == 0, b']')? {
            let (index, node) = self.indexed().map_err(|e| e.within(format_args!("[{count}]")))?;
            count += 1;
            each(index, node.clone());
        }
        Ok(())
    }

    /// Scans the index of an earlier node.
    #[inline]
    fn indexed(&mut self) -> Result<(usize, &Value)> {
        self.scan.peek();
        let start = self.scan.offset();
        let index = self.scan.int()?;
        let place = usize::try_from(index);
        if let Some((at, node)) = place.ok().and_then(|at| Some((at, self.nodes.get(at)?))) {
            return Ok((at, node));
        }
        match place {
            Ok(at) if self.scan.count_nodes().is_some_and(|count| at < count) => {
                let from = self.nodes.len() as i64;
                Err(JsonError::at(JsonErrorKind::ForwardReference { from, index }, start))
            }
            _ => Err(JsonError::at(JsonErrorKind::BadIndex { index }, start)),
        }
    }

    #[inline]
    fn by_index(&mut self) -> Result<&Value> {
        Ok(self.indexed()?.1)
    }

    fn dtype(&mut self) -> Result<DataType> {
        self.scan.peek();
        let start = self.scan.offset();
        let text = self.scan.string()?;
        if let Some(&dtype) = self.dtypes.get(&*text) {
            return Ok(dtype);
        }
        match limits::dtype(&text) {
            Some(dtype) => {
                self.dtypes.insert(text.into(), dtype);
                Ok(dtype)
            }
            None => Err(JsonError::at(JsonErrorKind::UnknownDataType { text: text.into() }, start)),
        }
    }

    /// Scans the index of a span.
    fn span_by_index(&mut self) -> Result<Span> {
        let (index, node) = self.indexed()?;
        let is_none = matches!(node, Value::None);
        match self.spans.get(&index) {
            Some(&span) => Ok(span),
            None if is_none => Ok(Span::UNKNOWN),
            None => self.scan.expected("the index of a span or of None"),
        }
    }

    #[inline]
    fn field_value(&mut self, kind: FieldKind, span: &mut Span) -> Result<Value> {
        Ok(match kind {
            FieldKind::Node | FieldKind::Any => self.by_index()?.clone(),
            FieldKind::DType => Value::DType(self.dtype()?),
            FieldKind::Int => Value::Int(self.scan.int()?),
            FieldKind::Bool => Value::Bool(self.scan.bool()?),
            FieldKind::Float => Value::Float(self.scan.number("a number")?.as_f64()),
            FieldKind::Span => {
                *span = self.span_by_index()?;
                Value::None
            }
        })
    }

    fn node_fields(&mut self, info: &'static TypeInfo) -> Result<Value> {
        self.scan.peek();
        let start = self.scan.offset();
        let fields = info.fields();
        self.fields.clear();
        let mut span = Span::UNKNOWN;
        self.scan.expect(b'{')?;
        // Fast path: all fields in order, as TVM writes them.
        let mut first = true;
        for field in fields {
            let place = self.scan.offset();
            if !self.scan.more(first, b'}')? || !self.scan.take_key(field.name) {
                self.scan.set_offset(place);
                if field.optional {
                    self.fields.push(Value::None);
                    continue;
                }
                break;
            }
            first = false;
            let value = self.field_value(field.kind, &mut span);
            self.fields.push(value.map_err(|e| e.within(format_args!(".{}", field.name)))?);
        }
        let in_order = self.fields.len();
        if in_order < fields.len() || self.scan.peek() != Some(b'}') {
            self.fields_in_any_order(info, in_order, first, &mut span)?;
        } else {
            self.scan.expect(b'}')?;
        }
        let mut object = self.counter.construct(info, &mut self.fields).map_err(|(field, kind)| {
            let place = field.map_or(String::new(), |field| format!(".{field}"));
            JsonError::at(kind, start).within(place)
        })?;
        // Metadata of a script comes from the script.
        let span = if span.is_known() { span } else { Span::current() };
        if span.is_known() {
            object.set_span(span);
        }
        Ok(Value::Node(object))
    }

    /// Sets a field of the node that is scanned, which has as many as its type.
    fn set_field(&mut self, index: usize, value: Value) {
        if let Some(field) = self.fields.get_mut(index) {
            *field = value;
        }
    }

    #[cold]
    fn fields_in_any_order(
        &mut self,
        info: &'static TypeInfo,
        in_order: usize,
        mut first: bool,
        span: &mut Span,
    ) -> Result<()> {
        let fields = info.fields();
        self.fields.resize(fields.len(), Value::None);
        let mut present = vec![false; fields.len()];
        let read = present.iter_mut().zip(fields).zip(&self.fields).take(in_order);
        read.for_each(|((present, field), value)| {
            *present = !field.optional || !matches!(value, Value::None)
        });
        while self.scan.more(first, b'}')? {
            first = false;
            let start = self.scan.offset();
            let key = self.scan.key()?;
            let within = |e: JsonError| e.within(format_args!(".{key}"));
            let index = info.field_index(&key);
            let known = index.and_then(|index| Some((index, fields.get(index)?, present.get_mut(index)?)));
            let Some((index, field, present)) = known else {
                if self.is_empty_extra().map_err(within)? {
                    continue;
                }
                return Err(within(JsonError::at(JsonErrorKind::UnknownKey { key: key.to_string() }, start)));
            };
            if std::mem::replace(present, true) {
                return Err(within(JsonError::at(
                    JsonErrorKind::DuplicateKey { key: key.to_string() },
                    start,
                )));
            }
            let value = self.field_value(field.kind, span).map_err(within)?;
            self.set_field(index, value);
        }
        for (index, (field, _)) in fields
            .iter()
            .zip(present)
            .enumerate()
            .filter(|(_, (field, is_present))| !is_present && !field.optional)
        {
            if !self.version.is_missing_map(info.key(), field.name) {
                return Err(self.scan.error(JsonErrorKind::MissingKey { key: field.name.to_owned() }));
            }
            let empty = MapNode::new(indexmap::IndexMap::default());
            self.set_field(index, Value::Node(Object::from(Ref::new(empty))));
        }
        Ok(())
    }

    /// Skips the value of an unknown field. Returns `true` if it is absent or an empty container.
    fn is_empty_extra(&mut self) -> Result<bool> {
        if !matches!(self.scan.peek(), Some(b'0'..=b'9')) {
            self.scan.skip_value()?;
            return Ok(false);
        }
        Ok(match self.by_index()? {
            Value::None => true,
            Value::Node(object) => {
                object.as_node::<ArrayNode>().is_some_and(|a| a.items().is_empty())
                    || object.as_node::<MapNode>().is_some_and(|m| m.entries().is_empty())
            }
            _ => false,
        })
    }

    fn text_by_index(&mut self) -> Result<Option<String>> {
        match self.by_index()? {
            Value::None => Ok(None),
            value => match value.as_str() {
                Some(text) => Ok(Some(text.to_owned())),
                None => self.scan.expected("the index of a source name"),
            },
        }
    }

    fn span(&mut self) -> Result<Span> {
        let mut source = None;
        let (mut line, mut column, mut end_line, mut end_column) = (0u32, 0u32, 0u32, 0u32);
        self.scan.expect(b'{')?;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let start = self.scan.offset();
            let key = self.scan.key()?;
            let place = match &*key {
                "source_name" => {
                    source = self.text_by_index().map_err(|e| e.within(".source_name"))?;
                    continue;
                }
                "line" => &mut line,
                "column" => &mut column,
                "end_line" => &mut end_line,
                "end_column" => &mut end_column,
                _ => return Err(JsonError::at(JsonErrorKind::UnknownKey { key: key.into() }, start)),
            };
            let number = self.scan.int().map_err(|e| e.within(format_args!(".{key}")))?;
            // TVM's numbers are signed; negative ones are meaningless.
            *place = u32::try_from(number).unwrap_or(0);
        }
        let Some(source) = source else { return Ok(Span::UNKNOWN) };
        let source = *self.sources.entry(source).or_insert_with_key(|name| SourceId::new(name));
        if [line, column, end_line, end_column] == [0; 4] {
            return Ok(Span::new(SpanKind::Source { source }));
        }
        Ok(Span::new(SpanKind::LineColumn { source, line, column, end_line, end_column }))
    }

    fn sequential_span(&mut self) -> Result<Span> {
        let mut parts = Vec::new();
        self.scan.expect(b'{')?;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let key = self.scan.key()?;
            if key == "spans" {
                let (index, _) = self.indexed().map_err(|e| e.within(".spans"))?;
                // Spans are kept beside their nodes, whose values are `None`.
                let known = self.span_arrays.get(&index);
                parts = known.cloned().unwrap_or_default();
                let count = parts.iter().map(|part| part.part_count()).fold(0usize, usize::saturating_add);
                self.counter.spans(count).map_err(|kind| self.scan.error(kind))?;
            } else {
                self.scan.skip_value()?;
            }
        }
        Ok(Span::sequence(parts, ""))
    }
}
