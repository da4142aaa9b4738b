//! A file of tests as a program of the evaluator.
//!
//! The program's text is the file, one line per class that lists its tests and one that runs the test named
//! [`METHOD`], then the modules: those beside the file that it imports, and the harness in place of `unittest` and
//! `test.support`. Each test runs in a program of its own, which runs the whole file first.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use tvmscript_ir_core::SourceId;
use tvmscript_python_syntax::ast::{Ast, Expr, List, Listed, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_eval::{
    Binding, EvalError, Evaluator, Host, Limits, Modules, Part, Parts, Program, Run,
};
use tvmscript_script_value::{BuildError, CallArgs, HostObject, ScriptValue};

/// The variable that holds the name of the test to run.
const METHOD: &str = "__harness_method__";

/// Budget of one test, with the file around it.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_steps = 20_000_000;
    limits.max_memory_bytes = 1 << 30;
    limits.max_call_depth = 400;
    limits
}

/// A file of tests.
pub struct Suite {
    text: String,
    ast: Rc<Ast>,
    parts: Parts,
    module: String,
    /// The file's own statements.
    own: Vec<StmtId>,
    classes: Vec<Class>,
    /// Classes of all parts by name: names of the bases, and the text of each method.
    definitions: BTreeMap<String, Definition>,
}

/// A class at the level of the module.
struct Class {
    name: String,
    list: StmtId,
    run: StmtId,
}

#[derive(Default)]
struct Definition {
    bases: Vec<String>,
    methods: Vec<(String, TextRange)>,
    /// Statements of the body that are not tests.
    others: Vec<TextRange>,
}

/// One test.
pub struct Test {
    class: usize,
    /// The name of its class.
    pub class_name: String,
    /// The name of its method.
    pub method: String,
}

/// The host; it adds nothing to Python but the module `_harness`.
struct Runner;

impl Host for Runner {
    fn modules(&self) -> &dyn Modules {
        &Harness
    }
}

struct Harness;

impl Modules for Harness {
    fn contains(&self, path: &str) -> bool {
        path == "_harness"
    }
    fn member(&self, path: &str, name: &str) -> Option<ScriptValue> {
        (path == "_harness" && name == "search").then(|| ScriptValue::host(Search))
    }
}

/// `search(pattern, text)`: tests whether a regular expression matches; `None` for patterns outside the common syntax.
struct Search;

impl HostObject for Search {
    fn type_name(&self) -> &str {
        "a function"
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, args: CallArgs) -> Result<ScriptValue, BuildError> {
        let [ScriptValue::Str(pattern), ScriptValue::Str(text)] = args.positional.as_slice() else {
            return Ok(ScriptValue::None);
        };
        Ok(match regex::Regex::new(pattern.as_str()) {
            Ok(regex) => ScriptValue::Bool(regex.is_match(text.as_str())),
            Err(_) => ScriptValue::None,
        })
    }
}

impl Suite {
    /// Reads a file and the modules that it imports. `package` is the folder of the package `test`.
    pub fn load(file: &Path, package: &Path) -> Result<Suite> {
        let read = |path: &Path| std::fs::read_to_string(path).with_context(|| path.display().to_string());
        let main = read(file)?;
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let module = match stem(file) {
            Some(name) if name == "__init__" => file.parent().and_then(stem).unwrap_or_default(),
            name => name.unwrap_or_default(),
        };
        let mut modules: Vec<(String, String)> = Vec::new();
        let mut work = imports(&main);
        while let Some(path) = work.pop() {
            let known = modules.iter().any(|(known, _)| *known == path);
            if known || path.starts_with("test.support") || path == format!("test.{module}") {
                continue;
            }
            let Some(relative) = path.strip_prefix("test.").map(|path| path.replace('.', "/")) else {
                continue;
            };
            let at = [format!("{relative}.py"), format!("{relative}/__init__.py")];
            let Some(text) = at.iter().find_map(|at| read(&package.join(at)).ok()) else { continue };
            work.extend(imports(&text));
            modules.push((path, text));
        }
        modules.push(("unittest".to_owned(), include_str!("unittest.py").to_owned()));
        modules.push(("test.support".to_owned(), include_str!("support.py").to_owned()));
        let helper = include_str!("import_helper.py");
        modules.push(("test.support.import_helper".to_owned(), helper.to_owned()));

        let names = class_names(&main);
        let mut text = main;
        text.push('\n');
        let own_len = text.len();
        text.push_str("import unittest as __harness__\n");
        for name in &names {
            text.push_str(&format!("__harness__.names({name})\n__harness__.run({name}, {METHOD})\n"));
        }
        let mut parts = Vec::new();
        for (path, source) in modules {
            let start = u32::try_from(text.len())?;
            let name = format!("{}.py", path.replace('.', "/"));
            let source_id = SourceId::new(&name);
            parts.push(Part { name, module: Some(path), start, source: source_id });
            text.push_str(&source);
            text.push('\n');
        }
        let parsed = parse_python(&text, &PythonOptions::default());
        let ast = Rc::new(parsed.ast);
        let parts = Parts::new(parts);
        let end = parts.iter().next().map_or(text.len(), |part| part.start as usize);
        let body = ast.module_body();
        let before = |len: usize| body.partition_point(|id| (ast.range(*id).start as usize) < len);
        let (own, all) = (before(own_len), before(end));
        let own_body = body.get(..own + 1).unwrap_or(body).to_vec();
        let driver = body.get(own + 1..all).unwrap_or_default();
        let classes = names.into_iter().zip(driver.chunks_exact(2));
        let classes =
            classes.filter_map(|(name, pair)| Some(Class { name, list: *pair.first()?, run: *pair.get(1)? }));
        let classes = classes.collect();
        let definitions = definitions(&ast);
        Ok(Suite { text, ast, parts, module, own: own_body, classes, definitions })
    }

    /// A program that has run the file. The errors of the file are returned, too.
    fn open(&self, method: &str) -> (Evaluator<Runner>, Vec<EvalError>) {
        let source = SourceId::new(&self.module);
        let program = Program::new(self.ast.clone(), &self.text, source, limits());
        let program = program.with_host(Box::new(|evaluate| evaluate(&mut Runner)));
        let program = program.with_parts(self.parts.clone(), "test");
        let text = |text: &str| ScriptValue::str(text);
        if let Some(name) = self.ast.find_name(METHOD) {
            program.fix_global(name, text(method));
        }
        if let Some(name) = self.ast.find_name("__name__") {
            program.fix_global(name, text(&format!("test.{}", self.module)));
        }
        let mut evaluator = Evaluator::new(program, Runner);
        evaluator.run_as(Run::Tolerant);
        for id in &self.own {
            let _ = evaluator.run_statement(*id);
        }
        evaluator.run_as(Run::Strict);
        let errors = evaluator.take_errors();
        (evaluator, errors)
    }

    /// Lists the tests, and the classes that cannot be defined, with the reason and the number of their methods.
    pub fn tests(&self) -> (Vec<Test>, Vec<(String, String, usize)>) {
        let (mut host, mut errors) = self.open("");
        let (mut tests, mut failed) = (Vec::new(), Vec::new());
        for (index, class) in self.classes.iter().enumerate() {
            if let Ok(names) = host.run_statement(class.list) {
                let names = names.and_then(|names| names.items()).unwrap_or_default();
                tests.extend(names.iter().filter_map(|name| {
                    let method = name.as_str()?.to_owned();
                    Some(Test { class: index, class_name: class.name.clone(), method })
                }));
                continue;
            }
            let known = self.definitions.get(&class.name);
            let count = known
                .map_or(0, |known| known.methods.iter().filter(|(name, _)| name.starts_with("test")).count());
            let binding = self.ast.find_name(&class.name).map(|name| host.program().global(name));
            let mut new = host.take_errors();
            let reason = match (new.pop(), binding) {
                (Some(error), _) => describe(&error),
                (None, Some(Binding::Poison)) => errors.pop().map(|e| describe(&e)).unwrap_or_default(),
                (None, _) => "the class is not known".to_owned(),
            };
            failed.push((class.name.clone(), reason, count));
        }
        (tests, failed)
    }

    /// Runs a test; the error that ends it.
    pub fn run(&self, test: &Test) -> Option<EvalError> {
        let class = self.classes.get(test.class)?;
        let (mut host, _) = self.open(&test.method);
        let _ = host.run_statement(class.run);
        let errors = host.take_errors();
        errors.into_iter().next()
    }

    /// The line and file of an error, in messages.
    pub fn place(&self, error: &EvalError) -> String {
        let start = error.range().start;
        let (name, from) = match self.parts.at(start) {
            Some(part) => (part.name.as_str(), part.start as usize),
            None => (self.module.as_str(), 0),
        };
        let before = self.text.get(from..start as usize).unwrap_or_default();
        format!("{name}:{}", before.matches('\n').count() + 1)
    }

    /// The text of a test method, which a base class may define.
    pub fn method_text(&self, test: &Test) -> &str {
        let mut work = vec![test.class_name.as_str()];
        let mut steps = 0;
        while let Some(class) = work.pop() {
            steps += 1;
            let Some(definition) = self.definitions.get(class).filter(|_| steps < 100) else { continue };
            if let Some((_, range)) = definition.methods.iter().find(|(name, _)| *name == test.method) {
                return self.text.get(range.to_usize()).unwrap_or_default();
            }
            work.extend(definition.bases.iter().rev().map(String::as_str));
        }
        ""
    }

    /// The text of the class of a test and of its bases, without tests.
    pub fn text_around(&self, test: &Test) -> String {
        let mut out = String::new();
        let mut work = vec![test.class_name.as_str()];
        let mut steps = 0;
        while let Some(class) = work.pop() {
            steps += 1;
            let Some(definition) = self.definitions.get(class).filter(|_| steps < 100) else { continue };
            for range in &definition.others {
                out.push_str(self.text.get(range.to_usize()).unwrap_or_default());
                out.push('\n');
            }
            work.extend(definition.bases.iter().rev().map(String::as_str));
        }
        out
    }

    /// The whole text with its modules.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tests whether a module is part of the program.
    pub fn has_module(&self, path: &str) -> bool {
        self.parts.contains(path)
    }
}

/// The content of an error with its notes.
pub fn describe(error: &EvalError) -> String {
    let class = match &error.kind {
        tvmscript_script_eval::EvalErrorKind::Host(host) => format!("{}: {}", host.class(), host.message),
        kind => kind.to_string(),
    };
    std::iter::once(class).chain(error.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
}

/// The modules of the package `test` that a text imports.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("from test import ") {
            let names = rest.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(names.map(|name| format!("test.{name}")));
        } else if let Some(rest) = line.strip_prefix("from test.") {
            let Some((module, names)) = rest.split_once(" import ") else { continue };
            found.push(format!("test.{module}"));
            let names = names.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(names.map(|name| format!("test.{module}.{name}")));
        } else if let Some(rest) = line.strip_prefix("import test.") {
            found.extend(rest.split_whitespace().next().map(|module| format!("test.{module}")));
        }
    }
    found
}

/// The names of the classes that a text defines at its outermost level.
fn class_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("class ") else { continue };
        let name: String = rest.trim_start().chars().take_while(|c| is_word(*c)).collect();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// All classes of a text by name, those of inner scopes, too; the first of each name counts.
fn definitions(ast: &Ast) -> BTreeMap<String, Definition> {
    let mut found: BTreeMap<String, Definition> = BTreeMap::new();
    let mut work: Vec<StmtId> = ast.module_body().iter().rev().copied().collect();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::ClassDef(def) => {
                let base = |id: &_| match *ast.expr(*id) {
                    Expr::Name(name) | Expr::Attribute { attr: name, .. } => Some(ast.name(name).to_owned()),
                    _ => None,
                };
                let method = |id: &StmtId| match *ast.stmt(*id) {
                    Stmt::FunctionDef(method) => Some((ast.name(method.name).to_owned(), ast.range(*id))),
                    _ => None,
                };
                let definition = Definition {
                    bases: ast.list(def.bases).iter().filter_map(base).collect(),
                    methods: ast.list(def.body).iter().filter_map(method).collect(),
                    others: ast
                        .list(def.body)
                        .iter()
                        .filter(|id| method(id).is_none_or(|(name, _)| !name.starts_with("test")))
                        .map(|id| ast.range(*id))
                        .collect(),
                };
                found.entry(ast.name(def.name).to_owned()).or_insert(definition);
            }
            Stmt::If(stmt) => {
                ast.list(stmt.clauses).iter().for_each(|clause| push(ast, clause.body, &mut work));
                push(ast, stmt.orelse, &mut work);
            }
            Stmt::Try(stmt) => push(ast, stmt.body, &mut work),
            _ => {}
        }
    }
    found
}

fn push(ast: &Ast, body: List<StmtId>, work: &mut Vec<StmtId>)
where
    StmtId: Listed,
{
    work.extend(ast.list(body).iter().rev());
}
