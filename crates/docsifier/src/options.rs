//! Printer options of dialects, for front ends that know no dialect.

use crate::config::PrinterConfig;

/// A printer option of a dialect.
#[derive(Debug, Clone, Copy)]
pub struct PrinterOption {
    /// Option name: lower-case words joined by hyphens (`int-dtype`).
    pub name: &'static str,
    /// Help text, one sentence.
    pub help: &'static str,
    /// The option's argument.
    pub argument: OptionArgument,
    /// Sets the option from text, which is empty for a switch. The error describes the problem with the value.
    pub set: fn(&mut PrinterConfig, &str) -> Result<(), String>,
    /// Returns the value that the header must record for the text to read back, `None` for the default. Fails with a
    /// description for a value with which no text reads back. The field is `None` for an option whose effect is visible
    /// in the text.
    pub header: Option<HeaderValue>,
}

/// See [`PrinterOption::header`].
pub type HeaderValue = fn(&PrinterConfig) -> Result<Option<String>, String>;

/// The argument of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionArgument {
    /// None: naming the option turns it on.
    Switch,
    /// A value.
    Value {
        /// Kind of value, one word.
        name: &'static str,
        /// Default value.
        default: &'static str,
    },
}
