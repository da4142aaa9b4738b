//! `explain`: the builder calls that scripts make.

use std::collections::HashSet;
use std::path::Path;

use serde_json::json;
use tvmscript::doc::PrintError;
use tvmscript::expand::{Expanded, expand};
use tvmscript::explain::{BuilderCall, Program, Wanted, builder_calls, builder_program};
use tvmscript::ir_core::SourceTexts;
use tvmscript::irbuilder::record::Step;
use tvmscript::{Object, Span, post_order_visit};

use super::{Answer, Run};
use crate::args::{Explain, ExplainFormat};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Input, Script, Warnings};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::{Outcome, output, paths};

pub(super) fn run(args: &Explain, run: &mut Run<'_>) -> Outcome {
    let settings = run.settings;
    run.for_each_valid(
        &args.files,
        |path, settings, timings| explain_file(path, args, settings, timings),
        |path, Explained { text, refused }| {
            let outcome = output::result(&text);
            refused.into_iter().fold(outcome, |_, refused| {
                output::diagnose(&FileError::new(refused, None).render(path, &settings));
                Outcome::No
            })
        },
    )
}

/// The text for one file.
struct Explained {
    text: String,
    /// The scripts that it cannot show.
    refused: Vec<FileErrorKind>,
}

impl From<String> for Explained {
    fn from(text: String) -> Explained {
        Explained { text, refused: Vec::new() }
    }
}

/// The calls of a file as text.
fn explain_file(
    path: &Path,
    args: &Explain,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Explained, Warnings)> {
    if let Some(levels) = args.expand {
        return expanded(path, levels, settings, timings);
    }
    let Input { source, scripts, warnings } = input::load_recorded(path, settings, timings)?;
    let Some(origin) = scripts.first().and_then(|script| script.origin.as_ref()) else {
        return Ok((String::new().into(), warnings));
    };
    if args.format == ExplainFormat::Python {
        let texts = origin.texts(&source.text);
        let text = |program: &mut Program, wanted: &[Wanted<'_>]| {
            program.lines(wanted).map(|lines| as_text(&lines, &texts))
        };
        return Ok((program(&scripts, &origin.steps, settings, text), warnings));
    }
    let mut calls = builder_calls(&origin.steps, settings.registry());
    if let Some(path) = &args.node {
        match spans_at(path, &scripts) {
            Ok(spans) => calls = within(calls, &spans),
            Err(failure) => return Err(FileError::new(failure, Some(source))),
        }
    }
    let texts = origin.texts(&source.text);
    let text = match args.format {
        ExplainFormat::Json => as_json(&calls, &texts),
        ExplainFormat::Text | ExplainFormat::Python => as_text(&calls, &texts),
    };
    Ok((text.into(), warnings))
}

/// The program that makes all scripts of a file, as `text` writes it.
pub(super) fn complete_program(
    path: &Path,
    settings: &Settings<'_>,
    timings: &mut Timings,
    text: impl Fn(&mut Program, &[Wanted<'_>]) -> Result<String, PrintError>,
) -> Answer<(String, Warnings)> {
    let Input { source, mut scripts, warnings } = input::load_recorded(path, settings, timings)?;
    let written = |scripts: &[Script]| {
        let origin = scripts.first().and_then(|script| script.origin.as_ref())?;
        Some(program(scripts, &origin.steps, settings, &text))
    };
    let mut program = written(&scripts);
    if program.as_ref().is_some_and(|program| !program.refused.is_empty()) {
        match input::reread_recorded(&source, &scripts, settings, timings) {
            Ok(again) => scripts = again,
            Err(error) => return Err(FileError::new(error, Some(source))),
        }
        program = written(&scripts);
    }
    let Some(program) = program else { return Ok((String::new(), warnings)) };
    match program.refused.into_iter().next() {
        Some(refused) => Err(FileError::new(refused, Some(source))),
        None => Ok((program.text, warnings)),
    }
}

/// The program that makes the scripts of a file, as `text` writes it.
fn program(
    scripts: &[Script],
    steps: &[Step],
    settings: &Settings<'_>,
    text: impl FnOnce(&mut Program, &[Wanted<'_>]) -> Result<String, PrintError>,
) -> Explained {
    let wanted: Vec<Wanted<'_>> =
        scripts.iter().map(|script| Wanted { name: script.name.as_deref(), node: &script.node }).collect();
    let mut program = builder_program(steps, &wanted, settings.registry());
    program.check(&wanted, settings.registry(), &settings.reparse_options());
    let text = text(&mut program, &wanted).unwrap_or_else(|error| {
        program.variables = wanted.iter().map(|_| Err(error.to_string())).collect();
        String::new()
    });
    let refused = scripts.iter().zip(program.variables).filter_map(|(script, variable)| {
        let script = script.name.clone().unwrap_or_default();
        variable.err().map(|reason| FileErrorKind::NoProgram { script, reason })
    });
    Explained { text, refused: refused.collect() }
}

/// The file with the calls in its scripts written out.
fn expanded(
    path: &Path,
    levels: u8,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<(Explained, Warnings)> {
    let source = input::read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    let options = settings.parse_options(&source.name);
    let expanded = timings.time("expand", || {
        expand(&source.name, &source.text, settings.registry(), &options, usize::from(levels))
    });
    match expanded {
        Ok(Expanded { text, refused, .. }) => {
            let refused = refused.into_iter().map(FileErrorKind::Expand).collect();
            Ok((Explained { text, refused }, Warnings::default()))
        }
        Err(errors) => Err(FileError::new(FileErrorKind::Script { errors }, Some(source))),
    }
}

/// The spans of all nodes in a part of the first script that has it.
fn spans_at(path: &str, scripts: &[Script]) -> Result<HashSet<Span>, FileErrorKind> {
    let mut first = None;
    for script in scripts {
        match paths::part(path, &script.node) {
            Ok(part) => return Ok(spans_in(&part)),
            Err(error) => first = first.or(Some(error)),
        }
    }
    match first {
        Some(error) => Err(FileErrorKind::Path(error)),
        None => Ok(HashSet::new()),
    }
}

fn spans_in(root: &Object) -> HashSet<Span> {
    let mut spans = HashSet::new();
    post_order_visit(root, |node| {
        spans.insert(node.span());
    });
    spans.remove(&Span::UNKNOWN);
    spans
}

/// The calls at these spans, with the scopes around them.
fn within(calls: Vec<BuilderCall>, spans: &HashSet<Span>) -> Vec<BuilderCall> {
    let mut kept = Vec::new();
    // The scopes around the current call that are not kept yet, by depth.
    let mut around: Vec<BuilderCall> = Vec::new();
    for call in calls {
        around.truncate(around.partition_point(|scope| scope.depth < call.depth));
        if spans.contains(&call.span) {
            kept.append(&mut around);
            kept.push(call);
        } else if call.text.ends_with(':') {
            around.push(call);
        }
    }
    kept
}

fn place(call: &BuilderCall, texts: &SourceTexts) -> Option<String> {
    call.span.is_known().then(|| call.span.to_marker(texts).trim_start_matches('@').to_owned())
}

fn as_text(calls: &[BuilderCall], texts: &SourceTexts) -> String {
    let mut text = String::new();
    for call in calls {
        text.push_str(&" ".repeat(4 * call.depth));
        text.push_str(&call.text);
        if let Some(place) = place(call, texts) {
            text.push_str("  # ");
            text.push_str(&place);
        }
        text.push('\n');
    }
    text
}

fn as_json(calls: &[BuilderCall], texts: &SourceTexts) -> String {
    let calls: Vec<_> = calls
        .iter()
        .map(|call| json!({"depth": call.depth, "call": call.text, "source": place(call, texts)}))
        .collect();
    format!("{}\n", json!(calls))
}
