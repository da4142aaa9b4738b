//! Programs in C++17 over a typed interface, which a [`TypedApi`] describes.
//!
//! The types of all values are known before the text is written, since overloads and conversions of C++ are chosen by them. A
//! variable that is used after the block that assigns it is an optional of its type.

mod table;
mod text;
mod values;

use std::collections::{BTreeSet, HashMap};

pub use table::{TableError, TypedApi};

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc, ExprList, KwargList};

use super::blocks::{self, Language, Parts};
use super::expressions::path;
use super::{Program, cpp};
use table::Type;
use values::{ANY_LEVEL, BOOL, CALL, FLOAT, INT, LONG, STRING, Typed, Value, Values};

/// Names that variables do not have, besides those of C++ and of the table.
const NAMES: &str = "build scope values parameters std";

/// The name of the type that holds a value or none, in the table.
const OPTIONAL: &str = "optional";
/// The name of the class that enters and exits scopes, in the table.
const SCOPE: &str = "scope";

/// Prints a program as a function `build`; with `main`, it prints what it builds when it runs.
///
/// # Errors
/// If the program has other statements or expressions than programs may have, the table has no form of a
/// call or an operation, or the text is too long.
pub fn print(
    docs: &DocArena,
    program: &Program<'_>,
    api: &TypedApi,
    main: bool,
    max_bytes: usize,
) -> Result<String, PrintError> {
    let reserved = cpp::RESERVED.split_whitespace().chain(NAMES.split_whitespace());
    let reserved = reserved.chain(api.names.iter().map(String::as_str));
    let reserved =
        reserved.map(str::to_owned).chain(program.modules.iter().map(|module| module.name.clone()));
    let make = |variables| TypedCpp {
        docs,
        variables,
        types: HashMap::new(),
        values: Values { api, texts: text::Texts::default(), helpers: BTreeSet::new() },
    };
    let Parts { body, result, language, .. } =
        blocks::print(docs, program, reserved.collect(), max_bytes, make)?;
    let mut text = String::new();
    for include in &api.includes {
        text.push_str(&format!("#include <{include}>\n"));
    }
    for (_, helper) in language.values.helpers.iter().filter_map(|number| api.helpers.get(*number)) {
        text.push_str(&format!("\n{helper}"));
    }
    let result_type = api.result.as_ref().map_or("auto", |(_, spelling)| spelling);
    text.push_str(&format!("\n{result_type} build() {{\n"));
    for line in &api.open {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str(&body);
    text.push_str(&format!("    return {result};\n}}\n"));
    if main {
        text.push('\n');
        text.extend(api.main.iter().flat_map(|line| [line.as_str(), "\n"]));
    }
    Ok(text)
}

/// The statements of a program.
struct TypedCpp<'d> {
    docs: &'d DocArena,
    /// The names of variables in C++.
    variables: HashMap<String, String>,
    /// The types of the variables that have a value, and whether they are optionals.
    types: HashMap<String, (Type, bool)>,
    values: Values<'d>,
}

impl TypedCpp<'_> {
    /// Evaluates an expression, inner expressions first.
    fn evaluate(&mut self, expr: ExprDoc) -> Result<Value, PrintError> {
        enum Task {
            Visit(ExprDoc),
            Build(ExprDoc),
        }
        let docs = self.docs;
        let mut tasks = vec![Task::Visit(expr)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(doc) => {
                    self.declare_parameters(doc)?;
                    tasks.push(Task::Build(doc));
                    let operands = self.operands(doc)?;
                    tasks.extend(operands.into_iter().rev().map(Task::Visit));
                }
                Task::Build(doc) => {
                    let count = self.operands(doc)?.len();
                    let operands = done.split_off(done.len().saturating_sub(count));
                    let value = self.build(docs.expr(doc), doc, operands)?;
                    done.push(value);
                }
            }
        }
        Ok(done.pop().unwrap_or(Value::None))
    }

    /// Gives the parameters of a function their type.
    fn declare_parameters(&mut self, doc: ExprDoc) -> Result<(), PrintError> {
        let Expr::Lambda { args, .. } = self.docs.expr(doc) else { return Ok(()) };
        let unknown = || PrintError::NoForm { what: "lambda".to_owned() };
        let (ty, _) = self.values.api.lambda.as_ref().ok_or_else(unknown)?;
        for arg in self.docs.items(args) {
            let name = self.docs.name_of(*arg).ok_or_else(unknown)?;
            self.types.insert(name.to_owned(), (ty.clone(), false));
        }
        Ok(())
    }

    /// The expressions that an expression is made of, without the names that are no values.
    fn operands(&self, doc: ExprDoc) -> Result<Vec<ExprDoc>, PrintError> {
        let items = |list: ExprList| self.docs.items(list).to_vec();
        let is_variable = |name: &str| self.variables.contains_key(name);
        Ok(match self.docs.expr(doc) {
            Expr::Attr { .. } if path(self.docs, doc, is_variable).is_some() => Vec::new(),
            Expr::Attr { value, .. } => vec![value],
            Expr::Index { value, indices } => {
                let mut operands = vec![value];
                operands.extend(self.docs.items(indices));
                operands
            }
            Expr::Slice { start, stop, step } => [start, stop, step].into_iter().flatten().collect(),
            Expr::Call(call) => {
                let call = self.docs.call_of(call);
                let mut operands = match self.docs.expr(call.callee) {
                    _ if path(self.docs, call.callee, is_variable).is_some() => Vec::new(),
                    Expr::Attr { value, .. } => vec![value],
                    _ => vec![call.callee],
                };
                operands.extend(self.docs.items(call.args));
                operands.extend(self.docs.kwargs(call.kwargs).iter().map(|(_, value)| *value));
                operands
            }
            Expr::Unary { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Conditional { condition, then_value, else_value, .. } => {
                vec![condition, then_value, else_value]
            }
            Expr::Tuple(list) | Expr::List(list) | Expr::Dict(list) => items(list),
            Expr::Lambda { body, .. } => vec![body],
            other @ (Expr::Bytes(_) | Expr::Quoted(_)) => {
                return Err(PrintError::NoForm { what: other.name().to_owned() });
            }
            Expr::None | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) | Expr::Id(_) => {
                Vec::new()
            }
        })
    }

    fn build(&mut self, expr: Expr, doc: ExprDoc, operands: Vec<Value>) -> Result<Value, PrintError> {
        let docs = self.docs;
        let (name, operands, keywords) = match expr {
            Expr::None => return Ok(Value::None),
            Expr::Bool(_) => return Ok(literal(docs, BOOL, expr)),
            Expr::Int(value) if i32::try_from(value).is_ok() => return Ok(literal(docs, INT, expr)),
            Expr::Int(_) => return Ok(literal(docs, LONG, expr)),
            Expr::Float(_) => return Ok(literal(docs, FLOAT, expr)),
            Expr::Str(_) => return Ok(literal(docs, STRING, expr)),
            Expr::Tuple(_) | Expr::List(_) => return Ok(Value::List(operands)),
            Expr::Dict(_) => {
                let mut entries = Vec::with_capacity(operands.len() / 2);
                let mut operands = operands.into_iter();
                while let (Some(key), Some(value)) = (operands.next(), operands.next()) {
                    entries.push((key, value));
                }
                return Ok(Value::Map(entries));
            }
            Expr::Id(name) if self.variables.contains_key(docs.text(name)) => {
                return self.variable(docs.text(name)).map(Value::Typed);
            }
            Expr::Id(_) | Expr::Attr { .. } => {
                match (path(docs, doc, |name| self.variables.contains_key(name)), expr) {
                    (None, Expr::Attr { name, .. }) => {
                        (format!(".{}", docs.text(name)), operands, KwargList::default())
                    }
                    (path, _) => (path.unwrap_or_default(), operands, KwargList::default()),
                }
            }
            Expr::Index { .. } => ("[]".to_owned(), operands, KwargList::default()),
            Expr::Slice { start, stop, step } => {
                let mut values = operands.into_iter();
                let mut next = |part: Option<ExprDoc>| match part {
                    Some(_) => values.next().unwrap_or(Value::None),
                    None => Value::None,
                };
                let parts = vec![next(start), next(stop), next(step)];
                ("slice".to_owned(), parts, KwargList::default())
            }
            Expr::Call(call) => {
                let call = docs.call_of(call);
                let path = path(docs, call.callee, |name| self.variables.contains_key(name));
                let name = match (path, docs.expr(call.callee)) {
                    (Some(path), _) => path,
                    (None, Expr::Attr { name, .. }) => format!(".{}()", docs.text(name)),
                    _ => "()".to_owned(),
                };
                (name, operands, call.kwargs)
            }
            Expr::Unary { op, .. } => (op.name().to_owned(), operands, KwargList::default()),
            Expr::Binary { op, .. } => (op.name().to_owned(), operands, KwargList::default()),
            Expr::Conditional { .. } => ("if".to_owned(), operands, KwargList::default()),
            Expr::Lambda { args, .. } => {
                let names = self.docs.items(args).iter().filter_map(|arg| self.docs.name_of(*arg));
                let names = names.map(|name| self.name(name).to_owned()).collect();
                let body = operands.into_iter().next().unwrap_or(Value::None);
                return Ok(Value::Lambda(names, Box::new(body)));
            }
            Expr::Bytes(_) | Expr::Quoted(_) => {
                return Err(PrintError::NoForm { what: expr.name().to_owned() });
            }
        };
        let keywords = docs.kwargs(keywords);
        let mut operands = operands;
        let named = operands.split_off(operands.len().saturating_sub(keywords.len()));
        let keywords: Vec<(&str, Value)> =
            keywords.iter().map(|(keyword, _)| docs.text(*keyword)).zip(named).collect();
        self.apply(&name, &operands, &keywords).map(Value::Typed)
    }

    fn apply(&mut self, name: &str, args: &[Value], keywords: &[(&str, Value)]) -> Result<Typed, PrintError> {
        let unknown = || {
            let args = args.iter().map(Value::kind);
            let keywords = keywords.iter().map(|(name, value)| format!("{name}={}", value.kind()));
            let args: Vec<String> = args.chain(keywords).collect();
            PrintError::NoForm { what: format!("{name}({})", args.join(", ")) }
        };
        self.values.apply(name, args, keywords).ok_or_else(unknown)
    }

    fn variable(&mut self, name: &str) -> Result<Typed, PrintError> {
        let (ty, is_optional) =
            self.types.get(name).cloned().ok_or_else(|| PrintError::NoForm { what: name.to_owned() })?;
        let spelled = self.variables.get(name).map_or(name, String::as_str);
        let text = match is_optional {
            true => format!("{spelled}.value()"),
            false => spelled.to_owned(),
        };
        Ok(Typed { text: self.values.texts.leaf(text), ty, level: CALL })
    }

    /// The value of a name of C++ that has a type.
    fn named(&mut self, name: &str, ty: Type) -> Value {
        Value::Typed(Typed { text: self.values.texts.leaf(name), ty, level: CALL })
    }
}

/// A value as a statement assigns it.
struct Assigned {
    text: String,
    ty: Type,
}

impl TypedCpp<'_> {
    fn assigned(&mut self, value: Value) -> Result<Assigned, PrintError> {
        let unknown = || PrintError::NoForm { what: "a literal without a type".to_owned() };
        let (text, ty) = match value {
            Value::Typed(typed) => (typed.text, typed.ty),
            value => {
                let text = self.values.any(&value).ok_or_else(unknown)?;
                (text, Type::Name(table::ANY.to_owned()))
            }
        };
        Ok(Assigned { text: self.values.texts.take(text), ty })
    }
}

impl Language for TypedCpp<'_> {
    type Value = Assigned;

    fn name<'n>(&'n self, name: &'n str) -> &'n str {
        self.variables.get(name).map_or(name, String::as_str)
    }

    fn value(&mut self, expr: ExprDoc) -> Result<Assigned, PrintError> {
        let value = self.evaluate(expr)?;
        self.assigned(value)
    }

    fn result(&mut self, expr: ExprDoc) -> Result<String, PrintError> {
        let value = self.evaluate(expr)?;
        let api = self.values.api;
        let text = match &api.result {
            Some((ty, _)) => self.values.text(&value, ty, ANY_LEVEL),
            None => self.values.any(&value),
        };
        let text = text.ok_or_else(|| PrintError::NoForm { what: "the result".to_owned() })?;
        Ok(self.values.texts.take(text))
    }

    fn text(&self, value: &Assigned) -> String {
        value.text.clone()
    }

    fn declare(&self, name: &str, value: Option<&Assigned>) -> Option<String> {
        let optional = self.values.api.spelling(&Type::Name(OPTIONAL.to_owned()));
        let ty = self.values.api.spelling(&value?.ty);
        Some(format!("{} {name};", optional.replacen("{}", &ty, 1)))
    }

    fn assign(&mut self, variable: &str, value: &Assigned, is_declared: bool) -> String {
        self.types.insert(variable.to_owned(), (value.ty.clone(), is_declared));
        let name = self.name(variable);
        let begin = if is_declared { "" } else { "auto " };
        format!("{begin}{name} = {};", value.text)
    }

    fn hold(&mut self, name: &str, value: &Assigned) -> String {
        format!("auto {name} = {};", value.text)
    }

    fn enter(&mut self, name: &str, scope: &Assigned) -> Vec<String> {
        let api = self.values.api;
        let class = api.spelling(&Type::Name(SCOPE.to_owned())).replacen("{}", &api.spelling(&scope.ty), 1);
        vec![format!("auto {name} = {};", scope.text), format!("{class} in_{name}({name});")]
    }

    fn scope_value(&mut self, name: &str, scope: &Assigned, is_one: bool) -> Result<Assigned, PrintError> {
        let scope = self.named(name, scope.ty.clone());
        let value = self.apply(if is_one { "scope" } else { "scopes" }, &[scope], &[])?;
        self.assigned(Value::Typed(value))
    }

    fn item(&mut self, name: &str, values: &Assigned, index: usize) -> Result<Assigned, PrintError> {
        let values = self.named(name, values.ty.clone());
        let value = self.apply("item", &[values, Value::Literal(INT, index.to_string())], &[])?;
        self.assigned(Value::Typed(value))
    }
}

fn literal(docs: &DocArena, kind: &'static str, expr: Expr) -> Value {
    Value::Literal(kind, cpp::literal(docs, expr).unwrap_or_default())
}
