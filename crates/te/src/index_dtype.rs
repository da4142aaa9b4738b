//! Expressions whose indices get another type than their author gave them.
//!
//! A function for Relax counts in `int64`, but axes with plain numbers are `int32`. A narrow axis is replaced by a cast of a
//! wide one, which keeps all types valid; [`Retype`] then moves the casts outwards, until an index or a condition needs none.
//!
//! Upstream counterpart: `IndexDataTypeNormalizer`, `src/tir/ir/data_type_rewriter.cc`.

use tvmscript_ir_core::{Array, DataType, Object, PtrSet, try_post_order_mutate};
use tvmscript_prim::intrinsic::IF_THEN_ELSE;
use tvmscript_prim::{
    Call, Cast, Expr, ExprKind, ExprView as _, IntImm, PrimError, PrimExpr, PrimExprExt as _, Select, ops,
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

type Make = fn(Expr, Expr) -> std::result::Result<Expr, PrimError>;

/// The parts of a comparison.
fn comparison(expr: &Expr) -> Option<(Make, &Expr, &Expr)> {
    Some(match expr.kind() {
        ExprKind::EQ(x) => (ops::eq, &x.a, &x.b),
        ExprKind::NE(x) => (ops::ne, &x.a, &x.b),
        ExprKind::LT(x) => (ops::lt, &x.a, &x.b),
        ExprKind::LE(x) => (ops::le, &x.a, &x.b),
        ExprKind::GT(x) => (ops::gt, &x.a, &x.b),
        ExprKind::GE(x) => (ops::ge, &x.a, &x.b),
        _ => return None,
    })
}

/// A condition whose comparisons of integers have numbers of the type of indices, whatever they are compared with.
fn condition(condition: &Expr, index: DataType) -> Result<Expr> {
    try_post_order_mutate(condition.clone(), |node| {
        let parts = node.downcast_ref::<PrimExpr>().and_then(comparison);
        let Some((make, a, b)) = parts.filter(|(_, a, b)| a.dtype().is_int() && b.dtype().is_int()) else {
            return Ok(None);
        };
        let [new_a, new_b] = [with_numbers(a, index)?, with_numbers(b, index)?];
        let is_same = new_a.ptr_eq(a) && new_b.ptr_eq(b);
        Ok(if is_same { None } else { Some(make(new_a, new_b)?.into()) })
    })
}

/// An operand with numbers of the type of indices; casts to a narrower type are left out.
fn with_numbers(operand: &Expr, index: DataType) -> Result<Expr> {
    try_post_order_mutate(operand.clone(), |node| {
        let Some(expr) = node.downcast_ref::<PrimExpr>() else { return Ok(None) };
        if widened(expr.dtype(), Some(index)) == expr.dtype() && !expr.is::<Cast>() {
            return Ok(None);
        }
        Ok(match expr.kind() {
            ExprKind::IntImm(_) => Some(ops::cast(index, expr.clone())?.into()),
            ExprKind::Cast(x) if widened(x.dtype, Some(index)) != x.dtype => {
                Some(ops::cast(index, x.value.clone())?.into())
            }
            _ => match ops::operands(expr) {
                Some((op, a, b)) if a.dtype() != b.dtype() => {
                    Some(ops::binary(op, a.clone(), b.clone())?.into())
                }
                _ => None,
            },
        })
    })
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
            if indices.iter().zip(load.indices.iter()).all(|(new, old)| new.ptr_eq(old)) {
                return Ok(None);
            }
            return Ok(Some(BufferLoad::try_new(load.buffer.clone(), indices, None)?));
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
            ExprKind::Select(x) => {
                let condition = condition(&x.condition, index)?;
                let select = |a, b| Select::try_new(condition.clone(), a, b);
                match self.arithmetic(expr, &x.true_value, &x.false_value, select)? {
                    None if !condition.ptr_eq(&x.condition) => {
                        Ok(Some(select(x.true_value.clone(), x.false_value.clone())?))
                    }
                    new => Ok(new),
                }
            }
            ExprKind::Call(call) if IF_THEN_ELSE.is_called_by(call) => {
                let args = call.args.iter().enumerate();
                let args =
                    args.map(|(at, arg)| if at == 0 { condition(arg, index) } else { Ok(arg.clone()) });
                let args = args.collect::<Result<Vec<_>>>()?;
                let is_new = args.iter().zip(call.args.iter()).any(|(new, old)| !new.ptr_eq(old));
                Ok(is_new.then(|| Call::new(call.dtype, IF_THEN_ELSE.get().clone(), args)))
            }
            ExprKind::Cast(x) if !self.narrowed.contains(node) => match self.inner(&x.value) {
                Some(inner) => Ok(Some(ops::cast(x.dtype, inner.clone())?)),
                None => Ok(None),
            },
            _ => match comparison(expr) {
                Some((make, a, b)) => self.wide(a, b, make),
                None => Ok(None),
            },
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

/// A condition or an index whose conversions to narrow integers, and arithmetic of these, have the type of indices.
///
/// # Errors
/// If an operand has a type that cannot be converted.
pub fn with_wide_numbers(expr: &Expr, index: DataType) -> Result<Expr> {
    let mut retype = Retype::default();
    try_post_order_mutate(expr.clone(), |node| {
        let cast = node.downcast_ref::<Cast>().filter(|cast| widened(cast.dtype, Some(index)) != cast.dtype);
        let new = match cast {
            Some(cast) => Some(retype.narrow(ops::cast(index, cast.value.clone())?, cast.dtype)?),
            None => retype.retyped(node, index)?,
        };
        Ok(new.map(Into::into))
    })
}
