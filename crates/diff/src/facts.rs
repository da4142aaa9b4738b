//! Hashes and sizes of subtrees, computed once per node.
//!
//! Two hashes differ in how they see an *entity*: a node with identity, that is a variable, or a named node that defines
//! variables, such as a buffer. [`Facts::named`] tells entities apart by name, or by their partners once those are known
//! ([`Facts::set_identities`]); [`Facts::form`] by type only. Ignored fields do not count, nor does the order of entries.

use std::hash::{Hash, Hasher};

use hashbrown::HashMap;
use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::type_table::{FieldInfo, FieldKind, Shape};
use tvmscript_ir_core::vectors::{padded, reverse_above};
use tvmscript_ir_core::{EqKind, FieldRef, Object, ObjectLike, Str, TypeInfo, Value, with_stack};

/// Facts about a subtree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Hash that tells entities apart.
    pub(crate) named: u64,
    /// Hash in which all entities of a type are alike.
    pub(crate) form: u64,
    /// Number of nodes of the tree that the node unfolds to; saturates.
    pub(crate) size: u32,
}

/// Smallest subtree whose facts are kept, by nodes and by elements of one array. Facts about a smaller one are computed
/// each time: a table of all nodes takes longer to fill than to do without.
const MIN_KEPT: u32 = 16;

/// Facts about the nodes of one side, with a memo of those about large subtrees.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    memo: AddressMap<Fact>,
    /// Identities of entities that replace their names, by address.
    identities: AddressMap<u64>,
}

fn mix(state: u64, word: u64) -> u64 {
    let product = (state ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (product ^ (product >> 32)).rotate_left(23)
}

/// A hasher with the same result in every process.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.0 = mix(self.0, u64::from_le_bytes(padded(chunk)));
        }
    }
}

pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut mixer = Mixer::default();
    value.hash(&mut mixer);
    mixer.0
}

/// Hash of a scalar; `None` for a node.
fn of_scalar(value: FieldRef<'_>) -> Option<u64> {
    Some(match value {
        FieldRef::None | FieldRef::Span(_) => 1,
        FieldRef::Bool(b) => 2 + u64::from(b),
        FieldRef::Int(i) => mix(4, i as u64),
        FieldRef::Float(f) => mix(5, if f.is_nan() { f64::NAN.to_bits() } else { f.to_bits() }),
        FieldRef::DType(d) => {
            mix(6, u64::from(d.code as u8) << 24 | u64::from(d.bits) << 16 | u64::from(d.lanes as u16))
        }
        FieldRef::Name(_) => 7,
        FieldRef::Node(_) => return None,
    })
}

impl Facts {
    /// Forgets all facts, and tells entities apart by these identities instead of their names.
    pub(crate) fn set_identities(&mut self, identities: AddressMap<u64>) {
        self.memo.clear();
        self.identities = identities;
    }

    /// Facts about a value. A scalar has size 0.
    pub(crate) fn of(&mut self, value: FieldRef<'_>) -> Fact {
        match value {
            FieldRef::Node(node) => self.of_node(node),
            scalar => {
                let word = of_scalar(scalar).unwrap_or_default();
                Fact { named: word, form: word, size: 0 }
            }
        }
    }

    pub(crate) fn of_node(&mut self, node: &Object) -> Fact {
        if let Some(text) = Str::try_ref(node) {
            let word = hash_of(text.as_str());
            return Fact { named: word, form: word, size: 1 };
        }
        if is_entity(node) {
            return self.entity(node);
        }
        if !has_children(node.info()) {
            return self.compute(node);
        }
        if let Some(known) = self.memo.get(&node.address()) {
            return *known;
        }
        let fact = with_stack(|| self.compute(node));
        let is_kept = match node.info().shape() {
            Shape::Fields | Shape::Str => fact.size >= MIN_KEPT,
            Shape::Array => fact.size.max(node.array_items().len() as u32) >= MIN_KEPT,
            Shape::Map | Shape::Tensor => true,
        };
        if is_kept {
            self.memo.insert(node.address(), fact);
        }
        fact
    }

    fn entity(&self, node: &Object) -> Fact {
        let key = key_of(node.info());
        let identity = self.identities.get(&node.address()).copied();
        let identity = identity.unwrap_or_else(|| name_of(node).map_or(0, hash_of));
        Fact { named: mix(key, identity), form: key, size: 1 }
    }

    fn compute(&mut self, node: &Object) -> Fact {
        let info = node.info();
        let key = key_of(info);
        let mut fact = Fact { named: key, form: key, size: 1 };
        let add = |fact: &mut Fact, part: Fact| {
            fact.named = mix(fact.named, part.named);
            fact.form = mix(fact.form, part.form);
            fact.size = fact.size.saturating_add(part.size);
        };
        match info.shape() {
            Shape::Fields if info.eq_kind() == EqKind::Unique => {
                let word = mix(key, node.address() as u64);
                (fact.named, fact.form) = (word, word);
            }
            Shape::Fields => {
                for (index, _) in info.fields().iter().enumerate().filter(|(_, field)| !field.skip_eq) {
                    let part = self.of(node.field(index));
                    add(&mut fact, part);
                }
            }
            Shape::Array => {
                for item in node.array_items() {
                    let part = self.of(item.as_field());
                    add(&mut fact, part);
                }
            }
            Shape::Map => {
                let (mut named, mut form) = (0u64, 0u64);
                for (key, value) in node.map_entries() {
                    let (key, value) = (self.of(key.as_field()), self.of(value.as_field()));
                    named = named.wrapping_add(mix(key.named, value.named));
                    form = form.wrapping_add(mix(key.form, value.form));
                    fact.size = fact.size.saturating_add(key.size).saturating_add(value.size);
                }
                add(&mut fact, Fact { named, form, size: 0 });
            }
            Shape::Str | Shape::Tensor => {
                let word = of_leaf(node);
                (fact.named, fact.form) = (mix(key, word), mix(key, word));
            }
        }
        fact
    }
}

fn key_of(info: &TypeInfo) -> u64 {
    mix(8, info.index() as u64)
}

/// Returns `false` for a type whose nodes have scalars only.
fn has_children(info: &TypeInfo) -> bool {
    let is_child =
        |field: &FieldInfo| !field.skip_eq && matches!(field.kind, FieldKind::Node | FieldKind::Any);
    info.shape() != Shape::Fields || info.fields().iter().any(is_child)
}

fn of_leaf(node: &Object) -> u64 {
    if let Some(tensor) = node.as_node::<TensorNode>() {
        let state = mix(hash_of(&tensor.dtype), tensor.shape.len() as u64);
        let state = tensor.shape.iter().fold(state, |state, &extent| mix(state, extent as u64));
        return mix(state, hash_of(&tensor.content_hash()));
    }
    let values = node.as_node::<ShapeNode>().map_or(&[][..], |shape| &shape.values);
    values.iter().fold(values.len() as u64, |state, &value| mix(state, value as u64))
}

/// A node with identity: a variable, a node that stands for a variable, or a node that has a name hint and defines
/// variables. Uses of it are compared by partner, its content once.
pub(crate) fn is_entity(node: &Object) -> bool {
    let info = node.info();
    if info.shape() != Shape::Fields {
        return false;
    }
    match info.eq_kind() {
        EqKind::FreeVar => true,
        EqKind::Dag => fields(node).any(|field| is_variable(field)),
        EqKind::Tree => has_named_definitions(node),
        EqKind::ConstTree | EqKind::Unique => false,
    }
}

/// Returns `true` for a node of a type with definitions and a name hint.
fn has_named_definitions(node: &Object) -> bool {
    node.info().fields().iter().any(|field| field.def)
        && fields(node).any(|field| matches!(field, FieldRef::Name(_)))
}

fn fields(node: &Object) -> impl Iterator<Item = FieldRef<'_>> {
    (0..node.info().fields().len()).map(|index| node.field(index))
}

fn is_variable(field: FieldRef<'_>) -> bool {
    matches!(field, FieldRef::Node(node) if node.info().eq_kind() == EqKind::FreeVar)
}

/// The name hint of a node, or that of the variable it stands for.
pub fn name_of(node: &Object) -> Option<&str> {
    own_name(node).or_else(|| {
        fields(node).find_map(|field| match field {
            FieldRef::Node(child) if is_variable(field) => own_name(child),
            _ => None,
        })
    })
}

fn own_name(node: &Object) -> Option<&str> {
    let info = node.info();
    info.fields().iter().enumerate().find_map(|(index, field)| match node.field(index) {
        FieldRef::Name(name) => Some(name.written()),
        FieldRef::Node(text) if field.name == "name" || field.name == "name_hint" => {
            Str::try_ref(text).map(Str::as_str)
        }
        _ => None,
    })
}

/// The first nodes of a subtree as a bag of hashes, to measure similarity.
#[derive(Debug, Default)]
pub(crate) struct Bag(HashMap<u64, u32>, u32);

/// Nodes in a [`Bag`].
const BAG_NODES: usize = 96;

impl Bag {
    pub(crate) fn of(facts: &mut Facts, root: &Object) -> Bag {
        let mut bag = Bag::default();
        let mut stack = vec![root];
        let mut nodes = 0;
        while let Some(node) = stack.pop() {
            nodes += 1;
            if nodes > BAG_NODES {
                break;
            }
            bag.add(mix(9, node.info().index() as u64));
            bag.add(facts.of_node(node).named);
            if is_entity(node) {
                continue;
            }
            let start = stack.len();
            for_each_compared(node, |value| match value {
                FieldRef::Node(child) if Str::try_ref(child).is_none() => stack.push(child),
                other => bag.add(facts.of(other).named),
            });
            reverse_above(&mut stack, start);
        }
        bag
    }

    fn add(&mut self, word: u64) {
        *self.0.entry(word).or_default() += 1;
        self.1 += 1;
    }

    /// Share of common hashes, in percent.
    pub(crate) fn similarity(&self, other: &Bag) -> u32 {
        let common: u32 =
            self.0.iter().filter_map(|(word, &count)| Some(count.min(*other.0.get(word)?))).sum();
        200 * common / (self.1 + other.1).max(1)
    }
}

/// Calls `f` for each part of a node that equality compares: fields, elements, keys and values.
pub(crate) fn for_each_compared<'a>(node: &'a Object, mut f: impl FnMut(FieldRef<'a>)) {
    let info: &TypeInfo = node.info();
    match info.shape() {
        Shape::Fields if info.eq_kind() == EqKind::Unique => {}
        Shape::Fields => {
            for (index, _) in info.fields().iter().enumerate().filter(|(_, field)| !field.skip_eq) {
                f(node.field(index));
            }
        }
        Shape::Array => node.array_items().iter().map(Value::as_field).for_each(f),
        Shape::Map => node.map_entries().for_each(|(key, value)| {
            f(key.as_field());
            f(value.as_field());
        }),
        Shape::Str | Shape::Tensor => {}
    }
}
