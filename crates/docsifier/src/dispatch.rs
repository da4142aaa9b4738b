//! Lookup of printers by (dispatch token, type).
//!
//! A token names a set of rules (`"toy"`). Tokens nest: the innermost applies, with the default token as
//! fallback.

use tvmscript_ir_core::{Registry, Token, TypeInfo};

use crate::table::{Handler, PrinterTable};

/// The printer table and the stack of open tokens.
pub(crate) struct Dispatch<'r> {
    registry: &'r Registry,
    table: &'r PrinterTable,
    tokens: Vec<Token>,
}

impl<'r> Dispatch<'r> {
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

    /// The names of the open tokens, innermost first.
    pub(crate) fn tokens(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        self.tokens.iter().rev().filter_map(|token| self.registry.token_name(*token))
    }

    /// The token with this name, or the default token if nothing is registered under it.
    pub(crate) fn named(&self, name: &str) -> Token {
        self.registry.token(name).unwrap_or(Token::DEFAULT)
    }

    /// Returns `true` if the innermost token has this name.
    pub(crate) fn is_under(&self, name: &str) -> bool {
        self.registry.token(name) == Some(self.token())
    }

    pub(crate) fn enter(&mut self, token: Token) {
        self.tokens.push(token);
    }

    pub(crate) fn leave(&mut self) {
        self.tokens.pop();
    }

    /// The printer of a type under the innermost token, with fallback to the default token.
    #[inline]
    pub(crate) fn handler(&self, info: &TypeInfo) -> Option<&'r Handler> {
        self.table.handler(self.token(), info)
    }
}

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::{Array, ObjectLike, RegistryBuilder};

    use super::*;
    use crate::table::{DocsifyDialect, Printers};

    #[test]
    fn the_innermost_token_applies_and_falls_back_to_the_default() {
        let info = Array::of_values([]).into_object().info();
        let other = || tvmscript_ir_core::Dialect::new("other");
        let dialect = other().docsify_info_under("other", info, |_, _, d| Ok(d.docs.none()));
        let registry = RegistryBuilder::new().with(dialect).build().expect("one dialect");
        let table = registry.slot::<Printers>().expect("a printer").table();
        let mut dispatch = Dispatch::new(&registry, table);
        assert!(dispatch.handler(info).is_none());
        dispatch.enter(dispatch.named("other"));
        assert!(dispatch.is_under("other") && dispatch.handler(info).is_some());
        dispatch.enter(dispatch.named("unknown"));
        assert!(dispatch.token() == Token::DEFAULT && dispatch.handler(info).is_none());
        dispatch.leave();
        dispatch.leave();
        assert_eq!(dispatch.token(), Token::DEFAULT);
    }
}
