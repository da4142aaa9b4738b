//! The messages of ONNX models that are read, with their field numbers. All other fields are skipped.
//!
//! Names are bytes, so that a name that is no UTF-8 does not make the whole model unreadable.
//!
//! Schema: `onnx/onnx-ml.proto` of ONNX 1.23.

use bytes::Bytes;
use prost::Message;

/// A model.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// Version of the format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The operator sets that the model uses.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// The graph.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Functions that nodes call like operators.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// A version of an operator set.
#[derive(Clone, PartialEq, Message)]
pub struct OperatorSetIdProto {
    /// Name of the set; empty or `ai.onnx` for that of ONNX.
    #[prost(bytes = "bytes", tag = "1")]
    pub domain: Bytes,
    /// Version.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A graph of nodes.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// Nodes, in topological order.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Constants.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Constants with few elements other than zero.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
    /// Parameters.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Results.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Types of other values.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
}

/// A call of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Names of the operands; empty for one that is left out.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub input: Vec<Bytes>,
    /// Names of the results.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub output: Vec<Bytes>,
    /// Name of the node.
    #[prost(bytes = "bytes", tag = "3")]
    pub name: Bytes,
    /// Name of the operator.
    #[prost(bytes = "bytes", tag = "4")]
    pub op_type: Bytes,
    /// Name of the operator set.
    #[prost(bytes = "bytes", tag = "7")]
    pub domain: Bytes,
    /// The variant of a function of the model.
    #[prost(bytes = "bytes", tag = "8")]
    pub overload: Bytes,
    /// Attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
}

/// A named attribute.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// In functions: the attribute of the call that this one is.
    #[prost(bytes = "bytes", tag = "21")]
    pub ref_attr_name: Bytes,
    /// The field that holds the value; 0 in old models.
    #[prost(int32, tag = "20")]
    pub r#type: i32,
    /// A number.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// Text.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub s: Option<Bytes>,
    /// A tensor.
    #[prost(message, optional, boxed, tag = "5")]
    pub t: Option<Box<TensorProto>>,
    /// A graph.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// Numbers.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    /// Texts.
    #[prost(bytes = "bytes", repeated, tag = "9")]
    pub strings: Vec<Bytes>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// A sparse tensor.
    #[prost(message, optional, boxed, tag = "22")]
    pub sparse_tensor: Option<Box<SparseTensorProto>>,
}

/// A tensor with its elements, in the field of their type, as raw bytes or in another file.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Number of elements along each axis.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Element type.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Elements of `float32`.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements of the types with at most 32 bits.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Texts.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub string_data: Vec<Bytes>,
    /// Elements of `int64`.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// Name.
    #[prost(bytes = "bytes", tag = "8")]
    pub name: Bytes,
    /// Elements of any type, little-endian.
    #[prost(bytes = "bytes", optional, tag = "9")]
    pub raw_data: Option<Bytes>,
    /// Elements of `float64`.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Elements of `uint32` and `uint64`.
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// Place of the elements in another file: `location`, `offset`, `length`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1 if the elements are in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}

/// A pair of texts.
#[derive(Clone, PartialEq, Message)]
pub struct StringStringEntryProto {
    /// Key.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Value.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

/// A sparse tensor.
#[derive(Clone, PartialEq, Message)]
pub struct SparseTensorProto {
    /// The elements other than zero; their tensor has the name.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
}

/// A named value.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// Type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// A type; neither tensor nor sequence for the others.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// A tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
    /// A sequence of values of one type.
    #[prost(message, optional, boxed, tag = "4")]
    pub sequence_type: Option<Box<ElementTypeProto>>,
    /// A value that may be absent.
    #[prost(message, optional, boxed, tag = "9")]
    pub optional_type: Option<Box<ElementTypeProto>>,
}

/// The type of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeProto {
    /// Element type.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Shape; absent if the rank is unknown.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The type of the elements of a sequence or optional.
#[derive(Clone, PartialEq, Message)]
pub struct ElementTypeProto {
    /// Type.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// A shape.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// Dimensions.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// A dimension: a number, a name or neither.
#[derive(Clone, PartialEq, Message)]
pub struct DimensionProto {
    /// Length.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
    /// Name or expression.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub dim_param: Option<Bytes>,
}

/// A function of the model.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionProto {
    /// Name, as an operator.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// Parameters.
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub input: Vec<Bytes>,
    /// Results.
    #[prost(bytes = "bytes", repeated, tag = "5")]
    pub output: Vec<Bytes>,
    /// Names of the attributes without a default.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub attribute: Vec<Bytes>,
    /// Attributes with defaults.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// Nodes.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// The operator sets that its nodes use.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Operator set of the function.
    #[prost(bytes = "bytes", tag = "10")]
    pub domain: Bytes,
    /// The variant, of several functions of one name.
    #[prost(bytes = "bytes", tag = "13")]
    pub overload: Bytes,
}
