//! Fourier-Motzkin elimination: each variable is eliminated in turn by adding every inequality that bounds it from
//! above to every one that bounds it from below.
//!
//! Upstream counterpart: `src/arith/solve_linear_inequality.cc`.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Var;

use super::VarRange;
use super::bounds::{Bounds, bind_all, range_from_to};
use super::linear::detect_linear;
use crate::analyzer::{Analyzer, ProofStrength};
use crate::error::{ArithError, Result};
use crate::expr::{self, BinOp, Expr, VarMap, View};
use crate::number::{extended_gcd, lcm};

/// Passes of simplification after the first: rewriting, canonical, rewriting.
const STEPS: u32 = 3;
/// Maximum number of inequalities; each elimination can square it.
const MAX_INEQUALITIES: usize = 200;

/// The range of each of `vars`, or `None` if the ranges do not imply all `relations`.
pub(super) fn solve_to_ranges(
    vars: &[Ref<Var>],
    ranges: &[VarRange],
    relations: &[Expr],
) -> Result<Option<Vec<VarRange>>> {
    let mut solver = Solver::new(ranges)?;
    let (bounds, rest) = solver.eliminate(vars, ranges, relations)?;
    let mut solved: Vec<VarRange> = Vec::new();
    let mut known: Vec<VarRange> = ranges.to_vec();
    for (var, bounds) in vars.iter().zip(&bounds).rev() {
        let mut analyzer = Analyzer::new();
        bind_all(&mut analyzer, &known)?;
        let range = match (expr::as_int(&bounds.coefficient), bounds.equal.first()) {
            (Some(1), Some(value)) => {
                let end = analyzer.simplify_with_steps(&expr::plus(value, 1)?, STEPS);
                Some(range_from_to(value.clone(), end)?)
            }
            _ => {
                let bounds = match known.iter().find(|range| range.var.ptr_eq(var)) {
                    Some(range) => bounds.clone().within(range)?,
                    None => bounds.clone(),
                };
                let best = bounds.best_range(&known)?;
                if let Some((_, extent)) = &best
                    && analyzer.proves_at_least(&expr::negated(extent.clone())?, 0)?
                {
                    // The condition never holds.
                    return Ok(None);
                }
                best
            }
        };
        if let Some((min, extent)) = range {
            let range = VarRange { var: var.clone(), min, extent };
            // A variable keeps its position: ranges that are bound earlier do not see the bounds of later ones.
            match known.iter_mut().find(|other| other.var.ptr_eq(var)) {
                Some(other) => *other = range.clone(),
                None => known.push(range.clone()),
            }
            solved.push(range);
        }
    }
    let mut analyzer = Analyzer::new();
    bind_all(&mut analyzer, &known)?;
    for condition in as_conditions(vars, &bounds, &rest)? {
        if !analyzer.metered(|analyzer| analyzer.proves(&condition, ProofStrength::Simplify))? {
            return Ok(None);
        }
    }
    Ok(Some(solved))
}

/// The bounds and the unsolved relations as conditions.
fn as_conditions(vars: &[Ref<Var>], bounds: &[Bounds], rest: &[Expr]) -> Result<Vec<Expr>> {
    let mut conditions = Vec::new();
    for (var, bounds) in vars.iter().zip(bounds) {
        let left = expr::fold(BinOp::Mul, bounds.coefficient.clone(), var.clone().upcast())?;
        let sides = [(BinOp::Eq, &bounds.equal), (BinOp::Ge, &bounds.lower), (BinOp::Le, &bounds.upper)];
        for (op, limits) in sides {
            for limit in limits {
                conditions.push(expr::folded(op, &left, limit)?);
            }
        }
    }
    conditions.extend_from_slice(rest);
    Ok(conditions)
}

/// `coefficient * v + rest <= 0`.
type Term = (i64, Expr);

/// Inequalities that bound a variable from above and from below.
#[derive(Default)]
struct Polarity {
    above: Vec<Term>,
    below: Vec<Term>,
}

struct Solver {
    /// With the ranges of the variables.
    analyzer: Analyzer,
    /// Without facts.
    plain: Analyzer,
}

impl Solver {
    fn new(ranges: &[VarRange]) -> Result<Self> {
        let mut analyzer = Analyzer::new();
        bind_all(&mut analyzer, ranges)?;
        Ok(Self { analyzer, plain: Analyzer::new() })
    }

    fn simplify(&mut self, e: &Expr) -> Expr {
        self.analyzer.simplify_with_steps(e, STEPS)
    }

    fn proves(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Result<bool> {
        self.analyzer.metered(|analyzer| analyzer.proves_comparison(op, a, b))
    }

    /// The bounds of each variable in turn, free of the variables before it, and the remaining relations.
    fn eliminate(
        &mut self,
        vars: &[Ref<Var>],
        ranges: &[VarRange],
        relations: &[Expr],
    ) -> Result<(Vec<Bounds>, Vec<Expr>)> {
        let mut current = Vec::new();
        for relation in relations {
            let simple = self.simplify(relation);
            let normal = self.normalize(&simple)?;
            self.add(&mut current, normal)?;
        }
        let mut ranges_by_var = VarMap::default();
        ranges.iter().for_each(|range| ranges_by_var.insert(range.var.upcast_ref(), range));
        let (mut all_bounds, mut rest) = (Vec::new(), Vec::new());
        for var in vars.iter().map(Ref::upcast_ref) {
            let mut polarity = Polarity::default();
            if let Some(range) = ranges_by_var.get(var) {
                let least = self.simplify(&range.min);
                let end = expr::folded(BinOp::Add, &range.min, &range.extent)?;
                let greatest = self.simplify(&expr::plus(&end, -1)?);
                polarity.below.push((-1, least));
                polarity.above.push((1, expr::negated(greatest)?));
            }
            let mut next = self.classify(var, std::mem::take(&mut current), &mut polarity, &mut rest)?;
            self.combine(var, &polarity, &mut next)?;
            all_bounds.push(self.bounds(var, &polarity)?);
            current = next;
        }
        let mut unsolved = Vec::new();
        for relation in &current {
            let simple = self.simplify(relation);
            match expr::as_int(&simple) {
                Some(0) => {
                    unsolved = vec![simple];
                    break;
                }
                Some(_) => {}
                None => unsolved.push(simple),
            }
        }
        unsolved.extend(rest);
        Ok((all_bounds, unsolved))
    }

    /// The relation as a comparison with zero: `a <= 0`, `a == 0` or `a != 0`.
    fn normalize(&mut self, relation: &Expr) -> Result<Expr> {
        let View::Bin(op, a, b) = expr::view(relation) else { return Ok(relation.clone()) };
        let (op, a, b) = match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => (op, a, b),
            BinOp::Gt => (BinOp::Lt, b, a),
            BinOp::Ge => (BinOp::Le, b, a),
            _ => return Ok(relation.clone()),
        };
        let mut difference = expr::folded(BinOp::Sub, a, b)?;
        let mut op = op;
        if op == BinOp::Lt && expr::dtype(a).is_integer() {
            difference = expr::plus(&difference, 1)?;
            op = BinOp::Le;
        }
        let zero = expr::like(a, 0)?;
        expr::strict(op, self.plain.simplify(&difference), zero)
    }

    /// Adds an inequality unless the others imply it, and removes those that it implies.
    fn add(&mut self, set: &mut Vec<Expr>, new: Expr) -> Result<()> {
        if set.len() >= MAX_INEQUALITIES {
            return Err(ArithError::Budget);
        }
        if self.analyzer.metered(|analyzer| analyzer.proves(&new, ProofStrength::Simplify))?
            || set.iter().any(|known| self.analyzer.metered(|analyzer| analyzer.same(known, &new)))
        {
            return Ok(());
        }
        if let View::Bin(BinOp::Le, left, _) = expr::view(&new) {
            let mut at = 0;
            while let Some(known) = set.get(at).cloned() {
                if let View::Bin(BinOp::Le, known, _) = expr::view(&known) {
                    if self.proves(BinOp::Le, left, known)? {
                        return Ok(());
                    }
                    if self.proves(BinOp::Le, known, left)? {
                        set.remove(at);
                        continue;
                    }
                }
                at += 1;
            }
        }
        set.push(new);
        Ok(())
    }

    /// Sorts relations by the sign of the coefficient of `var`, and returns those without it. Relations that are not
    /// linear in it go to `rest`.
    fn classify(
        &mut self,
        var: &Expr,
        current: Vec<Expr>,
        polarity: &mut Polarity,
        rest: &mut Vec<Expr>,
    ) -> Result<Vec<Expr>> {
        let mut without = Vec::new();
        for relation in current {
            let (is_equality, left) = match expr::view(&relation) {
                View::Bin(op @ (BinOp::Le | BinOp::Eq), a, _) => (op == BinOp::Eq, a.clone()),
                _ => {
                    rest.push(relation);
                    continue;
                }
            };
            let linear = detect_linear(&left, var)?;
            let Some((factor, base)) = linear.and_then(|(factor, base)| Some((expr::as_int(&factor)?, base)))
            else {
                rest.push(relation);
                continue;
            };
            match (factor, is_equality) {
                (0, _) => self.add(&mut without, relation)?,
                (1.., false) => polarity.above.push((factor, base)),
                (_, false) => polarity.below.push((factor, base)),
                (1.., true) => {
                    polarity.below.push((-factor, expr::negated(base.clone())?));
                    polarity.above.push((factor, base));
                }
                (_, true) => {
                    polarity.above.push((factor.wrapping_neg(), expr::negated(base.clone())?));
                    polarity.below.push((factor, base));
                }
            }
        }
        Ok(without)
    }

    /// Adds the sum of each pair of inequalities from above and below, scaled so that `var` cancels.
    fn combine(&mut self, var: &Expr, polarity: &Polarity, next: &mut Vec<Expr>) -> Result<()> {
        let dtype = expr::dtype(var);
        for (above, above_rest) in &polarity.above {
            for (below, below_rest) in &polarity.below {
                let (common, _, _) = extended_gcd(*above, below.wrapping_neg());
                if common == 0 {
                    return Err(ArithError::Budget);
                }
                let scaled = |factor: i64, e: &Expr| {
                    expr::fold(BinOp::Mul, expr::constant(dtype, factor / common)?, e.clone())
                };
                let left = expr::fold(BinOp::Sub, scaled(*above, below_rest)?, scaled(*below, above_rest)?)?;
                let zero = expr::like(above_rest, 0)?;
                let sum = self.simplify(&expr::strict(BinOp::Le, left, zero)?);
                let sum = self.normalize(&sum)?;
                self.add(next, sum)?;
            }
        }
        Ok(())
    }

    /// The bounds of `var` with a common coefficient, without redundant ones.
    fn bounds(&mut self, var: &Expr, polarity: &Polarity) -> Result<Bounds> {
        let dtype = expr::dtype(var);
        let factors = polarity.above.iter().chain(&polarity.below).map(|(factor, _)| factor.wrapping_abs());
        let common = factors.fold(1, lcm);
        let mut upper = self.best_of(BinOp::Le, dtype, common, &polarity.above)?;
        let mut lower = self.best_of(BinOp::Ge, dtype, common, &polarity.below)?;
        let mut equal = Vec::new();
        upper.retain(|bound| {
            let same = |other: &Expr| self.analyzer.metered(|analyzer| analyzer.same(other, bound));
            match lower.iter().position(same) {
                Some(at) => {
                    equal.push(lower.remove(at));
                    false
                }
                None => true,
            }
        });
        equal.sort_by_key(expr::node_count);
        Ok(Bounds { coefficient: expr::constant(dtype, common)?, equal, lower, upper })
    }

    /// Bounds of `var * common`: upper ones for `Le`, lower ones for `Ge`.
    fn best_of(&mut self, op: BinOp, dtype: DataType, common: i64, terms: &[Term]) -> Result<Vec<Expr>> {
        let opposite = if op == BinOp::Le { BinOp::Ge } else { BinOp::Le };
        let mut best: Vec<Expr> = Vec::new();
        'terms: for (factor, rest) in terms {
            let scale = common.wrapping_neg().checked_div(*factor).ok_or(ArithError::Budget)?;
            let bound = expr::fold(BinOp::Mul, expr::constant(dtype, scale)?, rest.clone())?;
            let bound = self.simplify(&bound);
            for known in best.clone() {
                if self.proves(op, &known, &bound)? {
                    continue 'terms;
                }
            }
            let mut at = 0;
            while let Some(known) = best.get(at).cloned() {
                if self.proves(opposite, &known, &bound)? {
                    best.remove(at);
                } else {
                    at += 1;
                }
            }
            best.push(bound);
        }
        Ok(best)
    }
}
