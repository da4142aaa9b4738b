//! Programs in Python.
//!
//! A scope that ends with the one around it is entered by an `ExitStack`, because Python limits the nesting of `with`.

use std::collections::{HashMap, HashSet};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::python::{self, PythonOptions};
use crate::stmt::{StmtDoc, StmtList};

use super::names::{FreshNames, each_name};
use super::{BUILD, ModuleName, Part, Program, part};

/// The class whose instances enter scopes that end later, and its module.
const EXIT_STACK: &str = "ExitStack";
const EXIT_STACK_MODULE: &str = "contextlib";

/// A printed program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PythonProgram {
    /// Its text, which ends with a line break.
    pub text: String,
    /// Number of each line that begins a statement of the program, counted from 0, with the statement.
    pub lines: Vec<(usize, StmtDoc)>,
}

/// Prints a program as a function `build`; without `in_function`, as statements of a module.
///
/// # Errors
/// If the program has other statements than [`Program::body`] may have, or its text is too long.
pub fn print(
    docs: &mut DocArena,
    program: &Program<'_>,
    in_function: bool,
    options: &PythonOptions,
) -> Result<PythonProgram, PrintError> {
    let mut used = HashSet::new();
    let mut seen = HashSet::new();
    each_name(docs, program.body, program.result, |name| {
        if seen.insert(name) {
            used.insert(docs.text(name).to_owned());
        }
    })?;
    let mut modules: Vec<ModuleName> =
        program.modules.iter().filter(|module| used.contains(&module.name)).cloned().collect();
    let mut lowering = Lowering {
        docs,
        names: FreshNames::new(used),
        next: 0,
        lowered: HashMap::new(),
        origins: HashMap::new(),
    };
    let mut body = lowering.program(program.body)?;
    let Lowering { next, origins, .. } = lowering;
    if next > 0 {
        let (name, module) = (EXIT_STACK.to_owned(), EXIT_STACK_MODULE.to_owned());
        modules.insert(0, ModuleName { member: Some(name.clone()), name, module });
    }
    let mut text = imports(&modules);
    if in_function {
        text.push_str("\n\n");
        let mut stmts = docs.stmts(body).to_vec();
        stmts.push(docs.return_(program.result));
        let name = docs.id(BUILD);
        let parts =
            crate::FunctionParts { name, args: &[], decorators: &[], return_type: None, body: &stmts };
        let function = docs.function(parts)?;
        body = docs.block(&[function]);
    }
    let (printed, map) = python::print_mapped(docs, body, options)?;
    let first = text.lines().count();
    let lines = lines_of(&printed, map.statements(), &origins, first);
    text.push_str(&printed);
    text.push('\n');
    Ok(PythonProgram { text, lines })
}

/// The import statements of a program.
fn imports(modules: &[ModuleName]) -> String {
    let mut text = super::needed(modules).map(|needed| format!("# {needed}\n")).unwrap_or_default();
    for ModuleName { name, module, member } in modules.iter().filter(|module| !module.is_of_registry()) {
        match member {
            None if name == module => text.push_str(&format!("import {module}\n")),
            None => text.push_str(&format!("import {module} as {name}\n")),
            Some(member) if member == name => text.push_str(&format!("from {module} import {name}\n")),
            Some(member) => text.push_str(&format!("from {module} import {member} as {name}\n")),
        }
    }
    text
}

/// The lines on which statements begin. `first` is the number of lines before the text.
fn lines_of(
    text: &str,
    statements: &[(std::ops::Range<usize>, StmtDoc)],
    origins: &HashMap<StmtDoc, StmtDoc>,
    first: usize,
) -> Vec<(usize, StmtDoc)> {
    let mut line = first;
    let mut counted = 0;
    let mut lines = Vec::with_capacity(statements.len());
    for (range, stmt) in statements {
        line += text.get(counted..range.start).unwrap_or_default().matches('\n').count();
        counted = counted.max(range.start);
        lines.push((line, origins.get(stmt).copied().unwrap_or(*stmt)));
    }
    lines
}

/// The replacement of statements that open scopes.
struct Lowering<'d> {
    docs: &'d mut DocArena,
    names: FreshNames,
    /// Number of the next manager of scopes.
    next: usize,
    /// Lists of statements that changed.
    lowered: HashMap<StmtDoc, StmtDoc>,
    /// The statements that replacements stand for.
    origins: HashMap<StmtDoc, StmtDoc>,
}

impl Lowering<'_> {
    fn program(&mut self, body: StmtList) -> Result<StmtList, PrintError> {
        // Inner scopes first: a list is complete once those in it are.
        let mut scopes = Vec::new();
        let mut bodies = vec![body];
        while let Some(body) = bodies.pop() {
            for stmt in self.docs.stmts(body) {
                if let Part::Scope { body, .. } = part(self.docs, *stmt)? {
                    scopes.push(*stmt);
                    bodies.push(body);
                }
            }
        }
        for scope in scopes.into_iter().rev() {
            let Part::Scope { target, scope: context, body } = part(self.docs, scope)? else { continue };
            if let Some(body) = self.body(body)? {
                let new = self.docs.scope(target, context, &body);
                self.lowered.insert(scope, new);
                self.origins.insert(new, scope);
            }
        }
        Ok(match self.body(body)? {
            Some(body) => self.docs.block(&body),
            None => body,
        })
    }

    /// The statements of a list if they change.
    fn body(&mut self, body: StmtList) -> Result<Option<Vec<StmtDoc>>, PrintError> {
        let stmts = self.docs.stmts(body).to_vec();
        let mut changes = false;
        let mut new = Vec::with_capacity(stmts.len());
        let mut manager = None;
        for stmt in stmts {
            let lowered = match part(self.docs, stmt)? {
                Part::Open { target, scope } => {
                    let manager = match manager {
                        Some(manager) => manager,
                        None => {
                            let name = self.names.take("scopes", &mut self.next);
                            let name = self.docs.id(name.as_str());
                            let class = self.docs.id(EXIT_STACK);
                            let call = self.docs.call_args(class, &[]);
                            new.push(self.docs.bind(name, call));
                            *manager.insert(name)
                        }
                    };
                    let enter = self.docs.attr(manager, "enter_context");
                    let call = self.docs.call_args(enter, &[scope]);
                    let entered = match target {
                        Some(target) => self.docs.bind(target, call),
                        None => self.docs.expr_stmt(call),
                    };
                    self.origins.insert(entered, stmt);
                    entered
                }
                Part::Run { .. } | Part::Scope { .. } => self.lowered.get(&stmt).copied().unwrap_or(stmt),
            };
            changes |= lowered != stmt;
            new.push(lowered);
        }
        if let Some(manager) = manager {
            let close = self.docs.attr(manager, "close");
            let call = self.docs.call_args(close, &[]);
            new.push(self.docs.expr_stmt(call));
        }
        Ok(changes.then_some(new))
    }
}
