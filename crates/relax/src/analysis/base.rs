//! The subtype relation of struct info.

use tvmscript_arith::Analyzer;
use tvmscript_ir::RelaxExpr;
use tvmscript_ir_core::shared::PairMemo;
use tvmscript_ir_core::{Array, Ref, structural_equal, with_stack};
use tvmscript_prim::{Expr, IntImm};

use crate::node::{
    DTensorStructInfo, FuncStructInfo, ObjectStructInfo, PrimStructInfo, ShapeExpr, ShapeStructInfo,
    StructInfo, TensorStructInfo, TupleStructInfo,
};

/// Result of comparing struct info with a possible base, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseCheck {
    /// No value has both.
    Disjoint,
    /// A run-time check of kinds, ranks or types is needed.
    NeedsCheck,
    /// A run-time check of dimensions or scalar values is needed.
    NeedsValueCheck,
    /// `base` is a base of `derived`: every value of `derived` is one of `base`.
    Pass,
}

/// Compares `derived` with its possible base.
pub fn base_check(base: &Ref<StructInfo>, derived: &Ref<StructInfo>, analyzer: &mut Analyzer) -> BaseCheck {
    check(base, derived, &mut Plain { analyzer, done: PairMemo::default() })
}

/// Comparison of dimensions and shapes: for equality, or to bind the variables of parameters.
pub(super) trait Values {
    /// Compares two dimensions or scalar values.
    fn values(&mut self, base: &Expr, derived: &Expr) -> BaseCheck;
    /// Compares two shapes of tensors.
    fn shapes(&mut self, base: &Ref<RelaxExpr>, derived: &Ref<RelaxExpr>) -> BaseCheck;
    /// Returns `true` if an object is trivially a base of itself.
    fn skips_same(&self) -> bool;
    /// Runs `f` without binding variables, for the types of nested functions.
    fn inside_function(&mut self, f: &mut dyn FnMut(&mut Self) -> BaseCheck) -> BaseCheck;
    /// Results for pairs of tuples and functions, so that shared ones are compared once.
    fn done(&mut self) -> &mut PairMemo<BaseCheck>;
}

struct Plain<'a> {
    analyzer: &'a mut Analyzer,
    done: PairMemo<BaseCheck>,
}

impl Values for Plain<'_> {
    fn values(&mut self, base: &Expr, derived: &Expr) -> BaseCheck {
        compare_values(base, derived, self.analyzer)
    }

    fn shapes(&mut self, base: &Ref<RelaxExpr>, derived: &Ref<RelaxExpr>) -> BaseCheck {
        compare_shapes(base, derived, self)
    }

    fn skips_same(&self) -> bool {
        true
    }

    fn inside_function(&mut self, f: &mut dyn FnMut(&mut Self) -> BaseCheck) -> BaseCheck {
        f(self)
    }

    fn done(&mut self) -> &mut PairMemo<BaseCheck> {
        &mut self.done
    }
}

/// Compares two dimensions.
pub(super) fn compare_values(base: &Expr, derived: &Expr, analyzer: &mut Analyzer) -> BaseCheck {
    match (base.as_node::<IntImm>(), derived.as_node::<IntImm>()) {
        (Some(a), Some(b)) if a.value == b.value => BaseCheck::Pass,
        (Some(_), Some(_)) => BaseCheck::Disjoint,
        _ if base.ptr_eq(derived) || analyzer.can_prove_equal(base, derived) => BaseCheck::Pass,
        _ => BaseCheck::NeedsValueCheck,
    }
}

/// Compares two shapes of tensors.
pub(super) fn compare_shapes<V: Values>(
    base: &Ref<RelaxExpr>,
    derived: &Ref<RelaxExpr>,
    values: &mut V,
) -> BaseCheck {
    if base.ptr_eq(derived) && values.skips_same() {
        return BaseCheck::Pass;
    }
    match (base.as_node::<ShapeExpr>(), derived.as_node::<ShapeExpr>()) {
        (Some(a), Some(b)) => dims(&a.values, &b.values, values),
        _ if base.ptr_eq(derived) => BaseCheck::Pass,
        _ => BaseCheck::NeedsValueCheck,
    }
}

fn dims<V: Values>(base: &Array<Expr>, derived: &Array<Expr>, values: &mut V) -> BaseCheck {
    if base.len() != derived.len() {
        return BaseCheck::Disjoint;
    }
    all(base.iter().zip(derived.iter()), |(a, b)| values.values(a, b))
}

/// The worst result; stops at the first `Disjoint`.
fn all<T>(pairs: impl Iterator<Item = T>, mut check: impl FnMut(T) -> BaseCheck) -> BaseCheck {
    let mut worst = BaseCheck::Pass;
    for pair in pairs {
        worst = worst.min(check(pair));
        if worst == BaseCheck::Disjoint {
            break;
        }
    }
    worst
}

pub(super) fn check<V: Values>(
    base: &Ref<StructInfo>,
    derived: &Ref<StructInfo>,
    values: &mut V,
) -> BaseCheck {
    if base.is::<ObjectStructInfo>() || (values.skips_same() && base.ptr_eq(derived)) {
        return BaseCheck::Pass;
    }
    let other_kind = || match derived.is::<ObjectStructInfo>() {
        true => BaseCheck::NeedsCheck,
        false => BaseCheck::Disjoint,
    };
    if let Some(a) = base.as_node::<PrimStructInfo>() {
        let Some(b) = derived.as_node::<PrimStructInfo>() else { return other_kind() };
        return match (&a.value, &b.value) {
            _ if a.dtype != b.dtype => BaseCheck::Disjoint,
            (None, _) => BaseCheck::Pass,
            (Some(_), None) => BaseCheck::NeedsValueCheck,
            (Some(a), Some(b)) => values.values(a, b),
        };
    }
    if let Some(a) = base.as_node::<ShapeStructInfo>() {
        let Some(b) = derived.as_node::<ShapeStructInfo>() else { return other_kind() };
        return match (&a.values, &b.values) {
            _ if a.ndim == crate::node::UNKNOWN_NDIM => BaseCheck::Pass,
            _ if a.ndim != b.ndim => match b.ndim == crate::node::UNKNOWN_NDIM {
                true => BaseCheck::NeedsCheck,
                false => BaseCheck::Disjoint,
            },
            (None, _) => BaseCheck::Pass,
            (Some(_), None) => BaseCheck::NeedsValueCheck,
            (Some(a), Some(b)) => dims(a, b, values),
        };
    }
    if let Some(a) = base.as_node::<TensorStructInfo>() {
        let Some(b) = derived.as_node::<TensorStructInfo>() else { return other_kind() };
        return tensors(a, b, values);
    }
    if let Some(a) = base.as_node::<DTensorStructInfo>() {
        let Some(b) = derived.as_node::<DTensorStructInfo>() else { return other_kind() };
        let same_place = structural_equal(a.device_mesh.object(), b.device_mesh.object())
            && structural_equal(a.placement.object(), b.placement.object());
        let place = if same_place { BaseCheck::Pass } else { BaseCheck::NeedsCheck };
        return place.min(tensors(&a.tensor_sinfo, &b.tensor_sinfo, values));
    }
    if let Some(a) = base.as_node::<TupleStructInfo>() {
        let Some(b) = derived.as_node::<TupleStructInfo>() else { return other_kind() };
        return once(base, derived, values, |values| arrays(&a.fields, &b.fields, values));
    }
    if let Some(a) = base.as_node::<FuncStructInfo>() {
        let Some(b) = derived.as_node::<FuncStructInfo>() else { return other_kind() };
        return once(base, derived, values, |values| functions(base, a, derived, b, values));
    }
    BaseCheck::Disjoint
}

/// The memoized result for a pair.
fn once<V: Values>(
    base: &Ref<StructInfo>,
    derived: &Ref<StructInfo>,
    values: &mut V,
    compare: impl FnOnce(&mut V) -> BaseCheck,
) -> BaseCheck {
    if let Some(known) = values.done().get(base.object(), derived.object()) {
        return known;
    }
    let answer = compare(values);
    values.done().insert(base.object(), derived.object(), &answer);
    answer
}

fn tensors<V: Values>(a: &TensorStructInfo, b: &TensorStructInfo, values: &mut V) -> BaseCheck {
    if !a.is_unknown_dtype() && a.dtype != b.dtype {
        return if b.is_unknown_dtype() { BaseCheck::NeedsCheck } else { BaseCheck::Disjoint };
    }
    if !a.is_unknown_ndim() && a.ndim != b.ndim {
        return if b.is_unknown_ndim() { BaseCheck::NeedsCheck } else { BaseCheck::Disjoint };
    }
    if let Some(a) = &a.vdevice {
        let Some(b) = &b.vdevice else { return BaseCheck::NeedsCheck };
        match (&a.target, &b.target) {
            (Some(_), None) => return BaseCheck::NeedsCheck,
            (Some(target), Some(other)) => {
                let same =
                    target.ptr_eq(other) && a.vdevice_id == b.vdevice_id && a.memory_scope == b.memory_scope;
                if !same {
                    return BaseCheck::Disjoint;
                }
            }
            (None, _) => {}
        }
    }
    match (&a.shape, &b.shape) {
        (None, _) => BaseCheck::Pass,
        (Some(_), None) => BaseCheck::NeedsValueCheck,
        (Some(a), Some(b)) => values.shapes(a, b),
    }
}

fn arrays<V: Values>(
    base: &Array<Ref<StructInfo>>,
    derived: &Array<Ref<StructInfo>>,
    values: &mut V,
) -> BaseCheck {
    if base.len() != derived.len() {
        return BaseCheck::Disjoint;
    }
    all(base.iter().zip(derived.iter()), |(a, b)| with_stack(|| check(a, b, values)))
}

/// Compares functions. The parameters of an opaque function are unknown, so only results count.
fn functions<V: Values>(
    base: &Ref<StructInfo>,
    a: &FuncStructInfo,
    derived: &Ref<StructInfo>,
    b: &FuncStructInfo,
    values: &mut V,
) -> BaseCheck {
    if a.purity && !b.purity {
        return BaseCheck::Disjoint;
    }
    let Some(params) = &a.params else {
        return match (&a.derive_func, &b.derive_func) {
            (Some(f), Some(g)) if f.ptr_eq(g) => BaseCheck::Pass,
            (Some(_), _) => BaseCheck::NeedsValueCheck,
            (None, _) => with_stack(|| check(&a.ret, &b.ret, values)),
        };
    };
    let Some(others) = &b.params else { return BaseCheck::NeedsValueCheck };
    if structural_equal(base.object(), derived.object()) {
        return BaseCheck::Pass;
    }
    let params = values.inside_function(&mut |values| match arrays(params, others, values) {
        BaseCheck::NeedsCheck => BaseCheck::NeedsValueCheck,
        other => other,
    });
    params.min(with_stack(|| check(&a.ret, &b.ret, values)))
}
