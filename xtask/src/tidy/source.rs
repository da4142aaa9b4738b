//! Rust source as the checks see it: lines of code without comments, and where the tests begin.
//!
//! This is not a lexer of Rust. It knows line and block comments, strings, raw strings and character literals well
//! enough to tell code from text; a check that needs more should ask the compiler.

/// One line of a file with its comments blanked.
pub struct Line {
    /// The code, string literals kept.
    pub code: String,
    /// The code with the contents of string literals blanked.
    pub bare: String,
}

/// The lines of `text`, comments blanked.
pub fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut code = String::new();
    let mut bare = String::new();
    let bytes: Vec<char> = text.chars().collect();
    let mut state = State::Code;
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        let next = bytes.get(i + 1).copied().unwrap_or('\0');
        if c == '\n' {
            lines.push(Line { code: std::mem::take(&mut code), bare: std::mem::take(&mut bare) });
            if state == State::LineComment {
                state = State::Code;
            }
            i += 1;
            continue;
        }
        match state {
            State::Code => match c {
                '/' if next == '/' => state = State::LineComment,
                '/' if next == '*' => {
                    state = State::BlockComment(1);
                    i += 1;
                }
                '"' => {
                    let hashes = raw_hashes(&bytes, i);
                    code.push(c);
                    bare.push(c);
                    state = State::Text(hashes);
                }
                '\'' if char_literal(&bytes, i) > 0 => {
                    let end = i + char_literal(&bytes, i);
                    code.extend(&bytes[i..=end]);
                    bare.push_str("''");
                    i = end;
                }
                _ => {
                    code.push(c);
                    bare.push(c);
                }
            },
            State::LineComment => {}
            State::BlockComment(depth) => {
                if c == '*' && next == '/' {
                    state = if depth == 1 { State::Code } else { State::BlockComment(depth - 1) };
                    i += 1;
                } else if c == '/' && next == '*' {
                    state = State::BlockComment(depth + 1);
                    i += 1;
                }
            }
            State::Text(hashes) => {
                code.push(c);
                match hashes {
                    None if c == '\\' => {
                        code.push(next);
                        i += 1;
                        if next == '\n' {
                            code.pop();
                            i -= 1;
                        }
                    }
                    None if c == '"' => {
                        bare.push(c);
                        state = State::Code;
                    }
                    Some(n)
                        if c == '"' && bytes[i + 1..].iter().take(n).filter(|h| **h == '#').count() == n =>
                    {
                        bare.push(c);
                        state = State::Code;
                    }
                    _ => {}
                }
            }
        }
        i += 1;
    }
    lines.push(Line { code, bare });
    lines
}

/// The construct that the scan is inside of.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Plain code.
    Code,
    /// From `//` to the end of the line.
    LineComment,
    /// Nested block comments.
    BlockComment(u32),
    /// A string; the hashes of a raw one.
    Text(Option<usize>),
}

/// The number of hashes if the quote at `at` opens a raw string.
fn raw_hashes(text: &[char], at: usize) -> Option<usize> {
    let mut i = at;
    let mut hashes = 0;
    while i > 0 && text[i - 1] == '#' {
        hashes += 1;
        i -= 1;
    }
    (i > 0 && text[i - 1] == 'r').then_some(hashes)
}

/// The distance to the closing quote if the quote at `at` opens a character literal, else 0 (a lifetime).
fn char_literal(text: &[char], at: usize) -> usize {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some('\\'), _) => (at + 3..text.len().min(at + 14)).find(|i| text[*i] == '\'').map_or(0, |i| i - at),
        (Some(_), Some('\'')) => 2,
        _ => 0,
    }
}

/// The line (from 0) where the file's test module begins, or the number of lines.
pub fn tests_start(lines: &[Line]) -> usize {
    lines.iter().position(|l| l.code.trim_start().starts_with("#[cfg(test)]")).unwrap_or(lines.len())
}

/// Returns `true` if `word` stands in `code` with no identifier character beside it.
pub fn has_word(code: &str, word: &str) -> bool {
    let ident = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(ident)
            && !code[at + word.len()..].chars().next().is_some_and(ident)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_blanked_and_strings_kept() {
        let lines =
            lines("let a = \"// no\"; // yes\n/* x /* y */ z */ let b = 'c';\nlet r = r#\"un\"safe\"#;");
        assert_eq!(lines[0].code, "let a = \"// no\"; ");
        assert_eq!(lines[0].bare, "let a = \"\"; ");
        assert_eq!(lines[1].code.trim(), "let b = 'c';");
        assert_eq!(lines[2].bare, "let r = r#\"\"#;");
    }

    #[test]
    fn words_have_borders() {
        assert!(has_word("unsafe {", "unsafe"));
        assert!(!has_word("unsafe_op_in_unsafe_fn", "unsafe"));
    }
}
