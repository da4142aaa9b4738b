//! Products. Upstream: the `Mul` visitor of `src/arith/rewrite_simplify.cc`.

crate::pattern::rule_families! {
    /// Lane-wise products of vectors.
    VECTOR = [
        "broadcast(x, n) * broadcast(y, n) => broadcast(x * y, n)",
        "ramp(x, s, n) * broadcast(y, n) | broadcast(y, n) * ramp(x, s, n) => ramp(x * y, s * y, n)",
        "broadcast(f, n) * x => broadcast(f, n) if f == 0",
    ];
    /// Products of index values.
    INDEX = [
        "(x + c1) * c2 => x * c2 + c1 * c2",
        "(x * c1) * c2 => x * (c1 * c2)",
        "min(x, y) * max(x, y) | max(x, y) * min(x, y) => x * y",
        // two spellings of a multiple rounded up
        "floordiv(x - floormod(x, c2), c1) * c1 => x - floormod(x, c2) if c1 == -c2",
        // normal order of factors
        "x * (c1 * y) =>> (x * y) * c1",
        "c1 * x =>> x * c1",
        "(x - y) * c1 =>> (y - x) * (0 - c1) if c1 < 0",
    ];
}
