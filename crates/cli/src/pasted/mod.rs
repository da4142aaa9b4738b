//! Text as people paste it: with the colours of a terminal, prompts, log lines, indentation; in notebooks and Markdown.
//!
//! [`unpack`] takes the Python out of files that contain other things, by their names. [`clean`] is tried on a text that
//! is not Python, so plain files never pay for it. Both keep the number of each line, except those of notebooks.
//!
//! A change is made only where its sign is in the text, and each one is a note, so that nothing is left out silently.

mod characters;
mod console;
mod fences;
mod html;
mod indentation;
mod log;
mod notebook;
mod prefixes;

use std::fmt;
use std::path::Path;

use tvmscript::diagnostics::Diagnostic;
use tvmscript::ir_core::error_codes;
use tvmscript::python_syntax::ast::TextRange;

/// A note about a text that was not read as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PastedNote {
    /// The part that was left out or replaced.
    Without(String),
}

error_codes! {
    PastedNote {
        PastedNote::Without(_) => "E0817" "pasted"
            "A note: the text is not Python as it is, and was read without what a terminal, a log or an editor added: colours, \
             prompts, log lines, common indentation, non-breaking spaces. Lines keep their numbers.";
    }
}

impl fmt::Display for PastedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PastedNote::Without(what) => write!(f, "read without {what}"),
        }
    }
}

/// The kind of a file whose Python is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// Python or JSON.
    #[default]
    Plain,
    /// A notebook.
    Notebook,
    /// Markdown.
    Markdown,
    /// Python with additions of a terminal, a log or an editor.
    Pasted,
}

impl Form {
    /// The name of the kind, if the Python is only a part of the file.
    pub(crate) fn describe(self) -> Option<&'static str> {
        match self {
            Form::Plain => None,
            Form::Notebook => Some("a notebook"),
            Form::Markdown => Some("Markdown"),
            Form::Pasted => Some("pasted text"),
        }
    }
}

/// The part of a notebook that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// The code of its cells.
    #[default]
    Code,
    /// The outputs of the cells.
    Outputs,
}

/// The Python in a notebook or in Markdown, judging by the name of the file; `None` for other files and for a notebook
/// that is not valid.
pub(crate) fn unpack(path: &Path, text: &str, part: Part) -> Option<(String, Form)> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "ipynb" => notebook::python(text, part).map(|text| (text, Form::Notebook)),
        "md" | "markdown" => Some((fences::python(text).unwrap_or_default(), Form::Markdown)),
        _ => None,
    }
}

/// A text in lines, while it is cleaned.
struct Lines {
    lines: Vec<String>,
    /// Each change, with the first line that it changed.
    changes: Vec<(usize, String)>,
}

impl Lines {
    /// Replaces lines and notes the change, if there is any.
    fn rewrite(&mut self, what: &str, mut rewrite: impl FnMut(usize, &str) -> Option<String>) {
        let mut first = None;
        for (index, line) in self.lines.iter_mut().enumerate() {
            if let Some(new) = rewrite(index, line).filter(|new| new != line) {
                *line = new;
                first.get_or_insert(index);
            }
        }
        if let Some(first) = first {
            self.changes.push((first, what.to_owned()));
        }
    }

    /// The lines that are not blank, with their indices.
    fn filled(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().enumerate();
        lines.filter(|(_, line)| !line.trim().is_empty()).map(|(index, line)| (index, line.as_str()))
    }
}

/// A text without what was added to it, with a note about each change.
pub(crate) struct Cleaned {
    pub(crate) text: String,
    pub(crate) notes: Vec<Diagnostic>,
}

/// Maximum size of a text that is cleaned, and of a notebook, in bytes: both take several times as much memory.
const MAX_BYTES: usize = 16 << 20;

/// Takes the Python out of a text that is not Python; `None` if nothing is to be changed, or the text is too large.
pub(crate) fn clean(text: &str) -> Option<Cleaned> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut lines = Lines { lines: split(text), changes: Vec::new() };
    characters::remove_escapes(&mut lines);
    characters::replace_spaces(&mut lines);
    fences::keep_python(&mut lines);
    prefixes::remove(&mut lines);
    console::remove_prompts(&mut lines);
    log::remove(&mut lines);
    indentation::remove(&mut lines);
    if lines.changes.is_empty() && !text.contains('\r') {
        return None;
    }
    let mut starts = Vec::with_capacity(lines.lines.len());
    let mut clean = String::with_capacity(text.len());
    for line in &lines.lines {
        starts.push(clean.len());
        clean.push_str(line);
        clean.push('\n');
    }
    let note = |(line, what): &(usize, String)| {
        let start = starts.get(*line).and_then(|start| u32::try_from(*start).ok()).unwrap_or_default();
        let length =
            lines.lines.get(*line).and_then(|line| u32::try_from(line.len()).ok()).unwrap_or_default();
        Diagnostic::<PastedNote>::note_at(
            PastedNote::Without(what.clone()),
            TextRange::new(start, start + length),
        )
        .erased()
    };
    Some(Cleaned { notes: lines.changes.iter().map(note).collect(), text: clean })
}

/// The lines of a text, which end in any of the three ways.
fn split(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.lines().map(str::to_owned).collect()
}

/// Tests whether a line begins like a statement that printed scripts and their headers have at the start of a line.
fn begins_script(line: &str) -> bool {
    let is_import =
        |line: &str| line.starts_with("import tvm") || line.starts_with("from ") && line.contains(" import ");
    let decorates = |line: &str| {
        line.strip_prefix('@').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
    };
    let defines = |line: &str| {
        (line.starts_with("class ") || line.starts_with("def ")) && line.trim_end().ends_with([':', '(', ','])
    };
    line.starts_with('#')
        || decorates(line)
        || defines(line)
        || is_import(line)
        || line.starts_with("metadata = ")
}

#[cfg(test)]
mod tests {
    use super::clean;

    fn cleaned(text: &str) -> String {
        clean(text).map_or_else(|| "unchanged".to_owned(), |cleaned| cleaned.text)
    }

    #[test]
    fn colours_are_removed() {
        let code = "@T.prim_func\ndef f():\n";
        for text in [
            "\u{1b}[38;5;129m@T\u{1b}[39m.prim_func\n\u{1b}[1mdef\u{1b}[0m f():\n",
            "\u{1b}[2K\u{1b}]8;;http://a\u{7}@T.prim_func\u{1b}]8;;\u{7}\ndef f():\u{1b}(B\n",
            "[38;5;129m@T[39m.prim_func\n[1mdef[0m f():\n",
            "^[[38;5;129m@T^[[39m.prim_func\n^[[1mdef^[[0m f():\n",
            "\\x1b[38;5;129m@T\\x1b[39m.prim_func\n\\x1b[1mdef\\x1b[0m f():\n",
        ] {
            assert_eq!(cleaned(text), code, "{text}");
        }
    }

    #[test]
    fn characters_of_editors_are_replaced() {
        assert_eq!(
            cleaned("def f():\n\u{a0}\u{a0}x = \u{201c}a\u{201d}\u{200b}\n"),
            "def f():\n  x = \"a\"\n"
        );
        assert_eq!(cleaned("a = 1\rb = 2\r"), "a = 1\nb = 2\n");
        assert_eq!(cleaned("def f():\n\tx = 1\n    y = 2\n"), "def f():\n    x = 1\n    y = 2\n");
        assert_eq!(cleaned("def f():\n    if x:\n\ty = 2\n"), "def f():\n    if x:\n        y = 2\n");
        assert_eq!(cleaned("x = 1\n"), "unchanged");
    }

    #[test]
    fn prompts_are_removed_with_what_was_printed() {
        let code = "@T.prim_func\ndef f():\n    pass\n\nf\n\n";
        for text in [
            ">>> @T.prim_func\n... def f():\n...     pass\n...\n>>> f\n<function>\n",
            "In [1]: @T.prim_func\n   ...: def f():\n   ...:     pass\n   ...: \nIn [2]: f\nOut[2]: <function>\n",
            "    >>> @T.prim_func\n    ... def f():\n    ...     pass\n    ...\n    >>> f\n    <function>\n",
        ] {
            assert_eq!(cleaned(text), code, "{text}");
        }
        assert_eq!(
            cleaned("In [1]:\n@T.prim_func\ndef f():\n    pass\n"),
            "\n@T.prim_func\ndef f():\n    pass\n"
        );
        assert_eq!(
            cleaned(">>> print(f)\n@T.prim_func\ndef f():\n    pass\n"),
            "\n@T.prim_func\ndef f():\n    pass\n"
        );
        assert_eq!(cleaned("[1]:\nx = 1\n"), "\nx = 1\n");
        assert_eq!(cleaned(">>> %time x\n>>> @f\n... def g(): pass\n"), "\n@f\ndef g(): pass\n");
    }

    #[test]
    fn log_lines_are_left_out() {
        let code = "\n# from tvm.script import tir as T\n@T.prim_func\ndef f():\n    pass\n\n";
        for log in [
            "[10:00:01] INFO pipeline.py:50: Running graph-level optimizations",
            "[10:00:01] /tvm/src/target/target.cc:123: Warning: unable to detect",
            "2024-05-01 12:00:00,123 - root - INFO - lowered",
            "2024-05-01T12:00:00.123Z DEBUG lowered",
            "INFO:root:lowered",
            "[INFO] lowered",
            "WARNING: lowered",
            "I0501 12:00:00.123456 12345 file.cc:42] lowered",
            "/usr/lib/python3/site.py:12: UserWarning: old",
            "$ python3 dump.py",
            "user@host:~/tvm$ python3 dump.py",
            "===== after LowerOpaqueBlock =====",
            "--------",
        ] {
            let text = format!(
                "{log}\n# from tvm.script import tir as T\n@T.prim_func\ndef f():\n    pass\n{log}\n"
            );
            assert_eq!(cleaned(&text), code, "{log}");
        }
        let words = "Before lowering:\n@f\ndef g(): pass\n\nDone.\n";
        assert_eq!(cleaned(words), "\n@f\ndef g(): pass\n\n\n");
        let traceback =
            "@f\ndef g(): pass\nTraceback (most recent call last):\n  File \"a\", line 1\nValueError: x\n";
        assert_eq!(cleaned(traceback), "@f\ndef g(): pass\n\n\n\n");
        let first =
            "2024-05-01 12:00:00 INFO # from tvm.script import tir as T\n@f\ndef g(): pass\nINFO: done\n";
        assert_eq!(cleaned(first), "# from tvm.script import tir as T\n@f\ndef g(): pass\n\n");
    }

    #[test]
    fn prefixes_of_all_lines_are_removed() {
        let code = "@T.prim_func\ndef f():\n    pass\n";
        for prefix in
            ["> ", "| ", "web_1  | ", "+", "[10:00:01] INFO ", "2024-05-01T12:00:00.1234567Z ", "INFO:root:"]
        {
            let text: String = code.lines().map(|line| format!("{prefix}{line}\n")).collect();
            assert_eq!(cleaned(&text), code, "{prefix}");
        }
        assert_eq!(cleaned(" 9 | @T.prim_func\n10 | def f():\n11 |     pass\n"), code);
        assert_eq!(cleaned("1: @T.prim_func\n2: def f():\n3:     pass\n"), code);
        assert_eq!(cleaned("1\t@T.prim_func\n2\tdef f():\n3\t    pass\n"), code);
    }

    #[test]
    fn common_indentation_is_removed() {
        let code = "# a\n@f\ndef g():\n\n    pass\n";
        assert_eq!(cleaned("    # a\n    @f\n    def g():\n\n        pass\n"), code);
        assert_eq!(cleaned("# a\n    @f\n    def g():\n\n        pass\n"), code);
        assert_eq!(cleaned("\t# a\n\t@f\n\tdef g():\n\n\t    pass\n"), code);
        assert_eq!(cleaned("@f\n    def g():\n\n        pass\n"), "@f\ndef g():\n\n    pass\n");
    }

    #[test]
    fn fences_are_left_out() {
        assert_eq!(cleaned("```python\nx = 1\n```\ntext\n```py\ny\n```\n"), "\nx = 1\n\n\n\ny\n\n");
        assert_eq!(cleaned("Text:\n\n~~~\nx = 1\n~~~\n"), "\n\n\nx = 1\n\n");
    }
}
