//! Statements of a scope under construction.
//!
//! A scope that extends to the end of the enclosing block (`Toy.region("a")`) passes its statements to that block.
//! [`Stmts::append`] moves the shorter side, so a chain of such scopes stays linear.

use std::collections::VecDeque;

use tvmscript_doc::StmtDoc;

/// A sequence of statements.
#[derive(Debug, Clone, Default)]
pub struct Stmts(VecDeque<StmtDoc>);

impl Stmts {
    /// Appends a statement.
    pub fn push(&mut self, stmt: StmtDoc) {
        self.0.push_back(stmt);
    }

    /// Appends the statements of another scope.
    pub fn append(&mut self, mut other: Stmts) {
        if self.0.len() < other.0.len() {
            while let Some(stmt) = self.0.pop_back() {
                other.0.push_front(stmt);
            }
            self.0 = other.0;
        } else {
            self.0.append(&mut other.0);
        }
    }

    /// Appends statements.
    pub fn extend(&mut self, stmts: impl IntoIterator<Item = StmtDoc>) {
        self.0.extend(stmts);
    }

    /// Removes and returns the statements from index `at` on.
    pub fn split_off(&mut self, at: usize) -> Vec<StmtDoc> {
        self.0.split_off(at.min(self.0.len())).into()
    }

    /// Removes all statements.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no statements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The statements in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = StmtDoc> + '_ {
        self.0.iter().copied()
    }

    /// The statements as a vector.
    pub fn into_vec(self) -> Vec<StmtDoc> {
        self.0.into()
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_doc::DocArena;

    use super::*;

    #[test]
    fn appending_keeps_the_order_whichever_side_is_longer() {
        let mut docs = DocArena::new();
        let all: Vec<StmtDoc> = (0..5).map(|n| docs.comment(&n.to_string())).collect();
        for at in 0..=all.len() {
            let (mut stmts, mut rest) = (Stmts::default(), Stmts::default());
            stmts.extend(all[..at].iter().copied());
            rest.extend(all[at..].iter().copied());
            stmts.append(rest);
            assert_eq!(stmts.split_off(9), []);
            assert_eq!(stmts.into_vec(), all);
        }
    }
}
