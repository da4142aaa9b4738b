//! Scripts of a Python file replaced in the file. Everything outside the scripts and their imports stays as it is.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use tvmscript::diagnostics::{Diagnostic, TextEdit, apply};
use tvmscript::docsifier::print_text;
use tvmscript::ir_core::diagnostic::Message;
use tvmscript::python_syntax::ast::{Ast, Expr, ExprId, ImportFrom, Stmt, TextRange};
use tvmscript::python_syntax::{PythonOptions, parse_python};
use tvmscript::upgrade::{Step, codes};
use tvmscript::{Object, PrinterConfig};

use crate::failure::Failure;
use crate::input::{Script, Source};
use crate::registry::registry;
use crate::timings::Timings;

/// A script and the node that replaces it.
pub(crate) struct Replacement<'s> {
    pub(crate) script: &'s Script,
    pub(crate) node: Object,
    /// The script stays as it is.
    pub(crate) stays: bool,
}

impl Replacement<'_> {
    /// The script with the new node.
    pub(crate) fn script(&self) -> Script {
        let Script { name, range, definition, is_checked, origin, .. } = self.script;
        let (name, origin) = (name.clone(), origin.clone());
        Script {
            name,
            node: self.node.clone(),
            range: *range,
            definition: *definition,
            is_checked: *is_checked,
            origin,
        }
    }
}

/// Returns `true` if a text has nothing but scripts, their metadata and their type variables.
pub(crate) fn is_printed(text: &str, scripts: &[Script]) -> bool {
    let parsed = parse_python(text, &PythonOptions::default());
    let ast = &parsed.ast;
    let mut definitions = 0;
    for stmt in ast.module_body() {
        match ast.stmt(*stmt) {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => definitions += 1,
            Stmt::Assign(assign) if matches!(ast.expr(assign.value), Expr::Call { .. }) => {
                let targets = ast.exprs(assign.targets);
                let is_metadata = targets.iter().all(|target| name_of(ast, *target) == Some("metadata"));
                let is_type_variable = text
                    .get(ast.range(assign.value).to_usize())
                    .is_some_and(|value| value.starts_with("TypeVar("));
                if !is_metadata && !is_type_variable {
                    return false;
                }
            }
            _ => return false,
        }
    }
    definitions == scripts.len()
}

fn name_of(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast.expr(id) {
        Expr::Name(name) => Some(ast.name(*name)),
        _ => None,
    }
}

/// The text with replaced scripts and imports, and a finding for each script that cannot be replaced.
///
/// # Errors
/// If a script cannot be printed.
pub(crate) fn replace(
    source: &Source,
    new: Vec<Replacement<'_>>,
    step: &Step,
    config: &PrinterConfig,
    accept_losses: bool,
    timings: &mut Timings,
) -> Result<(String, Vec<Diagnostic>), Failure> {
    let text = source.text.as_str();
    let parsed = parse_python(text, &PythonOptions::default());
    let imports = Imports::of(&parsed.ast, text, step);
    let decorated = Decorated::of(&parsed.ast);
    let outside = names_outside(text, &new, &decorated);
    let mut findings = Vec::new();
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut needed: Vec<String> = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    for replacement in new {
        let script = replacement.script;
        let range = decorated.range(text, script.definition);
        let code = text.get(range.to_usize()).unwrap_or_default();
        let is_first = seen.insert(range.start);
        if replacement.stays || !is_first {
            continue;
        }
        let captured = captured(code, &outside);
        let reason = match (code.starts_with('@'), captured) {
            (false, _) => Some("Python code makes it".to_owned()),
            (true, Some(name)) => Some(format!("it uses `{name}` of the code around it")),
            (true, None) => None,
        };
        if let Some(reason) = reason {
            findings.push(stays(script.definition.into(), &reason, accept_losses));
            continue;
        }
        let name = script.name.as_deref().and_then(|name| name.rsplit('.').next());
        let mut config = PrinterConfig { name: name.map(str::to_owned), ..config.clone() };
        config.prefixes.extend(imports.prefixes.iter().cloned());
        let printed = timings
            .time("print", || print_text(&replacement.node, registry(), &config))
            .map_err(Failure::Unprintable)?;
        let (header, body) = split_header(&printed.text);
        needed.extend(header);
        let body = if script.is_checked { body.to_owned() } else { unchecked(body) };
        let start =
            text.get(..range.start as usize).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
        let indent = text.get(start..range.start as usize).unwrap_or_default();
        // The comment behind the last statement is printed with it.
        let rest = text.get(range.end as usize..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let comment = if rest.trim_start().starts_with('#') { rest.len() } else { 0 };
        let end = range.end + u32::try_from(comment).unwrap_or(0);
        edits.push(TextEdit { range: range.start..end, replacement: indented(&body, indent) });
    }
    if edits.is_empty() {
        return Ok((text.to_owned(), findings));
    }
    let replaced: String = edits.iter().map(|edit| edit.replacement.as_str()).collect();
    imports.update(&needed, &replaced, edits.iter().map(|edit| edit.range.start).min(), &mut edits);
    let text = apply(text, &edits).unwrap_or_else(|_| text.to_owned());
    Ok((text, findings))
}

/// The finding that a script is not replaced.
pub(crate) fn stays(range: Range<u32>, reason: &str, accept_losses: bool) -> Diagnostic {
    let message = Message::new(&codes::CAPTURED, format!("this script is not rewritten: {reason}"));
    let finding = match accept_losses {
        true => Diagnostic::warning(message, range),
        false => Diagnostic::new(message, range),
    };
    finding.with_help("write its values into it, or upgrade it by hand")
}

/// The first decorator of each definition.
struct Decorated(BTreeMap<u32, u32>);

impl Decorated {
    fn of(ast: &Ast) -> Decorated {
        let definitions = ast.all_stmts().filter_map(|stmt| match stmt {
            Stmt::FunctionDef(def) => Some((def.name_place, def.decorators)),
            Stmt::ClassDef(class) => Some((class.name_place, class.decorators)),
            _ => None,
        });
        let places = definitions.filter_map(|(name, decorators)| {
            let first = ast.exprs(decorators).first()?;
            Some((ast.range(name).start, ast.range(*first).start))
        });
        Decorated(places.collect())
    }

    /// The range of a definition with its decorators.
    fn range(&self, text: &str, definition: TextRange) -> TextRange {
        let next = self.0.range(definition.start..).next();
        let Some((_, decorator)) =
            next.filter(|(name, at)| **name < definition.end && **at < definition.start)
        else {
            return definition;
        };
        let before = text.get(..*decorator as usize).unwrap_or_default();
        match before.rfind('@') {
            Some(at) => TextRange::new(u32::try_from(at).unwrap_or(definition.start), definition.end),
            None => definition,
        }
    }
}

/// The import lines of a printed header, and what follows the header.
fn split_header(text: &str) -> (Vec<String>, &str) {
    let mut header = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        match line.strip_prefix("# ") {
            Some(import) => header.push(import.to_owned()),
            None if line.is_empty() => {}
            None => break,
        }
        rest = after;
    }
    (header, rest)
}

/// The text of a script whose decorator disables the check.
fn unchecked(text: &str) -> String {
    const FLAG: &str = "check_well_formed=False";
    let at = text.lines().position(|line| line.starts_with('@'));
    let lines = text.lines().enumerate().map(|(index, line)| match line.strip_suffix(')') {
        _ if Some(index) != at => line.to_owned(),
        Some(call) => format!("{call}, {FLAG})"),
        None => format!("{line}({FLAG})"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Indents all lines but the first, except inside texts of several lines.
fn indented(text: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            if !is_inside && !line.is_empty() {
                out.push_str(indent);
            }
        }
        out.push_str(line);
        is_inside ^= line.matches("\"\"\"").count() % 2 == 1;
    }
    out
}

/// Names that statements of the file define outside its scripts.
fn names_outside(text: &str, new: &[Replacement<'_>], decorated: &Decorated) -> HashSet<String> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for replacement in new {
        let range = decorated.range(text, replacement.script.definition);
        let edit = TextEdit { range: range.into(), replacement: "pass".to_owned() };
        if !edit.range.is_empty()
            && edits
                .iter()
                .all(|other| other.range.end <= edit.range.start || edit.range.end <= other.range.start)
        {
            edits.push(edit);
        }
    }
    let rest = apply(text, &edits).unwrap_or_else(|_| text.to_owned());
    let mut names = bound(&parse_python(&rest, &PythonOptions::default()).ast);
    // A script is known to the others by its name.
    names.extend(new.iter().filter_map(|new| Some(new.script.name.as_ref()?.rsplit('.').next()?.to_owned())));
    names
}

/// A name of the code around a script that it uses.
fn captured(code: &str, outside: &HashSet<String>) -> Option<String> {
    let code = dedented(code);
    let parsed = parse_python(&code, &PythonOptions::default());
    let own = bound(&parsed.ast);
    let mut used = parsed.ast.all_exprs().filter_map(|expr| match expr {
        Expr::Name(name) => Some(parsed.ast.name(*name)),
        _ => None,
    });
    used.find(|name| outside.contains(*name) && !own.contains(*name)).map(str::to_owned)
}

/// The definition at the left margin; its first line is there already.
fn dedented(code: &str) -> String {
    let def = code.lines().find(|line| !line.trim_start().starts_with('@') || line.starts_with(' '));
    let is_def = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("def ") || line.starts_with("class ")
    };
    let indent = def.filter(is_def).or_else(|| code.lines().find(|line| is_def(line)));
    let indent = indent.map_or(0, |line| line.len() - line.trim_start().len());
    let line =
        |line: &str| line.get(indent.min(line.len() - line.trim_start().len())..).unwrap_or(line).to_owned();
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Names that the statements of a tree bind, except by imports.
fn bound(ast: &Ast) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut targets: Vec<ExprId> = Vec::new();
    for stmt in ast.all_stmts() {
        match stmt {
            Stmt::FunctionDef(def) => {
                names.insert(ast.name(def.name).to_owned());
                names.extend(ast.list(def.params).iter().map(|param| ast.name(param.name).to_owned()));
            }
            Stmt::ClassDef(class) => {
                names.insert(ast.name(class.name).to_owned());
            }
            Stmt::Assign(assign) => targets.extend(ast.exprs(assign.targets)),
            Stmt::AnnAssign(assign) => targets.push(assign.target),
            Stmt::For(each) => targets.push(each.target),
            Stmt::With(with) => targets.extend(ast.list(with.items).iter().filter_map(|item| item.target)),
            _ => {}
        }
    }
    while let Some(target) = targets.pop() {
        match ast.expr(target) {
            Expr::Name(name) => {
                names.insert(ast.name(*name).to_owned());
            }
            Expr::Tuple { elts } | Expr::List { elts } => targets.extend(ast.exprs(*elts)),
            Expr::Starred { value } => targets.push(*value),
            _ => {}
        }
    }
    names
}

/// The imports of a file, as far as scripts use them.
struct Imports {
    /// Prefixes of the dialects, by dispatch token.
    prefixes: Vec<(String, String)>,
    /// Edits that bring names up to date.
    renamed: Vec<TextEdit>,
    /// Lines that the file has, after the edits: `from tvm.script import tirx as T`.
    provided: HashSet<String>,
    /// End of the last import at the top level.
    end: Option<u32>,
}

impl Imports {
    fn of(ast: &Ast, text: &str, step: &Step) -> Imports {
        let mut imports =
            Imports { prefixes: Vec::new(), renamed: Vec::new(), provided: HashSet::new(), end: None };
        for stmt in ast.module_body() {
            match ast.stmt(*stmt) {
                Stmt::Import(_) => imports.end = Some(ast.range(*stmt).end),
                Stmt::ImportFrom(_) => imports.end = Some(ast.range(*stmt).end),
                _ => {}
            }
        }
        for stmt in ast.all_stmts() {
            match stmt {
                Stmt::ImportFrom(from) => imports.from(ast, text, from, step),
                Stmt::Import(import) => {
                    let names = ast.list(import.names).iter().filter(|alias| alias.asname.is_none());
                    imports.provided.extend(names.map(|alias| format!("import {}", ast.name(alias.name))));
                }
                _ => {}
            }
        }
        imports
    }

    fn from(&mut self, ast: &Ast, text: &str, from: &ImportFrom, step: &Step) {
        let Some(module) = from.module.map(|module| ast.name(module)).filter(|_| from.level == 0) else {
            return;
        };
        for alias in ast.list(from.names) {
            let old = ast.name(alias.name);
            let dotted = format!("{module}.{old}");
            let new = step.imports.iter().find(|(from, _)| *from == dotted);
            let new = new.and_then(|(_, to)| to.rsplit('.').next()).unwrap_or(old);
            let known = alias.asname.map_or(old, |asname| ast.name(asname));
            if module == "tvm.script" {
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

    /// Adds the edits of imports: renamed names, and lines that the new texts need.
    fn update(self, needed: &[String], replaced: &str, first: Option<u32>, edits: &mut Vec<TextEdit>) {
        let mut lines: Vec<&str> = Vec::new();
        for line in needed {
            // The text uses the imported name only if a dot or a call follows it.
            let name = line.rsplit(' ').next().unwrap_or_default();
            let is_used = replaced.contains(&format!("{name}.")) || replaced.contains(&format!("{name}("));
            if is_used && !self.provided.contains(line) && !lines.contains(&line.as_str()) {
                lines.push(line);
            }
        }
        if replaced.contains("tvm.ir.load_json(") && !self.provided.contains("import tvm") {
            lines.insert(0, "import tvm");
        }
        if !lines.is_empty() {
            let (at, replacement) = match (self.end, first) {
                (Some(end), _) => (end, lines.iter().map(|line| format!("\n{line}")).collect()),
                (None, first) => (
                    first.unwrap_or_default(),
                    lines.iter().map(|line| format!("{line}\n")).collect::<String>(),
                ),
            };
            match edits.iter_mut().find(|edit| edit.range.start == at) {
                Some(edit) => edit.replacement.insert_str(0, &replacement),
                None => edits.push(TextEdit { range: at..at, replacement }),
            }
        }
        let ends_at = |at: u32| move |edit: &&mut TextEdit| edit.range.is_empty() && edit.range.start == at;
        for edit in self.renamed {
            // A line that is added behind the import is part of its edit.
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
