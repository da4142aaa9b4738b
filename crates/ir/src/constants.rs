//! Constants stored apart from the text, by content hash.
//!
//! Text with large constants left out (`ConstantOptions` of the printer) contains `R.elided_const("3f9a..", (64, 64),
//! "float32")` or `T.elided_const(..)`. It reads to constants with known type, shape and hash but without elements,
//! which print to the same text and compare equal to the complete ones. A [`ConstantStore`] holds the tensors; with a
//! registry that contains it ([`ConstantStore::dialect`]) the text reads to the complete constants. The hash covers
//! type, shape and elements, so a modified tensor is never mistaken for the original.

use hashbrown::HashMap;
use tvmscript_ir_core::containers::{Tensor, TensorNode};
use tvmscript_ir_core::json::{self, JsonError};
use tvmscript_ir_core::tensor::element_count;
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{ContentHash, Elided, FieldRef, Map, Object, ObjectLike, Registry, Str, Value};

/// Tensors by the hash of their content.
#[derive(Debug, Clone, Default)]
pub struct ConstantStore {
    tensors: HashMap<ContentHash, Tensor>,
}

/// The reason why a store cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The text is not JSON of nodes.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The JSON is not a map from hashes to tensors.
    #[error("expected a map from hashes to tensors")]
    NotAStore,
    /// The content of a tensor does not match its hash.
    #[error("the content of the constant `{name}` has the hash `{found}`")]
    Changed {
        /// The hash it is stored under.
        name: String,
        /// The hash of its content.
        found: ContentHash,
    },
    /// The elements of a tensor are left out.
    #[error(transparent)]
    Elided(#[from] Elided),
}

impl ConstantStore {
    /// Creates an empty store.
    pub fn new() -> ConstantStore {
        ConstantStore::default()
    }

    /// Collects the constants below a node with more than `more_than` elements.
    ///
    /// # Errors
    /// If the elements of one are left out.
    pub fn of_nodes(root: &Object, more_than: u64) -> Result<ConstantStore, Elided> {
        let mut store = ConstantStore::new();
        store.add_nodes(root, more_than)?;
        Ok(store)
    }

    /// Adds the constants below a node with more than `more_than` elements.
    ///
    /// # Errors
    /// If the elements of one are left out.
    pub fn add_nodes(&mut self, root: &Object, more_than: u64) -> Result<(), Elided> {
        let mut missing = None;
        let _ = Visitor::new().pre_order(root, |object| {
            let fields = 0..object.info().fields().len();
            let tensors = fields.filter_map(|index| match object.field(index) {
                FieldRef::Node(part) => part.downcast_ref::<TensorNode>(),
                _ => None,
            });
            let large = tensors.filter(|tensor| element_count(&tensor.shape) > more_than);
            match large.map(|tensor| self.insert(tensor.clone())).find_map(Result::err) {
                Some(error) => {
                    missing = Some(error);
                    Walk::Stop
                }
                None => Walk::Advance,
            }
        });
        missing.map_or(Ok(()), Err)
    }

    /// Adds a tensor and returns its hash.
    ///
    /// # Errors
    /// If its elements are left out.
    pub fn insert(&mut self, tensor: Tensor) -> Result<ContentHash, Elided> {
        let hash = tensor.content_hash();
        if tensor.bytes().is_none() {
            return Err(Elided { hash });
        }
        self.tensors.entry(hash).or_insert(tensor);
        Ok(hash)
    }

    /// Adds the tensors of another store.
    pub fn extend(&mut self, other: ConstantStore) {
        self.tensors.extend(other.tensors);
    }

    /// The tensor with this hash.
    pub fn get(&self, hash: &ContentHash) -> Option<&Tensor> {
        self.tensors.get(hash)
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Returns `true` if there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// The tensors as JSON: a map from hashes to tensors, sorted by hash.
    pub fn to_json(&self) -> String {
        let mut entries: Vec<_> = self.tensors.iter().collect();
        entries.sort_by_key(|(hash, _)| **hash);
        let entries = entries
            .into_iter()
            .map(|(hash, tensor)| (Str::new(hash.to_string()), Value::Node(tensor.clone().into())));
        json::native::save(&Value::Node(Map::<Str, Value>::new(entries).into_object()))
    }

    /// Reads the output of [`to_json`](Self::to_json), or the same map in TVM's JSON format. Checks the hash of each
    /// tensor.
    ///
    /// # Errors
    /// If the text is not such a map, or a hash does not match.
    pub fn from_json(text: &str, registry: &Registry) -> Result<ConstantStore, StoreError> {
        let value = tvmscript_tvm_json::load_any(text, registry)?;
        let map = value.as_object().and_then(|object| Map::<Str, Value>::try_ref(object));
        let map = map.ok_or(StoreError::NotAStore)?;
        let mut store = ConstantStore::new();
        for (name, value) in map.iter() {
            let tensor = value.as_object().and_then(|object| object.downcast_ref::<TensorNode>());
            let found = store.insert(tensor.ok_or(StoreError::NotAStore)?.clone())?;
            if name.parse() != Ok(found) {
                return Err(StoreError::Changed { name: name.to_string(), found });
            }
        }
        Ok(store)
    }

    /// The store as a dialect without nodes: a registry with it reads text that leaves the constants out.
    #[cfg(feature = "build")]
    pub fn dialect(self) -> tvmscript_ir_core::Dialect {
        use tvmscript_irbuilder::ContextDialect;
        tvmscript_ir_core::Dialect::new("constants").context(self).finish()
    }
}
