//! `cargo xtask passes`: passes on whole programs, here and in the real TVM.
//!
//! For each pass and each program that TVM's pass transforms, TVM loads our result (its JSON) and compares it with its
//! own. Our result must also be well-formed if the program is, round-trip as text, and keep all spans; with `--spans`
//! the share of nodes that keep a span in TVM stands beside ours. The texts of results that differ go to
//! `target/passes`. The fixtures of passes are compared, too, each with its own passes and options.

mod check;
mod report;
mod speed;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::conformance::{Oracle, Program, in_parallel, load_corpus, pass_fixtures};
use crate::subject;
use xtask::workspace;

/// Options of `cargo xtask passes`.
#[derive(Args)]
pub struct Options {
    /// The interpreter of a virtual environment with TVM, such as `DIR/bin/python`.
    #[arg(long)]
    oracle: PathBuf,
    /// The corpus: a folder with an `index.jsonl`; repeatable [default: tests/corpus].
    #[arg(long)]
    corpus: Vec<PathBuf>,
    /// A pass; repeatable [default: each].
    #[arg(long)]
    pass: Vec<String>,
    /// Passes that run one after another, comma-separated, as one more pass.
    #[arg(long, value_delimiter = ',')]
    sequence: Vec<String>,
    /// An option of passes, as KEY=VALUE.
    #[arg(long, value_parser = parse_option)]
    opt: Vec<(String, String)>,
    /// Check only programs whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// Measure the spans that TVM's passes keep.
    #[arg(long)]
    spans: bool,
    /// Compare CPU times on generated programs instead of results; `--pass` and `--sequence` do not apply.
    #[arg(long)]
    speed: bool,
    /// Causes shown for each pass.
    #[arg(long, default_value_t = 8)]
    show: usize,
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Passes that run one after another.
pub struct Plan {
    /// The name of the pass, or `sequence`.
    pub name: String,
    /// The passes.
    pub passes: Vec<String>,
}

impl Plan {
    /// Returns `true` if programs of this kind contain functions for the passes.
    fn fits(&self, kind: &str) -> bool {
        let of = |dialect: &str| self.passes.iter().any(|pass| pass.starts_with(dialect));
        match kind {
            "relax" => of("relax."),
            "tir" | "tir_lowered" => of("tir."),
            _ => true,
        }
    }
}

/// Compares the passes.
///
/// # Errors
/// When a corpus cannot be read, or the oracle does not start.
pub fn run(options: &Options) -> Result<()> {
    let script = workspace::root().join("xtask/checks/src/passes/driver.py");
    let oracle = Oracle::with_script(options.oracle.clone(), script)?;
    if options.speed {
        return speed::run(&oracle);
    }
    let plans = plans(options);
    if plans.is_empty() {
        bail!("there is no pass");
    }
    let default = [workspace::root().join("tests/corpus")];
    let dirs = if options.corpus.is_empty() { &default[..] } else { &options.corpus };
    let kinds = ["tir", "tir_lowered", "relax", "mixed"].map(String::from);
    let mut programs = Vec::new();
    for dir in dirs {
        let loaded = load_corpus(dir, &kinds, options.filter.as_deref());
        programs.extend(loaded.with_context(|| format!("reading {}", dir.display()))?);
    }
    programs.retain(|program| program.tvm_parses);
    let plan_of_fixture = |program: &Program| -> (Plan, Vec<(String, String)>) {
        let values = |key: &str| {
            let marks = program.text.lines().filter_map(|line| line.strip_prefix(key));
            marks.map(|rest| rest.trim().to_owned()).collect::<Vec<_>>()
        };
        let passes =
            values("# passes:").iter().flat_map(|list| list.split(", ")).map(str::to_owned).collect();
        let options = values("# opt:").iter().filter_map(|option| parse_option(option).ok()).collect();
        (Plan { name: "fixtures".to_owned(), passes }, options)
    };
    let fixtures = pass_fixtures(options.filter.as_deref())?;
    let of_fixtures = in_parallel(fixtures.len(), |index| {
        let program = &fixtures[index];
        let (plan, options) = plan_of_fixture(program);
        let asked = check::Asked { oracle: &oracle, options: &options, spans: false };
        check::one(program, &subject::parse(&program.name, &program.text), &plan, &asked)
    });
    let texts = workspace::root().join("target/passes");
    let plan = Plan { name: "fixtures".to_owned(), passes: Vec::new() };
    report::show(&plan, &fixtures.iter().zip(&of_fixtures).collect::<Vec<_>>(), options.show, &texts)?;
    let asked = check::Asked { oracle: &oracle, options: &options.opt, spans: options.spans };
    // By program, so that the oracle parses each one once.
    let outcomes = in_parallel(programs.len(), |index| {
        let program = &programs[index];
        let first = subject::parse(&program.name, &program.text);
        let plans = plans.iter().filter(|plan| plan.fits(&program.kind));
        plans.map(|plan| (plan.name.as_str(), check::one(program, &first, plan, &asked))).collect::<Vec<_>>()
    });
    for plan in &plans {
        let of_plan = programs.iter().zip(&outcomes).flat_map(|(program, outcomes)| {
            outcomes.iter().filter(|(name, _)| *name == plan.name).map(move |(_, outcome)| (program, outcome))
        });
        report::show(plan, &of_plan.collect::<Vec<_>>(), options.show, &texts)?;
    }
    Ok(())
}

/// The passes that the command line asks for.
fn plans(options: &Options) -> Vec<Plan> {
    let alone = |name: String| Plan { passes: vec![name.clone()], name };
    let mut plans: Vec<Plan> = options.pass.iter().cloned().map(alone).collect();
    if !options.sequence.is_empty() {
        plans.push(Plan { name: "sequence".to_owned(), passes: options.sequence.clone() });
    }
    if plans.is_empty() {
        plans.extend(subject::pass_names().into_iter().map(alone));
    }
    plans
}
