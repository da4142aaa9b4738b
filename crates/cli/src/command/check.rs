//! `check`: all errors of many files.

use std::path::Path;

use serde_json::{Value, json};
use tvmscript::diagnostics::sarif::{Log, Tool};
use tvmscript::diagnostics::{Diagnostic, Report, Severity};

use super::{Answer, Run, input_files};
use crate::args::{Check, CheckFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Source, Warnings};
use crate::output::Progress;
use crate::pasted::Form;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, codes, fixes, output, well_formed};

/// The program as SARIF names it.
const TOOL: Tool<'static> = Tool {
    name: "tvmscript",
    version: env!("CARGO_PKG_VERSION"),
    home: env!("CARGO_PKG_REPOSITORY"),
    help: concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/error-codes.md#{code}"),
};

pub(super) fn run(args: &Check, run: &mut Run<'_>) -> Outcome {
    let settings = run.settings;
    let (files, named) = match input_files(&args.files) {
        Ok(files) => (files, Outcome::Done),
        Err(misused) => (Vec::new(), misused),
    };
    let mut progress = Progress::new(files.len());
    let mut log = Log::new(TOOL);
    let work = |path: &Path, settings: &Settings<'_>, timings: &mut Timings| {
        check_file(path, args.fix, args.strict, settings, timings)
    };
    let mut outcome = run.for_each_file(&files, work, |path, answer| {
        progress.step();
        progress.clear();
        let Checked { fixed, profile, result: checked } = match answer {
            Ok(checked) => checked,
            Err(failed) => Checked { fixed: None, profile: Value::Null, result: Err(failed) },
        };
        let is_ok = checked.as_ref().err().map_or(Outcome::Done, |failed| failed.outcome());
        let written = fixed.map_or(Outcome::Done, |fixed| finish(path, &fixed, args.diff));
        let reports = || -> Vec<Report> {
            match &checked {
                Ok(warnings) => warnings.reports(),
                Err(failed) => failed.failure.reports(failed.source.as_ref()),
            }
        };
        let name = input::display_name(path);
        let shown = match args.format {
            CheckFormat::Json => {
                let line =
                    json!({"file": name, "ok": checked.is_ok(), "kind": kind(&checked), "profile": profile, "errors": reports()});
                output::result(&format!("{line}\n"))
            }
            CheckFormat::Sarif => {
                log.add_file(&name, &reports(), codes::find);
                Outcome::Done
            }
            CheckFormat::Human => {
                match &checked {
                    Ok(warnings) => warnings.show(settings.color),
                    Err(failed) => output::diagnose(&failed.render(path, &settings)),
                }
                Outcome::Done
            }
        };
        written.and(shown).and(is_ok)
    });
    outcome = outcome.and(named);
    if args.format == CheckFormat::Sarif {
        outcome = output::result(&format!("{:#}\n", log.to_json())).and(outcome);
    }
    outcome
}

/// The kind of the file, so that sources of another language can be counted apart; `null` if it cannot be read.
fn kind(checked: &Answer<Warnings>) -> Value {
    match checked {
        Err(failed) if failed.source.is_none() => Value::Null,
        Err(failed) if matches!(failed.failure, FileErrorKind::TileLang) => json!("tilelang-source"),
        _ => json!("scripts"),
    }
}

/// The result of checking a file that could be read.
struct Checked {
    /// The changes, if there are any.
    fixed: Option<fixes::Fixed>,
    /// The release of the text, with the reason; `null` for JSON.
    profile: Value,
    result: Answer<Warnings>,
}

fn check_file(
    path: &Path,
    fix: bool,
    strict: bool,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<Checked> {
    let mut source = input::read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    let mut fixed = None;
    if fix
        && source.form == Form::Plain
        && let Some(better) = fixes::fix(&source, settings, timings)
    {
        source.text.clone_from(&better.change.after);
        fixed = Some(better);
    }
    let result = check(source, strict, settings, timings);
    Ok(Checked { fixed, profile: timings.release(), result })
}

/// The warnings of a file without errors.
fn check(
    mut source: Source,
    strict: bool,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<Warnings> {
    let (scripts, warnings) = match input::parse_input(&mut source, settings, timings) {
        Ok(understood) => understood,
        Err(failure) => return Err(FileError::new(failure, Some(source))),
    };
    let mut errors = timings.time("check", || well_formed::errors(&scripts, settings.registry()));
    let mut warnings = {
        let notes = errors.take_notes();
        warnings.with(&source, notes)
    };
    if strict {
        for note in warnings.found.iter_mut().filter(|found| found.severity == Severity::Note) {
            note.severity = Severity::Error;
        }
    }
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    if errors.is_empty() && !warnings.found.iter().any(is_error) {
        return Ok(warnings);
    }
    errors.in_text.append(&mut warnings.found);
    errors.in_text.sort_by_key(|e| (e.range().start, e.range().end));
    Err(FileError::new(FileErrorKind::IllFormed { errors }, Some(source)))
}

/// Writes the fixed text, or shows what would change.
fn finish(path: &Path, fixed: &fixes::Fixed, is_dry: bool) -> Outcome {
    let name = input::display_name(path);
    if is_dry {
        return output::result(&fixed.change.diff(&name));
    }
    let written = output::write(Some(path), &fixed.change.after);
    if written == Outcome::Done {
        let many = if fixed.count == 1 { "fix" } else { "fixes" };
        output::diagnose(&format!("{name}: applied {} {many}", fixed.count));
    }
    written
}
