//! Scripts with their helpers and macros written out.
//!
//! [`expand`] replaces calls of Python functions and macros in the scripts of a file by the statements of these functions.
//! The result is checked: it is parsed, and its scripts must be structurally equal to those of the file. A script for which
//! they are not keeps its calls.
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
//! assert!(expanded.text.ends_with("A[i] = (A[i] + A[i])\n"));
//! # Ok::<(), Vec<tvmscript::ParseError>>(())
//! ```

mod budget;
pub(crate) mod edits;
mod helper;
mod round;
mod scopes;

use std::collections::HashSet;
use std::fmt;

use tvmscript_ir_core::{Registry, structural_equal};
use tvmscript_script_parser::{ParseError, ParseOptions, Parsed, parse_script};

use budget::Budget;
use round::{Files, Task};

/// Maximum number of bytes that an expansion adds to a text.
const MAX_GROWTH: usize = 4 << 20;

/// Maximum number of expanded texts that are tried to find the scripts that have none.
const MAX_TRIALS: usize = 64;

/// A text with calls written out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// The scripts that keep all their calls, in source order.
    pub refused: Vec<Refused>,
}

/// A script without expanded form.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// Name of the function.
    pub function: String,
    /// The reason.
    pub error: ExpandError,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the calls in `{}` are not written out: {}", self.function, self.error)
    }
}

/// Reason for which a script has no expanded form.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExpandError {
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
    /// Too many other scripts of the text have no expanded form.
    Untried,
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpandError::Invalid { message, line } => {
                write!(f, "the expanded text does not parse: {message}, in the line `{line}`")
            }
            ExpandError::Differs { script } => {
                write!(f, "the expanded form of `{script}` builds another script")
            }
            ExpandError::TooLong => write!(f, "the expanded text is more than {MAX_GROWTH} bytes longer"),
            ExpandError::Untried => {
                write!(f, "{MAX_TRIALS} expanded texts were tried for the scripts before it")
            }
        }
    }
}

impl std::error::Error for ExpandError {}

/// Replaces calls of helpers and macros in the scripts of a text by their statements, up to `levels` calls deep.
///
/// Only functions of the same text are written out. A call of one that cannot be stays, below a comment with the reason.
/// A script that would differ keeps all its calls. Code around the scripts stays as it is.
///
/// # Errors
/// The errors of the text.
pub fn expand(
    name: &str,
    text: &str,
    registry: &Registry,
    options: &ParseOptions,
    levels: usize,
) -> Result<Expanded, Vec<ParseError>> {
    // Nodes without spans: the caller may have nodes of a source with this name.
    let mut options = options.clone();
    options.omit_spans = true;
    let original = parse_script(name, text, registry, &options);
    if !original.errors.is_empty() {
        return Err(original.errors);
    }
    let files = Files::new(options.modules.as_ref());
    let expansion = Expansion { name, text, registry, options: &options, levels, files, original: &original };
    Ok(expansion.run())
}

/// The expansion of one text.
struct Expansion<'a> {
    name: &'a str,
    text: &'a str,
    registry: &'a Registry,
    options: &'a ParseOptions,
    levels: usize,
    files: Files<'a>,
    original: &'a Parsed,
}

impl Expansion<'_> {
    /// Expands all scripts, or as many as possible.
    fn run(&self) -> Expanded {
        let names = round::script_names(self.text);
        let all: Vec<usize> = (0..names.len()).collect();
        let mut accepted = HashSet::new();
        let mut best = None;
        let mut refused = Vec::new();
        let mut trials = 0;
        let mut work: Vec<&[usize]> = vec![&all];
        while let Some(part) = work.pop() {
            let trial: HashSet<usize> = accepted.iter().chain(part).copied().collect();
            trials += 1;
            let tried = if trials > MAX_TRIALS { Err(ExpandError::Untried) } else { self.expanded(&trial) };
            match (tried, part.split_at_checked(part.len() / 2)) {
                (Ok(text), _) => (accepted, best) = (trial, Some(text)),
                (Err(ExpandError::Untried), _) => {
                    refused.extend(part.iter().map(|number| (*number, ExpandError::Untried)));
                }
                (Err(_), Some((first, second))) if !first.is_empty() => work.extend([second, first]),
                (Err(error), _) => refused.extend(part.first().map(|number| (*number, error))),
            }
        }
        let text = best.or_else(|| self.expanded(&accepted).ok()).unwrap_or_else(|| self.text.to_owned());
        refused.sort_by_key(|(number, _)| *number);
        let refused = refused.into_iter().map(|(number, error)| {
            let function = names.get(number).cloned().unwrap_or_default();
            Refused { function, error }
        });
        Expanded { text, refused: refused.collect() }
    }

    /// The text with the calls in the scripts of these numbers written out.
    fn expanded(&self, numbers: &HashSet<usize>) -> Result<String, ExpandError> {
        let mut text = self.text.to_owned();
        let mut budget = Budget::new();
        for _ in 0..self.levels {
            if budget.text(text.len()).is_err() {
                break;
            }
            match round::edited(&text, Task::Expand(numbers), &self.files, &mut budget) {
                None => break,
                Some(next) if next.len() > self.text.len() + MAX_GROWTH => return Err(ExpandError::TooLong),
                Some(next) => text = next,
            }
        }
        let comment = Task::Comment(numbers, self.levels);
        let text = round::edited(&text, comment, &self.files, &mut budget).unwrap_or(text);
        let parsed = parse_script(self.name, &text, self.registry, self.options);
        compare(self.original, &parsed, &text)?;
        Ok(text)
    }
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
