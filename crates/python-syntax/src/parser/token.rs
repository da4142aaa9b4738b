//! Tokens at a position, for messages.

/// End of the token at `start`, at most the end of its physical line.
pub(super) fn token_end(text: &str, start: usize) -> usize {
    let Some(rest) = text.get(start..) else { return start };
    let line = rest.find(['\n', '\r']).map_or(rest, |end| &rest[..end]);
    let Some(first) = line.chars().next() else { return start };
    start
        + if first.is_alphabetic() || first == '_' {
            let word = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
            match line[word..].chars().next() {
                Some(quote @ ('"' | '\'')) if word <= 2 => word + string_len(&line[word..], quote),
                _ => word,
            }
        } else if first.is_ascii_digit() {
            line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len())
        } else if matches!(first, '"' | '\'') {
            string_len(line, first)
        } else {
            operator_len(line).unwrap_or(first.len_utf8())
        }
}

/// Start of the word or number around or directly before `at`; at least `from`.
pub(super) fn token_start(text: &str, from: usize, at: usize) -> usize {
    let before = text.get(from..at).unwrap_or_default();
    let len: usize = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        .map(char::len_utf8)
        .sum();
    at - len
}

/// Length of the string at the start of the line, at most the length of the line.
fn string_len(line: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    line.len()
}

fn operator_len(line: &str) -> Option<usize> {
    const OPERATORS: [&str; 25] = [
        "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", ":=", "+=",
        "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "<>",
    ];
    OPERATORS.iter().find(|op| line.starts_with(**op)).map(|op| op.len())
}

/// Abbreviates a long token for messages.
pub(super) fn shown(token: &str) -> Box<str> {
    const MAX_CHARS: usize = 24;
    match token.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &token[..end]).into(),
        None => token.into(),
    }
}
