//! `cargo xtask lint-scripts`: findings of Python's type checkers and linters in scripts, with and without the stubs.
//!
//! Each tool runs with its default settings on copies of the scripts, outside the reach of any configuration.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;
use tvmscript::stubs::{Layout, stubs};

use xtask::workspace;

/// Folders whose files are taken, in alphabetical order, until there are enough.
const FOLDERS: [&str; 2] = ["tests/metaprogrammed", "tests/fixtures/kernels"];

/// Options of `cargo xtask lint-scripts`.
#[derive(Args)]
pub struct Options {
    /// Files to check, and folders whose `.py` files are checked [default: real programs of the tests]
    paths: Vec<PathBuf>,
    /// Maximum number of files
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// Virtual environment with the tools, before those on PATH
    #[arg(long)]
    venv: Option<PathBuf>,
    /// Show the findings with stubs themselves of tools and rules with this text in `TOOL RULE`
    #[arg(long)]
    show: Option<String>,
}

/// A finding of a tool.
struct Finding {
    rule: String,
    place: String,
    message: String,
}

/// A tool: its name, its arguments before the files, and the reader of its output.
struct Tool {
    name: &'static str,
    /// Bits of exit statuses that mean that the tool itself failed.
    failure: i32,
    arguments: &'static [&'static str],
    read: fn(&str) -> Result<Vec<Finding>>,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "mypy",
        failure: !1,
        arguments: &["--config-file=", "--output=json", "--explicit-package-bases", "--namespace-packages"],
        read: |text| text.lines().filter(|line| line.starts_with('{')).map(of_mypy).collect(),
    },
    Tool {
        name: "pyright",
        failure: !1,
        arguments: &["--outputjson"],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all["generalDiagnostics"], |item| {
                let line = &item["range"]["start"]["line"];
                let severity = string(&item["severity"]);
                let rule = item["rule"].as_str().unwrap_or("syntax");
                (format!("{rule} ({severity})"), string(&item["file"]), line, string(&item["message"]))
            })
        },
    },
    Tool {
        name: "pylint",
        failure: 1 | 32,
        arguments: &["--rcfile=/dev/null", "--output-format=json"],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all, |item| {
                let rule = format!("{} {}", string(&item["message-id"]), string(&item["symbol"]));
                (rule, string(&item["path"]), &item["line"], string(&item["message"]))
            })
        },
    },
    Tool {
        name: "ruff",
        failure: !1,
        arguments: &["check", "--isolated", "--no-cache", "--output-format=json"],
        read: |text| {
            let all = serde_json::from_str::<Value>(text)?;
            list(&all, |item| {
                let rule = item["code"].as_str().unwrap_or("syntax").to_owned();
                (rule, string(&item["filename"]), &item["location"]["row"], string(&item["message"]))
            })
        },
    },
];

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<'a>(
    items: &'a Value,
    parts: impl Fn(&'a Value) -> (String, String, &'a Value, String),
) -> Result<Vec<Finding>> {
    let items = items.as_array().context("the tool's output is not a list of findings")?;
    let findings = items.iter().map(|item| {
        let (rule, file, line, message) = parts(item);
        let file = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        Finding { rule, place: format!("{file}:{line}"), message }
    });
    Ok(findings.collect())
}

fn of_mypy(line: &str) -> Result<Finding> {
    let item: Value = serde_json::from_str(line)?;
    Ok(Finding {
        rule: item["code"].as_str().unwrap_or("syntax").to_owned(),
        place: format!("{}:{}", string(&item["file"]), item["line"]),
        message: string(&item["message"]),
    })
}

/// The files to check.
fn scripts(options: &Options) -> Result<Vec<PathBuf>> {
    let root = workspace::root();
    let paths = match options.paths.is_empty() {
        true => FOLDERS.iter().map(|folder| root.join(folder)).collect(),
        false => options.paths.clone(),
    };
    let mut out = Vec::new();
    for path in paths {
        if path.is_file() {
            out.push(path);
            continue;
        }
        let entries = std::fs::read_dir(&path).with_context(|| path.display().to_string())?;
        let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
        files.sort();
        out.extend(files);
    }
    out.truncate(options.count);
    Ok(out)
}

/// A folder with copies of the scripts and, for `with_stubs`, the stubs.
fn prepare(dir: &Path, scripts: &[PathBuf], with_stubs: bool) -> Result<Vec<PathBuf>> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir.join("scripts"))?;
    if with_stubs {
        for file in stubs(tvmscript::registry(), Layout::Sources) {
            let path = dir.join("typings").join(file.path);
            std::fs::create_dir_all(path.parent().unwrap_or(dir))?;
            std::fs::write(path, file.text)?;
        }
    }
    let mut copies = Vec::new();
    for script in scripts {
        let name = script.file_name().context("not the name of a file")?;
        let copy = Path::new("scripts").join(name);
        if copies.contains(&copy) {
            bail!("two scripts are called {}", copy.display());
        }
        std::fs::copy(script, dir.join(&copy))?;
        copies.push(copy);
    }
    Ok(copies)
}

/// The search path for tools: those of the virtual environment first.
fn tool_path(options: &Options) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(venv) = &options.venv else { return Ok(path) };
    let own = std::path::absolute(venv)?.join("bin");
    Ok(std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path)))?)
}

/// The findings of a tool in the files of a folder; `None` if the tool is not installed.
fn findings(tool: &Tool, dir: &Path, files: &[PathBuf], path: &OsString) -> Result<Option<Vec<Finding>>> {
    let installed = std::env::split_paths(path).any(|folder| folder.join(tool.name).is_file());
    if !installed {
        return Ok(None);
    }
    let output = Command::new(tool.name)
        .args(tool.arguments)
        .args(files)
        .current_dir(dir)
        .env("PATH", path)
        .env("MYPYPATH", "typings")
        .env("PYTHONPATH", "typings")
        .output()
        .with_context(|| tool.name.to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = || format!("{} fails: {text}{}", tool.name, String::from_utf8_lossy(&output.stderr));
    if output.status.code().is_none_or(|code| code & tool.failure != 0) {
        bail!(failed());
    }
    (tool.read)(&text).with_context(failed).map(Some)
}

fn by_rule(findings: &[Finding]) -> BTreeMap<&str, usize> {
    let mut out = BTreeMap::new();
    for finding in findings {
        *out.entry(finding.rule.as_str()).or_default() += 1;
    }
    out
}

/// Runs every tool that is installed, and prints the number of findings by rule.
///
/// # Errors
/// When a file cannot be read, a tool fails, or none is installed.
pub fn run(options: &Options) -> Result<()> {
    let scripts = scripts(options)?;
    let dir = workspace::root().join("target/lint-scripts");
    let path = tool_path(options)?;
    let (without, with) = (dir.join("without"), dir.join("with"));
    let files = prepare(&without, &scripts, false)?;
    prepare(&with, &scripts, true)?;
    println!("{} files; findings without and with stubs:", files.len());
    let mut ran = 0;
    for tool in &TOOLS {
        let Some(before) = findings(tool, &without, &files, &path)? else {
            println!("\n{}: not installed", tool.name);
            continue;
        };
        let after = findings(tool, &with, &files, &path)?.unwrap_or_default();
        ran += 1;
        println!("\n{}: {} -> {}", tool.name, before.len(), after.len());
        let (old, new) = (by_rule(&before), by_rule(&after));
        let mut rules: Vec<&str> = old.keys().chain(new.keys()).copied().collect();
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            let count = |of: &BTreeMap<&str, usize>| of.get(rule).copied().unwrap_or_default();
            println!("  {:>5} -> {:>5}  {rule}", count(&old), count(&new));
        }
        if let Some(text) = &options.show {
            for finding in after.iter().filter(|f| format!("{} {}", tool.name, f.rule).contains(text)) {
                println!("    {}: {} [{}]", finding.place, finding.message, finding.rule);
            }
        }
    }
    if ran == 0 {
        bail!("none of the tools is installed; name an environment that has them with --venv");
    }
    Ok(())
}
