//! Scalars of constants as literals.

use half::f16;
use tvmscript_docsifier::Docsifier;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_ir_core::DataType;
use tvmscript_ir_core::containers::TensorNode;

const INT8: DataType = DataType::int(8);
const INT16: DataType = DataType::int(16);
const FLOAT16: DataType = DataType::float(16);
const FLOAT64: DataType = DataType::float(64);

/// The literal of a tensor of rank 0, for the types that have one.
pub(super) fn scalar(data: &TensorNode, d: &mut Docsifier<'_>) -> Option<ExprDoc> {
    if !data.shape.is_empty() {
        return None;
    }
    let bytes = &*data.data;
    Some(match data.dtype {
        INT8 => d.docs.int(i8::from_le_bytes(bytes.try_into().ok()?).into()),
        INT16 => d.docs.int(i16::from_le_bytes(bytes.try_into().ok()?).into()),
        DataType::INT32 => d.docs.int(i32::from_le_bytes(bytes.try_into().ok()?).into()),
        DataType::INT64 => d.docs.int(i64::from_le_bytes(bytes.try_into().ok()?)),
        FLOAT16 => d.docs.float(f16::from_le_bytes(bytes.try_into().ok()?).to_f64()),
        DataType::FLOAT32 => d.docs.float(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        FLOAT64 => d.docs.float(f64::from_le_bytes(bytes.try_into().ok()?)),
        DataType::BOOL => d.docs.bool(*bytes.first()? != 0),
        _ => return None,
    })
}
