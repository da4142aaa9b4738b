//! Statements between the header and the script, such as declarations that all functions of a module share.

use std::collections::{BTreeMap, BTreeSet};

use tvmscript_doc::StmtDoc;

/// A statement, with the line of the header that it needs.
type Entry = (Option<&'static str>, StmtDoc);

/// Statements with a key each, in groups: those of one definition of a module, in the order of their keys.
#[derive(Debug, Default)]
pub(crate) struct Preamble {
    keys: BTreeSet<String>,
    closed: Vec<Entry>,
    open: BTreeMap<String, Entry>,
}

impl Preamble {
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    pub(crate) fn add(&mut self, key: &str, import: Option<&'static str>, stmt: StmtDoc) {
        if self.keys.insert(key.to_owned()) {
            self.open.insert(key.to_owned(), (import, stmt));
        }
    }

    /// Ends a group: statements added later print after it.
    pub(crate) fn close_group(&mut self) {
        self.closed.extend(std::mem::take(&mut self.open).into_values());
    }

    /// The lines of the header, each once.
    pub(crate) fn imports(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.entries().filter_map(|(line, _)| *line) {
            if !lines.iter().any(|known| known == line) {
                lines.push(line.to_owned());
            }
        }
        lines
    }

    pub(crate) fn stmts(&self) -> impl Iterator<Item = StmtDoc> {
        self.entries().map(|(_, stmt)| *stmt)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.closed.iter().chain(self.open.values())
    }
}
