//! Weights and constants of a program.

use std::collections::HashMap;

use bytes::Bytes;
use serde::Deserialize;
use tvmscript_ir_core::Ref;
use tvmscript_ir_core::containers::TensorNode;

use super::archive::Archive;
use super::program::{STRIDED, Size, TensorMeta};
use crate::elements::tensor;
use crate::error::ImportError;

/// The lists of weights and constants, and the archive with their elements.
#[derive(Debug)]
pub(super) struct Weights<'a> {
    archive: &'a Archive,
    weights: HashMap<String, Payload>,
    constants: HashMap<String, Payload>,
    /// Maximum size of a tensor that has more elements than its file, in bytes.
    max_bytes: usize,
}

/// The place of a tensor.
#[derive(Debug, Deserialize)]
struct Payload {
    path_name: String,
    #[serde(default)]
    use_pickle: bool,
    tensor_meta: Option<TensorMeta>,
}

#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default)]
    config: HashMap<String, Payload>,
}

/// The folders of weights and of constants.
const WEIGHTS: &str = "data/weights";
const CONSTANTS: &str = "data/constants";

impl<'a> Weights<'a> {
    /// Reads the lists of a program, not the elements.
    pub(super) fn read(archive: &'a Archive, program: &str, max_bytes: usize) -> Result<Weights<'a>, String> {
        if archive.has("byteorder") && archive.read("byteorder")?.as_ref() != b"little" {
            return Err("its numbers are not little-endian".to_owned());
        }
        let config = |folder: &str, kind: &str| -> Result<HashMap<String, Payload>, String> {
            let name = format!("{folder}/{program}_{kind}_config.json");
            if !archive.has(&name) {
                return Ok(HashMap::new());
            }
            let config: Config = serde_json::from_slice(&archive.read(&name)?)
                .map_err(|error| format!("the entry `{name}`: {error}"))?;
            Ok(config.config)
        };
        let (weights, constants) = (config(WEIGHTS, "weights")?, config(CONSTANTS, "constants")?);
        Ok(Weights { archive, weights, constants, max_bytes: max_bytes.max(archive.len()) })
    }

    /// The tensor of a name.
    pub(super) fn tensor(&self, name: &str) -> Result<Ref<TensorNode>, ImportError> {
        let failed = |reason: String| ImportError::Tensor { name: name.to_owned(), reason };
        let (folder, payload) = match (self.weights.get(name), self.constants.get(name)) {
            (Some(payload), _) => (WEIGHTS, payload),
            (None, Some(payload)) => (CONSTANTS, payload),
            (None, None) => return Err(failed("is not in the archive".to_owned())),
        };
        let meta = match &payload.tensor_meta {
            Some(meta) if !payload.use_pickle => meta,
            _ => return Err(failed("is a pickle, which is never read".to_owned())),
        };
        let file = self
            .archive
            .read(&format!("{folder}/{}", payload.path_name))
            .map_err(|reason| failed(format!("cannot be read: {reason}")))?;
        self.elements(name, meta, &file).map_err(|error| match error {
            Failure::Reason(reason) => failed(reason),
            Failure::Error(error) => error,
        })
    }

    fn elements(&self, name: &str, meta: &TensorMeta, file: &Bytes) -> Result<Ref<TensorNode>, Failure> {
        let dtype = meta.dtype().map_err(|reason| format!("is not read: {reason}"))?;
        if meta.layout.is_some_and(|layout| layout != STRIDED) {
            return Err("is sparse, which is not supported".to_owned().into());
        }
        let number = |size: &Size| match size {
            Size::AsInt(value) if *value >= 0 => Ok(*value),
            _ => Err("has a length, stride or offset that is not a number of elements".to_owned()),
        };
        let dims: Vec<i64> = meta.sizes.iter().map(number).collect::<Result<_, _>>()?;
        let strides: Vec<i64> = meta.strides.iter().map(number).collect::<Result<_, _>>()?;
        let offset = meta.storage_offset.as_ref().map_or(Ok(0), number)?;
        let width = usize::from(dtype.bits.div_ceil(8));
        let count = dims.iter().try_fold(1usize, |count, dim| count.checked_mul(usize::try_from(*dim).ok()?));
        let needed = count.and_then(|count| count.checked_mul(width));
        let Some(needed) = needed.filter(|needed| *needed <= self.max_bytes) else {
            return Err("has more elements than its file".to_owned().into());
        };
        let start = usize::try_from(offset).ok().and_then(|offset| offset.checked_mul(width));
        if is_row_major(&dims, &strides) {
            let end = start.and_then(|start| start.checked_add(needed));
            // Without enough bytes, the message counts those that there are.
            let range = |start: usize, end: usize| start.min(file.len())..end.min(file.len());
            let bytes = start.zip(end).map(|(start, end)| file.slice(range(start, end)));
            return Ok(tensor(name, dtype, &dims, bytes.unwrap_or_default())?);
        }
        if strides.len() != dims.len() {
            return Err(format!("has {} strides for {} dimensions", strides.len(), dims.len()).into());
        }
        let bytes = gathered(&dims, &strides, offset, width, needed, file)
            .ok_or_else(|| "has elements beyond the end of its file".to_owned())?;
        Ok(tensor(name, dtype, &dims, bytes)?)
    }
}

/// Copies the elements in row-major order; `None` if one is beyond the end.
fn gathered(
    dims: &[i64],
    strides: &[i64],
    offset: i64,
    width: usize,
    needed: usize,
    file: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(needed);
    let mut index = vec![0i64; dims.len()];
    while bytes.len() < needed {
        let place = index
            .iter()
            .zip(strides)
            .try_fold(offset, |place, (at, stride)| place.checked_add(at.checked_mul(*stride)?))?;
        let start = usize::try_from(place).ok()?.checked_mul(width)?;
        bytes.extend_from_slice(file.get(start..start.checked_add(width)?)?);
        for (at, dim) in index.iter_mut().zip(dims).rev() {
            *at += 1;
            if *at < *dim {
                break;
            }
            *at = 0;
        }
    }
    Some(bytes)
}

/// Returns `true` if elements follow each other. The strides of axes of length 1 do not matter.
fn is_row_major(dims: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1i64;
    let is_next = |(dim, stride): (&i64, &i64)| {
        let fits = *dim == 1 || *stride == expected;
        expected = expected.saturating_mul(*dim);
        fits
    };
    dims.contains(&0) || dims.len() == strides.len() && dims.iter().zip(strides).rev().all(is_next)
}

/// A reason, or an error that already names the tensor.
enum Failure {
    Reason(String),
    Error(ImportError),
}

impl From<String> for Failure {
    fn from(reason: String) -> Failure {
        Failure::Reason(reason)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Failure {
        Failure::Error(error)
    }
}
