//! Settings that callers pass to whatever reads, prints, loads or rewrites programs.
//!
//! A [`Session`] is a small value: it is copied, and several may be in use on one thread. Entry points take one, or options
//! that are made from one (`of(&session)`); where a registry is enough, it converts into a session with the default settings.

use crate::registry::Registry;
use crate::release::{Release, UnknownRelease};

/// Registry, release and limits.
#[derive(Debug, Clone, Copy)]
pub struct Session<'r> {
    /// The dialects.
    pub registry: &'r Registry,
    /// The release of all programs; `None` for what each text shows, and the first release in print.
    pub release: Option<&'static Release>,
    /// Limits on one program.
    pub limits: Limits,
    /// Gives the nodes that a rewrite makes the spans of those that they replace.
    pub fills_spans: bool,
}

/// Limits on the work and the memory for one program. The defaults stand in [`Limits::DEFAULT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a text that is parsed, in bytes.
    pub max_text_bytes: u32,
    /// Maximum number of steps of host code, beyond two per expression of the text.
    pub max_steps: u64,
    /// Maximum size of all values of host code, including freed ones, in bytes.
    pub max_memory_bytes: u64,
    /// Maximum size of all nodes that a text builds, including freed ones, in bytes.
    pub max_node_bytes: u64,
    /// Maximum nesting of calls of host functions.
    pub max_call_depth: u32,
    /// Number of errors after which the evaluation of a text stops.
    pub max_errors: usize,
    /// Maximum number of expression docs, and of statement docs, of one print.
    pub max_docs: u32,
    /// Maximum length of a printed text, in bytes.
    pub max_printed_bytes: usize,
    /// Maximum number of elements of typed containers that the load of one JSON text checks.
    pub max_json_elements: u64,
    /// Maximum total number of parts of the flattened span sequences of a JSON text.
    pub max_json_span_parts: u64,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Limits = Limits {
        max_text_bytes: 128 << 20,
        max_steps: 10_000_000,
        max_memory_bytes: 512 << 20,
        max_node_bytes: 1 << 30,
        max_call_depth: 1000,
        max_errors: 1000,
        max_docs: 1 << 24,
        max_printed_bytes: 128 << 20,
        max_json_elements: 20_000_000,
        max_json_span_parts: 4_000_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

impl<'r> Session<'r> {
    /// A session with the default settings.
    pub fn new(registry: &'r Registry) -> Session<'r> {
        Session { registry, release: None, limits: Limits::DEFAULT, fills_spans: true }
    }

    /// The dialects as the release has them.
    ///
    /// # Errors
    /// If the registry does not have the release.
    pub fn dialects(&self) -> Result<&'r Registry, UnknownRelease> {
        self.registry.select_release(self.release)
    }
}

impl<'r> From<&'r Registry> for Session<'r> {
    fn from(registry: &'r Registry) -> Session<'r> {
        Session::new(registry)
    }
}

impl<'r> From<&Session<'r>> for Session<'r> {
    fn from(session: &Session<'r>) -> Session<'r> {
        *session
    }
}
