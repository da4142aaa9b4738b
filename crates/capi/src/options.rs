//! Options of calls, as values of the libraries behind the border.

use tvmscript::docsifier::names::is_identifier;
use tvmscript::docsifier::{OptionArgument, PrinterTable, Printers};
use tvmscript::ir_core::Limits;
use tvmscript::{ParseOptions, PrinterConfig, Registry, Release, Session};

use crate::program::Part;
use crate::status::{Outcome, Status};

/// The release of a name; `None` for the empty name.
pub(crate) fn release(registry: &Registry, id: &str) -> Outcome<Option<&'static Release>> {
    match id {
        "" => Ok(None),
        id => registry.find_release(id).map(Some).map_err(|_| Status::UnknownName),
    }
}

/// Options of parsing.
#[derive(Debug, Default)]
pub(crate) struct Parsing<'a> {
    pub(crate) release: &'a str,
    pub(crate) fragment_of: &'a str,
    pub(crate) omit_spans: bool,
    pub(crate) max_text_bytes: u32,
    pub(crate) max_steps: u64,
    pub(crate) max_node_bytes: u64,
}

impl Parsing<'_> {
    pub(crate) fn options(&self, registry: &Registry) -> Outcome<ParseOptions> {
        let mut session = Session { release: release(registry, self.release)?, ..Session::new(registry) };
        let limits = &mut session.limits;
        limits.max_text_bytes = or_default(self.max_text_bytes, Limits::DEFAULT.max_text_bytes);
        limits.max_steps = or_default(self.max_steps, Limits::DEFAULT.max_steps);
        limits.max_node_bytes = or_default(self.max_node_bytes, Limits::DEFAULT.max_node_bytes);
        let mut options = ParseOptions::of(&session);
        options.omit_spans = self.omit_spans;
        options.fragment_of = match self.fragment_of {
            "" => None,
            name => {
                let known = registry.dialects().iter().find(|dialect| **dialect == name);
                Some(known.ok_or(Status::UnknownName)?)
            }
        };
        #[cfg(feature = "ruff")]
        {
            options.python.backend = tvmscript::python_syntax::Backend::Ruff;
        }
        Ok(options)
    }
}

fn or_default<T: Default + PartialEq>(value: T, default: T) -> T {
    if value == T::default() { default } else { value }
}

/// Options of printing.
#[derive(Debug, Default)]
pub(crate) struct Printing<'a> {
    pub(crate) release: &'a str,
    pub(crate) name: &'a str,
    /// `NAME=VALUE` or `NAME`, one per line.
    pub(crate) dialect_options: &'a str,
    pub(crate) width: u32,
    pub(crate) indent: u32,
    pub(crate) show_metadata: bool,
    pub(crate) no_syntax_sugar: bool,
    pub(crate) verbose_expressions: bool,
    pub(crate) line_numbers: bool,
    pub(crate) keep_comments: bool,
    pub(crate) show_spans: bool,
}

/// Largest number of spaces per level of indentation.
const MAX_INDENT: u32 = 64;

impl Printing<'_> {
    pub(crate) fn config(&self, registry: &Registry, part: &Part) -> Outcome<PrinterConfig> {
        let release = release(registry, self.release)?.or(Some(part.origin.release));
        if self.indent > MAX_INDENT || !(self.name.is_empty() || is_identifier(self.name)) {
            return Err(Status::InvalidArgument);
        }
        let defaults = PrinterConfig::of(&Session { release, ..Session::new(registry) });
        let mut config = PrinterConfig {
            name: (!self.name.is_empty()).then(|| self.name.to_owned()),
            show_meta: self.show_metadata,
            max_width_columns: (self.width != 0).then_some(self.width),
            indent_spaces: or_default(self.indent, defaults.indent_spaces),
            syntax_sugar: !self.no_syntax_sugar,
            verbose_expr: self.verbose_expressions,
            print_line_numbers: self.line_numbers,
            keep_comments: self.keep_comments.then(|| part.origin.comments.clone()),
            show_spans: self.show_spans.then(|| part.origin.texts()),
            ..defaults
        };
        let table = registry.slot::<Printers>().map(Printers::table);
        for line in self.dialect_options.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            let mut known = table.into_iter().flat_map(PrinterTable::options);
            let option = known.find(|option| option.name == name).ok_or(Status::UnknownName)?;
            let takes_value = matches!(option.argument, OptionArgument::Value { .. });
            if takes_value != line.contains('=') {
                return Err(Status::InvalidArgument);
            }
            (option.set)(&mut config, value).map_err(|_| Status::InvalidArgument)?;
        }
        Ok(config)
    }
}
