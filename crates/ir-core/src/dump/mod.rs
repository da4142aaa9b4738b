//! The syntax tree as a picture (Graphviz), as an indented tree, or as JSON.
//!
//! [`Graph::of`] collects what is to be shown; the forms write it down. What a node's label says beyond its class
//! comes from the caller, who may ask a printer; by default it is the node's scalar fields. Nodes are numbered in the
//! order of a recursive walk over the fields; what is known of a node by inference (`struct_info_`) comes last. A
//! node comes up once, with an edge from the first node that holds it, in pre-order; further edges are marked as
//! such. The place of an edge is a piece of an access path, which [`AccessPath::parse`](crate::AccessPath::parse)
//! reads.

mod classes;
mod write;

use std::collections::HashMap;
use std::fmt::Write;

use crate::access_path::KeyText;
use crate::containers::{ArrayNode, MapNode};
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::type_table::{Shape, TypeInfo};
use crate::value::{FieldRef, Value};

/// What to show.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// The classes to show; others are passed through. Empty: all.
    pub kinds: Vec<&'static TypeInfo>,
    /// Show what visitors of statements and expressions reach: neither definitions (a loop variable) nor the parts of
    /// other nodes (the shape of a buffer).
    pub as_visited: bool,
    /// Show nodes that are alike once, with an edge from each node that holds one.
    pub dedupe: bool,
    /// The most characters of a label, beyond which it is cut off.
    pub max_label: Option<usize>,
    /// The most nodes to show; 0 for a million.
    pub max_nodes: usize,
}

/// The nodes to show and what holds them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The nodes, the root first.
    pub nodes: Vec<GraphNode>,
    /// The edges, in the order of the walk.
    pub edges: Vec<GraphEdge>,
    /// There was more than the options allow.
    pub is_cut: bool,
    dedupe: bool,
}

/// A node to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    /// Its type key.
    pub class: &'static str,
    /// What is said of it; perhaps several lines.
    pub label: String,
}

/// One node holds another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdge {
    /// The number of the holder.
    pub from: u32,
    /// The number of the held node.
    pub to: u32,
    /// Where, such as `args[1]`.
    pub place: String,
    /// The first edge to the node.
    pub first: bool,
}

/// Whether a field holds what was found out about the node: such fields end in `_`.
fn is_inferred(field: &str) -> bool {
    field.ends_with('_') && !field.ends_with("__")
}

/// The scalar fields of a node, such as `dtype=int32 value=1`.
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

/// Steps that the place of an edge names at most; more lie between shown nodes only when many are passed through.
const MAX_STEPS: usize = 64;

/// A step from a shown node down to one in it.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Field(u32, &'static str),
    Item(u32, usize),
    Entry(u32, MapKey<'a>),
    Key(u32, MapKey<'a>),
}

/// A key of a map, as a place names it.
#[derive(Clone, Copy)]
enum MapKey<'a> {
    Named(&'a Value),
    /// By the number of its entry, where its name is that of several.
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

/// The keys of a map in the order of its entries.
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

struct Item<'a> {
    object: &'a Object,
    /// The number of the shown node around it.
    parent: Option<u32>,
    /// The step here, in the table of steps.
    place: u32,
}

impl Graph {
    /// What is below `root`, and `root`; labels are the scalar fields.
    pub fn of(root: &Object, options: &DumpOptions) -> Graph {
        Graph::with_labels(root, options, fields_label)
    }

    /// As [`Graph::of`], with labels of the caller's.
    pub fn with_labels(root: &Object, options: &DumpOptions, label: impl FnMut(&Object) -> String) -> Graph {
        Collector::new(options, label).run(root)
    }
}

struct Collector<'a, 'o, L> {
    options: &'o DumpOptions,
    label: L,
    graph: Graph,
    stack: Vec<Item<'a>>,
    /// Steps, each with the one before it.
    places: Vec<Place<'a>>,
    numbers: AddressMap<u32>,
    passed: AddressMap<()>,
}

impl<'a, 'o, L: FnMut(&Object) -> String> Collector<'a, 'o, L> {
    fn new(options: &'o DumpOptions, label: L) -> Self {
        let graph = Graph { dedupe: options.dedupe, ..Graph::default() };
        let places = vec![Place::Root];
        Collector {
            options,
            label,
            graph,
            stack: Vec::new(),
            places,
            numbers: AddressMap::default(),
            passed: AddressMap::default(),
        }
    }

    fn run(mut self, root: &'a Object) -> Graph {
        let alike = if self.options.dedupe { classes::alike(root) } else { AddressMap::default() };
        self.stack.push(Item { object: root, parent: None, place: 0 });
        while let Some(Item { object, mut parent, place }) = self.stack.pop() {
            let identity = alike.get(&object.address()).copied().unwrap_or(object.address());
            let kinds = &self.options.kinds;
            let is_node = object.info().shape() == Shape::Fields;
            let mut below = place;
            if is_node && (kinds.is_empty() || kinds.iter().any(|k| object.info().is_a(k))) {
                let known = self.numbers.get(&identity).copied();
                let Some(number) = known.or_else(|| self.add(object, identity)) else {
                    self.graph.is_cut = true;
                    return self.graph;
                };
                if let Some(from) = parent {
                    let place = self.place_text(place);
                    self.graph.edges.push(GraphEdge { from, to: number, place, first: known.is_none() });
                }
                if known.is_some() {
                    continue;
                }
                parent = Some(number);
                below = 0;
            } else if self.options.as_visited && is_node && parent.is_some()
                || !object.is_unique() && self.passed.insert(object.address(), ()).is_some()
            {
                continue;
            }
            self.children(object, parent, below);
        }
        self.graph
    }

    /// A new node; nothing when there are too many.
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

    fn children(&mut self, object: &'a Object, parent: Option<u32>, place: u32) {
        let info = object.info();
        let start = self.stack.len();
        match info.shape() {
            Shape::Str | Shape::Tensor => {}
            Shape::Fields => {
                let as_visited = self.options.as_visited;
                for is_last in [false, true] {
                    let fields = info.fields().iter().enumerate();
                    for (index, field) in fields.filter(|(_, f)| is_inferred(f.name) == is_last) {
                        if !as_visited || !field.def && !is_last {
                            self.push(object.field(index), parent, Place::Field(place, field.name));
                        }
                    }
                }
            }
            Shape::Array => {
                for (i, item) in
                    object.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items).iter().enumerate()
                {
                    self.push(item.as_field(), parent, Place::Item(place, i));
                }
            }
            Shape::Map => {
                let Some(map) = object.as_node::<MapNode>() else { return };
                for ((key, value), name) in map.entries().iter().zip(map_keys(map)) {
                    self.push(key.value().as_field(), parent, Place::Key(place, name));
                    self.push(value.as_field(), parent, Place::Entry(place, name));
                }
            }
        }
        self.stack[start..].reverse();
    }

    fn push(&mut self, value: FieldRef<'a>, parent: Option<u32>, place: Place<'a>) {
        if let FieldRef::Node(object) = value
            && !matches!(object.info().shape(), Shape::Str | Shape::Tensor)
        {
            self.places.push(place);
            let place = self.places.len() as u32 - 1;
            self.stack.push(Item { object, parent, place });
        }
    }

    fn place_text(&self, place: u32) -> String {
        let mut steps = Vec::new();
        let mut at = place;
        loop {
            if steps.len() == MAX_STEPS {
                steps.push("…".to_owned());
                break;
            }
            let (step, before) = match self.places[at as usize] {
                Place::Root => break,
                Place::Field(0, name) => (name.to_owned(), 0),
                Place::Field(before, name) => (format!(".{name}"), before),
                Place::Item(before, index) => (format!("[{index}]"), before),
                Place::Entry(before, key) => (format!("[{key}]"), before),
                Place::Key(before, key) => (format!(".key[{key}]"), before),
            };
            steps.push(step);
            at = before;
        }
        steps.reverse();
        steps.concat()
    }
}
