//! Expressions whose indices get another type than their author gave them.
//!
//! A function for Relax counts in `int64`, but axes with plain numbers are `int32`. A narrow axis is replaced by a cast of a
//! wide one, which keeps all types valid; [`Retype`] then moves the casts outwards, until an index or a condition needs none.
//!
//! Upstream counterpart: `IndexDataTypeNormalizer`, `src/tir/ir/data_type_rewriter.cc`.

use tvmscript_ir_core::{Array, DataType, Object, PtrSet, try_post_order_mutate};
use tvmscript_prim::{
    Cast, Expr, ExprKind, ExprView as _, IntImm, PrimError, PrimExpr, PrimExprExt as _, Select, ops,
};
use tvmscript_tir::BufferLoad;

use crate::error::Result;

/// The type that an index of a type gets.
pub(crate) fn widened(dtype: DataType, index: Option<DataType>) -> DataType {
    match index {
        Some(index) if dtype.is_int() && dtype.bits >= 32 && dtype.bits < index.bits => index,
        _ => dtype,
    }
}

/// An index, a dimension or a bound with the type of indices.
pub(crate) fn as_index(expr: &Expr, index: Option<DataType>) -> Result<Expr> {
    let dtype = widened(expr.dtype(), index);
    Ok(if dtype == expr.dtype() { expr.clone() } else { ops::cast(dtype, expr.clone())? })
}

/// Moves casts of wide indices outwards.
#[derive(Default)]
pub(crate) struct Retype {
    /// The casts.
    narrowed: PtrSet,
}

impl Retype {
    /// The variable as an expression of the type.
    pub(crate) fn narrow(&mut self, value: Expr, dtype: DataType) -> Result<Expr> {
        if value.dtype() == dtype || value.is::<IntImm>() {
            return Ok(ops::cast(dtype, value)?);
        }
        let cast = Cast::try_new(dtype, value)?;
        self.narrowed.insert(cast.object().clone());
        Ok(cast)
    }

    /// The value inside one of the casts.
    fn inner<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let cast = expr.as_node::<Cast>().filter(|_| self.narrowed.contains(expr.object()))?;
        Some(&cast.value)
    }

    /// Applies a function to the value inside the outermost cast.
    pub(crate) fn map(&mut self, expr: &Expr, f: impl FnOnce(&Expr) -> Expr) -> Result<Expr> {
        match self.inner(expr) {
            Some(inner) => self.narrow(f(inner), expr.dtype()),
            None => Ok(f(expr)),
        }
    }

    /// The expression with casts only where a value of the narrow type is needed.
    pub(crate) fn retype(&mut self, expr: Expr, index: Option<DataType>) -> Result<Expr> {
        match index {
            Some(index) => try_post_order_mutate(expr, |node| Ok(self.retyped(node, index)?.map(Into::into))),
            None => Ok(expr),
        }
    }

    fn retyped(&mut self, node: &Object, index: DataType) -> Result<Option<Expr>> {
        if let Some(load) = node.downcast_ref::<BufferLoad>() {
            let new = |at: &Expr| match self.inner(at) {
                Some(inner) => Ok(inner.clone()),
                None => as_index(at, Some(index)),
            };
            let indices = load.indices.iter().map(new).collect::<Result<Array<Expr>>>()?;
            return Ok(Some(BufferLoad::try_new(load.buffer.clone(), indices, None)?.into()));
        }
        let Some(expr) = node.downcast_ref::<PrimExpr>() else { return Ok(None) };
        match expr.kind() {
            ExprKind::Add(x) => self.arithmetic(expr, &x.a, &x.b, ops::add),
            ExprKind::Sub(x) => self.arithmetic(expr, &x.a, &x.b, ops::sub),
            ExprKind::Mul(x) => self.arithmetic(expr, &x.a, &x.b, ops::mul),
            ExprKind::Div(x) => self.arithmetic(expr, &x.a, &x.b, ops::div),
            ExprKind::Mod(x) => self.arithmetic(expr, &x.a, &x.b, ops::truncmod),
            ExprKind::FloorDiv(x) => self.arithmetic(expr, &x.a, &x.b, ops::floordiv),
            ExprKind::FloorMod(x) => self.arithmetic(expr, &x.a, &x.b, ops::floormod),
            ExprKind::Min(x) => self.arithmetic(expr, &x.a, &x.b, ops::min),
            ExprKind::Max(x) => self.arithmetic(expr, &x.a, &x.b, ops::max),
            ExprKind::Select(x) => self.arithmetic(expr, &x.true_value, &x.false_value, |a, b| {
                Select::try_new(x.condition.clone(), a, b)
            }),
            ExprKind::EQ(x) => self.wide(&x.a, &x.b, ops::eq),
            ExprKind::NE(x) => self.wide(&x.a, &x.b, ops::ne),
            ExprKind::LT(x) => self.wide(&x.a, &x.b, ops::lt),
            ExprKind::LE(x) => self.wide(&x.a, &x.b, ops::le),
            ExprKind::GT(x) => self.wide(&x.a, &x.b, ops::gt),
            ExprKind::GE(x) => self.wide(&x.a, &x.b, ops::ge),
            ExprKind::Cast(x) if !self.narrowed.contains(node) => match self.inner(&x.value) {
                Some(inner) => Ok(Some(ops::cast(x.dtype, inner.clone())?)),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// An operator on two wide operands, if one is.
    fn wide(
        &mut self,
        a: &Expr,
        b: &Expr,
        make: impl FnOnce(Expr, Expr) -> std::result::Result<Expr, PrimError>,
    ) -> Result<Option<Expr>> {
        let (wide_a, wide_b) = (self.inner(a), self.inner(b));
        let Some(dtype) = wide_a.or(wide_b).map(|wide| wide.dtype()) else { return Ok(None) };
        let [a, b] = [(wide_a, a), (wide_b, b)].map(|(wide, narrow)| match wide {
            Some(wide) => Ok(wide.clone()),
            None => ops::cast(dtype, narrow.clone()),
        });
        Ok(Some(make(a?, b?)?))
    }

    /// Like [`Retype::wide`], as a value of the narrow type.
    fn arithmetic(
        &mut self,
        expr: &Expr,
        a: &Expr,
        b: &Expr,
        make: impl FnOnce(Expr, Expr) -> std::result::Result<Expr, PrimError>,
    ) -> Result<Option<Expr>> {
        let Some(wide) = self.wide(a, b, make)? else { return Ok(None) };
        self.narrow(wide, expr.dtype()).map(Some)
    }
}
