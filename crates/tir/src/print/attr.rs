//! Attribute statements, including thread launches.

use hashbrown::HashMap;
use smallvec::SmallVec;
use tvmscript_docsifier::doc::{Doc, ExprDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame};
use tvmscript_ir::print::data;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{DataType, Object, PathId, Ref, Value, field};
use tvmscript_prim::ops::is_zero;
use tvmscript_prim::{IntImm, PrimExprExt, Var, ops};

use super::alloc::{deep_equal, realize_call};
use super::state::TirDocsifier;
use super::stmt::{Scope, body, may_be_concise};
use super::var;
use crate::node::{AttrStmt, BufferRealize, IterType, IterVar, StmtRef};

/// The printed head of an attribute statement.
struct Opening<'a> {
    context: ExprDoc,
    /// The thread whose variable the statement defines.
    defines: Option<&'a Ref<IterVar>>,
    body: &'a StmtRef,
    body_path: PathId,
}

/// `T.attr(node, "key", value)`, `tx = T.launch_thread("threadIdx.x", 32)`, `T.realize(A[0:4], "shared")`
pub(crate) fn attr_stmt(node: &Ref<AttrStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Doc> {
    let concise = may_be_concise(node, path, d);
    let Opening { context, defines, body: inner, body_path } = opening(node, path, d)?;
    let frame = Frame::new(Some(node.object().clone()), ());
    let (target, stmts) = d.with_open_frame(frame, |d| {
        let target = match defines {
            Some(thread) => {
                d.set_thread(thread);
                Some(var::define(&thread.var, d)?)
            }
            None => None,
        };
        body(inner, body_path, d)?;
        Ok(target)
    })?;
    let scope = Scope::plain(concise, target, context, d);
    Ok(scope.close(stmts, path, d))
}

fn opening<'a>(node: &'a Ref<AttrStmt>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<Opening<'a>> {
    let AttrStmt { span: _, node: subject, attr_key, value, body } = &**node;
    let body_path = d.field(path, field!(AttrStmt, body));
    if let Some(realize) = realized(node) {
        let scope = d.part(value, path, field!(AttrStmt, value))?;
        let context = realize_call(realize, Some(scope), body_path, d)?;
        let body_path = d.field(body_path, field!(AttrStmt, body));
        return Ok(Opening { context, defines: None, body: &realize.body, body_path });
    }
    if let Some(thread) = launched_thread(node)
        && let Some((context, defines)) = launch_thread(node, thread, path, d)?
    {
        return Ok(Opening { context, defines: defines.then_some(thread), body, body_path });
    }
    let subject = attribute_node(subject, path, d)?;
    let key = d.docs.str(attr_key.as_str());
    let key = d.at_field(key, path, field!(AttrStmt, attr_key));
    let value = d.part(value, path, field!(AttrStmt, value))?;
    let context = d.call_t("attr", &[subject, key, value]);
    Ok(Opening { context, defines: None, body, body_path })
}

/// The object that an attribute is about.
///
/// # Errors
/// If it cannot be written.
pub fn attribute_node(subject: &Value, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let at = d.field(path, field!(AttrStmt, node));
    match subject {
        // The parser converts a plain number to a literal here.
        Value::Node(node) if node.is::<IntImm>() => d.expr_object(node, at),
        other => data(other, at, d),
    }
}

/// The realized region whose storage scope the attribute specifies.
fn realized(node: &AttrStmt) -> Option<&Ref<BufferRealize>> {
    let realize = node.body.downcast_ref::<BufferRealize>()?;
    let about = matches!(&node.node, Value::Node(o) if o.ptr_eq(realize.buffer.object()));
    (about && node.attr_key == "realize_scope").then_some(realize)
}

/// The thread, if `T.launch_thread` creates exactly this attribute.
fn launched_thread(node: &AttrStmt) -> Option<&Ref<IterVar>> {
    let thread = node.launched_thread()?;
    let IterVar { dom, var, iter_type, thread_tag: _ } = &**thread;
    let same_domain = dom.as_ref().is_some_and(|dom| {
        is_zero(&dom.min)
            && dom.min.dtype() == dom.extent.dtype()
            && dom.extent.dtype() == var.dtype
            && (deep_equal(&dom.extent, &node.value)
                || ops::cast(var.dtype, node.value.clone())
                    .is_ok_and(|value| deep_equal(&dom.extent, &value)))
    });
    let is_launched = node.attr_key == thread.launch_key()
        && same_domain
        && *iter_type == IterType::ThreadIndex
        && var.dtype.is_scalar();
    is_launched.then_some(thread)
}

/// `T.launch_thread(tx, 32)`, and whether the statement defines the thread's variable. `None` if the variable is
/// already defined otherwise.
fn launch_thread(
    node: &Ref<AttrStmt>,
    thread: &Ref<IterVar>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<Option<(ExprDoc, bool)>> {
    let variable = &thread.var;
    let thread_path = d.field(path, field!(AttrStmt, node));
    let mut defines = false;
    let subject = if d.is_defined(variable.object()) {
        match d.tir().thread_of(variable) {
            Some(known) if is_same_thread(&known, thread) => {}
            // A text between passes does not show the name of such a thread.
            None if thread.thread_tag.as_str().is_empty() && d.syntax().may_be_ill_formed => {}
            _ => return Ok(None),
        }
        d.part(variable, thread_path, field!(IterVar, var))?
    } else if variable.dtype == node.value.dtype() && d.is_around_all_uses(node.object(), variable.object()) {
        defines = true;
        let tag = d.docs.str(thread.thread_tag.as_str());
        d.at_field(tag, thread_path, field!(IterVar, thread_tag))
    } else {
        let at = d.field(thread_path, field!(IterVar, var));
        let tag = d.field(thread_path, field!(IterVar, thread_tag));
        env_thread(thread, at, Some(tag), d)?;
        d.expr(variable, at)?
    };
    let extent = d.part(&node.value, path, field!(AttrStmt, value))?;
    let callee = d.t("launch_thread");
    Ok(Some((d.docs.call_args(callee, &[subject, extent]), defines)))
}

/// Returns `true` if the parser would create both launches with the same thread.
fn is_same_thread(a: &IterVar, b: &IterVar) -> bool {
    let same_extent = match (&a.dom, &b.dom) {
        (Some(a), Some(b)) => deep_equal(&a.extent, &b.extent),
        _ => false,
    };
    a.thread_tag == b.thread_tag && same_extent
}

/// The first thread that a statement below the printed root launches with this variable.
pub(crate) fn launched_with(variable: &Ref<Var>, d: &mut Docsifier<'_>) -> Option<Ref<IterVar>> {
    d.region_fact(Launched::new).0.get(&variable.object().address()).cloned()
}

/// The launched threads by the address of their variable.
struct Launched(HashMap<usize, Ref<IterVar>>);

impl Launched {
    fn new(root: &Object) -> Launched {
        let mut launched = HashMap::new();
        let _ = Visitor::new().pre_order(root, |object| {
            if let Some(node) = object.as_node::<AttrStmt>()
                && let Some(thread) = launched_thread(node)
            {
                launched.entry(thread.var.object().address()).or_insert_with(|| thread.clone());
            }
            Walk::Advance
        });
        Launched(launched)
    }
}

/// Declares `tx = T.env_thread("threadIdx.x")` where all its uses can see it; `tag` is the path of the tag, if it is
/// printed here.
pub(crate) fn env_thread(
    thread: &Ref<IterVar>,
    path: PathId,
    tag: Option<PathId>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<()> {
    let hint = thread.var.name.get();
    d.declare_free(thread.var.object(), &hint, |d| {
        d.set_thread(thread);
        let name = var::define(&thread.var, d)?;
        let name = d.at(name, path);
        let mut doc = d.docs.str(thread.thread_tag.as_str());
        if let Some(tag) = tag {
            doc = d.at(doc, tag);
        }
        let callee = d.t("env_thread");
        let mut args: SmallVec<[ExprDoc; 2]> = SmallVec::from_slice(&[doc]);
        if thread.var.dtype != DataType::INT32 {
            args.push(d.dtype(thread.var.dtype));
        }
        let value = d.docs.call_args(callee, &args);
        let stmt = d.docs.bind(name, value);
        d.docs.set_role(stmt, StmtRole::DefineName);
        d.push_stmt(stmt);
        Ok(())
    })
}
