//! The conversion of a model: parameters, operators in order, results, and the subgraphs that operators call.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{BaseFunc, GlobalVar};
use tvmscript_ir_core::{Ref, Span};
use tvmscript_prim::IntImm;
use tvmscript_relax::{Expr, Function, StructInfo, Tuple, TupleGetItem, TupleStructInfo, struct_info_of};
use tvmscript_si_builder::{self as si_builder, onnx_names};

use super::model::{Kind, Model, Operator, Tensor};
use super::node::Node;
use super::operators::{Elements, called_subgraphs, find, stub};
use crate::elements::{self, tensor};
use crate::error::{ImportError, ImportErrors, Reason};
use crate::graph::{Graph, Layer, described};
use crate::ops::{shape, tensor_of};
use crate::{ImportOptions, Imported};

/// Maximum depth of subgraphs that call each other.
const MAX_DEPTH: usize = 64;

/// Maximum number of operators of inlined subgraphs and of steps of unrolled layers.
const MAX_EXPANDED: usize = 10_000;

/// The value of a tensor.
#[derive(Debug, Clone)]
enum Value {
    /// A variable, a constant, or a call that is not bound yet.
    Known(Expr),
    /// The result of an operator that could not be converted.
    Failed,
}

/// A subgraph under conversion, with the values of its tensors.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) subgraph: usize,
    values: HashMap<usize, Value>,
}

/// The form of a constant in the module.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// In the stored form.
    Stored,
    /// With its axes in this order.
    Permuted(Vec<usize>),
    /// With its elements in this shape.
    Shaped(Vec<i64>),
}

/// A conversion.
pub(super) struct Importer<'m> {
    pub(super) model: &'m Model<'m>,
    pub(super) options: &'m ImportOptions,
    pub(super) graph: Graph,
    pub(super) scope: Scope,
    /// Names of the operators, by subgraph.
    layers: Vec<Vec<String>>,
    /// Functions besides `main`.
    pub(super) functions: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>,
    /// Functions of subgraphs.
    lowered: HashMap<usize, Ref<GlobalVar>>,
    /// Subgraphs under conversion, from the outermost one.
    stack: Vec<usize>,
    /// Number of functions under construction besides `main`.
    depth: usize,
    /// Number of operators of inlined subgraphs and of steps of unrolled layers so far.
    expanded: usize,
    /// The constants made so far, by subgraph, tensor and form.
    constants: HashMap<(usize, usize, Form), Expr>,
    /// The current values of the variables of the model.
    pub(super) variables: HashMap<String, Expr>,
    errors: Vec<ImportError>,
}

/// Converts a model.
pub(super) fn import<'m>(model: &'m Model<'m>, options: &'m ImportOptions) -> Result<Imported, ImportErrors> {
    let internal =
        |reason: Reason| ImportError::Container { format: crate::Format::Tflite, reason: reason.0 };
    let graph = Graph::new(options, true).map_err(|error| internal(error.into()))?;
    let mut importer = Importer {
        model,
        options,
        graph,
        scope: Scope::default(),
        layers: layers(model),
        functions: Vec::new(),
        lowered: HashMap::new(),
        stack: vec![0],
        depth: 0,
        expanded: 0,
        constants: HashMap::new(),
        variables: HashMap::new(),
        errors: Vec::new(),
    };
    importer.check_operators();
    if !importer.errors.is_empty() {
        return Err(ImportErrors(importer.errors));
    }
    importer.parameters(0);
    let count = model.subgraphs.first().map_or(0, |main| main.inputs.len());
    importer.graph.attr("num_input", tvmscript_ir_core::Value::Int(count as i64));
    let results = importer.body(0);
    if !importer.errors.is_empty() {
        return Err(ImportErrors(importer.errors));
    }
    let result = one_of(results);
    let finished = importer.graph.finish(result).map_err(internal)?;
    Ok(finished.into_model(importer.functions))
}

/// The only value, or a tuple of several.
pub(super) fn one_of(mut values: Vec<Expr>) -> Expr {
    let _no_layer = (values.len() != 1).then(|| Layer::enter(None));
    match values.len() {
        1 => values.swap_remove(0),
        _ => Tuple::new(values).upcast(),
    }
}

/// The field of a tuple, with its type. Unlike a normalized one it leaves the tuple unbound.
pub(super) fn element(tuple: &Expr, index: usize) -> Expr {
    if let Some(field) = tuple.as_node::<Tuple>().and_then(|tuple| tuple.fields.iter().nth(index)) {
        return field.clone();
    }
    let info = struct_info_of(tuple);
    let fields = info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>()).map(|info| &info.fields);
    let struct_info_ = fields.and_then(|fields| fields.iter().nth(index)).map(|info| info.clone().into());
    let span = if tuple.span().is_known() { tuple.span() } else { Span::current() };
    Ref::new(TupleGetItem { span, struct_info_, tuple_value: tuple.clone(), index: index as i64 }).upcast()
}

/// Names of the operators, by subgraph.
fn layers(model: &Model<'_>) -> Vec<Vec<String>> {
    let operators = model.subgraphs.iter().flat_map(|graph| {
        graph.operators.iter().map(|operator| si_builder::Operator {
            kind: &operator.name,
            name: output_name(&graph.tensors, operator),
            output: "",
        })
    });
    let mut names = onnx_names(&operators.collect::<Vec<_>>()).into_iter();
    model.subgraphs.iter().map(|graph| names.by_ref().take(graph.operators.len()).collect()).collect()
}

/// The name of an operator's first output.
fn output_name<'m>(tensors: &'m [Tensor<'m>], operator: &Operator<'m>) -> &'m str {
    operator.outputs.first().and_then(|index| tensors.get(*index)).map_or("", |tensor| tensor.name.as_str())
}

impl<'m> Importer<'m> {
    /// Reports all operators without a converter, in the subgraphs that are used.
    fn check_operators(&mut self) {
        let mut used = vec![0];
        let mut seen = HashSet::from([0]);
        let mut unsupported: Vec<ImportError> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        while let Some(index) = used.pop() {
            let Some(graph) = self.model.subgraphs.get(index) else { continue };
            let layers = self.layers.get(index).into_iter().flatten();
            for (operator, layer) in graph.operators.iter().zip(layers) {
                used.extend(called_subgraphs(operator).into_iter().filter(|called| seen.insert(*called)));
                if find(&operator.name).is_some() || self.options.stubs_unsupported {
                    continue;
                }
                let next = unsupported.len();
                let at = *known.entry(&operator.name).or_insert(next);
                match unsupported.get_mut(at) {
                    Some(ImportError::Unsupported { layers, .. }) => layers.push(layer.clone()),
                    _ => unsupported.push(ImportError::Unsupported {
                        operator: operator.name.clone().into_owned(),
                        domain: String::new(),
                        layers: vec![layer.clone()],
                    }),
                }
            }
        }
        self.errors.extend(unsupported);
    }

    // --- tensors ---------------------------------------------------------------------------------------------

    /// A tensor of the current subgraph.
    pub(super) fn tensor(&self, index: usize) -> Result<&'m Tensor<'m>, Reason> {
        let graph = self.model.subgraphs.get(self.scope.subgraph);
        let tensor = graph.and_then(|graph| graph.tensors.get(index));
        tensor.ok_or_else(|| Reason(format!("tensor {index} does not exist")))
    }

    /// The name of a tensor for a parameter or constant.
    pub(super) fn name(&self, index: usize) -> String {
        match self.tensor(index) {
            Ok(tensor) if !tensor.name.is_empty() => tensor.name.clone(),
            _ => format!("tensor_{index}"),
        }
    }

    /// The type of a tensor.
    pub(super) fn type_of(&self, index: usize) -> Result<Ref<StructInfo>, Reason> {
        let tensor = self.tensor(index)?;
        let dtype = tensor.kind.dtype().ok_or_else(|| self.unsupported_kind(index, tensor.kind))?;
        Ok(tensor_of(tensor.dims().into_iter().map(IntImm::int64), dtype))
    }

    fn unsupported_kind(&self, index: usize, kind: Kind) -> Reason {
        let name = self.name(index);
        Reason(format!("the tensor `{name}` has the element type {}, which is not supported", kind.name()))
    }

    /// The elements of a constant tensor, as they are stored.
    pub(super) fn data(&self, index: usize) -> Option<&'m [u8]> {
        let tensor = self.tensor(index).ok()?;
        let data = *self.model.buffers.get(tensor.buffer)?;
        let is_empty = || tensor.shape.contains(&0);
        (tensor.buffer != 0 && !data.is_empty() || is_empty()).then_some(data)
    }

    /// The value of a tensor that an input or an operator has set.
    pub(super) fn known(&self, index: usize) -> Option<Expr> {
        match self.scope.values.get(&index)? {
            Value::Known(value) => Some(value.clone()),
            Value::Failed => None,
        }
    }

    pub(super) fn set(&mut self, index: usize, value: Expr) {
        self.scope.values.insert(index, Value::Known(value));
    }

    /// The value of a tensor, as it is stored.
    pub(super) fn value(&mut self, index: usize) -> Result<Expr, Reason> {
        if let Some(value) = self.known(index) {
            return Ok(value);
        }
        if self.data(index).is_none() && self.tensor(index)?.is_variable {
            // The state of a layer is zero at first.
            let tensor = self.tensor(index)?;
            let dtype = tensor.kind.dtype().ok_or_else(|| self.unsupported_kind(index, tensor.kind))?;
            return Ok(tvmscript_relax::op::create::zeros(shape(&tensor.dims()), dtype).upcast());
        }
        let constant = self.constant(index, Form::Stored)?;
        if !self.options.keeps_params || self.scope.subgraph != 0 {
            return Ok(constant);
        }
        let info = self.type_of(index)?;
        let name = self.name(index);
        let var = self.graph.weight(&name, info);
        self.graph.keep(&var, &constant);
        let var: Expr = var.upcast();
        self.set(index, var.clone());
        Ok(var)
    }

    /// A constant of the model in a form. Each is made once.
    pub(super) fn constant(&mut self, index: usize, form: Form) -> Result<Expr, Reason> {
        let key = (self.scope.subgraph, index, form);
        if let Some(constant) = self.constants.get(&key) {
            return Ok(constant.clone());
        }
        let (stored, name) = (self.tensor(index)?, self.name(index));
        let data = self.data(index).ok_or_else(|| Reason(format!("the tensor `{name}` has no elements")))?;
        let dense = match stored.sparsity {
            Some(sparsity) => Some(super::sparse::densified(stored, sparsity, data, self.options)?),
            None => None,
        };
        let data = dense.as_deref().unwrap_or(data);
        let dtype = stored.kind.dtype().ok_or_else(|| self.unsupported_kind(index, stored.kind))?;
        let dims = stored.dims();
        let tensor = match &key.2 {
            Form::Stored => tensor(&name, dtype, &dims, data)?,
            Form::Shaped(shape) => tensor(&name, dtype, shape, data)?,
            Form::Permuted(axes) => elements::permuted(&name, dtype, &dims, data, axes)?,
        };
        let constant = self.graph.constant(&name, tensor);
        self.constants.insert(key, constant.clone());
        Ok(constant)
    }

    // --- subgraphs -------------------------------------------------------------------------------------------

    /// Adds the inputs of the current subgraph as parameters.
    fn parameters(&mut self, subgraph: usize) {
        let inputs = self.model.subgraphs.get(subgraph).map(|graph| graph.inputs.clone());
        for index in inputs.unwrap_or_default() {
            let name = self.name(index);
            let tensor = self.tensor(index).ok();
            let dtype = tensor.and_then(|tensor| tensor.kind.dtype());
            // A tensor of unknown rank has no lengths.
            let rank = tensor.map(|tensor| tensor.dims().len()).filter(|rank| *rank > 0);
            let stated = match subgraph {
                0 => self.options.stated_shape(&name, rank),
                _ => Ok(None),
            };
            let info = match (stated, dtype) {
                (Ok(Some(dims)), Some(dtype)) => {
                    Ok(tensor_of(dims.iter().map(|dim| IntImm::int64(*dim)), dtype))
                }
                (Err(reason), _) => Err(reason),
                _ => self.type_of(index),
            };
            match info {
                Ok(info) => {
                    let var = self.graph.input(&name, info).upcast();
                    self.set(index, var);
                }
                Err(reason) => {
                    let reason = format!("cannot be a parameter: {reason}");
                    self.errors.push(ImportError::Input { name, reason });
                    self.scope.values.insert(index, Value::Failed);
                }
            }
        }
    }

    /// Converts the operators of the current subgraph, and returns its results.
    fn body(&mut self, subgraph: usize) -> Vec<Expr> {
        let Some(graph) = self.model.subgraphs.get(subgraph) else { return Vec::new() };
        let layers = self.layers.get(subgraph).cloned().unwrap_or_default();
        for (operator, layer) in graph.operators.iter().zip(layers) {
            self.operator(operator, layer);
        }
        let mut results = Vec::new();
        for index in &graph.outputs {
            if let Some(value) = self.result(*index) {
                results.push(value);
            }
        }
        results
    }

    fn result(&mut self, index: usize) -> Option<Expr> {
        match self.is_available(index) {
            Some(true) => match self.value(index) {
                Ok(value) => Some(value),
                Err(Reason(reason)) => {
                    let name = self.name(index);
                    self.errors.push(ImportError::Tensor { name, reason: format!("is no result: {reason}") });
                    None
                }
            },
            Some(false) => None,
            None => {
                let (name, user) = (self.name(index), "the graph's output".to_owned());
                self.errors.push(ImportError::Undefined { name, user });
                None
            }
        }
    }

    /// Returns `true` if a tensor has a value, `false` if the operator that makes it failed, and `None` if nothing makes it.
    fn is_available(&self, index: usize) -> Option<bool> {
        match self.scope.values.get(&index) {
            Some(Value::Known(_)) => Some(true),
            Some(Value::Failed) => Some(false),
            None => {
                let is_variable = self.tensor(index).is_ok_and(|tensor| tensor.is_variable);
                (is_variable || self.data(index).is_some()).then_some(true)
            }
        }
    }

    /// The function of a subgraph, which is made at the first call.
    pub(super) fn lowered(&mut self, subgraph: usize, name: &str) -> Result<Ref<GlobalVar>, Reason> {
        if let Some(var) = self.lowered.get(&subgraph) {
            return Ok(var.clone());
        }
        if subgraph == 0 || self.stack.contains(&subgraph) {
            return Err(Reason(format!("subgraph {subgraph} calls itself")));
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(Reason(format!("subgraphs call each other more than {MAX_DEPTH} levels deep")));
        }
        if self.model.subgraphs.get(subgraph).is_none() {
            return Err(Reason(format!("subgraph {subgraph} does not exist")));
        }
        self.stack.push(subgraph);
        let errors = self.errors.len();
        let function = self.function(true, subgraph, |importer| {
            importer.parameters(subgraph);
            let results = importer.body(subgraph);
            match importer.errors.len() > errors {
                true => Err(Reason(format!("subgraph {subgraph} cannot be converted"))),
                false => Ok(one_of(results)),
            }
        });
        self.stack.pop();
        let var = self.add_function(name, function?);
        self.lowered.insert(subgraph, var.clone());
        Ok(var)
    }

    /// Builds a private function. Its values are those of a subgraph, which is current meanwhile.
    pub(super) fn function(
        &mut self,
        is_dataflow: bool,
        subgraph: usize,
        build: impl FnOnce(&mut Self) -> Result<Expr, Reason>,
    ) -> Result<Ref<Function>, Reason> {
        let graph = std::mem::replace(&mut self.graph, Graph::new(self.options, is_dataflow)?);
        let scope = std::mem::replace(&mut self.scope, Scope { subgraph, values: HashMap::new() });
        self.depth += 1;
        let result = build(self);
        self.depth -= 1;
        let inner = std::mem::replace(&mut self.graph, graph);
        self.scope = scope;
        Ok(self.graph.adopt(inner.finish(result?)?))
    }

    /// Returns `true` while the function of a subgraph is built.
    pub(super) fn is_inside_function(&self) -> bool {
        self.depth > 0
    }

    /// Adds a function to the module.
    pub(super) fn add_function(&mut self, name: &str, function: Ref<Function>) -> Ref<GlobalVar> {
        let struct_info_ = function.struct_info_.clone();
        let var = Ref::new(GlobalVar { span: Span::UNKNOWN, struct_info_, name_hint: name.into() });
        self.functions.push((var.clone(), function.upcast()));
        var
    }

    /// Counts parts of the model that become several parts of the module. Small models could become endless ones.
    pub(super) fn expand(&mut self, count: usize) -> Result<(), Reason> {
        self.expanded = self.expanded.saturating_add(count);
        match self.expanded > MAX_EXPANDED {
            true => Err(Reason(format!(
                "inlined subgraphs and unrolled layers have more than {MAX_EXPANDED} parts"
            ))),
            false => Ok(()),
        }
    }

    /// Converts the operators of a subgraph in place, with these values for its inputs.
    pub(super) fn inlined(&mut self, subgraph: usize, inputs: Vec<Expr>) -> Result<Vec<Expr>, Reason> {
        let Some(graph) = self.model.subgraphs.get(subgraph).filter(|_| subgraph != 0) else {
            return Err(Reason(format!("subgraph {subgraph} does not exist or is the model's")));
        };
        if self.stack.contains(&subgraph) || self.stack.len() >= MAX_DEPTH {
            return Err(Reason(format!("subgraph {subgraph} calls itself, or calls are too deep")));
        }
        if graph.inputs.len() != inputs.len() {
            return Err(Reason(format!("subgraph {subgraph} has another number of inputs")));
        }
        self.expand(graph.operators.len() + 1)?;
        self.stack.push(subgraph);
        let errors = self.errors.len();
        let scope = std::mem::replace(&mut self.scope, Scope { subgraph, values: HashMap::new() });
        for (index, value) in graph.inputs.iter().zip(inputs) {
            self.set(*index, value);
        }
        let results = self.body(subgraph);
        self.scope = scope;
        self.stack.pop();
        match self.errors.len() > errors {
            true => Err(Reason(format!("subgraph {subgraph} cannot be converted"))),
            false => Ok(results),
        }
    }

    // --- operators -------------------------------------------------------------------------------------------

    fn operator(&mut self, operator: &'m Operator<'m>, layer: String) {
        let outputs = self.converted(operator, layer);
        for (at, index) in operator.outputs.iter().enumerate() {
            let value = match &outputs {
                Some(values) => values.get(at).cloned().map(Value::Known),
                None => Some(Value::Failed),
            };
            // Operators on variables of the model set no value.
            if let Some(value) = value {
                self.scope.values.insert(*index, value);
            }
        }
    }

    fn converted(&mut self, operator: &'m Operator<'m>, layer: String) -> Option<Vec<Expr>> {
        let mut is_good = true;
        let row = find(&operator.name);
        for index in operator.inputs.iter().flatten() {
            match self.is_available(*index) {
                Some(is_known) => is_good &= is_known,
                None if row.is_some_and(|row| row.elements == Elements::Variable) => {}
                None => {
                    is_good = false;
                    let (name, user) = (self.name(*index), format!("`{layer}`"));
                    self.errors.push(ImportError::Undefined { name, user });
                }
            }
        }
        if !is_good {
            return None;
        }
        let inputs: Vec<String> = operator
            .inputs
            .iter()
            .flatten()
            .map(|index| match (self.known(*index), self.type_of(*index)) {
                (Some(value), _) if struct_info_of(&value).is_some() => described(&value),
                (_, Ok(info)) => tvmscript_relax::describe(&info),
                (_, Err(_)) => "a value without a type".to_owned(),
            })
            .collect();
        let _layer = self.graph.layer(&layer);
        let elements = row.map_or(Elements::Stored, |row| row.elements);
        let mut node = Node { importer: self, operator, layer: &layer, elements };
        let outputs = match row {
            Some(row) => (row.convert)(&mut node),
            None => stub(&mut node),
        };
        match outputs.and_then(|output| node.finished(output)) {
            Ok(outputs) => Some(outputs),
            Err(Reason(reason)) => {
                let operator = operator.name.clone().into_owned();
                self.errors.push(ImportError::Node { layer, operator, inputs, reason });
                None
            }
        }
    }
}
