//! Scripts with their helpers and macros written out.
//!
//! [`expand`] replaces calls of Python functions and macros in the scripts of a file by the statements of these functions.
//! The result is checked: it is parsed, and its scripts must be structurally equal to those of the file.
//!
//! ```
//! use tvmscript::expand::expand;
//! use tvmscript::{ParseOptions, registry};
//!
//! let text = r#"
//! def twice(x):
//!     return x + x
//!
//! @T.prim_func
//! def f(A: T.Buffer((4,), "float32")):
//!     for i in range(4):
//!         A[i] = twice(A[i])
//! "#;
//! let expanded = expand("f.py", text, registry(), &ParseOptions::default(), 1)?;
//! assert!(expanded.ends_with("A[i] = (A[i] + A[i])\n"));
//! # Ok::<(), tvmscript::expand::ExpandError>(())
//! ```

mod budget;
mod edits;
mod helper;
mod round;
mod scopes;

use std::fmt;

use tvmscript_ir_core::{Registry, structural_equal};
use tvmscript_script_parser::{ParseError, ParseOptions, Parsed, parse_script};

use budget::Budget;

/// Maximum number of bytes that an expansion adds to a text.
const MAX_GROWTH: usize = 4 << 20;

/// Reason for which a text has no expanded form.
#[derive(Debug)]
pub enum ExpandError {
    /// The text has errors.
    Script(Vec<ParseError>),
    /// The expanded text has an error.
    Invalid {
        /// The first error.
        message: String,
        /// The line of the expanded text with it.
        line: String,
    },
    /// A script of the expanded text differs from that of the text, or is missing.
    Differs {
        /// Name of the script.
        script: String,
    },
    /// The expanded text is more than 4 MiB longer than the text.
    TooLong,
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpandError::Script(errors) => match errors.first() {
                Some(error) => error.fmt(f),
                None => f.write_str("the text has errors"),
            },
            ExpandError::Invalid { message, line } => {
                write!(f, "the expanded text does not parse: {message}, in the line `{line}`")
            }
            ExpandError::Differs { script } => {
                write!(f, "the expanded form of `{script}` builds another script")
            }
            ExpandError::TooLong => write!(f, "the expanded text is more than {MAX_GROWTH} bytes longer"),
        }
    }
}

impl std::error::Error for ExpandError {}

/// Replaces calls of helpers and macros in the scripts of a text by their statements, up to `levels` calls deep.
///
/// Only functions of the same text are written out. A call of one that cannot be stays, below a comment with the reason.
/// Code around the scripts stays as it is.
///
/// # Errors
/// If the text has errors, or the expanded text is too long, does not parse, or builds other scripts.
pub fn expand(
    name: &str,
    text: &str,
    registry: &Registry,
    options: &ParseOptions,
    levels: usize,
) -> Result<String, ExpandError> {
    // Nodes without spans: the caller may have nodes of a source with this name.
    let mut options = options.clone();
    options.omit_spans = true;
    let options = &options;
    let original = parse_script(name, text, registry, options);
    if !original.errors.is_empty() {
        return Err(ExpandError::Script(original.errors));
    }
    let mut expanded = text.to_owned();
    let mut budget = Budget::new();
    for _ in 0..levels {
        if budget.text(expanded.len()).is_err() {
            break;
        }
        match round::expand_calls(&expanded, &mut budget) {
            None => break,
            Some(next) if next.len() > text.len() + MAX_GROWTH => return Err(ExpandError::TooLong),
            Some(next) => expanded = next,
        }
    }
    let expanded = round::comment_calls(&expanded, levels, &mut budget);
    let parsed = parse_script(name, &expanded, registry, options);
    compare(&original, &parsed, &expanded)?;
    Ok(expanded)
}

/// Tests that an expanded text builds the same scripts.
fn compare(original: &Parsed, parsed: &Parsed, expanded: &str) -> Result<(), ExpandError> {
    if let Some(error) = parsed.errors.first() {
        let start = error.range().start as usize;
        let before = expanded.get(..start).unwrap_or("").lines().count().max(1) - 1;
        let line = expanded.lines().nth(before).unwrap_or("").trim().to_owned();
        return Err(ExpandError::Invalid { message: error.to_string(), line });
    }
    for (index, script) in original.scripts.iter().enumerate() {
        let same = parsed
            .scripts
            .get(index)
            .is_some_and(|other| other.name == script.name && structural_equal(&script.node, &other.node));
        if !same {
            let script = script.name.clone().unwrap_or_else(|| format!("script {}", index + 1));
            return Err(ExpandError::Differs { script });
        }
    }
    Ok(())
}
