//! `cargo xtask lint-scripts`: findings of Python's type checkers and linters in files with scripts.
//!
//! Each tool runs with the stubs and what is shipped beside them, and otherwise with its default settings, on copies of the
//! files. Then it runs on the same texts without TVMScript: an empty function in place of each script, and modules without
//! declarations in place of the stubs. A finding that is in both is about Python code; one about the characters of a text, such
//! as a long line, is so too. All others are findings of scripts. Their numbers are recorded and must not rise.

mod text;
mod tool;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tvmscript::stubs::{Layout, StubFile, stubs, tools};

use text::{Set, given, sets, without_scripts};
use tool::{Finding, TOOLS, Tool};
use xtask::workspace;

/// Options of `cargo xtask lint-scripts`.
#[derive(Args)]
pub struct Options {
    /// Files to check, and folders whose `.py` files are checked [default: files of the tests and of the corpora]
    paths: Vec<PathBuf>,
    /// Virtual environment with the tools, before those on PATH
    #[arg(long)]
    venv: Option<PathBuf>,
    /// Show the findings of scripts of tools and rules with this text in `TOOL RULE`
    #[arg(long)]
    show: Option<String>,
    /// Record the numbers of findings of scripts
    #[arg(long, conflicts_with = "paths")]
    bless: bool,
}

/// A module without declarations.
const EMPTY: &str = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n";

/// Packages that files import beside those of the stubs. They need not be installed, and findings do not depend on their version.
const OTHERS: [&str; 1] = ["numpy"];

/// Configuration of mypy with the plugin.
const MYPY: &str = "[mypy]\nplugins = typings/tvmscript_mypy.py\n";

/// The recorded numbers: `NUMBER TOOL SET` for each set and tool.
fn record() -> PathBuf {
    workspace::root().join("xtask/checks/lint_scripts.txt")
}

/// Lines before the numbers of the record.
const RECORD_HEAD: &str = "# Findings of scripts, by tool and set of files. `cargo xtask lint-scripts` fails when a number is larger;\n\
                           # `--bless` records them.\n";

/// Makes a folder with the files and the stubs, and returns the paths of the files in it.
fn prepare(dir: &Path, set: &Set, has_scripts: bool) -> Result<Vec<PathBuf>> {
    if dir.exists() {
        std::fs::remove_dir_all(dir)?;
    }
    std::fs::create_dir_all(dir.join("scripts"))?;
    std::fs::write(dir.join("mypy.ini"), MYPY)?;
    let registry = tvmscript::registry();
    let release = registry.find_release(set.release).context("a release of the project")?;
    let registry = registry.of_release(release).context("a release of the project")?;
    let declared = stubs(registry, Layout::Sources).into_iter();
    let declared = declared.map(|StubFile { path, text }| match has_scripts {
        true => (path, text),
        false => (path, EMPTY.to_owned()),
    });
    let beside = tools(registry, Layout::Sources).into_iter().map(|StubFile { path, text }| (path, text));
    let others = OTHERS.iter().map(|package| (format!("{package}/__init__.pyi"), EMPTY.to_owned()));
    for (path, text) in declared.chain(beside).chain(others) {
        let path = dir.join("typings").join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(dir))?;
        std::fs::write(path, text)?;
    }
    let mut copies = Vec::new();
    for file in &set.files {
        let copy = Path::new("scripts").join(&file.name);
        if copies.contains(&copy) {
            bail!("two files are called {}", file.name);
        }
        let text = if has_scripts { file.text.clone() } else { without_scripts(&file.text) };
        std::fs::write(dir.join(&copy), text)?;
        copies.push(copy);
    }
    Ok(copies)
}

/// The search path for tools: those of the virtual environment first.
fn tool_path(venv: Option<&Path>) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(venv) = venv else { return Ok(path) };
    Ok(std::env::join_paths(std::iter::once(venv.join("bin")).chain(std::env::split_paths(&path)))?)
}

/// The findings that are not in the text without scripts.
fn of_scripts<'a>(tool: &Tool, all: &'a [Finding], plain: &'a [Finding]) -> Vec<&'a Finding> {
    let mut of_python: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in plain {
        *of_python.entry((&finding.place, &finding.rule)).or_default() += 1;
    }
    let mut out = Vec::new();
    for finding in all {
        match of_python.get_mut(&(&*finding.place, &*finding.rule)) {
            Some(count) if *count > 0 => *count -= 1,
            _ if tool.is_about_python(finding) => {}
            _ => out.push(finding),
        }
    }
    out
}

/// Runs the tools on a set, prints their findings by rule and returns the numbers by tool.
fn check(set: &Set, options: &Options, path: &OsString, venv: Option<&Path>) -> Result<Vec<(String, usize)>> {
    let dir = workspace::root().join("target/lint-scripts");
    let (with, without) = (dir.join("with"), dir.join("without"));
    let files = prepare(&with, set, true)?;
    prepare(&without, set, false)?;
    println!("\n{}, {} of them; findings, and those of scripts:", set.name, files.len());
    let mut out = Vec::new();
    for tool in TOOLS.iter().filter(|tool| tool.is_installed(path)) {
        let all = tool.findings(&with, &files, path, venv)?;
        let plain = tool.findings(&without, &files, path, venv)?;
        let own = of_scripts(tool, &all, &plain);
        println!("  {:>5} {:>5}  {}", all.len(), own.len(), tool.name);
        let mut by_rule: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &own {
            *by_rule.entry(&finding.rule).or_default() += 1;
            let text = options.show.as_ref();
            if text.is_some_and(|text| format!("{} {}", tool.name, finding.rule).contains(text)) {
                println!("    {}: {} [{}]", finding.place, finding.message, finding.rule);
            }
        }
        for (rule, count) in by_rule {
            println!("        {count:>5}    {rule}");
        }
        out.push((format!("{} {}", tool.name, set.name), own.len()));
    }
    Ok(out)
}

/// Compares numbers with the recorded ones, and returns the lines of the record with the new ones.
fn compare(found: &[(String, usize)], recorded: &str) -> Result<String> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let (number, key) = line.split_once(' ').context("a number and a name")?;
        numbers.insert(key.to_owned(), number.parse()?);
    }
    let mut risen = Vec::new();
    for (key, number) in found {
        let before = numbers.insert(key.clone(), *number);
        if before.is_some_and(|before| *number > before) {
            risen.push(format!("{key}: {} -> {number}", before.unwrap_or_default()));
        }
    }
    let mut out = RECORD_HEAD.to_owned();
    for (key, number) in numbers {
        let _ = writeln!(out, "{number} {key}");
    }
    if !risen.is_empty() {
        bail!("more findings than recorded: {}; `--show TOOL` lists them", risen.join(", "));
    }
    Ok(out)
}

/// Runs every tool that is installed, and prints the number of findings by rule.
///
/// # Errors
/// When a file cannot be read, a tool fails, or there are more findings than recorded.
pub fn run(options: &Options) -> Result<()> {
    let venv = options.venv.as_ref().map(std::path::absolute).transpose()?;
    let path = tool_path(venv.as_deref())?;
    let missing: Vec<&str> =
        TOOLS.iter().filter(|tool| !tool.is_installed(&path)).map(|tool| tool.name).collect();
    if !missing.is_empty() {
        println!("not installed, and skipped: {}", missing.join(", "));
    }
    let sets = if options.paths.is_empty() { sets()? } else { vec![given(&options.paths)?] };
    let mut found = Vec::new();
    for set in &sets {
        found.extend(check(set, options, &path, venv.as_deref())?);
    }
    if !options.paths.is_empty() {
        return Ok(());
    }
    let recorded = std::fs::read_to_string(record()).unwrap_or_default();
    match compare(&found, if options.bless { "" } else { &recorded }) {
        Ok(text) if options.bless => Ok(std::fs::write(record(), text)?),
        result => result.map(drop),
    }
}
