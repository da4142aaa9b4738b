//! Print elements, the intermediate form between docs and text.
//!
//! A printer writes a flat stream of [`Element`]s into a [`Sink`], which produces plain text, text with recorded
//! ranges, or text laid out for a width. Sinks are type parameters, so a plain print does not pay for elements that it
//! ignores.

use tvmscript_ir_core::fallible;

use crate::stmt::DocRef;

/// A print element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element<'a> {
    /// Text without newlines.
    Text(&'a str),
    /// A new line, indented.
    HardLine,
    /// A new line without indentation, such as the one after a function.
    BareLine,
    /// A possible line break; prints the text if the line is not broken.
    SoftLine(&'a str),
    /// Increases the indentation of the following lines by one level.
    Indent,
    /// Decreases the indentation by one level.
    Dedent,
    /// Starts a group, whose soft lines break all or not at all.
    GroupBegin,
    /// Ends the innermost group.
    GroupEnd,
    /// Starts a marked range.
    MarkBegin(Mark),
    /// Ends the innermost marked range.
    MarkEnd,
}

/// The kind of a marked range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The text of a doc that carries an access path.
    Doc(DocRef),
    /// The part of the innermost marked statement that represents descendants without text: the name of a definition,
    /// the line of a loop.
    Head,
    /// A comment or docstring, which is never underlined and never causes a line break.
    Comment,
}

/// The length reported after running out of memory.
pub(crate) const OUT_OF_MEMORY: usize = usize::MAX;

/// Consumer of print elements.
pub(crate) trait Sink {
    /// `true` if the sink uses marks; otherwise none are sent.
    const MARKS: bool;
    /// `true` if the sink uses groups and soft lines; otherwise soft lines are sent as text.
    const BREAKS: bool;

    /// Consumes an element.
    fn put(&mut self, element: Element<'_>);

    /// Number of bytes in the sink, for the output budget; `usize::MAX` after running out of memory.
    fn byte_len(&self) -> usize;
}

/// A string that records allocation failures.
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

    /// Starts a line indented by `indent` spaces.
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

/// A sink for plain text without line breaking.
#[derive(Debug)]
pub(crate) struct PlainSink {
    text: GrowingText,
    indent: usize,
    indent_spaces: usize,
}

impl PlainSink {
    /// Creates an empty sink that indents each level by `indent_spaces`.
    pub(crate) fn new(indent_spaces: usize) -> Self {
        Self { text: GrowingText::default(), indent: 0, indent_spaces }
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
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
