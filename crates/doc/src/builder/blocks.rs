//! Statements in languages with block scopes, such as Rust and C++.
//!
//! A variable of a program is visible in the whole function, as in Python. One that is used after the block that assigns it
//! is declared in the block around both.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::StmtList;
use crate::sym::Sym;

use super::expressions::{ANY, Spelling, Writer};
use super::names::{FreshNames, each_name, names_of, walk};
use super::{ModuleName, Part, Program, part};

/// Levels of blocks that are indented.
const MAX_INDENTS: usize = 40;

/// The words with which statements begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// Before a new variable.
    pub(super) variable: &'static str,
    /// Before a new scope.
    pub(super) scope: &'static str,
}

/// The parts of a program's text.
pub(super) struct Parts<'p> {
    /// The statements.
    pub(super) body: String,
    /// The expression of the result.
    pub(super) result: String,
    /// The functions of the builder that it calls.
    pub(super) functions: BTreeSet<&'static str>,
    /// The names that the program takes from modules.
    pub(super) modules: Vec<&'p ModuleName>,
}

/// Prints the statements and the result of a program, whose variables have none of the reserved names.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, or its text is too long.
pub(super) fn print<'p, S: Spelling>(
    docs: &DocArena,
    program: &Program<'p>,
    spelling: S,
    words: Words,
    reserved: HashSet<String>,
    max_bytes: usize,
) -> Result<Parts<'p>, PrintError> {
    let mut names = FreshNames::new(reserved);
    let variables = variables(docs, program, &mut names)?;
    let mut used = HashSet::new();
    each_name(docs, program.body, program.result, |name| {
        used.insert(docs.text(name));
    })?;
    let modules = program.modules.iter().filter(|module| used.contains(module.name.as_str())).collect();
    let writer = Writer::new(docs, spelling, variables);
    let mut blocks = Blocks::new(writer, words, names, max_bytes);
    let result = blocks.print(program, 1)?;
    let Blocks { out, writer, .. } = blocks;
    Ok(Parts { body: out, result, functions: writer.functions, modules })
}

/// The variables of a program, with their names in the target language.
fn variables(
    docs: &DocArena,
    program: &Program<'_>,
    names: &mut FreshNames,
) -> Result<HashMap<String, String>, PrintError> {
    let mut variables = HashMap::new();
    let mut bodies = vec![program.body];
    let mut found = |name: Sym| {
        let text = docs.text(name);
        if !variables.contains_key(text) {
            variables.insert(text.to_owned(), names.take(text, &mut 0));
        }
    };
    while let Some(body) = bodies.pop() {
        for stmt in docs.stmts(body) {
            let (target, value) = match part(docs, *stmt)? {
                Part::Run { target, value } | Part::Open { target, scope: value } => (target, value),
                Part::Scope { target, scope, body } => {
                    bodies.push(body);
                    (target, scope)
                }
            };
            targets(docs, target)?.into_iter().for_each(&mut found);
            parameters(docs, value, &mut found);
        }
    }
    Ok(variables)
}

/// The parameters of functions in an expression.
fn parameters(docs: &DocArena, value: ExprDoc, found: &mut impl FnMut(Sym)) {
    let mut exprs = vec![value];
    let mut lambdas = Vec::new();
    walk(docs, &mut exprs, |expr| {
        if let Expr::Lambda { args, .. } = expr {
            lambdas.push(args);
        }
    });
    for args in lambdas {
        docs.items(args).iter().filter_map(|arg| docs.sym_of(*arg)).for_each(&mut *found);
    }
}

/// The names that a target assigns.
fn targets(docs: &DocArena, target: Option<ExprDoc>) -> Result<Vec<Sym>, PrintError> {
    let Some(target) = target else { return Ok(Vec::new()) };
    let items = match docs.expr(target) {
        Expr::Tuple(items) | Expr::List(items) => docs.items(items),
        _ => &[target],
    };
    let name = |item: &ExprDoc| docs.sym_of(*item).ok_or(PrintError::NotInProgram { kind: "target" });
    items.iter().map(name).collect()
}

/// The blocks in which variables are declared before they are assigned, by the number of the block.
fn declarations(docs: &DocArena, program: &Program<'_>) -> Result<HashMap<usize, Vec<Sym>>, PrintError> {
    let mut scan = Scan { parents: vec![0], depths: vec![0], open: vec![true], assigned: HashMap::new() };
    let mut order = Vec::new();
    // The lists that are being read: block, list, position.
    let mut lists = vec![(0, program.body, 0)];
    while let Some((block, list, position)) = lists.pop() {
        let Some(stmt) = docs.stmts(list).get(position) else {
            scan.close(block);
            continue;
        };
        lists.push((block, list, position + 1));
        match part(docs, *stmt)? {
            Part::Run { target, value } | Part::Open { target, scope: value } => {
                scan.use_names(docs, value);
                for name in targets(docs, target)? {
                    scan.assign(name, block, &mut order);
                }
            }
            Part::Scope { target, scope, body } => {
                scan.use_names(docs, scope);
                let inner = scan.begin(block);
                for name in targets(docs, target)? {
                    scan.assign(name, inner, &mut order);
                }
                lists.push((inner, body, 0));
            }
        }
    }
    scan.open = vec![true];
    scan.use_names_in(docs, program.result, 0);
    let mut declared: HashMap<usize, Vec<Sym>> = HashMap::new();
    for name in order {
        if let Some(Assigned { block, declared_in: Some(outer) }) = scan.assigned.get(&name)
            && outer != block
        {
            declared.entry(*outer).or_default().push(name);
        }
    }
    Ok(declared)
}

/// The block that assigns a variable, and the one that declares it if that is another one.
#[derive(Debug, Clone, Copy)]
struct Assigned {
    block: usize,
    declared_in: Option<usize>,
}

/// The search for uses outside of the block of an assignment. Blocks have numbers in the order of their begin.
struct Scan {
    parents: Vec<usize>,
    depths: Vec<usize>,
    open: Vec<bool>,
    assigned: HashMap<Sym, Assigned>,
}

impl Scan {
    fn begin(&mut self, parent: usize) -> usize {
        self.parents.push(parent);
        self.depths.push(self.depths.get(parent).copied().unwrap_or_default() + 1);
        self.open.push(true);
        self.parents.len() - 1
    }

    fn close(&mut self, block: usize) {
        if let Some(open) = self.open.get_mut(block) {
            *open = false;
        }
    }

    fn is_open(&self, block: usize) -> bool {
        self.open.get(block).copied().unwrap_or_default()
    }

    fn assign(&mut self, name: Sym, block: usize, order: &mut Vec<Sym>) {
        self.assigned.entry(name).or_insert_with(|| {
            order.push(name);
            Assigned { block, declared_in: None }
        });
    }

    fn use_names(&mut self, docs: &DocArena, value: ExprDoc) {
        let mut names = Vec::new();
        names_of(docs, &mut vec![value], &mut |name| names.push(name));
        for name in names {
            self.use_name(name);
        }
    }

    /// Uses names in a block when all others are closed.
    fn use_names_in(&mut self, docs: &DocArena, value: ExprDoc, block: usize) {
        self.open = (0..self.parents.len()).map(|other| other == block).collect();
        self.use_names(docs, value);
    }

    fn use_name(&mut self, name: Sym) {
        let Some(Assigned { block, declared_in }) = self.assigned.get(&name).copied() else { return };
        // The innermost block around the assignment that is open at the use.
        let mut outer = declared_in.unwrap_or(block);
        while !self.is_open(outer) && outer != 0 {
            outer = self.parents.get(outer).copied().unwrap_or_default();
        }
        self.assigned.insert(name, Assigned { block, declared_in: Some(outer) });
    }
}

/// Prints the statements of a program and the expression of its result.
struct Blocks<'d, S> {
    writer: Writer<'d, S>,
    words: Words,
    names: FreshNames,
    /// The numbers that the names of scopes and of unpacked values had last.
    next_scope: usize,
    next_values: usize,
    declared: HashSet<Sym>,
    max_bytes: usize,
    out: String,
}

impl<'d, S: Spelling> Blocks<'d, S> {
    fn new(writer: Writer<'d, S>, words: Words, names: FreshNames, max_bytes: usize) -> Blocks<'d, S> {
        let (next_scope, next_values, declared) = (0, 0, HashSet::new());
        Blocks { writer, words, names, next_scope, next_values, declared, max_bytes, out: String::new() }
    }

    /// Writes the statements, each list of a scope as a block, one level deeper than `depth`. Returns the result.
    fn print(&mut self, program: &Program<'_>, depth: usize) -> Result<String, PrintError> {
        let docs = self.writer.docs;
        docs.check()?;
        let declarations = declarations(docs, program)?;
        let mut blocks = 1;
        self.declare(declarations.get(&0), depth);
        let mut lists: Vec<(StmtList, usize)> = vec![(program.body, 0)];
        while let Some((list, position)) = lists.pop() {
            if self.out.len() > self.max_bytes {
                return Err(PrintError::OutputBudget { max_bytes: self.max_bytes });
            }
            let depth = depth + lists.len();
            let Some(stmt) = docs.stmts(list).get(position) else {
                if !lists.is_empty() {
                    self.line(depth - 1, "}");
                }
                continue;
            };
            lists.push((list, position + 1));
            match part(docs, *stmt)? {
                Part::Run { target, value } => {
                    let value = self.value(value)?;
                    self.assign(target, &value, depth)?;
                }
                Part::Open { target, scope } => self.enter(target, scope, depth)?,
                Part::Scope { target, scope, body } => {
                    self.line(depth, "{");
                    self.declare(declarations.get(&blocks), depth + 1);
                    blocks += 1;
                    self.enter(target, scope, depth + 1)?;
                    lists.push((body, 0));
                }
            }
        }
        self.value(program.result)
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.extend(std::iter::repeat_n("    ", depth.min(MAX_INDENTS)));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn value(&mut self, value: ExprDoc) -> Result<String, PrintError> {
        let mut text = String::new();
        self.writer.value(value, ANY, &mut text)?;
        Ok(text)
    }

    fn declare(&mut self, names: Option<&Vec<Sym>>, depth: usize) {
        for name in names.into_iter().flatten() {
            self.declared.insert(*name);
            let line = format!("{}{};", self.words.variable, self.name(*name));
            self.line(depth, &line);
        }
    }

    fn name(&self, name: Sym) -> String {
        let text = self.writer.docs.text(name);
        self.writer.variable(text).unwrap_or(text).to_owned()
    }

    fn enter(&mut self, target: Option<ExprDoc>, scope: ExprDoc, depth: usize) -> Result<(), PrintError> {
        self.writer.functions.insert("with");
        let name = self.names.take("scope", &mut self.next_scope);
        let scope = self.value(scope)?;
        self.line(depth, &format!("{}{name} = with({scope});", self.words.scope));
        match target {
            Some(_) => self.assign(target, &format!("{name}.value()"), depth),
            None => Ok(()),
        }
    }

    fn assign(&mut self, target: Option<ExprDoc>, value: &str, depth: usize) -> Result<(), PrintError> {
        let Some(target) = target else {
            self.line(depth, &format!("{value};"));
            return Ok(());
        };
        let names = targets(self.writer.docs, Some(target))?;
        let is_one = self.writer.docs.sym_of(target).is_some();
        let Words { variable, .. } = self.words;
        let values = match is_one {
            true => value.to_owned(),
            false => {
                let values = self.names.take("values", &mut self.next_values);
                self.line(depth, &format!("{variable}{values} = {value};"));
                values
            }
        };
        for (index, name) in names.iter().enumerate() {
            let begin = if self.declared.contains(name) { "" } else { variable };
            let [open, close] = S::ARGUMENTS;
            let item = if is_one { String::new() } else { format!(".at({open}{index}{close})") };
            let line = format!("{begin}{} = {values}{item};", self.name(*name));
            self.line(depth, &line);
        }
        Ok(())
    }
}
