//! Indentation that all lines share.

use super::Lines;

fn margin(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

fn common<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    a.get(..length).unwrap_or_default()
}

/// Removes the indentation that all lines but comments share, and tabs from mixed indentation.
pub(super) fn remove(text: &mut Lines) {
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let code: Vec<&str> = text.filled().map(|(_, line)| line).filter(|line| !is_comment(line)).collect();
    let shared = |lines: &[&str]| -> Option<String> {
        let mut margins = lines.iter().map(|line| margin(line));
        let first = margins.next()?;
        Some(margins.fold(first, common).to_owned()).filter(|margin| !margin.is_empty())
    };
    // The selection of the text may have begun after the indentation of its first line.
    let rest = match code.split_first() {
        Some((first, rest)) if first.starts_with('@') => shared(rest),
        _ => None,
    };
    if let Some(shared) = shared(&code).or(rest) {
        text.rewrite("the indentation that all lines share", |_, line| {
            let length = common(margin(line), &shared).len();
            line.get(length..).map(str::to_owned)
        });
    }
    let has = |text: &Lines, c: char| text.filled().any(|(_, line)| margin(line).contains(c));
    if has(text, '\t') && has(text, ' ') {
        let width = tab_width(text);
        let what = format!("tabs in the indentation, which count as {} spaces", width.len());
        text.rewrite(&what, |_, line| {
            let margin = margin(line);
            Some(margin.replace('\t', width) + line.get(margin.len()..).unwrap_or_default())
        });
    }
}

/// The spaces for a tab: four, unless a body would not be indented more than its head.
fn tab_width(text: &Lines) -> &'static str {
    let mut head: Option<&str> = None;
    for (_, line) in text.filled() {
        let own = margin(line);
        if let Some(head) = head
            && own.replace('\t', "    ").len() <= head.replace('\t', "    ").len()
        {
            return "        ";
        }
        head = line.trim_end().ends_with(':').then_some(own);
    }
    "    "
}
