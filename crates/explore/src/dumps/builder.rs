//! A dump while it is read.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::folder::{File, Folder};
use super::{Dump, DumpError, Item, MAX_BYTES};
use crate::page::kept;

/// Maximum number of names in a note.
const MAX_NAMES: usize = 3;

/// Error of a pass that says so, or has no text after it: then the text before is shown.
const FAILED: &str = "the pass failed";

/// Items, and texts of which each is kept once.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    texts: IndexSet<String>,
    read_bytes: u64,
    pub(crate) items: Vec<Item>,
    /// The last item with each text.
    last_with: HashMap<usize, usize>,
    pub(crate) notes: Vec<String>,
}

/// A pass with its texts.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    pub(crate) name: String,
    pub(crate) phase: Option<String>,
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
    pub(crate) language: &'static str,
    pub(crate) is_failed: bool,
}

impl Builder {
    /// The index of a text, which loses newlines at its end.
    pub(crate) fn text(&mut self, text: &str) -> usize {
        kept(&mut self.texts, text)
    }

    /// The index of the text of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or all files together are too large.
    pub(crate) fn file(&mut self, file: &File) -> Result<usize, DumpError> {
        let text = file.text(MAX_BYTES.saturating_sub(self.read_bytes)).map_err(|error| match error {
            DumpError::TooLarge { name, .. } => DumpError::TooLarge { name, limit_bytes: MAX_BYTES },
            other => other,
        })?;
        self.read_bytes += text.len() as u64;
        Ok(self.text(&text))
    }

    pub(crate) fn is_empty_text(&self, text: usize) -> bool {
        self.texts.get_index(text).is_none_or(|text| text.trim().is_empty())
    }

    /// Adds the passes of a program in the order in which they began, after its input.
    ///
    /// A pass that ran others is recognised by its texts: the next pass begins with the same text, and a later one ends with the
    /// same text. It comes after those, as it ended after them.
    pub(crate) fn add_program(&mut self, passes: &[Pass]) {
        let (mut first, mut last_phase) = (true, None);
        let ended = nested(passes);
        let mut places = Vec::with_capacity(ended.len());
        for (index, _) in &ended {
            let Some(pass) = passes.get(*index) else { continue };
            // Inside of a program, a text that nothing led to begins another one if the phase is another one, too.
            let is_unknown = pass.before.is_some_and(|before| !self.last_with.contains_key(&before));
            let is_other = last_phase.is_some_and(|phase| phase != &pass.phase) && pass.language == "python";
            if first || (is_other && is_unknown) {
                self.add_input(pass);
            }
            (first, last_phase) = (false, Some(&pass.phase));
            places.push(self.items.len());
            self.add_pass(pass);
        }
        for (at, (_, outer)) in ended.iter().enumerate() {
            let outer = outer.and_then(|outer| places.get(outer)).copied();
            let item = places.get(at).and_then(|place| self.items.get_mut(*place));
            item.into_iter().for_each(|item| item.inside = outer);
        }
    }

    /// Adds the input of a pass: its text before, else its text after.
    pub(crate) fn add_input(&mut self, pass: &Pass) {
        if pass.before.is_none() && self.items.is_empty() {
            self.notes.push(format!(
                "the dump has no text before `{}`: its text after is shown as the input",
                pass.name
            ));
        }
        let text = pass.before.or(pass.after).unwrap_or_else(|| self.text(""));
        // Code that was made has a script before it.
        let language = if pass.before.is_some() && pass.language == "c" { "python" } else { pass.language };
        let phase = pass.phase.clone();
        self.push(Item { name: "input".to_owned(), phase, language, text, ..Item::default() });
    }

    /// Adds a pass.
    pub(crate) fn add_pass(&mut self, pass: &Pass) {
        let before = pass.before.and_then(|before| self.last_with.get(&before).copied());
        let base = before.or_else(|| self.items.len().checked_sub(1));
        // A pass that failed leaves no text, or an empty one.
        let after = pass.after.filter(|text| {
            !self.is_empty_text(*text) || pass.before.is_none_or(|before| self.is_empty_text(before))
        });
        let is_failed = pass.is_failed || after.is_none();
        let error = is_failed.then(|| FAILED.to_owned());
        let text = after.or(pass.before).unwrap_or_else(|| self.text(""));
        let (name, phase, language) = (pass.name.clone(), pass.phase.clone(), pass.language);
        self.push(Item { name, phase, base, language, text, error, ..Item::default() });
    }

    fn push(&mut self, item: Item) {
        self.last_with.insert(item.text, self.items.len());
        self.items.push(item);
    }

    /// Puts the passes that a `sequential` ran inside of it, for dumps without texts before passes: a `sequential` repeats the
    /// text of its last pass, and its passes are those since the `sequential` before.
    pub(crate) fn fold_sequences(&mut self) {
        let mut begin = 0;
        for index in 1..self.items.len() {
            let Some([last, item]) = self.items.get(index - 1..=index) else { continue };
            if item.base.is_none() {
                begin = index + 1;
                continue;
            }
            let is_sequence = item.name.rsplit('.').next() == Some("sequential");
            if !is_sequence || last.text != item.text {
                continue;
            }
            // A sequence of nothing but a sequence.
            let begin_of_this = if begin == index { index - 1 } else { begin };
            for inner in self.items.get_mut(begin_of_this..index).into_iter().flatten() {
                if inner.base.is_some() && inner.inside.is_none() {
                    inner.inside = Some(index);
                }
            }
            begin = index + 1;
        }
    }

    /// Notes the files that are no part of the dump.
    pub(crate) fn note_others(&mut self, folder: &Folder, used: &[usize]) {
        let used: std::collections::HashSet<&usize> = used.iter().collect();
        let others = folder.files.iter().enumerate().filter(|(index, _)| !used.contains(index));
        let others: Vec<&str> = others.map(|(_, file)| file.name.as_str()).collect();
        if !others.is_empty() {
            let mut names = others.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
            if others.len() > MAX_NAMES {
                names.push_str(&format!(" and {} more", others.len() - MAX_NAMES));
            }
            self.notes.push(format!("files that are no dumps were left out: {names}"));
        }
    }

    pub(crate) fn finish(self, name: String) -> Dump {
        Dump { name, texts: self.texts.into_iter().collect(), items: self.items, notes: self.notes }
    }
}

/// Indices of passes in the order in which they ended, each with the place in this order of the pass that ran it.
fn nested(passes: &[Pass]) -> Vec<(usize, Option<usize>)> {
    /// Maximum number of passes that are looked at for the last one that a pass ran.
    const MAX_INNER: usize = 512;
    // The last pass inside of each pass that ran others.
    let last_inside = |index: usize| -> Option<usize> {
        let outer = passes.get(index)?;
        let (before, after) = (outer.before?, outer.after?);
        let next = passes.get(index + 1)?;
        if before == after || next.before != Some(before) {
            return None;
        }
        let ends = |pass: &Pass| pass.after == Some(after);
        (index + 1..passes.len().min(index + MAX_INNER)).find(|&inner| passes.get(inner).is_some_and(ends))
    };
    let mut ended = Vec::new();
    // Passes that have not ended, with their last pass inside and their items.
    let mut open: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    let end = |index: usize, inner: Vec<usize>, ended: &mut Vec<(usize, Option<usize>)>| {
        let at = ended.len();
        for item in inner {
            if let Some((_, outer)) = ended.get_mut(item) {
                *outer = Some(at);
            }
        }
        ended.push((index, None));
        at
    };
    for index in 0..passes.len() {
        let limit = open.last().map_or(usize::MAX, |(_, last, _)| *last);
        match last_inside(index).filter(|last| *last <= limit) {
            Some(last) => open.push((index, last, Vec::new())),
            None => {
                let at = end(index, Vec::new(), &mut ended);
                open.last_mut().into_iter().for_each(|(_, _, inner)| inner.push(at));
            }
        }
        while open.last().is_some_and(|(outer, last, _)| *last <= index && *outer < index) {
            let Some((outer, _, inner)) = open.pop() else { break };
            let at = end(outer, inner, &mut ended);
            open.last_mut().into_iter().for_each(|(_, _, inner)| inner.push(at));
        }
    }
    ended
}
