//! Tokens of Python text.

use std::ops::Range;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Range in bytes.
    pub range: Range<usize>,
    /// `true` for names and numbers, which must not be adjacent.
    pub is_word: bool,
}

/// Operators of two characters.
const PAIRS: &[&str] = &["**", "//", "<=", ">=", "==", "!=", "->", "<<", ">>", ":=", "+="];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tokens of a text without blanks, comments and line continuations. An unterminated string ends with the text or, in
/// single quotes, with the line.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            _ if first.is_whitespace() || rest.starts_with("\\\n") => {
                at += first.len_utf8();
                continue;
            }
            '"' | '\'' => string(rest, first),
            _ if first.is_ascii_digit() => rest.find(|c| !(is_word(c) || c == '.')).unwrap_or(rest.len()),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if PAIRS.iter().any(|pair| rest.starts_with(pair)) => 2,
            _ => first.len_utf8(),
        };
        tokens.push(Token { range: at..at + length, is_word: is_word(first) });
        at += length;
    }
    tokens
}

/// Length of the string at the start of the text.
fn string(text: &str, quote: char) -> usize {
    let triple: String = [quote; 3].iter().collect();
    let is_triple = text.starts_with(&triple);
    let mark = if is_triple { &*triple } else { &triple[..1] };
    let mut at = mark.len();
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with(mark) {
            return at + mark.len();
        }
        if c == '\n' && !is_triple {
            return at;
        }
        at += c.len_utf8();
        if c == '\\' {
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| &text[token.range]).collect()
    }

    #[test]
    fn strings_are_one_token() {
        assert_eq!(texts("a = \"b\\\"c\" + '''d\n'e''' # \"f"), ["a", "=", "\"b\\\"c\"", "+", "'''d\n'e'''"]);
        assert_eq!(texts("\"a\nb"), ["\"a", "b"]);
        assert_eq!(texts("x = 'a\\"), ["x", "=", "'a\\"]);
        assert_eq!(texts("\"\"\"é"), ["\"\"\"é"]);
    }

    #[test]
    fn words_and_signs_end_where_they_end() {
        assert_eq!(texts("a.b**2.5//né != \\\n1e3"), ["a", ".", "b", "**", "2.5", "//", "né", "!=", "1e3"]);
        assert_eq!(tokens("a+1").iter().map(|t| t.is_word).collect::<Vec<_>>(), [true, false, true]);
    }
}
