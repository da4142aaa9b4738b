//! Known comparisons such as `a <= b + 3`.
//!
//! Ranges of variables and conditions in scope are kept as comparisons of two expressions with a constant offset. A
//! query uses those that compare the same two expressions. Chains of inequalities are not followed, which is
//! upstream's default too.
//!
//! Upstream counterpart: `src/arith/transitive_comparison_analyzer.cc`.

use smallvec::SmallVec;
use tvmscript_ir_core::ptr_map::AddressMap;

use crate::constraint;
use crate::expr::{self, BinOp, Effect, Expr, View};

/// The possible outcomes of a comparison of two numbers: a set of "equal", "less" and "greater".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcomes(u8);

impl Outcomes {
    pub(crate) const EQ: Self = Self(1);
    pub(crate) const LT: Self = Self(2);
    pub(crate) const LE: Self = Self(3);
    pub(crate) const GT: Self = Self(4);
    pub(crate) const GE: Self = Self(5);
    pub(crate) const NE: Self = Self(6);
    pub(crate) const UNKNOWN: Self = Self(7);

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns `true` if exactly one outcome is possible.
    pub(crate) fn is_decided(self) -> bool {
        self.0.count_ones() == 1
    }

    /// The outcomes with the two numbers swapped.
    fn mirrored(self) -> Self {
        Self((self.0 & 1) | (self.0 & 2) << 1 | (self.0 & 4) >> 1)
    }
}

/// Index of an expression in [`Comparisons`].
type Key = usize;

/// The key of a constant, which is all offset.
const CONSTANT: Key = 0;

/// `lhs OP rhs + offset`, with `OP` one of `==`, `!=`, `<=`, `>=`.
#[derive(Debug, Clone, Copy)]
struct Comparison {
    lhs: Key,
    rhs: Key,
    offset: i64,
    outcomes: Outcomes,
}

impl Comparison {
    /// Converts `<` and `>` to `<=` and `>=`, whose offsets are simpler to compare.
    fn new(lhs: Key, rhs: Key, offset: i64, outcomes: Outcomes) -> Self {
        match outcomes {
            Outcomes::LT => Self { lhs, rhs, offset: offset.wrapping_sub(1), outcomes: Outcomes::LE },
            Outcomes::GT => Self { lhs, rhs, offset: offset.wrapping_add(1), outcomes: Outcomes::GE },
            _ => Self { lhs, rhs, offset, outcomes },
        }
    }

    /// The comparison oriented as `lhs` against `rhs`, if it compares these two.
    fn between(self, lhs: Key, rhs: Key) -> Option<Self> {
        if (self.lhs, self.rhs) == (lhs, rhs) {
            return Some(self);
        }
        ((self.rhs, self.lhs) == (lhs, rhs)).then(|| Self {
            lhs,
            rhs,
            offset: self.offset.wrapping_neg(),
            outcomes: self.outcomes.mirrored(),
        })
    }

    /// The outcomes of `lhs` against `rhs + offset` that this allows.
    fn about(self, offset: i64) -> Outcomes {
        match self.outcomes {
            Outcomes::EQ if offset == self.offset => Outcomes::EQ,
            Outcomes::EQ => Outcomes::NE,
            Outcomes::LE if self.offset < offset => Outcomes::LT,
            Outcomes::LE if self.offset == offset => Outcomes::LE,
            Outcomes::GE if self.offset > offset => Outcomes::GT,
            Outcomes::GE if self.offset == offset => Outcomes::GE,
            Outcomes::NE if self.offset == offset => Outcomes::NE,
            _ => Outcomes::UNKNOWN,
        }
    }
}

/// The known comparisons.
#[derive(Debug, Clone, Default)]
pub(crate) struct Comparisons {
    /// Expressions by hash, with their keys.
    keys: AddressMap<SmallVec<[(Expr, Key); 1]>>,
    /// The key that was given last.
    last_key: Key,
    /// From the ranges of variables.
    bound: Vec<Comparison>,
    /// From the conditions in scope.
    scoped: Vec<Comparison>,
}

/// Maximum number of nodes that structural equality of keys visits.
const KEY_BUDGET: u64 = 10_000;

impl Comparisons {
    /// Adds `lhs op rhs`, operands of one type, while the variables are bound.
    pub(crate) fn add_bound(&mut self, op: BinOp, lhs: &Expr, rhs: &Expr) {
        if expr::effect(lhs) <= Effect::Pure && expr::effect(rhs) <= Effect::Pure {
            let known = self.read(op, lhs, rhs);
            self.bound.extend(known);
        }
    }

    /// Adds `condition` until [`Comparisons::leave`].
    pub(crate) fn enter(&mut self, condition: &Expr) {
        if expr::effect(condition) > Effect::Pure {
            return;
        }
        for part in constraint::conjuncts(condition) {
            if let View::Bin(op, lhs, rhs) = expr::view(part) {
                let known = self.read(op, lhs, rhs);
                self.scoped.extend(known);
            }
        }
    }

    /// Number of scoped comparisons, for [`Comparisons::leave`].
    pub(crate) fn depth(&self) -> usize {
        self.scoped.len()
    }

    /// Removes the scoped comparisons after the first `depth`.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.scoped.truncate(depth);
    }

    /// Removes the comparisons bound with `var` on the left.
    pub(crate) fn forget(&mut self, var: &Expr) {
        if !self.bound.is_empty()
            && let Some(key) = self.find(Some(var))
        {
            self.bound.retain(|known| known.lhs != key);
        }
    }

    /// The possible outcomes of comparing `lhs` with `rhs`.
    pub(crate) fn compare(&self, lhs: &Expr, rhs: &Expr) -> Outcomes {
        if (self.bound.is_empty() && self.scoped.is_empty())
            || !expr::dtype(lhs).is_int()
            || !expr::dtype(rhs).is_int()
        {
            return Outcomes::UNKNOWN;
        }
        if let (Some(a), Some(b)) = (expr::as_int(lhs), expr::as_int(rhs)) {
            return match a.cmp(&b) {
                std::cmp::Ordering::Less => Outcomes::LT,
                std::cmp::Ordering::Equal => Outcomes::EQ,
                std::cmp::Ordering::Greater => Outcomes::GT,
            };
        }
        let ((lhs, left), (rhs, right)) = (split_offset(lhs), split_offset(rhs));
        let (Some(lhs), Some(rhs)) = (self.find(lhs), self.find(rhs)) else { return Outcomes::UNKNOWN };
        let offset = right.wrapping_sub(left);
        let known = self.bound.iter().chain(&self.scoped);
        known
            .filter_map(|known| known.between(lhs, rhs))
            .fold(Outcomes::UNKNOWN, |result, known| result.and(known.about(offset)))
    }

    fn find(&self, base: Option<&Expr>) -> Option<Key> {
        let Some(e) = base else { return Some(CONSTANT) };
        let bucket = self.keys.get(&(expr::deep_hash(e) as usize))?;
        let same = |other: &Expr| expr::deep_equal(e, other, &mut { KEY_BUDGET });
        bucket.iter().find(|(other, _)| same(other)).map(|(_, key)| *key)
    }

    fn key(&mut self, base: Option<&Expr>) -> Key {
        let Some(e) = base else { return CONSTANT };
        if let Some(key) = self.find(base) {
            return key;
        }
        self.last_key += 1;
        self.keys.entry(expr::deep_hash(e) as usize).or_default().push((e.clone(), self.last_key));
        self.last_key
    }

    fn read(&mut self, op: BinOp, lhs: &Expr, rhs: &Expr) -> Option<Comparison> {
        let outcomes = match op {
            BinOp::Le => Outcomes::LE,
            BinOp::Ge => Outcomes::GE,
            BinOp::Lt => Outcomes::LT,
            BinOp::Gt => Outcomes::GT,
            BinOp::Eq => Outcomes::EQ,
            BinOp::Ne => Outcomes::NE,
            _ => return None,
        };
        if expr::as_int(lhs).is_some() && expr::as_int(rhs).is_some() {
            return None;
        }
        let ((lhs, left), (rhs, right)) = (split_offset(lhs), split_offset(rhs));
        let (lhs, rhs) = (self.key(lhs), self.key(rhs));
        Some(Comparison::new(lhs, rhs, right.wrapping_sub(left), outcomes))
    }
}

/// `e` as an expression, `None` for a constant, and a constant offset.
fn split_offset(e: &Expr) -> (Option<&Expr>, i64) {
    match expr::view(e) {
        View::Int(value) => (None, value),
        View::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => match expr::as_int(b) {
            Some(value) if op == BinOp::Add => (Some(a), value),
            Some(value) => (Some(a), value.wrapping_neg()),
            None => (Some(e), 0),
        },
        _ => (Some(e), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_swaps_less_and_greater() {
        assert_eq!(Outcomes::LE.mirrored(), Outcomes::GE);
        assert_eq!(Outcomes::NE.mirrored(), Outcomes::NE);
        assert_eq!(Outcomes::EQ.mirrored(), Outcomes::EQ);
    }

    #[test]
    fn a_known_inequality_answers_with_its_offset() {
        let known = Comparison::new(0, 1, 4, Outcomes::LT);
        assert_eq!(known.about(4), Outcomes::LT);
        assert_eq!(known.about(3), Outcomes::LE);
        assert_eq!(known.about(2), Outcomes::UNKNOWN);
    }
}
