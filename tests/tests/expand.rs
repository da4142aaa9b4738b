//! Scripts with their helpers and macros written out: `expand/*.py`, with the expected texts after one level
//! (`*.1.txt`) and after all levels (`*.all.txt`).

use std::path::{Path, PathBuf};

use tvmscript::expand::{ExpandError, expand};
use tvmscript::{ParseOptions, registry};

/// Environment variable to record the results.
const BLESS: &str = "TVMSCRIPT_BLESS";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expand")
}

fn expanded(text: &str, levels: usize) -> Result<String, ExpandError> {
    expand("test.py", text, registry(), &ParseOptions::default(), levels)
}

#[test]
fn p79_12_scripts_are_shown_with_their_helpers_written_out() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry of the folder").path();
        if path.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        for (name, levels) in [("1", 1), ("all", 9)] {
            let found = expanded(&text, levels).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let recorded = path.with_extension(format!("{name}.txt"));
            if std::env::var_os(BLESS).is_some() {
                std::fs::write(&recorded, &found).expect("a file");
            }
            let expected = std::fs::read_to_string(&recorded).expect("a recorded text");
            assert_eq!(found, expected, "{}", recorded.display());
        }
        count += 1;
    }
    assert!(count >= 2, "{count} files");
}

#[test]
fn a_kernel_with_helpers_and_a_factory_is_written_out() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/metaprogramming/nms/nms.py");
    let text = std::fs::read_to_string(path).expect("a text");
    let found = expanded(&text, 9).unwrap_or_else(|error| panic!("{error}"));
    let script = found.split_once("@T.prim_func").expect("a script").1;
    for gone in ["set_box(", "kept_boxes(", "corners("] {
        assert!(!script.contains(gone), "{gone}\n{script}");
    }
    assert!(script.contains("# not expanded: `every` returns early"), "{script}");
}

/// A script with one call, after one level.
fn body(helper: &str, statement: &str) -> String {
    let text = format!(
        "{helper}\n\n@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in range(4):\n        {statement}\n"
    );
    let text = expanded(&text, 1).unwrap_or_else(|error| panic!("{text}\n{error}"));
    text.split_once("range(4):\n").expect("the loop").1.trim().to_owned()
}

#[test]
fn calls_without_a_text_of_their_own_stay_with_the_reason() {
    let cases = [
        ("def g(x):\n    if True:\n        return x\n    return x + x", "A[i] = g(A[i])", "returns early"),
        ("def g(x):\n    yield x", "A[i] = list(g(A[i]))[0]", "is a generator"),
        ("def g(*x):\n    return x[0]", "A[i] = g(A[i])", "takes any number of arguments"),
        ("def g(x, y=len([1, 2])):\n    return x * y", "A[i] = g(A[i])", "computes the default of `y`"),
        ("def g(x):\n    return x", "A[i] = g(*[A[i]])", "is called with `*`"),
        ("def g(x):\n    x = x + x\n    return x", "A[i] = g(A[i])", "assigns to a parameter"),
        (
            "def g(x):\n    for y in [x]:\n        x2 = y\n    return x2",
            "A[i] = g(A[i])",
            "has a loop of Python",
        ),
        (
            "i = 3\ndef g(x):\n    return x + i",
            "A[i] = g(A[i])",
            "uses `i`, which is another name in the script",
        ),
        ("def g(x):\n    y = x + x\n    return y", "A[i] = A[i] if True else g(A[i])", "has statements, and"),
        (
            "import functools\n@functools.lru_cache\ndef g(x):\n    return x",
            "A[i] = A[g(3)]",
            "has a decorator",
        ),
    ];
    for (helper, statement, reason) in cases {
        let found = body(helper, statement);
        let (comment, rest) = found.split_once('\n').expect("two lines");
        assert!(comment.starts_with(&format!("# not expanded: `g` {reason}")), "{found}");
        assert_eq!(rest.trim(), statement);
    }
}

#[test]
fn arguments_keep_their_meaning() {
    assert_eq!(
        body("def g(x, y):\n    return x * y", "A[i] = g(A[i] + 1.0, y=2.0)"),
        "A[i] = ((A[i] + 1.0) * 2.0)"
    );
    assert_eq!(body("def g(n):\n    return n - 1", "A[g(g(i))] = 1.0"), "A[((i - 1) - 1)] = 1.0");
    assert_eq!(
        body("def g(x):\n    i = x + x\n    return i", "A[i] = g(A[i])"),
        "i_1 = T.meta_var(A[i] + A[i])\n        A[i] = i_1"
    );
    assert_eq!(body("def g(x):\n    pass", "g(A[i])"), "pass");
}

#[test]
fn a_recursion_stops_at_the_level() {
    let text = "\
@T.macro
def fill(A, n):
    A[n] = T.float32(n)
    if n > 0:
        fill(A, n - 1)

@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):
    fill(A, 3)
";
    let found = expanded(text, 2).unwrap_or_else(|error| panic!("{error}"));
    assert!(found.contains("# not expanded: `fill` is below level 2\n"), "{found}");
    assert_eq!(found.matches("T.float32(").count(), 3, "{found}");
}

#[test]
fn an_expansion_is_bounded() {
    let mut text = "def g0(x):\n    return x\n\n".to_owned();
    for level in 1..=15 {
        let before = level - 1;
        text.push_str(&format!("def g{level}(x):\n    return g{before}(x) + g{before}(x)\n\n"));
    }
    text.push_str("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.float32(g15(1))\n");
    let found = expanded(&text, 99).unwrap_or_else(|error| panic!("{error}"));
    assert!(found.contains("is behind 10000 other calls\n"), "{} bytes", found.len());
}

#[test]
fn texts_with_errors_have_no_expanded_form() {
    assert!(
        matches!(expanded("@T.prim_func\ndef f():\n    g()\n", 1), Err(ExpandError::Script(errors)) if errors.len() == 1)
    );
}
