//! A text with the IR that it is the text of.

use tvmscript_diff::name_of;
use tvmscript_docsifier::MappedText;
use tvmscript_ir_core::Object;

use super::positions::Positions;

/// The text of a function, or of anything else, with its IR if that is known.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The lines, joined by `\n`.
    pub text: &'a str,
    /// The IR.
    pub ir: Option<&'a Ir>,
}

impl<'a> Text<'a> {
    /// A text without IR.
    pub fn plain(text: &'a str) -> Text<'a> {
        Text { text, ir: None }
    }
}

/// IR with the line on which each node begins.
#[derive(Debug)]
pub struct Ir {
    pub(crate) root: Object,
    pub(crate) positions: Positions,
    /// Lines of the text that [`Ir::positions`] counts before this text begins.
    pub(crate) lines_before: u32,
}

impl Ir {
    /// IR with its printed text, [`MappedText::text`].
    pub fn of_mapped(mapped: &MappedText) -> Ir {
        Ir { root: mapped.root().clone(), positions: Positions::of_mapped(mapped), lines_before: 0 }
    }

    /// IR that was read from `text`, by its spans.
    pub fn of_read(root: &Object, text: &str) -> Ir {
        Ir { root: root.clone(), positions: Positions::of_spans(root, text), lines_before: 0 }
    }

    /// A part of this IR, whose text begins after a number of lines of the text of the whole.
    #[must_use]
    pub fn part(&self, root: &Object, lines_before: u32) -> Ir {
        Ir { root: root.clone(), positions: self.positions.clone(), lines_before }
    }

    /// The line of the text, from 0, on which a node begins.
    pub(crate) fn line(&self, node: &Object) -> Option<u32> {
        self.positions.line(node)?.checked_sub(self.lines_before)
    }

    /// The name of a variable in the text.
    pub(crate) fn name<'n>(&'n self, node: &'n Object) -> Option<&'n str> {
        self.positions.name(node).or_else(|| name_of(node))
    }
}

/// Words and signs of lines.
#[derive(Debug)]
pub(crate) struct Words;

impl Words {
    /// The words, numbers and signs of a line.
    pub(crate) fn of(line: &str) -> impl Iterator<Item = &str> {
        let mut rest = line.trim_start();
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, after) = rest.split_at(end);
            rest = after.trim_start();
            Some(word)
        })
    }
}

/// Returns `true` for a character of a name or number.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
