//! Modular sets: residue classes that contain the values of an expression.
//!
//! Upstream counterpart: `src/arith/modular_set.cc`.

use tvmscript_ir_core::with_stack;

use crate::analyzer::Analyzer;
use crate::expr::{self, BinOp, Expr, Intrinsic, VarMap, View};
use crate::number::{divides, extended_gcd, gcd};

/// The numbers `coeff * k + base` for every integer `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModularSet {
    /// The step, never negative; zero for a constant.
    pub coeff: i64,
    /// The offset, in `0..coeff` unless the step is zero.
    pub base: i64,
}

impl ModularSet {
    /// All integers.
    pub const EVERYTHING: Self = Self { coeff: 1, base: 0 };

    /// Creates the normalized set `coeff * k + base`. A negative step flips both signs, the convention of remainders
    /// with a negative divisor in canonical forms.
    pub fn new(coeff: i64, base: i64) -> Self {
        let (coeff, base) =
            if coeff < 0 { (coeff.wrapping_neg(), base.wrapping_neg()) } else { (coeff, base) };
        match coeff {
            0 => Self { coeff, base },
            1.. => Self { coeff, base: base.rem_euclid(coeff) },
            _ => Self::EVERYTHING,
        }
    }

    /// Returns `true` if the set has one number.
    pub fn is_const(self) -> bool {
        self.coeff == 0
    }

    fn union(self, other: Self) -> Self {
        let coeff = gcd(self.coeff, other.coeff);
        if coeff == 0 {
            // Upstream does not take the difference of two constants either.
            return if self.base == other.base { self } else { Self::EVERYTHING };
        }
        let (a, b) = (self.base % coeff, other.base % coeff);
        if a == b { Self::new(coeff, a) } else { Self::new(gcd(gcd(a, b), coeff), a) }
    }

    fn intersect(self, other: Self) -> Self {
        let (g, x, _) = extended_gcd(self.coeff, other.coeff);
        let distance = other.base.wrapping_sub(self.base);
        if !divides(g, distance) {
            // The intersection is empty, so any result is sound; this one is upstream's.
            return Self { coeff: 0, base: 1 };
        }
        let steps = (distance / g).wrapping_mul(x);
        Self::new(
            (self.coeff / g).wrapping_mul(other.coeff),
            steps.wrapping_mul(self.coeff).wrapping_add(self.base),
        )
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ModularState {
    pub(crate) vars: VarMap<ModularSet>,
}

impl ModularState {
    /// Narrows a variable by a condition such as `v % 4 == 1`. Returns the entry to restore on leaving the scope.
    pub(crate) fn enter(&mut self, condition: &Expr) -> Option<(Expr, ModularSet)> {
        let View::Bin(BinOp::Eq, a, b) = expr::view(condition) else { return None };
        let (var, set) = match (expr::view(a), expr::as_int(a), expr::as_int(b)) {
            (View::Bin(BinOp::Mod | BinOp::FloorMod, var, modulus), _, Some(base)) if expr::is_var(var) => {
                (var, ModularSet::new(expr::as_int(modulus)?, base))
            }
            // Upstream derives nothing from `v == 3`.
            (View::Var, _, Some(_)) => (a, ModularSet::EVERYTHING),
            (_, Some(_), _) if expr::is_var(b) => (b, ModularSet::EVERYTHING),
            _ => return None,
        };
        let old = self.vars.get(var).copied().unwrap_or(ModularSet::EVERYTHING);
        self.vars.insert(var, old.intersect(set));
        Some((var.clone(), old))
    }
}

impl Analyzer {
    pub(crate) fn modular_of(&mut self, e: &Expr) -> ModularSet {
        if !self.spend() {
            return ModularSet::EVERYTHING;
        }
        let memoizes = self.memoizes(e);
        if memoizes && let Some(known) = self.memo.modular.get(e.object()) {
            return *known;
        }
        let set = with_stack(|| self.modular_of_kind(e));
        if memoizes && self.budget > 0 {
            self.memo.modular.insert(e.object().clone(), set);
        }
        set
    }

    fn modular_of_kind(&mut self, e: &Expr) -> ModularSet {
        match expr::view(e) {
            View::Int(value) => ModularSet { coeff: 0, base: value },
            View::Var => self.modular.vars.get(e).copied().unwrap_or(ModularSet::EVERYTHING),
            View::Cast(value) => self.modular_of(value),
            View::Select(_, a, b) | View::Bin(BinOp::Min | BinOp::Max, a, b) => {
                self.modular_of(a).union(self.modular_of(b))
            }
            View::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (a, b) = (self.modular_of(a), self.modular_of(b));
                let base = match op {
                    BinOp::Add => a.base.checked_add(b.base),
                    _ => a.base.checked_sub(b.base),
                };
                base.map_or(ModularSet::EVERYTHING, |base| ModularSet::new(gcd(a.coeff, b.coeff), base))
            }
            View::Bin(BinOp::Mul, a, b) => {
                let (a, b) = (self.modular_of(a), self.modular_of(b));
                product(a, b).unwrap_or(ModularSet::EVERYTHING)
            }
            View::Bin(op @ (BinOp::Div | BinOp::FloorDiv), a, b) => {
                let divisor = self.modular_of(b);
                if !divisor.is_const() {
                    return ModularSet::EVERYTHING;
                }
                self.modular_of_quotient(a, divisor.base, op == BinOp::FloorDiv)
            }
            View::Bin(op @ (BinOp::Mod | BinOp::FloorMod), a, b) => {
                let divisor = self.modular_of(b);
                if !divisor.is_const() {
                    return ModularSet::EVERYTHING;
                }
                self.modular_of_remainder(a, divisor.base, op == BinOp::FloorMod)
            }
            View::Let(var, value, body) => {
                if self.modular.vars.get(var).is_some() {
                    return self.modular_of(body);
                }
                let set = self.modular_of(value);
                self.memo.clear();
                self.modular.vars.insert(var, set);
                let result = self.modular_of(body);
                self.memo.clear();
                self.modular.vars.remove(var);
                result
            }
            View::Call(call) => match (call.intrinsic(), call.args().as_slice()) {
                (Some(Intrinsic::ShiftRight), [a, b]) => {
                    let shift = self.modular_of(b);
                    match u32::try_from(shift.base) {
                        Ok(bits @ 0..63) if shift.is_const() => self.modular_of_quotient(a, 1 << bits, true),
                        _ => ModularSet::EVERYTHING,
                    }
                }
                (Some(Intrinsic::BitwiseAnd), [a, b]) => {
                    let mask = self.modular_of(b);
                    match mask.base.checked_add(1) {
                        Some(modulus) if mask.is_const() && modulus > 0 && modulus & (modulus - 1) == 0 => {
                            self.modular_of_remainder(a, modulus, true)
                        }
                        _ => ModularSet::EVERYTHING,
                    }
                }
                _ => ModularSet::EVERYTHING,
            },
            _ => ModularSet::EVERYTHING,
        }
    }

    /// The residue class of `a / divisor`. A truncated quotient with an offset requires a non-negative dividend.
    fn modular_of_quotient(&mut self, a: &Expr, divisor: i64, rounds_down: bool) -> ModularSet {
        let set = self.modular_of(a);
        if !divides(divisor, set.coeff) {
            return ModularSet::EVERYTHING;
        }
        if set.base == 0 {
            return ModularSet::new((set.coeff / divisor).wrapping_abs(), 0);
        }
        if set.base > 0 && divisor > 0 && (rounds_down || self.can_prove_at_least(a, 0)) {
            return ModularSet::new(set.coeff / divisor, set.base / divisor);
        }
        ModularSet::EVERYTHING
    }

    fn modular_of_remainder(&mut self, a: &Expr, divisor: i64, rounds_down: bool) -> ModularSet {
        let set = self.modular_of(a);
        let coeff = gcd(set.coeff, divisor);
        if coeff == 0 {
            return ModularSet::EVERYTHING;
        }
        if set.base % coeff == 0 || (set.base > 0 && (rounds_down || self.can_prove_at_least(a, 0))) {
            return ModularSet::new(coeff, set.base % coeff);
        }
        ModularSet::EVERYTHING
    }
}

/// `(p x + n) * (q y + m)`: every cross term is a multiple of the greatest common divisor of `pq`, `pm`, `qn`.
fn product(a: ModularSet, b: ModularSet) -> Option<ModularSet> {
    let pq = a.coeff.checked_mul(b.coeff)?;
    let pm = a.coeff.checked_mul(b.base)?;
    let qn = a.base.checked_mul(b.coeff)?;
    Some(ModularSet::new(gcd(pq, gcd(pm, qn)), a.base.checked_mul(b.base)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersection_is_the_chinese_remainder() {
        let set = ModularSet::new(4, 1).intersect(ModularSet::new(6, 3));
        assert_eq!(set, ModularSet::new(12, 9));
    }

    #[test]
    fn union_keeps_the_common_step() {
        assert_eq!(ModularSet::new(8, 2).union(ModularSet::new(12, 6)), ModularSet::new(4, 2));
        assert_eq!(ModularSet::new(0, 3).union(ModularSet::new(0, 5)), ModularSet::EVERYTHING);
    }
}
