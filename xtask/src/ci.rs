//! `cargo xtask test`, `cargo xtask ci`: what a change has to pass, in the order in which failures are cheapest to see.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use xtask::workspace::{self, Package};

use crate::stand_in;

/// Options of `cargo xtask test` and `cargo xtask ci`.
#[derive(Args)]
pub struct Options {
    /// Run only the steps whose name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// Go on after a failure and list all failing steps at the end.
    #[arg(long)]
    keep_going: bool,
}

/// The corpora of TVM's own prints: the step, the folder beside the checkout and the kinds of programs.
const CORPORA: [(&str, &str, &str); 4] = [
    ("conformance of the corpus", "classic", "tir,tir_lowered,relax,mixed,large"),
    ("conformance of the corpus of 0.27", "current", "tir,tir_lowered,relax,mixed,large"),
    ("conformance of the corpus of TileLang", "tilelang", "tilelang,input,tile,lowered,device,host"),
    ("conformance of the corpus of TIRx", "tirx", "tirx,source,passes"),
];

/// One step: its name and its command.
struct Step {
    name: String,
    command: Command,
}

/// A step that is a call of `cargo`.
fn cargo(name: &str, arguments: &[&str]) -> Step {
    let mut command = workspace::cargo();
    command.args(arguments);
    step(name, command)
}

fn step(name: &str, command: Command) -> Step {
    Step { name: name.to_owned(), command }
}

/// Runs the steps of a contributor.
///
/// # Errors
/// When a step fails.
pub fn test(options: &Options) -> Result<()> {
    let mut results = Results::new(options);
    results.run(lint_steps()?);
    results.run(test_steps());
    results.conclude()
}

/// Runs all steps, one after the other: builds beside each other take as long, since each keeps the processor busy.
///
/// # Errors
/// When a step fails.
pub fn all(options: &Options) -> Result<()> {
    let mut results = Results::new(options);
    // What waits for the network does not keep it busy.
    let browser = if options.only.is_none() { own(&["browser"])?.spawn().ok() } else { None };
    results.run(lint_steps()?);
    if let Some(mut browser) = browser {
        browser.wait()?;
    }
    results.run(test_steps());
    results.run(other_steps()?);
    results.run(optimized_steps());
    results.conclude()
}

/// The steps that have run.
struct Results<'o> {
    options: &'o Options,
    begin: Instant,
    /// Names with seconds.
    times: Vec<(String, u64)>,
    failed: Vec<String>,
}

impl Results<'_> {
    fn new(options: &Options) -> Results<'_> {
        Results { options, begin: Instant::now(), times: Vec::new(), failed: Vec::new() }
    }

    /// Runs the steps that are wanted, unless one has failed.
    fn run(&mut self, steps: Vec<Step>) {
        for mut step in steps {
            let is_chosen = self.options.only.as_ref().is_none_or(|only| step.name.contains(only.as_str()));
            if !is_chosen || !(self.failed.is_empty() || self.options.keep_going) {
                continue;
            }
            println!("=== {}", step.name);
            let start = Instant::now();
            let ok = step.command.status().is_ok_and(|status| status.success());
            self.times.push((step.name.clone(), start.elapsed().as_secs()));
            if !ok {
                self.failed.push(step.name);
            }
        }
    }

    /// Says what took how long, and what failed.
    fn conclude(self) -> Result<()> {
        println!("=== times");
        for (name, seconds) in self.times {
            println!("{seconds:>5} s  {name}");
        }
        println!("{:>5} s  in all", self.begin.elapsed().as_secs());
        if self.failed.is_empty() { Ok(()) } else { bail!("failed: {}", self.failed.join("; ")) }
    }
}

/// Runs tests of packages, in parallel where `cargo nextest` is installed.
fn tests(name: &str, packages: &[&str]) -> Step {
    let runner: &[&str] = if has_nextest() {
        &["nextest", "run"]
    } else {
        &["test", "--lib", "--bins", "--tests", "--examples"]
    };
    let mut step = cargo(name, &[runner, packages].concat());
    // The same random cases in each run: one that fails by chance would say nothing about a change.
    step.command.env("PROPTEST_RNG_SEED", "1");
    step
}

/// Format, conventions and lints.
fn lint_steps() -> Result<Vec<Step>> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--features", workspace::RUFF];
    Ok(vec![
        cargo("format", &["fmt", "--all", "--check"]),
        step("tidy", own(&["tidy"])?),
        cargo("clippy", &[&arguments[..], &["--", "-D", "warnings"]].concat()),
    ])
}

/// A command of this program.
fn own(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(workspace::root());
    Ok(command)
}

fn test_steps() -> Vec<Step> {
    vec![
        tests("tests", &["--workspace", "--features", workspace::RUFF]),
        cargo("doc tests", &["test", "--workspace", "--features", workspace::RUFF, "--doc"]),
    ]
}

/// Other sets of features and versions, documentation and packages.
fn other_steps() -> Result<Vec<Step>> {
    let packages = workspace::packages()?;
    let mut steps = Vec::new();
    for (features, names) in feature_sets(&packages) {
        let arguments = ["check", "--no-default-features", "--features", features];
        let mut step = cargo(&format!("features [{features}]"), &arguments);
        step.command.args(names.iter().flat_map(|name| ["-p", name]));
        stand_in::deny_warnings(&mut step.command)?;
        steps.push(step);
    }
    // The flags of docs.rs.
    let mut docs = cargo("docs", &["doc", "--workspace", "--no-deps", "--all-features"]);
    docs.command.env("RUSTDOCFLAGS", "-D warnings --cfg docsrs");
    stand_in::docs_as_json(&mut docs.command)?;
    steps.push(docs);
    steps.push(step("public API", own(&["api", "--check", "--built"])?));
    steps.push(cargo("packages", &["package", "--workspace", "--list", "--allow-dirty", "--quiet"]));
    if let Some(toolchain) = packages.get("tvmscript-cli").and_then(minimum_toolchain) {
        let arguments = ["check", "-p", "tvmscript-cli", "--target-dir", "target/minimum-rust"];
        let mut step = cargo("minimum Rust", &arguments);
        step.command.env("RUSTUP_TOOLCHAIN", toolchain);
        steps.push(step);
    }
    Ok(steps)
}

/// Comparisons that take long. Optimised, they save more time than the build takes.
fn optimized_steps() -> Vec<Step> {
    let mut steps = vec![cargo("optimised build", &workspace::OPTIMIZED)];
    let program = workspace::optimized("xtask-checks");
    let mut check = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(workspace::root());
        steps.push(step(name, command));
    };
    if crate::tools::has("valgrind") {
        check("instructions", &["bench-gate"]);
    }
    check("differences of changed programs", &["check", "diff", "--count", "200"]);
    check("changed tokens", &["check", "mutate"]);
    check("unknown operators", &["check", "unknown", "--count", "200"]);
    check("programs in Rust", &["check", "emit", "--target", "rust", "--count", "40"]);
    if crate::tools::has("c++") {
        check("programs in C++", &["check", "emit", "--target", "cpp", "--count", "40"]);
    }
    if crate::tools::has("python3") {
        check("whole Python files", &["files"]);
    }
    if has_linter() {
        check("findings of Python's linters", &["lint-scripts"]);
    } else {
        println!("skipped, since none of {} is installed: findings of Python's linters", LINTERS.join(", "));
    }
    for (name, folder, kinds) in CORPORA {
        let corpus = workspace::shared().join("corpus").join(folder);
        if corpus.is_dir() {
            check(name, &["conformance", &corpus.to_string_lossy(), "--kind", kinds]);
        }
    }
    steps
}

/// The installed toolchain of the minimum version of Rust, e.g. `1.88.0-x86_64-unknown-linux-gnu`. Without one, clippy's lint
/// `incompatible_msrv` has to do.
fn minimum_toolchain(package: &Package) -> Option<String> {
    let list = Command::new("rustup").args(["toolchain", "list"]).output().ok()?;
    let list = String::from_utf8_lossy(&list.stdout);
    let mut names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.find(|name| name.starts_with(&format!("{}.", package.rust_version))).map(str::to_owned)
}

/// The feature sets besides the default one, with the packages that have them: a printer, a builder, a reader alone, or the
/// second reader.
///
/// The packages of a set are built together. `tidy` checks that features pass on to the packages below, so what builds
/// together builds alone.
fn feature_sets(packages: &BTreeMap<String, Package>) -> Vec<(&'static str, Vec<&str>)> {
    let with = |features: &[&str]| -> Vec<&str> {
        let has = |package: &&Package| features.iter().any(|feature| package.features.contains_key(*feature));
        packages.values().filter(has).map(|package| package.name.as_str()).collect()
    };
    let mut sets = vec![("", with(&["print", "parse", "library"]))];
    sets.extend(["print", "build", "parse"].map(|feature| (feature, with(&[feature]))));
    // Each format of models without the others.
    sets.extend(["onnx", "torch", "tflite", "tf"].map(|feature| (feature, vec!["tvmscript-frontend"])));
    sets
}

/// Returns `true` if `cargo nextest` is installed.
fn has_nextest() -> bool {
    workspace::cargo().args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success())
}

/// Type checkers and linters of Python that `lint-scripts` runs.
const LINTERS: [&str; 5] = ["mypy", "pyright", "ty", "pylint", "ruff"];

/// Returns `true` if one of [`LINTERS`] is installed.
fn has_linter() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| LINTERS.iter().any(|name| folder.join(name).is_file()))
}
