//! The graphs of a page as Google's Model Explorer reads them: one collection of graphs as JSON.
//!
//! Format: `GraphCollection` and `GraphNode` of `src/ui/src/components/visualizer/common/input_graph.ts` in
//! google-ai-edge/model-explorer. Namespaces are paths with `/`, and edges stand at the nodes where they end. Graphs are those
//! before [`fold`](crate::graph::fold), because the viewer folds namespaces itself.

use serde_json::{Value, json};

use crate::graph::namespace;
use crate::page::{Graph, GraphNode};

/// Writes graphs without places or folded namespaces as JSON.
pub fn write(title: &str, graphs: &[Graph]) -> String {
    let ids: Vec<String> = graphs.iter().enumerate().map(|(index, graph)| id(index, graph)).collect();
    let graphs: Vec<Value> = graphs.iter().zip(&ids).map(|(graph, id)| of_graph(graph, id, &ids)).collect();
    format!("{}\n", json!({"label": title, "graphs": graphs}))
}

/// A name for a graph that no other one has.
fn id(index: usize, graph: &Graph) -> String {
    if index == 0 { graph.name.clone() } else { format!("{} ({} {index})", graph.name, graph.kind) }
}

fn of_graph(graph: &Graph, id: &str, ids: &[String]) -> Value {
    let mut incoming: Vec<Vec<Value>> = vec![Vec::new(); graph.nodes.len()];
    let mut outputs: Vec<Option<&str>> = vec![None; graph.nodes.len()];
    for edge in &graph.edges {
        if let Some(output) = outputs.get_mut(edge.from as usize) {
            *output = output.or(edge.label.as_deref());
        }
        if let Some(incoming) = incoming.get_mut(edge.to as usize) {
            incoming.push(json!({
                "sourceNodeId": edge.from.to_string(),
                "sourceNodeOutputId": "0",
                "targetNodeInputId": incoming.len().to_string(),
            }));
        }
    }
    let nodes = graph.nodes.iter().zip(incoming).zip(outputs).enumerate();
    let nodes: Vec<Value> = nodes
        .map(|(index, ((node, incoming), output))| of_node(index, node, incoming, output, ids))
        .collect();
    json!({"id": id, "nodes": nodes})
}

fn of_node(
    index: usize,
    node: &GraphNode,
    incoming: Vec<Value>,
    output: Option<&str>,
    ids: &[String],
) -> Value {
    let (path, label) = namespace(&node.name);
    let attributes = [
        ("name", Some(node.name.as_str())),
        ("operators", Some(node.op.as_str()).filter(|op| !op.is_empty())),
        ("function", node.function.as_deref()),
        ("mark", node.mark),
    ];
    let attribute = |(key, value): (&str, Option<&str>)| Some(json!({"key": key, "value": value?}));
    let outputs =
        output.map(|shape| json!([{"id": "0", "attrs": [{"key": "tensor_shape", "value": shape}]}]));
    let inner = node.inner.and_then(|inner| ids.get(inner as usize)).map(|inner| json!([inner]));
    let fields = [
        ("id", Some(json!(index.to_string()))),
        ("label", Some(json!(label))),
        ("namespace", Some(json!(path.join("/")))),
        ("attrs", Some(attributes.into_iter().filter_map(attribute).collect())),
        ("incomingEdges", Some(json!(incoming))),
        ("outputsMetadata", outputs),
        ("subgraphIds", inner),
    ];
    fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}
