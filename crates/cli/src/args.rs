//! The command line, and the help that teaches it.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};

use tvmscript::python_syntax::MAX_TEXT_BYTES;
use tvmscript::script_parser::{Header, HeaderError};

use crate::printer::{PrinterArgs, TextArgs};

const ABOUT: &str = "Reads, prints, checks and compares TVMScript, without TVM and without Python.";

const EXAMPLES: &str = "\
Examples:
  tvmscript print kernel.py                    the canonical text of a script
  tvmscript print kernel.py --width 80 -o k.py written to a file, lines broken at 80 columns
  tvmscript check src/*.py                     every mistake in many files
  tvmscript equal before.py after.py           what differs, underlined in both texts
  tvmscript json kernel.py --tvm | python ...  on to TVM as JSON
  tvmscript from-json module.json              and back to text
  tvmscript print --only body.block kernel.py  a part alone, which `--fragment tir` reads

FILE is a script as TVM prints it, a Python file with imports and several scripts, or JSON in
either form; `-` is standard input.

Exit status: 0 done; 1 the input is wrong or the answer is no; 2 the command was misused.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "tvmscript", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Tell where the time went: one line of JSON on standard error
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) timings: bool,
    /// Colour diagnostics
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Everywhere")]
    pub(crate) color: ColorWhen,
    /// Constants that scripts leave out, as `print --constants-out` wrote them; may be given several times
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) constants: Vec<PathBuf>,
    /// Scripts are fragments of this dialect: statements, bindings or an expression in no function
    ///
    /// As `print --only` prints them: what they do not define is declared at their head. Fragments are compared and hashed
    /// with these variables bound to each other.
    #[arg(long, global = true, value_name = "DIALECT", value_parser = fragment_dialect(), help_heading = "Everywhere")]
    pub(crate) fragment: Option<&'static str>,
    /// Read scripts without a header as if one said this, such as `int_dtype=int64,tir_prefix=X`
    ///
    /// The header is the comment `# tvmscript: OPTIONS` in front of a script, which the printer writes where an option changes
    /// what the text means. Text that TVM printed with such options has none.
    #[arg(long, global = true, value_name = "OPTIONS", value_parser = header, help_heading = "Everywhere")]
    pub(crate) header: Option<Header>,
    /// The largest file to read, in bytes
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 128 << 20, help_heading = "Limits")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TEXT_BYTES)))]
    pub(crate) max_input_bytes: u32,
    /// The most memory that the nodes of one file may take, in bytes
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 1 << 30, help_heading = "Limits")]
    pub(crate) max_node_bytes: u64,
    /// How many files to work on at once [default: one a processor]
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    #[arg(help_heading = "Everywhere")]
    pub(crate) jobs: usize,
}

/// A header whose options there are.
fn header(text: &str) -> Result<Header, HeaderError> {
    let header: Header = text.parse()?;
    header.check(tvmscript::registry()).map(|()| header)
}

/// The names of dialects whose fragments are read.
fn fragment_dialect() -> impl TypedValueParser<Value = &'static str> {
    let names = crate::registry::fragment_dialects();
    PossibleValuesParser::new(names.clone()).map(move |given| {
        // The parser in front lets no other name through.
        names.iter().copied().find(|name| *name == given).unwrap_or_default()
    })
}

/// When to colour diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the canonical text of scripts
    Print(Print),
    /// Find all mistakes: syntax, names, types, well-formedness
    Check(Check),
    /// Show that text is not lost: parse, print, parse, compare, print again
    Roundtrip(Roundtrip),
    /// Compare two files structurally, and underline what differs
    Equal(Equal),
    /// Print the structural hash, the same for files that are `equal`
    Hash(Hash),
    /// Write scripts as JSON
    Json(Json),
    /// Print what JSON holds, in either form
    FromJson(Print),
    /// Draw the nodes of a script as a tree or a graph
    Dump(Dump),
    /// Measure each operation on files: one line of JSON each
    Bench(Bench),
}

/// `print` and `from-json`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript print kernel.py
  tvmscript print --show-meta --tir-prefix tir --indent 2 kernel.py
  tvmscript print --underline '<root>.body.block.body' --num-context-lines 2 kernel.py
  tvmscript print --only '<root>.body.block.body' kernel.py -o loops.py
  tvmscript print --fragment tir loops.py

All scripts of a file are printed in order, with one blank line between. Nothing is printed for
a file with mistakes.")]
pub(crate) struct Print {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write to this file instead of standard output, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print only the part at an access path, behind declarations of what it does not define; `--fragment` reads it
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Option<String>,
    /// Write the constants that `--elide-constants` leaves out to this file
    #[arg(long, value_name = "FILE", requires = "elide-constants")]
    pub(crate) constants_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) printer: PrinterArgs,
}

/// `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript check kernel.py
  tvmscript check --format json src/*.py | jq 'select(.ok | not)'

In JSON each file is one line on standard output:
  {\"file\", \"ok\", \"errors\": [{\"kind\", \"message\",
    \"start\": {\"line\", \"column\", \"offset\"}, \"end\": {...}, \"notes\": []}]}
Lines and columns count from 1, columns in characters; offsets count bytes from 0.")]
pub(crate) struct Check {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// For people, or for programs
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: CheckFormat,
}

/// How `check` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Diagnostics with the lines they speak of, on standard error
    Human,
    /// One object a file, on standard output
    Json,
}

/// `roundtrip`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  tvmscript roundtrip --width 80 src/*.py

The text is printed with its metadata section. One line for each file that fails, and a summary.")]
pub(crate) struct Roundtrip {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// `equal`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript equal before.py after.py
  tvmscript equal --num-context-lines 1 before.py after.json

Names of variables, comments and layout do not count. Nothing is printed when the files are
equal; else both texts with every difference underlined, and the access paths of the differences.")]
pub(crate) struct Equal {
    /// The one file
    #[arg(value_name = "A")]
    pub(crate) left: PathBuf,
    /// The other file
    #[arg(value_name = "B")]
    pub(crate) right: PathBuf,
    /// Bind free variables of the one file to those of the other
    #[arg(long)]
    pub(crate) map_free_vars: bool,
    /// How many differences to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) printer: PrinterArgs,
}

/// `hash`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  tvmscript hash kernel.py

One line for each script of the file: 16 hexadecimal digits; of several files, the file's name
behind them.")]
pub(crate) struct Hash {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// `json`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript json kernel.py -o kernel.json
  tvmscript json --tvm kernel.py | python -c 'import sys, tvm; print(tvm.ir.load_json(sys.stdin.read()))'

Several scripts in one file become one array, which `from-json` prints as several scripts again.
Several files become one document each, in order; with --compact that is one line per file.")]
pub(crate) struct Json {
    /// Files to read; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// TVM's form, which `tvm.ir.load_json` reads; spans are not in it
    #[arg(long)]
    pub(crate) tvm: bool,
    /// One line instead of an indented text
    #[arg(long)]
    pub(crate) compact: bool,
    /// Write to this file instead of standard output, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `dump`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript dump kernel.py --format text
  tvmscript dump kernel.py --format dot --kinds stmt --dedupe | dot -Tsvg > kernel.svg

The labels of Graphviz's language are each node's class and its text, those of the other forms its class and
its plain fields. The places are parts of access paths, as `print --only` and `--underline` take them.

A kind is `stmt`, `expr`, `func`, or a type key such as `tir.For`; classes stand for all nodes below them.")]
pub(crate) struct Dump {
    /// The file to read; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A tree, Graphviz's language, or JSON
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DumpFormat,
    /// Show only these kinds of nodes; others are passed through
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,
    /// Show what TVM's visitors come to: no definitions, and nothing inside other kinds of nodes
    #[arg(long, requires = "kinds")]
    pub(crate) as_visited: bool,
    /// Show nodes that are alike once
    #[arg(long)]
    pub(crate) dedupe: bool,
    /// Cut labels off after this many characters
    #[arg(long, value_name = "N")]
    pub(crate) max_label: Option<usize>,
    /// Write to this file instead of standard output, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How `dump` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpFormat {
    /// A tree, one line a node
    Text,
    /// Graphviz's language
    Dot,
    /// Nodes and edges
    Json,
}

/// `bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  tvmscript bench --repeat 9 kernel.py

For each of parse, print, eq, hash, save, load and drop one line: {\"op\": \"parse\", \"cpu\": 0.00123}, the
median CPU time in seconds. `eq` compares with a second parse of the print; `save` and `load` are
TVM's form of JSON.")]
pub(crate) struct Bench {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How often to run each operation
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Stop repeating an operation after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    pub(crate) budget: f64,
    /// Only these operations
    #[arg(long, value_name = "OP,..", value_delimiter = ',')]
    #[arg(value_parser = ["parse", "print", "eq", "hash", "save", "load", "drop"])]
    pub(crate) ops: Vec<String>,
}
