//! Headers while a text is read: which one holds, and what it has set.

use std::collections::VecDeque;

use super::Parser;
use crate::errors::{ParseError, ParseErrorKind};
use crate::header::{self, Header, HeaderError, HeaderLine, Reset, Setting};
use tvmscript_python_syntax::ast::{HasRange, Name, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::prescan::Comment;
use tvmscript_script_eval::{Binding, Slot};

/// The headers of a text.
#[derive(Debug, Default)]
pub(super) struct Headers {
    /// Those that were not reached yet.
    lines: VecDeque<HeaderLine>,
    /// Where the last statement ended: comments before stand inside of it.
    behind: u32,
    /// What holds everywhere.
    base: Header,
    /// Whether a header holds now.
    holds: bool,
    /// Whether names of variables end in an address.
    addresses: bool,
    /// How many scripts there were when the last header was reached.
    scripts: usize,
    /// The names that a header gave values, with their slots before.
    names: Vec<(Name, Slot)>,
}

impl Parser<'_> {
    /// Finds the headers of the text. What they set is reset once the result is dropped.
    pub(super) fn begin_headers(&mut self, comments: &[Comment], base: &Header) -> Reset {
        let reset = Reset(self.tables.handlers.clone());
        let lines = header::lines(self.program.text(), comments, self.tables.profile).into();
        self.headers = Headers { lines, base: base.clone(), ..Headers::default() };
        reset
    }

    /// Sets what holds in front of the first header. The names that need no import have values by now.
    pub(super) fn set_base_header(&mut self) {
        let base = self.headers.base.clone();
        for (name, value) in base.entries() {
            if let Err(error) = self.follow(name, value) {
                self.header_error(error, TextRange::at(0));
            }
        }
        // These names stay.
        self.headers.names.clear();
    }

    /// Follows the headers between the statement before and this one.
    pub(super) fn enter_headers(&mut self, next: impl HasRange) {
        self.headers.scripts = self.scripts.done.len();
        let start = next.range_in(&self.ast).start;
        while self.headers.lines.front().is_some_and(|line| line.range.start < start) {
            let Some(line) = self.headers.lines.pop_front() else { break };
            if line.range.start < self.headers.behind {
                continue;
            }
            self.headers.holds = true;
            for (name, value) in &line.entries {
                match self.follow(name, value) {
                    Err(HeaderError::UnknownOption { .. }) if line.is_import => {}
                    Err(error) => self.header_error(error, line.range),
                    Ok(()) => {}
                }
            }
        }
    }

    /// Ends the headers that hold, behind a definition. What it built has its names by now.
    pub(super) fn leave_headers(&mut self, id: StmtId) {
        if self.headers.addresses {
            self.scripts.done[self.headers.scripts..]
                .iter()
                .for_each(|script| header::rename_without_addresses(&script.node));
        }
        self.headers.behind = self.ast.range(id).end;
        let is_definition = matches!(self.ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        if !is_definition || !std::mem::take(&mut self.headers.holds) {
            return;
        }
        Reset::now(&self.tables.handlers);
        self.headers.addresses = false;
        for (name, slot) in std::mem::take(&mut self.headers.names).into_iter().rev() {
            if self.program.is_written(name) {
                continue;
            }
            self.program.set_global(name, slot);
        }
        let base = self.headers.base.clone();
        for (name, value) in base.entries() {
            // What is wrong with it was said at the beginning.
            let _ = self.follow(name, value);
        }
        self.headers.names.clear();
    }

    fn follow(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let dialects: Vec<&str> = self.tables.namespaces.iter().map(|(dialect, _)| *dialect).collect();
        let table = self.tables.handlers.clone();
        match Setting::find(name, value, &table, &dialects)? {
            Setting::Option { option, value } => header::set(option, value)?,
            Setting::Addresses(on) => self.headers.addresses = on,
            Setting::Prefix { dialect, prefix } => {
                // A name that occurs nowhere needs no value.
                let name = self.ast.find_name(prefix);
                if let (Some(name), Some(namespace)) = (name, self.namespace(dialect)) {
                    let slot = Slot::new(Binding::Value(namespace), TextRange::default());
                    let before = self.program.set_unless_written(name, slot);
                    self.headers.names.extend(before.map(|before| (name, before)));
                }
            }
        }
        Ok(())
    }

    fn header_error(&mut self, error: HeaderError, range: TextRange) {
        let near = match &error {
            HeaderError::UnknownOption { name, known } => {
                crate::errors::suggest::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
            }
            _ => None,
        };
        let mut error = ParseError::new(ParseErrorKind::Header { message: error.to_string() }, range);
        error.help = near.map(|near| format!("did you mean `{near}`?"));
        let _ = self.report(error);
    }
}
