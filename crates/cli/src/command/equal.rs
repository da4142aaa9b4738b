//! `equal`: whether two files hold the same programs, and where they differ.

use std::fmt::Write as _;

use tvmscript::ir_core::{AccessPath, StructuralEqual};
use tvmscript::{Mismatch, Object};

use super::Run;
use crate::args::Equal;
use crate::failure::Failure;
use crate::input::Input;
use crate::printer::PrinterArgs;
use crate::registry::{fragment_of, registry};
use crate::{Outcome, output, paths};

/// Runs the command.
pub(super) fn run(args: &Equal, run: &mut Run) -> Outcome {
    if args.left == args.right && args.left.as_os_str() == "-" {
        output::diagnose("error: `-` stands for standard input, which can be read only once");
        return Outcome::Misused;
    }
    if args.printer.text.is_misused() {
        return Outcome::Misused;
    }
    // Both are read, so that the mistakes of both are shown.
    let (left, right) = (run.load(&args.left), run.load(&args.right));
    let (Some(left), Some(right)) = (left, right) else { return Outcome::No };
    match compare(args, &left, &right, run) {
        Ok(None) => Outcome::Done,
        Ok(Some(report)) => output::result(&report).and(Outcome::No),
        Err(failure) => {
            output::diagnose(&failure.render(&left.source.name, None, run.color));
            Outcome::No
        }
    }
}

/// What to say when the files differ.
fn compare(args: &Equal, left: &Input, right: &Input, run: &mut Run) -> Result<Option<String>, Failure> {
    let mut report = String::new();
    if left.scripts.len() != right.scripts.len() {
        let (a, b) = (left.scripts.len(), right.scripts.len());
        // Writing to a string does not fail.
        let _ = writeln!(report, "{} holds {a} scripts, {} holds {b}", left.source.name, right.source.name);
        return Ok(Some(report));
    }
    let how = StructuralEqual {
        map_free_vars: args.map_free_vars || fragment_of().is_some(),
        ..StructuralEqual::default()
    };
    for (a, b) in left.scripts.iter().zip(&right.scripts) {
        if run.timings.time("equal", || how.compare(&a.node, &b.node)) {
            continue;
        }
        let found = run.timings.time("equal", || how.mismatches(&a.node, &b.node, args.limit));
        if !report.is_empty() {
            report.push('\n');
        }
        let a_name = side_name(&left.source.name, a.name.as_deref());
        let b_name = side_name(&right.source.name, b.name.as_deref());
        side(&mut report, "---", &a_name, &a.node, found.iter().map(|m| &m.lhs), &args.printer)?;
        side(&mut report, "+++", &b_name, &b.node, found.iter().map(|m| &m.rhs), &args.printer)?;
        list(&mut report, &found, args.limit);
    }
    Ok((!report.is_empty()).then_some(report))
}

fn side_name(file: &str, script: Option<&str>) -> String {
    match script {
        Some(script) => format!("{file}: {script}"),
        None => file.to_owned(),
    }
}

/// The text of one side, underlined.
fn side<'a>(
    report: &mut String,
    mark: &str,
    name: &str,
    node: &Object,
    paths: impl Iterator<Item = &'a AccessPath>,
    printer: &PrinterArgs,
) -> Result<(), Failure> {
    let mut config = printer.config(node)?;
    config.path_to_underline.extend(paths.cloned());
    let text = match tvmscript::print(node, registry(), &config) {
        Ok(text) => text,
        // The list of differences below says it without the text.
        Err(error) => format!("(cannot be printed: {error})"),
    };
    let _ = writeln!(report, "{mark} {name}\n{text}\n");
    Ok(())
}

/// The differences by path.
fn list(report: &mut String, found: &[Mismatch], limit: usize) {
    let count = found.len();
    let more = if count >= limit { " or more" } else { "" };
    let noun = if count == 1 { "difference" } else { "differences" };
    let _ = writeln!(report, "{count}{more} {noun}:");
    for mismatch in found {
        let (lhs, rhs) = (paths::show(&mismatch.lhs), paths::show(&mismatch.rhs));
        let _ = write!(report, "  {lhs}");
        if lhs != rhs {
            let _ = write!(report, " against {rhs}");
        }
        let _ = writeln!(report, ": {}", mismatch.kind);
    }
}
