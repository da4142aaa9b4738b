//! Writer of the format.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::metadata::{self, Descriptions};
use crate::tensor;
use crate::translate;
use crate::version::{TvmJsonVersion, TypeKeys};
use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::dtype::DataType;
use tvmscript_ir_core::json::emit::{Emitter, Prepared};
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{SaveError, UnknownNode};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::span::{SourceId, SourceTexts, Span, SpanKind};
use tvmscript_ir_core::type_table::{FieldKind, Shape, TypeInfo};
use tvmscript_ir_core::value::{FieldRef, Value};
use tvmscript_ir_core::vectors::entry;
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
    let indent_spaces = if options.compact { 0 } else { options.version.indent_spaces };
    if let Some(plain) = options.version.plain_numbers {
        let (text, kept) = save_nodes(value, &SaveOptions { compact: true, ..options.clone() })?;
        return translate::to_plain_numbers(&text, kept, options.version, plain, indent_spaces);
    }
    let Some(nodes) = options.version.types_as_nodes else {
        return save_nodes(value, options).map(|(text, _)| text);
    };
    let own = SaveOptions { version: &TvmJsonVersion::V0_23, compact: true, ..options.clone() };
    let (text, kept) = save_nodes(value, &own)?;
    translate::to_release(&text, kept, options.version, nodes, indent_spaces)
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
        out: Emitter::new(indent_spaces, NODE_LEVEL),
        worklist: Vec::new(),
        written: Vec::new(),
        count: graph.map_or(0, |graph| graph.count),
        graph: graph.map(|graph| graph.text),
        numbers: Numbers { keeps_ranges: !options.texts.is_empty(), ..Numbers::default() },
        forms: Vec::new(),
        dtypes: HashMap::new(),
        descriptions: Descriptions::new(),
        failed: None,
    };
    if let Some(graph) = graph.filter(|graph| !graph.nodes.is_empty()) {
        saver.out.raw(graph.nodes);
    }
    saver.run(value.as_field());
    if let Some(failed) = saver.failed {
        return Err(failed);
    }
    let mut head = Emitter::new(indent_spaces, 0);
    head.open('{');
    head.key("root_index");
    head.int(i64::from(saver.written.pop().unwrap_or(0)));
    head.key("nodes");
    head.open('[');
    let mut out = saver.out;
    out.prepend(&head.finish());
    out.close(']');
    metadata::write(&mut out, options.version.tvm_version, &saver.descriptions);
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
    /// By address; a long text that is shared is in both.
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
            SpanKind::Marked { of, .. } => of,
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

    fn get(&mut self, value: FieldRef<'_>) -> Option<u32> {
        match value {
            // Met only once.
            FieldRef::Node(o) if is_single(o) => None,
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
                Some(s) if s.as_str().len() < LONG_TEXT => self.strings.get(s.as_str()).copied(),
                Some(s) => match self.objects.get(&o.address()) {
                    Some(number) => Some(*number),
                    None => {
                        let number = self.strings.get(s.as_str()).copied()?;
                        self.objects.insert(o.address(), number);
                        Some(number)
                    }
                },
                None => self.objects.get(&o.address()).copied(),
            },
        }
    }

    fn set(&mut self, value: FieldRef<'_>, number: u32) {
        match value {
            FieldRef::Node(o) if is_single(o) => {}
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
                Some(s) => {
                    if s.as_str().len() >= LONG_TEXT {
                        self.objects.insert(o.address(), number);
                    }
                    self.strings.insert(s.clone(), number);
                }
                None => drop(self.objects.insert(o.address(), number)),
            },
        }
    }
}

/// Returns `true` for a node that has one parent, so no other refers to its number. Equal strings share theirs.
fn is_single(object: &Object) -> bool {
    object.is_unique() && object.info().shape() != Shape::Str
}

enum WorkItem<'a> {
    Enter(FieldRef<'a>),
    /// The node's children are written; their numbers are in [`Saver::written`] from this position on.
    Leave(&'a Object, usize),
    /// An empty map for an extra field.
    ExtraMap,
}

/// The start of the nodes of a type, and the fields of the type.
struct TypeForm {
    start: Prepared,
    fields: Box<[FieldForm]>,
    extra_field: Option<Prepared>,
}

struct FieldForm {
    key: Prepared,
    /// The value has a node of its own.
    is_node: bool,
    /// Left out without a value.
    optional: bool,
    /// Left out if it is an empty map.
    is_missing_map: bool,
}

impl FieldForm {
    /// Returns `true` for a field that the release writes only with a value.
    fn is_left_out(&self, value: FieldRef<'_>) -> bool {
        match value {
            FieldRef::None => self.optional,
            FieldRef::Node(map) => {
                self.is_missing_map && map.info().shape() == Shape::Map && map.map_entries().next().is_none()
            }
            _ => false,
        }
    }
}

/// Numbers of texts of this many bytes are looked up by address first.
const LONG_TEXT: usize = 1 << 12;

/// Level of the elements of `nodes`.
const NODE_LEVEL: usize = 2;

struct Saver<'a, 'o> {
    options: &'o SaveOptions,
    out: Emitter,
    worklist: Vec<WorkItem<'a>>,
    /// Numbers of the written children of the nodes that are not written yet.
    written: Vec<u32>,
    count: u32,
    numbers: Numbers,
    /// By type index.
    forms: Vec<Option<Rc<TypeForm>>>,
    /// Quoted texts of dtypes.
    dtypes: HashMap<DataType, String>,
    /// Text of the graph whose nodes come first.
    graph: Option<&'o Str>,
    descriptions: Descriptions,
    failed: Option<Failed>,
}

impl<'a, 'o> Saver<'a, 'o> {
    fn run(&mut self, root: FieldRef<'a>) {
        self.worklist.push(WorkItem::Enter(root));
        while let Some(item) = self.worklist.pop() {
            let number = match item {
                WorkItem::Enter(value) => match self.numbers.get(value) {
                    Some(number) => number,
                    None => match value {
                        FieldRef::Node(object) => match self.enter(object) {
                            Some(number) => number,
                            None => continue,
                        },
                        scalar => self.scalar(scalar),
                    },
                },
                WorkItem::Leave(object, children) => self.leave(object, children),
                WorkItem::ExtraMap => {
                    self.begin(self.keys().map);
                    self.out.open('[');
                    self.out.close(']');
                    self.end()
                }
            };
            self.written.push(number);
        }
    }

    fn keys(&self) -> &'o TypeKeys {
        &self.options.version.keys
    }

    fn form(&mut self, info: &'static TypeInfo) -> Rc<TypeForm> {
        let form = entry(&mut self.forms, info.index());
        if let Some(form) = form {
            return form.clone();
        }
        let made = Rc::new(self.make_form(info));
        if let Some(origin) = info.origin() {
            self.descriptions.insert(origin.dialect.clone(), origin.description.clone());
        }
        *entry(&mut self.forms, info.index()) = Some(made.clone());
        made
    }

    #[cold]
    fn make_form(&self, info: &TypeInfo) -> TypeForm {
        let version = self.options.version;
        let start = self.out.prepare(NODE_LEVEL, |out| {
            begin(out, version.key_of(info.key()));
            out.key("data");
            if info.shape() == Shape::Fields && info.by_name().is_none() {
                out.open('{');
            }
        });
        let key = |name: &str| self.out.prepare(NODE_LEVEL + 2, |out| out.key(name));
        let fields = info.fields().iter().map(|field| FieldForm {
            key: key(field.name),
            is_node: matches!(field.kind, FieldKind::Node | FieldKind::Any | FieldKind::Span),
            optional: field.optional,
            is_missing_map: version.is_missing_map(info.key(), field.name),
        });
        let asked =
            self.options.extra_fields.iter().map(|extra| (extra.type_key.as_str(), extra.name.as_str()));
        let mut all = asked.chain(version.extra_maps.iter().copied());
        let extra_field = all.find(|(key, _)| *key == info.key()).map(|(_, name)| key(name));
        TypeForm { start, fields: fields.collect(), extra_field }
    }

    /// Schedules the node after its children. Returns its number if it is an unknown one, which is not written.
    fn enter(&mut self, object: &'a Object) -> Option<u32> {
        let info = object.info();
        if let Some(node) = object.as_node::<UnknownNode>() {
            return self.unknown(node);
        }
        self.worklist.push(WorkItem::Leave(object, self.written.len()));
        match info.shape() {
            Shape::Str | Shape::Tensor => {}
            Shape::Fields if info.by_name().is_some() => {}
            Shape::Fields => {
                let form = self.form(info);
                if form.extra_field.is_some() {
                    self.worklist.push(WorkItem::ExtraMap);
                }
                for (index, field) in form.fields.iter().enumerate().filter(|(_, field)| field.is_node).rev()
                {
                    let value = object.field(index);
                    if !field.is_left_out(value) {
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
        None
    }

    /// An unknown node has its number in the graph.
    fn unknown(&mut self, node: &UnknownNode) -> Option<u32> {
        match (self.graph, u32::try_from(node.index)) {
            (Some(graph), Ok(number)) if same_text(graph, &node.graph) => Some(number),
            _ => {
                self.failed = Some(Failed::NeedsGraph(node.graph.clone()));
                self.worklist.clear();
                None
            }
        }
    }

    /// Begins a node without fields.
    fn begin(&mut self, key: &str) {
        begin(&mut self.out, key);
        if key != self.keys().none {
            self.out.key("data");
        }
    }

    /// Ends a node, and returns its number.
    fn end(&mut self) -> u32 {
        self.out.close('}');
        self.count += 1;
        self.count - 1
    }

    /// Ends the node of a value, which other nodes may share.
    fn finish(&mut self, value: FieldRef<'a>) -> u32 {
        let number = self.end();
        self.numbers.set(value, number);
        number
    }

    fn scalar(&mut self, value: FieldRef<'a>) -> u32 {
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
        self.finish(value)
    }

    /// Number of the absent value.
    fn none(&mut self) -> u32 {
        match self.numbers.none {
            Some(none) => none,
            None => self.scalar(FieldRef::None),
        }
    }

    fn span(&mut self, span: Span, value: FieldRef<'a>) -> u32 {
        let places = places(span, &self.options.texts);
        let number = match places.split_last() {
            None => self.none(),
            Some((last, [])) => self.place(last),
            Some(_) => {
                let parts: Vec<u32> = places.iter().map(|place| self.place(place)).collect();
                let source = self.none();
                self.begin(self.keys().array);
                self.indices(&parts);
                let array = self.end();
                self.begin(self.keys().sequential_span);
                self.out.open('{');
                self.out.key("source_name");
                self.out.int(i64::from(source));
                for key in ["line", "column", "end_line", "end_column"] {
                    self.out.key(key);
                    self.out.int(0);
                }
                self.out.key("spans");
                self.out.int(i64::from(array));
                self.out.close('}');
                self.end()
            }
        };
        self.numbers.set(value, number);
        number
    }

    fn indices(&mut self, numbers: &[u32]) {
        self.out.open('[');
        for &number in numbers {
            self.out.element();
            self.out.int(i64::from(number));
        }
        self.out.close(']');
    }

    fn place(&mut self, place: &Place) -> u32 {
        let Place { source, lines: [line, end_line], columns: [column, end_column] } = *place;
        self.begin(self.keys().source_name);
        self.out.string(&source.name());
        let source = self.end();
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
        self.end()
    }

    fn dtype(&mut self, dtype: DataType) {
        if dtype.is_void() {
            // TVM writes void as an empty text.
            return self.out.string("");
        }
        let text = self.dtypes.entry(dtype).or_insert_with(|| {
            let mut text = Emitter::new(0, 0);
            text.string(&dtype.to_string());
            text.finish()
        });
        self.out.raw(text);
    }

    /// Writes a node whose children are written, and have the numbers from a position on.
    fn leave(&mut self, object: &'a Object, children: usize) -> u32 {
        let info = object.info();
        let form = self.form(info);
        self.out.prepared(&form.start);
        match info.shape() {
            Shape::Str => self.out.string(Str::try_ref(object).map_or("", Str::as_str)),
            Shape::Array | Shape::Map => {
                let written = std::mem::take(&mut self.written);
                self.indices(written.get(children..).unwrap_or_default());
                self.written = written;
            }
            Shape::Tensor => match object.as_node::<TensorNode>() {
                Some(value) => match tensor::encode(value) {
                    Some(text) => self.out.string(&text),
                    None => self.failed = Some(Failed::Elided(value.content_hash())),
                },
                None => {
                    self.out.open('[');
                    for &value in object.as_node::<ShapeNode>().map_or(&[][..], |s| &s.values) {
                        self.out.element();
                        self.out.int(value);
                    }
                    self.out.close(']');
                }
            },
            Shape::Fields if info.by_name().is_some() => {
                let name = info.field_index("name").map(|i| object.field(i).to_value());
                let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
                self.out.string(&self.options.version.name_of(info.key(), name));
            }
            Shape::Fields => self.fields(object, &form, children),
        }
        self.written.truncate(children);
        self.finish(FieldRef::Node(object))
    }

    fn fields(&mut self, object: &'a Object, form: &TypeForm, mut children: usize) {
        let mut child = |saver: &mut Self| {
            let number = saver.written.get(children).copied().unwrap_or_default();
            children += 1;
            saver.out.int(i64::from(number));
        };
        for (index, field) in form.fields.iter().enumerate() {
            let value = object.field(index);
            if field.is_left_out(value) {
                continue;
            }
            self.out.prepared(&field.key);
            match value {
                _ if field.is_node => child(self),
                FieldRef::Bool(b) => self.out.bool(b),
                FieldRef::Int(i) => self.out.int(i),
                FieldRef::Float(f) => self.out.float(f),
                FieldRef::DType(d) => self.dtype(d),
                _ => self.out.int(0),
            }
        }
        if let Some(key) = &form.extra_field {
            self.out.prepared(key);
            child(self);
        }
        self.out.close('}');
    }
}

/// Begins a node with the key of its type.
fn begin(out: &mut Emitter, key: &str) {
    out.element();
    out.open('{');
    out.key("type");
    out.string(key);
}
