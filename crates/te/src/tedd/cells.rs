//! The text of pictures: lines, tables and their cells.

use std::fmt::Write as _;

use super::KINDS;
use super::model::{Iter, ModelStage};

/// Number of characters after which a text in a cell continues on the next line.
const CELL_WIDTH: usize = 30;

/// Colour of frames around what a comparison marks.
const CHANGED: &str = "#C0392B";

/// The text of a picture.
pub(super) struct Dot {
    text: String,
    depth: usize,
    /// Prefix of the names of nodes.
    pub(super) prefix: &'static str,
    /// The stages that a comparison marks, by index.
    pub(super) changed: Vec<bool>,
}

impl Dot {
    pub(super) fn new(title: &str) -> Dot {
        let text = format!("digraph \"{title}\" {{\n");
        Dot { text, depth: 1, prefix: "", changed: Vec::new() }
    }

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:\t<1$}{line}", "", self.depth);
    }

    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }

    /// A node whose label is a table.
    pub(super) fn table(&mut self, name: &str, stage: usize, rows: &str) {
        self.table_with(name, stage, "", rows);
    }

    /// Like [`Dot::table`], with text before the rows.
    pub(super) fn table_with(&mut self, name: &str, stage: usize, before: &str, rows: &str) {
        let prefix = self.prefix;
        let frame = match self.changed.get(stage) {
            Some(true) => format!(" BORDER=\"2\" COLOR=\"{CHANGED}\""),
            _ => " BORDER=\"0\"".to_owned(),
        };
        let line = format!(
            "{prefix}{name} [label=<<TABLE{frame} CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">{before}{rows}</TABLE>> margin=0 shape=none]"
        );
        self.line(&line);
    }

    /// An edge between nodes, which may have ports.
    pub(super) fn edge(&mut self, from: &str, to: &str, attributes: &str) {
        let prefix = self.prefix;
        self.line(&format!("{prefix}{from} -> {prefix}{to}{attributes}"));
    }

    /// The colours of kinds.
    pub(super) fn legend(&mut self) {
        let row = |(name, color): &(&str, &str)| {
            format!("<TR><TD BGCOLOR=\"{color}\"></TD><TD BGCOLOR=\"white\">{name}</TD></TR>")
        };
        self.open("subgraph cluster_legend {");
        self.line("label=Legend");
        self.table("legend", usize::MAX, &KINDS.iter().map(row).collect::<String>());
        self.close();
    }
}

/// Text for a cell: broken into lines, with the characters of HTML escaped.
pub(super) fn broken(text: &str) -> String {
    let count = text.chars().count();
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for (at, c) in text.chars().enumerate() {
        if column == CELL_WIDTH && at + 1 != count {
            out.push_str("<br/>");
            column = 0;
        }
        column += 1;
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '\n' => out.push_str("<br/>"),
            c => out.push(c),
        }
    }
    out
}

/// Name and scope of a stage.
pub(super) fn stage_label(stage: &ModelStage) -> String {
    format!("{}<br/>Scope: {}", broken(&stage.name), broken(&stage.scope))
}

/// The cells of an iteration variable: its position among the loops, and marks before its domain.
pub(super) fn iter_row(iter: &Iter, leaf: i64, port: &str, marks: &str) -> String {
    let (kind, color) = KINDS.get(iter.kind).copied().unwrap_or(("kOpaque", "#ABB2B9"));
    let name = broken(&format!("{}({kind})", iter.name));
    let range = broken(iter.range.as_deref().unwrap_or("range(N/A)"));
    format!(
        "<TR><TD PORT=\"{port}\" BGCOLOR=\"{color}\">{leaf}</TD><TD BGCOLOR=\"white\" PORT=\"itervar\">{name}{marks}<br/>{range}</TD></TR>"
    )
}

/// The thread and the intrinsic of an iteration variable.
pub(super) fn marks(iter: &Iter) -> String {
    let mut marks = String::new();
    if let Some(thread) = &iter.thread {
        let _ = write!(marks, "<br/><font color=\"#2980B9\">({})</font>", broken(thread));
    }
    if let Some(intrinsic) = &iter.intrinsic {
        let _ = write!(marks, "<br/>(tensor_intrin:{})", broken(intrinsic));
    }
    marks
}

/// A name of a node or a label, in quotes unless it is an identifier.
pub(super) fn quoted(name: &str) -> String {
    let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.chars().next().is_none_or(|c| c.is_ascii_digit());
    let is_keyword = ["node", "edge", "graph", "digraph", "subgraph", "strict"]
        .iter()
        .any(|keyword| name.eq_ignore_ascii_case(keyword));
    match is_identifier && !is_keyword {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\\\"")),
    }
}
