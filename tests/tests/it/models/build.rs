//! Models of ONNX made in the test.

use tvmscript::frontend::onnx::proto::*;

/// An input or output of `float32`.
pub(super) fn value(name: &str, dims: &[i64]) -> ValueInfoProto {
    value_of(name, 1, dims)
}

/// An input or output of a type; dimensions below 0 are unknown and called `n`.
pub(crate) fn value_of(name: &str, elem_type: i32, dims: &[i64]) -> ValueInfoProto {
    let dim = |dim: &i64| match *dim {
        ..0 => DimensionProto { dim_value: None, dim_param: Some("n".into()) },
        dim => DimensionProto { dim_value: Some(dim), dim_param: None },
    };
    let shape = TensorShapeProto { dim: dims.iter().map(dim).collect() };
    let tensor = TensorTypeProto { elem_type, shape: Some(shape) };
    let of = TypeProto { tensor_type: Some(tensor), ..TypeProto::default() };
    ValueInfoProto { name: name.to_owned().into(), r#type: Some(of) }
}

/// A constant of `float32`.
pub(super) fn tensor(name: &str, dims: &[i64], values: Vec<f32>) -> TensorProto {
    TensorProto {
        name: name.to_owned().into(),
        dims: dims.to_vec(),
        data_type: 1,
        float_data: values,
        ..TensorProto::default()
    }
}

/// A constant of small numbers that depend on its name alone.
pub(super) fn weights(name: &str, dims: &[i64]) -> TensorProto {
    let mut state = name.bytes().fold(1u32, |state, byte| state.wrapping_mul(31).wrapping_add(byte.into()));
    let count = dims.iter().product::<i64>();
    let values = (0..count).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 20) as f32 - 2048.0) / 8192.0
    });
    tensor(name, dims, values.collect())
}

/// A node.
pub(crate) fn node(name: &str, op: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned().into()).collect();
    NodeProto {
        name: name.to_owned().into(),
        op_type: op.to_owned().into(),
        input: names(inputs),
        output: names(outputs),
        ..NodeProto::default()
    }
}

/// A node with attributes that are lists of integers; a list of one is an integer, too.
pub(super) fn node_with(mut node: NodeProto, attributes: &[(&str, &[i64])]) -> NodeProto {
    let attribute = |(name, ints): &(&str, &[i64])| AttributeProto {
        name: (*name).to_owned().into(),
        i: ints.first().copied().filter(|_| ints.len() == 1),
        ints: ints.to_vec(),
        ..AttributeProto::default()
    };
    node.attribute.extend(attributes.iter().map(attribute));
    node
}

/// A model of operator set 17.
pub(super) fn model(graph: GraphProto) -> Vec<u8> {
    model_of(17, graph)
}

/// A model of an operator set.
pub(crate) fn model_of(opset: i64, graph: GraphProto) -> Vec<u8> {
    use prost::Message as _;
    let opset = OperatorSetIdProto { version: opset, ..OperatorSetIdProto::default() };
    let model = ModelProto {
        ir_version: Some(8),
        opset_import: vec![opset],
        graph: Some(graph),
        functions: Vec::new(),
    };
    model.encode_to_vec()
}

/// A small convolutional network: two convolutions with normalization, a residual sum, pooling, a linear layer.
pub(super) fn convnet() -> Vec<u8> {
    let pads: (&str, &[i64]) = ("pads", &[1, 1, 1, 1]);
    let conv = |name: &str, input: &str, weight: &str, output: &str| {
        node_with(node(name, "Conv", &[input, weight], &[output]), &[pads, ("kernel_shape", &[3, 3])])
    };
    let norm = |layer: &str, input: &str, output: &str| {
        let of = |part: &str| format!("{layer}.{part}");
        let inputs = [input.to_owned(), of("scale"), of("bias"), of("mean"), of("var")];
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        node(&format!("{layer}/norm"), "BatchNormalization", &inputs, &[output])
    };
    let mut initializer = vec![
        weights("stem.weight", &[8, 3, 3, 3]),
        weights("block.weight", &[8, 8, 3, 3]),
        weights("head.weight", &[10, 8]),
        weights("head.bias", &[10]),
    ];
    for layer in ["stem", "block"] {
        for part in ["scale", "bias", "mean"] {
            initializer.push(weights(&format!("{layer}.{part}"), &[8]));
        }
        initializer.push(tensor(&format!("{layer}.var"), &[8], vec![1.0; 8]));
    }
    let node = vec![
        conv("stem/conv", "image", "stem.weight", "t0"),
        norm("stem", "t0", "t1"),
        node("stem/relu", "Relu", &["t1"], &["t2"]),
        node_with(
            node("stem/pool", "MaxPool", &["t2"], &["t3"]),
            &[("kernel_shape", &[2, 2]), ("strides", &[2, 2])],
        ),
        conv("block/conv", "t3", "block.weight", "t4"),
        norm("block", "t4", "t5"),
        node("block/sum", "Add", &["t5", "t3"], &["t6"]),
        node("block/relu", "Relu", &["t6"], &["t7"]),
        node("head/pool", "GlobalAveragePool", &["t7"], &["t8"]),
        node("head/flatten", "Flatten", &["t8"], &["t9"]),
        node_with(
            node("head/linear", "Gemm", &["t9", "head.weight", "head.bias"], &["t10"]),
            &[("transB", &[1])],
        ),
        node("head/softmax", "Softmax", &["t10"], &["scores"]),
    ];
    let (input, output) = (vec![value("image", &[1, 3, 16, 16])], vec![value("scores", &[1, 10])]);
    model(GraphProto { node, initializer, input, output, ..GraphProto::default() })
}
