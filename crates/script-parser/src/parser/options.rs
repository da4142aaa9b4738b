//! How to read scripts.

use tvmscript_python_syntax::PythonOptions;
use tvmscript_script_eval::Limits;

use crate::header::Header;

/// How to read scripts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseOptions {
    /// How to read the Python syntax.
    pub python: PythonOptions,
    /// How many steps evaluation may take, beyond one per expression of the text.
    pub max_steps: u64,
    /// How many bytes values of host code may take in all.
    pub max_memory_bytes: u64,
    /// How many bytes the nodes that a text builds may take, counting also those that are gone when it is read.
    pub max_node_bytes: u64,
    /// How deep calls of host functions may be nested.
    pub max_call_depth: u32,
    /// After how many errors to stop reading.
    pub max_errors: usize,
    /// The text is a fragment of this dialect: statements in no function, as one prints that is no function or module.
    pub fragment_of: Option<&'static str>,
    /// What a text is read with as if a header in front of it said so; its own headers come after it.
    pub header: Header,
}

impl Default for ParseOptions {
    fn default() -> Self {
        let limits = Limits::default();
        ParseOptions {
            python: PythonOptions::default(),
            max_steps: limits.max_steps,
            max_memory_bytes: limits.max_memory_bytes,
            max_node_bytes: limits.max_node_bytes,
            max_call_depth: limits.max_call_depth,
            max_errors: limits.max_errors,
            fragment_of: None,
            header: Header::default(),
        }
    }
}

impl ParseOptions {
    /// The limits of the evaluator.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.max_steps = self.max_steps;
        limits.max_memory_bytes = self.max_memory_bytes;
        limits.max_node_bytes = self.max_node_bytes;
        limits.max_call_depth = self.max_call_depth;
        limits.max_errors = self.max_errors;
        limits
    }
}
