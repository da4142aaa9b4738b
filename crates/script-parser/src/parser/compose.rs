//! The whole text of a parse: the given text, the modules that it imports, and expressions of the caller.
//!
//! All are parsed as one text, so that functions of all modules share one syntax tree. Diagnostics of the other parts
//! are moved to the place of the given text that led there, with a note that states the place in the part.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::errors::ParseErrorKind;
use tvmscript_ir_core::{SourceId, SourceTexts};
use tvmscript_python_syntax::ast::{Ast, Stmt, TextRange};
use tvmscript_python_syntax::parse_python;
use tvmscript_script_eval::errors::{EvalError, EvalErrorKind, HostError, HostErrorKind, Label};
use tvmscript_script_eval::{HostCode, Part, Parts, absolute_module};

use super::ParseOptions;
use super::options::ModuleText;

/// A text with its parts.
pub(super) struct Composed<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) parts: Parts,
    /// Errors of imports.
    pub(super) errors: Vec<EvalError>,
}

impl<'a> Composed<'a> {
    pub(super) fn new(text: &'a str, options: &ParseOptions) -> Composed<'a> {
        let mut composed =
            Composed { text: Cow::Borrowed(text), parts: Parts::default(), errors: Vec::new() };
        // A fragment has no variables to set and no functions to call.
        let is_module = options.fragment_of.is_none();
        let has_expressions = is_module && (!options.set.is_empty() || !options.calls.is_empty());
        if !has_expressions && options.modules.is_none() {
            return composed;
        }
        let parsed = parse_python(text, &options.python);
        // An unclosed bracket or string would take in the parts behind the text.
        if !parsed.errors.is_empty() {
            return composed;
        }
        let mut parts = Vec::new();
        composed.add_modules(&parsed.ast, options, &mut parts);
        let set = options.set.iter().map(|(name, value)| (format!("{name}={value}"), value));
        let calls = options.calls.iter().map(|call| (call.clone(), call));
        for (name, expression) in set.chain(calls).filter(|_| is_module) {
            // Closed brackets alone keep the next part apart.
            let is_valid = parse_python(expression, &options.python).errors.is_empty();
            let expression = if is_valid { expression.as_str() } else { "..." };
            if !is_valid {
                let kind = ParseErrorKind::expected("a Python expression", format!("`{name}`"));
                let mut error = EvalError::new(kind, TextRange::at(0));
                error.labels.clear();
                composed.errors.push(error);
            }
            composed.add(&mut parts, name, None, &format!("(\n{expression}\n)"));
        }
        composed.parts = Parts::new(parts);
        composed
    }

    /// Adds the modules that a text imports, and those that these import.
    fn add_modules(&mut self, ast: &Ast, options: &ParseOptions, parts: &mut Vec<Part>) {
        let Some(loader) = options.modules.as_ref().filter(|_| options.host_code == HostCode::Runs) else {
            return;
        };
        let mut seen = HashSet::new();
        let mut work: Vec<(String, TextRange)> = Vec::new();
        imports(ast, &loader.package, &mut |path, range| work.push((path, range)));
        work.reverse();
        while let Some((path, range)) = work.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let Some(ModuleText { name, text }) = loader.load(&path) else { continue };
            if text.len() + self.text.len() > options.python.max_text_bytes as usize {
                self.errors.push(import_error(format!("{name}: the imported text is too large"), range));
                return;
            }
            let parsed = parse_python(&text, &options.python);
            if let Some(error) = parsed.errors.first() {
                let (place, _) = place_in(&name, &text, error.range.start);
                self.errors.push(import_error(format!("{place}: {}", error.kind), range));
                continue;
            }
            let package = match name.ends_with("__init__.py") {
                true => path.as_str(),
                false => path.rsplit_once('.').map_or("", |(package, _)| package),
            };
            imports(&parsed.ast, package, &mut |path, _| work.push((path, range)));
            self.add(parts, name, Some(path), &text);
        }
    }

    fn add(&mut self, parts: &mut Vec<Part>, name: String, module: Option<String>, text: &str) {
        let whole = self.text.to_mut();
        whole.push('\n');
        let start = u32::try_from(whole.len()).unwrap_or(u32::MAX);
        whole.push_str(text);
        whole.push('\n');
        parts.push(Part { source: SourceId::new(&name), name, module, start });
    }
}

/// The place of a byte as `name:line:column`, and its line.
fn place_in<'t>(name: &str, text: &'t str, offset: u32) -> (String, &'t str) {
    let (before, behind) = text.split_at_checked(offset as usize).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    let end = behind.find('\n').map_or(text.len(), |at| before.len() + at);
    (format!("{name}:{line}:{column}"), text.get(start..end).unwrap_or_default().trim())
}

fn import_error(message: String, range: TextRange) -> EvalError {
    EvalError::new(EvalErrorKind::Host(HostError::new(HostErrorKind::Import, message)), range)
}

/// Calls `f` for each module that a text may import, the packages around a module first.
fn imports(ast: &Ast, package: &str, f: &mut dyn FnMut(String, TextRange)) {
    let mut add = |path: &str, range| {
        for (end, _) in path.match_indices('.') {
            f(path[..end].to_owned(), range);
        }
        f(path.to_owned(), range);
    };
    for stmt in ast.all_stmts() {
        match *stmt {
            Stmt::Import(stmt) => {
                ast.list(stmt.names)
                    .iter()
                    .for_each(|alias| add(ast.name(alias.name), ast.range(alias.place)));
            }
            Stmt::ImportFrom(stmt) => {
                let module = stmt.module.map_or("", |module| ast.name(module));
                let Some(path) = absolute_module(package, stmt.level, module) else { continue };
                for alias in ast.list(stmt.names) {
                    let name = ast.name(alias.name);
                    let range = ast.range(alias.place);
                    match (path.is_empty(), name) {
                        (true, _) => add(name, range),
                        (false, "*") => add(&path, range),
                        (false, _) => add(&format!("{path}.{name}"), range),
                    }
                }
            }
            _ => {}
        }
    }
}

/// The lines of all parts.
pub(super) fn texts(parts: &Parts, text: &str) -> SourceTexts {
    let ends = parts.iter().skip(1).map(|part| part.start as usize).chain([text.len()]);
    parts.iter().zip(ends).fold(SourceTexts::new(), |texts, (part, end)| {
        texts.with(part.source, text.get(part.start as usize..end).unwrap_or_default())
    })
}

/// Moves diagnostics of other parts to the given text, and removes their labels and fixes there.
pub(super) fn localize(found: &mut [EvalError], parts: &Parts, text: &str) {
    if parts.is_empty() {
        return;
    }
    let is_here = |label: &Label| label.range().is_some_and(|range| parts.at(range.start).is_none());
    for error in found {
        let range = error.range();
        let other = parts.at(range.start);
        error.labels.retain(is_here);
        let Some(part) = other else { continue };
        let own = text.get(part.start as usize..).unwrap_or_default();
        let note = match &part.module {
            Some(_) => {
                let (place, line) = place_in(&part.name, own, range.start - part.start);
                format!("in {place}: {line}")
            }
            None => format!("in `{}`", part.name),
        };
        error.notes.insert(0, note);
        error.fixes.clear();
    }
}
