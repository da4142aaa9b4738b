//! `cargo xtask api`: the public API of the published libraries, recorded in `docs/api`, so that a change of it shows in a
//! review.
//!
//! The list is made from rustdoc's JSON, which only unstable flags give. This program stands in for `rustdoc` and allows
//! them there alone: allowed for all of cargo, they would rebuild every dependency.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask::workspace;

/// Set for the calls in which this program stands in for `rustdoc`.
const STANDS_IN: &str = "XTASK_IS_RUSTDOC";
const JSON: [&str; 4] = ["-Z", "unstable-options", "--output-format", "json"];

/// Options of `cargo xtask api`.
#[derive(Args)]
pub struct Options {
    /// Compare with the record instead of writing it.
    #[arg(long)]
    check: bool,
    /// Take what a build of the documentation left, with this program in place of `rustdoc`.
    #[arg(long)]
    built: bool,
}

/// Makes a build of the documentation leave the JSON beside the pages.
///
/// # Errors
/// When the path of this program is unknown.
pub fn keep_json(docs: &mut Command) -> Result<()> {
    docs.env("RUSTDOC", std::env::current_exe()?).env(STANDS_IN, "pages and JSON");
    Ok(())
}

/// Runs `rustdoc` if cargo called this program as such.
pub fn as_rustdoc() -> Option<ExitCode> {
    let outputs = std::env::var_os(STANDS_IN)?;
    let rustdoc = |more: &[&str]| {
        let mut rustdoc = Command::new("rustdoc");
        rustdoc.args(std::env::args_os().skip(1)).args(more).env_remove(STANDS_IN);
        if !more.is_empty() {
            rustdoc.env("RUSTC_BOOTSTRAP", "1");
        }
        rustdoc.status().is_ok_and(|status| status.success())
    };
    let asks = std::env::args_os().any(|argument| argument == "--version" || argument == "-vV");
    let is_right = if asks { rustdoc(&[]) } else { (outputs == "JSON" || rustdoc(&[])) && rustdoc(&JSON) };
    Some(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Records the public API, or compares it with the record.
///
/// # Errors
/// When a library does not build, a file cannot be read or written, or the API is not the recorded one.
pub fn run(options: &Options) -> Result<()> {
    let packages = workspace::packages()?;
    let names: Vec<&str> =
        packages.values().filter(|p| p.is_published && p.has_library).map(|p| p.name.as_str()).collect();
    if !options.built {
        let status = workspace::cargo()
            .args(["doc", "--quiet", "--no-deps", "--all-features", "--lib"])
            .args(names.iter().flat_map(|name| ["-p", name]))
            .env("RUSTDOC", std::env::current_exe()?)
            .env(STANDS_IN, "JSON")
            .status()?;
        if !status.success() {
            bail!("cargo doc failed");
        }
    }
    let (jsons, folder) = (workspace::target()?.join("doc"), workspace::root().join("docs/api"));
    fs::create_dir_all(&folder)?;
    let mut changed = Vec::new();
    for name in names {
        let json = format!("{}.json", name.replace('-', "_"));
        let api = public_api::Builder::from_rustdoc_json(jsons.join(json))
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .with_context(|| format!("the API of {name}"))?;
        let api = api.items().map(|item| format!("{item}\n")).collect::<String>();
        let file = folder.join(format!("{name}.txt"));
        if options.check {
            let recorded = fs::read_to_string(&file).unwrap_or_default();
            if recorded != api {
                println!("{}", difference(name, &recorded, &api));
                changed.push(name);
            }
        } else {
            fs::write(&file, api).with_context(|| file.display().to_string())?;
        }
    }
    if !changed.is_empty() {
        bail!("the public API changed: {}; `cargo xtask api` records it", changed.join(", "));
    }
    Ok(())
}

/// The items that are new or gone.
fn difference(name: &str, recorded: &str, api: &str) -> String {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (recorded.lines().collect(), api.lines().collect());
    let gone = old.difference(&new).map(|item| format!("- {item}"));
    let added = new.difference(&old).map(|item| format!("+ {item}"));
    let mut lines = vec![format!("{name}:")];
    lines.extend(gone.chain(added));
    lines.join("\n")
}
