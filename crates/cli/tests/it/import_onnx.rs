//! `import` of ONNX models.

use std::time::{Duration, Instant};

use crate::common::{file, path};
use crate::onnx_models::*;

// --- forms -------------------------------------------------------------------------------------------------------

/// Values, indices and depth may each have 64 bits; TVM has values of 64 bits for those of 32, and no such indices.
#[test]
fn one_hot_has_the_type_of_its_values() {
    const DOUBLE: i64 = 11;
    let doubles = |name: &str, dims: &[i64], values: &[f64]| {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        tensor(name, DOUBLE, dims, &raw)
    };
    let graph = |values: Vec<u8>| Graph {
        nodes: vec![node("OneHot", &["x", "d", "v"], &["y"])],
        inputs: vec![value("x", DOUBLE, &["3"])],
        outputs: vec!["y"],
        constants: vec![doubles("d", &[], &[4.0]), values],
        ..Graph::default()
    };
    let text = imported(&graph(doubles("v", &[2], &[0.1, 2.7])).model(), &[]);
    let call =
        "R.one_hot(lv3, T.float64(2.7000000000000002), T.float64(0.10000000000000001), depth=4, axis=-1)";
    assert!(text.contains(call), "{text}");
    let narrow: Vec<u8> = [0.5f32, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let text = imported(&graph(tensor("v", FLOAT, &[2], &narrow)).model(), &[]);
    assert!(text.contains("R.one_hot(lv3, T.float32(3.0), T.float32(0.5), depth=4, axis=-1)"), "{text}");
}

#[test]
fn no_part_of_a_text_is_unreadable() {
    let inputs = || vec![value("x", FLOAT, &["2", "3", "4"])];
    let no_depth = Graph {
        nodes: vec![node("OneHot", &["x", "d", "v"], &["y"])],
        inputs: inputs(),
        outputs: vec!["y"],
        constants: vec![int64s("d", &[0]), int64s("v", &[0, 1])],
        ..Graph::default()
    };
    let error = refused(&no_depth.model(), &[]);
    assert!(error.contains("the depth must be positive, found 0"), "{error}");
    let other_rank = Graph {
        nodes: vec![node("Scatter", &["x", "i", "i"], &["y"])],
        inputs: inputs(),
        outputs: vec!["y"],
        constants: vec![int64s("i", &[1, 2])],
        ..Graph::default()
    };
    let error = refused(&other_rank.model(), &["--opset", "9"]);
    assert!(error.contains("has indices of 1 dimensions, and data of 3"), "{error}");
}

#[test]
fn a_shape_known_at_run_time_reshapes() {
    let graph = Graph {
        nodes: vec![node("Reshape", &["x", "s"], &["y"])],
        inputs: vec![value("x", FLOAT, &["2", "3", "4"]), value("s", INT64, &["2"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let text = imported(&graph.model(), &[]);
    assert!(text.contains("R.reshape(x, R.shape([reshape_dim_0, reshape_dim_1]))"), "{text}");
    assert!(text.contains("R.floor_divide("), "the length of -1 is computed: {text}");
}

#[test]
fn lengths_known_at_run_time_split() {
    let graph = Graph {
        nodes: vec![node("Split", &["x", "s"], &["a", "b"])],
        inputs: vec![value("x", FLOAT, &["n", "4"]), value("s", INT64, &["2"])],
        outputs: vec!["a", "b"],
        ..Graph::default()
    };
    let text = imported(&graph.model(), &[]);
    assert!(text.contains("R.Tensor((split_dim_1, 4), dtype=\"float32\")"), "{text}");
}

#[test]
fn shapes_become_tensors_for_operators_that_do_not_use_them() {
    let graph = Graph {
        nodes: vec![node("Shape", &["x"], &["s"]), node("Tile", &["v", "s"], &["y"])],
        inputs: vec![value("x", FLOAT, &["2", "3"]), value("v", FLOAT, &["4", "5"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let text = imported(&graph.model(), &[]);
    assert!(text.contains("R.tile(v, repeats=[2, 3])"), "{text}");
}

#[test]
fn constants_have_all_forms() {
    let floats = attribute(
        "value_floats",
        [varint(7 << 3 | 2), varint(8), vec![0; 4], 1f32.to_le_bytes().to_vec()].concat(),
    );
    let graph = Graph {
        nodes: vec![
            with(node("Constant", &[], &["a"]), &[attr_ints("value_ints", &[4, 5])]),
            with(node("Constant", &[], &["b"]), &[attr_int("value_int", 6)]),
            with(node("Constant", &[], &["c"]), &[floats]),
        ],
        outputs: vec!["a", "b", "c"],
        ..Graph::default()
    };
    let text = imported(&graph.model(), &[]);
    assert!(text.contains("R.const(6, \"int64\")") && text.contains("dtype=\"float32\""), "{text}");
    let strings = with(node("Constant", &[], &["a"]), &[attribute("value_strings", bytes(9, "text"))]);
    let sparse = with(
        node("Constant", &[], &["a"]),
        &[attribute("sparse_value", bytes(22, bytes(1, tensor("v", FLOAT, &[0], &[]))))],
    );
    for (form, reason) in [(strings, "holds texts"), (sparse, "is a sparse tensor")] {
        let graph = Graph { nodes: vec![form], outputs: vec!["a"], ..Graph::default() };
        let error = refused(&graph.model(), &[]);
        assert!(error.contains(reason) && error.contains("`a`"), "{error}");
    }
}

#[test]
fn the_version_of_the_operator_set_may_be_stated() {
    let graph = Graph {
        nodes: vec![with(node("Squeeze", &["x"], &["y"]), &[attr_ints("axes", &[0])])],
        inputs: vec![value("x", FLOAT, &["1", "1", "3"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    assert!(imported(&graph.model(), &["--opset", "11"]).contains("R.squeeze(x, axis=[0])"));
    assert!(imported(&graph.model(), &[]).contains("R.squeeze(x, axis=None)"), "version 13 has no attribute");
}

#[test]
fn shapes_of_inputs_may_be_stated() {
    let graph = Graph {
        nodes: vec![node("Relu", &["x"], &["y"])],
        inputs: vec![value("x", FLOAT, &["n", "4"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    assert!(imported(&graph.model(), &["--shape", "x=2,4"]).contains("x: R.Tensor((2, 4)"));
    let error = refused(&graph.model(), &["--shape", "z=2,4"]);
    assert!(error.contains("`z` is given a shape"), "{error}");
}

#[test]
fn renamed_inputs_are_reported_in_one_line() {
    let graph = Graph {
        nodes: vec![node("Relu", &["a.b\n"], &["y"])],
        inputs: vec![value("a.b\n", FLOAT, &["4"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let ran = import(&graph.model(), &[]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the input `a.b"), "{}", ran.stderr);
}

#[test]
fn weights_may_be_parameters() {
    let graph = Graph {
        nodes: vec![
            node("Identity", &["s"], &["t"]),
            node("Reshape", &["w", "t"], &["r"]),
            node("Add", &["x", "r"], &["y"]),
        ],
        inputs: vec![value("x", FLOAT, &["2", "2"])],
        outputs: vec!["y"],
        constants: vec![
            tensor("onnx::w", FLOAT, &[4], &[0; 16]),
            tensor("w", FLOAT, &[4], &[0; 16]),
            int64s("s", &[2, 2]),
        ],
        ..Graph::default()
    };
    let text = imported(&graph.model(), &["--keep-params"]);
    assert!(
        text.contains("R.reshape(w_1, R.shape([2, 2]))"),
        "the shape is known, also by another name: {text}"
    );
}

// --- functions ---------------------------------------------------------------------------------------------------

#[test]
fn functions_of_the_model_are_inlined() {
    let twice =
        function("Twice", &["a"], &["b"], &[node("Add", &["a", "a"], &["t"]), node("Relu", &["t"], &["b"])]);
    let turn = with(node("Transpose", &["a"], &["b"]), &[attr_reference("perm", "order")]);
    let turned = function(
        "Turned",
        &["a"],
        &["b"],
        &[
            with(node("Twice", &["a"], &["c"]), &[domain("my")]),
            node("Identity", &["c"], &["a2"]),
            with(turn, &[]),
        ],
    );
    let same = function("Same", &["a"], &["a"], &[]);
    let call =
        |name: &str, inputs: &[&str], outputs: &[&str]| with(node(name, inputs, outputs), &[domain("my")]);
    let graph = Graph {
        nodes: vec![
            with(call("Twice", &["x"], &["u"]), &[named("first")]),
            with(call("Twice", &["u"], &["v"]), &[named("first")]),
            with(call("Turned", &["v"], &["w"]), &[attr_ints("order", &[1, 0])]),
            call("Same", &["w"], &["y"]),
        ],
        inputs: vec![value("x", FLOAT, &["2", "3"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let text = imported(&model_of(graph.encode(), 18, &[twice, turned, same]), &["--show-spans"]);
    let layers: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("# @")).map(|(_, layer)| layer).collect();
    for layer in ["first/t", "first/b", "first_2/t", "first_2/b", "w/c/t", "w/b"] {
        assert!(layers.contains(&layer), "{layer}: {text}");
    }
    assert!(text.contains("axes=[1, 0]"), "{text}");
}

#[test]
fn functions_that_grow_without_bound_are_refused() {
    let call = |name: &str| with(node(name, &["a"], &["b"]), &[domain("my")]);
    let graph = |name: &str| Graph {
        nodes: vec![with(node(name, &["x"], &["y"]), &[domain("my")])],
        inputs: vec![value("x", FLOAT, &["2"])],
        outputs: vec!["y"],
        ..Graph::default()
    };
    let own = function("Own", &["a"], &["b"], &[call("Own")]);
    let error = refused(&model_of(graph("Own").encode(), 18, &[own]), &[]);
    assert!(error.contains("nested more than 64 deep"), "{error}");
    let doubling: Vec<Vec<u8>> = (0..40)
        .map(|level| {
            let next = format!("F{}", level + 1);
            function(&format!("F{level}"), &["a"], &["b"], &[call(&next), call(&next)])
        })
        .collect();
    let error = refused(&model_of(graph("F0").encode(), 18, &doubling), &[]);
    assert!(error.contains("have more than"), "{error}");
}

// --- unsupported -------------------------------------------------------------------------------------------------

#[test]
fn unsupported_operators_are_named_at_once_and_may_be_stubs() {
    let inner = Graph { nodes: vec![node("Alien", &["x"], &["i"])], outputs: vec!["i"], ..Graph::default() };
    let graph = Graph {
        nodes: vec![
            with(node("Loop", &["", "", "x"], &["l"]), &[named("loop"), attr_graph("body", inner.encode())]),
            with(node("Fancy", &["x"], &["f", "g"]), &[domain("com.acme")]),
            with(node("Relu", &["x"], &["r"]), &[domain("com.acme")]),
        ],
        inputs: vec![value("x", FLOAT, &["n", "3"])],
        outputs: vec!["l", "f", "g", "r"],
        further: vec![bytes(13, value("f", INT64, &["n", "7"])), bytes(13, value("r", FLOAT, &["unknown"]))],
        ..Graph::default()
    };
    let error = refused(&graph.model(), &[]);
    for name in [
        "`Loop`: `loop`",
        "`Alien`: `i`",
        "`Fancy` of `com.acme`: `f`",
        "`Relu` of `com.acme`: `r`",
        "help: `import --stub-unsupported` keeps",
    ] {
        assert!(error.contains(name), "{name}: {error}");
    }
    let text = imported(&graph.model(), &["--stub-unsupported"]);
    assert!(text.contains("R.call_pure_packed(\"onnx.Fancy\", x"), "{text}");
    assert!(text.contains("R.Tensor((n, 7), dtype=\"int64\")"), "the model states the type: {text}");
    assert!(text.contains("R.Tensor(dtype=\"float32\", ndim=1)"), "nothing defines the dimension: {text}");
}

// --- hostile -----------------------------------------------------------------------------------------------------

/// Each model ends with an answer within seconds, whatever it holds, and without a panic.
#[test]
fn hostile_models_are_refused_or_imported_without_harm() {
    let x = || vec![value("x", FLOAT, &["2", "3"])];
    let one = |node: Vec<u8>, constants: Vec<Vec<u8>>| {
        Graph { nodes: vec![node], inputs: x(), outputs: vec!["y"], constants, ..Graph::default() }.model()
    };
    let good = one(node("Relu", &["x"], &["y"]), vec![]);
    let many = |count: usize, make: &dyn Fn(usize) -> Vec<u8>, constants: Vec<Vec<u8>>, last: &str| {
        let mut nodes: Vec<Vec<u8>> = (0..count).map(make).collect();
        nodes.push(node("Identity", &[last], &["y"]));
        Graph { nodes, inputs: x(), outputs: vec!["y"], constants, ..Graph::default() }.model()
    };
    let step = |op: &'static str, more: &'static [&'static str]| {
        move |at: usize| {
            let (old, new) = (format!("v{at}"), format!("v{}", at + 1));
            let operands: Vec<&str> = std::iter::once(old.as_str())
                .chain(more.iter().map(|m| if *m == "self" { old.as_str() } else { m }))
                .collect();
            node(op, &operands, &[&new])
        }
    };
    let with_axis = |node: Vec<u8>| with(node, &[attr_int("axis", 0)]);
    let double = step("Concat", &["self"]);
    let insert = step("SequenceInsert", &["x"]);
    let start = || node("SequenceEmpty", &[], &["v0"]);
    let mut inserts: Vec<Vec<u8>> = vec![start()];
    inserts.extend((0..20_000).map(&insert));
    inserts.push(node("SequenceLength", &["v20000"], &["y"]));
    let inserts = Graph { nodes: inserts, inputs: x(), outputs: vec!["y"], ..Graph::default() }.model();
    let mut nested = node("Relu", &["x"], &["y"]);
    for _ in 0..20 {
        let branch = Graph { nodes: vec![nested], outputs: vec!["y"], ..Graph::default() }.encode();
        nested = with(
            node("If", &["c"], &["y"]),
            &[
                attr_graph("then_branch", branch.clone()),
                attr_graph(
                    "else_branch",
                    Graph {
                        nodes: vec![node("Neg", &["x"], &["y"])],
                        outputs: vec!["y"],
                        ..Graph::default()
                    }
                    .encode(),
                ),
            ],
        );
    }
    let nested = Graph {
        nodes: vec![nested],
        inputs: [x(), vec![value("c", BOOL, &[])]].concat(),
        outputs: vec!["y"],
        ..Graph::default()
    }
    .model();
    let huge = i64::MAX;
    let long_dimension = vec!["a"; 100_000].join("*");
    let mut cut: Vec<Vec<u8>> = (0..good.len()).step_by(3).map(|end| good[..end].to_vec()).collect();
    cut.extend((0..good.len()).step_by(3).map(|at| {
        let mut changed = good.clone();
        changed[at] ^= 0xff;
        changed
    }));
    let models: Vec<(&str, Vec<u8>)> = vec![
        ("a length of 2 GiB", [int(1, 8), varint(7 << 3 | 2), varint(1 << 31)].concat()),
        ("a varint without an end", vec![0xff; 64]),
        ("groups inside groups", vec![0x3b; 100_000]),
        (
            "negative dimensions",
            one(node("Add", &["x", "w"], &["y"]), vec![tensor("w", FLOAT, &[-1, 3], &[0; 12])]),
        ),
        (
            "2^80 elements",
            one(node("Add", &["x", "w"], &["y"]), vec![tensor("w", FLOAT, &[1 << 40, 1 << 40], &[0; 4])]),
        ),
        ("a doubling shape", many(60, &|at| with_axis(double(at)), vec![int64s("v0", &[1, 2])], "v60")),
        (
            "a doubling constant",
            many(60, &|at| with_axis(double(at)), vec![tensor("v0", FLOAT, &[2], &[0; 8])], "v60"),
        ),
        ("many insertions", inserts),
        ("nested branches", nested),
        ("a vector of 2^63 - 1", one(node("ConstantOfShape", &["s"], &["y"]), vec![int64s("s", &[huge])])),
        ("a negative length", one(node("ConstantOfShape", &["s"], &["y"]), vec![int64s("s", &[-5])])),
        (
            "a range without an end",
            one(
                node("Range", &["a", "b", "c"], &["y"]),
                vec![
                    tensor("a", INT64, &[], &0i64.to_le_bytes()),
                    tensor("b", INT64, &[], &huge.to_le_bytes()),
                    tensor("c", INT64, &[], &1i64.to_le_bytes()),
                ],
            ),
        ),
        (
            "pads of 2^63 - 1",
            one(node("Pad", &["x", "p"], &["y"]), vec![int64s("p", &[huge, huge, huge, huge])]),
        ),
        ("pads of -2^63", one(node("Pad", &["x", "p"], &["y"]), vec![int64s("p", &[i64::MIN; 4])])),
        ("repeats of 2^63 - 1", one(node("Tile", &["x", "r"], &["y"]), vec![int64s("r", &[huge, huge])])),
        (
            "a slice of extremes",
            one(
                node("Slice", &["x", "a", "b", "c", "d"], &["y"]),
                vec![
                    int64s("a", &[huge]),
                    int64s("b", &[i64::MIN]),
                    int64s("c", &[0]),
                    int64s("d", &[i64::MIN]),
                ],
            ),
        ),
        (
            "axes of extremes",
            one(node("Unsqueeze", &["x", "a"], &["y"]), vec![int64s("a", &[huge, i64::MIN])]),
        ),
        (
            "a flatten axis of -2^63",
            one(with(node("Flatten", &["x"], &["y"]), &[attr_int("axis", i64::MIN)]), vec![]),
        ),
        (
            "a depth of 2^63 - 1",
            one(
                node("OneHot", &["k", "d", "v"], &["y"]),
                vec![int64s("k", &[0]), int64s("d", &[huge]), int64s("v", &[0, 1])],
            ),
        ),
        ("a shape cut at extremes", {
            let cut =
                with(node("Shape", &["x"], &["y"]), &[attr_int("start", i64::MIN), attr_int("end", huge)]);
            one(cut, vec![])
        }),
        (
            "starts of 2^40 axes",
            Graph {
                nodes: vec![node("Slice", &["x", "s", "s"], &["y"])],
                inputs: [x(), vec![value("s", INT64, &["1099511627776"])]].concat(),
                outputs: vec!["y"],
                ..Graph::default()
            }
            .model(),
        ),
        (
            "parts of 1",
            Graph {
                nodes: vec![node("SplitToSequence", &["x"], &["s"]), node("SequenceLength", &["s"], &["y"])],
                inputs: vec![value("x", FLOAT, &["1099511627776"])],
                outputs: vec!["y"],
                ..Graph::default()
            }
            .model(),
        ),
        (
            "a long dimension",
            Graph {
                nodes: vec![node("Relu", &["x"], &["y"])],
                inputs: vec![value("x", FLOAT, &[&long_dimension])],
                outputs: vec!["y"],
                ..Graph::default()
            }
            .model(),
        ),
        ("no operands", one(node("Reshape", &[], &["y"]), vec![])),
        ("empty names", one(node("", &["", ""], &["", "y"]), vec![])),
        (
            "a graph without results",
            Graph { nodes: vec![node("Relu", &["x"], &["y"])], inputs: x(), ..Graph::default() }.model(),
        ),
        (
            "texts",
            one(
                node("Add", &["x", "w"], &["y"]),
                vec![[int(1, 1), int(2, 8), bytes(6, "text"), bytes(8, "w")].concat()],
            ),
        ),
    ];
    let cut = cut.into_iter().map(|model| ("a damaged model", model));
    for (what, model) in models.into_iter().chain(cut) {
        let begun = Instant::now();
        let ran = import(&model, &[]);
        assert!(matches!(ran.status, 0 | 1), "{what}: {} {}", ran.status, ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
        assert!(ran.status == 0 || ran.stdout.is_empty(), "{what}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{what}: {:?}", begun.elapsed());
    }
}

#[test]
fn elements_are_read_from_files_beside_the_model_alone() {
    let external = |place: &str, offset: &str, length: &str| {
        let entry = |key: &str, value: &str| bytes(13, [bytes(1, key), bytes(2, value)].concat());
        let places = [entry("location", place), entry("offset", offset), entry("length", length)].concat();
        let weight = [int(1, 2), int(2, FLOAT), bytes(8, "w"), places, int(14, 1)].concat();
        Graph {
            nodes: vec![node("Add", &["x", "w"], &["y"])],
            inputs: vec![value("x", FLOAT, &["2"])],
            outputs: vec!["y"],
            constants: vec![weight],
            ..Graph::default()
        }
        .model()
    };
    file("weights.bin", [0u8; 16]);
    imported(&external("weights.bin", "8", "8"), &[]);
    imported(&external("./weights.bin", "0", "8"), &[]);
    let outside = path("").parent().expect("a parent").join("outside.bin");
    std::fs::write(&outside, [0u8; 16]).expect("a file");
    let absolute = outside.to_str().expect("an ASCII path").to_owned();
    for (place, offset, length) in [
        ("../outside.bin", "0", "8"),
        (&absolute, "0", "8"),
        ("weights.bin", "-8", "8"),
        ("weights.bin", "12", "8"),
        ("weights.bin", "18446744073709551615", "8"),
        ("weights.bin", "0", "16"),
        ("sub/../weights.bin", "0", "8"),
        ("..\\outside.bin", "0", "8"),
        ("", "0", "8"),
        (".", "0", "8"),
        ("missing.bin", "0", "8"),
    ] {
        let error = refused(&external(place, offset, length), &[]);
        assert!(error.contains("`w`"), "{place} {offset} {length}: {error}");
    }
    #[cfg(unix)]
    {
        let link = path("link.bin");
        std::fs::remove_file(&link).ok();
        std::os::unix::fs::symlink(&outside, &link).expect("a link");
        assert!(refused(&external("link.bin", "0", "8"), &[]).contains("leaves the folder"));
    }
}
