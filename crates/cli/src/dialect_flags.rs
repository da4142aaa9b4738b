//! Flags that come from the registry: each dialect that prints has one for its prefix, and one for each option that it adds
//! to the printer's.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tvmscript::docsifier::{OptionArgument, PrinterOption, PrinterTable, Printers};
use tvmscript::{PrinterConfig, registry};

use crate::printer::identifier;

/// What was given of these flags.
#[derive(Debug, Clone)]
pub(crate) struct DialectFlags {
    /// Prefixes, by dispatch token.
    prefixes: Vec<(String, String)>,
    /// Options, with their values as they were written.
    options: Vec<(&'static PrinterOption, String)>,
}

fn table() -> Option<&'static PrinterTable> {
    registry().slot::<Printers>().map(Printers::table)
}

/// The tokens with a prefix, and the prefix.
fn known_prefixes() -> impl Iterator<Item = (&'static str, &'static str)> {
    table().into_iter().flat_map(PrinterTable::prefixes)
}

fn known_options() -> impl Iterator<Item = &'static PrinterOption> {
    table().into_iter().flat_map(PrinterTable::options)
}

fn prefix_flag(token: &str) -> String {
    format!("{token}-prefix")
}

/// The flag of an option.
fn flag(option: &'static PrinterOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.help);
    match option.argument {
        OptionArgument::Switch => arg.action(ArgAction::SetTrue),
        OptionArgument::Value { name, default } => {
            // Values are tried out at once, so that a wrong one is shown with its flag.
            let check =
                move |text: &str| (option.set)(&mut PrinterConfig::default(), text).map(|()| text.to_owned());
            arg.value_name(name).default_value(default).value_parser(check)
        }
    }
}

/// What was given with an option, if it was given.
fn given(option: &PrinterOption, matches: &ArgMatches) -> Option<String> {
    match option.argument {
        OptionArgument::Switch => matches.get_flag(option.name).then(String::new),
        OptionArgument::Value { .. } => matches.get_one::<String>(option.name).cloned(),
    }
}

impl DialectFlags {
    /// Sets what was given.
    pub(crate) fn apply(&self, config: &mut PrinterConfig) {
        config.prefixes.extend(self.prefixes.iter().cloned());
        for (option, text) in &self.options {
            // Each value was tried when the flag was read, and refused there.
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
            command.arg(arg.help(format!("What `{token}` is called in the text [default: {prefix}]")))
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
