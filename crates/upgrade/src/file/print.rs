//! Scripts printed anew in place of their old text.

use tvmscript_diagnostics::TextEdit;
use tvmscript_docsifier::{PrinterConfig, print_text};
use tvmscript_python_syntax::ast::TextRange;

use super::imports::Imports;
use super::{PythonFile, ReplaceError, Replacement};

/// The edit that prints a script anew, and the imports that its text needs.
pub(super) fn print(
    file: &PythonFile<'_>,
    range: TextRange,
    script: &Replacement<'_>,
    imports: &Imports,
) -> Result<(TextEdit, Vec<String>), ReplaceError> {
    let text = file.text;
    let name = script.name.and_then(|name| name.rsplit('.').next());
    let mut config = PrinterConfig { name: name.map(str::to_owned), ..file.config.clone() };
    config.prefixes.extend(imports.prefixes.iter().cloned());
    let printed = print_text(&script.new, file.registry, &config).map_err(ReplaceError::Unprintable)?;
    let (header, body) = split_header(&printed.text);
    let body = if script.is_checked { body.to_owned() } else { unchecked(body) };
    let start =
        text.get(..range.start as usize).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let indent = text.get(start..range.start as usize).unwrap_or_default();
    // The comment after the last statement is printed with it.
    let rest = text.get(range.end as usize..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let comment = if rest.trim_start().starts_with('#') { rest.len() } else { 0 };
    let end = range.end + u32::try_from(comment).unwrap_or(0);
    let replacement = indented(&body, indent).replace('\n', line_end(text));
    Ok((TextEdit { range: range.start..end, replacement }, header))
}

/// The end of the lines of a text.
pub(super) fn line_end(text: &str) -> &'static str {
    let is_windows =
        text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if is_windows { "\r\n" } else { "\n" }
}

/// The import lines of a printed header, and what follows the header.
fn split_header(text: &str) -> (Vec<String>, &str) {
    let mut header = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        match line.strip_prefix("# ") {
            Some(import) => header.push(import.to_owned()),
            None if line.is_empty() => {}
            None => break,
        }
        rest = after;
    }
    (header, rest)
}

/// The text of a script whose decorator disables the check.
fn unchecked(text: &str) -> String {
    const FLAG: &str = "check_well_formed=False";
    let at = text.lines().position(|line| line.starts_with('@'));
    let lines = text.lines().enumerate().map(|(index, line)| match line.strip_suffix(')') {
        _ if Some(index) != at => line.to_owned(),
        Some(call) => format!("{call}, {FLAG})"),
        None => format!("{line}({FLAG})"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Indents all lines but the first, except inside texts of several lines.
fn indented(text: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            if !is_inside && !line.is_empty() {
                out.push_str(indent);
            }
        }
        out.push_str(line);
        is_inside ^= line.matches("\"\"\"").count() % 2 == 1;
    }
    out
}
