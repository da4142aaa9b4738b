//! Heads of functions: the arguments of the decorator, and annotations whose shapes define variables.

use tvmscript_ir_core::{Array, DataType, Ref, Str, Value};
use tvmscript_irbuilder::{FromScript as _, ScriptValue};
use tvmscript_prim::{Expr, PrimType, Var};
use tvmscript_python_syntax::ast::{Constant, Expr as Ast, ExprId, FunctionDef, Parameter, Stmt};
use tvmscript_script_parser::{Definition, EvalResult, Parser, Shadowing, is_type_variable};
use tvmscript_tir::build::args::ExprArg;
use tvmscript_tir::build::function::{self, Flags};
use tvmscript_tir::build::types::{TypeArg, call_annotation};
use tvmscript_tir::parse::function::{Head, declare_with, define_with};
use tvmscript_tir::parse::handlers::{Handlers, TVM_0_23};

use super::build::TextBuffer;
use super::{FOLDING, PERSISTENT, SCHEDULABLE, assign, view};

/// The handlers of the release.
pub(crate) const HANDLERS: Handlers = Handlers {
    define: |p, definition| FOLDING.with(|| define_with(p, definition, &HEAD)),
    declare: |p, definition| FOLDING.with(|| declare_with(p, definition, &HEAD)),
    assign: assign::assign,
    ann_assign: assign::ann_assign,
    expr_attribute: view::expr_attribute,
    buffer_attribute: view::attribute,
    unknown_call: TVM_0_23.unknown_call,
};

/// The type that type variables have in functions.
const TYPE_VARIABLE: DataType = DataType::INT64;

const HEAD: Head =
    Head { flags, begin, annotation: |p, node, param| annotation(p, node, param, |_, _, _| DataType::INT32) };

/// The type of a variable that the text of a shape defines.
type TypeOfVariable = fn(&mut Parser<'_>, &FunctionDef, &str) -> DataType;

/// The handlers of releases in which text defines shape variables of all types, and their declarations in the body tell
/// the type.
pub(crate) const DECLARED: Handlers = Handlers {
    define: |p, definition| FOLDING.with(|| define_with(p, definition, &DECLARED_HEAD)),
    declare: |p, definition| FOLDING.with(|| declare_with(p, definition, &DECLARED_HEAD)),
    ..HANDLERS
};

const DECLARED_HEAD: Head =
    Head { annotation: |p, node, param| annotation(p, node, param, declared_type), ..HEAD };

/// The type in the declaration `n = T.int64()` of a body.
fn declared_type(p: &mut Parser<'_>, node: &FunctionDef, name: &str) -> DataType {
    declared(p, node, name).unwrap_or(DataType::INT32)
}

fn declared(p: &Parser<'_>, node: &FunctionDef, name: &str) -> Option<DataType> {
    (0..node.body.len()).find_map(|index| {
        let Stmt::Assign(assign) = p.stmt(p.item(node.body, index)?) else { return None };
        let target = p.item(assign.targets, 0)?;
        let pairs = match (p.expr(target), p.expr(assign.value)) {
            (Ast::Tuple { elts: names }, Ast::Tuple { elts: values }) => {
                (0..names.len()).filter_map(|i| Some((p.item(names, i)?, p.item(values, i)?))).collect()
            }
            _ => vec![(target, assign.value)],
        };
        pairs.into_iter().find_map(|(target, value)| {
            let Ast::Name(target) = p.expr(target) else { return None };
            let Ast::Call { func, .. } = p.expr(value) else { return None };
            let Ast::Attribute { attr, .. } = p.expr(func) else { return None };
            if p.name_text(target) != name {
                return None;
            }
            p.name_text(attr).parse::<DataType>().ok().filter(|dtype| dtype.is_integer())
        })
    })
}

fn flags(p: &mut Parser<'_>, definition: &Definition<FunctionDef>) -> EvalResult<Flags> {
    let known = [("private", false), ("check_well_formed", true), ("s_tir", false), ("persistent", false)];
    let [is_private, is_checked, is_schedulable, is_persistent] = p.decorator_flags(definition, known)?;
    if !is_checked {
        p.skip_check(definition);
    }
    let flags = [(SCHEDULABLE, is_schedulable), (PERSISTENT, is_persistent)];
    let set = flags.into_iter().filter(|(_, is_set)| *is_set);
    let attrs = set.map(|(key, _)| (Str::new(key), Value::Bool(true))).collect();
    Ok(Flags { is_private, declares: false, is_raw: !is_schedulable, attrs })
}

/// Defines the type variables of a signature, each as a variable of this function.
fn begin(p: &mut Parser<'_>, node: &FunctionDef) -> EvalResult<()> {
    for index in 0..node.params.len() {
        let Some(Parameter { annotation: Some(at), .. }) = p.item(node.params, index) else { continue };
        let mut names: Vec<_> = p.names_in(at);
        for (_, text) in texts(p, at) {
            // A declaration in the body is another variable than the type variable of the file.
            let is_own = |name: &&str| declared(p, node, name).is_none();
            names.extend(identifiers(&text).filter(is_own).filter_map(|name| p.find_name(name)));
        }
        for name in names {
            if !p.value_of(name).is_some_and(|value| is_type_variable(&value)) {
                continue;
            }
            let text = p.name_str(name);
            if dtype_of_param(p, node, &text).is_some() {
                continue;
            }
            let variable = Var::new(text, TYPE_VARIABLE);
            p.define(name, variable.into(), at, Shadowing::OuterFrames)?;
        }
    }
    Ok(())
}

/// The type of the scalar parameter with a name: `n: T.int64`.
fn dtype_of_param(p: &mut Parser<'_>, node: &FunctionDef, name: &str) -> Option<DataType> {
    for index in 0..node.params.len() {
        let param = p.item(node.params, index)?;
        if p.name_text(param.name) != name {
            continue;
        }
        // Annotations of scalars refer to no names of the signature.
        let at = param.annotation.filter(|at| matches!(p.expr(*at), Ast::Attribute { .. }))?;
        let ty = TypeArg::from_script(p.eval(at).ok()?).ok()?;
        let dtype = ty.0.as_node::<PrimType>()?.dtype;
        return Some(dtype).filter(|dtype| dtype.is_integer());
    }
    None
}

/// The string literals of the shape in an annotation `T.Buffer(shape, ..)`.
fn texts(p: &Parser<'_>, at: ExprId) -> Vec<(ExprId, String)> {
    let Ast::Call { args, keywords, .. } = p.expr(at) else { return Vec::new() };
    let named = (0..keywords.len()).filter_map(|index| p.item(keywords, index));
    let named = named.filter(|keyword| keyword.arg.is_some_and(|name| p.name_text(name) == "shape"));
    let Some(shape) = p.item(args, 0).or_else(|| named.map(|keyword| keyword.value).next()) else {
        return Vec::new();
    };
    let items = match p.expr(shape) {
        Ast::Tuple { elts } | Ast::List { elts } => (0..elts.len()).filter_map(|i| p.item(elts, i)).collect(),
        _ => vec![shape],
    };
    let text = |at: ExprId| match p.expr(at) {
        Ast::Constant(Constant::Str(text)) => Some((at, p.name_text(text).to_owned())),
        _ => None,
    };
    items.into_iter().filter_map(text).collect()
}

/// The names in the text of an expression, without attributes.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut before = None;
    text.split_inclusive(move |c: char| !is_part(c)).filter_map(move |piece| {
        let word = piece.trim_end_matches(|c: char| !is_part(c));
        let is_attribute = before == Some('.');
        before = piece.chars().next_back();
        let is_name = word.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
        (is_name && !is_attribute).then_some(word)
    })
}

/// The annotation of a parameter, with the variables that its shape defines by text.
fn annotation(
    p: &mut Parser<'_>,
    node: &FunctionDef,
    param: Parameter,
    type_of: TypeOfVariable,
) -> EvalResult<ScriptValue> {
    let Some(at) = param.annotation else { return Ok(ScriptValue::None) };
    let texts = texts(p, at);
    let mut defined: Vec<(Str, ScriptValue)> = Vec::new();
    for (_, text) in &texts {
        for name in identifiers(text) {
            let known = p.find_name(name).and_then(|name| p.value_of(name));
            let is_new = known.is_none_or(|value| is_type_variable(&value));
            if !is_new || defined.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let dtype = match dtype_of_param(p, node, name) {
                Some(dtype) => dtype,
                None => type_of(p, node, name),
            };
            let variable = Var::new(name, dtype);
            function::note_matched(&variable);
            if let Some(id) = p.find_name(name) {
                p.define(id, variable.clone().into(), at, Shadowing::OuterFrames)?;
            }
            defined.push((name.into(), variable.into()));
        }
    }
    let value = p.eval(at)?;
    let value = call_annotation(value);
    let value = p.checked(at, value)?;
    if let Some(buffer) = value.as_host::<TextBuffer>() {
        let mut extents: Vec<Expr> = Vec::with_capacity(buffer.shape.len());
        for extent in &buffer.shape {
            let (at, value) = match extent {
                ScriptValue::Str(text) => {
                    let at = texts.iter().find(|(_, own)| text == own.as_str()).map_or(at, |(at, _)| *at);
                    (at, p.eval_quoted(text, &defined, at)?)
                }
                value => (at, value.clone()),
            };
            let value = ExprArg::convert(value);
            extents.push(p.checked(at, value)?);
        }
        let buffer = buffer.with_shape(Array::new(extents));
        return p.checked(at, buffer).map(Into::into);
    }
    Ok(matched(p, param.name, &value).unwrap_or(value))
}

/// The variable that the signature has defined under a name which `value` now declares: `n = T.int32()`.
pub(super) fn matched(
    p: &Parser<'_>,
    name: tvmscript_python_syntax::ast::Name,
    value: &ScriptValue,
) -> Option<ScriptValue> {
    let declared: &Ref<Var> = value.as_node::<Var>()?;
    let known = p.value_of(name)?;
    let variable: &Ref<Var> = known.as_node::<Var>()?;
    let is_same =
        declared.name.get().is_empty() && declared.dtype == variable.dtype && function::is_matched(variable);
    is_same.then(|| known.clone())
}
