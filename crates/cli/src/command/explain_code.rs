//! `explain-code`: the pages of error codes.

use crate::args::ExplainCode;
use crate::codes::{self, Page};
use crate::{Outcome, output};

pub(super) fn run(args: &ExplainCode) -> Outcome {
    let Some(code) = &args.code else {
        return output::result(&if args.markdown { codes::markdown() } else { codes::index() });
    };
    match codes::find(code) {
        Some(code) => output::result(&Page(code).to_string()),
        None => {
            output::diagnose(&format!(
                "error: unknown code `{}`; `tvmscript explain-code` lists all codes",
                tvmscript::diagnostics::escape::name(code)
            ));
            Outcome::Misused
        }
    }
}
