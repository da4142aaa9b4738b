//! Graphs of a page: namespaces, links to schedules, and exports.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::Value;
use tvmscript_explore::export::{chrome_trace, model_explorer, svg};
use tvmscript_explore::graph::{append, fold, link_schedules, namespace, place};
use tvmscript_explore::page::{Graph, GraphEdge, GraphNode, Page, Run, Schedule, Version};

fn node(name: &str) -> GraphNode {
    GraphNode { name: name.to_owned(), op: "nn.relu".to_owned(), ..GraphNode::default() }
}

fn edge(from: u32, to: u32) -> GraphEdge {
    GraphEdge { from, to, label: Some("1×8 float32".to_owned()), ..GraphEdge::default() }
}

/// A chain of layers in namespaces `layerN.block`, after an input.
fn chain(layers: u32) -> Graph {
    let mut nodes = vec![GraphNode { mark: Some("input"), ..node("x") }];
    nodes.extend((0..layers).map(|index| {
        let origins = vec![index];
        GraphNode { origins, ..node(&format!("layer{}.{}.conv{index}", index / 40, index % 40 / 20)) }
    }));
    let edges = (0..layers).map(|index| edge(index, index + 1)).collect();
    Graph { name: "main".to_owned(), kind: "model", nodes, edges, ..Graph::default() }
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.nodes.iter().map(|node| node.name.as_str()).collect()
}

fn ends(graph: &Graph) -> Vec<[u32; 2]> {
    graph.edges.iter().map(|edge| [edge.from, edge.to]).collect()
}

#[test]
fn names_have_namespaces() {
    assert_eq!(namespace("/features/conv0/Conv"), (vec!["features", "conv0"], "Conv"));
    assert_eq!(namespace("layer1.0.conv"), (vec!["layer1", "0"], "conv"));
    assert_eq!(namespace("a.b/c.d"), (vec!["a.b"], "c.d"));
    assert_eq!(namespace("relu"), (vec![], "relu"));
    assert_eq!(namespace("//"), (vec![], "//"));
}

#[test]
fn small_graphs_stay_flat() {
    let graphs = fold(vec![chain(149)]);
    assert_eq!((graphs.len(), graphs[0].nodes.len(), graphs[0].edges.len()), (1, 150, 149));
}

#[test]
fn namespaces_of_a_large_graph_are_nodes_with_a_graph_inside() {
    let graphs = fold(vec![chain(160), Graph { name: "other".to_owned(), ..Graph::default() }]);
    assert_eq!(graphs.len(), 2 + 4 + 8, "the graph, the other, four layers and their blocks");
    let (outer, other) = (&graphs[0], &graphs[1]);
    assert_eq!(names(outer), ["layer0", "layer1", "layer2", "layer3", "x"]);
    assert_eq!(
        ends(outer),
        [[4, 0], [0, 1], [1, 2], [2, 3]],
        "edges between namespaces stand for those of layers"
    );
    assert_eq!(other.name, "other");
    let layer = &graphs[outer.nodes[1].inner.unwrap() as usize];
    assert_eq!((layer.name.as_str(), layer.parent), ("layer1", Some(0)));
    assert_eq!(names(layer), ["layer1.0", "layer1.1"]);
    assert_eq!(ends(layer), [[0, 1]]);
    let block = &graphs[layer.nodes[1].inner.unwrap() as usize];
    assert_eq!(graphs[block.parent.unwrap() as usize].name, "layer1");
    assert_eq!((block.nodes.len(), block.edges.len()), (20, 19));
    assert_eq!(
        outer.nodes[1].origins,
        (40..80).collect::<Vec<u32>>(),
        "a namespace lights the lines of its layers"
    );
    // No layer and no edge is lost.
    let leaves = graphs.iter().flat_map(|graph| &graph.nodes).filter(|node| node.inner.is_none());
    assert_eq!(leaves.count(), 161);
    assert_eq!(graphs.iter().map(|graph| graph.edges.len()).sum::<usize>(), 160);
}

#[test]
fn names_with_very_many_levels_are_folded_to_a_bound() {
    let mut graph = chain(0);
    graph.nodes.extend((1..400).map(|depth| node(&"a/".repeat(depth))));
    graph.nodes.extend((1..400).map(|depth| node(&format!("{}b", "a/b/".repeat(depth)))));
    let graphs = fold(vec![graph]);
    assert!(graphs.len() < 40, "{}", graphs.len());
}

#[test]
fn graphs_of_several_programs_keep_their_links() {
    let inner = Graph { parent: Some(0), ..chain(1) };
    let mut outer = chain(1);
    outer.nodes[1].inner = Some(1);
    let mut graphs = vec![outer.clone(), inner.clone()];
    append(&mut graphs, vec![outer, inner]);
    assert_eq!((graphs[2].nodes[1].inner, graphs[3].parent), (Some(3), Some(2)));
}

#[test]
fn nodes_have_the_schedules_of_their_functions() {
    let mut graphs = vec![chain(2)];
    graphs[0].nodes[1].function = Some("conv".to_owned());
    let schedules =
        ["other", "conv"].map(|function| Schedule { function: function.to_owned(), records: Vec::new() });
    link_schedules(&mut graphs, &schedules);
    let found: Vec<_> = graphs[0].nodes.iter().map(|node| node.schedule).collect();
    assert_eq!(found, [None, Some(1), None]);
}

#[test]
fn p92_27_model_explorer_reads_the_graph() {
    let mut graph = chain(2);
    graph.edges.push(edge(0, 2));
    let json: Value = serde_json::from_str(&model_explorer::write("net.onnx", &[graph])).unwrap();
    assert_eq!(json["label"], "net.onnx");
    let nodes = json["graphs"][0]["nodes"].as_array().unwrap();
    assert_eq!(json["graphs"][0]["id"], "main");
    let last = &nodes[2];
    assert_eq!((&last["label"], &last["namespace"]), (&Value::from("conv1"), &Value::from("layer0/0")));
    let edges = last["incomingEdges"].as_array().unwrap();
    let sources: Vec<&str> = edges.iter().map(|edge| edge["sourceNodeId"].as_str().unwrap()).collect();
    assert_eq!(sources, ["1", "0"]);
    assert_eq!(edges[1]["targetNodeInputId"], "1");
    assert_eq!(nodes[0]["outputsMetadata"][0]["attrs"][0]["value"], "1×8 float32");
    let strings = nodes.iter().flat_map(|node| node["attrs"].as_array().unwrap());
    assert!(
        strings.clone().count() > 0
            && strings.clone().all(|attr| attr["key"].is_string() && attr["value"].is_string())
    );
}

#[test]
fn pass_times_are_nested_events() {
    let version =
        |name: &str, inside, ms| Version { name: name.to_owned(), inside, ms, ..Version::default() };
    let versions = vec![
        version("input", None, None),
        version("a", Some(3), Some(2.0)),
        version("b", Some(3), Some(3.5)),
        version("all", None, Some(6.0)),
        version("c", None, Some(1.0)),
    ];
    let run = Run { name: "net.onnx".to_owned(), versions, ..Run::default() };
    let page = Page { runs: vec![run], ..Page::default() };
    let json: Value = serde_json::from_str(&chrome_trace::write(&page)).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    assert_eq!(events[0]["args"]["name"], "net.onnx");
    let spans: Vec<_> = events[1..]
        .iter()
        .map(|event| {
            (event["name"].as_str().unwrap(), event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(
        spans,
        [("all", 0.0, 6000.0), ("c", 6000.0, 1000.0), ("a", 0.0, 2000.0), ("b", 2000.0, 3500.0)]
    );
}

#[test]
fn a_picture_has_no_markup_of_names() {
    let mut graph = chain(2);
    graph.nodes[1].name = "</text><script>alert(\"1\")</script>&\u{1}".to_owned();
    graph.edges[0].label = Some("<b>".to_owned());
    let mut graphs = [graph];
    place(&mut graphs);
    let picture = svg::write(&graphs[0]);
    assert!(
        !picture.contains("<script") && !picture.contains("<b>") && !picture.contains('\u{1}'),
        "{picture}"
    );
    assert!(picture.contains("&lt;/text&gt;&lt;script&gt;") && picture.contains("prefers-color-scheme:dark"));
    let count = |text: &str| picture.matches(text).count();
    assert_eq!((count("<g "), count("</g>"), count("<rect "), count("<polyline ")), (3, 3, 3, 2));
    assert_eq!((count("<text "), count("</text>")), (8, 8), "two lines in each node, and two labels");
}
