//! `stubs`: Python stubs and the reference of the functions that scripts call.

use std::path::Path;

use tvmscript::stubs::{Layout, StubFile, page, reference, stubs, to_json, to_markdown, tools};

use super::Run;
use crate::stubs_args::{StubsArgs, StubsFormat};
use crate::{Outcome, output};

pub(super) fn run(args: &StubsArgs, run: &Run<'_>) -> Outcome {
    let settings = &run.settings;
    let chosen = settings.printer_config().release;
    let registry = match settings.registry().select_release(chosen) {
        Ok(registry) => registry,
        // The command line accepts releases of the registry only.
        Err(error) => {
            output::diagnose(&format!("error: {error}"));
            return Outcome::Misused;
        }
    };
    let written = |text: String| output::write(args.output.as_deref(), &text);
    let dir = match (args.format, &args.dir) {
        (StubsFormat::Json, None) => return written(to_json(&reference(registry))),
        (StubsFormat::Markdown, None) if chosen.is_none() => return written(page(registry)),
        (StubsFormat::Markdown, None) => return written(to_markdown(&reference(registry))),
        (StubsFormat::Stubs, Some(dir)) => dir,
        (StubsFormat::Stubs, None) => {
            output::diagnose("error: name a folder for the stubs: `tvmscript stubs DIR`");
            return Outcome::Misused;
        }
        (_, Some(_)) => {
            output::diagnose("error: only stubs are written to a folder; name a file with `-o`");
            return Outcome::Misused;
        }
    };
    let layout = if args.stub_packages { Layout::StubPackages } else { Layout::Sources };
    let mut files = stubs(registry, layout);
    files.extend(tools(registry, layout));
    write_all(dir, &files)
}

/// Writes files below a folder.
pub(super) fn write_all(dir: &Path, files: &[StubFile]) -> Outcome {
    files.iter().fold(Outcome::Done, |outcome, file| outcome.and(write(dir, file)))
}

/// Writes a file and the folders that it is in.
fn write(dir: &Path, file: &StubFile) -> Outcome {
    let path = dir.join(&file.path);
    let folder = path.parent().unwrap_or(dir);
    match std::fs::create_dir_all(folder).and_then(|()| output::replace(&path, &file.text)) {
        Ok(()) => Outcome::Done,
        Err(error) => {
            output::diagnose(&format!("error: {}: {error}", path.display()));
            Outcome::No
        }
    }
}
