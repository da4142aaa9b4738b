//! Data types: a scalar code, bits per lane, and a number of lanes.
//!
//! A negative number stands for a scalable vector of `-lanes * vscale` lanes. The text form is that of
//! `DLDataTypeToString`.

use std::fmt;
use std::str::FromStr;

/// Kind of the elements of a data type, numbered as in DLPack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum TypeCode {
    /// Signed integer.
    Int = 0,
    /// Unsigned integer.
    UInt = 1,
    /// IEEE float.
    Float = 2,
    /// Opaque pointer; void with 0 bits and lanes.
    Handle = 3,
    /// Brain float.
    BFloat = 4,
    /// Boolean, 8 bits.
    Bool = 6,
    /// 8-bit float, 3 exponent bits, 4 mantissa bits.
    Float8E3M4 = 7,
    /// 8-bit float.
    Float8E4M3 = 8,
    /// 8-bit float, finite, bias 11, no negative zero.
    Float8E4M3B11Fnuz = 9,
    /// 8-bit float, finite, with NaN.
    Float8E4M3Fn = 10,
    /// 8-bit float, finite, no negative zero.
    Float8E4M3Fnuz = 11,
    /// 8-bit float.
    Float8E5M2 = 12,
    /// 8-bit float, finite, no negative zero.
    Float8E5M2Fnuz = 13,
    /// 8-bit exponent only.
    Float8E8M0Fnu = 14,
    /// 6-bit float.
    Float6E2M3Fn = 15,
    /// 6-bit float.
    Float6E3M2Fn = 16,
    /// 4-bit float.
    Float4E2M1Fn = 17,
}

impl TypeCode {
    /// Returns the code with this DLPack number.
    pub fn from_number(number: u8) -> Option<TypeCode> {
        let mut codes = SIZED.iter().chain(&SMALL_FLOATS).map(|(code, ..)| *code);
        codes.find(|code| *code as u8 == number)
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataType {
    /// Kind of the elements.
    pub code: TypeCode,
    /// Bits per lane.
    pub bits: u8,
    /// Number of lanes; negative for scalable vectors, 0 for void.
    pub lanes: i16,
}

/// Codes whose text can name a width, their names and default widths. A name comes before its prefixes.
const SIZED: [(TypeCode, &str, u8); 6] = [
    (TypeCode::UInt, "uint", 32),
    (TypeCode::Int, "int", 32),
    (TypeCode::Float, "float", 32),
    (TypeCode::BFloat, "bfloat", 16),
    (TypeCode::Handle, "handle", 64),
    (TypeCode::Bool, "bool", 8),
];

/// Codes with a fixed width, their names and widths. A name comes before its prefixes.
const SMALL_FLOATS: [(TypeCode, &str, u8); 11] = [
    (TypeCode::Float8E3M4, "float8_e3m4", 8),
    (TypeCode::Float8E4M3B11Fnuz, "float8_e4m3b11fnuz", 8),
    (TypeCode::Float8E4M3Fnuz, "float8_e4m3fnuz", 8),
    (TypeCode::Float8E4M3Fn, "float8_e4m3fn", 8),
    (TypeCode::Float8E4M3, "float8_e4m3", 8),
    (TypeCode::Float8E5M2Fnuz, "float8_e5m2fnuz", 8),
    (TypeCode::Float8E5M2, "float8_e5m2", 8),
    (TypeCode::Float8E8M0Fnu, "float8_e8m0fnu", 8),
    (TypeCode::Float6E2M3Fn, "float6_e2m3fn", 6),
    (TypeCode::Float6E3M2Fn, "float6_e3m2fn", 6),
    (TypeCode::Float4E2M1Fn, "float4_e2m1fn", 4),
];

impl DataType {
    /// A 32-bit signed integer.
    pub const INT32: DataType = DataType::int(32);
    /// A 64-bit signed integer.
    pub const INT64: DataType = DataType::int(64);
    /// A 32-bit float.
    pub const FLOAT32: DataType = DataType::float(32);
    /// A boolean.
    pub const BOOL: DataType = DataType { code: TypeCode::Bool, bits: 8, lanes: 1 };
    /// An opaque pointer.
    pub const HANDLE: DataType = DataType { code: TypeCode::Handle, bits: 64, lanes: 1 };
    /// Void.
    pub const VOID: DataType = DataType { code: TypeCode::Handle, bits: 0, lanes: 0 };

    /// A signed integer.
    pub const fn int(bits: u8) -> DataType {
        DataType { code: TypeCode::Int, bits, lanes: 1 }
    }
    /// An unsigned integer.
    pub const fn uint(bits: u8) -> DataType {
        DataType { code: TypeCode::UInt, bits, lanes: 1 }
    }
    /// An IEEE float.
    pub const fn float(bits: u8) -> DataType {
        DataType { code: TypeCode::Float, bits, lanes: 1 }
    }
    /// The same element type with another number of lanes (negative: scalable).
    #[must_use]
    pub const fn with_lanes(self, lanes: i16) -> DataType {
        DataType { lanes, ..self }
    }
    /// The element type, with one lane.
    #[must_use]
    pub const fn element(self) -> DataType {
        DataType { lanes: 1, ..self }
    }
    /// Returns `true` for void.
    pub const fn is_void(self) -> bool {
        matches!(self.code, TypeCode::Handle) && self.bits == 0
    }
    /// Returns `true` for a single lane.
    pub const fn is_scalar(self) -> bool {
        self.lanes == 1
    }
    /// Returns `true` for several lanes, fixed or scalable.
    pub const fn is_vector(self) -> bool {
        self.lanes > 1 || self.lanes < 0
    }
    /// Returns `true` for a multiple of `vscale` lanes.
    pub const fn is_scalable(self) -> bool {
        self.lanes < 0
    }
    /// Returns `true` for booleans.
    pub const fn is_bool(self) -> bool {
        matches!(self.code, TypeCode::Bool)
    }
    /// Returns `true` for signed integers.
    pub const fn is_int(self) -> bool {
        matches!(self.code, TypeCode::Int)
    }
    /// Returns `true` for unsigned integers.
    pub const fn is_uint(self) -> bool {
        matches!(self.code, TypeCode::UInt)
    }
    /// Lanes of signed or unsigned integers; bool is neither.
    pub const fn is_integer(self) -> bool {
        self.is_int() || self.is_uint()
    }
    /// Lanes of IEEE floats; bfloat16 and the small floats are not.
    pub const fn is_float(self) -> bool {
        matches!(self.code, TypeCode::Float)
    }
    /// Lanes of bfloat16.
    pub const fn is_bfloat(self) -> bool {
        matches!(self.code, TypeCode::BFloat)
    }
    /// Lanes of an 8-bit float.
    pub const fn is_float8(self) -> bool {
        self.code as u8 >= TypeCode::Float8E3M4 as u8 && self.code as u8 <= TypeCode::Float8E8M0Fnu as u8
    }
    /// Returns `true` for 6-bit floats.
    pub const fn is_float6(self) -> bool {
        matches!(self.code, TypeCode::Float6E2M3Fn | TypeCode::Float6E3M2Fn)
    }
    /// Returns `true` for 4-bit floats.
    pub const fn is_float4(self) -> bool {
        matches!(self.code, TypeCode::Float4E2M1Fn)
    }
    /// Returns `true` for floats of any kind.
    pub const fn is_any_float(self) -> bool {
        self.is_float() || self.is_bfloat() || self.is_float8() || self.is_float6() || self.is_float4()
    }
    /// Returns `true` for opaque pointers.
    pub const fn is_handle(self) -> bool {
        matches!(self.code, TypeCode::Handle) && self.bits != 0
    }
    /// Returns `true` for void, and for a width that the code allows and a nonzero number of lanes.
    pub fn is_valid(self) -> bool {
        let fits = match self.code {
            TypeCode::Handle if self.bits == 0 => return self.lanes == 0,
            TypeCode::Int | TypeCode::UInt | TypeCode::Float | TypeCode::BFloat => self.bits > 0,
            TypeCode::Handle => self.bits == 64,
            TypeCode::Bool => self.bits == 8,
            code => SMALL_FLOATS.iter().any(|(small, _, bits)| *small == code && *bits == self.bits),
        };
        fits && self.lanes != 0 && self.lanes != i16::MIN
    }
    /// Returns code, bits and lanes in one word, for hashes.
    pub(crate) fn word(self) -> u64 {
        u64::from(self.code as u8) << 24 | u64::from(self.bits) << 16 | u64::from(self.lanes as u16)
    }
    /// Returns the number of lanes; of a scalable vector the factor of `vscale`.
    pub const fn lane_count(self) -> i32 {
        if self.lanes < 0 { -(self.lanes as i32) } else { self.lanes as i32 }
    }
}

impl fmt::Display for DataType {
    /// Writes the text form; `void` for void.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = SIZED.iter().chain(&SMALL_FLOATS);
        let name = names.find(|(code, ..)| *code == self.code).map_or("", |(_, name, _)| name);
        match self.code {
            TypeCode::Handle => return f.write_str(if self.bits == 0 { "void" } else { name }),
            TypeCode::Int | TypeCode::UInt | TypeCode::Float | TypeCode::BFloat => {
                write!(f, "{name}{}", self.bits)?
            }
            _ => f.write_str(name)?,
        }
        match self.lanes {
            1 => Ok(()),
            n if n < 0 => write!(f, "xvscalex{}", -i32::from(n)),
            n => write!(f, "x{n}"),
        }
    }
}

impl fmt::Debug for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text is not a data type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dtype `{text}`")]
pub struct UnknownDataType {
    /// The text.
    pub text: String,
}

/// Earlier names of data types.
const RENAMED: [(&str, &str); 2] = [("e4m3_float8", "float8_e4m3fn"), ("e5m2_float8", "float8_e5m2")];

impl DataType {
    /// The name that a data type has now; `None` if the text is not an earlier name.
    pub fn renamed(text: &str) -> Option<String> {
        RENAMED.iter().find_map(|(old, new)| {
            let lanes = text.strip_prefix(old)?;
            let name = format!("{new}{lanes}");
            name.parse::<DataType>().is_ok().then_some(name)
        })
    }
}

impl FromStr for DataType {
    type Err = UnknownDataType;

    fn from_str(text: &str) -> Result<DataType, UnknownDataType> {
        let unknown = || UnknownDataType { text: text.to_owned() };
        if text.is_empty() || text == "void" {
            return Ok(DataType::VOID);
        }
        let small =
            SMALL_FLOATS.iter().find_map(|&(code, name, bits)| Some((code, bits, text.strip_prefix(name)?)));
        let (code, bits, rest) = match small {
            Some(found) => found,
            None => {
                let (code, default, rest) = SIZED
                    .iter()
                    .find_map(|&(code, name, bits)| Some((code, bits, text.strip_prefix(name)?)))
                    .ok_or_else(unknown)?;
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let bits = match &rest[..digits] {
                    "" => default,
                    _ if code == TypeCode::Bool => return Err(unknown()),
                    // A width of 0 stands for the default.
                    d => Some(d.parse::<u8>().map_err(|_| unknown())?).filter(|b| *b > 0).unwrap_or(default),
                };
                (code, bits, &rest[digits..])
            }
        };
        let lanes = match rest {
            "" => 1,
            _ => match rest.strip_prefix("xvscalex") {
                Some(n) => -n.parse::<i16>().ok().filter(|n| *n > 0).ok_or_else(unknown)?,
                None => rest
                    .strip_prefix('x')
                    .and_then(|n| n.parse::<i16>().ok())
                    .filter(|n| *n > 0)
                    .ok_or_else(unknown)?,
            },
        };
        Ok(DataType { code, bits, lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back() {
        for text in [
            "int8",
            "uint64",
            "float16",
            "bfloat16",
            "bool",
            "boolx4",
            "handle",
            "void",
            "float8_e4m3fn",
            "float8_e4m3",
            "float8_e4m3b11fnuzx4",
            "float4_e2m1fnx2",
            "float32xvscalex4",
            "int4",
        ] {
            assert_eq!(text.parse::<DataType>().map(|d| d.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn missing_bits_have_defaults() {
        assert_eq!("int".parse(), Ok(DataType::INT32));
        assert_eq!("float".parse(), Ok(DataType::FLOAT32));
        assert_eq!("bfloat".parse::<DataType>().map(|d| d.bits), Ok(16));
        assert_eq!("uint0x4".parse(), Ok(DataType::uint(32).with_lanes(4)));
    }

    #[test]
    fn trailing_text_is_an_error() {
        for text in ["int32y", "int32x", "floatx0", "foo", "int999", "bool8"] {
            assert!(text.parse::<DataType>().is_err(), "{text}");
        }
    }
}
