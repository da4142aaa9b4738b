//! The parameters and results of `main`: those of a signature, or placeholders and nodes whose results nothing uses.

use std::collections::HashSet;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::{self as prim, IntImm};
use tvmscript_relax::{Expr, StructInfo, TensorStructInfo};

use super::importer::{Importer, Value};
use super::names::{Reference, reference, text};
use super::node::attribute;
use super::operators::makes_nothing;
use super::proto::{NodeDef, TensorShapeProto};
use super::saved_model::Interface;
use super::tensor;
use crate::error::{ImportError, Reason};
use crate::ops::tensor_of;

impl Importer<'_> {
    /// Adds the parameters: the inputs of the interface, or all placeholders.
    pub(super) fn params(&mut self, interface: Option<&Interface>) {
        let Some(scope) = self.scopes.last() else { return };
        let nodes = scope.nodes;
        let used: HashSet<&[u8]> = nodes
            .iter()
            .flat_map(|node| &node.input)
            .filter_map(|input| Some(reference(input)?.node))
            .collect();
        let mut found = Vec::new();
        match interface {
            Some(interface) => {
                for (name, info) in &interface.inputs {
                    let used = reference(&info.name);
                    match used.and_then(|used| Some((used, scope.node_of(used)?))) {
                        Some((used, at)) => {
                            found.push((name.clone(), at, used.index, info.dtype, info.tensor_shape.clone()));
                        }
                        None => self.errors.push(ImportError::Undefined {
                            name: text(&info.name).into_owned(),
                            user: format!("the input `{name}` of the signature"),
                        }),
                    }
                }
            }
            None => {
                let is_input = |op: &[u8]| matches!(op, b"Placeholder" | b"PlaceholderV2");
                for (at, node) in nodes.iter().enumerate().filter(|(_, node)| is_input(&node.op)) {
                    let attr = |key: &str| attribute(node, key);
                    let dtype = attr("dtype").and_then(|value| value.r#type).unwrap_or(0);
                    let shape = attr("shape").and_then(|value| value.shape.clone());
                    // TensorFlow's conversion of loops leaves inputs that nothing uses.
                    let is_left = tensor::element_type(dtype).is_none()
                        || node.name.starts_with(b"unused_control_flow_input");
                    if is_left && !used.contains(node.name.as_ref()) {
                        continue;
                    }
                    found.push((text(&node.name).into_owned(), at, 0, dtype, shape));
                }
            }
        }
        let count = found.len();
        for (name, at, index, dtype, shape) in found {
            let value = match self.input_type(&name, dtype, shape.as_ref()) {
                Ok(info) => Value::Tensor(self.graph.input(&name, info).upcast()),
                Err(error) => {
                    self.errors.push(error);
                    Value::Failed
                }
            };
            if let Some(scope) = self.scopes.last_mut() {
                let results = scope.results.entry(at).or_default();
                // An input is the first result of a placeholder.
                if index <= results.len() {
                    results.insert(index, value);
                }
            }
        }
        self.graph.attr("num_input", tvmscript_ir_core::Value::Int(i64::try_from(count).unwrap_or(0)));
    }

    /// The type of an input. Unknown dimensions are variables.
    fn input_type(
        &self,
        name: &str,
        dtype: i32,
        shape: Option<&TensorShapeProto>,
    ) -> Result<Ref<StructInfo>, ImportError> {
        let failed = |reason: String| ImportError::Input { name: name.to_owned(), reason };
        let dtype = tensor::element_type(dtype)
            .ok_or_else(|| failed(format!("has the element type {dtype}, which is not supported")))?;
        let own = tensor::lengths(shape);
        let stated = self.options.stated_shape(name, own.as_ref().map(Vec::len));
        let stated = stated.map_err(|Reason(reason)| failed(reason))?;
        let lengths = stated.map(<[i64]>::to_vec).or(own);
        let Some(lengths) = lengths else { return Ok(TensorStructInfo::of_rank(-1, dtype, None).upcast()) };
        let dim = |(axis, length): (usize, &i64)| match length {
            0.. => Ok(IntImm::int64(*length)),
            -1 => Ok(prim::Var::new(format!("{name}_d{axis}"), DataType::INT64).upcast()),
            other => Err(failed(format!("has a dimension of {other}"))),
        };
        let dims = lengths.iter().enumerate().map(dim).collect::<Result<Vec<_>, _>>()?;
        Ok(tensor_of(dims, dtype))
    }

    /// The names of nodes whose results nothing uses, in stored order.
    pub(super) fn unused_nodes(&self) -> Vec<Vec<u8>> {
        let Some(scope) = self.scopes.last() else { return Vec::new() };
        let is_result = |node: &&NodeDef| {
            !makes_nothing(&node.op)
                && !matches!(node.op.as_ref(), b"Placeholder" | b"PlaceholderV2" | b"Const")
        };
        let unused = |counts_order: bool| -> Vec<Vec<u8>> {
            let inputs = scope.nodes.iter().flat_map(|node| &node.input);
            let used: HashSet<&[u8]> = inputs
                .filter_map(|input| match input.strip_prefix(b"^") {
                    Some(node) => counts_order.then_some(node),
                    None => reference(input).map(|reference| reference.node),
                })
                .collect();
            let nodes = scope.nodes.iter().filter(is_result);
            nodes.filter(|node| !used.contains(node.name.as_ref())).map(|node| node.name.to_vec()).collect()
        };
        // Loops of version 1 leave values that nothing needs.
        let is_left = |name: &Vec<u8>| {
            let node = scope.node_of(Reference { node: name, result: None, index: 0 });
            let node = node.and_then(|at| scope.nodes.get(at));
            node.is_some_and(|node| matches!(node.op.as_ref(), b"Exit" | b"Switch"))
        };
        let mut found = unused(true);
        if found.iter().any(|name| !is_left(name)) {
            found.retain(|name| !is_left(name));
        }
        if found.is_empty() {
            found = unused(false);
        }
        if found.is_empty() {
            // Nothing is computed: the values themselves.
            let nodes = scope.nodes.iter().filter(|node| !makes_nothing(&node.op));
            found.extend(nodes.map(|node| node.name.to_vec()));
        }
        found
    }

    /// The value of an output; with `takes_all`, all results of its node.
    pub(super) fn output(&mut self, reference: Reference<'_>, takes_all: bool) -> Vec<Expr> {
        let values = match self.scope().and_then(|scope| Some((scope, scope.node_of(reference)?))) {
            Some((scope, at)) if takes_all => scope.results.get(&at).cloned().unwrap_or_default(),
            _ => vec![self.value(reference, "the graph's output")],
        };
        let name = text(reference.node).into_owned();
        let mut found = Vec::new();
        for value in values {
            let _layer = self.graph.layer(&name);
            match self.tensor(&value) {
                Ok(value) => found.push(value),
                Err(reason) => self.fail(&name, "output", Vec::new(), reason),
            }
        }
        found
    }
}
