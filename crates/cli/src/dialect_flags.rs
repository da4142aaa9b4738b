//! Flags from the registry: a prefix per dialect, and the printer options that dialects register.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tvmscript::PrinterConfig;
use tvmscript::docsifier::{OptionArgument, PrinterOption, PrinterTable, Printers};

use crate::dialects::registry;
use crate::printer::identifier;

/// Values of the flags on the command line.
#[derive(Debug, Clone)]
pub(crate) struct DialectFlags {
    /// Prefixes, by dispatch token.
    prefixes: Vec<(String, String)>,
    /// Options and their values as written.
    options: Vec<(&'static PrinterOption, String)>,
}

fn table() -> Option<&'static PrinterTable> {
    registry().slot::<Printers>().map(Printers::table)
}

/// Dispatch tokens and their default prefixes.
fn known_prefixes() -> impl Iterator<Item = (&'static str, &'static str)> {
    table().into_iter().flat_map(PrinterTable::prefixes)
}

fn known_options() -> impl Iterator<Item = &'static PrinterOption> {
    table().into_iter().flat_map(PrinterTable::options)
}

fn prefix_flag(token: &str) -> String {
    format!("{token}-prefix")
}

fn flag(option: &'static PrinterOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.help);
    match option.argument {
        OptionArgument::Switch => arg.action(ArgAction::SetTrue),
        OptionArgument::Value { name, default } => {
            // Setting the value now reports an invalid one together with its flag.
            let check =
                move |text: &str| (option.set)(&mut PrinterConfig::default(), text).map(|()| text.to_owned());
            arg.value_name(name).default_value(default).value_parser(check)
        }
    }
}

/// Value of an option on the command line, if given.
fn given(option: &PrinterOption, matches: &ArgMatches) -> Option<String> {
    match option.argument {
        OptionArgument::Switch => matches.get_flag(option.name).then(String::new),
        OptionArgument::Value { .. } => matches.get_one::<String>(option.name).cloned(),
    }
}

impl DialectFlags {
    /// Applies the flags to a configuration.
    pub(crate) fn apply(&self, config: &mut PrinterConfig) {
        config.prefixes.extend(self.prefixes.iter().cloned());
        for (option, text) in &self.options {
            // The value parser of the flag has rejected invalid values.
            let _ = (option.set)(config, text);
        }
    }
}

impl Args for DialectFlags {
    fn augment_args(command: Command) -> Command {
        let command = known_options().map(flag).fold(command, Command::arg);
        known_prefixes().fold(command, |command, (token, prefix)| {
            let flag = prefix_flag(token);
            let arg = Arg::new(flag.clone()).long(flag).value_name("NAME").value_parser(identifier);
            command.arg(arg.help(format!("Prefix of `{token}` in the text [default: {prefix}]")))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DialectFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let prefixes = known_prefixes().filter_map(|(token, _)| {
            let value = matches.get_one::<String>(&prefix_flag(token))?;
            Some((token.to_owned(), value.clone()))
        });
        let options = known_options().filter_map(|option| Some((option, given(option, matches)?)));
        Ok(DialectFlags { prefixes: prefixes.collect(), options: options.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
