//! `cargo xtask api`: the public API of the published libraries, recorded in `docs/api`, so that a change of it shows in a
//! review.
//!
//! The list is made from rustdoc's JSON ([`stand_in::docs_as_json`]).

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask::workspace;

use crate::stand_in;

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

/// Records the public API, or compares it with the record.
///
/// # Errors
/// When a library does not build, a file cannot be read or written, or the API is not the recorded one.
pub fn run(options: &Options) -> Result<()> {
    let packages = workspace::packages()?;
    let names: Vec<&str> =
        packages.values().filter(|p| p.is_published && p.has_library).map(|p| p.name.as_str()).collect();
    if !options.built {
        let mut docs = workspace::cargo();
        docs.args(["doc", "--quiet", "--no-deps", "--all-features", "--lib"]);
        stand_in::docs_as_json(docs.args(names.iter().flat_map(|name| ["-p", name])))?;
        if !docs.status()?.success() {
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
