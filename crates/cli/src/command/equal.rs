//! `equal`: structural comparison of two files.

use std::fmt::Write as _;

use tvmscript::docsifier::exceeds_unfolded_size;
use tvmscript::ir_core::{AccessPath, MismatchKind, PathStep, StructuralEqual};

use tvmscript::Mismatch;

use super::Run;
use crate::args::Equal;
use crate::failure::FileErrorKind;
use crate::input::{Input, Script};
use crate::printer::PrinterArgs;
use crate::settings::Settings;
use crate::{Outcome, across, output};

pub(super) fn run(args: &Equal, run: &mut Run<'_>) -> Outcome {
    if args.left == args.right && args.left.as_os_str() == "-" {
        return output::stdin_twice();
    }
    if args.printer.text.is_misused(&run.settings) {
        return Outcome::Misused;
    }
    // Both are loaded, so that the errors of both are shown.
    let (left, right) = (run.load(&args.left), run.load(&args.right));
    let (mut left, mut right) = match (left, right) {
        (Ok(left), Ok(right)) => (left, right),
        (left, right) => return failed(left).and(failed(right)),
    };
    let aligned = match args.as_written {
        true => Ok(None),
        false => across::align(&mut left, &mut right, run),
    };
    match aligned.and_then(|_| compare(args, &left, &right, run)) {
        Ok(None) => Outcome::Done,
        Ok(Some(report)) => output::result(&report).and(Outcome::No),
        Err(failure) => {
            output::diagnose(&failure.render(&left.source.name, None, &run.settings));
            Outcome::No
        }
    }
}

/// The outcome of a file that may have failed.
pub(super) fn failed(loaded: Result<Input, Outcome>) -> Outcome {
    loaded.err().unwrap_or(Outcome::Done)
}

/// The report of all differences; `None` if the files are equal.
fn compare(
    args: &Equal,
    left: &Input,
    right: &Input,
    run: &mut Run<'_>,
) -> Result<Option<String>, FileErrorKind> {
    let mut report = String::new();
    if left.scripts.len() != right.scripts.len() {
        let (a, b) = (left.scripts.len(), right.scripts.len());
        // Writing to a string cannot fail.
        let _ = writeln!(report, "{} holds {a} scripts, {} holds {b}", left.source.name, right.source.name);
        return Ok(Some(report));
    }
    let how = StructuralEqual {
        map_free_vars: args.map_free_vars || run.settings.fragment_of().is_some(),
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
        let left = found.iter().map(|m| (&m.lhs, m.repeats.iter().map(|(lhs, _)| lhs.clone()), m.kind));
        side(&mut report, "---", &a_name, a, left, &args.printer, &run.settings)?;
        let right = found.iter().map(|m| (&m.rhs, m.repeats.iter().map(|(_, rhs)| rhs.clone()), m.kind));
        side(&mut report, "+++", &b_name, b, right, &args.printer, &run.settings)?;
        list(&mut report, &found, args.limit);
    }
    Ok((!report.is_empty()).then_some(report))
}

pub(super) fn side_name(file: &str, script: Option<&str>) -> String {
    match script {
        Some(script) => format!("{file}: {script}"),
        None => file.to_owned(),
    }
}

/// Writes the text of one side, underlined at each path and its repeats.
fn side<'a>(
    report: &mut String,
    mark: &str,
    name: &str,
    script: &Script,
    paths: impl Iterator<Item = (&'a AccessPath, impl Iterator<Item = AccessPath>, MismatchKind)>,
    printer: &PrinterArgs,
    settings: &Settings<'_>,
) -> Result<(), FileErrorKind> {
    let node = &script.node;
    let mut config = script.with_own_release(printer.config(node, settings)?);
    for (path, repeats, kind) in paths {
        config.path_to_underline.push(path.clone());
        config.path_to_underline_if_printed.extend(repeats);
        // If the other side lacks an entry, its key is underlined too.
        if let (MismatchKind::Missing, Some((PathStep::Key(key), map))) = (kind, path.steps.split_last()) {
            let map = AccessPath { steps: map.to_vec() };
            config.path_to_underline_if_printed.push(map.then(PathStep::KeyItself(key.clone())));
        }
    }
    let text = if exceeds_unfolded_size(node) {
        "(not printed: its nodes share so many parts that the text would be too long)".to_owned()
    } else {
        // The list of differences below still shows them if the text cannot be printed.
        tvmscript::print(node, settings.registry(), &config)
            .unwrap_or_else(|e| format!("(cannot be printed: {e})"))
    };
    let _ = writeln!(report, "{mark} {name}\n{text}\n");
    Ok(())
}

/// Writes the differences by path.
fn list(report: &mut String, found: &[Mismatch], limit: usize) {
    let count = found.len();
    let is_cut = count >= limit || found.iter().map(Mismatch::steps).sum::<usize>() >= Mismatch::MAX_STEPS;
    let more = if is_cut { " or more" } else { "" };
    let noun = if count == 1 { "difference" } else { "differences" };
    let _ = writeln!(report, "{count}{more} {noun}:");
    for mismatch in found {
        let Mismatch { lhs, rhs, kind, .. } = mismatch;
        let lacks = |path: &AccessPath| path.steps.last().is_some_and(PathStep::is_missing);
        let _ = match (lacks(lhs), lacks(rhs)) {
            (false, true) => writeln!(report, "  {lhs}: only on the left"),
            (true, false) => writeln!(report, "  {rhs}: only on the right"),
            _ => {
                let (lhs, rhs) = (lhs.to_string(), rhs.to_string());
                // Keys of equal names may be different variables.
                let against = if lhs == rhs { String::new() } else { format!(" against {rhs}") };
                writeln!(report, "  {lhs}{against}: {kind}")
            }
        };
    }
}
