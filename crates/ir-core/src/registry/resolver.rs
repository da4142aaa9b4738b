//! Tokens, claims and errors while a registry is built.

use hashbrown::HashMap;

use super::token::Tokens;
use super::{RegistrationSite, RegistryError, Token};
use crate::release::Release;

/// Interns tokens and collects errors while a registry is built.
pub struct Resolver {
    release: &'static Release,
    release_place: RegistrationSite,
    tokens: Tokens,
    claims: HashMap<String, RegistrationSite>,
    errors: Vec<RegistryError>,
}

impl Resolver {
    pub(super) fn new(release: &'static Release, release_place: RegistrationSite) -> Resolver {
        let (tokens, claims) = (Tokens::default(), HashMap::new());
        Resolver { release, release_place, tokens, claims, errors: Vec::new() }
    }

    /// Returns the release that the tables are for.
    pub fn release(&self) -> &'static Release {
        self.release
    }

    /// Returns the place where the release was added.
    pub fn release_place(&self) -> RegistrationSite {
        self.release_place
    }

    /// Returns the dispatch token with this name.
    pub fn token(&mut self, name: &'static str) -> Token {
        match self.tokens.intern(name) {
            Ok(token) => token,
            Err(error) => {
                if !self.errors.contains(&error) {
                    self.errors.push(error);
                }
                Token::DEFAULT
            }
        }
    }

    /// Claims a name for a registration site. Reports an error and returns `false` if it was claimed before.
    pub fn claim(&mut self, what: impl Into<String>, place: RegistrationSite) -> bool {
        let what = what.into();
        match self.claims.get(&what) {
            Some(first) => {
                let first = *first;
                self.duplicate(what, first, place);
                false
            }
            None => {
                self.claims.insert(what, place);
                true
            }
        }
    }

    /// Reports a duplicate registration.
    pub fn duplicate(&mut self, what: impl Into<String>, first: RegistrationSite, second: RegistrationSite) {
        let (first, second) = (first.to_string(), second.to_string());
        self.errors.push(RegistryError::Duplicate { what: what.into(), first, second });
    }

    /// Reports an unresolved name at the registration site that refers to it.
    pub fn missing(&mut self, what: impl Into<String>, place: RegistrationSite) {
        self.errors.push(RegistryError::Missing { what: what.into(), place: place.to_string() });
    }

    /// Reports a node whose parent got its type after it.
    pub(super) fn late_parent(&mut self, parent: &str, node: &str, place: RegistrationSite) {
        let (node, parent, place) = (node.to_owned(), parent.to_owned(), place.to_string());
        self.errors.push(RegistryError::LateParent { node, parent, place });
    }

    pub(super) fn finish(self) -> (Tokens, Vec<RegistryError>) {
        (self.tokens, self.errors)
    }

    pub(super) fn into_errors(self) -> Vec<RegistryError> {
        self.errors
    }
}

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").field("errors", &self.errors).finish_non_exhaustive()
    }
}
