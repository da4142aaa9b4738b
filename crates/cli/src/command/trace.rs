//! `trace`: which passes and sources a node comes from.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use serde_json::json;
use tvmscript::diagnostics::{LineIndex, Position, escape};
use tvmscript::docsifier::{MappedText, print_mapped};
use tvmscript::ir::IRModule;
use tvmscript::ir::print::ConstantOptions;
use tvmscript::ir_core::{AccessPath, SourceTexts};
use tvmscript::pass::Sequential;
use tvmscript::pass::instrument::{PassEffect, Provenance};
use tvmscript::schedule::{TracedBuild, graph_nodes};
use tvmscript::te::Table;
use tvmscript::{Object, Span, SpanKind, Value};
use tvmscript_explore::lineage::for_each_own_node;

use super::{Answer, Run, opt};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Source, Warnings};
use crate::models::SHOWN_ELEMENTS;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::trace_args::{Trace, TraceFormat};
use crate::{Outcome, output};

pub(super) fn run(args: &Trace, run: &mut Run<'_>) -> Outcome {
    let (passes, build) = match opt::sequence_with_schedules(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    let mut missing = None;
    let outcome = run.for_each_valid(
        std::slice::from_ref(&args.file),
        |path, settings, timings| trace_file(path, args, (&passes, build.as_ref()), settings, timings),
        |_, text| match text {
            Ok(text) => output::result(&text),
            Err(reason) => {
                missing = Some(reason);
                Outcome::No
            }
        },
    );
    if let Some(reason) = missing {
        output::diagnose(&format!("error: {reason}"));
    }
    outcome
}

/// An answer, or the reason why there is none.
type Found = Result<String, String>;

/// The answer for a file.
fn trace_file(
    path: &Path,
    args: &Trace,
    (passes, build): (&Sequential<IRModule>, Option<&TracedBuild>),
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Found, Warnings)> {
    let Input { source, mut scripts, warnings } = input::load(path, settings, timings)?;
    let provenance = Provenance::default();
    let answer = transform(args, passes, &provenance, &mut scripts, settings, timings).map(|()| {
        let texts = input::texts_of(&scripts, &source.text);
        if let Some(number) = args.node {
            return graph_node(number, args, build, &scripts);
        }
        Tracer { settings, source: &source, texts, provenance }.answer(args, &scripts)
    });
    match answer.and_then(|answer| answer) {
        Ok(text) => Ok((text, warnings)),
        Err(failure) => Err(FileError::new(failure, Some(source))),
    }
}

/// The call of this number in the graphs of the scripts, and the schedule of its function.
fn graph_node(
    number: usize,
    args: &Trace,
    build: Option<&TracedBuild>,
    scripts: &[Script],
) -> Result<Found, FileErrorKind> {
    let nodes =
        scripts.iter().filter_map(|script| script.node.downcast_ref::<IRModule>()).flat_map(graph_nodes);
    let Some(node) = nodes.into_iter().nth(number) else {
        return Ok(Err("no call of a function of TIR has this number".to_owned()));
    };
    let function = node.function.as_str();
    let schedule = build.and_then(|build| build.function_schedule(function));
    let scheduled = schedule.as_ref().filter(|_| args.schedule);
    if args.format == TraceFormat::Json {
        let record = scheduled.map(|schedule| {
            let entries = schedule.recorded_calls().into_iter();
            let entries = entries.map(|(record, call)| json!({"primitive": record.primitive, "call": call}));
            entries.collect::<Vec<_>>()
        });
        let trace = scheduled.map(|schedule| schedule.trace().text(schedule));
        let answer = json!({"node": number, "function": function, "schedule_record": record, "trace": trace});
        return Ok(Ok(format!("{answer}\n")));
    }
    let mut text = format!("node {number}: `{function}`\n");
    match scheduled {
        Some(schedule) => {
            text.push_str(&Table::of_tir(schedule).to_string());
            text.push_str(&schedule.trace().text(schedule));
            text.push('\n');
        }
        None if args.schedule => text.push_str("no schedule: the function is as it was\n"),
        None => {}
    }
    Ok(Ok(text))
}

fn transform(
    args: &Trace,
    passes: &Sequential<IRModule>,
    provenance: &Provenance,
    scripts: &mut [Script],
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<(), FileErrorKind> {
    let context = opt::context(&args.passes, scripts, settings).with_instrument(provenance.clone());
    scripts.iter_mut().try_for_each(|script| opt::transform(script, passes, &context, timings))
}

/// A script after the passes.
struct Printed {
    heading: Option<String>,
    mapped: MappedText,
    /// Lines of the whole text before this script, with its heading.
    lines_before: usize,
}

/// The record of a node.
struct Record {
    class: &'static str,
    path: AccessPath,
    /// Line and column of its text, from 1.
    place: Option<(usize, usize)>,
    text: Option<String>,
    passes: Vec<(String, PassEffect)>,
    sources: Vec<NodeSource>,
}

/// A source of a node, as a marker writes it, and its line of text.
struct NodeSource {
    marker: String,
    line: Option<String>,
}

struct Tracer<'a> {
    settings: &'a Settings<'a>,
    source: &'a Source,
    texts: SourceTexts,
    provenance: Provenance,
}

impl Tracer<'_> {
    fn answer(&self, args: &Trace, scripts: &[Script]) -> Result<Found, FileErrorKind> {
        let mut printed = Vec::new();
        let mut lines_before = 0;
        for script in scripts {
            let mut config = script.with_own_release(args.text.config(self.settings));
            if self.source.is_model() {
                config.part_mut::<ConstantOptions>().elide.get_or_insert(SHOWN_ELEMENTS);
            }
            let mapped = print_mapped(&script.node, self.settings.registry(), &config)
                .map_err(FileErrorKind::Unprintable)?;
            let heading = script.heading();
            lines_before += usize::from(heading.is_some());
            let lines = mapped.text().lines().count();
            printed.push(Printed { heading, mapped, lines_before });
            // Scripts are separated by one blank line.
            lines_before += lines + 1;
        }
        let records = match (args.at, &args.from) {
            (Some(at), _) => self.at(&printed, at).into_iter().collect(),
            (None, Some(from)) => self.from(&printed, from),
            (None, None) => return Ok(Ok(numbered(&printed))),
        };
        if records.is_empty() {
            let reason = "no node at this place; `trace` without `--at` prints the text with line numbers";
            return Ok(Err(args
                .from
                .as_ref()
                .map_or_else(|| reason.to_owned(), |from| missing(&printed, from))));
        }
        Ok(Ok(match args.format {
            TraceFormat::Text => records.iter().map(as_text).collect::<Vec<_>>().join("\n"),
            TraceFormat::Json => {
                let nodes: Vec<_> = records.iter().map(as_json).collect();
                format!("{}\n", serde_json::Value::from(nodes))
            }
        }))
    }

    /// The innermost node at a place of the text.
    fn at(&self, printed: &[Printed], (line, column): (usize, usize)) -> Option<Record> {
        let script = printed.iter().rev().find(|script| script.lines_before < line)?;
        let lines = LineIndex::new(script.mapped.text());
        let offset = lines.offset(line - script.lines_before, column)?;
        let (mut path, mut part) = script.mapped.at(offset)?;
        loop {
            if let Value::Node(node) = &part
                && node.info().has_span()
            {
                let range = script.mapped.ranges_of_node(node).first();
                return Some(self.record(script, &lines, node, path, range));
            }
            path.steps.pop()?;
            part = path.follow(script.mapped.root())?;
        }
    }

    /// The first node with a source of each line that has one of its own.
    fn from(&self, printed: &[Printed], wanted: &str) -> Vec<Record> {
        let mut records = Vec::new();
        for script in printed {
            let lines = LineIndex::new(script.mapped.text());
            let mut last = 0;
            for_each_own_node(&script.mapped, |own| {
                let comes_from = || own.node.span().parts().into_iter().any(|part| self.is_in(part, wanted));
                if own.line == last || !comes_from() {
                    return;
                }
                last = own.line;
                let path = script.mapped.docs().paths().to_path(own.path);
                records.push(self.record(script, &lines, own.node, path, Some(own.range)));
            });
        }
        records
    }

    fn record(
        &self,
        script: &Printed,
        lines: &LineIndex<'_>,
        node: &Object,
        path: AccessPath,
        range: Option<&Range<usize>>,
    ) -> Record {
        let place = range.map(|range| {
            let Position { line, column, .. } = lines.position(range.start);
            (script.lines_before + line, column)
        });
        Record {
            class: node.info().display_key(),
            path,
            place,
            text: script.mapped.text_of_node(node),
            passes: self.provenance.history(node),
            sources: node.span().parts().into_iter().map(|part| self.source_of(part)).collect(),
        }
    }

    fn source_of(&self, span: Span) -> NodeSource {
        let marker = span.to_marker(&self.texts).trim_start_matches('@').to_owned();
        let line = self.line_of(span).filter(|(name, _)| *name == self.source.name);
        let line =
            line.and_then(|(_, line)| self.source.text.lines().nth(line as usize - 1)).map(str::to_owned);
        NodeSource { marker, line }
    }

    /// Source and line of a position; for a call site those inside the helper.
    fn line_of(&self, span: Span) -> Option<(String, u32)> {
        match span.kind() {
            SpanKind::Range { source, start_bytes, .. } => {
                Some((source.name(), self.texts.line_column(source, start_bytes)?.0))
            }
            SpanKind::LineColumn { source, line, .. } => {
                Some((source.name(), line)).filter(|(_, line)| *line > 0)
            }
            SpanKind::CallSite { callee, caller } => self.line_of(callee).or_else(|| self.line_of(caller)),
            SpanKind::Marked { of, .. } => self.line_of(of),
            _ => None,
        }
    }

    /// Returns `true` if a position, or a call that led to it, is in `SOURCE` or `SOURCE:LINE`.
    fn is_in(&self, span: Span, wanted: &str) -> bool {
        let is_named = |name: &str, wanted: &str| {
            name == wanted || name.strip_suffix(wanted).is_some_and(|before| before.ends_with(['/', '\\']))
        };
        match span.kind() {
            SpanKind::CallSite { callee, caller } => self.is_in(callee, wanted) || self.is_in(caller, wanted),
            SpanKind::Marked { of, .. } => self.is_in(of, wanted),
            SpanKind::Source { source } => is_named(&source.name(), wanted),
            SpanKind::Range { source, .. } | SpanKind::LineColumn { source, .. } => {
                let name = source.name();
                let of_line =
                    wanted.rsplit_once(':').and_then(|(name, line)| Some((name, line.parse::<u32>().ok()?)));
                match of_line {
                    Some((wanted, line)) if is_named(&name, wanted) => {
                        self.line_of(span).is_some_and(|(_, found)| found == line)
                    }
                    _ => is_named(&name, wanted),
                }
            }
            SpanKind::Sequence { .. } | SpanKind::Unknown => false,
        }
    }
}

/// Maximum length of a source in a message, in characters.
const NAME_CHARS: usize = 120;

/// Adds the files and layers of a position.
fn add_names(span: Span, names: &mut BTreeSet<String>) {
    match span.kind() {
        SpanKind::CallSite { callee, caller } => {
            add_names(callee, names);
            add_names(caller, names);
        }
        SpanKind::Marked { of, .. } => add_names(of, names),
        SpanKind::Source { source }
        | SpanKind::Range { source, .. }
        | SpanKind::LineColumn { source, .. } => {
            names.insert(source.name().chars().take(NAME_CHARS).collect());
        }
        SpanKind::Sequence { .. } | SpanKind::Unknown => {}
    }
}

/// Number of sources in a message.
const NAMED_SOURCES: usize = 5;

/// Says that nothing came from a source, and names those of the text with the most similar names.
fn missing(printed: &[Printed], wanted: &str) -> String {
    let mut names = BTreeSet::new();
    for script in printed {
        for_each_own_node(&script.mapped, |own| {
            own.node.span().parts().into_iter().for_each(|part| add_names(part, &mut names));
        });
    }
    let count = names.len();
    if count == 0 {
        return "no node of the text has a source; text of `print --show-spans` and of `import --show-spans` has them"
            .to_owned();
    }
    let distance = |name: &String| (!name.contains(wanted), strsim::damerau_levenshtein(name, wanted));
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by_cached_key(distance);
    names.truncate(NAMED_SOURCES);
    let shown = names.iter().map(|name| format!("`{}`", escape::name(name))).collect::<Vec<_>>().join(", ");
    let rest =
        if count > names.len() { format!(", and {} more", count - names.len()) } else { String::new() };
    format!("nothing came from this source; the sources of the text are {shown}{rest}")
}

/// The text with line numbers.
fn numbered(printed: &[Printed]) -> String {
    let text = |script: &Printed| {
        let heading = script.heading.as_ref().map_or(String::new(), |heading| format!("{heading}\n"));
        heading + script.mapped.text()
    };
    let whole = printed.iter().map(text).collect::<Vec<_>>().join("\n\n");
    whole.lines().enumerate().map(|(index, line)| format!("{:>5}  {line}\n", index + 1)).collect()
}

fn as_text(record: &Record) -> String {
    let place =
        record.place.map_or(String::new(), |(line, column)| format!(", line {line}, column {column}"));
    let mut text = format!("{} at {}{place}\n", record.class, record.path);
    if let Some(first) = record.text.as_deref().and_then(|text| text.lines().next()) {
        text.push_str(&format!("  text:   {first}\n"));
    }
    for (pass, effect) in &record.passes {
        let effect = match effect {
            PassEffect::Made => "made by",
            PassEffect::Changed => "changed by",
        };
        text.push_str(&format!("  pass:   {effect} {pass}\n"));
    }
    for source in &record.sources {
        text.push_str(&format!("  source: {}\n", source.marker));
        if let Some(line) = &source.line {
            text.push_str(&format!("            {}\n", line.trim()));
        }
    }
    text
}

fn as_json(record: &Record) -> serde_json::Value {
    let sources = record.sources.iter().map(|source| json!({"source": source.marker, "text": source.line}));
    let passes = record.passes.iter().map(|(pass, effect)| json!({"pass": pass, "effect": effect}));
    json!({
        "class": record.class,
        "path": record.path.to_string(),
        "line": record.place.map(|(line, _)| line),
        "column": record.place.map(|(_, column)| column),
        "text": record.text,
        "passes": passes.collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(),
    })
}
