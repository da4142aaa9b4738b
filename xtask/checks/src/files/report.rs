//! Figures of one group of files, and what was refused, by cause.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::outcome::{Definition, Outcome, Reading};
use crate::conformance::{cause, share};

/// Line that separates the figures from the lists in a report.
const LISTS: &str = "\n-- lists\n";

/// The part of a report that goes to the terminal.
pub fn head(report: &str) -> &str {
    report.split(LISTS).next().unwrap_or(report)
}

/// The report of a group, and its misses by question.
pub fn write(name: &str, outcomes: &[Outcome]) -> (String, BTreeMap<String, u64>) {
    let read: Vec<&Outcome> = outcomes.iter().filter(|o| !o.is_foreign).collect();
    let all = || read.iter().flat_map(|o| o.definitions.iter().map(move |d| (*o, d)));
    let wanted: Vec<_> = all().filter(|(_, d)| !d.is_wrong()).collect();
    let is_built = |d: &Definition| matches!(d.reading, Reading::Built);
    let built = wanted.iter().filter(|(_, d)| is_built(d)).count();
    let needy = wanted.iter().filter(|(_, d)| matches!(d.reading, Reading::NeedsArguments)).count();
    let accepted = read.iter().filter(|o| o.errors.is_empty()).count();
    let made: Vec<_> = wanted.iter().filter(|(_, d)| matches!(d.tvm, Some(Ok(_)))).collect();
    let compared: Vec<_> = made.iter().filter(|(_, d)| d.equal.is_some()).collect();
    let equal = compared.iter().filter(|(_, d)| matches!(d.equal, Some(Ok(())))).count();
    let refused_by_tvm = all().filter(|(_, d)| !d.raises && matches!(d.tvm, Some(Err(_)))).count();

    let mut text = format!("== {name}\n");
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "{what:<34}{value}");
    };
    let foreign = outcomes.len() - read.len();
    line("files with scripts", format!("{:>5}   ({foreign} more of other dialects)", read.len()));
    line("accepted", share(accepted, read.len()));
    let failing = all().filter(|(_, d)| d.raises).count();
    let others = format!("({failing} more are meant to fail, {refused_by_tvm} more TVM refuses)");
    line("scripts", format!("{:>5}   {others}", wanted.len()));
    line("found", share(built + needy, wanted.len()));
    line("  of them need arguments", format!("{needy:>5}"));
    let of_accepted: Vec<_> = all().filter(|(o, d)| o.errors.is_empty() && is_built(d)).collect();
    let lost = of_accepted.iter().filter(|(_, d)| d.round_trip.is_some()).count();
    line("round trip, of accepted files", share(of_accepted.len() - lost, of_accepted.len()));
    let has_asked_tvm = all().any(|(_, d)| d.tvm.is_some());
    if has_asked_tvm {
        line("made by TVM, too", format!("{:>5}", made.len()));
        line("  compared", share(compared.len(), made.len()));
        line("  equal, of those compared", share(equal, compared.len()));
        let named = read.iter().flat_map(|o| &o.named);
        let same = named.clone().filter(|(_, equal)| equal.is_ok()).count();
        line("equal, of names of modules", share(same, named.count()));
    }
    text.push_str(LISTS);
    list(
        &mut text,
        "errors",
        read.iter().flat_map(|o| o.errors.iter().map(move |e| (o.name.as_str(), e.as_str()))),
    );
    list(
        &mut text,
        "errors in scripts that are meant to fail, or that TVM refuses",
        read.iter().flat_map(|o| o.expected_errors.iter().map(move |e| (o.name.as_str(), e.as_str()))),
    );
    list(
        &mut text,
        "warnings",
        read.iter().flat_map(|o| o.warnings.iter().map(move |e| (o.name.as_str(), e.as_str()))),
    );
    let missed = wanted.iter().filter_map(|(o, d)| match &d.reading {
        Reading::Missed => Some((o.name.as_str(), format!("{}: {}", d.line, d.path))),
        _ => None,
    });
    section(&mut text, "missed without a word", missed);
    let lost_text = all().filter_map(|(o, d)| {
        let why = d.round_trip.as_ref()?;
        Some((o.name.as_str(), format!("{}: {}: {why}", d.line, d.path)))
    });
    section(&mut text, "no round trip", lost_text);
    let needs = wanted.iter().filter_map(|(o, d)| match &d.reading {
        Reading::NeedsArguments => Some((o.name.as_str(), format!("{}: {}", d.line, d.path))),
        _ => None,
    });
    section(&mut text, "need arguments", needs);
    let differ = made.iter().filter_map(|(o, d)| match &d.equal {
        Some(Err(why)) => Some((o.name.as_str(), format!("{}: {}: {why}", d.line, d.path))),
        _ => None,
    });
    section(&mut text, "not what TVM makes", differ);
    let named = read.iter().flat_map(|o| o.named.iter().map(move |n| (o.name.as_str(), n)));
    let differ =
        named.filter_map(|(file, (name, equal))| Some((file, format!("{name}: {}", equal.as_ref().err()?))));
    section(&mut text, "names with another program in TVM", differ);
    let lenient = all().filter_map(|(o, d)| match (&d.reading, &d.tvm) {
        (Reading::Built, Some(Err(why))) => {
            Some((o.name.as_str(), format!("{}: {}: {}", d.line, d.path, why.trim_end())))
        }
        _ => None,
    });
    section(&mut text, "read here, refused by TVM", lenient);
    let strict = all().filter_map(|(o, d)| match (&d.reading, &d.tvm) {
        (Reading::Refused(why), Some(Ok(_))) => Some((o.name.as_str(), format!("{}: {why}", d.path))),
        _ => None,
    });
    section(&mut text, "refused here, read by TVM", strict);
    let refused = all().filter_map(|(o, d)| match &d.tvm {
        Some(Err(why)) if !d.raises => Some((o.name.as_str(), format!("{}: {}: {why}", d.line, d.path))),
        _ => None,
    });
    section(&mut text, "refused by TVM", refused);
    let unrun = all().filter_map(|(o, d)| {
        let made_none = d.tvm.is_none() && !d.raises;
        made_none.then(|| (o.name.as_str(), format!("{}: {}", d.line, d.path)))
    });
    section(&mut text, "never run by TVM", unrun);
    let strays = read.iter().flat_map(|o| o.strays.iter().map(move |s| (o.name.as_str(), s.clone())));
    section(&mut text, "read here, not in the syntax", strays);
    let failures = read.iter().flat_map(|o| o.tvm_failures.iter().map(move |s| (o.name.as_str(), s.clone())));
    section(&mut text, "what TVM could not run", failures);

    let mut misses = vec![
        ("accepted", read.len() - accepted),
        ("found", wanted.len() - built - needy),
        ("round trip", lost),
    ];
    if has_asked_tvm {
        misses.push(("equal", compared.len() - equal));
    }
    let misses = misses.into_iter().map(|(question, count)| (question.to_owned(), count as u64));
    (text, misses.collect())
}

/// Diagnostics by cause, the commonest first.
fn list<'a>(text: &mut String, title: &str, items: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut causes: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (file, message) in items {
        let plain = message.splitn(3, ':').nth(2).unwrap_or(message);
        causes.entry(cause(plain.trim())).or_default().push((file, message));
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
    let _ = writeln!(text, "\n{title}: {}", causes.iter().map(|(_, found)| found.len()).sum::<usize>());
    for (cause, found) in causes {
        let _ = writeln!(text, "  {} x {cause}", found.len());
        for (file, message) in found {
            let _ = writeln!(text, "      {file}:{message}");
        }
    }
}

/// A plain list.
fn section<'a>(text: &mut String, title: &str, items: impl Iterator<Item = (&'a str, String)>) {
    let items: Vec<_> = items.collect();
    let _ = writeln!(text, "\n{title}: {}", items.len());
    for (file, item) in items {
        let _ = writeln!(text, "  {file}:{item}");
    }
}
