//! The table of a typed C++ interface: what its functions take and return, and how C++ writes them.
//!
//! One line, one fact:
//!
//! ```text
//! # A comment.
//! include toy/builder.h                                   a header
//! open using namespace toy;                               a line at the begin of the function
//! names toy helpers                                       names that variables do not have
//! main int main() { build(); }                            a line after the function, if it shall run by itself
//! helper twice                                            a function that is written before if a line below calls it
//! | Node twice(Node node) { return toy::Pair(node, node); }
//! result Node = toy::Node                                   what the function returns
//! lambda Var -> Expr                                      what functions in programs take and return
//! type Var is Expr = toy::Var                             a type, its bases and its C++ name
//! convert int -> Expr = toy::Const({})                    a value that may stand where another type is expected
//! X.clamp(value: Expr, low: Expr = toy::Zero(), *rest: Expr) -> Expr = toy::Clamp({value}, {low}, {rest})
//! Add|Sub(a: Expr, b: Expr) -> Expr = toy::{function}({a}, {b})
//! ```
//!
//! A line with parameters says what the program may do: call a function (`X.clamp`) or a method (`.get()`), apply an operator by
//! its name (`Add`), read an attribute (`.data`), index (`[]`), call a value (`()`), write a slice (`slice`), take the value of a
//! scope (`scope`), its values (`scopes`) or one of several values (`item`). The first line that accepts the arguments holds. The type of a result may
//! be that of an argument, `$value`. `[T]` is a list and `{K: V}` a map. `?` after a type accepts `None` for the default.

use std::collections::HashMap;
use std::fmt;

/// A description of an interface.
#[derive(Debug, Default)]
pub struct TypedApi {
    pub(super) includes: Vec<String>,
    pub(super) open: Vec<String>,
    /// Names that variables do not have.
    pub(super) names: Vec<String>,
    pub(super) main: Vec<String>,
    /// Functions by their names, in their order.
    pub(super) helpers: Vec<(String, String)>,
    /// The type that programs return, and its C++ name outside of the function.
    pub(super) result: Option<(Type, String)>,
    /// The types of the parameters and of the results of functions in programs.
    pub(super) lambda: Option<(Type, Type)>,
    /// The bases of a type and its name in C++.
    pub(super) types: HashMap<String, (Vec<String>, String)>,
    /// The conversions to a type, in their order.
    pub(super) conversions: HashMap<Type, Vec<(Type, Template)>>,
    pub(super) forms: HashMap<String, Vec<Form>>,
}

/// A mistake in the text of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the table of a C++ interface: expected {expected}")]
pub struct TableError {
    /// Its line, counted from 1.
    pub line: usize,
    /// The expected kind.
    pub expected: &'static str,
}

/// A type of values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Type {
    Name(String),
    List(Box<Type>),
    Map(Box<(Type, Type)>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Name(name) => f.write_str(name),
            Type::List(element) => write!(f, "[{element}]"),
            Type::Map(entry) => write!(f, "{{{}: {}}}", entry.0, entry.1),
        }
    }
}

/// A rule for arguments of some types.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) parameters: Vec<Parameter>,
    /// The type of the result, or the parameter whose type it has.
    pub(super) result: Result<Type, String>,
    pub(super) template: Template,
}

#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) default: Option<String>,
    /// Accepts `None` for the default.
    pub(super) is_optional: bool,
    /// Takes all positional arguments that are left.
    pub(super) is_rest: bool,
}

/// A text with holes for arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Template {
    pub(super) pieces: Vec<Hole>,
    /// The operator, if this is an application of one to the two arguments.
    pub(super) operator: Option<String>,
    /// The numbers of the helpers that it calls.
    pub(super) helpers: Vec<usize>,
}

/// A text, and the argument after it.
#[derive(Debug, Clone)]
pub(super) struct Hole {
    pub(super) text: String,
    pub(super) argument: Option<String>,
    /// A member or an element of the argument follows.
    pub(super) is_base: bool,
}

impl TypedApi {
    /// Reads a table.
    ///
    /// # Errors
    /// At the first line that is none of a table.
    pub fn new(text: &str) -> Result<TypedApi, TableError> {
        let mut api = TypedApi::default();
        for (index, line) in text.lines().enumerate() {
            if !line.is_empty() && !line.starts_with('#') {
                api.line(line).map_err(|expected| TableError { line: index + 1, expected })?;
            }
        }
        Ok(api)
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let equals = || rest.split_once(" = ").ok_or("` = ` and C++");
        match word {
            "include" => self.includes.push(rest.to_owned()),
            "open" => self.open.push(rest.to_owned()),
            "names" => self.names.extend(rest.split(' ').map(str::to_owned)),
            "helper" => self.helpers.push((rest.to_owned(), String::new())),
            "|" => {
                let (_, text) = self.helpers.last_mut().ok_or("`helper NAME` before its text")?;
                text.push_str(rest);
                text.push('\n');
            }
            "main" => self.main.push(rest.to_owned()),
            "result" => {
                let (ty, spelling) = equals()?;
                self.result = Some((whole_type(ty)?, spelling.to_owned()));
            }
            "lambda" => {
                let (parameter, result) = rest.split_once(" -> ").ok_or("`PARAMETER -> RESULT`")?;
                self.lambda = Some((whole_type(parameter)?, whole_type(result)?));
            }
            "type" => {
                let (head, spelling) = equals()?;
                let (name, bases) = head.split_once(" is ").unwrap_or((head, ""));
                let bases = bases.split(", ").filter(|base| !base.is_empty()).map(str::to_owned).collect();
                self.types.insert(name.to_owned(), (bases, spelling.to_owned()));
            }
            "convert" => {
                let (head, template) = equals()?;
                let (from, to) = head.split_once(" -> ").ok_or("`FROM -> TO`")?;
                let mut template = Template::new(template, "")?;
                template.helpers = self.helpers_of(&template);
                self.conversions.entry(whole_type(to)?).or_default().push((whole_type(from)?, template));
            }
            _ => self.form(line)?,
        }
        Ok(())
    }

    fn form(&mut self, line: &str) -> Result<(), &'static str> {
        // The name `()` of the call of a value has its own parentheses.
        let from = if line.starts_with("()") { 2 } else { 1 };
        let open = line.get(from..).and_then(|rest| rest.find('(')).ok_or("`(` after a name")? + from;
        let (key, rest) = line.split_at(open);
        // The list of a method begins after its `()`.
        let (key, rest) = match rest.strip_prefix("()(") {
            Some(_) => line.split_at(open + 2),
            None => (key, rest),
        };
        let (head, template) = rest.split_once(" -> ").ok_or("` -> ` and a result")?;
        let parameters =
            head.strip_prefix('(').and_then(|head| head.strip_suffix(')')).ok_or("parameters")?;
        let (result, template) = template.split_once(" = ").ok_or("` = ` and C++")?;
        let parameters =
            split(parameters).into_iter().map(Parameter::new).collect::<Result<Vec<Parameter>, _>>()?;
        let result = match result.strip_prefix('$') {
            Some(parameter) => Err(parameter.to_owned()),
            None => Ok(whole_type(result)?),
        };
        let (path, names) = match key.rfind('.') {
            Some(dot) if !key.starts_with('.') => key.split_at(dot + 1),
            _ => ("", key),
        };
        for name in names.split('|') {
            let mut template = Template::new(template, name)?;
            template.helpers = self.helpers_of(&template);
            let form = Form { parameters: parameters.clone(), result: result.clone(), template };
            self.forms.entry(format!("{path}{name}")).or_default().push(form);
        }
        Ok(())
    }

    /// The numbers of the helpers that a template calls.
    fn helpers_of(&self, template: &Template) -> Vec<usize> {
        let calls = |name: &str| {
            let is_call = |hole: &Hole| {
                hole.text.match_indices(name).any(|(at, _)| {
                    let before = hole.text.get(..at).unwrap_or_default().chars().next_back();
                    let after = hole.text.get(at + name.len()..).unwrap_or_default();
                    after.starts_with('(') && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                })
            };
            template.pieces.iter().any(is_call)
        };
        let helpers = self.helpers.iter().enumerate();
        helpers.filter(|(_, (name, _))| calls(name)).map(|(number, _)| number).collect()
    }

    /// Returns `true` if values of a type are values of another one.
    pub(super) fn is_a(&self, ty: &Type, wanted: &Type) -> bool {
        match (ty, wanted) {
            (Type::List(element), Type::List(wanted)) => self.is_a(element, wanted),
            (Type::Map(entry), Type::Map(wanted)) => {
                self.is_a(&entry.0, &wanted.0) && self.is_a(&entry.1, &wanted.1)
            }
            (_, Type::Name(wanted)) if wanted == ANY => true,
            (Type::Name(name), Type::Name(_)) => {
                ty == wanted
                    || self.types.get(name).is_some_and(|(bases, _)| {
                        bases.iter().any(|base| self.is_a(&Type::Name(base.clone()), wanted))
                    })
            }
            _ => false,
        }
    }

    /// The C++ name of a type.
    pub(super) fn spelling(&self, ty: &Type) -> String {
        match ty {
            Type::Name(name) => self.types.get(name).map_or(name, |(_, spelling)| spelling).clone(),
            Type::List(element) => self.container("list").replacen("{}", &self.spelling(element), 1),
            Type::Map(entry) => self.container("map").replacen("{}", &self.spelling(&entry.0), 1).replacen(
                "{}",
                &self.spelling(&entry.1),
                1,
            ),
        }
    }

    /// The C++ name of a container, with holes for its elements.
    fn container<'a>(&'a self, name: &'a str) -> &'a str {
        self.types.get(name).map_or(name, |(_, spelling)| spelling)
    }
}

/// The type of every value.
pub(super) const ANY: &str = "Any";

impl Parameter {
    fn new(text: &str) -> Result<Parameter, &'static str> {
        let (head, default) = match text.split_once(" = ") {
            Some((head, default)) => (head, Some(default.to_owned())),
            None => (text, None),
        };
        let (name, ty) = head.split_once(": ").ok_or("`NAME: TYPE`")?;
        let (ty, is_optional) = ty.strip_suffix('?').map_or((ty, false), |ty| (ty, true));
        let (name, is_rest) = name.strip_prefix('*').map_or((name, false), |name| (name, true));
        Ok(Parameter { name: name.to_owned(), ty: whole_type(ty)?, default, is_optional, is_rest })
    }
}

impl Template {
    /// Reads a template, in which `{function}` is the name of the form.
    fn new(text: &str, name: &str) -> Result<Template, &'static str> {
        let text = text.replace("{function}", name);
        let operator = text
            .strip_prefix("{a} ")
            .and_then(|rest| rest.strip_suffix(" {b}"))
            .filter(|operator| !operator.contains(['{', ' ']))
            .map(str::to_owned);
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            literal.push_str(before);
            // A brace of C++ is followed by another one, or by text that is no name.
            let end = after
                .find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
                .unwrap_or(after.len());
            let (argument, after_argument) = after.split_at(end);
            match after_argument.strip_prefix('}') {
                Some(after) => {
                    let is_base = after.starts_with(['.', '[']) || after.starts_with("->");
                    let text = std::mem::take(&mut literal);
                    pieces.push(Hole { text, argument: Some(argument.to_owned()), is_base });
                    rest = after;
                }
                None => {
                    literal.push('{');
                    rest = after;
                }
            }
        }
        literal.push_str(rest);
        pieces.push(Hole { text: literal, argument: None, is_base: false });
        Ok(Template { pieces, operator, helpers: Vec::new() })
    }
}

fn whole_type(text: &str) -> Result<Type, &'static str> {
    if let Some(element) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return Ok(Type::List(Box::new(whole_type(element)?)));
    }
    if let Some(entry) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        let (key, value) = entry.split_once(": ").ok_or("`{KEY: VALUE}`")?;
        return Ok(Type::Map(Box::new((whole_type(key)?, whole_type(value)?))));
    }
    match !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => Ok(Type::Name(text.to_owned())),
        false => Err("a type: a name, `[TYPE]` or `{KEY: VALUE}`"),
    }
}

/// The parts of a list that commas outside of brackets separate.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(begin..at));
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(begin..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
