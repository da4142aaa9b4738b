//! Comparisons. `>` and `>=` are swapped; `<=` and `!=` are rewritten as negations of `<` and `==`.
//!
//! Upstream: the rules for `EQ` and `LT` in `src/arith/rewrite_simplify.cc`. Divisions of constants truncate.

crate::pattern::rule_families! {
    /// Lane-wise equality.
    EQ_VECTOR = [
        "broadcast(x, n) == broadcast(y, n) => broadcast(x == y, n)",
    ];
    /// Equality of index values.
    EQ_INDEX = [
        "c1 == x => x == c1",
        "x - c1 == c2 => x == c2 + c1",
        "c1 - x == c2 => x == c1 - c2",
        "x + c1 == c2 => x == c2 - c1",
        "x * y == 0 =>> x == 0 || y == 0",
        "x == x => true",
    ];
    /// Equality of other values.
    EQ_OTHER = [
        "x == x => true if pure(x)",
    ];
    /// Lane-wise order.
    LT_VECTOR = [
        "broadcast(x, n) < broadcast(y, n) => broadcast(x < y, n)",
        "ramp(x, s, n) < ramp(y, s, n) => broadcast(x < y, n)",
    ];
    /// Order of index values.
    LT_INDEX = [
        // common terms
        "x + y < x + z => y < z",
        "x + y < z + x => y < z",
        "y + x < x + z => y < z",
        "y + x < z + x => y < z",
        "y - x < z - x => y < z",
        "x - y < x - z => z < y",
        "x < x + z => 0 < z",
        "x < z + x => 0 < z",
        "x < x - z => z < 0",
        // constant factors
        "x * c1 < y * c1 => x < y if c1 > 0",
        "x * c1 < y * c1 => y < x if c1 < 0",
        "x * c2 < c1 => x < truncdiv(c1 - 1, c2) + 1 if c1 > 0 && c2 > 0",
        "x * c2 < c1 => x < truncdiv(c1, c2) if c1 <= 0 && c2 > 0",
        "x * c2 < c1 => truncdiv(c1 - 1, c2) - 1 < x if c1 > 0 && c2 < 0",
        "x * c2 < c1 => truncdiv(c1, c2) < x if c1 <= 0 && c2 < 0",
        "c1 < x * c2 => truncdiv(c1 + 1, c2) - 1 < x if c1 < 0 && c2 > 0",
        "c1 < x * c2 => truncdiv(c1, c2) < x if c1 >= 0 && c2 > 0",
        "c1 < x * c2 => x < truncdiv(c1 + 1, c2) + 1 if c1 < 0 && c2 < 0",
        "c1 < x * c2 => x < truncdiv(c1, c2) if c1 >= 0 && c2 < 0",
        // truncated quotients
        "truncdiv(x, c1) < c2 => x < c1 * c2 if c1 > 0 && c2 > 0",
        "truncdiv(x, c1) < c2 => x < c1 * (c2 - 1) + 1 if c1 > 0 && c2 <= 0",
        "c1 < truncdiv(x, c2) => (c1 + 1) * c2 - 1 < x if c1 >= 0 && c2 > 0",
        "c1 < truncdiv(x, c2) => c1 * c2 < x if c1 < 0 && c2 > 0",
        "truncdiv(x, c1) * c1 < x => 0 < truncmod(x, c1) if c1 > 0",
        "truncdiv(x, c1) * c1 < x + y => 0 < truncmod(x, c1) + y if c1 > 0",
        "truncdiv(x, c1) * c1 < x - y => y < truncmod(x, c1) if c1 > 0",
        "truncdiv(x + c2, c1) * c1 < x => c2 < truncmod(x + c2, c1) if c1 > 0",
        "truncdiv(x + c2, c1) * c1 < x + y => c2 < truncmod(x + c2, c1) + y if c1 > 0",
        "truncdiv(x + c2, c1) * c1 < x - y => y < truncmod(x + c2, c1) + (0 - c2) if c1 > 0",
        // floor quotients
        "floordiv(x, c1) < c2 => x < c1 * c2 if c1 > 0",
        "c1 < floordiv(x, c2) => (c1 + 1) * c2 - 1 < x if c2 > 0",
        "floordiv(x, c1) * c1 < x => 0 < floormod(x, c1) if c1 > 0",
        "floordiv(x, c1) * c1 < x + y => 0 < floormod(x, c1) + y if c1 > 0",
        "floordiv(x, c1) * c1 < x - y => y < floormod(x, c1) if c1 > 0",
        "floordiv(x + c2, c1) * c1 < x => c2 < floormod(x + c2, c1) if c1 > 0",
        "floordiv(x + c2, c1) * c1 < x + y => c2 < floormod(x + c2, c1) + y if c1 > 0",
        "floordiv(x + c2, c1) * c1 < x - y => y < floormod(x + c2, c1) + (0 - c2) if c1 > 0",
        // minima and maxima
        "min(x, y) < z =>> x < z || y < z",
        "max(x, y) < z =>> x < z && y < z",
        "z < min(x, y) =>> z < x && z < y",
        "z < max(x, y) =>> z < x || z < y",
        // constants on one side
        "c1 < x + c2 | c1 - x < c2 =>> c1 - c2 < x",
        "c1 < c2 - x | x + c1 < c2 =>> x < c2 - c1",
        "c1 < x - c2 =>> c1 + c2 < x",
        "x - c2 < c1 =>> x < c1 + c2",
        "x < c1 - y =>> x + y < c1",
        "c1 - y < x =>> c1 < x + y",
        "x < c1 + y =>> x - y < c1",
        "c1 + y < x =>> c1 < x - y",
    ];
}
