//! Fenced code of Markdown.

use super::Lines;

/// A fence: its character, its length, its indentation, and the language behind it.
struct Fence<'a> {
    mark: char,
    length: usize,
    indentation: usize,
    language: &'a str,
}

fn fence(line: &str) -> Option<Fence<'_>> {
    // In quotes and lists, too.
    let rest = line.trim_start_matches([' ', '\t', '>']);
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let language = rest.trim_start_matches(mark);
    let length = rest.len() - language.len();
    let language = language.trim();
    (length >= 3 && !language.contains(mark)).then(|| Fence {
        mark,
        length,
        indentation: line.len() - rest.len(),
        language,
    })
}

/// Tests for the names of Python after a fence: `python`, `py`, `{.python .numberLines}`, `python title="a.py"`.
fn is_python(language: &str) -> bool {
    let name = language.trim_start_matches(['{', '.', ' ']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(name.len());
    let name = name.get(..end).unwrap_or_default().to_ascii_lowercase();
    matches!(name.as_str(), "python" | "py" | "python3" | "ipython" | "ipython3" | "pycon" | "code-cell")
}

/// The lines of the fenced blocks that `is_kept` accepts by their language; all others are empty. `None` without any.
fn blocks<'a>(lines: impl Iterator<Item = &'a str>, is_kept: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let mut open: Option<(Fence<'_>, bool)> = None;
    let mut out = Vec::new();
    let mut is_any = false;
    for line in lines {
        let mut kept = String::new();
        match (&open, fence(line)) {
            (Some((begin, _)), Some(end))
                if begin.mark == end.mark && end.length >= begin.length && end.language.is_empty() =>
            {
                open = None;
            }
            (Some((begin, true)), _) => {
                let quoted = line.char_indices().take_while(|(_, c)| matches!(c, ' ' | '\t' | '>'));
                let margin =
                    quoted.map(|(at, c)| at + c.len_utf8()).last().unwrap_or(0).min(begin.indentation);
                kept.push_str(line.get(margin..).unwrap_or_default());
            }
            (None, Some(begin)) => {
                let is_python = is_kept(begin.language);
                is_any |= is_python;
                open = Some((begin, is_python));
            }
            _ => {}
        }
        out.push(kept);
    }
    is_any.then_some(out)
}

/// The blocks of Python; without any, those without a language.
fn python_lines<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<Vec<String>> {
    blocks(lines.clone(), is_python).or_else(|| blocks(lines, str::is_empty))
}

/// The fenced Python of Markdown, each line at its own number.
pub(super) fn python(text: &str) -> Option<String> {
    let lines = python_lines(text.lines())?;
    let blocks: String = lines.into_iter().map(|line| without_prompt_of_magic(&line) + "\n").collect();
    Some(blocks)
}

fn without_prompt_of_magic(line: &str) -> String {
    if super::console::is_magic(line) { String::new() } else { line.to_owned() }
}

/// Keeps the fenced Python of a text that has fences at the start of lines.
pub(super) fn keep_python(text: &mut Lines) {
    if !text.lines.iter().any(|line| line.starts_with("```") || line.starts_with("~~~")) {
        return;
    }
    let Some(kept) = python_lines(text.lines.iter().map(String::as_str)) else { return };
    text.rewrite("the text around fenced code", |index, _| kept.get(index).cloned());
}
