//! Structural hash: equal nodes have equal hashes, in every run and process.
//!
//! A node is read as a sequence of tokens, one per node in the order of a recursive walk: its type key and scalar
//! fields mixed into one word. The hash of a sequence is a polynomial over the field of 2^61 - 1, so the hash of a shared
//! node, once known, is put in wherever the node comes again. Variables count by the order in which they come up, and by
//! whether they are defined there, maps by their keys and not by the order of their entries. The walk keeps its own stack.
//!
//! Invariant: how often a node is shared does not show, except where equality asks for it (variables, `dag` nodes).

use crate::containers::{ArrayNode, MapNode, ShapeNode, TensorNode};
use crate::node::FieldSink;
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike, Str};
use crate::type_table::{EqStep, EqSteps, Plan};
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
        HashWork::new(self).run(object)
    }

    /// The hash of a value.
    pub fn hash_value(self, value: &Value) -> u64 {
        match value {
            Value::Node(object) => self.hash(object),
            scalar => mix(0, scalar_word(scalar.as_field())),
        }
    }
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0B5A_D4EC_E6D2_F3A7;
const NODE: u64 = 0x9E6C_63D0_876A_1A3D;

#[inline(always)]
fn mix(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 29)).wrapping_add(word)
}

/// The same number modulo the prime, below 2^61 + 8.
#[inline(always)]
fn fold(x: u64) -> u64 {
    (x & PRIME) + (x >> 61)
}

/// The product modulo the prime, below 2^61 + 8; the factors are below 2^63 and 2^61.
#[inline(always)]
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    fold((product as u64 & PRIME) + (product >> 61) as u64)
}

/// The number below the prime.
fn reduce(x: u64) -> u64 {
    fold(fold(x)) % PRIME
}

/// The base to the power of `exponent`, below the prime.
fn power(mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, BASE);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = reduce(times(result, square));
        }
        square = reduce(times(square, square));
        exponent >>= 1;
    }
    result
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

#[inline(always)]
fn scalar_word(field: FieldRef<'_>) -> u64 {
    match field {
        FieldRef::None | FieldRef::Span(_) => 0xA076_1D64_78BD_642F,
        FieldRef::Bool(b) => 0xE703_7ED1_A0B4_28DB ^ u64::from(b),
        FieldRef::Int(i) => 0x8EBC_6AF0_9C88_C6E3 ^ i as u64,
        FieldRef::Float(f) => {
            let bits = if f.is_nan() { f64::NAN.to_bits() } else { f.to_bits() };
            (0x5899_65CC_7537_4CC3 ^ bits).rotate_left(17)
        }
        FieldRef::DType(d) => {
            let bits = u64::from(d.code as u8) << 24 | u64::from(d.bits) << 16 | u64::from(d.lanes as u16);
            0x1D8E_4E27_C47D_124F ^ bits
        }
        FieldRef::Name(n) => text_word(&n.get()),
        FieldRef::Node(_) => NODE,
    }
}

#[inline]
fn text_word(text: &str) -> u64 {
    0xEB44_ACCA_B455_D165 ^ hash_bytes(text.as_bytes())
}

/// A token sequence: the value of its polynomial, below 2^62 + 8, and its length.
#[derive(Clone, Copy)]
struct Sequence {
    value: u64,
    /// Modulo the order of the field's units, which powers of the base do not notice.
    length: u64,
}

impl Sequence {
    const EMPTY: Sequence = Sequence { value: 0, length: 0 };

    #[inline(always)]
    fn push(&mut self, token: u64) {
        self.value = times(self.value, BASE) + (token >> 3);
        self.length += 1;
    }

    fn append(&mut self, other: Known) {
        self.value = times(self.value, other.power) + other.value;
        self.length = (self.length + other.length) % (PRIME - 1);
    }
}

/// The sequence of a shared node.
#[derive(Clone, Copy)]
struct Known {
    value: u64,
    /// The base to the power of the length.
    power: u64,
    length: u64,
}

impl Known {
    fn of(sequence: Sequence) -> Known {
        let length = sequence.length % (PRIME - 1);
        Known { value: reduce(sequence.value), power: power(length), length }
    }
}

enum Task<'a> {
    Visit {
        object: &'a Object,
        def: bool,
    },
    /// The sequence in hand is that of this node.
    End(&'a Object),
    /// The elements of an array from this position on, each with tokens of its own.
    Elements {
        items: &'a [Value],
        def: bool,
    },
}

/// A hash under way.
pub(crate) struct HashWork<'a> {
    options: StructuralHash,
    /// The token of the node in hand, and whether it stands in a definition region.
    token: u64,
    def: bool,
    sequence: Sequence,
    stack: Vec<Task<'a>>,
    /// Sequences that wait for that of a shared node to end.
    outer: Vec<Sequence>,
    known: AddressMap<Known>,
    variables: u64,
}

impl<'a> FieldSink<'a> for HashWork<'a> {
    #[inline(always)]
    fn field(&mut self, _: usize, def: bool, skip_eq: bool, value: FieldRef<'a>) {
        if skip_eq {
            return;
        }
        match value {
            FieldRef::Node(object) => self.node(object, def),
            scalar => self.token = mix(self.token, scalar_word(scalar)),
        }
    }
}

impl<'a> HashWork<'a> {
    fn new(options: StructuralHash) -> HashWork<'a> {
        HashWork {
            options,
            token: 0,
            def: false,
            sequence: Sequence::EMPTY,
            stack: Vec::with_capacity(64),
            outer: Vec::new(),
            known: AddressMap::default(),
            variables: 0,
        }
    }

    fn run(&mut self, object: &'a Object) -> u64 {
        self.stack.push(Task::Visit { object, def: false });
        while let Some(task) = self.stack.pop() {
            match task {
                Task::Visit { object, def } => {
                    self.def = def;
                    self.visit(object);
                }
                Task::End(object) => {
                    let known = Known::of(self.sequence);
                    self.known.insert(object.address(), known);
                    let mut outer = self.outer.pop().unwrap_or(Sequence::EMPTY);
                    outer.append(known);
                    self.sequence = outer;
                }
                Task::Elements { items, def } => {
                    self.def = def;
                    self.elements(items);
                }
            }
        }
        mix(mix(reduce(self.sequence.value), self.sequence.length % (PRIME - 1)), NODE)
    }

    /// A node in a field, element or entry of the node in hand.
    #[inline(always)]
    fn node(&mut self, object: &'a Object, def: bool) {
        if object.info().plan() == Plan::Str {
            let text = Str::try_ref(object).map_or("", Str::as_str);
            self.token = mix(self.token, text_word(text));
        } else {
            self.token = self.token.wrapping_add(NODE).rotate_left(23);
            self.stack.push(Task::Visit { object, def: def | self.def });
        }
    }

    #[inline]
    fn visit(&mut self, object: &'a Object) {
        let info = object.info();
        self.token = info.key_hash();
        match info.plan() {
            Plan::Leaf => object.hash_fields(self),
            Plan::FreeVar | Plan::Dag => {
                if self.is_known(object) {
                    return;
                }
                // Where it comes up first says whether it is free.
                self.token = mix(self.token, self.variables << 1 | u64::from(self.def));
                self.variables += 1;
                self.fields(object);
            }
            Plan::Str => {
                let text = Str::try_ref(object).map_or("", Str::as_str);
                self.token = mix(self.token, text_word(text));
            }
            Plan::Tensor => self.tensor(object),
            Plan::Shape => {
                if let Some(shape) = object.as_node::<ShapeNode>() {
                    self.integers(&shape.values);
                }
            }
            plan => {
                if !object.is_unique() && self.is_known(object) {
                    return;
                }
                match plan {
                    Plan::Array => self.array(object),
                    Plan::Map => self.map(object),
                    _ => self.fields(object),
                }
            }
        }
        let token = self.token;
        self.sequence.push(token);
    }

    /// Puts in what is known of a node; otherwise starts its sequence.
    #[inline]
    fn is_known(&mut self, object: &'a Object) -> bool {
        if let Some(&known) = self.known.get(&object.address()) {
            self.sequence.append(known);
            return true;
        }
        self.outer.push(std::mem::replace(&mut self.sequence, Sequence::EMPTY));
        self.stack.push(Task::End(object));
        false
    }

    #[inline]
    fn fields(&mut self, object: &'a Object) {
        match object.info().custom_eq() {
            None => object.hash_fields(self),
            Some(custom) => {
                let mut steps = EqSteps::default();
                custom(object, object, &mut steps);
                for step in steps.steps.iter().rev() {
                    match *step {
                        EqStep::Field { index, def } => self.field(index, def, false, object.field(index)),
                        EqStep::Bind { lhs, .. } => self.node(lhs, true),
                    }
                }
            }
        }
    }

    fn array(&mut self, object: &'a Object) {
        let items = object.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items);
        self.token = mix(self.token, items.len() as u64);
        if !items.is_empty() {
            self.stack.push(Task::Elements { items, def: self.def });
        }
    }

    #[inline]
    fn elements(&mut self, mut items: &'a [Value]) {
        while let Some((item, rest)) = items.split_first() {
            items = rest;
            match item {
                Value::Node(object) => {
                    if !rest.is_empty() {
                        self.stack.push(Task::Elements { items: rest, def: self.def });
                    }
                    return self.visit(object);
                }
                scalar => self.sequence.push(mix(NODE, scalar_word(scalar.as_field()))),
            }
        }
    }

    /// Entries count in the order of their keys' hashes. A node as a key counts when it is a variable that has come up;
    /// otherwise it is known by its address only, and the entry does not count.
    fn map(&mut self, object: &'a Object) {
        let Some(map) = object.as_node::<MapNode>() else { return };
        self.token = mix(self.token, map.entries().len() as u64);
        let mut entries: Vec<(u64, &'a Value)> = Vec::with_capacity(map.entries().len());
        for (key, value) in map.entries() {
            let key = match key.value() {
                Value::Node(key) => match key.info().plan() {
                    Plan::Str => text_word(Str::try_ref(key).map_or("", Str::as_str)),
                    Plan::FreeVar | Plan::Dag => match self.known.get(&key.address()) {
                        Some(known) => mix(known.value, known.length),
                        None => continue,
                    },
                    _ => continue,
                },
                scalar => scalar_word(scalar.as_field()),
            };
            entries.push((key, value));
        }
        entries.sort_by_key(|(key, _)| *key);
        for (index, &(key, value)) in entries.iter().enumerate().rev() {
            self.token = mix(self.token, key);
            let tie = |other: usize| entries.get(other).is_some_and(|(k, _)| *k == key);
            if !tie(index + 1) && !tie(index.wrapping_sub(1)) {
                self.field(index, false, false, value.as_field());
            }
        }
    }

    fn tensor(&mut self, object: &Object) {
        let Some(tensor) = object.as_node::<TensorNode>() else { return };
        self.token = mix(self.token, scalar_word(FieldRef::DType(tensor.dtype)));
        self.integers(&tensor.shape);
        if !self.options.skip_tensor_content {
            self.token = mix(self.token, hash_bytes(&tensor.data));
        }
    }

    fn integers(&mut self, values: &[i64]) {
        self.token = mix(self.token, values.len() as u64);
        for &value in values {
            self.token = mix(self.token, value as u64);
        }
    }
}
