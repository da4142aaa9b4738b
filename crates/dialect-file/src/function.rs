//! Functions and statements of a dialect with a decorator of its own.

use tvmscript_docsifier::doc::StmtList;
use tvmscript_docsifier::{Docsifier, DocsifyResult, NodeField, Signature};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{FieldRef, Object, ObjectLike as _, PathId, Str, Value};
use tvmscript_irbuilder::{
    BuildError, BuildResult, Builder, CallArgs, Frame, PendingFrame, ScriptFn, ScriptValue, try_name,
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
    result: Value,
    /// Fields of the arguments of the decorator.
    arguments: Vec<(usize, Value)>,
    params: Vec<Value>,
    body: Vec<Value>,
}

impl Frame for FunctionFrame {
    fn name(&self) -> &'static str {
        self.node.full
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let FunctionFrame { node, name, result, mut arguments, params, body } = *self;
        let parts = [
            (&node.name, name),
            (&node.params, list(params)),
            (&node.body, list(body)),
            (&node.returns, result),
        ];
        arguments.extend(parts.into_iter().filter_map(|(place, value)| Some((place.as_ref()?.field, value))));
        Builder::set_result(node.with(&arguments)?)
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        self.node.take_stmt(stmt, &mut self.body)
    }
}

/// Reads a decorated function.
pub(crate) fn define(
    node: &'static NodeText,
    function: &'static ScriptFn,
    p: &mut Parser<'_>,
    definition: &Definition<FunctionDef>,
) -> EvalResult<Option<ScriptValue>> {
    let bound = node.bind_arguments(function, definition.args.clone());
    let bound = p.checked(definition.decorator, bound)?;
    let fields = node.arguments.iter().map(|argument| argument.field);
    let arguments = fields.filter_map(|field| Some((field, bound.get(field)?.clone()))).collect();
    let returns = |p: &mut Parser<'_>| {
        let value = match definition.stmt.returns {
            Some(at) => p.eval(at)?,
            None => ScriptValue::None,
        };
        let Some(place) = &node.returns else {
            return match definition.stmt.returns {
                Some(at) => Err(p.error(at, ParseErrorKind::expected("no return type", "one"))),
                None => Ok(()),
            };
        };
        let converted = place.convert.value(value);
        let result = match definition.stmt.returns {
            Some(at) => p.checked(at, converted)?,
            None => p.checked(definition.id, converted)?,
        };
        let set = Builder::with_top::<FunctionFrame, _>(|frame| frame.result = result);
        p.checked(definition.id, set).map(drop)
    };
    let frame = |name: &str| {
        PendingFrame::value(FunctionFrame {
            node,
            name: Value::str(name),
            result: Value::None,
            arguments,
            params: Vec::new(),
            body: Vec::new(),
        })
    };
    defaults::function_of(p, definition, frame, |name, annotation| parameter(node, name, annotation), returns)
}

/// Adds a parameter `name: Prefix.Variable` to the open function.
fn parameter(node: &NodeText, name: &str, annotation: Option<ScriptValue>) -> BuildResult<ScriptValue> {
    let class = node.params.as_ref().and_then(|params| params.class);
    if let (Some(params), Some(_)) = (&node.params, &node.annotation) {
        let variable = node.variable(params, annotation)?;
        return add_parameter(name, variable);
    }
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
    add_parameter(name, variable)
}

fn add_parameter(name: &str, variable: Object) -> BuildResult<ScriptValue> {
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
    let decorator = print::call(node, object, path, d)?;
    let ((params, returns), body) = d.in_scope(object, |d| {
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
                let annotation = print::annotation(loaded, node, variable, at, d)?;
                params.push(d.docs.assign(name, None, Some(annotation))?);
            }
        }
        let returns = match &node.returns {
            Some(place) if !matches!(object.field(place.field), FieldRef::None) => {
                Some(print::part(Some(place), object, path, d)?)
            }
            _ => None,
        };
        print::push_body(node.body.as_ref(), object, path, d)?;
        Ok((params, returns))
    })?;
    let name = node.name.as_ref().map(|name| (name, object.field(name.field)));
    let (name, at) = match name {
        Some((place, FieldRef::Node(text))) => (Str::try_ref(text).cloned(), d.field(path, place.name)),
        _ => (None, path),
    };
    let name = name.unwrap_or_else(|| Str::new("main"));
    let header = loaded.has_header;
    let signature = Signature { decorator, parameters: &params, returns, has_header: header };
    d.script_function_of(object, NodeField { value: &name, path: at }, signature, &body)
}
