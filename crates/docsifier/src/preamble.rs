//! Statements between the header and the script, such as declarations that all functions of a module share.

use std::collections::BTreeMap;

use tvmscript_doc::StmtDoc;

/// Statements by key, each with the line of the header that it needs.
#[derive(Debug, Default)]
pub(crate) struct Preamble(BTreeMap<String, (Option<&'static str>, StmtDoc)>);

impl Preamble {
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn add(&mut self, key: &str, import: Option<&'static str>, stmt: StmtDoc) {
        self.0.insert(key.to_owned(), (import, stmt));
    }

    /// The lines of the header, each once.
    pub(crate) fn imports(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.0.values().filter_map(|(line, _)| *line) {
            if !lines.iter().any(|known| known == line) {
                lines.push(line.to_owned());
            }
        }
        lines
    }

    /// The statements in the order of their keys.
    pub(crate) fn stmts(&self) -> impl Iterator<Item = StmtDoc> {
        self.0.values().map(|(_, stmt)| *stmt)
    }
}
