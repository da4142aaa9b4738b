//! Writer of the format.

use hashbrown::HashMap;

use crate::tensor;
use crate::translate;
use crate::version::{TvmJsonVersion, TypeKeys};
use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::dtype::DataType;
use tvmscript_ir_core::json::emit::Emitter;
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{SaveError, UnknownNode};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::span::{SourceId, SourceTexts, Span, SpanKind};
use tvmscript_ir_core::type_table::{FieldInfo, FieldKind, Shape, TypeInfo};
use tvmscript_ir_core::value::{FieldRef, Value};
use tvmscript_ir_core::{ContentHash, Elided};
use tvmscript_ir_core::{Object, ObjectLike, Str};

/// Options of [`save_with`].
#[derive(Debug, Clone)]
pub struct SaveOptions {
    /// Release of the format.
    pub version: &'static TvmJsonVersion,
    /// Writes one line without indentation.
    pub compact: bool,
    /// Fields that some builds of TVM require and the types here lack.
    pub extra_fields: Vec<ExtraField>,
    /// Texts for the lines and columns of byte ranges, which are left out otherwise.
    pub texts: SourceTexts,
}

impl Default for SaveOptions {
    fn default() -> SaveOptions {
        let version = &TvmJsonVersion::V0_23;
        SaveOptions { version, compact: false, extra_fields: Vec::new(), texts: SourceTexts::default() }
    }
}

/// Returns `true` for a field that is left out.
fn is_absent(field: &FieldInfo, value: FieldRef<'_>) -> bool {
    field.optional && matches!(value, FieldRef::None)
}

/// A field that is written after all others, as a new empty map.
#[derive(Debug, Clone)]
pub struct ExtraField {
    /// Key of the type.
    pub type_key: String,
    /// Name of the field.
    pub name: String,
}

/// Writes a value for the newest release, indented.
///
/// # Errors
/// See [`save_with`].
pub fn save(value: &Value) -> Result<String, SaveError> {
    save_with(value, &SaveOptions::default())
}

/// Writes a value. Of spans it writes what TVM's form holds: lines and columns, sources, and sequences of them. A byte
/// range is written as lines and columns if its text is in [`SaveOptions::texts`], a call site as the position inside the
/// helper. Reasons of sequences and marks are left out.
///
/// # Errors
/// Fails for a tensor without elements, and for unknown nodes of several graphs.
pub fn save_with(value: &Value, options: &SaveOptions) -> Result<String, SaveError> {
    if !options.version.types_as_nodes {
        return save_nodes(value, options).map(|(text, _)| text);
    }
    let own = SaveOptions { version: &TvmJsonVersion::V0_23, compact: true, ..options.clone() };
    let (text, kept) = save_nodes(value, &own)?;
    let indent_spaces = if options.compact { 0 } else { options.version.indent_spaces };
    translate::to_release(&text, kept, options.version, indent_spaces)
}

/// Writes a value, and returns the number of the first nodes, which are as in the graph of unknown ones.
fn save_nodes(value: &Value, options: &SaveOptions) -> Result<(String, usize), SaveError> {
    let saved = match save_behind(value, options, None) {
        Err(Failed::NeedsGraph(graph)) => {
            let first = Graph::of(&graph).ok_or(SaveError::TwoGraphs)?;
            let count = usize::try_from(first.count).unwrap_or(usize::MAX);
            save_behind(value, options, Some(&first)).map(|text| (text, count))
        }
        saved => saved.map(|text| (text, 0)),
    };
    saved.map_err(|failed| match failed {
        Failed::Elided(hash) => Elided { hash }.into(),
        Failed::NeedsGraph(_) => SaveError::TwoGraphs,
    })
}

/// The graph of unknown nodes.
struct Graph<'g> {
    text: &'g Str,
    /// JSON of the nodes.
    nodes: &'g str,
    count: u32,
}

impl Graph<'_> {
    fn of(graph: &Str) -> Option<Graph<'_>> {
        let text = graph.as_str();
        let mut scan = Scanner::new(text);
        let count = u32::try_from(scan.count_nodes()?).ok()?;
        scan.expect(b'{').ok()?;
        let mut first = true;
        while scan.more(first, b'}').ok()? {
            first = false;
            let key = scan.key().ok()?;
            scan.peek();
            let start = scan.offset();
            scan.skip_value().ok()?;
            if key == "nodes" {
                let nodes = text.get(start..scan.offset())?;
                let nodes = nodes.strip_prefix('[')?.strip_suffix(']')?.trim_end();
                return Some(Graph { text: graph, nodes, count });
            }
        }
        None
    }
}

/// Compares graphs, most of which are the same text.
fn same_text(a: &Str, b: &Str) -> bool {
    std::ptr::eq(a.as_str(), b.as_str()) || a == b
}

/// The reason why a value is not saved.
enum Failed {
    /// A tensor has no elements.
    Elided(ContentHash),
    /// The value has nodes of this graph.
    NeedsGraph(Str),
}

/// Writes a value behind the nodes of a graph.
fn save_behind(value: &Value, options: &SaveOptions, graph: Option<&Graph<'_>>) -> Result<String, Failed> {
    let indent_spaces = if options.compact { 0 } else { options.version.indent_spaces };
    let mut saver = Saver {
        options,
        out: Emitter::new(indent_spaces, 2),
        worklist: Vec::new(),
        count: graph.map_or(0, |graph| graph.count),
        graph: graph.map(|graph| graph.text),
        numbers: Numbers { keeps_ranges: !options.texts.is_empty(), ..Numbers::default() },
        extra_maps: AddressMap::default(),
        dtypes: HashMap::new(),
        failed: None,
    };
    if let Some(graph) = graph.filter(|graph| !graph.nodes.is_empty()) {
        saver.out.raw(graph.nodes);
    }
    saver.run(value.as_field());
    if let Some(failed) = saver.failed {
        return Err(failed);
    }
    let nodes = saver.out.finish();
    let root = saver.numbers.get(value.as_field()).unwrap_or(0);
    let mut out = Emitter::new(indent_spaces, 0);
    out.reserve(nodes.len() + 200);
    out.open('{');
    out.key("root_index");
    out.int(i64::from(root));
    out.key("nodes");
    out.open('[');
    out.raw(&nodes);
    out.close(']');
    out.key("metadata");
    out.open('{');
    out.key("tvm_version");
    out.string(options.version.tvm_version);
    out.close('}');
    out.close('}');
    Ok(out.finish())
}

/// Indices of written values. Equal values share one; nodes have one each.
#[derive(Default)]
struct Numbers {
    none: Option<u32>,
    truth: Option<u32>,
    falsehood: Option<u32>,
    ints: HashMap<i64, u32>,
    floats: HashMap<u64, u32>,
    dtypes: HashMap<DataType, u32>,
    strings: HashMap<Str, u32>,
    objects: AddressMap<u32>,
    spans: HashMap<Span, u32>,
    /// `true` if the texts of byte ranges may be known.
    keeps_ranges: bool,
}

/// A position in TVM's form: source, line, last line, column, last column.
struct Place {
    source: SourceId,
    lines: [u32; 2],
    columns: [u32; 2],
}

/// The parts of a span that TVM can represent.
fn places(span: Span, texts: &SourceTexts) -> Vec<Place> {
    span.parts().into_iter().filter_map(|part| place(part, texts)).collect()
}

fn place(mut span: Span, texts: &SourceTexts) -> Option<Place> {
    loop {
        span = match span.kind() {
            SpanKind::LineColumn { source, line, column, end_line, end_column } => {
                return Some(Place { source, lines: [line, end_line], columns: [column, end_column] });
            }
            SpanKind::Source { source } => return Some(Place { source, lines: [0; 2], columns: [0; 2] }),
            SpanKind::Range { source, start_bytes, end_bytes } => {
                let (line, column) = texts.line_column(source, start_bytes)?;
                let (end_line, end_column) = texts.line_column(source, end_bytes)?;
                return Some(Place { source, lines: [line, end_line], columns: [column, end_column] });
            }
            SpanKind::CallSite { callee, .. } => callee,
            SpanKind::Output { of } => of,
            // Nested in a call site: the first part.
            SpanKind::Sequence { spans, .. } => *spans.first()?,
            SpanKind::Unknown => return None,
        };
    }
}

impl Numbers {
    /// Returns `false` for a span that is certainly left out.
    fn keeps(&self, span: Span) -> bool {
        span.is_known()
            && (self.keeps_ranges || !matches!(span.kind(), SpanKind::Range { .. } | SpanKind::Unknown))
    }

    fn get(&self, value: FieldRef<'_>) -> Option<u32> {
        match value {
            FieldRef::None => self.none,
            FieldRef::Bool(true) => self.truth,
            FieldRef::Bool(false) => self.falsehood,
            FieldRef::Int(i) => self.ints.get(&i).copied(),
            FieldRef::Float(f) => self.floats.get(&f.to_bits()).copied(),
            FieldRef::DType(d) => self.dtypes.get(&d).copied(),
            FieldRef::Name(n) => self.strings.get(n.get().as_str()).copied(),
            FieldRef::Span(s) if self.keeps(s) => self.spans.get(&s).copied(),
            FieldRef::Span(_) => self.none,
            FieldRef::Node(o) => match Str::try_ref(o) {
                Some(s) => self.strings.get(s.as_str()).copied(),
                None => self.objects.get(&o.address()).copied(),
            },
        }
    }

    fn set(&mut self, value: FieldRef<'_>, number: u32) {
        match value {
            FieldRef::None => self.none = Some(number),
            FieldRef::Bool(true) => self.truth = Some(number),
            FieldRef::Bool(false) => self.falsehood = Some(number),
            FieldRef::Int(i) => drop(self.ints.insert(i, number)),
            FieldRef::Float(f) => drop(self.floats.insert(f.to_bits(), number)),
            FieldRef::DType(d) => drop(self.dtypes.insert(d, number)),
            FieldRef::Name(n) => drop(self.strings.insert(n.get(), number)),
            FieldRef::Span(s) if self.keeps(s) => drop(self.spans.insert(s, number)),
            FieldRef::Span(_) => self.none = Some(number),
            FieldRef::Node(o) => match Str::try_ref(o) {
                Some(s) => drop(self.strings.insert(s.clone(), number)),
                None => drop(self.objects.insert(o.address(), number)),
            },
        }
    }
}

enum WorkItem<'a> {
    Enter(FieldRef<'a>),
    /// The node's children are written.
    Leave(&'a Object),
    /// An empty map for the extra field of the node at this address.
    ExtraMap(usize),
}

struct Saver<'a, 'o> {
    options: &'o SaveOptions,
    out: Emitter,
    worklist: Vec<WorkItem<'a>>,
    count: u32,
    numbers: Numbers,
    extra_maps: AddressMap<u32>,
    /// Quoted texts of dtypes.
    dtypes: HashMap<DataType, String>,
    /// Text of the graph whose nodes come first.
    graph: Option<&'o Str>,
    failed: Option<Failed>,
}

fn is_inline(kind: FieldKind) -> bool {
    !matches!(kind, FieldKind::Node | FieldKind::Any | FieldKind::Span)
}

impl<'a, 'o> Saver<'a, 'o> {
    fn run(&mut self, root: FieldRef<'a>) {
        self.worklist.push(WorkItem::Enter(root));
        while let Some(item) = self.worklist.pop() {
            match item {
                WorkItem::Enter(value) if self.numbers.get(value).is_some() => {}
                WorkItem::Enter(FieldRef::Node(object)) => self.enter(object),
                WorkItem::Enter(scalar) => self.scalar(scalar),
                WorkItem::Leave(object) => self.leave(object),
                WorkItem::ExtraMap(owner) => {
                    self.extra_maps.insert(owner, self.count);
                    self.count += 1;
                    self.begin(self.keys().map);
                    self.out.open('[');
                    self.out.close(']');
                    self.out.close('}');
                }
            }
        }
    }

    fn keys(&self) -> &'o TypeKeys {
        &self.options.version.keys
    }

    fn extra_field(&self, info: &TypeInfo) -> Option<&str> {
        let asked =
            self.options.extra_fields.iter().map(|extra| (extra.type_key.as_str(), extra.name.as_str()));
        let mut all = asked.chain(self.options.version.extra_maps.iter().copied());
        all.find(|(key, _)| *key == info.key()).map(|(_, name)| name)
    }

    /// Returns `true` for a field that the release writes only with a value.
    fn is_left_out(&self, info: &TypeInfo, field: &FieldInfo, value: FieldRef<'_>) -> bool {
        let is_empty_map = || match value {
            FieldRef::Node(map) => map.info().shape() == Shape::Map && map.map_entries().next().is_none(),
            _ => false,
        };
        is_absent(field, value)
            || self.options.version.is_missing_map(info.key(), field.name) && is_empty_map()
    }

    /// Schedules the node after its children.
    fn enter(&mut self, object: &'a Object) {
        let info = object.info();
        if let Some(node) = object.as_node::<UnknownNode>() {
            return self.unknown(node, object);
        }
        self.worklist.push(WorkItem::Leave(object));
        match info.shape() {
            Shape::Str | Shape::Tensor => {}
            Shape::Fields if info.by_name().is_some() => {}
            Shape::Fields => {
                if self.extra_field(info).is_some() {
                    self.worklist.push(WorkItem::ExtraMap(object.address()));
                }
                for (index, field) in info.fields().iter().enumerate().rev() {
                    let value = object.field(index);
                    if !is_inline(field.kind) && !self.is_left_out(info, field, value) {
                        self.worklist.push(WorkItem::Enter(value));
                    }
                }
            }
            Shape::Array => {
                let items = object.array_items();
                self.worklist.extend(items.iter().rev().map(|item| WorkItem::Enter(item.as_field())));
            }
            Shape::Map => {
                let entries = object.map_entries().rev();
                for (key, value) in entries {
                    self.worklist.push(WorkItem::Enter(value.as_field()));
                    self.worklist.push(WorkItem::Enter(key.as_field()));
                }
            }
        }
    }

    /// An unknown node has its number in the graph.
    fn unknown(&mut self, node: &UnknownNode, object: &'a Object) {
        match (self.graph, u32::try_from(node.index)) {
            (Some(graph), Ok(number)) if same_text(graph, &node.graph) => {
                self.numbers.set(FieldRef::Node(object), number);
            }
            _ => {
                self.failed = Some(Failed::NeedsGraph(node.graph.clone()));
                self.worklist.clear();
            }
        }
    }

    fn begin(&mut self, key: &str) {
        self.out.element();
        self.out.open('{');
        self.out.key("type");
        self.out.string(key);
        if key != self.keys().none {
            self.out.key("data");
        }
    }

    fn finish(&mut self, value: FieldRef<'a>) {
        self.out.close('}');
        self.numbers.set(value, self.count);
        self.count += 1;
    }

    fn scalar(&mut self, value: FieldRef<'a>) {
        match value {
            FieldRef::Bool(b) => {
                self.begin(self.keys().bool);
                self.out.bool(b);
            }
            FieldRef::Int(i) => {
                self.begin(self.keys().int);
                self.out.int(i);
            }
            FieldRef::Float(f) => {
                self.begin(self.keys().float);
                self.out.float(f);
            }
            FieldRef::DType(d) => {
                self.begin(self.keys().dtype);
                self.dtype(d);
            }
            FieldRef::Name(n) => {
                self.begin(self.keys().string);
                self.out.string(&n.get());
            }
            FieldRef::Span(span) => return self.span(span, value),
            FieldRef::None | FieldRef::Node(_) => self.begin(self.keys().none),
        }
        self.finish(value);
    }

    fn span(&mut self, span: Span, value: FieldRef<'a>) {
        let places = places(span, &self.options.texts);
        let Some((last, others)) = places.split_last() else {
            let none = match self.numbers.none {
                Some(none) => none,
                None => {
                    self.begin(self.keys().none);
                    self.finish(FieldRef::None);
                    self.count - 1
                }
            };
            return self.numbers.set(value, none);
        };
        if others.is_empty() {
            self.place(last);
            return self.numbers.set(value, self.count - 1);
        }
        let parts: Vec<u32> = places
            .iter()
            .map(|place| {
                self.place(place);
                self.count - 1
            })
            .collect();
        if self.numbers.none.is_none() {
            self.begin(self.keys().none);
            self.finish(FieldRef::None);
        }
        self.begin(self.keys().array);
        self.out.open('[');
        for part in parts {
            self.out.element();
            self.out.int(i64::from(part));
        }
        self.out.close(']');
        self.out.close('}');
        let array = self.count;
        self.count += 1;
        self.begin(self.keys().sequential_span);
        self.out.open('{');
        self.out.key("source_name");
        self.out.int(i64::from(self.numbers.none.unwrap_or_default()));
        for key in ["line", "column", "end_line", "end_column"] {
            self.out.key(key);
            self.out.int(0);
        }
        self.out.key("spans");
        self.out.int(i64::from(array));
        self.out.close('}');
        self.finish(value);
    }

    fn place(&mut self, place: &Place) {
        let Place { source, lines: [line, end_line], columns: [column, end_column] } = *place;
        self.begin(self.keys().source_name);
        self.out.string(&source.name());
        self.out.close('}');
        let source = self.count;
        self.count += 1;
        self.begin(self.keys().span);
        self.out.open('{');
        for (key, number) in [
            ("source_name", source),
            ("line", line),
            ("column", column),
            ("end_line", end_line),
            ("end_column", end_column),
        ] {
            self.out.key(key);
            self.out.int(i64::from(number));
        }
        self.out.close('}');
        self.out.close('}');
        self.count += 1;
    }

    fn dtype(&mut self, dtype: DataType) {
        if dtype.is_void() {
            // TVM writes void as an empty text.
            return self.out.string("");
        }
        if self.dtypes.get(&dtype).is_none() {
            let mut text = Emitter::new(0, 0);
            text.string(&dtype.to_string());
            self.dtypes.insert(dtype, text.finish());
        }
        if let Some(text) = self.dtypes.get(&dtype) {
            self.out.raw(text);
        }
    }

    fn number(&mut self, value: FieldRef<'a>) {
        // Children are written before their parents, except a name that was set concurrently.
        let number = self.numbers.get(value).or(self.numbers.none).unwrap_or(0);
        self.out.int(i64::from(number));
    }

    fn leave(&mut self, object: &'a Object) {
        let info = object.info();
        match info.shape() {
            Shape::Str => {
                self.begin(self.keys().string);
                self.out.string(Str::try_ref(object).map_or("", Str::as_str));
            }
            Shape::Array => {
                self.begin(self.keys().array);
                self.out.open('[');
                for item in object.array_items() {
                    self.out.element();
                    self.number(item.as_field());
                }
                self.out.close(']');
            }
            Shape::Map => {
                self.begin(self.keys().map);
                self.out.open('[');
                for (key, value) in object.map_entries() {
                    self.out.element();
                    self.number(key.as_field());
                    self.out.element();
                    self.number(value.as_field());
                }
                self.out.close(']');
            }
            Shape::Tensor => match object.as_node::<TensorNode>() {
                Some(value) => {
                    self.begin(self.keys().tensor);
                    match tensor::encode(value) {
                        Some(text) => self.out.string(&text),
                        None => self.failed = Some(Failed::Elided(value.content_hash())),
                    }
                }
                None => {
                    self.begin(self.keys().shape);
                    self.out.open('[');
                    for &value in object.as_node::<ShapeNode>().map_or(&[][..], |s| &s.values) {
                        self.out.element();
                        self.out.int(value);
                    }
                    self.out.close(']');
                }
            },
            Shape::Fields if info.by_name().is_some() => {
                self.begin(self.options.version.key_of(info.key()));
                let name = info.field_index("name").map(|i| object.field(i).to_value());
                let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
                self.out.string(&self.options.version.name_of(info.key(), name));
            }
            Shape::Fields => self.fields(object, info),
        }
        self.finish(FieldRef::Node(object));
    }

    fn fields(&mut self, object: &'a Object, info: &'static TypeInfo) {
        self.begin(self.options.version.key_of(info.key()));
        self.out.open('{');
        for (index, field) in info.fields().iter().enumerate() {
            let value = object.field(index);
            if self.is_left_out(info, field, value) {
                continue;
            }
            self.out.key(field.name);
            match value {
                value if !is_inline(field.kind) => self.number(value),
                FieldRef::Bool(b) => self.out.bool(b),
                FieldRef::Int(i) => self.out.int(i),
                FieldRef::Float(f) => self.out.float(f),
                FieldRef::DType(d) => self.dtype(d),
                _ => self.out.int(0),
            }
        }
        if let Some(name) = self.extra_field(info).map(str::to_owned) {
            self.out.key(&name);
            let number = self.extra_maps.get(&object.address()).copied().unwrap_or(0);
            self.out.int(i64::from(number));
        }
        self.out.close('}');
    }
}
