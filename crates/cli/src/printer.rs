//! Printer options as flags. The options of dialects come from the registry: see [`DialectFlags`].

use clap::{Args, value_parser};
use tvmscript::doc::DocArena;
use tvmscript::doc::python::DEFAULT_MAX_BYTES;
use tvmscript::docsifier::names::is_identifier;
use tvmscript::{Object, PrinterConfig};

use crate::dialect_flags::DialectFlags;
use crate::failure::FileErrorKind;
use crate::settings::Settings;
use crate::{output, paths};

/// Default of `--max-text-bytes` for `roundtrip`.
const ROUND_TRIP_MAX_BYTES: usize = 32 << 20;

/// Options of text that reads back.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Printing")]
pub(crate) struct TextArgs {
    /// Name the function or module instead of `main` or `Module`
    #[arg(long, value_name = "NAME", value_parser = identifier)]
    name: Option<String>,
    /// Print the metadata section, which large constants need to be read back
    #[arg(long)]
    pub(crate) show_meta: bool,
    /// Break lines wider than this, inside brackets [default: never]
    #[arg(long, value_name = "COLUMNS", value_parser = value_parser!(u32).range(1..))]
    width: Option<u32>,
    /// Number of spaces per indentation level
    #[arg(long, value_name = "SPACES", default_value_t = 4, value_parser = value_parser!(u32).range(1..=64))]
    indent: u32,
    /// Print every node in full: no `T.grid`, no `T.axis.remap`, no buffers in parameter annotations
    #[arg(long)]
    no_syntax_sugar: bool,
    /// Declare the free variables of an expression that is printed on its own
    #[arg(long)]
    verbose_expr: bool,
    /// Append the address of each variable to its name
    #[arg(long)]
    show_object_address: bool,
    /// Name of a module inside its own functions; empty for the module's name
    #[arg(long, value_name = "NAME", default_value = "cls", value_parser = identifier_or_empty)]
    module_alias: String,
    /// Maximum size of the text of one script, in bytes [default: 134217728; for `roundtrip` 33554432]
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    max_text_bytes: Option<usize>,
    /// Maximum number of docs (syntax nodes) printed for one script
    #[arg(long, value_name = "N", default_value_t = DocArena::DEFAULT_MAX_DOCS, help_heading = "Limits")]
    max_docs: u32,
    #[command(flatten)]
    dialects: DialectFlags,
}

impl TextArgs {
    /// The printer configuration.
    pub(crate) fn config(&self, settings: &Settings<'_>) -> PrinterConfig {
        let mut config = PrinterConfig {
            name: self.name.clone(),
            show_meta: self.show_meta,
            max_width_columns: self.width,
            indent_spaces: self.indent,
            syntax_sugar: !self.no_syntax_sugar,
            verbose_expr: self.verbose_expr || settings.fragment_of().is_some(),
            show_object_address: self.show_object_address,
            module_alias: self.module_alias.clone(),
            max_bytes: self.max_text_bytes.unwrap_or(DEFAULT_MAX_BYTES),
            max_docs: self.max_docs,
            ..settings.printer_config()
        };
        self.dialects.apply(&mut config);
        config
    }

    /// Returns `true`, after reporting why, if text printed with these options cannot be read back.
    pub(crate) fn is_misused(&self, settings: &Settings<'_>) -> bool {
        let Err(error) = self.config(settings).check(settings.registry()) else { return false };
        output::diagnose(&format!("error: {error}"));
        true
    }

    /// Returns `true` if names of variables contain addresses.
    pub(crate) fn has_addresses(&self) -> bool {
        self.show_object_address
    }

    /// The same options without addresses in names.
    #[must_use]
    pub(crate) fn without_addresses(&self) -> TextArgs {
        TextArgs { show_object_address: false, ..self.clone() }
    }

    /// The same options with declarations of free variables.
    #[must_use]
    pub(crate) fn with_declarations(&self) -> TextArgs {
        TextArgs { verbose_expr: true, ..self.clone() }
    }

    /// The same options with the metadata section, and with a lower size limit, since a round trip holds two texts and two
    /// programs.
    #[must_use]
    pub(crate) fn for_round_trip(&self) -> TextArgs {
        let max_text_bytes = self.max_text_bytes.or(Some(ROUND_TRIP_MAX_BYTES));
        TextArgs { show_meta: true, max_text_bytes, ..self.clone() }
    }
}

/// Options of text for people.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Printing")]
pub(crate) struct PrinterArgs {
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// Print line numbers
    #[arg(long)]
    print_line_numbers: bool,
    /// Show only this many lines around underlined text
    #[arg(long, value_name = "LINES")]
    num_context_lines: Option<u32>,
    /// Underline the part at an access path, e.g. `<root>.body.seq[2]`; repeatable
    #[arg(long, value_name = "PATH")]
    underline: Vec<String>,
    /// Add a comment to the part at an access path; repeatable
    #[arg(long, value_name = "PATH=TEXT", value_parser = annotation)]
    annotate: Vec<(String, String)>,
}

impl PrinterArgs {
    /// The configuration for a node.
    ///
    /// # Errors
    /// If an access path does not exist in the node.
    pub(crate) fn config(
        &self,
        root: &Object,
        settings: &Settings<'_>,
    ) -> Result<PrinterConfig, FileErrorKind> {
        let mut config = PrinterConfig {
            print_line_numbers: self.print_line_numbers,
            num_context_lines: self.num_context_lines,
            ..self.text.config(settings)
        };
        for path in &self.underline {
            config.path_to_underline.push(paths::resolve(path, root).map_err(FileErrorKind::Path)?);
        }
        for (path, text) in &self.annotate {
            let path = paths::resolve(path, root).map_err(FileErrorKind::Path)?;
            config.path_to_annotate.push((path, text.clone()));
        }
        Ok(config)
    }
}

pub(crate) fn identifier(text: &str) -> Result<String, String> {
    if is_identifier(text) { Ok(text.to_owned()) } else { Err("not a Python identifier".to_owned()) }
}

fn identifier_or_empty(text: &str) -> Result<String, String> {
    if text.is_empty() { Ok(String::new()) } else { identifier(text) }
}

fn annotation(text: &str) -> Result<(String, String), String> {
    // A quoted key may contain `=`.
    let mut is_quoted = false;
    let at = text.char_indices().find(|&(_, c)| {
        is_quoted ^= c == '"';
        c == '=' && !is_quoted
    });
    let (path, comment) = match at {
        Some((at, _)) => (&text[..at], &text[at + 1..]),
        None => return Err("expected PATH=TEXT".to_owned()),
    };
    if comment.contains(['\n', '\r']) {
        return Err("expected a comment of one line".to_owned());
    }
    Ok((path.to_owned(), comment.to_owned()))
}
