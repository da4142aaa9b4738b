//! Restriction of struct info to a scope: variables that are unknown there are substituted or erased.

use tvmscript_arith::Analyzer;
use tvmscript_ir_core::mutate::substitute;
use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Array, Object, PtrMap, Ref, Span, with_stack};
use tvmscript_prim::{self as prim, IntImm};

use crate::node::{
    DTensorStructInfo, Expr, PrimStructInfo, ScalarUse, ShapeExpr, ShapeStructInfo, StructInfo,
    TensorStructInfo, TupleStructInfo, Var,
};

/// The value of a scalar variable in the scope; `None` if it is unknown.
pub(crate) type ScalarMap<'a> = &'a dyn Fn(&Ref<prim::Var>) -> Option<prim::Expr>;
/// The value of a shape variable in the scope; `None` if it is unknown.
pub(crate) type ShapeMap<'a> = &'a dyn Fn(&Ref<Var>) -> Option<Expr>;

/// Substitutes the variables of the struct info. A shape with an unknown variable is erased as a whole. Types of
/// functions define their own variables and stay as they are.
pub fn erase_to_well_defined(
    info: &Ref<StructInfo>,
    scalars: ScalarMap<'_>,
    shapes: ShapeMap<'_>,
    analyzer: &mut Analyzer,
) -> Ref<StructInfo> {
    erase(info, scalars, shapes, analyzer, &mut Memo::default())
}

/// Like [`erase_to_well_defined`]; memoized, so that shared tuples stay shared.
fn erase(
    info: &Ref<StructInfo>,
    scalars: ScalarMap<'_>,
    shapes: ShapeMap<'_>,
    analyzer: &mut Analyzer,
    done: &mut Memo<Ref<StructInfo>>,
) -> Ref<StructInfo> {
    if let Some(node) = info.as_node::<PrimStructInfo>() {
        let Some(value) = &node.value else { return info.clone() };
        return match scalar(value, scalars, analyzer) {
            Some(new) if new.ptr_eq(value) => info.clone(),
            Some(new) => PrimStructInfo::of_value(new),
            None => PrimStructInfo::new(node.dtype),
        };
    }
    if let Some(node) = info.as_node::<ShapeStructInfo>() {
        let Some(values) = &node.values else { return info.clone() };
        return match dims(values, scalars, analyzer) {
            Some(new) if new.ptr_eq(values) => info.clone(),
            Some(new) => ShapeStructInfo::of(new),
            None => ShapeStructInfo::of_rank(node.ndim),
        };
    }
    if let Some(node) = info.as_node::<TensorStructInfo>() {
        return tensor(info, node, scalars, shapes, analyzer);
    }
    if let Some(node) = info.as_node::<DTensorStructInfo>() {
        let whole = node.tensor_sinfo.clone().upcast();
        let erased = tensor(&whole, &node.tensor_sinfo, scalars, shapes, analyzer);
        let spread = |whole| Ref::new(DTensorStructInfo { tensor_sinfo: whole, ..node.clone() }).upcast();
        let is_same = erased.ptr_eq(&whole);
        return if is_same { info.clone() } else { erased.downcast().map_or_else(|_| info.clone(), spread) };
    }
    if let Some(node) = info.as_node::<TupleStructInfo>() {
        if let Some(known) = done.get(info.object()) {
            return known;
        }
        let fields: Vec<_> = node
            .fields
            .iter()
            .map(|field| with_stack(|| erase(field, scalars, shapes, analyzer, done)))
            .collect();
        let is_same = fields.iter().zip(node.fields.iter()).all(|(new, old)| new.ptr_eq(old));
        let erased = if is_same { info.clone() } else { TupleStructInfo::new(fields) };
        done.insert(info.object(), &erased);
        return erased;
    }
    info.clone()
}

fn tensor(
    info: &Ref<StructInfo>,
    node: &TensorStructInfo,
    scalars: ScalarMap<'_>,
    shapes: ShapeMap<'_>,
    analyzer: &mut Analyzer,
) -> Ref<StructInfo> {
    let Some(shape) = &node.shape else { return info.clone() };
    let known = if let Some(expr) = shape.as_node::<ShapeExpr>() {
        match dims(&expr.values, scalars, analyzer) {
            Some(new) if new.ptr_eq(&expr.values) => return info.clone(),
            Some(new) => Some(ShapeExpr::of(new).upcast()),
            None => None,
        }
    } else if let Some(var) = shape.downcast_ref::<Var>() {
        match shapes(var) {
            Some(new) if new.ptr_eq(var) => return info.clone(),
            Some(new) => new.downcast().ok(),
            None => None,
        }
    } else {
        None
    };
    let TensorStructInfo { dtype, vdevice, ndim, .. } = node.clone();
    Ref::new(TensorStructInfo { span: Span::current(), shape: known, dtype, vdevice, ndim }).upcast()
}

/// Substitutes all dimensions; `None` if one is unknown. Returns the same array if nothing changes.
fn dims(
    values: &Array<prim::Expr>,
    scalars: ScalarMap<'_>,
    analyzer: &mut Analyzer,
) -> Option<Array<prim::Expr>> {
    let mut is_same = true;
    let mut all = Vec::with_capacity(values.len());
    for value in values.iter() {
        let new = scalar(value, scalars, analyzer)?;
        is_same &= new.ptr_eq(value);
        all.push(new);
    }
    Some(if is_same { values.clone() } else { all.into_iter().collect() })
}

/// Substitutes the variables of an expression, and simplifies the result if it differs.
fn scalar(value: &prim::Expr, scalars: ScalarMap<'_>, analyzer: &mut Analyzer) -> Option<prim::Expr> {
    if value.is::<IntImm>() {
        return Some(value.clone());
    }
    let mut map: PtrMap<Object> = PtrMap::default();
    let unknown = Visitor::new().pre_order(value.object(), |object| {
        if object.is::<ScalarUse>() {
            return Walk::Stop;
        }
        let Some(var) = object.downcast_ref::<prim::Var>() else { return Walk::Advance };
        match scalars(var) {
            None => return Walk::Stop,
            Some(known) if known.ptr_eq(var) => {}
            Some(known) => {
                let known = match known.as_node::<IntImm>() {
                    Some(literal) => IntImm::int64(literal.value),
                    None => known,
                };
                map.insert(object.clone(), known.into());
            }
        }
        Walk::Skip
    });
    if unknown.is_break() {
        return None;
    }
    if map.is_empty() {
        return Some(value.clone());
    }
    let new = substitute(value.clone(), &map).ok()?;
    Some(analyzer.simplify(&new))
}
