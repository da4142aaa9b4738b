//! Dumps: the graph, its numbering, and its three forms.

use tvmscript_ir_core::dump::{DumpOptions, Graph};
use tvmscript_ir_core::{AccessPath, Class, Map, Object, Value};

use tvmscript_toy_nodes::*;

fn sample() -> Object {
    let x = var("x");
    let index = || add(up(&x), int(1));
    let attrs = Map::new([(Value::str("hint"), Value::from(int(7)))]);
    let_in(&x, int(2), add(call_with("toy.f", [index()], attrs), index())).into()
}

#[test]
fn text_shows_fields_and_repeated_nodes() {
    let text = Graph::of(&sample(), &DumpOptions::default()).to_text();
    let expected = r#"toy.Let
  var: toy.Var dtype=int32 name=x
  value: toy.Int dtype=int32 value=2
  body: toy.Add dtype=int32
    a: toy.Call
      op: toy.Op name="toy.f"
      args[0]: toy.Add dtype=int32
        a: toy.Var as in line 2
        b: toy.Int dtype=int32 value=1
      attrs["hint"]: toy.Int dtype=int32 value=7
    b: toy.Add dtype=int32
      a: toy.Var as in line 2
      b: toy.Int dtype=int32 value=1
"#;
    assert_eq!(text, expected);
}

#[test]
fn dot_has_an_edge_to_each_node_but_the_root() {
    let graph = Graph::of(&sample(), &DumpOptions::default());
    let dot = graph.to_dot();
    assert_eq!(dot.matches("[label=").count(), 11);
    assert_eq!(dot.matches(" -> ").count(), 10);
    assert!(dot.starts_with("digraph {\n  node [shape=box]\n  node0[label=\"toy.Let\"];\n"));
    assert!(dot.contains(r#"node5[label="toy.Op\nname=\"toy.f\""];"#), "{dot}");
    assert!(dot.contains("  node0 -> node3;\n  node3 -> node4;\n"));
}

#[test]
fn equal_nodes_are_thinned_out_on_request() {
    let options = DumpOptions { dedupe: true, ..DumpOptions::default() };
    let dot = Graph::of(&sample(), &options).to_dot();
    // The second `x + 1` and its literal are gone; both places point to the first.
    assert_eq!(dot.matches("[label=").count(), 9);
    assert_eq!(dot.matches(" -> ").count(), 10);
}

#[test]
fn kinds_and_labels_are_limited() {
    let options = DumpOptions { kinds: vec![Add::type_info()], max_label: Some(3), ..DumpOptions::default() };
    let graph = Graph::with_labels(&sample(), &options, |_| "one\ntwo".to_owned());
    assert_eq!(graph.to_text(), "toy.Add one…\n  a.args[0]: toy.Add one…\n  b: toy.Add one…\n");
    assert_eq!(graph.nodes[0].label, "one…");
    let few = DumpOptions { max_nodes: 3, ..DumpOptions::default() };
    let graph = Graph::of(&sample(), &few);
    assert!(graph.is_cut && graph.nodes.len() == 3);
    assert!(graph.to_text().ends_with("… more nodes than the limit\n"));
}

#[test]
fn json_names_nodes_and_edges() {
    let json: serde_json::Value =
        serde_json::from_str(&Graph::of(&sample(), &DumpOptions::default()).to_json()).expect("valid JSON");
    assert_eq!(json["nodes"][1], serde_json::json!({ "class": "toy.Var", "label": "dtype=int32 name=x" }));
    assert_eq!(json["edges"][6], serde_json::json!({ "from": 6, "to": 1, "place": "a", "first": false }));
}

#[test]
fn deep_and_doubled_graphs_are_dumped_on_a_small_stack() {
    on_small_stack(|| {
        let few = DumpOptions { kinds: vec![Call::type_info()], ..DumpOptions::default() };
        let calls = call("toy.f", [chain(call("toy.g", []), 100_000)]);
        assert_eq!(Graph::of(calls.object(), &few).edges[0].place, format!("…{}", ".a".repeat(64)));
        for options in [DumpOptions::default(), DumpOptions { dedupe: true, ..DumpOptions::default() }] {
            assert!(Graph::of(chain(int(0), 100_000).object(), &options).to_text().len() < 100_000_000);
            assert_eq!(Graph::of(doubled(int(0), 64).object(), &options).nodes.len(), 65);
        }
    });
}

#[test]
fn text_has_a_tree_for_each_root_that_the_kinds_leave() {
    let options = DumpOptions { kinds: vec![Int::type_info()], ..DumpOptions::default() };
    let graph = Graph::of(&sample(), &options);
    assert_eq!(graph.edges, []);
    let expected = "toy.Int dtype=int32 value=2\ntoy.Int dtype=int32 value=1\ntoy.Int dtype=int32 value=7\ntoy.Int dtype=int32 value=1\n";
    assert_eq!(graph.to_text(), expected);
}

#[test]
fn labels_of_several_lines_end_each_flush_left() {
    let graph =
        Graph::with_labels(int(1).object(), &DumpOptions::default(), |_| "for \"i\":\n    pass\n".to_owned());
    assert!(
        graph.to_dot().contains(r#"node0[label="toy.Int\nfor \"i\":\l    pass\l"];"#),
        "{}",
        graph.to_dot()
    );
}

#[test]
fn visitors_see_no_definitions() {
    let options = DumpOptions { kinds: vec![Expr::type_info()], as_visited: true, ..DumpOptions::default() };
    let graph = Graph::of(&sample(), &options);
    let classes: Vec<_> = graph.nodes.iter().map(|n| n.class).collect();
    assert_eq!(classes[..3], ["toy.Let", "toy.Int", "toy.Add"]);
    // The variable comes up where it is used.
    assert_eq!(classes.iter().filter(|c| **c == "toy.Var").count(), 1);
}

#[test]
fn places_are_pieces_of_access_paths() {
    let (x, other) = (var("x"), var("x"));
    let table = [(x.clone(), int(1)), (other.clone(), int(2))];
    let root: Object = lambda_with(&[&x, &other], table, add(up(&x), int(1))).into();
    let graph = Graph::of(&root, &DumpOptions::default());
    let places: Vec<_> = graph.edges.iter().map(|e| e.place.as_str()).collect();
    assert!(places.contains(&"table[#1]") && places.contains(&"table.key[#0]"), "{places:?}");
    for edge in graph.edges.iter().filter(|e| e.from == 0) {
        let (_, part) = AccessPath::parse(&edge.place, &root).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(part.kind_name(), graph.nodes[edge.to as usize].class);
    }
}
