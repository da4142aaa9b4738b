//! `print` and `from-json`: canonical text.

use std::path::Path;

use tvmscript::PrinterConfig;
use tvmscript::docsifier::print_text;
use tvmscript::ir::constants::ConstantStore;

use super::{Answer, Run};
use crate::args::Print;
use crate::constants::elided;
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script, Warnings};
use crate::output::Results;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, paths};

/// Accepted content of the input files.
#[derive(Debug, Clone, Copy)]
pub(super) enum From {
    /// Scripts or JSON.
    Any,
    /// JSON only.
    Json,
}

pub(super) fn run(args: &Print, from: From, run: &mut Run<'_>) -> Outcome {
    if args.printer.text.is_misused(&run.settings) {
        return Outcome::Misused;
    }
    let mut results = Results::new(args.output.as_deref());
    let mut is_first = true;
    let mut elided = ConstantStore::new();
    let outcome = run.for_each_valid(
        &args.files,
        |path, settings, timings| print_file(path, from, args, settings, timings),
        |path, (Text { mut text, omits_metadata }, constants)| {
            elided.extend(constants);
            if omits_metadata {
                output::diagnose(&format!(
                    "note: {}: the text leaves out its metadata section, so it does not read back; `--show-meta` prints it",
                    input::display_name(path)
                ));
            }
            if !std::mem::take(&mut is_first) {
                text.insert(0, '\n');
            }
            results.add(&text)
        },
    );
    let outcome = results.finish(outcome);
    if args.constants_out.is_some() && outcome == Outcome::Done {
        return output::write(args.constants_out.as_deref(), &elided.to_json());
    }
    outcome
}

/// The text of a file, and the constants that it leaves out if `--constants-out` asks for them.
fn print_file(
    path: &Path,
    from: From,
    args: &Print,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<((Text, ConstantStore), Warnings)> {
    let mut source = input::read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    let scripts = match from {
        From::Any => input::parse_input(&mut source, settings, timings),
        From::Json => input::from_json(&source, settings, timings),
    };
    let printed = scripts.and_then(|(mut scripts, warnings)| {
        let mut printer = args.printer.clone();
        if let Some(path) = &args.only {
            for script in &mut scripts {
                script.node = paths::part(path, &script.node).map_err(FileErrorKind::Path)?;
            }
            printer.text = printer.text.with_declarations();
        }
        let elided = match args.constants_out {
            Some(_) => elided(&scripts, &printer.text.config(settings))
                .map_err(|error| FileErrorKind::Unsaved(error.into()))?,
            None => None,
        };
        let texts = args.show_spans.then(|| input::texts_of(&scripts, &source.text));
        let config = |script: &Script| {
            let comments = script.origin.as_ref().filter(|_| args.keep_comments);
            Ok(PrinterConfig {
                show_spans: texts.clone(),
                keep_comments: comments.map(|origin| origin.comments.clone()),
                ..printer.config(&script.node, settings)?
            })
        };
        let mut text = print_all(&scripts, Naming::Paths, config, settings, timings)?;
        text.text.push('\n');
        Ok(((text, elided.unwrap_or_default()), warnings))
    });
    printed.map_err(|failure| FileError::new(failure, Some(source)))
}

/// The text of the scripts of a file.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// `true` if the text leaves out metadata, without which it does not read back.
    pub(super) omits_metadata: bool,
}

/// Comments with the names of scripts inside functions and classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// `# test_split.before`, `# kernels["add"]`
    Paths,
    /// No comments.
    None,
}

/// Prints scripts, separated by one blank line and without a line break at the end.
///
/// # Errors
/// If `config` fails for a script, or the script cannot be printed.
pub(super) fn print_all(
    scripts: &[Script],
    naming: Naming,
    config: impl Fn(&Script) -> Result<PrinterConfig, FileErrorKind>,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Text, FileErrorKind> {
    let mut all = Text::default();
    for script in scripts {
        let config = script.with_own_release(config(script)?);
        let printed = timings
            .time("print", || print_text(&script.node, settings.registry(), &config))
            .map_err(FileErrorKind::Unprintable)?;
        all.omits_metadata |= printed.omits_metadata;
        if !all.text.is_empty() {
            all.text.push_str("\n\n");
        }
        if let Some(heading) = script.heading().filter(|_| naming == Naming::Paths) {
            all.text.push_str(&heading);
            all.text.push('\n');
        }
        match all.text.is_empty() {
            true => all.text = printed.text,
            false => all.text.push_str(&printed.text),
        }
    }
    Ok(all)
}
