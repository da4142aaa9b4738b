//! Floor quotients and remainders.
//!
//! Upstream: the `FloorDiv` and `FloorMod` visitors of `src/arith/rewrite_simplify.cc`. Two of their rewrites are not
//! plain rules and are in `rewrite/arithmetic.rs`.

crate::pattern::rule_families! {
    /// Lane-wise quotients.
    DIV_VECTOR = [
        "floordiv(broadcast(x, n), broadcast(y, n)) => broadcast(floordiv(x, y), n)",
    ];
    /// Nested quotients, tried before sums are split.
    DIV_NESTED = [
        "floordiv(floordiv(x, c1), c2) => floordiv(x, c1 * c2) if c1 > 0 && c2 > 0",
        "floordiv(floordiv(x, c1) + c2, c3) => floordiv(x + c1 * c2, c1 * c3) if c1 > 0 && c3 > 0",
    ];
    /// Other quotients of index values.
    DIV_INDEX = [
        "floordiv(x, x) => 1",
        "floordiv(x * c1, x) | floordiv(c1 * x, x) => c1",
        "floordiv(floormod(x, 2) + 1, 2) => floormod(x, 2)",
        // two operands
        "floordiv(min(x * c1, y), c2) => min(x * floordiv(c1, c2), floordiv(y, c2)) if c2 > 0 && c1 % c2 == 0",
        "floordiv(max(x * c1, y), c2) => max(x * floordiv(c1, c2), floordiv(y, c2)) if c2 > 0 && c1 % c2 == 0",
        "floordiv(min(y, x * c1), c2) => min(floordiv(y, c2), x * floordiv(c1, c2)) if c2 > 0 && c1 % c2 == 0",
        "floordiv(max(y, x * c1), c2) => max(floordiv(y, c2), x * floordiv(c1, c2)) if c2 > 0 && c1 % c2 == 0",
        // three operands
        "floordiv(x * c1 + y + z, c2) => x * floordiv(c1, c2) + floordiv(y + z, c2) if c2 > 0 && c1 % c2 == 0",
        "floordiv(x * c1 + y + z, c2) => floordiv(x, floordiv(c2, c1)) if c1 > 0 && c2 > 0 && c2 % c1 == 0 && prove_eq(floordiv(y + z, c1), 0)",
        "floordiv(x * c1 - y + z, c2) | floordiv(x * c1 + z - y, c2) => x * floordiv(c1, c2) + floordiv(z - y, c2) if c2 > 0 && c1 % c2 == 0",
        "floordiv(y + x * c1 + z, c2) => x * floordiv(c1, c2) + floordiv(y + z, c2) if c2 > 0 && c1 % c2 == 0",
        "floordiv(x + c1, c2) => floordiv(x, c2) + floordiv(c1, c2) if c2 > 0 && c1 % c2 == 0",
        "floordiv(x * c1, x * c2) => floordiv(c1, c2) if c2 > 0",
        // symbolic divisors
        "floordiv(x + y, x) | floordiv(y + x, x) => floordiv(y, x) + 1 if nonneg(x)",
        "floordiv((x + y) + z, x) | floordiv((y + x) + z, x) | floordiv(y + (z + x), x) | floordiv(y + (x + z), x) => floordiv(y + z, x) + 1 if nonneg(x)",
        "floordiv(x * y, y) | floordiv(y * x, y) => x if nonneg(y)",
        "floordiv(x * z + y, z) | floordiv(z * x + y, z) => x + floordiv(y, z) if nonneg(z)",
        "floordiv(y + x * z, z) | floordiv(y + z * x, z) => floordiv(y, z) + x if nonneg(z)",
        "floordiv(x * z * c1 + y, z * c1) => x + floordiv(y, z * c1) if nonneg(z * c1)",
        "floordiv(x - floormod(x, c1), c1) => floordiv(x, c1) if c1 != 0",
    ];
    /// Lane-wise remainders.
    MOD_VECTOR = [
        "floormod(broadcast(x, n), broadcast(y, n)) => broadcast(floormod(x, y), n)",
    ];
    /// Remainders of index values.
    MOD_INDEX = [
        "floormod(x * c1, c2) => floormod(x * floormod(c1, c2), c2) if c2 != 0",
        "floormod(x * c1 + y, c2) => floormod(x, floordiv(c2, c1)) * c1 + y if c1 > 0 && c2 > 0 && c2 % c1 == 0 && prove_eq(floordiv(y, c1), 0)",
        "floormod(x * c1 + y, c2) => floormod(y, c2) if c2 > 0 && c1 % c2 == 0",
        "floormod(x + c1, c2) => floormod(x + floormod(c1, c2), c2) if c2 > 0 && (c1 >= c2 || c1 < 0)",
        "floormod(x + y * c1, c2) => floormod(x + y * floormod(c1, c2), c2) if c2 > 0",
        "floormod(x * c1, x * c2) => x * floormod(c1, c2) if c2 != 0",
        "floormod(x * y, y) | floormod(y * x, y) => 0",
        "floormod(x + floormod(z, y), y) | floormod(floormod(z, y) + x, y) => 0 if prove_eq(floormod(x + z, y), 0)",
        "floormod(x - floormod(x, z), y) | floormod(floormod(x, z) - x, y) => 0 if prove_eq(y - z, 0) || prove_eq(y + z, 0)",
        "floormod(x * z * c1 + y, z * c1) => floormod(y, z * c1) if nonneg(z * c1)",
    ];
}
