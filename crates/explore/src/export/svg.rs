//! A graph of a page as SVG, in light and dark colours.

use std::fmt::Write as _;

use crate::page::{Graph, GraphEdge, GraphNode};

/// Colours and fonts; the dark ones follow the reader's choice.
const STYLE: &str = "\
svg{background:#fff;font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
rect{fill:#f6f8fa;stroke:#8c959f}\
text{fill:#1f2328;text-anchor:middle}\
.op,.label{fill:#59636e;font-size:11px}\
.input rect{fill:#ddf4ff;stroke:#0969da}\
.parameter rect{fill:#fff8c5;stroke:#9a6700}\
.output rect{fill:#dafbe1;stroke:#1a7f37}\
.namespace rect{stroke-dasharray:4 2}\
polyline{fill:none;stroke:#8c959f}\
.arrow{fill:#8c959f}\
@media (prefers-color-scheme:dark){\
svg{background:#0d1117}\
rect{fill:#161b22;stroke:#6e7681}\
text{fill:#e6edf3}\
.op,.label{fill:#9198a1}\
.input rect{fill:#0c2d6b;stroke:#58a6ff}\
.parameter rect{fill:#3b2300;stroke:#d29922}\
.output rect{fill:#033a16;stroke:#3fb950}\
polyline{stroke:#6e7681}\
.arrow{fill:#6e7681}\
}";

/// Width of a character in pixels, at which texts are cut.
const CHARACTER_WIDTH: u32 = 7;

/// Draws a graph that is laid out.
pub fn write(graph: &Graph) -> String {
    let (width, height) = (graph.width, graph.height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    let _ = writeln!(svg, "<title>{}</title>", escaped(&graph.name));
    let _ = writeln!(svg, "<style>{STYLE}</style>");
    svg.push_str(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path class=\"arrow\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
    );
    graph.edges.iter().for_each(|edge| draw_edge(&mut svg, edge));
    graph.nodes.iter().for_each(|node| draw_node(&mut svg, node));
    svg.push_str("</svg>\n");
    svg
}

fn draw_edge(svg: &mut String, edge: &GraphEdge) {
    let corners: Vec<[u32; 2]> =
        edge.points.chunks_exact(2).filter_map(|corner| <[u32; 2]>::try_from(corner).ok()).collect();
    let points: Vec<String> = corners.iter().map(|[x, y]| format!("{x},{y}")).collect();
    let _ = writeln!(svg, "<polyline points=\"{}\" marker-end=\"url(#arrow)\"/>", points.join(" "));
    if let (Some(label), [[x, y], [next_x, next_y], ..]) = (&edge.label, corners.as_slice()) {
        let middle = |a: u32, b: u32| a.midpoint(b);
        let (x, y) = (middle(*x, *next_x), middle(*y, *next_y));
        let _ = writeln!(svg, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(label));
    }
}

fn draw_node(svg: &mut String, node: &GraphNode) {
    let GraphNode { x, y, w, h, .. } = node;
    let class = node.mark.or_else(|| node.inner.map(|_| "namespace")).unwrap_or("node");
    let _ = writeln!(
        svg,
        "<g class=\"{class}\"><title>{}</title>",
        escaped(&format!("{}: {}", node.name, node.op))
    );
    let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"4\"/>");
    let center = x.saturating_add(w / 2);
    for (class, text, from_top) in [("name", &node.name, 18), ("op", &node.op, 34)] {
        let line = y.saturating_add(from_top);
        let text = escaped(&cut(text, w / CHARACTER_WIDTH));
        let _ = writeln!(svg, "<text class=\"{class}\" x=\"{center}\" y=\"{line}\">{text}</text>");
    }
    svg.push_str("</g>\n");
}

/// The text with at most this number of characters; the end of a name tells more than its start.
fn cut(text: &str, most: u32) -> String {
    let (count, most) = (text.chars().count(), most.max(1) as usize);
    if count <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(count - most + 1)).collect()
}

/// The text without characters that are markup or that XML cannot contain.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
