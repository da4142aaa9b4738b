//! Commands that need more than the stable toolchain; they say what is missing instead of failing obscurely.

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use xtask::workspace;

/// Options of `cargo xtask fuzz`.
#[derive(Args)]
pub struct FuzzOptions {
    /// The targets; all of them if none is named.
    targets: Vec<String>,
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// A `cargo` of the nightly toolchain.
fn nightly() -> Result<Command> {
    let toolchains =
        Command::new("rustup").args(["toolchain", "list"]).output().context("rustup is not installed")?;
    if !String::from_utf8_lossy(&toolchains.stdout).lines().any(|l| l.starts_with("nightly")) {
        bail!("missing: a nightly toolchain (rustup toolchain install nightly --component miri,rust-src)");
    }
    let mut command = Command::new("cargo");
    command.arg("+nightly").current_dir(workspace::root());
    Ok(command)
}

/// Returns `true` if a subcommand of the nightly `cargo` works.
fn works(subcommand: &str) -> Result<bool> {
    Ok(nightly()?.args([subcommand, "--version"]).output().is_ok_and(|o| o.status.success()))
}

/// Runs the tests of ir-core under Miri. Its stack does not grow there: the second form of the stack guard counts.
///
/// # Errors
/// When a tool is missing, or Miri finds something.
pub fn miri() -> Result<()> {
    if !works("miri")? {
        bail!("missing: Miri (rustup component add miri --toolchain nightly)");
    }
    let status = nightly()?
        .args(["miri", "test", "-p", "tvmscript-ir-core", "--lib"])
        .env("MIRIFLAGS", "-Zmiri-strict-provenance")
        .status()?;
    if !status.success() {
        bail!("Miri found something in ir-core");
    }
    Ok(())
}

/// The folders of inputs of a target: its own, then seeds.
fn seeds(target: &str) -> Result<Vec<String>> {
    let own = format!("tests/fuzz/corpus/{target}");
    std::fs::create_dir_all(workspace::root().join(&own))?;
    let models = target.starts_with("import_").then(|| "tests/fixtures/models".to_owned());
    Ok(std::iter::once(own).chain(models).collect())
}

/// Runs the fuzz targets of `tests/fuzz`.
///
/// # Errors
/// When a tool is missing, or a target finds something.
pub fn fuzz(options: &FuzzOptions) -> Result<()> {
    let dir = workspace::root().join("tests/fuzz");
    if !dir.join("Cargo.toml").is_file() {
        bail!("missing: the fuzz workspace in tests/fuzz");
    }
    if !works("fuzz")? {
        bail!("missing: cargo-fuzz (cargo install cargo-fuzz)");
    }
    let listed = nightly()?.args(["fuzz", "list", "--fuzz-dir", "tests/fuzz"]).output()?;
    let all: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_string).collect();
    let targets = if options.targets.is_empty() { &all } else { &options.targets };
    for target in targets {
        println!("=== {target}");
        let seconds = format!("-max_total_time={}", options.seconds);
        let status = nightly()?
            .args(["fuzz", "run", "--fuzz-dir", "tests/fuzz", target])
            .args(seeds(target)?)
            .args(["--", &seconds, "-timeout=20", "-rss_limit_mb=2048"])
            .status()?;
        if !status.success() {
            bail!("the target `{target}` found something");
        }
    }
    Ok(())
}

/// Returns `true` if a program is installed.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Installs what the tests of the explorer's page need: Chromium if the user may, and the packages of npm.
///
/// Without a network or the rights, the tests say what is missing and pass; so this never fails.
pub fn prepare_browser() {
    let page = workspace::root().join("crates/explore/page");
    // Bounded, because a network that does not answer would hold all else up.
    let run = |words: &[&str]| {
        let mut command = Command::new("timeout");
        command.arg("90").args(words).current_dir(&page).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
        command.output().is_ok_and(|output| output.status.success())
    };
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if !has("chromium") && is_root && has("apt-get") {
        let packages =
            ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"];
        if !(run(&["apt-get", "update"]) && run(&packages)) {
            println!("skipped, since Chromium cannot be installed: journeys through the explorer's page");
        }
    }
    if has("npm") && !page.join("node_modules").is_dir() && !run(&["npm", "ci", "--ignore-scripts"]) {
        println!("skipped, since npm cannot install packages: tests of the explorer's page");
    }
}
