//! Rendering of edit scripts over printed text.
//!
//! A [`Comparison`] prints both graphs, finds the text of each edit by the source map, and aligns the lines. Lines that
//! differ only in indentation or in the names of corresponding variables are not changes.
//!
//! Rendered as [`unified`](Comparison::unified) or [side by side](Comparison::side_by_side) for terminals, as
//! [HTML](Comparison::html), or as [records](Comparison::records) for JSON.

mod html;
mod json;
mod lines;
mod terminal;

pub use html::page;
pub use json::{Record, to_json};

use std::ops::Range;

use tvmscript_docsifier::{
    DocsifyError, MappedText, PathIndex, PrinterConfig, exceeds_unfolded_size, print_mapped, print_mapped_at,
};
use tvmscript_ir_core::{AccessPath, Object, PathStep, Registry, Value};

use crate::edit::{Edit, EditOp, EditScript};
pub(crate) use lines::Side;
use lines::Text;

/// Options of rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Name of A, e.g. a file.
    pub name_a: String,
    /// Name of B.
    pub name_b: String,
    /// Unchanged lines around a change.
    pub context_lines: usize,
    /// Width of side-by-side text.
    pub width_columns: usize,
    /// `true` to colour the text with ANSI escapes.
    pub color: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            name_a: "a".to_owned(),
            name_b: "b".to_owned(),
            context_lines: 3,
            width_columns: 160,
            color: false,
        }
    }
}

/// Edits without text at their own path whose smallest text is looked up, which takes a pass over the text each; of
/// one side. For further edits the text of the nearest node is taken.
const MAX_SEARCHED_EDITS: usize = 25;

/// Renders the difference of two graphs as unified text; empty if there is none.
///
/// # Errors
/// If a graph has no text form.
pub fn render_unified(
    a: &Object,
    b: &Object,
    registry: &Registry,
    config: &PrinterConfig,
    options: &RenderOptions,
) -> Result<String, Box<DocsifyError>> {
    let script = crate::diff(a, b);
    match script.edits.is_empty() {
        true => Ok(String::new()),
        false => Ok(Comparison::new(a, b, &script, registry, config)?.unified(options)),
    }
}

/// Describes the differences of two graphs as unified text, or by path if a graph has no text form; `None` if they are
/// structurally equal.
pub fn explain(a: &Object, b: &Object, registry: &Registry) -> Option<String> {
    let script = crate::diff(a, b);
    if script.is_equal {
        return None;
    }
    let config = PrinterConfig::default();
    match Comparison::new(a, b, &script, registry, &config) {
        Ok(comparison) => Some(comparison.unified(&RenderOptions::default())),
        Err(_) => crate::explain(a, b),
    }
}

/// Two texts with marked edits and aligned lines.
#[derive(Debug)]
pub struct Comparison {
    pub(crate) a: Text,
    pub(crate) b: Text,
    pub(crate) rows: Vec<lines::Group>,
    records: Vec<Record>,
    /// Edits without text on a changed line, as text.
    pub(crate) unseen: Vec<String>,
}

impl Comparison {
    /// Prints both graphs and locates the edits of a script in their texts.
    ///
    /// # Errors
    /// If a graph has no text form.
    pub fn new(
        a: &Object,
        b: &Object,
        script: &EditScript,
        registry: &Registry,
        config: &PrinterConfig,
    ) -> Result<Comparison, Box<DocsifyError>> {
        let (a, b) = both(
            || located(a, Side::A, script, registry, config),
            || located(b, Side::B, script, registry, config),
        );
        let ((a, texts_a), (b, texts_b)) = (a?, b?);
        let records: Vec<Record> = script
            .edits
            .iter()
            .zip(texts_a.into_iter().zip(texts_b))
            .map(|(edit, (text_a, text_b))| Record {
                op: edit.op.name(),
                a: edit.a.as_ref().map(ToString::to_string),
                b: edit.b.as_ref().map(ToString::to_string),
                text_a,
                text_b,
            })
            .collect();
        let is_unseen = |record: &Record| record.text_a.is_empty() && record.text_b.is_empty();
        let edits = script.edits.iter().zip(&records).filter(|(_, record)| is_unseen(record));
        let unseen = edits.map(|(edit, _)| edit.to_string()).collect();
        let rows = lines::align(&a, &b, &lines::renamed(script));
        Ok(Comparison { a, b, rows, records, unseen })
    }

    /// Shows a graph that only one side has, as one edit.
    ///
    /// # Errors
    /// If the graph has no text form.
    pub fn of_one(
        root: &Object,
        is_left: bool,
        registry: &Registry,
        config: &PrinterConfig,
    ) -> Result<Comparison, Box<DocsifyError>> {
        let shown = if exceeds_unfolded_size(root) {
            String::new()
        } else {
            print_mapped_at(root, registry, config, &[])?.text().to_owned()
        };
        let path = Some(AccessPath::root().to_string());
        let mut comparison = match is_left {
            true => Comparison::of_texts(Some(&shown), None),
            false => Comparison::of_texts(None, Some(&shown)),
        };
        comparison.records.push(match is_left {
            true => Record { op: "remove", a: path, b: None, text_a: shown, text_b: String::new() },
            false => Record { op: "insert", a: None, b: path, text_a: String::new(), text_b: shown },
        });
        Ok(comparison)
    }

    /// Compares two texts line by line, for graphs without text and texts without graphs. An absent text is empty.
    pub fn of_texts(a: Option<&str>, b: Option<&str>) -> Comparison {
        let (a, b) = (Text::plain(a.unwrap_or_default()), Text::plain(b.unwrap_or_default()));
        let rows = lines::align(&a, &b, &Default::default());
        Comparison { a, b, rows, records: Vec::new(), unseen: Vec::new() }
    }

    /// The edits with the text of their parts.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    pub(crate) fn text(&self, side: Side) -> &Text {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }
}

/// Runs both, in parallel if the platform has threads.
fn both<T: Send>(a: impl FnOnce() -> T, b: impl Fn() -> T + Sync) -> (T, T) {
    std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new().spawn_scoped(scope, &b);
        let a = a();
        let b = match spawned {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => b(),
        };
        (a, b)
    })
}

/// Prints one side and marks the edits in its lines. Returns the text of each edit as well, empty without one.
fn located(
    root: &Object,
    side: Side,
    script: &EditScript,
    registry: &Registry,
    config: &PrinterConfig,
) -> Result<(Text, Vec<String>), Box<DocsifyError>> {
    if exceeds_unfolded_size(root) {
        return Ok((Text::of(None), vec![String::new(); script.edits.len()]));
    }
    let paths: Vec<AccessPath> = script
        .edits
        .iter()
        .flat_map(|edit| edit.path(side).into_iter().chain(edit.around(side)).cloned())
        .collect();
    let mut mapped = print_mapped_at(root, registry, config, &paths)?;
    let mut index = mapped.index(&paths);
    if !script.edits.iter().all(|edit| is_located(edit, side, &mapped, &index)) {
        mapped = print_mapped(root, registry, config)?;
        index = mapped.index(&paths);
    }
    let mut text = Text::of(Some(mapped.text()));
    let mut searched = 0;
    let mut find = |path| match index.ranges_at(path) {
        [] if searched < MAX_SEARCHED_EDITS => {
            searched += 1;
            mapped.ranges_of(path)
        }
        [] => nearest(&mapped, root, path),
        found => found.to_vec(),
    };
    let mut texts = Vec::with_capacity(script.edits.len());
    for edit in &script.edits {
        let Some(path) = edit.path(side) else {
            texts.push(String::new());
            continue;
        };
        let name = if edit.op == EditOp::Rename { name_range(&mapped, path) } else { None };
        let ranges = name.map_or_else(|| find(path), |range| vec![range]);
        let kept = edit.around(side).map_or_else(Vec::new, &mut find);
        text.mark(&ranges, &kept, edit.op);
        texts.push(ranges.first().map_or_else(String::new, |range| lines::dedented(mapped.text(), range)));
    }
    Ok((text, texts))
}

/// Returns `true` if a map of the paths of the edits finds the same text for an edit as a complete map.
fn is_located(edit: &Edit, side: Side, mapped: &MappedText, index: &PathIndex) -> bool {
    let has_text = |path: &AccessPath| !index.ranges_at(path).is_empty();
    let is_named = |path: &AccessPath| {
        // Another text of the named node, at a path without an edit, could come before the one that is found.
        name_range(mapped, path).is_some_and(|range| {
            let name = mapped.text().get(range.clone()).unwrap_or_default();
            first_word(mapped.text(), name) == Some(range.start)
        })
    };
    let is_own = edit
        .path(side)
        .is_none_or(|path| if edit.op == EditOp::Rename { is_named(path) } else { has_text(path) });
    is_own && edit.around(side).is_none_or(has_text)
}

/// The offset of the first occurrence of a word that is not a part of a longer one.
fn first_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = text.match_indices(word).map(|(start, _)| start);
    found.find(|&start| {
        let (before, after) = (text.get(..start), text.get(start + word.len()..));
        !before.is_some_and(|text| text.ends_with(is_part))
            && !after.is_some_and(|text| text.starts_with(is_part))
    })
}

/// The range of a name: the first text of the named node, or of the key it belongs to, that is the name.
fn name_range(mapped: &MappedText, path: &AccessPath) -> Option<Range<usize>> {
    let root = mapped.root();
    let name = path.follow(root)?;
    let name = name.as_str()?;
    let mut nodes: Vec<Object> = Vec::new();
    let mut at = root.clone();
    for step in &path.steps {
        if let PathStep::Key(Value::Node(key)) | PathStep::KeyItself(Value::Node(key)) = step {
            nodes.push(key.clone());
        }
        let Some(Value::Node(next)) = step.follow(&at) else { break };
        nodes.push(next.clone());
        at = next;
    }
    let ranges = nodes.iter().rev().take(4).flat_map(|node| mapped.ranges_of_node(node));
    ranges
        .filter(|range| mapped.text().get((*range).clone()) == Some(name))
        .min_by_key(|range| range.start)
        .cloned()
}

/// The ranges of the innermost node with text along a path.
fn nearest(mapped: &MappedText, root: &Object, path: &AccessPath) -> Vec<Range<usize>> {
    let mut at = root.clone();
    let mut ranges = mapped.ranges_of_node(&at);
    for step in &path.steps {
        let Some(Value::Node(next)) = step.follow(&at) else { break };
        let found = mapped.ranges_of_node(&next);
        if !found.is_empty() {
            ranges = found;
        }
        at = next;
    }
    ranges.iter().take(1).cloned().collect()
}
