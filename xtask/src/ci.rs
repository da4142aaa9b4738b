//! `cargo xtask ci`: everything a change has to pass, in the order in which failures are cheapest to see.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::workspace::{self, Package};

/// Options of `cargo xtask ci`.
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

/// One step: its name and the commands it consists of.
struct Step {
    name: String,
    command: Command,
}

/// Runs the steps one after the other.
///
/// # Errors
/// When a step fails.
pub fn run(options: &Options) -> Result<()> {
    let begin = Instant::now();
    let mut failed = Vec::new();
    let mut times = Vec::new();
    for mut step in steps()? {
        if options.only.as_ref().is_some_and(|only| !step.name.contains(only.as_str())) {
            continue;
        }
        println!("=== {}", step.name);
        let start = Instant::now();
        let ok = step.command.status()?.success();
        times.push((step.name.clone(), start.elapsed().as_secs()));
        if !ok {
            failed.push(step.name);
            if !options.keep_going {
                break;
            }
        }
    }
    println!("=== times");
    for (name, seconds) in times {
        println!("{seconds:>5} s  {name}");
    }
    println!("{:>5} s  in all", begin.elapsed().as_secs());
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join("; ")) }
}

/// The steps in order.
fn steps() -> Result<Vec<Step>> {
    let packages = workspace::packages()?;
    let mut steps = Vec::new();
    let mut cargo = |name: &str, args: &[&str]| {
        let mut command = workspace::cargo();
        command.args(args);
        steps.push(Step { name: name.to_string(), command });
    };
    cargo("format", &["fmt", "--all", "--check"]);
    cargo("tidy", &["xtask", "tidy"]);
    cargo("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    for (package, features) in feature_sets(&packages) {
        let name = format!("clippy {package} [{features}]");
        let args = [
            "clippy",
            "-p",
            &package,
            "--no-default-features",
            "--features",
            &features,
            "--",
            "-D",
            "warnings",
        ];
        cargo(&name, &args);
    }
    let minimum = packages.get("tvmscript-cli").and_then(minimum_toolchain);
    if minimum.is_some() {
        let args = ["check", "-p", "tvmscript-cli", "--target-dir", "target/minimum-rust"];
        cargo("minimum Rust", &args);
    }
    if has_nextest() {
        cargo("tests", &["nextest", "run", "--workspace"]);
    } else {
        cargo("tests", &["test", "--workspace", "--all-targets"]);
    }
    if packages.get("tvmscript-python-syntax").is_some_and(|p| p.features.iter().any(|f| f == "ruff")) {
        cargo("tests with ruff", &["test", "-p", "tvmscript-python-syntax", "--features", "ruff"]);
    }
    cargo("doc tests", &["test", "--workspace", "--doc"]);
    cargo("docs", &["doc", "--workspace", "--no-deps", "--all-features"]);
    cargo("packages", &["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"]);
    cargo("conformance of the selection", &["xtask", "conformance"]);
    cargo("vectors of the selection", &["xtask", "vectors"]);
    cargo("differences of changed programs", &["xtask", "diff-check", "--pairs", "200"]);
    cargo("changed tokens", &["xtask", "mutate", "--count", "500"]);
    cargo("unknown operators", &["xtask", "unknown-check", "--count", "200"]);
    cargo("speed, as a report", &["xtask", "bench-gate", "--report"]);
    if has_python() {
        cargo("whole Python files", &["xtask", "files"]);
    }
    for (name, folder, kinds) in CORPORA {
        let corpus = workspace::shared().join("corpus").join(folder);
        if corpus.is_dir() {
            cargo(name, &["xtask", "conformance", &corpus.to_string_lossy(), "--kind", kinds]);
        }
    }
    for step in &mut steps {
        if step.name == "minimum Rust"
            && let Some(toolchain) = &minimum
        {
            step.command.env("RUSTUP_TOOLCHAIN", toolchain);
        }
        if step.name == "docs" {
            // The flags of docs.rs.
            step.command.env("RUSTDOCFLAGS", "-D warnings --cfg docsrs");
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

/// The feature sets beside the default one that users build: a printer, a builder, a reader alone.
fn feature_sets(packages: &std::collections::BTreeMap<String, Package>) -> Vec<(String, String)> {
    let mut sets = Vec::new();
    for package in packages.values() {
        let has = |f: &str| package.features.iter().any(|k| k == f);
        if has("ruff") {
            let rest = if has("parse") { "parse,ruff" } else { "ruff" };
            sets.push((package.name.clone(), rest.to_string()));
        }
        if !has("print") && !has("parse") {
            // Readers of Python without its library.
            if has("library") {
                sets.push((package.name.clone(), String::new()));
            }
            continue;
        }
        sets.push((package.name.clone(), String::new()));
        for feature in ["print", "build", "parse"] {
            if has(feature) {
                sets.push((package.name.clone(), feature.to_string()));
            }
        }
    }
    sets
}

/// Returns `true` if `cargo nextest` is installed.
fn has_nextest() -> bool {
    workspace::cargo().args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success())
}

/// Returns `true` if Python is installed.
fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success())
}
