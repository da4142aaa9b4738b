//! Syntax errors: messages, ranges, and recovery.

use tvmscript_python_syntax::ast::{Stmt, StmtKind, TextRange};
use tvmscript_python_syntax::{
    Backend, ParsedPython, PythonOptions, SyntaxErrorKind, parse_python, parse_python_bytes,
};

const BACKENDS: &[Backend] = &[
    Backend::RustPython,
    #[cfg(feature = "ruff")]
    Backend::Ruff,
];

fn read(text: &str, backend: Backend) -> ParsedPython {
    let mut options = PythonOptions::default();
    options.backend = backend;
    parse_python(text, &options)
}

/// Checks errors with each backend. `«..»` marks the range of each error in order.
#[track_caller]
fn check(marked: &str, kinds: &[&str]) {
    let mut text = String::new();
    let mut places = Vec::new();
    for part in marked.split_inclusive(['«', '»']) {
        let at = part.trim_end_matches(['«', '»']);
        text.push_str(at);
        if part.ends_with('«') {
            places.push(text.len()..0);
        } else if part.ends_with('»') {
            places.last_mut().unwrap().end = text.len();
        }
    }
    for &backend in BACKENDS {
        let parsed = read(&text, backend);
        let found: Vec<_> = parsed.errors.iter().map(|e| (e.range.to_usize(), e.kind.to_string())).collect();
        let wanted: Vec<_> = places.iter().cloned().zip(kinds.iter().map(|k| (*k).to_owned())).collect();
        assert_eq!(found, wanted, "{backend:?}\n{text}");
    }
}

fn kinds(text: &str) -> Vec<StmtKind> {
    let ast = read(text, Backend::RustPython).ast;
    ast.module_body().iter().map(|id| ast.stmt(*id).kind()).collect()
}

#[test]
fn integers_longer_than_python_converts_are_errors() {
    let digits = |count: usize| "9".repeat(count);
    let message = |count: usize| {
        format!(
            "Exceeds the limit (4300 digits) for integer string conversion: value has {count} digits; use \
             sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to \
             avoid decimal conversion limits."
        )
    };
    check(&format!("x = «{}»\ny = {}\n", digits(4301), digits(4300)), &[&message(4301)]);
    check(&format!("x = [-«{}», 1]\n", "1_".repeat(4999) + "1"), &[&message(5000)]);
    let accepted = [
        format!("x = {}.5\n", digits(5000)),
        format!("x = {}j\n", digits(5000)),
        format!("x = {}\n", "0".repeat(5000)),
        format!("x = 0x{}\n", "f".repeat(5000)),
        format!("x = f'{}'\n", digits(5000)),
    ];
    accepted.iter().for_each(|text| check(text, &[]));
    // Inside an f-string, the range is that of the integer.
    check(&format!("x = f'{{«{}»}}'\n", digits(4301)), &[&message(4301)]);
    // A megabyte of digits only takes as long as its scan.
    check(&format!("x = «{}»\n", digits(1 << 20)), &[&message(1 << 20)]);
}

#[test]
fn half_surrogates_are_errors() {
    let message = "the string contains a lone surrogate, which is not supported";
    check("x = 'a«\\ud800»b'\ny = 1\n", &[message]);
    check("x = \"\"\"«\\UDFFF»\"\"\"\n".replace("UDFFF", "udfff").as_str(), &[message]);
    check("x = '«\\U0000D83D»'\n", &[message]);
    check("x = f'«\\ud83d»{y}'\n", &[message]);
    check("x = r'\\ud800', b'\\ud800', '\\\\ud800', '\\ue000', '\\U0001F600', rf'\\ud800{y}'\n", &[]);
}

#[test]
fn identifiers_have_the_characters_of_python() {
    check("a«²» = 1\n", &["unexpected character `²`"]);
    check("x = «€» + 1\nä = 2\n", &["unexpected character `€`"]);
    check("def f(«½»): pass\n", &["unexpected character `½`"]);
    check("ﬁ = ℌ = µ = ª = x١ = 变量 = 𝐱 = 1\n", &[]);
    check("def f(fi, «ﬁ»): pass\n", &["duplicate parameter `fi`"]);
    check("f(fi=1, «ﬁ=2»)\n", &["duplicate keyword argument `fi`"]);
}

#[test]
fn all_lines_at_fault_are_found() {
    check(
        "x = 1 +«»\ny = 2\nz = «=» 3\nfor i in x«»\n    w = *«»\n    v = 1\nu = 2\n",
        &[
            "unexpected end of the line",
            "unexpected `=`",
            "unexpected end of the line",
            "unexpected end of the line",
        ],
    );
}

#[test]
fn what_is_right_is_still_read() {
    let text = "x = 1\ny = = 2\ndef f(:\n    a = 1\n    b = = 2\n\n@d\nclass C:\n    z = 1\n    z = = 1\n";
    assert_eq!(kinds(text), [StmtKind::Assign, StmtKind::Invalid, StmtKind::Invalid, StmtKind::ClassDef]);
}

#[test]
fn brackets_are_reported_where_they_open() {
    check("x = f«(»a, g(b)\ny = 2\n", &["`(` is never closed"]);
    check("def f():\n    A[0] = B«[»1 + C[2]\n    A[1] = B[3]\n    A[2] = B[4]\n", &["`[` is never closed"]);
    check(
        "for i in T.serial«(»16:\n    A[i] = B[i]\n    A[i] = «=» 2\n",
        &["`(` is never closed", "unexpected `=`"],
    );
    check("x = f«(»a, [1, 2]\nreturn x\n", &["`(` is never closed"]);
    check("x = f(A«[»1)\ny = g(1«]»)\n", &["`[` is never closed", "`]` closes `(`"]);
    check("x = f(1)«)»\n", &["`)` closes nothing"]);
}

#[test]
fn strings_are_reported_where_they_open() {
    check("x = «\"abc»\ny = 1\n", &["the string is never closed"]);
    check(
        "x = f(«'abc)»\ny = = 1\n".replace("= = 1", "= «=» 1").as_str(),
        &["the string is never closed", "unexpected `=`"],
    );
    check("x = 1\ny = «\"\"\"abc»\nz = = 1\n", &["the string is never closed"]);
}

#[test]
fn indentation_is_reported_where_it_is() {
    check("x = 1\n«    »y = 2\n    z = 3\nw = 4\n", &["unexpected indentation"]);
    check("if x«:»\ny = 2\n", &["expected an indented block"]);
    check("if x«:»\n", &["expected an indented block"]);
    check("def f():\n    for i in x«:»\n    y = 1\n", &["expected an indented block"]);
    check("if x:\n        y = 1\n«    »z = 2\nw = 3\n", &["the indentation matches no enclosing block"]);
    for &backend in BACKENDS {
        let errors = read("if x:\ny = 2\n    z = 3\n", backend).errors;
        assert!(!errors.is_empty() && errors.iter().all(|error| error.detail.is_none()), "{errors:?}");
    }
}

#[test]
fn structure_is_reported_where_it_is() {
    check("x = 1\n«else»:\n    y = 2\nz = 1\n", &["unexpected `else`"]);
    check("@d\n«x» = 1\ny = 2\n", &["unexpected `x`"]);
}

#[test]
fn one_mistake_is_one_error() {
    // The body of an invalid header, its `else`, and the definition after an invalid decorator.
    check("for i in «:»\n    x = 1\nelse:\n    y = 1\n", &["unexpected `:`"]);
    check("if a «b»:\n    x = 1\nelif c:\n    y = 1\nelse:\n    z = 1\n", &["unexpected `b`"]);
    check("if a:\n    x = 1\nelif b «c»:\n    y = 1\nelse:\n    z = 1\n", &["unexpected `c`"]);
    check("try«»\n    x = 1\nexcept A:\n    y = 1\n", &["unexpected end of the line"]);
    check("@a «b»\ndef f():\n    pass\n", &["unexpected `b`"]);
    check("@a\ndef f(a b):\n    pass\n".replace("a b", "a «b»").as_str(), &["unexpected `b`"]);
}

#[test]
fn targets_are_checked() {
    check("«f(x)» = 1\n", &["cannot assign to a call"]);
    check("a, «1» = x\n", &["cannot assign to a literal"]);
    check("«a + b» += 1\n", &["cannot assign to an operation"]);
    check("for «f()» in x:\n    pass\n", &["cannot assign to a call"]);
    check("del «f()»\n", &["cannot assign to a call"]);
    check("for «*i» in x:\n    pass\n", &["a starred target must be in a list or tuple"]);
    check("for *i, in x:\n    pass\nfor i, *j in x:\n    pass\n", &[]);
    let parsed = read("for *i in x:\n    pass\n", Backend::RustPython);
    assert_eq!(parsed.errors[0].help.as_deref(), Some("write `*i,` to bind a list of the rest"));
}

#[test]
fn arguments_are_checked() {
    check("f(a=1, «b»)\n", &["a positional argument follows a keyword argument"]);
    check("def f(a=1, «b»):\n    pass\n", &["a parameter without a default follows one with a default"]);
}

#[test]
fn numbers_are_checked() {
    check("x = a + «0777» + b\n", &["malformed number"]);
}

#[test]
fn a_slip_in_a_keyword_is_recognised() {
    for (text, help) in [
        ("dfe f():\n    pass\n", "def"),
        ("fro i in x:\n    pass\n", "for"),
        ("for i iin x:\n    pass\n", "in"),
        ("retrun x\n", "return"),
        ("wiht f():\n    pass\n", "with"),
    ] {
        for &backend in BACKENDS {
            let parsed = read(text, backend);
            let wanted = format!("did you mean `{help}`?");
            assert_eq!(parsed.errors[0].help.as_deref(), Some(wanted.as_str()), "{:?}", parsed.errors);
        }
    }
}

#[test]
fn odd_texts_are_answered() {
    for text in
        ["", "\n", "\u{feff}", "\u{feff}x = 1\n", "#", "\\", "\\\n", "\t\n", "\x0c\nx\n", "x", "x\r", "\r\n"]
    {
        for &backend in BACKENDS {
            let _ = read(text, backend);
        }
    }
    let parsed = read("\u{feff}x = 1\n", Backend::RustPython);
    assert_eq!(parsed.errors, []);
    assert_eq!(parsed.ast.range(parsed.ast.module_body()[0]), TextRange { start: 3, end: 8 });
    check("x = 1\ny = «\0»\n", &["unexpected character `\0`"]);
    check("x = «$»a\n", &["unexpected character `$`"]);
}

#[test]
fn broken_utf_8_is_an_error_with_a_place() {
    let parsed = parse_python_bytes(b"x = '\xff'\n", &PythonOptions::default());
    assert_eq!(parsed.errors[0].kind, SyntaxErrorKind::InvalidUtf8);
    assert_eq!(parsed.errors[0].range, TextRange { start: 5, end: 6 });
    let binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    assert_eq!(parse_python_bytes(&binary, &PythonOptions::default()).errors.len(), 1);
}

#[test]
fn comments_are_listed_with_their_kind() {
    let text = "# one\nx = [ # two\n    # three\n    1]  # four\n'# five'\n";
    let parsed = read(text, Backend::RustPython);
    let found: Vec<(&str, bool)> =
        parsed.comments.iter().map(|c| (&text[c.range.to_usize()], c.own_line)).collect();
    assert_eq!(found, [("# one", true), ("# two", false), ("# three", true), ("# four", false)]);
}

#[test]
fn many_errors_cost_no_more_than_few() {
    let line = "    A[0] = B[1] + = C[2]\n    A[1] = B[2]\n";
    let text = format!("def f():\n{}", line.repeat(5_000));
    for &backend in BACKENDS {
        let start = std::time::Instant::now();
        let parsed = read(&text, backend);
        assert_eq!(parsed.errors.len(), 100);
        assert!(start.elapsed().as_secs() < 120);
        assert_eq!(parsed.ast.module_body().len(), 1);
        assert!(matches!(parsed.ast.stmt(parsed.ast.module_body()[0]), Stmt::FunctionDef(_)));
    }
}
