//! Dumps and schedules as pictures.

use tvmscript::ir_core::dump::Graph;
use tvmscript_explore::export::svg::{Shape, draw, size};
use tvmscript_explore::graph::layout::layout;

/// Maximum number of nodes of a picture; browsers are slow with more.
const MAX_NODES: usize = 10_000;

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
    let nodes = graph.nodes.iter().map(|node| (format!("{}\n{}", node.class, node.label), false));
    Ok(laid_out("dump", nodes, graph.shown_edges().map(|edge| [edge.from, edge.to])))
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
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let edges = graph.edges.iter().map(|(from, to)| [number(*from), number(*to)]);
    Ok(laid_out("schedule", graph.nodes.iter().cloned(), edges))
}

/// Lays boxes out; those that are marked have a coloured frame.
fn laid_out(
    title: &str,
    nodes: impl Iterator<Item = (String, bool)>,
    edges: impl Iterator<Item = [u32; 2]>,
) -> String {
    let shape = |(text, is_marked): (String, bool)| {
        let lines: Vec<String> = text.trim_end().lines().map(str::to_owned).collect();
        let [w, h] = size(&lines);
        Shape { place: [0, 0, w, h], lines, class: if is_marked { "marked" } else { "node" } }
    };
    let mut shapes: Vec<Shape> = nodes.map(shape).collect();
    let sizes: Vec<[u32; 2]> = shapes.iter().map(|Shape { place: [_, _, w, h], .. }| [*w, *h]).collect();
    let layout = layout(&sizes, &edges.collect::<Vec<_>>());
    for (shape, [x, y]) in shapes.iter_mut().zip(layout.nodes) {
        let [_, _, w, h] = shape.place;
        shape.place = [x, y, w, h];
    }
    let edges = layout.edges.iter().map(|points| (points.as_slice(), None));
    draw(title, [layout.width, layout.height], shapes.into_iter(), edges)
}
