//! `import` of programs of PyTorch: archives written here, texts out.

use serde_json::{Value, json};
use tvmscript_test_texts::zip;

use crate::common::{file, run};

fn tensor(name: &str) -> Value {
    json!({"as_tensor": {"name": name}})
}

fn int(value: i64) -> Value {
    json!({"as_int": value})
}

/// Type and shape of a tensor of `float32`; a text is a formula.
fn meta(sizes: Value) -> Value {
    let size = |size: &Value| match size.as_str() {
        Some(text) => json!({"as_expr": {"expr_str": text}}),
        None => json!({"as_int": size}),
    };
    let sizes: Vec<Value> = sizes.as_array().expect("a list").iter().map(size).collect();
    json!({"dtype": 7, "sizes": sizes})
}

/// A node outside modules, with arguments by position.
fn node(operator: &str, arguments: &[Value], result: &str) -> Value {
    let inputs: Vec<Value> = arguments.iter().map(|arg| json!({"name": "", "arg": arg, "kind": 1})).collect();
    json!({"target": operator, "inputs": inputs, "outputs": [tensor(result)], "metadata": {}})
}

fn graph(inputs: &[(&str, Value)], nodes: &[Value], outputs: &[&str]) -> Value {
    let values: serde_json::Map<String, Value> =
        inputs.iter().map(|(name, sizes)| ((*name).to_owned(), meta(sizes.clone()))).collect();
    json!({
        "inputs": inputs.iter().map(|(name, _)| tensor(name)).collect::<Vec<_>>(),
        "outputs": outputs.iter().map(|name| tensor(name)).collect::<Vec<_>>(),
        "nodes": nodes,
        "tensor_values": values,
    })
}

/// A program whose inputs are those of the user, except for weights: name in the graph, and name of the tensor.
fn program(graph: Value, weights: &[(&str, &str)]) -> Value {
    let name = |input: &Value| input["as_tensor"]["name"].as_str().expect("a name").to_owned();
    let spec = |input: &Value| match weights.iter().find(|(known, _)| *known == name(input)) {
        Some((known, target)) => {
            json!({"parameter": {"arg": {"name": known}, "parameter_name": target}})
        }
        None => json!({"user_input": {"arg": input}}),
    };
    let inputs: Vec<Value> = graph["inputs"].as_array().expect("a list").iter().map(spec).collect();
    let outputs: Vec<Value> = graph["outputs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|output| json!({"user_output": {"arg": output}}))
        .collect();
    json!({
        "schema_version": {"major": 8, "minor": 20},
        "range_constraints": {},
        "graph_module": {"graph": graph, "signature": {"input_specs": inputs, "output_specs": outputs}},
    })
}

/// Writes the archive of a program with weights: name, tensor as in the list of weights, elements.
fn archive(name: &str, program: &Value, weights: &[(&str, Value, &[f32])]) -> String {
    let mut config = serde_json::Map::new();
    let mut entries = vec![("m/models/model.json", program.to_string().into_bytes())];
    for (weight, meta, elements) in weights {
        // One file serves all weights of these tests.
        let payload = json!({"path_name": "w", "use_pickle": false, "tensor_meta": meta});
        config.insert((*weight).to_owned(), payload);
        entries.push(("m/data/weights/w", elements.iter().flat_map(|value| value.to_le_bytes()).collect()));
    }
    let config = json!({"config": config}).to_string().into_bytes();
    entries.push(("m/data/weights/model_weights_config.json", config));
    file(name, zip(&entries))
}

/// The lines of the function's body, of a program without weights.
fn body(name: &str, program: &Value) -> Vec<String> {
    let imported = run(&["import", &archive(name, program, &[])]);
    assert_eq!(imported.status, 0, "{}", imported.stderr);
    let lines = imported.stdout.lines().map(str::trim);
    // Without the types of variables.
    let short = |line: &str| match line.split_once(": R.") {
        Some((name, rest)) if line.starts_with("lv") => {
            format!("{name} = {}", rest.split_once(" = ").map_or(rest, |(_, value)| value))
        }
        _ => line.to_owned(),
    };
    lines.filter(|line| line.starts_with("lv") || line.starts_with("R.func_attr")).map(short).collect()
}

/// The lines of one operator on `x`, of shape (2, 3, 4).
fn one(name: &str, operator: &str, arguments: &[Value]) -> Vec<String> {
    let arguments: Vec<Value> = std::iter::once(tensor("x")).chain(arguments.iter().cloned()).collect();
    let nodes = [node(&format!("torch.ops.{operator}"), &arguments, "y")];
    body(name, &program(graph(&[("x", json!([2, 3, 4]))], &nodes, &["y"]), &[]))
}

#[test]
fn a_layer_has_the_path_of_its_module_and_a_weight_that_of_its_parameter() {
    let mut linear = node("torch.ops.aten.linear.default", &[tensor("x"), tensor("p_fc_weight")], "y");
    linear["metadata"]["nn_module_stack"] =
        json!("L__self__,,Net;getattr(L['self'], 'fc'),fc,torch.nn.modules.linear.Linear");
    let mut relu = node("torch.ops.aten.relu.default", &[tensor("y")], "z");
    relu["metadata"] = linear["metadata"].clone();
    let inputs = [("p_fc_weight", json!([1, 2])), ("x", json!([3, 2]))];
    let program = program(graph(&inputs, &[linear, relu], &["z"]), &[("p_fc_weight", "fc.weight")]);
    let weight = json!({"dtype": 7, "sizes": [int(1), int(2)], "strides": [int(2), int(1)]});
    let file = archive("torch_linear.pt2", &program, &[("fc.weight", weight, &[1.0, 2.0])]);
    let shown = run(&["import", &file, "--show-spans"]);
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    let markers = shown.stdout.lines().filter(|line| line.contains("R.matmul") || line.contains("R.nn.relu"));
    let markers: Vec<&str> =
        markers.filter_map(|line| line.split_once("# ").map(|(_, marker)| marker)).collect();
    assert_eq!(markers.len(), 2, "{}", shown.stdout);
    assert!(markers[0].contains("fc") && !markers[0].contains("relu"), "{markers:?}");
    assert!(markers[1].contains("fc.relu"), "{markers:?}");
    let kept = run(&["import", &file, "--keep-params"]);
    assert!(kept.stdout.contains("p_fc_weight: R.Tensor((1, 2), dtype=\"float32\")"), "{}", kept.stdout);
    assert!(kept.stdout.contains("R.func_attr({\"num_input\": 1})"), "{}", kept.stdout);
}

#[test]
fn a_weight_with_strides_is_copied_in_row_major_order() {
    let add = node("torch.ops.aten.add.Tensor", &[tensor("x"), tensor("w")], "y");
    let program = program(graph(&[("w", json!([2])), ("x", json!([2]))], &[add], &["y"]), &[("w", "w")]);
    let strided = |offset: i64, stride: i64| json!({"dtype": 7, "sizes": [int(2)], "strides": [int(stride)], "storage_offset": int(offset)});
    let text = |name: &str, meta: Value| {
        let imported = run(&["import", &archive(name, &program, &[("w", meta, &[1.0, 2.0, 3.0, 4.0])])]);
        assert_eq!(imported.status, 0, "{}", imported.stderr);
        imported.stdout
    };
    // Elements 1 and 3 of the file, and elements 1 and 3 written one after the other.
    let apart = text("torch_strides.pt2", strided(0, 2));
    let meta = json!({"dtype": 7, "sizes": [int(2)], "strides": [int(1)]});
    let imported = run(&["import", &archive("torch_plain.pt2", &program, &[("w", meta, &[1.0, 3.0])])]);
    assert_eq!(apart, imported.stdout);
    let beyond = archive("torch_beyond.pt2", &program, &[("w", strided(3, 2), &[1.0, 2.0, 3.0, 4.0])]);
    let refused = run(&["import", &beyond]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("the tensor `w` has elements beyond the end of its file"),
        "{}",
        refused.stderr
    );
}

#[test]
fn symbolic_lengths_are_variables_with_bounds() {
    let sum = "Add(Symbol('s1', positive=True, integer=True), Integer(1))";
    let name = "Symbol('s1', positive=True, integer=True)";
    let add = node("torch.ops.aten.relu.default", &[tensor("a")], "y");
    let mut program = program(graph(&[("a", json!([2, sum])), ("b", json!([name]))], &[add], &["y"]), &[]);
    program["range_constraints"] =
        json!({"s1 + 1": {"min_val": 3, "max_val": 9}, "s1": {"min_val": 2, "max_val": 8}});
    let imported = run(&["import", &archive("torch_symbols.pt2", &program, &[])]);
    assert!(
        imported.stdout.contains("a: R.Tensor((2, \"1 + s1\"), dtype=\"float32\"), b: R.Tensor((s1,)"),
        "{}",
        imported.stdout
    );
    let bounds = "R.func_attr({\"tir_var_lower_bound\": {\"s1\": 2}, \"tir_var_upper_bound\": {\"s1\": 8}})";
    assert!(imported.stdout.contains(bounds), "{}", imported.stdout);
}

#[test]
fn elements_of_a_result_are_bound_at_once() {
    let mut chunk = node("torch.ops.aten.chunk.default", &[tensor("x"), int(4), int(1)], "");
    chunk["outputs"] = json!([{"as_tensors": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}]);
    let lines = body("torch_chunk.pt2", &program(graph(&[("x", json!([2, 5]))], &[chunk], &["c"]), &[]));
    // Five elements in four parts are three parts of two, two and one.
    let expected =
        ["lv = R.split(x, indices_or_sections=3, axis=1)", "lv1 = lv[0]", "lv2 = lv[1]", "lv3 = lv[2]"];
    assert_eq!(lines, expected);
}

#[test]
fn values_are_those_of_pytorch_where_the_importer_of_tvm_has_others() {
    let select = one("torch_select.pt2", "aten.select.int", &[int(1), int(-1)]);
    assert_eq!(select, ["lv = R.take(x, R.const(2, \"int64\"), axis=1, mode=\"fast\")"]);
    let narrow = one("torch_narrow.pt2", "aten.narrow.default", &[int(2), int(1), int(2)]);
    assert_eq!(narrow, ["lv = R.strided_slice(x, (2,), (1,), (3,), assume_inbound=False)"]);
    let any = one("torch_any.pt2", "aten.any.default", &[]);
    assert_eq!(any[0], "lv = R.astype(x, dtype=\"bool\")");
}

#[test]
fn operators_take_the_form_that_the_importer_of_tvm_gives_them() {
    let selu = one("torch_selu.pt2", "aten.selu.default", &[]);
    assert_eq!(selu, ["lv = R.nn.selu(x)"]);
    // The last part is empty; PyTorch has two parts.
    let chunk = one("torch_chunk.pt2", "aten.chunk.default", &[int(3), int(2)]);
    assert_eq!(chunk[0], "lv = R.split(x, indices_or_sections=3, axis=2)");
}

#[test]
fn powers_of_integers_are_computed_in_float64() {
    let mut model = program(
        graph(
            &[("x", json!([2]))],
            &[node("torch.ops.aten.pow.Tensor_Tensor", &[tensor("x"), tensor("x")], "y")],
            &["y"],
        ),
        &[],
    );
    model["graph_module"]["graph"]["tensor_values"]["x"]["dtype"] = json!(5);
    let lines = body("torch_pow.pt2", &model);
    assert_eq!(lines.first().unwrap(), "lv = R.astype(x, dtype=\"float64\")");
    assert_eq!(lines.last().unwrap(), "lv4 = R.astype(lv3, dtype=\"int64\")");
}

#[test]
fn an_operator_that_writes_to_its_operand_changes_later_uses() {
    let nodes = [
        node("torch.ops.aten.neg.default", &[tensor("x")], "a"),
        node("torch.ops.aten.add_.Tensor", &[tensor("a"), tensor("x")], "b"),
        node("torch.ops.aten.exp.default", &[tensor("a")], "c"),
    ];
    let lines = body("torch_in_place.pt2", &program(graph(&[("x", json!([2]))], &nodes, &["c"]), &[]));
    assert_eq!(lines, ["lv = R.negative(x)", "lv1 = R.add(lv, x)", "lv2 = R.exp(lv1)"]);
}

#[test]
fn numbers_per_axis_have_to_fit_the_axes() {
    for (stride, dilation) in [(json!([1, 1]), json!([1])), (json!([1]), json!([])), (json!([2]), json!([1]))]
    {
        let list = |ints: &Value| json!({"as_ints": ints});
        let arguments = [
            tensor("x"),
            tensor("w"),
            json!({"as_none": true}),
            list(&stride),
            list(&json!([0])),
            list(&dilation),
        ];
        let nodes = [node("torch.ops.aten.conv1d.default", &arguments, "y")];
        let inputs = [("x", json!([2, 3, 4])), ("w", json!([5, 3, 2]))];
        let archive = archive("torch_conv.pt2", &program(graph(&inputs, &nodes, &["y"]), &[]), &[]);
        let imported = run(&["import", &archive]);
        let is_right = stride == json!([2]);
        assert_eq!(imported.status, if is_right { 0 } else { 1 }, "{}", imported.stderr);
        assert_eq!(imported.stderr.contains("needs one number as `"), !is_right, "{}", imported.stderr);
    }
}

#[test]
fn branches_are_functions() {
    let branch = |operator: &str| {
        let nodes = [node(operator, &[tensor("a")], "r")];
        json!({"as_graph": {"name": "branch", "graph": graph(&[("a", json!([2]))], &nodes, &["r"])}})
    };
    let operands = json!({"as_tensors": [{"name": "x"}]});
    let arguments =
        [tensor("p"), branch("torch.ops.aten.sin.default"), branch("torch.ops.aten.cos.default"), operands];
    let mut cond = node("torch.ops.higher_order.cond", &arguments, "y");
    cond["is_hop_single_tensor_return"] = json!(false);
    let mut graph = graph(&[("p", json!([])), ("x", json!([2]))], &[cond], &["y"]);
    graph["tensor_values"]["p"]["dtype"] = json!(12);
    let imported = run(&["import", &archive("torch_cond.pt2", &program(graph, &[]), &[])]);
    assert_eq!(imported.status, 0, "{}", imported.stderr);
    for part in
        ["def cond_true_branch_0(a:", "def cond_false_branch_1(a:", "cls.cond_true_branch_0(x)", "if p:"]
    {
        assert!(imported.stdout.contains(part), "{part}: {}", imported.stdout);
    }
    assert!(!imported.stdout.contains("R.dataflow"), "{}", imported.stdout);
}

#[test]
fn all_operators_without_a_converter_are_named() {
    let nodes = [
        node("torch.ops.aten.digamma.default", &[tensor("x")], "a"),
        node("torch.ops.aten.relu.default", &[tensor("a")], "b"),
        node("torch.ops.aten.special_i0.default", &[tensor("b")], "c"),
    ];
    let program = program(graph(&[("x", json!([2]))], &nodes, &["c"]), &[]);
    let file = archive("torch_unsupported.pt2", &program, &[]);
    let refused = run(&["import", &file]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""));
    assert!(
        refused.stderr.contains("unsupported operator `aten.digamma.default`: `digamma_0`"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("unsupported operator `aten.special_i0.default`: `special_i0_2`"),
        "{}",
        refused.stderr
    );
    let stubs = run(&["import", &file, "--stub-unsupported"]);
    assert!(
        stubs.stdout.contains("R.call_pure_packed(\"torch.aten.digamma.default\", x"),
        "{}",
        stubs.stdout
    );
    let listed = run(&["import", "--list-operators", "torch"]);
    assert!(listed.stdout.contains("aten.linear.default"), "{}", listed.stdout);
}

#[test]
fn other_kinds_of_files_are_refused_with_advice() {
    let files = [
        ("torch_pickle.pt", b"\x80\x02}q\x00.".to_vec()),
        ("torch_noise.pt2", b"no archive".to_vec()),
        ("torch_script.pt", zip(&[("m/data.pkl", vec![]), ("m/code/a.py", vec![])])),
        ("torch_old.pt2", zip(&[("serialized_exported_program.json", b"{}".to_vec())])),
    ];
    for (name, content) in files {
        let refused = run(&["import", &file(name, content)]);
        assert_eq!(refused.status, 1, "{name}");
        assert!(
            refused.stderr.contains("`torch.export.save` of torch 2.8 or newer"),
            "{name}: {}",
            refused.stderr
        );
    }
}

#[test]
fn sizes_of_a_file_are_not_trusted() {
    let program = |sizes: Value| {
        let add = node("torch.ops.aten.add.Tensor", &[tensor("x"), tensor("w")], "y");
        program(graph(&[("w", sizes), ("x", json!([2]))], &[add], &["y"]), &[("w", "w")])
    };
    let huge = i64::MAX;
    for (at, meta) in [
        json!({"dtype": 7, "sizes": [int(huge), int(huge)], "strides": [int(1), int(1)]}),
        json!({"dtype": 7, "sizes": [int(1 << 40)], "strides": [int(0)]}),
        json!({"dtype": 7, "sizes": [int(-2)], "strides": [int(1)]}),
        json!({"dtype": 7, "sizes": [int(2)], "strides": [int(huge)]}),
        json!({"dtype": 7, "sizes": [int(2)], "strides": [int(1)], "storage_offset": int(huge)}),
    ]
    .into_iter()
    .enumerate()
    {
        let file =
            archive(&format!("torch_size_{at}.pt2"), &program(json!([2])), &[("w", meta, &[1.0, 2.0])]);
        let refused = run(&["import", &file]);
        assert_eq!(refused.status, 1, "{at}: {}", refused.stdout);
        assert!(refused.stderr.contains("the tensor `w`"), "{at}: {}", refused.stderr);
    }
    let deep = format!("{}{}", "Add(".repeat(100_000), ")".repeat(100_000));
    let relu = node("torch.ops.aten.relu.default", &[tensor("x")], "y");
    let negative = self::program(graph(&[("x", json!([-2]))], std::slice::from_ref(&relu), &["y"]), &[]);
    let refused = run(&["import", &archive("torch_negative.pt2", &negative, &[])]);
    assert!(
        refused.stderr.contains("the input `x` has a type that is not read: a length is -2"),
        "{}",
        refused.stderr
    );
    let deep = self::program(graph(&[("x", json!([deep]))], &[relu], &["y"]), &[]);
    let refused = run(&["import", &archive("torch_deep.pt2", &deep, &[])]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("is not a formula that is read"), "{}", refused.stderr);
}
