//! JSON in and out.

use std::sync::Arc;

use super::findings::report;
use super::handle::{Errors, Handle as _, Object, Registry, Text};
use super::{Out, Str, enter};
use crate::json::{self, JsonForm};
use crate::options;
use crate::status::Status;
use crate::text::OwnedText;

/// Form of JSON.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFormat {
    /// The project's own form.
    Native = 0,
    /// The form of TVM's `save_json`, of a release.
    Tvm = 1,
}

/// Writes a node as JSON.
///
/// @param format a `tvmscript_json_format`
/// @param release release of the form, such as "tvm-0.27"; empty for that of the node
/// @param compact whether to write one line
/// @param out_errors the reason why the node cannot be written; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_to_json(
    object: Object,
    format: i32,
    release: Str,
    compact: u8,
    out_json: *mut Text,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors, release) =
            unsafe { (Out::new(out_json)?, Out::optional(out_errors)?, release.read()?) };
        let form = [(JsonFormat::Native, JsonForm::Native), (JsonFormat::Tvm, JsonForm::Tvm)];
        let form = form.into_iter().find(|(known, _)| *known as i32 == format);
        let (_, form) = form.ok_or(Status::InvalidArgument)?;
        let part = object.load()?;
        let release = options::release(&part.origin.dialects, release)?.unwrap_or(part.origin.release);
        match json::save(&part, form, release, compact != 0) {
            Ok(text) => {
                out.set(Text::store(Arc::new(OwnedText::new(text)))?);
                Ok(())
            }
            Err(found) => report(found, errors),
        }
    })
}

/// Reads a node from JSON of either form, of the release that the text names.
///
/// @param name name of the text for messages
/// @param out_errors the reason why the text is no program; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_from_json(
    registry: Registry,
    name: Str,
    text: Str,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_object)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let (name, text) = unsafe { (name.read()?, text.read()?) };
        match json::load(registry.load()?, name, text) {
            Ok(part) => {
                out.set(Object::store(part)?);
                Ok(())
            }
            Err(found) => report(found, errors),
        }
    })
}
