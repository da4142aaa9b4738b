//! Logs: texts under headings that name a pass, before or after it.

use super::builder::{Builder, Pass};

/// A text under a heading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Logged<'a> {
    pub(crate) heading: Heading<'a>,
    pub(crate) text: &'a str,
}

/// A heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    pub(crate) is_before: bool,
    pub(crate) pass: &'a str,
    pub(crate) phase: Option<&'a str>,
    pub(crate) is_failed: bool,
}

/// Splits a log at its headings, which `heading` recognises.
pub(crate) fn split<'a>(log: &'a str, heading: impl Fn(&'a str) -> Option<Heading<'a>>) -> Vec<Logged<'a>> {
    let mut dumps: Vec<Logged<'a>> = Vec::new();
    let mut text_from = 0;
    let mut at = 0;
    for line in log.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let Some(heading) = heading(line.trim_end()) else { continue };
        if let Some(last) = dumps.last_mut() {
            last.text = log.get(text_from..begin).unwrap_or_default();
        }
        dumps.push(Logged { heading, text: "" });
        text_from = at;
    }
    if let Some(last) = dumps.last_mut() {
        last.text = log.get(text_from..).unwrap_or_default();
    }
    dumps
}

/// Adds the passes of a log.
pub(crate) fn add(builder: &mut Builder, dumps: Vec<Logged<'_>>, language: &'static str) {
    let has = |is_before: bool| dumps.iter().any(|dump| dump.heading.is_before == is_before);
    match (has(true), has(false)) {
        (true, true) => add_pairs(builder, &dumps, language),
        (true, false) => add_before_only(builder, &dumps, language),
        _ => {
            for (index, dump) in dumps.iter().enumerate() {
                let pass = pass_of(builder, dump, language);
                if index == 0 {
                    builder.add_input(&pass);
                }
                builder.add_pass(&pass);
            }
            builder.fold_sequences();
        }
    }
}

fn pass_of(builder: &mut Builder, dump: &Logged<'_>, language: &'static str) -> Pass {
    let text = Some(builder.text(dump.text));
    let Heading { is_before, pass, phase, is_failed } = dump.heading;
    let (before, after) = if is_before { (text, None) } else { (None, text) };
    Pass { name: pass.to_owned(), phase: phase.map(str::to_owned), before, after, language, is_failed }
}

/// Passes with both texts: a pass ran those that began and ended between its texts.
fn add_pairs(builder: &mut Builder, dumps: &[Logged<'_>], language: &'static str) {
    // Passes that have not ended, with the items inside of them.
    let mut open: Vec<(Pass, Vec<usize>)> = Vec::new();
    for dump in dumps {
        let pass = pass_of(builder, dump, language);
        if builder.items.is_empty() {
            builder.add_input(&pass);
        }
        if dump.heading.is_before {
            open.push((pass, Vec::new()));
            continue;
        }
        let began = open.iter().rposition(|(began, _)| began.name == pass.name && began.phase == pass.phase);
        let mut inner = Vec::new();
        let mut before = None;
        if let Some(began) = began {
            // Passes that have no text after them did not end.
            while open.len() > began + 1 {
                end_failed(builder, &mut open);
            }
            if let Some((began, items)) = open.pop() {
                (before, inner) = (began.before, items);
            }
        }
        end(builder, &Pass { before, ..pass }, inner, &mut open);
    }
    while !open.is_empty() {
        end_failed(builder, &mut open);
    }
}

fn end_failed(builder: &mut Builder, open: &mut Vec<(Pass, Vec<usize>)>) {
    if let Some((pass, inner)) = open.pop() {
        end(builder, &pass, inner, open);
    }
}

fn end(builder: &mut Builder, pass: &Pass, inner: Vec<usize>, open: &mut [(Pass, Vec<usize>)]) {
    let index = builder.items.len();
    for item in inner {
        builder.items.get_mut(item).into_iter().for_each(|item| item.inside = Some(index));
    }
    builder.add_pass(pass);
    open.last_mut().into_iter().for_each(|(_, inner)| inner.push(index));
}

/// Passes with the text before each: the text after one is the text before the next one.
fn add_before_only(builder: &mut Builder, dumps: &[Logged<'_>], language: &'static str) {
    let mut passes: Vec<Pass> = dumps.iter().map(|dump| pass_of(builder, dump, language)).collect();
    let mut next = None;
    for pass in passes.iter_mut().rev() {
        pass.after = std::mem::replace(&mut next, pass.before).or(pass.before);
    }
    for (index, pass) in passes.iter().enumerate() {
        if index == 0 {
            builder.add_input(pass);
        }
        builder.add_pass(pass);
    }
    if let Some(last) = builder.items.last_mut() {
        last.error = Some("the log has no text after this pass".to_owned());
    }
}
