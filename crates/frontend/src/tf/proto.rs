//! The messages of TensorFlow models that are read, with their field numbers. All other fields are skipped.
//!
//! Names are bytes, so that a name that is no UTF-8 does not make the whole model unreadable. Maps are lists of entries,
//! as they are stored.
//!
//! Schema: `tensorflow/core/framework/*.proto`, `tensorflow/core/protobuf/*.proto` of TensorFlow 2.21.

use bytes::Bytes;
use prost::Message;

/// A graph with the functions that it calls.
#[derive(Clone, PartialEq, Message)]
pub struct GraphDef {
    /// Nodes, in any order.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeDef>,
    /// Functions.
    #[prost(message, optional, tag = "2")]
    pub library: Option<FunctionDefLibrary>,
}

/// A call of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeDef {
    /// Name of the node, unique in its graph.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// Name of the operator.
    #[prost(bytes = "bytes", tag = "2")]
    pub op: Bytes,
    /// Operands: `node`, `node:1` for a later result, `^node` for an order without a value.
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub input: Vec<Bytes>,
    /// Attributes.
    #[prost(message, repeated, tag = "5")]
    pub attr: Vec<AttrEntry>,
}

/// A named attribute.
#[derive(Clone, PartialEq, Message)]
pub struct AttrEntry {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AttrValue>,
}

/// The value of an attribute: the one field that is there.
#[derive(Clone, PartialEq, Message)]
pub struct AttrValue {
    /// A list.
    #[prost(message, optional, tag = "1")]
    pub list: Option<ListValue>,
    /// Text.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub s: Option<Bytes>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A number.
    #[prost(float, optional, tag = "4")]
    pub f: Option<f32>,
    /// A flag.
    #[prost(bool, optional, tag = "5")]
    pub b: Option<bool>,
    /// The number of an element type.
    #[prost(int32, optional, tag = "6")]
    pub r#type: Option<i32>,
    /// A shape.
    #[prost(message, optional, tag = "7")]
    pub shape: Option<TensorShapeProto>,
    /// A tensor.
    #[prost(message, optional, tag = "8")]
    pub tensor: Option<TensorProto>,
    /// A function.
    #[prost(message, optional, tag = "10")]
    pub func: Option<NameAttrList>,
}

/// A list of values of one kind.
#[derive(Clone, PartialEq, Message)]
pub struct ListValue {
    /// Integers.
    #[prost(int64, repeated, tag = "3")]
    pub i: Vec<i64>,
    /// Numbers.
    #[prost(float, repeated, tag = "4")]
    pub f: Vec<f32>,
    /// Texts.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub s: Vec<Bytes>,
    /// Functions.
    #[prost(message, repeated, tag = "9")]
    pub func: Vec<NameAttrList>,
}

/// The name of a function.
#[derive(Clone, PartialEq, Message)]
pub struct NameAttrList {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
}

/// A shape.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// Dimensions.
    #[prost(message, repeated, tag = "2")]
    pub dim: Vec<DimProto>,
    /// `true` if nothing is known.
    #[prost(bool, tag = "3")]
    pub unknown_rank: bool,
}

/// A dimension.
#[derive(Clone, PartialEq, Message)]
pub struct DimProto {
    /// Length; -1 if it is unknown.
    #[prost(int64, tag = "1")]
    pub size: i64,
}

/// A tensor: raw bytes, or elements in the field of their type, the last of which repeats.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Number of the element type.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Shape.
    #[prost(message, optional, tag = "2")]
    pub tensor_shape: Option<TensorShapeProto>,
    /// Elements in row-major order, little-endian.
    #[prost(bytes = "bytes", tag = "4")]
    pub tensor_content: Bytes,
    /// Elements of `float32`.
    #[prost(float, repeated, tag = "5")]
    pub float_val: Vec<f32>,
    /// Elements of `float64`.
    #[prost(double, repeated, tag = "6")]
    pub double_val: Vec<f64>,
    /// Elements of small integers and `int32`.
    #[prost(int32, repeated, tag = "7")]
    pub int_val: Vec<i32>,
    /// Texts.
    #[prost(bytes = "bytes", repeated, tag = "8")]
    pub string_val: Vec<Bytes>,
    /// Elements of `int64`.
    #[prost(int64, repeated, tag = "10")]
    pub int64_val: Vec<i64>,
    /// Elements of `bool`.
    #[prost(bool, repeated, tag = "11")]
    pub bool_val: Vec<bool>,
    /// Bits of elements of `float16` and `bfloat16`.
    #[prost(int32, repeated, tag = "13")]
    pub half_val: Vec<i32>,
    /// Elements of `uint32`.
    #[prost(uint32, repeated, tag = "16")]
    pub uint32_val: Vec<u32>,
    /// Elements of `uint64`.
    #[prost(uint64, repeated, tag = "17")]
    pub uint64_val: Vec<u64>,
    /// Bits of elements of `float8`.
    #[prost(bytes = "bytes", tag = "18")]
    pub float8_val: Bytes,
}

/// The functions of a graph.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionDefLibrary {
    /// Functions.
    #[prost(message, repeated, tag = "1")]
    pub function: Vec<FunctionDef>,
}

/// A function.
#[derive(Clone, PartialEq, Message)]
pub struct FunctionDef {
    /// Name, parameters and results.
    #[prost(message, optional, tag = "1")]
    pub signature: Option<OpDef>,
    /// Nodes, in any order.
    #[prost(message, repeated, tag = "3")]
    pub node_def: Vec<NodeDef>,
    /// For each result the value: `node:output:0`, or the name of a parameter.
    #[prost(message, repeated, tag = "4")]
    pub ret: Vec<TextEntry>,
}

/// The signature of a function.
#[derive(Clone, PartialEq, Message)]
pub struct OpDef {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// Parameters.
    #[prost(message, repeated, tag = "2")]
    pub input_arg: Vec<ArgDef>,
    /// Results.
    #[prost(message, repeated, tag = "3")]
    pub output_arg: Vec<ArgDef>,
}

/// A parameter or result of a function.
#[derive(Clone, PartialEq, Message)]
pub struct ArgDef {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
}

/// An entry of a map from text to text.
#[derive(Clone, PartialEq, Message)]
pub struct TextEntry {
    /// Key.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Value.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

/// A saved model.
#[derive(Clone, PartialEq, Message)]
pub struct SavedModel {
    /// Version of the format.
    #[prost(int64, tag = "1")]
    pub saved_model_schema_version: i64,
    /// Graphs, for different uses.
    #[prost(message, repeated, tag = "2")]
    pub meta_graphs: Vec<MetaGraphDef>,
}

/// A graph of a saved model.
#[derive(Clone, PartialEq, Message)]
pub struct MetaGraphDef {
    /// Tags.
    #[prost(message, optional, tag = "1")]
    pub meta_info_def: Option<MetaInfoDef>,
    /// The graph.
    #[prost(message, optional, tag = "2")]
    pub graph_def: Option<GraphDef>,
    /// Inputs and outputs for each use.
    #[prost(message, repeated, tag = "5")]
    pub signature_def: Vec<SignatureEntry>,
}

/// Facts about a graph.
#[derive(Clone, PartialEq, Message)]
pub struct MetaInfoDef {
    /// Uses of the graph: `serve`, `train`.
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub tags: Vec<Bytes>,
}

/// A named signature.
#[derive(Clone, PartialEq, Message)]
pub struct SignatureEntry {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Signature.
    #[prost(message, optional, tag = "2")]
    pub value: Option<SignatureDef>,
}

/// Inputs and outputs of a graph.
#[derive(Clone, PartialEq, Message)]
pub struct SignatureDef {
    /// Inputs.
    #[prost(message, repeated, tag = "1")]
    pub inputs: Vec<TensorInfoEntry>,
    /// Outputs.
    #[prost(message, repeated, tag = "2")]
    pub outputs: Vec<TensorInfoEntry>,
}

/// A named value of the graph.
#[derive(Clone, PartialEq, Message)]
pub struct TensorInfoEntry {
    /// Name.
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    /// Value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<TensorInfo>,
}

/// A value of the graph.
#[derive(Clone, PartialEq, Message)]
pub struct TensorInfo {
    /// The value: `node:0`.
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    /// Number of the element type.
    #[prost(int32, tag = "2")]
    pub dtype: i32,
    /// Shape.
    #[prost(message, optional, tag = "3")]
    pub tensor_shape: Option<TensorShapeProto>,
}

/// The first entry of the index of variables.
#[derive(Clone, PartialEq, Message)]
pub struct BundleHeaderProto {
    /// Number of files with elements.
    #[prost(int32, tag = "1")]
    pub num_shards: i32,
    /// Order of bytes: 0 is little-endian.
    #[prost(int32, tag = "2")]
    pub endianness: i32,
}

/// The place of a variable's elements.
#[derive(Clone, PartialEq, Message)]
pub struct BundleEntryProto {
    /// Number of the element type.
    #[prost(int32, tag = "1")]
    pub dtype: i32,
    /// Shape.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
    /// Number of the file.
    #[prost(int32, tag = "3")]
    pub shard_id: i32,
    /// Position of the first byte.
    #[prost(int64, tag = "4")]
    pub offset: i64,
    /// Number of bytes.
    #[prost(int64, tag = "5")]
    pub size: i64,
    /// Parts, if the variable is stored in several.
    #[prost(message, repeated, tag = "7")]
    pub slices: Vec<SliceProto>,
}

/// A part of a variable.
#[derive(Clone, PartialEq, Message)]
pub struct SliceProto {}

/// The objects that a checkpoint was made of.
#[derive(Clone, PartialEq, Message)]
pub struct ObjectGraph {
    /// Objects.
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<TrackableObject>,
}

/// An object.
#[derive(Clone, PartialEq, Message)]
pub struct TrackableObject {
    /// Its tensors.
    #[prost(message, repeated, tag = "2")]
    pub attributes: Vec<SerializedTensor>,
}

/// A tensor of an object.
#[derive(Clone, PartialEq, Message)]
pub struct SerializedTensor {
    /// Name of the variable.
    #[prost(bytes = "bytes", tag = "2")]
    pub full_name: Bytes,
    /// Its key in the index.
    #[prost(bytes = "bytes", tag = "3")]
    pub checkpoint_key: Bytes,
}
