//! Keywords and string prefixes.

use std::cmp::Ordering;

use super::Head;
use crate::byte_table::{ByteTable, byte_table};

/// Role of a word in the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A name, or a keyword that is a value (`None`).
    Name,
    /// A keyword that starts a statement and cannot occur inside brackets.
    Statement,
    /// A keyword inside expressions that adds nesting: `not`, `if`, `else`, ..
    Operator,
    /// `lambda`, whose nesting extends past commas.
    Lambda,
}

/// The hard keywords, sorted.
static KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The keywords that start with each byte.
static BY_FIRST_BYTE: ByteTable<&[&str]> = byte_table!(&[] as &[&str], |byte| keywords_with(byte));

const fn keywords_with(first: u8) -> &'static [&'static str] {
    let mut rest: &[&str] = &KEYWORDS;
    let mut len = 0;
    // The keywords are sorted.
    while let Some((keyword, after)) = rest.split_at_checked(len + 1) {
        let Some(last) = keyword.last() else { break };
        match *last.as_bytes() {
            [byte, ..] if byte == first => len += 1,
            _ if len > 0 => break,
            _ => rest = after,
        }
    }
    match rest.split_at_checked(len) {
        Some((found, _)) => found,
        None => &[],
    }
}

/// Returns `true` for hard keywords.
#[inline]
pub(crate) fn is_keyword(word: &[u8]) -> bool {
    let Some(&first) = word.first() else { return false };
    BY_FIRST_BYTE.of(first).iter().any(|keyword| keyword.as_bytes() == word)
}

/// The hard keyword that differs from a word by one typing error.
pub(crate) fn keyword_like(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().copied().find(|keyword| *keyword != word && is_slip(keyword.as_bytes(), word.as_bytes()))
}

/// Tests whether two words differ by one letter added, missing or changed, or by two neighbours swapped.
fn is_slip(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 || a.len() < 2 || b.len() < 2 {
        return false;
    }
    let is_longer = a.len().cmp(&b.len());
    let (mut a, mut b) = (a, b);
    while let ([x, after_x @ ..], [y, after_y @ ..]) = (a, b) {
        if x != y {
            let swapped = matches!((after_x, after_y), ([u, after_u @ ..], [v, after_v @ ..])
                if x == v && y == u && after_u == after_v);
            return match is_longer {
                Ordering::Greater => after_x == b,
                Ordering::Less => a == after_y,
                Ordering::Equal => after_x == after_y || swapped,
            };
        }
        (a, b) = (after_x, after_y);
    }
    true
}

pub(super) fn word(bytes: &[u8]) -> Word {
    let is_lower = bytes.first().is_some_and(u8::is_ascii_lowercase);
    if bytes.len() < 2 || bytes.len() > 8 || !is_lower {
        return Word::Name;
    }
    match bytes {
        b"and" | b"or" | b"not" | b"if" | b"else" | b"in" | b"is" | b"await" | b"for" | b"async"
        | b"yield" | b"from" | b"as" => Word::Operator,
        b"lambda" => Word::Lambda,
        b"def" | b"class" | b"return" | b"while" | b"with" | b"try" | b"except" | b"finally" | b"raise"
        | b"assert" | b"import" | b"del" | b"global" | b"nonlocal" | b"pass" | b"break" | b"continue"
        | b"elif" => Word::Statement,
        _ => Word::Name,
    }
}

pub(super) fn head(bytes: &[u8]) -> Head {
    match bytes {
        b"def" => Head::Def,
        b"class" => Head::Class,
        b"if" => Head::If,
        b"elif" => Head::Elif,
        b"else" => Head::Else,
        b"for" => Head::For,
        b"while" => Head::While,
        b"with" => Head::With,
        b"try" => Head::Try,
        b"except" => Head::Except,
        b"finally" => Head::Finally,
        b"async" => Head::Async,
        b"match" | b"case" => Head::MatchOrCase,
        _ => Head::Other,
    }
}

/// Parses the letters before a quote. Returns `None` if they are not a string prefix.
pub(super) fn prefix(bytes: &[u8]) -> Option<Prefix> {
    let mut prefix = Prefix::default();
    if bytes.len() > 2 {
        return None;
    }
    for byte in bytes {
        match byte.to_ascii_lowercase() {
            b'f' | b't' => prefix.f = true,
            b'r' | b'b' => prefix.no_unicode_escapes = true,
            b'u' => {}
            _ => return None,
        }
    }
    Some(prefix)
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    pub(super) f: bool,
    /// `true` if `\u` is not an escape: in raw strings and in bytes.
    pub(super) no_unicode_escapes: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_is_found_one_slip_away() {
        for (slip, keyword) in [
            ("dfe", "def"),
            ("clas", "class"),
            ("retrun", "return"),
            ("wiht", "with"),
            ("fr", "for"),
            ("fo", "for"),
            ("esle", "else"),
        ] {
            assert_eq!(keyword_like(slip), Some(keyword), "{slip}");
        }
        assert_eq!(keyword_like("main"), None);
        assert_eq!(keyword_like("x"), None);
    }
}
