//! `cargo xtask files`: whole Python files, as projects that use TVM keep them.
//!
//! For each file that holds decorated scripts, four questions: is it accepted (no error), which of its scripts are
//! found, does their text read back, and is each the program that TVM makes of the same definition when it runs the file
//! as Python. The definitions come from Python's own syntax tree (`scripts.py`), so that nothing of ours decides what
//! there is to find.
//!
//! Scripts that are wrong on purpose are counted apart: those under `pytest.raises` and its like, and, with `--oracle`,
//! those that TVM refuses. An error within one of them does not make its file refused.
//!
//! Figures of `tests/files` and of installed packages have floors, as those of conformance have.

mod outcome;
mod python;
mod report;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::conformance::{hold_floors, in_parallel};
use xtask::workspace;

/// Options of `cargo xtask files`.
#[derive(Args)]
pub struct Options {
    /// Folders or files to read [default: tests/files].
    dirs: Vec<PathBuf>,
    /// The installed packages of the environment, too.
    #[arg(long, requires = "venv")]
    installed: bool,
    /// Run each file under TVM, and compare the scripts.
    #[arg(long)]
    oracle: bool,
    /// The virtual environment that holds TVM [default: $TVMSCRIPT_ORACLE_VENV].
    #[arg(long)]
    venv: Option<PathBuf>,
    /// Only files whose path contains this text (no floors then).
    #[arg(long)]
    filter: Option<String>,
    /// Write all that was found to this file.
    #[arg(long)]
    report: Option<PathBuf>,
    /// Record the present misses as the floors.
    #[arg(long)]
    bless: bool,
}

/// Files with a name for their figures.
struct Group {
    name: String,
    files: Vec<File>,
}

/// A Python file.
pub struct File {
    /// Its path.
    path: PathBuf,
    /// Its name in reports.
    name: String,
    /// Its dotted name, if it belongs to a package.
    module: Option<String>,
    /// Its text.
    text: String,
}

/// Runs the survey.
///
/// # Errors
/// When a floor is not held, or the files cannot be read.
pub fn run(options: &Options) -> Result<()> {
    let venv = options.venv.clone().or_else(|| std::env::var_os("TVMSCRIPT_ORACLE_VENV").map(PathBuf::from));
    if options.oracle && venv.is_none() {
        bail!("--oracle needs --venv DIR or TVMSCRIPT_ORACLE_VENV");
    }
    let interpreter = match &venv {
        Some(venv) => venv.join("bin/python"),
        None => PathBuf::from("python3"),
    };
    let script = python::Script::new(interpreter)?;
    let mut all = String::new();
    let mut figures = crate::conformance::Figures::new();
    for group in groups(options, venv.as_deref())? {
        let outcomes =
            in_parallel(group.files.len(), |i| outcome::of_file(&group.files[i], &script, options.oracle));
        let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
        let outcomes: Vec<_> = outcomes.into_iter().flatten().collect();
        let (text, misses) = report::write(&group.name, &outcomes);
        print!("{}", report::head(&text));
        all.push_str(&text);
        figures.insert(group.name, misses);
    }
    let file = options.report.clone().unwrap_or_else(|| workspace::root().join("target/files.txt"));
    std::fs::write(&file, all).with_context(|| format!("writing {}", file.display()))?;
    println!("all of it: {}", file.display());
    if options.filter.is_some() { Ok(()) } else { hold_floors("files", &figures, options.bless) }
}

/// The files, by folder.
fn groups(options: &Options, venv: Option<&Path>) -> Result<Vec<Group>> {
    let mut dirs: Vec<(String, PathBuf)> = Vec::new();
    for dir in &options.dirs {
        let name = dir.canonicalize()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_taken = dirs.iter().any(|(other, _)| *other == name);
        dirs.push((if is_taken { dir.display().to_string() } else { name }, dir.clone()));
    }
    if options.installed
        && let Some(venv) = venv
    {
        let name = venv.file_name().unwrap_or_default().to_string_lossy().into_owned();
        dirs.push((format!("installed: {name}"), site_packages(venv)?));
    }
    if dirs.is_empty() {
        dirs.push(("tests/files".to_owned(), workspace::root().join("tests/files")));
    }
    let mut groups = Vec::new();
    for (name, dir) in dirs {
        let mut paths = Vec::new();
        if dir.is_file() {
            paths.push(dir.clone());
        } else {
            workspace::walk(&dir, &mut |path| {
                if path.extension().is_some_and(|e| e == "py") {
                    paths.push(path.to_path_buf());
                }
            })?;
        }
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            let shown = path.strip_prefix(&dir).ok().filter(|p| !p.as_os_str().is_empty()).unwrap_or(&path);
            let name = shown.display().to_string();
            if options.filter.as_ref().is_some_and(|filter| !name.contains(filter)) {
                continue;
            }
            // Files of other encodings hold no scripts worth the trouble.
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let is_candidate = ["prim_func", "ir_module", "R.function", "relax.function"];
            if !is_candidate.iter().any(|word| text.contains(word)) {
                continue;
            }
            let module = module_name(&path);
            files.push(File { path, name, module, text });
        }
        groups.push(Group { name, files });
    }
    Ok(groups)
}

/// The folder of installed packages of a virtual environment.
fn site_packages(venv: &Path) -> Result<PathBuf> {
    for entry in std::fs::read_dir(venv.join("lib"))? {
        let dir = entry?.path().join("site-packages");
        if dir.is_dir() {
            return Ok(dir);
        }
    }
    bail!("no packages in {}", venv.display())
}

/// The dotted name of a file of a package: folders with an `__init__.py` above it are packages.
fn module_name(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    if path.file_stem()? != "__init__" {
        parts.push(path.file_stem()?.to_string_lossy().into_owned());
    }
    let mut dir = path.parent();
    let mut in_package = false;
    while let Some(package) = dir.filter(|dir| dir.join("__init__.py").is_file()) {
        in_package = true;
        parts.push(package.file_name()?.to_string_lossy().into_owned());
        dir = package.parent();
    }
    parts.reverse();
    in_package.then(|| parts.join("."))
}
