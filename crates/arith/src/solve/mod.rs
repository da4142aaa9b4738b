//! Ranges of variables that conditions imply, such as those of `i` under `if i + j < 8`.
//!
//! [`narrow_domains`] narrows the sets of loop variables by a condition, for the detection of access regions. It
//! solves linear inequalities by elimination ([`inequalities`]).
//!
//! Upstream counterpart: `ConditionalBoundsContext` of `src/tir/transforms/ir_utils.cc`.

mod bounds;
mod inequalities;
mod linear;

use tvmscript_ir_core::Ref;
use tvmscript_prim::{PrimExpr, Var};

use crate::analyzer::Analyzer;
use crate::error::Result;
use crate::expr::{self, BinOp, Expr, Intrinsic, VarMap, View};
use crate::interval::{DomMap, IntSet};

/// The values `min <= var < min + extent`.
#[derive(Debug, Clone)]
pub struct VarRange {
    /// The variable.
    pub var: Ref<Var>,
    /// The least value.
    pub min: Ref<PrimExpr>,
    /// The number of values.
    pub extent: Ref<PrimExpr>,
}

/// The range of each of `vars` that the linear comparisons `relations` imply under `ranges`. `None` if the ranges do
/// not imply the relations in turn, or if no value satisfies them.
///
/// # Source
/// Upstream `SolveInequalitiesToRange`, `src/arith/solve_linear_inequality.cc`.
pub fn solve_inequalities(
    vars: &[Ref<Var>],
    ranges: &[VarRange],
    relations: &[Ref<PrimExpr>],
) -> Option<Vec<VarRange>> {
    inequalities::solve_to_ranges(vars, ranges, relations).ok().flatten()
}

/// Changes made by [`narrow_domains`].
#[derive(Debug, Default)]
#[must_use = "the domains stay narrow until `undo`"]
pub struct Narrowing {
    relaxed: Vec<(Ref<Var>, IntSet)>,
    hinted: Vec<(Ref<Var>, Option<IntSet>)>,
    work: u64,
}

impl Narrowing {
    /// Number of nodes that were visited to find it. A condition with shared parts can cost up to
    /// [`DEFAULT_NODE_BUDGET`](crate::DEFAULT_NODE_BUDGET) per query, so callers with many conditions add this up.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Restores the previous sets.
    pub fn undo(self, domains: &mut DomMap, hints: &mut DomMap) {
        for (var, set) in self.relaxed {
            domains.insert(&var, set);
        }
        for (var, set) in self.hinted {
            match set {
                Some(set) => hints.insert(&var, set),
                None => hints.remove(&var),
            };
        }
    }
}

/// Narrows `domains` by a condition, and `hints` for variables that are not in `domains`. Changes nothing if the
/// condition does not consist of linear comparisons, or if its solution is not a range per variable.
pub fn narrow_domains(condition: &Ref<PrimExpr>, domains: &mut DomMap, hints: &mut DomMap) -> Narrowing {
    let mut narrowing = Narrowing::default();
    let mut analyzer = Analyzer::new();
    let ranges = ranges_of_condition(condition, domains, hints, &mut analyzer).unwrap_or_default();
    narrowing.work = analyzer.work;
    for range in ranges {
        let var = &range.var;
        let set = IntSet::from_range(&range.min, &range.extent);
        if let Some(old) = domains.get(var).cloned() {
            domains.insert(var, IntSet::intersection(&[old.clone(), set]));
            narrowing.relaxed.push((var.clone(), old));
        } else {
            let old = hints.get(var).cloned();
            let new = match &old {
                Some(old) => IntSet::intersection(&[old.clone(), set]),
                None => set,
            };
            hints.insert(var, new);
            narrowing.hinted.push((var.clone(), old));
        }
    }
    narrowing
}

/// The range of each variable of a condition, if the ranges imply the condition.
fn ranges_of_condition(
    condition: &Expr,
    domains: &DomMap,
    hints: &DomMap,
    analyzer: &mut Analyzer,
) -> Result<Vec<VarRange>> {
    let condition = analyzer.simplify(condition);
    let mut system = System::default();
    if expr::as_int(&condition).is_none() {
        system.collect(&condition);
    }
    if system.relations.is_empty() || system.vars.is_empty() {
        return Ok(Vec::new());
    }
    let mut ranges = Vec::new();
    for var in &system.vars {
        let Some(set) = domains.get(var).or_else(|| hints.get(var)) else { continue };
        let (Some(min), Some(max)) = (set.min(), set.max()) else { continue };
        let difference = expr::folded(BinOp::Sub, max, min)?;
        let extent = analyzer.simplify(&expr::plus(&difference, 1)?);
        ranges.push(VarRange { var: var.clone(), min: min.clone(), extent });
    }
    let solution = inequalities::solve_to_ranges(&system.vars, &ranges, &system.relations)?;
    Ok(solution.unwrap_or_default())
}

/// Linear comparisons and their variables, in order of appearance.
#[derive(Default)]
struct System {
    relations: Vec<Expr>,
    vars: Vec<Ref<Var>>,
    seen: VarMap<()>,
}

impl System {
    fn collect(&mut self, condition: &Expr) {
        let mut pending = vec![condition];
        while let Some(part) = pending.pop() {
            match expr::view(part) {
                View::Bin(BinOp::And, a, b) => pending.extend([b, a]),
                View::Bin(op, a, b) if expr::gives_truth(op) && op != BinOp::Or => {
                    self.add_comparison(part, a, b)
                }
                View::Call(call) if call.intrinsic() == Some(Intrinsic::Likely) => {
                    pending.extend(call.node.args.first())
                }
                _ => {}
            }
        }
    }

    /// Adds a comparison of sums, products, quotients and remainders of integer variables.
    fn add_comparison(&mut self, comparison: &Expr, a: &Expr, b: &Expr) {
        let mut vars = Vec::new();
        let mut pending = vec![b, a];
        while let Some(e) = pending.pop() {
            match expr::view(e) {
                View::Int(_) => {}
                View::Var if expr::dtype(e).is_integer() => vars.extend(e.downcast_ref::<Var>()),
                View::Var => {}
                View::Bin(op, a, b) if is_simple(op) => pending.extend([b, a]),
                _ => return,
            }
        }
        if vars.is_empty() {
            return;
        }
        for var in vars {
            if self.seen.get(var.upcast_ref()).is_none() {
                self.seen.insert(var.upcast_ref(), ());
                self.vars.push(var.clone());
            }
        }
        self.relations.push(comparison.clone());
    }
}

fn is_simple(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::FloorDiv | BinOp::FloorMod)
}
