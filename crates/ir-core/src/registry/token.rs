//! Dispatch tokens, which select the dialect whose rules apply.

use super::RegistryError;

/// An interned dispatch token of a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(u16);

impl Token {
    /// The fallback for other tokens.
    pub const DEFAULT: Token = Token(0);

    /// Returns the index for tables.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Maximum number of dispatch tokens in a registry, the default one included.
const MAX_TOKENS: usize = 1 << 16;

/// The tokens of a registry, the default one first.
pub(super) struct Tokens(Vec<&'static str>);

impl Default for Tokens {
    fn default() -> Self {
        Tokens(vec![""])
    }
}

impl Tokens {
    pub(super) fn find(&self, name: &str) -> Option<Token> {
        self.0.iter().position(|known| *known == name).map(|index| Token(index as u16))
    }

    pub(super) fn name(&self, token: Token) -> Option<&'static str> {
        self.0.get(token.index()).copied()
    }

    pub(super) fn intern(&mut self, name: &'static str) -> Result<Token, RegistryError> {
        if let Some(token) = self.find(name) {
            return Ok(token);
        }
        let too_many = |_| RegistryError::TooMany { what: "dispatch tokens", limit: MAX_TOKENS };
        let token = u16::try_from(self.0.len()).map(Token).map_err(too_many)?;
        self.0.push(name);
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| (1..=300).map(|i| i.to_string()).collect());

    #[test]
    fn tokens_are_interned_once_and_limited() {
        let mut tokens = Tokens::default();
        assert_eq!(tokens.intern(""), Ok(Token::DEFAULT));
        for name in NAMES.iter() {
            assert_eq!(
                tokens.intern(name),
                tokens.find(name).ok_or(RegistryError::TooMany { what: "", limit: 0 })
            );
        }
        assert_eq!(tokens.0.len(), 301);
        tokens.0.resize(MAX_TOKENS, "filler");
        let full = RegistryError::TooMany { what: "dispatch tokens", limit: MAX_TOKENS };
        assert_eq!(tokens.intern("one more"), Err(full));
    }
}
