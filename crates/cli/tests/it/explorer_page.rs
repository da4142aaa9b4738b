//! The page of `explore`: its bundle is that of its sources, and journeys through it in a real browser.
//!
//! Both need node and the packages of `crates/explore/page` (`npm ci`), the journeys also Chromium. Without them they say what
//! is missing, and pass.

use std::path::PathBuf;
use std::process::{Command, Output};

fn page() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../explore/page"))
}

/// Runs node in the folder of the page; nothing if node or its packages are missing.
fn node(args: &[&str]) -> Option<Output> {
    if !page().join("node_modules/esbuild").is_dir() {
        println!("skipped: run `npm ci` in crates/explore/page");
        return None;
    }
    let mut command = Command::new("node");
    command.args(args).current_dir(page()).env("TVMSCRIPT", env!("CARGO_BIN_EXE_tvmscript"));
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: node does not start: {error}");
            None
        }
    }
}

fn check(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_bundle_of_the_page_is_that_of_its_sources() {
    if let Some(output) = node(&["build.mjs", "--check"]) {
        check(&output);
    }
    if let Some(output) = node(&["node_modules/typescript/bin/tsc", "--noEmit"]) {
        check(&output);
    }
}

#[test]
fn p92_27_p92_28_p92_29_p92_36_journeys_through_the_page_in_a_browser() {
    if let Some(output) = node(&["--test", "tests/journeys.test.mjs"]) {
        check(&output);
    }
}
