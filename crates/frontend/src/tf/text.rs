//! The text form of messages (`.pbtxt`), rewritten to the wire form, which the same structures are read from.
//!
//! Fields that are not in the tables below are read and dropped, as the binary reader drops them.

/// Maximum depth of messages.
const MAX_DEPTH: usize = 100;

/// The form of a field's value.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Message(&'static Schema),
    Text,
    Int,
    Float,
    Double,
    Bool,
    /// An element type: `DT_FLOAT`.
    Type,
}

/// The fields of a message: name, number, form.
#[derive(Debug)]
struct Schema(&'static [(&'static str, u32, Kind)]);

static GRAPH: Schema = Schema(&[("node", 1, Kind::Message(&NODE)), ("library", 2, Kind::Message(&LIBRARY))]);
static NODE: Schema = Schema(&[
    ("name", 1, Kind::Text),
    ("op", 2, Kind::Text),
    ("input", 3, Kind::Text),
    ("attr", 5, Kind::Message(&ATTR_ENTRY)),
]);
static ATTR_ENTRY: Schema = Schema(&[("key", 1, Kind::Text), ("value", 2, Kind::Message(&ATTR_VALUE))]);
static ATTR_VALUE: Schema = Schema(&[
    ("list", 1, Kind::Message(&LIST)),
    ("s", 2, Kind::Text),
    ("i", 3, Kind::Int),
    ("f", 4, Kind::Float),
    ("b", 5, Kind::Bool),
    ("type", 6, Kind::Type),
    ("shape", 7, Kind::Message(&SHAPE)),
    ("tensor", 8, Kind::Message(&TENSOR)),
    ("func", 10, Kind::Message(&FUNC)),
]);
static LIST: Schema = Schema(&[
    ("s", 2, Kind::Text),
    ("i", 3, Kind::Int),
    ("f", 4, Kind::Float),
    ("func", 9, Kind::Message(&FUNC)),
]);
static FUNC: Schema = Schema(&[("name", 1, Kind::Text)]);
static SHAPE: Schema = Schema(&[("dim", 2, Kind::Message(&DIM)), ("unknown_rank", 3, Kind::Bool)]);
static DIM: Schema = Schema(&[("size", 1, Kind::Int)]);
static TENSOR: Schema = Schema(&[
    ("dtype", 1, Kind::Type),
    ("tensor_shape", 2, Kind::Message(&SHAPE)),
    ("tensor_content", 4, Kind::Text),
    ("float_val", 5, Kind::Float),
    ("double_val", 6, Kind::Double),
    ("int_val", 7, Kind::Int),
    ("string_val", 8, Kind::Text),
    ("int64_val", 10, Kind::Int),
    ("bool_val", 11, Kind::Bool),
    ("half_val", 13, Kind::Int),
    ("uint32_val", 16, Kind::Int),
    ("uint64_val", 17, Kind::Int),
    ("float8_val", 18, Kind::Text),
]);
static LIBRARY: Schema = Schema(&[("function", 1, Kind::Message(&FUNCTION))]);
static FUNCTION: Schema = Schema(&[
    ("signature", 1, Kind::Message(&SIGNATURE)),
    ("node_def", 3, Kind::Message(&NODE)),
    ("ret", 4, Kind::Message(&TEXT_ENTRY)),
]);
static SIGNATURE: Schema = Schema(&[
    ("name", 1, Kind::Text),
    ("input_arg", 2, Kind::Message(&ARG)),
    ("output_arg", 3, Kind::Message(&ARG)),
]);
static ARG: Schema = Schema(&[("name", 1, Kind::Text)]);
static TEXT_ENTRY: Schema = Schema(&[("key", 1, Kind::Text), ("value", 2, Kind::Text)]);
static SAVED_MODEL: Schema =
    Schema(&[("saved_model_schema_version", 1, Kind::Int), ("meta_graphs", 2, Kind::Message(&META_GRAPH))]);
static META_GRAPH: Schema = Schema(&[
    ("meta_info_def", 1, Kind::Message(&META_INFO)),
    ("graph_def", 2, Kind::Message(&GRAPH)),
    ("signature_def", 5, Kind::Message(&SIGNATURE_ENTRY)),
]);
static META_INFO: Schema = Schema(&[("tags", 4, Kind::Text)]);
static SIGNATURE_ENTRY: Schema =
    Schema(&[("key", 1, Kind::Text), ("value", 2, Kind::Message(&SIGNATURE_DEF))]);
static SIGNATURE_DEF: Schema =
    Schema(&[("inputs", 1, Kind::Message(&INFO_ENTRY)), ("outputs", 2, Kind::Message(&INFO_ENTRY))]);
static INFO_ENTRY: Schema = Schema(&[("key", 1, Kind::Text), ("value", 2, Kind::Message(&INFO))]);
static INFO: Schema =
    Schema(&[("name", 1, Kind::Text), ("dtype", 2, Kind::Type), ("tensor_shape", 3, Kind::Message(&SHAPE))]);

/// Element types, by number.
const TYPES: [&str; 32] = [
    "INVALID",
    "FLOAT",
    "DOUBLE",
    "INT32",
    "UINT8",
    "INT16",
    "INT8",
    "STRING",
    "COMPLEX64",
    "INT64",
    "BOOL",
    "QINT8",
    "QUINT8",
    "QINT32",
    "BFLOAT16",
    "QINT16",
    "QUINT16",
    "UINT16",
    "COMPLEX128",
    "HALF",
    "RESOURCE",
    "VARIANT",
    "UINT32",
    "UINT64",
    "FLOAT8_E5M2",
    "FLOAT8_E4M3FN",
    "FLOAT8_E4M3FNUZ",
    "FLOAT8_E4M3B11FNUZ",
    "FLOAT8_E5M2FNUZ",
    "INT4",
    "UINT4",
    "INT2",
];

/// Rewrites a `GraphDef`.
///
/// # Errors
/// Fails with the line and what is wrong there.
pub(super) fn graph(text: &[u8]) -> Result<Vec<u8>, String> {
    rewrite(text, &GRAPH)
}

/// Rewrites a `SavedModel`.
///
/// # Errors
/// Fails with the line and what is wrong there.
pub(super) fn saved_model(text: &[u8]) -> Result<Vec<u8>, String> {
    rewrite(text, &SAVED_MODEL)
}

fn rewrite(text: &[u8], schema: &'static Schema) -> Result<Vec<u8>, String> {
    let mut reader = Reader { text, at: 0 };
    let message = reader.message(Some(schema), None, 0);
    message.map_err(|reason| {
        let before = text.get(..reader.at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line}: {reason}")
    })
}

/// Appends the head of a field.
fn key(out: &mut Vec<u8>, number: u32, wire_type: u32) {
    varint(out, u64::from(number << 3 | wire_type));
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn with_length(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    key(out, number, 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    // --- characters ------------------------------------------------------------------------------------------

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character after blanks and comments.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.rest().first().copied() {
            match byte {
                b'#' => self.at += self.rest().iter().take_while(|byte| **byte != b'\n').count(),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                byte => return Some(byte),
            }
        }
        None
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expected(&mut self, what: &str) -> String {
        match self.peek() {
            Some(found) => format!("expected {what}, found `{}`", char::from(found).escape_default()),
            None => format!("expected {what}, but the text ends"),
        }
    }

    /// A name or number.
    fn word(&mut self) -> Option<String> {
        self.peek();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
        let length = self.rest().iter().take_while(is_part).count();
        let word = String::from_utf8_lossy(self.rest().get(..length)?).into_owned();
        self.at += length;
        (length > 0).then_some(word)
    }

    // --- messages --------------------------------------------------------------------------------------------

    /// The fields of a message, up to the closing character.
    fn message(
        &mut self,
        schema: Option<&'static Schema>,
        end: Option<u8>,
        depth: usize,
    ) -> Result<Vec<u8>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("messages are nested deeper than {MAX_DEPTH} levels"));
        }
        let mut out = Vec::new();
        loop {
            match (self.peek(), end) {
                (None, None) => return Ok(out),
                (None, Some(end)) => return Err(self.expected(&format!("`{}`", char::from(end)))),
                (Some(found), Some(end)) if found == end => {
                    self.at += 1;
                    return Ok(out);
                }
                (Some(_), _) => self.field(schema, depth, &mut out)?,
            }
        }
    }

    fn field(
        &mut self,
        schema: Option<&'static Schema>,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let name = if self.eat(b'[') {
            // An extension, which is dropped.
            let length = self.rest().iter().position(|byte| *byte == b']');
            self.at += length.ok_or_else(|| "expected `]`, but the text ends".to_owned())? + 1;
            String::new()
        } else {
            self.word().ok_or_else(|| self.expected("the name of a field"))?
        };
        let known = schema.and_then(|schema| schema.0.iter().find(|(known, ..)| *known == name));
        let known = known.map(|(_, number, kind)| (*number, *kind));
        let has_colon = self.eat(b':');
        if self.eat(b'[') {
            while !self.eat(b']') {
                self.value(&name, known, has_colon, depth, out)?;
                if !self.eat(b',') && self.peek() != Some(b']') {
                    return Err(self.expected("`,` or `]`"));
                }
            }
        } else {
            self.value(&name, known, has_colon, depth, out)?;
        }
        let _ = self.eat(b',') || self.eat(b';');
        Ok(())
    }

    fn value(
        &mut self,
        name: &str,
        known: Option<(u32, Kind)>,
        has_colon: bool,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let first = self.peek();
        if let Some(open @ (b'{' | b'<')) = first {
            self.at += 1;
            let end = if open == b'{' { b'}' } else { b'>' };
            return match known {
                Some((number, Kind::Message(schema))) => {
                    let inner = self.message(Some(schema), Some(end), depth + 1)?;
                    with_length(out, number, &inner);
                    Ok(())
                }
                Some(_) => Err(format!("the field `{name}` is not a message")),
                None => self.message(None, Some(end), depth + 1).map(drop),
            };
        }
        if !has_colon {
            return Err(self.expected(&format!("`:` after `{name}`")));
        }
        if matches!(first, Some(b'"' | b'\'')) {
            let bytes = self.strings()?;
            match known {
                Some((number, Kind::Text)) => with_length(out, number, &bytes),
                Some(_) => return Err(format!("the field `{name}` is not text")),
                None => {}
            }
            return Ok(());
        }
        // A blank may follow the sign.
        let sign = if self.eat(b'-') { "-" } else { "" };
        let word = self.word().ok_or_else(|| self.expected("a value"))?;
        let Some((number, kind)) = known else { return Ok(()) };
        let word = format!("{sign}{word}");
        let wrong = || format!("`{word}` is not a value of the field `{name}`");
        match kind {
            Kind::Message(_) | Kind::Text => return Err(wrong()),
            Kind::Int => {
                key(out, number, 0);
                varint(out, integer(&word).ok_or_else(wrong)?);
            }
            Kind::Type => {
                let of_name = word.strip_prefix("DT_").and_then(|name| {
                    let (name, shift) = name.strip_suffix("_REF").map_or((name, 0), |name| (name, 100));
                    let at = TYPES.iter().position(|known| *known == name)?;
                    Some(at as u64 + shift)
                });
                key(out, number, 0);
                varint(out, of_name.or_else(|| integer(&word)).ok_or_else(wrong)?);
            }
            Kind::Bool => {
                let value = match word.as_str() {
                    "true" | "True" | "t" | "1" => 1,
                    "false" | "False" | "f" | "0" => 0,
                    _ => return Err(wrong()),
                };
                key(out, number, 0);
                varint(out, value);
            }
            Kind::Float => {
                key(out, number, 5);
                out.extend_from_slice(&(float(&word).ok_or_else(wrong)? as f32).to_le_bytes());
            }
            Kind::Double => {
                key(out, number, 1);
                out.extend_from_slice(&float(&word).ok_or_else(wrong)?.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Strings, one after another, as one.
    fn strings(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        while let Some(quote @ (b'"' | b'\'')) = self.peek() {
            self.at += 1;
            loop {
                match self.next("the end of a string")? {
                    found if found == quote => break,
                    b'\n' => return Err("a string ends with its line".to_owned()),
                    b'\\' => self.escape(&mut bytes)?,
                    other => bytes.push(other),
                }
            }
        }
        Ok(bytes)
    }

    fn next(&mut self, what: &str) -> Result<u8, String> {
        let byte = self.rest().first().copied();
        self.at += 1;
        byte.ok_or_else(|| format!("expected {what}, but the text ends"))
    }

    /// The character after a backslash, in the notation of C.
    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), String> {
        let found = self.next("an escaped character")?;
        let plain = match found {
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'r' => Some(b'\r'),
            b'a' => Some(7),
            b'b' => Some(8),
            b'f' => Some(12),
            b'v' => Some(11),
            b'\\' | b'\'' | b'"' | b'?' => Some(found),
            _ => None,
        };
        if let Some(plain) = plain {
            bytes.push(plain);
            return Ok(());
        }
        let (radix, most, skip) = match found {
            b'0'..=b'7' => (8, 3, 1),
            b'x' | b'X' => (16, 2, 0),
            b'u' => (16, 4, 0),
            b'U' => (16, 8, 0),
            other => return Err(format!("unknown escape `\\{}`", char::from(other).escape_default())),
        };
        self.at -= skip;
        let digits = self.rest().iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix));
        let digits: String = digits.map(|byte| char::from(*byte)).collect();
        self.at += digits.len();
        let value = u32::from_str_radix(&digits, radix).map_err(|_| "an escape without digits".to_owned())?;
        if matches!(found, b'u' | b'U') {
            let character = char::from_u32(value).ok_or_else(|| "an escape of no character".to_owned())?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            bytes.push(value as u8);
        }
        Ok(())
    }
}

/// An integer in decimal, octal or hexadecimal notation, as the bits of 64.
fn integer(word: &str) -> Option<u64> {
    let (is_negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    let value = value.ok()?;
    if is_negative { (value <= 1 << 63).then(|| value.wrapping_neg()) } else { Some(value) }
}

/// A number; `nan`, `inf` and `infinity` in any case.
fn float(word: &str) -> Option<f64> {
    let lower = word.to_ascii_lowercase();
    let is_special = lower.contains("inf") || lower.contains("nan");
    let number = if is_special { lower.as_str() } else { lower.strip_suffix('f').unwrap_or(&lower) };
    number.parse().ok()
}
