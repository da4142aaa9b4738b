//! `print` and `from-json`: canonical text.

use std::path::Path;

use tvmscript::docsifier::print_text;
use tvmscript::ir::constants::ConstantStore;
use tvmscript::{Object, PrinterConfig};

use super::{Answer, Run};
use crate::args::Print;
use crate::failure::{Failed, Failure};
use crate::input::{self, Script, Warnings};
use crate::registry::{left_out, registry};
use crate::timings::Timings;
use crate::{Outcome, output, paths};

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
    if args.printer.text.is_misused() {
        return Outcome::Misused;
    }
    let color = run.color;
    let mut outcome = Outcome::Done;
    // What a file is to hold; standard output gets the text of each input as soon as it is there.
    let mut whole = String::new();
    let mut is_first = true;
    let mut left_out = ConstantStore::new();
    let misuse = run.for_each(
        &args.files,
        |path, timings| one(path, from, args, timings),
        |path, answer| match answer {
            Ok(Printed { text: Text { mut text, omits_metadata }, constants, warnings }) => {
                warnings.show(color);
                left_out.extend(constants);
                if omits_metadata {
                    output::diagnose(&format!(
                        "note: {}: the text leaves out its metadata section, so it does not read back; `--show-meta` prints it",
                        input::display_name(path)
                    ));
                }
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
    if args.constants_out.is_some() && misuse.and(outcome) == Outcome::Done {
        outcome = output::write(args.constants_out.as_deref(), &left_out.to_json());
    }
    misuse.and(outcome)
}

/// What is made of a file.
struct Printed {
    text: Text,
    /// The constants that the text leaves out, if they are asked for.
    constants: ConstantStore,
    warnings: Warnings,
}

/// The text of a file.
fn one(path: &Path, from: From, args: &Print, timings: &mut Timings) -> Answer<Printed> {
    let source = input::read(path, timings).map_err(|failure| Failed::new(failure, None))?;
    let scripts = match from {
        From::Any => input::understand(&source, timings),
        From::Json => input::from_json(&source, timings),
    };
    let printed = scripts.and_then(|(mut scripts, warnings)| {
        let mut printer = args.printer.clone();
        if let Some(path) = &args.only {
            for script in &mut scripts {
                script.node = paths::part(path, &script.node).map_err(Failure::Path)?;
            }
            printer.text = printer.text.with_declarations();
        }
        let left_out = match args.constants_out {
            Some(_) => left_out(&scripts, &printer.text.config()).map_err(Failure::LeftOut)?,
            None => None,
        };
        let left_out = left_out.unwrap_or_default();
        let text = print_all(&scripts, Naming::Paths, |node| printer.config(node), timings)?;
        Ok(Printed { text, constants: left_out, warnings })
    });
    match printed {
        Ok(mut printed) => {
            printed.text.text.push('\n');
            Ok(printed)
        }
        Err(failure) => Err(Failed::new(failure, Some(source))),
    }
}

/// The text of the scripts of a file.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// Whether it leaves out metadata, without which it does not read back.
    pub(super) omits_metadata: bool,
}

/// Whether scripts in functions and classes are named by a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// `# test_split.before`
    Paths,
    /// No.
    None,
}

/// The text of scripts, with one blank line between and no line break at the end.
///
/// # Errors
/// When there is no configuration for a script, or it cannot be printed.
pub(super) fn print_all(
    scripts: &[Script],
    naming: Naming,
    config: impl Fn(&Object) -> Result<PrinterConfig, Failure>,
    timings: &mut Timings,
) -> Result<Text, Failure> {
    let mut all = Text::default();
    for script in scripts {
        let config = config(&script.node)?;
        let printed = timings
            .time("print", || print_text(&script.node, registry(), &config))
            .map_err(Failure::Unprintable)?;
        all.omits_metadata |= printed.omits_metadata;
        if !all.text.is_empty() {
            all.text.push_str("\n\n");
        }
        let is_path = |name: &&str| naming == Naming::Paths && name.contains('.');
        if let Some(path) = script.name.as_deref().filter(is_path) {
            all.text.push_str("# ");
            all.text.push_str(path);
            all.text.push('\n');
        }
        match all.text.is_empty() {
            true => all.text = printed.text,
            false => all.text.push_str(&printed.text),
        }
    }
    Ok(all)
}
