//! Python files: `--set`, `--call`, `--select`, and imports below `--import-root`.

use std::path::{Path, PathBuf};

use crate::common::{Ran, folder, run};

const HELPERS: &str = "from tvm.script import tir as T
from .sizes import BASE

N = BASE * 2

def store(A, i, v):
    T.buffer_store(A, T.float32(v), [i])

@T.prim_func
def unrelated(A: T.Buffer((N,), \"float32\")):
    T.evaluate(A[0])
";

const MAIN: &str = "from tvm.script import tir as T
from . import helpers
from .helpers import N
import lib.sizes as sizes

n = 16

def make(n, dtype=\"float32\"):
    @T.prim_func
    def f(A: T.Buffer((n,), dtype)):
        for i in range(n):
            helpers.store(A, i, 1.0)
    return f

kernels = {\"a\": make(n), \"b\": [make(N), make(sizes.BASE)]}
";

/// A package `lib` with the file `main.py`; returns the folder around it.
fn package() -> PathBuf {
    folder(&[
        ("lib/__init__.py", ""),
        ("lib/sizes.py", "BASE = 4\n"),
        ("lib/helpers.py", HELPERS),
        ("lib/main.py", MAIN),
    ])
}

fn print(root: &Path, flags: &[&str]) -> Ran {
    let file = root.join("lib/main.py").display().to_string();
    let mut args = vec!["print", &file];
    args.extend(flags);
    run(&args)
}

fn extents(printed: &str) -> Vec<&str> {
    printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("for i in range(")?.strip_suffix("):"))
        .collect()
}

#[test]
fn scripts_in_containers_are_found_and_named() {
    let root = package();
    let here = root.display().to_string();
    let ran = print(&root, &["--import-root", &here]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(extents(&ran.stdout), ["16", "8", "4"]);
    for name in ["kernels[\"a\"]", "kernels[\"b\"][0]", "kernels[\"b\"][1]"] {
        assert!(ran.stdout.contains(&format!("# {name}\n")), "{name}:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("unrelated"), "scripts of other modules belong to them:\n{}", ran.stdout);
}

#[test]
fn set_changes_a_variable_and_select_takes_scripts_by_name() {
    let root = package();
    let here = root.display().to_string();
    let flags = ["--import-root", &here, "--set", "n=3 * 7", "--select", "kernels[\"a\"]"];
    let ran = print(&root, &flags);
    assert_eq!((ran.status, extents(&ran.stdout)), (0, vec!["21"]), "{}", ran.stderr);

    let ran = print(&root, &["--import-root", &here, "--select", "kernel"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("no script `kernel`; the file has `kernels[\"a\"]`"), "{}", ran.stderr);
    let ran = print(&root, &["--import-root", &here, "--set", "m=1"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stderr.contains("undefined name `m`\n    Note: in `m=1`"), "{}", ran.stderr);
    assert_eq!(print(&root, &["--set", "1=m"]).status, 2);
}

#[test]
fn call_names_scripts_that_the_file_made() {
    let root = package();
    let here = root.display().to_string();
    let call = "[kernels[\"a\"], make(3), kernels[\"b\"][1], kernels[\"a\"]]";
    let ran = print(&root, &["--import-root", &here, "--call", call]);
    assert_eq!((ran.status, extents(&ran.stdout)), (0, vec!["16", "3", "4"]), "{}", ran.stderr);

    let plain =
        folder(&[("lib/main.py", "@T.prim_func\ndef g():\n    for i in range(5):\n        T.evaluate(i)\n")]);
    let ran = print(&plain, &["--call", "g"]);
    assert_eq!((ran.status, extents(&ran.stdout)), (0, vec!["5"]), "{}", ran.stderr);
}

#[test]
fn call_takes_the_scripts_that_it_returns() {
    let root = package();
    let here = root.display().to_string();
    let flags = ["--import-root", &here, "--call", "make(2, dtype=\"int8\")", "--call", "[make(N), make(1)]"];
    let ran = print(&root, &flags);
    assert_eq!((ran.status, extents(&ran.stdout)), (0, vec!["2", "8", "1"]), "{}", ran.stderr);
    assert!(ran.stdout.contains("T.Buffer((2,), \"int8\")"), "{}", ran.stdout);

    for (call, message) in [
        ("make(q)", "undefined name `q`\n    Note: in `make(q)`"),
        ("make(", "expected a Python expression, found `make(`"),
        ("1 // 0", "integer division or modulo by zero"),
        ("n", "expected a script or a container of scripts, found int"),
    ] {
        let ran = print(&root, &["--import-root", &here, "--call", call]);
        assert_eq!(ran.status, 1, "{call}");
        assert!(ran.stderr.contains(message), "{call}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("Error: ").count(), 1, "{call}: {}", ran.stderr);
    }
}

#[test]
fn nothing_outside_the_import_root_is_read() {
    let root = folder(&[
        ("outside.py", "N = 4\n"),
        (
            "inside/main.py",
            "from tvm.script import tir as T\nfrom link import N\n\n@T.prim_func\ndef f(A: T.Buffer((N,), \"int8\")):\n    T.evaluate(0)\n",
        ),
    ]);
    let inside = root.join("inside");
    let file = inside.join("main.py").display().to_string();
    let ran = |root: &Path| run(&["print", &file, "--import-root", &root.display().to_string()]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("outside.py"), inside.join("link.py")).expect("a link");
    let refused = ran(&inside);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("`link.N` cannot be used here"), "{}", refused.stderr);
    std::fs::remove_file(inside.join("link.py")).ok();
    std::fs::copy(root.join("outside.py"), inside.join("link.py")).expect("a copy");
    let read = ran(&inside);
    assert_eq!(read.status, 0, "{}", read.stderr);
    assert_eq!(run(&["print", &file, "--import-root", "no/such/folder"]).status, 2);
}

#[test]
fn errors_in_imported_modules_name_their_place() {
    let root = folder(&[
        ("broken.py", "def f(:\n"),
        (
            "wrong.py",
            "from tvm.script import tir as T\n\ndef store(A):\n    T.buffer_store(A, missing, [0])\n",
        ),
        ("a.py", "import broken\n"),
        (
            "b.py",
            "from tvm.script import tir as T\nimport wrong\n\n@T.prim_func\ndef f(A: T.Buffer((4,), \"int8\")):\n    wrong.store(A)\n",
        ),
    ]);
    let here = root.display().to_string();
    let of = |name: &str| {
        let file = root.join(name).display().to_string();
        run(&["check", &file, "--import-root", &here]).stderr
    };
    assert!(of("a.py").contains("broken.py:1:6: `(` is never closed"), "{}", of("a.py"));
    let wrong = of("b.py");
    assert!(wrong.contains("in wrong.py:4:23: T.buffer_store(A, missing, [0])"), "{wrong}");
    assert!(wrong.contains("b.py:6:5"), "{wrong}");
}

#[test]
fn modules_that_import_each_other_end() {
    let root = folder(&[
        ("c1.py", "import c2\nX = 1\n"),
        ("c2.py", "import c1\nY = 3\n"),
        (
            "m.py",
            "from tvm.script import tir as T\nimport c1\nfrom c2 import *\n\n@T.prim_func\ndef f(A: T.Buffer((Y,), \"int8\")):\n    T.evaluate(c1.X)\n",
        ),
    ]);
    let file = root.join("m.py").display().to_string();
    let ran = run(&["print", &file, "--import-root", &root.display().to_string()]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("T.Buffer((3,), \"int8\")"), "{}", ran.stdout);
}
