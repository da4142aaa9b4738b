//! The reference interpreter of TIR.

use tvmscript::interpreter::{Argument, InputOptions, Limits, RunError, Scalar, Tensor, generate, run};
use tvmscript::ir_core::{DataType, Ref};
use tvmscript::tir::PrimFunc;
use tvmscript_tests::parse_ok;

fn function(body: &str) -> Ref<PrimFunc> {
    let text = format!("from tvm.script import tir as T\n\n@T.prim_func\n{body}");
    let object = parse_ok("script.py", &text).expect("a right script").remove(0);
    object.downcast::<PrimFunc>().expect("a function")
}

fn ints(dtype: DataType, values: &[i64]) -> Argument {
    let mut tensor = Tensor::zeros(dtype, &[values.len() as i64]).expect("a tensor");
    for (index, value) in values.iter().enumerate() {
        assert!(tensor.set(index, Scalar::Int(*value)));
    }
    Argument::Tensor(tensor)
}

fn read(argument: &Argument) -> Vec<i64> {
    let tensor = argument.tensor().expect("a tensor");
    (0..tensor.len()).map(|index| tensor.get(index).and_then(Scalar::as_int).expect("an integer")).collect()
}

/// Runs a function on one int32 buffer of zeros.
fn on_zeros(len: usize, body: &str) -> Result<Vec<i64>, RunError> {
    let mut arguments = [ints(DataType::INT32, &vec![0; len])];
    run(&function(body), &mut arguments, Limits::default())?;
    Ok(read(&arguments[0]))
}

#[test]
fn all_kinds_of_loops_run_serially() {
    let body = r#"def f(A: T.Buffer((8,), "int32")):
    for i in T.serial(2):
        for j in T.parallel(2):
            for k in T.unroll(2):
                A[i * 4 + j * 2 + k] = A[i * 4 + j * 2 + k] + i * 100 + j * 10 + k
    for i in T.vectorized(8):
        A[i] = A[i] + 1000
    for i in T.thread_binding(8, thread="threadIdx.x"):
        A[i] = A[i] + 1
    for i in range(2, 8, step=3):
        A[i] = 0
"#;
    assert_eq!(on_zeros(8, body).unwrap(), [1001, 1002, 0, 1012, 1101, 0, 1111, 1112]);
}

#[test]
fn blocks_initialize_and_check_their_predicate() {
    let body = r#"def f(A: T.Buffer((3,), "int32")):
    for i, j in T.grid(3, 4):
        with T.block("sum"):
            vi = T.axis.spatial(3, i)
            vj = T.axis.reduce(4, j)
            T.where(i < 2)
            with T.init():
                A[vi] = 100
            A[vi] = A[vi] + vj
"#;
    assert_eq!(on_zeros(3, body).unwrap(), [106, 106, 0]);
}

#[test]
fn buffers_share_memory_through_their_pointer() {
    let body = r#"def f(A: T.Buffer((6,), "int32")):
    B = T.decl_buffer((2, 3), "int32", data=A.data)
    with T.block("inner"):
        T.reads()
        T.writes()
        C = T.match_buffer(B[1, 0:2], (2,), "int32", offset_factor=1)
        D = T.alloc_buffer((2,), "int32")
        D[1] = 5
        C[0] = 7
        C[1] = D[0] + D[1]
    B[0, 2] = 9
"#;
    assert_eq!(on_zeros(6, body).unwrap(), [0, 0, 9, 7, 5, 0]);
}

#[test]
fn buffers_with_gaps_between_rows_have_memory_for_their_last_element() {
    let body = r#"def f(A: T.Buffer((4,), "int32")):
    with T.block("padded"):
        T.reads()
        T.writes()
        B = T.alloc_buffer((2, 2), "int32", strides=(5, 1))
        for i, j in T.grid(2, 2):
            B[i, j] = i * 10 + j
        for i, j in T.grid(2, 2):
            A[i * 2 + j] = B[i, j]
"#;
    assert_eq!(on_zeros(4, body).unwrap(), [0, 1, 10, 11]);
}

#[test]
fn vectors_and_predicates() {
    let body = r#"def f(A: T.Buffer((8,), "int32")):
    A[0:4] = T.Broadcast(3, 4) + T.Ramp(0, 2, 4)
    A[4:8] = T.Select(A[0:4] > T.Broadcast(4, 4), A[0:4], T.Broadcast(-1, 4))
"#;
    assert_eq!(on_zeros(8, body).unwrap(), [3, 5, 7, 9, -1, 5, 7, 9]);
}

#[test]
fn integers_wrap_and_divisions_follow_their_operator() {
    let body = r#"def f(A: T.Buffer((6,), "int32")):
    A[0] = T.Cast("int32", T.int8(127) + T.int8(1))
    A[1] = T.truncdiv(0 - 7 + A[1], 2)
    A[2] = (0 - 7 + A[2]) // 2
    A[3] = (0 - 7 + A[3]) % 4
    A[4] = T.shift_right(T.bitwise_and(A[4] + 255, 60), 2)
    A[5] = T.Cast("int32", T.float32(2.75) * T.float32(2))
"#;
    assert_eq!(on_zeros(6, body).unwrap(), [-128, -3, -4, 1, 15, 5]);
}

#[test]
fn functions_return_values_and_leave_loops() {
    let body = r#"def f(A: T.Buffer((4,), "int32"), n: T.int32) -> T.int32:
    for i in range(4):
        A[i] = n
        if i == 2:
            T.ret(i * 10)
    T.ret(-1)
"#;
    let mut arguments = [ints(DataType::INT32, &[0; 4]), Argument::Scalar(Scalar::Int(3))];
    let result = run(&function(body), &mut arguments, Limits::default()).unwrap();
    assert_eq!((result, read(&arguments[0])), (Some(Scalar::Int(20)), vec![3, 3, 3, 0]));
}

#[test]
fn mistakes_are_errors_with_their_place() {
    let message = |len: usize, body: &str| on_zeros(len, body).unwrap_err();
    let error = message(4, "def f(A: T.Buffer((4,), \"int32\")):\n    A[4] = 1\n");
    assert_eq!(error.to_string(), "index 4 is out of bounds for dimension 0 of `A`, which has 4 elements");
    assert!(error.span.is_known());
    let error = message(1, "def f(A: T.Buffer((1,), \"int32\")):\n    A[0] = T.truncdiv(1, A[0])\n");
    assert_eq!(error.to_string(), "division by zero");
    let error = message(1, "def f(A: T.Buffer((2,), \"int32\")):\n    A[0] = 1\n");
    assert_eq!(error.to_string(), "the argument for `A` does not fit: its shape is [1], not [2]");
}

#[test]
fn limits_hold() {
    let endless =
        function("def f(A: T.Buffer((1,), \"int32\")):\n    while A[0] == 0:\n        T.evaluate(0)\n");
    let mut arguments = [ints(DataType::INT32, &[0])];
    let error = run(&endless, &mut arguments, Limits { steps: 1000, ..Limits::default() }).unwrap_err();
    assert_eq!(error.to_string(), "more than 1000 steps");
    assert_eq!(read(&arguments[0]), [0], "the argument is given back");

    let large = function(
        "def f(A: T.Buffer((1,), \"int32\")):\n    B = T.alloc_buffer((1 << 20, 1 << 20), \"int32\")\n    A[0] = B[0, 0]\n",
    );
    let error = run(&large, &mut arguments, Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "more than 1073741824 bytes of buffers");

    let negative = function(
        "def f(A: T.Buffer((1,), \"int32\"), n: T.int32):\n    B = T.alloc_buffer((n,), \"int32\")\n    A[0] = B[0]\n",
    );
    let mut arguments = [ints(DataType::INT32, &[0]), Argument::Scalar(Scalar::Int(-1))];
    let error = run(&negative, &mut arguments, Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "a buffer of shape [-1] cannot be made");
}

#[test]
fn generated_arguments_depend_on_the_seed_alone() {
    let body = r#"def f(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, m := T.int32()))
    A[0, 0] = T.float32(1)
"#;
    let body = body.replace("m := T.int32()", "n");
    let function = function(&body);
    let options = InputOptions { sizes: [("n".to_owned(), 3)].into(), seed: 5, ..InputOptions::default() };
    let first = generate(&function, &options).unwrap();
    assert_eq!(first, generate(&function, &options).unwrap());
    assert_ne!(first, generate(&function, &InputOptions { seed: 6, ..options }).unwrap());
    assert_eq!(first[0].tensor().map(Tensor::shape), Some(&[3, 3][..]));
}

#[test]
fn threads_wait_at_barriers_and_exchange_values_in_their_warp() {
    let body = r#"def f(A: T.Buffer((64,), "int32")):
    tx = T.launch_thread("threadIdx.x", 64)
    s = T.allocate([64], "int32", "shared")
    S = T.Buffer((64,), "int32", data=s, scope="shared")
    S[tx] = tx
    T.tvm_storage_sync("shared")
    A[tx] = S[63 - tx] * 1000 + T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), tx, 1, 32, 32)
"#;
    let expected: Vec<i64> =
        (0..64).map(|x| (63 - x) * 1000 + if x % 32 == 31 { x } else { x + 1 }).collect();
    assert_eq!(on_zeros(64, body).unwrap(), expected);
}

#[test]
fn reductions_over_threads_combine_by_their_operator() {
    let body = r#"def f(A: T.Buffer((8,), "int32")):
    tx = T.launch_thread("threadIdx.x", 4)
    ty = T.launch_thread("threadIdx.y", 2)
    r = T.allocate([1], "int32", "local")
    R = T.Buffer((1,), "int32", data=r, scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.int32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), tx + 10 * ty, T.bool(True), R[0], tx)
    A[ty * 4 + tx] = R[0]
"#;
    assert_eq!(on_zeros(8, body).unwrap(), [6, 6, 6, 6, 46, 46, 46, 46]);
}

#[test]
fn small_floats_and_functions_of_c() {
    let body = r#"def f(A: T.Buffer((4,), "int32")):
    with T.block("small"):
        T.reads()
        T.writes()
        E = T.alloc_buffer((2,), "float8_e4m3fn")
        H = T.alloc_buffer((1,), "bfloat16")
        E[0] = T.Cast("float8_e4m3fn", T.float32(17))
        H[0] = T.Cast("bfloat16", T.float32(257))
        A[0] = T.Cast("int32", E[0])
        A[1] = T.Cast("int32", H[0])
        A[2] = T.Cast("int32", T.call_pure_extern("float32", "fmaxf", T.float32(2), T.float32(5)))
        A[3] = T.Cast("int32", T.call_extern("float32", "sqrtf", T.float32(49)))
"#;
    assert_eq!(on_zeros(4, body).unwrap(), [16, 256, 5, 7]);
    let unknown =
        "def f(A: T.Buffer((1,), \"int32\")):\n    A[0] = T.call_extern(\"int32\", \"helper\", 1)\n";
    assert_eq!(on_zeros(1, unknown).unwrap_err().to_string(), "the external function `helper` cannot be run");
}

#[test]
fn pointers_without_a_buffer_have_the_memory_that_the_body_declares() {
    let body = r#"def f(p: T.handle("int32"), n: T.int32):
    A = T.decl_buffer((n, 4), "int32", data=p)
    for i in range(n):
        A[i, 3] = i
"#;
    let function = function(body);
    let mut arguments = generate(&function, &InputOptions::default()).unwrap();
    assert_eq!(arguments[0].tensor().map(Tensor::shape), Some(&[32][..]));
    run(&function, &mut arguments, Limits::default()).unwrap();
    assert_eq!(read(&arguments[0])[31], 7);
}

#[test]
fn what_is_not_reached_does_not_fail() {
    let body = r#"def f(A: T.Buffer((2,), "int32")):
    if A[0] == 1:
        A[0] = T.call_extern("int32", "helper", 1)
    A[1] = T.if_then_else(A[0] == 1, T.call_extern("int32", "helper", 1), 4)
"#;
    assert_eq!(on_zeros(2, body).unwrap(), [0, 4]);
}

#[test]
fn programs_of_the_corpus_run_or_say_why_not() {
    let mut ran = 0;
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/tir"))
        .expect("a folder")
    {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        for object in tvmscript_tests::parse("corpus.py", &text).unwrap_or_default() {
            let Ok(function) = object.downcast::<PrimFunc>() else { continue };
            let options = InputOptions { max_bytes: 1 << 16, ..InputOptions::default() };
            let Ok(mut arguments) = generate(&function, &options) else { continue };
            let limits = Limits { steps: 200_000, bytes: 1 << 20 };
            ran += usize::from(run(&function, &mut arguments, limits).is_ok());
        }
    }
    assert!(ran > 20, "{ran}");
}
