//! The kinds of inputs of `explore`.

use std::path::Path;

use tvmscript::Object;
use tvmscript::diagnostics::LineIndex;
use tvmscript::ir_core::{Array, ObjectLike as _, SourceId, SourceTexts};
use tvmscript::passes::ProgramForm;
use tvmscript::schedule::RegisteredIntrinsics;
use tvmscript::te::Schedule as Expressions;
use tvmscript_explore::dumps::{self, Dump, DumpError};
use tvmscript_explore::expressions;
use tvmscript_explore::graph;
use tvmscript_explore::lineage::{Sources, file_name};
use tvmscript_explore::page::Store;
use tvmscript_explore::run;
use tvmscript_explore::schedules::{self, Step};

use super::super::schedule_picture::te_schedule_of;
use super::program::Programs;
use super::{Explorer, Made};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Source, display_name};
use crate::models;
use crate::timings::Timings;

/// An input that was read.
enum Read {
    /// A dump, with the steps of the schedule if it is the record of one.
    Dump(Dump, Vec<Step>),
    /// A schedule of tensor expressions, with the file that makes it.
    Expressions(Box<(Expressions, Source)>),
    Programs(Box<Input>),
}

impl Explorer<'_> {
    /// Reads an input and makes its run.
    pub(super) fn make(
        &self,
        path: &Path,
        index: u32,
        store: &mut Store,
        timings: &mut Timings,
    ) -> Result<Made, Box<FileError>> {
        let registry = self.settings.registry();
        let (read, intrinsics) = RegisteredIntrinsics::of(registry, || self.read(path, timings));
        let has_passes = !self.args.passes.names.is_empty() || self.args.trace.is_some();
        let refuse_passes = |kind: &str| match has_passes && self.args.other.is_none() {
            true => {
                let message = format!("passes and traces are for programs, and this is {kind}");
                Err(FileError::new(FileErrorKind::Explore(message), None))
            }
            false => Ok(()),
        };
        match read? {
            Read::Programs(input) => Programs::of_input(self, *input, intrinsics).make(index, store, timings),
            Read::Dump(dump, steps) => {
                refuse_passes("a dump of passes")?;
                Ok(timings.time("page", || self.of_dump(dump, steps, index, store)))
            }
            Read::Expressions(expressions) => {
                refuse_passes("a schedule of tensor expressions")?;
                Ok(timings.time("page", || self.of_expressions(*expressions, index, store)))
            }
        }
    }

    fn read(&self, path: &Path, timings: &mut Timings) -> Result<Read, Box<FileError>> {
        let failed = |message: String| FileError::new(FileErrorKind::Explore(message), None);
        let load = |path: &Path, timings: &mut Timings| {
            let loaded = input::load(path, self.settings, timings);
            loaded
                .map(|input| Read::Programs(Box::new(input)))
                .or_else(|failed| self.or_expressions(failed, timings))
        };
        if models::is_model(path) {
            return load(path, timings);
        }
        if path.is_dir() {
            let json = |text: &str| {
                let loaded = tvmscript::load_json(text, self.settings.registry());
                loaded.map(|loaded| loaded.node).map_err(|error| error.to_string())
            };
            let record = timings.time("read", || schedules::read(path, &json));
            if let Some((dump, steps)) = record.map_err(|error| failed(error.to_string()))? {
                return Ok(Read::Dump(dump, steps));
            }
        }
        // A log is read with characters in place of bytes that are not UTF-8, other texts are not.
        // Pipes can be read once, as standard input.
        if path.as_os_str() != "-" && (path.is_file() || path.is_dir()) {
            match timings.time("read", || dumps::read(path)) {
                Ok(dump) => return Ok(Read::Dump(dump, Vec::new())),
                Err(error) if path.is_dir() => return Err(failed(error.to_string())),
                Err(error) if error.is_other_kind() => {}
                Err(DumpError::Unreadable { .. }) => {}
                Err(error) => return Err(failed(error.to_string())),
            }
            return load(path, timings);
        }
        let read = input::read(path, self.settings, timings);
        let mut source = read.map_err(|failure| FileError::new(failure, None))?;
        if let Ok(dump) = dumps::of_log(display_name(path), &source.text) {
            return Ok(Read::Dump(dump, Vec::new()));
        }
        match input::parse_input(&mut source, self.settings, timings) {
            Ok((scripts, warnings)) => Ok(Read::Programs(Box::new(Input { source, scripts, warnings }))),
            Err(failure) => self.or_expressions(FileError::new(failure, Some(source)), timings),
        }
    }

    /// The schedule of tensor expressions of a file that has no program.
    fn or_expressions(
        &self,
        mut failed: Box<FileError>,
        timings: &mut Timings,
    ) -> Result<Read, Box<FileError>> {
        let Some(source) = failed.source.take() else { return Err(failed) };
        if source.text.contains("create_schedule") {
            match te_schedule_of(&source, self.settings, timings) {
                Ok(Some(schedule)) => return Ok(Read::Expressions(Box::new((schedule, source)))),
                Ok(None) => {}
                Err(failure) => failed.failure = failure,
            }
        }
        failed.source = Some(source);
        Err(failed)
    }

    /// The run of a schedule of tensor expressions.
    fn of_expressions(
        &self,
        (schedule, source): (Expressions, Source),
        index: u32,
        store: &mut Store,
    ) -> Made {
        let id = SourceId::new(&source.name);
        let _release = id.release_on_drop();
        let input = run::Input {
            name: file_name(&source.name).to_owned(),
            sources: Sources { input: Some(id), texts: SourceTexts::new().with(id, &source.text) },
            text: Some(source.text),
            ..run::Input::default()
        };
        let shown = expressions::shown(&schedule, &input, index, store, self.settings.registry());
        Made {
            run: shown.run,
            fingerprints: shown.fingerprints,
            // Only the graphs of the first input are shown.
            graphs: if index == 0 { vec![shown.graph] } else { Vec::new() },
            schedules: vec![shown.schedule],
            notes: shown.notes,
            ..Made::default()
        }
    }

    /// The run of a dump; with steps it is the record of a schedule.
    fn of_dump(&self, dump: Dump, steps: Vec<Step>, index: u32, store: &mut Store) -> Made {
        let parse = |text: &str| self.parse(text);
        let made = dumps::run(&dump, index, store, &parse);
        let mut graphs = Vec::new();
        // Only the graphs of the first input are shown.
        if index == 0 {
            let mut items = dump.items.iter().zip(&made.run.versions).rev();
            let read = || {
                let (item, _) = items.find(|(_, version)| version.reads_back == Some(true))?;
                self.parse(dump.texts.get(item.text)?).ok()
            };
            let last = steps.last().map(|step| step.module.object().clone()).or_else(read);
            let module = last.and_then(|node| ProgramForm::of(&node).module(node));
            graphs = graph::of_program(module.as_slice(), &[], &mut |_| Vec::new());
            graph::link_heads(&mut graphs, &made.run, index, store);
        }
        let config = self.args.text.config(self.settings);
        let (run, fingerprints, notes) = (made.run, made.fingerprints, dump.notes);
        Made { run, fingerprints, graphs, notes, steps, config, ..Made::default() }
    }

    /// The program of a text; an array of several.
    fn parse(&self, text: &str) -> Result<Object, String> {
        let options = self.settings.reparse_options();
        let parsed = tvmscript::parse("dump.py", text, self.settings.registry(), &options);
        if let Some(error) = parsed.errors.first() {
            let line = LineIndex::new(text).position(error.erased().range().start as usize).line;
            return Err(format!("line {line}: {error}"));
        }
        match parsed.scripts.as_slice() {
            [] => Err("the text has no script".to_owned()),
            [script] => Ok(script.node.clone()),
            scripts => {
                let nodes = scripts.iter().map(|script| tvmscript::Value::Node(script.node.clone()));
                Ok(Array::<tvmscript::Value>::of_values(nodes).into_object())
            }
        }
    }
}
