//! Minima and maxima.
//!
//! Upstream: the `Min` and `Max` visitors of `src/arith/rewrite_simplify.cc`. The comparison of constant bounds,
//! which precedes these rules, is in `rewrite/arithmetic.rs`.

crate::pattern::rule_families! {
    /// Lane-wise minima.
    MIN_VECTOR = [
        "min(broadcast(x, n), broadcast(y, n)) => broadcast(min(x, y), n)",
        "min(min(x, broadcast(y, n)), broadcast(z, n)) => min(x, broadcast(min(y, z), n))",
    ];
    /// Minimum of equal values, tried before bounds are computed.
    MIN_SAME = [
        "min(x, x) => x",
    ];
    /// Minima of index values.
    MIN_INDEX = [
        // operands that differ by a constant
        "min(x + c1, x + c2) => x + c1 if c1 < c2",
        "min(x + c1, x + c2) => x + c2",
        "min(x + c1, x) | min(x, x + c1) => x + c1 if c1 < 0",
        "min(x + c1, x) | min(x, x + c1) => x",
        "min(c1 - x, c2 - x) => c1 - x if c1 < c2",
        "min(c1 - x, c2 - x) => c2 - x",
        // rounding to a multiple
        "min(truncdiv(x + c1, c2) * c2, x) | min(x, truncdiv(x + c1, c2) * c2) | min(floordiv(x + c1, c2) * c2, x) | min(x, floordiv(x + c1, c2) * c2) => x if c2 > 0 && c1 + 1 == c2",
        "min(truncdiv(x + c1, c2) * c2, max(x, c2)) | min(max(x, c2), truncdiv(x + c1, c2) * c2) | min(floordiv(x + c1, c2) * c2, max(x, c2)) | min(max(x, c2), floordiv(x + c1, c2) * c2) => max(x, c2) if c2 > 0 && c1 + 1 == c2 && prove_ge(x, 1)",
        "min(x, floordiv(x, c2) * c2) | min(floordiv(x, c2) * c2, x) => floordiv(x, c2) * c2 if c2 > 0",
        // repeated operands
        "min(max(x, y), min(x, y)) | min(max(x, y), min(y, x)) | min(min(x, y), max(x, y)) | min(min(x, y), max(y, x)) | min(min(x, y), x) | min(min(x, y), y) | min(x, min(x, y)) | min(y, min(x, y)) => min(x, y)",
        "min(max(x, y), x) | min(max(y, x), x) | min(x, max(x, y)) | min(x, max(y, x)) => x",
        "min(min(min(x, y), z), y) => min(min(x, y), z)",
        "min(min(min(min(x, y), z), s), y) => min(min(min(x, y), z), s)",
        "min(min(min(min(min(x, y), z), s), t), y) => min(min(min(min(x, y), z), s), t)",
        "min(max(x, y), max(x, z)) | min(max(x, y), max(z, x)) | min(max(y, x), max(x, z)) | min(max(y, x), max(z, x)) => max(min(y, z), x)",
        "min(min(x, y), min(x, z)) | min(min(x, y), min(z, x)) | min(min(y, x), min(x, z)) | min(min(y, x), min(z, x)) => min(min(y, z), x)",
        // common terms, divisors and factors
        "min(y + x, z + x) | min(y + x, x + z) | min(x + y, x + z) | min(x + y, z + x) => min(y, z) + x",
        "min(y - x, z - x) => min(y, z) - x",
        "min(x - y, x - z) => x - max(y, z)",
        "min(min(x, c1), c2) => min(x, min(c1, c2))",
        "min(truncdiv(x, c1), truncdiv(y, c1)) => truncdiv(min(x, y), c1) if c1 > 0",
        "min(truncdiv(x, c1), truncdiv(y, c1)) => truncdiv(max(x, y), c1)",
        "min(floordiv(x, c1), floordiv(y, c1)) => floordiv(min(x, y), c1) if c1 > 0",
        "min(floordiv(x, c1), floordiv(y, c1)) => floordiv(max(x, y), c1)",
        "min(x * c1, y * c1) => min(x, y) * c1 if c1 > 0",
        "min(x * c1, y * c1) => max(x, y) * c1",
        "min(x * c1, c2) => min(x, truncdiv(c2, c1)) * c1 if c1 > 0 && c2 % c1 == 0",
        "min(x * c1, c2) => max(x, truncdiv(c2, c1)) * c1 if c1 < 0 && c2 % c1 == 0",
        // normal order of operands
        "min(min(x, c1), y) =>> min(min(x, y), c1)",
        "min(c1 - x, c2) =>> c1 - max(x, c1 - c2) if c2 != 0",
    ];
    /// Minima of selections, of any type.
    MIN_SELECT = [
        "min(select(x, y, z), select(x, s, t)) => select(x, min(y, s), min(z, t))",
    ];
    /// Lane-wise maxima.
    MAX_VECTOR = [
        "max(broadcast(x, n), broadcast(y, n)) => broadcast(max(x, y), n)",
        "max(max(x, broadcast(y, n)), broadcast(z, n)) => max(x, broadcast(max(y, z), n))",
    ];
    /// Maximum of equal values, tried before bounds are computed.
    MAX_SAME = [
        "max(x, x) => x",
    ];
    /// Maxima of index values.
    MAX_INDEX = [
        // operands that differ by a constant
        "max(x + c1, x + c2) => x + c1 if c1 > c2",
        "max(x + c1, x + c2) => x + c2",
        "max(x + c1, x) | max(x, x + c1) => x + c1 if c1 > 0",
        "max(x + c1, x) | max(x, x + c1) => x",
        "max(c1 - x, c2 - x) => c1 - x if c1 > c2",
        "max(c1 - x, c2 - x) => c2 - x",
        // rounding to a multiple
        "max(truncdiv(x + c1, c2) * c2, x) | max(x, truncdiv(x + c1, c2) * c2) => truncdiv(x + c1, c2) * c2 if c2 > 0 && c1 + 1 == c2",
        "max(floordiv(x + c1, c2) * c2, x) | max(x, floordiv(x + c1, c2) * c2) => floordiv(x + c1, c2) * c2 if c2 > 0 && c1 + 1 == c2",
        "max(floordiv(x, c2) * c2, x) | max(x, floordiv(x, c2) * c2) => x if c2 > 0",
        // repeated operands
        "max(min(x, y), x) | max(min(y, x), x) | max(x, min(x, y)) | max(x, min(y, x)) => x",
        "max(min(x, y), max(x, y)) | max(min(x, y), max(y, x)) | max(max(x, y), min(x, y)) | max(max(x, y), min(y, x)) | max(max(x, y), x) | max(max(x, y), y) | max(x, max(x, y)) | max(y, max(x, y)) => max(x, y)",
        "max(max(max(x, y), z), y) => max(max(x, y), z)",
        "max(max(max(max(x, y), z), s), y) => max(max(max(x, y), z), s)",
        "max(max(max(max(max(x, y), z), s), t), y) => max(max(max(max(x, y), z), s), t)",
        "max(max(x, y), max(x, z)) | max(max(x, y), max(z, x)) | max(max(y, x), max(x, z)) | max(max(y, x), max(z, x)) => max(max(y, z), x)",
        "max(min(x, y), min(x, z)) | max(min(x, y), min(z, x)) | max(min(y, x), min(x, z)) | max(min(y, x), min(z, x)) => min(max(y, z), x)",
        // common terms, divisors and factors
        "max(y + x, z + x) | max(y + x, x + z) | max(x + y, x + z) | max(x + y, z + x) => max(y, z) + x",
        "max(y - x, z - x) => max(y, z) - x",
        "max(x - y, x - z) => x - min(y, z)",
        "max(max(x, c1), c2) => max(x, max(c1, c2))",
        "max(truncdiv(x, c1), truncdiv(y, c1)) => truncdiv(max(x, y), c1) if c1 > 0",
        "max(truncdiv(x, c1), truncdiv(y, c1)) => truncdiv(min(x, y), c1)",
        "max(floordiv(x, c1), floordiv(y, c1)) => floordiv(max(x, y), c1) if c1 > 0",
        "max(floordiv(x, c1), floordiv(y, c1)) => floordiv(min(x, y), c1)",
        "max(x * c1, y * c1) => max(x, y) * c1 if c1 > 0",
        "max(x * c1, y * c1) => min(x, y) * c1",
        "max(x * c1, c2) => max(x, truncdiv(c2, c1)) * c1 if c1 > 0 && c2 % c1 == 0",
        "max(x * c1, c2) => min(x, truncdiv(c2, c1)) * c1 if c1 < 0 && c2 % c1 == 0",
        // normal order of operands
        "max(max(x, c1), y) =>> max(max(x, y), c1)",
        "max(c1 - x, c2) =>> c1 - min(x, c1 - c2) if c2 != 0",
    ];
    /// Maxima of selections, of any type.
    MAX_SELECT = [
        "max(select(x, y, z), select(x, s, t)) => select(x, max(y, s), max(z, t))",
    ];
}
