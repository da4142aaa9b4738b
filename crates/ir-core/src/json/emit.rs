//! Writer of JSON text, compact or indented.
//! Upstream counterpart: `src/ffi/extra/json_writer.cc` of tvm-ffi, which spells floats and empty brackets the same.

/// A writer of JSON tokens, which adds commas and line breaks.
#[derive(Debug)]
pub struct Emitter {
    out: String,
    /// Spaces per level; 0 for one line.
    indent: usize,
    level: usize,
    fresh: bool,
}

/// Text that starts an element and was made once for many, with the state after it.
#[derive(Debug)]
pub struct Prepared {
    text: String,
    level: usize,
    fresh: bool,
}

const SPACES: &str = "                                ";

impl Emitter {
    /// Creates a writer with `indent` spaces per level (0 for one line), inside of `level` brackets.
    pub fn new(indent: usize, level: usize) -> Emitter {
        Emitter { out: String::new(), indent, level, fresh: true }
    }

    /// Reserves capacity for the text.
    pub fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.out
    }

    fn line(&mut self) {
        if self.indent == 0 {
            return;
        }
        self.out.push('\n');
        let mut width = self.indent * self.level;
        while width > 0 {
            let part = width.min(SPACES.len());
            self.out.push_str(&SPACES[..part]);
            width -= part;
        }
    }

    /// Starts an element of an array: comma and line break.
    pub fn element(&mut self) {
        if !self.fresh {
            self.out.push(',');
        }
        self.fresh = false;
        self.line();
    }

    /// Starts an entry of an object: comma, line break and key.
    pub fn key(&mut self, key: &str) {
        self.element();
        self.string(key);
        self.out.push(':');
        if self.indent != 0 {
            self.out.push(' ');
        }
    }

    /// Opens a bracket.
    pub fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.level += 1;
        self.fresh = true;
    }

    /// Closes a bracket. If indented, an empty pair takes two lines.
    pub fn close(&mut self, bracket: char) {
        self.level -= 1;
        self.line();
        self.out.push(bracket);
        self.fresh = false;
    }

    /// Prepares what `write` starts with an element, for [`Emitter::prepared`] at the same level.
    pub fn prepare(&self, level: usize, write: impl FnOnce(&mut Emitter)) -> Prepared {
        let mut own = Emitter::new(self.indent, level);
        write(&mut own);
        Prepared { text: own.out, level: own.level, fresh: own.fresh }
    }

    /// Writes a prepared text, after a comma if another element precedes it.
    #[inline]
    pub fn prepared(&mut self, prepared: &Prepared) {
        if !self.fresh {
            self.out.push(',');
        }
        self.out.push_str(&prepared.text);
        self.level = prepared.level;
        self.fresh = prepared.fresh;
    }

    /// Inserts text in front of all other.
    pub fn prepend(&mut self, text: &str) {
        self.out.insert_str(0, text);
    }

    /// Inserts JSON text.
    pub fn raw(&mut self, text: &str) {
        self.out.push_str(text);
        self.fresh = self.fresh && text.is_empty();
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.out.push_str(if value { "true" } else { "false" });
    }

    /// Writes an integer.
    pub fn int(&mut self, value: i64) {
        self.out.push_str(itoa::Buffer::new().format(value));
    }

    /// Writes a float: integers below 2^53 with one decimal, others as C's `%.17g`, and the bare tokens `NaN` and
    /// `Infinity`.
    pub fn float(&mut self, value: f64) {
        use std::fmt::Write;
        if value.is_nan() {
            self.out.push_str("NaN");
        } else if value.is_infinite() {
            self.out.push_str(if value < 0.0 { "-Infinity" } else { "Infinity" });
        } else if value.abs() < 9_007_199_254_740_992.0 && value.fract() == 0.0 {
            let _ = write!(self.out, "{value:.1}");
        } else {
            self.out.push_str(&seventeen_digits(value));
        }
    }

    /// Writes a quoted string.
    pub fn string(&mut self, text: &str) {
        self.out.push('"');
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            let escape = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'/' => "\\/",
                8 => "\\b",
                12 => "\\f",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0..0x20 | 0x7f => "",
                _ => continue,
            };
            self.out.push_str(&text[plain..at]);
            plain = at + 1;
            if escape.is_empty() {
                use std::fmt::Write;
                let _ = write!(self.out, "\\u{byte:04x}");
            } else {
                self.out.push_str(escape);
            }
        }
        self.out.push_str(&text[plain..]);
        self.out.push('"');
    }
}

/// Formats a finite number as C's `%.17g`.
fn seventeen_digits(value: f64) -> String {
    let scientific = format!("{value:.16e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or(0);
        let fixed = format!("{value:.decimals$}");
        if decimals == 0 { fixed } else { trim(&fixed) }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> String {
        let mut emitter = Emitter::new(0, 0);
        emitter.float(value);
        emitter.finish()
    }

    #[test]
    fn floats_are_as_c_prints_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.10000000000000001"),
            (1e-5, "1.0000000000000001e-05"),
            (1e-4, "0.0001"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e17, "1e+17"),
            (1.5e300, "1.5000000000000001e+300"),
            (5e-324, "4.9406564584124654e-324"),
            (3.25, "3.25"),
            (123_456_789.125, "123456789.125"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn slashes_and_control_characters_are_escaped() {
        let mut emitter = Emitter::new(0, 0);
        emitter.string("a/b\"\\\n\u{1}\u{7f}é");
        assert_eq!(emitter.finish(), r#""a\/b\"\\\n\u0001\u007fé""#);
    }
}
