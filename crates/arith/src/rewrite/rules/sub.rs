//! Differences. Upstream: the `Sub` visitor of `src/arith/rewrite_simplify.cc`.

crate::pattern::rule_families! {
    /// Lane-wise differences of vectors.
    VECTOR = [
        "ramp(x, s, n) - ramp(y, t, n) => ramp(x - y, s - t, n)",
        "ramp(x, s, n) - broadcast(y, n) => ramp(x - y, s, n)",
        "broadcast(x, n) - ramp(y, s, n) => ramp(x - y, 0 - s, n)",
        "broadcast(x, n) - broadcast(y, n) => broadcast(x - y, n)",
    ];
    /// Differences of index values.
    INDEX = [
        // cancelled terms
        "(x + y) - y | (y + x) - y => x",
        "x - (y + x) | x - (x + y) => 0 - y",
        "min(x, y) - y | x - max(y, x) => min(x - y, 0)",
        "x - max(x, y) | min(y, x) - y => min(0, x - y)",
        "max(x, y) - y | x - min(y, x) => max(x - y, 0)",
        "x - min(x, y) | max(y, x) - y => max(0, x - y)",
        "x - x => 0",
        "x * y - x | y * x - x => (y - 1) * x",
        "x - y * x | x - x * y => (1 - y) * x",
        "x * y - x * z | y * x - x * z | x * y - z * x | y * x - z * x => (y - z) * x",
        "(x + c1) - c2 => x + (c1 - c2)",
        "(c1 - x) - (c2 - y) => (y - x) + (c1 - c2)",
        "(x + y) - (x + z) | (x + y) - (z + x) | (y + x) - (z + x) | (y + x) - (x + z) => y - z",
        "min(x + y, z) - x | min(y + x, z) - x => min(y, z - x)",
        "min(z, x + y) - x | min(z, y + x) - x => min(z - x, y)",
        "max(x + y, z) - x | max(y + x, z) - x => max(y, z - x)",
        "max(z, x + y) - x | max(z, y + x) - x => max(z - x, y)",
        "x - min(x + y, z) | x - min(y + x, z) => max(0 - y, x - z)",
        "x - min(z, x + y) | x - min(z, y + x) => max(x - z, 0 - y)",
        "x - max(x + y, z) | x - max(y + x, z) => min(0 - y, x - z)",
        "x - max(z, x + y) | x - max(z, y + x) => min(x - z, 0 - y)",
        "min(x, y) - min(y, x) => 0",
        "max(x, y) - max(y, x) => 0",
        "min(a, b) - min(s, t) | min(a, b) - min(t, s) => a - s if prove_eq((a - s) - (b - t), 0)",
        "max(a, b) - max(s, t) | max(a, b) - max(t, s) => a - s if prove_eq((a - s) - (b - t), 0)",
        // truncated quotient and remainder
        "x - truncdiv(x, c1) * c1 => truncmod(x, c1) if c1 != 0",
        "truncdiv(x, c1) * c1 - x => 0 - truncmod(x, c1) if c1 != 0",
        "x - truncdiv(x + y, c1) * c1 => truncmod(x + y, c1) - y if c1 != 0",
        "truncdiv(x + y, c1) * c1 - x => y - truncmod(x + y, c1) if c1 != 0",
        "x - truncdiv(x - y, c1) * c1 => truncmod(x - y, c1) + y if c1 != 0",
        "truncdiv(x - y, c1) * c1 - x => 0 - truncmod(x - y, c1) - y if c1 != 0",
        "x * c2 - truncdiv(x, c1) * c3 => truncmod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "truncdiv(x, c1) * c3 - x * c2 => 0 - truncmod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "x * c2 - truncdiv(x + y, c1) * c3 => (truncmod(x + y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
        "truncdiv(x + y, c1) * c3 - x * c2 => (y - truncmod(x + y, c1)) * c2 if c1 != 0 && c3 == c1 * c2",
        "x * c2 - truncdiv(x - y, c1) * c3 => (truncmod(x - y, c1) + y) * c2 if c1 != 0 && c3 == c1 * c2",
        "truncdiv(x - y, c1) * c3 - x * c2 => (0 - truncmod(x - y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
        "truncdiv(x + c1, c3) - truncdiv(x + c2, c3) => truncdiv(truncmod(x + floormod(c2, c3), c3) + (c1 - c2), c3) if c1 >= c2 && c3 > 0 && prove_ge(x, -c2)",
        "truncdiv(x + c1, c3) - truncdiv(x, c3) => truncdiv(truncmod(x, c3) + c1, c3) if c1 >= 0 && c3 > 0 && nonneg(x)",
        // floor quotient and remainder
        "x - floordiv(x, c1) * c1 => floormod(x, c1) if c1 != 0",
        "floordiv(x, c1) * c1 - x => 0 - floormod(x, c1) if c1 != 0",
        "x - floordiv(x + y, c1) * c1 => floormod(x + y, c1) - y if c1 != 0",
        "floordiv(x + y, c1) * c1 - x => y - floormod(x + y, c1) if c1 != 0",
        "x - floordiv(x - y, c1) * c1 => floormod(x - y, c1) + y if c1 != 0",
        "floordiv(x - y, c1) * c1 - x => 0 - floormod(x - y, c1) - y if c1 != 0",
        "floordiv(x + c1, 2) - floordiv(x + c2, 2) =>> floormod(x, 2) * (floormod(c1, 2) - floormod(c2, 2)) + (floordiv(c1, 2) - floordiv(c2, 2))",
        "floordiv(x, 2) - floordiv(x + c2, 2) =>> floormod(x, 2) * (0 - floormod(c2, 2)) - floordiv(c2, 2)",
        "floordiv(x + c1, 2) - floordiv(x, 2) =>> floormod(x, 2) * floormod(c1, 2) + floordiv(c1, 2)",
        "x * c2 - floordiv(x, c1) * c3 => floormod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "floordiv(x, c1) * c3 - x * c2 => 0 - floormod(x, c1) * c2 if c1 != 0 && c3 == c1 * c2",
        "x * c2 - floordiv(x + y, c1) * c3 => (floormod(x + y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
        "floordiv(x + y, c1) * c3 - x * c2 => (y - floormod(x + y, c1)) * c2 if c1 != 0 && c3 == c1 * c2",
        "x * c2 - floordiv(x - y, c1) * c3 => (floormod(x - y, c1) + y) * c2 if c1 != 0 && c3 == c1 * c2",
        "floordiv(x - y, c1) * c3 - x * c2 => (0 - floormod(x - y, c1) - y) * c2 if c1 != 0 && c3 == c1 * c2",
        "floordiv(x + 1, 2) - floormod(x, 2) =>> floordiv(x, 2)",
        "floordiv(x + c1, c3) - floordiv(x + c2, c3) => floordiv(floormod(x + floormod(c2, c3), c3) + (c1 - c2), c3) if c3 > 0",
        "floordiv(x + c1, c3) - floordiv(x, c3) => floordiv(floormod(x, c3) + c1, c3) if c3 > 0",
        // normal order of terms
        "x - c1 => x + (0 - c1)",
        "(x + c1) - y =>> (x - y) + c1",
        "x - (y + c1) =>> (x - y) + (0 - c1)",
        "x - (y - z) =>> (x + z) - y",
        "x - y * c1 =>> x + y * (0 - c1)",
    ];
    /// Differences of other values, which cancel if evaluating them has no effect.
    OTHER = [
        "x - x => 0 if pure(x)",
        "(x + y) - y => x if pure(y)",
        "(x + y) - x => y if pure(x)",
        "x - (y + x) => 0 - y if pure(x)",
        "x - (x + y) => 0 - y if pure(x)",
    ];
    /// Differences of selections, of any type.
    SELECT = [
        "select(x, y, z) - select(x, s, t) => select(x, y - s, z - t)",
        "select(x, y, z) - z => select(x, y - z, 0)",
        "select(x, y, z) - y => select(x, 0, z - y)",
    ];
}
