//! Marks in fixtures: expected diagnostics with their lines.

/// An expected error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedError {
    /// Line, from 1.
    pub line: usize,
    /// Text that the message, its notes or its help contain, in lower case.
    pub words: String,
}

/// Parses the marks of a text: `# error: WORDS` at the end of a line, repeatable, and `# expect LINE: WORDS`.
pub fn marks(text: &str) -> Vec<ExpectedError> {
    let mut marks = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for words in line.split("# error:").skip(1) {
            marks.push(ExpectedError { line: i + 1, words: words.trim().to_lowercase() });
        }
        if let Some(rest) = line.strip_prefix("# expect ")
            && let Some((number, words)) = rest.split_once(':')
            && let Ok(line) = number.trim().parse()
        {
            marks.push(ExpectedError { line, words: words.trim().to_lowercase() });
        }
    }
    marks.sort_by_key(|m| m.line);
    marks
}

/// An expected diagnostic of a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticMark {
    /// Line, from 1.
    pub line: usize,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Text that the message, its notes or its help contain, in lower case.
    pub words: String,
}

/// The marks of a whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMarks {
    /// Scripts: line of the definition, or of the assignment that names it, and path.
    pub scripts: Vec<(usize, String)>,
    /// The diagnostics.
    pub diagnostics: Vec<DiagnosticMark>,
}

/// Parses the marks of a whole file: `# script: PATH`, `# error: WORDS`, `# warning: WORDS` and `# note: WORDS` at
/// the end of a line.
pub fn file_marks(text: &str) -> FileMarks {
    let mut marks = FileMarks::default();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let parts = line.split("# ").skip(1).map(str::trim);
        for part in parts {
            if let Some(path) = part.strip_prefix("script: ") {
                marks.scripts.push((line_number, path.to_owned()));
            }
            for severity in ["error", "warning", "note"] {
                if let Some(words) = part.strip_prefix(severity).and_then(|rest| rest.strip_prefix(": ")) {
                    let words = words.to_lowercase();
                    marks.diagnostics.push(DiagnosticMark { line: line_number, severity, words });
                }
            }
        }
    }
    marks.scripts.sort();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text = "# expect 3: Unterminated\nx = y  # error: undefined name `y` # error: two\n";
        let mark = |line, words: &str| ExpectedError { line, words: words.to_string() };
        assert_eq!(marks(text), [mark(2, "undefined name `y`"), mark(2, "two"), mark(3, "unterminated")]);
    }
}
