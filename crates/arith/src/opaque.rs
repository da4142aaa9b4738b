//! Nodes of other dialects, such as buffer loads. They have no meaning here, but the expressions in their fields do;
//! reflection finds them.

use smallvec::SmallVec;
use tvmscript_ir_core::{Array, FieldRef, Object, ObjectLike, Ref, Str, Value};
use tvmscript_prim::PrimExpr;

use crate::error::Result;
use crate::expr::Expr;

/// A field that is an expression, or an array of expressions.
pub(crate) enum ExprField<'a> {
    One(&'a Expr),
    Many(&'a Array<Expr>),
}

fn part<'a>(field: FieldRef<'a>) -> Option<ExprField<'a>> {
    let FieldRef::Node(object) = field else { return None };
    match object.downcast_ref::<PrimExpr>() {
        Some(e) => Some(ExprField::One(e)),
        None => Array::<Expr>::try_ref(object).map(ExprField::Many),
    }
}

/// The fields of `e` that hold expressions, with their indices.
fn parts(e: &Expr) -> impl Iterator<Item = (usize, ExprField<'_>)> {
    let object = e.object();
    (0..object.info().fields().len()).filter_map(move |index| Some((index, part(object.field(index))?)))
}

/// The expressions in the fields of `e`, in order.
pub(crate) fn children(e: &Expr) -> SmallVec<[&Expr; 4]> {
    let mut children = SmallVec::new();
    for (_, part) in parts(e) {
        match part {
            ExprField::One(child) => children.push(child),
            ExprField::Many(array) => children.extend(array.iter()),
        }
    }
    children
}

/// Applies `f` to the expressions in the fields of `e`. Returns `e` itself if nothing changes.
pub(crate) fn map_children(e: &Expr, mut f: impl FnMut(&Expr) -> Result<Expr>) -> Result<Expr> {
    let mut changes: SmallVec<[(usize, Value); 2]> = SmallVec::new();
    for (index, part) in parts(e) {
        match part {
            ExprField::One(child) => {
                let new = f(child)?;
                if !new.ptr_eq(child) {
                    changes.push((index, new.into()));
                }
            }
            ExprField::Many(array) => {
                let new = array.iter().map(&mut f).collect::<Result<Vec<_>>>()?;
                if new.iter().zip(array.iter()).any(|(new, old)| !new.ptr_eq(old)) {
                    changes.push((index, Array::new(new).into()));
                }
            }
        }
    }
    if changes.is_empty() {
        return Ok(e.clone());
    }
    let mut object: Object = e.clone().into();
    for (index, value) in changes {
        if object.set_field(index, value).is_err() {
            return Ok(e.clone());
        }
    }
    Ok(object.downcast::<PrimExpr>().unwrap_or_else(|_| e.clone()))
}

/// Returns `true` if two nodes of other dialects differ at most in the expressions in their fields.
pub(crate) fn same_shell(a: &Ref<PrimExpr>, b: &Ref<PrimExpr>) -> bool {
    let (a, b) = (a.object(), b.object());
    if !std::ptr::eq(a.info(), b.info()) {
        return false;
    }
    (0..a.info().fields().len()).all(|index| {
        let (left, right) = (a.field(index), b.field(index));
        match (part(left), part(right)) {
            (Some(ExprField::One(_)), Some(ExprField::One(_))) => true,
            (Some(ExprField::Many(left)), Some(ExprField::Many(right))) => left.len() == right.len(),
            (None, None) => same_value(left, right),
            _ => false,
        }
    })
}

fn same_value(a: FieldRef<'_>, b: FieldRef<'_>) -> bool {
    match (a, b) {
        (FieldRef::None, FieldRef::None) | (FieldRef::Span(_), FieldRef::Span(_)) => true,
        (FieldRef::Bool(a), FieldRef::Bool(b)) => a == b,
        (FieldRef::Int(a), FieldRef::Int(b)) => a == b,
        (FieldRef::Float(a), FieldRef::Float(b)) => a.to_bits() == b.to_bits(),
        (FieldRef::DType(a), FieldRef::DType(b)) => a == b,
        (FieldRef::Node(a), FieldRef::Node(b)) => {
            a.ptr_eq(b) || Str::try_ref(a).is_some_and(|a| Str::try_ref(b).is_some_and(|b| a == b))
        }
        _ => false,
    }
}
