//! Functions that the text defines before its own, only those that it needs.

use std::collections::HashSet;

use tvmscript_ir_core::arithmetic::Operator;
use tvmscript_ir_core::small_float::{decode, encode, is_small_float};
use tvmscript_ir_core::{DataType, TypeCode};

use super::warp::{active_lanes, load_matrices, multiply, scan, source_lane, store_matrix, votes};

/// A function of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Helper {
    /// Division of integers of a type, which wraps and stops at zero.
    Divide(Division, DataType),
    Min(DataType),
    Max(DataType),
    Absolute(DataType),
    ShiftCount,
    FloatFloorMod(DataType),
    /// From the bits of an element to its value, and back.
    Decode(DataType),
    Encode(DataType),
    /// Rounding to a type that is computed in `float`.
    Round(DataType),
    /// A `double` as a `float` that rounds to 16 bits as it does.
    Narrow,
    /// A float as an integer: truncated, and the nearest one where there is none.
    ToInt,
    ToUInt,
    FloatBits,
    FloatOfBits,
    DoubleBits,
    DoubleOfBits,
    /// Accesses of elements of a C type through a pointer without one.
    Load(&'static str),
    Store(&'static str),
    Popcount,
    LeadingZeros,
    MultiplyShift,
    Allocate,
    Exp10,
    Rsqrt,
    Sigmoid,
    Reciprocal,
    /// Lanes of a warp, by which threads exchange values.
    LaneOf,
    LaneUp,
    LaneDown,
    LaneXor,
    ActiveLanes,
    Votes,
    /// Matrices that are spread over the lanes of a warp.
    LoadMatrices,
    StoreMatrix,
    Multiply([DataType; 3], usize),
    /// Running totals.
    Scan(Operator, DataType),
}

/// The kinds of quotients and remainders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    Div,
    Mod,
    FloorDiv,
    FloorMod,
}

/// The helpers of a text, in the order of their definitions.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    defined: HashSet<String>,
    text: String,
}

impl Helpers {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The name of a helper, which is defined by then.
    pub(super) fn name(&mut self, helper: Helper) -> String {
        let name = name_of(helper);
        if self.defined.insert(name.clone()) {
            let definition = self.definition(helper, &name);
            self.text.push_str(definition.trim_start_matches('\n'));
            self.text.push('\n');
        }
        name
    }

    fn definition(&mut self, helper: Helper, name: &str) -> String {
        match helper {
            Helper::Divide(division, dtype) => divide(division, dtype, name),
            Helper::Min(dtype) => choose(dtype, name, "<"),
            Helper::Max(dtype) => choose(dtype, name, ">"),
            Helper::Absolute(dtype) => {
                let (t, u) = (c_type(dtype), super::types::unsigned_type(dtype));
                format!(
                    "
static inline {t} {name}({t} a) {{
    return a < 0 ? ({t})(0 - ({u})a) : a;
}}
"
                )
            }
            Helper::ShiftCount => format!(
                "
static inline int {name}(int64_t count, int bits) {{
    if (count < 0 || count >= bits) {{
        abort();
    }}
    return (int)count;
}}
"
            ),
            Helper::FloatFloorMod(dtype) => {
                let t = c_type(dtype);
                let rounded = |this: &mut Self, text: &str| match super::types::is_rounded(dtype) {
                    true => format!("{}({text})", this.name(Helper::Round(dtype))),
                    false => format!("({t})({text})"),
                };
                let quotient = rounded(self, "a / b");
                let product = rounded(self, &format!("floor({quotient}) * b"));
                let difference = rounded(self, &format!("a - {product}"));
                format!(
                    "
static inline {t} {name}({t} a, {t} b) {{
    return {difference};
}}
"
                )
            }
            Helper::Decode(dtype) => decoder(dtype, name),
            Helper::Encode(dtype) => encoder(dtype, name),
            Helper::Round(dtype) => {
                let (decode, encode) = (self.name(Helper::Decode(dtype)), self.name(Helper::Encode(dtype)));
                format!(
                    "
static inline float {name}(float value) {{
    return {decode}({encode}(value));
}}
"
                )
            }
            Helper::Narrow => format!(
                "
static inline float {name}(double value) {{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (((bits >> 52) & 0x7ffu) != 0x7ffu && (bits & 0xffffffffu) != 0) {{
        bits = ((bits >> 32) | 1u) << 32;
        memcpy(&value, &bits, sizeof value);
    }}
    return (float)value;
}}
"
            ),
            Helper::ToInt => format!(
                "
static inline int64_t {name}(double value) {{
    if (!(value > -9223372036854775808.0)) {{
        return value == value ? -9223372036854775807LL - 1 : 0;
    }}
    return value >= 9223372036854775808.0 ? 9223372036854775807LL : (int64_t)value;
}}
"
            ),
            Helper::ToUInt => format!(
                "
static inline uint64_t {name}(double value) {{
    if (!(value > 0.0)) {{
        return 0;
    }}
    return value >= 18446744073709551616.0 ? 18446744073709551615ULL : (uint64_t)value;
}}
"
            ),
            Helper::FloatBits => bits("uint32_t", "float", name),
            Helper::FloatOfBits => bits("float", "uint32_t", name),
            Helper::DoubleBits => bits("uint64_t", "double", name),
            Helper::DoubleOfBits => bits("double", "uint64_t", name),
            Helper::Load(t) => format!(
                "
static inline {t} {name}(const void *memory, int64_t index) {{
    {t} element;
    memcpy(&element, (const char *)memory + index * (int64_t)sizeof element, sizeof element);
    return element;
}}
"
            ),
            Helper::Store(t) => format!(
                "
static inline void {name}(void *memory, int64_t index, {t} element) {{
    memcpy((char *)memory + index * (int64_t)sizeof element, &element, sizeof element);
}}
"
            ),
            Helper::Popcount => format!(
                "
static inline int {name}(uint64_t value) {{
    int count = 0;
    for (; value != 0; value &= value - 1) {{
        ++count;
    }}
    return count;
}}
"
            ),
            Helper::LeadingZeros => format!(
                "
static inline int {name}(uint64_t value, int bits) {{
    int count = bits;
    for (; value != 0; value >>= 1) {{
        --count;
    }}
    return count;
}}
"
            ),
            Helper::MultiplyShift => format!(
                "
static inline int32_t {name}(int32_t a, int32_t b, int64_t q, int64_t s) {{
    const int64_t shift = q - s;
    if (shift < 1 || shift > 62 || s > 31) {{
        abort();
    }}
    return (int32_t)(((int64_t)a * b + ((int64_t)1 << (shift - 1))) >> shift);
}}
"
            ),
            Helper::Allocate => format!(
                "
static inline void *{name}(int64_t count, size_t bytes) {{
    void *memory;
    if (count < 0) {{
        abort();
    }}
    memory = calloc(count == 0 ? 1 : (size_t)count, bytes);
    if (memory == NULL) {{
        abort();
    }}
    return memory;
}}
"
            ),
            Helper::Exp10 => of_double(name, "pow(10.0, x)"),
            Helper::Rsqrt => of_double(name, "1.0 / sqrt(x)"),
            Helper::Sigmoid => of_double(name, "1.0 / (1.0 + exp(-x))"),
            Helper::Reciprocal => of_double(name, "1.0 / x"),
            Helper::LaneOf => source_lane(name, "(by % lanes + lanes) % lanes"),
            Helper::LaneUp => source_lane(name, "at - by"),
            Helper::LaneDown => source_lane(name, "at + by"),
            Helper::LaneXor => source_lane(name, "at ^ by"),
            Helper::ActiveLanes => active_lanes(name),
            Helper::Votes => votes(name),
            Helper::LoadMatrices => load_matrices(name),
            Helper::StoreMatrix => store_matrix(name),
            Helper::Multiply(dtypes, depth) => multiply(self, name, dtypes, depth),
            Helper::Scan(operator, dtype) => scan(self, name, operator, dtype),
        }
    }
}

pub(super) fn c_type(dtype: DataType) -> &'static str {
    super::types::value_type(dtype).unwrap_or("int64_t")
}

/// The name of a type in the names of helpers.
fn suffix(dtype: DataType) -> String {
    dtype.element().to_string()
}

fn name_of(helper: Helper) -> String {
    match helper {
        Helper::Divide(division, dtype) => {
            let name = match division {
                Division::Div => "div",
                Division::Mod => "mod",
                Division::FloorDiv => "floordiv",
                Division::FloorMod => "floormod",
            };
            format!("tir_{name}_{}", suffix(dtype))
        }
        Helper::Min(dtype) => format!("tir_min_{}", suffix(dtype)),
        Helper::Max(dtype) => format!("tir_max_{}", suffix(dtype)),
        Helper::Absolute(dtype) => format!("tir_abs_{}", suffix(dtype)),
        Helper::ShiftCount => "tir_shift_count".to_owned(),
        Helper::FloatFloorMod(dtype) => format!("tir_floormod_{}", suffix(dtype)),
        Helper::Decode(dtype) => format!("tir_decode_{}", suffix(dtype)),
        Helper::Encode(dtype) => format!("tir_encode_{}", suffix(dtype)),
        Helper::Round(dtype) => format!("tir_round_{}", suffix(dtype)),
        Helper::Narrow => "tir_narrow".to_owned(),
        Helper::ToInt => "tir_to_int64".to_owned(),
        Helper::ToUInt => "tir_to_uint64".to_owned(),
        Helper::FloatBits => "tir_float_bits".to_owned(),
        Helper::FloatOfBits => "tir_float_of_bits".to_owned(),
        Helper::DoubleBits => "tir_double_bits".to_owned(),
        Helper::DoubleOfBits => "tir_double_of_bits".to_owned(),
        Helper::Load(t) => format!("tir_load_{}", plain(t)),
        Helper::Store(t) => format!("tir_store_{}", plain(t)),
        Helper::Popcount => "tir_popcount".to_owned(),
        Helper::LeadingZeros => "tir_clz".to_owned(),
        Helper::MultiplyShift => "tir_q_multiply_shift".to_owned(),
        Helper::Allocate => "tir_allocate".to_owned(),
        Helper::Exp10 => "tir_exp10".to_owned(),
        Helper::Rsqrt => "tir_rsqrt".to_owned(),
        Helper::Sigmoid => "tir_sigmoid".to_owned(),
        Helper::Reciprocal => "tir_reciprocal".to_owned(),
        Helper::LaneOf => "tir_lane_of".to_owned(),
        Helper::LaneUp => "tir_lane_up".to_owned(),
        Helper::LaneDown => "tir_lane_down".to_owned(),
        Helper::LaneXor => "tir_lane_xor".to_owned(),
        Helper::ActiveLanes => "tir_active_lanes".to_owned(),
        Helper::Votes => "tir_votes".to_owned(),
        Helper::LoadMatrices => "tir_load_matrices".to_owned(),
        Helper::StoreMatrix => "tir_store_matrix".to_owned(),
        Helper::Multiply([a, b, c], depth) => {
            format!("tir_multiply_{}_{}_{}_{depth}", suffix(a), suffix(b), suffix(c))
        }
        Helper::Scan(operator, dtype) => {
            format!("tir_scan_{}_{}", if operator == Operator::Max { "max" } else { "sum" }, suffix(dtype))
        }
    }
}

fn plain(ctype: &str) -> &str {
    if ctype == "void *" { "pointer" } else { ctype.trim_end_matches("_t") }
}

fn of_double(name: &str, value: &str) -> String {
    format!(
        "
static inline double {name}(double x) {{
    return {value};
}}
"
    )
}

fn bits(to: &str, from: &str, name: &str) -> String {
    format!(
        "
static inline {to} {name}({from} value) {{
    {to} result;
    memcpy(&result, &value, sizeof result);
    return result;
}}
"
    )
}

fn choose(dtype: DataType, name: &str, sign: &str) -> String {
    let t = c_type(dtype);
    format!(
        "
static inline {t} {name}({t} a, {t} b) {{
    return a {sign} b ? a : b;
}}
"
    )
}

fn divide(division: Division, dtype: DataType, name: &str) -> String {
    let t = c_type(dtype);
    let is_quotient = matches!(division, Division::Div | Division::FloorDiv);
    let sign = if is_quotient { "/" } else { "%" };
    let mut text = format!(
        "
static inline {t} {name}({t} a, {t} b) {{
    if (b == 0) {{
        abort();
    }}
"
    );
    if dtype.code != TypeCode::Int {
        return text + &format!("    return ({t})(a {sign} b);\n}}\n");
    }
    // The least integer divided by -1 wraps.
    let minus = match is_quotient {
        true => format!("({t})(0 - ({})a)", super::types::unsigned_type(dtype)),
        false => "0".to_owned(),
    };
    text.push_str(&format!("    if (b == -1) {{\n        return {minus};\n    }}\n"));
    let correction = match division {
        Division::FloorDiv => " - (a % b != 0 && (a % b < 0) != (b < 0))",
        Division::FloorMod => " + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0)",
        Division::Div | Division::Mod => "",
    };
    text + &format!("    return ({t})(a {sign} b{correction});\n}}\n")
}

fn decoder(dtype: DataType, name: &str) -> String {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, _) => format!(
            "
static inline float {name}(uint16_t bits) {{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 0x1fu;
    const uint32_t mantissa = bits & 0x3ffu;
    uint32_t wide;
    float value;
    if (exponent == 0) {{
        value = (float)mantissa / 16777216.0f;
        return sign != 0 ? -value : value;
    }}
    wide = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | (mantissa << 13);
    memcpy(&value, &wide, sizeof value);
    return value;
}}
"
        ),
        (TypeCode::BFloat, _) => format!(
            "
static inline float {name}(uint16_t bits) {{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}}
"
        ),
        _ => {
            let values: Vec<String> = (0..=0xFFu64)
                .map(|bits| super::expr::float_text(decode(dtype.code, bits).unwrap_or_default(), false))
                .collect();
            let rows: Vec<String> =
                values.chunks(8).map(|row| format!("        {}", row.join(", "))).collect();
            format!(
                "
static inline float {name}(uint8_t bits) {{
    static const float values[256] = {{
{}
    }};
    return values[bits];
}}
",
                rows.join(",\n")
            )
        }
    }
}

fn encoder(dtype: DataType, name: &str) -> String {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, _) => format!(
            "
static inline uint16_t {name}(float value) {{
    uint32_t bits, sign;
    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) {{
        return (uint16_t)(sign | 0x7e00u);
    }}
    if (bits >= 0x477ff000u) {{
        return (uint16_t)(sign | 0x7c00u);
    }}
    if (bits < 0x38800000u) {{
        return (uint16_t)(sign | (uint32_t)rint(fabs((double)value) * 16777216.0));
    }}
    bits += 0xfffu + ((bits >> 13) & 1u);
    return (uint16_t)(sign | ((bits - 0x38000000u) >> 13));
}}
"
        ),
        (TypeCode::BFloat, _) => format!(
            "
static inline uint16_t {name}(float value) {{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {{
        return (uint16_t)((bits >> 16) | 0x40u);
    }}
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}}
"
        ),
        _ => small_encoder(dtype, name),
    }
}

/// Rounds to the nearest value of a table of the positive ones, ties to the even code.
fn small_encoder(dtype: DataType, name: &str) -> String {
    let code = dtype.code;
    let bits = |value: f64| encode(code, value).unwrap_or_default();
    let largest = (0..=0xFFu64)
        .filter(|bits| *bits < 1 << dtype.bits)
        .filter_map(|bits| {
            decode(code, bits).filter(|value| value.is_finite() && *value >= 0.0).map(|value| (bits, value))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(bits, _)| bits);
    debug_assert!(is_small_float(code));
    if code == TypeCode::Float8E8M0Fnu {
        return format!(
            "
static inline uint8_t {name}(float value) {{
    double exponent;
    if (!(value > 0.0f) || isinf(value)) {{
        return 255;
    }}
    exponent = rint(log2((double)value)) + 127.0;
    return (uint8_t)(exponent < 0.0 ? 0.0 : exponent > 254.0 ? 254.0 : exponent);
}}
"
        );
    }
    let (least, second) = (decode(code, 1).unwrap_or_default(), decode(code, largest).unwrap_or_default());
    // The number of mantissa bits: the codes from 1.0 to 2.0.
    let steps = bits(2.0).saturating_sub(bits(1.0)).max(1);
    let (mantissa, bias) = (steps.trailing_zeros(), bits(1.0) / steps);
    let (nan, negative_nan) = (bits(f64::NAN), bits(-f64::NAN));
    let (overflow, negative_overflow) = (bits(f64::INFINITY), bits(f64::NEG_INFINITY));
    let sign = bits(-1.0) ^ bits(1.0);
    let negative_zero = bits(-0.0);
    format!(
        "
/* From {least:?} to {second:?}. */
static inline uint8_t {name}(float value) {{
    const double magnitude = fabs((double)value);
    const bool is_negative = signbit(value) != 0;
    int exponent;
    uint32_t bits;
    if (isnan(value)) {{
        return is_negative ? {negative_nan} : {nan};
    }}
    if (isinf(value)) {{
        return is_negative ? {negative_overflow} : {overflow};
    }}
    frexp(magnitude, &exponent);
    exponent = magnitude == 0.0 || exponent - 1 < 1 - {bias} ? 1 - {bias} : exponent - 1;
    bits = (uint32_t)rint(ldexp(magnitude, {mantissa} - exponent)) + ((uint32_t)(exponent + {bias} - 1) << {mantissa});
    if (bits > {largest}u) {{
        return is_negative ? {negative_overflow} : {overflow};
    }}
    return (uint8_t)(bits == 0 ? (is_negative ? {negative_zero} : 0) : is_negative ? (bits | {sign}u) : bits);
}}
"
    )
}
