//! The printer's options as flags.
//!
//! Prefixes come from the registry: each dialect that prints has its own flag.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use tvmscript::docsifier::Printers;
use tvmscript::docsifier::names::is_identifier;
use tvmscript::ir_core::DataType;
use tvmscript::tir::print::TirOptions;
use tvmscript::{Object, PrinterConfig, registry};

use crate::failure::Failure;
use crate::paths;

/// How to print.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Printing")]
pub(crate) struct PrinterArgs {
    /// Name the function or module instead of `main` or `Module`
    #[arg(long, value_name = "NAME", value_parser = identifier)]
    name: Option<String>,
    /// Print the metadata section, without which large constants cannot be read back
    #[arg(long)]
    pub(crate) show_meta: bool,
    /// Break lines wider than this, inside brackets [default: never]
    #[arg(long, value_name = "COLUMNS", value_parser = value_parser!(u32).range(1..))]
    width: Option<u32>,
    /// Spaces of one level of indentation
    #[arg(long, value_name = "SPACES", default_value_t = 4, value_parser = value_parser!(u32).range(1..=64))]
    indent: u32,
    /// Print every node in full: no `T.grid`, no `T.axis.remap`, no buffer in a parameter's annotation
    #[arg(long)]
    no_syntax_sugar: bool,
    /// Keep the declarations of free variables when an expression is printed alone
    #[arg(long)]
    verbose_expr: bool,
    /// Number the lines
    #[arg(long)]
    print_line_numbers: bool,
    /// Show only this many lines around what is underlined
    #[arg(long, value_name = "LINES")]
    num_context_lines: Option<u32>,
    /// Underline the part at an access path, such as `<root>.body.seq[2]`; may be given several times
    #[arg(long, value_name = "PATH")]
    underline: Vec<String>,
    /// Comment on the part at an access path; may be given several times
    #[arg(long, value_name = "PATH=TEXT", value_parser = annotation)]
    annotate: Vec<(String, String)>,
    /// Append each variable's address to its name
    #[arg(long)]
    show_object_address: bool,
    /// What a module is called inside its own functions; empty for its name
    #[arg(long, value_name = "NAME", default_value = "cls", value_parser = identifier_or_empty)]
    module_alias: String,
    /// The integer type whose literals print bare
    #[arg(long, value_name = "DTYPE", default_value = "int32")]
    int_dtype: DataType,
    /// The float type whose literals print bare; `void` for none
    #[arg(long, value_name = "DTYPE", default_value = "void")]
    float_dtype: DataType,
    /// The element type that buffers print without
    #[arg(long, value_name = "DTYPE", default_value = "float32")]
    buffer_dtype: DataType,
    #[command(flatten)]
    prefixes: Prefixes,
}

impl PrinterArgs {
    /// The configuration for a node.
    ///
    /// # Errors
    /// When an access path leads nowhere in it.
    pub(crate) fn config(&self, root: &Object) -> Result<PrinterConfig, Failure> {
        let mut config = PrinterConfig {
            name: self.name.clone(),
            show_meta: self.show_meta,
            max_width_columns: self.width,
            indent_spaces: self.indent,
            syntax_sugar: !self.no_syntax_sugar,
            verbose_expr: self.verbose_expr,
            print_line_numbers: self.print_line_numbers,
            num_context_lines: self.num_context_lines,
            show_object_address: self.show_object_address,
            module_alias: self.module_alias.clone(),
            ..PrinterConfig::default()
        };
        config.prefixes.extend(self.prefixes.0.iter().cloned());
        for path in &self.underline {
            config.path_to_underline.push(paths::resolve(path, root).map_err(Failure::Path)?);
        }
        for (path, text) in &self.annotate {
            let path = paths::resolve(path, root).map_err(Failure::Path)?;
            config.path_to_annotate.push((path, text.clone()));
        }
        let tir = TirOptions {
            int_dtype: self.int_dtype,
            float_dtype: self.float_dtype,
            buffer_dtype: self.buffer_dtype,
        };
        Ok(config.with_part(tir))
    }

    /// The same options, with the metadata section: for text that has to read back.
    #[must_use]
    pub(crate) fn with_meta(&self) -> PrinterArgs {
        PrinterArgs { show_meta: true, ..self.clone() }
    }
}

fn identifier(text: &str) -> Result<String, String> {
    if is_identifier(text) { Ok(text.to_owned()) } else { Err("not an identifier of Python".to_owned()) }
}

fn identifier_or_empty(text: &str) -> Result<String, String> {
    if text.is_empty() { Ok(String::new()) } else { identifier(text) }
}

fn annotation(text: &str) -> Result<(String, String), String> {
    let (path, comment) = text.split_once('=').ok_or("expected PATH=TEXT")?;
    if comment.contains(['\n', '\r']) {
        return Err("a comment is one line".to_owned());
    }
    Ok((path.to_owned(), comment.to_owned()))
}

/// The prefixes that were asked for, by dispatch token.
#[derive(Debug, Clone)]
struct Prefixes(Vec<(String, String)>);

/// The tokens with a prefix, and the prefix.
fn known_prefixes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let table = registry().slot::<Printers>().and_then(Printers::table);
    table.into_iter().flat_map(|table| table.prefixes())
}

fn prefix_flag(token: &str) -> String {
    format!("{token}-prefix")
}

impl Args for Prefixes {
    fn augment_args(command: Command) -> Command {
        known_prefixes().fold(command, |command, (token, prefix)| {
            let flag = prefix_flag(token);
            let arg = Arg::new(flag.clone()).long(flag).value_name("NAME").value_parser(identifier);
            command.arg(arg.help(format!("What `{token}` is called in the text [default: {prefix}]")))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Prefixes {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = known_prefixes().filter_map(|(token, _)| {
            let value = matches.get_one::<String>(&prefix_flag(token))?;
            Some((token.to_owned(), value.clone()))
        });
        Ok(Prefixes(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
