//! Arguments of `run`.

use std::path::PathBuf;

use clap::ValueEnum;

/// `run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript run kernel.py
  tvmscript run module.py --function matmul --arg n=128 --arg m=64 --seed 7 --format json

Buffers are filled with small random numbers, which depend on the seed alone. Scalar parameters and
variables in shapes have the value of `--arg`, or else of `--size`. Prints the arguments after the run.
A run of more than two seconds reports its progress on standard error.")]
pub(crate) struct RunArgs {
    /// Input file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Run this function only
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Value of a scalar parameter or of a variable in shapes; repeatable
    #[arg(long = "arg", value_name = "NAME=INT", value_parser = name_and_integer)]
    pub(crate) sizes: Vec<(String, i64)>,
    /// Value of those that `--arg` does not name
    #[arg(long, value_name = "INT", default_value_t = 8, value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) size: i64,
    /// Seed of the content of buffers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: RunFormat,
    /// Maximum number of steps, instructions on scalars
    #[arg(long, value_name = "N", default_value_t = 1 << 32, help_heading = "Limits")]
    pub(crate) max_steps: u64,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Output format of `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// The first values of each argument
    Text,
    /// All values, one JSON object per function
    Json,
}

/// Splits `NAME=INT`.
fn name_and_integer(text: &str) -> Result<(String, i64), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=INT`")?;
    let value = value.parse().map_err(|_| "expected an integer after `=`")?;
    Ok((name.to_owned(), value))
}
