//! Graphs of a page: of the layers of a model, and of the calls of a module.
//!
//! Graphs are made without places. [`fold`] replaces the namespaces of large ones by nodes, and [`place`] lays them out.

pub mod calls;
mod fold;
pub mod layout;
pub mod model;

use std::collections::HashMap;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Span};

pub use fold::{fold, namespace};

use crate::page::{Graph, Origin, Run, Schedule, Store};

/// Height of a node in pixels: two lines of text.
const NODE_HEIGHT: u32 = 42;

/// Smallest and largest width of a node in pixels.
const NODE_WIDTH: [u32; 2] = [72, 260];

/// Width of a character of a name in pixels.
const CHARACTER_WIDTH: u32 = 7;

/// Space beside the text of a node, in pixels.
const PADDING: u32 = 12;

/// The graphs of a program that passes made, without places: those of the Relax functions of its first version, and the calls
/// of the version with most functions, the first of them. `scheduled` are functions that have
/// schedules; `origins` finds the indices of the origins of a span.
pub fn of_program(
    modules: &[Ref<IRModule>],
    scheduled: &[String],
    origins: &mut dyn FnMut(Span) -> Vec<u32>,
) -> Vec<Graph> {
    let Some(first) = modules.first() else { return Vec::new() };
    let mut graphs = model::graphs(first, origins);
    let largest = modules.iter().rev().max_by_key(|module| module.functions.len()).unwrap_or(first);
    link_functions(&mut graphs, largest, scheduled, origins);
    graphs.push(calls::graph(largest, origins));
    graphs
}

/// Adds graphs after others.
pub fn append(graphs: &mut Vec<Graph>, more: Vec<Graph>) {
    let offset = u32::try_from(graphs.len()).unwrap_or(u32::MAX);
    let moved = |index: u32| index.saturating_add(offset);
    graphs.extend(more.into_iter().map(|mut graph| {
        graph.parent = graph.parent.map(moved);
        for node in &mut graph.nodes {
            node.inner = node.inner.map(moved);
        }
        graph
    }));
}

/// Lays out the nodes of graphs.
pub fn place(graphs: &mut [Graph]) {
    for graph in graphs {
        for node in &mut graph.nodes {
            let longest = node.name.chars().count().max(node.op.chars().count());
            let text = u32::try_from(longest).unwrap_or(u32::MAX).saturating_mul(CHARACTER_WIDTH);
            let [smallest, largest] = NODE_WIDTH;
            // Even, so that the middle is an integer.
            node.w = text.saturating_add(2 * PADDING).clamp(smallest, largest).next_multiple_of(2);
            node.h = NODE_HEIGHT;
        }
        let sizes: Vec<[u32; 2]> = graph.nodes.iter().map(|node| [node.w, node.h]).collect();
        let edges: Vec<[u32; 2]> = graph.edges.iter().map(|edge| [edge.from, edge.to]).collect();
        let layout = layout::layout(&sizes, &edges);
        (graph.width, graph.height) = (layout.width, layout.height);
        for (node, [x, y]) in graph.nodes.iter_mut().zip(layout.nodes) {
            (node.x, node.y) = (x, y);
        }
        for (edge, points) in graph.edges.iter_mut().zip(layout.edges) {
            edge.points = points;
        }
    }
}

/// Names the functions of layers: the function of TIR that a later form of the module calls for a layer, one with a schedule
/// if there are several.
fn link_functions(
    graphs: &mut [Graph],
    module: &Ref<IRModule>,
    scheduled: &[String],
    origins: &mut dyn FnMut(Span) -> Vec<u32>,
) {
    let has_schedule = |name: &str| scheduled.iter().any(|scheduled| scheduled == name);
    let mut functions: HashMap<u32, String> = HashMap::new();
    for node in tvmscript_schedule::graph_nodes(module) {
        let name = node.function.as_str();
        for origin in origins(node.call.span()) {
            let known = functions.entry(origin).or_insert_with(|| name.to_owned());
            if !has_schedule(known) && has_schedule(name) {
                name.clone_into(known);
            }
        }
    }
    for node in graphs.iter_mut().filter(|graph| graph.kind == model::KIND).flat_map(|graph| &mut graph.nodes)
    {
        if node.function.is_none() && node.inner.is_none() && node.mark.is_none_or(|mark| mark == "output") {
            node.function = node.origins.iter().find_map(|origin| functions.get(origin).cloned());
        }
    }
}

/// Gives nodes of functions without origins those of the first two lines of the function, for runs without spans.
pub fn link_heads(graphs: &mut [Graph], run: &Run, index: u32, store: &mut Store) {
    let mut heads: HashMap<&str, Vec<u32>> = HashMap::new();
    let mut line = 1;
    for part in run.versions.first().into_iter().flat_map(|version| &version.parts) {
        if let Some(function) = &part.function {
            let heads = heads.entry(function).or_default();
            heads.extend((line..line + 2).map(|line| store.origin(Origin::Line { run: index, line })));
        }
        line += store.line_count(part.text);
    }
    for node in graphs.iter_mut().flat_map(|graph| &mut graph.nodes).filter(|node| node.origins.is_empty()) {
        let heads = node.function.as_deref().and_then(|function| heads.get(function));
        node.origins.extend(heads.into_iter().flatten());
    }
}

/// Gives the nodes of functions their schedules, unless they have one.
pub fn link_schedules(graphs: &mut [Graph], schedules: &[Schedule]) {
    let numbers: HashMap<&str, u32> =
        schedules.iter().map(|schedule| schedule.function.as_str()).zip(0..).collect();
    for node in graphs.iter_mut().flat_map(|graph| &mut graph.nodes) {
        let of_function = || node.function.as_deref().and_then(|function| numbers.get(function).copied());
        node.schedule = node.schedule.or_else(of_function);
    }
}
