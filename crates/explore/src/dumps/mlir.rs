//! Logs of MLIR's `-mlir-print-ir-before-all` and `-mlir-print-ir-after-all`.
//!
//! A heading is `// -----// IR Dump After Name (argument) ('op' operation: @f) //----- //`, where the parts in parentheses may be
//! missing; that of a failed pass has `Failed` after the name.

use super::log::{Heading, Logged, split};

/// The texts of a log; none if it has no heading.
pub(crate) fn dumps(log: &str) -> Vec<Logged<'_>> {
    let mut dumps = split(log, heading);
    for dump in &mut dumps {
        dump.text = dump.text.trim_matches('\n');
    }
    dumps
}

fn heading(line: &str) -> Option<Heading<'_>> {
    let (_, rest) = line.split_once("-----// IR Dump ")?;
    let (rest, _) = rest.split_once("//-----")?;
    let (is_before, rest) = match rest.strip_prefix("Before ") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix("After ")?),
    };
    let symbol = rest.split_once("operation: ").and_then(|(_, symbol)| symbol.split(')').next());
    let name = rest.split(['(', '\'']).next()?.trim();
    let (pass, is_failed) = name.strip_suffix(" Failed").map_or((name, false), |name| (name, true));
    let phase = symbol.map(str::trim);
    (!pass.is_empty()).then_some(Heading { is_before, pass, phase, is_failed })
}
