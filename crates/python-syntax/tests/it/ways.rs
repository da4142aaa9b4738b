//! All parsers build the same tree. Direct and sectioned parsing have the tree, ranges and errors of the foreign
//! parser, and both foreign parsers agree on text that both accept.

use std::path::{Path, PathBuf};

use crate::support;
use tvmscript_python_syntax::{Backend, ParsedPython, PythonOptions, parse_python};
use tvmscript_test_texts::{Random, files_of, number};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

/// Section sizes, and whether to parse directly.
const WAYS: &[(usize, bool)] =
    &[(0, false), (30, false), (100, false), (300, false), (usize::MAX, true), (0, true), (60, true)];

fn read(text: &str, backend: Backend, section_bytes: usize, direct: bool) -> ParsedPython {
    let mut options = PythonOptions::default();
    options.backend = backend;
    options.section_bytes = section_bytes;
    options.direct = direct;
    parse_python(text, &options)
}

/// Compares all ways of parsing with each backend.
fn check(name: &str, text: &str) {
    check_ways(name, text, WAYS);
}

fn check_ways(name: &str, text: &str, ways: &[(usize, bool)]) {
    let mut accepted: Option<(Backend, String)> = None;
    for &backend in BACKENDS {
        let whole = read(text, backend, usize::MAX, false);
        let tree = support::dump(&whole.ast);
        for &(section_bytes, direct) in ways {
            let how = format!("{name}, {backend:?}, sections of {section_bytes} bytes, direct: {direct}");
            let parts = read(text, backend, section_bytes, direct);
            assert_eq!(parts.errors, whole.errors, "{how}");
            assert_eq!(parts.comments, whole.comments, "{how}");
            let dump = support::dump(&parts.ast);
            let difference = dump.lines().zip(tree.lines()).find(|(a, b)| a != b);
            assert_eq!(difference, None, "{how}");
            assert_eq!(dump.len(), tree.len(), "{how}");
        }
        if !whole.errors.is_empty() {
            continue;
        }
        match &accepted {
            None => accepted = Some((backend, tree)),
            Some((other, before)) => {
                let difference = before.lines().zip(tree.lines()).find(|(a, b)| a != b);
                assert_eq!(difference, None, "{name}, {other:?} and {backend:?}");
                assert_eq!(before.len(), tree.len(), "{name}, {other:?} and {backend:?}");
            }
        }
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    files_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "py")
}

#[test]
fn files_read_the_same_in_sections() {
    let folders = ["tests/files", "../../tests/fixtures/ok", "../../tests/fixtures/err"];
    for path in folders.iter().flat_map(|folder| files(folder)) {
        check(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

/// Programs printed by TVM and written by hand.
#[test]
fn programs_read_the_same_directly() {
    let corpus = ["tir", "tir_lowered", "relax", "mixed"].map(|kind| format!("../../tests/corpus/{kind}"));
    let mut read = 0;
    for path in corpus.iter().map(String::as_str).chain(["../../tests/fixtures/kernels"]).flat_map(files) {
        let text = std::fs::read_to_string(&path).unwrap();
        // Unoptimised foreign parsers are slow.
        if text.len() <= if cfg!(debug_assertions) { 8_000 } else { usize::MAX } {
            check_ways(&path.display().to_string(), &text, &[(usize::MAX, true), (500, true)]);
            read += 1;
        }
    }
    assert!(read > 20, "{read} programs");
}

/// Expressions at the boundary of the directly parsed subset, in every position.
#[test]
fn corners_read_the_same() {
    for line in include_str!("../corners.txt").lines().filter(|line| !line.starts_with("##")) {
        // Characters that an editor would change are escapes between `<` and `>`.
        let expr = line
            .replace("<LF>", "\n")
            .replace("<CR>", "\r")
            .replace("<TAB>", "\t")
            .replace("<FF>", "\u{c}")
            .replace("<NUL>", "\0")
            .replace("<NBSP>", "\u{a0}")
            .replace("<BOM>", "\u{feff}");
        for text in [
            format!("{expr}\n"),
            format!("x = {expr}\n"),
            format!("x: {expr} = 1\n"),
            format!("({expr}) = y\n"),
            format!("{expr} += y\n"),
            format!("f({expr}, k={expr})[{expr}, {expr}:{expr}]\n"),
            format!(
                "if {expr}:\n    y = ({expr}) # c\nelif ({expr}):\n    z\nelse:\n    return {expr}, ({expr}),\n"
            ),
            format!("for {expr} in {expr}:\n    z\n"),
            format!("with {expr} as ({expr}), {expr}:\n    z\n"),
            format!("@({expr})\ndef f(a: ({expr}), b=({expr})) -> ({expr}):\r\n    'doc'\r\n    z\r\n"),
            format!("x = [({expr}), {{({expr}): ({expr})}}, {{({expr})}}, (({expr}),), (({expr}))]\n"),
        ] {
            check_ways(&text, &text, &[(usize::MAX, true), (0, true)]);
        }
    }
}

#[test]
fn odd_statements_read_the_same() {
    for text in [
        // Tabs equivalent to the surrounding spaces.
        "if a:\n        if b:\n            c\n\telse:\n            d\n",
        "if a:\n        if b:\n            c\n\telif b:\n            d\n",
        "if a:\n        @b\n\tdef c():\n            d\n",
        "if a:\n        @b\n\t@b\n        class c:\n            d\n",
        "if a:\n        for b in c:\n            c\n\telse:\n            d\n",
        "if a:\n\tb\n\tc\n",
        // Form feeds.
        "if a:\n\u{c}    b\n    c\n",
        "if a:\n    b\n\u{c}else:\n    c\n",
        "if a:\n    b\n  \u{c}  c\n",
        "\u{c}if a:\n    b\n",
        // Blocks.
        "if a:\n    b\nelse :\n    c\nelse:\n    d\n",
        "if a:\n    b\n  # c\n\n# d\n    c\n",
        "while a:\n    b\nelse:\n    c\nx\n",
        "if a:\n    b\n  else:\n    c\n",
        "if a: b\n",
        "if a:\n",
        "if a: # c\n\n    # d\n    b # e\n# f",
        "class a():\n    b",
        "class a(b, c=d, *e):\n    b\n",
        // Definitions and imports.
        "def a(b, c=1, d): e\n",
        "def a(b, b):\n    e\n",
        "def a(b, c):\n    return\n    return b,\n    pass;\n",
        "def a(*b, c, **d):\n    e\n",
        "def a(b, /, c):\n    e\n",
        "import a.b as c, d\nfrom a.b import c as d, e\nfrom . import a\nfrom a import *\nfrom a import (b,\n c)\n",
        "import a . b\nimport a.b.c\nimport a,\nfrom a import b,\nimport a.ä\n",
        // Simple statements.
        "x: int\nx: int = 1\n(x): int = 1\nx.y: int\n(x).y: int\n(x.y): int\nx[0]: int = 1, 2\nx, y: int\n[x]: int\n",
        "x = y = z = 1\nx, y = z\n(x, y) = [z, w] = u\nx = 1,\nx = *y, z\n*x, y = z\n*x = y\nx() = 1\nNone = 1\nx = yield\n",
        "assert a\nassert a, b\nassert (a, b)\nassert a, b, c\nbreak\ncontinue\npass\npass a\nreturn(a)\nreturn'a'\n",
        "del a\nraise a\nglobal a\nnonlocal a\nexec a\nprint a\nprint(a)\nasync def a():\n    await b\n",
        "match = 1\nmatch x\nmatch x:\n    case 1:\n        y\ntype = 1\ntype x = y\ntype[0]\ncase(1)\n",
    ] {
        check(text, text);
    }
}

#[test]
fn every_statement_with_a_block_is_cut() {
    check(
        "blocks",
        "@a\n@b(\n    1)\nclass C(\n    D, e=1\n): # why\n    x = 1\n\n    @f\n    # said\n    def g(self, y=lambda: 0) -> T:\n        \
         while y:\n            y -= 1\n            pass; pass\n        for i, j in z:\n            k(i,\n  j)\n        with p as q, r:\n            \
         return '''\nx: '''\n        if a:\n            b\n        elif c:\n            d\n        else:\n            e\n        \
         for i in j:\n            k\n        else:\n            l\n        try:\n            m\n        except N as n:\n            o\n        \
         finally:\n            p\n        async def h(): pass\n    def f[T](x): pass\n    match x:\n        case 1:\n            pass\n",
    );
}

#[test]
fn odd_layout_is_read_as_a_whole() {
    for text in [
        "class A:\n\tx = 1\n\tdef f():\n\t\ty\n",
        "class A:\n        x = 1\n\tdef f(): pass\n",
        "class A:\n       \tx = 1\n        y = 2\n",
        "class A:\n    def f():\n            x\n        y\n",
        "class A:\n    x\n  y\n",
        "class A:\n    x\n      y\n",
        "class A:\nx = 1\n",
        "class A:\n    @a\n    x = 1\n    def f(:\n        y\n    z\n",
        "class A:\n    f(x=1, 2)\n    1 = 2\n    (a, b + 1) = c\n    x = = 3\n    y\n",
        "class A:\r\n    x = 1\r\n    def f():\r\n        return\r\n",
        "class A:\n    else:\n        x\n    y\n",
        "class A:\n    1 = 2\n    for f() in x:\n        for y in z:\n            1 += 2\n",
        "\u{feff}class A:\n    x = 'ä'\n    for i in y:\n        1 = x\n",
        "class A:\n    x \\\n  = 3\n    # c\n# d\n    y = (\n1)\n",
    ] {
        check(text, text);
    }
}

const TOKENS: &str = "x x x y f A None True 0 1 2.5 .5 1e3 00 0x1 1_0 'a' \"b\" r'c' '\\n' '\\x41' ( ) ( ) [ ] [ ] { } , , , : : = = == != < > <= >= + - * ** / // % @ << >> & | ^ ~ . . ... -> := += **= ; not and or in is if else lambda for as await yield match type print pass return assert import from del";

/// A line of random tokens with mostly balanced brackets.
fn line(random: &mut Random) -> String {
    let tokens: Vec<&str> = TOKENS.split(' ').collect();
    let mut line = String::new();
    let mut open = Vec::new();
    for _ in 0..1 + random.below(12) {
        let token = tokens[random.below(tokens.len())];
        match token {
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" => open.push("}"),
            ")" | "]" | "}" if open.pop() != Some(token) => continue,
            _ => {}
        }
        line.push_str(token);
        line.push_str([" ", " ", "", "\n", "#c\n"][random.below(if open.is_empty() { 3 } else { 5 })]);
    }
    open.iter().rev().for_each(|close| line.push_str(close));
    line
}

#[test]
fn lines_of_random_tokens_read_the_same() {
    let mut random = Random::new(number("SOUP_SEED", 3));
    let headers = [
        "",
        "",
        "",
        "x = ",
        "x: ",
        "for x in ",
        "for ",
        "while ",
        "if ",
        "with ",
        "class A",
        "def f",
        "@",
        "import ",
        "lambda ",
    ];
    let mut right = 0;
    for _ in 0..number("SOUP_ROUNDS", 4_000) {
        let header = headers[random.below(headers.len())];
        let mut text = format!("{header}{}", line(&mut random));
        if random.below(3) > 0
            && ["for x in ", "for ", "while ", "if ", "with ", "class A", "def f"].contains(&header)
        {
            text.push_str(":\n    pass\n");
        }
        text.push('\n');
        right += usize::from(read(&text, Backend::default(), 0, false).errors.is_empty());
        check(&text, &text);
    }
    assert!(right > 100, "{right} were right");
}

#[test]
fn a_changed_token_reads_the_same() {
    let mut random = Random::new(number("SOUP_SEED", 5));
    let tokens: Vec<&str> = TOKENS.split(' ').collect();
    for path in ["tests/files", "../../tests/fixtures/ok"].iter().flat_map(|folder| files(folder)) {
        let text = std::fs::read_to_string(&path).unwrap();
        for _ in 0..number("SOUP_ROUNDS", 20).div_ceil(20) {
            let mut at = random.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let rest = &text[at..];
            let gone = rest.chars().take(random.below(4)).map(char::len_utf8).sum::<usize>();
            let token = tokens[random.below(tokens.len())];
            let changed = format!("{} {token} {}", &text[..at], &rest[gone..]);
            check(&path.display().to_string(), &changed);
        }
    }
}
