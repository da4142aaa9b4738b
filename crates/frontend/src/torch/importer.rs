//! The conversion of a program: inputs, nodes in their order, results.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{BaseFunc, GlobalVar};
use tvmscript_ir_core::{DataType, Ref};
use tvmscript_relax::{Expr, PrimValue, Tuple, TupleStructInfo, struct_info_of};
use tvmscript_si_builder::{Operator, pytorch_names};

use super::argument::Argument;
use super::node::Node;
use super::operators::{find, stub};
use super::program::{Graph as Proto, NodeProto, Program, Results};
use super::symbols::Symbols;
use super::value::{Converted, Number, Value};
use super::weights::Weights;
use crate::error::{ImportError, ImportErrors, Reason};
use crate::graph::{Graph, Layer, described};
use crate::ops::field;
use crate::{Format, ImportOptions, Imported};

/// A conversion.
pub(super) struct Importer<'m> {
    pub(super) graph: Graph,
    pub(super) options: &'m ImportOptions,
    pub(super) symbols: Symbols,
    pub(super) weights: &'m Weights<'m>,
    /// Names of the nodes, by address.
    layers: HashMap<*const NodeProto, String>,
    /// The graph under conversion, with the values of its names.
    pub(super) proto: &'m Proto,
    pub(super) scope: HashMap<&'m str, Value>,
    /// Names that nodes or results use.
    used: HashSet<&'m str>,
    /// Functions of branches.
    pub(super) functions: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>,
    pub(super) errors: Vec<ImportError>,
}

/// Converts a program.
pub(super) fn import(
    program: &Program,
    weights: &Weights<'_>,
    options: &ImportOptions,
) -> Result<Imported, ImportErrors> {
    let internal = |reason: Reason| ImportError::Container { format: Format::Torch, reason: reason.0 };
    let main = &program.graph_module.graph;
    let nodes = all_nodes(main);
    let has = |kind: &str| nodes.iter().any(|node| node.kind() == kind);
    let is_pure = !has("_assert_async");
    let has_branches = main.nodes.iter().any(|node| node.kind() == "cond");
    let mut graph = Graph::new(options, is_pure && !has_branches).map_err(|error| internal(error.into()))?;
    if !is_pure {
        graph.set_impure();
    }
    let mut importer = Importer {
        graph,
        options,
        symbols: Symbols::default(),
        weights,
        layers: layers(&nodes),
        proto: main,
        scope: HashMap::new(),
        used: used_names(&nodes, main),
        functions: Vec::new(),
        errors: Vec::new(),
    };
    importer.check_operators(&nodes);
    importer.finish_if_failed()?;
    importer.inputs(program);
    importer.ranges(program);
    importer.nodes();
    let results = importer.results(program);
    importer.finish_if_failed()?;
    let _no_layer = Layer::enter(None);
    let results = results.map_err(internal)?;
    let functions = std::mem::take(&mut importer.functions);
    let finished = importer.graph.finish(Tuple::new(results).upcast()).map_err(internal)?;
    Ok(finished.into_model(functions))
}

/// The nodes of a graph, then those of its branches.
fn all_nodes(main: &Proto) -> Vec<&NodeProto> {
    let mut nodes = Vec::new();
    let mut graphs = vec![main];
    let mut at = 0;
    while let Some(graph) = graphs.get(at) {
        let graph: &Proto = graph;
        at += 1;
        for node in &graph.nodes {
            nodes.push(node);
            graphs.extend(node.graphs());
        }
    }
    nodes
}

/// The names of nodes. Each field of a tuple is a node of its own to PyTorch.
fn layers(nodes: &[&NodeProto]) -> HashMap<*const NodeProto, String> {
    let mut operators = Vec::new();
    let mut places = Vec::new();
    for node in nodes {
        places.push((std::ptr::from_ref(*node), operators.len()));
        let of_kind = |kind| Operator { kind, name: node.module_path(), output: "" };
        operators.push(of_kind(node.kind()));
        if let Results::Fields(fields) = node.results() {
            let made = fields.iter().enumerate().filter(|(index, field)| !is_left_out(field, *index));
            made.for_each(|_| operators.push(of_kind("getitem")));
        }
    }
    let names = pytorch_names(&operators);
    places.into_iter().filter_map(|(node, at)| Some((node, names.get(at)?.clone()))).collect()
}

/// Returns `true` for a field without a node in the graph, which the format has a name for.
fn is_left_out(field: &Argument, index: usize) -> bool {
    matches!(field, Argument::Name(name) if name.ends_with(&format!("_unused_{index}")))
}

fn used_names<'m>(nodes: &[&'m NodeProto], main: &'m Proto) -> HashSet<&'m str> {
    let mut used = HashSet::new();
    let mut arguments: Vec<&'m Argument> = main.outputs.iter().collect();
    for node in nodes {
        arguments.extend(node.inputs.iter().map(|input| &input.arg));
    }
    while let Some(argument) = arguments.pop() {
        match argument {
            Argument::Name(name) => {
                used.insert(name.as_str());
            }
            Argument::List(items) => arguments.extend(items),
            Argument::Graph(graph) => arguments.extend(&graph.outputs),
            _ => {}
        }
    }
    used
}

impl<'m> Importer<'m> {
    fn finish_if_failed(&mut self) -> Result<(), ImportErrors> {
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(ImportErrors(std::mem::take(&mut self.errors))),
        }
    }

    /// Reports all nodes whose operator has no converter.
    fn check_operators(&mut self, nodes: &[&NodeProto]) {
        let mut unsupported: Vec<ImportError> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for node in nodes {
            let name = node.operator();
            if find(name).is_some() || self.options.stubs_unsupported {
                continue;
            }
            let layer = self.layer(node).to_owned();
            let next = unsupported.len();
            match unsupported.get_mut(*known.entry(name).or_insert(next)) {
                Some(ImportError::Unsupported { layers, .. }) => layers.push(layer),
                _ => unsupported.push(ImportError::Unsupported {
                    operator: name.to_owned(),
                    domain: String::new(),
                    layers: vec![layer],
                }),
            }
        }
        self.errors.extend(unsupported);
    }

    /// The name of a node.
    pub(super) fn layer(&self, node: &NodeProto) -> &str {
        self.layers.get(&std::ptr::from_ref(node)).map_or("", String::as_str)
    }

    /// Returns `true` if a node or result uses a name.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// The element type that the program states for a name.
    pub(super) fn stated_dtype(&self, name: &str) -> Option<DataType> {
        self.proto.tensor_values.get(name)?.dtype().ok()
    }

    // --- values ----------------------------------------------------------------------------------------------

    /// The value of an argument.
    pub(super) fn resolved(&self, argument: &Argument) -> Converted {
        Ok(match argument {
            Argument::None => Value::None,
            Argument::Name(name) => match self.scope.get(name.as_str()) {
                Some(value) => value.clone(),
                None => return Err(Reason(format!("nothing makes the value `{name}` before"))),
            },
            Argument::List(items) => {
                Value::List(items.iter().map(|item| self.resolved(item)).collect::<Result<_, _>>()?)
            }
            Argument::Bool(value) => Value::Number(Number::Bool(*value)),
            Argument::Int(value) => Value::Number(Number::Int(*value)),
            Argument::Float(value) => Value::Number(Number::Float(*value)),
            Argument::Unknown(kind) => {
                return Err(Reason(format!("an argument of the kind `{kind}` is not supported")));
            }
            Argument::Text(_) | Argument::Dtype(_) | Argument::Graph(_) | Argument::Ignored => {
                return Err("an argument is not a value".into());
            }
        })
    }

    // --- nodes -----------------------------------------------------------------------------------------------

    /// Converts the nodes of the current graph.
    pub(super) fn nodes(&mut self) {
        let proto = self.proto;
        for node in &proto.nodes {
            self.node(node);
        }
    }

    fn node(&mut self, proto: &'m NodeProto) {
        let layer = self.layer(proto).to_owned();
        let _layer = self.graph.layer(&layer);
        let converted = match self.operands(proto) {
            Some(operands) => self.converted(proto, &operands),
            None => None,
        };
        let Some(value) = converted else {
            match proto.results() {
                Results::One(result) => self.fail(result),
                Results::Fields(fields) => fields.iter().for_each(|result| self.fail(result)),
            }
            return;
        };
        match proto.results() {
            Results::One(result) => self.set(result, value),
            Results::Fields(fields) => self.set_fields(proto, fields, &value),
        }
    }

    /// The values of all arguments; `None` after an error, also of an earlier node.
    fn operands(&mut self, proto: &'m NodeProto) -> Option<Vec<Value>> {
        let mut operands = Vec::new();
        for input in &proto.inputs {
            if matches!(input.arg, Argument::Name(_) | Argument::List(_)) {
                match self.resolved(&input.arg) {
                    Ok(value) if value.is_failed() => return None,
                    Ok(value) => operands.push(value),
                    Err(reason) => {
                        self.report(proto, &[], reason);
                        return None;
                    }
                }
            }
        }
        Some(operands)
    }

    fn report(&mut self, proto: &NodeProto, operands: &[Value], reason: Reason) {
        let mut found = Vec::new();
        operands.iter().for_each(|value| value.expressions(&mut found));
        let inputs = found.into_iter().map(described).collect();
        let (layer, operator) = (self.layer(proto).to_owned(), proto.operator().to_owned());
        self.errors.push(ImportError::Node { layer, operator, inputs, reason: reason.0 });
    }

    fn converted(&mut self, proto: &'m NodeProto, operands: &[Value]) -> Option<Value> {
        let convert = find(proto.operator()).unwrap_or(stub);
        let value = match convert(&mut Node { importer: self, proto }) {
            Ok(value) => value,
            Err(reason) => {
                self.report(proto, operands, reason);
                return None;
            }
        };
        if is_in_place(proto.kind())
            && let (Some(Value::Known(old)), Value::Known(new)) = (operands.first(), &value)
        {
            self.replace(old, new);
        }
        Some(value)
    }

    /// An operator that writes to its first operand: names of the old value now have the new one.
    fn replace(&mut self, old: &Expr, new: &Expr) {
        for value in self.scope.values_mut() {
            if let Value::Known(known) = value
                && known.ptr_eq(old)
            {
                *known = new.clone();
            }
        }
    }

    fn set(&mut self, result: &'m Argument, value: Value) {
        if let Argument::Name(name) = result {
            self.scope.insert(name, value);
        }
    }

    fn fail(&mut self, result: &'m Argument) {
        match result {
            Argument::List(items) => items.iter().for_each(|item| self.fail(item)),
            other => self.set(other, Value::Failed),
        }
    }

    /// Binds the elements of a value to the names of results.
    fn set_fields(&mut self, proto: &NodeProto, fields: &'m [Argument], value: &Value) {
        for (index, result) in fields.iter().enumerate().filter(|(index, field)| !is_left_out(field, *index))
        {
            let item = match self.element(value, index) {
                Ok(item) => item,
                Err(reason) => {
                    self.report(proto, &[], reason);
                    Value::Failed
                }
            };
            match result {
                Argument::List(items) => self.set_fields(proto, items, &item),
                other => self.set(other, item),
            }
        }
    }

    /// An element of a value that is a tuple. A tensor is its own element.
    pub(super) fn element(&mut self, value: &Value, index: usize) -> Converted {
        match value {
            Value::List(items) => {
                items.get(index).cloned().ok_or_else(|| Reason(format!("has no element {index}")))
            }
            Value::Known(value) => {
                let is_tuple = struct_info_of(value).is_some_and(|info| info.is::<TupleStructInfo>());
                Ok(Value::Known(match is_tuple {
                    true => self.graph.emit(field(value, index))?,
                    false => value.clone(),
                }))
            }
            Value::Failed => Ok(Value::Failed),
            _ => Err("is not a tuple".into()),
        }
    }

    // --- results ---------------------------------------------------------------------------------------------

    /// The results for the user. Values that inputs get come first in the graph and are left out.
    fn results(&mut self, program: &'m Program) -> Result<Vec<Expr>, Reason> {
        let values = self.output_values(self.proto);
        let specs = &program.graph_module.signature.output_specs;
        let is_for_user = |spec: &serde_json::Map<String, _>| {
            spec.contains_key("user_output") || spec.contains_key("loss_output")
        };
        let has_user_output = specs.len() == values.len() && specs.iter().any(is_for_user);
        let mut results = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            if !has_user_output || specs.get(at).is_some_and(is_for_user) {
                self.flattened(value, &mut results)?;
            }
        }
        match results.is_empty() {
            true if self.errors.is_empty() => Err("it has no results".into()),
            _ => Ok(results),
        }
    }

    /// The values of a graph's outputs.
    pub(super) fn output_values(&mut self, proto: &Proto) -> Vec<Value> {
        let mut values = Vec::new();
        for output in &proto.outputs {
            match self.resolved(output) {
                Ok(value) => values.push(value),
                Err(reason) => {
                    let reason = format!("an output cannot be returned: {reason}");
                    self.errors.push(ImportError::Container { format: Format::Torch, reason });
                }
            }
        }
        values
    }

    /// Adds the expressions of a value in order.
    pub(super) fn flattened(&mut self, value: Value, results: &mut Vec<Expr>) -> Result<(), Reason> {
        match value {
            Value::Known(value) => results.push(value),
            Value::Dim(dim) => results.push(PrimValue::new(dim).upcast()),
            Value::Number(number) => results.push(number.scalar()),
            Value::None => results.push(tvmscript_relax::op::vm::null_value().upcast()),
            Value::List(items) => {
                for item in items {
                    self.flattened(item, results)?;
                }
            }
            Value::Failed => {}
        }
        Ok(())
    }
}

/// Returns `true` for operators that write to their first operand: `add_`.
fn is_in_place(kind: &str) -> bool {
    kind.ends_with('_') && !kind.ends_with("__")
}
