//! Constant parameters (79-19).

use super::support::{errors, same, scripts};

const BODY: &str = r#"(A: T.Buffer((n, m), dtype), B: T.Buffer((n,), dtype)%):
        for i in range(n):
            if m > 1:
                for j in T.static_range(m):
                    B[i] = B[i] + A[i, j]
            else:
                B[i] = A[i, 0]
"#;

fn factory(call: &str) -> String {
    let body = BODY.replace('%', "");
    format!("def make(n, m, dtype='float32'):\n    @T.prim_func\n    def f{body}    return f\nf = {call}\n")
}

fn constants(decorator: &str, call: &str) -> String {
    let body = BODY.replace('%', ", *, n: T.constexpr, m: T.constexpr, dtype: T.constexpr = 'float32'");
    format!("if True:\n    @{decorator}\n    def f{body}k = {call}\n")
}

#[test]
fn p79_19_both_styles_give_the_same_function() {
    for (call, specialization) in [
        ("make(8, 2)", "f.specialize(n=8, m=2)"),
        ("make(8, 1, 'float16')", "f(n=8, m=1, dtype='float16')"),
        ("make(4, 3)", "f.specialize(4, m=3)"),
    ] {
        same(&constants("T.jit", specialization), &factory(call));
        same(&constants("T.prim_func", specialization), &factory(call));
    }
}

#[test]
fn p79_19_one_text_gives_several_functions() {
    let text = "@T.jit\ndef f(A: T.Buffer((n,), 'float32'), n: T.constexpr):\n    A[0] = T.float32(n)\n\nkernels = [f(n=n) for n in (4, 8)]\nlast = f.specialize(16)\n";
    let names: Vec<_> = scripts(text).into_iter().filter_map(|script| script.name).collect();
    assert_eq!(names, ["kernels[0]", "kernels[1]", "last"]);
}

#[test]
fn p79_19_wrong_specializations() {
    let wrong = |call: &str| {
        errors(&format!("@T.jit\ndef f(A: T.Buffer((n,), 'float32'), n: T.constexpr):\n    A[0] = T.float32(n)\n\nk = {call}\n")).join("; ")
    };
    assert_eq!(wrong("f.specialize()"), "`f` is missing the constant `n` (give it: `f.specialize(n=..)`)");
    assert_eq!(wrong("f(m=1)"), "`f` has no constant parameter `m`");
    assert_eq!(wrong("f(1, 2)"), "`f` takes at most 1 positional argument, not 2");
}
