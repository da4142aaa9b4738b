//! The conversion of a graph: nodes in an order in which operands come first, and their values.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{BaseFunc, GlobalVar};
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::{DataType, PtrMap, Ref};
use tvmscript_relax::op::datatype::astype;
use tvmscript_relax::op::shape::shape_to_tensor;
use tvmscript_relax::{Call, Constant, Expr, Tuple, TupleStructInfo, struct_info_of};

use super::dims::Dims;
use super::list::List;
use super::names::{Reference, reference, results, text};
use super::node::{Node, Output};
use super::operators::{self, is_call, makes_nothing};
use super::proto::{FunctionDef, GraphDef, NodeDef};
use super::saved_model::Interface;
use super::scope::Scope;
use super::variables::Variables;
use crate::error::{ImportError, ImportErrors, ImportWarning, Reason};
use crate::graph::{Graph, Layer, described};
use crate::ops::{self, field};
use crate::{Format, ImportOptions, Imported};

/// Maximum number of nodes after functions were put in place of their calls.
const MAX_NODES: usize = 200_000;

/// The value of a node's result.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// An expression: a variable, a constant or a call that is not bound yet.
    Tensor(Expr),
    /// Integers that come from shapes.
    Dims(Dims),
    /// A variable of the model, by name.
    Resource(String),
    /// A list of tensors.
    List(List),
    /// The result of a node that could not be converted.
    Failed,
}

/// The reason of a node that uses a failed one: it is not reported.
pub(super) fn silent() -> Reason {
    Reason(String::new())
}

/// A conversion.
pub(super) struct Importer<'m> {
    pub(super) graph: Graph,
    pub(super) options: &'m ImportOptions,
    functions: HashMap<&'m [u8], &'m FunctionDef>,
    pub(super) variables: Variables,
    pub(super) scopes: Vec<Scope<'m>>,
    /// The functions that are being converted.
    pub(super) calls: Vec<&'m [u8]>,
    /// Functions of the module other than `main`.
    pub(super) lowered: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>,
    /// The scalars that vectors are packed from.
    pub(super) packs: PtrMap<Vec<Value>>,
    /// Names of functions of the module.
    pub(super) names: UniqueNames,
    /// Number of functions of the module that enclose the node.
    pub(super) depth: usize,
    count: usize,
    pub(super) errors: Vec<ImportError>,
    unsupported: Vec<ImportError>,
    /// The nodes without a converter.
    reported: HashSet<String>,
}

/// Converts a graph.
pub(super) fn import<'m>(
    proto: &'m GraphDef,
    interface: Option<&Interface>,
    variables: Variables,
    options: &'m ImportOptions,
) -> Result<Imported, ImportErrors> {
    let internal = |reason: Reason| ImportError::Container { format: Format::TensorFlow, reason: reason.0 };
    let graph = Graph::new(options, true).map_err(|error| internal(error.into()))?;
    let functions = proto.library.iter().flat_map(|library| &library.function);
    let functions = functions
        .filter_map(|function| Some((function.signature.as_ref()?.name.as_ref(), function)))
        .collect();
    let mut names = UniqueNames::numbered_from(1);
    names.take("main");
    let mut importer = Importer {
        graph,
        options,
        functions,
        variables,
        scopes: vec![Scope::new(&proto.node, String::new(), None)],
        calls: Vec::new(),
        lowered: Vec::new(),
        packs: PtrMap::default(),
        names,
        depth: 0,
        count: 0,
        errors: Vec::new(),
        unsupported: Vec::new(),
        reported: HashSet::new(),
    };
    importer.params(interface);
    let outputs = match interface {
        Some(interface) => interface.outputs.iter().map(|(_, value)| value.clone().into_bytes()).collect(),
        None => importer.unused_nodes(),
    };
    let references: Vec<Reference<'_>> = outputs.iter().filter_map(|output| reference(output)).collect();
    importer.nodes_of(&references);
    let mut values = Vec::new();
    for reference in references {
        let takes_all = interface.is_none();
        values.extend(importer.output(reference, takes_all));
    }
    if interface.is_none() {
        importer.unsupported_elsewhere();
    }
    importer.errors.splice(0..0, std::mem::take(&mut importer.unsupported));
    if !importer.errors.is_empty() {
        return Err(ImportErrors(importer.errors));
    }
    let _no_layer = Layer::enter(None);
    let result = match <[Expr; 1]>::try_from(values) {
        Ok([value]) => value,
        Err(values) => Tuple::new(values).upcast(),
    };
    let finished = importer.graph.finish(result).map_err(internal)?;
    Ok(finished.into_model(importer.lowered))
}

impl<'m> Importer<'m> {
    pub(super) fn scope(&self) -> Option<&Scope<'m>> {
        self.scopes.last()
    }

    // --- values ----------------------------------------------------------------------------------------------

    /// The value of a reference.
    pub(super) fn value(&mut self, reference: Reference<'_>, user: &str) -> Value {
        let found = self.scopes.last().and_then(|scope| {
            if let Some(value) = scope.arg(reference) {
                return Some(value.clone());
            }
            let at = scope.node_of(reference)?;
            let node = scope.nodes.get(at)?;
            let index = self.position(&node.op, reference)?;
            match scope.results.get(&at)? {
                // A node that failed has no results.
                results if results.is_empty() && !makes_nothing(&node.op) => Some(Value::Failed),
                results => results.get(index).cloned(),
            }
        });
        found.unwrap_or_else(|| {
            let mut name = text(reference.node).into_owned();
            if reference.index > 0 {
                name = format!("{name}:{}", reference.index);
            }
            self.errors.push(ImportError::Undefined { name, user: user.to_owned() });
            Value::Failed
        })
    }

    /// The position of a value among all results of its node.
    fn position(&self, operator: &[u8], reference: Reference<'_>) -> Option<usize> {
        let Some(name) = reference.result else { return Some(reference.index) };
        if let Some(signature) = self.functions.get(operator).and_then(|function| function.signature.as_ref())
        {
            return signature.output_arg.iter().position(|result| result.name.as_ref() == name);
        }
        let known = results(operator);
        let first = known.iter().position(|known| known.as_bytes() == name);
        first.unwrap_or(0).checked_add(reference.index)
    }

    /// The integers that a value is, known or symbolic, if it is a constant or comes from shapes.
    pub(super) fn known_dims(&self, value: &Value) -> Option<Dims> {
        match value {
            Value::Dims(dims) => Some(dims.clone()),
            Value::Tensor(value) => Dims::of_constant(value),
            Value::Resource(_) | Value::List(_) | Value::Failed => None,
        }
    }

    /// A value as a tensor: integers of shapes become a constant, or a tensor at run time; a list has its elements along the
    /// first axis.
    pub(super) fn tensor(&mut self, value: &Value) -> Result<Expr, Reason> {
        match value {
            Value::Tensor(value) => Ok(value.clone()),
            Value::Failed => Err(silent()),
            Value::Resource(name) => Ok(self.variable(&name.clone())?),
            Value::List(list) => list.stacked(),
            Value::Dims(dims) => {
                if let Some(constant) = dims.as_constant() {
                    return Ok(constant);
                }
                let shape = ops::shape_of(dims.values.iter().cloned());
                let mut value: Expr = shape_to_tensor(shape).upcast();
                if dims.dtype != DataType::INT64 {
                    value = astype(value, dims.dtype).upcast();
                }
                let value = self.graph.normalize(value)?;
                match dims.is_scalar {
                    true => Ok(self.graph.normalize(ops::reshape(value, ops::shape(&[]))?)?),
                    false => Ok(value),
                }
            }
        }
    }

    /// The value of a variable.
    pub(super) fn variable(&mut self, name: &str) -> Result<Expr, Reason> {
        if let Some(value) = self.variables.known.get(name) {
            return Ok(value.clone());
        }
        let tensor = self.variables.tensor(name)?;
        let constant = self.graph.constant(name, tensor);
        let value = self.weight(name, constant);
        self.variables.known.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// A constant of the model: with `keeps_params`, one of floating-point numbers is a parameter, unless it is a scalar or
    /// belongs to another function than `main`.
    pub(super) fn weight(&mut self, name: &str, constant: Expr) -> Expr {
        let tensor = constant.as_node::<Constant>().map(|constant| &constant.data);
        let is_weight = tensor.is_some_and(|tensor| !tensor.shape.is_empty() && tensor.dtype.is_any_float());
        if !self.options.keeps_params || self.depth > 0 || !is_weight {
            return constant;
        }
        let Some(info) = struct_info_of(&constant) else { return constant };
        let var = self.graph.input(name, info);
        self.graph.keep(&var, &constant);
        var.upcast()
    }

    /// A function of the model.
    pub(super) fn function(&self, name: &[u8]) -> Option<&'m FunctionDef> {
        self.functions.get(name).copied()
    }

    // --- nodes -----------------------------------------------------------------------------------------------

    /// Converts the nodes that values of the innermost scope depend on.
    pub(super) fn nodes_of(&mut self, values: &[Reference<'_>]) {
        let Some(scope) = self.scopes.last() else { return };
        let roots: Vec<usize> = values.iter().filter_map(|value| scope.node_of(*value)).collect();
        let mut needed = scope.order(&roots);
        needed.sort_unstable();
        let order = scope.order(&needed);
        for at in order {
            self.node(at);
        }
    }

    /// The name of a node in the innermost scope.
    fn layer(&self, node: &NodeDef) -> String {
        let prefix = self.scope().map_or("", |scope| scope.prefix.as_str());
        format!("{prefix}{}", text(&node.name))
    }

    fn node(&mut self, at: usize) {
        let Some(scope) = self.scopes.last() else { return };
        let Some(proto) = scope.nodes.get(at) else { return };
        if scope.results.contains_key(&at) {
            return;
        }
        let inputs = scope.inputs(at);
        let values = self.converted(proto, &inputs).unwrap_or_default();
        if let Some(scope) = self.scopes.last_mut() {
            scope.results.insert(at, values);
        }
    }

    fn converted(&mut self, proto: &'m NodeDef, inputs: &[Reference<'m>]) -> Option<Vec<Value>> {
        self.count += 1;
        let layer = self.layer(proto);
        if self.count > MAX_NODES {
            if self.count == MAX_NODES + 1 {
                let reason =
                    format!("with the functions that it calls the model has more than {MAX_NODES} nodes");
                self.errors.push(ImportError::Container { format: Format::TensorFlow, reason });
            }
            return None;
        }
        if std::str::from_utf8(&proto.name).is_err() {
            self.graph.warnings.push(ImportWarning::NotUtf8 { name: layer.clone() });
        }
        let Some(convert) = self.converter(&proto.op) else {
            self.unsupported(&text(&proto.op), layer);
            return None;
        };
        let user = format!("`{layer}`");
        let operands: Vec<Value> = inputs.iter().map(|used| self.value(*used, &user)).collect();
        let has_failed = operands.iter().any(|value| matches!(value, Value::Failed));
        if has_failed && !is_call(&proto.op) && !self.functions.contains_key(proto.op.as_ref()) {
            return None;
        }
        let types = operands.iter().map(described_value).collect();
        let _layer = self.graph.layer(&layer);
        let mut node = Node { importer: self, proto, operands, layer };
        let outputs = convert(&mut node);
        let layer = node.layer;
        match outputs.and_then(|output| self.finish_node(&layer, output)) {
            Ok(values) => Some(values),
            Err(reason) => {
                self.fail(&layer, &text(&proto.op), types, reason);
                None
            }
        }
    }

    /// The converter of an operator.
    fn converter(&self, operator: &[u8]) -> Option<operators::Convert> {
        let is_lowered = self.options.lowers_control_flow;
        match operators::find(operator) {
            Some(row) if is_lowered || !self.needs_lowering(operator) => Some(row.convert),
            Some(_) if !self.options.stubs_unsupported => None,
            None if self.functions.contains_key(operator) => Some(operators::call_by_name),
            _ => self.options.stubs_unsupported.then_some(operators::stub as operators::Convert),
        }
    }

    /// Returns `true` for operators of control flow of version 1, and for those on lists that its loops fill.
    fn needs_lowering(&self, operator: &[u8]) -> bool {
        let has_loops = || self.scopes.first().is_some_and(|scope| !scope.frames.is_empty());
        operators::is_control_flow(operator) || operators::is_of_lists(operator) && has_loops()
    }

    /// Adds the nodes of the graph that nothing uses to those whose operators are not supported, if there are any.
    fn unsupported_elsewhere(&mut self) {
        let Some(scope) = self.scopes.first().filter(|_| !self.unsupported.is_empty()) else { return };
        let unseen = scope.nodes.iter().enumerate().filter(|(at, _)| !scope.results.contains_key(at));
        let unseen: Vec<&NodeDef> = unseen.map(|(_, node)| node).collect();
        for node in unseen {
            if self.converter(&node.op).is_none() {
                self.unsupported(&text(&node.op), text(&node.name).into_owned());
            }
        }
    }

    /// Converts something to find the types of its values, and takes back what it added to the module.
    ///
    /// # Errors
    /// Fails if `convert` does, or reports errors.
    pub(super) fn attempt<T>(
        &mut self,
        convert: impl FnOnce(&mut Self) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let (functions, names) = (self.lowered.len(), self.names.clone());
        let reported = (self.errors.len(), self.reported.len());
        let value = convert(self)?;
        self.lowered.truncate(functions);
        self.names = names;
        match reported == (self.errors.len(), self.reported.len()) {
            true => Ok(value),
            false => Err(silent()),
        }
    }

    /// Reports a node that cannot be converted, unless it only uses another one.
    pub(super) fn fail(&mut self, layer: &str, operator: &str, inputs: Vec<String>, reason: Reason) {
        if !reason.0.is_empty() {
            let (layer, operator) = (layer.to_owned(), operator.to_owned());
            self.errors.push(ImportError::Node { layer, operator, inputs, reason: reason.0 });
        }
    }

    /// Reports a node without a converter, together with others of its operator.
    fn unsupported(&mut self, name: &str, layer: String) {
        if !self.reported.insert(layer.clone()) {
            return;
        }
        for error in &mut self.unsupported {
            if let ImportError::Unsupported { operator, layers, .. } = error
                && operator == name
            {
                layers.push(layer);
                return;
            }
        }
        let (operator, domain) = (name.to_owned(), String::new());
        self.unsupported.push(ImportError::Unsupported { operator, domain, layers: vec![layer] });
    }

    /// Normalizes what a converter made, computes calls on constants, and takes a value whose type is a tuple apart.
    fn finish_node(&mut self, layer: &str, output: Output) -> Result<Vec<Value>, Reason> {
        let value = match output {
            Output::Values(values) => return Ok(values),
            Output::Many(values) => {
                let mut found = Vec::new();
                for value in values {
                    found.push(Value::Tensor(self.folded(layer, value)?));
                }
                return Ok(found);
            }
            Output::One(value) => self.folded(layer, value)?,
        };
        let info = struct_info_of(&value);
        let tuple = info.as_ref().and_then(|info| info.as_node::<TupleStructInfo>());
        match tuple.map(|tuple| tuple.fields.len()) {
            Some(count) => {
                let fields = (0..count).map(|index| self.graph.normalize(field(&value, index)));
                Ok(fields.collect::<Result<Vec<_>, _>>()?.into_iter().map(Value::Tensor).collect())
            }
            None => Ok(vec![Value::Tensor(value)]),
        }
    }

    /// A value in normal form; a constant with the node's name if it is a call on constants.
    pub(super) fn folded(&mut self, layer: &str, value: Expr) -> Result<Expr, Reason> {
        let value = match value.downcast::<Call>() {
            Ok(call) => self.graph.fold(call)?,
            Err(value) => return Ok(self.graph.normalize(value)?),
        };
        match value.downcast::<Constant>() {
            Ok(constant) => Ok(self.graph.named(layer, constant)),
            Err(value) => Ok(self.graph.normalize(value)?),
        }
    }
}

/// The type of a value for messages.
fn described_value(value: &Value) -> String {
    match value {
        Value::Tensor(value) => described(value),
        Value::Dims(dims) if dims.is_scalar => "a dimension".to_owned(),
        Value::Dims(dims) => format!("a shape of {} dimensions", dims.values.len()),
        Value::Resource(name) => format!("the variable `{name}`"),
        Value::List(_) => "a list of tensors".to_owned(),
        Value::Failed => "an unknown value".to_owned(),
    }
}
