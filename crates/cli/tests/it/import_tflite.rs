//! `import` of TFLite models.

use crate::common::{file, run};

/// A model of the fixtures.
fn model(name: &str) -> String {
    format!("{}/../../tests/fixtures/models/tflite_{name}.tflite", env!("CARGO_MANIFEST_DIR"))
}

/// The text of a model, which reads back to the same bytes.
fn imported(args: &[&str], name: &str) -> String {
    let model = model(name);
    let ran = run(&[&["import"], args, &[model.as_str()]].concat());
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let text = file(&format!("{name}.py"), &ran.stdout);
    let shows_spans = args.contains(&"--show-spans");
    let options: &[&str] = if shows_spans { &["print", "--show-spans"] } else { &["print"] };
    let again = run(&[options, &["--profile", "tvm-0.27", text.as_str()]].concat());
    assert_eq!(again.stdout, ran.stdout, "{}", again.stderr);
    ran.stdout
}

/// The bindings of a text: variables, values and layers, without annotations.
fn bindings(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim().split_once(": R.")?.1.split_once(" = "))
        .map(|(_, value)| value.to_owned())
        .collect()
}

#[test]
fn calls_have_the_names_of_the_first_outputs() {
    let text = imported(&["--show-spans"], "dense");
    let [kernel, product, bias, relu, softmax] = &bindings(&text)[..] else { panic!("{text}") };
    assert!(kernel.starts_with("R.permute_dims(R.const([[-1.0, "), "{kernel}");
    for value in [kernel, product, bias, relu] {
        assert!(value.ends_with("  # @\"dense/MatMul;dense/Relu\""), "{value}");
    }
    assert_eq!(softmax, "R.nn.softmax(lv3, axis=-1)  # @\"StatefulPartitionedCall:0\"");
    assert!(text.contains("def main(serving_default_x_0: R.Tensor((2, 4), dtype=\"float32\"))"), "{text}");
}

#[test]
fn values_are_bound_where_they_are_used_first() {
    let text = imported(&[], "order");
    let expected = [
        "R.split(x, indices_or_sections=2, axis=1)",
        "lv[0]",
        "lv[1]",
        "R.tanh(lv2)",
        "R.strided_slice(lv3, (0, 1), (0, 1), (2, 2), (1, 1), assume_inbound=False)",
        "R.reshape(lv4, R.shape([2]))",
        "R.exp(lv1)",
        "lv5, lv6",
    ];
    assert_eq!(bindings(&text), expected, "{text}");
}

#[test]
fn quantized_operators_compute_with_real_elements() {
    let text = imported(&[], "quantized");
    let operators: Vec<String> =
        bindings(&text).into_iter().filter_map(|value| Some(value.split_once('(')?.0.to_owned())).collect();
    let expected =
        ["R.dequantize", "R.dequantize", "R.nn.conv2d", "R.dequantize", "R.add", "R.quantize", "R.clip"];
    assert_eq!(operators, expected, "{text}");
    // The kernel is stored channel by channel, and the scales lie along its last axis here.
    assert!(text.contains("R.const([[[[0, 9]], [[1, 10]], [[2, 11]]]"), "{text}");
    assert!(text.contains(
        "R.const([0.25, 0.5], \"float32\"), R.const(0, \"int32\"), out_dtype=\"float32\", axis=3)"
    ));
    // The fused activation bounds the stored numbers: 0 is -3, and 6 is 3.
    assert!(text.contains("R.clip(lv5, T.float64(-3.0), T.float64(3.0))"), "{text}");
}

#[test]
fn a_loop_is_a_private_function_that_calls_itself() {
    let text = imported(&[], "while");
    for name in ["while_body_subgraph_2", "while_cond_subgraph_1", "while_subgraph_1_2"] {
        assert!(text.contains(&format!("    @R.function(private=True)\n    def tflite_{name}(")), "{text}");
    }
    assert!(text.contains(" = cls.tflite_while_subgraph_1_2(gv2, gv3)"), "{text}");
    assert!(text.contains(" = cls.tflite_while_subgraph_1_2(R.const(0, \"int32\"), x)"), "{text}");
}

#[test]
fn all_operators_without_a_converter_are_named() {
    let ran = run(&["import", &model("unsupported")]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("unsupported operator `Wobble`: `a`, `y`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("unsupported operator `SKIP_GRAM`: `b`"), "{}", ran.stderr);
    let text = imported(&["--stub-unsupported"], "unsupported");
    assert!(text.contains("R.call_pure_packed(\"tflite.Wobble\", x, ty_args="), "{text}");
}

#[test]
fn weights_may_be_parameters() {
    let text = imported(&["--keep-params"], "dense");
    assert!(text.contains("dense_kernel: R.Tensor((3, 4), dtype=\"float32\"), dense_bias: "), "{text}");
    assert!(text.contains("R.func_attr({\"num_input\": 1})"), "{text}");
    assert!(!text.contains("R.const("), "{text}");
}

#[test]
fn inputs_may_have_another_shape() {
    let ran = run(&["import", "--shape", "x=2,6", &model("order")]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("x: R.Tensor((2, 6), dtype=\"float32\")"), "{}", ran.stdout);
    assert!(ran.stdout.contains("lv3: R.Tensor((2, 3), dtype=\"float32\") = R.tanh(lv2)"), "{}", ran.stdout);
}

#[test]
fn operators_are_listed() {
    let ran = run(&["import", "--list-operators", "tflite"]);
    assert_eq!(ran.status, 0);
    assert!(ran.stdout.contains("\nCONV_2D: nn.conv2d, add\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("\nMIRROR_PAD: nn.pad; not supported: the symmetric mode\n"),
        "{}",
        ran.stdout
    );
}
