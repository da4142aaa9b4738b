//! Passes.

use std::sync::Arc;

use super::findings::report;
use super::handle::{Errors, Handle as _, Object, Registry, Text};
use super::{Out, Str, enter, read_texts};
use crate::status::Status;
use crate::text::OwnedText;
use crate::transform;

/// Lists the passes as a JSON array of objects with `name`, `doc`, `opt_level` and `required`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_passes(registry: Registry, out_json: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_json)? };
        let list = transform::list(&*registry.load()?);
        out.set(Text::store(Arc::new(OwnedText::new(list)))?);
        Ok(())
    })
}

/// Runs passes in order on a module or a function.
///
/// @param names names of passes, such as "tir.Simplify"
/// @param count number of names
/// @param options options of passes, `KEY=VALUE`, one per line
/// @param out_object the result, to be freed with `tvmscript_object_free`
/// @param out_errors the reason why a pass failed, in the text that the node comes from; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_run_passes(
    object: Object,
    names: *const Str,
    count: usize,
    options: Str,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_object)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let (names, options) = unsafe { (read_texts(names, count)?, options.read()?) };
        let part = object.load()?;
        match transform::run(&part, &names, options)? {
            Ok(node) => {
                out.set(Object::store(part.with(node))?);
                Ok(())
            }
            Err(found) => report(found, errors),
        }
    })
}
