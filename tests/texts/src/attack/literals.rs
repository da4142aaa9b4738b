//! Literals, nesting and chains.

use super::{IMPORTS, Scale, pick};
use crate::Random;

/// A script in which `expr` stands somewhere.
fn around(random: &mut Random, expr: &str) -> String {
    let body = match random.below(5) {
        0 => format!("x = {expr}\n\n@T.prim_func\ndef f(a: T.int32):\n    T.evaluate(a)\n"),
        1 => format!("@T.prim_func\ndef f(a: T.int32):\n    T.evaluate({expr})\n"),
        2 => format!(
            "@T.prim_func\ndef f(A: T.Buffer(({expr},), \"float32\")):\n    A[{expr}] = T.float32(0)\n"
        ),
        3 => format!("@R.function\ndef f(x: R.Tensor((2,), \"float32\")):\n    y = {expr}\n    return x\n"),
        _ => format!(
            "@T.prim_func\ndef f(a: T.int32):\n    T.func_attr({{\"x\": {expr}}})\n    T.evaluate(a)\n"
        ),
    };
    format!("{IMPORTS}{body}")
}

/// One large literal.
pub(super) fn literal(random: &mut Random, scale: Scale) -> String {
    let size = scale.size(random, 2_000_000);
    let digits = |digit: &str| digit.repeat(size);
    let literal = match random.below(14) {
        0 => digits("9"),
        1 => format!("0x{}", digits("f")),
        2 => format!("0b1{}", digits("01")),
        3 => format!("1.{}", digits("3")),
        4 => format!("1e{}", digits("9")),
        5 => format!("\"{}\"", digits("a")),
        6 => format!("b\"{}\"", digits("\\x00")),
        7 => format!("f\"{}\"", digits("{1}")),
        8 => format!("f\"{{1:{}}}\"", digits("9")),
        9 => format!("\"\"\"{}\"\"\"", digits("\n")),
        10 => format!("\"{}\"", digits("\\u00e9")),
        11 => format!("[{}]", digits("1,")),
        12 => format!("{{{}}}", digits("1: 2,")),
        _ => format!("({}1)", digits("\"a\" ")),
    };
    around(random, &literal)
}

/// Brackets, operators or blocks inside of each other.
pub(super) fn nesting(random: &mut Random, scale: Scale) -> String {
    let depth = scale.size(random, 200_000);
    let pairs: &[(&str, &str)] = &[
        ("(", ")"),
        ("[", "]"),
        ("{1: ", "}"),
        ("T.max(1, ", ")"),
        ("a[", "]"),
        ("-", ""),
        ("not ", ""),
        ("lambda: ", ""),
        ("1 if a else ", ""),
        ("(1, ", ")"),
        ("[x for x in ", "]"),
        ("f\"{", "}\""),
        ("1 + (", ")"),
        ("a if (", ") else 1"),
        ("*", ""),
        ("2 ** ", ""),
    ];
    if random.below(3) == 0 {
        return blocks(random, depth.min(30_000));
    }
    let (open, close) = pairs[random.below(pairs.len())];
    let missing = if random.below(4) == 0 { random.below(depth) } else { 0 };
    let expr = format!("{}1{}", open.repeat(depth), close.repeat(depth - missing));
    around(random, &expr)
}

fn blocks(random: &mut Random, depth: usize) -> String {
    let header = pick(
        random,
        &[
            "if a > 0:",
            "for i in range(2):",
            "with T.block(\"b\"):",
            "while a > 0:",
            "def g():",
            "class C:",
            "try:",
        ],
    );
    let mut text = format!("{IMPORTS}@T.prim_func\ndef f(a: T.int32):\n");
    // Indentation by one keeps the text small: depth 1,000 takes half a mebibyte.
    let depth = depth.min(3000);
    for level in 0..depth {
        text.extend([" ".repeat(level + 1).as_str(), header, "\n"]);
    }
    text.push_str(&" ".repeat(depth + 1));
    text + "T.evaluate(0)\n"
}

/// A long row of one thing.
pub(super) fn chain(random: &mut Random, scale: Scale) -> String {
    let size = scale.size(random, 400_000);
    let link = |link: &str| link.repeat(size);
    let body = match random.below(16) {
        0 => return around(random, &format!("1{}", link(" + a"))),
        1 => return around(random, &format!("a{}", link(" * a - 1"))),
        2 => return around(random, &format!("a{}", link(" < a"))),
        3 => return around(random, &format!("a{}", link(".b"))),
        4 => return around(random, &format!("a{}", link("(1)"))),
        5 => return around(random, &format!("a{}", link("[0]"))),
        6 => return around(random, &format!("a{}", link(" and a"))),
        7 => format!(
            "    if a > 0:\n        T.evaluate(0)\n{}",
            link("    elif a > 1:\n        T.evaluate(1)\n")
        ),
        8 => link("    T.evaluate(a);"),
        9 => link("    T.evaluate(a)\n"),
        10 => link("pass;"),
        11 => link("    x = a + 1\n"),
        12 => format!("    T.evaluate({})", link("a,")),
        13 => format!("    T.evaluate(1 {})", link("\\\n")),
        14 => format!("    for {} in T.grid({}):\n        T.evaluate(0)\n", link("i,"), link("2,")),
        _ => link("x\n"),
    };
    format!(
        "{IMPORTS}@T.prim_func\ndef f(a: T.int32, A: T.Buffer((16,), \"float32\")):\n    T.evaluate(0)\n{body}\n"
    )
}
