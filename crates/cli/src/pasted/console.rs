//! Prompts of Python and IPython.

use super::Lines;

/// A line of a session.
enum Line {
    /// Code, and whether lines without a prompt continue it.
    Code(String, bool),
    /// Continued code.
    Continued(String),
    Output(String),
}

/// `In [3]:` or, in other notebooks, `[3]:`, with the rest of the line.
fn input(line: &str) -> Option<&str> {
    numbered(line, "In [").or_else(|| numbered(line, "["))
}

/// `In [3]:` or `Out[3]:`, with the rest of the line.
fn numbered<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(begin)?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ' ' | '*')))?;
    rest.get(end..)?.strip_prefix("]:")
}

/// The text after a prompt and at most one space.
fn after(rest: &str) -> String {
    rest.strip_prefix(' ').unwrap_or(rest).to_owned()
}

/// Tests for commands of IPython: `%time`, `!pip`, `?name`.
pub(super) fn is_magic(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['%', '!', '?']) || line.trim_end().ends_with('?') && !line.contains(['#', '"', '\''])
}

fn classify(line: &str, indentation: usize, is_in_code: bool) -> Line {
    let own = line.get(indentation..).unwrap_or_default();
    if let Some(rest) = own.strip_prefix(">>>").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return Line::Code(after(rest), false);
    }
    if let Some(rest) = input(own) {
        return Line::Code(after(rest), rest.trim().is_empty());
    }
    if let Some(rest) = numbered(own, "Out[") {
        return Line::Output(after(rest));
    }
    let rest = own.trim_start().strip_prefix("...");
    if is_in_code && let Some(rest) = rest {
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        if rest.is_empty() || rest.starts_with(' ') {
            return Line::Continued(after(rest));
        }
    }
    Line::Output(own.to_owned())
}

/// Removes the prompts of a session. What the session printed is left out; if its code defines no script and the
/// printed text does, the code is left out instead.
pub(super) fn remove_prompts(text: &mut Lines) {
    let is_prompt = |line: &str| {
        let own = line.trim_start();
        own.starts_with(">>> ") || input(own).is_some()
    };
    let Some((_, first)) = text.filled().find(|(_, line)| is_prompt(line)) else { return };
    let indentation = first.len() - first.trim_start().len();
    let (mut code, mut printed) = (Vec::new(), Vec::new());
    let (mut is_in_code, mut is_open) = (false, false);
    for line in &text.lines {
        let (new_code, new_printed) = match classify(line, indentation, is_in_code) {
            Line::Code(rest, continues) => {
                (is_in_code, is_open) = (true, continues);
                (rest, String::new())
            }
            Line::Continued(rest) => (rest, String::new()),
            Line::Output(rest) if is_open && numbered(line.trim_start(), "Out[").is_none() => {
                (rest, String::new())
            }
            Line::Output(rest) => {
                (is_in_code, is_open) = (false, false);
                (String::new(), rest)
            }
        };
        code.push(if is_magic(&new_code) { String::new() } else { new_code });
        printed.push(new_printed);
    }
    let has_script = |lines: &[String]| lines.iter().any(|line| line.trim_start().starts_with('@'));
    let (kept, what) = match !has_script(&code) && has_script(&printed) {
        true => (printed, "prompts and the code after them"),
        false => (code, "prompts and what was printed"),
    };
    text.rewrite(what, |index, _| kept.get(index).cloned());
}
