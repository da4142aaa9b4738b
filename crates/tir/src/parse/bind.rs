//! Bindings of names: `x = value`, `for x in ..`, `with .. as x`.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, ObjectLike, Ref, Str, Value};
use tvmscript_irbuilder::{HostObject, PendingFrame, ScriptValue};
use tvmscript_prim::{Expr, IntImm, PrimExpr, PrimExprExt, Var};
use tvmscript_python_syntax::ast::{ExprId, HasRange, Name};
use tvmscript_script_parser::{EvalResult, ParseErrorKind, Parser, Shadowing};

use crate::build::args::ExprArg;
use crate::build::loops::loop_over;
use crate::build::{FrameKind, TirFrame};
use crate::node::{Buffer, IterVar};
use crate::syntax::{Flat, TVM_0_23, TirSyntax};

/// A value that `x = T.meta_var(value)` binds without a let.
#[derive(Debug)]
pub struct MetaVar(pub ScriptValue);

impl HostObject for MetaVar {
    fn type_name(&self) -> &str {
        "a meta variable"
    }

    /// Meta variables, so that `a, (b, *c) = T.meta_var((1, (2, 3)))` unpacks.
    fn items(&self) -> Option<Vec<ScriptValue>> {
        Some(self.0.items()?.into_iter().map(|item| ScriptValue::host(MetaVar(item))).collect())
    }
}

/// `x = value`: opens scopes, names variables and buffers, binds other values with a let.
///
/// # Errors
/// If the value cannot be bound.
pub fn assign(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    let value = rejoined(p, name, &value).unwrap_or(value);
    if let Some(declared) = declared(p, name, &value) {
        let value = ExprArg::convert(value);
        let value = p.checked(at, value)?;
        return let_rest(p, at, &declared, value);
    }
    let text = p.name_str(name);
    let bound = bind_value(p, &text, at, value)?;
    p.define(name, bound, at, Shadowing::OuterFrames)
}

/// The buffer that an allocation declares a second time, in texts from between passes: `A = T.alloc_buffer((16,),
/// data=A.data)` allocates the `A` that statements before it use.
fn rejoined(p: &Parser<'_>, name: Name, value: &ScriptValue) -> Option<ScriptValue> {
    let made = value.as_node::<Buffer>().filter(|_| p.syntax().may_be_ill_formed)?;
    let known = p.lookup(name)?.as_node::<Buffer>()?;
    let is_same = !known.ptr_eq(made)
        && known.data.ptr_eq(&made.data)
        && tvmscript_ir_core::structural_equal(known.object(), made.object());
    (is_same && crate::build::buffer::reallocate(made, known)).then(|| known.clone().into())
}

/// The variable that a statement binds which is declared before, `v = T.handle()`. Bindings that are statements may use
/// their variable in the attributes of the function.
fn declared(p: &Parser<'_>, name: Name, value: &ScriptValue) -> Option<Ref<Var>> {
    flat(p)?;
    let value = value.as_node::<PrimExpr>().filter(|value| !value.is::<Var>())?;
    let variable = p.lookup(name)?.as_node::<Var>()?;
    (variable.dtype.is_handle() && value.dtype().is_handle()).then(|| variable.clone())
}

/// The value that a name refers to after `value` is assigned to it.
fn bind_value(p: &mut Parser<'_>, name: &Str, at: ExprId, value: ScriptValue) -> EvalResult<ScriptValue> {
    if let Some(meta) = value.as_host::<MetaVar>() {
        return Ok(meta.0.clone());
    }
    match &value {
        ScriptValue::Tuple(_) | ScriptValue::List(_) => {
            let items = value.items().unwrap_or_default();
            if !items.is_empty() && items.iter().all(|item| item.as_host::<MetaVar>().is_some()) {
                let plain = |item: ScriptValue| item.as_host::<MetaVar>().map(|meta| meta.0.clone());
                return Ok(ScriptValue::list(items.into_iter().filter_map(plain).collect()));
            }
            for (i, item) in items.into_iter().enumerate() {
                let part = Str::from(format!("{name}_{i}"));
                tvmscript_ir_core::with_stack(|| bind_value(p, &part, at, item))?;
            }
            // As in TVM, the lets of the items remain unused: the name refers to the items themselves.
            return Ok(value);
        }
        ScriptValue::Frame(_) => {
            let (entered, open) = p.enter_frame(&value, at)?;
            open.keep_open();
            return named(p, name, at, entered, "an assignment");
        }
        ScriptValue::Node(object) => {
            if object.is::<Buffer>() || object.is::<IterVar>() {
                if let Some(buffer) = object.downcast_ref::<Buffer>() {
                    crate::build::compute::name_block(buffer, name);
                }
                object.give_name(name);
                return Ok(value);
            }
            // A function of the module that contains a fragment.
            if object.is::<GlobalVar>() {
                return Ok(value);
            }
            if let Some(var) = object.as_node::<Var>()
                && (var.name.get().is_empty() || !p.is_bound(object))
            {
                object.give_name(name);
                return Ok(value);
            }
        }
        _ => {}
    }
    let expr = ExprArg::convert(value);
    let expr = p.checked(at, expr)?;
    let var = Var::new(name.clone(), expr.dtype());
    let_rest(p, at, &var, expr)?;
    Ok(var.into())
}

/// Binds a variable for the rest of the scope: with a scope around the rest, or a statement before it.
///
/// # Errors
/// If variable and value differ in type.
pub fn let_rest(p: &mut Parser<'_>, at: impl HasRange + Copy, var: &Ref<Var>, value: Expr) -> EvalResult<()> {
    if let Some(flat) = flat(p) {
        let added = (flat.bind)(var.clone(), value).and_then(TirFrame::add);
        return p.checked(at, added);
    }
    let frame = PendingFrame::value(TirFrame::new(FrameKind::Let { var: var.clone(), value }));
    let (_, open) = p.enter_frame(&frame, at)?;
    open.keep_open();
    Ok(())
}

/// The statements of a release without scopes of bindings and assertions.
pub(super) fn flat(p: &Parser<'_>) -> Option<Flat> {
    syntax(p).flat
}

/// The syntax of the parser's release.
pub(super) fn syntax(p: &Parser<'_>) -> &'static TirSyntax {
    p.registry().map_or(&TVM_0_23, TirSyntax::of)
}

/// Names the result of a frame: variables and buffers, alone or in a list.
fn named(
    p: &mut Parser<'_>,
    name: &Str,
    at: ExprId,
    value: ScriptValue,
    place: &str,
) -> EvalResult<ScriptValue> {
    match &value {
        ScriptValue::Node(object) if object.is::<Var>() || object.is::<Buffer>() => {
            object.give_name(name);
            Ok(value)
        }
        ScriptValue::List(items) => {
            for (i, item) in items.borrow().iter().enumerate() {
                // An index of a broadcast dimension is a constant.
                if item.as_node::<IntImm>().is_none() {
                    named(p, &format!("{name}_{i}").into(), at, item.clone(), place)?;
                }
            }
            Ok(value)
        }
        ScriptValue::Node(object) if Array::<Value>::accepts(object) => Ok(value),
        other => {
            let kind = ParseErrorKind::expected(
                format!("a variable or buffer in {place}"),
                match other {
                    ScriptValue::None => "a scope without a value".to_owned(),
                    other => other.type_name(),
                },
            );
            Err(p.error(at, kind))
        }
    }
}

/// `for x in ..`: loop variables.
pub(super) fn loop_target(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    let text = p.name_str(name);
    let value = used_before(p, name, &value).unwrap_or(value);
    let bound = named(p, &text, at, value, "a `for` statement")?;
    p.define(name, bound, at, Shadowing::OuterFrames)
}

/// The variable of a loop that statements before it use, in texts from between passes. Their printer gives each variable
/// in scope a name of its own, so the same name is the same variable.
fn used_before(p: &Parser<'_>, name: Name, value: &ScriptValue) -> Option<ScriptValue> {
    let own = value.as_node::<Var>().filter(|_| p.syntax().may_be_ill_formed)?;
    let known = p.lookup(name)?;
    let variable = known.as_node::<Var>().filter(|variable| variable.dtype == own.dtype)?;
    loop_over(variable, own).is_ok_and(|replaced| replaced).then(|| known.clone())
}

/// `for i in T.static_range(..)`: a plain number.
pub(super) fn static_target(
    p: &mut Parser<'_>,
    name: Name,
    at: ExprId,
    value: ScriptValue,
) -> EvalResult<()> {
    p.define(name, value, at, Shadowing::OuterFrames)
}

/// `with .. as x`: the result of entering the scope.
pub(super) fn with_target(p: &mut Parser<'_>, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    let text = p.name_str(name);
    let bound = named(p, &text, at, value, "a `with` statement")?;
    p.define(name, bound, at, Shadowing::OuterFrames)
}
