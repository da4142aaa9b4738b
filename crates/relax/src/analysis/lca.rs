//! The least common ancestor of two struct infos.

use tvmscript_arith::Analyzer;
use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::shared::PairMemo;
use tvmscript_ir_core::{Array, DataType, Ref, structural_equal, with_stack};

use super::same_dims;
use crate::node::{
    DTensorStructInfo, FuncStructInfo, ObjectStructInfo, PrimStructInfo, ShapeExpr, ShapeStructInfo,
    StructInfo, TensorStructInfo, TupleStructInfo, UNKNOWN_NDIM,
};

/// The most specific struct info that both values have. Returns `a` itself if it is the result.
pub fn lca(a: &Ref<StructInfo>, b: &Ref<StructInfo>, analyzer: &mut Analyzer) -> Ref<StructInfo> {
    common(a, b, &mut Lca { analyzer, done: PairMemo::default() })
}

/// State of the walk over two struct infos, with memoized results for shared tuples and functions.
struct Lca<'a> {
    analyzer: &'a mut Analyzer,
    done: PairMemo<Ref<StructInfo>>,
}

fn common(a: &Ref<StructInfo>, b: &Ref<StructInfo>, cx: &mut Lca<'_>) -> Ref<StructInfo> {
    if a.ptr_eq(b) || a.is::<ObjectStructInfo>() {
        return a.clone();
    }
    if !a.is::<TupleStructInfo>() && !a.is::<FuncStructInfo>() {
        return common_new(a, b, cx);
    }
    if let Some(known) = cx.done.get(a.object(), b.object()) {
        return known;
    }
    let found = common_new(a, b, cx);
    cx.done.insert(a.object(), b.object(), &found);
    found
}

fn common_new(a: &Ref<StructInfo>, b: &Ref<StructInfo>, cx: &mut Lca<'_>) -> Ref<StructInfo> {
    let common = if let (Some(x), Some(y)) = (a.as_node::<PrimStructInfo>(), b.as_node::<PrimStructInfo>()) {
        prims(a, x, y, cx.analyzer)
    } else if let (Some(x), Some(y)) = (a.as_node::<ShapeStructInfo>(), b.as_node::<ShapeStructInfo>()) {
        Some(shapes(a, x, y, cx.analyzer))
    } else if let (Some(x), Some(y)) = (a.as_node::<TensorStructInfo>(), b.as_node::<TensorStructInfo>()) {
        Some(tensors(a, x, y, cx.analyzer))
    } else if a.is::<DTensorStructInfo>() && structural_equal(a.object(), b.object()) {
        Some(a.clone())
    } else if let (Some(x), Some(y)) = (a.as_node::<TupleStructInfo>(), b.as_node::<TupleStructInfo>()) {
        arrays(&x.fields, &y.fields, cx).map(|fields| match fields.ptr_eq(&x.fields) {
            true => a.clone(),
            false => TupleStructInfo::new(fields.iter().cloned()),
        })
    } else if let (Some(x), Some(y)) = (a.as_node::<FuncStructInfo>(), b.as_node::<FuncStructInfo>()) {
        Some(functions(a, x, b, y, cx))
    } else {
        None
    };
    common.unwrap_or_else(ObjectStructInfo::new)
}

fn prims(
    a: &Ref<StructInfo>,
    x: &PrimStructInfo,
    y: &PrimStructInfo,
    analyzer: &mut Analyzer,
) -> Option<Ref<StructInfo>> {
    if x.dtype != y.dtype {
        return None;
    }
    Some(match (&x.value, &y.value) {
        (None, _) => a.clone(),
        (Some(v), Some(w)) if analyzer.can_prove_equal(v, w) => a.clone(),
        _ => PrimStructInfo::new(x.dtype),
    })
}

fn shapes(
    a: &Ref<StructInfo>,
    x: &ShapeStructInfo,
    y: &ShapeStructInfo,
    analyzer: &mut Analyzer,
) -> Ref<StructInfo> {
    let ndim = if x.ndim == y.ndim { x.ndim } else { UNKNOWN_NDIM };
    match (&x.values, &y.values) {
        (Some(v), Some(w)) if x.ndim == y.ndim && same_dims(v, w, analyzer) => a.clone(),
        (None, _) if x.ndim == ndim => a.clone(),
        _ => ShapeStructInfo::of_rank(ndim),
    }
}

fn same_shape(a: &Ref<RelaxExpr>, b: &Ref<RelaxExpr>, analyzer: &mut Analyzer) -> bool {
    match (a.as_node::<ShapeExpr>(), b.as_node::<ShapeExpr>()) {
        (Some(x), Some(y)) => same_dims(&x.values, &y.values, analyzer),
        _ => a.ptr_eq(b),
    }
}

fn tensors(
    a: &Ref<StructInfo>,
    x: &TensorStructInfo,
    y: &TensorStructInfo,
    analyzer: &mut Analyzer,
) -> Ref<StructInfo> {
    let dtype = if x.dtype == y.dtype { x.dtype } else { DataType::VOID };
    let ndim = if x.ndim == y.ndim { x.ndim } else { UNKNOWN_NDIM };
    let vdevice = match (&x.vdevice, &y.vdevice) {
        (Some(v), Some(w)) if v.ptr_eq(w) => Some(v.clone()),
        _ => None,
    };
    let loses_device = x.vdevice.is_some() && vdevice.is_none();
    let shape = match (&x.shape, &y.shape) {
        (Some(v), Some(w)) if x.ndim == y.ndim && same_shape(v, w, analyzer) => Some(v.clone()),
        _ => None,
    };
    let keeps_shape = shape.is_some() || x.shape.is_none();
    if keeps_shape && x.dtype == dtype && x.ndim == ndim && !loses_device {
        return a.clone();
    }
    let span = tvmscript_ir_core::Span::current();
    Ref::new(TensorStructInfo { span, shape, dtype, vdevice, ndim }).upcast()
}

fn arrays(
    a: &Array<Ref<StructInfo>>,
    b: &Array<Ref<StructInfo>>,
    cx: &mut Lca<'_>,
) -> Option<Array<Ref<StructInfo>>> {
    if a.ptr_eq(b) {
        return Some(a.clone());
    }
    if a.len() != b.len() {
        return None;
    }
    let fields: Vec<_> = a.iter().zip(b.iter()).map(|(a, b)| with_stack(|| common(a, b, cx))).collect();
    let is_same = fields.iter().zip(a.iter()).all(|(new, old)| new.ptr_eq(old));
    Some(if is_same { a.clone() } else { fields.into_iter().collect() })
}

fn functions(
    a: &Ref<StructInfo>,
    x: &FuncStructInfo,
    b: &Ref<StructInfo>,
    y: &FuncStructInfo,
    cx: &mut Lca<'_>,
) -> Ref<StructInfo> {
    let purity = x.purity && y.purity;
    let opaque = |ret| FuncStructInfo::opaque(ret, purity).upcast();
    let result = |cx: &mut Lca<'_>| with_stack(|| common(&x.ret, &y.ret, cx));
    let (Some(params), Some(others)) = (&x.params, &y.params) else {
        return match (&x.params, &x.derive_func, &y.derive_func) {
            (None, Some(f), Some(g)) if f.ptr_eq(g) => a.clone(),
            (None, Some(_), _) => opaque(ObjectStructInfo::new()),
            (None, None, _) => {
                let ret = result(cx);
                if ret.ptr_eq(&x.ret) { a.clone() } else { opaque(ret) }
            }
            _ => opaque(result(cx)),
        };
    };
    if structural_equal(a.object(), b.object()) {
        return a.clone();
    }
    let ret = result(cx);
    match arrays(params, others, cx) {
        Some(all) if all.ptr_eq(params) && ret.ptr_eq(&x.ret) => a.clone(),
        Some(all) => FuncStructInfo::new(all, ret, purity).upcast(),
        None => opaque(ret),
    }
}
