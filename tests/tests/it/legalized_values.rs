//! Functions that `relax.LegalizeOps` makes of operators compute what the operators say.

use tvmscript::interpreter::{Argument, Limits, Scalar, Tensor, run};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::DataType;
use tvmscript::pass::{PassContext, PassTable};
use tvmscript::registry;
use tvmscript::tir::PrimFunc;
use tvmscript_tests::parse_ok;

/// An operand: its name, the annotation of its type, and the values.
type Operand = (&'static str, &'static str, &'static [f64]);

fn filled(dtype: DataType, shape: &[i64], values: &[f64]) -> Argument {
    let mut tensor = Tensor::zeros(dtype, shape).expect("a tensor");
    for (index, value) in values.iter().enumerate() {
        let value = if dtype.is_int() { Scalar::Int(*value as i64) } else { Scalar::Float(*value) };
        assert!(tensor.set(index, value), "{value:?}");
    }
    Argument::Tensor(tensor)
}

/// The result of the function of a call.
fn result(call: &str, operands: &[Operand]) -> Vec<f64> {
    let params: Vec<String> =
        operands.iter().map(|(name, annotation, _)| format!("{name}: R.Tensor({annotation})")).collect();
    let text = format!(
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n\
         @I.ir_module\nclass Module:\n    @R.function\n    def main({}):\n        return {call}\n",
        params.join(", "),
    );
    let module = parse_ok("call.py", &text).expect("a right script").remove(0);
    let pass = PassTable::<IRModule>::of(registry()).and_then(|table| table.pass("relax.LegalizeOps"));
    let pass = pass.expect("the pass is registered").clone();
    let module = module.downcast::<IRModule>().expect("a module");
    let module = PassContext::of(registry()).run(&*pass, module).expect("the pass runs");
    let mut functions =
        module.functions.iter().filter_map(|(_, function)| function.downcast_ref::<PrimFunc>().cloned());
    let function = functions.next().unwrap_or_else(|| panic!("{call} stays"));
    let buffers = function.params.iter().filter_map(|param| function.buffer_map.get(&param.clone().into()));
    let contents = operands.iter().map(|(_, _, values)| *values).chain([&[] as &[f64]]);
    let mut arguments: Vec<Argument> = buffers
        .zip(contents)
        .map(|(buffer, values)| {
            let shape: Option<Vec<i64>> = buffer.shape.iter().map(tvmscript::prim::ops::int_value).collect();
            filled(buffer.dtype, &shape.expect("known lengths"), values)
        })
        .collect();
    run(&function, &mut arguments, Limits::default()).unwrap_or_else(|error| panic!("{call}: {error}"));
    let result = arguments.last().and_then(Argument::tensor).expect("a tensor");
    let value = |scalar: Scalar| scalar.as_float().or_else(|| scalar.as_int().map(|value| value as f64));
    (0..result.len()).filter_map(|index| result.get(index).and_then(value)).collect()
}

#[track_caller]
fn check(call: &str, operands: &[Operand], expected: &[f64]) {
    let found = result(call, operands);
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5;
    let is_equal = found.len() == expected.len() && found.iter().zip(expected).all(is_close);
    assert!(is_equal, "{call}: {found:?} instead of {expected:?}");
}

#[test]
fn elements_at_indices() {
    let table: Operand = ("x", "(4, 3), \"float32\"", &[0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.]);
    let rows: Operand = ("i", "(2,), \"int32\"", &[2., 0.]);
    check("R.index_tensor(x, (i,))", &[table, rows], &[6., 7., 8., 0., 1., 2.]);
    let column: Operand = ("i", "(2, 1), \"int64\"", &[1., 3.]);
    check(
        "R.index_tensor(x, (i, j))",
        &[table, column, ("j", "(2,), \"int32\"", &[0., 2.])],
        &[3., 5., 9., 11.],
    );
    let list: Operand = ("x", "(5,), \"float32\"", &[0., 1., 2., 3., 4.]);
    let values: Operand = ("v", "(3,), \"float32\"", &[10., 20., 30.]);
    let places: Operand = ("i", "(3,), \"int32\"", &[-1., 1., 0.]);
    check("R.index_put(x, (i,), v)", &[list, places, values], &[30., 20., 2., 3., 10.]);
    let places: Operand = ("i", "(3,), \"int64\"", &[-1., 1., 1.]);
    check("R.index_put(x, (i,), v, accumulate=True)", &[list, places, values], &[0., 51., 2., 3., 14.]);
    let operands = [
        ("x", "(2, 3), \"float32\"", &[0.; 6] as &[f64]),
        ("i", "(2, 1), \"int64\"", &[0., 1.]),
        ("j", "(2,), \"int64\"", &[2., 0.]),
        ("v", "(2, 2), \"float32\"", &[1., 2., 3., 4.]),
    ];
    check("R.index_put(x, (i, j), v)", &operands, &[2., 0., 1., 4., 0., 3.]);
    let operands = [
        ("g", "(2, 2), \"float32\"", &[1., 2., 3., 4.] as &[f64]),
        ("x", "(3, 2), \"float32\"", &[7.; 6]),
        ("i", "(2,), \"int32\"", &[2., 2.]),
    ];
    check("R.grad.take_backward(g, x, i, axis=0)", &operands, &[0., 0., 0., 0., 4., 6.]);
}

#[test]
fn places_in_sorted_bounds() {
    let values: Operand = ("x", "(4,), \"float32\"", &[0., 1., 2.5, 9.]);
    // The function reads the bounds first.
    let bounds: Operand = ("b", "(3,), \"float32\"", &[1., 2., 3.]);
    check("R.bucketize(x, b)", &[bounds, values], &[0., 0., 2., 3.]);
    check("R.bucketize(x, b, out_int32=True, right=True)", &[bounds, values], &[0., 1., 2., 3.]);
}

#[test]
fn losses_and_gradients() {
    let predictions: Operand = ("p", "(2, 3), \"float32\"", &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let targets: Operand = ("t", "(2,), \"int64\"", &[2., 0.]);
    let weights: Operand = ("w", "(3,), \"float32\"", &[1., 2., 3.]);
    let all = [predictions, targets, weights];
    check("R.nn.nll_loss(p, t, w)", &all, &[-0.325]);
    check("R.nn.nll_loss(p, t, w, ignore_index=0)", &all, &[-0.3]);
    check("R.nn.nll_loss(p, t, reduction=\"none\")", &[predictions, targets], &[-0.3, -0.4]);
    let gradient: Operand = ("g", "(), \"float32\"", &[1.]);
    let all = [gradient, predictions, targets, weights];
    check("R.grad.nll_loss_backward(g, p, t, w)", &all, &[0., 0., -0.75, -0.25, 0., 0.]);
    let x: Operand = ("x", "(1, 1, 2, 4), \"float32\"", &[1., 5., 2., 3., 4., 0., 7., 6.]);
    let pooled: Operand = ("g", "(1, 1, 1, 2), \"float32\"", &[4., 8.]);
    let call = |kind: &str| format!("R.grad.{kind}_pool2d_backward(g, x, pool_size=[2, 2], strides=[2, 2])");
    check(&call("max"), &[pooled, x], &[0., 4., 0., 0., 0., 0., 8., 0.]);
    check(&call("avg"), &[pooled, x], &[1., 1., 2., 2., 1., 1., 2., 2.]);
}

#[test]
fn sums_windows_and_layouts() {
    let x: Operand = ("x", "(2, 3), \"float32\"", &[1., 2., 3., 4., 5., 6.]);
    check("R.collapse_sum_to(x, R.shape([1, 3]))", &[x], &[5., 7., 9.]);
    let zero: Operand = ("x", "(1,), \"float32\"", &[0.]);
    check("R.log_add_exp(x, y)", &[zero, ("y", "(1,), \"float32\"", &[0.])], &[std::f64::consts::LN_2]);
    let window =
        "R.hamming_window(T.int64(4), T.int64(1), T.float32(0.54), T.float32(0.46), dtype=\"float32\")";
    check(window, &[], &[0.08, 0.54, 1.0, 0.54]);
    let list: Operand = ("x", "(5,), \"float32\"", &[1., 2., 3., 4., 5.]);
    let call = "R.layout_transform(x, index_map=lambda i: (i // 2, i % 2), pad_value=9.0)";
    check(call, &[list], &[1., 2., 3., 4., 5., 9.]);
    check("R.layout_transform(x, index_map=lambda i, j: (j, i))", &[x], &[1., 4., 2., 5., 3., 6.]);
}
