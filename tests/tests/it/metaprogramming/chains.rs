//! Places of nodes and errors in helpers: the line of the helper, then the calls that led to it.
//!
//! In the texts, `# 1` marks the line of the helper, `# 2` the line that calls it, and so on.

use tvmscript::script_parser::{ModuleLoader, ModuleText};
use tvmscript::{Object, ParseOptions, Parsed, parse, post_order_visit, registry};

/// A script that calls `h(A)` on line 2 of the chain.
const CALL: &str = "
@T.prim_func
def f(A: T.Buffer((8,), 'float32')):
    h(A)  # 2
";

/// The numbers of the marked lines, in the order of the marks.
fn marked(text: &str) -> Vec<usize> {
    let mut lines: Vec<(usize, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for mark in line.split_once("  # ").into_iter().flat_map(|(_, marks)| marks.split(' ')) {
            lines.push((mark.parse().expect("a mark"), index + 1));
        }
    }
    lines.sort_unstable();
    lines.into_iter().map(|(_, line)| line).collect()
}

fn read(text: &str, options: &ParseOptions) -> Parsed {
    parse("test.py", text, registry(), options)
}

/// The places of the nodes of a class, as `file:line` from the helper to the script.
fn places(parsed: &Parsed, text: &str, class: &str) -> Vec<Vec<String>> {
    let texts = parsed.other_texts.clone().with(parsed.source, text);
    let mut found = Vec::new();
    let mut visit = |node: &Object| {
        if node.info().key() == class {
            let marker = node.span().to_marker(&texts);
            let place = |place: &str| {
                let (line, _column) = place.rsplit_once(':').expect("a column");
                line.to_owned()
            };
            found.push(marker.trim_start_matches('@').split(" < ").map(place).collect());
        }
    };
    for script in &parsed.scripts {
        post_order_visit(&script.node, |node| visit(node));
    }
    found
}

/// Checks the chain of the nodes of a class, and that of the error for an undefined name in their place.
fn check(text: &str, class: &str) {
    let lines = marked(text);
    let right = text.replace("VALUE", "T.float32(3)");
    let parsed = read(&right, &ParseOptions::default());
    assert!(parsed.errors.is_empty(), "{:?}\n{right}", parsed.errors);
    let expected: Vec<String> = lines.iter().map(|line| format!("test.py:{line}")).collect();
    let found = places(&parsed, &right, class);
    assert!(found.contains(&expected), "{expected:?}, found {found:?}\n{right}");

    let wrong = text.replace("VALUE", "missing");
    let parsed = read(&wrong, &ParseOptions::default());
    let [error] = parsed.errors.as_slice() else { panic!("{:?}\n{wrong}", parsed.errors) };
    let line_of = |label: &tvmscript::script_eval::Label| {
        let start = label.range().expect("a place in the text").start as usize;
        wrong[..start].matches('\n').count() + 1
    };
    let mut found: Vec<usize> = error.labels.iter().map(line_of).collect();
    // A function that the builder calls back, and the call of the builder, may share a line.
    found.dedup();
    assert_eq!(found, lines, "{error:?}\n{wrong}");
}

fn check_stores(text: &str) {
    check(text, "tir.BufferStore");
}

fn check_store(helper: &str) {
    check_stores(&format!("{helper}{CALL}"));
}

#[test]
fn p79_05_macros() {
    check_store("@T.macro\ndef h(A):\n    A[0] = VALUE  # 1\n");
    check_store("@T.macro(hygienic=False)\ndef h(A):\n    A[0] = VALUE  # 1\n");
}

#[test]
fn p79_05_methods_lambdas_and_comprehensions() {
    check_store(
        "class C:\n    def store(self, A):\n        T.buffer_store(A, VALUE, [0])  # 1\n\nh = C().store\n",
    );
    check_store("h = lambda A: T.buffer_store(A, VALUE, [0])  # 1\n");
    check_store("def h(A):\n    [T.buffer_store(A, VALUE, [i]) for i in range(1)]  # 1\n");
}

#[test]
fn p79_05_decorated_helpers() {
    let helper = "\
def decorate(function):
    def wrapped(*args):
        return function(*args)  # 2
    return wrapped

@decorate
def h(A):
    T.buffer_store(A, VALUE, [0])  # 1
";
    check(&format!("{helper}{}", CALL.replace("# 2", "# 3")), "tir.BufferStore");
}

#[test]
fn p79_05_helpers_three_deep() {
    let helper = "\
def inner(A):
    T.buffer_store(A, VALUE, [0])  # 1

def middle(A):
    inner(A)  # 2

def h(A):
    middle(A)  # 3
";
    check(&format!("{helper}{}", CALL.replace("# 2", "# 4")), "tir.BufferStore");
}

#[test]
fn p79_05_constructors() {
    let helper = "\
class C:
    def __init__(self, A):
        T.buffer_store(A, VALUE, [0])  # 1
";
    check(&format!("{helper}{}", CALL.replace("h(A)", "c = T.meta_var(C(A))")), "tir.BufferStore");
}

/// A generator whose nodes and errors come behind a `yield`.
const GENERATOR: &str = "\
def stores(A):
    yield 0
    T.buffer_store(A, VALUE, [0])  # 1
    yield 1

";

#[test]
fn p79_05_nodes_after_a_yield() {
    let call = CALL.replace("# 2", "# 3");
    let with = |helper: &str| format!("{GENERATOR}{helper}{call}");
    check_stores(&with("def h(A):\n    for i in stores(A):  # 2\n        A.scope()\n"));
    check_stores(&with(
        "def h(A):\n    values = stores(A)\n    next(values)\n    for i in values:  # 2\n        pass\n",
    ));
    // Other iterators hand the call on.
    check_stores(&with("def h(A):\n    for i, j in zip(range(9), stores(A)):  # 2\n        A.scope()\n"));
    check_stores(&with("def h(A):\n    for i in map(str, stores(A)):  # 2\n        A.scope()\n"));
    check_stores(&with("def h(A):\n    values = stores(A)\n    first, second = values  # 2\n"));
    check_stores(&with(
        "def h(A):\n    values = stores(A)\n    made = [\n        A.scope()\n        for i in values  # 2\n    ]\n",
    ));
    check_stores(&with("def h(A):\n    values = stores(A)\n    A.scope()\n    made = [*values]  # 2\n"));
    check_stores(&with(
        "def h(A):\n    values = stores(A)\n    A.scope()\n    print(\n        1,\n        *values  # 2\n    )\n",
    ));
}

#[test]
fn p79_05_nodes_of_iterators_that_are_instances() {
    let helper = "\
class C:
    def __init__(self, A):
        self.A = A
        self.done = False
    def __iter__(self):
        return self
    def __next__(self):
        if self.done:
            raise StopIteration
        self.done = True
        T.buffer_store(self.A, VALUE, [0])  # 1

def h(A):
    values = C(A)
    A.scope()
    for i in values:  # 2
        A.scope()
";
    check_stores(&format!("{helper}{}", CALL.replace("# 2", "# 3")));
}

#[test]
fn p79_05_nodes_of_generators_in_generators() {
    let call = CALL.replace("# 2", "# 4");
    let consume = "def h(A):\n    for i in outer(A):  # 3\n        A.scope()\n";
    for outer in [
        "def outer(A):\n    yield from stores(A)  # 2\n\n",
        "def outer(A):\n    for i in stores(A):  # 2\n        yield i\n\n",
    ] {
        check_stores(&format!("{GENERATOR}{outer}{consume}{call}"));
    }
}

#[test]
fn p79_05_nodes_of_context_managers() {
    let call = CALL.replace("# 2", "# 3");
    let body = "def h(A):\n    with C(A):  # 2\n        A.scope()\n";
    let class = "\
class C:
    def __init__(self, A):
        self.A = A
    def __enter__(self):
        ENTER
    def __exit__(self, *error):
        EXIT

";
    let store = "T.buffer_store(self.A, VALUE, [0])  # 1";
    for (enter, exit) in [(store, "pass"), ("pass", store)] {
        let class = class.replace("ENTER", enter).replace("EXIT", exit);
        check_stores(&format!("{class}{body}{call}"));
    }
    let manager = "\
from contextlib import contextmanager

@contextmanager
def C(A):
    yield
    T.buffer_store(A, VALUE, [0])  # 1

";
    check_stores(&format!("{manager}{body}{call}"));
}

#[test]
fn p79_04_bodies_of_computations() {
    let text = "\
def h(x):
    return x + VALUE  # 1

@T.prim_func
def f(A: T.Buffer((8,), 'float32')):
    S = T.compute((8,), lambda i: h(A[i]))  # 2
";
    check(text, "tir.Add");
}

#[test]
fn p79_05_helpers_of_other_files() {
    let helper = |value: &str| format!("def h(A):\n    T.buffer_store(A, {value}, [0])\n");
    let text = format!("from lib import h\n{CALL}");
    let options = |value: &str| {
        let module = helper(value);
        let mut options = ParseOptions::default();
        options.modules = Some(ModuleLoader::new("", move |path| {
            (path == "lib").then(|| ModuleText { name: "lib.py".to_owned(), text: module.clone() })
        }));
        options
    };
    let call = marked(&text)[0];
    let parsed = read(&text, &options("T.float32(3)"));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    assert_eq!(
        places(&parsed, &text, "tir.BufferStore"),
        [["lib.py:2".to_owned(), format!("test.py:{call}")]]
    );

    let parsed = read(&text, &options("missing"));
    let [error] = parsed.errors.as_slice() else { panic!("{:?}", parsed.errors) };
    assert_eq!(
        error.notes.first().map(String::as_str),
        Some("in lib.py:2:23: T.buffer_store(A, missing, [0])")
    );
    let start = error.labels.first().and_then(|label| label.range()).expect("a place").start as usize;
    assert_eq!(text[..start].matches('\n').count() + 1, call);
}
