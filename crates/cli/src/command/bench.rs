//! `bench`: the median CPU time of each operation, or of each pass.

use std::path::Path;

use serde_json::{Map, Value as Json, json};
use tvmscript::ir::IRModule;
use tvmscript::pass::Sequential;
use tvmscript::passes::on_module;
use tvmscript::{
    Object, PrinterConfig, from_tvm_json, print, structural_equal, structural_hash, to_tvm_json,
};

use super::{Run, opt};
use crate::args::Bench;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Source};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, well_formed};

/// The operation that parses without spans. It is measured only if asked for.
const BARE_PARSE: &str = "parse-without-spans";

/// Measures files one after the other, since parallel runs would disturb each other.
pub(super) fn run(args: &Bench, run: &mut Run<'_>) -> Outcome {
    let passes = match opt::sequence(&args.passes, &run.settings) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    let mut outcome = Outcome::Done;
    for path in &args.files {
        let input = match run.load(path) {
            Ok(input) => input,
            Err(failed) => {
                outcome = outcome.and(failed);
                continue;
            }
        };
        let file = (args.files.len() > 1).then_some(path.as_path());
        outcome = outcome.and(match args.passes.names.is_empty() {
            true => bench_file(args, file, &input, &run.settings),
            false => bench_passes(args, file, input, &passes, &run.settings),
        });
    }
    outcome
}

/// Measures each pass on the result of the one before and writes one line per pass.
fn bench_passes(
    args: &Bench,
    file: Option<&Path>,
    input: Input,
    passes: &Sequential<IRModule>,
    settings: &Settings<'_>,
) -> Outcome {
    let Input { source, mut scripts, .. } = input;
    let context = opt::context(&args.passes, &scripts, settings);
    let mut bench = Measure { args, file, outcome: Outcome::Done };
    for pass in passes.passes() {
        let run =
            |script: &Script| on_module(script.node.clone(), |module| context.run(pass.as_ref(), module));
        bench.op(&pass.info().name, 0, || scripts.iter().map(run).collect::<Vec<_>>());
        for script in &mut scripts {
            match run(script) {
                Ok(node) => script.node = node,
                Err(error) => {
                    let failure = FileErrorKind::Pass { errors: well_formed::of_pass(script, &error) };
                    let name = source.name.clone();
                    output::diagnose(
                        &FileError::new(failure, Some(source)).render(Path::new(&name), settings),
                    );
                    return Outcome::No;
                }
            }
        }
    }
    bench.outcome
}

/// Measures one file and writes one line per operation.
fn bench_file(args: &Bench, file: Option<&Path>, input: &Input, settings: &Settings<'_>) -> Outcome {
    let nodes: Vec<&Object> = input.scripts.iter().map(|s| &s.node).collect();
    let config = PrinterConfig { show_meta: true, ..settings.printer_config() };
    let config = match input.scripts.first() {
        Some(script) => script.with_own_release(config),
        None => config,
    };
    let source = &input.source;
    let texts: Vec<String> =
        nodes.iter().filter_map(|node| print(node, settings.registry(), &config).ok()).collect();
    let printed = Source::new(source.name.clone(), texts.join("\n\n"));
    let again = match input::parse_printed(&printed, settings, &mut Timings::default()) {
        Ok((again, _)) => again,
        Err(failure) => {
            output::diagnose(
                &FileError::new(failure, Some(printed)).render(Path::new(&source.name), settings),
            );
            return Outcome::No;
        }
    };
    let size = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();

    let mut bench = Measure { args, file, outcome: Outcome::Done };
    let jsons: Vec<String> = match bench.is_asked("save") || bench.is_asked("load") {
        true => match nodes.iter().map(|node| to_tvm_json(node)).collect::<Result<_, _>>() {
            Ok(jsons) => jsons,
            Err(error) => {
                output::diagnose(
                    &FileError::new(FileErrorKind::Unsaved(error), None)
                        .render(Path::new(&source.name), settings),
                );
                return Outcome::No;
            }
        },
        false => Vec::new(),
    };
    bench.op("parse", source.text.len(), || input::parse_as_is(source, settings, &mut Timings::default()));
    if args.ops.iter().any(|op| op == BARE_PARSE) {
        let mut options = settings.parse_options(&source.name);
        options.omit_spans = true;
        bench.op(BARE_PARSE, source.text.len(), || {
            tvmscript::parse(&source.name, &source.text, settings.registry(), &options)
        });
    }
    bench.op("print", size(&texts), || {
        nodes.iter().map(|n| print(n, settings.registry(), &config)).collect::<Vec<_>>()
    });
    bench.op("eq", 0, || nodes.iter().zip(&again).all(|(a, b)| structural_equal(a, &b.node)));
    bench.op("hash", 0, || nodes.iter().map(|n| structural_hash(n)).collect::<Vec<_>>());
    bench.op("save", size(&jsons), || nodes.iter().map(|n| to_tvm_json(n)).collect::<Vec<_>>());
    bench.op("load", size(&jsons), || {
        jsons.iter().map(|j| from_tvm_json(j, settings.registry())).collect::<Vec<_>>()
    });
    bench.prepared("drop", 0, || input::parse_as_is(source, settings, &mut Timings::default()), drop);
    bench.outcome
}

struct Measure<'a> {
    args: &'a Bench,
    file: Option<&'a Path>,
    outcome: Outcome,
}

impl Measure<'_> {
    fn is_asked(&self, name: &str) -> bool {
        self.args.ops.is_empty() || self.args.ops.iter().any(|op| op == name)
    }

    /// Runs an operation repeatedly and writes its line. Dropping the results is not measured.
    fn op<T>(&mut self, name: &str, bytes: usize, mut work: impl FnMut() -> T) {
        self.prepared(name, bytes, || (), |()| work());
    }

    /// As [`Measure::op`], with an input from `prepare`, whose time is not measured.
    fn prepared<S, T>(
        &mut self,
        name: &str,
        bytes: usize,
        mut prepare: impl FnMut() -> S,
        mut work: impl FnMut(S) -> T,
    ) {
        if !self.is_asked(name) {
            return;
        }
        let mut times = Vec::new();
        let mut spent = 0.0;
        for _ in 0..self.args.repeat {
            let input = std::hint::black_box(prepare());
            let begin = seconds();
            let made = std::hint::black_box(work(input));
            let time = seconds() - begin;
            drop(made);
            times.push(time);
            spent += time;
            if spent > self.args.budget {
                break;
            }
        }
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let mut line = Map::new();
        line.insert("op".to_owned(), json!(name));
        line.insert(UNIT.to_owned(), json!(median));
        line.insert("n".to_owned(), json!(times.len()));
        if bytes > 0 {
            line.insert("bytes".to_owned(), json!(bytes));
        }
        if let Some(file) = self.file {
            line.insert("file".to_owned(), json!(file.display().to_string()));
        }
        self.outcome = self.outcome.and(output::result(&format!("{}\n", Json::Object(line))));
    }
}

/// Key of the times in the output: CPU time of the current thread where that is available, else wall time.
const UNIT: &str = if cfg!(unix) { "cpu" } else { "s" };

/// A monotonic time in seconds.
#[cfg(unix)]
fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A monotonic time in seconds.
#[cfg(not(unix))]
fn seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
