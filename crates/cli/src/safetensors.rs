//! Tensors of `.safetensors` files, as `import --params` and other tools write them.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;
use tvmscript::frontend::params::safetensors_dtype;
use tvmscript::ir_core::containers::{Tensor, TensorNode};
use tvmscript::ir_core::tensor::byte_count;
use tvmscript::ir_core::{DataType, Ref, TensorData};

/// The elements of one tensor in the bytes of the file.
struct Part {
    file: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

/// The tensors of a file.
///
/// # Errors
/// A description of the first damage.
pub(crate) fn tensors(file: Vec<u8>) -> Result<Vec<Tensor>, String> {
    let damaged = |what: &str| format!("no file of safetensors that can be read: {what}");
    let (length, rest) = file.split_first_chunk::<8>().ok_or_else(|| damaged("the header is cut off"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let header = rest.get(..length).ok_or_else(|| damaged("the header is cut off"))?;
    let header: Json = serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
    let start = 8 + length;
    let file = Arc::new(file);
    let entries = header.as_object().ok_or_else(|| damaged("the header is not an object"))?;
    let mut tensors = Vec::new();
    // `__metadata__` has texts, and no type.
    for (name, entry) in entries.iter().filter(|(_, entry)| entry.get("dtype").is_some()) {
        // No text names a tensor of a type that does not exist here.
        let Some(dtype) = entry.get("dtype").and_then(Json::as_str).and_then(safetensors_dtype) else {
            continue;
        };
        let tensor = tensor(&file, start, dtype, entry);
        tensors.push(tensor.ok_or_else(|| damaged(&format!("the tensor `{name}`")))?);
    }
    Ok(tensors)
}

fn tensor(file: &Arc<Vec<u8>>, start: usize, dtype: DataType, entry: &Json) -> Option<Tensor> {
    let shape: Box<[i64]> =
        entry.get("shape")?.as_array()?.iter().map(Json::as_i64).collect::<Option<_>>()?;
    let offsets = entry.get("data_offsets")?.as_array()?;
    let [begin, end] = [offsets.first()?, offsets.get(1)?].map(|offset| {
        let offset = offset.as_u64().and_then(|offset| usize::try_from(offset).ok());
        offset.and_then(|offset| start.checked_add(offset))
    });
    let range = begin?..end?;
    let bytes = file.get(range.clone())?.len();
    let is_whole = shape.iter().all(|length| *length >= 0) && byte_count(&shape, dtype) == Some(bytes);
    let data = TensorData::shared(Part { file: file.clone(), range });
    is_whole.then(|| Ref::new(TensorNode { dtype, shape, data }))
}
