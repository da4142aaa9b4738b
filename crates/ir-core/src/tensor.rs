//! The elements of tensors: their bytes, or only the hash of what they are.
//!
//! Text may leave the elements of a constant out and name them by a hash. Such a tensor has type, shape and hash: it
//! equals another one with the same three, and one with elements whose hash that is. What needs the elements asks for
//! [`TensorNode::bytes`], and says so where there are none.
//!
//! The hash of elements is made when it is first asked for, and kept beside them.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::containers::TensorNode;
use crate::dtype::DataType;
use crate::raw::AlignedBytes;

/// What a tensor is called by: a hash of its type, shape and elements.
///
/// SHA-256 of `tvmscript tensor 1`, the type's name, the number of dimensions and each dimension as 8 bytes,
/// little-endian, and the elements' bytes as [`TensorNode`] holds them; zero bytes end the two texts. In text: 64
/// hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of a tensor.
    pub fn of(tensor: &TensorNode) -> ContentHash {
        let bytes = match &tensor.data.content {
            Content::Bytes(bytes) => bytes,
            Content::LeftOut(hash) => return *hash,
        };
        let made_for = |made: &&Made| made.dtype == tensor.dtype && made.shape == tensor.shape;
        if let Some(made) = tensor.data.made.get().filter(made_for) {
            return made.hash;
        }
        let hash = ContentHash::make(tensor.dtype, &tensor.shape, bytes);
        // A tensor whose type was changed keeps what was made first, which `made_for` then refuses.
        let _ = tensor.data.made.set(Made { dtype: tensor.dtype, shape: tensor.shape.clone(), hash });
        hash
    }

    fn make(dtype: DataType, shape: &[i64], bytes: &[u8]) -> ContentHash {
        let mut hash = Sha256::new();
        hash.update(b"tvmscript tensor 1\0");
        hash.update(dtype.to_string().as_bytes());
        hash.update(b"\0");
        hash.update((shape.len() as u64).to_le_bytes());
        shape.iter().for_each(|dim| hash.update(dim.to_le_bytes()));
        hash.update(bytes);
        ContentHash(hash.finalize().into())
    }

    /// Eight bytes of it, for structural hashes.
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

/// A text is no [`ContentHash`].
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

/// Elements are needed that the text leaves out from which their tensor was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the elements of the constant `{hash}` are left out; read the text with the file of constants that was written with it \
     (`--constants FILE`, or a registry with `ConstantStore::dialect`)"
)]
pub struct LeftOut {
    /// What names the elements.
    pub hash: ContentHash,
}

/// The elements of a tensor, or the hash of those that are left out.
#[derive(Clone)]
pub struct TensorData {
    content: Content,
    /// The hash of the bytes, once it was asked for.
    made: OnceLock<Made>,
}

#[derive(Clone, PartialEq, Eq)]
enum Content {
    Bytes(AlignedBytes),
    LeftOut(ContentHash),
}

/// A hash, and what it speaks of beside the bytes.
#[derive(Clone)]
struct Made {
    dtype: DataType,
    shape: Box<[i64]>,
    hash: ContentHash,
}

impl TensorData {
    /// Elements that are not here.
    pub fn left_out(hash: ContentHash) -> TensorData {
        TensorData { content: Content::LeftOut(hash), made: OnceLock::new() }
    }

    /// The bytes, row-major and little-endian, unless they are left out.
    pub fn bytes(&self) -> Option<&AlignedBytes> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::LeftOut(_) => None,
        }
    }
}

impl From<AlignedBytes> for TensorData {
    fn from(bytes: AlignedBytes) -> TensorData {
        TensorData { content: Content::Bytes(bytes), made: OnceLock::new() }
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
            Content::LeftOut(hash) => write!(f, "left out: {hash}"),
        }
    }
}

impl TensorNode {
    /// The elements' bytes, row-major and little-endian, unless they are left out.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.data.bytes().map(|bytes| &**bytes)
    }

    /// What the tensor is called by.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(self)
    }

    /// Whether the elements are the same, of tensors whose types and shapes are.
    pub(crate) fn has_content_of(&self, other: &TensorNode) -> bool {
        match (&self.data.content, &other.data.content) {
            (Content::Bytes(a), Content::Bytes(b)) => a == b,
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

/// How many elements a tensor of this shape has.
pub fn element_count(shape: &[i64]) -> u64 {
    shape.iter().fold(1u64, |count, dim| count.saturating_mul((*dim).try_into().unwrap_or(0)))
}

/// How many bytes the elements of a tensor take: those smaller than a byte stand side by side. `None` beyond the
/// largest tensor.
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

    fn left_out(of: &TensorNode) -> TensorNode {
        TensorNode { data: TensorData::left_out(of.content_hash()), ..of.clone() }
    }

    #[test]
    fn a_tensor_without_elements_equals_the_whole_one() {
        let (one, other) = (whole(1), whole(2));
        for a in [one.clone(), left_out(&one)] {
            for b in [one.clone(), left_out(&one)] {
                let (a, b) = (Ref::new(a.clone()), Ref::new(b));
                assert!(structural_equal(a.object(), b.object()));
                assert_eq!(structural_hash(a.object()), structural_hash(b.object()));
            }
            for b in [other.clone(), left_out(&other)] {
                let (a, b) = (Ref::new(a.clone()), Ref::new(b));
                assert!(!structural_equal(a.object(), b.object()));
                assert_ne!(structural_hash(a.object()), structural_hash(b.object()));
            }
        }
        assert!(left_out(&one).bytes().is_none() && left_out(&one).elements().is_none());
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
}
