//! Application of fixes to a file.

use tvmscript::Diagnostic;
use tvmscript::diagnostics::{Applicability, DiagnosticKind, Fix, TextEdit, apply, edit};

use crate::failure::FileErrorKind;
use crate::input::{self, Source};
use crate::settings::Settings;
use crate::timings::Timings;
use crate::well_formed;

/// Maximum number of rounds: the fixes of one round may allow those of the next.
const MAX_ROUNDS: usize = 16;
/// Maximum number of fixes that are tried one by one.
const MAX_SINGLE: usize = 64;

/// A text with fixes applied.
pub(crate) struct Fixed {
    pub(crate) change: Change,
    /// Number of fixes.
    pub(crate) count: usize,
}

/// A text before and after a change.
pub(crate) struct Change {
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Change {
    /// The changes as a unified diff.
    pub(crate) fn diff(&self, name: &str) -> String {
        let diff = similar::TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string()
    }
}

/// The errors of a text: numbers of syntax errors, of other parse errors, and of scripts that are not well-formed. A text
/// is better than another one if it is smaller in this order.
type Badness = (usize, usize, usize);

struct Found {
    badness: Badness,
    fixes: Vec<Fix>,
}

/// A text with some fixes applied.
struct State {
    text: String,
    count: usize,
    found: Found,
}

/// Applies the certain fixes of a text until none is left. Returns `None` if that does not leave fewer errors.
///
/// A fix may reveal errors that a broken definition hid, so a round may end with more errors than it began with. What
/// counts is the best state: the result never has more errors than the text.
pub(crate) fn fix(source: &Source, settings: &Settings<'_>, timings: &mut Timings) -> Option<Fixed> {
    let start = State {
        text: source.text.clone(),
        count: 0,
        found: examine(source, &source.text, settings, timings),
    };
    let best = match all_rounds(source, &start, settings, timings) {
        Some(best) => best,
        // One of the fixes does harm.
        None => single_rounds(source, &start, settings, timings)?,
    };
    let change = Change { before: source.text.clone(), after: best.text };
    Some(Fixed { change, count: best.count })
}

/// The best state of rounds that apply all fixes, if it is better than `start`.
fn all_rounds(
    source: &Source,
    start: &State,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Option<State> {
    let mut best: Option<State> = None;
    let mut next = applied(source, start, &compatible(&start.found.fixes), settings, timings);
    for _ in 0..MAX_ROUNDS {
        let Some(state) = next else { break };
        next = applied(source, &state, &compatible(&state.found.fixes), settings, timings);
        if state.found.badness < best.as_ref().unwrap_or(start).found.badness {
            best = Some(state);
        }
    }
    best
}

/// The state after rounds that each apply the first fix that helps by itself.
fn single_rounds(
    source: &Source,
    start: &State,
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Option<State> {
    let mut best: Option<State> = None;
    let mut tried = 0;
    loop {
        let state = best.as_ref().unwrap_or(start);
        let mut better = None;
        for fix in &state.found.fixes {
            tried += 1;
            if tried > MAX_SINGLE {
                return best;
            }
            better = applied(source, state, &[fix], settings, timings)
                .filter(|next| next.found.badness < state.found.badness);
            if better.is_some() {
                break;
            }
        }
        let Some(better) = better else { return best };
        best = Some(better);
    }
}

/// The state after some fixes; `None` if there are none or their edits are not in the text.
fn applied(
    source: &Source,
    state: &State,
    fixes: &[&Fix],
    settings: &Settings<'_>,
    timings: &mut Timings,
) -> Option<State> {
    let edits: Vec<TextEdit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
    let text = apply(&state.text, &edits).ok().filter(|text| *text != state.text)?;
    let found = examine(source, &text, settings, timings);
    Some(State { text, count: state.count + fixes.len(), found })
}

/// The fixes in order, without those that overlap an earlier one.
fn compatible(fixes: &[Fix]) -> Vec<&Fix> {
    let mut chosen: Vec<&Fix> = Vec::new();
    let mut edits: Vec<&TextEdit> = Vec::new();
    for fix in fixes {
        if fix.edits.iter().all(|new| edits.iter().all(|old| !edit::overlap(old, new))) {
            edits.extend(&fix.edits);
            chosen.push(fix);
        }
    }
    chosen
}

/// The errors of a text, and the first certain fix of each.
fn examine(source: &Source, text: &str, settings: &Settings<'_>, timings: &mut Timings) -> Found {
    let source = Source::new(source.name.clone(), text.to_owned());
    match input::parse_as_is(&source, settings, timings) {
        Err(FileErrorKind::Script { errors }) => {
            let wrong = errors.iter().filter(|error| error.is_error());
            let (syntax, other): (Vec<_>, Vec<_>) =
                wrong.partition(|error| input::syntax_kind(error).is_some());
            Found {
                badness: (syntax.len(), other.len(), 0),
                fixes: errors.iter().filter_map(certain).collect(),
            }
        }
        Err(_) => Found { badness: (usize::MAX, 0, 0), fixes: Vec::new() },
        Ok((scripts, _)) => {
            let errors = well_formed::errors(&scripts, settings.registry());
            let fixes = errors.in_text.iter().filter_map(certain).collect();
            Found { badness: (0, 0, errors.in_text.len() + errors.in_ir.len()), fixes }
        }
    }
}

fn certain<K: DiagnosticKind>(diagnostic: &Diagnostic<K>) -> Option<Fix> {
    diagnostic.fixes.iter().find(|fix| fix.applicability == Applicability::Certain).cloned()
}
