//! `print` and `from-json`: canonical text.

use std::path::Path;

use tvmscript::{Object, PrinterConfig, registry};

use super::{Answer, Run};
use crate::args::Print;
use crate::failure::{Failed, Failure};
use crate::input::{self, Script};
use crate::printer::PrinterArgs;
use crate::timings::Timings;
use crate::{Outcome, output};

/// What the files hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum From {
    /// Scripts or JSON.
    Any,
    /// JSON only.
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Print, from: From, run: &mut Run) -> Outcome {
    let color = run.color;
    let mut outcome = Outcome::Done;
    // What a file is to hold; standard output gets the text of each input as soon as it is there.
    let mut whole = String::new();
    let mut is_first = true;
    let misuse = run.for_each(
        &args.files,
        |path, timings| one(path, from, &args.printer, timings),
        |path, answer| match answer {
            Ok(mut text) => {
                if !std::mem::take(&mut is_first) {
                    text.insert(0, '\n');
                }
                match args.output {
                    Some(_) => whole.push_str(&text),
                    None => outcome = outcome.and(output::result(&text)),
                }
            }
            Err(failed) => {
                output::diagnose(&failed.render(path, color));
                outcome = Outcome::No;
            }
        },
    );
    if args.output.is_some() && misuse.and(outcome) == Outcome::Done {
        outcome = output::write(args.output.as_deref(), &whole);
    }
    misuse.and(outcome)
}

fn one(path: &Path, from: From, printer: &PrinterArgs, timings: &mut Timings) -> Answer<String> {
    let source = input::read(path, timings).map_err(|failure| Failed::new(failure, None))?;
    let scripts = match from {
        From::Any => input::understand(&source, timings),
        From::Json => input::from_json(&source, timings),
    };
    match scripts.and_then(|scripts| print_all(&scripts, |node| printer.config(node), timings)) {
        Ok(mut text) => {
            text.push('\n');
            Ok(text)
        }
        Err(failure) => Err(Failed::new(failure, Some(source))),
    }
}

/// The text of scripts, with one blank line between and no line break at the end.
///
/// # Errors
/// When there is no configuration for a script, or it cannot be printed.
pub(super) fn print_all(
    scripts: &[Script],
    config: impl Fn(&Object) -> Result<PrinterConfig, Failure>,
    timings: &mut Timings,
) -> Result<String, Failure> {
    let mut text = String::new();
    for script in scripts {
        let config = config(&script.node)?;
        let printed = timings
            .time("print", || tvmscript::print(&script.node, registry(), &config))
            .map_err(Failure::Unprintable)?;
        if text.is_empty() {
            text = printed;
        } else {
            text.push_str("\n\n");
            text.push_str(&printed);
        }
    }
    Ok(text)
}
