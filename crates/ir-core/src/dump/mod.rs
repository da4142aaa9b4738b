//! Dumps of graphs in Graphviz's language, as an indented tree, or as JSON.
//!
//! [`Graph::of`] collects nodes and edges in pre-order, inferred fields (`struct_info_`) last. Labels are the scalar
//! fields of a node, or come from the caller. Each node occurs once; the first edge to it is marked. The `place` of
//! an edge is a part of an access path, which [`AccessPath::parse`](crate::AccessPath::parse) parses.

mod classes;
mod write;

use std::collections::HashMap;
use std::fmt::Write;

use crate::access_path::KeyText;
use crate::containers::MapNode;
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::shared::Visited;
use crate::type_table::{Shape, TypeInfo};
use crate::value::{FieldRef, Value};
use crate::vectors::{Arena, reverse_above};

/// Options of a dump.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// Classes to show; the children of other nodes take their place. Empty for all.
    pub kinds: Vec<&'static TypeInfo>,
    /// Omits what visitors of statements and expressions do not reach: definitions (a loop variable) and children of
    /// nodes that are not shown (the shape of a buffer).
    pub as_visited: bool,
    /// Shows alike nodes once, with an edge from each parent.
    pub dedupe: bool,
    /// Maximum number of characters of a label.
    pub max_label: Option<usize>,
    /// Maximum number of nodes; 0 for one million.
    pub max_nodes: usize,
}

/// The nodes and edges of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes, the root first.
    pub nodes: Vec<GraphNode>,
    /// Edges, in the order of the walk.
    pub edges: Vec<GraphEdge>,
    /// `true` if the limit of nodes was reached.
    pub is_cut: bool,
    dedupe: bool,
}

/// A node of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    /// Type key.
    pub class: &'static str,
    /// Label, possibly of several lines.
    pub label: String,
}

/// An edge from a node to its child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdge {
    /// Index of the parent.
    pub from: u32,
    /// Index of the child.
    pub to: u32,
    /// Steps from the parent, such as `args[1]`.
    pub place: String,
    /// `true` for the first edge to the child.
    pub first: bool,
}

/// Returns `true` for a field filled by inference; their names end in `_`.
fn is_inferred(field: &str) -> bool {
    field.ends_with('_') && !field.ends_with("__")
}

/// Returns the scalar fields of a node, such as `dtype=int32 value=1`.
pub fn fields_label(object: &Object) -> String {
    let mut out = String::new();
    for (index, field) in object.info().fields().iter().enumerate() {
        let value = match object.field(index) {
            FieldRef::None | FieldRef::Span(_) => continue,
            FieldRef::Node(o) => match Str::try_ref(o) {
                Some(text) => format!("{:?}", text.as_str()),
                None => continue,
            },
            FieldRef::Name(name) => name.get().to_string(),
            scalar => format!("{:?}", scalar.to_value()),
        };
        let space = if out.is_empty() { "" } else { " " };
        let _ = write!(out, "{space}{}={value}", field.name);
    }
    out
}

/// Maximum number of steps of an edge.
const MAX_STEPS: usize = 64;

/// A step of an edge, linked to the one before it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(u32, &'static str),
    Item(u32, usize),
    Entry(u32, MapKey<'a>),
    Key(u32, MapKey<'a>),
}

/// A map key as an edge shows it.
#[derive(Clone, Copy)]
enum MapKey<'a> {
    Named(&'a Value),
    /// By position, if several keys have its name.
    Numbered(usize),
}

impl std::fmt::Display for MapKey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MapKey::Named(key) => KeyText(key).fmt(f),
            MapKey::Numbered(number) => write!(f, "#{number}"),
        }
    }
}

/// Returns the keys of a map in the order of its entries.
fn map_keys(map: &MapNode) -> Vec<MapKey<'_>> {
    let keys = map.entries().keys().map(|key| key.value());
    let mut names: HashMap<String, u32> = HashMap::new();
    for key in keys.clone().filter(|key| key.as_object().is_some()) {
        *names.entry(KeyText(key).to_string()).or_insert(0) += 1;
    }
    let is_clear = |key: &Value| {
        key.as_object().is_none() || names.get(&KeyText(key).to_string()).is_none_or(|&count| count == 1)
    };
    keys.enumerate()
        .map(|(i, key)| if is_clear(key) { MapKey::Named(key) } else { MapKey::Numbered(i) })
        .collect()
}

struct WorkItem<'a> {
    object: &'a Object,
    /// Index of the closest shown ancestor.
    parent: Option<u32>,
    /// Last step from that ancestor, in [`Collector::steps`].
    step: u32,
}

impl Graph {
    /// Collects the graph at `root`, with the scalar fields as labels.
    pub fn of(root: &Object, options: &DumpOptions) -> Graph {
        Graph::with_labels(root, options, fields_label)
    }

    /// Like [`Graph::of`], with labels from `label`.
    pub fn with_labels(root: &Object, options: &DumpOptions, label: impl FnMut(&Object) -> String) -> Graph {
        Collector::new(options, label).run(root)
    }
}

struct Collector<'a, 'o, L> {
    options: &'o DumpOptions,
    label: L,
    graph: Graph,
    worklist: Vec<WorkItem<'a>>,
    steps: Arena<Step<'a>>,
    numbers: AddressMap<u32>,
    passed: Visited,
}

impl<'a, 'o, L: FnMut(&Object) -> String> Collector<'a, 'o, L> {
    fn new(options: &'o DumpOptions, label: L) -> Self {
        let graph = Graph { dedupe: options.dedupe, ..Graph::default() };
        let mut steps = Arena::default();
        steps.push(Step::Root);
        Collector {
            options,
            label,
            graph,
            worklist: Vec::new(),
            steps,
            numbers: AddressMap::default(),
            passed: Visited::default(),
        }
    }

    fn run(mut self, root: &'a Object) -> Graph {
        let alike = if self.options.dedupe { classes::alike(root) } else { AddressMap::default() };
        self.worklist.push(WorkItem { object: root, parent: None, step: 0 });
        while let Some(WorkItem { object, mut parent, step }) = self.worklist.pop() {
            let identity = alike.get(&object.address()).copied().unwrap_or(object.address());
            let kinds = &self.options.kinds;
            let is_node = object.info().shape() == Shape::Fields;
            let mut below = step;
            if is_node && (kinds.is_empty() || kinds.iter().any(|k| object.info().is_a(k))) {
                let known = self.numbers.get(&identity).copied();
                let Some(number) = known.or_else(|| self.add(object, identity)) else {
                    self.graph.is_cut = true;
                    return self.graph;
                };
                if let Some(from) = parent {
                    let place = self.place_text(step);
                    self.graph.edges.push(GraphEdge { from, to: number, place, first: known.is_none() });
                }
                if known.is_some() {
                    continue;
                }
                parent = Some(number);
                below = 0;
            } else if self.options.as_visited && is_node && parent.is_some() || !self.passed.is_first(object)
            {
                continue;
            }
            self.children(object, parent, below);
        }
        self.graph
    }

    /// Adds a node; `None` if the limit is reached.
    fn add(&mut self, object: &Object, identity: usize) -> Option<u32> {
        let max_nodes = if self.options.max_nodes == 0 { 1_000_000 } else { self.options.max_nodes };
        if self.graph.nodes.len() >= max_nodes {
            return None;
        }
        let number = self.graph.nodes.len() as u32;
        self.numbers.insert(identity, number);
        let mut label = (self.label)(object);
        if let Some(max) = self.options.max_label
            && let Some((cut, _)) = label.char_indices().nth(max)
        {
            label.truncate(cut);
            label.push('…');
        }
        self.graph.nodes.push(GraphNode { class: object.info().display_key(), label });
        Some(number)
    }

    fn children(&mut self, object: &'a Object, parent: Option<u32>, step: u32) {
        let info = object.info();
        let start = self.worklist.len();
        match info.shape() {
            Shape::Str | Shape::Tensor => {}
            Shape::Fields => {
                let as_visited = self.options.as_visited;
                for is_last in [false, true] {
                    let fields = info.fields().iter().enumerate();
                    for (index, field) in fields.filter(|(_, f)| is_inferred(f.name) == is_last) {
                        if !as_visited || !field.def && !is_last {
                            self.push(object.field(index), parent, Step::Field(step, field.name));
                        }
                    }
                }
            }
            Shape::Array => {
                for (i, item) in object.array_items().iter().enumerate() {
                    self.push(item.as_field(), parent, Step::Item(step, i));
                }
            }
            Shape::Map => {
                let Some(map) = object.as_node::<MapNode>() else { return };
                for ((key, value), name) in map.entries().iter().zip(map_keys(map)) {
                    self.push(key.value().as_field(), parent, Step::Key(step, name));
                    self.push(value.as_field(), parent, Step::Entry(step, name));
                }
            }
        }
        reverse_above(&mut self.worklist, start);
    }

    fn push(&mut self, value: FieldRef<'a>, parent: Option<u32>, step: Step<'a>) {
        if let FieldRef::Node(object) = value
            && !matches!(object.info().shape(), Shape::Str | Shape::Tensor)
        {
            let step = self.steps.push(step);
            self.worklist.push(WorkItem { object, parent, step });
        }
    }

    fn place_text(&self, step: u32) -> String {
        let mut steps = Vec::new();
        let mut at = step;
        loop {
            if steps.len() == MAX_STEPS {
                steps.push("…".to_owned());
                break;
            }
            let (step, before) = match *self.steps.at(at) {
                Step::Root => break,
                Step::Field(0, name) => (name.to_owned(), 0),
                Step::Field(before, name) => (format!(".{name}"), before),
                Step::Item(before, index) => (format!("[{index}]"), before),
                Step::Entry(before, key) => (format!("[{key}]"), before),
                Step::Key(before, key) => (format!(".key[{key}]"), before),
            };
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps.concat()
    }
}
