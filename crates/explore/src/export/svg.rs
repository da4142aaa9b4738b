//! Graphs as SVG, in light and dark colours.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::page::{Graph, GraphNode, escaped};

/// Colours and fonts; the dark ones follow the reader's choice.
const STYLE: &str = "\
svg{background:#fff;font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\
rect{fill:#f6f8fa;stroke:#8c959f}\
text{fill:#1f2328;text-anchor:middle}\
.op,.label{fill:#59636e;font-size:11px}\
.label{paint-order:stroke;stroke:#fff;stroke-width:4px}\
.input rect{fill:#ddf4ff;stroke:#0969da}\
.parameter rect{fill:#fff8c5;stroke:#9a6700}\
.output rect{fill:#dafbe1;stroke:#1a7f37}\
.namespace rect{stroke-dasharray:4 2}\
.marked rect{stroke:#c0392b;stroke-width:3}\
polyline{fill:none;stroke:#8c959f}\
.arrow{fill:#8c959f}\
@media (prefers-color-scheme:dark){\
svg{background:#0d1117}\
rect{fill:#161b22;stroke:#6e7681}\
text{fill:#e6edf3}\
.op,.label{fill:#9198a1}\
.label{stroke:#0d1117}\
.input rect{fill:#0c2d6b;stroke:#58a6ff}\
.parameter rect{fill:#3b2300;stroke:#d29922}\
.output rect{fill:#033a16;stroke:#3fb950}\
polyline{stroke:#6e7681}\
.arrow{fill:#6e7681}\
}";

/// Width of a character in pixels, at which texts are cut.
const CHARACTER_WIDTH: u32 = 7;

/// Height of a line of text in pixels.
const LINE_HEIGHT: u32 = 16;

/// Space between the upper edge of a box and its first line of text, in pixels.
const PADDING: u32 = 4;

/// A box of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Left edge, upper edge, width and height, in pixels.
    pub place: [u32; 4],
    /// Lines of text; the first one stands out.
    pub lines: Vec<String>,
    /// Class that chooses the colours: `input`, `parameter`, `output`, `namespace`, `marked` or another word.
    pub class: &'static str,
}

/// Draws a graph that is laid out.
pub fn write(graph: &Graph) -> String {
    let shape = |node: &GraphNode| Shape {
        place: [node.x, node.y, node.w, node.h],
        lines: vec![node.name.clone(), node.op.clone()],
        class: node.mark.or_else(|| node.inner.map(|_| "namespace")).unwrap_or("node"),
    };
    // The edges of one value say its shape once.
    let mut known = HashSet::new();
    let edges = graph.edges.iter().map(|edge| {
        let label = edge.label.as_deref().filter(|label| known.insert((edge.from, *label)));
        (edge.points.as_slice(), label)
    });
    draw(&graph.name, [graph.width, graph.height], graph.nodes.iter().map(shape), edges)
}

/// The width and height of a box that has room for its text.
pub fn size(lines: &[String]) -> [u32; 2] {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let width = number(longest).saturating_mul(CHARACTER_WIDTH).saturating_add(4 * PADDING);
    [width.next_multiple_of(2), number(lines.len()).saturating_mul(LINE_HEIGHT).saturating_add(2 * PADDING)]
}

/// Draws boxes, and edges with their corners (`x, y, x, y, ..`) and words.
pub fn draw<'e>(
    title: &str,
    [width, height]: [u32; 2],
    shapes: impl Iterator<Item = Shape>,
    edges: impl Iterator<Item = (&'e [u32], Option<&'e str>)>,
) -> String {
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n"
    );
    let _ = writeln!(svg, "<title>{}</title>", escaped(title));
    let _ = writeln!(svg, "<style>{STYLE}</style>");
    svg.push_str(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path class=\"arrow\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
    );
    edges.for_each(|(points, label)| draw_edge(&mut svg, points, label));
    shapes.for_each(|shape| draw_shape(&mut svg, &shape));
    svg.push_str("</svg>\n");
    svg
}

fn draw_edge(svg: &mut String, points: &[u32], label: Option<&str>) {
    let corners: Vec<[u32; 2]> =
        points.chunks_exact(2).filter_map(|corner| <[u32; 2]>::try_from(corner).ok()).collect();
    let points: Vec<String> = corners.iter().map(|[x, y]| format!("{x},{y}")).collect();
    let _ = writeln!(svg, "<polyline points=\"{}\" marker-end=\"url(#arrow)\"/>", points.join(" "));
    if let (Some(label), [[x, y], [next_x, next_y], ..]) = (label, corners.as_slice()) {
        let (x, y) = (x.midpoint(*next_x), y.midpoint(*next_y));
        let _ = writeln!(svg, "<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(label));
    }
}

fn draw_shape(svg: &mut String, Shape { place: [x, y, w, h], lines, class }: &Shape) {
    let _ = writeln!(svg, "<g class=\"{class}\"><title>{}</title>", escaped(&lines.join("\n")));
    let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"4\"/>");
    let center = x.saturating_add(w / 2);
    for (number, line) in (1..).zip(lines) {
        let class = if number == 1 { "name" } else { "op" };
        let base = y.saturating_add(LINE_HEIGHT.saturating_mul(number)).saturating_add(PADDING / 2);
        let text = escaped(&cut(line, w / CHARACTER_WIDTH));
        let _ = writeln!(svg, "<text class=\"{class}\" x=\"{center}\" y=\"{base}\">{text}</text>");
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
