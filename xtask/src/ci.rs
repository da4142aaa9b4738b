//! `cargo xtask test`, `cargo xtask ci`: what a change has to pass, in the order in which failures are cheapest to see.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
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

/// Steps in their order, none of which waits for a step of another lane.
type Lane = Vec<Step>;

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
    for step in cheap_steps()?.into_iter().chain([clippy()]).chain(test_steps()) {
        results.run(step);
    }
    results.conclude()
}

/// Runs all steps.
///
/// # Errors
/// When a step fails.
pub fn all(options: &Options) -> Result<()> {
    let mut results = Results::new(options);
    for step in cheap_steps()? {
        results.run(step);
    }
    // One build alone leaves a core free now and then. The tests go first, since some wait for a browser.
    let mut tests = test_steps();
    tests.insert(0, step("browser", own(&["browser"])?));
    results.run_beside(vec![tests, behind(lint_steps()?), behind(optimized_steps())]);
    results.conclude()
}

/// The steps with less of the processor than those of other lanes, where `nice` is installed.
fn behind(mut lane: Lane) -> Lane {
    if crate::tools::has("nice") {
        for step in &mut lane {
            step.command = nice(&step.command);
        }
    }
    lane
}

/// The same command by `nice`.
fn nice(command: &Command) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "10"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => nice.env(name, value),
            None => nice.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        nice.current_dir(folder);
    }
    nice
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

    /// `true` if a step is wanted and no step before it stands against it.
    fn wants(&self, step: &Step) -> bool {
        let is_chosen = self.options.only.as_ref().is_none_or(|only| step.name.contains(only.as_str()));
        is_chosen && (self.failed.is_empty() || self.options.keep_going)
    }

    fn add(&mut self, name: String, start: Instant, ok: bool) {
        self.times.push((name.clone(), start.elapsed().as_secs()));
        if !ok {
            self.failed.push(name);
        }
    }

    /// Runs a step, which writes as it goes.
    fn run(&mut self, mut step: Step) {
        if !self.wants(&step) {
            return;
        }
        println!("=== {}", step.name);
        let start = Instant::now();
        let ok = step.command.status().is_ok_and(|status| status.success());
        self.add(step.name, start, ok);
    }

    /// Runs the lanes beside each other. What a step writes follows when it ends.
    fn run_beside(&mut self, lanes: Vec<Lane>) {
        let results = Mutex::new(self);
        let locked = || results.lock().unwrap_or_else(PoisonError::into_inner);
        std::thread::scope(|scope| {
            for lane in lanes {
                scope.spawn(move || {
                    for mut step in lane {
                        if !locked().wants(&step) {
                            continue;
                        }
                        let start = Instant::now();
                        let (ok, text) = captured(&mut step.command);
                        let mut results = locked();
                        println!("=== {}\n{text}", step.name);
                        results.add(step.name, start, ok);
                    }
                });
            }
        });
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

/// Runs a command: whether it succeeded, and what it wrote to either stream.
fn captured(command: &mut Command) -> (bool, String) {
    let mut bytes = Vec::new();
    let ok = read_streams(command, &mut bytes).unwrap_or_else(|error| {
        bytes.extend(error.to_string().bytes());
        false
    });
    (ok, String::from_utf8_lossy(&bytes).into_owned())
}

fn read_streams(command: &mut Command, bytes: &mut Vec<u8>) -> std::io::Result<bool> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
    // The command owns the ends for writing, without whose end the reading has none.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    reader.read_to_end(bytes)?;
    Ok(child.wait()?.success())
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

/// Format and conventions.
fn cheap_steps() -> Result<Lane> {
    Ok(vec![cargo("format", &["fmt", "--all", "--check"]), step("tidy", own(&["tidy"])?)])
}

/// A command of this program.
fn own(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).current_dir(workspace::root());
    Ok(command)
}

fn test_steps() -> Lane {
    vec![
        tests("tests", &["--workspace", "--features", workspace::RUFF]),
        cargo("doc tests", &["test", "--workspace", "--features", workspace::RUFF, "--doc"]),
    ]
}

fn clippy() -> Step {
    let arguments = ["clippy", "--workspace", "--all-targets", "--features", workspace::RUFF];
    cargo("clippy", &[&arguments[..], &["--", "-D", "warnings"]].concat())
}

/// Lints, other sets of features and versions, documentation and packages.
fn lint_steps() -> Result<Lane> {
    let packages = workspace::packages()?;
    let mut steps = vec![clippy()];
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
    // Cargo lets one command at a time into a folder, and the tests are built in the usual one.
    for step in &mut steps {
        step.command.env("CARGO_TARGET_DIR", workspace::root().join("target/lints"));
    }
    if let Some(toolchain) = packages.get("tvmscript-cli").and_then(minimum_toolchain) {
        let arguments = ["check", "-p", "tvmscript-cli", "--target-dir", "target/minimum-rust"];
        let mut step = cargo("minimum Rust", &arguments);
        step.command.env("RUSTUP_TOOLCHAIN", toolchain);
        steps.push(step);
    }
    Ok(steps)
}

/// Comparisons that take long. Optimised, they save more time than the build takes.
fn optimized_steps() -> Lane {
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
