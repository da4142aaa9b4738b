//! Writer of the native form.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value as Json, json};

use super::{Document, FORMAT, NodeEntry, SpanEntry, TensorEntry, VERSION};
use crate::children::for_each_child;
use crate::containers::{ShapeNode, TensorNode};
use crate::json::base64;
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::span::{SourceId, Span, SpanKind, SpanMark};
use crate::type_table::{FieldInfo, FieldKind, Shape};
use crate::value::{FieldRef, Value};
use crate::vectors::reverse_above;

/// Options of [`save_with`].
#[derive(Debug, Clone, Default)]
pub struct SaveOptions {
    /// Writes one line without indentation.
    pub compact: bool,
    /// Name of the release to write.
    pub release: Option<String>,
}

/// Writes a value on one line.
pub fn save(value: &Value) -> String {
    save_with(value, &SaveOptions { compact: true, ..SaveOptions::default() })
}

/// Writes a value, indented.
pub fn save_pretty(value: &Value) -> String {
    save_with(value, &SaveOptions::default())
}

/// Writes a value.
pub fn save_with(value: &Value, options: &SaveOptions) -> String {
    let document = Document { profile: options.release.clone(), ..Saver::default().document(value) };
    let text = match options.compact {
        true => serde_json::to_string(&document),
        false => serde_json::to_string_pretty(&document),
    };
    // Cannot fail: all keys are strings, and all numbers finite.
    text.unwrap_or_default()
}

enum WorkItem<'a> {
    Enter(&'a Object),
    Leave(&'a Object),
}

#[derive(Default)]
struct Saver {
    numbers: AddressMap<u32>,
    nodes: Vec<NodeEntry>,
    spans: Vec<SpanEntry>,
    /// Index of the entry of each visited span, by [`Span::word`]; `None` for unknown ones.
    span_numbers: HashMap<u64, Option<u32>>,
    descriptions: BTreeMap<String, String>,
    sources: Vec<String>,
    source_numbers: HashMap<SourceId, u32>,
}

/// Pushes a node with an entry of its own; strings have none.
fn enter<'a>(stack: &mut Vec<WorkItem<'a>>, value: FieldRef<'a>) {
    if let FieldRef::Node(object) = value
        && object.info().shape() != Shape::Str
    {
        stack.push(WorkItem::Enter(object));
    }
}

fn float(value: f64) -> Json {
    match serde_json::Number::from_f64(value) {
        Some(number) => Json::Number(number),
        None if value.is_nan() => json!("nan"),
        None => json!(if value < 0.0 { "-inf" } else { "inf" }),
    }
}

impl Saver {
    fn document(mut self, value: &Value) -> Document {
        let mut stack = Vec::new();
        enter(&mut stack, value.as_field());
        while let Some(item) = stack.pop() {
            match item {
                WorkItem::Enter(object) if self.numbers.contains_key(&object.address()) => {}
                WorkItem::Enter(object) => {
                    stack.push(WorkItem::Leave(object));
                    push_children(&mut stack, object);
                }
                WorkItem::Leave(object) => {
                    let entry = self.entry(object);
                    self.numbers.insert(object.address(), self.nodes.len() as u32);
                    self.nodes.push(entry);
                }
            }
        }
        let root = self.any(value.as_field());
        let Saver { nodes, spans, sources, descriptions, .. } = self;
        let format = FORMAT.to_owned();
        Document { format, version: VERSION, profile: None, descriptions, root, sources, spans, nodes }
    }

    fn entry(&mut self, object: &Object) -> NodeEntry {
        let info = object.info();
        let mut entry = NodeEntry { key: info.key().to_owned(), ..NodeEntry::default() };
        if let Some(origin) = info.origin()
            && !self.descriptions.contains_key(&origin.dialect)
        {
            self.descriptions.insert(origin.dialect.clone(), origin.description.clone());
        }
        match info.shape() {
            Shape::Str => {}
            Shape::Array => {
                let items = object.array_items();
                entry.items = Some(items.iter().map(|item| self.any(item.as_field())).collect());
            }
            Shape::Map => {
                let entries = object.map_entries();
                entry.entries =
                    Some(entries.map(|(k, v)| (self.any(k.as_field()), self.any(v.as_field()))).collect());
            }
            Shape::Tensor => match object.as_node::<TensorNode>() {
                Some(tensor) => {
                    entry.tensor = Some(TensorEntry {
                        dtype: tensor.dtype.to_string(),
                        shape: tensor.shape.to_vec(),
                        data: tensor.bytes().map(base64::encode),
                        left_out: tensor.bytes().is_none().then(|| tensor.content_hash().to_string()),
                    });
                }
                None => entry.shape = object.as_node::<ShapeNode>().map(|s| s.values.to_vec()),
            },
            Shape::Fields => {
                entry.span = self.span(object.span());
                let fields = info.fields().iter().enumerate();
                if info.by_name().is_some() {
                    let name = info.field_index("name").map(|i| object.field(i).to_value());
                    entry.name = name.as_ref().and_then(Value::as_str).map(str::to_owned);
                } else {
                    let is_absent =
                        |i: usize, f: &FieldInfo| f.optional && matches!(object.field(i), FieldRef::None);
                    let fields = fields.filter(|(i, f)| f.kind != FieldKind::Span && !is_absent(*i, f));
                    let fields =
                        fields.map(|(i, f)| (f.name.to_owned(), self.field(f.kind, object.field(i))));
                    entry.fields = Some(fields.collect());
                }
            }
        }
        entry
    }

    fn number(&self, object: &Object) -> u32 {
        // Children are written before their parents.
        self.numbers.get(&object.address()).copied().unwrap_or_default()
    }

    fn field(&self, kind: FieldKind, value: FieldRef<'_>) -> Json {
        match value {
            FieldRef::DType(dtype) if kind == FieldKind::DType => json!(dtype.to_string()),
            FieldRef::Float(value) if kind == FieldKind::Float => float(value),
            FieldRef::Node(object) if kind == FieldKind::Node => match Str::try_ref(object) {
                Some(text) => json!(text.as_str()),
                None => json!(self.number(object)),
            },
            value => self.any(value),
        }
    }

    fn any(&self, value: FieldRef<'_>) -> Json {
        match value {
            FieldRef::None | FieldRef::Span(_) => Json::Null,
            FieldRef::Bool(b) => json!(b),
            FieldRef::Int(i) => json!(i),
            FieldRef::Float(f) => match float(f) {
                Json::String(text) => json!({ "float": text }),
                number => number,
            },
            FieldRef::DType(d) => json!({ "dtype": d.to_string() }),
            FieldRef::Name(n) => json!(n.get().as_str()),
            FieldRef::Node(o) => match Str::try_ref(o) {
                Some(text) => json!(text.as_str()),
                None => json!({ "node": self.number(o) }),
            },
        }
    }

    fn source(&mut self, source: SourceId) -> u32 {
        let sources = &mut self.sources;
        *self.source_numbers.entry(source).or_insert_with(|| {
            sources.push(source.name());
            sources.len() as u32 - 1
        })
    }

    /// Returns the index of a span's entry, after adding those of its parts. Spans can nest deeply.
    fn span(&mut self, span: Span) -> Option<u32> {
        if !span.is_known() {
            return None;
        }
        let mut stack = vec![span];
        while let Some(&span) = stack.last() {
            if self.span_numbers.contains_key(&span.word()) {
                stack.pop();
                continue;
            }
            let kind = span.kind();
            let parts = match &kind {
                SpanKind::CallSite { callee, caller } => vec![*callee, *caller],
                SpanKind::Sequence { spans, .. } => spans.clone(),
                SpanKind::Marked { of, .. } => vec![*of],
                _ => Vec::new(),
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|p| p.is_known() && !self.span_numbers.contains_key(&p.word())));
            if stack.len() > before {
                continue;
            }
            let number = |part: &Span| self.span_numbers.get(&part.word()).copied().flatten();
            let entry = match kind {
                SpanKind::Unknown => None,
                SpanKind::Range { source, start_bytes, end_bytes } => {
                    Some(SpanEntry::Range(self.source(source), start_bytes, end_bytes))
                }
                SpanKind::Source { source } => Some(SpanEntry::Source(self.source(source))),
                SpanKind::LineColumn { source, line, column, end_line, end_column } => {
                    Some(SpanEntry::LineColumn(self.source(source), line, column, end_line, end_column))
                }
                SpanKind::CallSite { callee, caller } => {
                    Some(SpanEntry::CallSite { callee: number(&callee), caller: number(&caller) })
                }
                SpanKind::Marked { mark, of } => Some(match mark {
                    SpanMark::Output => SpanEntry::Output(number(&of)),
                    SpanMark::Input => SpanEntry::Input(number(&of)),
                    SpanMark::Parameter => SpanEntry::Parameter(number(&of)),
                }),
                SpanKind::Sequence { spans, reason } => {
                    Some(SpanEntry::Sequence { spans: spans.iter().map(number).collect(), reason })
                }
            };
            let number = entry.map(|entry| {
                self.spans.push(entry);
                self.spans.len() as u32 - 1
            });
            self.span_numbers.insert(span.word(), number);
            stack.pop();
        }
        self.span_numbers.get(&span.word()).copied().flatten()
    }
}

fn push_children<'a>(stack: &mut Vec<WorkItem<'a>>, object: &'a Object) {
    if object.info().by_name().is_none() {
        let start = stack.len();
        for_each_child(object, |child| enter(stack, FieldRef::Node(child)));
        reverse_above(stack, start);
    }
}
