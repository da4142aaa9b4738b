//! The command line and its help.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use tvmscript::Release;
use tvmscript::python_syntax::MAX_TEXT_BYTES;
use tvmscript::script_parser::Header;

use crate::arg_values::{fragment_dialect, header, release};
use crate::dialect_args::{AddedDialects, DialectArgs};
use crate::explore_args::ExploreArgs;
use crate::hash_args::Hash;
use crate::import_args::ImportArgs;
use crate::printer::{PrinterArgs, TextArgs};
use crate::python_args::{Capture, PythonFileArgs, Unknown};
use crate::run_args::RunArgs;
use crate::schedule_args::ScheduleArgs;
use crate::stubs_args::StubsArgs;
use crate::trace_args::Trace;
use crate::upgrade_args::UpgradeArgs;

const ABOUT: &str = "Reads, prints, checks and compares TVMScript, without TVM and without Python.";

const EXAMPLES: &str = "\
Examples:
  tvmscript print kernel.py                    the canonical text of a script
  tvmscript print kernel.py --width 80 -o k.py write to a file, break lines at 80 columns
  tvmscript check src/*.py                     all errors in many files
  tvmscript diff before.py after.py            what was changed, inserted, removed, renamed, moved
  tvmscript equal before.py after.py           the differences, underlined in both texts
  tvmscript upgrade --diff src/*.py            the scripts as a newer release has them
  tvmscript json kernel.py --tvm | python ...  convert to TVM's JSON
  tvmscript from-json module.json              convert back to text
  tvmscript print --only body.block kernel.py  one part; `--fragment tir` parses it
  tvmscript print --call 'gemm(128)' lib.py    the scripts that a call returns

FILE is a script as printed by TVM, a Python file with imports and any number of scripts, a notebook,
Markdown, or JSON in either format; `-` is standard input. Commands that take several files take folders:
the `.py` files below them. `--profile NAME` selects the release whose texts to parse and print.

Exit status: 0 success; 1 errors in the input, or the answer is no; 2 wrong use of the command, or a file cannot
be opened.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "tvmscript", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Args {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

/// Flags that every command has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Write the time of each phase to standard error, as one line of JSON
    #[arg(long, global = true)]
    pub(crate) timings: bool,
    /// Colour diagnostics
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Constants that scripts leave out, as written by `print --constants-out`, or by `import --params` as `.safetensors`;
    /// repeatable
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) constants: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) added: AddedDialects,
    /// Variables around a script that it may use: all (`tvm`), or numbers, texts and declared ones (`rfc`)
    #[arg(long, global = true, value_name = "RULE", value_enum, default_value_t)]
    pub(crate) capture: Capture,
    /// Calls of functions that no dialect has: kept as written in printed text only (`printed`), in every text (`keep`), or
    /// errors (`refuse`)
    #[arg(long, global = true, value_name = "RULE", value_enum, default_value_t)]
    pub(crate) unknown_functions: Unknown,
    /// Release whose texts to parse and print [default: what each text shows]
    #[arg(long = "profile", global = true, value_name = "NAME", value_parser = release())]
    pub(crate) release: Option<&'static Release>,
    /// Parse scripts as fragments of this dialect: statements, bindings or an expression outside any function
    ///
    /// `print --only` prints such fragments, with declarations of their free variables in front. Comparing and hashing binds
    /// the free variables of fragments to each other.
    #[arg(long, global = true, value_name = "DIALECT", value_parser = fragment_dialect())]
    pub(crate) fragment: Option<&'static str>,
    /// Parse scripts as if this header stood in front of them, e.g. `int_dtype=int64,tir_prefix=X`
    ///
    /// A header is the comment `# tvmscript: OPTIONS` in front of a script. The printer writes one where an option changes the
    /// meaning of the text; TVM does not.
    #[arg(long, global = true, value_name = "OPTIONS", value_parser = header)]
    pub(crate) header: Option<Header>,
    /// Maximum size of an input file, in bytes
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 128 << 20, help_heading = "Limits")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TEXT_BYTES)))]
    pub(crate) max_input_bytes: u32,
    /// Maximum memory of the nodes of one file, in bytes
    #[arg(long, global = true, value_name = "BYTES", default_value_t = 1 << 30, help_heading = "Limits")]
    pub(crate) max_node_bytes: u64,
    /// Number of files to process in parallel [default: one per processor]
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
    #[command(flatten)]
    pub(crate) python: PythonFileArgs,
}

/// When to colour diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// If standard error is a terminal and NO_COLOR is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the canonical text of scripts
    Print(Print),
    /// Report all errors: syntax, names, types, well-formedness
    Check(Check),
    /// Show the builder calls that scripts make, with the lines that make them
    Explain(Explain),
    /// Write a program that builds the scripts
    Emit(Emit),
    /// Write Python stubs of all functions for type checkers and editors, or list them as JSON
    Stubs(StubsArgs),
    /// Check and document dialects that are described in files
    Dialect(DialectArgs),
    /// Rewrite scripts of one release to what another release has
    Upgrade(UpgradeArgs),
    /// Explain the code of a diagnostic: what it means, a wrong and a right script
    ExplainCode(ExplainCode),
    /// Check that text round-trips: parse, print, parse again, compare, print again
    Roundtrip(Roundtrip),
    /// Compare two files structurally and underline the differences
    Equal(Equal),
    /// Show the structural difference of two files as an edit script
    Diff(Diff),
    /// Print the structural hash, the same for files that are `equal`
    Hash(Hash),
    /// Convert scripts to JSON
    Json(Json),
    /// Print the scripts in a JSON file of either format
    FromJson(Print),
    /// Show the nodes of a script as a tree or a graph
    Dump(Dump),
    /// Run passes and print the result
    Opt(Opt),
    /// Show which passes and sources a place of the text comes from, or what came from a source
    Trace(Trace),
    /// Write one offline page over a program and its passes, from a model's layer to the last text
    Explore(ExploreArgs),
    /// Run TIR functions on generated inputs with the reference interpreter
    Run(RunArgs),
    /// Print the Relax module of a model of ONNX, PyTorch, TFLite or TensorFlow
    Import(ImportArgs),
    /// Apply a trace of schedule primitives to a module
    Schedule(ScheduleArgs),
    /// Measure each operation; prints one line of JSON per operation
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
  tvmscript print --show-spans --keep-comments kernel.py

All scripts of a file are printed in order, separated by one blank line. Nothing is printed for
a file with errors.")]
pub(crate) struct Print {
    /// Input files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print only the part at an access path, after declarations of its free variables; `--fragment` parses it
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Option<String>,
    /// Write the constants that `--elide-constants` leaves out to this file
    #[arg(long, value_name = "FILE", requires = "elide-constants")]
    pub(crate) constants_out: Option<PathBuf>,
    /// Write where each statement comes from at the end of its line, e.g. `# @model.py:12:4`; parsing reads it back
    #[arg(long, help_heading = "Printing")]
    pub(crate) show_spans: bool,
    /// Print the comments of the scripts again, at their statements
    #[arg(long, help_heading = "Printing")]
    pub(crate) keep_comments: bool,
    #[command(flatten)]
    pub(crate) printer: PrinterArgs,
}

/// `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript check kernel.py
  tvmscript check --fix --diff kernel.py
  tvmscript check --format json src/*.py | jq 'select(.ok | not)'
  tvmscript check --format sarif src/*.py > results.sarif

With `--format json`, each file is one line on standard output:
  {\"file\", \"ok\", \"errors\": [{\"code\", \"kind\", \"severity\", \"message\",
    \"start\": {\"line\", \"column\", \"offset\"}, \"end\": {...}, \"labels\": [], \"notes\": [], \"help\",
    \"fixes\": [{\"title\", \"applicability\", \"edits\": [{\"start\", \"end\", \"replacement\"}]}]}]}
Lines and columns count from 1, columns in characters; offsets count bytes from 0.

`--fix` applies fixes that are certain, again and again until none is left. It keeps only fixes that leave fewer
errors than before; files are replaced as a whole or left unchanged.")]
pub(crate) struct Check {
    /// Input files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: CheckFormat,
    /// Apply the fixes that are certain; `-` is written to standard output
    #[arg(long)]
    pub(crate) fix: bool,
    /// Notes are errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Show the changes of `--fix` as a unified diff on standard output, and change no file
    #[arg(long, requires = "fix", visible_alias = "dry-run")]
    pub(crate) diff: bool,
}

/// `explain-code`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript explain-code E0201
  tvmscript explain-code                       the list of all codes")]
pub(crate) struct ExplainCode {
    /// The code, e.g. `E0201` [default: list all codes]
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// All pages as one Markdown document
    #[arg(long, conflicts_with = "code")]
    pub(crate) markdown: bool,
}

/// Output format of `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Diagnostics with source lines, on standard error
    Human,
    /// One JSON object per file, on standard output
    Json,
    /// One SARIF 2.1.0 log of all files, on standard output
    Sarif,
}

/// `roundtrip`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  tvmscript roundtrip --width 80 src/*.py

Text is printed with its metadata section. Prints one line for each file that fails and a summary.")]
pub(crate) struct Roundtrip {
    /// Input files; `-` is standard input
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

Names of variables, comments and layout are ignored. Prints nothing if the files are equal;
otherwise both texts with all differences underlined, and the access paths of the differences.")]
pub(crate) struct Equal {
    /// First file
    #[arg(value_name = "A")]
    pub(crate) left: PathBuf,
    /// Second file
    #[arg(value_name = "B")]
    pub(crate) right: PathBuf,
    /// Match the free variables of the two files
    #[arg(long)]
    pub(crate) map_free_vars: bool,
    /// Compare files of two releases as they are, without upgrading the older one
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Maximum number of differences to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) printer: PrinterArgs,
}

/// `diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript diff before.py after.py
  tvmscript diff --format side-by-side before.py after.json
  tvmscript diff --format json before.py after.py | jq '.edits[].op'
  git -c diff.external='tvmscript diff' diff --ext-diff
  git difftool --extcmd 'tvmscript diff' --no-prompt

Parts are matched by structure: changed, inserted, removed, renamed or moved. Renamed variables are
listed, but as for `equal` they are not differences: the exit status is 0 if nothing else differs.

With `--format json`: {\"edits\": [{\"op\", \"a\", \"b\", \"text_a\", \"text_b\"}]}, where \"a\" and \"b\" are
access paths, null where a side lacks the part; and \"upgraded\": {\"file\", \"from\", \"to\"} if the files
are of two releases, and one was upgraded first.")]
pub(crate) struct Diff {
    /// The two files A and B; or the seven or nine arguments that git passes to an external diff driver
    #[arg(required = true, num_args = 1..=9, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "unified")]
    pub(crate) format: DiffFormat,
    /// Do not list renamed variables
    #[arg(long)]
    pub(crate) ignore_names: bool,
    /// Match the free variables of the two files
    #[arg(long)]
    pub(crate) map_free_vars: bool,
    /// Compare files of two releases as they are, without upgrading the older one
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Unchanged lines around a change
    #[arg(short = 'U', long, value_name = "LINES", default_value_t = 3)]
    pub(crate) context: usize,
    /// Width of side-by-side text [default: that of the terminal, or 160]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    pub(crate) columns: Option<u16>,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// Output format of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Changed lines with context, `-` and `+` in front
    Unified,
    /// Both texts in two columns
    SideBySide,
    /// A self-contained page
    Html,
    /// The edits
    Json,
}

/// `json`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript json kernel.py -o kernel.json
  tvmscript json --tvm kernel.py | python -c 'import sys, tvm; print(tvm.ir.load_json(sys.stdin.read()))'

Several scripts in one file become one array, which `from-json` prints as several scripts again.
Each file becomes one document; with --compact that is one line per file.")]
pub(crate) struct Json {
    /// Input files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// TVM's format, for `tvm.ir.load_json` of the release of the text
    #[arg(long)]
    pub(crate) tvm: bool,
    /// Write positions in the scripts too, as lines and columns; the native format always has them
    #[arg(long, requires = "tvm")]
    pub(crate) spans: bool,
    /// One line per document, without indentation
    #[arg(long)]
    pub(crate) compact: bool,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// `dump`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript dump kernel.py --format text
  tvmscript dump kernel.py --format svg --kinds stmt -o kernel.svg
  tvmscript dump kernel.py --format dot --kinds stmt --dedupe | dot -Tpdf > kernel.pdf

A label of `dot` and `svg` is the class and the printed text of a node; the other formats show its class and scalar
fields. Edges are steps of access paths, as in `print --only` and `--underline`.

A kind is `stmt`, `expr`, `func`, or a type key such as `tir.For`; base classes include their subclasses.")]
pub(crate) struct Dump {
    /// Input file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DumpFormat,
    /// Show only nodes of these kinds, and skip over the others
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<String>,
    /// Show what TVM's visitors visit: no definitions, and nothing inside nodes of other kinds
    #[arg(long, requires = "kinds")]
    pub(crate) as_visited: bool,
    /// Show equal nodes once
    #[arg(long)]
    pub(crate) dedupe: bool,
    /// Maximum length of a label, in characters
    #[arg(long, value_name = "N")]
    pub(crate) max_label: Option<usize>,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Output format of `dump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpFormat {
    /// A tree, one line per node
    Text,
    /// Graphviz DOT
    Dot,
    /// A picture, without Graphviz
    Svg,
    /// Nodes and edges as JSON
    Json,
}

/// `opt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript opt --list-passes
  tvmscript opt kernel.py --passes tir.LowerInitBlock,tir.ConvertBlocksToOpaque
  tvmscript opt kernel.py --passes tir.UnrollLoop --opt tir.UnrollLoop.auto_max_step=16 --report report.json
  tvmscript opt kernel.py --passes tir.UnrollLoop,tir.Simplify --verify --dump-dir dumps --dump-format dot

Passes run in the order in which they are named. The report is a JSON array with one object per
pass: {\"pass\", \"ms\", \"changed\", \"nodes\", \"nodes_with_source\"}.")]
pub(crate) struct Opt {
    /// Input file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) passes: PassArgs,
    /// List all passes and their options
    #[arg(long)]
    pub(crate) list_passes: bool,
    /// Show what each pass changes, on standard error
    #[arg(long)]
    pub(crate) print_changed: bool,
    /// Write the module before the first pass and after each pass into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_dir: Option<PathBuf>,
    /// Format of the files in the directory
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "dump_dir")]
    pub(crate) dump_format: PassDumpFormat,
    /// Show the time of each pass, on standard error
    #[arg(long)]
    pub(crate) timing: bool,
    /// Check after each pass that the result is well-formed and reads back from its text
    #[arg(long)]
    pub(crate) verify: bool,
    /// Fail after a pass if less than this share of nodes, from 0 to 1, has a source
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) min_sources: Option<f64>,
    /// Write a record of each pass to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Format of errors, on standard error; `json` is one line like those of `check --format json`
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) error_format: ErrorFormat,
    /// Write to this file instead of standard output; on failure the file is left unchanged
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

/// The format of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorFormat {
    /// Source lines with the places underlined
    Human,
    /// Objects with codes and positions
    Json,
}

/// Passes and their options.
#[derive(Debug, clap::Args)]
pub(crate) struct PassArgs {
    /// Passes to run, in this order
    #[arg(long = "passes", value_name = "PASS,..", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
    /// Set an option of a pass; repeatable
    #[arg(long = "opt", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub(crate) options: Vec<(String, String)>,
    /// The traces of the pass `schedule`: a Python file whose functions schedule those of the same names
    #[arg(long, value_name = "FILE")]
    pub(crate) schedules: Option<PathBuf>,
}

/// `explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript explain kernel.py
  tvmscript explain kernel.py --node body.block --format json
  tvmscript explain templates.py --call 'gemm(16)'
  tvmscript explain --format python kernel.py
  tvmscript explain --expand 1 kernel.py

Each line is a call of the builder, as a Python program would make it, with the place of the code that
makes it; in a helper, followed by the places of the calls that led there.")]
pub(crate) struct Explain {
    /// Input files; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Show only the calls that make this part of the script, an access path as `dump` shows it
    #[arg(long, value_name = "PATH")]
    pub(crate) node: Option<String>,
    /// Print the file instead, with calls of its functions and macros written out in the scripts, up to N calls deep
    #[arg(long, value_name = "N", conflicts_with_all = ["node", "format"])]
    pub(crate) expand: Option<u8>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExplainFormat,
}

/// `emit`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript emit --target python-builder kernel.py > build_kernel.py
  tvmscript emit --target python-builder --main module.json -o build_module.py
  tvmscript emit --target doc-json kernel.py
  tvmscript emit --target c kernel.py > kernel.c

`python-builder` is a program for the IRBuilder of TVM: its function `build` returns the function of the file, or
its module; of several functions, a module. `doc-json` is the syntax tree that `print` writes as text. `c` is C99 that
computes what `run` computes; a buffer is a pointer, and variables of shapes follow the parameters.")]
pub(crate) struct Emit {
    /// Input file, a script or JSON; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The form of the program
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: EmitTarget,
    /// Add code that prints what `build` returns, when the program is run; in C, a `main` that runs a function on bytes
    #[arg(long)]
    pub(crate) main: bool,
    /// Write only the TIR function of this name, for `--target c`
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Write no `#line` directives, for `--target c`
    #[arg(long)]
    pub(crate) no_lines: bool,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Target of `emit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitTarget {
    /// A Python program for the IRBuilder
    PythonBuilder,
    /// A Rust program for `tvmscript::dynamic`
    RustBuilder,
    /// A C++ program for `tvmscript.hpp`
    CppBuilder,
    /// A C++ program for TVM's own IRBuilder, of the classic release
    TvmCppBuilder,
    /// The syntax tree as JSON
    DocJson,
    /// C99 of the TIR functions, with a `#line` directive before each statement
    C,
}

/// Output format of `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// Lines for people
    Text,
    /// A JSON array of calls
    Json,
    /// A Python program that makes the same calls
    Python,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or("expected a number from 0 to 1")
}

/// Splits `KEY=VALUE`.
fn key_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("expected `KEY=VALUE`")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Format of the files of `opt --dump-dir`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PassDumpFormat {
    /// TVMScript
    Text,
    /// Native JSON, with spans
    Json,
    /// Graphviz DOT
    Dot,
}

/// `bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tvmscript bench --repeat 9 kernel.py
  tvmscript bench kernel.py --passes tir.LowerInitBlock,tir.Simplify

Prints one line for each of parse, print, eq, hash, save, load and drop: {\"op\": \"parse\", \"cpu\": 0.00123}, the
median CPU time in seconds. `parse-without-spans` runs only if listed. `eq` compares with the parsed printed text; `save` and `load` convert to and
from TVM's JSON. With `--passes`, prints one line for each pass instead, run on the result of the one before.")]
pub(crate) struct Bench {
    /// Input files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Number of runs of each operation
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Stop repeating an operation after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    pub(crate) budget: f64,
    /// Run only these operations
    #[arg(long, value_name = "OP,..", value_delimiter = ',')]
    #[arg(value_parser = ["parse", "parse-without-spans", "print", "eq", "hash", "save", "load", "drop"])]
    #[arg(conflicts_with = "names")]
    pub(crate) ops: Vec<String>,
    #[command(flatten)]
    pub(crate) passes: PassArgs,
}
