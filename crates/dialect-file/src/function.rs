//! Functions and statements of a dialect with a decorator of its own.

use tvmscript_docsifier::doc::StmtList;
use tvmscript_docsifier::{Docsifier, DocsifyResult, NodeField};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{FieldRef, Object, ObjectLike as _, PathId, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, CallArgs, Frame, PendingFrame, ScriptValue, try_name,
};
use tvmscript_python_syntax::ast::{Expr, ExprStmt, FunctionDef, StmtId};
use tvmscript_script_parser::{Definition, EvalResult, ParseErrorKind, Parser, defaults};

use crate::load::Loaded;
use crate::node::{NodeText, list};
use crate::print;

/// The frame of a function.
struct FunctionFrame {
    node: &'static NodeText,
    name: Value,
    params: Vec<Value>,
    body: Vec<Value>,
}

impl Frame for FunctionFrame {
    fn name(&self) -> &'static str {
        self.node.full
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let FunctionFrame { node, name, params, body } = *self;
        let mut values = vec![Value::None; node.info.fields().len()];
        let parts = [(&node.name, name), (&node.params, list(params)), (&node.body, list(body))];
        let parts = parts.into_iter().filter_map(|(place, value)| Some((place.as_ref()?.field, value)));
        for (field, value) in parts.chain(node.constants.iter().cloned()) {
            if let Some(slot) = values.get_mut(field) {
                *slot = value;
            }
        }
        Builder::set_result(node.make(values)?)
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.node.take_stmt(stmt, &mut self.body)
    }
}

/// Reads a decorated function.
pub(crate) fn define(
    node: &'static NodeText,
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<ScriptValue>> {
    let frame = |name: &str| {
        PendingFrame::value(FunctionFrame {
            node,
            name: Value::str(name),
            params: Vec::new(),
            body: Vec::new(),
        })
    };
    defaults::function(p, definition, frame, |name, annotation| parameter(node, name, annotation))
}

/// Adds a parameter `name: Prefix.Variable` to the open function.
fn parameter(node: &NodeText, name: &str, annotation: Option<ScriptValue>) -> BuildResult<ScriptValue> {
    let class = node.params.as_ref().and_then(|params| params.class);
    let variable = match annotation {
        Some(ScriptValue::Function(function)) => match function.call(CallArgs::default())? {
            ScriptValue::Node(variable) => Some(variable),
            _ => None,
        },
        Some(ScriptValue::Node(variable)) => Some(variable),
        _ => None,
    };
    let (Some(variable), Some(class)) = (variable, class) else {
        let expected = match class {
            Some(class) => format!("`{name}` with a `{}` as its annotation", class.display_key()),
            None => format!("no parameters of `{}`", node.full),
        };
        return Err(BuildError::expected(expected, "another parameter"));
    };
    if !variable.info().is_a(class) {
        let expected = format!("`{name}` with a `{}` as its annotation", class.display_key());
        return Err(BuildError::expected(expected, format!("`{}`", variable.info().display_key())));
    }
    try_name(name, &variable)?;
    Builder::with_top::<FunctionFrame, _>(|frame| frame.params.push(Value::Node(variable.clone())))?;
    Ok(ScriptValue::Node(variable))
}

/// An expression by itself: a call that adds a statement.
pub(crate) fn expression(p: &mut Parser<'_>, _: StmtId, stmt: &ExprStmt) -> EvalResult<()> {
    let is_call = matches!(p.expr(stmt.value), Expr::Call { .. });
    match p.eval(stmt.value)? {
        ScriptValue::None if is_call => Ok(()),
        // The variable that a statement binds, which nothing uses.
        ScriptValue::Node(node) if is_call && node.name_cell().is_some() => Ok(()),
        other => {
            let found = p.describe(&other);
            Err(p.error(stmt.value, ParseErrorKind::expected("a statement", found)))
        }
    }
}

/// The text of a function, with the header of the script.
pub(crate) fn print(
    loaded: &Loaded,
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtList> {
    let (params, body) = d.in_scope(object, |d| {
        let mut params = Vec::new();
        if let Some(place) = &node.params
            && let FieldRef::Node(variables) = object.field(place.field)
            && let Some(variables) = variables.as_node::<ArrayNode>()
        {
            let at = d.field(path, place.name);
            for (index, variable) in variables.items().iter().enumerate() {
                let Some(variable) = variable.as_object() else { continue };
                let name = d.define(variable, print::hint(variable))?;
                let at = d.item(at, index);
                let name = d.at(name, at);
                let annotation = print::annotation(loaded, variable, at, d)?;
                params.push(d.docs.assign(name, None, Some(annotation))?);
            }
        }
        print::push_body(node, object, path, d)?;
        Ok(params)
    })?;
    let name = node.name.as_ref().map(|name| (name, object.field(name.field)));
    let (name, at) = match name {
        Some((place, FieldRef::Node(text))) => (Str::try_ref(text).cloned(), d.field(path, place.name)),
        _ => (None, path),
    };
    let name = name.unwrap_or_else(|| Str::new("main"));
    let decorator = d.prefixed(node.dialect, node.function);
    d.script_function(object, NodeField { value: &name, path: at }, decorator, &params, &body)
}
