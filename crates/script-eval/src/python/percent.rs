//! Formatting with `format % values`.

use num_traits::Signed;
use tvmscript_script_value::ScriptValue;

use super::Outcome;
use super::format::{Spec, float, integer, pad, signed};
use super::number::{self, Number, float_to_int, small_index};
use super::{builtins, cost, repr, subscript, type_name};
use crate::Eval;
use crate::errors::HostError;
use crate::eval::Raise;

/// The values that a format consumes.
struct Values<'a> {
    all: &'a ScriptValue,
    taken: usize,
}

impl Values<'_> {
    fn next(&mut self) -> Result<ScriptValue, HostError> {
        let missing = || HostError::type_error("not enough arguments for format string");
        let at = self.taken;
        self.taken += 1;
        match self.all {
            ScriptValue::Tuple(items) => items.get(at).cloned().ok_or_else(missing),
            one if at == 0 => Ok(one.clone()),
            _ => Err(missing()),
        }
    }

    /// Tests whether values remain. Mappings and lists may remain.
    fn left_over(&self) -> bool {
        match self.all {
            ScriptValue::Tuple(items) => self.taken < items.len(),
            ScriptValue::Dict(_) | ScriptValue::List(_) | ScriptValue::Bytes(_) => false,
            ScriptValue::Host(_) => super::range::of(self.all).is_none() && self.taken == 0,
            _ => self.taken == 0,
        }
    }
}

/// A position in the format.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }
}

/// `format % values`
pub(crate) fn percent(p: &mut Eval<'_>, format: &str, values: &ScriptValue) -> Outcome {
    let out = formatted(p, format, values)?;
    cost::text(p.state, &out)
}

fn formatted(p: &mut Eval<'_>, format: &str, values: &ScriptValue) -> Result<String, Raise> {
    cost::scan(p.state, format.len())?;
    let mut values = Values { all: values, taken: 0 };
    let mut out = String::new();
    let mut cursor = Cursor { text: format, at: 0 };
    while let Some(at) = format[cursor.at..].find('%') {
        out.push_str(&format[cursor.at..cursor.at + at]);
        cursor.at += at + 1;
        let text = directive(p, &mut cursor, &mut values)?;
        p.state.program.budget.step(1)?;
        cost::text_bytes(p.state, text.len())?;
        out.push_str(&text);
    }
    out.push_str(&format[cursor.at..]);
    let keyed = matches!(values.all, ScriptValue::Dict(_));
    if !keyed && values.left_over() {
        raise!(Type, "not all arguments converted during string formatting");
    }
    Ok(out)
}

/// Formats one conversion after its `%`.
fn directive(p: &mut Eval<'_>, cursor: &mut Cursor, values: &mut Values) -> Result<String, Raise> {
    let mut keyed = None;
    if cursor.eat('(') {
        let ScriptValue::Dict(_) = values.all else {
            raise!(Type, "format requires a mapping");
        };
        let (start, mut depth) = (cursor.at, 1);
        let mut end = start;
        while depth > 0 {
            end = cursor.at;
            match cursor.next() {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
                None => raise!(Value, "incomplete format key"),
            }
        }
        let key = cost::text(p.state, &cursor.text[start..end])?;
        keyed = Some(subscript::get(p, values.all, &key)?);
    }
    let (mut spec, mut left, mut zero) = (Spec::default(), false, false);
    while let Some(flag @ ('-' | '+' | ' ' | '#' | '0')) = cursor.peek() {
        cursor.at += 1;
        match flag {
            '-' => left = true,
            '#' => spec.alternate = true,
            '0' => zero = true,
            '+' => spec.sign = Some('+'),
            _ => spec.sign = spec.sign.or(Some(' ')),
        }
    }
    let width = count(cursor, values, "width too big", i64::MAX)?.unwrap_or(0);
    left |= width < 0;
    spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    if cursor.eat('.') {
        let precision = count(cursor, values, "precision too big", i64::from(i32::MAX))?.unwrap_or(0);
        spec.precision = Some(usize::try_from(precision).unwrap_or(0));
    }
    if matches!(cursor.peek(), Some('h' | 'l' | 'L')) {
        cursor.at += 1;
    }
    let index = cursor.at;
    let Some(kind) = cursor.next() else {
        raise!(Value, "incomplete format");
    };
    if kind == '%' {
        return Ok("%".to_owned());
    }
    let value = match keyed {
        Some(value) => value,
        None => values.next()?,
    };
    let is_number = !matches!(kind, 's' | 'r' | 'a' | 'c');
    spec.align = Some(match (left, zero && is_number) {
        (true, _) => '<',
        (false, true) => '=',
        (false, false) => '>',
    });
    // Left-aligned fields are filled with spaces.
    spec.fill = (zero && is_number && !left).then_some('0');
    spec.kind = Some(kind);
    match kind {
        's' | 'r' | 'a' => {
            let text = match kind {
                's' => repr::str(p, &value)?,
                'r' => repr::repr(p, &value)?,
                _ => builtins::ascii(&repr::repr(p, &value)?),
            };
            cost::scan(p.state, text.len())?;
            let count = text.chars().count();
            let cut = match spec.precision {
                Some(precision) if precision < count => {
                    text.char_indices().nth(precision).map_or(&*text, |(byte, _)| &text[..byte])
                }
                _ => &text,
            };
            let width = count.min(spec.precision.unwrap_or(usize::MAX));
            pad(p.state, &spec, if left { '<' } else { '>' }, "", cut, width)
        }
        'c' => {
            let text = match (&value, number::index(&value)) {
                (ScriptValue::Str(text), _)
                    if text.as_str().chars().nth(1).is_none() && !text.as_str().is_empty() =>
                {
                    text.to_string()
                }
                (_, Some(code)) => match u32::try_from(&*code).ok().and_then(char::from_u32) {
                    Some(c) => c.to_string(),
                    None => raise!(Overflow, "%c arg not in range(0x110000)"),
                },
                _ => raise!(Type, "%c requires int or char"),
            };
            pad(p.state, &spec, if left { '<' } else { '>' }, "", &text, 1)
        }
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
            let value = super::object::number(&value).unwrap_or(value);
            let whole = match Number::of(&value) {
                Some(Number::Float(f)) if matches!(kind, 'd' | 'i' | 'u') => float_to_int(f)?,
                Some(Number::Int(_) | Number::Big(_)) => value,
                _ => {
                    let wanted = if matches!(kind, 'd' | 'i' | 'u') { "a real number" } else { "an integer" };
                    let found = type_name(&value);
                    raise!(Type, "%{kind} format: {wanted} is required, not {found}");
                }
            };
            let whole = number::integer(&whole)?;
            let (prefix, mut digits) = integer(p.state, &whole, Some(kind))?;
            if let Some(missing) = spec.precision.and_then(|precision| precision.checked_sub(digits.len())) {
                cost::text_bytes(p.state, missing)?;
                digits.insert_str(0, &"0".repeat(missing));
            }
            let prefix = if spec.alternate { prefix } else { "" };
            signed(p.state, &spec, whole.is_negative(), prefix, digits)
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
            let value = super::object::number(&value).unwrap_or(value);
            let Some(number) = Number::of(&value) else {
                return Err(wrong_type!("must be real number, not {}", &value).into());
            };
            let value = number.to_float()?;
            let digits = float(p.state, value.abs(), &spec)?;
            signed(p.state, &spec, value.is_sign_negative() && !value.is_nan(), "", digits)
        }
        kind => {
            let index = cursor.text[..index].chars().count();
            raise!(Value, "unsupported format character '{kind}' (0x{:x}) at index {index}", kind as u32)
        }
    }
}

/// A width or precision: digits, `*` for the next value, or nothing.
fn count(
    cursor: &mut Cursor,
    values: &mut Values,
    too_big: &str,
    limit: i64,
) -> Result<Option<i64>, HostError> {
    if cursor.eat('*') {
        let value = values.next()?;
        return match (&value, small_index(&value)) {
            (ScriptValue::BigInt(_), _) => {
                raise!(Overflow, "Python int too large to convert to C ssize_t")
            }
            (_, Some(count)) if count <= limit => Ok(Some(count)),
            (_, Some(_)) => raise!(Overflow, "Python int too large to convert to C int"),
            _ => raise!(Type, "* wants int"),
        };
    }
    let mut value: Option<i64> = None;
    while let Some(digit) = cursor.peek().and_then(|c| c.to_digit(10)) {
        cursor.at += 1;
        let next = value.unwrap_or(0).checked_mul(10).and_then(|v| v.checked_add(i64::from(digit)));
        value = Some(next.filter(|v| *v <= limit).ok_or_else(|| HostError::value_error(too_big.to_owned()))?);
    }
    Ok(value)
}
