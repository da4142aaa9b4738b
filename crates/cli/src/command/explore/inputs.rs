//! The kinds of inputs of `explore`.

use std::path::Path;

use tvmscript::Object;
use tvmscript::ir::IRModule;
use tvmscript::ir_core::{Array, ObjectLike as _};
use tvmscript_explore::dumps::{self, Dump, DumpError};
use tvmscript_explore::graph;
use tvmscript_explore::page::Store;
use tvmscript_explore::schedules::{self, Step};

use super::program::Programs;
use super::{Explorer, Made};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, display_name};
use crate::models;
use crate::timings::Timings;

/// An input that was read.
enum Read {
    Dump(Dump),
    Steps(String, Vec<Step>),
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
        match self.read(path, timings)? {
            Read::Dump(dump) => {
                let has_passes = !self.args.passes.names.is_empty() || self.args.trace.is_some();
                if has_passes && self.args.other.is_none() {
                    let message =
                        "passes and traces are for programs, and this is a dump of passes".to_owned();
                    return Err(FileError::new(FileErrorKind::Explore(message), None));
                }
                Ok(timings.time("page", || self.of_dump(dump, index, store)))
            }
            Read::Steps(name, steps) => Programs::of_steps(self, name, steps).make(index, store, timings),
            Read::Programs(input) => Programs::of_input(self, *input).make(index, store, timings),
        }
    }

    fn read(&self, path: &Path, timings: &mut Timings) -> Result<Read, Box<FileError>> {
        let failed = |message: String| FileError::new(FileErrorKind::Explore(message), None);
        let load = |path: &Path, timings: &mut Timings| {
            input::load(path, self.settings, timings).map(|input| Read::Programs(Box::new(input)))
        };
        if models::is_model(path) {
            return load(path, timings);
        }
        if path.is_dir() && schedules::is_record(path) {
            let json = |text: &str| {
                let loaded = tvmscript::load_json(text, self.settings.registry());
                loaded.map(|loaded| loaded.node).map_err(|error| error.to_string())
            };
            let steps = timings.time("read", || schedules::read(path, &json));
            let steps = steps.map_err(|error| failed(error.to_string()))?;
            let name = path.canonicalize().ok();
            let name =
                name.as_deref().unwrap_or(path).file_name().map(|name| name.to_string_lossy().into_owned());
            return Ok(Read::Steps(name.unwrap_or_default(), steps));
        }
        // A log is read with characters in place of bytes that are not UTF-8, other texts are not.
        if path.as_os_str() != "-" && path.exists() {
            match timings.time("read", || dumps::read(path)) {
                Ok(dump) => return Ok(Read::Dump(dump)),
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
            return Ok(Read::Dump(dump));
        }
        match input::parse_input(&mut source, self.settings, timings) {
            Ok((scripts, warnings)) => Ok(Read::Programs(Box::new(Input { source, scripts, warnings }))),
            Err(failure) => Err(FileError::new(failure, Some(source))),
        }
    }

    fn of_dump(&self, dump: Dump, index: u32, store: &mut Store) -> Made {
        let parse = |text: &str| self.parse(text);
        let made = dumps::run(&dump, index, store, &parse);
        let scripts = dump.items.iter().rev().filter(|item| item.language == "python");
        let texts = scripts.filter_map(|item| dump.texts.get(item.text));
        let module = texts.map(|text| self.parse(text)).find_map(Result::ok);
        let module = module.and_then(|node| node.downcast::<IRModule>().ok());
        let mut graphs = Vec::new();
        if let Some(module) = module {
            graphs.push(graph::calls::graph(&module, &mut |_| Vec::new()));
        }
        Made { run: made.run, fingerprints: made.fingerprints, graphs, notes: dump.notes, ..Made::default() }
    }

    /// The program of a text; an array of several.
    fn parse(&self, text: &str) -> Result<Object, String> {
        let options = self.settings.reparse_options();
        let parsed = tvmscript::parse("dump.py", text, self.settings.registry(), &options);
        if let Some(error) = parsed.errors.first() {
            return Err(error.to_string());
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
