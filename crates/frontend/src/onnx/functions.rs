//! Functions of a model, inlined before the conversion: a node that calls one becomes the nodes of its body.
//!
//! A node of a body has the name of the call and its own, `call/inner`, and so have the values inside. Further calls of a
//! name get a number.

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use prost::Message as _;

use super::name::text;
use super::operators::find;
use super::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto};
use crate::error::ImportError;
use crate::model::Format;

/// Maximum depth of calls and subgraphs inside each other.
const MAX_DEPTH: usize = 64;
/// Maximum number of inlined nodes, those of subgraphs not counted.
const MAX_NODES: usize = 1 << 17;
/// Maximum size of all inlined nodes, encoded, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// The attribute that keeps the version of the operator set of an inlined node. No attribute of an operator has this name.
const VERSION: &[u8] = b"";

/// The version of the operator set of an inlined node.
pub(super) fn version(node: &NodeProto) -> Option<i64> {
    node.attribute.iter().find(|attribute| attribute.name.as_ref() == VERSION)?.i
}

/// Inlines all calls of the model's functions.
///
/// # Errors
/// Fails for functions that call themselves and for models that become too large.
pub(super) fn inline(model: &mut ModelProto) -> Result<(), ImportError> {
    let functions = std::mem::take(&mut model.functions);
    let Some(graph) = model.graph.as_mut().filter(|_| !functions.is_empty()) else { return Ok(()) };
    let mut inliner = Inliner {
        functions: HashMap::new(),
        names: BTreeSet::new(),
        next: HashMap::new(),
        nodes: MAX_NODES,
        bytes: MAX_BYTES,
    };
    for function in &functions {
        // The first of several functions of one name counts.
        let key = (domain(&function.domain), function.name.as_ref(), function.overload.as_ref());
        inliner.functions.entry(key).or_insert(function);
    }
    inliner.collect_names(graph);
    inliner.graph(graph, 0)
}

fn domain(name: &[u8]) -> &[u8] {
    if name == b"ai.onnx" { b"" } else { name }
}

fn failed(reason: String) -> ImportError {
    ImportError::Container { format: Format::Onnx, reason }
}

/// Domain, name and overload of a function.
type Key<'f> = (&'f [u8], &'f [u8], &'f [u8]);

struct Inliner<'f> {
    functions: HashMap<Key<'f>, &'f FunctionProto>,
    /// Names of values and prefixes that are taken.
    names: BTreeSet<Bytes>,
    /// Number for the next prefix of a call with this name.
    next: HashMap<String, usize>,
    /// Number of the nodes that may still be inlined.
    nodes: usize,
    /// Size of the nodes that may still be inlined.
    bytes: usize,
}

/// The graphs in the attributes of a node.
fn subgraphs(node: &mut NodeProto) -> impl Iterator<Item = &mut GraphProto> {
    node.attribute
        .iter_mut()
        .flat_map(|attribute| attribute.g.as_deref_mut().into_iter().chain(&mut attribute.graphs))
}

impl<'f> Inliner<'f> {
    fn collect_names(&mut self, graph: &mut GraphProto) {
        self.names.extend(graph.input.iter().map(|input| input.name.clone()));
        self.names.extend(graph.initializer.iter().map(|tensor| tensor.name.clone()));
        for node in &mut graph.node {
            self.names.extend(node.output.iter().cloned());
            subgraphs(node).for_each(|graph| self.collect_names(graph));
        }
    }

    fn graph(&mut self, graph: &mut GraphProto, depth: usize) -> Result<(), ImportError> {
        let nodes = std::mem::take(&mut graph.node);
        self.nodes(nodes, depth, &mut graph.node)
    }

    /// Adds nodes, with those of bodies in place of calls.
    fn nodes(
        &mut self,
        nodes: Vec<NodeProto>,
        depth: usize,
        found: &mut Vec<NodeProto>,
    ) -> Result<(), ImportError> {
        for mut node in nodes {
            let function = self.function(&node);
            if depth >= MAX_DEPTH {
                let name = text(&node.op_type);
                return Err(failed(format!(
                    "calls of functions and graphs are nested more than {MAX_DEPTH} deep, at an operator `{name}`"
                )));
            }
            match function {
                Some(function) => {
                    let body = self.body(function, &node)?;
                    self.nodes(body, depth + 1, found)?;
                }
                None => {
                    for graph in subgraphs(&mut node) {
                        self.graph(graph, depth + 1)?;
                    }
                    found.push(node);
                }
            }
        }
        Ok(())
    }

    /// The function that a node calls. Operators of ONNX that have a converter are not calls.
    fn function(&self, node: &NodeProto) -> Option<&'f FunctionProto> {
        let function = self.functions.get(&(domain(&node.domain), &node.op_type, &node.overload))?;
        let is_own = domain(&node.domain).is_empty() && find(&text(&node.op_type), "").is_some();
        (!is_own).then_some(function)
    }

    /// The nodes of a function's body for a call.
    fn body(&mut self, function: &'f FunctionProto, call: &NodeProto) -> Result<Vec<NodeProto>, ImportError> {
        let output = call.output.iter().find(|name| !name.is_empty());
        let layer = [&call.name, output.unwrap_or(&call.name), &call.op_type];
        let layer =
            layer.into_iter().find(|name| !name.is_empty()).map(|name| text(name)).unwrap_or_default();
        let mut names = Names { prefix: self.prefix(&layer), renamed: HashMap::new() };
        for (name, value) in function.output.iter().zip(&call.output).filter(|(_, value)| !value.is_empty()) {
            names.renamed.insert(name, value.clone());
        }
        let mut passed = Vec::new();
        for (index, name) in function.input.iter().enumerate() {
            let value = call.input.get(index).cloned().unwrap_or_default();
            // A result that is an operand itself needs a node that makes it.
            if let Some(result) = names.renamed.insert(name, value.clone()) {
                passed.push((value, result));
            }
        }
        let version = function.opset_import.iter().find(|set| domain(&set.domain).is_empty());
        let mut nodes = Vec::with_capacity(function.node.len());
        for (index, inner) in function.node.iter().enumerate() {
            let left = self.bytes.checked_sub(inner.encoded_len()).zip(self.nodes.checked_sub(1));
            (self.bytes, self.nodes) = left.ok_or_else(|| {
                failed(format!(
                    "in place of calls, the bodies of its functions have more than {MAX_NODES} nodes or {MAX_BYTES} bytes"
                ))
            })?;
            let mut node = inner.clone();
            let output = node.output.iter().find(|name| !name.is_empty()).cloned().unwrap_or_default();
            let own = [&node.name, &output].into_iter().find(|name| !name.is_empty()).map(|name| text(name));
            let own = own.unwrap_or_else(|| format!("{}_{index}", text(&node.op_type)).into());
            node.name = format!("{}{own}", names.prefix).into();
            names.rename(&mut node);
            resolve(&mut node, function, call);
            if let Some(version) = version {
                let (name, i) = (Bytes::from_static(VERSION), Some(version.version));
                node.attribute.push(AttributeProto { name, i, ..AttributeProto::default() });
            }
            nodes.push(node);
        }
        for (value, result) in passed {
            let name = format!("{}{}", names.prefix, text(&result)).into();
            let op_type = Bytes::from_static(b"Identity");
            nodes.push(NodeProto {
                input: vec![value],
                output: vec![result],
                name,
                op_type,
                ..NodeProto::default()
            });
        }
        Ok(nodes)
    }

    /// A prefix for the names of values that no other name has.
    fn prefix(&mut self, layer: &str) -> String {
        let next = self.next.entry(layer.to_owned()).or_insert(1);
        loop {
            let number = *next;
            *next += 1;
            let prefix = if number == 1 { format!("{layer}/") } else { format!("{layer}_{number}/") };
            let taken = Bytes::from(prefix.clone());
            let found = self.names.range(taken.clone()..).next();
            if found.is_none_or(|name| !name.starts_with(&taken)) {
                self.names.insert(taken);
                return prefix;
            }
        }
    }
}

/// The names of the values of a body for one call.
struct Names<'f> {
    prefix: String,
    renamed: HashMap<&'f Bytes, Bytes>,
}

impl Names<'_> {
    fn name(&self, name: &mut Bytes) {
        if name.is_empty() {
            return;
        }
        *name = match self.renamed.get(name) {
            Some(value) => value.clone(),
            None => [self.prefix.as_bytes(), name].concat().into(),
        };
    }

    fn rename(&self, node: &mut NodeProto) {
        node.input.iter_mut().chain(&mut node.output).for_each(|name| self.name(name));
        for graph in subgraphs(node) {
            let values = graph.input.iter_mut().chain(&mut graph.output).chain(&mut graph.value_info);
            values.for_each(|value| self.name(&mut value.name));
            graph.initializer.iter_mut().for_each(|tensor| self.name(&mut tensor.name));
            graph.node.iter_mut().for_each(|node| self.rename(node));
        }
    }
}

/// Replaces references to attributes of the call by their values; those without a value are left out.
fn resolve(node: &mut NodeProto, function: &FunctionProto, call: &NodeProto) {
    let attributes = std::mem::take(&mut node.attribute);
    let value = |attribute: AttributeProto| {
        if attribute.ref_attr_name.is_empty() {
            return Some(attribute);
        }
        let mut stated = call.attribute.iter().chain(&function.attribute_proto);
        let value = stated.find(|stated| stated.name == attribute.ref_attr_name)?;
        Some(AttributeProto { name: attribute.name, ..value.clone() })
    };
    node.attribute = attributes.into_iter().filter_map(value).collect();
    for graph in subgraphs(node) {
        graph.node.iter_mut().for_each(|node| resolve(node, function, call));
    }
}
