//! The call graph of a module: a node per function, an edge per function that it calls.

use std::collections::HashMap;

use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::{Ref, Span, visit_nodes};
use tvmscript_tir::PrimFunc;

use crate::page::{Graph, GraphEdge, GraphNode};

/// [`Graph::kind`] of call graphs.
pub const KIND: &str = "calls";

/// The call graph of a module, without places. `origins` finds the indices of the origins of a span.
pub fn graph(module: &Ref<IRModule>, origins: &mut dyn FnMut(Span) -> Vec<u32>) -> Graph {
    let mut graph = Graph { name: "calls".to_owned(), kind: KIND, ..Graph::default() };
    let mut numbers = HashMap::new();
    for (number, (var, function)) in (0..).zip(module.functions.iter()) {
        let name = var.name_hint.to_string();
        numbers.insert(name.clone(), number);
        let object = function.object();
        graph.nodes.push(GraphNode {
            function: Some(name.clone()),
            name,
            op: kind(object).to_owned(),
            origins: origins(object.span()),
            ..GraphNode::default()
        });
    }
    for (from, (_, function)) in (0..).zip(module.functions.iter()) {
        let mut calls: Vec<(u32, u32)> = Vec::new();
        let mut places = HashMap::new();
        visit_nodes::<GlobalVar>(function.object(), |callee| {
            let Some(to) = numbers.get(callee.name_hint.as_str()).copied() else { return };
            let place = *places.entry(to).or_insert_with(|| {
                calls.push((to, 0));
                calls.len() - 1
            });
            if let Some((_, count)) = calls.get_mut(place) {
                *count += 1;
            }
        });
        graph.edges.extend(calls.into_iter().map(|(to, count)| GraphEdge {
            from,
            to,
            label: (count > 1).then(|| format!("{count} calls")),
            ..GraphEdge::default()
        }));
    }
    graph
}

/// The dialect of a function, or the name of its class.
fn kind(function: &tvmscript_ir_core::Object) -> &'static str {
    if function.is::<tvmscript_relax::Function>() {
        "relax"
    } else if function.is::<PrimFunc>() {
        "tir"
    } else {
        function.info().display_key()
    }
}
