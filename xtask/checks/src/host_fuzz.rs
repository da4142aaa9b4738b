//! `cargo xtask host-fuzz`: hostile programs of host code, without a fuzzer or a nightly toolchain.
//!
//! Generates programs whose sizes and loops go past every budget and asks the fuzz target `host` about each. Programs that
//! fail (a panic, ten seconds of processor time) are written to a folder. For the memory limit, run it under `ulimit -v`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use tvmscript_test_texts::{Random, Scale, host_program};

use xtask::workspace;

#[path = "../../../tests/fuzz/src/lib.rs"]
#[expect(dead_code, reason = "the other targets are for cargo-fuzz and the tests")]
mod targets;

/// For how long, and which programs.
#[derive(Args)]
pub struct Options {
    /// Seconds in all.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The seed of the first program; each further one adds 1.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for programs that fail [default: target/host-fuzz].
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// Processor time that no program may need.
const MAX_SECONDS: f64 = 10.0;

/// The processor time of this thread: a busy machine does not count.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Runs programs until the time is over.
///
/// # Errors
/// When a program fails.
pub fn run(options: &Options) -> Result<()> {
    let folder = options.keep.clone().unwrap_or_else(|| workspace::root().join("target/host-fuzz"));
    std::fs::create_dir_all(&folder)?;
    let (begun, length) = (Instant::now(), Duration::from_secs(options.seconds));
    std::panic::set_hook(Box::new(|_| {}));
    let (mut count, mut failures, mut slowest) = (0_u64, 0_u64, (0.0, 0));
    while begun.elapsed() < length {
        let seed = options.seed.wrapping_add(count);
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let scale = if seed % 4 == 0 { Scale::Small } else { Scale::Hostile };
        let text = host_program(&mut random, scale);
        // The program that runs now stands in a file, in case the process dies of it.
        std::fs::write(folder.join("running.py"), &text)?;
        let start = processor_seconds();
        let outcome = catch_unwind(AssertUnwindSafe(|| targets::parse(&text)));
        let seconds = processor_seconds() - start;
        if seconds > slowest.0 {
            slowest = (seconds, seed);
        }
        if outcome.is_err() || seconds > MAX_SECONDS {
            failures += 1;
            println!("seed {seed} fails after {seconds:.1} s");
            std::fs::write(folder.join(format!("{seed}.py")), &text)?;
        }
        count += 1;
    }
    let _ = std::panic::take_hook();
    println!("{count} programs from seed {}, slowest {:.1} s (seed {})", options.seed, slowest.0, slowest.1);
    if failures > 0 {
        bail!("{failures} programs fail; they are in {}", folder.display());
    }
    Ok(())
}
