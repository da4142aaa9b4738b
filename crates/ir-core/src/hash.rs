//! Structural hash: equal nodes have equal hashes, in every process.
//!
//! The hash of a node combines its type key, its scalar fields and the hashes of its children, in the order of the
//! fields. A variable is hashed by the number of variables before it and whether it is defined at its first
//! occurrence. Maps are hashed by key, regardless of the order of their entries.
//!
//! Invariant: sharing does not affect the hash, except where equality requires it (variables, `dag` nodes).

use std::cell::Cell;
use std::collections::BTreeMap;

use hashbrown::HashTable;

use crate::containers::{MapNode, ShapeNode, TensorNode};
use crate::dtype::DataType;
use crate::node::{FieldSink, Node};
use crate::ptr_map::{INITIAL_CAPACITY, address_word};
use crate::raw::{Object, ObjectLike, Str};
use crate::stack::with_stack_at;
use crate::type_table::{CustomEq, EqStep, EqSteps, Plan, TypeInfo};
use crate::value::{FieldRef, Value};
use crate::vectors::padded;

/// Hashes a node with the default options.
pub fn structural_hash(object: &Object) -> u64 {
    StructuralHash::default().hash(object)
}

/// Options of the structural hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StructuralHash {
    /// Hashes tensors by dtype and shape only.
    pub skip_tensor_content: bool,
}

impl StructuralHash {
    /// Hashes a node. Consistent with [`crate::StructuralEqual`] of the same `skip_tensor_content`, whether or not
    /// free variables are mapped.
    pub fn hash(self, object: &Object) -> u64 {
        self.hash_field(FieldRef::Node(object))
    }

    /// Hashes a value.
    pub fn hash_value(self, value: &Value) -> u64 {
        self.hash_field(value.as_field())
    }

    fn hash_field(self, value: FieldRef<'_>) -> u64 {
        HashWork::new(self).word(value, false, Context { def: false, level: 0 })
    }
}

/// Mixes a word into a state. Short, because the fields of a node form a dependency chain; [`close`] finishes the
/// state.
#[inline(always)]
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Finishes a state. It is not linear: otherwise swapped subtrees of `(a + b) * (c + d)` would collide.
#[inline(always)]
fn close(state: u64) -> u64 {
    let state = (state ^ (state >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    state ^ (state >> 29)
}

/// Hashes bytes; the result is the same in every process.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        state = mix(state, u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    close(mix(state, u64::from_le_bytes(padded(words.remainder()))))
}

/// Hashes of visited nodes.
struct Memo(HashTable<(usize, u64)>);

/// Maximum capacity of a table that is kept for the next hash.
const KEPT_ENTRIES: usize = 2048;

thread_local! {
    /// The empty table of the last hash, for reuse.
    static SPARE: Cell<HashTable<(usize, u64)>> = const { Cell::new(HashTable::new()) };
}

impl Drop for Memo {
    fn drop(&mut self) {
        if self.0.capacity() <= KEPT_ENTRIES {
            self.0.clear();
            // Fails while the thread ends.
            let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
        }
    }
}

impl Memo {
    fn new() -> Memo {
        Memo(SPARE.try_with(Cell::take).unwrap_or_default())
    }

    #[inline]
    fn get(&self, node: &Object) -> Option<u64> {
        let address = node.address();
        self.0.find(address_word(address), |entry| entry.0 == address).map(|entry| entry.1)
    }

    /// Adds a node that is not in the table.
    #[inline]
    fn add(&mut self, node: &Object, hash: u64) {
        let rehash = |entry: &(usize, u64)| address_word(entry.0);
        if self.0.is_empty() {
            self.0.reserve(INITIAL_CAPACITY, rehash);
        }
        self.0.insert_unique(address_word(node.address()), (node.address(), hash), rehash);
    }
}

/// The state of a hash.
pub(crate) struct HashWork {
    options: StructuralHash,
    /// Hashes of visited variables and shared nodes.
    memo: Memo,
    /// Number of visited variables.
    variables: u64,
    /// Hashes of long texts that are shared. Not in `memo`: a second caller would move its look-up out of the walk.
    long_texts: BTreeMap<usize, u64>,
}

/// The context of a node, passed in registers.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// `true` in a definition region.
    def: bool,
    /// Depth of the recursion.
    level: u32,
}

impl Context {
    #[inline(always)]
    fn below(self, def: bool) -> Context {
        Context { def: self.def | def, level: self.level + 1 }
    }
}

/// Mixes the fields of a node into a state.
struct FieldHash<'w> {
    work: &'w mut HashWork,
    context: Context,
    state: u64,
}

impl<'a> FieldSink<'a> for FieldHash<'_> {
    #[inline(always)]
    fn field(&mut self, _: usize, def: bool, skip_eq: bool, value: FieldRef<'a>) {
        if !skip_eq {
            self.state = mix(self.state, self.work.word(value, def, self.context));
        }
    }
}

impl HashWork {
    fn new(options: StructuralHash) -> HashWork {
        HashWork { options, memo: Memo::new(), variables: 0, long_texts: BTreeMap::new() }
    }

    /// Hashes a field or element.
    #[inline(always)]
    fn word(&mut self, value: FieldRef<'_>, def: bool, context: Context) -> u64 {
        match value {
            FieldRef::None | FieldRef::Span(_) => 0xA076_1D64_78BD_642F,
            FieldRef::Bool(b) => 0xE703_7ED1_A0B4_28DB ^ u64::from(b),
            FieldRef::Int(i) => 0x8EBC_6AF0_9C88_C6E3 ^ i as u64,
            FieldRef::Float(f) => {
                let bits = if f.is_nan() { f64::NAN.to_bits() } else { f.to_bits() };
                (0x5899_65CC_7537_4CC3 ^ bits).rotate_left(17)
            }
            FieldRef::DType(dtype) => dtype_word(dtype),
            FieldRef::Name(n) => text_word(n.text()),
            FieldRef::Node(object) => self.node(object, context.below(def)),
        }
    }

    fn node(&mut self, object: &Object, context: Context) -> u64 {
        let info = object.info();
        let plan = info.plan();
        match plan {
            Plan::Str => return self.text(object),
            Plan::Leaf => return object.hash_fields(self, context, info.key_hash()),
            _ => {}
        }
        // The first occurrence of a variable decides whether it is free.
        let is_variable = matches!(plan, Plan::FreeVar | Plan::Dag);
        let is_shared = is_variable || !object.is_unique() && !object.is_cheap_array();
        if is_shared && let Some(known) = self.memo.get(object) {
            return known;
        }
        let mut seed = info.key_hash();
        if is_variable {
            seed = mix(seed, self.variables << 1 | u64::from(context.def));
            self.variables += 1;
        }
        let hash = with_stack_at(context.level, || match plan {
            Plan::Array => self.array(object, context, seed),
            Plan::Map => self.map(object, context, seed),
            Plan::Tensor => self.tensor(object, seed),
            Plan::Shape => integers(seed, object.as_node().map_or(&[], |shape: &ShapeNode| &shape.values)),
            _ => match info.custom_eq() {
                None => object.hash_fields(self, context, seed),
                Some(custom) => self.steps(object, custom, context, seed),
            },
        });
        if is_shared {
            self.memo.add(object, hash);
        }
        hash
    }

    /// Hashes a text.
    #[inline(always)]
    fn text(&mut self, object: &Object) -> u64 {
        let text = Str::try_ref(object).map_or("", Str::as_str);
        match text.len() < Str::LONG {
            true => text_word(text),
            false => self.long_text(object, text),
        }
    }

    /// Hashes a long text; one that is shared once.
    #[cold]
    fn long_text(&mut self, object: &Object, text: &str) -> u64 {
        if object.is_unique() {
            return text_word(text);
        }
        *self.long_texts.entry(object.address()).or_insert_with(|| text_word(text))
    }

    /// Hashes the fields of a node into `seed`.
    #[inline(always)]
    pub(crate) fn fields<T: Node>(
        &mut self,
        node: &T,
        info: &'static TypeInfo,
        context: Context,
        seed: u64,
    ) -> u64 {
        let mut sink = FieldHash { work: self, context, state: seed };
        node.fields(info, &mut sink);
        close(sink.state)
    }

    fn steps(&mut self, object: &Object, custom: CustomEq, context: Context, seed: u64) -> u64 {
        let mut steps = EqSteps::default();
        custom(object, object, &mut steps);
        close(steps.steps.iter().fold(seed, |state, step| {
            let (value, def) = match *step {
                EqStep::Field { index, def } => (object.field(index), def),
                EqStep::Bind { lhs, .. } => (FieldRef::Node(lhs), true),
            };
            mix(state, self.word(value, def, context))
        }))
    }

    fn array(&mut self, object: &Object, context: Context, seed: u64) -> u64 {
        let items = object.array_items();
        let seed = mix(seed, items.len() as u64);
        close(items.iter().fold(seed, |state, item| mix(state, self.word(item.as_field(), false, context))))
    }

    /// Hashes the entries in the order of their keys' hashes. Entries whose key is a node are skipped, unless it is a
    /// visited variable: other nodes are identified by address only.
    fn map(&mut self, object: &Object, context: Context, seed: u64) -> u64 {
        let Some(map) = object.as_node::<MapNode>() else { return seed };
        let mut state = mix(seed, map.entries().len() as u64);
        let mut entries: Vec<(u64, &Value)> = Vec::with_capacity(map.entries().len());
        for (key, value) in map.entries() {
            let key = match key.value() {
                Value::Node(key) => match key.info().plan() {
                    Plan::Str => self.text(key),
                    Plan::FreeVar | Plan::Dag => match self.memo.get(key) {
                        Some(known) => known,
                        None => continue,
                    },
                    _ => continue,
                },
                scalar => self.word(scalar.as_field(), false, context),
            };
            entries.push((key, value));
        }
        entries.sort_by_key(|(key, _)| *key);
        for (index, &(key, value)) in entries.iter().enumerate() {
            state = mix(state, key);
            let tie = |other: usize| entries.get(other).is_some_and(|(k, _)| *k == key);
            if !tie(index + 1) && !tie(index.wrapping_sub(1)) {
                state = mix(state, self.word(value.as_field(), false, context));
            }
        }
        close(state)
    }

    fn tensor(&mut self, object: &Object, seed: u64) -> u64 {
        let Some(tensor) = object.as_node::<TensorNode>() else { return seed };
        let state = mix(seed, dtype_word(tensor.dtype));
        let state = integers(state, &tensor.shape);
        if self.options.skip_tensor_content { state } else { close(mix(state, tensor.content_hash().word())) }
    }
}

fn integers(state: u64, values: &[i64]) -> u64 {
    let state = mix(state, values.len() as u64);
    close(values.iter().fold(state, |state, &value| mix(state, value as u64)))
}

#[inline(always)]
fn dtype_word(dtype: DataType) -> u64 {
    0x1D8E_4E27_C47D_124F ^ dtype.word()
}

#[inline]
fn text_word(text: &str) -> u64 {
    0xEB44_ACCA_B455_D165 ^ hash_bytes(text.as_bytes())
}
