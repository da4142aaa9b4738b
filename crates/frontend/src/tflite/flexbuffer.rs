//! FlexBuffers, as far as options of custom operators need them: a map from names to numbers.
//!
//! A map is a vector of values, preceded by the offset of its keys and by its length, and followed by a byte with the type
//! of each value. Offsets lead backwards.

use std::collections::HashMap;

/// Types of values.
const INT: u8 = 1;
const UINT: u8 = 2;
const FLOAT: u8 = 3;
const INDIRECT_INT: u8 = 6;
const INDIRECT_FLOAT: u8 = 8;
const MAP: u8 = 9;
const BOOL: u8 = 26;

/// Reads the numbers of a map; flags are 0 and 1. `None` for anything else and for damaged bytes.
pub(super) fn numbers(bytes: &[u8]) -> Option<HashMap<String, f64>> {
    let [rest @ .., packed, width] = bytes else { return None };
    let width = usize::from(*width);
    let root = rest.len().checked_sub(width)?;
    if packed >> 2 != MAP {
        return None;
    }
    let (map, width) = (back(bytes, root, width)?, 1usize << (packed & 3));
    let length = usize::try_from(uint(bytes, map.checked_sub(width)?, width)?).ok()?;
    let keys = back(bytes, map.checked_sub(width.checked_mul(3)?)?, width)?;
    let key_width = usize::try_from(uint(bytes, map.checked_sub(width.checked_mul(2)?)?, width)?).ok()?;
    let types = map.checked_add(length.checked_mul(width)?)?;
    let mut found = HashMap::new();
    for index in 0..length {
        let key = back(bytes, keys.checked_add(index.checked_mul(key_width)?)?, key_width)?;
        let key: Vec<u8> =
            bytes.get(key..)?.iter().copied().take_while(|byte| *byte != 0).take(256).collect();
        let packed = *bytes.get(types.checked_add(index)?)?;
        let value = value(bytes, map + index * width, width, packed);
        if let Some(value) = value {
            found.insert(String::from_utf8_lossy(&key).into_owned(), value);
        }
    }
    Some(found)
}

/// The number at a position, whose slot has a width.
fn value(bytes: &[u8], at: usize, width: usize, packed: u8) -> Option<f64> {
    let inner = 1usize << (packed & 3);
    match packed >> 2 {
        INT => int(bytes, at, width),
        UINT | BOOL => uint(bytes, at, width).map(|value| value as f64),
        FLOAT => float(bytes, at, width),
        INDIRECT_INT => int(bytes, back(bytes, at, width)?, inner),
        INDIRECT_FLOAT => float(bytes, back(bytes, at, width)?, inner),
        _ => None,
    }
}

/// The position to which the offset at a position leads.
fn back(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    at.checked_sub(usize::try_from(uint(bytes, at, width)?).ok()?)
}

fn uint(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?).filter(|bytes| matches!(bytes.len(), 1 | 2 | 4 | 8))?;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

fn int(bytes: &[u8], at: usize, width: usize) -> Option<f64> {
    let unused = 64u32.checked_sub(u32::try_from(width).ok()? * 8)?;
    Some((uint(bytes, at, width)?.wrapping_shl(unused).cast_signed() >> unused) as f64)
}

fn float(bytes: &[u8], at: usize, width: usize) -> Option<f64> {
    let bits = uint(bytes, at, width)?;
    match width {
        4 => Some(f64::from(f32::from_bits(u32::try_from(bits).ok()?))),
        8 => Some(f64::from_bits(bits)),
        _ => None,
    }
}
