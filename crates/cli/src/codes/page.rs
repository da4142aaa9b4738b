//! Pages of codes as text and as Markdown.

use std::fmt;

use tvmscript::diagnostics::ErrorCode;

use super::{Example, all, example};

/// The page of a code, for a terminal.
pub(crate) struct Page(pub(crate) &'static ErrorCode);

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Page(code) = self;
        writeln!(f, "{}: {}\n\n{}", code.code, code.name, wrapped(code.meaning))?;
        match example(code.code) {
            Some(Example::Scripts { wrong, right }) => {
                writeln!(f, "\nWrong:\n\n{}\n\nRight:\n\n{}", indented(wrong), indented(right))
            }
            Some(Example::None { reason }) => {
                writeln!(f, "\n{}", wrapped(&format!("There is no example script. {reason}")))
            }
            None => Ok(()),
        }
    }
}

/// One line per code.
pub(crate) fn index() -> String {
    let line = |code: &ErrorCode| {
        let first =
            code.meaning.split_once(". ").map_or(code.meaning.trim_end_matches('.'), |(first, _)| first);
        format!("{}  {:<22} {first}\n", code.code, code.name)
    };
    all().into_iter().map(line).collect()
}

/// All pages as one Markdown document.
pub(crate) fn markdown() -> String {
    let mut out = String::from(
        "# Error codes\n\n\
         Every diagnostic has a stable code, which never changes its meaning and is never reused. `tvmscript explain-code E0201`\n\
         shows one of these pages. In the scripts, `T`, `R` and `I` are known without import.\n\n\
         This file is generated: `cargo xtask error-codes`.\n",
    );
    for code in all() {
        out.push_str(&format!("\n## {}\n\n`{}`: {}\n", code.code, code.name, wrapped(code.meaning)));
        match example(code.code) {
            Some(Example::Scripts { wrong, right }) => out.push_str(&format!(
                "\nWrong:\n\n```python\n{wrong}\n```\n\nRight:\n\n```python\n{right}\n```\n"
            )),
            Some(Example::None { reason }) => {
                out.push_str(&format!("\n{}\n", wrapped(&format!("There is no example script. {reason}"))));
            }
            None => {}
        }
    }
    out
}

fn indented(script: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    script.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Breaks a paragraph into lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > 100 {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out
}
