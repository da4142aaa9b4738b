//! `opt`: runs passes.

use std::path::Path;

use tvmscript::passes::instrument::{PassReport, Report};
use tvmscript::passes::{PassContext, PassError, PassTable, Sequential, on_module};

use super::print::{Naming, print_all};
use super::{Answer, Run};
use crate::args::Opt;
use crate::failure::{Failed, Failure};
use crate::input::{self, Input, Warnings};
use crate::registry::registry;
use crate::timings::Timings;
use crate::{Outcome, output};

pub(super) fn run(args: &Opt, run: &mut Run) -> Outcome {
    if args.list_passes {
        return output::result(&list());
    }
    let Some(file) = &args.file else {
        output::diagnose("error: `opt` needs a file, or `--list-passes`");
        return Outcome::Misused;
    };
    let passes = match sequence(args) {
        Ok(passes) => passes,
        Err(message) => {
            output::diagnose(&format!("error: {message}"));
            return Outcome::Misused;
        }
    };
    let mut reports = Vec::new();
    let outcome = run.for_each_valid(
        std::slice::from_ref(file),
        |path, timings| one(path, args, &passes, timings),
        |_, (text, passes)| {
            reports = passes;
            output::write(args.output.as_deref(), &text)
        },
    );
    match &args.report {
        Some(file) if outcome == Outcome::Done => {
            let json = serde_json::to_string_pretty(&reports).unwrap_or_default();
            output::write(Some(file), &format!("{json}\n"))
        }
        _ => outcome,
    }
}

/// The passes and options that the command line names.
fn sequence(args: &Opt) -> Result<Sequential, String> {
    context(args).map_err(|error| error.to_string())?;
    let mut sequence = Sequential::new("opt");
    for name in &args.passes {
        let found = PassTable::of(registry()).and_then(|table| table.pass(name));
        let pass = found.ok_or_else(|| format!("unknown pass `{name}`; `--list-passes` lists them"))?;
        sequence = sequence.then_shared(pass.clone());
    }
    Ok(sequence)
}

/// A context with the options of the command line. Passes that are named run at any optimisation level.
fn context(args: &Opt) -> Result<PassContext<'static>, PassError> {
    let named = |context: PassContext<'static>, pass: &String| context.with_required(pass);
    let mut context = args.passes.iter().fold(PassContext::of(registry()), named);
    for (key, value) in &args.options {
        context.set_option(key, value)?;
    }
    Ok(context)
}

/// The text of a file after the passes, and their records.
fn one(
    path: &Path,
    args: &Opt,
    passes: &Sequential,
    timings: &mut Timings,
) -> Answer<((String, Vec<PassReport>), Warnings)> {
    let Input { source, mut scripts, warnings } = input::load(path, timings)?;
    let report = Report::default();
    let mut transform = || -> Result<String, Failure> {
        let context = context(args).map_err(Failure::Pass)?.with_instrument(report.clone());
        for script in &mut scripts {
            let node = script.node.clone();
            script.node = timings
                .time("passes", || on_module(node, |module| context.run(passes, module)))
                .map_err(Failure::Pass)?;
        }
        let mut text = print_all(&scripts, Naming::Paths, |_| Ok(args.text.config()), timings)?;
        text.text.push('\n');
        Ok(text.text)
    };
    match transform() {
        Ok(text) => Ok(((text, report.passes()), warnings)),
        Err(failure) => Err(Failed::new(failure, Some(source))),
    }
}

/// All passes and options with their descriptions.
fn list() -> String {
    let Some(table) = PassTable::of(registry()) else { return String::new() };
    let mut out = String::new();
    for pass in table.passes() {
        let info = pass.info();
        out.push_str(&info.name);
        out.push('\n');
        for line in info.doc.lines().map(str::trim).filter(|line| !line.is_empty()) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out.push_str("\nOptions (`--opt KEY=VALUE`):\n");
    for option in table.options() {
        out.push_str(&format!("  {}={}\n    {}\n", option.key, option.default, option.doc));
    }
    out
}
