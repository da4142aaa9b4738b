//! Logs of TVM's `PrintBeforeAll` and `PrintAfterAll`.
//!
//! A heading is `After Running Pass: ` with the pass's description: up to 0.23 `The meta data of the pass - pass name: X, ..`, from
//! 0.24 `transform.PassInfo(opt_level=0, name="X", ..)`. Other output before the first heading, and around a text, is left out.

use super::log::{Heading, Logged, split};

/// The texts of a log; none if it has no heading.
pub(crate) fn dumps(log: &str) -> Vec<Logged<'_>> {
    let mut dumps = split(log, heading);
    for dump in &mut dumps {
        dump.text = script_of(dump.text);
    }
    dumps
}

fn heading(line: &str) -> Option<Heading<'_>> {
    const MARK: &str = " Running Pass: ";
    let at = line.find(MARK)?;
    let (before, rest) = (line.get(..at)?, line.get(at + MARK.len()..)?);
    let is_before = before.ends_with("Before");
    if !is_before && !before.ends_with("After") {
        return None;
    }
    let between = |from: &str, to: &str| {
        let (_, rest) = rest.split_once(from)?;
        rest.split_once(to).map(|(name, _)| name)
    };
    let described = between("pass name: ", ",").or_else(|| between("name=\"", "\""));
    let is_bare = before.len() <= "Before".len();
    let name = described.or_else(|| is_bare.then_some(rest))?.trim();
    (!name.is_empty()).then_some(Heading { is_before, pass: name, phase: None, is_failed: false })
}

/// The script of a text, without other output around it: from the first line of a script to the last line before one that
/// begins at the margin and cannot go on with it.
fn script_of(text: &str) -> &str {
    let begins = |line: &str| {
        ["#", "@", "from ", "import ", "class ", "def ", "metadata"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let goes_on = |line: &str| {
        ["#", "@", "class ", "def ", " ", "\t", ")", "]", "}"].iter().any(|start| line.starts_with(start))
    };
    let (mut at, mut begin, mut end, mut is_body) = (0, None, text.len(), false);
    for line in text.split_inclusive('\n') {
        let line_at = at;
        at += line.len();
        if begin.is_none() && begins(line) {
            begin = Some(line_at);
        }
        if begin.is_none() {
            continue;
        }
        if is_body && !line.trim().is_empty() && !goes_on(line) {
            end = line_at;
            break;
        }
        is_body |= line.starts_with("class ") || line.starts_with("def ");
    }
    match begin {
        Some(begin) => text.get(begin..end).unwrap_or(text).trim_end(),
        None => text.trim_matches('\n'),
    }
}
