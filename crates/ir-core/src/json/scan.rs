//! A pull scanner of JSON tokens. It accepts the bare tokens `NaN`, `Infinity` and `-Infinity`.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{JsonError, JsonErrorKind};

type Result<T> = std::result::Result<T, JsonError>;

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Written as an integer.
    Int(i64),
    /// Written with a point or exponent.
    Float(f64),
}

impl Number {
    /// Converts into a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }
}

const SPACES: u64 = repeated(b' ');

/// A word of eight equal bytes.
const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns the length of the text before its end, an escape or a control character; `None` if there is none.
#[inline]
fn plain_length(text: &[u8]) -> Option<usize> {
    let mut words = text.chunks_exact(8);
    let mut len = 0;
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        // The highest bit of each byte that is zero; correct up to the first one.
        let zeros = |word: u64| word.wrapping_sub(repeated(1)) & !word;
        let quotes = zeros(word ^ repeated(b'"')) | zeros(word ^ repeated(b'\\'));
        let controls = word.wrapping_sub(repeated(0x20)) & !word;
        let ends = (quotes | controls) & repeated(0x80);
        if ends != 0 {
            return Some(len + ends.trailing_zeros() as usize / 8);
        }
        len += 8;
    }
    let is_end = |b: &u8| *b == b'"' || *b == b'\\' || *b < 0x20;
    words.remainder().iter().position(is_end).map(|at| len + at)
}

/// Byte order mark at the start of a text.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A position in a JSON text.
#[derive(Debug)]
pub struct Scanner<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Scanner<'s> {
    /// Creates a scanner at the start of a text, after its byte order mark.
    pub fn new(text: &'s str) -> Scanner<'s> {
        Scanner { text, at: if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 } }
    }

    /// Counts the elements of the document's array `nodes`; `None` if the text is malformed.
    #[cold]
    pub fn count_nodes(&self) -> Option<usize> {
        self.node_ranges().map(|nodes| nodes.len())
    }

    /// The places of the elements of the document's array `nodes`; `None` if the text is malformed.
    #[cold]
    pub fn node_ranges(&self) -> Option<Vec<Range<usize>>> {
        let mut scan = Scanner::new(self.text);
        scan.expect(b'{').ok()?;
        let mut first = true;
        while scan.more(first, b'}').ok()? {
            first = false;
            if scan.key().ok()? != "nodes" {
                scan.skip_value().ok()?;
                continue;
            }
            scan.expect(b'[').ok()?;
            let mut nodes = Vec::new();
            while scan.more(nodes.is_empty(), b']').ok()? {
                scan.peek();
                let start = scan.offset();
                scan.skip_value().ok()?;
                nodes.push(start..scan.offset());
            }
            return Some(nodes);
        }
        None
    }

    /// Returns the offset of the value at a path such as `$.nodes[3].fields.a`, or of its closest existing parent.
    #[cold]
    pub fn locate(text: &'s str, path: &str) -> usize {
        let mut scan = Scanner::new(text);
        let mut rest = path.strip_prefix('$').unwrap_or(path);
        scan.peek();
        let mut place = scan.at;
        while !rest.is_empty() {
            match scan.child(rest) {
                Some(behind) => rest = behind,
                None => break,
            }
            scan.peek();
            place = scan.at;
        }
        place
    }

    /// Moves to the first step of a path and returns the rest of the path.
    fn child<'p>(&mut self, path: &'p str) -> Option<&'p str> {
        let mut first = true;
        if let Some(path) = path.strip_prefix('.') {
            self.expect(b'{').ok()?;
            while self.more(first, b'}').ok()? {
                first = false;
                let key = self.key().ok()?;
                if let Some(behind) = path.strip_prefix(&*key)
                    && (behind.is_empty() || behind.starts_with(['.', '[']))
                {
                    return Some(behind);
                }
                self.skip_value().ok()?;
            }
            return None;
        }
        let (index, behind) = path.strip_prefix('[')?.split_once(']')?;
        let index: usize = index.parse().ok()?;
        self.expect(b'[').ok()?;
        for at in 0..=index {
            if !self.more(at == 0, b']').ok()? {
                return None;
            }
            if at < index {
                self.skip_value().ok()?;
            }
        }
        Some(behind)
    }

    /// Returns the byte offset.
    #[inline]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns the text from an offset to the position.
    pub fn text_from(&self, start: usize) -> &'s str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Moves to an offset returned by [`Scanner::offset`].
    #[inline]
    pub fn set_offset(&mut self, at: usize) {
        self.at = at;
    }

    #[inline]
    fn bytes(&self) -> &'s [u8] {
        self.text.as_bytes()
    }

    /// Returns an error at the position.
    #[cold]
    pub fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError::at(kind, self.at)
    }

    /// Fails with the error that `expected` is not at the position.
    #[cold]
    pub fn expected<T>(&self, expected: &'static str) -> Result<T> {
        Err(self.error(if self.at >= self.text.len() {
            JsonErrorKind::UnexpectedEnd { expected }
        } else {
            JsonErrorKind::Expected { expected }
        }))
    }

    #[inline]
    fn skip_space(&mut self) {
        let bytes = self.bytes();
        let mut at = self.at;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
            at += 1;
            // Indentation, up to eight spaces at once.
            while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                let spaces = (u64::from_le_bytes(*word) ^ SPACES).trailing_zeros() / 8;
                at += spaces as usize;
                if spaces < 8 {
                    break;
                }
            }
        }
        self.at = at;
    }

    /// Skips white space and returns the next byte.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes().get(self.at).copied()
    }

    /// Skips white space and consumes `byte` if it is next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips white space and consumes `byte`.
    ///
    /// # Errors
    /// Fails if another byte is next.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) {
            return Ok(());
        }
        self.expected(match byte {
            b'{' => "an object",
            b'[' => "an array",
            b'}' => "`,` or `}`",
            b']' => "`,` or `]`",
            b':' => "`:`",
            _ => "another character",
        })
    }

    /// Continues after an opening bracket (`first`) or an element. Returns `true` if an element follows, and `false`
    /// after consuming the closing bracket.
    ///
    /// # Errors
    /// Fails if neither follows.
    #[inline]
    pub fn more(&mut self, first: bool, close: u8) -> Result<bool> {
        if first {
            return Ok(!self.take(close));
        }
        if self.take(b',') {
            return Ok(true);
        }
        self.expect(close).map(|()| false)
    }

    /// Scans a key and its colon.
    ///
    /// # Errors
    /// Fails if no key follows.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'s, str>> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    /// The text that is not scanned yet.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the position is in the text or at its end")]
    fn rest(&self) -> &'s [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Consumes `"key":` if it is next.
    #[inline]
    pub fn take_key(&mut self, key: &str) -> bool {
        self.skip_space();
        let rest = self.rest();
        let after = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(key.as_bytes()));
        if let Some([b'"', ..]) = after {
            let start = self.at;
            self.at += key.len() + 2;
            if self.take(b':') {
                return true;
            }
            self.at = start;
        }
        false
    }

    /// Scans and unescapes a string.
    ///
    /// # Errors
    /// Fails if no valid string follows.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'s, str>> {
        if !self.take(b'"') {
            return self.expected("a string");
        }
        let start = self.at;
        let len = plain_length(self.rest());
        match len.and_then(|len| Some((len, *self.rest().get(len)?))) {
            Some((len, b'"')) => {
                self.at = start + len + 1;
                Ok(Cow::Borrowed(&self.text[start..start + len]))
            }
            Some((len, b'\\')) => self.escaped_string(start, start + len).map(Cow::Owned),
            Some((len, _)) => {
                self.at = start + len;
                self.expected("a string without bare control characters")
            }
            None => {
                self.at = self.text.len();
                self.expected("the end of a string")
            }
        }
    }

    fn escaped_string(&mut self, start: usize, first_escape: usize) -> Result<String> {
        let mut out = String::with_capacity(first_escape - start + 16);
        let mut plain = start;
        self.at = first_escape;
        loop {
            match self.bytes().get(self.at) {
                Some(b'"') => {
                    out.push_str(&self.text[plain..self.at]);
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(&self.text[plain..self.at]);
                    self.at += 1;
                    self.escape(&mut out)?;
                    plain = self.at;
                }
                Some(byte) if *byte < 0x20 => {
                    return self.expected("a string without bare control characters");
                }
                Some(_) => self.at += 1,
                None => return self.expected("the end of a string"),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let byte = self.bytes().get(self.at).copied();
        self.at += 1;
        out.push(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.hex4()?;
                if (0xD800..0xDC00).contains(&unit) {
                    if self.bytes().get(self.at..self.at + 2) != Some(b"\\u") {
                        return Err(self.error(JsonErrorKind::BadEscape));
                    }
                    self.at += 2;
                    let low = self.hex4()?;
                    let code = 0x10000 + ((unit - 0xD800) << 10) + low.wrapping_sub(0xDC00);
                    (0xDC00..0xE000).contains(&low).then(|| char::from_u32(code)).flatten()
                } else {
                    char::from_u32(unit)
                }
                .ok_or_else(|| self.error(JsonErrorKind::BadEscape))?
            }
            _ => {
                self.at = (self.at - 1).min(self.text.len());
                return Err(self.error(JsonErrorKind::BadEscape));
            }
        });
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.bytes().get(self.at..self.at + 4).and_then(|d| std::str::from_utf8(d).ok());
        let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let unit = unit.ok_or_else(|| self.error(JsonErrorKind::BadEscape))?;
        self.at += 4;
        Ok(unit)
    }

    /// Scans an integer.
    ///
    /// # Errors
    /// Fails if no integer in the range of `i64` follows.
    #[inline]
    pub fn int(&mut self) -> Result<i64> {
        // Fast path: digits only.
        if let Some(b'0'..=b'9') = self.peek() {
            let rest = self.rest();
            let (mut value, mut digits) = (0, 0);
            while let Some(digit @ b'0'..=b'9') = rest.get(digits)
                && digits < 18
            {
                value = value * 10 + i64::from(digit - b'0');
                digits += 1;
            }
            if digits < 18
                && !matches!(rest.get(digits), Some(b'.' | b'e' | b'E'))
                && !leads_with_zero(rest, digits)
            {
                self.at += digits;
                return Ok(value);
            }
        }
        let start = self.at;
        match self.number("an integer")? {
            Number::Int(i) => Ok(i),
            Number::Float(_) => {
                self.at = start;
                self.expected("an integer")
            }
        }
    }

    /// Scans a number or a bare token such as `NaN`.
    ///
    /// # Errors
    /// Fails if no number follows.
    #[inline]
    pub fn number(&mut self, expected: &'static str) -> Result<Number> {
        self.skip_space();
        let start = self.at;
        let rest = self.rest();
        for (token, value) in
            [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)]
        {
            if rest.starts_with(token.as_bytes()) {
                self.at += token.len();
                return Ok(Number::Float(value));
            }
        }
        let digits = |from: usize| rest.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let whole = digits(sign);
        let mut len = sign + whole;
        if whole == 0 || leads_with_zero(rest.strip_prefix(b"-").unwrap_or(rest), whole) {
            return self.expected(expected);
        }
        let mut is_float = false;
        if rest.get(len) == Some(&b'.') {
            let fraction = digits(len + 1);
            if fraction == 0 {
                self.at = start + len + 1;
                return self.expected("a digit");
            }
            len += 1 + fraction;
            is_float = true;
        }
        if let Some(b'e' | b'E') = rest.get(len) {
            let sign = usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
            let exponent = digits((len + 1 + sign).min(rest.len()));
            if exponent == 0 {
                self.at = (start + len + 1 + sign).min(self.text.len());
                return self.expected("a digit");
            }
            len += 1 + sign + exponent;
            is_float = true;
        }
        let text = &self.text[start..start + len];
        let out_of_range = || JsonError::at(JsonErrorKind::NumberRange, start);
        let number = if is_float {
            let value: f64 = text.parse().map_err(|_| out_of_range())?;
            if value.is_infinite() {
                return Err(out_of_range());
            }
            Number::Float(value)
        } else {
            Number::Int(text.parse().map_err(|_| out_of_range())?)
        };
        self.at += len;
        Ok(number)
    }

    /// Scans `true` or `false`.
    ///
    /// # Errors
    /// Fails if neither follows.
    #[inline]
    pub fn bool(&mut self) -> Result<bool> {
        self.skip_space();
        for (token, value) in [("true", true), ("false", false)] {
            if self.text[self.at..].starts_with(token) {
                self.at += token.len();
                return Ok(value);
            }
        }
        self.expected("`true` or `false`")
    }

    /// Skips a value, without recursion.
    ///
    /// # Errors
    /// Fails if no valid value follows.
    #[inline]
    pub fn skip_value(&mut self) -> Result<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    if self.more(true, b'}')? {
                        self.key()?;
                        open.push(b'}');
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if self.more(true, b']')? {
                        open.push(b']');
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(b't' | b'f') => drop(self.bool()?),
                Some(b'n') if self.text[self.at..].starts_with("null") => self.at += 4,
                _ => drop(self.number("a value")?),
            }
            // The value ended; enclosing ones may end, too.
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                if self.more(false, close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    /// Checks that only white space follows.
    ///
    /// # Errors
    /// Fails if anything else follows.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(JsonErrorKind::TrailingText)),
        }
    }
}

fn leads_with_zero(digits: &[u8], count: usize) -> bool {
    count > 1 && digits.first() == Some(&b'0')
}
