//! Assembly templates: one text that prints and parses a statement.
//!
//! A template is Python in which `{field}` is a placeholder: `with Toy.stage({name}, depth={d}): {body}`. The parser of
//! Python reads it, so that a template means what the same text means in a script.

use std::ops::Range;

use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, HasRange, Stmt, StmtId};
use tvmscript_python_syntax::{PythonOptions, parse_python};

use crate::error::DescriptionErrorKind;
use crate::source::{Mistakes, Text};

/// An argument of the call of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) field: usize,
    pub(crate) pass: Pass,
}

/// How an argument is passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pass {
    /// `{a}`
    Position,
    /// `key={a}`
    Keyword(String),
    /// `*{a}`
    Star,
}

/// The statement of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `X.f({a})`
    Call,
    /// `{out} = X.f({a})`
    Assign { target: usize },
    /// `with X.f({a}) as {x}: {body}`
    With { target: Option<usize>, body: usize },
    /// `for {x} in X.f({a}): {body}`
    For { target: usize, body: usize },
    /// `@X.f` and `def {name}({params}): {body}`
    Function { name: usize, params: Option<usize>, body: usize },
}

/// A template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) form: Form,
    /// Name of the function, without the prefix.
    pub(crate) function: String,
    pub(crate) arguments: Vec<Argument>,
}

impl Template {
    /// The fields that the template has places for, in order.
    pub(crate) fn fields(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().map(|argument| argument.field);
        match self.form {
            Form::Call => arguments.collect(),
            Form::Assign { target } => std::iter::once(target).chain(arguments).collect(),
            Form::With { target, body } => arguments.chain(target).chain([body]).collect(),
            Form::For { target, body } => std::iter::once(target).chain(arguments).chain([body]).collect(),
            Form::Function { name, params, body } => {
                arguments.chain([name]).chain(params).chain([body]).collect()
            }
        }
    }

    /// The call of an operator or node: required fields by position, others by keyword.
    pub(crate) fn call(function: &str, fields: impl Iterator<Item = (usize, Pass)>) -> Template {
        let arguments = fields.map(|(field, pass)| Argument { field, pass }).collect();
        Template { form: Form::Call, function: function.to_owned(), arguments }
    }
}

/// Reads the template of an entry. `fields` are the names that placeholders can have.
pub(crate) fn parse(
    text: &Text,
    entry: &str,
    prefix: &str,
    fields: &[&str],
    mistakes: &mut Mistakes,
) -> Option<Template> {
    let (python, placeholders) = match placeholders(&text.text) {
        Ok(found) => found,
        Err((reason, range)) => {
            return refuse(text, entry, &reason, range, mistakes);
        }
    };
    let parsed = parse_python(&python, &PythonOptions::default());
    if let Some(error) = parsed.errors.first() {
        let reason = format!("is not a statement of Python: {}", error.kind);
        return refuse(text, entry, &reason, error.range.to_usize(), mistakes);
    }
    let mut reader =
        Reader { ast: &parsed.ast, text, entry, prefix, fields, placeholders: &placeholders, mistakes };
    reader.template()
}

fn refuse<T>(
    text: &Text,
    entry: &str,
    reason: &str,
    range: Range<usize>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let kind = DescriptionErrorKind::Assembly { entry: entry.to_owned(), reason: reason.to_owned() };
    let help = "a template is `X.f({a}, key={b})`, `{out} = X.f({a})`, `with X.f({a}): {body}`, `for {i} in X.f({a}): \
                {body}`, or `@X.f` above `def {name}({params}): {body}`";
    mistakes.with_help(kind, &text.part(range), help);
    None
}

/// A reason with the range that it is about.
type Refusal = (String, Range<usize>);

/// The template with each `{name}` as the identifier `_name_`, which is as long, and the ranges of placeholders.
fn placeholders(text: &str) -> Result<(String, Vec<Range<usize>>), Refusal> {
    let mut python = String::with_capacity(text.len());
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((before, after)) = text.get(at..).and_then(|rest| rest.split_once('{')) {
        let start = at + before.len();
        let Some((name, _)) = after.split_once('}') else {
            return Err(("has a `{` without `}`".to_owned(), start..start + 1));
        };
        let end = start + name.len() + 2;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err((format!("has the placeholder `{{{name}}}`, which is not a name"), start..end));
        }
        python.push_str(before);
        python.push('_');
        python.push_str(name);
        python.push('_');
        found.push(start..end);
        at = end;
    }
    python.push_str(text.get(at..).unwrap_or_default());
    python.push('\n');
    Ok((python, found))
}

struct Reader<'a> {
    ast: &'a Ast,
    text: &'a Text,
    entry: &'a str,
    prefix: &'a str,
    fields: &'a [&'a str],
    placeholders: &'a [Range<usize>],
    mistakes: &'a mut Mistakes,
}

impl Reader<'_> {
    fn refuse<T>(&mut self, reason: &str, range: Range<usize>) -> Option<T> {
        refuse(self.text, self.entry, reason, range, self.mistakes)
    }

    fn range(&self, of: impl HasRange) -> Range<usize> {
        self.ast.range(of).to_usize()
    }

    /// The field of a placeholder at a range.
    fn slot(&mut self, range: Range<usize>) -> Option<usize> {
        if !self.placeholders.contains(&range) {
            let found = self.text.text.get(range.clone()).unwrap_or_default().to_owned();
            return self.refuse(&format!("has `{found}` where a placeholder such as `{{x}}` belongs"), range);
        }
        let name = self.text.text.get(range.start + 1..range.end.saturating_sub(1)).unwrap_or_default();
        match self.fields.iter().position(|field| *field == name) {
            Some(field) => Some(field),
            None => {
                let name = name.to_owned();
                let known = self.fields.join("`, `");
                let kind = DescriptionErrorKind::Assembly {
                    entry: self.entry.to_owned(),
                    reason: format!("has the placeholder `{{{name}}}`, which is not a field"),
                };
                let help = match self.fields.is_empty() {
                    true => "declare the field under `fields`".to_owned(),
                    false => format!("the fields are `{known}`"),
                };
                self.mistakes.with_help(kind, &self.text.part(range), help);
                None
            }
        }
    }

    fn slot_of(&mut self, at: ExprId) -> Option<usize> {
        let range = self.range(at);
        self.slot(range)
    }

    fn template(&mut self) -> Option<Template> {
        let [statement] = self.ast.module_body() else {
            let range = 0..self.text.text.len();
            return self.refuse("is not one statement", range);
        };
        let range = self.range(*statement);
        let (form, call) = match *self.ast.stmt(*statement) {
            Stmt::Expr(stmt) => (Form::Call, stmt.value),
            Stmt::Assign(stmt) => match self.ast.list(stmt.targets) {
                [target] => (Form::Assign { target: self.slot_of(*target)? }, stmt.value),
                _ => return self.refuse("assigns to several targets", range),
            },
            Stmt::With(stmt) => {
                let [item] = self.ast.list(stmt.items) else {
                    return self.refuse("opens several scopes at once", range);
                };
                let target = match item.target {
                    Some(target) => Some(self.slot_of(target)?),
                    None => None,
                };
                let body = self.ast.list(stmt.body).to_vec();
                (Form::With { target, body: self.body(&body, range)? }, item.context)
            }
            Stmt::For(stmt) if stmt.orelse.is_empty() => {
                let body = self.ast.list(stmt.body).to_vec();
                let target = self.slot_of(stmt.target)?;
                (Form::For { target, body: self.body(&body, range)? }, stmt.iter)
            }
            Stmt::FunctionDef(stmt) => {
                let [decorator] = *self.ast.list(stmt.decorators) else {
                    return self.refuse("needs one decorator in front of `def`", range);
                };
                let name = self.named(self.ast.name(stmt.name), &range)?;
                let params = match self.ast.list(stmt.params) {
                    [] => None,
                    [param] if param.annotation.is_none() && param.default.is_none() => {
                        let text = self.ast.name(param.name).to_owned();
                        Some(self.named(&text, &range)?)
                    }
                    _ => return self.refuse("has more than `{params}` between the parentheses", range),
                };
                let body = self.ast.list(stmt.body).to_vec();
                (Form::Function { name, params, body: self.body(&body, range)? }, decorator)
            }
            _ => return self.refuse("is another statement", range),
        };
        let (function, arguments) = self.callee(call, matches!(form, Form::Function { .. }))?;
        let template = Template { form, function, arguments };
        let mut seen = Vec::new();
        for field in template.fields() {
            if seen.contains(&field) {
                let name = self.fields.get(field).copied().unwrap_or_default();
                return self
                    .refuse(&format!("has the placeholder `{{{name}}}` twice"), 0..self.text.text.len());
            }
            seen.push(field);
        }
        Some(template)
    }

    /// The field of a placeholder that is a name of a definition.
    fn named(&mut self, name: &str, around: &Range<usize>) -> Option<usize> {
        let wanted = name.strip_prefix('_').and_then(|name| name.strip_suffix('_'));
        let of_name = |range: &&Range<usize>| {
            around.contains(&range.start)
                && self.text.text.get(range.start + 1..range.end.saturating_sub(1)) == wanted
        };
        match self.placeholders.iter().find(of_name).cloned() {
            Some(range) => self.slot(range),
            None => self
                .refuse(&format!("has `{name}` where a placeholder such as `{{x}}` belongs"), around.clone()),
        }
    }

    /// The only placeholder of a body.
    fn body(&mut self, body: &[StmtId], around: Range<usize>) -> Option<usize> {
        match body {
            [only] => match *self.ast.stmt(*only) {
                Stmt::Expr(stmt) => self.slot_of(stmt.value),
                _ => self.refuse("has a body that is not one placeholder", around),
            },
            _ => self.refuse("has a body that is not one placeholder", around),
        }
    }

    /// The function and the arguments of a call `Prefix.function(..)`; of a decorator, also without parentheses.
    fn callee(&mut self, call: ExprId, is_decorator: bool) -> Option<(String, Vec<Argument>)> {
        let range = self.range(call);
        let (func, args, keywords) = match *self.ast.expr(call) {
            Expr::Call { func, args, keywords } => (func, Some(args), Some(keywords)),
            _ if is_decorator => (call, None, None),
            _ => return self.refuse("does not call a function", range),
        };
        let mut path = Vec::new();
        let mut at = func;
        loop {
            match *self.ast.expr(at) {
                Expr::Attribute { value, attr } => {
                    path.push(self.ast.name(attr).to_owned());
                    at = value;
                }
                Expr::Name(name) => {
                    path.push(self.ast.name(name).to_owned());
                    break;
                }
                _ => return self.refuse("does not call a function by its name", range),
            }
        }
        path.reverse();
        let (found, function) = match path.split_first() {
            Some((prefix, rest)) if !rest.is_empty() => (prefix.clone(), rest.join(".")),
            _ => {
                return self.refuse(&format!("calls a function without the prefix `{}`", self.prefix), range);
            }
        };
        if found != self.prefix {
            let reason =
                format!("calls `{found}.{function}`, but the prefix of the dialect is `{}`", self.prefix);
            return self.refuse(&reason, range);
        }
        let mut arguments = Vec::new();
        for arg in args.map(|args| self.ast.list(args).to_vec()).unwrap_or_default() {
            let (at, pass) = match *self.ast.expr(arg) {
                Expr::Starred { value } => (value, Pass::Star),
                _ => (arg, Pass::Position),
            };
            arguments.push(Argument { field: self.slot_of(at)?, pass });
        }
        for keyword in keywords.map(|keywords| self.ast.list(keywords).to_vec()).unwrap_or_default() {
            let Some(name) = keyword.arg else {
                return self.refuse("passes `**`", range);
            };
            let pass = Pass::Keyword(self.ast.name(name).to_owned());
            arguments.push(Argument { field: self.slot_of(keyword.value)?, pass });
        }
        Some((function, arguments))
    }
}
