//! Panics as [`InternalError`]s that ask to be reported.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Message of the last panic on this thread.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A bug in this program.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "internal error: {what}\nThis is a bug in tvmscript. Please report it at {}/issues, with the input and this message.",
    env!("CARGO_PKG_REPOSITORY")
)]
pub(crate) struct InternalError {
    what: String,
}

impl InternalError {
    /// An error without a message.
    pub(crate) fn unknown() -> InternalError {
        InternalError { what: "a thread ended without a result".to_owned() }
    }
}

/// Suppresses the output of panics; [`catch`] returns it.
pub(crate) fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let mut what = info.to_string();
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            what.push('\n');
            what.push_str(&shortened(&trace.to_string()));
        }
        LAST_PANIC.with(|last| *last.borrow_mut() = Some(what));
    }));
}

/// Maximum number of frames in a message: a bug in a recursion has thousands of them.
const MAX_FRAMES: usize = 50;

/// The functions of a trace, without the files that they were built from.
fn shortened(trace: &str) -> String {
    let frames = || trace.lines().filter(|line| !line.trim_start().starts_with("at "));
    let mut out: Vec<&str> = frames().take(MAX_FRAMES).collect();
    let rest = match frames().count().saturating_sub(MAX_FRAMES) {
        0 => String::new(),
        rest => format!("  and {rest} more"),
    };
    out.extend((!rest.is_empty()).then_some(rest.as_str()));
    out.join("\n")
}

/// Runs `work`.
///
/// # Errors
/// If `work` panics.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, InternalError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let last = LAST_PANIC.with(|last| last.borrow_mut().take());
        last.map_or_else(InternalError::unknown, |what| InternalError { what })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_have_few_frames_and_no_paths() {
        let trace: String =
            (0..60).map(|i| format!("  {i}: f{i}\n             at ./src/f.rs:{i}:1\n")).collect();
        let short = shortened(&trace);
        assert!(!short.contains("f.rs"), "{short}");
        assert_eq!(short.lines().count(), MAX_FRAMES + 1);
        assert!(short.ends_with("  and 10 more"), "{short}");
        assert_eq!(shortened("  0: f\n"), "  0: f");
    }
}
