//! The graph of a model: a node per layer of its Relax functions, with the flow of data between layers.
//!
//! Bindings of one layer are one node, also when they do not follow each other. Bindings without a layer are nodes of their own
//! under the name of their variable, except that one which only renames a value, or takes a field of it, is no node. Branches
//! belong to the node of their `if`, unless their bindings have layers.

use std::collections::{HashMap, HashSet};

use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::{Object, PtrMap, Ref, Span, SpanMark, post_order_visit};
use tvmscript_prim::{IntImm, Var as PrimVar};
use tvmscript_relax::{
    Binding, Call, ExternFunc, Function, If, SeqExpr, StructInfo, TensorStructInfo, Tuple, TupleGetItem, Var,
    binding_parts,
};

use crate::page::{Graph, GraphEdge, GraphNode};

/// [`Graph::kind`] of the graphs of models.
pub const KIND: &str = "model";

/// Maximum number of characters of a shape at an edge, and of operators in a node.
const MAX_LABEL: usize = 48;

/// The graphs of the Relax functions of a module, without places: `main` first, and functions that a node calls inside the
/// node. `origins` finds the indices of the origins of a span.
pub fn graphs(module: &Ref<IRModule>, origins: &mut dyn FnMut(Span) -> Vec<u32>) -> Vec<Graph> {
    let functions = module.functions.iter().filter_map(|(var, function)| {
        function.object().downcast_ref::<Function>().map(|function| (var.name_hint.to_string(), function))
    });
    let mut functions: Vec<(String, &Ref<Function>)> = functions.collect();
    functions.sort_by_key(|(name, _)| name != "main");
    let mut graphs = Vec::with_capacity(functions.len());
    let mut calls = Vec::new();
    for (name, function) in &functions {
        let mut builder = Builder::new(origins);
        calls.push(builder.function(function));
        let Builder { nodes, edges, .. } = builder;
        graphs.push(Graph { name: name.clone(), kind: KIND, nodes, edges, ..Graph::default() });
    }
    let numbers: HashMap<&str, usize> = functions.iter().map(|(name, _)| name.as_str()).zip(0..).collect();
    let calls: Vec<Vec<(u32, usize)>> = calls
        .into_iter()
        .map(|calls| {
            calls.into_iter().filter_map(|(node, name)| Some((node, *numbers.get(name.as_str())?))).collect()
        })
        .collect();
    nest(&mut graphs, &calls);
    graphs
}

/// Puts the graphs of called functions inside the nodes that call them. Each graph is inside at most one, whatever calls what.
fn nest(graphs: &mut [Graph], calls: &[Vec<(u32, usize)>]) {
    let called: HashSet<usize> = calls.iter().flatten().map(|(_, callee)| *callee).collect();
    let not_called = (1..graphs.len()).filter(|index| !called.contains(index));
    let mut is_placed = vec![false; graphs.len()];
    for root in std::iter::once(0).chain(not_called).chain(1..graphs.len()) {
        let mut open = vec![(root, None)];
        while let Some((index, parent)) = open.pop() {
            let Some(is_placed) = is_placed.get_mut(index).filter(|is_placed| !**is_placed) else { continue };
            *is_placed = true;
            let Some(graph) = graphs.get_mut(index) else { continue };
            graph.parent = parent;
            for (node, callee) in calls.get(index).into_iter().flatten().rev() {
                if *callee == 0 || *callee == index {
                    continue;
                }
                if let Some(node) = graph.nodes.get_mut(*node as usize) {
                    node.inner = u32::try_from(*callee).ok();
                }
                open.push((*callee, u32::try_from(index).ok()));
            }
        }
    }
}

/// Nodes and the functions that they call.
type Calls = Vec<(u32, String)>;

/// The graph of a function while it is made.
struct Builder<'o> {
    origins: &'o mut dyn FnMut(Span) -> Vec<u32>,
    nodes: Vec<GraphNode>,
    edges: Vec<GraphEdge>,
    /// Nodes by the name of their layer.
    layers: HashMap<String, u32>,
    /// Names of nodes.
    names: UniqueNames,
    /// The node that computes a variable.
    values: PtrMap<u32>,
    /// Edges by their ends.
    edge_places: HashMap<[u32; 2], usize>,
}

/// A part of a function that is still to be visited.
enum Work {
    Sequence(Ref<SeqExpr>, Option<u32>),
    Binding(Ref<Binding>, Option<u32>),
    /// The value of a sequence, which the node of its `if` has.
    Result(Object, u32),
}

impl Builder<'_> {
    fn new(origins: &mut dyn FnMut(Span) -> Vec<u32>) -> Builder<'_> {
        Builder {
            origins,
            nodes: Vec::new(),
            edges: Vec::new(),
            layers: HashMap::new(),
            names: UniqueNames::numbered_from(1),
            values: PtrMap::default(),
            edge_places: HashMap::new(),
        }
    }

    fn function(&mut self, function: &Ref<Function>) -> Calls {
        self.parameters(function);
        let mut calls = Vec::new();
        let mut work = vec![Work::Sequence(function.body.clone(), None)];
        while let Some(next) = work.pop() {
            match next {
                Work::Sequence(sequence, owner) => {
                    work.extend(owner.map(|owner| Work::Result(sequence.body.object().clone(), owner)));
                    let bindings: Vec<_> =
                        sequence.blocks.iter().flat_map(|block| block.bindings.iter()).collect();
                    work.extend(
                        bindings.into_iter().rev().map(|binding| Work::Binding(binding.clone(), owner)),
                    );
                }
                Work::Binding(binding, owner) => self.binding(&binding, owner, &mut work, &mut calls),
                Work::Result(value, owner) => self.uses(&value, owner),
            }
        }
        let result = function.body.body.object();
        post_order_visit(result, |part| {
            let node = self.values.get(part).and_then(|node| self.nodes.get_mut(*node as usize));
            if let Some(node) = node {
                node.mark.get_or_insert("output");
            }
        });
        for node in &mut self.nodes {
            node.origins.sort_unstable();
            node.origins.dedup();
        }
        calls
    }

    fn parameters(&mut self, function: &Ref<Function>) {
        let inputs = function.attrs.dict.get_str("num_input").and_then(|count| {
            let count = count.as_int().or_else(|| Some(count.as_object()?.as_node::<IntImm>()?.value));
            usize::try_from(count?).ok()
        });
        for (index, param) in function.params.iter().enumerate() {
            let is_parameter =
                param.span.has_mark(SpanMark::Parameter) || inputs.is_some_and(|inputs| index >= inputs);
            let mark = if is_parameter { SpanMark::Parameter.name() } else { SpanMark::Input.name() };
            let name = layer_of(param.span).unwrap_or_else(|| name_of(param));
            let node = self.node(&name);
            self.describe(node, mark, param.span);
            if let Some(node) = self.nodes.get_mut(node as usize) {
                node.mark = Some(mark);
            }
            self.values.insert(param.object().clone(), node);
        }
    }

    fn binding(
        &mut self,
        binding: &Ref<Binding>,
        owner: Option<u32>,
        work: &mut Vec<Work>,
        calls: &mut Calls,
    ) {
        let Some((var, value)) = binding_parts(binding) else { return };
        let object = value.object();
        let layer = layer_of(object.span()).or_else(|| layer_of(var.span));
        let is_renamed = layer.is_none() && (object.is::<Var>() || object.is::<TupleGetItem>());
        if let Some(source) = renamed(object).filter(|_| is_renamed)
            && let Some(node) = self.values.get(source).copied()
        {
            self.values.insert(var.object().clone(), node);
            return;
        }
        let node = match (layer, owner) {
            (Some(layer), _) => self.layer(layer),
            (None, Some(owner)) => owner,
            (None, None) => self.node(&name_of(var)),
        };
        self.values.insert(var.object().clone(), node);
        self.describe(node, &operator(object).unwrap_or_default(), object.span());
        match object.as_node::<Call>() {
            Some(call) => {
                if let Some(callee) = callee(call) {
                    calls.push((node, callee.name_hint.to_string()));
                    if call.op_name().is_some()
                        && let Some(node) = self.nodes.get_mut(node as usize)
                    {
                        node.function.get_or_insert_with(|| callee.name_hint.to_string());
                    }
                }
                self.uses(object, node);
            }
            None => match object.as_node::<If>() {
                Some(branches) => {
                    self.uses(branches.cond.object(), node);
                    work.push(Work::Sequence(branches.false_branch.clone(), Some(node)));
                    work.push(Work::Sequence(branches.true_branch.clone(), Some(node)));
                }
                None => self.uses(object, node),
            },
        }
    }

    /// The node of a layer.
    fn layer(&mut self, name: String) -> u32 {
        if let Some(node) = self.layers.get(&name) {
            return *node;
        }
        let node = self.node(&name);
        self.layers.insert(name, node);
        node
    }

    /// A new node; its name gets a number if another node has it.
    fn node(&mut self, name: &str) -> u32 {
        let node = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(GraphNode { name: self.names.take(name), ..GraphNode::default() });
        node
    }

    /// Adds an operator and the origins of its span to a node.
    fn describe(&mut self, node: u32, operator: &str, span: Span) {
        let origins = (self.origins)(span);
        let Some(node) = self.nodes.get_mut(node as usize) else { return };
        node.origins.extend(origins);
        let is_known = operator.is_empty() || node.op.split(", ").any(|known| known == operator);
        if is_known || node.op.ends_with('…') {
            return;
        }
        if !node.op.is_empty() {
            node.op.push_str(", ");
        }
        node.op.push_str(if node.op.len() > MAX_LABEL { "…" } else { operator });
    }

    /// Adds edges from the nodes that compute the variables of a value.
    fn uses(&mut self, value: &Object, to: u32) {
        let Builder { edges, edge_places, values, .. } = self;
        post_order_visit(value, |part| {
            let Some(from) = values.get(part).copied().filter(|from| *from != to) else { return };
            let label = part.as_node::<Var>().and_then(|var| shape(var.struct_info_.as_ref()?));
            let place = *edge_places.entry([from, to]).or_insert_with(|| {
                edges.push(GraphEdge { from, to, ..GraphEdge::default() });
                edges.len() - 1
            });
            if let (Some(edge), Some(label)) = (edges.get_mut(place), label) {
                edge.label.get_or_insert(label);
            }
        });
    }
}

/// The name of the first layer of a span.
fn layer_of(span: Span) -> Option<String> {
    span.parts().into_iter().find_map(Span::source_name)
}

fn name_of(var: &Ref<Var>) -> String {
    var.vid.name_hint.get().to_string()
}

/// The variable that a value renames or takes a field of.
fn renamed(value: &Object) -> Option<&Object> {
    let source = value.as_node::<TupleGetItem>().map_or(value, |item| item.tuple_value.object());
    source.is::<Var>().then_some(source)
}

/// The function of the module that a call calls, directly or by an operator like `R.call_tir`.
fn callee(call: &Call) -> Option<&GlobalVar> {
    let called = || call.args.first().filter(|_| call.op_name().is_some());
    call.op.as_node::<GlobalVar>().or_else(|| called()?.as_node::<GlobalVar>())
}

/// The name of an operator or function, or of another kind of value that computes.
fn operator(value: &Object) -> Option<String> {
    if let Some(call) = value.as_node::<Call>() {
        if let Some(callee) = callee(call) {
            return Some(callee.name_hint.to_string());
        }
        if let Some(name) = call.op_name() {
            return Some(name.strip_prefix("relax.").unwrap_or(name).to_owned());
        }
        return match call.op.as_node::<ExternFunc>() {
            Some(function) => Some(function.global_symbol.to_string()),
            None => call.op.downcast_ref::<Var>().map(name_of),
        };
    }
    let kinds =
        [(value.is::<If>(), "if"), (value.is::<Tuple>(), "tuple"), (value.is::<Function>(), "function")];
    kinds.into_iter().find_map(|(is_kind, name)| is_kind.then(|| name.to_owned()))
}

/// The shape and element type of a tensor: `1×8×16×16 float32`.
fn shape(info: &Object) -> Option<String> {
    let tensor = info.downcast_ref::<StructInfo>()?.as_node::<TensorStructInfo>()?;
    let dims = tensor.known_dims()?;
    let dim = |dim: &tvmscript_prim::Expr| match (dim.as_node::<IntImm>(), dim.as_node::<PrimVar>()) {
        (Some(number), _) => number.value.to_string(),
        (_, Some(var)) => var.name.get().to_string(),
        _ => "?".to_owned(),
    };
    let dims: Vec<String> = dims.iter().map(dim).collect();
    let text = if dims.is_empty() { "scalar".to_owned() } else { dims.join("×") };
    let text = format!("{text} {}", tensor.dtype);
    Some(match text.char_indices().nth(MAX_LABEL) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    })
}
