//! Structural hash: equal nodes have equal hashes, in every run and process.
//!
//! The hash of a node is its type key, its scalar fields and the hashes of its nodes, mixed in the order of the fields.
//! That of a shared node, once known, is put in wherever the node comes again. Variables count by the order in which they
//! come up, and by whether they are defined there, maps by their keys and not by the order of their entries. The walk
//! recurses, behind the guard of the native stack.
//!
//! Invariant: how often a node is shared does not show, except where equality asks for it (variables, `dag` nodes).

use hashbrown::HashTable;

use crate::containers::{ArrayNode, MapNode, ShapeNode, TensorNode};
use crate::node::FieldSink;
use crate::ptr_map::address_word;
use crate::raw::{Object, ObjectLike, Str};
use crate::room;
use crate::stack::with_stack_at;
use crate::type_table::{CustomEq, EqStep, EqSteps, Plan};
use crate::value::{FieldRef, Value};

/// The structural hash of a node, with the default options.
pub fn structural_hash(object: &Object) -> u64 {
    StructuralHash::default().hash(object)
}

/// How to hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StructuralHash {
    /// Tensors count by dtype and shape only.
    pub skip_tensor_content: bool,
}

impl StructuralHash {
    /// The hash of a node. It agrees with [`crate::StructuralEqual`] of the same `skip_tensor_content`, whether or not
    /// free variables are mapped.
    pub fn hash(self, object: &Object) -> u64 {
        self.hash_field(FieldRef::Node(object))
    }

    /// The hash of a value.
    pub fn hash_value(self, value: &Value) -> u64 {
        self.hash_field(value.as_field())
    }

    fn hash_field(self, value: FieldRef<'_>) -> u64 {
        HashWork::new(self).word(value, false)
    }
}

#[inline(always)]
fn mix(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 29)).wrapping_add(word)
}

/// A number for bytes that is the same in every process.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        state = mix(state, u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    let rest = words.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(state, u64::from_le_bytes(last)), 0x5851_F42D_4C95_7F2D)
}

/// The hashes of nodes, each added once.
#[derive(Default)]
struct Known(HashTable<(usize, u64)>);

impl Known {
    #[inline]
    fn get(&self, node: &Object) -> Option<u64> {
        let address = node.address();
        self.0.find(address_word(address), |entry| entry.0 == address).map(|entry| entry.1)
    }

    /// Adds a node that is not there.
    #[inline]
    fn add(&mut self, node: &Object, hash: u64) {
        let rehash = |entry: &(usize, u64)| address_word(entry.0);
        if self.0.len() == self.0.capacity() {
            self.0.reserve(room::more(self.0.len()), rehash);
        }
        self.0.insert_unique(address_word(node.address()), (node.address(), hash), rehash);
    }
}

/// A hash under way.
pub(crate) struct HashWork {
    options: StructuralHash,
    /// The hash so far of the node in hand, and whether it stands in a definition region.
    state: u64,
    def: bool,
    level: u32,
    /// The hashes of variables and shared nodes that came up.
    known: Known,
    variables: u64,
}

impl<'a> FieldSink<'a> for HashWork {
    #[inline(always)]
    fn field(&mut self, _: usize, def: bool, skip_eq: bool, value: FieldRef<'a>) {
        if !skip_eq {
            let word = self.word(value, def);
            self.state = mix(self.state, word);
        }
    }
}

impl HashWork {
    fn new(options: StructuralHash) -> HashWork {
        HashWork { options, state: 0, def: false, level: 0, known: Known::default(), variables: 0 }
    }

    /// What stands for a field, element or entry of the node in hand.
    #[inline(always)]
    fn word(&mut self, value: FieldRef<'_>, def: bool) -> u64 {
        match value {
            FieldRef::None | FieldRef::Span(_) => 0xA076_1D64_78BD_642F,
            FieldRef::Bool(b) => 0xE703_7ED1_A0B4_28DB ^ u64::from(b),
            FieldRef::Int(i) => 0x8EBC_6AF0_9C88_C6E3 ^ i as u64,
            FieldRef::Float(f) => {
                let bits = if f.is_nan() { f64::NAN.to_bits() } else { f.to_bits() };
                (0x5899_65CC_7537_4CC3 ^ bits).rotate_left(17)
            }
            FieldRef::DType(d) => {
                let bits =
                    u64::from(d.code as u8) << 24 | u64::from(d.bits) << 16 | u64::from(d.lanes as u16);
                0x1D8E_4E27_C47D_124F ^ bits
            }
            FieldRef::Name(n) => text_word(&n.get()),
            FieldRef::Node(object) => self.node(object, def),
        }
    }

    fn node(&mut self, object: &Object, def: bool) -> u64 {
        let info = object.info();
        let plan = info.plan();
        match plan {
            Plan::Str => return text_word(Str::try_ref(object).map_or("", Str::as_str)),
            Plan::Leaf => return self.content(object, info.key_hash(), def, Plan::Leaf),
            _ => {}
        }
        // Where a variable comes up first says whether it is free.
        let is_variable = matches!(plan, Plan::FreeVar | Plan::Dag);
        let is_shared = is_variable || !object.is_unique();
        if is_shared && let Some(known) = self.known.get(object) {
            return known;
        }
        let mut seed = info.key_hash();
        if is_variable {
            seed = mix(seed, self.variables << 1 | u64::from(def | self.def));
            self.variables += 1;
        }
        let hash = with_stack_at(self.level, || self.content(object, seed, def, plan));
        if is_shared {
            self.known.add(object, hash);
        }
        hash
    }

    /// The hash of a node whose type, and number if it has one, are in `seed`.
    #[inline]
    fn content(&mut self, object: &Object, seed: u64, def: bool, plan: Plan) -> u64 {
        let around = (self.state, self.def);
        self.state = seed;
        self.def |= def;
        self.level += 1;
        match plan {
            Plan::Array => self.array(object),
            Plan::Map => self.map(object),
            Plan::Tensor => self.tensor(object),
            Plan::Shape => {
                if let Some(shape) = object.as_node::<ShapeNode>() {
                    self.integers(&shape.values);
                }
            }
            _ => match object.info().custom_eq() {
                None => object.hash_fields(self),
                Some(custom) => self.steps(object, custom),
            },
        }
        self.level -= 1;
        let hash = self.state;
        (self.state, self.def) = around;
        hash
    }

    fn steps(&mut self, object: &Object, custom: CustomEq) {
        let mut steps = EqSteps::default();
        custom(object, object, &mut steps);
        for step in steps.steps {
            let (value, def) = match step {
                EqStep::Field { index, def } => (object.field(index), def),
                EqStep::Bind { lhs, .. } => (FieldRef::Node(lhs), true),
            };
            self.field(0, def, false, value);
        }
    }

    fn array(&mut self, object: &Object) {
        let items = object.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items);
        self.state = mix(self.state, items.len() as u64);
        for item in items {
            self.field(0, false, false, item.as_field());
        }
    }

    /// Entries count in the order of their keys' hashes. A node as a key counts when it is a variable that has come up;
    /// otherwise it is known by its address only, and the entry does not count.
    fn map(&mut self, object: &Object) {
        let Some(map) = object.as_node::<MapNode>() else { return };
        self.state = mix(self.state, map.entries().len() as u64);
        let mut entries: Vec<(u64, &Value)> = Vec::with_capacity(map.entries().len());
        for (key, value) in map.entries() {
            let key = match key.value() {
                Value::Node(key) => match key.info().plan() {
                    Plan::Str => text_word(Str::try_ref(key).map_or("", Str::as_str)),
                    Plan::FreeVar | Plan::Dag => match self.known.get(key) {
                        Some(known) => known,
                        None => continue,
                    },
                    _ => continue,
                },
                scalar => self.word(scalar.as_field(), false),
            };
            entries.push((key, value));
        }
        entries.sort_by_key(|(key, _)| *key);
        for (index, &(key, value)) in entries.iter().enumerate() {
            self.state = mix(self.state, key);
            let tie = |other: usize| entries.get(other).is_some_and(|(k, _)| *k == key);
            if !tie(index + 1) && !tie(index.wrapping_sub(1)) {
                self.field(0, false, false, value.as_field());
            }
        }
    }

    fn tensor(&mut self, object: &Object) {
        let Some(tensor) = object.as_node::<TensorNode>() else { return };
        self.field(0, false, false, FieldRef::DType(tensor.dtype));
        self.integers(&tensor.shape);
        if !self.options.skip_tensor_content {
            self.state = mix(self.state, tensor.content_hash().word());
        }
    }

    fn integers(&mut self, values: &[i64]) {
        self.state = mix(self.state, values.len() as u64);
        for &value in values {
            self.state = mix(self.state, value as u64);
        }
    }
}

#[inline]
fn text_word(text: &str) -> u64 {
    0xEB44_ACCA_B455_D165 ^ hash_bytes(text.as_bytes())
}
