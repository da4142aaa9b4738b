//! The graph format of TVM 0.8 to 0.20, as a graph of TVM 0.23.
//!
//! `{"root": 1, "nodes": [{"type_key": .., "attrs": {..}}, ..], "b64ndarrays": [..], "attrs": {"tvm_version": ..}}`. Node
//! 0 is the absent value, nodes may refer to later ones, all values of fields are strings, and tensors are in a list of
//! their own. Fields that nodes no longer have, and spans, are left out.
//!
//! Upstream counterpart: `src/node/serialization.cc` of TVM 0.20.

use std::borrow::Cow;

use hashbrown::HashMap;
use tvmscript_ir_core::json::scan::Scanner;
use tvmscript_ir_core::json::{JsonError, JsonErrorKind};
use tvmscript_ir_core::type_table::{FieldKind, TypeInfo};
use tvmscript_ir_core::{DataType, Registry};

use crate::TvmJsonVersion;
use crate::graph::{Data, Field, Graph, Node, Plain};

type Result<T> = std::result::Result<T, JsonError>;

/// A node as the format has it.
#[derive(Default)]
struct Old<'t> {
    kind: Cow<'t, str>,
    /// The text of a node that is written as text.
    text: Option<Cow<'t, str>>,
    attrs: Vec<(Cow<'t, str>, Cow<'t, str>)>,
    /// The keys of a map whose keys are all strings.
    keys: Vec<Cow<'t, str>>,
    data: Vec<usize>,
    /// Byte offset.
    place: usize,
}

/// Fields whose values are numbers of tensors.
const TENSORS: &[(&str, &str)] = &[("relax.expr.Constant", "data"), ("relay.Constant", "data")];

/// The text of the graph as TVM 0.23 writes it, with the number of the node that each was made for.
///
/// # Errors
/// If the text is not such a graph, its nodes form a cycle, or one has a type that no dialect declares.
pub(crate) fn translate(text: &str, registry: &Registry) -> Result<(String, Vec<usize>)> {
    let mut source = Source { nodes: Vec::new(), tensors: Vec::new(), root: 0 };
    source.read(text)?;
    let mut target = Target {
        source: &source,
        registry,
        graph: Graph::default(),
        origins: Vec::new(),
        made: HashMap::new(),
        none: None,
    };
    target.graph.root = target.translate(source.root)?;
    Ok((target.graph.write(0, TvmJsonVersion::V0_23.tvm_version), target.origins))
}

struct Source<'t> {
    nodes: Vec<Old<'t>>,
    tensors: Vec<Cow<'t, str>>,
    root: usize,
}

impl<'t> Source<'t> {
    fn read(&mut self, text: &'t str) -> Result<()> {
        let mut scan = Scanner::new(text);
        scan.expect(b'{')?;
        let (mut root, mut first) = (None, true);
        while scan.more(first, b'}')? {
            first = false;
            match &*scan.key()? {
                "root" => root = Some((index(&mut scan)?, scan.offset())),
                "nodes" => {
                    scan.expect(b'[')?;
                    while scan.more(self.nodes.is_empty(), b']')? {
                        let at = self.nodes.len();
                        let node = node(&mut scan).map_err(|e| e.within(format_args!(".nodes[{at}]")))?;
                        self.nodes.push(node);
                    }
                }
                "b64ndarrays" => {
                    scan.expect(b'[')?;
                    while scan.more(self.tensors.is_empty(), b']')? {
                        self.tensors.push(scan.string()?);
                    }
                }
                _ => scan.skip_value()?,
            }
        }
        scan.end()?;
        let missing = || JsonError::new(JsonErrorKind::MissingKey { key: "root".to_owned() });
        let (root, place) = root.ok_or_else(missing)?;
        if root >= self.nodes.len() {
            return Err(bad_index(root, place).within(".root"));
        }
        self.root = root;
        Ok(())
    }
}

fn bad_index(index: usize, place: usize) -> JsonError {
    JsonError::at(JsonErrorKind::BadIndex { index: i64::try_from(index).unwrap_or(i64::MAX) }, place)
}

fn index(scan: &mut Scanner<'_>) -> Result<usize> {
    scan.peek();
    let start = scan.offset();
    let index = scan.int()?;
    usize::try_from(index).map_err(|_| JsonError::at(JsonErrorKind::BadIndex { index }, start))
}

/// A value of a field: a string, or what another writer made of it.
fn value<'t>(scan: &mut Scanner<'t>) -> Result<Cow<'t, str>> {
    if scan.peek() == Some(b'"') {
        return scan.string();
    }
    let start = scan.offset();
    scan.skip_value()?;
    Ok(Cow::Borrowed(scan.text_from(start).trim_end()))
}

fn node<'t>(scan: &mut Scanner<'t>) -> Result<Old<'t>> {
    scan.peek();
    let mut node = Old { place: scan.offset(), ..Old::default() };
    scan.expect(b'{')?;
    let mut first = true;
    while scan.more(first, b'}')? {
        first = false;
        match &*scan.key()? {
            "type_key" => node.kind = scan.string()?,
            "repr_str" | "global_key" => node.text = Some(scan.string()?),
            "attrs" => {
                scan.expect(b'{')?;
                while scan.more(node.attrs.is_empty(), b'}')? {
                    let key = scan.key()?;
                    node.attrs.push((key, value(scan)?));
                }
            }
            "keys" => {
                scan.expect(b'[')?;
                while scan.more(node.keys.is_empty(), b']')? {
                    node.keys.push(scan.string()?);
                }
            }
            "data" => {
                scan.expect(b'[')?;
                while scan.more(node.data.is_empty(), b']')? {
                    node.data.push(index(scan)?);
                }
            }
            _ => scan.skip_value()?,
        }
    }
    Ok(node)
}

struct Target<'s, 't> {
    source: &'s Source<'t>,
    registry: &'s Registry,
    graph: Graph<'t>,
    /// The numbers that the nodes had.
    origins: Vec<usize>,
    /// The new numbers of nodes, by the old ones.
    made: HashMap<usize, usize>,
    /// The number of the absent value.
    none: Option<usize>,
}

/// A node is visited before and after the nodes that it refers to.
enum Step {
    Enter(usize),
    Leave(usize),
}

impl<'t> Target<'_, 't> {
    fn translate(&mut self, root: usize) -> Result<usize> {
        let mut open = vec![false; self.source.nodes.len()];
        let mut steps = vec![Step::Enter(root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(at) => {
                    if self.made.contains_key(&at) {
                        continue;
                    }
                    let Some(node) = self.source.nodes.get(at) else { continue };
                    if open.get_mut(at).is_none_or(|open| std::mem::replace(open, true)) {
                        let kind = JsonErrorKind::ForwardReference { from: at as i64, index: at as i64 };
                        return Err(JsonError::at(kind, node.place).within(format_args!(".nodes[{at}]")));
                    }
                    steps.push(Step::Leave(at));
                    let references = self.references(node);
                    if let Some(bad) = references.iter().find(|index| **index >= self.source.nodes.len()) {
                        return Err(bad_index(*bad, node.place).within(format_args!(".nodes[{at}]")));
                    }
                    let new = references.into_iter().rev().filter(|index| !self.made.contains_key(index));
                    steps.extend(new.map(Step::Enter));
                }
                Step::Leave(at) => {
                    let new = self.make(at).map_err(|error| error.within(format_args!(".nodes[{at}]")))?;
                    self.made.insert(at, new);
                }
            }
        }
        Ok(self.number(root))
    }

    /// The type of a node; `None` for containers, texts and numbers.
    fn info(&self, kind: &str) -> Option<&'static TypeInfo> {
        self.registry
            .node(kind)
            .or_else(|| self.registry.node(&format!("ir.{kind}")))
            .filter(|info| info.is_concrete())
    }

    /// The nodes that a node refers to.
    fn references(&self, node: &Old<'_>) -> Vec<usize> {
        let mut references = node.data.clone();
        if let Some(info) = self.info(&node.kind) {
            let fields = info.fields().iter().filter(|field| is_reference(info, field.name, field.kind));
            let values = fields.filter_map(|field| node.attr(field.name));
            references.extend(values.filter_map(|value| value.parse::<usize>().ok()));
        }
        references
    }

    fn number(&self, old: usize) -> usize {
        self.made.get(&old).copied().unwrap_or_default()
    }

    fn push(&mut self, origin: usize, kind: impl Into<Cow<'t, str>>, data: Data<'t>) -> usize {
        self.graph.nodes.push(Node { kind: kind.into(), data });
        self.origins.push(origin);
        self.graph.nodes.len() - 1
    }

    fn absent(&mut self, origin: usize) -> usize {
        match self.none {
            Some(none) => none,
            None => {
                let none = self.push(origin, TvmJsonVersion::V0_23.keys.none, Data::None);
                *self.none.insert(none)
            }
        }
    }

    fn text(&mut self, origin: usize, text: Cow<'t, str>) -> usize {
        self.push(origin, TvmJsonVersion::V0_23.keys.string, Data::Plain(Plain::Text(text)))
    }

    fn make(&mut self, at: usize) -> Result<usize> {
        let keys = &TvmJsonVersion::V0_23.keys;
        let source = self.source;
        let Some(node) = source.nodes.get(at) else { return Ok(self.absent(at)) };
        let numbers = |target: &Self| node.data.iter().map(|index| target.number(*index)).collect::<Vec<_>>();
        let text = || node.text.clone().unwrap_or_default();
        let bad = || JsonError::at(JsonErrorKind::Expected { expected: "a number" }, node.place);
        Ok(match &*node.kind {
            "" | "Span" | "SequentialSpan" => self.absent(at),
            "runtime.String" | "SourceName" | "StrMapKey" => self.text(at, text()),
            "Array" | "runtime.Array" => {
                let items = numbers(self);
                self.push(at, keys.array, Data::List(items))
            }
            "Map" | "StrMap" | "runtime.Map" => {
                let values = numbers(self);
                let items = match node.keys.is_empty() {
                    true => values,
                    false => {
                        let entries = node.keys.iter().zip(values);
                        entries.flat_map(|(key, value)| [self.text(at, key.clone()), value]).collect()
                    }
                };
                self.push(at, keys.map, Data::List(items))
            }
            "runtime.BoxInt" => {
                let value = text().parse().map_err(|_| bad())?;
                self.push(at, keys.int, Data::Plain(Plain::Int(value)))
            }
            "runtime.BoxBool" => {
                let value = is_true(&text());
                self.push(at, keys.bool, Data::Plain(Plain::Bool(value)))
            }
            "runtime.BoxFloat" => {
                let value = float(&text()).ok_or_else(bad)?;
                self.push(at, keys.float, Data::Plain(Plain::Float(value)))
            }
            kind => {
                let Some(info) = self.info(kind) else {
                    let kind = JsonErrorKind::UnknownType { key: kind.to_owned() };
                    return Err(JsonError::at(kind, node.place).within(".type_key"));
                };
                let data = match (info.by_name(), &node.text) {
                    (Some(_), Some(name)) => Data::Plain(Plain::Text(name.clone())),
                    _ => Data::Fields(self.fields(at, node, info)?),
                };
                self.push(at, info.key(), data)
            }
        })
    }

    fn fields(
        &mut self,
        at: usize,
        node: &Old<'t>,
        info: &TypeInfo,
    ) -> Result<Vec<(Cow<'t, str>, Field<'t>)>> {
        let mut fields = Vec::with_capacity(info.fields().len());
        for field in info.fields() {
            let bad = |expected| {
                let error = JsonError::at(JsonErrorKind::Expected { expected }, node.place);
                error.within(format_args!(".attrs.{}", field.name))
            };
            let value = match (field.kind, node.attr(field.name)) {
                (FieldKind::Span, _) => Field::Node(self.absent(at)),
                (FieldKind::Node | FieldKind::Any, None) if field.optional => continue,
                (FieldKind::Node | FieldKind::Any, None) => Field::Node(match field.name {
                    "annotations" => self.push(at, TvmJsonVersion::V0_23.keys.map, Data::List(Vec::new())),
                    _ => self.absent(at),
                }),
                (FieldKind::Node | FieldKind::Any, Some(value)) => Field::Node(
                    self.reference(at, info, field.name, value.clone()).ok_or_else(|| bad("a tensor"))?,
                ),
                (_, None) => continue,
                (FieldKind::Int, Some(value)) => {
                    Field::Plain(Plain::Int(value.parse().map_err(|_| bad("an integer"))?))
                }
                (FieldKind::Bool, Some(value)) => Field::Plain(Plain::Bool(is_true(value))),
                (FieldKind::Float, Some(value)) => {
                    Field::Plain(Plain::Float(float(value).ok_or_else(|| bad("a number"))?))
                }
                (FieldKind::DType, Some(value)) => {
                    // Some have another name since TVM 0.20.
                    let name = DataType::renamed(value).map_or_else(|| value.clone(), Cow::from);
                    Field::Plain(Plain::Text(name))
                }
            };
            fields.push((Cow::Borrowed(field.name), value));
        }
        Ok(fields)
    }

    /// The node in a field; `None` for a tensor that is not there.
    fn reference(&mut self, at: usize, info: &TypeInfo, field: &str, value: Cow<'t, str>) -> Option<usize> {
        let number = value.parse::<usize>().ok();
        if TENSORS.contains(&(info.key(), field)) {
            let tensor = self.source.tensors.get(number?)?.clone();
            return Some(self.push(at, TvmJsonVersion::V0_23.keys.tensor, Data::Plain(Plain::Text(tensor))));
        }
        Some(match number {
            Some(number) => self.number(number),
            // Some texts stand in place.
            None => self.text(at, value),
        })
    }
}

impl<'t> Old<'t> {
    fn attr(&self, name: &str) -> Option<&Cow<'t, str>> {
        self.attrs.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

fn is_reference(info: &TypeInfo, field: &str, kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Node | FieldKind::Any) && !TENSORS.contains(&(info.key(), field))
}

fn is_true(text: &str) -> bool {
    matches!(text, "1" | "true" | "True")
}

fn float(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" => Some(f64::NAN),
        number => number.parse().ok(),
    }
}
