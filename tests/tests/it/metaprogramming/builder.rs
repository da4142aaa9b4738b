//! The builder in host code (79-07 to 79-09).

use super::support::{errors, same, script};

/// The function that the examples of the RFC build.
const MAIN: &str = r#"
@T.prim_func
def main(
  A: T.Buffer(shape=(128, 128, 128), dtype="float32"),
  B: T.Buffer(shape=(128, 128, 128), dtype="float32"),
) -> None:
  for i, j, k in T.grid(128, 128, 128):
      with T.block("block"):
          vi = T.axis.S(128, i)
          vj = T.axis.S(128, j)
          vk = T.axis.R(128, k)
"#;

#[test]
fn p79_07_builder_of_the_rfc() {
    same(
        r#"
with Builder() as b:
  with T.prim_func():
    T.func_name("main")
    buffer_a = T.Buffer((128, 128, 128), "float32")
    buffer_b = T.Buffer((128, 128, 128), "float32")
    arg_a = T.arg("A", buffer_a)
    arg_b = T.arg("B", buffer_b)
    with T.grid(128, 128, 128) as (i, j, k):
      def_many(["i", "j", "k"], [i, j, k])
      with T.block(name="block"):
        vi = def_("vi", T.axis.spatial(128, i))
        vj = def_("vj", T.axis.spatial(128, j))
        vk = def_("vk", T.axis.reduce(128, k))

f = b.get() # f is a PrimFunc
"#,
        MAIN,
    );
}

#[test]
fn p79_07_builder_of_tvm_and_in_a_function() {
    same(
        r#"
def make(n):
    with IRBuilder() as ib:
        with T.prim_func():
            T.func_name("main")
            A = T.arg("A", T.Buffer((n, n, n), "float32"))
            B = T.arg("B", T.Buffer((n, n, n), "float32"))
            with T.grid(n, n, n) as (i, j, k):
                IRBuilder.name_many(["i", "j", "k"], [i, j, k])
                with T.block("block"):
                    vi, vj = IRBuilder.name_many(["vi", "vj"], [T.axis.spatial(n, i), T.axis.spatial(n, j)])
                    vk = IRBuilder.name("vk", T.axis.reduce(n, k))
    return ib.get()

main = make(128)
"#,
        MAIN,
    );
}

#[test]
fn p79_07_statements_of_a_builder() {
    same(
        r#"
with IRBuilder() as ib:
    with T.prim_func():
        T.func_name("main")
        A = T.arg("A", T.Buffer((16,), "float32"))
        with T.serial(16) as i:
            with T.If(A[i] > T.float32(0)):
                with T.Then():
                    T.buffer_store(A, A[i] * T.float32(2), [i])
                with T.Else():
                    T.evaluate(T.call_extern("int32", "skip", i))
main = ib.get()
"#,
        r#"
@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(16):
        if A[i] > T.float32(0):
            A[i] = A[i] * T.float32(2)
        else:
            T.evaluate(T.call_extern("int32", "skip", i))
"#,
    );
}

#[test]
fn p79_07_relax_functions_and_modules() {
    same(
        r#"
with IRBuilder() as ib:
    with I.ir_module():
        with R.function():
            R.func_name("main")
            x = R.arg("x", R.Tensor((4,), "float32"))
            y = R.emit(R.add(x, x))
            IRBuilder.name("y", y)
            R.func_ret_value(y)
Module = ib.get()
"#,
        r#"
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, x)
        return y
"#,
    );
}

#[test]
fn p79_08_both_spellings_name() {
    for (name, many) in [("def_", "def_many"), ("IRBuilder.name", "IRBuilder.name_many")] {
        let text = format!(
            "with Builder() as b:\n  with T.prim_func():\n    T.func_name('f')\n    with T.grid(4, 4) as (i, j):\n      \
             {many}(['row', 'column'], [i, j])\n      with T.serial(2) as k:\n        T.evaluate({name}('inner', k) + i + j)\nf = b.get()\n"
        );
        let printed = tvmscript::print(&script(&text, "f").node, tvmscript::registry(), &Default::default());
        let printed = printed.expect("a function prints");
        assert!(printed.contains("for row, column, inner in T.grid(4, 4, 2):"), "{printed}");
    }
}

#[test]
fn p79_09_builders_nest() {
    same(
        r#"
with IRBuilder() as outer:
    with T.prim_func():
        T.func_name("main")
        with T.serial(4) as i:
            with IRBuilder() as inner:
                with T.prim_func():
                    T.func_name("other")
                    T.evaluate(1)
            T.evaluate(i)
other = inner.get()
main = outer.get()
"#,
        r#"
@T.prim_func
def main():
    for i in range(4):
        T.evaluate(i)
"#,
    );
}

#[test]
fn p79_09_threads_have_builders_of_their_own() {
    use tvmscript::builder::*;
    let build = |extent: i64| {
        let outer = Builder::new();
        T::prim_func().body(|| {
            T::func_name("f");
            T::serial(extent).body(|i| {
                std::thread::yield_now();
                // A builder inside hides the outer one until it is finished.
                let inner = Builder::new();
                T::prim_func().body(|| T::evaluate(T::int32(0)));
                assert!(inner.finish().is_ok());
                T::evaluate(i);
            });
        });
        let built = outer.finish().expect("a function");
        let text = format!("@T.prim_func\ndef f():\n    for i in range({extent}):\n        T.evaluate(i)\n");
        tvmscript::explain_difference(&built, &script(&text, "f").node)
    };
    let threads: Vec<_> = (1..=8).map(|extent| std::thread::spawn(move || build(extent))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), None);
    }
}

#[test]
fn builders_are_misused() {
    let found = errors("b = Builder()\nf = b.get()\n");
    assert_eq!(found, ["the builder has not been opened (open it and build inside: `with builder: ..`)"]);
    let found = errors("with Builder() as b:\n    T.evaluate(1)\n    T.evaluate(2)\n");
    assert_eq!(found.len(), 1, "{found:?}");
    let found = errors(
        "with Builder() as b:\n    with T.prim_func():\n        T.func_name('f')\n        with T.block('b'):\n            T.axis.spatial(4)\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}
