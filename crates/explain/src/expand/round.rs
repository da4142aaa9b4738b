//! One pass over the calls in the scripts of a text.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tvmscript_ir_core::names::UniqueNames;
use tvmscript_python_syntax::ast::{Expr, ExprId, Name, Stmt, StmtId};
use tvmscript_python_syntax::walk::exprs_in;
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_parser::ModuleLoader;

use super::budget::Budget;
use super::edits::Edits;
use super::helper::{Argument, Inlined, Reason, Site, Source, inline};
use super::scopes::{Found, Scopes, ScriptFunction, blocks, called_name, dotted};

/// Files that a text imports.
#[derive(Debug)]
pub(super) struct Files<'o> {
    loader: Option<&'o ModuleLoader>,
    /// The modules looked for so far.
    found: RefCell<HashMap<String, bool>>,
}

impl<'o> Files<'o> {
    pub(super) fn new(loader: Option<&'o ModuleLoader>) -> Files<'o> {
        Files { loader, found: RefCell::default() }
    }

    /// The package of the text.
    fn package(&self) -> &str {
        self.loader.map_or("", |loader| &loader.package)
    }

    /// Tests whether a dotted path leads to something in a module of a file.
    fn contain(&self, path: &str) -> bool {
        let Some(loader) = self.loader else { return false };
        path.match_indices('.').filter_map(|(end, _)| path.get(..end)).any(|module| {
            let mut found = self.found.borrow_mut();
            match found.get(module) {
                Some(found) => *found,
                None => *found.entry(module.to_owned()).or_insert(loader.load(module).is_some()),
            }
        })
    }
}

/// The task of a pass over the calls of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task<'t> {
    /// Writes out the calls in the scripts with these numbers.
    Expand(&'t HashSet<usize>),
    /// Adds a comment above each call that is left after so many levels; only the scripts with these numbers were
    /// expanded.
    Comment(&'t HashSet<usize>, usize),
}

/// Carries out a task on the scripts of a text; `None` if there is nothing to do.
pub(super) fn edited(text: &str, task: Task<'_>, files: &Files<'_>, budget: &mut Budget) -> Option<String> {
    let parsed = parse_python(text, &PythonOptions::default());
    let source = Source { ast: &parsed.ast, text };
    let scopes = Scopes::new(source.ast);
    let mut edits = Edits::default();
    for (number, script) in scopes.scripts.iter().enumerate() {
        let mode = match task {
            Task::Expand(numbers) if numbers.contains(&number) => Mode::Expand,
            Task::Expand(_) => continue,
            Task::Comment(numbers, levels) if numbers.contains(&number) => Mode::CommentBelow(levels),
            Task::Comment(..) => Mode::CommentRefused,
        };
        let used = names_in_script(source, &scopes, script);
        let mut round = Round { source, scopes: &scopes, script, used, edits: &mut edits, files, budget };
        round.function(mode);
    }
    (!edits.is_empty()).then(|| edits.apply(text, 0..text.len()))
}

/// The names of the functions that are scripts, by number. Expanding a text does not change the numbers.
pub(super) fn script_names(text: &str) -> Vec<String> {
    let parsed = parse_python(text, &PythonOptions::default());
    let scopes = Scopes::new(&parsed.ast);
    scopes.scripts.iter().map(|script| parsed.ast.name(script.def.name).to_owned()).collect()
}

/// The treatment of the calls of one script.
#[derive(Debug, Clone, Copy)]
enum Mode {
    Expand,
    /// Comments on calls that are left after so many levels.
    CommentBelow(usize),
    /// Comments on the calls of a script that keeps all its calls.
    CommentRefused,
}

/// The names that new variables of a script must not have.
fn names_in_script(source: Source<'_>, scopes: &Scopes, script: &ScriptFunction) -> UniqueNames {
    let ast = source.ast;
    let mut names = UniqueNames::numbered_from(1);
    names.extend(scopes.visible(ast, script.scope));
    let mut roots = Vec::new();
    let mut work = ast.list(script.def.body).to_vec();
    while let Some(id) = work.pop() {
        ast.own_exprs(id, &mut roots);
        work.extend(blocks(ast, id).into_iter().flat_map(|body| ast.list(body)));
    }
    for id in roots.into_iter().flat_map(|root| exprs_in(ast, root)) {
        if let Expr::Name(name) = *ast.expr(id) {
            names.insert(ast.name(name));
        }
    }
    names
}

/// The replacements in one script.
struct Round<'t> {
    source: Source<'t>,
    scopes: &'t Scopes,
    script: &'t ScriptFunction,
    used: UniqueNames,
    edits: &'t mut Edits,
    files: &'t Files<'t>,
    budget: &'t mut Budget,
}

/// A statement with calls.
struct CallStmt {
    id: StmtId,
    /// Ranges of expressions that are not evaluated exactly once, before the statement does anything.
    conditional: Vec<Range<usize>>,
    /// Ranges of formatted strings.
    quoted: Vec<Range<usize>>,
    /// `true` if the statement has its lines for itself.
    is_alone: bool,
}

fn within(ranges: &[Range<usize>], inner: &Range<usize>) -> bool {
    ranges.iter().any(|range| range.start <= inner.start && inner.end <= range.end)
}

impl Round<'_> {
    fn function(&mut self, mode: Mode) {
        let ast = self.source.ast;
        // Each statement with the start of the line for comments on it.
        let mut work: Vec<(StmtId, usize)> =
            ast.list(self.script.def.body).iter().rev().map(|id| (*id, 0)).collect();
        while let Some((id, around)) = work.pop() {
            if matches!(ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                continue;
            }
            let start = ast.range(id).start as usize;
            let line = if self.source.line_start(start).trim().is_empty() { start } else { around };
            let mut roots = Vec::new();
            ast.own_exprs(id, &mut roots);
            let exprs: Vec<ExprId> = roots.iter().flat_map(|root| exprs_in(ast, *root)).collect();
            let mut calls: Vec<ExprId> =
                exprs.iter().copied().filter(|id| matches!(ast.expr(*id), Expr::Call { .. })).collect();
            // Arguments before the calls that take them.
            calls.sort_by_key(|id| (self.source.range(*id).end, Reverse(self.source.range(*id).start)));
            let place = self.place(id, &exprs);
            let mut comments = Vec::new();
            for call in calls {
                let outcome = match self.found(call) {
                    Some(Ok(found)) => self.inlined(&place, call, found),
                    Some(Err(reason)) => Err(reason),
                    None => continue,
                };
                let left = match (mode, outcome) {
                    (Mode::Expand, Ok(inlined)) => {
                        self.replace(&place, call, inlined);
                        continue;
                    }
                    (Mode::Expand, Err(_)) => continue,
                    (_, Err(reason)) => reason,
                    (Mode::CommentBelow(levels), Ok(_)) => format!("is below level {levels}"),
                    (Mode::CommentRefused, Ok(_)) => "is in a script that would differ".to_owned(),
                };
                comments.push(format!("# not expanded: `{}` {left}", self.called(call)));
            }
            comments.dedup();
            if !comments.is_empty() && line > 0 {
                let indent = self.source.line_start(line);
                let text = comments.iter().map(|comment| format!("{comment}\n{indent}")).collect();
                self.edits.replace(line..line, text);
            }
            work.extend(
                blocks(ast, id)
                    .into_iter()
                    .rev()
                    .flat_map(|body| ast.list(body).iter().rev())
                    .map(|id| (*id, line)),
            );
        }
    }

    /// The text of a called function.
    fn called(&self, call: ExprId) -> &str {
        match *self.source.ast.expr(call) {
            Expr::Call { func, .. } => self.source.slice(self.source.range(func)),
            _ => "",
        }
    }

    /// The function of a call, or why it has no text; `None` for calls that are none of a helper.
    fn found(&self, call: ExprId) -> Option<Result<Found, Reason>> {
        let ast = self.source.ast;
        if let Some(name) = called_name(ast, call)
            && let Some(found) = self.scopes.function(ast, name, self.script.scope)
        {
            return (!found.kind.is_script()).then_some(Ok(found));
        }
        let Expr::Call { func, .. } = *ast.expr(call) else { return None };
        let (root, attributes) = dotted(ast, func)?;
        if let Some(mut path) = self.scopes.imported(ast, self.files.package(), root, self.script.scope) {
            for attribute in attributes {
                path.push('.');
                path.push_str(ast.name(attribute));
            }
            return self.files.contain(&path).then(|| Err("belongs to another file".to_owned()));
        }
        let [method] = attributes.as_slice() else { return None };
        let is_method =
            self.scopes.methods.contains(method) && !self.scopes.is_builtin(root, self.script.scope);
        is_method.then(|| Err("is a method".to_owned()))
    }

    fn place(&self, id: StmtId, exprs: &[ExprId]) -> CallStmt {
        let ast = self.source.ast;
        let range = ast.range(id).to_usize();
        let mut conditional = Vec::new();
        let mut quoted = Vec::new();
        for id in exprs {
            match ast.expr(*id) {
                Expr::IfExp { .. }
                | Expr::BoolOp { .. }
                | Expr::Lambda { .. }
                | Expr::ListComp { .. }
                | Expr::SetComp { .. }
                | Expr::DictComp { .. }
                | Expr::GeneratorExp { .. } => conditional.push(self.source.range(*id)),
                Expr::JoinedStr { .. } => quoted.push(self.source.range(*id)),
                _ => {}
            }
        }
        match *ast.stmt(id) {
            Stmt::While(s) => conditional.push(self.source.range(s.test)),
            Stmt::If(s) => {
                conditional
                    .extend(ast.list(s.clauses).iter().skip(1).map(|clause| self.source.range(clause.test)));
            }
            Stmt::With(s) => {
                conditional
                    .extend(ast.list(s.items).iter().skip(1).map(|item| self.source.range(item.context)));
            }
            _ => {}
        }
        let rest = self.source.slice(range.end..self.source.text.len());
        let rest = rest.lines().next().unwrap_or("").trim_start();
        let is_alone = self.source.line_start(range.start).trim().is_empty()
            && (rest.is_empty() || rest.starts_with('#') || ast.stmt(id).has_body());
        CallStmt { id, conditional, quoted, is_alone }
    }

    /// The statements for a call at its place.
    fn inlined(&mut self, place: &CallStmt, call: ExprId, found: Found) -> Result<Inlined, Reason> {
        let source = self.source;
        let Expr::Call { args, keywords, .. } = *source.ast.expr(call) else {
            return Err("is not called".to_owned());
        };
        self.budget.call()?;
        let range = source.range(call);
        if within(&place.quoted, &range) {
            return Err("is called in a formatted string".to_owned());
        }
        let mut positional = Vec::new();
        for arg in source.ast.list(args) {
            if matches!(source.ast.expr(*arg), Expr::Starred { .. }) {
                return Err("is called with `*`".to_owned());
            }
            positional.push(self.argument(*arg)?);
        }
        let mut named: Vec<(Name, Argument)> = Vec::new();
        for keyword in source.ast.list(keywords) {
            let Some(name) = keyword.arg else { return Err("is called with `**`".to_owned()) };
            named.push((name, self.argument(keyword.value)?));
        }
        let prefix = prefix(source, self.script);
        let site = Site { script: self.script, prefix, used: &mut self.used, budget: self.budget };
        let inlined = inline(source, self.scopes, found, (&positional, &named), site)?;
        let is_statement = self.is_statement(place, call);
        if inlined.value.is_none() && !is_statement {
            return Err("returns nothing".to_owned());
        }
        if !inlined.before.is_empty() && !place.is_alone {
            return Err("shares its line with other statements".to_owned());
        }
        if !inlined.before.is_empty() && within(&place.conditional, &range) {
            return Err("has statements, and is called in a part of an expression that has none".to_owned());
        }
        Ok(inlined)
    }

    fn argument(&mut self, id: ExprId) -> Result<Argument, Reason> {
        let source = self.source;
        let has_calls =
            exprs_in(source.ast, id).iter().any(|id| matches!(source.ast.expr(*id), Expr::Call { .. }));
        let text = self.edits.apply(source.text, source.range(id));
        self.budget.text(text.len())?;
        Ok(Argument { text, is_atom: source.is_atom(id), has_calls })
    }

    /// Tests whether a call is the whole statement.
    fn is_statement(&self, place: &CallStmt, call: ExprId) -> bool {
        matches!(self.source.ast.stmt(place.id), Stmt::Expr(s) if s.value == call)
    }

    fn replace(&mut self, place: &CallStmt, call: ExprId, mut inlined: Inlined) {
        let range = self.source.ast.range(place.id).to_usize();
        let indent = self.source.line_start(range.start);
        let value = inlined.value.map(|(text, is_atom)| if is_atom { text } else { format!("({text})") });
        // Blank lines stay blank.
        let lines = |lines: &[String]| -> String {
            let mut text = String::new();
            for (index, line) in lines.iter().enumerate() {
                text.push_str(line.trim_end());
                text.push('\n');
                if lines.get(index + 1).is_none_or(|next| !next.trim().is_empty()) {
                    text.push_str(indent);
                }
            }
            text
        };
        if self.is_statement(place, call) {
            let last = value.or_else(|| inlined.before.pop()).unwrap_or_else(|| "pass".to_owned());
            if !inlined.before.is_empty() {
                self.edits.replace(range.start..range.start, lines(&inlined.before));
            }
            self.edits.replace(range, last);
        } else {
            if !inlined.before.is_empty() {
                self.edits.replace(range.start..range.start, lines(&inlined.before));
            }
            if let Some(value) = value {
                self.edits.replace(self.source.range(call), value);
            }
        }
    }
}

/// The module of the decorator: `T` of `@T.prim_func`.
fn prefix<'t>(source: Source<'t>, script: &ScriptFunction) -> &'t str {
    let ast = source.ast;
    let Some(decorator) = ast.list(script.def.decorators).last() else { return "T" };
    let path = match *ast.expr(*decorator) {
        Expr::Call { func, .. } => func,
        _ => *decorator,
    };
    match *ast.expr(path) {
        Expr::Attribute { value, .. } => source.slice(source.range(value)),
        _ => "T",
    }
}
