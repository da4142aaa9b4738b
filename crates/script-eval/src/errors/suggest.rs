//! Suggestions for misspelt names.

use tvmscript_ir_core::diagnostic::{Applicability, Fix};
use tvmscript_python_syntax::ast::TextRange;

use super::EvalError;

/// A suggestion for a misspelt name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest<'a> {
    /// The suggested name.
    pub name: &'a str,
    /// `true` if no other name is as near, and the edit is small for the length of the name.
    pub is_certain: bool,
}

impl Nearest<'_> {
    /// Adds the help and the edit of the text at `range`, the misspelt name. `prefix` precedes the name in the help.
    pub fn suggest(self, error: &mut EvalError, range: TextRange, prefix: &str) {
        error.help = Some(format!("did you mean `{prefix}{}`?", self.name));
        let applicability = if self.is_certain { Applicability::Certain } else { Applicability::Uncertain };
        error.fixes.push(Fix::replace(range, self.name, applicability));
    }
}

/// The name nearest to `wanted`: at most two edits away, and fewer than half of the characters changed; or a name that
/// differs in case only.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Nearest<'a>> {
    let length = wanted.chars().count();
    if length == 0 || length > 64 {
        return None;
    }
    let limit = if length < 4 { 1 } else { 2 };
    let distance = |name: &str| match name {
        _ if name.eq_ignore_ascii_case(wanted) => Some(1),
        _ if name.chars().count().abs_diff(length) > limit => None,
        _ => Some(strsim::osa_distance(wanted, name)).filter(|d| *d <= limit && 2 * d < length),
    };
    let mut best: Option<(usize, &str)> = None;
    let mut is_only = true;
    for name in names.into_iter().filter(|name| *name != wanted) {
        let Some(found) = distance(name).map(|distance| (distance, name)) else { continue };
        match best {
            Some(known) if found == known => {}
            // Ties are broken alphabetically, so that the result does not depend on hash order.
            Some(known) if found.0 == known.0 => {
                is_only = false;
                best = Some(known.min(found));
            }
            Some(known) if found > known => {}
            _ => {
                is_only = true;
                best = Some(found);
            }
        }
    }
    best.map(|(distance, name)| Nearest { name, is_certain: is_only && (distance == 1 || length >= 6) })
}
