//! Linear expressions `coefficient * variable + base`.
//!
//! Upstream counterpart: `LinearEqDetector` of `src/arith/detect_linear_equation.cc`.

use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::{DataType, with_stack};

use crate::error::Result;
use crate::expr::{self, BinOp, Expr, VarMap, View};

/// `coefficient * variable + base`; a missing part is zero.
#[derive(Debug, Clone, Default)]
struct Linear {
    coefficient: Option<Expr>,
    base: Option<Expr>,
}

/// The coefficient of `var` in `e` and the base, or `None` if `e` is not linear in it.
pub(super) fn detect_linear(e: &Expr, var: &Expr) -> Result<Option<(Expr, Expr)>> {
    let mut only = VarMap::default();
    only.insert(var, ());
    let Some(linear) = detect(e, var, &only, &mut Memo::default())? else { return Ok(None) };
    let zero = || expr::like(var, 0);
    let or_zero = |part: Option<Expr>| part.map_or_else(zero, Ok);
    Ok(Some((or_zero(linear.coefficient)?, or_zero(linear.base)?)))
}

/// The linear form of an expression; `done` has the results for shared expressions.
fn detect(
    e: &Expr,
    var: &Expr,
    only: &VarMap<()>,
    done: &mut Memo<Option<Linear>>,
) -> Result<Option<Linear>> {
    if let Some(known) = done.get(e.object()) {
        return Ok(known);
    }
    let found = detect_new(e, var, only, done)?;
    done.insert(e.object(), &found);
    Ok(found)
}

fn detect_new(
    e: &Expr,
    var: &Expr,
    only: &VarMap<()>,
    done: &mut Memo<Option<Linear>>,
) -> Result<Option<Linear>> {
    with_stack(|| match expr::view(e) {
        View::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            let (Some(a), Some(b)) = (detect(a, var, only, done)?, detect(b, var, only, done)?) else {
                return Ok(None);
            };
            Ok(Some(Linear {
                coefficient: combine(op, a.coefficient, b.coefficient)?,
                base: combine(op, a.base, b.base)?,
            }))
        }
        View::Bin(BinOp::Mul, a, b) => {
            let (Some(mut a), Some(mut b)) = (detect(a, var, only, done)?, detect(b, var, only, done)?)
            else {
                return Ok(None);
            };
            if a.coefficient.is_some() {
                std::mem::swap(&mut a, &mut b);
            }
            if a.coefficient.is_some() {
                return Ok(None);
            }
            Ok(Some(Linear {
                base: product(a.base.clone(), b.base)?,
                coefficient: product(a.base, b.coefficient)?,
            }))
        }
        View::Var if e.ptr_eq(var) => {
            let dtype = expr::dtype(var);
            let one = expr::constant(DataType::int(dtype.bits), 1)?;
            Ok(Some(Linear { coefficient: Some(one), base: None }))
        }
        _ if expr::mentions(e, only) => Ok(None),
        _ => Ok(Some(Linear { coefficient: None, base: Some(e.clone()) })),
    })
}

fn combine(op: BinOp, a: Option<Expr>, b: Option<Expr>) -> Result<Option<Expr>> {
    match (a, b) {
        (a, None) => Ok(a),
        (None, Some(b)) if op == BinOp::Add => Ok(Some(b)),
        (None, Some(b)) => expr::negated(b).map(Some),
        (Some(a), Some(b)) => expr::fold(op, a, b).map(Some),
    }
}

fn product(a: Option<Expr>, b: Option<Expr>) -> Result<Option<Expr>> {
    match (a, b) {
        (Some(a), Some(b)) => expr::fold(BinOp::Mul, a, b).map(Some),
        _ => Ok(None),
    }
}
