//! Saved models: the graph to convert, its inputs and outputs, and the keys of its variables.

use std::collections::HashMap;

use super::names::{reference, text};
use super::node::attribute;
use super::proto::{FunctionDef, GraphDef, MetaGraphDef, NodeDef, SavedModel, SignatureDef, TensorInfo};

/// Maximum depth of functions that restore variables.
const MAX_DEPTH: usize = 8;

/// The inputs and outputs of a graph, in order of their names.
#[derive(Debug)]
pub(super) struct Interface {
    /// Inputs.
    pub(super) inputs: Vec<(String, TensorInfo)>,
    /// Outputs: name and value.
    pub(super) outputs: Vec<(String, String)>,
}

/// The graph for inference.
pub(super) fn meta_graph(model: &SavedModel) -> Result<&MetaGraphDef, String> {
    let serves = |graph: &&MetaGraphDef| {
        let tags = graph.meta_info_def.iter().flat_map(|info| &info.tags);
        tags.clone().any(|tag| tag.as_ref() == b"serve")
    };
    match (model.meta_graphs.iter().find(serves), model.meta_graphs.as_slice()) {
        (Some(graph), _) | (None, [graph]) => Ok(graph),
        (None, []) => Err("it has no graph".to_owned()),
        (None, _) => Err("none of its graphs has the tag `serve`".to_owned()),
    }
}

/// The inputs and outputs that the default signature states, or the only one.
pub(super) fn interface(graph: &MetaGraphDef) -> Result<Interface, String> {
    let signatures = || graph.signature_def.iter().filter_map(|entry| Some((entry, entry.value.as_ref()?)));
    // The other signature initializes the model.
    let usable: Vec<&SignatureDef> = signatures()
        .filter(|(entry, signature)| {
            entry.key.as_ref() != b"__saved_model_init_op" && !signature.outputs.is_empty()
        })
        .map(|(_, signature)| signature)
        .collect();
    let default = signatures().find(|(entry, _)| entry.key.as_ref() == b"serving_default");
    let signature = match (default, usable.as_slice()) {
        (Some((_, signature)), _) => signature,
        (None, [signature]) => *signature,
        (None, []) => return Err("it has no signature".to_owned()),
        (None, _) => return Err("it has several signatures, and none is `serving_default`".to_owned()),
    };
    let named =
        |entry: &super::proto::TensorInfoEntry| Some((text(&entry.key).into_owned(), entry.value.clone()?));
    let mut inputs: Vec<(String, TensorInfo)> = signature.inputs.iter().filter_map(named).collect();
    inputs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let outputs = signature.outputs.iter().filter_map(named);
    let mut outputs: Vec<(String, String)> =
        outputs.map(|(name, info)| (name, text(&info.name).into_owned())).collect();
    outputs.sort();
    Ok(Interface { inputs, outputs })
}

/// The keys of the variables that a graph restores, by their names.
pub(super) fn restored(graph: &GraphDef) -> HashMap<String, String> {
    let functions = graph.library.iter().flat_map(|library| &library.function);
    let functions = functions
        .filter_map(|function| Some((function.signature.as_ref()?.name.as_ref(), function)))
        .collect();
    let mut found = HashMap::new();
    Restore { functions: &functions, nodes: index(&graph.node), args: HashMap::new() }.collect(0, &mut found);
    found
}

fn index(nodes: &[NodeDef]) -> HashMap<&[u8], &NodeDef> {
    nodes.iter().map(|node| (node.name.as_ref(), node)).collect()
}

/// The name of a variable: what it is shared as, or the name of its node.
pub(super) fn variable_name(node: &NodeDef) -> String {
    let shared = attribute(node, "shared_name").and_then(|value| value.s.as_ref());
    text(shared.filter(|name| !name.is_empty()).unwrap_or(&node.name)).into_owned()
}

/// A graph or function that may restore variables.
struct Restore<'m, 'f> {
    functions: &'f HashMap<&'m [u8], &'m FunctionDef>,
    nodes: HashMap<&'m [u8], &'m NodeDef>,
    /// The variables that parameters are.
    args: HashMap<&'m [u8], String>,
}

impl<'m> Restore<'m, '_> {
    fn collect(&self, depth: usize, found: &mut HashMap<String, String>) {
        for node in self.nodes.values() {
            match node.op.as_ref() {
                b"AssignVariableOp" | b"Assign" => {
                    if let [target, value, ..] = node.input.as_slice()
                        && let (Some(name), Some(key)) = (self.variable(target), self.key(value))
                    {
                        found.insert(name, key);
                    }
                }
                b"PartitionedCall" | b"StatefulPartitionedCall" if depth < MAX_DEPTH => {
                    self.collect_call(node, depth, found);
                }
                _ => {}
            }
        }
    }

    fn collect_call(&self, node: &'m NodeDef, depth: usize, found: &mut HashMap<String, String>) {
        let function = attribute(node, "f").and_then(|value| value.func.as_ref());
        let function = function.and_then(|function| self.functions.get(function.name.as_ref()));
        let Some((function, signature)) = function.and_then(|found| Some((found, found.signature.as_ref()?)))
        else {
            return;
        };
        // Only functions that restore are worth a walk.
        let restores = |node: &NodeDef| {
            matches!(node.op.as_ref(), b"RestoreV2" | b"PartitionedCall" | b"StatefulPartitionedCall")
        };
        if !function.node_def.iter().any(restores) {
            return;
        }
        let params = signature.input_arg.iter().zip(&node.input);
        let args: HashMap<&[u8], String> = params
            .filter_map(|(param, operand)| Some((param.name.as_ref(), self.variable(operand)?)))
            .collect();
        if args.is_empty() {
            return;
        }
        Restore { functions: self.functions, nodes: index(&function.node_def), args }
            .collect(depth + 1, found);
    }

    /// The node that makes a value, without those that pass it on, and the position among its results.
    fn source(&self, value: &[u8]) -> Option<(&'m NodeDef, usize)> {
        let mut used = reference(value)?;
        for _ in 0..=self.nodes.len() {
            let node = *self.nodes.get(used.node)?;
            if node.op.as_ref() != b"Identity" {
                return Some((node, used.index));
            }
            used = reference(node.input.first()?)?;
        }
        None
    }

    fn variable(&self, handle: &[u8]) -> Option<String> {
        if let Some(name) = self.args.get(reference(handle)?.node) {
            return Some(name.clone());
        }
        let (node, _) = self.source(handle)?;
        let is_variable = matches!(node.op.as_ref(), b"VarHandleOp" | b"VariableV2" | b"Variable");
        is_variable.then(|| variable_name(node))
    }

    /// The key with which a restored value was saved.
    fn key(&self, value: &[u8]) -> Option<String> {
        let (node, index) = self.source(value)?;
        if node.op.as_ref() != b"RestoreV2" {
            return None;
        }
        let (names, _) = self.source(node.input.get(1)?)?;
        let names = attribute(names, "value")?.tensor.as_ref()?;
        Some(text(names.string_val.get(index)?).into_owned())
    }
}
