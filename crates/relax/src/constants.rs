//! Constants by their content: what names a tensor whose elements the text leaves out, and where the elements are found again.
//!
//! Text with large constants left out ([`RelaxOptions::elide_constants`](crate::print::RelaxOptions)) says
//! `R.elided_const("3f9a..", (64, 64), "float32")`. A [`ConstantStore`] holds the tensors; a registry that has one
//! ([`ConstantStore::dialect`]) reads the text to the same IR. The name is a hash of type, shape and elements, so a tensor
//! that was changed is not taken for the one that was left out.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use hashbrown::HashMap;
use sha2::{Digest, Sha256};
use tvmscript_ir_core::containers::{Tensor, TensorNode};
use tvmscript_ir_core::json::{self, JsonError};
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{DataType, Map, Object, ObjectLike, Registry, Str, Value};

use crate::node::Constant;

/// What a tensor is called by: a hash of its type, shape and elements.
///
/// SHA-256 of `tvmscript tensor 1`, the type's name, the number of dimensions and each dimension as 8 bytes, little-endian,
/// and the elements' bytes as [`TensorNode`] holds them; zero bytes end the two texts. In text: 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of a tensor.
    pub fn of(tensor: &TensorNode) -> ContentHash {
        let TensorNode { dtype, shape, data } = tensor;
        let mut hash = Sha256::new();
        hash.update(b"tvmscript tensor 1\0");
        hash.update(dtype.to_string().as_bytes());
        hash.update(b"\0");
        hash.update((shape.len() as u64).to_le_bytes());
        shape.iter().for_each(|dim| hash.update(dim.to_le_bytes()));
        hash.update(&**data);
        ContentHash(hash.finalize().into())
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

/// How many elements a tensor of this shape has.
pub fn element_count(shape: &[i64]) -> u64 {
    shape.iter().fold(1u64, |count, dim| count.saturating_mul((*dim).try_into().unwrap_or(0)))
}

/// How many bytes the elements of a tensor take: those smaller than a byte stand side by side. `None` beyond the largest tensor.
pub fn byte_count(shape: &[i64], dtype: DataType) -> Option<usize> {
    let bits = u64::from(dtype.bits).checked_mul(u64::try_from(dtype.lanes).ok()?)?;
    element_count(shape).checked_mul(bits)?.div_ceil(8).try_into().ok()
}

/// Tensors by the hash of their content.
#[derive(Debug, Clone, Default)]
pub struct ConstantStore {
    tensors: HashMap<ContentHash, Tensor>,
}

/// Why a text is no store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It is no JSON of nodes.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// It holds something else.
    #[error("the constants are a map from hashes to tensors, and this holds something else")]
    NotAStore,
    /// An entry has another content than its name says.
    #[error("the constant `{name}` is another one: its content has the hash `{found}`")]
    Changed {
        /// The name it stands under.
        name: String,
        /// The hash of what is there.
        found: ContentHash,
    },
}

impl ConstantStore {
    /// No tensors.
    pub fn new() -> ConstantStore {
        ConstantStore::default()
    }

    /// The constants below a node that have more elements than this, each once.
    pub fn of_nodes(root: &Object, more_than: u64) -> ConstantStore {
        let mut store = ConstantStore::new();
        store.add_nodes(root, more_than);
        store
    }

    /// Adds the constants below a node that have more elements than this.
    pub fn add_nodes(&mut self, root: &Object, more_than: u64) {
        let _ = Visitor::new().pre_order(root, |object| {
            if let Some(constant) = object.as_node::<Constant>()
                && element_count(&constant.data.shape) > more_than
            {
                self.insert(constant.data.clone());
            }
            Walk::Advance
        });
    }

    /// Adds a tensor. Gives what it is called by.
    pub fn insert(&mut self, tensor: Tensor) -> ContentHash {
        let hash = ContentHash::of(&tensor);
        self.tensors.entry(hash).or_insert(tensor);
        hash
    }

    /// Adds the tensors of another store.
    pub fn extend(&mut self, other: ConstantStore) {
        self.tensors.extend(other.tensors);
    }

    /// The tensor of this content.
    pub fn get(&self, hash: &ContentHash) -> Option<&Tensor> {
        self.tensors.get(hash)
    }

    /// How many tensors there are.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The tensors as JSON: a map from hashes to tensors, by name.
    pub fn to_json(&self) -> String {
        let mut entries: Vec<_> = self.tensors.iter().collect();
        entries.sort_by_key(|(hash, _)| **hash);
        let entries = entries
            .into_iter()
            .map(|(hash, tensor)| (Str::new(hash.to_string()), Value::Node(tensor.clone().into())));
        json::native::save(&Value::Node(Map::<Str, Value>::new(entries).into_object()))
    }

    /// Reads what [`to_json`](Self::to_json) wrote, or the same map in TVM's form. The content of each tensor is checked.
    ///
    /// # Errors
    /// When the text is something else, or a tensor was changed.
    pub fn from_json(text: &str, registry: &Registry) -> Result<ConstantStore, StoreError> {
        let value = json::load(text, registry)?;
        let map = value.as_object().and_then(|object| Map::<Str, Value>::try_ref(object));
        let map = map.ok_or(StoreError::NotAStore)?;
        let mut store = ConstantStore::new();
        for (name, value) in map.iter() {
            let tensor = value.as_object().and_then(|object| object.downcast_ref::<TensorNode>());
            let found = store.insert(tensor.ok_or(StoreError::NotAStore)?.clone());
            if name.parse() != Ok(found) {
                return Err(StoreError::Changed { name: name.to_string(), found });
            }
        }
        Ok(store)
    }

    /// The tensors as a dialect without nodes: a registry that has it reads text that leaves them out.
    #[cfg(feature = "build")]
    pub fn dialect(self) -> tvmscript_ir_core::Dialect {
        use tvmscript_irbuilder::ContextDialect;
        tvmscript_ir_core::Dialect::new("constants").context(self).finish()
    }
}
