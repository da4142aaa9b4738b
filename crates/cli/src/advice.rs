//! Advice about failed texts that only the command can give: its flags, and what the file is instead of a script.

use tvmscript::diagnostics::DiagnosticKind as _;
use tvmscript::script_parser::ParseError;

use crate::failure::FileErrorKind;
use crate::input::Source;
use crate::tilelang;

/// Code of a call that needs an open builder.
const NO_BUILDER: &str = "E0510";

/// The failure as the command reports it.
pub(crate) fn advised(mut failure: FileErrorKind, source: &Source, is_fragment: bool) -> FileErrorKind {
    let FileErrorKind::Script { errors } = &mut failure else { return failure };
    if tilelang::is_source(&source.text) {
        return FileErrorKind::TileLang;
    }
    if !is_fragment {
        name_the_flag(errors, &source.text);
    }
    failure
}

/// Names `--fragment` in the help of errors about statements of a dialect outside of any function.
fn name_the_flag(errors: &mut [ParseError], text: &str) {
    let Some(dialect) = dialect_of(text) else { return };
    let flag = format!("to read statements outside any function, give `--fragment {dialect}`");
    let no_scripts = !text.lines().any(|line| line.trim_start().starts_with('@'));
    for (index, error) in errors.iter_mut().enumerate() {
        let is_outside = error.kind.error_code().code == NO_BUILDER;
        if is_outside || no_scripts && index == 0 {
            error.help = Some(flag.clone());
        }
    }
}

/// The dialect whose prefix a text uses first.
fn dialect_of(text: &str) -> Option<&'static str> {
    let first = |prefix: &str| {
        let is_word = |at: &usize| text.get(..*at).is_some_and(|before| !before.ends_with(is_part_of_name));
        text.match_indices(prefix).map(|(at, _)| at).find(is_word)
    };
    match (first("T."), first("R.")) {
        (None, None) => None,
        (Some(scalar), Some(graph)) if graph < scalar => Some("relax"),
        (None, Some(_)) => Some("relax"),
        _ => Some("tir"),
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}
