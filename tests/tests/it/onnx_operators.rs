//! Operators of ONNX as calls of Relax, where they differ from TVM's importer or take several forms.

use tvmscript::PrinterConfig;
use tvmscript::frontend::onnx::proto::{AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto};
use tvmscript::frontend::{Format, ImportOptions, Model, import};

use crate::models::build::{model_of, node, value_of};

/// Numbers of element types.
const FLOAT: i32 = 1;
const UINT8: i32 = 2;
const INT64: i32 = 7;
const BOOL: i32 = 9;

/// A model of one node `y = op(..)` under construction.
struct Case {
    opset: i64,
    graph: GraphProto,
}

fn case(opset: i64, op: &'static str) -> Case {
    let node = node("node", op, &[], &["y"]);
    let output = vec![ValueInfoProto { name: "y".into(), ..ValueInfoProto::default() }];
    Case { opset, graph: GraphProto { node: vec![node], output, ..GraphProto::default() } }
}

impl Case {
    fn node(&mut self) -> &mut NodeProto {
        self.graph.node.last_mut().unwrap()
    }

    /// Adds an operand that is a parameter; dimensions below 0 are unknown and called `n`.
    fn input(mut self, name: &'static str, elem_type: i32, dims: &[i64]) -> Case {
        self.graph.input.push(value_of(name, elem_type, dims));
        self.node().input.push(name.into());
        self
    }

    /// Adds an operand that is a constant of the bytes.
    fn constant(mut self, name: &'static str, data_type: i32, dims: &[i64], bytes: Vec<u8>) -> Case {
        let tensor = TensorProto {
            name: name.into(),
            data_type,
            dims: dims.to_vec(),
            raw_data: Some(bytes.into()),
            ..TensorProto::default()
        };
        self.graph.initializer.push(tensor);
        self.node().input.push(name.into());
        self
    }

    fn float(self, name: &'static str, value: f32) -> Case {
        self.constant(name, FLOAT, &[], value.to_le_bytes().to_vec())
    }

    fn attribute(mut self, attribute: AttributeProto) -> Case {
        self.node().attribute.push(attribute);
        self
    }

    fn int(self, name: &'static str, value: i64) -> Case {
        self.attribute(AttributeProto { name: name.into(), i: Some(value), ..AttributeProto::default() })
    }

    fn float_attribute(self, name: &'static str, value: f32) -> Case {
        self.attribute(AttributeProto { name: name.into(), f: Some(value), ..AttributeProto::default() })
    }

    fn ints(self, name: &'static str, values: &[i64]) -> Case {
        let ints = values.to_vec();
        self.attribute(AttributeProto { name: name.into(), ints, ..AttributeProto::default() })
    }

    fn text(self, name: &'static str, value: &'static str) -> Case {
        let s = Some(value.into());
        self.attribute(AttributeProto { name: name.into(), s, ..AttributeProto::default() })
    }

    fn result(mut self, name: &'static str) -> Case {
        self.node().output.push(name.into());
        self.graph.output.push(ValueInfoProto { name: name.into(), ..ValueInfoProto::default() });
        self
    }

    fn imported(self) -> Result<String, String> {
        let model = Model::from_bytes(Format::Onnx, model_of(self.opset, self.graph));
        let imported = import(&model, &ImportOptions::default()).map_err(|errors| errors.to_string())?;
        let release = tvmscript::registry().find_release("tvm-0.27").ok();
        let config = PrinterConfig { release, ..PrinterConfig::default() };
        tvmscript::print(imported.module.object(), tvmscript::registry(), &config)
            .map_err(|error| error.to_string())
    }

    /// The remarks, one per line.
    fn warnings(self) -> String {
        let model = Model::from_bytes(Format::Onnx, model_of(self.opset, self.graph));
        let imported = import(&model, &ImportOptions::default()).unwrap();
        imported.warnings.iter().map(|warning| format!("{warning}\n")).collect()
    }

    /// The operators of the calls, in order.
    fn calls(self) -> String {
        let text = self.imported().unwrap();
        let called = |line: &str| {
            let (_, value) = line.split_once(" = R.")?;
            let (name, _) = value.split_once('(')?;
            line.starts_with("            ").then(|| name.to_owned())
        };
        text.lines().filter_map(called).collect::<Vec<_>>().join(" ")
    }

    /// Checks that the text has a line of a binding whose value is `value`.
    #[track_caller]
    fn check(self, value: &str) {
        let text = self.imported().unwrap();
        assert!(text.lines().any(|line| line.ends_with(&format!(" = {value}"))), "{text}");
    }

    #[track_caller]
    fn check_refused(self, reason: &str) {
        let error = self.imported().unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn clip_with_constant_limits_is_one_call() {
    let clip = || case(13, "Clip").input("x", FLOAT, &[3]);
    clip().float("min", -1.0).float("max", 2.5).check("R.clip(x, T.float64(-1.0), T.float64(2.5))");
    // The upper limit counts if both are in the wrong order.
    clip().float("min", 4.0).float("max", 2.0).check("R.clip(x, T.float64(2.0), T.float64(2.0))");
    let at_run_time = clip().input("min", FLOAT, &[]).input("max", FLOAT, &[]);
    assert_eq!(at_run_time.calls(), "isnan maximum where isnan minimum where");
    // NaN limits nothing.
    clip().float("min", f32::NAN).float("max", 2.0).check(r#"R.minimum(x, R.const(2.0, "float32"))"#);
}

#[test]
fn infinities_of_one_sign_are_compared_with_zero() {
    let is_inf = || case(20, "IsInf").input("x", FLOAT, &[3]);
    assert_eq!(is_inf().calls(), "isinf");
    assert_eq!(is_inf().int("detect_negative", 0).calls(), "isinf greater logical_and");
    assert_eq!(is_inf().int("detect_positive", 0).calls(), "isinf less logical_and");
}

#[test]
fn powers_are_of_the_type_of_their_base() {
    let power = |base, exponent| case(13, "Pow").input("x", base, &[3]).input("e", exponent, &[3]).calls();
    assert_eq!(power(FLOAT, FLOAT), "power");
    assert_eq!(power(FLOAT, INT64), "astype power");
    assert_eq!(power(INT64, INT64), "astype astype power round astype");
}

#[test]
fn constant_powers_of_integers_are_computed() {
    let bytes = |value: i64| value.to_le_bytes().to_vec();
    let power = case(13, "Pow").constant("a", INT64, &[], bytes(-3)).constant("b", INT64, &[], bytes(3));
    power.check(r#"R.const(-27, "int64")"#);
}

#[test]
fn division_of_integers_by_a_constant_zero_is_refused() {
    let zero = 0i64.to_le_bytes().to_vec();
    let division = case(14, "Div").input("x", INT64, &[2]).constant("z", INT64, &[], zero);
    division.check_refused("the divisor holds a 0");
}

#[test]
fn axes_at_run_time_choose_among_reductions() {
    let sum = |axes: &[i64]| case(18, "ReduceMax").input("x", FLOAT, &[2, 3]).input("axes", INT64, axes);
    // All axes are named.
    assert_eq!(sum(&[2]).calls(), "max");
    let calls = sum(&[1]).calls();
    assert!(
        calls.ends_with("max broadcast_to where max broadcast_to where greater where dynamic_strided_slice"),
        "{calls}"
    );
    sum(&[-1]).int("keepdims", 0).check_refused("the number of axes must be known");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let layer = case(17, "LayerNormalization").input("x", FLOAT, &[2, 3]).input("s", FLOAT, &[2, 3]);
    layer.int("axis", i64::MAX).check_refused("out of range");
    let conv = case(11, "ConvTranspose").input("x", FLOAT, &[1, 1, 3]).input("w", FLOAT, &[1, 2, 3]);
    conv.ints("output_shape", &[i64::MIN]).check_refused("`output_shape` must be positive");
    let conv = case(11, "ConvTranspose").input("x", FLOAT, &[1, 2, 3]).input("w", FLOAT, &[2, 1, 3]);
    conv.int("group", -1).check_refused("must be positive, found -1");
}

#[test]
fn words_that_onnx_does_not_list_are_refused() {
    let scales = || [1.0f32, 1.0, 2.0, 2.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let resize = || {
        let resize = case(13, "Resize").input("x", FLOAT, &[1, 1, 4, 4]).constant("roi", FLOAT, &[0], vec![]);
        resize.constant("scales", FLOAT, &[4], scales())
    };
    resize().text("mode", "linear").imported().unwrap();
    resize()
        .text("mode", "quadratic")
        .check_refused("`mode` is \"quadratic\", not one of nearest, linear, cubic");
    resize()
        .text("coordinate_transformation_mode", "a\nb")
        .check_refused("is \"a\\nb\", not one of half_pixel");
    resize().text("nearest_mode", "round").check_refused("not one of round_prefer_floor");
    let grid = case(16, "GridSample").input("x", FLOAT, &[1, 1, 4, 4]).input("grid", FLOAT, &[1, 2, 2, 2]);
    grid.text("padding_mode", "none").check_refused("`padding_mode` is \"none\"");
}

/// Before version 7, `axis` says where the axes of the second operand begin in the first.
#[test]
fn the_second_operand_begins_at_an_axis() {
    let add = |opset: i64| {
        let add = case(opset, "Add").input("x", FLOAT, &[2, 3, 3]).input("b", FLOAT, &[3]);
        add.int("broadcast", 1).int("axis", 1)
    };
    add(6).check("R.expand_dims(b, axis=[1])");
    add(7).check("R.add(x, b)");
    let power = case(6, "Pow").input("x", FLOAT, &[2, 3, 3]).input("b", FLOAT, &[3]);
    power.int("broadcast", 1).int("axis", 1).check("R.expand_dims(b, axis=[1])");
    let beyond = case(6, "Add").input("x", FLOAT, &[2, 3, 4]).input("b", FLOAT, &[3, 4]);
    beyond
        .int("broadcast", 1)
        .int("axis", 2)
        .check_refused("the 2 axes of the second operand do not end before axis 3");
    let last = case(6, "Add").input("x", FLOAT, &[2, 3]).input("b", FLOAT, &[3]).int("broadcast", 1);
    last.int("axis", 1).check("R.add(x, b)");
}

#[test]
fn rounded_lengths_are_remarked() {
    let warnings = |scale: f32| {
        let scales = [1.0, 1.0, scale, scale].into_iter().flat_map(f32::to_le_bytes).collect();
        let resize = case(13, "Resize").input("x", FLOAT, &[1, 1, 4, 4]).constant("roi", FLOAT, &[0], vec![]);
        resize.constant("scales", FLOAT, &[4], scales).warnings()
    };
    assert_eq!(warnings(1.5), "");
    // The arithmetic is that of the scales.
    assert_eq!(warnings(1.2 * 2.5), "");
    assert!(warnings(1.7).contains("scales by the ratio of the rounded lengths"));
}

#[test]
fn other_values_than_those_of_onnx_are_remarked() {
    let dropout = |mode: u8| {
        let dropout = case(13, "Dropout").input("x", FLOAT, &[3]).float("ratio", 0.5);
        dropout.constant("mode", BOOL, &[], vec![mode])
    };
    assert_eq!(dropout(0).warnings(), "");
    assert!(dropout(1).warnings().contains("in training mode, ONNX drops elements"));
    assert!(dropout(0).result("mask").warnings().contains("the mask has the type of the operand"));
    let shift = |by: u8| {
        let shift = case(11, "BitShift").input("x", UINT8, &[2]).constant("by", UINT8, &[1], vec![by]);
        shift.text("direction", "LEFT").warnings()
    };
    assert_eq!(shift(7), "");
    assert!(shift(8).contains("a shift by all bits or more is 0 in ONNX"));
}

/// Numbers that the conversion adds have the type of the operand, also one of less than a byte.
#[test]
fn numbers_of_four_bits_are_packed() {
    const INT4: i32 = 22;
    let normalized =
        case(13, "LRN").input("x", INT4, &[1, 3, 8, 8]).int("size", 3).float_attribute("bias", 3.0);
    normalized.check(r#"R.add(lv4, R.raw_const("Aw==", (), "int4"))"#);
}

/// Without `allowzero`, 0 is the length of the same axis, also of an operand without elements.
#[test]
fn zeros_of_a_shape_are_lengths_of_the_operand() {
    let reshape = |dims: &[i64]| {
        let target = dims.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let reshape = case(13, "Reshape").input("x", FLOAT, &[2, 3, 4]);
        reshape.constant("shape", INT64, &[dims.len() as i64], target)
    };
    reshape(&[0, -1]).check("R.reshape(x, R.shape([2, 12]))");
    reshape(&[2, 3, 2, 0])
        .check_refused("0 stands for the length of axis 3, which is out of range for rank 3");
    let none = case(13, "Reshape").constant("x", FLOAT, &[2, 0, 3], Vec::new());
    let target = [0i64, 0].into_iter().flat_map(i64::to_le_bytes).collect();
    let text = none.constant("shape", INT64, &[2], target).imported().unwrap();
    assert!(text.contains("R.Tensor((2, 0), dtype=\"float32\")"), "{text}");
}

#[test]
fn new_elements_need_a_type() {
    let unpool = case(11, "MaxUnpool").input("x", 0, &[1, 1, 2, 2]).input("indices", INT64, &[1, 1, 2, 2]);
    unpool.ints("kernel_shape", &[2, 2]).ints("strides", &[2, 2]).check_refused("`dtype` is unknown");
}

#[test]
fn reductions_of_no_elements_are_constants() {
    let of_none = |op| {
        let axes = 1i64.to_le_bytes().to_vec();
        case(18, op).constant("x", FLOAT, &[2, 0], Vec::new()).constant("axes", INT64, &[1], axes)
    };
    of_none("ReduceSum").check(r#"R.full(R.shape([2, 1]), R.const(0.0, "float32"), dtype="float32")"#);
    of_none("ReduceProd").check(r#"R.full(R.shape([2, 1]), R.const(1.0, "float32"), dtype="float32")"#);
    of_none("ReduceMax").check(r#"R.full(R.shape([2, 1]), R.const("-inf", "float32"), dtype="float32")"#);
}

#[test]
fn scans_along_an_axis_of_the_run_time_choose_it_there() {
    let scan = case(14, "CumSum").input("x", FLOAT, &[2, 3]).input("axis", INT64, &[]);
    assert_eq!(scan.calls(), "equal equal logical_or cumsum cumsum where");
}

#[test]
fn statistics_of_a_layer_are_results() {
    let layer = || case(17, "LayerNormalization").input("x", FLOAT, &[2, 3]).input("s", FLOAT, &[3]);
    assert_eq!(layer().calls(), "nn.layer_norm");
    assert_eq!(layer().result("mean").result("deviation").calls(), "nn.layer_norm mean variance add rsqrt");
}

#[test]
fn batch_norm_in_training_normalizes_by_the_batch() {
    let mut norm = case(15, "BatchNormalization").input("x", FLOAT, &[2, 3, 4]);
    for name in ["scale", "bias", "mean", "var"] {
        norm = norm.input(name, FLOAT, &[3]);
    }
    let calls = norm.int("training_mode", 1).calls();
    assert!(calls.starts_with("mean") && !calls.contains("nn.batch_norm"), "{calls}");
}

#[test]
fn transposed_convolution_reaches_the_stated_shape() {
    let conv = case(11, "ConvTranspose").input("x", FLOAT, &[1, 1, 3, 3]).input("w", FLOAT, &[1, 2, 3, 3]);
    let text = conv.ints("strides", &[3, 2]).ints("output_shape", &[10, 8]).imported().unwrap();
    assert!(text.contains("-> R.Tensor((1, 2, 10, 8), dtype=\"float32\")"), "{text}");
    assert!(text.contains("output_padding=[1, 1], dilation"), "{text}");
}

#[test]
fn pooling_counts_no_window_in_the_padding() {
    let pool = case(10, "MaxPool").input("x", FLOAT, &[1, 1, 2, 2]);
    let pool = pool.ints("kernel_shape", &[1, 1]).ints("strides", &[2, 2]).int("ceil_mode", 1);
    let text = pool.imported().unwrap();
    assert!(text.contains("-> R.Tensor((1, 1, 1, 1), dtype=\"float32\")"), "{text}");
}

#[test]
fn same_padding_is_as_long_as_the_operand_divided_by_the_stride() {
    let pool = |mode| {
        let pool = case(11, "MaxPool").input("x", FLOAT, &[1, 1, 7, 7]).text("auto_pad", mode);
        pool.ints("kernel_shape", &[4, 4]).ints("strides", &[2, 2]).imported().unwrap()
    };
    let (upper, lower) = (pool("SAME_UPPER"), pool("SAME_LOWER"));
    assert!(upper.contains("padding=[1, 1, 2, 2]") && upper.contains("-> R.Tensor((1, 1, 4, 4)"), "{upper}");
    assert!(lower.contains("padding=[2, 2, 1, 1]") && lower.contains("-> R.Tensor((1, 1, 4, 4)"), "{lower}");
}

#[test]
fn space_to_depth_has_both_orders() {
    let to_depth = |mode| {
        let node = case(13, "SpaceToDepth").input("x", FLOAT, &[1, 2, 4, 4]).int("blocksize", 2);
        node.text("mode", mode).imported().unwrap()
    };
    assert!(to_depth("DCR").contains("axes=[0, 3, 5, 1, 2, 4]"));
    assert!(to_depth("CRD").contains("axes=[0, 1, 3, 5, 2, 4]"));
}

#[test]
fn scale_of_one_element_serves_every_shape() {
    let quantized = |dims: &[i64]| {
        let node = case(13, "QuantizeLinear").input("x", FLOAT, dims).input("scale", FLOAT, &[1]);
        node.input("zero", UINT8, &[1]).calls()
    };
    assert_eq!(quantized(&[2, 3]), "quantize");
    assert_eq!(quantized(&[]), "quantize");
    let dequantized = case(13, "DequantizeLinear").input("x", UINT8, &[]).input("scale", FLOAT, &[2]);
    dequantized.check_refused("a tensor of one element, for an operand of rank 0");
}

#[test]
fn constants_are_cast_with_wrapping() {
    let bytes = [-1.3f32, 0.6, 256.9].into_iter().flat_map(f32::to_le_bytes).collect();
    let cast = case(13, "Cast").constant("x", FLOAT, &[3], bytes).int("to", UINT8.into());
    let text = cast.imported().unwrap();
    assert!(text.contains(r#"R.const([255, 0, 0], "uint8")"#), "{text}");
}

#[test]
fn a_fill_without_axes_is_broadcast() {
    let fill = case(20, "ConstantOfShape").constant("shape", INT64, &[0], Vec::new());
    fill.check(r#"R.broadcast_to(R.const(0.0, "float32"), R.shape([]))"#);
}

#[test]
fn a_kernel_of_unknown_size_needs_no_attribute() {
    let conv = || case(11, "Conv").input("x", FLOAT, &[1, 2, 6, 8]).input("w", FLOAT, &[4, 2, -1, 3]);
    assert_eq!(conv().calls(), "nn.conv2d");
    conv().text("auto_pad", "SAME_UPPER").check_refused("needs a kernel whose size is known");
}

#[test]
fn sizes_of_a_later_version_are_read_in_an_old_model() {
    let sizes = [1i64, 1, 4, 6].into_iter().flat_map(i64::to_le_bytes).collect();
    let mut resize = case(10, "Resize").input("x", FLOAT, &[1, 1, 2, 3]);
    resize.node().input.extend(["".into(), "".into()]);
    assert_eq!(resize.constant("sizes", INT64, &[4], sizes).calls(), "image.resize2d");
}

#[test]
fn results_beside_a_conditional_are_bound_at_the_end() {
    let graph = |node, result: &'static str| GraphProto {
        node: vec![node],
        output: vec![value_of(result, FLOAT, &[2])],
        ..GraphProto::default()
    };
    let branch = |name: &'static str, g| AttributeProto {
        name: name.into(),
        g: Some(Box::new(g)),
        ..AttributeProto::default()
    };
    let mut choice = node("choice", "If", &["c"], &["y"]);
    choice.attribute.push(branch("then_branch", graph(node("then", "Neg", &["a"], &["t"]), "t")));
    choice.attribute.push(branch("else_branch", graph(node("else", "Abs", &["a"], &["e"]), "e")));
    let graph = GraphProto {
        node: vec![node("relu", "Relu", &["x"], &["a"]), choice],
        input: vec![value_of("x", FLOAT, &[2]), value_of("c", BOOL, &[])],
        output: vec![value_of("y", FLOAT, &[2]), value_of("a", FLOAT, &[2])],
        ..GraphProto::default()
    };
    let text = Case { opset: 13, graph }.imported().unwrap();
    // The branches read the first one; the second one, behind the conditional, is the result.
    assert_eq!(text.matches("R.nn.relu(x)").count(), 2, "{text}");
}

#[test]
fn attention_of_onnx_is_written_out() {
    let attention = || {
        let q = case(23, "Attention").input("q", FLOAT, &[2, 4, 5, 8]);
        q.input("k", FLOAT, &[2, 2, 6, 8]).input("v", FLOAT, &[2, 2, 6, 8])
    };
    assert_eq!(attention().calls(), "multiply repeat permute_dims multiply matmul nn.softmax repeat matmul",);
    let causal = attention().int("is_causal", 1).calls();
    assert!(causal.contains("less_equal where add nn.softmax isnan where"), "{causal}");
    attention().int("left_window_size", 2).check_refused("windows are not supported");
}

#[test]
fn symbolic_lengths_meet_the_largest_common_shape() {
    let shape = &[-1, 3];
    let sum = case(13, "Sum").input("a", FLOAT, shape).input("b", FLOAT, &[1, 3]).calls();
    assert_eq!(sum, "broadcast_to broadcast_to stack sum");
    // Only a run knows if `n` is 2.
    assert_eq!(case(13, "Sum").input("a", FLOAT, shape).input("b", FLOAT, &[2, 3]).calls(), "add");
}
