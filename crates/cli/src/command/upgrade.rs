//! `upgrade`: scripts of one release as scripts of another.

use std::path::Path;

use serde_json::json;
use tvmscript::diagnostics::{Anchor, Diagnostic, Message, Severity};
use tvmscript::ir_core::{SourceComments, SourceTexts};
use tvmscript::releases::TVM_0_23;
use tvmscript::upgrade::file::{PythonFile, ReplaceError, Replacement, is_printed};
use tvmscript::upgrade::{self, Kind, Step, codes};
use tvmscript::{Object, PrinterConfig, Registry, Release, Value};

use super::print::{Naming, print_all};
use super::{Answer, Run};
use crate::failure::{FileError, FileErrorKind};
use crate::input::{self, Script, Source, Warnings};
use crate::json_form::JsonForm;
use crate::settings::Settings;
use crate::timings::Timings;
use crate::upgrade_args::{UpgradeArgs, UpgradeFormat};
use crate::{Outcome, fixes, older_names, output, well_formed};

/// Code of the note about a script that is not built because its function is not called.
const UNBUILT: &str = "E0312";

pub(super) fn run(args: &UpgradeArgs, run: &mut Run<'_>) -> Outcome {
    if args.rules {
        let tables = listed(run.settings.registry()).into_iter().map(rules);
        return output::result(&(tables.collect::<String>() + &older_words()));
    }
    let settings = run.settings;
    let work = |path: &Path, settings: &Settings<'_>, timings: &mut Timings| {
        upgrade_file(path, args, settings, timings)
    };
    run.for_each(&args.files, work, |path, answer| {
        let name = input::display_name(path);
        let upgraded = match answer {
            Ok(upgraded) => upgraded,
            Err(failed) => {
                if args.format == UpgradeFormat::Json {
                    let findings = failed.failure.reports(failed.source.as_ref());
                    let line = json!({"file": name, "ok": false, "to": args.to.id(), "findings": findings});
                    return output::result(&format!("{line}\n")).and(failed.outcome());
                }
                output::diagnose(&failed.render(path, &settings));
                return failed.outcome();
            }
        };
        let is_ok = !upgraded.findings.found.iter().any(Diagnostic::is_error);
        let changed = upgraded.change.before != upgraded.change.after;
        let answer = if is_ok { Outcome::Done } else { Outcome::No };
        let written = match args.write && changed {
            true => output::write(Some(path), &upgraded.change.after),
            false => Outcome::Done,
        };
        let shown = match args.format {
            UpgradeFormat::Json => {
                let line = json!({
                    "file": name, "ok": is_ok, "from": upgraded.from.id(), "to": args.to.id(), "changed": changed,
                    "text": upgraded.change.after, "findings": upgraded.findings.reports(),
                });
                output::result(&format!("{line}\n"))
            }
            UpgradeFormat::Human => {
                upgraded.findings.show(settings.color);
                match (args.diff, args.write) {
                    (true, _) if changed => output::result(&upgraded.change.diff(&name)),
                    (true, _) => Outcome::Done,
                    (_, true) => {
                        if changed && written == Outcome::Done {
                            output::diagnose(&format!("{name}: upgraded to {}", args.to.id()));
                        }
                        Outcome::Done
                    }
                    _ => output::result(&upgraded.change.after),
                }
            }
        };
        written.and(shown).and(answer)
    })
}

/// The steps with rules between neighbours, and between the first and the last release: all others are made of them.
fn listed(registry: &Registry) -> Vec<&'static Step> {
    let steps: Vec<&Step> = upgrade::steps(registry).filter(|step| !step.rules.is_empty()).collect();
    let mut versions: Vec<&str> =
        steps.iter().flat_map(|step| [step.from.version, step.to.version]).collect();
    versions.sort_unstable();
    versions.dedup();
    let last = versions.len().saturating_sub(1);
    let place = |step: &Step| {
        let of = |release: &Release| versions.iter().position(|version| *version == release.version);
        Some((of(step.from)?, of(step.to)?))
    };
    let mut listed: Vec<_> = steps.into_iter().filter_map(|step| Some((place(step)?, step))).collect();
    listed.retain(|((from, to), _)| from.abs_diff(*to) == 1 || from.abs_diff(*to) == last);
    listed.sort_by_key(|((from, to), _)| (from > to, from.abs_diff(*to) == 1, *from));
    listed.into_iter().map(|(_, step)| step).collect()
}

/// The differences of the releases of a step as a table.
fn rules(step: &Step) -> String {
    let (from, to) = (step.from.id(), step.to.id());
    let differences = upgrade::differences(step).into_iter().map(|rule| {
        let name = match rule.code {
            Some(code) => {
                format!("{} ([{}](error-codes.md#{}))", rule.name, code.code, code.code.to_lowercase())
            }
            None => rule.name,
        };
        let new = match rule.kind {
            Kind::Report => rule.new,
            _ => format!("`{}`", rule.new),
        };
        (name, rule.kind.name(), rule.old, new)
    });
    table(&from, &to, differences)
}

/// The words that are older than any release whose rules are known.
fn older_words() -> String {
    let words = older_names::words()
        .map(|(name, old, new)| (name.to_owned(), Kind::Rewrite.name(), old, format!("`{new}`")));
    table("tvm-0.8", &TVM_0_23.id(), words)
}

fn table(from: &str, to: &str, rows: impl Iterator<Item = (String, &'static str, String, String)>) -> String {
    let mut out = format!("## From {from} to {to}\n\n| rule | kind | {from} | {to} |\n|---|---|---|---|\n");
    for (name, kind, old, new) in rows {
        out.push_str(&format!("| {name} | {kind} | `{old}` | {new} |\n"));
    }
    out.push('\n');
    out
}

/// A file in the form of the target.
struct Upgraded {
    /// Release of the file.
    from: &'static Release,
    change: fixes::Change,
    findings: Warnings,
}

fn upgrade_file(
    path: &Path,
    args: &UpgradeArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Answer<Upgraded> {
    let mut source = input::read(path, settings, timings).map_err(|failure| FileError::new(failure, None))?;
    let failure = match rewritten(&mut source, args, settings, timings) {
        Ok(upgraded) => return Ok(upgraded),
        Err(failure) => failure,
    };
    if let FileErrorKind::Script { .. } = failure
        && let Some(text) = older_names::renewed(&source.text)
    {
        // The names are older than the releases whose rules are known.
        let notes = source.notes.iter().cloned().chain([renewed_from(&source.text, &text)]).collect();
        let mut renewed = Source { name: source.name.clone(), text, form: source.form, notes };
        if let Ok(mut upgraded) = rewritten(&mut renewed, args, settings, timings) {
            upgraded.change.before = source.text;
            return Ok(upgraded);
        }
    }
    Err(FileError::new(failure, Some(source)))
}

/// The note about the first line that differs between a text and its renewed form.
fn renewed_from(old: &str, new: &str) -> Diagnostic {
    let (mut at, mut end) = (0, 0);
    for (old, new) in old.split_inclusive('\n').zip(new.split_inclusive('\n')) {
        end = at + new.trim_end().len();
        if old != new {
            at += new.len() - new.trim_start().len();
            break;
        }
        at += new.len();
    }
    let [at, end] = [at.min(end), end].map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
    let message = "this text has blocks or types as releases before 0.23 wrote them; they are written anew";
    let message = Message::new(&codes::OLDER, message.to_owned());
    let note = Diagnostic::note_at(message, Anchor::Text(at..end));
    note.with_help("the lines of this and other messages are those of the text written anew")
}

fn rewritten(
    source: &mut Source,
    args: &UpgradeArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Upgraded, FileErrorKind> {
    if let Some(form) = JsonForm::of(&source.text) {
        return rewritten_json(source, form, args, settings, timings);
    }
    let ((scripts, mut warnings), from) = input::parse_input_in(source, args.from, settings, timings)?;
    let source = &*source;
    if args.write {
        source.check_writable()?;
    }
    if from == args.to {
        let change = fixes::Change { before: source.text.clone(), after: source.text.clone() };
        return Ok(Upgraded { from, change, findings: warnings });
    }
    let Some(step) = upgrade::find(settings.registry(), from, args.to) else {
        return Err(FileErrorKind::NoUpgrade { from: from.id(), to: args.to.id() });
    };
    // A script that needs arguments has a finding of its own.
    warnings.found.retain(|note| note.code() != UNBUILT);
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut new: Vec<Replacement<'_>> = Vec::with_capacity(scripts.len());
    for script in &scripts {
        let (node, findings) = upgraded(script, step, args, timings)?;
        let stays = findings.iter().any(Diagnostic::is_error);
        found.extend(findings);
        new.push(replacement(script, node, stays));
    }
    let mut comments = match scripts.first().and_then(|script| script.origin.as_ref()) {
        Some(origin) => origin.comments.clone(),
        None => SourceComments::default(),
    };
    comments.retain(|text| !step.prints_comment(text));
    let config = PrinterConfig {
        show_meta: true,
        release: Some(args.to),
        keep_comments: Some(comments),
        ..settings.printer_config()
    };
    let file = PythonFile {
        name: &source.name,
        text: &source.text,
        registry: settings.registry(),
        step,
        config: &config,
        options: &settings.parse_options(&source.name),
        accepts_losses: args.lossy,
    };
    let (after, more) = if !scripts.is_empty() && is_printed(&source.text, scripts.len()) {
        // A text with an accepted loss may hold what the release does not read.
        let is_lossy = found.iter().any(|finding| finding.severity == Severity::Warning);
        printed(&file, &scripts, &new, !is_lossy, settings, timings)?
    } else {
        timings.time("upgrade", || file.replace(&new)).map_err(|error| match error {
            ReplaceError::Unprintable(error) => FileErrorKind::Unprintable(error),
            ReplaceError::Edit(error) => FileErrorKind::Upgrade(error.to_string()),
        })?
    };
    found.extend(more);
    let change = fixes::Change { before: source.text.clone(), after };
    found.iter_mut().for_each(|finding| on_one_line(finding, &source.text));
    Ok(Upgraded { from, change, findings: warnings.with(source, found) })
}

/// The program of a script as the target has it, and what is lost or unknown there.
fn upgraded(
    script: &Script,
    step: &Step,
    args: &UpgradeArgs,
    timings: &mut Timings,
) -> Result<(Object, Vec<Diagnostic>), FileErrorKind> {
    let upgraded = timings
        .time("upgrade", || upgrade::upgrade(&script.node, step))
        .map_err(|error| FileErrorKind::Upgrade(error.to_string()))?;
    let findings = upgraded.findings.iter().map(|finding| finding.diagnostic(args.lossy));
    Ok((upgraded.node, findings.map(|finding| well_formed::in_text(script, finding)).collect()))
}

/// A JSON file in the same form, as the target has it.
fn rewritten_json(
    source: &Source,
    form: JsonForm,
    args: &UpgradeArgs,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<Upgraded, FileErrorKind> {
    let (mut scripts, warnings) = input::from_json(source, settings, timings)?;
    let read = scripts.first().map_or(settings.registry().release(), |script| script.release);
    let from = args.from.unwrap_or(read);
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut after = source.text.clone();
    if from != args.to {
        let Some(step) = upgrade::find(settings.registry(), from, args.to) else {
            return Err(FileErrorKind::NoUpgrade { from: from.id(), to: args.to.id() });
        };
        for script in &mut scripts {
            let (node, findings) = upgraded(script, step, args, timings)?;
            found.extend(findings);
            script.node = node;
        }
        if !found.iter().any(Diagnostic::is_error) {
            let value = Value::Node(input::join(&scripts));
            after = timings
                .time("save", || form.write(&value, args.to, settings.registry(), SourceTexts::new()))
                .map_err(FileErrorKind::Unsaved)?;
        }
    }
    let change = fixes::Change { before: source.text.clone(), after };
    Ok(Upgraded { from, change, findings: warnings.with(source, found) })
}

/// Shortens the label of a whole definition to its first line.
fn on_one_line(finding: &mut Diagnostic, text: &str) {
    for label in &mut finding.labels {
        if let Anchor::Text(range) = &mut label.at {
            let line = text.get(range.start as usize..range.end as usize).and_then(|code| code.find('\n'));
            if let Some(length) = line.and_then(|length| u32::try_from(length).ok()) {
                range.end = range.start + length;
            }
        }
    }
}

/// A script of a file with the program that replaces its own.
fn replacement(script: &Script, new: Object, stays: bool) -> Replacement<'_> {
    Replacement {
        name: script.name.as_deref(),
        definition: script.definition,
        is_checked: script.is_checked,
        source: script.origin.as_ref().map(|origin| origin.source),
        old: &script.node,
        new,
        stays,
    }
}

/// The whole text of rewritten scripts; that of the file, if a script stays or if the text must read back as the upgraded
/// programs and does not.
fn printed(
    file: &PythonFile<'_>,
    scripts: &[Script],
    new: &[Replacement<'_>],
    must_read_back: bool,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Result<(String, Vec<Diagnostic>), FileErrorKind> {
    if new.iter().any(|new| new.stays) {
        return Ok((file.text.to_owned(), Vec::new()));
    }
    let pairs = scripts.iter().zip(new);
    let scripts: Vec<Script> =
        pairs.map(|(script, new)| Script { node: new.new.clone(), ..script.clone() }).collect();
    let mut text = print_all(&scripts, Naming::None, |_| Ok(file.config.clone()), settings, timings)?.text;
    text.push('\n');
    let unread = match must_read_back {
        true => timings.time("compare", || file.unread(&text, new)),
        false => None,
    };
    Ok(match unread {
        Some(finding) => (file.text.to_owned(), vec![finding]),
        None => (text, Vec::new()),
    })
}
