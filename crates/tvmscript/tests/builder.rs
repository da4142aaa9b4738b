//! Programs built in Rust equal the parsed scripts.

use tvmscript::builder::*;
use tvmscript::ir_core::{DataType, PoisonNode, operators::is_poison};
use tvmscript::prim::PrimExpr;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, ParseOptions, PrinterConfig, mismatches, parse, print, registry};

/// Checks that the built function equals the parsed text, and that its printed text reads back.
#[track_caller]
fn check(text: &str, build: impl FnOnce()) {
    let builder = Builder::for_registry(registry());
    build();
    let built = builder.finish().unwrap_or_else(|errors| panic!("{errors}"));
    let printed = print(&built, registry(), &PrinterConfig::default()).expect("it prints");
    same(&built, text, &printed);
    same(&built, &printed, &printed);
}

#[track_caller]
fn same(built: &Object, text: &str, printed: &str) {
    let read = parse("script.py", text, registry(), &ParseOptions::default());
    assert!(read.errors.is_empty(), "{:?}\n{text}", read.errors);
    let found = mismatches(&read.scripts[0].node, built);
    assert!(found.is_empty(), "{found:?}\n{printed}");
}

#[test]
fn loops_of_every_kind() {
    check(
        r#"
@T.prim_func
def main(A: T.Buffer((64, 64), "float16"), n: T.int32):
    for i in T.parallel(4):
        for j in T.serial(2, 10, annotations={"pragma": 1}):
            for k in T.unroll(n):
                for v in T.vectorized(8):
                    A[i * 8 + k, v + j] = T.float16(0)
    for t in T.thread_binding(32, thread="threadIdx.x"):
        for a, b in T.grid(n, 4):
            A[a, b + t] = A[a, b] + T.float16(1)
    while A[0, 0] < T.float16(1):
        A[0, 0] = T.float16(2)
"#,
        || {
            T::prim_func().body(|| {
                T::func_name("main");
                let a = T::arg("A", T::buffer([64, 64]).dtype("float16"));
                let n = T::arg("n", T::var("n", "int32"));
                T::parallel(4).body(|i| {
                    T::serial(2).stop(10).annotations([("pragma", 1)]).body(|j| {
                        T::unroll(&n).body(|k| {
                            T::vectorized(8).body(|v| a.set((&i * 8 + &k, &v + &j), T::float16(0)));
                        });
                    });
                });
                T::thread_binding(32).thread("threadIdx.x").body(|t| {
                    T::grid((&n, 4)).body(|[x, y]| a.set((&x, &y + &t), a.at([&x, &y]) + T::float16(1)));
                });
                T::while_(a.at([0, 0]).less(T::float16(1))).body(|| a.set([0, 0], T::float16(2)));
            });
        },
    );
}

#[test]
fn blocks_regions_and_scopes() {
    check(
        r#"
@T.prim_func
def main(a: T.handle, B: T.Buffer((16,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    A = T.match_buffer(a, (16, 16), "int32")
    C = T.alloc_buffer((16,), "int32", scope="shared")
    for i, j in T.grid(16, 16):
        with T.block("sum"):
            vi, vj = T.axis.remap("SR", [i, j])
            T.where(i * 16 + j < 200)
            T.reads(A[vi, 0:16])
            T.writes(C[vi])
            T.block_attr({"tag": "x"})
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + T.max(A[vi, vj], 1)
    with T.block("copy"):
        T.reads(C[0:16])
        T.writes(B[0:16])
        B[0:16] = C[0:16] * T.Broadcast(2, 16)
"#,
        || {
            T::prim_func().body(|| {
                T::func_name("main");
                let handle = T::arg("a", T::handle());
                let b = T::arg("B", T::buffer(16).dtype("int32"));
                T::func_attr([("tir.noalias", T::boolean(true))]);
                let a = def_("A", T::match_buffer(&handle).shape([16, 16]).dtype("int32"));
                let c = def_("C", T::alloc_buffer().shape(16).dtype("int32").scope("shared"));
                T::grid([16, 16]).body(|[i, j]| {
                    T::block().name("sum").body(|| {
                        let vi = T::axis::spatial(16, &i).emit();
                        let vj = T::axis::reduce(16, &j).emit();
                        T::where_((&i * 16 + &j).less(200));
                        T::reads([a.region((&vi, 0..16))]);
                        T::writes([c.at(&vi)]);
                        T::block_attr([("tag", "x")]);
                        T::init().body(|| c.set(&vi, 0));
                        c.set(&vi, c.at(&vi) + T::max(a.at([&vi, &vj]), 1));
                    });
                });
                T::block().name("copy").body(|| {
                    T::reads([c.region(..)]);
                    T::writes([b.region(..)]);
                    b.set(.., c.at(..) * T::broadcast(2, 16));
                });
            });
        },
    );
}

#[test]
fn statements_and_calls() {
    check(
        r#"
@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int64):
    with T.LetStmt(n * T.int64(2)) as m:
        if m < T.int64(8) and n > T.int64(1):
            A[0] = T.exp(A[0])
        else:
            T.evaluate(T.call_extern("int32", "stop", A.data))
    p = T.allocate([16], "float32", "local")
    L = T.decl_buffer((16,), data=p, scope="local")
    L[0] = T.if_then_else(n == T.int64(0), T.float32(1), T.sqrt(A[1]))
    with T.attr(0, "unit", 1):
        T.tvm_storage_sync("shared")
    assert n > T.int64(0), "positive"
    A[T.Ramp(0, 1, 4)] = T.Broadcast(L[0], 4)
"#,
        || {
            T::prim_func().body(|| {
                T::func_name("main");
                let a = T::arg("A", T::buffer(16));
                let n = T::arg("n", T::var("n", "int64"));
                T::let_stmt(&n * 2).body(|m| {
                    T::if_(m.less(8).and(n.greater(1))).body(|| {
                        T::then_().body(|| a.set(0, T::exp(a.at(0))));
                        T::else_().body(|| {
                            T::evaluate(T::call_extern("int32", "stop", [&a.data]));
                        });
                    });
                });
                let p = T::allocate(16, "float32").scope("local").enter();
                let l = def_("L", T::decl_buffer().shape(16).data(&p).scope("local").enter());
                l.set(0, T::if_then_else(n.equals(0), T::float32(1), T::sqrt(a.at(1))));
                T::attr(0, "unit", 1).body(|| {
                    T::evaluate(T::tvm_storage_sync("shared"));
                });
                T::assert_(n.greater(0), "positive").enter();
                a.set(T::ramp(0, 1, 4), T::broadcast(l.at(0), 4));
            });
        },
    );
}

#[test]
fn a_module_of_two_functions() {
    check(
        r#"
@I.ir_module
class Module:
    I.module_attrs({"version": 1})

    @T.prim_func(private=True)
    def inner(x: T.int32) -> T.int32:
        T.ret(x + 1)

    @T.prim_func
    def main(n: T.int32):
        T.evaluate(n)
"#,
        || {
            I::ir_module().body(|| {
                I::module_attrs([("version", 1)]).emit();
                T::private_prim_func().body(|| {
                    T::func_name("inner");
                    let x = T::arg("x", T::var("x", "int32"));
                    T::func_ret("int32");
                    T::evaluate(T::ret(x + 1));
                });
                T::prim_func().body(|| {
                    T::func_name("main");
                    T::evaluate(T::arg("n", T::var("n", "int32")));
                });
            });
        },
    );
}

#[test]
fn ranks_known_only_when_the_program_runs() {
    let shape = [2_usize, 3, 5];
    let builder = Builder::new();
    T::prim_func().body(|| {
        T::func_name("main");
        let a = T::arg("A", T::buffer(shape.to_vec()));
        T::grid(shape.to_vec()).body(|axes| a.set(axes, 1.0));
    });
    let f = builder.get::<PrimFunc>().expect("it is right");
    let text = print(f.object(), registry(), &PrinterConfig::default()).expect("it prints");
    assert!(text.contains("in T.grid(2, 3, 5):"), "{text}");
}

#[test]
fn wrong_calls_are_recorded_and_what_follows_is_not() {
    let builder = Builder::new();
    T::prim_func().body(|| {
        T::func_name("main");
        T::func_name("again");
        let a = T::arg("A", T::buffer([4, 4]));
        let wrong = a.at(0);
        assert!(is_poison(wrong.object()));
        a.set([0, 0], T::exp(&wrong + 1));
        T::serial(&wrong).body(|i| a.set([&i, &i], 1.0));
        T::grid([&wrong]).body(|[i]| a.set([&i, &i], 1.0));
        T::if_(wrong.less(1)).body(|| T::then_().body(|| T::evaluate(0)));
        let quotient = a.at([0, 0]) / a.at([0, 1]);
        assert_eq!(tvmscript::prim::PrimExprExt::dtype(&quotient), DataType::FLOAT32);
        T::evaluate(T::max_value("handle"));
        T::evaluate(T::var("i", "int32") / 2);
        T::then_().body(|| ());
    });
    let errors = builder.finish().expect_err("there are mistakes");
    let said: Vec<String> = errors.iter().map(|e| e.error.to_string()).collect();
    let expected = [
        "the name of function `main` is given twice",
        "buffer `A` is 2-dimensional",
        "`max_value` takes a numeric type, not `handle`",
        "`/` of two integers is ambiguous",
        "`T.Then` must be used directly inside `T.If(..)`",
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    assert!(said.iter().zip(expected).all(|(said, expected)| said.starts_with(expected)), "{said:#?}");
    assert!(errors.iter().all(|e| e.caller.file().ends_with("tests/builder.rs")));
    assert!(is_poison(PrimExpr::poison().object()));
}

#[test]
fn loops_take_ranges() {
    let b = Builder::new();
    T::prim_func().body(|| {
        T::func_name("main");
        let a = T::arg("A", T::buffer([16, 16]));
        T::serial(2..16).body(|i| a.set((&i, 0), 1.0));
        T::parallel(0..4).body(|i| a.set((&i, 0), 1.0));
        T::thread_binding(0..4).thread("threadIdx.x").body(|i| a.set((&i, 0), 1.0));
        T::grid((16, 2..8)).body(|[i, j]| {
            def_many(["i", "j"], [&i, &j]);
            a.set((&i, &j), 0.0)
        });
    });
    let function = b.get::<PrimFunc>().expect("no mistakes");
    let text = print(function.object(), registry(), &PrinterConfig::default()).expect("prints");
    for line in [
        "for v in range(2, 16):",
        "for v in T.parallel(4):",
        "for v in T.thread_binding(4, thread=\"threadIdx.x\"):",
        "for i in range(16):",
        "for j in range(2, 8):",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}
