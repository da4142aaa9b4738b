//! The text of a program: graph, signature and ranges of symbols.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};
use tvmscript_ir_core::{DataType, TypeCode};

use super::argument::Argument;

/// A program.
#[derive(Debug, Deserialize)]
pub(super) struct Program {
    pub(super) schema_version: Version,
    pub(super) graph_module: GraphModule,
    /// Least and greatest values by symbol.
    #[serde(default)]
    pub(super) range_constraints: Map<String, Json>,
}

/// A version of the format.
#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub(super) major: i64,
    pub(super) minor: i64,
}

/// A graph with the meaning of its inputs and outputs.
#[derive(Debug, Deserialize)]
pub(super) struct GraphModule {
    pub(super) graph: Graph,
    pub(super) signature: Signature,
}

/// A graph.
#[derive(Debug, Deserialize)]
pub(super) struct Graph {
    pub(super) inputs: Vec<Argument>,
    pub(super) outputs: Vec<Argument>,
    pub(super) nodes: Vec<NodeProto>,
    #[serde(default)]
    pub(super) tensor_values: HashMap<String, TensorMeta>,
}

/// A node.
#[derive(Debug, Deserialize)]
pub(super) struct NodeProto {
    pub(super) target: String,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Argument>,
    #[serde(default)]
    pub(super) metadata: HashMap<String, Json>,
    /// An operator on graphs has one result, not a tuple of one.
    #[serde(default)]
    is_hop_single_tensor_return: Option<bool>,
}

/// An argument with its name and kind.
#[derive(Debug, Deserialize)]
pub(super) struct Input {
    #[serde(default)]
    pub(super) name: String,
    pub(super) arg: Argument,
    #[serde(default)]
    kind: Option<i64>,
}

impl Input {
    /// Returns `true` for arguments by name.
    pub(super) fn is_keyword(&self) -> bool {
        self.kind == Some(2)
    }
}

/// Results of a node.
pub(super) enum Results<'a> {
    /// One value.
    One(&'a Argument),
    /// The fields of a tuple, which are elements of their own in the graph.
    Fields(&'a [Argument]),
}

impl NodeProto {
    /// The operator without the namespace that all have.
    pub(super) fn operator(&self) -> &str {
        self.target.strip_prefix("torch.ops.").unwrap_or(&self.target)
    }

    /// The name of the operator without namespace and overload.
    pub(super) fn kind(&self) -> &str {
        let operator = self.operator();
        let mut parts = operator.split('.');
        match (parts.next(), parts.next()) {
            (_, Some(kind)) => kind,
            _ => operator,
        }
    }

    /// The path of the innermost module that the node belongs to; empty outside modules.
    pub(super) fn module_path(&self) -> &str {
        let stack = self.metadata.get("nn_module_stack").and_then(Json::as_str).unwrap_or_default();
        let innermost = stack.rsplit(';').next().unwrap_or_default();
        // A key may have commas, a path and a type do not.
        let mut parts = innermost.rsplit(',');
        parts.nth(1).unwrap_or_default()
    }

    /// The results.
    pub(super) fn results(&self) -> Results<'_> {
        let is_tuple_of_one = self.is_hop_single_tensor_return == Some(false)
            && self.target.starts_with("torch.ops.higher_order.");
        match self.outputs.as_slice() {
            [Argument::List(items)] => Results::Fields(items),
            [one] if !is_tuple_of_one => Results::One(one),
            fields => Results::Fields(fields),
        }
    }

    /// The graphs among the arguments.
    pub(super) fn graphs(&self) -> impl Iterator<Item = &Graph> {
        self.inputs.iter().filter_map(|input| match &input.arg {
            Argument::Graph(graph) => Some(&**graph),
            _ => None,
        })
    }
}

/// Type and shape of a tensor.
#[derive(Debug, Deserialize)]
pub(super) struct TensorMeta {
    dtype: i64,
    pub(super) sizes: Vec<Size>,
    #[serde(default)]
    pub(super) strides: Vec<Size>,
    #[serde(default)]
    pub(super) storage_offset: Option<Size>,
    #[serde(default)]
    pub(super) layout: Option<i64>,
}

impl TensorMeta {
    /// The element type.
    pub(super) fn dtype(&self) -> Result<DataType, String> {
        element_type(self.dtype)
    }
}

/// The layout of tensors that are not sparse.
pub(super) const STRIDED: i64 = 7;

/// A length.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Size {
    /// A number.
    AsInt(i64),
    /// A formula.
    AsExpr {
        /// The formula as Python text.
        expr_str: String,
    },
}

/// The data type with a number of PyTorch.
pub(super) fn element_type(number: i64) -> Result<DataType, String> {
    let of = |code, bits| DataType { code, bits, lanes: 1 };
    Ok(match number {
        1 => DataType::uint(8),
        2 => DataType::int(8),
        3 => DataType::int(16),
        4 => DataType::INT32,
        5 => DataType::INT64,
        6 => DataType::float(16),
        7 => DataType::FLOAT32,
        8 => DataType::float(64),
        12 => DataType::BOOL,
        13 => of(TypeCode::BFloat, 16),
        28 => DataType::uint(16),
        29 => of(TypeCode::Float8E4M3Fn, 8),
        30 => of(TypeCode::Float8E5M2, 8),
        31 => of(TypeCode::Float8E4M3Fnuz, 8),
        32 => of(TypeCode::Float8E5M2Fnuz, 8),
        9..=11 => return Err("complex numbers are not supported".to_owned()),
        other => return Err(format!("the element type {other} is not supported")),
    })
}

/// The meaning of inputs and outputs.
#[derive(Debug, Deserialize)]
pub(super) struct Signature {
    pub(super) input_specs: Vec<InputSpec>,
    pub(super) output_specs: Vec<Map<String, Json>>,
}

/// The name of a value in the graph.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

/// The meaning of an input.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InputSpec {
    /// An input of the user.
    UserInput { arg: Argument },
    /// A weight.
    Parameter { arg: Named, parameter_name: String },
    /// A tensor that is not trained.
    Buffer { arg: Named, buffer_name: String },
    /// A constant.
    TensorConstant { arg: Named, tensor_constant_name: String },
    /// A number or text that is fixed.
    ConstantInput(IgnoredAny),
    /// An object of another kind.
    CustomObj(IgnoredAny),
    /// The order of effects.
    Token(IgnoredAny),
}
