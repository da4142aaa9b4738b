//! Characters that terminals and editors put into text.

use std::borrow::Cow;

use super::Lines;

const ESCAPE: char = '\u{1b}';

/// Spellings of the escape character where it was lost.
const WRITTEN: &[&str] = &["\\x1b[", "\\x1B[", "\\033[", "\\u001b[", "\\e[", "^[[", "\u{241b}[", "\u{fffd}["];

/// Removes escape sequences, also those whose escape character is written out or lost.
pub(super) fn remove_escapes(text: &mut Lines) {
    let what = "the colours of a terminal (escape sequences)";
    if text.lines.iter().any(|line| line.contains(ESCAPE)) {
        text.rewrite(what, |_, line| Some(without_sequences(line)));
        return;
    }
    let written = |line: &String| WRITTEN.iter().any(|escape| line.contains(escape));
    if text.lines.iter().any(written) {
        text.rewrite(what, |_, line| {
            let mut line = Cow::Borrowed(line);
            for escape in WRITTEN {
                line = without_colours(&line, escape).into();
            }
            Some(line.into_owned())
        });
        return;
    }
    // `[39m` cannot be Python.
    if text.lines.iter().map(|line| colours(line, "[").count()).sum::<usize>() > 1 {
        text.rewrite(what, |_, line| Some(without_colours(line, "[")));
    }
}

/// The ranges of `[1;31m` with another beginning.
fn colours<'a>(line: &'a str, begin: &'a str) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
    line.match_indices(begin).filter_map(move |(start, _)| {
        let from = start + begin.len();
        let rest = line.get(from..)?;
        let length = rest.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
        let ends = rest.get(length..)?.starts_with(['m', 'K']);
        (ends && (length > 0 || begin != "[")).then_some(start..from + length + 1)
    })
}

fn without_colours(line: &str, begin: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut end = 0;
    for range in colours(line, begin) {
        out.push_str(line.get(end..range.start).unwrap_or_default());
        end = range.end;
    }
    out.push_str(line.get(end..).unwrap_or_default());
    out
}

/// A line without the sequences of ECMA-48: `ESC [ .. letter`, `ESC ] .. BEL`, `ESC ( B`, `ESC letter`.
fn without_sequences(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ESCAPE => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' {
                            break;
                        }
                        if c == ESCAPE {
                            chars.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                Some('(' | ')') => drop(chars.next()),
                _ => {}
            },
            '\u{7}' | '\u{8}' => {}
            c => out.push(c),
        }
    }
    out
}

/// Replaces characters that look like those of Python.
pub(super) fn replace_spaces(text: &mut Lines) {
    let is_space =
        |c: char| matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    let is_hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{202a}'..='\u{202e}');
    let quote = |c: char| match c {
        '\u{201c}' | '\u{201d}' | '\u{201e}' => Some('"'),
        '\u{2018}' | '\u{2019}' | '\u{201a}' => Some('\''),
        _ => None,
    };
    let mut replace = |what: &str, of: &dyn Fn(char) -> Option<Option<char>>| {
        text.rewrite(what, |_, line| {
            line.chars()
                .any(|c| of(c).is_some())
                .then(|| line.chars().filter_map(|c| of(c).unwrap_or(Some(c))).collect())
        });
    };
    replace("non-breaking and other special spaces", &|c| is_space(c).then_some(Some(' ')));
    replace("invisible characters", &|c| is_hidden(c).then_some(None));
    replace("typographic quotation marks", &|c| quote(c).map(Some));
}
