//! The `tvmscript` command: prints, checks, compares and converts scripts.
//!
//! Exit status: 0 done; 1 the input is wrong or the answer is no; 2 the command was misused. Results go to standard
//! output, diagnostics to standard error. All work happens on threads whose stacks have a known size, and a panic anywhere
//! ends as a message that asks to be reported.

mod args;
mod clock;
mod command;
mod dialect_flags;
mod failure;
mod input;
mod internal;
mod output;
mod parallel;
mod paths;
mod printer;
mod registry;
mod timings;
mod well_formed;

use std::process::ExitCode;

use clap::Parser as _;
use mimalloc::MiMalloc;
use tvmscript_ir_core::HandledAllocator;

#[global_allocator]
static ALLOCATOR: HandledAllocator<MiMalloc> = HandledAllocator(MiMalloc);

/// The stack of every thread that reads or prints. Deep input grows it by itself; this is for what does not ask.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and where a question was asked the answer is yes.
    Done,
    /// The input is wrong, or the answer is no.
    No,
    /// The command was misused.
    Misused,
}

impl Outcome {
    /// The worse of two.
    fn and(self, other: Outcome) -> Outcome {
        if self == Outcome::Done { other } else { self }
    }
}

/// Ends the program: the limits let more through than this machine has memory for. Takes no memory itself.
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
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        // Help and version are errors to clap, with status 0 and on standard output.
        Err(error) => error.exit(),
    };
    let work = move || internal::catch(|| command::run(&args));
    let result = match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work) {
        Ok(thread) => thread.join().unwrap_or_else(|_| Err(internal::InternalError::unknown())),
        Err(_) => Err(internal::InternalError::unknown()),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Misused) => ExitCode::from(2),
        Err(error) => {
            output::diagnose(&error.to_string());
            ExitCode::from(1)
        }
    }
}
