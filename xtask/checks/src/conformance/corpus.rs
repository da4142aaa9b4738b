//! The programs of a corpus and of the fixtures, with what is recorded of TVM's own doing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use xtask::workspace;

/// One program.
pub struct Program {
    /// Its name, unique within its kind.
    pub name: String,
    /// The kernel whose stages have this name in common, if the index tells.
    pub kernel: Option<String>,
    /// Its family: `tir`, `tir_lowered`, ..., or the folder of a fixture.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// `true` if TVM parses the text.
    pub tvm_parses: bool,
    /// `true` if TVM prints its parse of the text unchanged.
    pub tvm_fixpoint: bool,
    /// `true` if TVM's parse of its print is structurally equal to what it printed.
    pub tvm_roundtrip: bool,
    /// TVM's JSON of the IR that was printed.
    pub json: Option<PathBuf>,
    /// TVM's JSON of its parse of the text.
    pub json_reparse: Option<PathBuf>,
    /// `true` if the text is TVM's own print, so that ours should be the same bytes.
    pub canonical: bool,
    /// The listed deviation that the file shows, if any.
    pub deviation: Option<String>,
    /// It is a fixture of the project, not a program of the corpus.
    pub is_fixture: bool,
}

/// Kinds of programs that the corpora of several dialects have.
const COMMON: [&str; 5] = ["tir", "tir_lowered", "relax", "mixed", "large"];

/// The programs of `dir` that its index names and that are there.
///
/// # Errors
/// When the index or a file cannot be read.
pub fn load(dir: &Path, kinds: &[String], filter: Option<&str>) -> Result<Vec<Program>> {
    let index = dir.join("index.jsonl");
    if !index.is_file() {
        return files(dir, "files", filter);
    }
    let index = std::fs::read_to_string(&index).with_context(|| format!("reading {}", index.display()))?;
    let deviations = deviations()?;
    let mut programs = Vec::new();
    for line in index.lines().filter(|l| !l.trim().is_empty()) {
        let record: Value = serde_json::from_str(line).context("a line of the index")?;
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_string();
        let (name, kind) = (text("name"), text("kind"));
        if !kinds.contains(&kind) || filter.is_some_and(|f| !name.contains(f)) {
            continue;
        }
        // A program of another dialect is asked for by that dialect's kind, unless the kind is only its own.
        let is_common = COMMON.contains(&kind.as_str());
        if is_common && record["of"].as_str().is_some_and(|of| !kinds.iter().any(|k| k == of)) {
            continue;
        }
        let Ok(source) = std::fs::read_to_string(dir.join(text("file"))) else { continue };
        let flag = |key: &str| record[key].as_bool().unwrap_or(false);
        let file = |key: &str| record[key].as_str().map(|f| dir.join(f)).filter(|f| f.is_file());
        let deviation = deviations.iter().find(|(_, names)| names.contains(&name)).map(|(id, _)| id.clone());
        programs.push(Program {
            kernel: record["kernel"].as_str().map(str::to_owned),
            tvm_parses: flag("tvm_parses"),
            tvm_fixpoint: flag("tvm_fixpoint"),
            tvm_roundtrip: flag("tvm_roundtrip"),
            json: file("json"),
            json_reparse: file("json_reparse"),
            canonical: true,
            text: source,
            deviation,
            is_fixture: false,
            name,
            kind,
        });
    }
    Ok(programs)
}

/// The fixtures of passes; their texts begin with the passes and options.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn pass_fixtures(filter: Option<&str>) -> Result<Vec<Program>> {
    files(&workspace::root().join("tests/fixtures/passes"), "passes", filter)
}

/// The fixtures that TVM reads: `kernels`, `programs` and `ok`.
///
/// # Errors
/// When a folder or a file cannot be read.
pub fn fixtures(filter: Option<&str>) -> Result<Vec<Program>> {
    let dir = workspace::root().join("tests/fixtures");
    let mut programs = files(&dir.join("kernels"), "kernels", filter)?;
    programs.extend(files(&dir.join("programs"), "programs", filter)?);
    programs.extend(files(&dir.join("ok"), "ok", filter)?);
    Ok(programs)
}

/// The Python files of a folder without an index; those that say that TVM rejects them are left out.
fn files(dir: &Path, kind: &str, filter: Option<&str>) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    let entries = std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "py"));
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file)?;
        if filter.is_some_and(|f| !name.contains(f)) || text.contains("# oracle: rejects") {
            continue;
        }
        let canonical = text.starts_with("# from tvm.script import");
        let loses = text.contains("# oracle: loses");
        programs.push(Program {
            kernel: None,
            kind: kind.to_string(),
            tvm_parses: true,
            tvm_fixpoint: canonical,
            tvm_roundtrip: !loses,
            json: None,
            json_reparse: None,
            deviation: loses.then(|| "fixture".to_string()),
            canonical,
            is_fixture: true,
            text,
            name,
        });
    }
    Ok(programs)
}

/// The corpus files that `deviations.toml` lists, by the id of the deviation.
fn deviations() -> Result<Vec<(String, Vec<String>)>> {
    let text = std::fs::read_to_string(workspace::root().join("tests/conformance/deviations.toml"))?;
    let mut list = Vec::new();
    for entry in text.split("[[deviation]]").skip(1) {
        let field = |name: &str| entry.lines().find_map(|l| l.strip_prefix(name)?.trim().strip_prefix('='));
        let id = field("id").unwrap_or_default().trim().trim_matches('"').to_string();
        let Some(start) = entry.find("\ncorpus = [") else { continue };
        let rest = &entry[start + 11..];
        let names = rest
            .split(']')
            .next()
            .unwrap_or_default()
            .split(',')
            .map(|n| n.trim().trim_matches('"').to_string());
        list.push((id, names.filter(|n| !n.is_empty()).collect()));
    }
    Ok(list)
}
