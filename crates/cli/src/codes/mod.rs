//! The stable codes of all diagnostics, each with its page: what it means, a wrong script and a right one.
//!
//! Codes and meanings are declared next to the kinds of errors. The scripts are in the text files of this folder: after
//! `=== CODE` the wrong script, `---`, and the right one; or `!` and the reason why no script has the error.

mod page;

use tvmscript::diagnostics::ErrorCode;
use tvmscript::ir_core::registry::INVARIANT;
use tvmscript::pass::PassErrorKind;
use tvmscript::script_eval::errors::{HostErrorKind, syntax_codes};
use tvmscript::script_parser::{EvalErrorKind, ParseErrorKind};
use tvmscript::{DocsifyError, dialect_file, ir_core, irbuilder, prim, relax, tir, upgrade};
use tvmscript_capi::PluginError;

use crate::failure::FileErrorKind;
use crate::pasted::PastedNote;
pub(crate) use page::{Page, index, markdown};

const EXAMPLES: [&str; 11] = [
    include_str!("syntax.txt"),
    include_str!("names.txt"),
    include_str!("statements.txt"),
    include_str!("host.txt"),
    include_str!("calls.txt"),
    include_str!("checks.txt"),
    include_str!("limits.txt"),
    include_str!("files.txt"),
    include_str!("upgrade.txt"),
    include_str!("descriptions.txt"),
    include_str!("plugins.txt"),
];

/// All codes in ascending order.
pub(crate) fn all() -> Vec<&'static ErrorCode> {
    let tables = [
        syntax_codes(),
        ParseErrorKind::CODES,
        EvalErrorKind::CODES,
        HostErrorKind::CODES,
        irbuilder::BuildErrorKind::CODES,
        std::slice::from_ref(&INVARIANT),
        std::slice::from_ref(&tvmscript::interpreter::NO_C_FORM),
        tir::check::WellFormedErrorKind::CODES,
        relax::check::WellFormedErrorKind::CODES,
        relax::check::CallTirError::CODES,
        FileErrorKind::CODES,
        PastedNote::CODES,
        DocsifyError::CODES,
        PassErrorKind::CODES,
        tvmscript::schedule::RefusalKind::CODES,
        ir_core::RewriteError::CODES,
        dialect_file::DescriptionErrorKind::CODES,
        PluginError::CODES,
        prim::PrimError::CODES,
    ];
    let mut all: Vec<_> = tables.into_iter().flatten().collect();
    all.extend(upgrade::codes::ALL);
    all.sort_by_key(|code| code.code);
    all
}

/// The code of this text, in any case.
pub(crate) fn find(code: &str) -> Option<&'static ErrorCode> {
    all().into_iter().find(|known| known.code.eq_ignore_ascii_case(code))
}

/// The scripts of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Example {
    /// A script with the error, and one without.
    Scripts { wrong: &'static str, right: &'static str },
    /// No script shows the error, for this reason.
    None { reason: &'static str },
}

/// The scripts of a code; every code has an entry.
pub(crate) fn example(code: &str) -> Option<Example> {
    let entries = EXAMPLES.iter().flat_map(|file| file.split("=== ").skip(1));
    let (_, text) = entries.filter_map(|entry| entry.split_once('\n')).find(|(name, _)| *name == code)?;
    Some(match (text.strip_prefix("! "), text.split_once("---\n")) {
        (Some(reason), _) => Example::None { reason: reason.trim_end() },
        (None, Some((wrong, right))) => Example::Scripts { wrong: wrong.trim_end(), right: right.trim_end() },
        (None, None) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_have_examples() {
        let all = all();
        assert!(all.len() > 120, "{}", all.len());
        for pair in all.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} is declared twice", pair[0].code);
        }
        let without: Vec<_> =
            all.iter().filter(|code| example(code.code).is_none()).map(|c| c.code).collect();
        assert!(without.is_empty(), "no example: {without:?}");
        let entries = EXAMPLES.iter().flat_map(|file| file.split("=== ").skip(1));
        let idle: Vec<_> =
            entries.filter_map(|e| e.lines().next()).filter(|code| find(code).is_none()).collect();
        assert!(idle.is_empty(), "unknown codes: {idle:?}");
    }

    #[test]
    fn meanings_are_sentences() {
        for code in all() {
            let meaning = code.meaning;
            assert!(meaning.ends_with('.') && !meaning.contains('\n'), "{}: {meaning}", code.code);
            assert!(meaning.starts_with(|c: char| !c.is_lowercase()), "{}: {meaning}", code.code);
        }
    }
}
