//! Integer arithmetic: floor division, greatest common divisors, and 64-bit operations with infinite ends.
//!
//! Upstream counterparts: `src/arith/int_operator.h` and the static helpers of `src/arith/const_int_bound.cc`.

use tvmscript_ir_core::arithmetic;

/// No upper bound.
pub(crate) const POS_INF: i64 = i64::MAX;
/// No lower bound.
pub(crate) const NEG_INF: i64 = -i64::MAX;

/// Quotient rounded down; `None` for a zero divisor.
pub(crate) fn floor_div(x: i64, y: i64) -> Option<i64> {
    (y != 0).then(|| arithmetic::floor_div(x, y))
}

/// Remainder with the sign of the divisor; `None` for a zero divisor.
pub(crate) fn floor_mod(x: i64, y: i64) -> Option<i64> {
    (y != 0).then(|| arithmetic::floor_mod(x, y))
}

/// Returns `true` if `d` divides `x`; zero divides nothing.
pub(crate) fn divides(d: i64, x: i64) -> bool {
    d != 0 && x.wrapping_rem(d) == 0
}

/// Greatest common divisor of the magnitudes; zero is the neutral element.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// Returns `(g, x, y)` with `a * x + b * y == g`, the greatest common divisor.
pub(crate) fn extended_gcd(a: i64, b: i64) -> (i64, i64, i64) {
    let (mut old_r, mut r) = (a.wrapping_abs(), b);
    let (mut old_s, mut s) = (1i64, 0i64);
    while r != 0 {
        let q = old_r.wrapping_div(r);
        (old_r, r) = (r, old_r.wrapping_sub(q.wrapping_mul(r)));
        (old_s, s) = (s, old_s.wrapping_sub(q.wrapping_mul(s)));
    }
    let x = if a >= 0 { old_s } else { old_s.wrapping_neg() };
    let y = if b == 0 { 1 } else { old_r.wrapping_sub(x.wrapping_mul(a)).wrapping_div(b) };
    (old_r, x, y)
}

/// Least common multiple as upstream computes it, `a * b / gcd`.
pub(crate) fn lcm(a: i64, b: i64) -> i64 {
    let g = extended_gcd(a, b).0;
    if g == 0 { 0 } else { a.wrapping_mul(b).wrapping_div(g) }
}

/// `x + y`, where infinite operands absorb the other one.
pub(crate) fn inf_add(x: i64, y: i64) -> i64 {
    match (x, y) {
        (POS_INF, _) => POS_INF,
        (NEG_INF, _) => NEG_INF,
        (_, POS_INF) => POS_INF,
        (_, NEG_INF) => NEG_INF,
        _ => x.saturating_add(y).max(NEG_INF),
    }
}

/// `-x`, which maps one infinite end to the other.
pub(crate) fn inf_neg(x: i64) -> i64 {
    x.saturating_neg()
}

/// `x * y`, saturating at the infinite ends.
pub(crate) fn inf_mul(x: i64, y: i64) -> i64 {
    x.saturating_mul(y).max(NEG_INF)
}

/// Applies a division to a possibly infinite dividend.
fn inf_division(x: i64, y: i64, divide: impl Fn(i64, i64) -> Option<i64>) -> i64 {
    if x == POS_INF || x == NEG_INF {
        return if y > 0 { x } else { inf_neg(x) };
    }
    divide(x, y).unwrap_or(if x >= 0 { POS_INF } else { NEG_INF })
}

pub(crate) fn inf_trunc_div(x: i64, y: i64) -> i64 {
    inf_division(x, y, i64::checked_div)
}

pub(crate) fn inf_floor_div(x: i64, y: i64) -> i64 {
    inf_division(x, y, floor_div)
}

/// `x << y` for non-negative operands; infinite if bits are lost.
pub(crate) fn inf_shift_left(x: i64, y: i64) -> i64 {
    if x == POS_INF || x == NEG_INF {
        return x;
    }
    let used_bits = i64::from(64 - x.unsigned_abs().leading_zeros());
    match u32::try_from(y) {
        Ok(shift) if used_bits + y < 64 => x << shift,
        _ => POS_INF,
    }
}

/// `x >> y`, with the shift count clamped to the word.
pub(crate) fn inf_shift_right(x: i64, y: i64) -> i64 {
    if x == POS_INF || x == NEG_INF { x } else { x >> y.clamp(0, 63) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_division_rounds_down_for_every_sign() {
        for x in -9..=9i64 {
            for y in [-4i64, -3, -1, 1, 2, 5] {
                let (q, r) = (floor_div(x, y).unwrap(), floor_mod(x, y).unwrap());
                assert_eq!(q * y + r, x);
                assert!(r == 0 || (r < 0) == (y < 0));
            }
        }
        assert_eq!(floor_div(1, 0), None);
        assert_eq!(floor_div(i64::MIN, -1), Some(i64::MIN));
    }

    #[test]
    fn extended_gcd_solves_its_equation() {
        for a in -12..=12i64 {
            for b in 1..=12i64 {
                let (g, x, y) = extended_gcd(a, b);
                assert_eq!(a * x + b * y, g);
                assert_eq!(g, gcd(a, b));
            }
        }
    }

    #[test]
    fn infinite_ends_absorb() {
        assert_eq!(inf_add(POS_INF, -5), POS_INF);
        assert_eq!(inf_add(NEG_INF, 5), NEG_INF);
        assert_eq!(inf_add(i64::MAX - 1, 7), POS_INF);
        assert_eq!(inf_mul(POS_INF, -1), NEG_INF);
        assert_eq!(inf_shift_left(1, 70), POS_INF);
    }
}
