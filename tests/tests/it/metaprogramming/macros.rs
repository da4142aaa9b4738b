//! Macros, static loops and conditions, recursion (79-18).

use super::support::{errors, same};

/// The example of TVM's documentation.
const CAPTURES: &str = r#"
x_value = 128

@T.macro(hygienic=True)
def static_capture(A, B):
    B[()] = A[x_value]

@T.macro(hygienic=False)
def dynamic_capture(A, B):
    B[()] = A[x_value]
"#;

#[test]
fn p79_18_hygienic_and_dynamic_macros() {
    for (name, index) in [("static_capture", "128"), ("dynamic_capture", "x_value")] {
        same(
            &format!(
                "{CAPTURES}\n@T.prim_func\ndef use(A: T.Buffer((1024,), 'int32'), B: T.Buffer((), 'int32')) -> None:\n    for x_value in T.serial(10):\n        {name}(A, B)\n"
            ),
            &format!(
                "@T.prim_func\ndef use(A: T.Buffer((1024,), 'int32'), B: T.Buffer((), 'int32')) -> None:\n    for x_value in T.serial(10):\n        B[()] = A[{index}]\n"
            ),
        );
    }
}

#[test]
fn p79_18_macros_bind_arguments_as_python_does() {
    same(
        r#"
@T.macro
def store(A, *index, value=T.float32(0), scale: int = 1):
    A[index] = value * T.float32(scale)

@T.inline
def zero(A, n):
    for i in range(n):
        store(A, i, i)
        with T.block("zero"):
            vi = T.axis.spatial(n, i)
            A[vi, vi] = T.float32(0)

@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    store(A, 1, 2, value=T.float32(3), scale=2)
    zero(A, 8)
    zero(A, 4)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8, 8), "float32")):
    A[1, 2] = T.float32(3) * T.float32(2)
    for i in range(8):
        A[i, i] = T.float32(0) * T.float32(1)
        with T.block("zero"):
            vi = T.axis.spatial(8, i)
            A[vi, vi] = T.float32(0)
    for i in range(4):
        A[i, i] = T.float32(0) * T.float32(1)
        with T.block("zero_1"):
            vi = T.axis.spatial(4, i)
            A[vi, vi] = T.float32(0)
"#,
    );
    let wrong = |call: &str| {
        errors(&format!(
            "@T.macro\ndef m(a, b=1):\n    T.evaluate(a + b)\n\n@T.prim_func\ndef f(x: T.int32):\n    {call}\n"
        ))
    };
    assert_eq!(wrong("m()"), ["m() missing 1 required positional argument: 'a'"]);
    assert_eq!(wrong("m(x, c=2)"), ["m() got an unexpected keyword argument 'c'"]);
}

#[test]
fn p79_18_a_macro_keeps_the_values_of_its_definition() {
    same(
        r#"
def make(step):
    @T.macro
    def advance(A, i):
        A[i] = A[i] + step
    return advance

one, two = make(1), make(2)

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    for i in range(8):
        one(A, i)
        two(A, i)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = A[i] + 1
        A[i] = A[i] + 2
"#,
    );
}

#[test]
fn p79_18_names_of_a_macro_are_its_own() {
    let found = errors(
        "@T.macro\ndef m(a):\n    inner = a + 1\n    T.evaluate(inner)\n\n@T.prim_func\ndef f(x: T.int32):\n    m(x)\n    T.evaluate(inner)\n",
    );
    assert!(found.len() == 1 && found[0].starts_with("undefined name `inner`"), "{found:?}");
    let found =
        errors("@T.macro\ndef m():\n    T.evaluate(x)\n\n@T.prim_func\ndef f(x: T.int32):\n    m()\n");
    assert!(found.len() == 1 && found[0].starts_with("undefined name `x`"), "{found:?}");
}

#[test]
fn p79_18_relax_macros() {
    same(
        r#"
@R.macro
def square_sum(x, y):
    z = R.add(x, y)
    return R.multiply(z, z)

@R.function
def f(x: R.Tensor((4, 4), "float32")):
    a = square_sum(x, x)
    b = square_sum(a, x)
    return b
"#,
        r#"
@R.function
def f(x: R.Tensor((4, 4), "float32")):
    z = R.add(x, x)
    gv = R.multiply(z, z)
    a = gv
    z1 = R.add(a, x)
    gv1 = R.multiply(z1, z1)
    b = gv1
    return b
"#,
    );
    let found = errors(
        "@R.macro\ndef m(x):\n    y = R.add(x, x)\n\n@R.function\ndef f(x: R.Tensor((4,), 'float32')):\n    a = m(x)\n    return a\n",
    );
    assert_eq!(found, ["expected `return` with a value at the end of the macro, found none"]);
}

#[test]
fn p79_18_loops_are_unrolled() {
    same(
        r#"
weights = [1, 3, 5]

@T.prim_func
def f(A: T.Buffer((16,), "int32"), B: T.Buffer((14,), "int32")):
    for i in range(14):
        B[i] = 0
        for k in T.static_range(len(weights)):
            B[i] = B[i] + A[i + k] * weights[k]
        for k in T.static_range(4, 0, -2):
            T.evaluate(k)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((16,), "int32"), B: T.Buffer((14,), "int32")):
    for i in range(14):
        B[i] = 0
        B[i] = B[i] + A[i + 0] * 1
        B[i] = B[i] + A[i + 1] * 3
        B[i] = B[i] + A[i + 2] * 5
        T.evaluate(4)
        T.evaluate(2)
"#,
    );
}

#[test]
fn jumps_of_unrolled_loops_are_errors() {
    let message = "`break` or `continue` of an unrolled loop is not supported (skip numbers with `if` on a value of Python)";
    for jump in
        ["break", "continue", "if k == 2:\n            break", "with T.block('b'):\n            continue"]
    {
        let found = errors(&format!(
            "@T.prim_func\ndef f():\n    for k in T.static_range(4):\n        {jump}\n        T.evaluate(k)\n"
        ));
        assert_eq!(found, [message], "{jump}");
    }
    let found = errors(
        "@T.prim_func\ndef f():\n    for k in T.static_range(2):\n        for i in range(4):\n            break\n",
    );
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn p79_18_macros_of_classes_are_methods() {
    same(
        r#"
class Kernels:
    def __init__(self, value):
        self.value = value

    @T.macro
    def store(self, A, i):
        A[i] = self.value

kernels = Kernels(7)

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        kernels.store(A, i)
        Kernels.store(Kernels(8), A, i)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = 7
        A[i] = 8
"#,
    );
}

#[test]
fn macros_that_look_names_up_at_the_call_see_the_script_behind_a_helper() {
    same(
        r#"
@T.macro(hygienic=False)
def put(value):
    A[0] = value

def through(value):
    put(value)

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    through(3)
"#,
        "@T.prim_func\ndef f(A: T.Buffer((4,), 'int32')):\n    A[0] = 3\n",
    );
}

#[test]
fn int_and_float_take_constants() {
    same(
        r#"
def total(A):
    return [int(dim) for dim in A.shape], float(T.float32(0.5)), int(True)

@T.prim_func
def f(A: T.Buffer((4, 3), "float32")):
    T.func_attr({"found": total(A)})
    T.evaluate(0)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((4, 3), "float32")):
    T.func_attr({"found": ([4, 3], 0.5, 1)})
    T.evaluate(0)
"#,
    );
    for wrong in ["int(T.float32(1))", "float(T.int32(1))", "int(x)"] {
        let found = errors(&format!("@T.prim_func\ndef f(x: T.int32):\n    T.evaluate({wrong})\n"));
        assert!(found.len() == 1 && found[0].contains("argument must be a string"), "{found:?}");
    }
}

#[test]
fn p79_18_branches_are_chosen() {
    for (relu, clip, value) in [
        (true, None, "T.max(A[i], T.float32(0))"),
        (false, Some(6), "T.min(A[i], T.float32(6))"),
        (false, None, "A[i]"),
    ] {
        let clip = clip.map_or("None".to_owned(), |clip: i32| clip.to_string());
        let relu = if relu { "True" } else { "False" };
        same(
            &format!(
                r#"
def make(relu, clip):
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            if relu:
                B[i] = T.max(A[i], T.float32(0))
            elif clip is not None:
                B[i] = T.min(A[i], T.float32(clip))
            else:
                B[i] = A[i]
    return f
f = make({relu}, {clip})
"#
            ),
            &format!(
                "@T.prim_func\ndef f(A: T.Buffer((8,), 'float32'), B: T.Buffer((8,), 'float32')):\n    for i in range(8):\n        B[i] = {value}\n"
            ),
        );
    }
}

#[test]
fn p79_18_recursion_over_shapes() {
    let by_hand = r#"
@T.prim_func
def f(A: T.Buffer((2, 3, 4), "float32")):
    for i in range(2):
        for j in range(3):
            for k in range(4):
                A[i, j, k] = T.float32(0)
"#;
    same(
        r#"
@T.macro
def fill(A, index):
    if len(index) == len(A.shape):
        A[index] = T.float32(0)
    else:
        for i in range(A.shape[len(index)]):
            fill(A, (*index, i))

@T.prim_func
def f(A: T.Buffer((2, 3, 4), "float32")):
    fill(A, ())
"#,
        by_hand,
    );
    same(
        r#"
def fill(A, index):
    if len(index) == len(A.shape):
        T.buffer_store(A, T.float32(0), index)
        return
    with T.serial(A.shape[len(index)]) as i:
        fill(A, (*index, i))

@T.prim_func
def f(A: T.Buffer((2, 3, 4), "float32")):
    fill(A, ())
"#,
        by_hand,
    );
    let found = errors("@T.macro\ndef m(n):\n    m(n + 1)\n\n@T.prim_func\ndef f():\n    m(0)\n");
    assert!(found.len() == 1 && found[0].starts_with("calls are nested deeper than"), "{found:?}");
}

#[test]
fn p79_18_meta_variables() {
    same(
        "@T.prim_func\ndef f(A: T.Buffer((8,), 'int32')):\n    n = T.meta_var(4)\n    a, b = T.meta_var((A[0], A[1]))\n    for i in range(n):\n        A[i] = a + b\n",
        "@T.prim_func\ndef f(A: T.Buffer((8,), 'int32')):\n    for i in range(4):\n        A[i] = A[0] + A[1]\n",
    );
}

#[test]
fn p79_18_names_of_blocks_have_suffixes() {
    same(
        r#"
def copy(A, suffix):
    with T.block_name_suffix_context(suffix):
        with T.serial(8) as i:
            with T.block("copy"):
                vi = T.axis.spatial(8, i)
                T.buffer_store(A, A[vi], [vi])

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    copy(A, "_a")
    copy(A, "")
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("copy_a"):
            vi = T.axis.spatial(8, i)
            A[vi] = A[vi]
    for i in range(8):
        with T.block("copy"):
            vi = T.axis.spatial(8, i)
            A[vi] = A[vi]
"#,
    );
}

#[test]
fn errors_in_macros_name_the_call() {
    let text = "@T.macro\ndef m(A):\n    A[0] = missing\n\n@T.prim_func\ndef f(A: T.Buffer((8,), 'int32')):\n    m(A)\n";
    let parsed = super::support::read_with(text, &Default::default());
    let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
    let labels: Vec<&str> = error.labels.iter().map(|label| label.text.as_str()).collect();
    assert_eq!(labels, ["", "called from here"]);
    let found = errors("@T.macro\ndef m():\n    T.evaluate(1)\n\nm()\n");
    assert_eq!(
        found,
        ["expected an open function, found a call of a macro outside of scripts (call `m` inside a script)"]
    );
}
