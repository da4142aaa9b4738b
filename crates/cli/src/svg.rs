//! Dumps and schedules as pictures.

use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::get_size_for_str;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use tvmscript::ir_core::dump::Graph;

/// Maximum number of nodes of a picture; the time of the layout grows faster than linearly.
const MAX_NODES: usize = 1000;

/// Maximum number of nodes for which the layout reduces crossings of edges, in some 0.3 s.
const MAX_OPTIMIZED_NODES: usize = 250;

/// Size of the text in pixels, as the layout measures it.
const FONT_SIZE: usize = 13;

/// Colour of marked frames, as red, green, blue and opacity.
const MARKED: u32 = 0xC039_2BFF;

/// Space around the text of a node, in pixels.
const PADDING: f64 = 16.0;

/// Lays a graph out from top to bottom and draws it as SVG.
///
/// # Errors
/// If the graph has too many nodes.
pub(crate) fn to_svg(graph: &Graph) -> Result<String, String> {
    if graph.nodes.len() > MAX_NODES {
        return Err(format!(
            "a picture has at most {MAX_NODES} nodes, not {}; `--kinds` and `--dedupe` show fewer, and `--format dot` has no limit",
            graph.nodes.len()
        ));
    }
    if graph.nodes.is_empty() {
        return Ok(String::from(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\"></svg>\n",
        ));
    }
    let nodes = graph.nodes.iter().map(|node| (format!("{}\n{}", node.class, node.label), false));
    let edges = graph.shown_edges().map(|edge| (edge.from as usize, edge.to as usize));
    Ok(laid_out(nodes, edges))
}

/// Draws a picture of a schedule as SVG.
///
/// # Errors
/// If the picture has too many boxes.
pub(crate) fn of_stages(graph: &tvmscript::te::tedd::Graph) -> Result<String, String> {
    if graph.nodes.len() > MAX_NODES {
        return Err(format!(
            "a picture has at most {MAX_NODES} boxes, not {}; text has no limit",
            graph.nodes.len()
        ));
    }
    Ok(laid_out(graph.nodes.iter().cloned(), graph.edges.iter().copied()))
}

/// Lays boxes out; those that are marked have a coloured frame.
fn laid_out(
    nodes: impl Iterator<Item = (String, bool)>,
    edges: impl Iterator<Item = (usize, usize)>,
) -> String {
    let mut picture = VisualGraph::new(Orientation::TopToBottom);
    let handles: Vec<_> = nodes
        .map(|(text, is_marked)| {
            let text: String = text.trim_end().chars().map(visible).collect();
            let mut size = get_size_for_str(&text, FONT_SIZE);
            // The layout measures the width of a character by its height.
            size.x = size.x * 0.6 + PADDING;
            size.y += PADDING;
            let shape = ShapeKind::new_box(&text);
            let mut style = StyleAttr { font_size: FONT_SIZE, ..StyleAttr::simple() };
            if is_marked {
                style.line_color = Color::new(MARKED);
                style.line_width = 3;
            }
            picture.add_node(Element::create(shape, style, Orientation::TopToBottom, size))
        })
        .collect();
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (handles.get(from), handles.get(to)) {
            picture.add_edge(Arrow::simple(""), *from, *to);
        }
    }
    let mut writer = SVGWriter::new();
    picture.do_it(false, handles.len() > MAX_OPTIMIZED_NODES, false, &mut writer);
    let ends = handles.iter().map(|handle| picture.pos(*handle)).map(|at| (at.right(true), at.bottom(true)));
    let (width, height) =
        ends.fold((0.0, 0.0), |(x, y): (f64, f64), (right, bottom)| (x.max(right), y.max(bottom)));
    cropped(&writer.finalize(), width, height)
}

/// Sets the size of a picture, which the writer estimates from the length of texts.
fn cropped(svg: &str, width: f64, height: f64) -> String {
    let head = format!(
        "<svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" xmlns=\"http://www.w3.org/2000/svg\">"
    );
    let rest = svg.split_once("<svg ").and_then(|(_, rest)| rest.split_once('>'));
    rest.map_or_else(|| svg.to_owned(), |(_, rest)| head + rest + "\n")
}

/// Replaces characters that XML cannot contain.
fn visible(c: char) -> char {
    if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }
}
