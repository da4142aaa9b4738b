//! Output: results on standard output or in files, diagnostics on standard error.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::args::ColorWhen;

/// Writes a result to standard output. A closed pipe is not an error.
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

/// Writes lines to standard error and ignores failures, which cannot be reported anywhere.
pub(crate) fn diagnose(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = err.write_all(b"\n");
    }
}

/// Text of several inputs: written to one file at the end, or to standard output as it arrives.
pub(crate) struct Results<'a> {
    file: Option<&'a Path>,
    whole: String,
}

impl<'a> Results<'a> {
    pub(crate) fn new(file: Option<&'a Path>) -> Results<'a> {
        Results { file, whole: String::new() }
    }

    pub(crate) fn add(&mut self, text: &str) -> Outcome {
        if self.file.is_none() {
            return result(text);
        }
        self.whole.push_str(text);
        Outcome::Done
    }

    /// Writes the file, if there is one and all inputs succeeded.
    pub(crate) fn finish(self, outcome: Outcome) -> Outcome {
        match self.file {
            Some(file) if outcome == Outcome::Done => write(Some(file), &self.whole),
            _ => outcome,
        }
    }
}

/// Reports that `-` is given twice.
pub(crate) fn stdin_twice() -> Outcome {
    diagnose("error: `-` stands for standard input, which can be read only once");
    Outcome::Misused
}

/// Writes a result to a file, or to standard output. A file is replaced as a whole or left unchanged.
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

/// Replaces a file as a whole, or leaves it unchanged.
pub(crate) fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    replace_with(file, |out| {
        out.write_all(text.as_bytes())?;
        out.sync_all()
    })
}

/// Replaces a file by what `write` writes, or leaves it unchanged.
pub(crate) fn replace_with(
    file: &Path,
    write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    // A symbolic link is kept; its target is replaced.
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let old = std::fs::metadata(&target).ok();
    // Pipes and devices cannot be replaced, and take bytes only in order: they get a copy.
    let copies = old.as_ref().is_some_and(|old| !old.is_file());
    let temporary =
        if copies { sibling_path(&std::env::temp_dir().join("tvmscript")) } else { sibling_path(&target) }?;
    let written = (|| {
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        write(&mut out)?;
        drop(out);
        if copies {
            let mut target = std::fs::OpenOptions::new().write(true).open(&target)?;
            std::io::copy(&mut std::fs::File::open(&temporary)?, &mut target)?;
            return std::fs::remove_file(&temporary);
        }
        if let Some(old) = old {
            std::fs::set_permissions(&temporary, old.permissions())?;
        }
        std::fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// A temporary name in the same directory, so that renaming stays within the file system.
fn sibling_path(target: &Path) -> std::io::Result<PathBuf> {
    let name = target.file_name().ok_or_else(|| std::io::Error::other("not the name of a file"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(target.with_file_name(temporary))
}

/// Returns `true` if text is coloured; for `auto`, only on a terminal.
pub(crate) fn use_color(when: ColorWhen, is_terminal: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => {
            let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !forbidden && std::env::var_os("TERM").is_none_or(|t| t != "dumb") && is_terminal
        }
    }
}

/// Shows a line of progress in place of the last one. Has no effect if standard error is not a terminal.
pub(crate) fn show_progress(line: &str) {
    let err = std::io::stderr();
    if err.is_terminal() {
        let _ = write!(err.lock(), "\r\x1b[K{line}");
    }
}

/// Erases the line of progress before other output.
pub(crate) fn clear_progress() {
    show_progress("");
}

/// Progress of many files on the terminal.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    shown: Option<std::time::Instant>,
    is_on: bool,
}

impl Progress {
    /// Shown only on a terminal, and only for several files.
    pub(crate) fn new(total: usize) -> Progress {
        Progress { total, done: 0, shown: None, is_on: total > 1 && std::io::stderr().is_terminal() }
    }

    /// Counts one more finished file.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        let is_due = self.shown.is_none_or(|at| at.elapsed().as_millis() >= 100);
        if self.is_on && is_due {
            self.shown = Some(std::time::Instant::now());
            show_progress(&format!("{} of {} files", self.done, self.total));
        }
    }

    /// Erases the line before other output.
    pub(crate) fn clear(&mut self) {
        if self.is_on && self.shown.take().is_some() {
            clear_progress();
        }
    }
}

/// Progress of a long run: a line on a terminal that changes, elsewhere one line per ten seconds.
pub(crate) struct StepReport<'a> {
    function: &'a str,
    shown: Option<std::time::Duration>,
}

/// Time before the first report, and between two of them on a terminal and elsewhere.
const FIRST_REPORT: std::time::Duration = std::time::Duration::from_secs(2);
const ON_TERMINAL: std::time::Duration = std::time::Duration::from_millis(200);
const ELSEWHERE: std::time::Duration = std::time::Duration::from_secs(10);

impl<'a> StepReport<'a> {
    pub(crate) fn new(function: &'a str) -> StepReport<'a> {
        StepReport { function, shown: None }
    }

    /// Reports the steps so far if it is time.
    pub(crate) fn show(&mut self, steps: u64, limit: u64, elapsed: std::time::Duration) {
        let is_terminal = std::io::stderr().is_terminal();
        let due = match self.shown {
            None => FIRST_REPORT,
            Some(last) => last + if is_terminal { ON_TERMINAL } else { ELSEWHERE },
        };
        if elapsed < due {
            return;
        }
        self.shown = Some(elapsed);
        let (millions, of) = (steps / 1_000_000, limit / 1_000_000);
        let name = self.function;
        let line = format!(
            "running `{name}`: {millions} million steps of at most {of} million (`--max-steps`) in {} s",
            elapsed.as_secs()
        );
        if is_terminal { show_progress(&line) } else { diagnose(&line) }
    }

    /// Erases the line before other output.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            clear_progress();
        }
    }
}
