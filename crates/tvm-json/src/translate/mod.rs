//! Translation of graphs between releases whose nodes have other types and fields.
//!
//! A release is a pair of [`Rules`], one for each direction. Rules describe the node that stands for another one; the
//! translation follows the references of the descriptions, so the result has no other nodes, each after those that it
//! refers to. One node can be translated in several ways, by its [`Role`].

mod from_tvm_0_27;
mod numbers;
mod tables;
mod to_tvm_0_27;

use std::borrow::Cow;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use tvmscript_ir_core::Registry;
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, JsonErrorKind, SaveError};
use tvmscript_ir_core::type_table::type_by_key;

use crate::graph::{Data, Field, Graph, Node, Plain};
use crate::version::{PlainNumbers, TvmJsonVersion, TypesAsNodes};
use from_tvm_0_27::FromTvm027;
use numbers::{Numbers, Plainly};
pub(crate) use tables::{Current, Own};
use to_tvm_0_27::ToTvm027;

/// Writes a graph of the nodes here as one of the release. The first `kept` nodes are of the release already.
///
/// # Errors
/// If a buffer refers to itself.
pub(crate) fn to_release(
    text: &str,
    kept: usize,
    version: &'static TvmJsonVersion,
    nodes: &'static TypesAsNodes,
    indent_spaces: usize,
) -> Result<String, SaveError> {
    // The text is one that this crate wrote.
    let graph = Graph::parse(text, &Own::default(), kept).map_err(|_| SaveError::Cycle)?;
    let kept: Vec<usize> = (0..kept.min(graph.nodes.len())).collect();
    let names = nodes.renames.unwrap_or(version.renames);
    let mut translated =
        translate(&graph, &kept, &ToTvm027::new(&graph, names, nodes)).map_err(|_| SaveError::Cycle)?;
    rename(
        &mut translated.graph,
        |key| nodes.key_of_0_27(version.renames, key),
        |key, field| {
            nodes.fields.iter().find(|(of, new, _)| *of == key && *new == field).map(|(.., own)| *own)
        },
    );
    Ok(translated.graph.write(indent_spaces, version.tvm_version))
}

/// Writes a graph of the release as one of the nodes here, with the number of the node that each was made for.
///
/// # Errors
/// If the text is not a graph.
pub(crate) fn from_release(
    text: &str,
    version: &'static TvmJsonVersion,
    nodes: &'static TypesAsNodes,
    registry: &Registry,
) -> Result<(String, Vec<usize>), JsonError> {
    let schema = Current::new(version.renames, nodes);
    let mut graph = Graph::parse(text, &schema, 0)?;
    let operators = type_by_key("ir.Op");
    let has_operator = |name: &str| operators.is_some_and(|info| registry.allows_name(info, name));
    let unknown = graph.nodes.iter().enumerate().filter(|(_, node)| !schema.knows(&node.kind));
    let unknown: Vec<usize> = unknown.map(|(index, _)| index).collect();
    rename(
        &mut graph,
        |key| nodes.key_in_0_27(version.renames, key),
        |key, field| {
            let key = nodes.key_in_0_27(version.renames, key);
            nodes.fields.iter().find(|(of, _, own)| *of == key && *own == field).map(|(_, new, _)| *new)
        },
    );
    let names = nodes.renames.unwrap_or(version.renames);
    let translated = translate(&graph, &unknown, &FromTvm027::new(&graph, names, &has_operator))
        .map_err(|cycle| cycle.error(text))?;
    Ok((translated.graph.write(0, ""), translated.origins))
}

/// Writes the numbers of attributes as the release has them. The first `kept` nodes are of the release already.
///
/// # Errors
/// If a node refers to itself.
pub(crate) fn to_plain_numbers(
    text: &str,
    kept: usize,
    version: &'static TvmJsonVersion,
    plain: &'static PlainNumbers,
    indent_spaces: usize,
) -> Result<String, SaveError> {
    // The text is one that this crate wrote.
    let schema = Plainly::new(version.renames, true);
    let graph = Graph::parse(text, &schema, kept).map_err(|_| SaveError::Cycle)?;
    let kept: Vec<usize> = (0..kept.min(graph.nodes.len())).collect();
    let translated =
        translate(&graph, &kept, &Numbers::to(version.renames, plain)).map_err(|_| SaveError::Cycle)?;
    Ok(translated.graph.write(indent_spaces, version.tvm_version))
}

/// Writes the numbers of attributes as they are here; the nodes stay those of the release.
///
/// # Errors
/// If the text is not a graph.
pub(crate) fn from_plain_numbers(
    text: &str,
    version: &'static TvmJsonVersion,
) -> Result<(String, Vec<usize>), JsonError> {
    let schema = Plainly::new(version.renames, false);
    let graph = Graph::parse(text, &schema, 0)?;
    let unknown = graph.nodes.iter().enumerate().filter(|(_, node)| !schema.knows(&node.kind));
    let unknown: Vec<usize> = unknown.map(|(index, _)| index).collect();
    let translated =
        translate(&graph, &unknown, &Numbers::from(version.renames)).map_err(|cycle| cycle.error(text))?;
    Ok((translated.graph.write(0, ""), translated.origins))
}

/// Renames types and fields. A field is found by the type key before.
fn rename(
    graph: &mut Graph<'_>,
    key_of: impl for<'k> Fn(&'k str) -> &'k str,
    field_of: impl Fn(&str, &str) -> Option<&'static str>,
) {
    for node in &mut graph.nodes {
        if let Data::Fields(fields) = &mut node.data {
            for (name, _) in fields {
                if let Some(new) = field_of(&node.kind, name) {
                    *name = new.into();
                }
            }
        }
        let new = key_of(&node.kind);
        if new != node.kind {
            node.kind = new.to_owned().into();
        }
    }
}

/// The error in the text that the translated one comes from.
pub(crate) fn at_origin(error: JsonError, text: &str, origins: &[usize]) -> JsonError {
    let number = error.path.strip_prefix("$.nodes[").and_then(|rest| rest.split_once(']'));
    let number = number.and_then(|(number, _)| number.parse::<usize>().ok());
    match number.and_then(|number| origins.get(number)) {
        Some(origin) => at_node(error, text, *origin),
        None => error,
    }
}

fn at_node(error: JsonError, text: &str, index: usize) -> JsonError {
    let path = format!("$.nodes[{index}]");
    JsonError { offset_bytes: Scanner::locate(text, &path), path, ..error }
}

/// The purpose of a translation of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// An expression, a statement, a type of TIR, or anything else.
    Plain,
    /// A value of Relax.
    Relax,
    /// The type of a value of Relax.
    Info,
    /// An element of an array of attributes.
    Attr,
    /// [`Role::Attr`], with more bits here.
    WideAttr,
    /// The data pointer of a buffer.
    Data,
    /// The parameter of a function for a buffer.
    Handle,
}

/// Something that a described node refers to.
#[derive(Debug, Clone)]
pub(crate) enum Part<'t> {
    /// The translation of the node with a number.
    Of(usize, Role),
    /// A value in place.
    Plain(Plain<'t>),
    /// A new node, or an equal one that was made before.
    Shared(Box<Made<'t>>),
    /// A new node.
    Made(Box<Made<'t>>),
}

/// The description of a node.
#[derive(Debug, Clone)]
pub(crate) enum Made<'t> {
    /// The node itself is another one.
    Same(Part<'t>),
    /// A node with fields.
    Fields(Cow<'t, str>, Vec<(Cow<'t, str>, Part<'t>)>),
    /// A node with the numbers of others.
    List(Cow<'t, str>, Vec<Part<'t>>),
    /// A node without references.
    Leaf(Node<'t>),
}

/// The rules of one direction.
pub(crate) trait Rules<'t> {
    /// The role among those that a node has the same translation for.
    fn role(&self, graph: &Graph<'t>, index: usize, role: Role) -> Role;

    /// Describes the node that stands for another one.
    fn describe(&self, graph: &Graph<'t>, index: usize, role: Role) -> Made<'t>;
}

/// A node that refers to itself through others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The number of a node of the cycle.
    pub(crate) index: usize,
}

impl Cycle {
    /// The error in the text of the graph.
    fn error(self, text: &str) -> JsonError {
        let index = i64::try_from(self.index).unwrap_or(i64::MAX);
        let kind = JsonErrorKind::ForwardReference { from: index, index };
        at_node(JsonError::new(kind), text, self.index)
    }
}

/// A translated graph.
pub(crate) struct Translated<'t> {
    pub(crate) graph: Graph<'t>,
    /// For each node, the number of the node that it was made for.
    pub(crate) origins: Vec<usize>,
}

/// Translates a graph. The nodes `kept`, in ascending order, come first and stay as they are.
///
/// # Errors
/// If descriptions refer to each other in a cycle.
pub(crate) fn translate<'t>(
    graph: &Graph<'t>,
    kept: &[usize],
    rules: &impl Rules<'t>,
) -> Result<Translated<'t>, Cycle> {
    let mut work = Translation {
        graph,
        rules,
        out: Vec::new(),
        origins: Vec::new(),
        done: HashMap::new(),
        shared: HashMap::new(),
    };
    let nodes = kept.iter().filter_map(|index| Some((index, graph.nodes.get(*index)?)));
    for (index, node) in nodes {
        let number = work.push(node.clone(), *index);
        let role = rules.role(graph, *index, Role::Plain);
        work.done.insert((*index, role), Some(number));
    }
    let mut stack = vec![(graph.root, rules.role(graph, graph.root, Role::Plain), None)];
    while let Some((index, role, described)) = stack.pop() {
        match described {
            // A second visit, after the references.
            Some(made) => {
                let number = work.build(made, index);
                work.done.insert((index, role), Some(number));
            }
            None => match work.done.get(&(index, role)) {
                Some(Some(_)) => {}
                Some(None) => return Err(Cycle { index }),
                None => {
                    work.done.insert((index, role), None);
                    let made = rules.describe(graph, index, role);
                    let mut needs = Vec::new();
                    made.references(&mut needs);
                    stack.push((index, role, Some(made)));
                    let needs = needs.into_iter().rev();
                    let needs = needs.map(|(index, role)| (index, rules.role(graph, index, role)));
                    let open = needs.filter(|need| work.done.get(need).is_none_or(Option::is_none));
                    stack.extend(open.map(|(index, role)| (index, role, None)));
                }
            },
        }
    }
    let root = work.number(graph.root, Role::Plain);
    Ok(Translated {
        graph: Graph { nodes: work.out, root, descriptions: graph.descriptions.clone() },
        origins: work.origins,
    })
}

struct Translation<'g, 't, R> {
    graph: &'g Graph<'t>,
    rules: &'g R,
    out: Vec<Node<'t>>,
    origins: Vec<usize>,
    /// Numbers of translated nodes; `None` for those under way.
    done: HashMap<(usize, Role), Option<usize>>,
    /// Numbers of the nodes that occur once, by type and data.
    shared: HashMap<(String, String), usize>,
}

impl<'t, R: Rules<'t>> Translation<'_, 't, R> {
    fn push(&mut self, node: Node<'t>, origin: usize) -> usize {
        self.out.push(node);
        self.origins.push(origin);
        self.out.len() - 1
    }

    fn number(&self, index: usize, role: Role) -> usize {
        // All references are translated before the node that has them.
        let role = self.rules.role(self.graph, index, role);
        self.done.get(&(index, role)).copied().flatten().unwrap_or_default()
    }

    fn build(&mut self, made: Made<'t>, origin: usize) -> usize {
        let node = match made {
            Made::Same(part) => match self.part(part, origin) {
                Field::Node(number) => return number,
                Field::Plain(value) => Node { kind: "".into(), data: Data::Plain(value) },
            },
            Made::Leaf(node) => node,
            Made::Fields(kind, parts) => {
                let fields = parts.into_iter().map(|(name, part)| (name, self.part(part, origin)));
                let fields = fields.collect();
                Node { kind, data: Data::Fields(fields) }
            }
            Made::List(kind, parts) => {
                let numbers = parts.into_iter().filter_map(|part| match self.part(part, origin) {
                    Field::Node(number) => Some(number),
                    Field::Plain(_) => None,
                });
                let numbers = numbers.collect();
                Node { kind, data: Data::List(numbers) }
            }
        };
        self.push(node, origin)
    }

    fn part(&mut self, part: Part<'t>, origin: usize) -> Field<'t> {
        match part {
            Part::Plain(value) => Field::Plain(value),
            Part::Of(index, role) => Field::Node(self.number(index, role)),
            Part::Made(made) => Field::Node(self.build(*made, origin)),
            Part::Shared(made) => {
                let before = self.out.len();
                let number = self.build(*made, origin);
                let Some(node) = self.out.get(number).filter(|_| number >= before) else {
                    return Field::Node(number);
                };
                let key = (node.kind.to_string(), format!("{:?}", node.data));
                Field::Node(match self.shared.entry(key) {
                    Entry::Occupied(known) => {
                        self.out.truncate(number);
                        self.origins.truncate(number);
                        *known.get()
                    }
                    Entry::Vacant(place) => *place.insert(number),
                })
            }
        }
    }
}

impl<'t> Made<'t> {
    /// Adds the references in the order of the description.
    fn references(&self, out: &mut Vec<(usize, Role)>) {
        match self {
            Made::Same(part) => part.references(out),
            Made::Fields(_, parts) => parts.iter().for_each(|(_, part)| part.references(out)),
            Made::List(_, parts) => parts.iter().for_each(|part| part.references(out)),
            Made::Leaf(_) => {}
        }
    }
}

impl<'t> Part<'t> {
    fn references(&self, out: &mut Vec<(usize, Role)>) {
        match self {
            Part::Of(index, role) => out.push((*index, *role)),
            Part::Made(made) | Part::Shared(made) => made.references(out),
            Part::Plain(_) => {}
        }
    }

    /// The part for a field of a node.
    fn of(node: &Node<'t>, field: &str) -> Part<'t> {
        Part::of_role(node, field, Role::Plain)
    }

    /// The part for a field of a node, in a role.
    fn of_role(node: &Node<'t>, field: &str, role: Role) -> Part<'t> {
        match node.field(field) {
            Some(Field::Node(index)) => Part::Of(*index, role),
            Some(Field::Plain(value)) => Part::Plain(value.clone()),
            None => Part::none(),
        }
    }

    /// The absent value.
    fn none() -> Part<'t> {
        Part::Shared(Box::new(Made::Leaf(Node { kind: "None".into(), data: Data::None })))
    }

    /// A value in place.
    fn text(text: impl Into<Cow<'t, str>>) -> Part<'t> {
        Part::Plain(Plain::Text(text.into()))
    }

    /// A string node.
    fn string(text: impl Into<Cow<'t, str>>) -> Part<'t> {
        Part::leaf("ffi.String", Plain::Text(text.into()))
    }

    /// A node that holds a value.
    fn leaf(kind: &'static str, value: Plain<'t>) -> Part<'t> {
        Part::Shared(Box::new(Made::Leaf(Node { kind: kind.into(), data: Data::Plain(value) })))
    }

    /// The type of a value with a data type.
    fn prim_type(dtype: impl Into<Cow<'t, str>>) -> Part<'t> {
        Part::Shared(Box::new(Made::of(
            "ir.PrimType",
            vec![("span", Part::none()), ("dtype", Part::text(dtype))],
        )))
    }

    fn list(items: Vec<Part<'t>>) -> Part<'t> {
        Part::Made(Box::new(Made::List("ffi.Array".into(), items)))
    }

    fn made(kind: &'static str, fields: Vec<(&'static str, Part<'t>)>) -> Part<'t> {
        Part::Made(Box::new(Made::of(kind, fields)))
    }
}

impl<'t> Made<'t> {
    /// A node without references that occurs once; tensors are too large to be compared.
    fn shared(node: Node<'t>) -> Made<'t> {
        match &*node.kind {
            "ffi.Tensor" => Made::Leaf(node),
            _ => Made::Same(Part::Shared(Box::new(Made::Leaf(node)))),
        }
    }

    fn of(kind: &'static str, fields: Vec<(&'static str, Part<'t>)>) -> Made<'t> {
        Made::Fields(kind.into(), fields.into_iter().map(|(name, part)| (name.into(), part)).collect())
    }
}

/// A number as a node.
fn int_imm<'t>(dtype: &'static str, value: Plain<'t>) -> Part<'t> {
    let value = match value {
        Plain::Bool(value) => Plain::Int(value.into()),
        value => value,
    };
    Part::made(
        "ir.IntImm",
        vec![("span", Part::none()), ("dtype", Part::text(dtype)), ("value", Part::Plain(value))],
    )
}

/// A number in place, of a node.
fn plain_attr<'t>(graph: &Graph<'t>, index: usize) -> Part<'t> {
    let node = graph.nodes.get(index);
    let is_bool = node.and_then(|node| node.text("dtype")).is_some_and(|dtype| dtype == "bool");
    match node.and_then(|node| node.field("value")) {
        Some(Field::Plain(Plain::Int(value))) if is_bool => Part::Plain(Plain::Bool(*value != 0)),
        Some(Field::Plain(value)) => Part::Plain(value.clone()),
        _ => Part::Of(index, Role::Plain),
    }
}
