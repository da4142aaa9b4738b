//! Print elements: what a printer makes of docs, one step before text.
//!
//! A printer writes a flat stream of [`Element`]s into a [`Sink`]. The sink decides what becomes of them: plain text, text
//! with recorded ranges, or text laid out for a width. Sinks are type parameters, so a plain print pays for no element
//! that it ignores.

use tvmscript_ir_core::fallible;

use crate::stmt::DocRef;

/// One step of a print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element<'a> {
    /// Text without line ends.
    Text(&'a str),
    /// A new line, indented.
    HardLine,
    /// A new line without indentation, such as ends a function.
    BareLine,
    /// A place where a line may break; the text stands there while it does not.
    SoftLine(&'a str),
    /// Lines that start from here are one level deeper.
    Indent,
    /// Undoes one [`Element::Indent`].
    Dedent,
    /// A group begins: its soft lines break all or not at all.
    GroupBegin,
    /// The innermost group ends.
    GroupEnd,
    /// What a mark speaks of begins.
    MarkBegin(Mark),
    /// What the innermost mark speaks of ends.
    MarkEnd,
}

/// What a range of elements is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The text of a doc that carries an access path.
    Doc(DocRef),
    /// What stands for the innermost marked statement where only something inside it is meant that has no text: the name of
    /// a definition, the line of a loop.
    Head,
    /// A comment or a docstring: never underlined, and no reason to break a line.
    Comment,
}

/// The length of a text for which there was no memory.
pub(crate) const OUT_OF_MEMORY: usize = usize::MAX;

/// Takes the elements of a print in order.
pub trait Sink {
    /// Whether the sink reads marks; if not, none are sent.
    const MARKS: bool;
    /// Whether the sink reads groups and soft lines; if not, soft lines come as text.
    const BREAKS: bool;

    /// Takes the next element.
    fn put(&mut self, element: Element<'_>);

    /// How many bytes the sink holds, for the output budget; `usize::MAX` when it found no memory for more.
    fn byte_len(&self) -> usize;
}

/// Text that grows as long as there is memory.
#[derive(Debug, Default)]
pub(crate) struct GrowingText {
    pub(crate) text: String,
    out_of_memory: bool,
}

impl GrowingText {
    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        if fallible::reserve_text(&mut self.text, text.len()) {
            self.text.push_str(text);
        } else {
            self.out_of_memory = true;
        }
    }

    /// Begins a line that is indented by `indent` spaces.
    #[inline]
    pub(crate) fn line(&mut self, indent: usize) {
        if fallible::reserve_text(&mut self.text, indent + 1) {
            self.text.push('\n');
            push_spaces(&mut self.text, indent);
        } else {
            self.out_of_memory = true;
        }
    }

    /// The length, or [`OUT_OF_MEMORY`].
    #[inline]
    pub(crate) fn len(&self) -> usize {
        if self.out_of_memory { OUT_OF_MEMORY } else { self.text.len() }
    }
}

/// Writes elements straight into text; lines never break.
#[derive(Debug)]
pub struct PlainSink {
    text: GrowingText,
    indent: usize,
    indent_spaces: usize,
}

impl PlainSink {
    /// Creates an empty sink that indents each level by `indent_spaces`.
    pub fn new(indent_spaces: usize) -> Self {
        Self { text: GrowingText::default(), indent: 0, indent_spaces }
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.text.text
    }
}

impl Sink for PlainSink {
    const MARKS: bool = false;
    const BREAKS: bool = false;

    #[inline(always)]
    fn put(&mut self, element: Element<'_>) {
        match element {
            Element::Text(text) | Element::SoftLine(text) => self.text.push(text),
            Element::HardLine => self.text.line(self.indent),
            Element::BareLine => self.text.line(0),
            Element::Indent => self.indent += self.indent_spaces,
            Element::Dedent => self.indent -= self.indent_spaces,
            Element::GroupBegin | Element::GroupEnd | Element::MarkBegin(_) | Element::MarkEnd => {}
        }
    }

    #[inline]
    fn byte_len(&self) -> usize {
        self.text.len()
    }
}

/// Appends `count` spaces.
#[inline]
pub(crate) fn push_spaces(text: &mut String, mut count: usize) {
    const SPACES: &str = "                                                                ";
    while count > SPACES.len() {
        text.push_str(SPACES);
        count -= SPACES.len();
    }
    text.push_str(&SPACES[..count]);
}
