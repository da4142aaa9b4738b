//! A schedule of tensor expressions as a run of a page: the text of its stages after each primitive, with the same as a tree of
//! loops, and the graph of the data between the stages.
//!
//! The text of a stage is a header, the computation, the relations of its iteration variables and its loops. A loop comes from the
//! computation and from the primitives that made or marked it; a header, from those that place the stage.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::slice::from_ref;

use tvmscript_ir_core::{PtrMap, Registry};
use tvmscript_te::tedd::{Iter, KINDS, Model, ModelRelation, ModelStage, text};
use tvmscript_te::{Attach, OperationKind, Record, RecordArgument, Schedule as Stages, Stage, Table};

use crate::comparison::{Fingerprint, Piece, Text, hunks, key, version_hunks};
use crate::lineage::Places;
use crate::page::{Graph, GraphEdge, GraphNode, Part, Run, Schedule, ScheduleRecord, Store, Version};
use crate::run::{Input, source_part};

/// [`Graph::kind`] of graphs of stages.
pub const KIND: &str = "stages";

/// Maximum number of lines in all records together.
const MAX_LINES: usize = 1_000_000;
/// Maximum number of levels of indentation; deeper lines are at this level.
const MAX_DEPTH: usize = 64;

/// A schedule on a page.
#[derive(Debug, Default)]
pub struct Shown {
    /// The stages before all primitives, then after each.
    pub run: Run,
    /// Contents of the versions, which [`crate::comparison::parting`] compares.
    pub fingerprints: Vec<Fingerprint>,
    /// The record.
    pub schedule: Schedule,
    /// The data between the stages in the end, without places.
    pub graph: Graph,
    /// Remarks on what was left out.
    pub notes: Vec<String>,
}

/// Shows a schedule that keeps a record; `input` is the file that made it.
pub fn shown(schedule: &Stages, input: &Input, index: u32, store: &mut Store, registry: &Registry) -> Shown {
    let mut places = Places::new(index, &input.sources);
    let source = source_part(input, &mut places, index, store);
    let run = Run { name: input.name.clone(), source: source.into_iter().collect(), versions: Vec::new() };
    let mut shown = Shown { run, ..Shown::default() };
    let calls = Table::of(schedule, |expr| text(expr.object(), registry)).rows;
    let mut writer = Writer { places, store, loops: PtrMap::default(), headers: HashMap::new() };
    let mut last: Option<Printed> = None;
    let (records, mut lines) = (schedule.record(), 0);
    for (record, row) in records.iter().zip(calls) {
        if lines > MAX_LINES {
            break;
        }
        writer.note(record);
        let printed = writer.print(&record.schedule, &Model::of_te(&record.schedule, registry));
        let call = match row.stage.as_str() {
            "" => String::new(),
            stage => format!("s[{stage}].{}({})", row.primitive, row.arguments.join(", ")),
        };
        lines += printed.text.lines().count();
        shown.add(&printed, last.as_ref(), record.primitive, call, writer.store);
        last = Some(printed);
    }
    if let Some(first) = shown.run.versions.first_mut() {
        first.name.clone_from(&input.name);
    }
    shown.schedule.function =
        schedule.outputs().iter().map(|op| op.name.as_str()).collect::<Vec<_>>().join(", ");
    let count = shown.run.versions.len();
    if count < records.len() {
        let all = records.len();
        shown.notes.push(format!("the first {count} of {all} records of the schedule are shown"));
    }
    shown.graph = writer.graph(schedule, &Model::of_te(schedule, registry));
    shown
}

impl Shown {
    /// Adds the version after a primitive.
    fn add(
        &mut self,
        printed: &Printed,
        last: Option<&Printed>,
        primitive: &str,
        call: String,
        store: &mut Store,
    ) {
        let differ = |last: &Printed| version_hunks(&last.pieces(), &printed.pieces());
        let tree_differs = |last: &Printed| hunks(&Text::plain(&last.tree), &Text::plain(&printed.tree));
        let hunks = last.map_or_else(Vec::new, differ);
        self.run.versions.push(Version {
            name: primitive.to_owned(),
            changed: last.is_some_and(|last| last.text != printed.text),
            language: "text",
            parts: printed.parts.clone(),
            hunks: hunks.clone(),
            ..Version::default()
        });
        self.schedule.records.push(ScheduleRecord {
            primitive: primitive.to_owned(),
            call,
            text: store.text(&printed.text),
            tree: store.text(&printed.tree),
            hunks,
            tree_hunks: last.map_or_else(Vec::new, tree_differs),
        });
        self.fingerprints.push(Fingerprint::Text(key(&printed.text)));
    }
}

/// The stages of a schedule as text.
struct Printed {
    /// Names and texts.
    stages: Vec<(String, String)>,
    /// All of them.
    text: String,
    parts: Vec<Part>,
    tree: String,
}

impl Printed {
    fn pieces(&self) -> Vec<Piece<'_>> {
        let mut next = 0;
        let mut pieces = Vec::new();
        for (name, text) in &self.stages {
            pieces.push(Piece { function: Some(name), text, lines_before: next, ir: None });
            next += u32::try_from(text.split('\n').count()).unwrap_or(u32::MAX);
        }
        pieces
    }
}

struct Writer<'a> {
    places: Places<'a>,
    store: &'a mut Store,
    /// Origins of loops: the primitives that made or marked them.
    loops: PtrMap<Vec<u32>>,
    /// Origins of headers by the name of the stage.
    headers: HashMap<String, Vec<u32>>,
}

impl Writer<'_> {
    /// Notes what a primitive made.
    fn note(&mut self, record: &Record) {
        let origins = self.places.of(record.span, self.store).to_vec();
        let mut has_loop = false;
        for argument in &record.arguments {
            if let RecordArgument::Iter(iter) = argument {
                has_loop = true;
                self.loops.entry(iter.object().clone()).or_default().extend(&origins);
            }
        }
        if let Some(stage) = record.stage.as_ref().filter(|_| !has_loop) {
            self.headers.entry(stage.to_string()).or_default().extend(&origins);
        }
        for (_, stage) in record.schedule.stages() {
            for iter in &stage.all_iters {
                self.loops.entry(iter.object().clone()).or_insert_with(|| origins.clone());
            }
        }
    }

    fn print(&mut self, schedule: &Stages, model: &Model) -> Printed {
        let (mut stages, mut parts) = (Vec::new(), Vec::new());
        for ((_, stage), shown) in schedule.stages().zip(&model.stages) {
            let own = self.places.of(stage.op.span, self.store).to_vec();
            let of_loop = |at: usize| stage.all_iters.get(at).and_then(|iter| self.loops.get(iter.object()));
            let with =
                |more: Option<&Vec<u32>>| own.iter().chain(more.into_iter().flatten()).copied().collect();
            let mut lines = header(stage, shown, model);
            let mut origins: Vec<Vec<u32>> = vec![with(self.headers.get(&shown.name))];
            for body in shown.body.as_deref().unwrap_or_default().lines() {
                let _ = write!(lines, "\n  {body}");
                origins.push(own.clone());
            }
            for relation in &shown.relations {
                let names = |iters: &[usize]| {
                    let names =
                        iters.iter().filter_map(|at| shown.iters.get(*at)).map(|iter| iter.name.as_str());
                    names.collect::<Vec<_>>().join(", ")
                };
                let (made, verb, of) = match relation {
                    ModelRelation::Split(parent, parts) => (parts.as_slice(), "split", from_ref(parent)),
                    ModelRelation::Fuse(parts, fused) => (from_ref(fused), "fuse", parts.as_slice()),
                    ModelRelation::Singleton(iter) => (from_ref(iter), "singleton", [].as_slice()),
                };
                let _ = write!(lines, "\n  {} = {verb}({})", names(made), names(of));
                origins.push(with(made.first().and_then(|at| of_loop(*at))));
            }
            for at in &shown.leaves {
                if let Some(iter) = shown.iters.get(*at) {
                    let _ = write!(lines, "\n  {}", loop_line(iter));
                    origins.push(with(of_loop(*at)));
                }
            }
            let (text, links) = (self.store.text(&lines), self.store.links(origins));
            parts.push(Part { text, links, function: Some(shown.name.clone()) });
            stages.push((shown.name.clone(), lines));
        }
        let text = stages.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
        Printed { stages, text, parts, tree: tree(schedule, model) }
    }

    /// The data between the stages.
    fn graph(&mut self, schedule: &Stages, model: &Model) -> Graph {
        let mut graph = Graph { name: "Stages".to_owned(), kind: KIND, ..Graph::default() };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (to, ((_, stage), shown)) in (0..).zip(schedule.stages().zip(&model.stages)) {
            let count = names.entry(&shown.name).or_default();
            *count += 1;
            let mark = match stage.op.kind {
                OperationKind::Placeholder { .. } => Some("input"),
                _ => schedule.outputs().contains(&stage.op).then_some("output"),
            };
            graph.nodes.push(GraphNode {
                name: if *count > 1 { format!("{}#{count}", shown.name) } else { shown.name.clone() },
                op: shown
                    .outputs
                    .first()
                    .map_or_else(String::new, |(shape, dtype)| format!("{shape} {dtype}")),
                origins: self.places.of(stage.op.span, self.store).to_vec(),
                function: Some(shown.name.clone()),
                schedule: Some(0),
                mark,
                ..GraphNode::default()
            });
            graph.edges.extend(shown.inputs.iter().filter_map(|(from, _)| {
                Some(GraphEdge { from: u32::try_from(*from).ok()?, to, ..GraphEdge::default() })
            }));
        }
        graph
    }
}

/// The line of a stage: its results, and the place where it is computed.
fn header(stage: &Stage, shown: &ModelStage, model: &Model) -> String {
    let outputs: Vec<String> =
        shown.outputs.iter().map(|(shape, dtype)| format!("{shape} {dtype}")).collect();
    let mut line = format!("stage {}: {}", shown.name, outputs.join(", "));
    if !shown.scope.is_empty() && shown.scope != "global" {
        let _ = write!(line, ", scope {}", shown.scope);
    }
    if matches!(stage.attach, Attach::Inline) {
        line.push_str(", inlined");
    }
    if let Some((parent, iter)) = shown.attach
        && let Some(parent) = model.stages.get(parent)
        && let Some(iter) = parent.iters.get(iter)
    {
        let _ = write!(line, ", at {} of {}", iter.name, parent.name);
    }
    line
}

/// The line of a loop, e.g. `for i in parallel(16)`.
fn loop_line(iter: &Iter) -> String {
    let kind = KINDS.get(iter.kind).map_or("", |(kind, _)| *kind);
    let kind = match (&iter.thread, kind) {
        (Some(thread), _) => thread.clone(),
        (None, "kDataPar") => "range".to_owned(),
        (None, "kCommReduce") => "reduce".to_owned(),
        (None, "kParallelized") => "parallel".to_owned(),
        (None, kind) => kind.trim_start_matches('k').to_lowercase(),
    };
    let range = iter.range.as_deref().unwrap_or("?");
    let range = range.strip_prefix("T.Range(").and_then(|range| range.strip_suffix(')')).unwrap_or(range);
    format!("for {} in {kind}({})", iter.name, range.strip_prefix("0, ").unwrap_or(range))
}

/// The loops of the stages, those that are computed in a loop of another stage below it.
fn tree(schedule: &Stages, model: &Model) -> String {
    let stages: Vec<(&Stage, &ModelStage)> =
        schedule.stages().map(|(_, stage)| stage).zip(&model.stages).collect();
    let mut inside: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (at, (_, shown)) in stages.iter().enumerate().rev() {
        if let Some(place) = shown.attach {
            inside.entry(place).or_default().push(at);
        }
    }
    let roots = stages.iter().enumerate().rev().filter(|(_, (_, shown))| shown.attach.is_none());
    let mut work: Vec<Work> = roots.map(|(at, _)| Work::Stage(at, 0)).collect();
    let mut lines = Vec::new();
    while let Some(next) = work.pop() {
        let (line, depth) = match next {
            Work::Line(line, depth) => (line, depth),
            Work::Stage(at, depth) => {
                let Some((stage, shown)) = stages.get(at) else { continue };
                let mut parts: Vec<Work> = Vec::new();
                let mut deeper = depth + 1;
                let leaves: HashSet<usize> = shown.leaves.iter().copied().collect();
                let hidden = (0..shown.iters.len()).filter(|iter| !leaves.contains(iter));
                let hidden = hidden.map(|iter| (iter, false));
                for (iter, is_loop) in hidden.chain(shown.leaves.iter().map(|iter| (*iter, true))) {
                    if is_loop {
                        parts.extend(shown.iters.get(iter).map(|iter| Work::Line(loop_line(iter), deeper)));
                        deeper += 1;
                    }
                    let stages = inside.remove(&(at, iter)).unwrap_or_default();
                    parts.extend(stages.into_iter().rev().map(|stage| Work::Stage(stage, deeper)));
                }
                work.extend(parts.into_iter().rev());
                (header(stage, shown, model), depth)
            }
        };
        lines.push(format!("{:width$}{line}", "", width = 2 * depth.min(MAX_DEPTH)));
    }
    lines.join("\n")
}

/// A part of the tree that is still to be written, with its level.
enum Work {
    Line(String, usize),
    Stage(usize, usize),
}
