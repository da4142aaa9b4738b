//! Spelling of Python literals.
//!
//! Numbers follow the C++ streams that upstream uses (`%.17g`, or fixed with one decimal for integral values). Upstream
//! counterpart: `PrintTypedDoc(const LiteralDoc&)` in `python_doc_printer.cc`, `support::StrEscape`.

use std::fmt::Write;

use super::StringStyle;

/// A buffer for the digits and sign of any `i64`.
pub(super) type IntBuffer = [u8; 20];

/// Spells an integer.
#[inline]
pub(super) fn spell_int(buffer: &mut IntBuffer, value: i64) -> &str {
    let mut unused = buffer.len();
    let mut rest = value.unsigned_abs();
    let mut slots = buffer.iter_mut().rev();
    for slot in slots.by_ref() {
        *slot = b'0' + (rest % 10) as u8;
        unused -= 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0
        && let Some(slot) = slots.next()
    {
        *slot = b'-';
        unused -= 1;
    }
    buffer.get(unused..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
}

fn push_int(out: &mut String, value: i64) {
    out.push_str(spell_int(&mut [0; 20], value));
}

/// Appends a float: quoted if it has no literal, with one decimal if integral, else with 17 significant digits.
pub(super) fn push_float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str(if value.is_sign_negative() { "\"-nan\"" } else { "\"nan\"" });
    } else if value.is_infinite() {
        out.push_str(if value < 0.0 { "\"-inf\"" } else { "\"inf\"" });
    } else if is_integral(value) {
        push_integral(out, value);
    } else if !push_short_fraction(out, value) {
        push_17_digits(out, value);
    }
}

/// Returns `true` if a finite value is integral.
fn is_integral(value: f64) -> bool {
    // From 2^52 on every value is integral; below, the conversion truncates.
    value.abs() >= 4_503_599_627_370_496.0 || value as i64 as f64 == value
}

fn push_integral(out: &mut String, value: f64) {
    if value.abs() < 1e15 {
        if value.is_sign_negative() {
            out.push('-');
        }
        push_int(out, value.abs() as i64);
        out.push_str(".0");
    } else {
        let _ = write!(out, "{value:.1}");
    }
}

/// Writes values such as `1.5` without arbitrary precision: a small multiple of a small power of two has an exact
/// decimal form of at most 15 digits, which is the output of `%.17g`. Returns `false` for other values.
fn push_short_fraction(out: &mut String, value: f64) -> bool {
    const MAX_BITS: u32 = 10;
    let scaled = value.abs() * f64::from(1u32 << MAX_BITS);
    if scaled >= 1e8 || !is_integral(scaled) {
        return false;
    }
    let scaled = scaled as u64;
    let bits = MAX_BITS - scaled.trailing_zeros().min(MAX_BITS);
    let odd = scaled >> (MAX_BITS - bits);
    // odd / 2^bits == odd * 5^bits / 10^bits, and an odd number times a power of five has no trailing zeros.
    let digits = odd * 5u64.pow(bits);
    let scale = 10u64.pow(bits);
    if value < 0.0 {
        out.push('-');
    }
    push_int(out, (digits / scale) as i64);
    out.push('.');
    let fraction = digits % scale;
    // A leading 1 keeps the fraction's leading zeros and is cut off.
    out.push_str(&spell_int(&mut [0; 20], (scale + fraction) as i64)[1..]);
    true
}

/// C's `%.17g`: 17 significant digits, trailing zeros dropped, scientific below 1e-4 and from 1e17 on.
fn push_17_digits(out: &mut String, value: f64) {
    const PRECISION: i32 = 17;
    let mut scientific = String::with_capacity(32);
    let _ = write!(scientific, "{:.16e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let digits = digits.trim_end_matches('0');
    if value < 0.0 {
        out.push('-');
    }
    if (-4..PRECISION).contains(&exponent) {
        push_fixed(out, digits, exponent);
    } else {
        out.push_str(&digits[..1]);
        if digits.len() > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    }
}

/// Inserts the decimal point into `0.d1d2d3.. * 10^(exponent + 1)`.
fn push_fixed(out: &mut String, digits: &str, exponent: i32) {
    if exponent < 0 {
        out.push_str("0.");
        for _ in 1..-exponent {
            out.push('0');
        }
        out.push_str(digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.push_str(digits);
        for _ in digits.len()..whole {
            out.push('0');
        }
    } else {
        out.push_str(&digits[..whole]);
        out.push('.');
        out.push_str(&digits[whole..]);
    }
}

/// Returns `true` if `text` needs no escape in a string literal of any style.
#[inline]
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
}

/// Appends `text` with the escapes of a string literal.
pub(super) fn push_escaped(out: &mut String, text: &str, style: StringStyle) {
    for c in text.chars() {
        match (c, style) {
            ('\0'..='\u{7f}', _) => push_escaped_byte(out, c as u8),
            (_, StringStyle::Bytes) => {
                let mut utf8 = [0; 4];
                for &byte in c.encode_utf8(&mut utf8).as_bytes() {
                    push_escaped_byte(out, byte);
                }
            }
            ('\u{80}'..='\u{ffff}', StringStyle::CodePoints) => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            ('\u{10000}'.., StringStyle::CodePoints) => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
}

/// Appends a byte with the escapes of a bytes literal.
pub(super) fn push_escaped_byte(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        b'\n' => out.push_str("\\n"),
        b' '..=b'~' => out.push(char::from(byte)),
        _ => {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
}
