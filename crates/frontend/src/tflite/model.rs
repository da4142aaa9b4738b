//! The tables of a model that the conversion needs, with valid indices.

use std::borrow::Cow;

use tvmscript_ir_core::DataType;

use super::flatbuffer::{Damaged, File, Table};
use super::schema::{self, CUSTOM, OPERATORS};

/// A model.
#[derive(Debug)]
pub(super) struct Model<'m> {
    pub(super) subgraphs: Vec<Subgraph<'m>>,
    pub(super) buffers: Vec<&'m [u8]>,
    /// Names that are not UTF-8, as they are read.
    pub(super) odd_names: Vec<String>,
}

/// A graph; the first one is the model's, operators call the others.
#[derive(Debug)]
pub(super) struct Subgraph<'m> {
    pub(super) tensors: Vec<Tensor<'m>>,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    /// In order of execution.
    pub(super) operators: Vec<Operator<'m>>,
}

/// A tensor.
#[derive(Debug)]
pub(super) struct Tensor<'m> {
    /// Name; empty if it has none.
    pub(super) name: String,
    pub(super) shape: Vec<i64>,
    pub(super) kind: Kind,
    /// Index of its buffer; that with index 0 is empty.
    pub(super) buffer: usize,
    pub(super) quantization: Option<Quantization>,
    /// `true` for the state of a layer, which is zero at first.
    pub(super) is_variable: bool,
    pub(super) sparsity: Option<Table<'m>>,
}

/// The type of a tensor, as its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(pub(super) i8);

impl Kind {
    const COMPLEX64: Kind = Kind(8);

    /// The element type; `None` if it is not supported. Complex numbers are pairs along a further axis.
    pub(super) fn dtype(self) -> Option<DataType> {
        Some(match self.0 {
            0 | 8 => DataType::FLOAT32,
            1 => DataType::float(16),
            2 => DataType::INT32,
            3 => DataType::uint(8),
            4 => DataType::INT64,
            6 => DataType::BOOL,
            7 => DataType::int(16),
            9 => DataType::int(8),
            10 => DataType::float(64),
            12 => DataType::uint(64),
            15 => DataType::uint(32),
            16 => DataType::uint(16),
            18 => DataType { code: tvmscript_ir_core::TypeCode::BFloat, bits: 16, lanes: 1 },
            _ => return None,
        })
    }

    /// The name of the type in messages.
    pub(super) fn name(self) -> String {
        let name = match self.0 {
            5 => "string",
            11 => "complex128",
            13 => "resource",
            14 => "variant",
            17 => "int4",
            number => {
                return self.dtype().map_or_else(|| format!("number {number}"), |dtype| dtype.to_string());
            }
        };
        name.to_owned()
    }
}

/// The meaning of quantized elements: `scale * (stored - zero_point)`.
#[derive(Debug, Clone)]
pub(super) struct Quantization {
    /// One for the tensor, or one for each index along the axis.
    pub(super) scales: Vec<f32>,
    /// One or as many as there are scales.
    pub(super) zero_points: Vec<i64>,
    pub(super) axis: i64,
}

/// An operator.
#[derive(Debug)]
pub(super) struct Operator<'m> {
    /// Name of a builtin operator; the code of a custom one.
    pub(super) name: Cow<'m, str>,
    /// Indices of tensors; `None` for operands that are left out.
    pub(super) inputs: Vec<Option<usize>>,
    pub(super) outputs: Vec<usize>,
    /// The options; those of newer operators are in another field.
    pub(super) options: Option<Table<'m>>,
    /// The options of a custom operator.
    pub(super) custom: &'m [u8],
}

impl<'m> Tensor<'m> {
    /// The shape here: that of complex numbers has a further axis.
    pub(super) fn dims(&self) -> Vec<i64> {
        let pair = (self.kind == Kind::COMPLEX64).then_some(2);
        self.shape.iter().copied().chain(pair).collect()
    }
}

/// The reason for which a model cannot be read.
type Read<T> = Result<T, String>;

fn damaged(damaged: Damaged) -> String {
    damaged.to_string()
}

/// Reads a model.
pub(super) fn decode<'m>(file: &'m File<'m>) -> Read<Model<'m>> {
    let root = file.root().map_err(damaged)?;
    let mut names = Names::default();
    let codes = root.tables(schema::Model::OperatorCodes).map_err(damaged)?;
    let codes = codes.into_iter().map(|code| operator_name(code, &mut names)).collect::<Result<Vec<_>, _>>();
    let codes = codes.map_err(damaged)?;
    let buffers = root.tables(schema::Model::Buffers).map_err(damaged)?;
    let buffers = buffers.into_iter().map(|table| buffer(file, table)).collect::<Result<Vec<_>, _>>();
    let buffers = buffers.map_err(damaged)?;
    let graphs = root.tables(schema::Model::Subgraphs).map_err(damaged)?;
    let mut subgraphs = Vec::new();
    for (index, table) in graphs.into_iter().enumerate() {
        let graph = subgraph(table, &codes, buffers.len(), &mut names);
        subgraphs.push(graph.map_err(|reason| format!("subgraph {index}: {reason}"))?);
    }
    if subgraphs.is_empty() {
        return Err("it has no subgraph".to_owned());
    }
    Ok(Model { subgraphs, buffers, odd_names: names.odd })
}

/// Texts of the model.
#[derive(Default)]
struct Names {
    odd: Vec<String>,
}

impl Names {
    fn read(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(text) = &text {
            self.odd.push(text.clone());
        }
        text.into_owned()
    }
}

fn operator_name<'m>(code: Table<'m>, names: &mut Names) -> Result<Cow<'m, str>, Damaged> {
    let old: i8 = code.scalar(schema::OperatorCode::DeprecatedBuiltinCode, 0i8)?;
    let number = code.scalar(schema::OperatorCode::BuiltinCode, 0i32)?.max(old.into());
    if number == CUSTOM {
        return Ok(Cow::Owned(names.read(code.bytes(schema::OperatorCode::CustomCode)?)));
    }
    let name = usize::try_from(number).ok().and_then(|number| OPERATORS.get(number));
    Ok(name.map_or_else(|| Cow::Owned(format!("BUILTIN_{number}")), |name| Cow::Borrowed(*name)))
}

fn buffer<'m>(file: &'m File<'m>, table: Table<'m>) -> Result<&'m [u8], Damaged> {
    // Offsets of 0 and 1 mean that the data is in the table.
    match table.scalar(schema::Buffer::Offset, 0u64)? {
        0 | 1 => table.bytes(schema::Buffer::Data),
        offset => file.range(offset, table.scalar(schema::Buffer::Size, 0u64)?),
    }
}

fn subgraph<'m>(
    table: Table<'m>,
    codes: &[Cow<'m, str>],
    buffers: usize,
    names: &mut Names,
) -> Read<Subgraph<'m>> {
    use schema::SubGraph as Field;
    let tensors = table.tables(Field::Tensors).map_err(damaged)?;
    let tensors = tensors.into_iter().map(|table| tensor(table, names)).collect::<Result<Vec<_>, _>>();
    let tensors = tensors.map_err(damaged)?;
    if let Some(tensor) = tensors.iter().find(|tensor| tensor.buffer != 0 && tensor.buffer >= buffers) {
        return Err(format!(
            "the tensor `{}` has the buffer {}, which does not exist",
            tensor.name, tensor.buffer
        ));
    }
    let count = tensors.len();
    let operators = table.tables(Field::Operators).map_err(damaged)?;
    let operators = operators.into_iter().enumerate().map(|(index, table)| {
        operator(table, codes, count).map_err(|reason| format!("operator {index}: {reason}"))
    });
    let operators = operators.collect::<Read<Vec<_>>>()?;
    Ok(Subgraph {
        inputs: indices(table, Field::Inputs, count)?,
        outputs: indices(table, Field::Outputs, count)?,
        tensors,
        operators,
    })
}

/// Indices of tensors, none of which may be left out.
fn indices(table: Table<'_>, field: impl Into<u16>, count: usize) -> Read<Vec<usize>> {
    optional_indices(table, field, count)?
        .into_iter()
        .map(|index| index.ok_or_else(|| "it uses a tensor with a negative index".to_owned()))
        .collect()
}

fn optional_indices(table: Table<'_>, field: impl Into<u16>, count: usize) -> Read<Vec<Option<usize>>> {
    let numbers: Vec<i32> = table.numbers(field).map_err(damaged)?.unwrap_or_default();
    numbers
        .into_iter()
        .map(|number| match usize::try_from(number) {
            Ok(index) if index < count => Ok(Some(index)),
            Ok(index) => Err(format!("it uses tensor {index}, and there are {count}")),
            Err(_) => Ok(None),
        })
        .collect()
}

fn tensor<'m>(table: Table<'m>, names: &mut Names) -> Result<Tensor<'m>, Damaged> {
    use schema::Tensor as Field;
    let shape: Vec<i32> = table.numbers(Field::Shape)?.unwrap_or_default();
    Ok(Tensor {
        name: names.read(table.bytes(Field::Name)?),
        shape: shape.into_iter().map(i64::from).collect(),
        kind: Kind(table.scalar(Field::Kind, 0i8)?),
        buffer: usize::try_from(table.scalar(Field::Buffer, 0u32)?).map_err(|_| Damaged::Outside)?,
        quantization: table.table(Field::Quantization)?.map(quantization).transpose()?.flatten(),
        is_variable: table.scalar(Field::IsVariable, 0u8)? != 0,
        sparsity: table.table(Field::Sparsity)?,
    })
}

fn quantization(table: Table<'_>) -> Result<Option<Quantization>, Damaged> {
    use schema::QuantizationParameters as Field;
    let Some(scales) = table.numbers::<f32>(Field::Scale)?.filter(|scales| !scales.is_empty()) else {
        return Ok(None);
    };
    let zero_points = table.numbers(Field::ZeroPoint)?.filter(|points| !points.is_empty());
    let axis = table.scalar(Field::QuantizedDimension, 0i32)?.into();
    Ok(Some(Quantization { scales, zero_points: zero_points.unwrap_or_else(|| vec![0]), axis }))
}

fn operator<'m>(table: Table<'m>, codes: &[Cow<'m, str>], count: usize) -> Read<Operator<'m>> {
    use schema::Operator as Field;
    let code = table.scalar(Field::OpcodeIndex, 0u32).map_err(damaged)?;
    let name = usize::try_from(code).ok().and_then(|code| codes.get(code));
    let name =
        name.ok_or_else(|| format!("it has the operator code {code}, and there are {}", codes.len()))?;
    let options = table.table(Field::BuiltinOptions).map_err(damaged)?;
    let newer = table.table(Field::BuiltinOptions2).map_err(damaged)?;
    Ok(Operator {
        name: name.clone(),
        inputs: optional_indices(table, Field::Inputs, count)?,
        outputs: indices(table, Field::Outputs, count)?,
        options: newer.or(options),
        custom: table.bytes(Field::CustomOptions).map_err(damaged)?,
    })
}
