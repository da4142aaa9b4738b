//! Application of headers during parsing.

use std::collections::VecDeque;

use super::Parser;
use crate::errors::ParseErrorKind;
use crate::header::{self, Header, HeaderError, HeaderLine, Setting};
use tvmscript_ir_core::{TextRules, TextScope};
use tvmscript_python_syntax::ast::{HasRange, Name, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::prescan::Comment;
use tvmscript_script_eval::errors::EvalError;
use tvmscript_script_eval::{Binding, Slot};

#[derive(Debug, Default)]
pub(super) struct Headers {
    /// Header lines after the current position.
    lines: VecDeque<HeaderLine>,
    /// End of the last statement; comments before it are inside the statement.
    behind: u32,
    /// Options that always apply.
    base: Header,
    /// The rules of the text, which headers change; `None` for a text without headers.
    rules: Option<TextScope>,
    /// `true` if a header applies.
    holds: bool,
    /// `true` if names of variables end in an address.
    addresses: bool,
    /// Number of scripts at the last header.
    scripts: usize,
    /// Names that a header binds, with their previous slots.
    names: Vec<(Name, Slot)>,
}

impl Parser<'_> {
    /// Finds the headers of the text, and starts its rules.
    pub(super) fn begin_headers(&mut self, comments: &[Comment], base: &Header) {
        // Headers of imported modules concern their own text.
        let own =
            comments.partition_point(|comment| self.state.program.parts.at(comment.range.start).is_none());
        let comments = comments.get(..own).unwrap_or_default();
        let lines =
            header::lines(self.state.program.text(), comments, &self.script.tables.release.syntax).into();
        let rules = Some(TextRules::PLAIN.enter());
        self.script.headers = Headers { lines, base: base.clone(), rules, ..Headers::default() };
    }

    /// Applies [`ParseOptions::header`](crate::ParseOptions::header). Predefined names must be bound before.
    pub(super) fn set_base_header(&mut self) {
        let base = self.script.headers.base.clone();
        for (name, value) in base.entries() {
            if let Err(error) = self.follow(name, value) {
                self.header_error(error, TextRange::at(0));
            }
        }
        // These names stay bound.
        self.script.headers.names.clear();
    }

    /// Applies the headers between the previous statement and this one.
    pub(super) fn enter_headers(&mut self, next: impl HasRange) {
        self.script.headers.scripts = self.script.scripts.done.len();
        let start = next.range_in(&self.state.ast).start;
        while self.script.headers.lines.front().is_some_and(|line| line.range.start < start) {
            let Some(line) = self.script.headers.lines.pop_front() else { break };
            if line.range.start < self.script.headers.behind {
                continue;
            }
            self.script.headers.holds = true;
            for (name, value) in &line.entries {
                match self.follow(name, value) {
                    Err(HeaderError::UnknownOption { .. }) if line.is_import => {}
                    Err(error) => self.header_error(error, line.range),
                    Ok(()) => {}
                }
            }
        }
    }

    /// Ends the current headers after a definition, whose results have their names by now.
    pub(super) fn leave_headers(&mut self, id: StmtId) {
        if self.script.headers.addresses {
            let new = self.script.scripts.done.get(self.script.headers.scripts..).unwrap_or_default();
            new.iter().for_each(|script| header::rename_without_addresses(&script.node));
        }
        self.script.headers.behind = self.state.ast.range(id).end;
        let is_definition = matches!(self.state.ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        if !is_definition || !std::mem::take(&mut self.script.headers.holds) {
            return;
        }
        self.set_rules(TextRules::PLAIN);
        self.script.headers.addresses = false;
        for (name, slot) in std::mem::take(&mut self.script.headers.names).into_iter().rev() {
            if self.state.program.is_written(name) {
                continue;
            }
            self.state.program.set_global(name, slot);
        }
        let base = self.script.headers.base.clone();
        for (name, value) in base.entries() {
            // Errors were reported the first time.
            let _ = self.follow(name, value);
        }
        self.script.headers.names.clear();
    }

    fn follow(&mut self, name: &str, value: &str) -> Result<(), HeaderError> {
        let dialects: Vec<&str> = self.script.tables.namespaces.iter().map(|(dialect, _)| *dialect).collect();
        let table = self.script.tables.handlers.clone();
        match Setting::find(name, value, &table, &dialects)? {
            Setting::Option { option, value } => {
                let mut rules = TextRules::current();
                header::set(option, value, &mut rules)?;
                self.set_rules(rules);
            }
            Setting::Addresses(on) => self.script.headers.addresses = on,
            Setting::Prefix { dialect, prefix } => {
                // Names that do not occur in the text need no value.
                let name = self.state.ast.find_name(prefix);
                if let (Some(name), Some(namespace)) = (name, self.namespace(dialect)) {
                    let slot = Slot::new(Binding::Value(namespace), TextRange::default());
                    let before = self.state.program.set_unless_written(name, slot);
                    self.script.headers.names.extend(before.map(|before| (name, before)));
                }
            }
        }
        Ok(())
    }

    fn set_rules(&self, rules: TextRules) {
        if let Some(scope) = &self.script.headers.rules {
            scope.set(rules);
        }
    }

    fn header_error(&mut self, error: HeaderError, range: TextRange) {
        let near = match &error {
            HeaderError::UnknownOption { name, known } => {
                tvmscript_script_eval::errors::suggest::nearest(name, known.iter().map(String::as_str))
                    .map(|near| near.name.to_owned())
            }
            _ => None,
        };
        let mut error = EvalError::new(ParseErrorKind::Header { message: error.to_string() }, range);
        error.help = near.map(|near| format!("did you mean `{near}`?"));
        let _ = self.state.report(error);
    }
}
