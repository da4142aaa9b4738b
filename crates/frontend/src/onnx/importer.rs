//! The conversion of a graph: parameters, constants, nodes in order, results.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tvmscript_ir_core::Ref;
use tvmscript_prim::IntImm;
use tvmscript_relax::{
    Constant, Expr, ShapeExpr, StructInfo, TensorStructInfo, Tuple, TupleStructInfo, struct_info_of,
};
use tvmscript_si_builder::{Operator, onnx_names};

use super::functions;
use super::inputs::Dimensions;
use super::name::text;
use super::node::{Node, Output};
use super::operators::{Row, as_tensor, find, is_shape};
use super::proto::{GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};
use super::tensor;
use crate::error::{ImportError, ImportErrors, ImportWarning, Reason};
use crate::external::Files;
use crate::file_part::FilePart;
use crate::graph::{Graph, described};
use crate::model::Model;
use crate::ops::{field, tensor_of};
use crate::{ImportOptions, Imported};

/// The value of a name.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// An expression: a variable, a constant, a shape, a scalar, a tuple or a call that is not bound yet.
    Known(Expr),
    /// An optional value that is absent.
    Empty,
    /// The result of a node that could not be converted.
    Failed,
}

/// A graph or one of its subgraphs, with the values of its names.
type Scope<'m> = HashMap<Cow<'m, str>, Value>;

/// The operators that use shapes themselves; others use the lengths as a tensor.
const SHAPE_OPERATORS: [&[u8]; 14] = [
    b"Cast",
    b"CastLike",
    b"Concat",
    b"ConstantOfShape",
    b"Equal",
    b"Expand",
    b"Gather",
    b"Identity",
    b"Reshape",
    b"Resize",
    b"Shape",
    b"Slice",
    b"Squeeze",
    b"Where",
];

/// A conversion.
pub(super) struct Importer<'m> {
    pub(super) graph: Graph,
    pub(super) options: &'m ImportOptions,
    opset: i64,
    pub(super) model: &'m Model,
    /// All nodes: after each one those of its subgraphs.
    order: Vec<&'m NodeProto>,
    /// Names of the nodes, by address.
    layers: HashMap<*const NodeProto, String>,
    scopes: Vec<Scope<'m>>,
    dimensions: Dimensions,
    /// The types that the model states for the values of its main graph.
    declared: HashMap<&'m [u8], &'m ValueInfoProto>,
    /// Files with elements of tensors.
    pub(super) files: Files,
    errors: Vec<ImportError>,
}

/// Converts the graph of a model.
pub(super) fn import(
    proto: &ModelProto,
    main: &GraphProto,
    model: &Model,
    options: &ImportOptions,
) -> Result<Imported, ImportErrors> {
    let stated = proto.opset_import.iter().find(|set| matches!(set.domain.as_ref(), b"" | b"ai.onnx"));
    let opset = options.opset.unwrap_or_else(|| stated.map_or(1, |set| set.version));
    let has_if = main.node.iter().any(|node| node.op_type.as_ref() == b"If");
    let internal = |reason: Reason| ImportError::Container { format: crate::Format::Onnx, reason: reason.0 };
    let graph = Graph::new(options, !has_if).map_err(|error| internal(error.into()))?;
    let typed = main.value_info.iter().chain(&main.output).filter(|info| info.r#type.is_some());
    let mut importer = Importer {
        graph,
        options,
        opset,
        model,
        order: Vec::new(),
        layers: HashMap::new(),
        scopes: vec![Scope::new()],
        dimensions: Dimensions::default(),
        declared: typed.map(|info| (info.name.as_ref(), info)).collect(),
        files: Files::of_folder(model.folder.clone()),
        errors: Vec::new(),
    };
    importer.name_nodes(main);
    importer.check_operators();
    if !importer.errors.is_empty() {
        return Err(ImportErrors(importer.errors));
    }
    importer.begin(main);
    importer.nodes(&main.node);
    let results = importer.results(main);
    if !importer.errors.is_empty() {
        return Err(ImportErrors(importer.errors));
    }
    let _no_layer = crate::graph::Layer::enter(None);
    let result = one_of(results);
    if has_if {
        // TVM's importer binds the results of such a graph in a block of their own, also those that are bound before.
        importer.graph.blocks().forget_normalized();
    }
    let finished = importer.graph.finish(result).map_err(internal)?;
    Ok(finished.into_model(Vec::new()))
}

/// The only value, or a tuple of several.
pub(super) fn one_of(mut values: Vec<Expr>) -> Expr {
    match values.len() {
        1 => values.swap_remove(0),
        _ => Tuple::new(values).upcast(),
    }
}

/// All nodes: after each one those of its subgraphs.
fn all_nodes<'m>(graph: &'m GraphProto, found: &mut Vec<&'m NodeProto>) {
    for node in &graph.node {
        found.push(node);
        let subgraphs = node
            .attribute
            .iter()
            .flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs));
        subgraphs.for_each(|graph| all_nodes(graph, found));
    }
}

impl<'m> Importer<'m> {
    fn name_nodes(&mut self, main: &'m GraphProto) {
        let mut nodes = Vec::new();
        all_nodes(main, &mut nodes);
        for node in &nodes {
            for name in std::iter::once(&node.name).chain(&node.output) {
                if let Cow::Owned(name) = text(name) {
                    self.graph.warnings.push(ImportWarning::NotUtf8 { name });
                }
            }
        }
        let texts: Vec<[Cow<'_, str>; 3]> = nodes
            .iter()
            .map(|node| {
                let output = node.output.iter().find(|name| !name.is_empty());
                [text(&node.op_type), text(&node.name), output.map(|name| text(name)).unwrap_or_default()]
            })
            .collect();
        let operators: Vec<Operator<'_>> =
            texts.iter().map(|[kind, name, output]| Operator { kind, name, output }).collect();
        let names = onnx_names(&operators);
        self.layers = nodes.iter().map(|node| std::ptr::from_ref(*node)).zip(names).collect();
        self.order = nodes;
    }

    /// Reports all nodes whose operator has no converter.
    fn check_operators(&mut self) {
        let mut unsupported: Vec<ImportError> = Vec::new();
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        for node in self.order.clone() {
            if self.row(node).is_some() || self.options.stubs_unsupported {
                continue;
            }
            let layer = self.layer(node).to_owned();
            let (operator, domain) = (text(&node.op_type).into_owned(), text(&node.domain).into_owned());
            let next = unsupported.len();
            let at = *known.entry((operator.clone(), domain.clone())).or_insert(next);
            match unsupported.get_mut(at) {
                Some(ImportError::Unsupported { layers, .. }) => layers.push(layer),
                _ => unsupported.push(ImportError::Unsupported { operator, domain, layers: vec![layer] }),
            }
        }
        self.errors.extend(unsupported);
    }

    /// The converter of a node.
    fn row(&self, node: &NodeProto) -> Option<&'static Row> {
        find(&text(&node.op_type), &text(&node.domain))
    }

    /// The name of a node.
    pub(super) fn layer(&self, node: &NodeProto) -> &str {
        self.layers.get(&std::ptr::from_ref(node)).map_or("", String::as_str)
    }

    // --- values ----------------------------------------------------------------------------------------------

    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn set(&mut self, name: Cow<'m, str>, value: Value) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, value);
        }
    }

    /// The constant that a value is; with `keeps_params`, that which a parameter stands for, which the value is from now on.
    pub(super) fn constant_of(&mut self, name: &str, value: &Expr) -> Option<Expr> {
        let constant = self.peek_constant(value)?;
        if !constant.ptr_eq(value) {
            self.set(Cow::Owned(name.to_owned()), Value::Known(constant.clone()));
        }
        Some(constant)
    }

    /// The constant or shape that a value is, or the constant that a parameter stands for.
    pub(super) fn peek_constant(&self, value: &Expr) -> Option<Expr> {
        if value.is::<Constant>() || value.is::<ShapeExpr>() {
            return Some(value.clone());
        }
        Some(self.graph.kept(value)?.clone().upcast())
    }

    /// The type that the model states for a value, as far as it is known here.
    pub(super) fn declared(&self, name: Option<&prost::bytes::Bytes>) -> Ref<StructInfo> {
        let info = name.and_then(|name| self.declared.get(name.as_ref()));
        self.dimensions.declared(info.copied())
    }

    /// Adds the parameters and the constants.
    fn begin(&mut self, main: &'m GraphProto) {
        let initialized: HashSet<&[u8]> =
            main.initializer.iter().map(|tensor| tensor.name.as_ref()).collect();
        let inputs = main.input.iter().filter(|input| !initialized.contains(input.name.as_ref()));
        let inputs: Vec<Cow<'_, str>> = inputs.map(|input| text(&input.name)).collect();
        let is_input = |name: &str| inputs.iter().any(|input| input == name);
        for (name, _) in self.options.shapes.iter().filter(|(name, _)| !is_input(name)) {
            let all: Vec<String> = inputs.iter().map(|input| format!("`{input}`")).collect();
            let reason =
                format!("is given a shape, and the model has {} inputs: {}", all.len(), all.join(", "));
            self.errors.push(ImportError::Input { name: name.clone(), reason });
        }
        let mut dimensions = std::mem::take(&mut self.dimensions);
        let mut count = 0;
        for input in main.input.iter().filter(|input| !initialized.contains(input.name.as_ref())) {
            let name = text(&input.name);
            let unnamed = dimensions.unnamed.len();
            let info = dimensions.type_of(input).and_then(|info| {
                let Some(tensor) = info.as_node::<TensorStructInfo>() else { return Ok(info) };
                let failed = |Reason(reason)| ImportError::Input { name: name.to_string(), reason };
                let stated = self.options.stated_shape(&name, usize::try_from(tensor.ndim).ok());
                let Some(dims) = stated.map_err(failed)? else { return Ok(info) };
                dimensions.unnamed.truncate(unnamed);
                Ok(tensor_of(dims.iter().map(|dim| IntImm::int64(*dim)), tensor.dtype))
            });
            match info {
                Ok(info) => {
                    let var = self.graph.input(&name, info);
                    let used = var.vid.name_hint.get();
                    if used.as_str() != name {
                        let (name, used) = (name.clone().into_owned(), used.as_str().to_owned());
                        self.graph.warnings.push(ImportWarning::Renamed { name, used });
                    }
                    self.set(name, Value::Known(var.upcast()));
                    count += 1;
                }
                Err(error) => {
                    self.errors.push(error);
                    self.set(name, Value::Failed);
                }
            }
        }
        self.graph.attr("num_input", tvmscript_ir_core::Value::Int(count));
        if dimensions.unnamed.len() > 1 {
            let mut inputs = dimensions.unnamed.clone();
            inputs.dedup();
            let inputs = inputs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            self.graph.warnings.push(ImportWarning::SharedDimension { inputs });
        }
        self.dimensions = dimensions;
        self.constants(main);
    }

    fn constants(&mut self, graph: &'m GraphProto) {
        let is_main = self.scopes.len() == 1;
        for (at, tensor) in graph.initializer.iter().enumerate() {
            let part = self.model.parts.get(&at).filter(|_| is_main);
            self.initializer(tensor, part);
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map(|values| text(&values.name)).unwrap_or_default();
            let reason = "is a sparse initializer, which is not supported".to_owned();
            self.errors.push(ImportError::Tensor { name: name.clone().into_owned(), reason });
            self.set(name, Value::Failed);
        }
    }

    /// Adds a constant; `part` holds its elements if they are still in the file.
    fn initializer(&mut self, proto: &'m TensorProto, part: Option<&Arc<FilePart>>) {
        let name = text(&proto.name);
        if name.trim().is_empty() {
            let reason = "is an initializer, and must have a name".to_owned();
            self.errors.push(ImportError::Tensor { name: name.into_owned(), reason });
            return;
        }
        let tensor = match tensor::constant(&name, proto, part, &self.files) {
            Ok(tensor) => tensor,
            Err(error) => {
                self.errors.push(error);
                self.set(name, Value::Failed);
                return;
            }
        };
        let dims = tensor.shape.to_vec();
        let dtype = tensor.dtype;
        let constant = self.graph.constant(&name, tensor);
        if !self.options.keeps_params || self.scopes.len() > 1 {
            self.set(name, Value::Known(constant));
            return;
        }
        let shown = name.strip_prefix("onnx::").unwrap_or(&name);
        let var = self.graph.weight(shown, tensor_of(dims.iter().map(|dim| IntImm::int64(*dim)), dtype));
        self.graph.keep(&var, &constant);
        self.set(name, Value::Known(var.upcast()));
    }

    // --- nodes -----------------------------------------------------------------------------------------------

    fn nodes(&mut self, nodes: &'m [NodeProto]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, proto: &'m NodeProto) {
        let Some(outputs) = self.converted(proto) else {
            proto.output.iter().for_each(|name| self.set(text(name), Value::Failed));
            return;
        };
        for (name, value) in proto.output.iter().zip(outputs) {
            if !name.is_empty() {
                self.set(text(name), value);
            }
        }
    }

    /// The operands of a node; `None` after an error, also of an earlier node.
    fn operands(&mut self, proto: &NodeProto) -> Option<Vec<Option<Expr>>> {
        let mut operands = Vec::new();
        let mut is_good = true;
        for name in &proto.input {
            let name = text(name);
            match self.value(&name) {
                _ if name.is_empty() => operands.push(None),
                Some(Value::Known(value)) => operands.push(Some(value.clone())),
                Some(Value::Empty) => operands.push(None),
                Some(Value::Failed) => is_good = false,
                None => {
                    is_good = false;
                    let user = format!("`{}`", self.layer(proto));
                    self.errors.push(ImportError::Undefined { name: name.into_owned(), user });
                }
            }
        }
        is_good.then_some(operands)
    }

    fn converted(&mut self, proto: &'m NodeProto) -> Option<Vec<Value>> {
        let mut inputs = self.operands(proto)?;
        let layer = self.layer(proto).to_owned();
        let _layer = self.graph.layer(&layer);
        let opset = functions::version(proto).unwrap_or(self.opset);
        let convert = match self.row(proto) {
            Some(row) => row.converter(opset),
            None => super::operators::stub,
        };
        if !SHAPE_OPERATORS.contains(&proto.op_type.as_ref()) {
            inputs.iter_mut().flatten().filter(|value| is_shape(value)).for_each(|value| {
                if let Ok(tensor) = as_tensor(value.clone()) {
                    *value = tensor;
                }
            });
        }
        let operands = inputs.clone();
        let mut node = Node { importer: self, proto, opset, inputs };
        let outputs = convert(&mut node).and_then(|output| self.finish_node(output));
        let needed = proto.output.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        let outputs = outputs.and_then(|outputs| match outputs.len() < needed {
            true => Err(Reason(format!("has {} results here, and the model uses {needed}", outputs.len()))),
            false => Ok(outputs),
        });
        match outputs {
            Ok(outputs) => Some(outputs),
            Err(reason) => {
                let operator = text(&proto.op_type).into_owned();
                let inputs = operands.iter().flatten().map(described).collect();
                self.errors.push(ImportError::Node { layer, operator, inputs, reason: reason.0 });
                None
            }
        }
    }

    /// Normalizes what a converter made, and takes a value whose type is a tuple apart.
    fn finish_node(&mut self, output: Output) -> Result<Vec<Value>, Reason> {
        let values = match output {
            Output::Empty => return Ok(vec![Value::Empty]),
            Output::Whole(value) => return Ok(vec![Value::Known(self.graph.normalize(value)?)]),
            Output::Many(values) => {
                let tuple = self.graph.normalize(Tuple::new(values))?;
                let fields = tuple.as_node::<Tuple>().map(|tuple| &tuple.fields);
                return Ok(fields
                    .into_iter()
                    .flat_map(|fields| fields.iter())
                    .cloned()
                    .map(Value::Known)
                    .collect());
            }
            Output::One(value) => self.graph.normalize(value)?,
        };
        let info = struct_info_of(&values);
        let fields =
            info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()).map(|tuple| tuple.fields.len());
        match fields {
            // In subgraphs, upstream binds elements where they are used.
            Some(count) if !values.is::<Tuple>() && self.scopes.len() > 1 => {
                Ok((0..count).map(|index| Value::Known(field(&values, index))).collect())
            }
            Some(count) if !values.is::<Tuple>() => {
                let fields = (0..count).map(|index| self.graph.emit(field(&values, index)));
                Ok(fields.collect::<Result<Vec<_>, _>>()?.into_iter().map(Value::Known).collect())
            }
            _ => Ok(vec![Value::Known(values)]),
        }
    }

    // --- results ---------------------------------------------------------------------------------------------

    fn results(&mut self, graph: &'m GraphProto) -> Vec<Expr> {
        let mut results = Vec::new();
        for output in &graph.output {
            let name = text(&output.name);
            match self.value(&name) {
                Some(Value::Known(value)) => results.push(value.clone()),
                Some(Value::Empty) => {
                    let reason = "is an empty optional value, which a result cannot be".to_owned();
                    self.errors.push(ImportError::Output { name: name.into_owned(), reason });
                }
                Some(Value::Failed) => {}
                None => self.errors.push(ImportError::Undefined {
                    name: name.into_owned(),
                    user: "the graph's output".to_owned(),
                }),
            }
        }
        results
    }

    /// Converts a subgraph in the open block and returns its results, still unbound.
    pub(super) fn subgraph(&mut self, graph: &'m GraphProto) -> Vec<Expr> {
        self.scopes.push(Scope::new());
        self.constants(graph);
        self.nodes(&graph.node);
        let results = self.results(graph);
        self.scopes.pop();
        results
    }
}
