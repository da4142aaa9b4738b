//! Options that dialects add to the printer, for front ends that know no dialect.

use crate::config::PrinterConfig;

/// One option of a dialect's printer.
#[derive(Debug, Clone, Copy)]
pub struct PrinterOption {
    /// Its name: words in lower case, with hyphens (`int-dtype`).
    pub name: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    /// What is given with it.
    pub argument: OptionArgument,
    /// Sets it to a value as it is written, empty for a switch; what is wrong with the value is said in words.
    pub set: fn(&mut PrinterConfig, &str) -> Result<(), String>,
    /// The value that the text's header must name for the text to read back; nothing where the option has its default.
    /// `None` where the text itself shows what the option did. An error, in words, for a value that no text can be read
    /// with.
    pub header: Option<HeaderValue>,
}

/// The value of an option for the header; what is wrong with it is said in words.
pub type HeaderValue = fn(&PrinterConfig) -> Result<Option<String>, String>;

/// What is given with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionArgument {
    /// Nothing: naming the option turns it on.
    Switch,
    /// A value.
    Value {
        /// What kind of value, in a word.
        name: &'static str,
        /// The value where the option is not given.
        default: &'static str,
    },
}
