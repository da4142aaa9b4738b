//! `R.const`: tensors from numbers.

use tvmscript_ir::build::elided_tensor;
use tvmscript_ir_core::arithmetic;
use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::json::base64;
use tvmscript_ir_core::tensor::byte_count;
use tvmscript_ir_core::{DataType, Ref, Str, TypeCode, with_stack};
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptValue, script_fn};

use crate::node::Constant;

/// The kind of the numbers of a nested list, in the order of numpy's promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NumberKind {
    Bool,
    Int,
    Float,
}

/// A float without a literal, written as text: `nan`, `inf`.
fn odd_float(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| !value.is_finite())
}

/// Determines the shape of a nested list and the kind of its numbers.
fn scan_list(
    value: &ScriptValue,
    shape: &mut Vec<i64>,
    depth: usize,
    kind: &mut NumberKind,
) -> BuildResult<()> {
    let found = match value {
        ScriptValue::Bool(_) => NumberKind::Bool,
        ScriptValue::Int(_) | ScriptValue::BigInt(_) => NumberKind::Int,
        ScriptValue::Float(_) => NumberKind::Float,
        ScriptValue::Str(text) if odd_float(text).is_some() => NumberKind::Float,
        other => {
            let Some(items) = other.items() else {
                return Err(BuildError::expected("a number, or nested lists of numbers", other.type_name()));
            };
            let length = items.len() as i64;
            match shape.get(depth) {
                None => shape.push(length),
                Some(known) if *known == length => {}
                Some(known) => {
                    let message = format!(
                        "the nested lists of a constant have different lengths: {known} and {length}"
                    );
                    return Err(BuildError::message(message));
                }
            }
            return items.iter().try_for_each(|item| with_stack(|| scan_list(item, shape, depth + 1, kind)));
        }
    };
    if depth != shape.len() {
        return Err(BuildError::message("the lists of a constant have different depths"));
    }
    *kind = (*kind).max(found);
    Ok(())
}

fn for_each_number<'a>(
    value: &ScriptValue,
    put: &mut (dyn FnMut(&ScriptValue) -> BuildResult<()> + 'a),
) -> BuildResult<()> {
    match value {
        ScriptValue::List(_) | ScriptValue::Tuple(_) => value
            .items()
            .unwrap_or_default()
            .iter()
            .try_for_each(|item| with_stack(|| for_each_number(item, put))),
        number => put(number),
    }
}

/// Appends the bytes of an element, little-endian.
fn encode(value: &ScriptValue, dtype: DataType, out: &mut Vec<u8>) -> BuildResult<()> {
    let (int, float) = match value {
        ScriptValue::Bool(b) => (i64::from(*b), f64::from(u8::from(*b))),
        ScriptValue::Int(i) => (*i, *i as f64),
        ScriptValue::Float(f) => (*f as i64, *f),
        ScriptValue::Str(text) => (0, odd_float(text).unwrap_or(f64::NAN)),
        other => {
            return Err(BuildError::message(format!(
                "the number {} does not fit 64 bits",
                other.type_name()
            )));
        }
    };
    let bytes = usize::from(dtype.bits / 8).clamp(1, 8);
    match dtype.code {
        TypeCode::Bool => out.push(u8::from(float != 0.0)),
        TypeCode::Int | TypeCode::UInt => out.extend(int.to_le_bytes().iter().take(bytes)),
        _ => match arithmetic::float_to_bits(dtype, float) {
            Some(bits) => out.extend(bits.to_le_bytes().iter().take(bytes)),
            None => {
                return Err(BuildError::message(format!(
                    "constants of type `{dtype}` must be in the metadata section"
                )));
            }
        },
    }
    Ok(())
}

/// A constant with the elements of an array, converted to another type.
fn converted(tensor: &Ref<TensorNode>, dtype: DataType) -> BuildResult<Ref<Constant>> {
    let from = tensor.dtype;
    let size = usize::from(from.bits / 8).max(1);
    let mut data = Vec::new();
    let bytes: &[u8] = tensor.bytes().unwrap_or_default();
    for bytes in bytes.chunks_exact(size) {
        let is_negative = from.is_int() && bytes.last().is_some_and(|byte| *byte >= 0x80);
        let mut wide = [if is_negative { 0xff } else { 0 }; 8];
        wide.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        let number = match arithmetic::float_from_bits(from, u64::from_le_bytes(wide)) {
            Some(value) => ScriptValue::Float(value),
            None => ScriptValue::Int(i64::from_le_bytes(wide)),
        };
        encode(&number, dtype, &mut data)?;
    }
    Ok(Constant::new(Ref::new(TensorNode { dtype, shape: tensor.shape.clone(), data: data.into() })))
}

/// Makes a constant tensor from nested lists of numbers.
///
/// # Errors
/// Fails for lists of different lengths or depths, and types without numbers.
pub fn constant_of(value: &ScriptValue, dtype: Option<DataType>) -> BuildResult<Ref<Constant>> {
    if let ScriptValue::Host(host) = value
        && let Some(node) = host.node()
        && let Some(tensor) = node.downcast_ref::<TensorNode>()
    {
        // As in TVM, arrays of numpy's default types become the default types of constants.
        let default = match tensor.dtype {
            dtype if dtype == DataType::INT64 => Some(DataType::INT32),
            dtype if dtype == DataType::float(64) => Some(DataType::FLOAT32),
            _ => None,
        };
        return match dtype.or(default).filter(|dtype| *dtype != tensor.dtype) {
            None => Ok(Constant::new(tensor.clone())),
            Some(dtype) => converted(tensor, dtype),
        };
    }
    let mut shape = Vec::new();
    let mut kind = NumberKind::Bool;
    scan_list(value, &mut shape, 0, &mut kind)?;
    let is_empty = shape.contains(&0);
    let dtype = dtype.unwrap_or(match kind {
        NumberKind::Int => DataType::INT32,
        NumberKind::Bool if !is_empty => DataType::BOOL,
        NumberKind::Bool | NumberKind::Float => DataType::FLOAT32,
    });
    let mut data = Vec::new();
    for_each_number(value, &mut |number| encode(number, dtype, &mut data))?;
    Ok(Constant::new(Ref::new(TensorNode { dtype, shape: shape.into(), data: data.into() })))
}

/// The integer value of a constant with one element; `None` for other constants.
pub(super) fn integer_of(constant: &Constant) -> Option<i64> {
    let TensorNode { dtype, shape, data } = &*constant.data;
    let is_one = shape.iter().all(|dim| *dim == 1) && dtype.is_scalar();
    let bytes: &[u8] = data.bytes()?;
    let (least, greatest) = (*bytes.first()?, *bytes.last()?);
    if !is_one {
        return None;
    }
    let is_negative = dtype.is_int() && greatest >= 0x80;
    let mut wide = [if is_negative { 0xff } else { 0 }; 8];
    // Longer numbers do not fit.
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    match dtype.code {
        TypeCode::Int => Some(i64::from_le_bytes(wide)),
        TypeCode::UInt => u64::from_le_bytes(wide).try_into().ok(),
        TypeCode::Bool => Some(i64::from(least != 0)),
        _ => None,
    }
}

/// A constant: a number, nested lists of numbers, or an array of numpy. By default 64-bit integers become `int32` and
/// 64-bit floats `float32`.
#[script_fn(name = "const")]
pub fn constant(value: ScriptValue, #[default = None] dtype: Option<DataType>) -> BuildResult<Ref<Constant>> {
    constant_of(&value, dtype).map_err(|e| e.at_position(0))
}

/// A constant from the base64 of its bytes: row-major, little-endian, elements smaller than a byte packed.
#[script_fn]
pub fn raw_const(bytes: Str, shape: Vec<i64>, dtype: DataType) -> BuildResult<Ref<Constant>> {
    let Some(data) = base64::decode(&bytes) else {
        return Err(BuildError::message("the bytes of a constant must be base64").at_position(0));
    };
    if shape.iter().any(|dim| *dim < 0) {
        return Err(BuildError::message("a dimension must not be negative").at_position(1));
    }
    let expected = byte_count(&shape, dtype);
    if expected != Some(data.len()) {
        let expected = expected.map_or("too many".to_owned(), |count| count.to_string());
        let message = format!("expected {expected} bytes for the elements, found {}", data.len());
        return Err(BuildError::message(message).at_position(0));
    }
    Ok(Constant::new(Ref::new(TensorNode { dtype, shape: shape.into(), data: data.into() })))
}

/// A constant whose elements the text omits: named by the hash of its content, and looked up in the registry.
#[script_fn]
pub fn elided_const(content_hash: Str, shape: Vec<i64>, dtype: DataType) -> BuildResult<Ref<Constant>> {
    elided_tensor(&content_hash, &shape, dtype).map(Constant::new)
}
