//! Floats of 4 to 8 bits: decoding and rounding.
//!
//! Rounding is to nearest, ties to even. A value beyond the largest one becomes an infinity or NaN where the format has
//! one, as in `ml_dtypes`, and the largest value otherwise.

use crate::dtype::TypeCode;

/// The meaning of the largest codes of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    /// Infinities and NaNs, as in IEEE 754.
    Ieee,
    /// The code of ones alone is NaN.
    OneNan,
    /// The code of the negative zero is NaN.
    NegativeZero,
    /// None.
    Finite,
}

struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    special: Special,
}

fn format(code: TypeCode) -> Option<Format> {
    let (exponent_bits, mantissa_bits, bias, special) = match code {
        TypeCode::Float8E3M4 => (3, 4, 3, Special::Ieee),
        TypeCode::Float8E4M3 => (4, 3, 7, Special::Ieee),
        TypeCode::Float8E4M3B11Fnuz => (4, 3, 11, Special::NegativeZero),
        TypeCode::Float8E4M3Fn => (4, 3, 7, Special::OneNan),
        TypeCode::Float8E4M3Fnuz => (4, 3, 8, Special::NegativeZero),
        TypeCode::Float8E5M2 => (5, 2, 15, Special::Ieee),
        TypeCode::Float8E5M2Fnuz => (5, 2, 16, Special::NegativeZero),
        TypeCode::Float6E2M3Fn => (2, 3, 1, Special::Finite),
        TypeCode::Float6E3M2Fn => (3, 2, 3, Special::Finite),
        TypeCode::Float4E2M1Fn => (2, 1, 1, Special::Finite),
        _ => return None,
    };
    Some(Format { exponent_bits, mantissa_bits, bias, special })
}

/// Returns `true` for the types of this module.
pub fn is_small_float(code: TypeCode) -> bool {
    code == TypeCode::Float8E8M0Fnu || format(code).is_some()
}

/// Decodes the bits of a small float; `None` for other types.
pub fn decode(code: TypeCode, bits: u64) -> Option<f64> {
    if code == TypeCode::Float8E8M0Fnu {
        let bits = (bits & 0xFF) as i32;
        return Some(if bits == 0xFF { f64::NAN } else { power(bits - 127) });
    }
    let Format { exponent_bits, mantissa_bits, bias, special } = format(code)?;
    let width = exponent_bits + mantissa_bits;
    let magnitude = bits & ((1 << width) - 1);
    let is_negative = bits >> width & 1 == 1;
    let exponent = (magnitude >> mantissa_bits) as i32;
    let mantissa = magnitude & ((1 << mantissa_bits) - 1);
    let is_top = exponent == (1 << exponent_bits) - 1;
    let value = match special {
        Special::Ieee if is_top && mantissa == 0 => f64::INFINITY,
        Special::Ieee if is_top => f64::NAN,
        Special::OneNan if magnitude == (1 << width) - 1 => f64::NAN,
        Special::NegativeZero if magnitude == 0 && is_negative => return Some(f64::NAN),
        _ if exponent == 0 => mantissa as f64 * power(1 - bias - mantissa_bits as i32),
        _ => (mantissa + (1 << mantissa_bits)) as f64 * power(exponent - bias - mantissa_bits as i32),
    };
    Some(if is_negative { -value } else { value })
}

/// Rounds a number to a small float; `None` for other types.
pub fn encode(code: TypeCode, value: f64) -> Option<u64> {
    if code == TypeCode::Float8E8M0Fnu {
        let exponent = value.log2().round_ties_even();
        let is_valid = value > 0.0 && value.is_finite();
        return Some(if is_valid { (exponent + 127.0).clamp(0.0, 254.0) as u64 } else { 0xFF });
    }
    let Format { exponent_bits, mantissa_bits, bias, special } = format(code)?;
    let width = exponent_bits + mantissa_bits;
    let sign = u64::from(value.is_sign_negative()) << width;
    let ones = (1u64 << width) - 1;
    let infinity = ((1u64 << exponent_bits) - 1) << mantissa_bits;
    let (largest, overflow, nan) = match special {
        Special::Ieee => (infinity - 1, infinity | sign, infinity | 1 << (mantissa_bits - 1) | sign),
        Special::OneNan => (ones - 1, ones | sign, ones | sign),
        Special::NegativeZero => (ones, 1 << width, 1 << width),
        Special::Finite => (ones, ones | sign, 1 << width),
    };
    if value.is_nan() {
        return Some(nan);
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return Some(overflow);
    }
    // The exponent of a 64-bit float; subnormals of the format share the lowest one.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - bias);
    let steps = (magnitude / power(exponent - mantissa_bits as i32)).round_ties_even() as u64;
    // The first mantissa bit of a normal number counts for one of the exponent, so carries are right.
    let bits = (((exponent + bias - 1) as u64) << mantissa_bits) + steps;
    if bits > largest {
        return Some(overflow);
    }
    Some(if bits == 0 && special == Special::NegativeZero { 0 } else { bits | sign })
}

fn power(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: &[(TypeCode, u32)] = &[
        (TypeCode::Float8E3M4, 8),
        (TypeCode::Float8E4M3, 8),
        (TypeCode::Float8E4M3B11Fnuz, 8),
        (TypeCode::Float8E4M3Fn, 8),
        (TypeCode::Float8E4M3Fnuz, 8),
        (TypeCode::Float8E5M2, 8),
        (TypeCode::Float8E5M2Fnuz, 8),
        (TypeCode::Float8E8M0Fnu, 8),
        (TypeCode::Float6E2M3Fn, 6),
        (TypeCode::Float6E3M2Fn, 6),
        (TypeCode::Float4E2M1Fn, 4),
    ];

    #[test]
    fn every_code_reads_back() {
        for (code, width) in CODES {
            for bits in 0..1u64 << width {
                let value = decode(*code, bits).expect("a small float");
                if !value.is_nan() {
                    assert_eq!(encode(*code, value), Some(bits), "{code:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn values_are_those_of_the_formats() {
        assert_eq!(decode(TypeCode::Float8E4M3Fn, 0x7E), Some(448.0));
        assert_eq!(decode(TypeCode::Float8E5M2, 0x7B), Some(57344.0));
        assert_eq!(decode(TypeCode::Float8E4M3Fnuz, 0x7F), Some(240.0));
        assert_eq!(decode(TypeCode::Float4E2M1Fn, 7), Some(6.0));
        assert_eq!(decode(TypeCode::Float8E4M3Fn, 1), Some(0.001953125));
        assert_eq!(encode(TypeCode::Float8E4M3Fn, 17.0), Some(0x58), "ties to even");
        assert_eq!(encode(TypeCode::Float8E4M3Fn, 1e9), Some(0x7F), "NaN");
        assert_eq!(encode(TypeCode::Float8E5M2, -1e9), Some(0xFC), "infinity");
        assert_eq!(encode(TypeCode::Float4E2M1Fn, 1e9), Some(7), "the largest");
    }
}
