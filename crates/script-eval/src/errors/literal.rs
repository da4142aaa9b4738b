//! Source positions inside string literals.

use std::ops::Range;

/// Returns the source range of the character that produces byte `byte` of a literal's value; `None` for bytes,
/// f-strings, implicitly concatenated literals and values shorter than that.
pub(crate) fn place_in_literal(source: &str, byte: usize) -> Option<Range<usize>> {
    let begin = source.find(['"', '\''])?;
    let is_raw = match source[..begin].to_ascii_lowercase().as_str() {
        "" | "u" => false,
        "r" => true,
        _ => return None,
    };
    let quote = &source[begin..=begin];
    let quotes = if source[begin..].starts_with(&quote.repeat(3)) { 3 } else { 1 };
    let end = source.len().checked_sub(quotes).filter(|end| source[*end..] == quote.repeat(quotes))?;
    let (mut at, mut value) = (begin + quotes, 0);
    while at < end {
        let (written, stands_for) = unit(&source[at..end], is_raw)?;
        if byte < value + stands_for {
            return Some(at..at + written);
        }
        (at, value) = (at + written, value + stands_for);
    }
    // The end of the value maps to the closing quotes.
    (byte == value && at == end).then_some(end..source.len())
}

/// Number of bytes of the next character in the source and in the value.
fn unit(text: &str, is_raw: bool) -> Option<(usize, usize)> {
    let first = text.chars().next()?;
    if first == '\r' && text[1..].starts_with('\n') {
        return Some((2, 1));
    }
    if first != '\\' || is_raw {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    let after = &text[1..];
    let second = after.chars().next()?;
    let code = |digits: usize| {
        let code = u32::from_str_radix(after.get(1..=digits)?, 16).ok()?;
        Some((digits + 2, char::from_u32(code)?.len_utf8()))
    };
    match second {
        '\r' if after[1..].starts_with('\n') => Some((3, 0)),
        '\n' | '\r' => Some((2, 0)),
        '\\' | '\'' | '"' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' => Some((2, 1)),
        'x' => code(2),
        'u' => code(4),
        'U' => code(8),
        '0'..='7' => {
            let digits = after.bytes().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
            let code = u32::from_str_radix(&after[..digits], 8).ok()?;
            Some((digits + 1, char::from_u32(code)?.len_utf8()))
        }
        'N' => None,
        other => Some((1 + other.len_utf8(), 1 + other.len_utf8())),
    }
}
