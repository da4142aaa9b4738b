//! Calls of operators that the analyses interpret.
//!
//! Upstream: the `Call` visitors of `src/arith/rewrite_simplify.cc` and `src/arith/ir_mutator_with_analyzer.cc`.

use smallvec::SmallVec;
use tvmscript_prim as prim;

use super::Simplifier;
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, CallView, Expr, Intrinsic, View};

impl Simplifier<'_> {
    pub(super) fn visit_call(&mut self, e: &Expr, call: CallView<'_>) -> Result<Expr> {
        if let (Some(Intrinsic::IfThenElse), [condition, on_true, on_false]) =
            (call.intrinsic(), call.args().as_slice())
        {
            return self.visit_conditional(e, &call, condition, on_true, on_false);
        }
        let old_args = call.args();
        let args = old_args.iter().map(|arg| self.visit(arg)).collect::<Result<SmallVec<[Expr; 3]>>>()?;
        let unchanged = args.iter().zip(&old_args).all(|(new, old)| new.ptr_eq(old));
        Ok(match self.fold_call(e, call.intrinsic(), &args)? {
            Some(folded) => folded,
            None if unchanged => e.clone(),
            None => expr::call_with(e, &call, args),
        })
    }

    /// Folds a call whose arguments are constants or determined by a condition in scope.
    fn fold_call(&mut self, e: &Expr, intrinsic: Option<Intrinsic>, args: &[Expr]) -> Result<Option<Expr>> {
        match (intrinsic, args) {
            (Some(Intrinsic::Likely), [condition]) => {
                if expr::as_int(condition).is_some() {
                    return Ok(Some(condition.clone()));
                }
                self.known_truth(condition)
            }
            (Some(Intrinsic::ShiftLeft | Intrinsic::ShiftRight), [value, amount]) => {
                if expr::as_int(value).is_none() || expr::as_int(amount).is_none() {
                    return Ok(None);
                }
                let shift = if intrinsic == Some(Intrinsic::ShiftLeft) {
                    prim::ops::shift_left
                } else {
                    prim::ops::shift_right
                };
                shift(value.clone(), amount.clone()).map(Some).map_err(ArithError::Constant)
            }
            (Some(Intrinsic::Ceil), [value]) => {
                if let View::Call(log) = expr::view(value)
                    && let (Some(Intrinsic::Log2), [number]) = (log.intrinsic(), log.args().as_slice())
                {
                    let Some(number) = expr::as_float(number) else { return Ok(None) };
                    return float(e, number.log2().ceil()).map(Some);
                }
                match (expr::as_int(value), expr::as_float(value)) {
                    (Some(_), _) => expr::cast(expr::dtype(e), value.clone()).map(Some),
                    (_, Some(number)) => float(e, number.ceil()).map(Some),
                    _ => Ok(None),
                }
            }
            (Some(Intrinsic::CountLeadingZeros), [value]) => {
                let Some(number) = expr::as_int(value) else { return Ok(None) };
                let bits = u32::from(expr::dtype(value).bits);
                let unused = 64 - bits.clamp(1, 64);
                let zeros = ((number as u64) << unused).leading_zeros().min(bits);
                expr::like(e, i64::from(zeros)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn visit_conditional(
        &mut self,
        e: &Expr,
        call: &CallView<'_>,
        condition: &Expr,
        on_true: &Expr,
        on_false: &Expr,
    ) -> Result<Expr> {
        let new_condition = self.visit(condition)?;
        let new_true = self.under(&new_condition, |this| this.visit(on_true))?;
        let denied = expr::not(new_condition.clone())?;
        let new_false = self.under(&denied, |this| this.visit(on_false))?;
        match expr::as_int(&new_condition) {
            Some(0) => return Ok(new_false),
            Some(1) => return Ok(new_true),
            _ => {}
        }
        if let Some(merged) = self.merge_nested(e, call, &new_condition, &new_true, &new_false)? {
            return Ok(merged);
        }
        if new_condition.ptr_eq(condition) && new_true.ptr_eq(on_true) && new_false.ptr_eq(on_false) {
            return Ok(e.clone());
        }
        Ok(expr::call_with(e, call, [new_condition, new_true, new_false]))
    }

    /// Merges `(x if b else c) if a else c` for a constant `c`.
    fn merge_nested(
        &mut self,
        e: &Expr,
        call: &CallView<'_>,
        condition: &Expr,
        on_true: &Expr,
        on_false: &Expr,
    ) -> Result<Option<Expr>> {
        let View::Call(inner) = expr::view(on_true) else { return Ok(None) };
        let inner_args = inner.args();
        let (Some(Intrinsic::IfThenElse), [inner_condition, value, inner_false]) =
            (inner.intrinsic(), inner_args.as_slice())
        else {
            return Ok(None);
        };
        let is_number = |e: &Expr| matches!(expr::view(e), View::Int(_) | View::Float(_));
        if !is_number(inner_false) || !is_number(on_false) {
            return Ok(None);
        }
        let same = expr::fold(BinOp::Eq, (*inner_false).clone(), on_false.clone())?;
        if expr::as_int(&same) != Some(1) {
            return Ok(None);
        }
        let both = expr::fold(BinOp::And, condition.clone(), (*inner_condition).clone())?;
        Ok(Some(match expr::as_int(&both) {
            Some(0) => on_false.clone(),
            Some(_) => (*value).clone(),
            None => expr::call_with(e, call, [both, (*value).clone(), on_false.clone()]),
        }))
    }
}

/// A float literal of the type of `e`, cast if that is not a float type.
fn float(e: &Expr, value: f64) -> Result<Expr> {
    let dtype = expr::dtype(e);
    let literal_type = if dtype.is_any_float() { dtype } else { tvmscript_ir_core::DataType::float(64) };
    expr::cast(dtype, prim::FloatImm::try_new(literal_type, value).map_err(ArithError::Constant)?)
}
