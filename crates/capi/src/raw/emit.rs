//! Programs that build nodes.

use std::sync::Arc;

use super::findings::report;
use super::handle::{Errors, Handle as _, Object, Registry, Text};
use super::{Out, Str, enter};
use crate::emit;
use crate::status::Status;
use crate::text::OwnedText;

/// Writes a program that builds a node: a function, a module, or an array of functions, which becomes a module.
///
/// The program defines one function `build`, which returns the node. It is that of `tvmscript emit`.
///
/// @param registry the dialects to print and read with; the null handle for those that the node was read with
/// @param target "python-builder", "rust-builder" or "cpp-builder"; or "doc-json" for the syntax tree of the node's text
/// @param with_main 1 for a program that prints what it builds when it runs
/// @param out_text the program, to be freed with `tvmscript_text_free`
/// @param out_errors the reason why there is no program; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_emit(
    registry: Registry,
    object: Object,
    target: Str,
    with_main: u8,
    out_text: *mut Text,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors, target) =
            unsafe { (Out::new(out_text)?, Out::optional(out_errors)?, target.read()?) };
        let target = emit::target(target)?;
        let part = object.load()?;
        let dialects = registry.load_or(&part)?;
        match emit::program(&part, &dialects, part.origin.release, target, with_main != 0) {
            Ok(text) => {
                out.set(Text::store(Arc::new(OwnedText::new(text)))?);
                Ok(())
            }
            Err(found) => report(found, errors),
        }
    })
}
