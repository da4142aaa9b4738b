//! The text of nodes of a loaded dialect.

use tvmscript_docsifier::doc::{ExprDoc, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult, text_of};
use tvmscript_ir_core::containers::ArrayNode;
use tvmscript_ir_core::{EqKind, FieldRef, Object, PathId, Value, for_each_child};

use crate::load::Loaded;
use crate::node::{Annotation, Argument, Convert, NodeText, Passing, Place};
use crate::template::Form;

/// Name of variables without a name.
const HINT: &str = "v";

/// The call of an expression, or the name of a variable.
pub(crate) fn expression(
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    if !node.is_variable {
        return call(node, object, path, d);
    }
    if let Some(name) = d.defined_doc(object)? {
        return Ok(name);
    }
    let declaration = call(node, object, path, d)?;
    d.variable(object, HINT, |_| declaration)
}

/// A statement.
pub(crate) fn statement(
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    match node.form {
        Form::Bind { .. } => {
            let Some((place, variable)) = target(node, object) else {
                return Err(DocsifyError::unwritable(object, "it binds no variable"));
            };
            let value = part(node.value.as_ref(), object, path, d)?;
            let annotation = match &node.annotation {
                Some(annotation) => {
                    let at = d.field(path, place.name);
                    annotation_of(annotation, variable, at, d)?
                }
                None => None,
            };
            let name = define(place, variable, object, path, d)?;
            match annotation {
                Some(annotation) => Ok(d.docs.assign(name, Some(value), Some(annotation))?),
                None => Ok(d.docs.bind(name, value)),
            }
        }
        Form::Return { .. } => {
            let value = part(node.value.as_ref(), object, path, d)?;
            Ok(d.docs.return_(value))
        }
        Form::If { .. } => {
            let condition = part(node.value.as_ref(), object, path, d)?;
            let then = d.in_scope(object, |d| push_body(node.body.as_ref(), object, path, d))?.1;
            let otherwise = d.in_scope(object, |d| push_body(node.otherwise.as_ref(), object, path, d))?.1;
            if then.is_empty() && otherwise.is_empty() {
                return Err(DocsifyError::unwritable(object, "it has no statements"));
            }
            Ok(d.docs.if_(condition, &then, &otherwise)?)
        }
        Form::Call | Form::Subscript | Form::Operation(_) | Form::Text { .. } | Form::Function { .. } => {
            let call = call(node, object, path, d)?;
            Ok(d.docs.expr_stmt(call))
        }
        Form::Assign { .. } => {
            let value = call(node, object, path, d)?;
            let Some((place, variable)) = target(node, object) else {
                return Err(DocsifyError::unwritable(object, "it binds no variable"));
            };
            let name = define(place, variable, object, path, d)?;
            Ok(d.docs.bind(name, value))
        }
        Form::With { .. } => {
            let (name, stmts) = scope(node, object, path, d)?;
            let context = call(node, object, path, d)?;
            Ok(d.docs.scope(name, context, &stmts))
        }
        Form::For { .. } => {
            let (name, stmts) = scope(node, object, path, d)?;
            let iter = call(node, object, path, d)?;
            match name {
                Some(name) => Ok(d.docs.for_(name, iter, &stmts)),
                None => Err(DocsifyError::unwritable(object, "it binds no variable")),
            }
        }
    }
}

/// Defines the variable of a binding.
fn define(
    place: &Place,
    variable: &Object,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let hint = hint(variable);
    if d.is_defined(variable) {
        let reason = format!("`{hint}` is used or bound before this statement");
        return Err(DocsifyError::unwritable(object, reason));
    }
    let frame = d.frame_of_free(variable).unwrap_or(d.frame_count().saturating_sub(1));
    let name = d.in_frame(frame, |d| d.define(variable, hint))?;
    Ok(d.at_field(name, path, place.name))
}

/// The value of a field that a template has a place for.
pub(crate) fn part(
    place: Option<&Place>,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let Some(place) = place else { return Err(DocsifyError::unwritable(object, "it has no value")) };
    let path = d.field(path, place.name);
    print(object.field(place.field), &place.convert, path, d)
}

/// The annotation of a variable; `None` if its field is empty.
fn annotation_of(
    annotation: &Annotation,
    variable: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<ExprDoc>> {
    match variable.field(annotation.field) {
        FieldRef::None => Ok(None),
        value => {
            let path = d.field(path, annotation.name);
            Ok(Some(print(value, &annotation.convert, path, d)?))
        }
    }
}

/// The statements of a text that begins with a statement.
pub(crate) fn whole_text(
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtList> {
    let ((), body) = d.in_scope(object, |d| push_body(node.body.as_ref(), object, path, d))?;
    let mut stmts = Vec::with_capacity(body.len() + node.lines.len());
    for line in node.lines {
        let line = d.docs.id(*line);
        stmts.push(d.docs.expr_stmt(line));
    }
    stmts.extend(body);
    Ok(d.docs.block(&stmts))
}

pub(crate) fn hint(variable: &Object) -> &str {
    variable.name_cell().map_or(HINT, |name| name.written_or(HINT))
}

fn target<'n>(node: &'n NodeText, object: &'n Object) -> Option<(&'n Place, &'n Object)> {
    let place = node.target.as_ref()?;
    match object.field(place.field) {
        FieldRef::Node(variable) => Some((place, variable)),
        _ => None,
    }
}

/// The target and the statements of a scope.
fn scope(
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<(Option<ExprDoc>, Vec<StmtDoc>)> {
    d.in_scope(object, |d| {
        let name = match target(node, object) {
            Some((place, variable)) => {
                let name = d.define(variable, hint(variable))?;
                Some(d.at_field(name, path, place.name))
            }
            None => None,
        };
        push_body(node.body.as_ref(), object, path, d)?;
        Ok(name)
    })
}

/// Appends the statements of a body to the innermost frame.
pub(crate) fn push_body(
    body: Option<&Place>,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    if let Some(body) = body
        && let FieldRef::Node(list) = object.field(body.field)
        && let Some(list) = list.as_node::<ArrayNode>()
    {
        let at = d.field(path, body.name);
        for (index, item) in list.items().iter().enumerate() {
            let Some(item) = item.as_object() else { continue };
            let at = d.item(at, index);
            let doc = d.doc(item, at)?;
            d.push_doc(doc);
        }
    }
    Ok(())
}

/// The annotation of a parameter: the function of its variable node, or a call of it if the node has fields.
pub(crate) fn annotation(
    loaded: &Loaded,
    function: &NodeText,
    variable: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    if let Some(annotation) = &function.annotation {
        let found = annotation_of(annotation, variable, path, d)?;
        return found.ok_or_else(|| DocsifyError::unwritable(variable, "it has no annotation"));
    }
    let Some(node) = loaded.text_of(variable.info()) else {
        return Err(DocsifyError::unwritable(variable, "its type has no text"));
    };
    match node.arguments.is_empty() {
        true => Ok(d.prefixed(node.dialect, node.function)),
        false => call(node, variable, path, d),
    }
}

/// The call of the function of a node.
pub(crate) fn call(
    node: &NodeText,
    object: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let mut args = Vec::with_capacity(node.arguments.len());
    let mut keywords: Vec<(&str, ExprDoc)> = Vec::new();
    // Arguments by position are left out from the end.
    let is_given = |argument: &Argument| {
        argument.passing != Passing::Position
            || argument.default.as_ref().is_none_or(|default| !is_same(default, object.field(argument.field)))
    };
    let by_position =
        node.arguments.iter().take_while(|argument| argument.passing == Passing::Position).count();
    let has_rest = node.arguments.iter().any(|argument| argument.passing == Passing::Star);
    let last = match has_rest {
        true => by_position,
        false => {
            let given = node.arguments.iter().take(by_position).rposition(is_given);
            given.map_or(0, |last| last + 1)
        }
    };
    for (index, argument) in node.arguments.iter().enumerate() {
        if index >= last && argument.passing == Passing::Position {
            continue;
        }
        let value = object.field(argument.field);
        let path = d.field(path, argument.field_name);
        match argument.passing {
            Passing::Position => args.push(print(value, &argument.convert, path, d)?),
            Passing::Star => {
                let FieldRef::Node(list) = value else { continue };
                if let Some(list) = list.as_node::<ArrayNode>() {
                    args.extend(items(list, &argument.convert, path, d)?);
                }
            }
            Passing::Keyword => {
                let is_default = argument.default.as_ref().is_some_and(|default| is_same(default, value));
                if !is_default {
                    let doc = d.keyword_value(|d| print(value, &argument.convert, path, d))?;
                    keywords.push((argument.name, doc));
                }
            }
        }
    }
    if let Form::Operation(kind) = node.form {
        return Ok(d.docs.operation(kind, &args)?);
    }
    let callee = d.prefixed(node.dialect, node.function);
    if node.form == Form::Subscript {
        return Ok(d.docs.index(callee, &args));
    }
    // A decorator without arguments.
    if matches!(node.form, Form::Function { .. }) && args.is_empty() && keywords.is_empty() {
        return Ok(callee);
    }
    Ok(match keywords.is_empty() {
        true => d.docs.call_args(callee, &args),
        false => d.docs.call(callee, &args, &keywords),
    })
}

fn items(
    list: &ArrayNode,
    item: &Convert,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Vec<ExprDoc>> {
    let mut docs = Vec::with_capacity(list.items().len());
    for (index, value) in list.items().iter().enumerate() {
        let path = d.item(path, index);
        docs.push(print(value.as_field(), item, path, d)?);
    }
    Ok(docs)
}

/// The value of a field.
fn print(value: FieldRef<'_>, of: &Convert, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let FieldRef::Node(object) = value else { return d.value(&value.to_value(), path) };
    match of {
        Convert::Optional(inner) => print(value, inner, path, d),
        Convert::Either(all) => match all.iter().find(|one| one.fits(value)) {
            Some(one) => print(value, one, path, d),
            None => d.expr_object(object, path),
        },
        Convert::Enum(of) => {
            let text = text_of(object).unwrap_or_default();
            let doc = match of.path {
                Some(group) => d.prefixed(of.dialect, &format!("{group}{text}")),
                None => {
                    match of.values.iter().position(|value| value == text).and_then(|at| of.words.get(at)) {
                        Some(word) => d.word(word),
                        None => {
                            return Err(DocsifyError::unwritable(object, "it is not a value of the enum"));
                        }
                    }
                }
            };
            Ok(d.at(doc, path))
        }
        Convert::Str => {
            let doc = d.docs.str(text_of(object).unwrap_or_default());
            Ok(d.at(doc, path))
        }
        Convert::List(item) => match object.as_node::<ArrayNode>() {
            Some(list) => {
                let items = items(list, item, path, d)?;
                let doc = d.docs.list(&items);
                Ok(d.at(doc, path))
            }
            None => d.expr_object(object, path),
        },
        // A bare number would read as a number of Python, not as a node.
        Convert::Expr | Convert::Typed | Convert::Node | Convert::Class(_) if is_literal(object) => {
            d.typed(|d| d.expr_object(object, path))
        }
        _ => d.expr_object(object, path),
    }
}

/// Returns `true` for an expression without parts, such as a number.
fn is_literal(object: &Object) -> bool {
    let mut has_parts = false;
    for_each_child(object, |child| has_parts |= text_of(child).is_none());
    !has_parts && object.info().eq_kind() != EqKind::FreeVar
}

/// Returns `true` if a field has its default value.
fn is_same(default: &Value, value: FieldRef<'_>) -> bool {
    match (default, value) {
        (Value::None, FieldRef::None) => true,
        (Value::Bool(a), FieldRef::Bool(b)) => *a == b,
        (Value::Int(a), FieldRef::Int(b)) => *a == b,
        (Value::Float(a), FieldRef::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::DType(a), FieldRef::DType(b)) => *a == b,
        (Value::Node(a), FieldRef::Node(b)) => text_of(a).is_some() && text_of(a) == text_of(b),
        _ => false,
    }
}
