//! The builder calls of scripts as a program that makes them again.
//!
//! Scripts are texts that a parser reads; the program is host code, in which every expression is evaluated as Python:
//! comparisons and connectives become calls, every variable and buffer is a variable of the program, and every scope is
//! a statement. Running the program gives structurally equal scripts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use tvmscript_doc::builder::{self, ModuleName, python};
use tvmscript_doc::python::PythonOptions;
use tvmscript_doc::{DocArena, ExprDoc, PrintError, StmtDoc};
use tvmscript_docsifier::{DocsifyResult, PrinterConfig, PrinterTable, Printers, print};
use tvmscript_ir::BaseFunc;
use tvmscript_ir_core::equal::StructuralEqual;
use tvmscript_ir_core::{Object, PtrSet, Registry, Span, TypeInfo};
use tvmscript_irbuilder::ScriptValue;
use tvmscript_irbuilder::record::{Action, Callee, Step};
use tvmscript_script_parser::{ParseOptions, parse_script};

use super::BuilderCall;
use super::expression::Configs;
use super::writer::Writer;

/// The class of builders, and its functions that name nodes.
pub(super) const BUILDER: &str = "IRBuilder";
pub(super) const NAME: &str = "IRBuilder.name";
pub(super) const NAME_MANY: &str = "IRBuilder.name_many";

/// The step that adds a function to a module.
const DEF_FUNCTION: &str = "I.def_function";

/// The Python modules of programs.
const BUILDER_MODULE: &str = "tvm.script.ir_builder";
const PACKAGE: &str = "tvm";
const CLASSES: &str = "relax";

/// Maximum number of bytes of a program.
const MAX_BYTES: usize = 64 << 20;

/// A script to write a program for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'s> {
    /// Its name.
    pub name: Option<&'s str>,
    /// Its node.
    pub node: &'s Object,
}

/// A program. Its function `build` returns the wanted script; several functions it returns as a module.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Program {
    pub(super) docs: DocArena,
    /// The statements.
    pub(super) body: Vec<StmtDoc>,
    /// The code of the scripts that a statement belongs to.
    pub(super) spans: HashMap<StmtDoc, Span>,
    pub(super) modules: Vec<ModuleName>,
    /// For each wanted script the variable of the program that holds it, or the reason that there is none.
    pub variables: Vec<Result<String, String>>,
}

/// Writes the program that makes the given scripts, of the steps that a parse recorded.
pub fn builder_program(steps: &[Step], scripts: &[Wanted<'_>], registry: &Registry) -> Program {
    let Some(first) = scripts.first() else { return Program::default() };
    let configs = Configs::new();
    let steps = with_functions(steps, registry);
    let steps = steps.as_ref();
    let written = || -> DocsifyResult<Program> {
        let mut writer = Writer::new(steps, scripts, first.node, registry, &configs)?;
        for index in 0..steps.len() {
            writer.step(index);
        }
        writer.finish()
    };
    written().unwrap_or_else(|error| {
        let reason = error.to_string();
        Program { variables: scripts.iter().map(|_| Err(reason.clone())).collect(), ..Program::default() }
    })
}

/// The steps, with those that build the functions of modules which no builder made: the steps of their texts.
fn with_functions<'s>(steps: &'s [Step], registry: &Registry) -> Cow<'s, [Step]> {
    let mut built = PtrSet::default();
    let mut all = Vec::new();
    // Number of steps that are in `all`.
    let mut taken = 0;
    for (index, step) in steps.iter().enumerate() {
        match &step.action {
            Action::Close { result: Some(node) } => {
                built.insert(node.clone());
            }
            Action::Call { callee: Callee::Syntax(DEF_FUNCTION), args, .. } => {
                let Some(ScriptValue::Node(function)) = args.positional.get(1) else { continue };
                if !built.insert(function.clone()) {
                    continue;
                }
                let made =
                    steps_of(function, registry).into_iter().map(|made| Step { span: step.span, ..made });
                all.extend(steps.get(taken..index).into_iter().flatten().cloned().chain(made));
                taken = index;
            }
            _ => {}
        }
    }
    if all.is_empty() {
        return Cow::Borrowed(steps);
    }
    all.extend(steps.get(taken..).into_iter().flatten().cloned());
    Cow::Owned(all)
}

/// The steps that build a function, or none if its text does not read back.
fn steps_of(function: &Object, registry: &Registry) -> Vec<Step> {
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    let Ok(text) = print(function, registry, &config) else { return Vec::new() };
    let mut options = ParseOptions::default();
    options.record_steps = true;
    let parsed = parse_script("function", &text, registry, &options);
    parsed.release_sources();
    let (true, [script]) = (parsed.errors.is_empty(), parsed.scripts.as_slice()) else { return Vec::new() };
    let mut steps = parsed.steps;
    for step in &mut steps {
        if let Action::Close { result: Some(node) } = &mut step.action
            && node.ptr_eq(&script.node)
        {
            *node = function.clone();
        }
    }
    steps
}

impl Program {
    /// The lines of the program in Python that builds the given scripts.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn lines(&mut self, scripts: &[Wanted<'_>]) -> Result<Vec<BuilderCall>, PrintError> {
        let printed = self.python(scripts, true)?;
        let mut spans = printed.lines.iter().peekable();
        let lines = printed.text.lines().enumerate().map(|(number, line)| {
            while spans.next_if(|(other, _)| *other < number).is_some() {}
            let stmt = spans.peek().filter(|(other, _)| *other == number).map(|(_, stmt)| stmt);
            let span = stmt.and_then(|stmt| self.spans.get(stmt)).copied().unwrap_or(Span::UNKNOWN);
            let text = line.trim_start();
            BuilderCall { depth: (line.len() - text.len()) / INDENT_SPACES, text: text.to_owned(), span }
        });
        Ok(lines.collect())
    }

    /// The text of the program in Python that builds the given scripts.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn text(&mut self, scripts: &[Wanted<'_>]) -> Result<String, PrintError> {
        self.python(scripts, true).map(|printed| printed.text)
    }

    /// The text of the program in Rust. With `main`, it prints what it builds when it runs.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn rust(&mut self, scripts: &[Wanted<'_>], main: bool) -> Result<String, PrintError> {
        self.whole(scripts, |docs, program| builder::rust::print(docs, program, main, MAX_BYTES))
    }

    /// The text of the program in C++. With `main`, it prints what it builds when it runs.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn cpp(&mut self, scripts: &[Wanted<'_>], main: bool) -> Result<String, PrintError> {
        self.whole(scripts, |docs, program| builder::cpp::print(docs, program, main, MAX_BYTES))
    }

    /// The text of the program in C++ over an interface that a table describes. With `main`, it prints what it builds when it runs.
    ///
    /// # Errors
    /// If the interface lacks something, or the text is too long.
    pub fn typed_cpp(
        &mut self,
        scripts: &[Wanted<'_>],
        api: &builder::typed_cpp::TypedApi,
        main: bool,
    ) -> Result<String, PrintError> {
        self.whole(scripts, |docs, program| builder::typed_cpp::print(docs, program, api, main, MAX_BYTES))
    }

    /// The text of the program in Python without a function, so that its variables are those of a module.
    ///
    /// # Errors
    /// If the text is too long.
    pub fn module_text(&mut self) -> Result<String, PrintError> {
        self.python(&[], false).map(|printed| printed.text)
    }

    fn python(
        &mut self,
        scripts: &[Wanted<'_>],
        in_function: bool,
    ) -> Result<python::PythonProgram, PrintError> {
        let options = PythonOptions {
            max_bytes: MAX_BYTES,
            indent_spaces: INDENT_SPACES as u32,
            ..PythonOptions::default()
        };
        self.whole(scripts, |docs, program| python::print(docs, program, in_function, &options))
    }

    /// Prints the program that returns the given scripts.
    fn whole<R>(
        &mut self,
        scripts: &[Wanted<'_>],
        print: impl FnOnce(&mut DocArena, &builder::Program<'_>) -> R,
    ) -> R {
        let result = self.result(scripts);
        let body = self.docs.block(&self.body);
        print(&mut self.docs, &builder::Program { body, result, modules: &self.modules })
    }

    /// The expression for the scripts that have variables.
    fn result(&mut self, scripts: &[Wanted<'_>]) -> ExprDoc {
        let built: Vec<(ExprDoc, &Wanted<'_>)> = self
            .variables
            .iter()
            .zip(scripts)
            .filter_map(|(variable, wanted)| Some((self.docs.id(variable.as_deref().ok()?), wanted)))
            .collect();
        let names: HashSet<&str> = built.iter().filter_map(|(_, wanted)| wanted.name).collect();
        let is_function = |node: &Object| node.downcast_ref::<BaseFunc>().is_some();
        let are_of_module =
            names.len() == built.len() && built.iter().all(|(_, wanted)| is_function(wanted.node));
        match built.as_slice() {
            [] => self.docs.none(),
            [(variable, _)] => *variable,
            functions if are_of_module => {
                let entry = |(variable, wanted): &(ExprDoc, &Wanted<'_>)| {
                    (self.docs.str(wanted.name.unwrap_or_default()), *variable)
                };
                let entries: Vec<(ExprDoc, ExprDoc)> = functions.iter().map(entry).collect();
                let functions = self.docs.dict(&entries);
                let package = self.docs.id(PACKAGE);
                let class = self.docs.attr(package, "IRModule");
                self.docs.call_args(class, &[functions])
            }
            scripts => {
                let variables: Vec<ExprDoc> = scripts.iter().map(|(variable, _)| *variable).collect();
                self.docs.tuple(&variables)
            }
        }
    }

    /// Runs the program, and replaces the variables of scripts that differ from the given ones by the reason.
    pub fn check(&mut self, scripts: &[Wanted<'_>], registry: &Registry, options: &ParseOptions) {
        let text = match self.module_text() {
            Ok(text) => text,
            Err(error) => {
                self.variables.iter_mut().for_each(|variable| *variable = Err(error.to_string()));
                return;
            }
        };
        let mut options = options.clone();
        (options.set, options.calls) = (Vec::new(), Vec::new());
        (options.record_steps, options.omit_spans) = (false, true);
        let again = parse_script("program", &text, registry, &options);
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

const INDENT_SPACES: usize = 4;

/// The names that programs take from modules.
pub(super) fn modules(registry: &Registry) -> Vec<ModuleName> {
    let name = |name: &str, module: &str, member: Option<&str>| ModuleName {
        name: name.to_owned(),
        module: module.to_owned(),
        member: member.map(str::to_owned),
    };
    let mut modules = vec![
        name(PACKAGE, PACKAGE, None),
        name(CLASSES, PACKAGE, Some(CLASSES)),
        name(BUILDER, BUILDER_MODULE, Some(BUILDER)),
    ];
    let table = registry.slot::<Printers>().map(Printers::table);
    let described: HashSet<&str> =
        registry.nodes().filter_map(TypeInfo::origin).map(|origin| origin.dialect.as_str()).collect();
    for (dialect, prefix) in table.into_iter().flat_map(PrinterTable::prefixes) {
        // No module of Python has a dialect that a file describes.
        let module = if described.contains(dialect) { "" } else { BUILDER_MODULE };
        modules.push(name(prefix, module, Some(dialect)));
    }
    modules
}
