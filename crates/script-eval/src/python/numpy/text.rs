//! The text of arrays and of numpy's numbers.

use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::round;

use super::array::{Array, Num, charge};
use super::dtype::{self, is_float};
use crate::Eval;
use crate::eval::Raise;

/// Number of elements from which arrays are shortened.
const THRESHOLD: usize = 1000;
/// Number of elements at each end of a shortened dimension.
const EDGE: usize = 3;
const LINE_WIDTH: usize = 75;
/// Maximum number of digits after the point in arrays.
const PRECISION: usize = 8;

/// `repr` of an array or number.
pub(super) fn write(p: &mut Eval<'_>, array: &Array, out: &mut String) -> Result<(), Raise> {
    if array.is_scalar {
        let text = number(array);
        match array.dtype.is_bool() {
            true => out.push_str(&format!("np.{text}_")),
            false => out.push_str(&format!("np.{}({text})", array.dtype)),
        }
        return Ok(());
    }
    charge(p, array.size().min(THRESHOLD).saturating_mul(8))?;
    let is_default =
        array.dtype.is_bool() || array.dtype == DataType::INT64 || array.dtype == DataType::float(64);
    let shows_type = !is_default || array.size() == 0;
    out.push_str("array(");
    let before = out.len();
    match array.size() {
        0 => out.push_str("[]"),
        _ => out.push_str(&lines(array, ", ", "array(", 1)),
    }
    if array.size() == 0 && array.shape.len() != 1 || array.size() > THRESHOLD {
        out.push_str(&format!(", shape={}", shape(&array.shape)));
    }
    if shows_type {
        let own = out.get(before - "array(".len()..).unwrap_or_default();
        let last = own.rsplit('\n').next().map_or(0, str::len);
        let dtype = format!("dtype={}", array.dtype);
        // A comma and a blank precede it.
        let is_long = last + dtype.len() + 2 > LINE_WIDTH;
        out.push_str(if is_long { ",\n      " } else { ", " });
        out.push_str(&dtype);
    }
    out.push(')');
    Ok(())
}

/// `str` of an array or number.
pub(super) fn plain(p: &mut Eval<'_>, array: &Array) -> Result<String, Raise> {
    if array.shape.is_empty() {
        return Ok(number(array));
    }
    charge(p, array.size().min(THRESHOLD).saturating_mul(8))?;
    Ok(if array.size() == 0 { "[]".to_owned() } else { lines(array, " ", "", 0) })
}

fn shape(dims: &[usize]) -> String {
    let text: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("({}{})", text.join(", "), if dims.len() == 1 { "," } else { "" })
}

fn number(array: &Array) -> String {
    match array.only() {
        Some(Num::Float(f)) => float(f, array.dtype),
        Some(Num::Int(i)) if array.dtype.is_bool() => if i != 0 { "True" } else { "False" }.to_owned(),
        Some(value) => dtype::wide(value, array.dtype).to_string(),
        None => String::new(),
    }
}

/// Digits of a float with the fewest that distinguish it in its type: `(digits, exponent)`.
fn shortest(value: f64, dtype: DataType) -> (String, i32) {
    let text = match dtype.bits {
        32 => format!("{:e}", value as f32),
        16 => {
            let fits = |text: &String| {
                text.parse().is_ok_and(|parsed| round(DataType::float(16), parsed) == Some(value))
            };
            let tries = (0..8).map(|digits| format!("{value:.digits$e}"));
            tries.into_iter().find(fits).unwrap_or_else(|| format!("{value:e}"))
        }
        _ => format!("{value:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or(0))
}

/// A float as numpy shows a number.
fn float(value: f64, dtype: DataType) -> String {
    if !value.is_finite() || dtype.bits == 64 {
        return crate::python::repr::float(value);
    }
    let (digits, exponent) = shortest(value, dtype);
    if value == 0.0 || (-4..16).contains(&exponent) {
        let text = positional(value, &digits, exponent, usize::MAX);
        return if text.ends_with('.') { text + "0" } else { text };
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// A float without exponent, with at most `precision` digits after the point and no zeros at the end: `1.`, `0.25`.
fn positional(value: f64, digits: &str, exponent: i32, precision: usize) -> String {
    let behind = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let text = if behind > precision {
        format!("{:.precision$}", value.abs())
    } else if exponent < 0 {
        format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
    } else {
        let whole = exponent as usize + 1;
        let padded = format!("{digits:0<whole$}");
        let (before, after) = padded.split_at(whole);
        format!("{before}.{after}")
    };
    let trimmed = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    let point = if trimmed.contains('.') { "" } else { "." };
    format!("{sign}{trimmed}{point}")
}

/// The texts of all elements, padded to one width.
fn texts(array: &Array) -> Vec<String> {
    let values = array.elements();
    let texts: Vec<String> = match is_float(array.dtype) {
        true => floats(&values, array.dtype),
        false if array.dtype.is_bool() => values
            .iter()
            .map(|value| if *value == Num::Int(0) { "False" } else { "True" }.to_owned())
            .collect(),
        false => values.iter().map(|value| dtype::wide(*value, array.dtype).to_string()).collect(),
    };
    let least = if array.dtype.is_bool() && !array.shape.is_empty() { "False".len() } else { 0 };
    let width = texts.iter().map(String::len).max().unwrap_or(0).max(least);
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

fn floats(values: &[Num], dtype: DataType) -> Vec<String> {
    let values: Vec<f64> = values.iter().map(|value| dtype::float(*value, dtype)).collect();
    let sizes = || values.iter().copied().filter(|value| value.is_finite() && *value != 0.0).map(f64::abs);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let is_scientific = most >= 1e8 || sizes().next().is_some() && (least < 1e-4 || most / least > 1000.0);
    let texts: Vec<String> = values
        .iter()
        .map(|value| {
            if !value.is_finite() {
                return crate::python::repr::float(*value);
            }
            let (digits, exponent) = shortest(*value, dtype);
            if !is_scientific {
                return positional(*value, &digits, exponent, PRECISION);
            }
            let (digits, exponent) = match digits.len() > PRECISION + 1 {
                true => {
                    let text = format!("{:.*e}", PRECISION, value.abs());
                    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                    (digits.trim_end_matches('0').to_owned(), exponent.parse().unwrap_or(0))
                }
                false => (digits, exponent),
            };
            let (first, rest) = digits.split_at(digits.len().min(1));
            let sign = if value.is_sign_negative() { "-" } else { "" };
            let first = if first.is_empty() { "0" } else { first };
            format!("{sign}{first}.{rest}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        })
        .collect();
    // Aligned at the point: with spaces, or with zeros before an exponent.
    let fraction = |text: &str| {
        let end = text.find('e').unwrap_or(text.len());
        text.find('.').map_or(0, |point| end - point - 1)
    };
    let widest = texts.iter().map(|text| fraction(text)).max().unwrap_or(0);
    let pad = |text: String| {
        if !text.contains('.') {
            return text;
        }
        let missing = widest - fraction(&text);
        match text.split_once('e') {
            Some((mantissa, exponent)) => format!("{mantissa}{}e{exponent}", "0".repeat(missing)),
            None => text + &" ".repeat(missing),
        }
    };
    texts.into_iter().map(pad).collect()
}

struct Layout<'a> {
    separator: &'a str,
    is_shortened: bool,
}

/// The elements in brackets, broken into lines.
fn lines(array: &Array, separator: &str, prefix: &str, suffix: usize) -> String {
    let is_shortened = array.size() > THRESHOLD;
    let layout = Layout { separator, is_shortened };
    let shown = if is_shortened { shortened(array) } else { array.clone() };
    let texts = texts(&shown);
    if shown.shape.is_empty() {
        return texts.into_iter().next().unwrap_or_default();
    }
    let indent = " ".repeat(prefix.len() + 1);
    let mut texts = texts.into_iter();
    block(&layout, &array.shape, &mut texts, &indent, LINE_WIDTH.saturating_sub(suffix))
}

/// The elements that a shortened array shows.
fn shortened(array: &Array) -> Array {
    let mut out = Vec::new();
    collect(array, &mut out);
    let shape = array.shape.iter().map(|dim| if *dim > 2 * EDGE { 2 * EDGE } else { *dim }).collect();
    Array::new(array.dtype, shape, out)
}

fn collect(array: &Array, out: &mut Vec<Num>) {
    let Some(len) = array.shape.first().copied() else {
        out.extend(array.only());
        return;
    };
    for at in (0..len).filter(|at| len <= 2 * EDGE || *at < EDGE || *at >= len - EDGE) {
        collect(&array.row(at), out);
    }
}

fn block(
    layout: &Layout,
    shape: &[usize],
    texts: &mut impl Iterator<Item = String>,
    indent: &str,
    width: usize,
) -> String {
    let Some((len, inner)) = shape.split_first() else { return texts.next().unwrap_or_default() };
    let has_gap = layout.is_shortened && *len > 2 * EDGE;
    let shown = if has_gap { 2 * EDGE } else { *len };
    let separator = layout.separator;
    let next_indent = format!("{indent} ");
    let mut out = String::new();
    if inner.is_empty() {
        let room = width.saturating_sub(separator.trim_end().len().max(1));
        let mut line = indent.to_owned();
        let mut push = |out: &mut String, word: &str, is_last: bool| {
            if line.len() + word.len() > room && line.len() > indent.len() {
                out.push_str(line.trim_end());
                out.push('\n');
                line = indent.to_owned();
            }
            line.push_str(word);
            if is_last {
                out.push_str(&line);
            } else {
                line.push_str(separator);
            }
        };
        for at in 0..shown {
            if has_gap && at == EDGE {
                push(&mut out, "...", false);
            }
            let word = texts.next().unwrap_or_default();
            push(&mut out, &word, at + 1 == shown);
        }
    } else {
        let line_end = format!("{}{}", separator.trim_end(), "\n".repeat(inner.len()));
        for at in 0..shown {
            if has_gap && at == EDGE {
                out.push_str(&format!("{indent}...{line_end}"));
            }
            let nested = block(layout, inner, texts, &next_indent, width.saturating_sub(1));
            out.push_str(&format!("{indent}{nested}"));
            if at + 1 < shown {
                out.push_str(&line_end);
            }
        }
    }
    format!("[{}]", out.get(indent.len()..).unwrap_or_default())
}
