//! Costs of host operations.
//!
//! An operation is charged by its work, before it is done. Steps stand for time (about 50 ns each), bytes for memory.
//! Freed memory is not refunded, so that the sum bounds time too.
//!
//! | operation | steps | memory |
//! |---|---|---|
//! | an expression, a statement, an element of an iteration | 1 | |
//! | text and bytes: `==`, `<`, `in` | 1 per 64 bytes ([`scan`]) | |
//! | text and bytes: methods | 1 per 32 bytes of receiver and arguments | the result |
//! | text and bytes: `+`, `*`, slices, a part of an f-string | 1 per 1024 bytes of the result | the result ([`text`]) |
//! | `len` and `[i]` of text | 1; the first time on a text, 1 per 64 bytes | |
//! | list, tuple: display, `+`, `*`, slice, copy | 1 per 8 elements ([`values`]) | 16 bytes per element, 48 per object |
//! | list: `insert`, `pop`, `del`, `remove`, slice assignment | 1 per 64 elements moved | new elements |
//! | `==`, `<` of containers | 1 per element, and its own comparison | |
//! | `sort`, `sorted` | 1 per comparison, and its own | 48 bytes per element |
//! | dict, set: display, copy, `|`, `&`, `-`, `^`, `update`, `**d` | 1 per 2 entries, and the weight of each key | 96 bytes per entry |
//! | dict, set: lookup, insertion | weight of the key ([`EvalState::hashable`]) | 96 bytes per new entry |
//! | dict, set: `pop(key)`, `del`, `discard`, `remove` | 1 per 16 entries | |
//! | integers: `+ - & | ^ ~ << >>`, comparison, hash, `bin`, `hex` | 1 per 32 words ([`words`]) | the result |
//! | integers: `* // % divmod pow gcd isqrt factorial comb` | product of the words / 64 | the result |
//! | text to integer and back | at most 4300 digits in base 10, else as text | the result |
//! | format: width and precision | 1 per 1024 bytes | the result, before it is written |
//! | `repr` | 1 per element; 8 per node | the text, once per level |
//! | nested or shared tuples as keys | 1 per element and visit | |

use tvmscript_ir_core::{Array, Map, ObjectLike, Value};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Outcome;
use super::set;
use crate::EvalState;
use crate::errors::EvalErrorKind;
use crate::eval::Raise;

/// Size of a value in a container.
pub(crate) const VALUE_BYTES: u64 = size_of::<ScriptValue>() as u64;
/// Size of an object without its content.
pub(crate) const OBJECT_BYTES: u64 = 48;
/// Size of an entry of a dictionary or set, growth of the table included.
pub(crate) const ENTRY_BYTES: u64 = 96;

/// Bytes of text that a method processes per step.
const TEXT_PER_STEP: u64 = 32;
/// Bytes of text compared or searched per step.
const SCAN_PER_STEP: u64 = 64;
/// Bytes of text copied per step.
const COPY_PER_STEP: u64 = 1024;
const VALUES_PER_STEP: u64 = 8;
const MOVES_PER_STEP: u64 = 64;
const BITS_PER_STEP: u64 = 32 * 64;

/// Cost of calling a built-in, charged before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// One step; the function charges the rest.
    Own,
    /// Linear in the sizes of the receiver and all arguments.
    Linear,
}

pub(crate) fn call(p: &EvalState, cost: Cost, receiver: &ScriptValue, args: &CallArgs) -> Result<(), Raise> {
    let mut steps = 1;
    if cost == Cost::Linear {
        let keywords = args.keywords.iter().map(|(_, value)| value);
        steps += [receiver].into_iter().chain(&args.positional).chain(keywords).map(size).sum::<u64>();
    }
    p.program.budget.step(steps)
}

/// Steps for visiting a value once, without its elements.
pub(crate) fn size(value: &ScriptValue) -> u64 {
    let (len, per_step) = match value {
        ScriptValue::Str(text) => (text.as_str().len() as u64, TEXT_PER_STEP),
        ScriptValue::Bytes(bytes) => (bytes.len() as u64, TEXT_PER_STEP),
        ScriptValue::BigInt(int) => (int.bits(), BITS_PER_STEP),
        ScriptValue::Tuple(items) => (items.len() as u64, VALUES_PER_STEP),
        ScriptValue::List(items) => (items.borrow().len() as u64, VALUES_PER_STEP),
        ScriptValue::Dict(dict) => (dict.borrow().len() as u64, VALUES_PER_STEP / 2),
        ScriptValue::Host(_) => (set::len(value).unwrap_or(0) as u64, VALUES_PER_STEP / 2),
        ScriptValue::Node(object) => match Array::<Value>::try_ref(object) {
            Some(array) => (array.len() as u64, VALUES_PER_STEP),
            None => (Map::<Value, Value>::try_ref(object).map_or(0, |map| map.len()) as u64, VALUES_PER_STEP),
        },
        _ => return 0,
    };
    len / per_step
}

/// Charges reading text.
pub(crate) fn scan(p: &EvalState, bytes: usize) -> Result<(), Raise> {
    p.program.budget.step(bytes as u64 / SCAN_PER_STEP)
}

/// Charges moving elements of a list.
pub(crate) fn moves(p: &EvalState, elements: usize) -> Result<(), Raise> {
    p.program.budget.step(elements as u64 / MOVES_PER_STEP)
}

/// Charges an order-preserving removal from a dictionary or set.
pub(crate) fn removal(p: &EvalState, entries: usize) -> Result<(), Raise> {
    p.program.budget.step(entries as u64 / 16)
}

/// Charges linear work on an integer.
pub(crate) fn words(p: &EvalState, bits: u64) -> Result<(), Raise> {
    p.program.budget.step(bits / BITS_PER_STEP)
}

/// Charges the product or quotient of integers.
pub(crate) fn product(p: &EvalState, x_bits: u64, y_bits: u64) -> Result<(), Raise> {
    let (x, y) = (x_bits / 64 + 1, y_bits / 64 + 1);
    p.program.budget.step(x.saturating_mul(y) / 64)
}

/// Charges the memory of an integer.
pub(crate) fn integer(p: &EvalState, bits: u64) -> Result<(), EvalErrorKind> {
    p.program.budget.allocate(if bits < 64 { 0 } else { bits / 8 + OBJECT_BYTES })
}

/// Charges the memory of text and the time to write it.
pub(crate) fn text_bytes(p: &EvalState, bytes: usize) -> Result<(), Raise> {
    p.program.budget.allocate((bytes as u64).saturating_add(OBJECT_BYTES))?;
    p.program.budget.step(bytes as u64 / COPY_PER_STEP)
}

/// Makes a text value and charges it.
pub(crate) fn text(p: &EvalState, text: &str) -> Outcome {
    text_bytes(p, text.len())?;
    Ok(ScriptValue::str(text))
}

/// Makes a bytes value and charges it.
pub(crate) fn bytes(p: &EvalState, bytes: Vec<u8>) -> Outcome {
    text_bytes(p, bytes.len())?;
    Ok(ScriptValue::Bytes(bytes.into()))
}

/// Charges the memory of a container and the time to fill it.
pub(crate) fn values(p: &EvalState, count: usize) -> Result<(), Raise> {
    let count = count as u64;
    p.program.budget.allocate(count.saturating_mul(VALUE_BYTES).saturating_add(OBJECT_BYTES))?;
    p.program.budget.step(count / VALUES_PER_STEP)
}

/// Charges the memory of new entries of a dictionary or set and the time to insert them.
pub(crate) fn entries(p: &EvalState, count: usize) -> Result<(), Raise> {
    let count = count as u64;
    p.program.budget.allocate(count.saturating_mul(ENTRY_BYTES).saturating_add(OBJECT_BYTES))?;
    p.program.budget.step(count / 2)
}

/// Makes a list and charges it.
pub(crate) fn list(p: &EvalState, items: Vec<ScriptValue>) -> Outcome {
    values(p, items.len())?;
    Ok(ScriptValue::list(items))
}
