//! Dispatch: the printer of a node under the current token.
//!
//! A token names a set of rules (`"tir"`, `"ir"`). Tokens nest: the innermost one applies, and the default token where it has
//! no rule.

use tvmscript_ir_core::{Registry, Token, TypeInfo};

use crate::table::{Handler, PrinterTable};

/// The table of printers, and the tokens that are open.
pub(crate) struct Dispatch<'r> {
    registry: &'r Registry,
    table: &'r PrinterTable,
    tokens: Vec<Token>,
}

impl<'r> Dispatch<'r> {
    /// Dispatch under the default token.
    pub(crate) fn new(registry: &'r Registry, table: &'r PrinterTable) -> Dispatch<'r> {
        Dispatch { registry, table, tokens: vec![Token::DEFAULT] }
    }

    pub(crate) fn table(&self) -> &'r PrinterTable {
        self.table
    }

    /// The innermost token.
    #[inline]
    pub(crate) fn token(&self) -> Token {
        self.tokens.last().copied().unwrap_or(Token::DEFAULT)
    }

    /// The token of this name; the default one if nothing is registered under it.
    pub(crate) fn named(&self, name: &str) -> Token {
        self.registry.token(name).unwrap_or(Token::DEFAULT)
    }

    /// Returns true if the rules of the token of this name apply.
    pub(crate) fn is_under(&self, name: &str) -> bool {
        self.registry.token(name) == Some(self.token())
    }

    pub(crate) fn enter(&mut self, token: Token) {
        self.tokens.push(token);
    }

    pub(crate) fn leave(&mut self) {
        self.tokens.pop();
    }

    /// The printer of a type: by the current token's rule, else by the default one.
    #[inline]
    pub(crate) fn handler(&self, info: &TypeInfo) -> Option<&'r Handler> {
        self.table.handler(self.token(), info)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_nest_and_unknown_ones_are_the_default() {
        let (registry, table) = (Registry::default(), PrinterTable::default());
        let mut dispatch = Dispatch::new(&registry, &table);
        assert_eq!(dispatch.named("other"), Token::DEFAULT);
        dispatch.enter(dispatch.named(""));
        dispatch.leave();
        assert_eq!(dispatch.token(), Token::DEFAULT);
    }
}
