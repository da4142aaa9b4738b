//! The release of a text, decided from its syntax tree.
//!
//! Imports decide first: a release that has more of the imported namespaces and modules than others is the release of the
//! text. Header comments are the imports of printed text; in a Python file they are comments. Among releases that have the
//! same imports, a Python file is of one that lacks the fewest of the functions and keywords that it uses; among those, forms of
//! the scripts decide ([`Sign`]): the release with the most of its forms, of equal ones the one that the registry lists
//! first. Comments and strings are never searched.
//!
//! The functions of printed text are looked at only if it does not read in the release that its forms tell ([`Rules`]):
//! counting them costs a twentieth of a parse.

mod forms;
mod imports;
mod names;

use std::cmp::Reverse;

use tvmscript_ir_core::release::{Reason, ReleaseChoice, Sign, Strength};
use tvmscript_ir_core::{Registry, Release};
use tvmscript_python_syntax::{ParsedPython, PythonOptions, parse_python};

use self::forms::Forms;
use self::imports::Imports;
use crate::table::{ParseTable, Parsers};

/// Detects the release of a text.
pub fn detect_release(text: &str, registry: &Registry) -> ReleaseChoice {
    let mut options = PythonOptions::default();
    options.dotted_keywords = has_dotted_keywords(registry);
    detect_release_of(text, &parse_python(text, &options), registry, Rules::Usual)
}

/// The rules that tell a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    Usual,
    /// The functions of printed text count, too.
    WithPrintedNames,
}

/// Returns `true` if a release of the registry has keywords with dots.
pub(crate) fn has_dotted_keywords(registry: &Registry) -> bool {
    registry.releases().any(|release| release.syntax.dotted_keywords)
}

/// Detects the release of a parsed text. The tree may go beyond the text: what follows is not considered.
pub(crate) fn detect_release_of(
    text: &str,
    parsed: &ParsedPython,
    registry: &Registry,
    rules: Rules,
) -> ReleaseChoice {
    let mut candidates: Vec<Candidate<'_>> =
        registry.releases().filter_map(|r| Candidate::new(r, registry)).collect();
    let first = ReleaseChoice { release: registry.release(), reason: Reason::Default };
    if candidates.len() < 2 {
        return first;
    }
    let imports = Imports::of(text, parsed, &candidates);
    for candidate in &mut candidates {
        candidate.evidence = imports.evidence(candidate);
    }
    let imported =
        |candidate: &Candidate<'_>| candidate.evidence.iter().map(|(weight, _)| weight).sum::<u32>();
    let most = candidates.iter().map(imported).max().unwrap_or(0);
    let lost: Vec<Reason> = candidates
        .iter()
        .filter(|candidate| imported(candidate) < most)
        .flat_map(|candidate| candidate.evidence.iter().map(|(_, reason)| *reason))
        .collect();
    candidates.retain(|candidate| imported(candidate) == most);
    if candidates.len() > 1 {
        let found = Forms { text, parsed, imports: &imports }.find(&candidates);
        for (candidate, signs) in candidates.iter_mut().zip(found) {
            candidate.signs = signs;
        }
    }
    // Printed text has the functions of its release, and its signs.
    if candidates.len() > 1 && (!imports.is_printed || rules == Rules::WithPrintedNames) {
        let used = names::UsedNames::new(text, parsed, &imports);
        // If the best by its signs has all names, no other is better.
        let best = first_best(&candidates, Candidate::score);
        if best.is_some_and(|best| used.missing_in(best) > 0) {
            candidates.iter_mut().for_each(|candidate| candidate.missing = used.missing_in(candidate));
        }
    }
    let best = first_best(&candidates, |candidate| (Reverse(candidate.missing), candidate.score()));
    best.map_or(first, |best| {
        let by_signs = first_best(&candidates, Candidate::score);
        let is_by_signs = by_signs.is_some_and(|other| other.release == best.release);
        let reason = if is_by_signs { best.reason(&candidates, &lost) } else { Reason::Names };
        ReleaseChoice { release: best.release, reason }
    })
}

/// The first of the candidates with the highest rank.
fn first_best<'c, 'r, T: Ord>(
    candidates: &'c [Candidate<'r>],
    rank: impl Fn(&Candidate<'r>) -> T,
) -> Option<&'c Candidate<'r>> {
    // Of equal elements, `max_by_key` returns the last.
    candidates.iter().rev().max_by_key(|candidate| rank(candidate))
}

/// A release that a text may be of.
struct Candidate<'r> {
    release: &'static Release,
    /// The dialects of the release.
    registry: &'r Registry,
    table: &'r ParseTable,
    /// Imports that the release has, each with its weight.
    evidence: Vec<(u32, Reason)>,
    /// Signs of the release that the text has.
    signs: Vec<&'static Sign>,
    /// Number of functions and keywords of the text that the release lacks.
    missing: usize,
}

impl<'r> Candidate<'r> {
    fn new(release: &'static Release, registry: &'r Registry) -> Option<Candidate<'r>> {
        let registry = registry.of_release(release)?;
        let table = registry.slot::<Parsers>()?.table();
        Some(Candidate { release, registry, table, evidence: Vec::new(), signs: Vec::new(), missing: 0 })
    }

    /// Numbers of forms and of hints. Hints count for a release that the text imports.
    fn score(&self) -> (usize, usize) {
        let hints = self.signs.iter().filter(|sign| sign.strength == Strength::Hint).count();
        (self.signs.len() - hints, if self.evidence.is_empty() { 0 } else { hints })
    }

    /// The evidence that the fewest other releases have.
    fn reason(&self, candidates: &[Candidate<'_>], lost: &[Reason]) -> Reason {
        let with = |reason: &Reason| {
            let has = |candidate: &&Candidate<'_>| candidate.reasons().any(|own| is_same(&own, reason));
            candidates.iter().filter(has).count() + lost.iter().filter(|own| is_same(own, reason)).count()
        };
        self.reasons().min_by_key(with).unwrap_or(Reason::Default)
    }

    /// The reasons for the release.
    fn reasons(&self) -> impl Iterator<Item = Reason> {
        let imports = self.evidence.iter().map(|(_, reason)| *reason);
        imports.chain(self.signs.iter().map(|sign| Reason::Sign(**sign)))
    }
}

fn is_same(one: &Reason, other: &Reason) -> bool {
    match (one, other) {
        (Reason::Import(module, name), Reason::Import(of, other)) => module == of && name == other,
        (Reason::Sign(one), Reason::Sign(other)) => one.text == other.text,
        _ => false,
    }
}
