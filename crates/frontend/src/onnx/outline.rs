//! Reading of large models: the elements of large constants stay in the file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Error, Read as _, Result};
use std::sync::Arc;

use bytes::Bytes;
use prost::encoding::encode_varint;

use crate::file_part::{FilePart, MIN_BYTES};

/// Files of at least this size are read by [`Outline::read`].
const LARGE_FILE_BYTES: u64 = 8 << 20;

/// The elements of initializers of the main graph, by position.
pub(crate) type Parts = HashMap<usize, Arc<FilePart>>;

/// A model without the elements of its large initializers.
pub(crate) struct Outline {
    pub(crate) bytes: Bytes,
    pub(crate) parts: Parts,
}

impl Outline {
    /// Reads a file; the bytes of a message that is damaged are all there.
    pub(crate) fn read(mut file: File) -> Result<Outline> {
        let length = file.metadata()?.len();
        if length >= LARGE_FILE_BYTES {
            let input = BufReader::with_capacity(1 << 16, file.try_clone()?);
            let mut reader = Reader { input, at: 0, parts: Vec::new(), tensors: 0 };
            if let Ok(bytes) = reader.message(Kind::Model, length) {
                let file = Arc::new(file);
                let part = |Range { tensor, offset, length }| {
                    (tensor, Arc::new(FilePart::new(file.clone(), offset, length)))
                };
                return Ok(Outline {
                    bytes: bytes.into(),
                    parts: reader.parts.into_iter().map(part).collect(),
                });
            }
            std::io::Seek::rewind(&mut file)?;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(Outline { bytes: bytes.into(), parts: Parts::new() })
    }
}

/// The messages on the way to the elements.
#[derive(Clone, Copy)]
enum Kind {
    Model,
    Graph,
    Tensor,
}

/// The field `raw_data` of a tensor.
const RAW_DATA: u64 = 9;

/// The elements of an initializer.
struct Range {
    tensor: usize,
    offset: u64,
    length: usize,
}

struct Reader {
    input: BufReader<File>,
    /// Position in the file.
    at: u64,
    parts: Vec<Range>,
    /// Number of initializers before this place.
    tensors: usize,
}

impl Reader {
    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.input.fill_buf()?.first().ok_or_else(damaged)?;
            self.input.consume(1);
            self.at += 1;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(damaged())
    }

    /// Copies bytes, which end at `end` at the latest.
    fn copy(&mut self, count: u64, end: u64, out: &mut Vec<u8>) -> Result<()> {
        self.at = self.at.checked_add(count).filter(|at| *at <= end).ok_or_else(damaged)?;
        let copied = std::io::copy(&mut self.input.by_ref().take(count), out)?;
        if copied == count { Ok(()) } else { Err(damaged()) }
    }

    /// Reads a message up to `end`, without the elements of large tensors.
    fn message(&mut self, kind: Kind, end: u64) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        while self.at < end {
            let key = self.varint()?;
            let field = key >> 3;
            if key & 7 != 2 {
                encode_varint(key, &mut out);
                match key & 7 {
                    0 => encode_varint(self.varint()?, &mut out),
                    1 => self.copy(8, end, &mut out)?,
                    5 => self.copy(4, end, &mut out)?,
                    _ => return Err(damaged()),
                }
                continue;
            }
            let length = self.varint()?;
            let inner_end = self.at.checked_add(length).filter(|at| *at <= end).ok_or_else(damaged)?;
            let inner = match (kind, field) {
                (Kind::Model, 7) => Some(Kind::Graph),
                (Kind::Graph, 5) => Some(Kind::Tensor),
                _ => None,
            };
            if let Some(inner) = inner {
                let content = self.message(inner, inner_end)?;
                encode_varint(key, &mut out);
                encode_varint(content.len() as u64, &mut out);
                out.extend(content);
                self.tensors += usize::from(matches!(inner, Kind::Tensor));
                continue;
            }
            if matches!(kind, Kind::Tensor) && field == RAW_DATA {
                // The last field counts.
                let tensor = self.tensors;
                self.parts.pop_if(|part| part.tensor == tensor);
                if let Some(length) = usize::try_from(length).ok().filter(|length| *length >= MIN_BYTES) {
                    self.parts.push(Range { tensor, offset: self.at, length });
                    self.input.seek_relative(i64::try_from(length).map_err(|_| damaged())?)?;
                    self.at = inner_end;
                    continue;
                }
            }
            encode_varint(key, &mut out);
            encode_varint(length, &mut out);
            self.copy(length, end, &mut out)?;
        }
        if self.at == end { Ok(out) } else { Err(damaged()) }
    }
}

fn damaged() -> Error {
    std::io::ErrorKind::InvalidData.into()
}
