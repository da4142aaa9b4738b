//! Texts that the library made.

use super::handle::{Handle as _, Text};
use super::{Out, Str, enter};
use crate::status::Status;

/// Returns the bytes of a text, which live until the text is freed. There is a zero byte after them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_text_get(text: Text, out_view: *mut Str) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_view)? };
        out.set(Str::of_bytes(text.load()?.bytes()));
        Ok(())
    })
}

/// Frees a text, and with it the views of it. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_text_free(text: Text) -> Status {
    enter(|| text.free())
}
