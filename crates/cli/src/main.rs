//! The `tvmscript` command: prints, checks, compares and converts scripts.
//!
//! Exit status: 0 success; 1 errors in the input, or the answer is no; 2 wrong use. Results go to standard output,
//! diagnostics to standard error. All work runs on threads with a known stack size.

#![warn(clippy::unwrap_used, clippy::panic)]

mod across;
mod advice;
mod arg_values;
mod args;
mod codes;
mod command;
mod constants;
mod dialect_args;
mod dialect_flags;
mod dialects;
mod explore_args;
mod failure;
mod fixes;
mod folders;
mod hash_args;
mod import_args;
mod input;
mod internal;
mod json_form;
mod models;
mod modules;
mod older_blocks;
mod older_names;
mod output;
mod parallel;
mod pasted;
mod paths;
mod printer;
mod python_args;
mod run_args;
mod safetensors;
mod schedule_args;
mod settings;
mod stubs_args;
mod svg;
mod tilelang;
mod timings;
mod trace_args;
mod upgrade_args;
mod well_formed;

use std::process::ExitCode;

use clap::Parser as _;
use tvmscript_ir_core::NodeAllocator;

#[global_allocator]
static ALLOCATOR: NodeAllocator = NodeAllocator;

/// Stack size of worker threads. Recursion over input grows the stack on demand.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// Result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Success; if the command asks a question, the answer is yes.
    Done,
    /// Errors in the input, or the answer is no.
    No,
    /// Wrong use of the command.
    Misused,
}

impl Outcome {
    /// Returns the worse outcome: wrong use is worse than a failure.
    fn and(self, other: Outcome) -> Outcome {
        self.max(other)
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::No => ExitCode::from(1),
            Outcome::Misused => ExitCode::from(2),
        }
    }
}

/// Exits because the machine has less memory than the limits allow. Must not allocate.
fn out_of_memory(_: usize) -> ! {
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        b"error: out of memory; `--max-input-bytes`, `--max-node-bytes` and `--max-docs` set lower limits\n",
    );
    std::process::exit(1)
}

fn main() -> ExitCode {
    internal::install_hook();
    tvmscript_ir_core::set_out_of_memory_handler(out_of_memory);
    // The flags come from the registry, which takes longest to build and which the version does not need.
    let given: Vec<_> = std::env::args_os().skip(1).collect();
    if matches!(&given[..], [only] if only == "--version" || only == "-V") {
        output::result(concat!("tvmscript ", env!("CARGO_PKG_VERSION"), "\n"));
        return ExitCode::SUCCESS;
    }
    // Files of `--dialect` are loaded first: their names are values of other flags.
    if let Err(outcome) = dialects::load(&given) {
        return outcome.into();
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        // For clap, help and version are errors with exit status 0.
        Err(error) => error.exit(),
    };
    let work = move || internal::catch(|| command::run(&args));
    let result = match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work) {
        Ok(thread) => thread.join().unwrap_or_else(|_| Err(internal::InternalError::unknown())),
        Err(_) => Err(internal::InternalError::unknown()),
    };
    match result {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            output::diagnose(&error.to_string());
            ExitCode::from(1)
        }
    }
}
