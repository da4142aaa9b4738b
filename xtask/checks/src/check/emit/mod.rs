//! Programs that build the programs of a corpus: emitted, compiled, run, and compared with what they were made of.

mod compiled;
mod cpp;
mod rust;
mod tvm_cpp;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use tvmscript::doc::PrintError;
use tvmscript::doc::builder::typed_cpp::TypedApi;
use tvmscript::explain::{Program, Wanted, builder_program};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::releases::CPP_BUILDER;
use tvmscript::{Object, ParseOptions, Parsed, explain_difference, parse, registry};
use xtask::workspace;

use super::{Answer, Corpus, Question, Report};
use crate::conformance::in_parallel;

/// Options of `cargo xtask check emit`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    corpus: Corpus,
    /// The language of the programs.
    #[arg(long, value_enum, default_value = "rust")]
    target: Target,
    /// Folders of TVM's headers and of those that they include, for `--target tvm-cpp`.
    #[arg(long)]
    headers: Vec<PathBuf>,
    /// Take this many programs, evenly spread over the corpus [default: all].
    #[arg(long)]
    count: Option<usize>,
    /// Causes of failures shown.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Python, run by the evaluator.
    Python,
    /// Rust.
    Rust,
    /// C++.
    Cpp,
    /// C++ over TVM's own builder, of which only the headers are there.
    TvmCpp,
}

const EMITTED: Question = Question { text: "has a program", percent: 100.0 };
const FITS: Question = Question { text: "its program fits the headers", percent: 95.0 };
const EQUAL: Question = Question { text: "its program builds an equal module", percent: 100.0 };

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let texts = options.corpus.texts(usize::MAX)?;
    let step = options.count.map_or(1, |count| texts.len().div_ceil(count.max(1)));
    let texts: Vec<(String, String)> = texts.into_iter().step_by(step.max(1)).collect();
    let mut report = Report::default();
    match options.target {
        Target::Python => {
            let answers = in_parallel(texts.len(), |i| {
                texts.get(i).and_then(|(name, text)| Some((name.clone(), python(name, text)?)))
            });
            for (name, answer) in answers.into_iter().flatten() {
                report.count(EQUAL, &name, answer);
            }
        }
        Target::Rust => {
            let write = |program: &mut Program, wanted: &[Wanted<'_>]| program.rust(wanted, false);
            compiled(&rust::Rust, &texts, "rust", write, &mut report)?;
        }
        Target::TvmCpp => {
            ensure!(!options.headers.is_empty(), "`--target tvm-cpp` needs `--headers`");
            let api = TypedApi::new(CPP_BUILDER)?;
            let write = |program: &mut Program, wanted: &[Wanted<'_>]| program.typed_cpp(wanted, &api, false);
            let mut programs = Vec::new();
            for (name, emitted) in self::programs(&texts, write) {
                match emitted {
                    Ok(emitted) => programs.push(emitted),
                    Err(reason) => report.count(FITS, name, Err(reason)),
                }
            }
            let folder = workspace::root().join("target/emitted/tvm-cpp");
            for (name, answer) in tvm_cpp::run(&folder, &options.headers, &programs)? {
                report.count(FITS, &name, answer);
            }
        }
        Target::Cpp => {
            let write = |program: &mut Program, wanted: &[Wanted<'_>]| program.cpp(wanted, false);
            compiled(&cpp::Cpp, &texts, "cpp", write, &mut report)?;
        }
    }
    report.finish(options.show)
}

/// Compiles and runs the programs of all texts.
fn compiled<L: compiled::Language>(
    language: &L,
    texts: &[(String, String)],
    folder: &str,
    write: impl Fn(&mut Program, &[Wanted<'_>]) -> Result<String, PrintError> + Sync,
    report: &mut Report,
) -> Result<()> {
    let folder = workspace::root().join("target/emitted").join(folder);
    let mut programs = Vec::new();
    for (name, emitted) in self::programs(texts, write) {
        report.count(EMITTED, name, emitted.as_ref().map(|_| ()).map_err(Clone::clone));
        programs.extend(emitted);
    }
    for (name, answer) in compiled::run(language, &folder, &programs)? {
        report.count(EQUAL, &name, answer);
    }
    Ok(())
}

/// The programs of all texts that have scripts, or the reasons that there is none.
fn programs<'t>(
    texts: &'t [(String, String)],
    write: impl Fn(&mut Program, &[Wanted<'_>]) -> Result<String, PrintError> + Sync,
) -> Vec<(&'t str, Result<Emitted<'t>, String>)> {
    let emitted = in_parallel(texts.len(), |i| {
        let (name, text) = &texts[i];
        emit(name, text, |program, wanted| write(program, wanted).map_err(|error| error.to_string()))
    });
    let programs = texts.iter().zip(emitted).filter_map(|(script, emitted)| {
        Some((script.0.as_str(), emitted?.map(|text| Emitted { script, text })))
    });
    programs.collect()
}

/// A program to compile.
struct Emitted<'t> {
    /// The name and the text of its script.
    script: &'t (String, String),
    text: String,
}

fn recorded(name: &str, text: &str) -> Option<Parsed> {
    let mut options = ParseOptions::default();
    options.record_steps = true;
    let parsed = parse(name, text, registry(), &options);
    (parsed.errors.is_empty() && !parsed.scripts.is_empty()).then_some(parsed)
}

fn wanted(parsed: &Parsed) -> Vec<Wanted<'_>> {
    let wanted =
        parsed.scripts.iter().map(|script| Wanted { name: script.name.as_deref(), node: &script.node });
    wanted.collect()
}

/// The program of a text; `None` if the text has no script.
fn emit(
    name: &str,
    text: &str,
    write: impl FnOnce(&mut Program, &[Wanted<'_>]) -> Result<String, String>,
) -> Option<Result<String, String>> {
    let parsed = recorded(name, text)?;
    let wanted = wanted(&parsed);
    let mut program = builder_program(&parsed.steps, &wanted, registry());
    let reason = program.variables.iter().find_map(|variable| variable.as_ref().err().cloned());
    Some(match reason {
        Some(reason) => Err(reason),
        None => write(&mut program, &wanted),
    })
}

/// Runs the Python program of a text by the evaluator; `None` if the text has no script.
fn python(name: &str, text: &str) -> Option<Answer> {
    let parsed = recorded(name, text)?;
    let wanted = wanted(&parsed);
    let mut program = builder_program(&parsed.steps, &wanted, registry());
    program.check(&wanted, registry(), &ParseOptions::default());
    Some(program.variables.into_iter().try_for_each(|variable| variable.map(|_| ())))
}

/// Compares what a program built with the scripts of its text.
fn compare(name: &str, text: &str, built: &Object) -> Answer {
    let parsed = parse(name, text, registry(), &ParseOptions::default());
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let function = |name: &str| {
        let module = built.as_node::<IRModule>()?;
        let mut functions = module.functions.iter();
        functions
            .find(|(var, _)| var.name_hint.as_str() == name)
            .map(|(_, function)| function.object().clone())
    };
    for script in &parsed.scripts {
        let found = match parsed.scripts.len() {
            1 => Some(built.clone()),
            _ => script.name.as_deref().and_then(function),
        };
        match found {
            None => return Err("a script is not in what it builds".to_owned()),
            Some(found) if equal.compare(&script.node, &found) => {}
            Some(found) => return Err(explain_difference(&script.node, &found).unwrap_or_default()),
        }
    }
    Ok(())
}
