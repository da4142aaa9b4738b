//! Graphs of TensorFlow in the text form: the module that they become.

use tvmscript::frontend::{Format, ImportOptions, Imported, Model, import};

use super::text;

/// An attribute that is an element type or a shape.
fn attr(key: &str, value: &str) -> String {
    format!("attr {{ key: \"{key}\" value {{ {value} }} }} ")
}

fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, &str)]) -> String {
    let inputs: String = inputs.iter().map(|input| format!("input: \"{input}\" ")).collect();
    let attrs: String = attrs.iter().map(|(key, value)| attr(key, value)).collect();
    format!("node {{ name: \"{name}\" op: \"{op}\" {inputs}{attrs}}}\n")
}

/// An input of `float32`; -1 is an unknown length.
fn placeholder(name: &str, dims: &[i64]) -> String {
    let dims: String = dims.iter().map(|dim| format!("dim {{ size: {dim} }} ")).collect();
    node(name, "Placeholder", &[], &[("dtype", "type: DT_FLOAT"), ("shape", &format!("shape {{ {dims}}}"))])
}

/// A constant of `int32`: a scalar, or a vector.
fn int(name: &str, values: &[i64], is_scalar: bool) -> String {
    let shape = if is_scalar { String::new() } else { format!("dim {{ size: {} }}", values.len()) };
    let values: String = values.iter().map(|value| format!("int_val: {value} ")).collect();
    let tensor = format!("tensor {{ dtype: DT_INT32 tensor_shape {{ {shape} }} {values}}}");
    node(name, "Const", &[], &[("value", &tensor)])
}

fn number(name: &str, value: f64) -> String {
    let tensor = format!("tensor {{ dtype: DT_FLOAT tensor_shape {{ }} float_val: {value:?} }}");
    node(name, "Const", &[], &[("value", &tensor)])
}

fn imported(graph: &str) -> Result<Imported, String> {
    let mut model = Model::from_bytes(Format::TensorFlow, graph.as_bytes().to_vec());
    model.is_text = true;
    let mut options = ImportOptions::default();
    options.lowers_control_flow = true;
    import(&model, &options).map_err(|errors| errors.to_string())
}

fn text_of(graph: &str) -> String {
    text(&imported(graph).unwrap_or_else(|errors| panic!("{errors}")))
}

/// `while i < 3: i, a = i + 1, a + a`, as version 1 has it.
fn loop_graph() -> String {
    let frame = ("frame_name", "s: \"while/context\"");
    [
        placeholder("x", &[2]),
        node("unused_control_flow_input", "Placeholder", &[], &[("dtype", "type: DT_FLOAT")]),
        int("zero", &[0], true),
        int("one", &[1], true),
        int("three", &[3], true),
        node("enter_i", "Enter", &["zero"], &[frame]),
        node("enter_a", "Enter", &["x"], &[frame]),
        node("enter_n", "Enter", &["three"], &[frame, ("is_constant", "b: true")]),
        node("enter_1", "Enter", &["one"], &[frame, ("is_constant", "b: true")]),
        node("merge_i", "Merge", &["enter_i", "next_i"], &[]),
        node("merge_a", "Merge", &["enter_a", "next_a"], &[]),
        node("less", "Less", &["merge_i", "enter_n"], &[]),
        node("cond", "LoopCond", &["less"], &[]),
        node("switch_i", "Switch", &["merge_i", "cond"], &[]),
        node("switch_a", "Switch", &["merge_a", "cond"], &[]),
        node("plus", "AddV2", &["switch_i:1", "enter_1"], &[]),
        node("double", "AddV2", &["switch_a:1", "switch_a:1"], &[]),
        node("next_i", "NextIteration", &["plus"], &[]),
        node("next_a", "NextIteration", &["double"], &[]),
        node("exit_i", "Exit", &["switch_i"], &[]),
        node("exit_a", "Exit", &["switch_a"], &[]),
        node("out", "Neg", &["exit_a"], &[]),
    ]
    .concat()
}

#[test]
fn control_flow_of_version_1_is_unsupported_unless_asked_for() {
    let mut model = Model::from_bytes(Format::TensorFlow, loop_graph().into_bytes());
    model.is_text = true;
    let errors = import(&model, &ImportOptions::default()).unwrap_err().to_string();
    for operator in ["Enter", "Merge", "LoopCond", "Switch", "NextIteration", "Exit"] {
        assert!(errors.contains(&format!("unsupported operator `{operator}`")), "{operator}: {errors}");
    }
}

#[test]
fn p92_09_a_loop_of_version_1_is_a_function_that_calls_itself() {
    let text = text_of(&loop_graph());
    let found = |line: &str| {
        assert!(text.lines().any(|found| found.trim_start().starts_with(line)), "{line}\n{text}")
    };
    found(
        "def while_context_cond(arg0: R.Tensor((), dtype=\"int32\"), arg1: R.Tensor((2,), dtype=\"float32\"))",
    );
    found("def while_context_body(");
    found("def while_context_loop(");
    for (call, layer) in
        [("R.less", "less"), ("R.negative", "out"), ("cls.while_context_loop(R.const(0", "exit_i")]
    {
        let line = text.lines().find(|line| line.contains(call)).unwrap_or_default();
        let layers = [format!("# @{layer}"), "# @exit_a".to_owned()];
        assert!(layers.iter().any(|layer| line.ends_with(layer.as_str())), "{call}\n{text}");
    }
    assert!(!text.contains("unused_control_flow_input"), "{text}");
}

#[test]
fn a_conditional_of_version_1_chooses_between_both_branches() {
    let graph = [
        placeholder("x", &[2]),
        placeholder("y", &[]),
        number("zero", 0.0),
        node("test", "Greater", &["y", "zero"], &[]),
        node("switch", "Switch", &["x", "test"], &[]),
        node("yes", "Neg", &["switch:1"], &[]),
        node("no", "Abs", &["switch"], &[]),
        node("merge", "Merge", &["no", "yes"], &[]),
        node("out", "Identity", &["merge"], &[]),
    ];
    let text = text_of(&graph.concat());
    let line =
        |call: &str| text.lines().find(|line| line.contains(call)).unwrap_or_default().trim().to_owned();
    let name = |call: &str| line(call).split(':').next().unwrap_or_default().to_owned();
    let (test, yes, no) = (name("R.greater"), name("R.negative"), name("R.abs"));
    assert!(line("R.where").contains(&format!("R.where({test}, {yes}, {no})")), "{text}");
    assert!(line("R.where").ends_with("# @merge"), "{text}");
}

#[test]
fn a_list_gets_the_shape_of_what_is_written_to_it() {
    let dtype = ("element_dtype", "type: DT_FLOAT");
    let graph = [
        placeholder("x", &[-1, 3]),
        int("unknown", &[-1], true),
        int("count", &[4], true),
        int("second", &[1], true),
        node("list", "TensorListReserve", &["unknown", "count"], &[dtype]),
        node("written", "TensorListSetItem", &["list", "second", "x"], &[dtype]),
        node("out", "TensorListStack", &["written", "unknown"], &[dtype]),
    ];
    let text = text_of(&graph.concat());
    assert!(text.contains("R.zeros(R.shape([4, x_d0, 3]), dtype=\"float32\")"), "{text}");
    assert!(text.contains("-> R.Tensor((4, x_d0, 3), dtype=\"float32\")"), "{text}");
}

#[test]
fn a_list_that_is_never_written_is_an_error() {
    let dtype = ("element_dtype", "type: DT_FLOAT");
    let graph = [
        int("unknown", &[-1], true),
        int("count", &[4], true),
        node("list", "TensorListReserve", &["unknown", "count"], &[dtype]),
        node("out", "TensorListStack", &["list", "unknown"], &[dtype]),
    ];
    let errors = imported(&graph.concat()).unwrap_err();
    assert!(errors.contains("uses a list to which nothing was written"), "{errors}");
}

#[test]
fn unknown_lengths_of_two_inputs_agree() {
    let graph =
        [placeholder("a", &[-1, 3]), placeholder("b", &[-1, 3]), node("sum", "AddV2", &["a", "b"], &[])];
    let text = text_of(&graph.concat());
    assert!(text.contains("R.match_cast(b, R.Tensor((a_d0, 3), dtype=\"float32\"))  # @sum"), "{text}");
    assert!(text.contains("-> R.Tensor((a_d0, 3), dtype=\"float32\")"), "{text}");
}

#[test]
fn segments_by_numbers_at_run_time_have_an_unknown_count() {
    let numbers = node(
        "ids",
        "Placeholder",
        &[],
        &[("dtype", "type: DT_INT32"), ("shape", "shape { dim { size: 4 } }")],
    );
    let graph = [placeholder("x", &[4, 2]), numbers, node("sum", "SegmentSum", &["x", "ids"], &[])];
    let text = text_of(&graph.concat());
    assert!(text.contains("R.scatter_nd("), "{text}");
    assert!(text.contains("-> R.Tensor(dtype=\"float32\", ndim=2)"), "{text}");
}

#[test]
fn a_diagonal_beside_the_main_one_is_taken_by_position() {
    let graph = [
        placeholder("x", &[2, 3]),
        int("k", &[1], true),
        number("padding", 0.0),
        node("part", "MatrixDiagPartV3", &["x", "k", "padding"], &[]),
    ];
    let text = text_of(&graph.concat());
    assert!(text.contains("R.reshape(x, R.shape([6]))"), "{text}");
    assert!(text.contains("-> R.Tensor((2,), dtype=\"float32\")"), "{text}");
}

#[test]
fn hostile_loops_and_conditionals_are_errors() {
    // A loop without a condition, one that goes round outside a frame, and a `Merge` of values without a branch.
    let graphs = [
        [placeholder("x", &[2]), node("out", "Exit", &["x"], &[])].concat(),
        [node("a", "Merge", &["b", "b"], &[]), node("b", "NextIteration", &["a"], &[])].concat(),
        [placeholder("x", &[2]), placeholder("y", &[2]), node("out", "Merge", &["x", "y"], &[])].concat(),
        loop_graph().replace("op: \"LoopCond\"", "op: \"Identity\""),
        loop_graph().replace("input: \"double\"", "input: \"nobody\""),
    ];
    for graph in graphs {
        let errors = imported(&graph).map(|found| text(&found)).unwrap_err();
        assert!(!errors.is_empty(), "{graph}");
    }
}
