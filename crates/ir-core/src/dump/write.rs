//! Output formats of dumps.

use std::fmt::Write;

use super::{Graph, GraphEdge};

/// Maximum indentation in levels; deeper lines state their depth.
const MAX_INDENT: usize = 60;

impl Graph {
    /// Returns the edges that pictures show: the first one to each node, and all of them after
    /// [`DumpOptions::dedupe`](super::DumpOptions::dedupe).
    pub fn shown_edges(&self) -> impl Iterator<Item = &GraphEdge> {
        self.edges.iter().filter(|edge| edge.first || self.dedupe)
    }

    /// Returns the graph in Graphviz's language. Lines of a label end in `\l`, which aligns them left; a single line
    /// is centered.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph {\n  node [shape=box]\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let _ = write!(out, "  node{number}[label=\"{}", node.class);
            if !node.label.is_empty() {
                out.push_str("\\n");
            }
            let is_one_line = !node.label.contains('\n');
            for line in node.label.lines() {
                for c in line.chars() {
                    if matches!(c, '"' | '\\') {
                        out.push('\\');
                    }
                    out.push(c);
                }
                if !is_one_line {
                    out.push_str("\\l");
                }
            }
            out.push_str("\"];\n");
        }
        for edge in self.shown_edges() {
            let _ = writeln!(out, "  node{} -> node{};", edge.from, edge.to);
        }
        out.push_str("}\n");
        out
    }

    /// Returns an indented tree with one line per node: edge, class, first line of the label. A repeated node refers
    /// to its line. There are several trees if the root is not of a shown class.
    pub fn to_text(&self) -> String {
        let mut held: Vec<Vec<&GraphEdge>> = vec![Vec::new(); self.nodes.len()];
        let mut is_root = vec![true; self.nodes.len()];
        for edge in &self.edges {
            if let (Some(held), Some(is_root)) =
                (held.get_mut(edge.from as usize), is_root.get_mut(edge.to as usize))
            {
                held.push(edge);
                *is_root &= !edge.first;
            }
        }
        let mut out = String::new();
        let roots = is_root.iter().enumerate().rev().filter(|(_, is_root)| **is_root);
        let mut stack: Vec<(usize, usize, Option<&GraphEdge>)> =
            roots.map(|(root, _)| (0, root, None)).collect();
        let mut lines = vec![0u32; self.nodes.len()];
        let mut line = 0;
        while let Some((depth, number, edge)) = stack.pop() {
            line += 1;
            let _ = write!(out, "{:1$}", "", 2 * depth.min(MAX_INDENT));
            if depth > MAX_INDENT {
                let _ = write!(out, "({depth}) ");
            }
            if let Some(edge) = edge {
                let _ = write!(out, "{}: ", edge.place);
            }
            // Edges are between nodes of the graph.
            let (Some(node), Some(held), Some(first_line)) =
                (self.nodes.get(number), held.get(number), lines.get_mut(number))
            else {
                continue;
            };
            out.push_str(node.class);
            if edge.is_some_and(|e| !e.first) {
                let _ = writeln!(out, " as in line {}", first_line);
                continue;
            }
            *first_line = line;
            let mut label = node.label.lines();
            if let Some(first) = label.next() {
                let _ = write!(out, " {first}");
            }
            if label.next().is_some() {
                out.push_str(" …");
            }
            out.push('\n');
            stack.extend(held.iter().rev().map(|&e| (depth + 1, e.to as usize, Some(e))));
        }
        if self.is_cut {
            out.push_str("… more nodes than the limit\n");
        }
        out
    }

    /// Returns `{"nodes": [{"class", "label"}], "edges": [{"from", "to", "place", "first"}], "is_cut"}`.
    pub fn to_json(&self) -> String {
        let nodes = self.nodes.iter().map(|n| serde_json::json!({ "class": n.class, "label": n.label }));
        let edges = self
            .edges
            .iter()
            .map(|e| serde_json::json!({ "from": e.from, "to": e.to, "place": e.place, "first": e.first }));
        serde_json::json!({
            "nodes": nodes.collect::<Vec<_>>(),
            "edges": edges.collect::<Vec<_>>(),
            "is_cut": self.is_cut,
        })
        .to_string()
    }
}
