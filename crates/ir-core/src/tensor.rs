//! Contents of tensors: bytes, or a content hash in place of bytes that are left out.
//!
//! Printed text can omit the elements of a constant and refer to them by hash. A tensor read from it equals any
//! tensor of the same dtype, shape and hash. Code that needs the elements gets `None` from [`TensorNode::bytes`] and
//! reports [`Elided`].
//!
//! The hash of bytes is computed on first use and cached.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

use crate::containers::TensorNode;
use crate::dtype::DataType;
use crate::raw::AlignedBytes;

/// Hash of the dtype, shape and elements of a tensor, written as 64 hexadecimal digits.
///
/// SHA-256 of `tvmscript tensor 1`, the dtype's name (each followed by a zero byte), the number of dimensions and
/// each dimension as 8 bytes little-endian, and the bytes of the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Returns the hash of a tensor.
    pub fn of(tensor: &TensorNode) -> ContentHash {
        if let Content::Elided(hash) = &tensor.data.content {
            return *hash;
        }
        if let Some(hash) = tensor.current_hash() {
            return hash;
        }
        let mut hasher = ContentHash::begin(tensor);
        // Elements that cannot be read count as none.
        let _ = tensor.data.read_parts(&mut |part| {
            hasher.update(part);
            Ok(())
        });
        tensor.keep_hash(hasher)
    }

    /// Hashes all but the elements.
    fn begin(tensor: &TensorNode) -> Sha256 {
        let mut hasher = Sha256::new();
        hasher.update(b"tvmscript tensor 1\0");
        hasher.update(tensor.dtype.to_string().as_bytes());
        hasher.update(b"\0");
        hasher.update((tensor.shape.len() as u64).to_le_bytes());
        tensor.shape.iter().for_each(|dim| hasher.update(dim.to_le_bytes()));
        hasher
    }

    /// Returns the first eight bytes, for structural hashes.
    pub(crate) fn word(self) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(word)
    }
}

impl Display for ContentHash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text is not a [`ContentHash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a constant is named by 64 hexadecimal digits")]
pub struct NotAHash;

impl FromStr for ContentHash {
    type Err = NotAHash;
    fn from_str(text: &str) -> Result<ContentHash, NotAHash> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(NotAHash);
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| NotAHash)?;
        }
        Ok(ContentHash(bytes))
    }
}

/// The elements of a tensor are needed, but the text that it was read from leaves them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the elements of the constant `{hash}` are left out; read the text with the file of constants that was written with it \
     (`--constants FILE`, or a registry with `ConstantStore::dialect`)"
)]
pub struct Elided {
    /// Hash of the tensor.
    pub hash: ContentHash,
}

/// Elements that a tensor shares or reads when they are needed, such as those in the file of a large model.
pub trait ElementSource: Send + Sync {
    /// Number of bytes.
    fn byte_count(&self) -> usize;

    /// All bytes, which the source keeps from then on; `None` if they cannot be read.
    fn bytes(&self) -> Option<&[u8]>;

    /// Hands out all bytes in parts, in order, and keeps none of them.
    ///
    /// # Errors
    /// Fails if the bytes cannot be read, and if `take` fails.
    fn read_parts(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>;
}

/// A buffer that others hold, too.
struct Buffer<T>(T);

impl<T: AsRef<[u8]> + Send + Sync> ElementSource for Buffer<T> {
    fn byte_count(&self) -> usize {
        self.0.as_ref().len()
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self.0.as_ref())
    }

    fn read_parts(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        take(self.0.as_ref())
    }
}

/// The elements of a tensor, or their hash if they are left out.
#[derive(Clone)]
pub struct TensorData {
    content: Content,
    /// Hash of the bytes, computed on first use.
    cached: OnceLock<CachedHash>,
}

#[derive(Clone)]
enum Content {
    /// Own bytes, aligned.
    Bytes(AlignedBytes),
    /// Bytes of a larger buffer, such as the file of a model, as they lie there.
    Source(Arc<dyn ElementSource>),
    Elided(ContentHash),
}

/// A hash with the dtype and shape that it was computed for.
#[derive(Clone)]
struct CachedHash {
    dtype: DataType,
    shape: Box<[i64]>,
    hash: ContentHash,
}

impl TensorData {
    /// Elements that are left out.
    pub fn elided(hash: ContentHash) -> TensorData {
        TensorData { content: Content::Elided(hash), cached: OnceLock::new() }
    }

    /// Elements in a buffer that others hold, too. They may have any alignment.
    pub fn shared(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> TensorData {
        TensorData::from_source(Arc::new(Buffer(bytes)))
    }

    /// Elements of a source.
    pub fn from_source(source: Arc<dyn ElementSource>) -> TensorData {
        TensorData { content: Content::Source(source), cached: OnceLock::new() }
    }

    /// Number of bytes, unless they are left out.
    pub fn byte_count(&self) -> Option<usize> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes.len()),
            Content::Source(source) => Some(source.byte_count()),
            Content::Elided(_) => None,
        }
    }

    /// Hands out the bytes in parts, in order. Elements in a file do not stay in memory.
    ///
    /// # Errors
    /// Fails if the bytes are left out or cannot be read, and if `take` fails.
    pub fn read_parts(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match &self.content {
            Content::Bytes(bytes) => take(bytes),
            Content::Source(source) => source.read_parts(take),
            Content::Elided(hash) => Err(io::Error::other(Elided { hash: *hash })),
        }
    }

    /// Returns the bytes, row-major and little-endian; `None` if they are left out or cannot be read.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Source(source) => source.bytes(),
            Content::Elided(_) => None,
        }
    }
}

impl From<AlignedBytes> for TensorData {
    fn from(bytes: AlignedBytes) -> TensorData {
        TensorData { content: Content::Bytes(bytes), cached: OnceLock::new() }
    }
}

impl From<Vec<u8>> for TensorData {
    fn from(bytes: Vec<u8>) -> TensorData {
        AlignedBytes::from(bytes).into()
    }
}

impl From<&[u8]> for TensorData {
    fn from(bytes: &[u8]) -> TensorData {
        AlignedBytes::from(bytes).into()
    }
}

impl<const N: usize> From<[u8; N]> for TensorData {
    fn from(bytes: [u8; N]) -> TensorData {
        AlignedBytes::from(bytes).into()
    }
}

impl FromIterator<u8> for TensorData {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> TensorData {
        bytes.into_iter().collect::<AlignedBytes>().into()
    }
}

impl fmt::Debug for TensorData {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Bytes(bytes) => bytes.fmt(f),
            Content::Source(source) => write!(f, "{} shared bytes", source.byte_count()),
            Content::Elided(hash) => write!(f, "left out: {hash}"),
        }
    }
}

impl TensorNode {
    /// Returns the bytes of the elements, row-major and little-endian; `None` if they are left out or cannot be read.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.data.bytes()
    }

    /// Returns the content hash.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(self)
    }

    /// Hands out the bytes like [`TensorData::read_parts`], and hashes them on the way: one reading serves both.
    ///
    /// # Errors
    /// Fails if the bytes are left out or cannot be read, and if `take` fails.
    pub fn read_and_hash(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.current_hash().is_some() {
            return self.data.read_parts(take);
        }
        let mut hasher = ContentHash::begin(self);
        self.data.read_parts(&mut |part| {
            hasher.update(part);
            take(part)
        })?;
        self.keep_hash(hasher);
        Ok(())
    }

    /// The hash that was computed for the dtype and shape of now.
    fn current_hash(&self) -> Option<ContentHash> {
        let is_current = |cached: &&CachedHash| cached.dtype == self.dtype && cached.shape == self.shape;
        self.data.cached.get().filter(is_current).map(|cached| cached.hash)
    }

    fn keep_hash(&self, hasher: Sha256) -> ContentHash {
        let hash = ContentHash(hasher.finalize().into());
        // If dtype or shape were changed, the cache keeps the outdated hash, which `current_hash` rejects.
        let _ = self.data.cached.set(CachedHash { dtype: self.dtype, shape: self.shape.clone(), hash });
        hash
    }

    /// Compares the elements of tensors with the same dtype and shape.
    pub(crate) fn has_content_of(&self, other: &TensorNode) -> bool {
        match (self.data.bytes(), other.data.bytes()) {
            (Some(a), Some(b)) => a == b,
            _ => self.content_hash() == other.content_hash(),
        }
    }
}

impl PartialEq for TensorNode {
    fn eq(&self, other: &TensorNode) -> bool {
        self.dtype == other.dtype && self.shape == other.shape && self.has_content_of(other)
    }
}

impl Eq for TensorNode {}

/// Returns the number of elements of a shape.
pub fn element_count(shape: &[i64]) -> u64 {
    shape.iter().fold(1u64, |count, dim| count.saturating_mul((*dim).try_into().unwrap_or(0)))
}

/// Returns the number of bytes of a tensor's elements; elements smaller than a byte are packed. `None` on overflow.
pub fn byte_count(shape: &[i64], dtype: DataType) -> Option<usize> {
    let bits = u64::from(dtype.bits).checked_mul(u64::try_from(dtype.lanes).ok()?)?;
    element_count(shape).checked_mul(bits)?.div_ceil(8).try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::structural_equal;
    use crate::hash::structural_hash;
    use crate::raw::Ref;

    fn whole(byte: u8) -> TensorNode {
        TensorNode { dtype: DataType::FLOAT32, shape: Box::new([2]), data: [byte; 8].into() }
    }

    fn elided(of: &TensorNode) -> TensorNode {
        TensorNode { data: TensorData::elided(of.content_hash()), ..of.clone() }
    }

    #[test]
    fn a_tensor_without_elements_equals_the_whole_one() {
        let (one, other) = (whole(1), whole(2));
        for a in [one.clone(), elided(&one)] {
            for b in [one.clone(), elided(&one)] {
                let (a, b) = (Ref::new(a.clone()), Ref::new(b));
                assert!(structural_equal(a.object(), b.object()));
                assert_eq!(structural_hash(a.object()), structural_hash(b.object()));
            }
            for b in [other.clone(), elided(&other)] {
                let (a, b) = (Ref::new(a.clone()), Ref::new(b));
                assert!(!structural_equal(a.object(), b.object()));
                assert_ne!(structural_hash(a.object()), structural_hash(b.object()));
            }
        }
        assert!(elided(&one).bytes().is_none() && elided(&one).elements().is_none());
    }

    #[test]
    fn a_hash_is_that_of_the_type_the_tensor_has_now() {
        let mut tensor = whole(1);
        let before = tensor.content_hash();
        tensor.dtype = DataType::INT32;
        let fresh = TensorNode { dtype: DataType::INT32, ..whole(1) };
        assert_eq!(tensor.content_hash(), fresh.content_hash());
        tensor.dtype = DataType::FLOAT32;
        assert_eq!(tensor.content_hash(), before);
    }

    #[test]
    fn a_reading_hashes_on_the_way() {
        let tensor = whole(1);
        let mut bytes: Vec<u8> = Vec::new();
        for _ in 0..2 {
            bytes.clear();
            let read = tensor.read_and_hash(&mut |part| {
                bytes.extend(part);
                Ok(())
            });
            assert!(read.is_ok() && bytes == [1; 8]);
            assert_eq!(tensor.current_hash(), Some(whole(1).content_hash()));
        }
        let failing = whole(1);
        assert!(failing.read_and_hash(&mut |_| Err(io::ErrorKind::StorageFull.into())).is_err());
        assert_eq!(failing.current_hash(), None);
        assert!(elided(&tensor).read_and_hash(&mut |_| Ok(())).is_err());
    }
}
