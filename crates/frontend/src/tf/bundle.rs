//! Variables of a saved model: an index, which is a sorted table of LevelDB, and files with the elements.
//!
//! Formats: `tensorflow/core/util/tensor_bundle`, `tensorflow/core/lib/io/table_format.txt`.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use prost::Message as _;
use tvmscript_ir_core::Ref;
use tvmscript_ir_core::containers::TensorNode;

use super::proto::{BundleEntryProto, BundleHeaderProto, ObjectGraph};
use super::tensor;
use crate::elements;
use crate::error::ImportError;
use crate::external::{External, Files};

/// The last bytes of a table, before which the place of its index is.
const MAGIC: [u8; 8] = 0xdb47_7524_8b80_fb57_u64.to_le_bytes();
const FOOTER: usize = 48;
/// The type of block and the checksum after each block.
const TRAILER: usize = 5;
/// The key of the object graph.
const OBJECT_GRAPH: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";
/// The end of keys of variables of objects.
pub(super) const VALUE_SUFFIX: &str = "/.ATTRIBUTES/VARIABLE_VALUE";

/// The variables in a folder, by key.
#[derive(Debug)]
pub(super) struct Bundle {
    shards: i32,
    entries: BTreeMap<String, BundleEntryProto>,
    files: Files,
}

impl Bundle {
    /// Reads the index in the folder `variables` of a model; `None` if there is none.
    pub(super) fn open(model: &Path) -> Result<Option<Bundle>, ImportError> {
        let folder = model.join("variables");
        let path = folder.join("variables.index");
        if !path.exists() {
            return Ok(None);
        }
        let failed = |error: String| ImportError::File { path: path.clone(), error };
        let bytes = std::fs::read(&path).map_err(|error| failed(error.to_string()))?;
        let bytes = Bytes::from(bytes);
        let mut entries = BTreeMap::new();
        let mut shards = 0;
        for (key, value) in table(&bytes).map_err(failed)? {
            let wrong = |_| failed("an entry of the index is damaged".to_owned());
            if key.is_empty() {
                let header = BundleHeaderProto::decode(value).map_err(wrong)?;
                if header.endianness != 0 {
                    return Err(failed("the elements are big-endian, which is not supported".to_owned()));
                }
                shards = header.num_shards;
            } else {
                let key = String::from_utf8_lossy(&key).into_owned();
                entries.insert(key, BundleEntryProto::decode(value).map_err(wrong)?);
            }
        }
        Ok(Some(Bundle { shards, entries, files: Files::of_folder(Some(folder)) }))
    }

    /// Returns `true` if there is a variable with this key.
    pub(super) fn contains(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The variable with a key.
    pub(super) fn tensor(&self, name: &str, key: &str) -> Result<Ref<TensorNode>, ImportError> {
        let failed = |reason: String| ImportError::Tensor { name: name.to_owned(), reason };
        let entry = self
            .entries
            .get(key)
            .ok_or_else(|| failed("is not among the variables of the model".to_owned()))?;
        if !entry.slices.is_empty() {
            return Err(failed("is stored in parts, which is not supported".to_owned()));
        }
        let dtype = tensor::element_type(entry.dtype)
            .ok_or_else(|| failed(format!("has the element type {}, which is not supported", entry.dtype)))?;
        let dims = tensor::lengths(entry.shape.as_ref()).unwrap_or_default();
        let (file, offset, size) = self.place(name, entry)?;
        elements::tensor(name, dtype, &dims, file.elements(offset, size)?)
    }

    /// The bytes of an entry, from the file that it names.
    fn bytes(&self, name: &str, entry: &BundleEntryProto) -> Result<Bytes, ImportError> {
        let (file, offset, size) = self.place(name, entry)?;
        file.read(offset, size)
    }

    /// The file that holds an entry, and offset and size there.
    fn place(&self, name: &str, entry: &BundleEntryProto) -> Result<(External<'_>, u64, u64), ImportError> {
        let path = format!("variables.data-{:05}-of-{:05}", entry.shard_id, self.shards);
        let file = self.files.find(name, &path)?;
        let (Ok(offset), Ok(size)) = (u64::try_from(entry.offset), u64::try_from(entry.size)) else {
            return Err(file.refused("is used at a negative offset or length"));
        };
        Ok((file, offset, size))
    }

    /// The keys of variables by their names, from the graph of objects that were saved.
    pub(super) fn keys_of_names(&self) -> BTreeMap<String, String> {
        let mut keys = BTreeMap::new();
        let graph = self.entries.get(OBJECT_GRAPH).and_then(|entry| {
            let bytes = self.bytes(OBJECT_GRAPH, entry).ok()?;
            // The length of the only text, its checksum, and the text.
            let (length, at) = varint(&bytes, 0)?;
            let start = at.checked_add(4)?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            (end <= bytes.len()).then(|| ObjectGraph::decode(bytes.slice(start..end)).ok()).flatten()
        });
        for tensor in graph.iter().flat_map(|graph| &graph.nodes).flat_map(|object| &object.attributes) {
            let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
            keys.entry(text(&tensor.full_name)).or_insert_with(|| text(&tensor.checkpoint_key));
        }
        keys
    }
}

/// A number in base 128 at a position, and the position after it.
fn varint(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
    None
}

/// The entries of a table.
fn table(bytes: &Bytes) -> Result<Vec<(Vec<u8>, Bytes)>, String> {
    let damaged = || "the index of the variables is damaged".to_owned();
    let footer = bytes.len().checked_sub(FOOTER).ok_or_else(damaged)?;
    if !bytes.ends_with(&MAGIC) {
        return Err("the index of the variables does not end like a table".to_owned());
    }
    // The place of the table of metadata, which is not read, then that of the index.
    let index = (|| {
        let (_, at) = varint(bytes, footer)?;
        let (_, at) = varint(bytes, at)?;
        handle(bytes, at)
    })();
    let (offset, size) = index.ok_or_else(damaged)?;
    let mut entries = Vec::new();
    for (_, place) in block(bytes, offset, size)? {
        let (offset, size) = handle(&place, 0).ok_or_else(damaged)?;
        entries.extend(block(bytes, offset, size)?);
        if entries.len() > bytes.len() {
            return Err(damaged());
        }
    }
    Ok(entries)
}

/// The place of a block: position and size.
fn handle(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let (offset, at) = varint(bytes, at)?;
    let (size, _) = varint(bytes, at)?;
    Some((usize::try_from(offset).ok()?, usize::try_from(size).ok()?))
}

/// The entries of a block. Keys share a prefix with the key before.
fn block(bytes: &Bytes, offset: usize, size: usize) -> Result<Vec<(Vec<u8>, Bytes)>, String> {
    let damaged = || "the index of the variables is damaged".to_owned();
    let end =
        offset.checked_add(size).filter(|end| end.checked_add(TRAILER).is_some_and(|end| end <= bytes.len()));
    let end = end.ok_or_else(damaged)?;
    if bytes.get(end) != Some(&0) {
        return Err("the index of the variables is compressed, which is not supported".to_owned());
    }
    let block = bytes.slice(offset..end);
    // The positions of keys without a prefix, and their number, follow the entries.
    let count_at = block.len().checked_sub(4).ok_or_else(damaged)?;
    let count = block.get(count_at..).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
    let limit = count
        .and_then(|count| usize::try_from(count).ok()?.checked_mul(4))
        .and_then(|restarts| count_at.checked_sub(restarts))
        .ok_or_else(damaged)?;
    let mut entries = Vec::new();
    let mut key: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < limit {
        let entry = (|| {
            let (shared, at) = varint(&block, at)?;
            let (rest, at) = varint(&block, at)?;
            let (length, at) = varint(&block, at)?;
            let key_end = at.checked_add(usize::try_from(rest).ok()?)?;
            let value_end = key_end.checked_add(usize::try_from(length).ok()?)?;
            let shared = key.get(..usize::try_from(shared).ok()?)?;
            let own = block.get(at..key_end)?;
            (value_end <= limit).then(|| ([shared, own].concat(), key_end, value_end))
        })();
        let (next, start, end) = entry.ok_or_else(damaged)?;
        key.clone_from(&next);
        entries.push((next, block.slice(start..end)));
        at = end;
    }
    Ok(entries)
}
