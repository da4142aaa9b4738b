//! The data of a page, which `--format json` prints and the script of the page reads.

mod html;
mod store;

use serde::Serialize;

pub(crate) use html::escaped;
pub use html::{PageError, html};
pub(crate) use store::kept;
pub use store::{Store, TextId};

/// Version of the data model; it grows when a field changes its meaning.
pub const VERSION: u32 = 1;

/// Everything that a page shows.
///
/// Texts, lists of origins and origins stand once each in tables, and others name them by index. Lines are counted from 1.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// See [`VERSION`].
    pub version: u32,
    /// Name of the input, without folders.
    pub title: String,
    /// Texts of functions, headers and files: lines joined by `\n`, without a newline at the end.
    pub texts: Vec<String>,
    /// Origins of the lines of a text, see [`LineOrigins`].
    pub links: Vec<LineOrigins>,
    /// Places that lines come from.
    pub origins: Vec<Origin>,
    /// One run, or two that are compared.
    pub runs: Vec<Run>,
    /// For two runs, the first version of each where they part, by index.
    pub parting: Option<[u32; 2]>,
    /// Graphs of a model and of the calls of a module. The first of each kind is the entrance; others are namespaces.
    pub graphs: Vec<Graph>,
    /// Recorded schedules of functions.
    pub schedules: Vec<Schedule>,
    /// Remarks about the input, e.g. files that were left out.
    pub notes: Vec<String>,
}

/// Origins of the lines of one text as flat numbers. For each line: the count `k`, then `k` indices of origins in rising order,
/// each as the difference from the number before it; the first from the first index of the last line that had one (0 at the
/// start).
pub type LineOrigins = Vec<i64>;

/// A place that lines come from. Lines of any versions with a common origin are relatives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Origin {
    /// A line of the source of a run.
    Line {
        /// Index of the run.
        run: u32,
        /// Line of the source.
        line: u32,
    },
    /// A layer of a model.
    Layer {
        /// Name of the layer.
        name: String,
    },
    /// A place outside the source, as a marker writes it.
    Place {
        /// The marker.
        name: String,
    },
    /// A line that no earlier version has, of a run whose texts have no spans.
    Made {
        /// Index of the run.
        run: u32,
        /// Index of the version where the line occurs first.
        version: u32,
        /// Line of that version.
        line: u32,
    },
}

/// A program and what passes made of it.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Name of the input, without folders.
    pub name: String,
    /// The text of the input file; empty if the input has none (a model), or if the first version is the source (dumps).
    pub source: Vec<Part>,
    /// The input, then the program after each pass.
    pub versions: Vec<Version>,
}

/// A program after a pass.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// Name of the pass, or of the input.
    pub name: String,
    /// Phase that the pass belongs to.
    pub phase: Option<String>,
    /// Index of the version whose pass ran this one as a part of it.
    pub inside: Option<u32>,
    /// Time of the pass in milliseconds.
    pub ms: Option<f64>,
    /// `true` if the text is another one than the version before.
    pub changed: bool,
    /// Number of nodes of the IR.
    pub nodes: Option<u64>,
    /// Number of nodes with a source.
    pub sourced: Option<u64>,
    /// `true` if the text reads back to the same IR.
    pub reads_back: Option<bool>,
    /// `true` if the IR is well-formed.
    pub well_formed: Option<bool>,
    /// Error of a text that is not read, or of a pass that failed.
    pub error: Option<String>,
    /// `true` if origins were found by comparing with the version before, not by spans.
    pub inferred: bool,
    /// Language of the text: `python`, `c` or `text`.
    pub language: &'static str,
    /// The text, in parts that follow each other on new lines.
    pub parts: Vec<Part>,
    /// Differences from the version before, in order of lines. Lines outside are equal, apart from layout.
    pub hunks: Vec<Hunk>,
}

/// A function, a header or what stands between functions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Index of the text.
    pub text: u32,
    /// Index of the origins of its lines.
    pub links: Option<u32>,
    /// Name of the function, if the part is one.
    pub function: Option<String>,
}

/// Lines that a pass changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The kind of change.
    pub kind: Change,
    /// First line and number of lines before; the number is 0 for lines that were added, and they follow this line.
    pub before: [u32; 2],
    /// First line and number of lines after; the number is 0 for lines that were removed, and they stood after this line.
    pub after: [u32; 2],
    /// Words about it, e.g. `i became i_0`.
    pub note: Option<String>,
}

/// A kind of change of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The lines are new.
    Added,
    /// The lines are gone.
    Removed,
    /// A part of the lines is another one.
    Edited,
    /// The lines stood elsewhere.
    Moved,
    /// Only names are other ones.
    Renamed,
}

/// A graph with the places of its nodes, in pixels.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Graph {
    /// Name of the function or namespace.
    pub name: String,
    /// `model` or `calls`.
    pub kind: &'static str,
    /// Index of the graph that has this one as a node.
    pub parent: Option<u32>,
    /// Width of the drawing.
    pub width: u32,
    /// Height of the drawing.
    pub height: u32,
    /// Nodes.
    pub nodes: Vec<GraphNode>,
    /// Edges.
    pub edges: Vec<GraphEdge>,
}

/// A node of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// Name: of a layer, of a function, or of a namespace.
    pub name: String,
    /// Operator or kind.
    pub op: String,
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
    /// Index of the graph inside, for a namespace.
    pub inner: Option<u32>,
    /// Indices of the origins whose lines the node lights.
    pub origins: Vec<u32>,
    /// The function that the node stands for.
    pub function: Option<String>,
    /// Index of its schedule.
    pub schedule: Option<u32>,
    /// `input`, `output` or `parameter`.
    pub mark: Option<&'static str>,
}

/// An edge of a graph.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// Index of the node where it begins.
    pub from: u32,
    /// Index of the node where it ends.
    pub to: u32,
    /// Corners as `x, y, x, y, ..`.
    pub points: Vec<u32>,
    /// Words at the edge, e.g. a shape.
    pub label: Option<String>,
}

/// The record of a function's schedule.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Name of the function.
    pub function: String,
    /// The function before any primitive, then after each primitive.
    pub records: Vec<ScheduleRecord>,
}

/// A function after a primitive.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleRecord {
    /// Name of the primitive.
    pub primitive: String,
    /// The call in the trace.
    pub call: String,
    /// Index of the function's text.
    pub text: u32,
    /// Index of the tree of loops and blocks, a line each, indented by two spaces.
    pub tree: u32,
    /// Differences of the text from the record before.
    pub hunks: Vec<Hunk>,
    /// Differences of the tree from the record before.
    pub tree_hunks: Vec<Hunk>,
}
