//! Functions of the text for threads that exchange values and for matrices that are spread over them.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::Operator;

use super::exchange::neutral;
use super::helpers::{Helper, Helpers, c_type};
use super::types::{is_rounded, storage_type, unsigned_type};
use crate::device::parts_of;
use crate::scalar::is_float;

/// The thread that a lane gets its value from: itself if that one is not in its part of the warp or takes no part.
pub(super) fn source_lane(name: &str, from: &str) -> String {
    format!(
        "
static inline int64_t {name}(int64_t by, int64_t width, int64_t thread, int64_t warp, int64_t threads, const bool *active) {{
    const int64_t lanes = width < 1 ? 1 : width > warp ? warp : width;
    const int64_t at = thread % warp % lanes;
    const int64_t from = {from};
    const int64_t source = thread - at + from;
    if (from < 0 || from >= lanes || source >= threads || (active != NULL && !active[source])) {{
        return thread;
    }}
    return source;
}}
"
    )
}

/// The mask of the lanes of a warp that take part.
pub(super) fn active_lanes(name: &str) -> String {
    format!(
        "
static inline uint64_t {name}(int64_t thread, int64_t warp, int64_t threads, const bool *active) {{
    const int64_t first = thread / warp * warp;
    uint64_t lanes = 0;
    for (int64_t other = first; other < first + warp && other < threads; ++other) {{
        lanes |= (uint64_t)(active == NULL || active[other]) << (other - first);
    }}
    return lanes;
}}
"
    )
}

/// The mask of the lanes of a warp whose value holds.
pub(super) fn votes(name: &str) -> String {
    format!(
        "
static inline uint64_t {name}(const bool *votes, int64_t thread, int64_t warp, int64_t threads, const bool *active) {{
    const int64_t first = thread / warp * warp;
    uint64_t lanes = 0;
    for (int64_t other = first; other < first + warp && other < threads; ++other) {{
        lanes |= (uint64_t)((active == NULL || active[other]) && votes[other]) << (other - first);
    }}
    return lanes;
}}
"
    )
}

/// Loads of matrices of 8 rows with 16 bytes.
pub(super) fn load_matrices(name: &str) -> String {
    format!(
        "
static void {name}(void **source, void **target, int64_t threads, int count, bool is_transposed) {{
    for (int64_t first = 0; first < threads; first += 32) {{
        for (int number = 0; number < count; ++number) {{
            char rows[8][16];
            for (int row = 0; row < 8; ++row) {{
                memcpy(rows[row], source[first + 8 * number + row], 16);
            }}
            for (int lane = 0; lane < 32; ++lane) {{
                const int group = lane / 4, inner = lane % 4 * 2;
                char *word = (char *)target[first + lane] + 4 * number;
                if (is_transposed) {{
                    memcpy(word, rows[inner] + 2 * group, 2);
                    memcpy(word + 2, rows[inner + 1] + 2 * group, 2);
                }} else {{
                    memcpy(word, rows[group] + 2 * inner, 4);
                }}
            }}
        }}
    }}
}}
"
    )
}

/// The inverse of a load, for one matrix per call.
pub(super) fn store_matrix(name: &str) -> String {
    format!(
        "
static void {name}(const uint32_t *words, void **target, int64_t threads, int number, bool is_transposed) {{
    for (int64_t first = 0; first < threads; first += 32) {{
        char rows[8][16];
        for (int lane = 0; lane < 32; ++lane) {{
            const int group = lane / 4, inner = lane % 4 * 2;
            const char *word = (const char *)&words[first + lane];
            if (is_transposed) {{
                memcpy(rows[inner] + 2 * group, word, 2);
                memcpy(rows[inner + 1] + 2 * group, word + 2, 2);
            }} else {{
                memcpy(rows[group] + 2 * inner, word, 4);
            }}
        }}
        for (int row = 0; row < 8; ++row) {{
            memcpy(target[first + 8 * number + row], rows[row], 16);
        }}
    }}
}}
"
    )
}

/// An element of memory as a value.
fn read(helpers: &mut Helpers, dtype: DataType, pointer: &str, index: &str) -> String {
    let load = helpers.name(Helper::Load(storage_type(dtype).unwrap_or("int64_t")));
    let element = format!("{load}({pointer}, {index})");
    match is_rounded(dtype) {
        true => format!("{}({element})", helpers.name(Helper::Decode(dtype))),
        false => element,
    }
}

fn write(helpers: &mut Helpers, dtype: DataType, pointer: &str, index: &str, value: &str) -> String {
    let store = helpers.name(Helper::Store(storage_type(dtype).unwrap_or("int64_t")));
    let value = match is_rounded(dtype) {
        true => format!("{}({}({value}))", helpers.name(Helper::Encode(dtype)), helpers.name(Helper::Narrow)),
        false => format!("({})({value})", c_type(dtype)),
    };
    format!("{store}({pointer}, {index}, {value})")
}

/// `c += a * b` of matrices with 16 rows and 8 columns. Sums of floats are rounded once.
pub(super) fn multiply(helpers: &mut Helpers, name: &str, [a, b, c]: [DataType; 3], depth: usize) -> String {
    let (a_parts, b_parts) = (parts_of(a), parts_of(b));
    let sum = if is_float(c) { "double" } else { "uint64_t" };
    let left = read(helpers, a, "a[first + lane]", "index");
    let right = read(helpers, b, "b[first + lane]", "index");
    let old = read(helpers, c, "c[first + lane]", "index");
    let new = write(helpers, c, "c[first + lane]", "index", &format!("({sum}){old} + sum"));
    format!(
        "
static void {name}(void **a, void **b, void **c, int64_t threads) {{
    for (int64_t first = 0; first < threads; first += 32) {{
        {sum} left[16 * {depth}], right[8 * {depth}];
        for (int lane = 0; lane < 32; ++lane) {{
            const int group = lane / 4, inner = lane % 4;
            for (int index = 0; index < {depth} / 2; ++index) {{
                const int part = index / {a_parts}, row = group + 8 * (part % 2);
                const int column = inner * {a_parts} + index % {a_parts} + 4 * {a_parts} * (part / 2);
                left[row * {depth} + column] = ({sum}){left};
            }}
            for (int index = 0; index < {depth} / 4; ++index) {{
                const int row = inner * {b_parts} + index % {b_parts} + 4 * {b_parts} * (index / {b_parts});
                right[group * {depth} + row] = ({sum}){right};
            }}
        }}
        for (int lane = 0; lane < 32; ++lane) {{
            for (int index = 0; index < 4; ++index) {{
                const int row = lane / 4 + 8 * (index / 2), column = lane % 4 * 2 + index % 2;
                {sum} sum = 0;
                for (int at = 0; at < {depth}; ++at) {{
                    sum += left[row * {depth} + at] * right[column * {depth} + at];
                }}
                {new};
            }}
        }}
    }}
}}
"
    )
}

/// Running totals of lines, in the order in which a warp computes them.
pub(super) fn scan(helpers: &mut Helpers, name: &str, operator: Operator, dtype: DataType) -> String {
    let (t, u) = (c_type(dtype), unsigned_type(dtype));
    let combine = |helpers: &mut Helpers, a: &str, b: &str| match (operator, is_float(dtype)) {
        (Operator::Max, _) => format!("{}({a}, {b})", helpers.name(Helper::Max(dtype))),
        (_, true) if is_rounded(dtype) => format!("{}({a} + {b})", helpers.name(Helper::Round(dtype))),
        (_, true) => format!("{a} + {b}"),
        (_, false) => format!("({t})(({u}){a} + ({u}){b})"),
    };
    let start = neutral(operator, dtype).map_or("0".to_owned(), |value| value.text);
    let read = read(helpers, dtype, "source", "line * from_line + at * from_step");
    let write = write(helpers, dtype, "target", "line * to_line + at * to_step", "values[lane]");
    let before = combine(helpers, "values[lane]", "old[lane - distance]");
    let carried = combine(helpers, "values[lane]", "carry");
    format!(
        "
static void {name}(const void *source, void *target, int64_t lines, int64_t extent, int64_t from_line, int64_t to_line, int64_t from_step, int64_t to_step, bool is_reverse, int warp) {{
    const int64_t segments = (extent + warp - 1) / warp;
    for (int64_t line = 0; line < lines; ++line) {{
        {t} carry = {start};
        for (int64_t number = 0; number < segments; ++number) {{
            const int64_t first = (is_reverse ? segments - 1 - number : number) * warp;
            {t} values[64], old[64];
            for (int lane = 0; lane < warp; ++lane) {{
                const int64_t at = first + (is_reverse ? warp - 1 - lane : lane);
                values[lane] = at < extent ? {read} : {start};
            }}
            for (int distance = 1; distance < warp; distance *= 2) {{
                memcpy(old, values, (size_t)warp * sizeof old[0]);
                for (int lane = distance; lane < warp; ++lane) {{
                    values[lane] = {before};
                }}
            }}
            for (int lane = 0; lane < warp; ++lane) {{
                const int64_t at = first + (is_reverse ? warp - 1 - lane : lane);
                values[lane] = {carried};
                if (at < extent) {{
                    {write};
                }}
            }}
            carry = values[warp - 1];
        }}
    }}
}}
"
    )
}
