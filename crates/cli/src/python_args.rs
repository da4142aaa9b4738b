//! Flags for the Python code of scripts.

use std::path::PathBuf;

use clap::ValueEnum;
use tvmscript::python_syntax::is_identifier;
use tvmscript::script_parser::Limits;

/// The rule of `--capture`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Capture {
    /// All variables, as in TVM.
    #[default]
    Tvm,
    /// Numbers, texts, `None` and what `capture=[..]` declares, as in RFC 0079.
    Rfc,
}

/// The rule of `--unknown-functions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Unknown {
    /// Kept in printed text, which has a header and no imports; errors in Python.
    #[default]
    Printed,
    /// Kept in every text.
    Keep,
    /// Errors.
    Refuse,
}

/// The rule of `--host-code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum HostCodeRule {
    /// It is evaluated, within limits.
    #[default]
    Run,
    /// Only literals and captured values are; scripts that need more are refused.
    None,
}

/// The code of a Python file to run, and its limits.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Python files")]
pub(crate) struct PythonFileArgs {
    /// Set a module-level variable of scripts to the value of a Python expression, whatever they assign to it; repeatable
    #[arg(long, global = true, value_name = "NAME=EXPR", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Evaluate a Python expression behind the text, and take the scripts that it returns instead of the file's; repeatable
    ///
    /// For example `--call 'get_gemm(128, dtype="float16")'`. Scripts in lists, tuples and dictionaries are found.
    #[arg(long, global = true, value_name = "EXPR")]
    pub(crate) call: Vec<String>,
    /// Take only the scripts of this name, e.g. `main`, `test_split.before` or `kernels["add"]`; repeatable
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) select: Vec<String>,
    /// The Python code around scripts, and in them
    #[arg(long, global = true, value_name = "RULE", value_enum, default_value_t)]
    pub(crate) host_code: HostCodeRule,
    /// Read what the cells of notebooks printed, not their code
    #[arg(long, global = true)]
    pub(crate) outputs: bool,
    /// Read imported modules below this folder; no file outside of it is read
    #[arg(long, global = true, value_name = "DIR", value_parser = folder)]
    pub(crate) import_root: Option<PathBuf>,
    /// Maximum number of steps that the Python code of one file takes
    #[arg(long, global = true, value_name = "N", default_value_t = Limits::default().max_steps, help_heading = "Limits")]
    pub(crate) max_python_steps: u64,
    /// Maximum memory of the Python values of one file, in bytes
    #[arg(long, global = true, value_name = "BYTES", default_value_t = Limits::default().max_memory_bytes)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_value_bytes: u64,
    /// Maximum nesting of calls of Python functions
    #[arg(long, global = true, value_name = "N", default_value_t = Limits::default().max_call_depth)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_call_depth: u32,
}

/// Checks that a folder exists.
fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such folder".to_owned()) }
}

/// Parses `NAME=EXPR`.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if is_identifier(name.trim()) && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected `NAME=EXPR`, such as `n=128`".to_owned()),
    }
}
