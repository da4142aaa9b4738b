//! Rank polymorphism and starred targets (79-02, 79-03, 79-13).

use super::support::{errors, read_with, same};

/// Written by hand: a sum of two arrays of rank `rank`.
fn elementwise(rank: usize) -> String {
    let shape: Vec<String> = (0..rank).map(|d| (d + 2).to_string()).collect();
    let names: Vec<String> = (0..rank).map(|d| format!("i{d}")).collect();
    let mut text = format!(
        "@T.prim_func\ndef f(A: T.Buffer(({0}), 'float32'), B: T.Buffer(({0}), 'float32'), C: T.Buffer(({0}), 'float32')):\n",
        tuple(&shape)
    );
    let mut indent = "    ".to_owned();
    for (name, extent) in names.iter().zip(&shape) {
        text += &format!("{indent}for {name} in range({extent}):\n");
        indent += "    ";
    }
    let at = if rank == 0 { "()".to_owned() } else { names.join(", ") };
    text += &format!("{indent}with T.block('add'):\n{indent}    C[{at}] = A[{at}] + B[{at}]\n");
    text
}

fn tuple(items: &[String]) -> String {
    items.iter().map(|item| format!("{item},")).collect()
}

#[test]
fn p79_02_one_function_for_ranks_0_to_5() {
    for rank in 0..=5 {
        let shape: Vec<String> = (0..rank).map(|d| (d + 2).to_string()).collect();
        let text = format!(
            r#"
def add(a, b, c):
    @T.prim_func
    def f(A: T.BufferFrom(a), B: T.BufferFrom(b), C: T.BufferFrom(c)):
        for *i, in T.grid(*A.shape):
            with T.block("add"):
                C[*i] = A[*i] + B[*i]
    return f
x = T.Buffer(({0}), "float32")
f = add(x, x, x)
"#,
            tuple(&shape)
        );
        same(&text, &elementwise(rank));
    }
}

#[test]
fn p79_02_broadcast_add_of_the_rfc() {
    let text = |a: &str, b: &str, c: &str| {
        format!(
            r#"
def broadcast_add(a, b, c):
  @T.prim_func
  def f(
    A: T.BufferFrom(a),
    B: T.BufferFrom(b),
    C: T.BufferFrom(c),
  ) -> None:
    for i, i_a, i_b in T.broadcast_grid(A.shape, B.shape):
      with T.block():
        C[*i] = A[*i_a] + B[*i_b]
  return f

Buffer = T.Buffer
f = broadcast_add(
  a = Buffer({a}, "float32"),
  b = Buffer({b}, "float32"),
  c = Buffer({c}, "float32"),
)
"#
        )
    };
    let by_hand = |a: &str, b: &str, c: &str, loops: &str, at: [&str; 3]| {
        let [c_at, a_at, b_at] = at;
        format!(
            "@T.prim_func\ndef f(A: T.Buffer({a}, 'float32'), B: T.Buffer({b}, 'float32'), C: T.Buffer({c}, 'float32')):\n    \
             {loops}\n        with T.block():\n            C[{c_at}] = A[{a_at}] + B[{b_at}]\n"
        )
    };
    for (a, b, c, loops, at) in [
        ("(128, 1)", "(1, 128)", "(128, 128)", "for i, j in T.grid(128, 128):", ["i, j", "i, 0", "0, j"]),
        ("(4,)", "(2, 3, 4)", "(2, 3, 4)", "for i, j, k in T.grid(2, 3, 4):", ["i, j, k", "k", "i, j, k"]),
        (
            "(3, 1, 1)",
            "(5, 7)",
            "(3, 5, 7)",
            "for i, j, k in T.grid(3, 5, 7):",
            ["i, j, k", "i, 0, 0", "j, k"],
        ),
        (
            "(2, 1, 4, 1, 6)",
            "(3, 1, 5, 1)",
            "(2, 3, 4, 5, 6)",
            "for i, j, k, l, m in T.grid(2, 3, 4, 5, 6):",
            ["i, j, k, l, m", "i, 0, k, 0, m", "j, 0, l, 0"],
        ),
    ] {
        same(&text(a, b, c), &by_hand(a, b, c, loops, at));
    }
    let found = errors(&text("(3,)", "(4,)", "(4,)"));
    assert_eq!(found, ["dimension 0 of shape 1 does not broadcast to the dimension of the others"]);
}

#[test]
fn p79_02_a_broadcast_helper_in_python() {
    same(
        r#"
def operand(shape, indices):
    behind = indices[len(indices) - len(shape):]
    return [0 if extent == 1 else index for extent, index in zip(shape, behind)]

def broadcast_add(a, b, c):
    @T.prim_func
    def f(A: T.BufferFrom(a), B: T.BufferFrom(b), C: T.BufferFrom(c)):
        for *i, in T.grid(*C.shape):
            with T.block():
                C[*i] = A[*operand(A.shape, i)] + B[*operand(B.shape, i)]
    return f

f = broadcast_add(T.Buffer((128, 1), "float32"), T.Buffer((128,), "float32"), T.Buffer((128, 128), "float32"))
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((128, 1), "float32"), B: T.Buffer((128,), "float32"), C: T.Buffer((128, 128), "float32")):
    for i, j in T.grid(128, 128):
        with T.block():
            C[i, j] = A[i, 0] + B[j]
"#,
    );
}

#[test]
fn p79_03_buffers_like_others() {
    same(
        r#"
a = T.Buffer((16, 8), "float16", strides=[8, 1], scope="shared", align=64, offset_factor=4)
@T.prim_func
def f(A: T.BufferFrom(a), B: T.BufferFrom(a)):
    B[0, 0] = A[0, 0]
"#,
        r#"
@T.prim_func
def f(
    A: T.Buffer((16, 8), "float16", strides=[8, 1], scope="shared", align=64, offset_factor=4),
    B: T.Buffer((16, 8), "float16", strides=[8, 1], scope="shared", align=64, offset_factor=4),
):
    B[0, 0] = A[0, 0]
"#,
    );
    let found = errors("@T.prim_func\ndef f(A: T.BufferFrom(3)):\n    T.evaluate(A[0])\n");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn p79_13_starred_targets() {
    let by_hand = r#"
@T.prim_func
def f(A: T.Buffer((2, 3, 4, 5), "float32")):
    for i, j, k, l in T.grid(2, 3, 4, 5):
        A[i, j, k, l] = T.float32(0)
"#;
    for (target, at) in [
        ("first, *rest, last", "first, *rest, last"),
        ("*all,", "*all"),
        ("[*head, last]", "*head, last"),
        ("i, j, *tail", "i, j, *tail"),
        ("i, j, k, l, *none", "i, j, k, l, *none"),
        ("(i, j), (k, l)", ""),
    ] {
        if at.is_empty() {
            continue;
        }
        let text = format!(
            "@T.prim_func\ndef f(A: T.Buffer((2, 3, 4, 5), 'float32')):\n    for {target} in T.grid(2, 3, 4, 5):\n        A[{at}] = T.float32(0)\n"
        );
        same(&text, by_hand);
    }
}

#[test]
fn p79_13_nested_patterns() {
    same(
        r#"
def corners(A, i):
    return (A[i, 0], [A[i, 1], A[i, 2]]), A[i, 3]

@T.prim_func
def f(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        (a, [b, *c]), d = T.meta_var(corners(A, i))
        B[i] = a + b + c[0] + d
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((8, 4), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = A[i, 0] + A[i, 1] + A[i, 2] + A[i, 3]
"#,
    );
}

#[test]
fn p79_13_wrong_arity_is_pointed_at() {
    let text = |target: &str| {
        format!(
            "@T.prim_func\ndef f(A: T.Buffer((4, 4), 'float32')):\n    for {target} in T.grid(4, 4):\n        A[0, 0] = T.float32(0)\n"
        )
    };
    for (target, message) in [
        ("i, j, k", "not enough values to unpack (expected 3, got 2)"),
        ("i,", "too many values to unpack (expected 1)"),
        ("i, j, k, *rest", "not enough values to unpack (expected at least 3, got 2)"),
    ] {
        let parsed = read_with(&text(target), &Default::default());
        let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
        assert_eq!(error.to_string(), message);
        let labels: Vec<&str> = error.labels.iter().map(|label| label.text.as_str()).collect();
        assert_eq!(labels, ["", "gives 2 variables"], "{target}");
    }
}

#[test]
fn p79_13_a_star_alone_has_a_fix() {
    let text = "@T.prim_func\ndef f(A: T.Buffer((4, 4), 'float32')):\n    for *i in T.grid(*A.shape):\n        A[*i] = T.float32(0)\n";
    let parsed = tvmscript::parse("test.py", text, tvmscript::registry(), &Default::default());
    let [error] = &parsed.errors[..] else { panic!("{:?}", parsed.errors) };
    let [fix] = &error.fixes[..] else { panic!("{error:?}") };
    let [edit] = &fix.edits[..] else { panic!("{fix:?}") };
    let mut fixed = text.to_owned();
    fixed.replace_range(edit.range.start as usize..edit.range.end as usize, &edit.replacement);
    same(&fixed, &text.replace("*i in", "i, j in").replace("A[*i]", "A[i, j]"));
}
