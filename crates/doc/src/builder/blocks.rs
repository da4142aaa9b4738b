//! Statements in languages with block scopes, such as Rust and C++.
//!
//! A variable of a program is visible in the whole function, as in Python. One that is used after the block that assigns it
//! is declared in the block around both.

use std::collections::{HashMap, HashSet};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::StmtList;
use crate::sym::Sym;

use super::declarations::{declarations, targets};
use super::names::{FreshNames, each_name, walk};
use super::{ModuleName, Part, Program, part};

/// Levels of blocks that are indented.
const MAX_INDENTS: usize = 40;

/// The statements of a language.
pub(super) trait Language {
    /// The value of an expression.
    type Value;

    /// The name of a variable in the language.
    fn name<'n>(&'n self, variable: &'n str) -> &'n str;

    /// The value of an expression.
    ///
    /// # Errors
    /// If the expression cannot occur in programs.
    fn value(&mut self, expr: ExprDoc) -> Result<Self::Value, PrintError>;

    /// The text of the expression that a program returns.
    ///
    /// # Errors
    /// If the expression cannot occur in programs.
    fn result(&mut self, expr: ExprDoc) -> Result<String, PrintError>;

    /// The text of a value.
    fn text(&self, value: &Self::Value) -> String;

    /// The line that declares a variable with this name of the language before the block that assigns the value; `None` if it
    /// needs the value.
    fn declare(&self, name: &str, value: Option<&Self::Value>) -> Option<String>;

    /// The line that assigns a variable, which is declared or not.
    fn assign(&mut self, variable: &str, value: &Self::Value, is_declared: bool) -> String;

    /// The line that holds a value under a new name.
    fn hold(&mut self, name: &str, value: &Self::Value) -> String;

    /// The lines that enter a scope and hold it under a new name.
    fn enter(&mut self, name: &str, scope: &Self::Value) -> Vec<String>;

    /// The value of a scope, or its values.
    ///
    /// # Errors
    /// If it has none.
    fn scope_value(
        &mut self,
        name: &str,
        scope: &Self::Value,
        is_one: bool,
    ) -> Result<Self::Value, PrintError>;

    /// An item of the values that a name holds.
    ///
    /// # Errors
    /// If they have no items.
    fn item(&mut self, name: &str, values: &Self::Value, index: usize) -> Result<Self::Value, PrintError>;
}

/// The parts of a program's text.
pub(super) struct Parts<'p, L> {
    /// The statements.
    pub(super) body: String,
    /// The expression of the result.
    pub(super) result: String,
    /// The language that wrote them.
    pub(super) language: L,
    /// The names that the program takes from modules.
    pub(super) modules: Vec<&'p ModuleName>,
}

/// Prints the statements and the result of a program, whose variables have none of the reserved names. `make` makes the
/// language of the names of the variables.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, or its text is too long.
pub(super) fn print<'p, L: Language>(
    docs: &DocArena,
    program: &Program<'p>,
    reserved: HashSet<String>,
    max_bytes: usize,
    make: impl FnOnce(HashMap<String, String>) -> L,
) -> Result<Parts<'p, L>, PrintError> {
    let mut names = FreshNames::new(reserved);
    let variables = variables(docs, program, &mut names)?;
    let mut used = HashSet::new();
    each_name(docs, program.body, program.result, |name| {
        used.insert(docs.text(name));
    })?;
    let modules = program.modules.iter().filter(|module| used.contains(module.name.as_str())).collect();
    let mut blocks = Blocks::new(docs, make(variables), names, max_bytes);
    let result = blocks.print(program, 1)?;
    Ok(Parts { body: blocks.text(), result, language: blocks.language, modules })
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

/// Prints the statements of a program and the expression of its result.
struct Blocks<'d, L> {
    docs: &'d DocArena,
    language: L,
    names: FreshNames,
    /// The numbers that the names of scopes and of unpacked values had last.
    next_scope: usize,
    next_values: usize,
    /// The variables that are declared, with the place and the depth of the line if it is not written yet.
    declared: HashMap<Sym, Option<(usize, usize)>>,
    /// Lines to insert, with their places.
    late: Vec<(usize, String)>,
    max_bytes: usize,
    out: String,
}

impl<'d, L: Language> Blocks<'d, L> {
    fn new(docs: &'d DocArena, language: L, names: FreshNames, max_bytes: usize) -> Blocks<'d, L> {
        Blocks {
            docs,
            language,
            names,
            next_scope: 0,
            next_values: 0,
            declared: HashMap::new(),
            late: Vec::new(),
            max_bytes,
            out: String::new(),
        }
    }

    /// Writes the statements, each list of a scope as a block, one level deeper than `depth`. Returns the result.
    fn print(&mut self, program: &Program<'_>, depth: usize) -> Result<String, PrintError> {
        let docs = self.docs;
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
                    let value = self.language.value(value)?;
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
        self.language.result(program.result)
    }

    /// The text with the lines that were not known in their place.
    fn text(&mut self) -> String {
        self.late.sort_by_key(|(place, _)| *place);
        let out = std::mem::take(&mut self.out);
        let mut text = String::with_capacity(out.len());
        let mut from = 0;
        for (place, line) in self.late.drain(..) {
            text.push_str(out.get(from..place).unwrap_or_default());
            text.push_str(&line);
            from = place;
        }
        text.push_str(out.get(from..).unwrap_or_default());
        text
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&indented(depth, text));
    }

    fn declare(&mut self, names: Option<&Vec<Sym>>, depth: usize) {
        for name in names.into_iter().flatten() {
            let place = self.out.len();
            let line = self.language.declare(self.language.name(self.docs.text(*name)), None);
            self.declared.insert(*name, line.is_none().then_some((place, depth)));
            if let Some(line) = line {
                self.line(depth, &line);
            }
        }
    }

    fn enter(&mut self, target: Option<ExprDoc>, scope: ExprDoc, depth: usize) -> Result<(), PrintError> {
        let scope = self.language.value(scope)?;
        let name = self.names.take("scope", &mut self.next_scope);
        for line in self.language.enter(&name, &scope) {
            self.line(depth, &line);
        }
        let Some(target) = target else { return Ok(()) };
        let value = self.language.scope_value(&name, &scope, self.docs.sym_of(target).is_some())?;
        self.assign(Some(target), &value, depth)
    }

    fn assign(&mut self, target: Option<ExprDoc>, value: &L::Value, depth: usize) -> Result<(), PrintError> {
        let Some(target) = target else {
            let line = format!("{};", self.language.text(value));
            self.line(depth, &line);
            return Ok(());
        };
        if let Some(name) = self.docs.sym_of(target) {
            self.assign_one(name, value, depth);
            return Ok(());
        }
        let values = self.names.take("values", &mut self.next_values);
        let line = self.language.hold(&values, value);
        self.line(depth, &line);
        for (index, name) in targets(self.docs, Some(target))?.into_iter().enumerate() {
            let item = self.language.item(&values, value, index)?;
            self.assign_one(name, &item, depth);
        }
        Ok(())
    }

    fn assign_one(&mut self, name: Sym, value: &L::Value, depth: usize) {
        let declared = self.declared.get_mut(&name);
        let is_declared = declared.is_some();
        let variable = self.docs.text(name);
        if let Some((place, depth)) = declared.and_then(Option::take)
            && let Some(line) = self.language.declare(self.language.name(variable), Some(value))
        {
            self.late.push((place, indented(depth, &line)));
        }
        let line = self.language.assign(variable, value, is_declared);
        self.line(depth, &line);
    }
}

/// A line with its break.
fn indented(depth: usize, text: &str) -> String {
    let mut line = "    ".repeat(depth.min(MAX_INDENTS));
    line.push_str(text);
    line.push('\n');
    line
}
