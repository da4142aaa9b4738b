//! A graph as data, for the translation between releases.

use std::borrow::Cow;

use crate::metadata::{self, Descriptions};
use tvmscript_ir_core::json::emit::Emitter;
use tvmscript_ir_core::json::scan::{Number, Scanner};
use tvmscript_ir_core::json::{JsonError, JsonErrorKind};

type Result<T> = std::result::Result<T, JsonError>;

/// Nodes in the order of their numbers, and the number of the root.
#[derive(Debug, Default)]
pub(crate) struct Graph<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    pub(crate) root: usize,
    /// The descriptions in the metadata.
    pub(crate) descriptions: Descriptions,
}

/// A node: the key of its type, and its data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node<'t> {
    pub(crate) kind: Cow<'t, str>,
    pub(crate) data: Data<'t>,
}

/// The data of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data<'t> {
    /// No data: the absent value.
    None,
    Plain(Plain<'t>),
    /// Numbers of other nodes.
    List(Vec<usize>),
    /// A node with fields.
    Fields(Vec<(Cow<'t, str>, Field<'t>)>),
    /// JSON that nothing is known about.
    Opaque(&'t str),
    /// The JSON of the whole node.
    Whole(&'t str),
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field<'t> {
    /// The number of another node.
    Node(usize),
    Plain(Plain<'t>),
}

/// A value that stands in place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Plain<'t> {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'t, str>),
}

/// The meaning of integers in the data of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Numbers of nodes: an array or a map.
    Numbers,
    /// Fields, or a scalar.
    Fields,
    /// Unknown.
    Opaque,
}

/// Types and fields of a release.
pub(crate) trait Schema {
    /// The shape of the data of a type.
    fn shape(&self, kind: &str) -> Shape;
    /// Returns `true` if an integer in the field is a value, and not the number of a node.
    fn is_plain(&self, kind: &str, field: &str) -> bool;
}

impl<'t> Graph<'t> {
    /// Scans a graph. The first `opaque` nodes stay as they are.
    ///
    /// # Errors
    /// If the text is not a graph, or a node refers to itself or a later one.
    pub(crate) fn parse(text: &'t str, schema: &impl Schema, opaque: usize) -> Result<Graph<'t>> {
        let mut scan = Scanner::new(text);
        let (mut graph, mut root) = (Graph::default(), None);
        scan.expect(b'{')?;
        let mut first = true;
        while scan.more(first, b'}')? {
            first = false;
            match &*scan.key()? {
                "root_index" => {
                    root = Some((scan.int().map_err(|e| e.within(".root_index"))?, scan.offset()))
                }
                "nodes" => graph.scan_nodes(&mut scan, schema, opaque).map_err(|e| e.within(".nodes"))?,
                "metadata" => graph.descriptions = metadata::read(&mut scan)?,
                _ => scan.skip_value()?,
            }
        }
        let missing = || JsonError::new(JsonErrorKind::MissingKey { key: "root_index".to_owned() });
        let (index, place) = root.ok_or_else(missing)?;
        graph.root = usize::try_from(index)
            .ok()
            .filter(|at| *at < graph.nodes.len())
            .ok_or_else(|| JsonError::at(JsonErrorKind::BadIndex { index }, place).within(".root_index"))?;
        Ok(graph)
    }

    fn scan_nodes(&mut self, scan: &mut Scanner<'t>, schema: &impl Schema, opaque: usize) -> Result<()> {
        scan.expect(b'[')?;
        while scan.more(self.nodes.is_empty(), b']')? {
            let index = self.nodes.len();
            scan.peek();
            let start = scan.offset();
            let mut node = self.scan_node(scan, schema, index < opaque);
            if let Ok(node) = &mut node
                && index < opaque
            {
                node.data = Data::Whole(scan.text_from(start));
            }
            self.nodes.push(node.map_err(|e| e.within(format_args!("[{index}]")))?);
        }
        Ok(())
    }

    fn scan_node(&self, scan: &mut Scanner<'t>, schema: &impl Schema, is_opaque: bool) -> Result<Node<'t>> {
        scan.expect(b'{')?;
        let (mut kind, mut data) = (None, None);
        let mut first = true;
        while scan.more(first, b'}')? {
            first = false;
            match &*scan.key()? {
                "type" => kind = Some(scan.string()?),
                "data" => {
                    scan.peek();
                    data = Some(scan.offset());
                    scan.skip_value()?;
                }
                _ => scan.skip_value()?,
            }
        }
        let missing = || JsonErrorKind::MissingKey { key: "type".to_owned() };
        let kind = kind.ok_or_else(|| scan.error(missing()))?;
        let Some(place) = data.filter(|_| !is_opaque) else { return Ok(Node { kind, data: Data::None }) };
        let end = scan.offset();
        scan.set_offset(place);
        let data = self.scan_data(scan, schema, &kind).map_err(|e| e.within(".data"))?;
        scan.set_offset(end);
        Ok(Node { kind, data })
    }

    fn scan_data(&self, scan: &mut Scanner<'t>, schema: &impl Schema, kind: &str) -> Result<Data<'t>> {
        match (schema.shape(kind), scan.peek()) {
            (Shape::Numbers, Some(b'[')) => {
                let mut items = Vec::new();
                scan.expect(b'[')?;
                while scan.more(items.is_empty(), b']')? {
                    items.push(self.index(scan)?);
                }
                Ok(Data::List(items))
            }
            (Shape::Fields, Some(b'{')) => {
                let mut fields = Vec::new();
                scan.expect(b'{')?;
                while scan.more(fields.is_empty(), b'}')? {
                    let name = scan.key()?;
                    let is_index =
                        matches!(scan.peek(), Some(b'0'..=b'9' | b'-')) && !schema.is_plain(kind, &name);
                    let value = match is_index {
                        true => self.index(scan).map(Field::Node),
                        false => plain(scan).map(Field::Plain),
                    };
                    let value = value.map_err(|e| e.within(format_args!(".{name}")))?;
                    fields.push((name, value));
                }
                Ok(Data::Fields(fields))
            }
            (Shape::Fields, Some(byte)) if byte != b'[' => plain(scan).map(Data::Plain),
            _ => {
                let start = scan.offset();
                scan.skip_value()?;
                Ok(Data::Opaque(scan.text_from(start)))
            }
        }
    }

    /// The number of an earlier node.
    fn index(&self, scan: &mut Scanner<'t>) -> Result<usize> {
        scan.peek();
        let start = scan.offset();
        let index = scan.int()?;
        let from = self.nodes.len();
        match usize::try_from(index) {
            Ok(at) if at < from => Ok(at),
            Ok(at) if scan.count_nodes().is_some_and(|count| at < count) => {
                let from = i64::try_from(from).unwrap_or(i64::MAX);
                Err(JsonError::at(JsonErrorKind::ForwardReference { from, index }, start))
            }
            _ => Err(JsonError::at(JsonErrorKind::BadIndex { index }, start)),
        }
    }

    /// The node in a field of another one.
    pub(crate) fn at(&self, node: &Node<'t>, field: &str) -> Option<&Node<'t>> {
        self.nodes.get(node.node(field)?)
    }

    /// The numbers in the list in a field; none if there is no list.
    pub(crate) fn list_at(&self, node: &Node<'t>, field: &str) -> &[usize] {
        self.at(node, field).map_or(&[], Node::list)
    }

    /// The name of the operator of a call.
    pub(crate) fn operator_of(&self, call: &Node<'t>) -> Option<&str> {
        self.at(call, "op").filter(|op| op.kind == "ir.Op")?.as_text().map(|name| &**name)
    }

    /// Writes the graph, on one line if `indent_spaces` is 0.
    pub(crate) fn write(&self, indent_spaces: usize, tvm_version: &str) -> String {
        let mut out = Emitter::new(indent_spaces, 0);
        out.open('{');
        out.key("root_index");
        out.number(self.root);
        out.key("nodes");
        out.open('[');
        for node in &self.nodes {
            out.element();
            node.write(&mut out);
        }
        out.close(']');
        metadata::write(&mut out, tvm_version, &self.descriptions);
        out.close('}');
        out.finish()
    }
}

/// A value that stands in place.
fn plain<'t>(scan: &mut Scanner<'t>) -> Result<Plain<'t>> {
    Ok(match scan.peek() {
        Some(b'"') => Plain::Text(scan.string()?),
        Some(b't' | b'f') => Plain::Bool(scan.bool()?),
        _ => match scan.number("a value")? {
            Number::Int(value) => Plain::Int(value),
            Number::Float(value) => Plain::Float(value),
        },
    })
}

impl<'t> Node<'t> {
    /// The field with a name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field<'t>> {
        let Data::Fields(fields) = &self.data else { return None };
        fields.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The number of the node in a field.
    pub(crate) fn node(&self, name: &str) -> Option<usize> {
        match self.field(name)? {
            Field::Node(index) => Some(*index),
            Field::Plain(_) => None,
        }
    }

    /// The text in a field.
    pub(crate) fn text(&self, name: &str) -> Option<&Cow<'t, str>> {
        match self.field(name)? {
            Field::Plain(Plain::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The numbers of the nodes that it refers to.
    pub(crate) fn references(&self) -> impl Iterator<Item = usize> + '_ {
        let fields: &[(Cow<'t, str>, Field<'t>)] = match &self.data {
            Data::Fields(fields) => fields,
            _ => &[],
        };
        let fields = fields.iter().filter_map(|(_, field)| match field {
            Field::Node(index) => Some(*index),
            Field::Plain(_) => None,
        });
        self.list().iter().copied().chain(fields)
    }

    /// The numbers in a list.
    pub(crate) fn list(&self) -> &[usize] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The text that is the data.
    pub(crate) fn as_text(&self) -> Option<&Cow<'t, str>> {
        match &self.data {
            Data::Plain(Plain::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn write(&self, out: &mut Emitter) {
        if let Data::Whole(text) = self.data {
            return out.raw(text);
        }
        out.open('{');
        out.key("type");
        out.string(&self.kind);
        if self.data != Data::None {
            out.key("data");
        }
        match &self.data {
            Data::None | Data::Whole(_) => {}
            Data::Plain(value) => value.write(out),
            Data::List(items) => {
                out.open('[');
                for item in items {
                    out.element();
                    out.number(*item);
                }
                out.close(']');
            }
            Data::Fields(fields) => {
                out.open('{');
                for (name, value) in fields {
                    out.key(name);
                    match value {
                        Field::Node(index) => out.number(*index),
                        Field::Plain(value) => value.write(out),
                    }
                }
                out.close('}');
            }
            Data::Opaque(text) => out.raw(text),
        }
        out.close('}');
    }
}

impl Plain<'_> {
    fn write(&self, out: &mut Emitter) {
        match self {
            Plain::Bool(value) => out.bool(*value),
            Plain::Int(value) => out.int(*value),
            Plain::Float(value) => out.float(*value),
            Plain::Text(text) => out.string(text),
        }
    }
}

/// Numbers of nodes in a written text.
trait WriteNumber {
    fn number(&mut self, number: usize);
}

impl WriteNumber for Emitter {
    fn number(&mut self, number: usize) {
        self.int(i64::try_from(number).unwrap_or(i64::MAX));
    }
}
