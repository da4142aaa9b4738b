//! The import statements of a file.

use std::collections::HashSet;

use crate::Step;
use tvmscript_diagnostics::TextEdit;
use tvmscript_python_syntax::ast::{Ast, ImportFrom, Stmt, TextRange};

/// The imports of a file, as far as scripts use them.
#[derive(Clone)]
pub(super) struct Imports {
    /// Prefixes of the dialects, by dispatch token.
    pub(super) prefixes: Vec<(String, String)>,
    /// Edits that bring names up to date.
    renamed: Vec<TextEdit>,
    /// Lines that the file has, after the edits: `from tvm.script import tirx as T`.
    provided: HashSet<String>,
    /// End of the last import at the top level.
    end: Option<u32>,
}

impl Imports {
    pub(super) fn of(ast: &Ast, text: &str, step: &Step, modules: &HashSet<String>) -> Imports {
        let mut imports =
            Imports { prefixes: Vec::new(), renamed: Vec::new(), provided: HashSet::new(), end: None };
        for stmt in ast.module_body() {
            match ast.stmt(*stmt) {
                Stmt::Import(_) | Stmt::ImportFrom(_) => {
                    imports.end = Some(with_comment(text, ast.range(*stmt).end))
                }
                _ => {}
            }
        }
        for stmt in ast.all_stmts() {
            match stmt {
                Stmt::ImportFrom(from) => imports.from(ast, text, from, step, modules),
                Stmt::Import(import) => {
                    for alias in ast.list(import.names) {
                        let start = ast.range(alias.place).start;
                        imports.module(text, ast.name(alias.name), start, step);
                    }
                    let names = ast.list(import.names).iter().filter(|alias| alias.asname.is_none());
                    imports.provided.extend(names.map(|alias| format!("import {}", ast.name(alias.name))));
                }
                _ => {}
            }
        }
        imports
    }

    fn from(&mut self, ast: &Ast, text: &str, from: &ImportFrom, step: &Step, modules: &HashSet<String>) {
        let Some(module) = from.module.map(|module| ast.name(module)).filter(|_| from.level == 0) else {
            return;
        };
        if let Some(first) = ast.list(from.names).first() {
            let before = text.get(..ast.range(first.place).start as usize).unwrap_or_default();
            let start = before.rfind(module).and_then(|at| u32::try_from(at).ok());
            start.into_iter().for_each(|start| self.module(text, module, start, step));
        }
        for alias in ast.list(from.names) {
            let old = ast.name(alias.name);
            let dotted = format!("{module}.{old}");
            let new = step.import(&dotted);
            let known = alias.asname.map_or(old, |asname| ast.name(asname));
            // A module that scripts use keeps its name.
            let of_module = step.module(&dotted).filter(|_| step.edits_scripts && modules.contains(known));
            let new = new.as_deref().and_then(|to| to.rsplit('.').next()).or(of_module).unwrap_or(old);
            if matches!(module, "tvm.script" | "tvm.script.parser") {
                // The registry's tokens are the names of the oldest release.
                let token = if new == "tirx" || new == "tir" { "tir" } else { old };
                self.prefixes.push((token.to_owned(), known.to_owned()));
            }
            let line = match known == new {
                true => format!("from {module} import {new}"),
                false => format!("from {module} import {new} as {known}"),
            };
            if new != old {
                let range = ast.range(alias.place);
                let is_plain = text.get(range.to_usize()).is_some_and(|text| text.starts_with(old));
                if is_plain {
                    let replacement = if known == new { new.to_owned() } else { format!("{new} as {known}") };
                    self.renamed.push(TextEdit { range: range.into(), replacement });
                }
            }
            self.provided.insert(line);
        }
    }

    /// Renames a module that scripts import, at its place.
    fn module(&mut self, text: &str, module: &str, start: u32, step: &Step) {
        let Some(new) = step.import(module) else { return };
        let end = start + u32::try_from(module.len()).unwrap_or(0);
        // A path with spaces around its dots stays.
        if text.get(start as usize..end as usize) == Some(module) {
            self.renamed.push(TextEdit { range: start..end, replacement: new });
        }
    }

    /// Adds the edits of imports: renamed names, and lines that the new texts need.
    pub(super) fn update(
        self,
        needed: &[String],
        sign: Option<&str>,
        replaced: &str,
        (first, line_end): (Option<u32>, &str),
        edits: &mut Vec<TextEdit>,
    ) {
        let mut lines: Vec<&str> = Vec::new();
        for line in needed {
            // The text uses the imported name only if a dot or a call follows it.
            let name = line.rsplit(' ').next().unwrap_or_default();
            let is_used = replaced.contains(&format!("{name}.")) || replaced.contains(&format!("{name}("));
            if is_used && !self.provided.contains(line) && !lines.contains(&line.as_str()) {
                lines.push(line);
            }
        }
        lines.extend(sign.filter(|sign| !self.provided.contains(*sign) && !lines.contains(sign)));
        if replaced.contains("tvm.ir.load_json(") && !self.provided.contains("import tvm") {
            lines.insert(0, "import tvm");
        }
        if !lines.is_empty() {
            let (at, replacement) = match (self.end, first) {
                (Some(end), _) => (end, lines.iter().map(|line| format!("{line_end}{line}")).collect()),
                (None, first) => (
                    first.unwrap_or_default(),
                    lines.iter().map(|line| format!("{line}{line_end}")).collect::<String>(),
                ),
            };
            match edits.iter_mut().find(|edit| edit.range.start == at) {
                Some(edit) => edit.replacement.insert_str(0, &replacement),
                None => edits.push(TextEdit { range: at..at, replacement }),
            }
        }
        let ends_at = |at: u32| move |edit: &&mut TextEdit| edit.range.is_empty() && edit.range.start == at;
        for edit in self.renamed {
            // A line that is added after the import is part of its edit.
            match edits.iter_mut().find(ends_at(edit.range.end)) {
                Some(added) => {
                    added.range = edit.range;
                    added.replacement.insert_str(0, &edit.replacement);
                }
                None => edits.push(edit),
            }
        }
    }
}

/// The end of a statement, or of the comment after it.
fn with_comment(text: &str, end: u32) -> u32 {
    let rest = text.get(end as usize..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    match rest.trim_start().starts_with('#') {
        true => end + u32::try_from(rest.trim_end_matches('\r').len()).unwrap_or(0),
        false => end,
    }
}

/// The imports of modules that the release has elsewhere, and that stay, with the paths of the modules.
pub(super) fn old_modules(ast: &Ast, step: &Step, renamed: &HashSet<String>) -> Vec<(TextRange, String)> {
    let mut found = Vec::new();
    let is_old = |path: &str| step.module(path).is_some();
    for stmt in ast.all_stmts() {
        match stmt {
            Stmt::Import(import) => {
                for alias in ast.list(import.names) {
                    let path = ast.name(alias.name);
                    if is_old(path) {
                        found.push((ast.range(alias.place), path.to_owned()));
                    }
                }
            }
            Stmt::ImportFrom(from) if from.level == 0 => {
                let module = from.module.map_or("", |module| ast.name(module));
                for alias in ast.list(from.names) {
                    let name = ast.name(alias.name);
                    let known = alias.asname.map_or(name, |asname| ast.name(asname));
                    let path = format!("{module}.{name}");
                    let of_module = step.to.renames.modules.iter().find(|(old, _)| {
                        module == *old || module.strip_prefix(old).is_some_and(|rest| rest.starts_with('.'))
                    });
                    if let Some((old, _)) = of_module {
                        found.push((ast.range(alias.place), (*old).to_owned()));
                        break;
                    }
                    if module == "tvm" && is_old(&path) && !renamed.contains(known) {
                        found.push((ast.range(alias.place), path));
                    }
                }
            }
            _ => {}
        }
    }
    found
}
