//! `dialect`: checks and documents dialects that are described in files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tvmscript::dialect_file::{DialectFile, Editions, from_irdl};
use tvmscript::ir_core::TypeInfo;
use tvmscript::stubs::{Entry, Layout, reference, stubs};
use tvmscript::{PrinterConfig, Registry, print};

use super::Run;
use super::stubs::write_all;
use crate::dialect_args::{DialectArgs, DialectCommand, DialectUpgrade};
use crate::{Outcome, dialects, input, output};

pub(super) fn run(args: &DialectArgs, run: &mut Run<'_>) -> Outcome {
    let run = match &args.command {
        DialectCommand::Upgrade(args) => upgrade(args, run),
        DialectCommand::FromIrdl(args) => {
            dialects::read(&args.file).and_then(|text| match from_irdl(&text) {
                Ok(description) => Ok(output::write(args.output.as_deref(), &description)),
                Err(error) => {
                    output::diagnose(&format!("error: {}: {error}", args.file.display()));
                    Err(Outcome::No)
                }
            })
        }
        DialectCommand::Check(files) => check(&files.files),
        DialectCommand::Doc(doc) => load(&doc.files.files).map(|(files, registry)| {
            let functions = reference(&registry);
            let pages: Vec<String> = files.iter().map(|file| page(file, &functions)).collect();
            output::write(doc.output.as_deref(), &pages.join("\n"))
        }),
        DialectCommand::Stubs(args) => load(std::slice::from_ref(&args.file))
            .map(|(_, registry)| write_all(&args.dir, &stubs(&registry, Layout::Sources))),
    };
    run.unwrap_or_else(|outcome| outcome)
}

fn load(files: &[PathBuf]) -> Result<(Vec<DialectFile>, Registry), Outcome> {
    dialects::with_files(files.iter().map(|file| (file.as_path(), Editions::Newest)))
}

/// Prints scripts of earlier editions in the edition of the file.
fn upgrade(args: &DialectUpgrade, run: &mut Run<'_>) -> Result<Outcome, Outcome> {
    let (files, registry) = dialects::with_files([(args.file.as_path(), Editions::All)].into_iter())?;
    let settings = run.settings.with_registry(&registry);
    let mut text = String::new();
    for path in &args.scripts {
        let input = input::load(path, &settings, &mut run.timings).map_err(|failed| {
            output::diagnose(&failed.render(path, &settings));
            failed.outcome()
        })?;
        input.warnings.show(settings.color);
        for script in &input.scripts {
            let upgraded = files.iter().try_fold(script.node.clone(), |node, file| file.upgrade(node));
            let config = PrinterConfig { release: Some(script.release), ..settings.printer_config() };
            let printed = upgraded.map_err(|error| error.to_string());
            let printed =
                printed.and_then(|node| print(&node, &registry, &config).map_err(|error| error.to_string()));
            match printed {
                Ok(printed) => {
                    text.push_str(&format!("{}{printed}\n", if text.is_empty() { "" } else { "\n" }))
                }
                Err(error) => {
                    output::diagnose(&format!("error: {}: {error}", path.display()));
                    return Err(Outcome::No);
                }
            }
        }
    }
    Ok(output::result(&text))
}

/// One line for each file.
fn check(files: &[PathBuf]) -> Result<Outcome, Outcome> {
    let (loaded, _) = load(files)?;
    let line = |(file, dialect): (&PathBuf, &DialectFile)| summary(file, dialect);
    let lines: Vec<String> = files.iter().zip(&loaded).map(line).collect();
    Ok(output::result(&lines.concat()))
}

fn summary(file: &Path, dialect: &DialectFile) -> String {
    let edition = match dialect.edition() {
        "" => String::new(),
        edition => format!(" {edition}"),
    };
    let (nodes, functions) = (dialect.node_count(), dialect.function_count());
    format!(
        "{}: the dialect `{}`{edition}, prefix `{}`: {nodes} nodes, {functions} functions, key {}\n",
        file.display(),
        dialect.name(),
        dialect.prefix(),
        dialect.key(),
    )
}

/// The reference page of a dialect.
fn page(file: &DialectFile, functions: &[Entry]) -> String {
    let mut page = format!("# The dialect `{}`\n\n", file.name());
    if !file.doc().is_empty() {
        let _ = writeln!(page, "{}\n", file.doc().trim());
    }
    let edition = match file.edition() {
        "" => String::new(),
        edition => format!("Edition {edition}. "),
    };
    let _ = writeln!(page, "{edition}Names in scripts begin with `{}.`.\n\n## Functions\n", file.prefix());
    for entry in functions.iter().filter(|entry| entry.dialect == file.name()) {
        let doc = entry.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let separator = if doc.is_empty() { "" } else { ": " };
        let _ = writeln!(page, "- `{}`{separator}{doc}", entry.signature);
    }
    page.push_str("\n## Nodes\n\n| node | parent | fields | traits |\n|---|---|---|---|\n");
    for info in file.types() {
        let parent = info.parent().map_or_else(String::new, |parent| format!("`{}`", parent.key()));
        let fields: Vec<String> = fields(info).map(|name| format!("`{name}`")).collect();
        let _ =
            writeln!(page, "| `{}` | {parent} | {} | {} |", info.key(), fields.join(", "), file.traits(info));
    }
    page
}

/// The fields that the file declares.
fn fields(info: &'static TypeInfo) -> impl Iterator<Item = &'static str> {
    info.fields().iter().map(|field| field.name).filter(|name| *name != "span")
}
