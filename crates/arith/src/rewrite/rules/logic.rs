//! Connectives. Upstream: the rules for `Not`, `And`, `Or`, `Select` in `src/arith/rewrite_simplify.cc`.

crate::pattern::rule_families! {
    /// Lane-wise negation.
    NOT_VECTOR = [
        "!broadcast(x, n) => broadcast(!x, n)",
    ];
    /// Negation of comparisons and connectives.
    NOT = [
        "!(!x) => x",
        "!(x <= y) => y < x",
        "!(x >= y) => x < y",
        "!(x < y) => y <= x",
        "!(x > y) => x <= y",
        "!(x == y) => x != y",
        "!(x != y) => x == y",
        "!(x || y) =>> (!x) && (!y)",
        "!(x && y) =>> (!x) || (!y)",
    ];
    /// Lane-wise conjunction.
    AND_VECTOR = [
        "broadcast(x, n) && broadcast(y, n) => broadcast(x && y, n)",
    ];
    /// Conjunctions.
    AND = [
        "x == y && x != y => false",
        "x != y && x == y => false",
        "x && !x => false",
        "x <= y && y < x => false",
        "y < x && x <= y => false",
        "x < c1 && c2 < x => false if c2 + 1 >= c1",
        "c2 < x && x < c1 => false if c2 + 1 >= c1",
        "x < c1 && c2 <= x | c2 <= x && x < c1 | x <= c1 && c2 < x | c2 < x && x <= c1 => false if c2 >= c1",
        "x <= c1 && c2 <= x | c2 <= x && x <= c1 => false if c2 > c1",
        "x == c1 && x == c2 => x == c1 && c1 == c2",
        "x == c1 && x != c2 | x != c2 && x == c1 => x == c1 && c1 != c2",
        "floordiv(x, c2) == c1 && floormod(x, c2) == c3 | floormod(x, c2) == c3 && floordiv(x, c2) == c1 =>> x == c1 * c2 + c3",
        "0 <= x - y * c1 && x - y * c1 < c1 | x - y * c1 < c1 && 0 <= x - y * c1 =>> y == floordiv(x, c1) if c1 > 0",
        "c1 < x - y * c1 && x - y * c1 <= 0 | x - y * c1 < c1 && 0 <= x - y * c1 =>> y == floordiv(x, c1)",
        "0 <= x + y * c2 && x + y * c2 < c1 | x + y * c2 < c1 && 0 <= x + y * c2 =>> y == floordiv(x, c1) if c2 == -c1",
        "x < c1 && floormod(x, c2) < c3 =>> x < c1 - c2 + c3 && floormod(x, c2) < c3 if c1 % c2 == 0",
        "x < c1 && floormod(x, c2) < c3 =>> x < c1 - floormod(c1, c2) + c3 && floormod(x, c2) < c3 if (c1 % c2 + c2) % c2 > c3",
        "x <= c1 && floormod(x, c2) < c3 =>> x < c1 + 1 - c2 + c3 && floormod(x, c2) < c3 if (c1 + 1) % c2 == 0",
        "x <= c1 && floormod(x, c2) < c3 =>> x < c1 + 1 - floormod(c1, c2) + c3 && floormod(x, c2) < c3 if ((c1 + 1) % c2 + c2) % c2 > c3",
        "floordiv(x, c2) == c1 && floormod(x, c2) < c3 | floormod(x, c2) < c3 && floordiv(x, c2) == c1 =>> c1 * c2 <= x && x < c1 * c2 + c3",
        "floordiv(x, c2) == c1 && floormod(x, c2) <= c3 | floormod(x, c2) <= c3 && floordiv(x, c2) == c1 =>> c1 * c2 <= x && x <= c1 * c2 + c3",
        "floordiv(x, c2) == c1 && c3 <= floormod(x, c2) | c3 <= floormod(x, c2) && floordiv(x, c2) == c1 =>> c1 * c2 + c3 <= x && x < (c1 + 1) * c2",
        "floordiv(x, c2) == c1 && c3 < floormod(x, c2) | c3 < floormod(x, c2) && floordiv(x, c2) == c1 =>> c1 * c2 + c3 < x && x < (c1 + 1) * c2",
        "x && (y && z) =>> (x && y) && z",
    ];
    /// Lane-wise disjunction.
    OR_VECTOR = [
        "broadcast(x, n) || broadcast(y, n) => broadcast(x || y, n)",
    ];
    /// Disjunctions.
    OR = [
        "x == y || x != y => true",
        "x != y || x == y => true",
        "x || !x => true",
        "x <= y || y < x => true",
        "y < x || x <= y => true",
        "x < y || y < x => x != y",
        "x < c1 || c2 < x => true if c2 < c1",
        "c2 < x || x < c1 => true if c2 < c1",
        "x <= c1 || c2 < x => true if c2 <= c1",
        "c2 < x || x <= c1 => true if c2 <= c1",
        "x < c1 || c2 <= x => true if c2 <= c1",
        "c2 <= x || x < c1 => true if c2 <= c1",
        "x <= c1 || c2 <= x => true if c2 <= c1 + 1",
        "c2 <= x || x <= c1 => true if c2 <= c1 + 1",
        "x != c1 || x != c2 => x != c1 || c1 != c2",
        "x != c1 || x == c2 => x != c1 || c1 == c2",
        "x == c2 || x != c1 => x != c1 || c1 == c2",
        "x < y || x == y =>> x <= y",
        "x < y || y == x =>> x <= y",
        "x == y || x < y =>> x <= y",
        "y == x || x < y =>> x <= y",
        "x || (y || z) =>> (x || y) || z",
    ];
}
