//! The functions of a text.

/// A piece of a text: a function, or what stands before or between functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartText<'a> {
    /// Name of the function.
    pub function: Option<&'a str>,
    /// The lines, joined by `\n`.
    pub text: &'a str,
    /// Lines of the whole text before it.
    pub lines_before: u32,
}

/// Splits Python text at its functions: those of the module, and the methods of its classes. The parts, joined by newlines, are
/// the text without the newlines at its end. Blank lines belong to the part after them.
pub fn parts(text: &str) -> Vec<PartText<'_>> {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        return Vec::new();
    }
    let mut cuts = Cuts::default();
    let mut at = 0;
    for (number, line) in text.split('\n').enumerate() {
        cuts.line(at, u32::try_from(number).unwrap_or(u32::MAX), line);
        at += line.len() + 1;
    }
    cuts.split(text)
}

/// Begin of a part: first byte and number of the line, and the name of the function.
type Cut<'a> = (usize, u32, Option<&'a str>);

#[derive(Debug, Default)]
struct Cuts<'a> {
    cuts: Vec<Cut<'a>>,
    /// Indentation of the methods of the class, and `true` in a class.
    margin: usize,
    is_class: bool,
    /// The first line after the last one of the part so far: its offset and number, if it is blank.
    blank: Option<(usize, u32)>,
    /// The first decorator of the function to come.
    decorated: Option<(usize, u32)>,
    /// `true` between a class line and the first line of its body.
    is_margin_open: bool,
    /// `true` in a function.
    is_function: bool,
}

impl<'a> Cuts<'a> {
    fn line(&mut self, at: usize, number: u32, line: &'a str) {
        let code = line.trim_start();
        if code.trim_end().is_empty() {
            self.blank.get_or_insert((at, number));
            return;
        }
        let begin = self.blank.take().unwrap_or((at, number));
        let indent = line.len() - code.len();
        if self.is_margin_open {
            (self.margin, self.is_margin_open) = (indent, false);
        }
        if self.cuts.is_empty() {
            self.cuts.push((0, 0, None));
        }
        if indent == 0 && code.starts_with("class ") {
            let (at, number) = self.decorated.take().unwrap_or(begin);
            if self.is_function {
                self.cut((at, number, None));
            }
            (self.is_class, self.is_margin_open, self.is_function) = (true, true, false);
            return;
        }
        let is_member = if self.is_class { indent == self.margin || indent == 0 } else { indent == 0 };
        if !is_member {
            return;
        }
        if indent == 0 && self.margin > 0 && !code.starts_with([')', ']', '}', '#']) {
            (self.is_class, self.margin) = (false, 0);
        }
        if code.starts_with('@') {
            self.decorated.get_or_insert(begin);
        } else if let Some(rest) = code.strip_prefix("def ") {
            let (at, number) = self.decorated.take().unwrap_or(begin);
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            self.cut((at, number, Some(name)));
            self.is_function = true;
        } else if !code.starts_with([')', ']', '}']) {
            self.decorated = None;
            if std::mem::take(&mut self.is_function) {
                self.cut((begin.0, begin.1, None));
            }
        }
    }

    fn cut(&mut self, cut: Cut<'a>) {
        // A part that begins where another one does takes its place.
        if self.cuts.last().is_some_and(|last| last.0 >= cut.0) {
            self.cuts.pop();
        }
        self.cuts.push(cut);
    }

    fn split(self, text: &'a str) -> Vec<PartText<'a>> {
        let ends = self.cuts.iter().skip(1).map(|cut| cut.0.saturating_sub(1)).chain([text.len()]);
        let parts = self.cuts.iter().zip(ends).map(|(&(begin, lines_before, function), end)| PartText {
            function,
            text: text.get(begin..end).unwrap_or_default(),
            lines_before,
        });
        parts.collect()
    }
}
