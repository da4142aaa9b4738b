//! Functions and values of a Rust program (79-05), and where the code runs (79-10, 79-11).

use tvmscript::builder::*;
use tvmscript::irbuilder::{BuildError, BuildResult, HostObject, ScriptValue};
use tvmscript::script_parser::CaptureRule;
use tvmscript::tir::Buffer;
use tvmscript::{ParseOptions, Ref, assert_structural_eq, registry};

use super::support::{read_with, same, scripts_with};

/// A configuration of a program, as scripts see it.
struct Tile {
    rows: i64,
    columns: i64,
}

impl HostObject for Tile {
    fn type_name(&self) -> &str {
        "a tile"
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "rows" => Some(ScriptValue::Int(self.rows)),
            "shape" => {
                Some(ScriptValue::tuple([ScriptValue::Int(self.rows), ScriptValue::Int(self.columns)]))
            }
            _ => None,
        }
    }
}

fn options() -> ParseOptions {
    let mut options = ParseOptions::default();
    options
        .globals
        .function("round_up", &["n", "to"], |n: i64, to: Option<i64>| {
            let to = to.unwrap_or(8);
            match to {
                0 => Err(BuildError::message("there is no multiple of zero").at_position(1)),
                to => Ok((n + to - 1) / to * to),
            }
        })
        .function("clear", &["buffer", "n"], |buffer: Ref<Buffer>, n: i64| -> BuildResult<()> {
            T::serial(n).body(|i| {
                let i = name("i", i);
                buffer.set([&i], T::float32(0));
            });
            Ok(())
        })
        .value("tile", || ScriptValue::host(Tile { rows: 4, columns: 16 }));
    options
}

#[test]
fn p79_05_functions_of_a_rust_program() {
    let text = r#"
n = round_up(13)

@T.prim_func
def f(A: T.Buffer((n,), "float32"), B: T.Buffer(tile.shape, "float32")):
    clear(A, round_up(tile.rows, to=6))
    for i in range(tile.rows):
        B[i, 0] = A[i]
"#;
    let by_hand = r#"
@T.prim_func
def f(A: T.Buffer((16,), "float32"), B: T.Buffer((4, 16), "float32")):
    for i in range(6):
        A[i] = T.float32(0)
    for i in range(4):
        B[i, 0] = A[i]
"#;
    // The program provides the names, so the strict rule allows them.
    for capture in [CaptureRule::All, CaptureRule::Declared] {
        let mut options = options();
        options.capture = capture;
        let (built, expected) = (scripts_with(text, &options), scripts_with(by_hand, &options));
        assert_structural_eq!(built[0].node, expected[0].node);
    }
}

#[test]
fn p79_05_wrong_calls_of_rust_functions() {
    let wrong = |call: &str| {
        let parsed = read_with(&format!("@T.prim_func\ndef f():\n    T.evaluate({call})\n"), &options());
        parsed.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(wrong("round_up()"), "`round_up` is missing the argument `n`");
    assert_eq!(wrong("round_up('a')"), "`n` of `round_up` must be an int, not str");
    assert_eq!(wrong("round_up(1, 2, 3)"), "`round_up` takes at most 2 positional arguments, not 3");
    assert_eq!(wrong("round_up(1, by=2)"), "`round_up` has no parameter `by`");
    assert_eq!(wrong("round_up(1, 0)"), "there is no multiple of zero");
}

#[test]
fn a_text_may_redefine_the_names() {
    let text = "def round_up(n):\n    return n\n\n@T.prim_func\ndef f():\n    T.evaluate(round_up(13))\n";
    let built = scripts_with(text, &options());
    let expected = scripts_with("@T.prim_func\ndef f():\n    T.evaluate(13)\n", &options());
    assert_structural_eq!(built[0].node, expected[0].node);
}

#[test]
fn p79_10_no_python_is_loaded() {
    let text = "def f(n):\n    return [x * x for x in range(n)]\n\n@T.prim_func\ndef g():\n    T.evaluate(sum(f(4)))\n";
    let built = scripts_with(text, &ParseOptions::default());
    let printed = tvmscript::print(&built[0].node, registry(), &Default::default()).expect("it prints");
    assert!(printed.ends_with("T.evaluate(14)"), "{printed}");
    #[cfg(target_os = "linux")]
    {
        let libraries = std::fs::read_to_string("/proc/self/maps").expect("the libraries of the process");
        assert!(libraries.contains("libc") && !libraries.contains("libpython"), "{libraries}");
    }
}

#[test]
fn p79_11_operators_are_declared_once() {
    let by_hand = "@T.prim_func\ndef f(x: T.float32):\n    T.evaluate(T.sin(x) + T.cos(x))\n";
    same(
        "from tvm.tir import sin, cos\n\n@T.prim_func\ndef f(x: T.float32):\n    T.evaluate(sin(x) + cos(x))\n",
        by_hand,
    );
    let builder = Builder::for_registry(registry());
    T::prim_func().body(|| {
        T::func_name("f");
        let x = T::arg("x", T::var("x", "float32"));
        T::evaluate(T::sin(&x) + T::cos(&x));
    });
    let built = builder.finish().expect("a function");
    let expected = scripts_with(by_hand, &ParseOptions::default());
    assert_structural_eq!(built, expected[0].node);
}
