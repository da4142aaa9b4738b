//! Keys of graphs: 128 bits that do not depend on names, positions and sharing, for caches and other stored data.
//!
//! [`Digester`] walks a graph as the [structural hash](crate::structural_hash) does: the same fields in the same order,
//! variables by the number of variables before them. It differs in what it makes of them: SHA-256 of bytes that
//! `docs/program-keys.md` specifies, so that other programs can compute it, and of every entry of a map.
//!
//! Invariant: structurally equal graphs have equal keys, in every process, on every machine and in every version.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::containers::{MapNode, ShapeNode, TensorNode};
use crate::ptr_map::AddressMap;
use crate::raw::{Object, ObjectLike as _, Str};
use crate::stack::with_stack;
use crate::type_table::{EqStep, EqSteps, FieldInfo, Plan};
use crate::value::{FieldRef, Value};

/// The first 16 bytes of a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 16]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Bytes that become a [`Digest`].
#[derive(Clone, Default)]
pub struct Bytes(Sha256);

impl Bytes {
    /// The bytes that begin with a tag, which tells what they describe.
    pub fn tagged(tag: u8) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.0.update([tag]);
        bytes
    }

    /// Adds a number as eight bytes, little-endian.
    pub fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    /// Adds a text: its length in bytes as a number, and its bytes in UTF-8.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    /// Adds a digest.
    pub fn digest(&mut self, digest: Digest) {
        self.0.update(digest.0);
    }

    /// The digest of the bytes.
    pub fn finish(self) -> Digest {
        let mut digest = [0; 16];
        digest.iter_mut().zip(self.0.finalize()).for_each(|(to, from)| *to = from);
        Digest(digest)
    }
}

/// The rules that a dialect adds to the walk.
pub trait DigestRules {
    /// The digest of a node that is known otherwise than by its fields; `None` for others.
    fn known(&mut self, _node: &Object) -> Option<Digest> {
        None
    }

    /// Tests whether a field is left out, in addition to those that equality ignores.
    fn skips(&self, _node: &Object, _field: &FieldInfo) -> bool {
        false
    }

    /// Tests whether the values of entries with this key are left out of maps.
    fn skips_value(&self, _key: &str) -> bool {
        false
    }
}

/// The rules of a graph without references by name.
impl DigestRules for () {}

/// Computes the digests of graphs that share variables.
pub struct Digester<'r, R: DigestRules> {
    rules: &'r mut R,
    /// Digests of visited variables and shared nodes.
    memo: AddressMap<Digest>,
    /// Number of visited variables.
    variables: u64,
}

/// Digest of a graph.
///
/// ```
/// use tvmscript_ir_core::{Array, ObjectLike, Value, digest::digest};
///
/// let numbers = |items: &[i64]| Array::of_values(items.iter().map(|i| Value::from(*i))).into_object();
/// assert_eq!(digest(&numbers(&[1, 2]), &mut ()), digest(&numbers(&[1, 2]), &mut ()));
/// assert_ne!(digest(&numbers(&[1, 2]), &mut ()), digest(&numbers(&[2, 1]), &mut ()));
/// ```
pub fn digest(object: &Object, rules: &mut impl DigestRules) -> Digest {
    Digester::new(rules).node(object)
}

impl<'r, R: DigestRules> Digester<'r, R> {
    /// A walk that has visited nothing.
    pub fn new(rules: &'r mut R) -> Digester<'r, R> {
        Digester { rules, memo: AddressMap::default(), variables: 0 }
    }

    /// Digest of a node.
    pub fn node(&mut self, object: &Object) -> Digest {
        self.object(object, false)
    }

    /// Adds a value: one byte for its kind, and its bytes.
    fn value(&mut self, out: &mut Bytes, value: FieldRef<'_>, def: bool) {
        let mut tag = |tag: u8| out.0.update([tag]);
        match value {
            FieldRef::None | FieldRef::Span(_) => tag(b'N'),
            FieldRef::Bool(value) => {
                tag(b'B');
                tag(u8::from(value));
            }
            FieldRef::Int(value) => {
                tag(b'I');
                out.number(value as u64);
            }
            FieldRef::Float(value) => {
                tag(b'F');
                out.number(if value.is_nan() { 0x7FF8_0000_0000_0000 } else { value.to_bits() });
            }
            FieldRef::DType(value) => {
                tag(b'D');
                out.text(&value.to_string());
            }
            FieldRef::Name(value) => {
                tag(b'S');
                out.text(value.text());
            }
            FieldRef::Node(value) => match Str::try_ref(value) {
                Some(text) => {
                    tag(b'S');
                    out.text(text.as_str());
                }
                None => {
                    let digest = self.object(value, def);
                    out.0.update(b"O");
                    out.digest(digest);
                }
            },
        }
    }

    fn object(&mut self, object: &Object, def: bool) -> Digest {
        if let Some(known) = self.rules.known(object) {
            return known;
        }
        let plan = object.info().plan();
        let is_variable = matches!(plan, Plan::FreeVar | Plan::Dag);
        let is_shared = is_variable || !object.is_unique();
        if is_shared && let Some(known) = self.memo.get(&object.address()) {
            return *known;
        }
        let mut out = Bytes::tagged(if is_variable { b'v' } else { b'n' });
        out.text(object.info().key());
        if is_variable {
            out.number(self.variables);
            out.0.update([u8::from(def)]);
            self.variables += 1;
        }
        with_stack(|| match plan {
            Plan::Str => out.text(Str::try_ref(object).map_or("", Str::as_str)),
            Plan::Array => {
                let items = object.array_items();
                out.number(items.len() as u64);
                items.iter().for_each(|item| self.value(&mut out, item.as_field(), def));
            }
            Plan::Map => self.map(&mut out, object, def),
            Plan::Tensor => {
                let hash = object.as_node::<TensorNode>().map(TensorNode::content_hash);
                out.text(&hash.map(|hash| hash.to_string()).unwrap_or_default());
            }
            Plan::Shape => {
                let values = object.as_node().map_or(&[][..], |shape: &ShapeNode| &shape.values);
                out.number(values.len() as u64);
                values.iter().for_each(|value| out.number(*value as u64));
            }
            _ => self.fields(&mut out, object, def),
        });
        let digest = out.finish();
        if is_shared {
            self.memo.insert(object.address(), digest);
        }
        digest
    }

    fn fields(&mut self, out: &mut Bytes, object: &Object, def: bool) {
        let fields = object.info().fields();
        if let Some(custom) = object.info().custom_eq() {
            let mut steps = EqSteps::default();
            custom(object, object, &mut steps);
            for step in &steps.steps {
                match *step {
                    EqStep::Field { index, def: own } => match fields.get(index) {
                        Some(field) if self.rules.skips(object, field) => {}
                        _ => self.value(out, object.field(index), def | own),
                    },
                    EqStep::Bind { lhs, .. } => self.value(out, FieldRef::Node(lhs), true),
                }
            }
            return;
        }
        for (index, field) in fields.iter().enumerate() {
            if !field.skip_eq && !self.rules.skips(object, field) {
                self.value(out, object.field(index), def | field.def);
            }
        }
    }

    /// Entries in the order of their keys' digests. A key that is a node counts only if it was visited: it is identified
    /// by its address.
    fn map(&mut self, out: &mut Bytes, object: &Object, def: bool) {
        let Some(map) = object.as_node::<MapNode>() else { return };
        let mut entries: Vec<(Digest, &Value)> = Vec::with_capacity(map.entries().len());
        let mut unknown: u64 = 0;
        for (key, value) in map.entries() {
            let mut bytes = Bytes::tagged(b'k');
            let mut value = value;
            match key.value() {
                Value::Node(node) => match (Str::try_ref(node), self.memo.get(&node.address())) {
                    (Some(text), _) => {
                        if self.rules.skips_value(text.as_str()) {
                            value = &Value::None;
                        }
                        self.value(&mut bytes, key.value().as_field(), false);
                    }
                    (None, Some(known)) => bytes.digest(*known),
                    (None, None) => {
                        unknown += 1;
                        continue;
                    }
                },
                scalar => self.value(&mut bytes, scalar.as_field(), false),
            }
            entries.push((bytes.finish(), value));
        }
        entries.sort_by_key(|(key, _)| *key);
        out.number(entries.len() as u64);
        out.number(unknown);
        for (key, value) in entries {
            out.digest(key);
            self.value(out, value.as_field(), def);
        }
    }
}
