//! Models of ONNX, encoded byte by byte, and imports of them.

use crate::common::{Ran, file, run};

// --- protobuf ----------------------------------------------------------------------------------------------------

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub(crate) fn int(tag: u64, value: i64) -> Vec<u8> {
    [varint(tag << 3), varint(value as u64)].concat()
}

pub(crate) fn bytes(tag: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    [varint(tag << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

// --- messages of ONNX --------------------------------------------------------------------------------------------

pub(crate) const FLOAT: i64 = 1;
pub(crate) const INT64: i64 = 7;
pub(crate) const BOOL: i64 = 9;

pub(crate) fn node(op: &str, inputs: &[&str], outputs: &[&str]) -> Vec<u8> {
    let inputs = inputs.iter().flat_map(|name| bytes(1, name));
    let outputs = outputs.iter().flat_map(|name| bytes(2, name));
    inputs.chain(outputs).chain(bytes(4, op)).collect()
}

pub(crate) fn with(node: Vec<u8>, further: &[Vec<u8>]) -> Vec<u8> {
    [node, further.concat()].concat()
}

pub(crate) fn named(name: &str) -> Vec<u8> {
    bytes(3, name)
}

pub(crate) fn domain(name: &str) -> Vec<u8> {
    bytes(7, name)
}

/// An attribute of a node, with its value.
pub(crate) fn attribute(name: &str, value: Vec<u8>) -> Vec<u8> {
    bytes(5, [bytes(1, name), value].concat())
}

pub(crate) fn attr_int(name: &str, value: i64) -> Vec<u8> {
    attribute(name, int(3, value))
}

pub(crate) fn attr_ints(name: &str, values: &[i64]) -> Vec<u8> {
    attribute(name, values.iter().flat_map(|value| int(8, *value)).collect())
}

pub(crate) fn attr_graph(name: &str, graph: Vec<u8>) -> Vec<u8> {
    attribute(name, bytes(6, graph))
}

pub(crate) fn attr_reference(name: &str, of: &str) -> Vec<u8> {
    attribute(name, [bytes(21, of), int(20, 7)].concat())
}

pub(crate) fn tensor(name: &str, dtype: i64, dims: &[i64], raw: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|dim| int(1, *dim)).collect();
    [dims, int(2, dtype), bytes(8, name), bytes(9, raw)].concat()
}

pub(crate) fn int64s(name: &str, values: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    tensor(name, INT64, &[values.len() as i64], &raw)
}

/// A value with a type; dimensions are numbers or names.
pub(crate) fn value(name: &str, dtype: i64, dims: &[&str]) -> Vec<u8> {
    let dim = |dim: &&str| match dim.parse::<i64>() {
        Ok(length) => bytes(1, int(1, length)),
        Err(_) => bytes(1, bytes(2, dim)),
    };
    let shape: Vec<u8> = dims.iter().flat_map(dim).collect();
    [bytes(1, name), bytes(2, bytes(1, [int(1, dtype), bytes(2, shape)].concat()))].concat()
}

#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Vec<u8>>,
    pub(crate) inputs: Vec<Vec<u8>>,
    pub(crate) outputs: Vec<&'static str>,
    pub(crate) constants: Vec<Vec<u8>>,
    /// Further fields.
    pub(crate) further: Vec<Vec<u8>>,
}

impl Graph {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let list =
            |tag: u64, all: &[Vec<u8>]| -> Vec<u8> { all.iter().flat_map(|one| bytes(tag, one)).collect() };
        let outputs: Vec<Vec<u8>> = self.outputs.iter().map(|name| bytes(1, name)).collect();
        let parts = [
            list(1, &self.nodes),
            list(5, &self.constants),
            list(11, &self.inputs),
            list(12, &outputs),
            self.further.concat(),
        ];
        parts.concat()
    }

    pub(crate) fn model(&self) -> Vec<u8> {
        model_of(self.encode(), 18, &[])
    }
}

pub(crate) fn model_of(graph: Vec<u8>, opset: i64, functions: &[Vec<u8>]) -> Vec<u8> {
    let functions: Vec<u8> = functions.iter().flat_map(|function| bytes(25, function)).collect();
    [int(1, 8), bytes(8, int(2, opset)), bytes(7, graph), functions].concat()
}

pub(crate) fn function(name: &str, inputs: &[&str], outputs: &[&str], nodes: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| bytes(4, name)).collect();
    let outputs: Vec<u8> = outputs.iter().flat_map(|name| bytes(5, name)).collect();
    let nodes: Vec<u8> = nodes.iter().flat_map(|node| bytes(7, node)).collect();
    [bytes(1, name), inputs, outputs, nodes, bytes(9, int(2, 18)), bytes(10, "my")].concat()
}

pub(crate) fn import(model: &[u8], options: &[&str]) -> Ran {
    let file = file("model.onnx", model);
    run(&[&["import", &file][..], options].concat())
}

/// The text of an imported model, which reads back alone.
pub(crate) fn imported(model: &[u8], options: &[&str]) -> String {
    let ran = import(model, options);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let text = file("model.py", &ran.stdout);
    let checked = run(&["roundtrip", "--profile", "tvm-0.27", &text]);
    assert_eq!(checked.status, 0, "{}\n{}", checked.stderr, ran.stdout);
    ran.stdout
}

pub(crate) fn refused(model: &[u8], options: &[&str]) -> String {
    let ran = import(model, options);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    ran.stderr
}
