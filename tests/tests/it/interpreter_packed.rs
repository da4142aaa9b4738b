//! Functions that take their arguments packed, and what they call.

use tvmscript::interpreter::{
    Argument, Functions, InputOptions, Limits, Scalar, Tensor, generate, run_in, signature,
};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::{DataType, Ref};
use tvmscript::tir::PrimFunc;
use tvmscript_tests::parse_ok;

/// A host function of two tensors `A` and `B` of `n` rows of 4 floats, and a number, that ends with a body.
fn host(body: &str) -> String {
    format!(
        r#"from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle("void", "global")) -> T.int32:
        T.func_attr({{"calling_conv": 1}})
        assert num_args == 3, "three arguments"
        A_type: T.int32 = T.tvm_struct_get(args, 0, 13, "int32")
        assert A_type == 0 or A_type == 4 or A_type == 7 or A_type >= 64, "a pointer"
        A_handle: T.handle = T.Select(A_type == 70, T.handle_add_byte_offset(T.tvm_struct_get(args, 0, 15, "handle"), 24), T.tvm_struct_get(args, 0, 15, "handle"))
        B_handle: T.handle = T.tvm_struct_get(args, 1, 15, "handle")
        k: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 2, 15, "int64"))
        assert not T.isnullptr(A_handle), "not null"
        assert 2 == T.tvm_struct_get(A_handle, 0, 4, "int32"), "two dimensions"
        A_shape: T.handle("int64", "global") = T.tvm_struct_get(A_handle, 0, 2, "handle")
        A_shape_1 = T.decl_buffer((2,), "int64", data=A_shape)
        A_strides: T.handle("int64", "global") = T.tvm_struct_get(A_handle, 0, 3, "handle")
        A_strides_1 = T.decl_buffer((2,), "int64", data=A_strides)
        n: T.int32 = T.Cast("int32", A_shape_1[0])
        dev_id: T.int32 = T.tvm_struct_get(A_handle, 0, 9, "int32")
        A: T.handle("float32", "global") = T.tvm_struct_get(A_handle, 0, 1, "handle")
        assert T.tvm_struct_get(A_handle, 0, 5, "uint8") == T.uint8(2) and T.tvm_struct_get(A_handle, 0, 6, "uint8") == T.uint8(32) and T.tvm_struct_get(A_handle, 0, 7, "uint16") == T.uint16(1), "float32"
        assert T.Cast("int32", A_shape_1[1]) == 4, "four columns"
        assert T.Cast("int32", A_strides_1[0]) == 4, "compact"
        assert T.tvm_struct_get(A_handle, 0, 10, "int32") == 2, "on a device"
        B_shape: T.handle("int64", "global") = T.tvm_struct_get(B_handle, 0, 2, "handle")
        B_shape_1 = T.decl_buffer((2,), "int64", data=B_shape)
        B: T.handle("float32", "global") = T.tvm_struct_get(B_handle, 0, 1, "handle")
        assert T.tvm_struct_get(B_handle, 0, 4, "int32") == 2, "two dimensions"
        assert T.tvm_struct_get(B_handle, 0, 5, "uint8") == T.uint8(2) and T.tvm_struct_get(B_handle, 0, 6, "uint8") == T.uint8(32), "float32"
        assert n == T.Cast("int32", B_shape_1[0]), "as many rows"
        assert T.Cast("int32", B_shape_1[1]) == 4, "four columns"
        A_1 = T.decl_buffer((n, 4), data=A)
        B_1 = T.decl_buffer((n, 4), data=B)
{body}
        return 0

    @T.prim_func
    def scale(A: T.handle("float32", "global"), B: T.handle("float32", "global"), n: T.int32, k: T.int32):
        A_1 = T.decl_buffer((n * 4,), data=A)
        B_1 = T.decl_buffer((n * 4,), data=B)
        i = T.launch_thread("blockIdx.x", n)
        j = T.launch_thread("threadIdx.x", 4)
        B_1[i * 4 + j] = A_1[i * 4 + j] * T.Cast("float32", k)
"#
    )
}

struct Host {
    module: Ref<IRModule>,
    function: Ref<PrimFunc>,
}

impl Host {
    fn new(text: &str) -> Host {
        let object = parse_ok("script.py", text).expect("a right script").remove(0);
        let module = object.downcast::<IRModule>().expect("a module");
        let main = module.functions.iter().find(|(var, _)| var.name_hint.as_str() == "main");
        let function = main.and_then(|(_, function)| function.downcast_ref::<PrimFunc>().cloned());
        Host { function: function.expect("a function"), module }
    }

    fn run(&self, arguments: &mut [Argument]) -> Result<Option<Scalar>, String> {
        let functions = Functions::of(&self.module);
        run_in(&functions, &self.function, arguments, Limits::default(), &mut |_| {})
            .map_err(|error| error.to_string())
    }
}

fn floats(shape: &[i64], values: &[f64]) -> Argument {
    let mut tensor = Tensor::zeros(DataType::FLOAT32, shape).expect("a tensor");
    for (index, value) in values.iter().enumerate() {
        assert!(tensor.set(index, Scalar::Float(*value)));
    }
    Argument::Tensor(tensor)
}

fn read(argument: &Argument) -> Vec<f64> {
    let tensor = argument.tensor().expect("a tensor");
    (0..tensor.len()).filter_map(|index| tensor.get(index).and_then(Scalar::as_float)).collect()
}

const INPUT: [f64; 8] = [3.0, -1.0, 2.0, 2.0, 0.5, 7.0, -4.0, 7.0];

/// Runs a host function on [`INPUT`] and the number 3; returns what it wrote to `B`.
fn output(body: &str) -> Vec<f64> {
    let mut arguments =
        [floats(&[2, 4], &INPUT), floats(&[2, 4], &[0.0; 8]), Argument::Scalar(Scalar::Int(3))];
    Host::new(&host(body)).run(&mut arguments).unwrap();
    read(&arguments[1])
}

#[test]
fn a_packed_function_says_what_it_expects() {
    let host = Host::new(&host("        T.evaluate(0)"));
    let signature = signature(&host.function);
    let names: Vec<&str> = signature.parameters.iter().map(|(name, _)| name.as_str()).collect();
    // A buffer gives its pointer its name.
    assert_eq!(names, ["A_1", "B_1", "k"]);
    assert_eq!(signature.sizes, ["k", "n"]);
    let options = InputOptions { sizes: [("n".to_owned(), 5)].into(), ..InputOptions::default() };
    let arguments = generate(&host.function, &options).unwrap();
    assert_eq!(arguments[0].tensor().map(|tensor| tensor.shape().to_vec()), Some(vec![5, 4]));
    assert_eq!(arguments[1].tensor().map(|tensor| tensor.shape().to_vec()), Some(vec![5, 4]));
    assert_eq!(arguments[2], Argument::Scalar(Scalar::Int(8)));
}

#[test]
fn what_a_packed_function_asserts_is_checked() {
    let host = Host::new(&host("        T.evaluate(0)"));
    let mut few = [floats(&[2, 4], &INPUT)];
    assert_eq!(
        host.run(&mut few).unwrap_err(),
        "the argument for `the function` does not fit: 1 arguments for 3 parameters"
    );
    let mut other = [floats(&[2, 3], &[]), floats(&[2, 4], &[]), Argument::Scalar(Scalar::Int(3))];
    assert_eq!(host.run(&mut other).unwrap_err(), "assertion failed: four columns");
    let mut rows = [floats(&[2, 4], &[]), floats(&[3, 4], &[]), Argument::Scalar(Scalar::Int(3))];
    assert_eq!(host.run(&mut rows).unwrap_err(), "assertion failed: as many rows");
}

#[test]
fn kernels_are_launched_by_packed_calls_of_both_forms() {
    let tripled: Vec<f64> = INPUT.iter().map(|value| value * 3.0).collect();
    let written_out = r#"        T.call_packed("__tvm_set_device", 2, dev_id)
        T.call_packed("scale", A, B, n, k, n, 4)"#;
    assert_eq!(output(written_out), tripled);
    let lowered = r#"        stack: T.handle = T.tvm_stack_alloca("tvm_ffi_any", 7)
        T.tvm_struct_set(stack, 0, 13, 4)
        T.tvm_struct_set(stack, 0, 14, 0)
        T.tvm_struct_set(stack, 0, 15, A)
        T.tvm_struct_set(stack, 1, 13, 4)
        T.tvm_struct_set(stack, 1, 15, B)
        T.tvm_struct_set(stack, 2, 13, 1)
        T.tvm_struct_set(stack, 2, 15, T.Cast("int64", n))
        T.tvm_struct_set(stack, 3, 13, 1)
        T.tvm_struct_set(stack, 3, 15, T.Cast("int64", k))
        T.call_packed_lowered("scale", stack, 0, 6)"#;
    assert_eq!(output(lowered), tripled);
}

#[test]
fn the_result_of_a_packed_function_is_what_it_stores() {
    let body = r#"        T.tvm_struct_set(result, 0, 13, 1)
        T.tvm_struct_set(result, 0, 15, T.Cast("int64", k * 5 + n))"#;
    let mut arguments = [floats(&[2, 4], &INPUT), floats(&[2, 4], &[]), Argument::Scalar(Scalar::Int(3))];
    assert_eq!(Host::new(&host(body)).run(&mut arguments), Ok(Some(Scalar::Int(17))));
}

#[test]
fn sorts_keep_the_order_of_equal_values() {
    let sort = |name: &str, axis: i64, is_ascending: &str| {
        output(&format!(
            r#"        T.call_packed("tvm.contrib.sort.{name}", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(n, 4), 0, 2, T.float32(0), 0), T.tvm_stack_make_array(B, T.tvm_stack_make_shape(n, 4), 0, 2, T.float32(0), 0), {axis}, T.bool({is_ascending}))"#
        ))
    };
    assert_eq!(sort("argsort", 1, "True"), [1.0, 2.0, 3.0, 0.0, 2.0, 0.0, 1.0, 3.0]);
    assert_eq!(sort("argsort", -1, "False"), [0.0, 2.0, 3.0, 1.0, 1.0, 3.0, 0.0, 2.0]);
    assert_eq!(sort("argsort", 0, "True"), [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    assert_eq!(sort("sort", 1, "True"), [-1.0, 2.0, 2.0, 3.0, -4.0, 0.5, 7.0, 7.0]);
}

#[test]
fn counted_elements_are_sorted_and_the_others_stay() {
    let body = r#"        P = T.allocate([2], "int32", "global")
        P_1 = T.Buffer((2,), "int32", data=P)
        P_1[0] = 2
        P_1[1] = 3
        T.call_packed("tvm.contrib.sort.argsort_nms", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(n, 4), 0, 2, T.float32(0), 0), T.tvm_stack_make_array(P, T.tvm_stack_make_shape(2), 0, 1, 0, 0), T.tvm_stack_make_array(B, T.tvm_stack_make_shape(n, 4), 0, 2, T.float32(0), 0), 1, T.bool(True))"#;
    assert_eq!(output(body), [1.0, 0.0, 2.0, 3.0, 2.0, 0.0, 1.0, 3.0]);
}

/// A NaN equals no number: an order that made it equal to all of them would be none, and sorting would fail.
#[test]
fn nans_are_sorted_after_all_numbers() {
    let body = r#"        P = T.allocate([64], "float32", "global")
        P_1 = T.Buffer((64,), "float32", data=P)
        Q = T.allocate([64], "int32", "global")
        Q_1 = T.Buffer((64,), "int32", data=Q)
        for i in range(64):
            P_1[i] = T.if_then_else(i % 3 == 0, T.float32("nan"), T.Cast("float32", i * 37 % 64))
        T.call_packed("tvm.contrib.sort.argsort", T.tvm_stack_make_array(P, T.tvm_stack_make_shape(64), 0, 1, T.float32(0), 0), T.tvm_stack_make_array(Q, T.tvm_stack_make_shape(64), 0, 1, 0, 0), 0, T.bool(True))
        for i in range(8):
            B_1[i // 4, i % 4] = T.Cast("float32", Q_1[56 + i])"#;
    assert_eq!(output(body), [42.0, 45.0, 48.0, 51.0, 54.0, 57.0, 60.0, 63.0]);
}

#[test]
fn the_largest_values_and_their_positions() {
    let body = r#"        P = T.allocate([4], "int64", "global")
        T.call_packed("tvm.contrib.sort.topk", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(n, 4), 0, 2, T.float32(0), 0), T.tvm_stack_make_array(B, T.tvm_stack_make_shape(n, 2), 0, 2, T.float32(0), 0), T.tvm_stack_make_array(P, T.tvm_stack_make_shape(n, 2), 0, 2, T.int64(0), 0), 2, 1, "both", T.bool(False))
        P_1 = T.Buffer((4,), "int64", data=P)
        for i in range(4):
            B_1[1, i] = T.Cast("float32", P_1[i])"#;
    assert_eq!(output(body), [3.0, 2.0, 7.0, 7.0, 0.0, 2.0, 1.0, 3.0]);
}

#[test]
fn unknown_functions_and_wrong_records_are_errors() {
    let error = |body: &str| {
        let mut arguments = [floats(&[2, 4], &INPUT), floats(&[2, 4], &[]), Argument::Scalar(Scalar::Int(3))];
        Host::new(&host(body)).run(&mut arguments).unwrap_err()
    };
    assert_eq!(error("        T.call_packed(\"other\", A)"), "the packed function `other` cannot be run");
    assert_eq!(
        error("        T.call_packed(\"tvm.contrib.sort.sort\", A, B, 1, 1)"),
        "expected the record of a tensor"
    );
    assert_eq!(
        error("        T.evaluate(T.tvm_struct_get(args, 0, 99, \"int32\"))"),
        "the field 99 of a record cannot be run"
    );
    assert_eq!(
        error("        T.evaluate(T.tvm_struct_get(args, 9, 13, \"int32\"))"),
        "element 36 is outside of the memory of `a pointer`, which has 16 elements"
    );
}
