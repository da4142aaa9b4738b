//! Keywords and string prefixes.

use super::Head;

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
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Range of the keywords that start with each byte.
static BY_FIRST_BYTE: [(u8, u8); 256] = {
    let mut table = [(0, 0); 256];
    let mut i = 0;
    while i < KEYWORDS.len() {
        let range = &mut table[KEYWORDS[i].as_bytes()[0] as usize];
        if range.1 == 0 {
            range.0 = i as u8;
        }
        range.1 = i as u8 + 1;
        i += 1;
    }
    table
};

/// Returns `true` for hard keywords.
#[inline]
pub(crate) fn is_keyword(word: &[u8]) -> bool {
    let Some(&first) = word.first() else { return false };
    let (start, end) = BY_FIRST_BYTE[first as usize];
    KEYWORDS[start as usize..end as usize].iter().any(|keyword| keyword.as_bytes() == word)
}

/// The hard keyword that differs from a word by one typing error.
pub(crate) fn keyword_like(word: &str) -> Option<&'static str> {
    KEYWORDS.into_iter().find(|keyword| *keyword != word && is_slip(keyword.as_bytes(), word.as_bytes()))
}

/// Tests whether two words differ by one letter added, missing or changed, or by two neighbours swapped.
fn is_slip(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 || a.len() < 2 || b.len() < 2 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([], _) | (_, []) => true,
        _ if a.len() > b.len() => a[1..] == *b,
        _ if a.len() < b.len() => *a == b[1..],
        _ => a[1..] == b[1..] || (a.len() >= 2 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..]),
    }
}

pub(super) fn word(bytes: &[u8]) -> Word {
    if bytes.len() < 2 || bytes.len() > 8 || !bytes[0].is_ascii_lowercase() {
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
