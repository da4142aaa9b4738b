//! Prefixes of all lines: marks of quotations and of differences, names of containers, line numbers.

use super::Lines;

/// Removes a prefix that all lines share, or line numbers.
pub(super) fn remove(text: &mut Lines) {
    if let Some(prefix) = shared(text) {
        let what = format!("the prefix `{}` of all lines", prefix.trim());
        text.rewrite(&what, |_, line| {
            Some(line.strip_prefix(&prefix).map(str::to_owned).unwrap_or_default())
        });
    }
    if let Some(rest) = numbered(text) {
        text.rewrite("line numbers", |index, _| rest.get(index).cloned());
    }
}

/// The prefix that all lines share, up to a `|`, `>` or `+` and a space behind it.
fn shared(text: &Lines) -> Option<String> {
    let mut lines = text.filled().map(|(_, line)| line);
    let first = lines.next()?;
    let mut length = first.len();
    let mut count = 1;
    for line in lines {
        let same = first.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
        // An empty line has no space behind its prefix.
        length = length.min(if line.len() == same { same + 1 } else { same });
        count += 1;
    }
    let common = first.get(..length.min(first.len()))?;
    if count > 1 && common.starts_with('+') {
        return Some("+".to_owned());
    }
    let end = common.rfind(['|', '>'])? + 1;
    let end = if common.starts_with(">>>") { return None } else { end };
    let end = end + usize::from(common.get(end..)?.starts_with(' '));
    (count > 1 && !common.starts_with(['#', '@'])).then(|| common.get(..end).map(str::to_owned))?
}

/// The lines behind their numbers, if they all have one.
fn numbered(text: &Lines) -> Option<Vec<String>> {
    let mut rest = vec![String::new(); text.lines.len()];
    let mut separator: Option<String> = None;
    let mut next: Option<u64> = None;
    let mut count = 0;
    for (index, line) in text.filled() {
        let own = line.trim_start();
        let digits = own.find(|c: char| !c.is_ascii_digit()).unwrap_or(own.len());
        let number: u64 = own.get(..digits)?.parse().ok()?;
        if next.is_some_and(|next| next != number) {
            return None;
        }
        next = number.checked_add(1);
        let after = own.get(digits..)?;
        count += 1;
        if after.trim().is_empty() {
            continue;
        }
        let length = match &separator {
            Some(separator) => after.strip_prefix(separator.as_str()).map(|_| separator.len())?,
            None => {
                let marks = after.find(|c: char| !matches!(c, ' ' | '|' | ':' | '\t' | '.' | ')'))?;
                separator = after.get(..marks).map(str::to_owned);
                marks
            }
        };
        *rest.get_mut(index)? = after.get(length..)?.to_owned();
    }
    (count > 1 && separator.is_some_and(|separator| !separator.is_empty())).then_some(rest)
}
