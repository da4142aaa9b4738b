//! The texts: which files are checked, and the same texts without their scripts.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tvmscript::python_syntax::ast::{Ast, ExprId, List, Name, Stmt, StmtId};
use tvmscript::python_syntax::{PythonOptions, parse_python};

use xtask::workspace;

/// Files of one release.
pub(super) struct Set {
    /// Name in the record.
    pub(super) name: &'static str,
    /// Release of the stubs.
    pub(super) release: &'static str,
    pub(super) files: Vec<File>,
}

/// A file to check.
pub(super) struct File {
    pub(super) name: String,
    pub(super) text: String,
}

/// Folders of the project whose files are taken, in alphabetical order, until there are enough.
const FOLDERS: [&str; 2] = ["tests/metaprogrammed", "tests/fixtures/kernels"];

/// Files that are taken of [`FOLDERS`].
const COUNT: usize = 50;

/// Printed texts of a corpus beside the project: the name of the set, the folder and the release.
const CORPORA: [(&str, &str, &str); 2] =
    [("printed by TVM 0.23", "classic", "tvm-0.23"), ("printed by TVM 0.27", "current", "tvm-0.27")];

/// Folders of a corpus, and the number of files that are taken of each.
const KINDS: [(&str, usize); 4] = [("tir", 7), ("tir_lowered", 6), ("relax", 6), ("mixed", 6)];

/// Maximum size of a printed text in bytes.
const SIZE: usize = 60_000;

/// The files of the project, and of each corpus that is there.
pub(super) fn sets() -> Result<Vec<Set>> {
    let mut own = Vec::new();
    for folder in FOLDERS {
        own.extend(python_files(&workspace::root().join(folder))?);
    }
    own.truncate(COUNT);
    let mut sets = vec![of_files("files of the tests", "tvm-0.23", own)?];
    for (name, folder, release) in CORPORA {
        let corpus = workspace::shared().join("corpus").join(folder);
        if corpus.is_dir() {
            sets.push(Set { name, release, files: printed(&corpus)? });
        }
    }
    Ok(sets)
}

/// Files and the files of folders as a set.
pub(super) fn given(paths: &[PathBuf]) -> Result<Set> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_file() {
            true => files.push(path.clone()),
            false => files.extend(python_files(path)?),
        }
    }
    of_files("given files", "tvm-0.23", files)
}

fn of_files(name: &'static str, release: &'static str, paths: Vec<PathBuf>) -> Result<Set> {
    let files = paths.iter().map(|path| {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(File { name: file_name(path), text })
    });
    Ok(Set { name, release, files: files.collect::<Result<_>>()? })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The Python files of a folder in alphabetical order.
fn python_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    Ok(files)
}

/// Printed texts of a corpus, at equal distances in the list of its files.
fn printed(corpus: &Path) -> Result<Vec<File>> {
    let mut out = Vec::new();
    for (kind, count) in KINDS {
        let mut files = python_files(&corpus.join(kind))?;
        files.retain(|file| std::fs::metadata(file).is_ok_and(|data| data.len() < SIZE as u64));
        let step = (files.len() / count).max(1);
        for file in files.iter().step_by(step).take(count) {
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            out.push(File { name: format!("{kind}_{}", file_name(file)), text: as_file(&text) });
        }
    }
    Ok(out)
}

/// A printed text as the file that its header describes: the imports in comments are statements at its beginning.
fn as_file(text: &str) -> String {
    let import = |line: &str| {
        let statement = line.strip_prefix("# ")?;
        (statement.starts_with("from ") || statement.starts_with("import ")).then(|| statement.to_owned())
    };
    let mut head: Vec<String> = text.lines().filter_map(import).collect();
    if text.contains("tvm.") && text.lines().any(|line| line.starts_with("metadata = tvm.")) {
        head.push("import tvm".to_owned());
    }
    head.sort();
    head.dedup();
    let body: Vec<&str> = text.lines().filter(|line| import(line).is_none()).collect();
    format!("{}\n\n\n{}\n", head.join("\n"), body.join("\n").trim())
}

/// The text with an empty function or class in place of each script, on the same lines.
pub(super) fn without_scripts(text: &str) -> String {
    let parsed = parse_python(text, &PythonOptions::default());
    let ast = &parsed.ast;
    let modules = script_modules(ast);
    let line_of = |offset: usize| text.get(..offset).unwrap_or(text).matches('\n').count();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // Functions in a class of scripts go with it, whichever of them comes first.
    for id in ast.stmt_ids() {
        let (word, name, decorators) = match ast.stmt(id) {
            Stmt::FunctionDef(def) => ("def", def.name, def.decorators),
            Stmt::ClassDef(def) => ("class", def.name, def.decorators),
            _ => continue,
        };
        let Some(first) = first_of_script(ast, text, decorators, &modules) else { continue };
        let (first, last) = (line_of(first), line_of(last_of(ast, id)));
        let Some(script) = lines.get_mut(first..=last) else { continue };
        let [head, docstring, rest @ ..] = script else { continue };
        let indent: String = head.chars().take_while(|c| c.is_whitespace()).collect();
        let parameters = if word == "def" { "(*_arguments, **_options)" } else { "" };
        *head = format!("{indent}{word} {}{parameters}:", ast.name(name));
        *docstring = format!("{indent}    \"\"\"A script.\"\"\"");
        rest.iter_mut().for_each(String::clear);
    }
    lines.join("\n") + "\n"
}

/// Names under which a file imports modules of scripts and their members.
fn script_modules(ast: &Ast) -> Vec<Name> {
    let mut out = Vec::new();
    for stmt in ast.all_stmts() {
        match stmt {
            Stmt::ImportFrom(import) => {
                let module = import.module.map_or("", |module| ast.name(module));
                let is_script = |member: &str| format!("{module}.{member}").starts_with("tvm.script");
                let names = ast.list(import.names).iter();
                let names = names.filter(|alias| is_script(ast.name(alias.name)));
                out.extend(names.map(|alias| alias.asname.unwrap_or(alias.name)));
            }
            Stmt::Import(import) => {
                let names = ast.list(import.names).iter();
                out.extend(
                    names
                        .filter(|alias| ast.name(alias.name).starts_with("tvm.script"))
                        .filter_map(|alias| alias.asname),
                );
            }
            _ => {}
        }
    }
    out
}

/// The offset of the first decorator of a script; `None` if the decorators are not those of scripts.
fn first_of_script(ast: &Ast, text: &str, decorators: List<ExprId>, modules: &[Name]) -> Option<usize> {
    let ranges = || ast.list(decorators).iter().map(|decorator| ast.range(*decorator).to_usize());
    let is_script = ranges().any(|range| {
        let decorator = text.get(range).unwrap_or_default();
        let root = decorator.split(['.', '(']).next().unwrap_or_default();
        decorator.starts_with("tvm.script.") || modules.iter().any(|module| ast.name(*module) == root)
    });
    ranges().map(|range| range.start).min().filter(|_| is_script)
}

/// The last offset of a statement.
fn last_of(ast: &Ast, id: StmtId) -> usize {
    ast.range(id).to_usize().end.saturating_sub(1)
}
