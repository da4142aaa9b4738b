//! Panics as [`InternalError`]s that ask to be reported.

use std::cell::RefCell;
use std::fmt::Write as _;
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
            // Writing to a string cannot fail.
            let _ = write!(what, "\n{trace}");
        }
        LAST_PANIC.with(|last| *last.borrow_mut() = Some(what));
    }));
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
