//! Keys of dictionaries and sets, with Python's equality and hash.
//!
//! Equal numbers are one key (`1 == 1.0 == True`), compared exactly: `2**53 + 1` and `float(2**53)` are two. Nodes
//! compare by identity, and so do host objects by default. The hash is computed once per key.

use std::borrow::Cow;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher, RandomState};
use std::rc::Rc;
use std::sync::OnceLock;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use tvmscript_ir_core::with_stack;

use crate::value::ScriptValue;

/// Behaviour of a host object as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hashing {
    /// Equal to itself only.
    Identity,
    /// Mutable, and not usable as a key.
    Unhashable,
    /// As its payload ([`crate::HostObject::payload`]).
    Payload,
    /// Compared by value ([`crate::HostObject::same_key`]).
    Value {
        /// Equal for equal objects.
        hash: u64,
        /// Cost of a comparison, in elements.
        weight: u32,
    },
}

/// A key. The value must not change.
#[derive(Debug, Clone)]
pub struct DictKey(pub ScriptValue, Facts);

/// Cached hash and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    hash: u32,
    weight: u32,
}

impl DictKey {
    /// Makes a key.
    ///
    /// # Errors
    /// Returns the value if it is unhashable, that is mutable.
    pub fn new(value: ScriptValue) -> Result<DictKey, ScriptValue> {
        match facts(&value) {
            Some(facts) => Ok(DictKey(value, facts)),
            None => Err(value),
        }
    }

    /// A text key.
    pub fn text(text: impl Into<tvmscript_ir_core::Str>) -> DictKey {
        let text = text.into();
        let facts = text_facts(text.as_str());
        DictKey(ScriptValue::Str(text), facts)
    }

    /// Cost of comparing the key with an equal one, in elements or 32 bytes of text.
    pub fn weight(&self) -> u32 {
        self.1.weight
    }

    /// The hash. It differs between processes.
    pub fn hash_value(&self) -> u32 {
        self.1.hash
    }
}

impl PartialEq for DictKey {
    fn eq(&self, other: &DictKey) -> bool {
        self.1.hash == other.1.hash && same(&self.0, &other.0)
    }
}
impl Eq for DictKey {}

impl Hash for DictKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.1.hash);
    }
}

/// A text key for lookups, without a value of its own.
#[derive(Debug, Clone, Copy)]
pub struct TextKey<'a> {
    text: &'a str,
    hash: u32,
}

impl<'a> TextKey<'a> {
    /// The key of a text.
    pub fn new(text: &'a str) -> TextKey<'a> {
        TextKey { text, hash: text_facts(text).hash }
    }
}

impl Hash for TextKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.hash);
    }
}

impl indexmap::Equivalent<DictKey> for TextKey<'_> {
    fn equivalent(&self, key: &DictKey) -> bool {
        self.hash == key.1.hash && key.0.as_str() == Some(self.text)
    }
}

/// A number in canonical form, shared by all equal numbers.
#[derive(PartialEq, Hash)]
enum Number<'a> {
    Int(i64),
    Big(Cow<'a, BigInt>),
    /// The bits of a float that is not an integer.
    Float(u64),
}

fn number(value: &ScriptValue) -> Option<Number<'_>> {
    Some(match value {
        ScriptValue::Int(i) => Number::Int(*i),
        ScriptValue::Bool(b) => Number::Int(i64::from(*b)),
        ScriptValue::BigInt(i) => match i.to_i64() {
            Some(small) => Number::Int(small),
            None => Number::Big(Cow::Borrowed(i)),
        },
        ScriptValue::Float(f) if f.is_finite() && f.fract() == 0.0 => {
            let whole = BigInt::from_f64(*f)?;
            match whole.to_i64() {
                Some(small) => Number::Int(small),
                None => Number::Big(Cow::Owned(whole)),
            }
        }
        ScriptValue::Float(f) => Number::Float(f.to_bits()),
        _ => return None,
    })
}

/// The payload of an object that is a key like its payload.
fn key_of(value: &ScriptValue) -> &ScriptValue {
    match value {
        ScriptValue::Host(host) if host.hashing() == Hashing::Payload => value.plain(),
        _ => value,
    }
}

fn same(a: &ScriptValue, b: &ScriptValue) -> bool {
    use ScriptValue::*;
    match (key_of(a), key_of(b)) {
        (None, None) | (Ellipsis, Ellipsis) => true,
        (Str(a), Str(b)) => a == b,
        (Bytes(a), Bytes(b)) => a == b,
        (DType(a), DType(b)) => a == b,
        (Node(a), Node(b)) => a.ptr_eq(b),
        (Tuple(a), Tuple(b)) => {
            let items = || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b));
            Rc::ptr_eq(a, b) || with_stack(items)
        }
        (Function(a), Function(b)) => std::ptr::eq(*a, *b),
        (Frame(a), Frame(b)) => Rc::ptr_eq(a, b),
        (Host(a), Host(b)) => Rc::ptr_eq(a, b) || with_stack(|| a.same_key(&**b)),
        // In Python a NaN equals itself by identity only, and numbers here have no identity.
        (Float(a), Float(b)) if a.is_nan() && b.is_nan() => false,
        (a, b) => matches!((number(a), number(b)), (Some(a), Some(b)) if a == b),
    }
}

/// Hashing of [`DictKey`] for tables: a key has a hash of its own, from a randomly seeded hasher.
pub type KeyHashing = BuildHasherDefault<KeyHasher>;

/// Spreads the hash of a [`DictKey`] over the bits that a table uses.
#[derive(Debug, Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }
    #[inline]
    fn write_u32(&mut self, hash: u32) {
        self.0 = (self.0.rotate_left(32) ^ u64::from(hash)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A randomly seeded hasher, against crafted collisions.
fn hasher() -> DefaultHasher {
    static STATE: OnceLock<RandomState> = OnceLock::new();
    STATE.get_or_init(RandomState::new).build_hasher()
}

fn hash_of(weight: usize, write: impl FnOnce(&mut DefaultHasher)) -> Facts {
    let mut state = hasher();
    write(&mut state);
    Facts { hash: state.finish() as u32, weight: u32::try_from(weight).unwrap_or(u32::MAX) }
}

fn text_facts(text: &str) -> Facts {
    hash_of(1 + text.len() / 32, |state| {
        state.write(text.as_bytes());
        state.write_u8(0xff);
    })
}

/// Hash and weight; `None` for unhashable values.
fn facts(value: &ScriptValue) -> Option<Facts> {
    Some(match value {
        ScriptValue::List(_) | ScriptValue::Dict(_) | ScriptValue::Slice(_) => return None,
        ScriptValue::None => hash_of(1, |state| state.write_u8(1)),
        ScriptValue::Ellipsis => hash_of(1, |state| state.write_u8(2)),
        ScriptValue::Str(text) => text_facts(text.as_str()),
        ScriptValue::Bytes(bytes) => hash_of(1 + bytes.len() / 32, |state| state.write(bytes)),
        ScriptValue::DType(dtype) => hash_of(1, |state| dtype.hash(state)),
        ScriptValue::Node(object) => hash_of(1, |state| object.address().hash(state)),
        ScriptValue::Function(function) => hash_of(1, |state| std::ptr::from_ref(*function).hash(state)),
        ScriptValue::Frame(frame) => hash_of(1, |state| Rc::as_ptr(frame).cast::<()>().hash(state)),
        ScriptValue::Tuple(items) => with_stack(|| {
            let mut state = hasher();
            let mut weight = 1u32;
            for item in items.iter() {
                let item = facts(item)?;
                state.write_u32(item.hash);
                weight = weight.saturating_add(item.weight);
            }
            Some(Facts { hash: state.finish() as u32, weight })
        })?,
        ScriptValue::Host(host) => match host.hashing() {
            Hashing::Unhashable => return None,
            Hashing::Payload => match host.payload() {
                Some(payload) => return facts(payload),
                None => return None,
            },
            Hashing::Identity => hash_of(1, |state| Rc::as_ptr(host).cast::<()>().hash(state)),
            Hashing::Value { hash, weight } => hash_of(weight as usize, |state| state.write_u64(hash)),
        },
        ScriptValue::Int(_) | ScriptValue::Bool(_) | ScriptValue::BigInt(_) | ScriptValue::Float(_) => {
            let number = number(value)?;
            let weight = match &number {
                Number::Big(big) => 1 + big.bits() as usize / 256,
                _ => 1,
            };
            hash_of(weight, |state| match number {
                Number::Int(int) => state.write_i64(int),
                number => number.hash(state),
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: ScriptValue) -> DictKey {
        DictKey::new(value).expect("hashable")
    }

    #[test]
    fn numbers_are_compared_exactly() {
        let two_53 = 1i64 << 53;
        assert_eq!(key(ScriptValue::Int(two_53)), key(ScriptValue::Float(two_53 as f64)));
        assert_ne!(key(ScriptValue::Int(two_53)), key(ScriptValue::Int(two_53 + 1)));
        assert_ne!(key(ScriptValue::Int(two_53 + 1)), key(ScriptValue::Float(two_53 as f64)));
        let big = BigInt::from(1) << 64u32;
        assert_eq!(key(ScriptValue::big_int(big)), key(ScriptValue::Float(18446744073709551616.0)));
        assert_eq!(key(ScriptValue::Bool(true)), key(ScriptValue::Float(1.0)));
        assert_eq!(key(ScriptValue::Float(-0.0)), key(ScriptValue::Int(0)));
        assert_eq!(key(ScriptValue::Float(-9223372036854775808.0)), key(ScriptValue::Int(i64::MIN)));
        assert_ne!(key(ScriptValue::Float(9223372036854775808.0)), key(ScriptValue::Int(i64::MAX)));
    }

    #[test]
    fn a_tuple_that_shares_its_parts_knows_its_weight() {
        let mut value = ScriptValue::tuple([ScriptValue::Int(1)]);
        for _ in 0..10 {
            value = ScriptValue::tuple([value.clone(), value]);
        }
        assert!(key(value.clone()).weight() > 1024);
        assert_eq!(key(value.clone()), key(value));
    }
}
