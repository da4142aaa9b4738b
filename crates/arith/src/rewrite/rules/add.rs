//! Sums. Upstream: the `Add` visitor of `src/arith/rewrite_simplify.cc`.

crate::pattern::rule_families! {
    /// Lane-wise sums of vectors.
    VECTOR = [
        "ramp(x, s, n) + ramp(y, t, n) => ramp(x + y, s + t, n)",
        "ramp(x, s, n) + broadcast(y, n) => ramp(x + y, s, n)",
        "broadcast(x, n) + ramp(y, s, n) => ramp(x + y, s, n)",
        "broadcast(x, n) + broadcast(y, n) => broadcast(x + y, n)",
        "x + broadcast(f, n) => x if f == 0",
    ];
    /// Sums of index values.
    INDEX = [
        // cancelled terms
        "(x - y) + y => x",
        "x + (y - x) => y",
        "(x - y) + (y - z) => x - z",
        "(x - y) + (z - x) => z - y",
        "min(x, y - z) + z => min(x + z, y)",
        "min(x - z, y) + z => min(x, y + z)",
        "max(x, y - z) + z => max(x + z, y)",
        "max(x - z, y) + z => max(x, y + z)",
        "min(x, y + z * c1) + z * c2 => min(x + z * c2, y) if c1 == -c2",
        "max(x, y + z * c1) + z * c2 => max(x + z * c2, y) if c1 == -c2",
        "min(y + z * c1, x) + z * c2 => min(x + z * c2, y) if c1 == -c2",
        "max(y + z * c1, x) + z * c2 => max(x + z * c2, y) if c1 == -c2",
        "max(x, y) + min(x, y) | min(x, y) + max(x, y) | max(x, y) + min(y, x) | min(x, y) + max(y, x) => x + y",
        "min(x, y + c1) + c2 => min(x + c2, y) if c1 == -c2",
        "min(x + c1, y) + c2 => min(x, y + c2) if c1 == -c2",
        "max(x, y + c1) + c2 => max(x + c2, y) if c1 == -c2",
        "max(x + c1, y) + c2 => max(x, y + c2) if c1 == -c2",
        // combined constants and coefficients
        "(x + c1) + c2 => x + (c1 + c2)",
        "x + x => x * 2",
        "x * y + x | y * x + x | x + y * x | x + x * y => (y + 1) * x",
        "x * y + x * z | y * x + x * z | x * y + z * x | y * x + z * x => (y + z) * x",
        // quotient and remainder
        "truncdiv(x, c1) * c1 + truncmod(x, c1) => x",
        "floordiv(x, y) * y + floormod(x, y) | y * floordiv(x, y) + floormod(x, y) | floormod(x, y) + floordiv(x, y) * y | floormod(x, y) + y * floordiv(x, y) => x",
        "floordiv(floormod(x, c2) + c1, c2) + floordiv(x, c2) => floordiv(x + c1, c2) if c2 > 0",
        "floordiv(x, 2) + floormod(x, 2) =>> floordiv(x + 1, 2)",
        "floormod(x + c1, 2) + floormod(x, 2) => 1 if floormod(c1, 2) == 1",
        "floormod(x, 2) + floormod(x + c1, 2) => 1 if floormod(c1, 2) == 1",
        // normal order of terms
        "x + (c1 - y) | (c1 - y) + x =>> (x - y) + c1",
        "(x + c1) + y | x + (c1 + y) | x + (y + c1) =>> (x + y) + c1",
        "x + max(y, z) =>> max(y, z) + x",
        "x + min(y, z) =>> min(y, z) + x",
        "truncmod(y, c1) + x * c1 =>> x * c1 + truncmod(y, c1)",
        "floormod(y, c1) + x * c1 =>> x * c1 + floormod(y, c1)",
    ];
    /// Sums of selections, of any type.
    SELECT = [
        "select(x, y, z) + select(x, s, t) => select(x, y + s, z + t)",
    ];
}
