//! Truncated quotients and remainders. Most rules require non-negative operands.
//!
//! Upstream: the `Div` and `Mod` visitors of `src/arith/rewrite_simplify.cc`.

crate::pattern::rule_families! {
    /// Lane-wise quotients, of integers and of floats.
    DIV_VECTOR = [
        "truncdiv(broadcast(x, n), broadcast(y, n)) => broadcast(truncdiv(x, y), n)",
    ];
    /// Quotients of index values.
    DIV_INDEX = [
        "truncdiv(truncmod(x, c1), c2) => 0 if c1 > 0 && c2 > c1 && nonneg(x)",
        "truncdiv(truncdiv(x, c1), c2) => truncdiv(x, c1 * c2) if c1 > 0 && c2 > 0",
        "truncdiv(truncdiv(x, c1) + c2, c3) => truncdiv(x + c1 * c2, c1 * c3) if c1 > 0 && c2 >= 0 && c3 > 0 && nonneg(x)",
        "truncdiv(x * c1, c2) => x * truncdiv(c1, c2) if c1 > 0 && c2 > 0 && c1 % c2 == 0",
        "truncdiv(x * c1, c2) => truncdiv(x, truncdiv(c2, c1)) if c1 > 0 && c2 > 0 && c2 % c1 == 0",
        "truncdiv(x, x) => 1",
        "truncdiv(x * c1, x) | truncdiv(c1 * x, x) => c1",
        // two operands
        "truncdiv(x * c1 + y, c2) => x * truncdiv(c1, c2) + truncdiv(y, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        "truncdiv(min(x * c1, y), c2) => min(x * truncdiv(c1, c2), truncdiv(y, c2)) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        "truncdiv(max(x * c1, y), c2) => max(x * truncdiv(c1, c2), truncdiv(y, c2)) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        "truncdiv(y + x * c1, c2) => truncdiv(y, c2) + x * truncdiv(c1, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        "truncdiv(min(y, x * c1), c2) => min(truncdiv(y, c2), x * truncdiv(c1, c2)) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        "truncdiv(max(y, x * c1), c2) => max(truncdiv(y, c2), x * truncdiv(c1, c2)) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y)",
        // three operands
        "truncdiv(x * c1 + y + z, c2) => x * truncdiv(c1, c2) + truncdiv(y + z, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y + z)",
        "truncdiv(x * c1 - y + z, c2) => x * truncdiv(c1, c2) + truncdiv(z - y, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(z - y)",
        "truncdiv(x * c1 + y - z, c2) => x * truncdiv(c1, c2) + truncdiv(y - z, c2) if c1 >= 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y - z)",
        "truncdiv(y + x * c1 + z, c2) => x * truncdiv(c1, c2) + truncdiv(y + z, c2) if c1 > 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y + z)",
        "truncdiv(x + c1, c2) => truncdiv(x, c2) + truncdiv(c1, c2) if c1 > 0 && c2 > 0 && c1 % c2 == 0 && nonneg(x)",
        // symbolic divisors
        "truncdiv(x + y, x) | truncdiv(y + x, x) => truncdiv(y, x) + 1 if nonneg(x) && nonneg(y)",
        "truncdiv((x + y) + z, x) | truncdiv((y + x) + z, x) | truncdiv(y + (z + x), x) | truncdiv(y + (x + z), x) => truncdiv(y + z, x) + 1 if nonneg(x) && nonneg(y + z)",
        "truncdiv(x * y, y) | truncdiv(y * x, y) => x if nonneg(x) && nonneg(y)",
        "truncdiv(x * z + y, z) | truncdiv(z * x + y, z) => x + truncdiv(y, z) if nonneg(x) && nonneg(y) && nonneg(z)",
        "truncdiv(y + x * z, z) | truncdiv(y + z * x, z) => truncdiv(y, z) + x if nonneg(x) && nonneg(y) && nonneg(z)",
    ];
    /// Lane-wise remainders.
    MOD_VECTOR = [
        "truncmod(broadcast(x, n), broadcast(y, n)) => broadcast(truncmod(x, y), n)",
    ];
    /// Remainders of index values.
    MOD_INDEX = [
        "truncmod(x * c1, c2) => 0 if c2 != 0 && c1 % c2 == 0",
        "truncmod(x * c1 + y, c2) => truncmod(y, c2) if c2 > 0 && c1 % c2 == 0 && nonneg(x * c1) && nonneg(y)",
        "truncmod(x + c1, c2) => truncmod(x, c2) if c2 > 0 && c1 >= 0 && c1 % c2 == 0 && nonneg(x)",
        "truncmod(x + y * c1, c2) => truncmod(x, c2) if c2 > 0 && c1 % c2 == 0 && nonneg(x) && nonneg(y * c1)",
        // the sign of the divisor does not matter
        "truncmod(x, c1) =>> truncmod(x, 0 - c1) if c1 < 0",
    ];
}
