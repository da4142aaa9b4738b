//! `cargo xtask test`, `cargo xtask ci`: what a change has to pass, in the order in which failures are cheapest to see.

use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use xtask::workspace::{self, Package};

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
    place: Place,
}

/// The time of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After the step before it.
    InTurn,
    /// Beside the steps in turn, which leave a core free now and then.
    Beside,
    /// After the steps beside others.
    AfterBeside,
}

/// A step that is a call of `cargo`.
fn cargo(name: &str, arguments: &[&str]) -> Step {
    let mut command = workspace::cargo();
    command.args(arguments);
    in_turn(name, command)
}

fn in_turn(name: &str, command: Command) -> Step {
    Step { name: name.to_owned(), command, place: Place::InTurn }
}

/// Runs the steps of a contributor.
///
/// # Errors
/// When a step fails.
pub fn test(options: &Options) -> Result<()> {
    run(quick_steps()?, options)
}

/// Runs all steps.
///
/// # Errors
/// When a step fails.
pub fn all(options: &Options) -> Result<()> {
    if options.only.is_none() {
        crate::tools::prepare_browser();
    }
    let mut steps = quick_steps()?;
    steps.extend(slow_steps()?);
    run(steps, options)
}

/// A step that runs beside others.
struct Running {
    name: String,
    start: Instant,
    child: Child,
}

/// The names of the steps that have run, with their seconds, and those that failed.
#[derive(Default)]
struct Results {
    times: Vec<(String, u64)>,
    failed: Vec<String>,
}

impl Results {
    fn add(&mut self, name: String, start: Instant, ok: bool) {
        self.times.push((name.clone(), start.elapsed().as_secs()));
        if !ok {
            self.failed.push(name);
        }
    }

    fn wait(&mut self, beside: &mut Vec<Running>) -> Result<()> {
        for mut step in beside.drain(..) {
            let ok = step.child.wait()?.success();
            self.add(step.name, step.start, ok);
        }
        Ok(())
    }
}

/// Runs the steps in their order.
fn run(steps: Vec<Step>, options: &Options) -> Result<()> {
    let begin = Instant::now();
    let mut results = Results::default();
    let mut beside = Vec::new();
    for mut step in steps {
        if options.only.as_ref().is_some_and(|only| !step.name.contains(only.as_str())) {
            continue;
        }
        if step.place == Place::AfterBeside {
            results.wait(&mut beside)?;
        }
        if !results.failed.is_empty() && !options.keep_going {
            break;
        }
        println!("=== {}", step.name);
        let start = Instant::now();
        if step.place == Place::Beside {
            beside.push(Running { name: step.name, start, child: step.command.spawn()? });
        } else {
            let ok = step.command.status()?.success();
            results.add(step.name, start, ok);
        }
    }
    if !results.failed.is_empty() && !options.keep_going {
        beside.iter_mut().for_each(|step| drop(step.child.kill()));
    }
    results.wait(&mut beside)?;
    println!("=== times");
    for (name, seconds) in results.times {
        println!("{seconds:>5} s  {name}");
    }
    println!("{:>5} s  in all", begin.elapsed().as_secs());
    if results.failed.is_empty() { Ok(()) } else { bail!("failed: {}", results.failed.join("; ")) }
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

/// Format, conventions, lints and tests.
fn quick_steps() -> Result<Vec<Step>> {
    let mut tidy = Command::new(std::env::current_exe()?);
    tidy.arg("tidy").current_dir(workspace::root());
    Ok(vec![
        cargo("format", &["fmt", "--all", "--check"]),
        in_turn("tidy", tidy),
        cargo(
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--features",
                workspace::RUFF,
                "--",
                "-D",
                "warnings",
            ],
        ),
        tests("tests", &["--workspace", "--features", workspace::RUFF]),
        cargo("doc tests", &["test", "--workspace", "--features", workspace::RUFF, "--doc"]),
    ])
}

/// Other features and versions, documentation, packages, and comparisons that take long.
fn slow_steps() -> Result<Vec<Step>> {
    let packages = workspace::packages()?;
    // Optimised, the comparisons save more time than the build takes. It shares no folder with the steps beside it.
    let mut optimized = cargo("optimised build", &workspace::OPTIMIZED);
    optimized.place = Place::Beside;
    let mut steps = vec![optimized];
    for (features, names) in feature_sets(&packages) {
        let mut step = cargo(
            &format!("clippy [{features}]"),
            &["clippy", "--no-default-features", "--features", features],
        );
        step.command.args(names.iter().flat_map(|name| ["-p", name])).args(["--", "-D", "warnings"]);
        steps.push(step);
    }
    if let Some(toolchain) = packages.get("tvmscript-cli").and_then(minimum_toolchain) {
        let arguments = ["check", "-p", "tvmscript-cli", "--target-dir", "target/minimum-rust"];
        let mut step = cargo("minimum Rust", &arguments);
        step.command.env("RUSTUP_TOOLCHAIN", toolchain);
        steps.push(step);
    }
    // The flags of docs.rs.
    let mut docs = cargo("docs", &["doc", "--workspace", "--no-deps", "--all-features"]);
    docs.command.env("RUSTDOCFLAGS", "-D warnings --cfg docsrs");
    crate::api::keep_json(&mut docs.command)?;
    steps.push(docs);
    let mut api = Command::new(std::env::current_exe()?);
    api.args(["api", "--check", "--built"]).current_dir(workspace::root());
    steps.push(in_turn("public API", api));
    steps.push(cargo("packages", &["package", "--workspace", "--list", "--allow-dirty", "--quiet"]));
    let program = workspace::optimized("xtask-checks");
    let mut check = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(workspace::root());
        steps.push(Step { name: name.to_owned(), command, place: Place::AfterBeside });
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
    Ok(steps)
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
