//! Where results and diagnostics go: standard output, files (whole or not at all), standard error.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::args::ColorWhen;

/// Writes a result to standard output. A reader that has gone away is not an error.
pub(crate) fn result(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Outcome::Done,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
        Err(error) => {
            diagnose(&format!("error: standard output: {error}"));
            Outcome::No
        }
    }
}

/// Writes lines to standard error; nobody can be told when that fails.
pub(crate) fn diagnose(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = err.write_all(b"\n");
    }
}

/// Writes a result to a file, or to standard output without one. The file is either the old one or the whole new one.
pub(crate) fn write(file: Option<&Path>, text: &str) -> Outcome {
    let Some(file) = file.filter(|file| file.as_os_str() != "-") else { return result(text) };
    match replace(file, text) {
        Ok(()) => Outcome::Done,
        Err(error) => {
            diagnose(&format!("error: {}: {error}", file.display()));
            Outcome::No
        }
    }
}

fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    // What is no plain file (a pipe, a device) cannot be replaced, only written to.
    let old = std::fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return std::fs::write(&target, text);
    }
    let temporary = beside(&target)?;
    let written = (|| {
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        out.write_all(text.as_bytes())?;
        if let Some(old) = old {
            out.set_permissions(old.permissions())?;
        }
        out.sync_all()?;
        drop(out);
        std::fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// A name in the same folder, so that renaming does not cross a file system.
fn beside(target: &Path) -> std::io::Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| std::io::Error::other("not the name of a file"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(target.with_file_name(temporary))
}

/// Whether diagnostics are coloured.
pub(crate) fn use_color(when: ColorWhen) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !forbidden
                && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
                && std::io::stderr().is_terminal()
        }
    }
}

/// A line on the terminal that says how far a long run is.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    shown: Option<std::time::Instant>,
    is_on: bool,
}

impl Progress {
    /// Shows itself only on a terminal, and only for several files.
    pub(crate) fn new(total: usize) -> Progress {
        Progress { total, done: 0, shown: None, is_on: total > 1 && std::io::stderr().is_terminal() }
    }

    /// One more file is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        let is_due = self.shown.is_none_or(|at| at.elapsed().as_millis() >= 100);
        if self.is_on && is_due {
            self.shown = Some(std::time::Instant::now());
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K{} of {} files", self.done, self.total);
        }
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        if self.is_on && self.shown.take().is_some() {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
