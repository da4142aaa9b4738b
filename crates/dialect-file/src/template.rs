//! Assembly templates: one text that prints and parses a statement.
//!
//! A template is Python in which `{field}` is a placeholder: `with Toy.stage({name}, depth={d}): {body}`. The parser of
//! Python reads it, so that a template means what the same text means in a script.

use std::ops::Range;

use tvmscript_docsifier::doc::OperationKind;
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, HasRange, Stmt, StmtId};
use tvmscript_python_syntax::{PythonOptions, parse_python};

use crate::error::DescriptionErrorKind;
use crate::operators;
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
    /// `X.F[{a}, {b}]`
    Subscript,
    /// `{a} + {b}`
    Operation(OperationKind),
    /// `{out} = X.f({a})`
    Assign { target: usize },
    /// `{x} = {value}`, `{x}: {x.type} = {value}`
    Bind { target: usize, value: usize },
    /// `return {value}`
    Return { value: usize },
    /// `if {condition}: {then}` with `else: {otherwise}`
    If { condition: usize, then: usize, otherwise: Option<usize> },
    /// `with X.f({a}) as {x}: {body}`
    With { target: Option<usize>, body: usize },
    /// `for {x} in X.f({a}): {body}`
    For { target: usize, body: usize },
    /// `@X.f` and `def {name}({params}) -> {result}: {body}`
    Function { name: usize, params: Option<usize>, result: Option<usize>, body: usize },
    /// Statements that begin a text, and `{body}`
    Text { body: usize },
}

impl Form {
    /// Returns `true` if scripts call a function.
    pub(crate) fn is_called(self) -> bool {
        matches!(
            self,
            Form::Call | Form::Subscript | Form::Assign { .. } | Form::With { .. } | Form::For { .. }
        )
    }

    /// The fields that hold statements.
    pub(crate) fn bodies(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Form::With { body, .. }
            | Form::For { body, .. }
            | Form::Function { body, .. }
            | Form::Text { body } => (Some(body), None),
            Form::If { then, otherwise, .. } => (Some(then), otherwise),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The field of the variable that the statement binds.
    pub(crate) fn target(self) -> Option<usize> {
        match self {
            Form::Assign { target } | Form::Bind { target, .. } | Form::For { target, .. } => Some(target),
            Form::With { target, .. } => target,
            _ => None,
        }
    }
}

/// A template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) form: Form,
    /// Name of the function, without the prefix; of a statement of Python or an operator, its word.
    pub(crate) function: String,
    pub(crate) arguments: Vec<Argument>,
    /// The field of variables that is their annotation: `type` of `{x}: {x.type}`.
    pub(crate) annotation: Option<Text>,
    /// The statements that begin a text.
    pub(crate) lines: Vec<String>,
}

impl Template {
    /// The fields that the template has places for, in order.
    pub(crate) fn fields(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().map(|argument| argument.field);
        match self.form {
            Form::Call | Form::Subscript | Form::Operation(_) => arguments.collect(),
            Form::Bind { target, value } => vec![target, value],
            Form::Return { value } => vec![value],
            Form::If { condition, then, otherwise } => {
                [condition, then].into_iter().chain(otherwise).collect()
            }
            Form::Text { body } => vec![body],
            Form::Assign { target } => std::iter::once(target).chain(arguments).collect(),
            Form::With { target, body } => arguments.chain(target).chain([body]).collect(),
            Form::For { target, body } => std::iter::once(target).chain(arguments).chain([body]).collect(),
            Form::Function { name, params, result, body } => {
                arguments.chain([name]).chain(params).chain(result).chain([body]).collect()
            }
        }
    }

    /// The call of an operator or node: required fields by position, others by keyword.
    pub(crate) fn call(function: &str, fields: impl Iterator<Item = (usize, Pass)>) -> Template {
        let arguments = fields.map(|(field, pass)| Argument { field, pass }).collect();
        Template {
            form: Form::Call,
            function: function.to_owned(),
            arguments,
            annotation: None,
            lines: Vec::new(),
        }
    }

    /// The text in messages.
    pub(crate) fn shown(&self, prefix: &str) -> String {
        match self.form {
            Form::Operation(_) => format!("the operator `{}`", self.function),
            Form::Bind { .. } | Form::Return { .. } | Form::If { .. } => {
                format!("the statement `{}`", self.function)
            }
            Form::Text { .. } => format!("the text that begins with `{}`", self.function),
            _ => format!("the text `{prefix}.{}(..)`", self.function),
        }
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
    let mut reader = Reader {
        ast: &parsed.ast,
        text,
        entry,
        prefix,
        fields,
        placeholders: &placeholders,
        annotation: None,
        mistakes,
    };
    let template = reader.template()?;
    Some(Template { annotation: reader.annotation, ..template })
}

fn refuse<T>(
    text: &Text,
    entry: &str,
    reason: &str,
    range: Range<usize>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let kind = DescriptionErrorKind::Assembly { entry: entry.to_owned(), reason: reason.to_owned() };
    let help = "a template is `X.f({a}, key={b})`, `X.F[{a}]`, `{a} + {b}`, `{out} = X.f({a})`, `{out} = {value}`, `return {value}`, \
                `if {condition}: {body}`, `with X.f({a}): {body}`, `for {i} in X.f({a}): {body}`, or `@X.f` above `def \
                {name}({params}): {body}`";
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
        let is_name = !name.is_empty()
            && name.split('.').count() <= 2
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if !is_name {
            return Err((format!("has the placeholder `{{{name}}}`, which is not a name"), start..end));
        }
        python.push_str(before);
        python.push('_');
        python.push_str(&name.replace('.', "_"));
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
    annotation: Option<Text>,
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
        let (statement, lines) = match self.ast.module_body() {
            [statement] => (statement, [].as_slice()),
            [lines @ .., body] if !lines.is_empty() => (body, lines),
            _ => {
                let range = 0..self.text.text.len();
                return self.refuse("is not a statement", range);
            }
        };
        if !lines.is_empty() {
            return self.text(lines, *statement);
        }
        let range = self.range(*statement);
        let (form, call) = match *self.ast.stmt(*statement) {
            Stmt::Expr(stmt) => match *self.ast.expr(stmt.value) {
                Expr::Subscript { .. } => (Form::Subscript, stmt.value),
                ref expr => match operators::of(self.ast, expr) {
                    Some((kind, word, operands)) => return self.operation(kind, word, &operands, range),
                    None => (Form::Call, stmt.value),
                },
            },
            Stmt::Assign(stmt) => match self.ast.list(stmt.targets) {
                [target] if self.is_slot(stmt.value) => {
                    let (target, value) = (self.slot_of(*target)?, self.slot_of(stmt.value)?);
                    return Some(self.word(Form::Bind { target, value }, "="));
                }
                [target] => (Form::Assign { target: self.slot_of(*target)? }, stmt.value),
                _ => return self.refuse("assigns to several targets", range),
            },
            Stmt::AnnAssign(stmt) => {
                let target = self.slot_of(stmt.target)?;
                self.annotation_of(target, stmt.annotation)?;
                let Some(value) = stmt.value else { return self.refuse("assigns no value", range) };
                let value = self.slot_of(value)?;
                return Some(self.word(Form::Bind { target, value }, "="));
            }
            Stmt::Return(stmt) => {
                let Some(value) = stmt.value else { return self.refuse("returns no `{value}`", range) };
                let value = self.slot_of(value)?;
                return Some(self.word(Form::Return { value }, "return"));
            }
            Stmt::If(stmt) => {
                let [clause] = self.ast.list(stmt.clauses) else {
                    return self.refuse("has `elif`, which is an `if` in the statements after `else`", range);
                };
                let condition = self.slot_of(clause.test)?;
                let then = self.ast.list(clause.body).to_vec();
                let then = self.body(&then, range.clone())?;
                let otherwise = self.ast.list(stmt.orelse).to_vec();
                let otherwise = match otherwise.is_empty() {
                    true => None,
                    false => Some(self.body(&otherwise, range)?),
                };
                return Some(self.word(Form::If { condition, then, otherwise }, "if"));
            }
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
                    [param] if param.default.is_none() => {
                        let text = self.ast.name(param.name).to_owned();
                        let field = self.named(&text, &range)?;
                        if let Some(annotation) = param.annotation {
                            self.annotation_of(field, annotation)?;
                        }
                        Some(field)
                    }
                    _ => return self.refuse("has more than `{params}` between the parentheses", range),
                };
                let result = match stmt.returns {
                    Some(result) => Some(self.slot_of(result)?),
                    None => None,
                };
                let body = self.ast.list(stmt.body).to_vec();
                (Form::Function { name, params, result, body: self.body(&body, range)? }, decorator)
            }
            _ => return self.refuse("is another statement", range),
        };
        let (function, arguments) = self.callee(call, matches!(form, Form::Function { .. }))?;
        let template = Template { form, function, arguments, ..self.word(form, "") };
        self.once(template)
    }

    fn word(&self, form: Form, word: &str) -> Template {
        Template { form, ..Template::call(word, std::iter::empty()) }
    }

    /// `ib = rx.Builder()` and `{body}`.
    fn text(&mut self, lines: &[StmtId], body: StmtId) -> Option<Template> {
        let body = self.body(&[body], 0..self.text.text.len())?;
        let text = |id: &StmtId| self.text.text.get(self.range(*id)).unwrap_or_default().to_owned();
        let lines: Vec<String> = lines.iter().map(text).collect();
        let first = lines.first().cloned().unwrap_or_default();
        if first.contains('{') {
            return self.refuse("begins with a placeholder", 0..first.len());
        }
        Some(Template { lines, ..self.word(Form::Text { body }, &first) })
    }

    /// `{a} + {b}`.
    fn operation(
        &mut self,
        kind: OperationKind,
        word: &str,
        operands: &[ExprId],
        range: Range<usize>,
    ) -> Option<Template> {
        if operands.len() != kind.arity() {
            return self.refuse("has another number of operands", range);
        }
        let slots: Option<Vec<usize>> = operands.iter().map(|operand| self.slot_of(*operand)).collect();
        let arguments = slots?.into_iter().map(|field| Argument { field, pass: Pass::Position });
        let template = Template { arguments: arguments.collect(), ..self.word(Form::Operation(kind), word) };
        self.once(template)
    }

    fn is_slot(&self, at: ExprId) -> bool {
        self.placeholders.contains(&self.range(at))
    }

    /// The annotation `{x.type}` of the variable `{x}`.
    fn annotation_of(&mut self, variable: usize, annotation: ExprId) -> Option<()> {
        let range = self.range(annotation);
        let name = self.fields.get(variable).copied().unwrap_or_default();
        let text = self.text.text.get(range.clone()).unwrap_or_default();
        let field = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let field = field.and_then(|text| text.strip_prefix(name)).and_then(|text| text.strip_prefix('.'));
        match field {
            Some(field) => {
                self.annotation = Some(Text::implied(field, &self.text.part(range)));
                Some(())
            }
            None => {
                let reason = format!(
                    "has `{text}` as an annotation, which is not a field of the variable, such as `{{{name}.type}}`"
                );
                self.refuse(&reason, range)
            }
        }
    }

    /// A template that has each placeholder once.
    fn once(&mut self, template: Template) -> Option<Template> {
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
        let mut subscripts = Vec::new();
        let (func, args, keywords) = match *self.ast.expr(call) {
            Expr::Call { func, args, keywords } => (func, Some(args), Some(keywords)),
            Expr::Subscript { value, index, .. } => {
                subscripts = match *self.ast.expr(index) {
                    Expr::Tuple { elts } => self.ast.list(elts).to_vec(),
                    _ => vec![index],
                };
                (value, None, None)
            }
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
        for arg in args.map(|args| self.ast.list(args).to_vec()).unwrap_or(subscripts) {
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
