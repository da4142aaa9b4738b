//! The builder calls of scripts as a Python program that makes them again.
//!
//! Scripts are texts that a parser reads; the program is host code, in which every expression is evaluated as Python:
//! comparisons and connectives become calls, every variable and buffer is a Python variable, and every scope is a `with`
//! statement. Parsing the program gives structurally equal scripts.

use std::collections::{HashMap, HashSet};

use tvmscript_docsifier::{PrinterTable, Printers};
use tvmscript_ir::BaseFunc;
use tvmscript_ir_core::equal::StructuralEqual;
use tvmscript_ir_core::{Object, Registry, Span};
use tvmscript_irbuilder::record::Step;
use tvmscript_script_parser::{ParseOptions, parse_script};

use super::BuilderCall;
use super::expression;
use super::writer::Writer;

/// The class of builders, whose functions name nodes.
pub(super) const BUILDER: &str = "IRBuilder";

/// The manager of scopes that end with the one around them.
pub(super) const EXIT_STACK: &str = "ExitStack";

/// The function that a program defines.
pub(super) const BUILD: &str = "build";

/// Prefixes of the Python packages.
const PACKAGE: &str = "tvm.";
const IMPORT_PACKAGE: &str = "import tvm";
const CLASSES: &str = "relax.";

/// A script to write a program for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'s> {
    /// Its name.
    pub name: Option<&'s str>,
    /// Its node.
    pub node: &'s Object,
}

/// A program. Its function `build` returns the wanted script; several functions it returns as a module.
#[derive(Debug)]
#[non_exhaustive]
pub struct Program {
    /// Its imports.
    pub imports: Vec<String>,
    /// The lines of `build`. Those without a span belong to no code of the scripts.
    pub body: Vec<BuilderCall>,
    /// For each wanted script the variable of the program that holds it, or the reason that there is none.
    pub variables: Vec<Result<String, String>>,
}

/// Writes the program that makes the given scripts, of the steps that a parse recorded.
pub fn builder_program(steps: &[Step], scripts: &[Wanted<'_>], registry: &Registry) -> Program {
    let mut writer = Writer::new(steps, scripts, registry);
    for index in 0..steps.len() {
        writer.step(index);
    }
    writer.finish()
}

impl Program {
    /// The lines of the program that builds the given scripts.
    pub fn lines(&self, scripts: &[Wanted<'_>]) -> Vec<BuilderCall> {
        let line = |depth: usize, text: String| BuilderCall { depth, text, span: Span::UNKNOWN };
        let result = self.result(scripts);
        let mut lines = Vec::with_capacity(self.imports.len() + self.body.len() + 6);
        if result.starts_with(PACKAGE) && !self.imports.iter().any(|import| import == IMPORT_PACKAGE) {
            lines.push(line(0, IMPORT_PACKAGE.to_owned()));
        }
        lines.extend(self.imports.iter().map(|import| line(0, import.clone())));
        lines.extend([line(0, String::new()), line(0, String::new()), line(0, format!("def {BUILD}():"))]);
        lines.extend(self.body.iter().map(|call| BuilderCall { depth: call.depth + 1, ..call.clone() }));
        lines.push(line(1, format!("return {result}")));
        lines
    }

    /// The text of the program that builds the given scripts.
    pub fn text(&self, scripts: &[Wanted<'_>]) -> String {
        text_of(&self.lines(scripts))
    }

    /// The text of the program without a function, so that its variables are those of a module.
    pub fn module_text(&self) -> String {
        let imports: String = self.imports.iter().map(|import| format!("{import}\n")).collect();
        imports + &text_of(&self.body)
    }

    /// The expression for the scripts that have variables.
    fn result(&self, scripts: &[Wanted<'_>]) -> String {
        let built: Vec<(&str, &Wanted<'_>)> = self
            .variables
            .iter()
            .zip(scripts)
            .filter_map(|(variable, wanted)| Some((variable.as_deref().ok()?, wanted)))
            .collect();
        let names: HashSet<&str> = built.iter().filter_map(|(_, wanted)| wanted.name).collect();
        let is_function = |node: &Object| node.downcast_ref::<BaseFunc>().is_some();
        let are_of_module =
            names.len() == built.len() && built.iter().all(|(_, wanted)| is_function(wanted.node));
        match built.as_slice() {
            [] => "None".to_owned(),
            [(variable, _)] => (*variable).to_owned(),
            functions if are_of_module => {
                let entry = |(variable, wanted): &(&str, &Wanted<'_>)| {
                    format!("{}: {variable}", expression::string(wanted.name.unwrap_or_default()))
                };
                let entries: Vec<String> = functions.iter().map(entry).collect();
                format!("{PACKAGE}IRModule({{{}}})", entries.join(", "))
            }
            scripts => scripts.iter().map(|(variable, _)| *variable).collect::<Vec<_>>().join(", "),
        }
    }

    /// Runs the program, and replaces the variables of scripts that differ from the given ones by the reason.
    pub fn check(&mut self, scripts: &[Wanted<'_>], registry: &Registry, options: &ParseOptions) {
        let mut options = options.clone();
        (options.set, options.calls) = (Vec::new(), Vec::new());
        (options.record_steps, options.omit_spans) = (false, true);
        let again = parse_script("program", &self.module_text(), registry, &options);
        let made: HashMap<&str, &Object> =
            again.scripts.iter().filter_map(|script| Some((script.name.as_deref()?, &script.node))).collect();
        // A variable that no script defines is another node in each parse.
        let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
        for (variable, wanted) in self.variables.iter_mut().zip(scripts) {
            let found = match variable {
                Ok(name) => made.get(name.as_str()),
                Err(_) => continue,
            };
            match (found, again.errors.first()) {
                (Some(node), _) if equal.compare(wanted.node, node) => {}
                (None, Some(error)) => *variable = Err(format!("its program fails: {error}")),
                _ => *variable = Err("its program builds another script".to_owned()),
            }
        }
        again.release_sources();
    }
}

fn text_of(lines: &[BuilderCall]) -> String {
    let line = |line: &BuilderCall| match line.text.is_empty() {
        true => "\n".to_owned(),
        false => format!("{:1$}{2}\n", "", 4 * line.depth, line.text),
    };
    lines.iter().map(line).collect()
}

/// The imports of a program.
pub(super) fn imports(lines: &[BuilderCall], registry: &Registry) -> Vec<String> {
    let uses = |text: &str| lines.iter().any(|line| line.text.contains(text));
    let mut imports = Vec::new();
    if uses(EXIT_STACK) {
        imports.push(format!("from contextlib import {EXIT_STACK}"));
    }
    if uses(PACKAGE) {
        imports.push(IMPORT_PACKAGE.to_owned());
    }
    if uses(CLASSES) {
        imports.push("from tvm import relax".to_owned());
    }
    imports.push(format!("from tvm.script.ir_builder import {BUILDER}"));
    let table = registry.slot::<Printers>().map(Printers::table);
    for (dialect, prefix) in table.into_iter().flat_map(PrinterTable::prefixes) {
        if uses(&format!("{prefix}.")) {
            imports.push(format!("from tvm.script.ir_builder import {dialect} as {prefix}"));
        }
    }
    imports
}
