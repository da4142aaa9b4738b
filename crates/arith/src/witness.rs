//! Values of the variables that the known facts allow.
//!
//! A condition that is false for such values has no proof. Most proofs that fail are settled by an evaluation, instead
//! of all passes of the simplifier. There are two witnesses, since many conditions hold at one end of the ranges only.
//!
//! Invariant: while [`Witness::is_consistent`], the values meet all facts about variables and all conditions in scope.

use tvmscript_ir_core::DataType;

use crate::analyzer::Analyzer;
use crate::expr::{self, BinOp, Expr, VarMap, View};

/// Maximum number of nodes that one evaluation visits.
const MAX_NODES: u32 = 128;

/// The end of a range that a variable takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Greatest,
}

/// A fact about a variable.
#[derive(Debug, Clone)]
enum Fact {
    /// The variable has a value.
    Value(Expr, Expr),
    /// The variable lies in `min..min + extent`.
    Range(Expr, Expr, Expr),
    /// The variable is not negative.
    NonNegative(Expr),
}

/// Values of variables. Facts and conditions are evaluated when the first question needs them.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    end: End,
    values: VarMap<i64>,
    /// Facts that are not evaluated yet.
    facts: Vec<Fact>,
    /// The conditions in scope, and for those that are evaluated, whether the values meet them.
    conditions: Vec<(Expr, bool)>,
    /// Number of conditions that are evaluated.
    evaluated: usize,
    /// Number of evaluated conditions that the values do not meet, or that could not be evaluated.
    unmet: u32,
    /// `true` if the values do not meet a fact about variables.
    is_lost: bool,
}

impl Witness {
    /// Witnesses of no facts.
    pub(crate) fn pair() -> [Witness; 2] {
        [End::Least, End::Greatest].map(|end| Witness {
            end,
            values: VarMap::default(),
            facts: Vec::new(),
            conditions: Vec::new(),
            evaluated: 0,
            unmet: 0,
            is_lost: false,
        })
    }

    /// Evaluates what is new. Returns `true` if the values meet all facts and conditions.
    fn is_consistent(&mut self) -> bool {
        for fact in std::mem::take(&mut self.facts) {
            if self.is_lost {
                break;
            }
            self.add(&fact);
        }
        while !self.is_lost
            && let Some((condition, _)) = self.conditions.get(self.evaluated)
        {
            let condition = condition.clone();
            let is_met = self.unmet > 0 || self.value(&condition).is_some_and(|value| value != 0);
            self.unmet += u32::from(!is_met);
            if let Some((_, known)) = self.conditions.get_mut(self.evaluated) {
                *known = is_met;
            }
            self.evaluated += 1;
        }
        self.unmet == 0 && !self.is_lost
    }

    fn add(&mut self, fact: &Fact) {
        match fact {
            Fact::Value(var, value) => {
                let value = self.value(value);
                self.set(var, value);
            }
            Fact::Range(var, min, extent) => {
                // Symbols of extents are positive.
                let extent = self.value_with(extent, 1).filter(|extent| *extent > 0);
                let min = self.value(min);
                let value = match (self.end, min.zip(extent)) {
                    (End::Greatest, Some((min, extent))) => min.checked_add(extent - 1),
                    (End::Least, Some((min, _))) => Some(min),
                    (_, None) => None,
                };
                self.set(var, value);
            }
            Fact::NonNegative(var) => {
                self.is_lost |= self.value_with(var, 1).is_none_or(|value| value < 0);
            }
        }
    }

    /// Gives a variable a value that a new fact about it asks for.
    fn set(&mut self, var: &Expr, value: Option<i64>) {
        // Earlier facts may hold for the earlier value alone.
        match value.filter(|value| self.values.get(var).is_none_or(|known| known == value)) {
            Some(value) => self.values.insert(var, value),
            None => self.is_lost = true,
        }
    }

    /// Adds the fact that a variable has a value.
    pub(crate) fn bind(&mut self, var: &Expr, value: &Expr) {
        self.facts.push(Fact::Value(var.clone(), value.clone()));
    }

    /// Adds the fact that a variable lies in `min..min + extent`.
    pub(crate) fn bind_range(&mut self, var: &Expr, min: &Expr, extent: &Expr) {
        self.facts.push(Fact::Range(var.clone(), min.clone(), extent.clone()));
    }

    /// Adds the fact that a variable is not negative.
    pub(crate) fn mark_non_negative(&mut self, var: &Expr) {
        self.facts.push(Fact::NonNegative(var.clone()));
    }

    /// Brings a condition into scope.
    pub(crate) fn enter(&mut self, condition: &Expr) {
        self.conditions.push((condition.clone(), true));
    }

    /// Ends the scope of the last condition.
    pub(crate) fn leave(&mut self) {
        let is_met = self.conditions.pop().is_none_or(|(_, is_met)| is_met);
        self.evaluated = self.evaluated.min(self.conditions.len());
        self.unmet = self.unmet.saturating_sub(u32::from(!is_met));
    }

    /// The value of an expression of integers; `None` for others.
    fn value(&mut self, e: &Expr) -> Option<i64> {
        self.value_with(e, 0)
    }

    /// The value of an expression, in which variables without facts have at least the value `least`.
    fn value_with(&mut self, e: &Expr, least: i64) -> Option<i64> {
        if let Some(value) = expr::as_int(e) {
            return Some(value);
        }
        let mut left = MAX_NODES;
        self.part(e, least, &mut left)
    }

    fn part(&mut self, e: &Expr, least: i64, left: &mut u32) -> Option<i64> {
        *left = left.checked_sub(1)?;
        match expr::view(e) {
            View::Int(value) => Some(value),
            View::Var => self.of_variable(e, least),
            View::Not(a) => self.part(a, least, left).map(|a| i64::from(a == 0)),
            View::Bin(op, a, b) => {
                let (a, b) = (self.part(a, least, left)?, self.part(b, least, left)?);
                Some(match op {
                    BinOp::Add => a.checked_add(b)?,
                    BinOp::Sub => a.checked_sub(b)?,
                    BinOp::Mul => a.checked_mul(b)?,
                    BinOp::FloorDiv if b > 0 => a.div_euclid(b),
                    BinOp::FloorMod if b > 0 => a.rem_euclid(b),
                    BinOp::Min => a.min(b),
                    BinOp::Max => a.max(b),
                    BinOp::Eq => i64::from(a == b),
                    BinOp::Ne => i64::from(a != b),
                    BinOp::Lt => i64::from(a < b),
                    BinOp::Le => i64::from(a <= b),
                    BinOp::Gt => i64::from(a > b),
                    BinOp::Ge => i64::from(a >= b),
                    BinOp::And => i64::from(a != 0 && b != 0),
                    BinOp::Or => i64::from(a != 0 || b != 0),
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    /// A variable without facts has any value of its type. Great values differ, so that variables are not equal.
    fn of_variable(&mut self, var: &Expr, least: i64) -> Option<i64> {
        if let Some(value) = self.values.get(var) {
            return Some(*value);
        }
        let dtype = expr::dtype(var);
        let value = match self.end {
            _ if dtype == DataType::BOOL => 0,
            _ if !dtype.is_integer() || dtype.lanes != 1 || dtype.bits < 8 => return None,
            End::Least => least,
            // Positive and at most 127.
            End::Greatest => 1 + (60 + 17 * i64::try_from(self.values.len()).unwrap_or(0)) % 126,
        };
        self.values.insert(var, value);
        Some(value)
    }
}

impl Analyzer {
    /// Returns `true` if a condition is false for values that the facts allow.
    pub(crate) fn refutes(&mut self, condition: &Expr) -> bool {
        self.has_witness(condition, |value| value == 0)
    }

    /// Returns `true` if an expression is less than `lower` for values that the facts allow.
    pub(crate) fn refutes_at_least(&mut self, e: &Expr, lower: i64) -> bool {
        self.has_witness(e, |value| value < lower)
    }

    fn has_witness(&mut self, e: &Expr, is_wanted: impl Fn(i64) -> bool) -> bool {
        self.witnesses
            .iter_mut()
            .any(|witness| witness.is_consistent() && witness.value(e).is_some_and(&is_wanted))
    }
}
