//! Scripts with their helpers and macros written out: `expand/*.py`, with the expected texts after one level
//! (`*.1.txt`) and after all levels (`*.all.txt`).

use std::path::{Path, PathBuf};

use tvmscript::expand::{ExpandError, Expanded, expand};
use tvmscript::script_parser::{ModuleLoader, ModuleText, ParseError};
use tvmscript::{ParseOptions, registry};

/// Environment variable to record the results.
const BLESS: &str = "TVMSCRIPT_BLESS";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/expand")
}

fn try_expand(text: &str, levels: usize) -> Result<Expanded, Vec<ParseError>> {
    expand("test.py", text, registry(), &ParseOptions::default(), levels)
}

/// The expanded text, with no script refused.
fn expanded(text: &str, levels: usize) -> Result<String, String> {
    let Expanded { text, refused, .. } = try_expand(text, levels).map_err(|errors| format!("{errors:?}"))?;
    match refused.first() {
        None => Ok(text),
        Some(refused) => Err(refused.to_string()),
    }
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/metaprogramming/nms/nms.py");
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
    let errors = try_expand("@T.prim_func\ndef f():\n    g()\n", 1).expect_err("an undefined name");
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn only_the_scripts_that_would_differ_keep_their_calls() {
    let text = "\
def scale(A, i):
    T.buffer_store(A, A[i] * 2.0, [i])

def sized(x):
    return x * len(list(range(3)))

def folded(x):
    return T.float32(0) if T.float32(1) == T.float32(1) else x

@T.prim_func
def first(A: T.Buffer((4,), \"float32\")):
    scale(A, 0)

@T.prim_func
def second(A: T.Buffer((4,), \"float32\")):
    A[1] = sized(A[1])
    scale(A, 1)

@T.prim_func
def third(A: T.Buffer((4,), \"float32\")):
    A[2] = folded(A[2])

@T.prim_func
def fourth(A: T.Buffer((4,), \"float32\")):
    scale(A, 3)
";
    let Expanded { text: found, refused, .. } = try_expand(text, 1).expect("a text without errors");
    let refused: Vec<_> = refused.iter().map(|refused| (refused.function.as_str(), &refused.error)).collect();
    let [("second", ExpandError::Invalid { line, .. }), ("third", ExpandError::Differs { script })] =
        refused.as_slice()
    else {
        panic!("{refused:?}");
    };
    assert_eq!((line.as_str(), script.as_str()), ("A[1] = (A[1] * len(list(range(3))))", "third"));
    let expected = text
        .replace("    scale(A, 0)", "    T.buffer_store(A, A[0] * 2.0, [0])")
        .replace("    scale(A, 3)", "    T.buffer_store(A, A[3] * 2.0, [3])")
        .replace("    A[1] = ", "    # not expanded: `sized` is in a script that would differ\n    A[1] = ")
        .replace(
            "    scale(A, 1)",
            "    # not expanded: `scale` is in a script that would differ\n    scale(A, 1)",
        )
        .replace("    A[2] = ", "    # not expanded: `folded` is in a script that would differ\n    A[2] = ");
    assert_eq!(found, expected);
}

#[test]
fn helpers_of_other_files_stay_with_the_reason() {
    let text = "\
from math import sqrt
import lib.helpers
import lib.helpers as h
from lib import helpers
from lib.helpers import double as twice

@T.prim_func
def f(A: T.Buffer((4,), \"float32\")):
    A[0] = twice(A[0])
    A[1] = helpers.double(A[1])
    A[2] = h.double(lib.helpers.double(A[2]))
    A[3] = T.float32(sqrt(4.0))
";
    let mut options = ParseOptions::default();
    options.modules = Some(ModuleLoader::new("", |path| {
        let text = match path {
            "lib" => "",
            "lib.helpers" => "def double(x):\n    return x + x\n",
            _ => return None,
        };
        Some(ModuleText { name: format!("{}.py", path.replace('.', "/")), text: text.to_owned() })
    }));
    let found = expand("test.py", text, registry(), &options, 1).expect("a text without errors");
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    let comments: Vec<&str> = found.text.lines().filter_map(|line| line.trim().strip_prefix("# ")).collect();
    let expected = ["twice", "helpers.double", "lib.helpers.double", "h.double"]
        .map(|name| format!("not expanded: `{name}` belongs to another file"));
    assert_eq!(comments, expected);
}

#[test]
fn calls_that_need_new_names_are_written_out_in_linear_time() {
    let count = 2000;
    let calls = "    A[0] = g(A[0])\n".repeat(count);
    let text = format!(
        "def g(x):\n    y = x + x\n    return y\n\n@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n{calls}"
    );
    let found = expanded(&text, 1).unwrap_or_else(|error| panic!("{error}"));
    assert!(found.contains(&format!("y_{} = T.meta_var(", count - 1)), "{} bytes", found.len());
}
