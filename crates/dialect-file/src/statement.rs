//! Statements of Python that a dialect describes: bindings, `return`, `if`, and texts that begin with a statement.

use tvmscript_ir_core::{Object, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, Frame, OpenFrame, PendingFrame, ScriptValue, try_name,
};
use tvmscript_python_syntax::ast::{AnnAssign, Assign, Expr, ExprId, If, Name, Return, StmtId, StmtKind};
use tvmscript_script_parser::{EvalResult, ParseErrorKind, Parser, Shadowing, defaults};

use crate::node::{NodeText, list};
use crate::template::Form;

/// `x = value`: a binding, unless the value is a variable without a name.
pub(crate) fn assign(
    text: Option<&'static NodeText>,
    p: &mut Parser<'_>,
    id: StmtId,
    stmt: &Assign,
) -> EvalResult<()> {
    let Some(text) = text else { return defaults::assign(p, id, stmt) };
    let value = p.eval_assigned(stmt.value)?;
    let is_new = |node: &Object| node.name_cell().is_some_and(|hint| hint.text().is_empty());
    let is_bound = match &value {
        ScriptValue::Node(node) => !is_new(node),
        other => text.accepts_value(other),
    };
    let targets = p.ast().list(stmt.targets).to_vec();
    match *targets {
        [target] if is_bound && let Expr::Name(name) = p.expr(target) => {
            bind(text, p, (name, target), None, (value, stmt.value))
        }
        _ => targets.iter().try_for_each(|target| p.unpack(*target, value.clone(), defaults::bind)),
    }
}

/// `x: annotation = value`.
pub(crate) fn annotated(
    text: &'static NodeText,
    p: &mut Parser<'_>,
    id: StmtId,
    stmt: &AnnAssign,
) -> EvalResult<()> {
    let annotation = p.eval(stmt.annotation);
    let (Expr::Name(name), Some(value)) = (p.expr(stmt.target), stmt.value) else {
        let kind = ParseErrorKind::unsupported_statement(StmtKind::AnnAssign, "of this form");
        return Err(p.error(id, kind));
    };
    let result = p.eval_assigned(value)?;
    bind(text, p, (name, stmt.target), Some((annotation?, stmt.annotation)), (result, value))
}

/// Adds a binding and defines the name.
fn bind(
    text: &'static NodeText,
    p: &mut Parser<'_>,
    (name, target): (Name, ExprId),
    annotation: Option<(ScriptValue, ExprId)>,
    (value, at): (ScriptValue, ExprId),
) -> EvalResult<()> {
    let (Form::Bind { .. }, Some(place), Some(of_value)) = (text.form, &text.target, &text.value) else {
        return Err(p.error(target, ParseErrorKind::expected("a statement", "a binding")));
    };
    let converted = of_value.convert.value(value);
    let value = p.checked(at, converted)?;
    let variable = match annotation {
        Some((annotation, at)) => {
            let made = text.variable(place, Some(annotation));
            p.checked(at, made)?
        }
        None => {
            let made = text.variable(place, None);
            p.checked(target, made)?
        }
    };
    let named = try_name(p.name_text(name), &variable);
    p.checked(target, named)?;
    let node = text.with(&[(place.field, Value::Node(variable.clone())), (of_value.field, value)]);
    let added = node.and_then(Builder::add_stmt);
    p.checked(target, added)?;
    p.define(name, ScriptValue::Node(variable), target, Shadowing::SameFrame)
}

/// `return value`.
pub(crate) fn returned(
    text: &'static NodeText,
    p: &mut Parser<'_>,
    id: StmtId,
    stmt: &Return,
) -> EvalResult<()> {
    let value = match stmt.value {
        Some(value) => p.eval(value)?,
        None => ScriptValue::None,
    };
    let Some(of_value) = &text.value else { return Ok(()) };
    let converted = of_value.convert.value(value);
    let value = match stmt.value {
        Some(at) => p.checked(at, converted)?,
        None => p.checked(id, converted)?,
    };
    let added = text.with(&[(of_value.field, value)]).and_then(Builder::add_stmt);
    p.checked(id, added)
}

/// The statements of an `if`.
struct BranchFrame {
    node: &'static NodeText,
    condition: Value,
    then: Vec<Value>,
    otherwise: Vec<Value>,
    is_otherwise: bool,
}

impl Frame for BranchFrame {
    fn name(&self) -> &'static str {
        self.node.function
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let BranchFrame { node, condition, then, otherwise, .. } = *self;
        let parts = [(&node.value, condition), (&node.body, list(then)), (&node.otherwise, list(otherwise))];
        let parts: Vec<_> =
            parts.into_iter().filter_map(|(place, value)| Some((place.as_ref()?.field, value))).collect();
        Builder::add_stmt(node.with(&parts)?)
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        match (self.is_otherwise, &self.node.otherwise) {
            (false, _) => self.node.take_stmt(stmt, &mut self.then),
            (true, Some(_)) => self.node.take_stmt(stmt, &mut self.otherwise),
            (true, None) => Some(stmt),
        }
    }
}

/// `if condition: .. elif .. else: ..`. Names end with their branch.
pub(crate) fn branch(text: &'static NodeText, p: &mut Parser<'_>, id: StmtId, stmt: &If) -> EvalResult<()> {
    let ast = p.ast();
    let clauses = ast.list(stmt.clauses);
    if text.otherwise.is_none() && (clauses.len() > 1 || !stmt.orelse.is_empty()) {
        return Err(p.error(id, ParseErrorKind::unsupported_statement(StmtKind::If, "with `else`")));
    }
    let mut open: Vec<(OpenFrame, ExprId)> = Vec::new();
    let mut result = Ok(());
    for clause in clauses {
        result = result.and_then(|()| {
            let condition = p.eval(clause.test)?;
            let Some(of_value) = &text.value else { return Ok(()) };
            let converted = of_value.convert.value(condition);
            let condition = p.checked(clause.test, converted)?;
            let frame = PendingFrame::value(BranchFrame {
                node: text,
                condition,
                then: Vec::new(),
                otherwise: Vec::new(),
                is_otherwise: false,
            });
            open.push((p.enter_frame(&frame, clause.test)?.1, clause.test));
            p.with_scope(|p| p.visit_all(clause.body))?;
            let turned = Builder::with_top::<BranchFrame, _>(|frame| frame.is_otherwise = true);
            p.checked(clause.test, turned).map(drop)
        });
    }
    if !stmt.orelse.is_empty() {
        result = result.and_then(|()| p.with_scope(|p| p.visit_all(stmt.orelse)));
    }
    for (frame, at) in open.into_iter().rev() {
        result = result.and(p.leave_frame(frame, at));
    }
    result
}

/// The statements of a text that begins with a statement.
struct TextFrame {
    node: &'static NodeText,
    body: Vec<Value>,
}

impl Frame for TextFrame {
    fn name(&self) -> &'static str {
        self.node.function
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let TextFrame { node, body } = *self;
        let place = node.body.as_ref().map(|place| (place.field, list(body)));
        Builder::set_result(node.with(place.as_slice())?)
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.node.take_stmt(stmt, &mut self.body)
    }
}

/// Reads a text that begins with a statement; `body` are the statements after it.
pub(crate) fn whole_text(node: &'static NodeText, p: &mut Parser<'_>, body: &[StmtId]) -> EvalResult<()> {
    let frame = PendingFrame::value(TextFrame { node, body: Vec::new() });
    let at = match (body.first(), p.ast().module_body().first()) {
        (Some(at), _) | (None, Some(at)) => *at,
        (None, None) => return Ok(()),
    };
    p.in_frame(&frame, at, |p, _| {
        p.with_scope(|p| {
            let mut result = Ok(());
            for id in body {
                result = p.visit(*id).and(result);
            }
            result
        })
    })
}

impl NodeText {
    /// A node with these fields; the others have their defaults.
    pub(crate) fn with(&self, parts: &[(usize, Value)]) -> BuildResult<Object> {
        let mut values = vec![Value::None; self.info.fields().len()];
        for (field, value) in self.constants.iter().chain(parts) {
            if let Some(slot) = values.get_mut(*field) {
                *slot = value.clone();
            }
        }
        self.make(values)
    }

    fn accepts_value(&self, value: &ScriptValue) -> bool {
        self.value.as_ref().is_some_and(|of_value| of_value.convert.value(value.clone()).is_ok())
    }

    /// A new variable for a place, without a name, with its annotation.
    pub(crate) fn variable(
        &self,
        place: &crate::node::Place,
        annotation: Option<ScriptValue>,
    ) -> BuildResult<Object> {
        let Some(class) = place.class else {
            return Err(BuildError::message(format!("`{}` binds no variable", self.function)));
        };
        let mut values = place.fresh.clone();
        match (annotation, &self.annotation) {
            (None, _) => {}
            (Some(value), Some(annotation)) => {
                let value = annotation.convert.value(value)?;
                if let Some(slot) = values.get_mut(annotation.field) {
                    *slot = value;
                }
            }
            (Some(_), None) => return Err(BuildError::expected("no annotation", "one")),
        }
        crate::call::construct(class, values)
    }
}
