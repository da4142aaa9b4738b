//! Hostile programs of host code, without a fuzzer or a nightly toolchain: their sizes and loops go past every budget.
//!
//! Programs that fail stay in `target/host`, and so does the one that runs when the process dies. For the memory limit, run
//! it under `ulimit -v`. Without optimisation, some programs need more than the time.

use anyhow::Result;
use clap::Args;
use tvmscript_test_texts::{Scale, host_program};
use xtask::workspace;

use super::{Cases, MAX_SECONDS, processor_seconds};

#[path = "../../../../tests/fuzz/src/lib.rs"]
#[expect(dead_code, reason = "the other targets are for cargo-fuzz and the tests")]
mod targets;

/// Options of `cargo xtask check host`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    cases: Cases,
}

/// Runs the suite.
pub(super) fn run(options: &Options) -> Result<()> {
    let folder = workspace::root().join("target/host");
    std::fs::create_dir_all(&folder)?;
    let report = options.cases.ask(
        &[Scale::Small, Scale::Hostile, Scale::Hostile, Scale::Hostile],
        |scale, random| {
            let text = host_program(random, *scale);
            let file = folder.join(format!("{}.py", random.below(usize::MAX)));
            // A program that cannot be kept runs all the same.
            let _ = std::fs::write(&file, &text);
            let start = processor_seconds();
            targets::parse(&text);
            if processor_seconds() - start <= MAX_SECONDS {
                let _ = std::fs::remove_file(&file);
            }
            Some((file.display().to_string(), Vec::new()))
        },
    )?;
    report.finish(options.cases.show)
}
