//! Equality, hashes and differences.

use std::sync::Arc;

use super::findings::report;
use super::handle::{Differences, Errors, Handle as _, Object, Registry, Text};
use super::{Out, Str, absent, enter};
use crate::compare::{self, DiffForm};
use crate::diagnostics::Findings;
use crate::status::Status;
use crate::text::OwnedText;

/// A difference of two nodes. Its texts live until the list is freed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Difference {
    /// "type", "value", "binding" or "missing".
    pub kind: Str,
    /// Access path on the left; empty if the left side lacks the part.
    pub left: Str,
    /// Access path on the right; empty if the right side lacks the part.
    pub right: Str,
    /// The difference in words.
    pub message: Str,
}

absent! {
    Difference => Difference { kind: Str::EMPTY, left: Str::EMPTY, right: Str::EMPTY, message: Str::EMPTY }
}

/// Form of a difference as text.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffFormat {
    /// Lines with their context, as `diff -u` writes them.
    Unified = 0,
    /// `{"edits": [{"op", "a", "b", "text_a", "text_b"}]}`.
    Json = 1,
    /// A page with both texts side by side.
    Html = 2,
}

/// Tests two nodes for structural equality.
///
/// @param map_free_vars whether variables that are defined nowhere may differ
/// @param out_equal whether they are equal
/// @param out_differences all differences if they are not, to be freed with `tvmscript_differences_free`; NULL to learn only
/// whether there are any, which is faster
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_equal(
    a: Object,
    b: Object,
    map_free_vars: u8,
    out_equal: *mut bool,
    out_differences: *mut Differences,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, differences) = unsafe { (Out::new(out_equal)?, Out::optional(out_differences)?) };
        let (a, b) = (a.load()?, b.load()?);
        let is_equal = compare::equal(&a, &b, map_free_vars != 0);
        if !is_equal && differences.is_wanted() {
            let found = compare::differences(&a, &b, map_free_vars != 0);
            differences.set(Differences::store(Arc::new(found))?);
        }
        out.set(is_equal);
        Ok(())
    })
}

/// Returns the number of differences; 0 for the null handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_differences_count(
    differences: Differences,
    out_count: *mut usize,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_count)? };
        if differences.id != 0 {
            out.set(differences.load()?.0.len());
        }
        Ok(())
    })
}

/// Returns a difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_differences_get(
    differences: Differences,
    index: usize,
    out_difference: *mut Difference,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_difference)? };
        let differences = differences.load()?;
        let found = differences.0.get(index).ok_or(Status::OutOfRange)?;
        out.set(Difference {
            kind: Str::of(found.kind),
            left: Str::of(found.left.as_deref().unwrap_or_default()),
            right: Str::of(found.right.as_deref().unwrap_or_default()),
            message: Str::of(&found.message),
        });
        Ok(())
    })
}

/// Writes the differences as a JSON array of objects with `kind`, `left`, `right` and `message`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_differences_json(differences: Differences, out_json: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_json)? };
        let json = if differences.id == 0 { "[]".to_owned() } else { differences.load()?.json() };
        out.set(Text::store(Arc::new(OwnedText::new(json)))?);
        Ok(())
    })
}

/// Frees a list, and with it the texts of its differences. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_differences_free(differences: Differences) -> Status {
    enter(|| differences.free())
}

/// Writes the edits that lead from one node to another.
///
/// @param registry the dialects to print with; the null handle for those of `a`
/// @param format a `tvmscript_diff_format`
/// @param out_text the edits, to be freed with `tvmscript_text_free`; empty if the nodes are equal, except in JSON
/// @param out_errors the reason why a node cannot be printed; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_diff(
    registry: Registry,
    a: Object,
    b: Object,
    format: i32,
    map_free_vars: u8,
    out_text: *mut Text,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_text)?, Out::optional(out_errors)?) };
        let form = [
            (DiffFormat::Unified, DiffForm::Unified),
            (DiffFormat::Json, DiffForm::Json),
            (DiffFormat::Html, DiffForm::Html),
        ];
        let form = form.into_iter().find(|(known, _)| *known as i32 == format);
        let (_, form) = form.ok_or(Status::InvalidArgument)?;
        let (a, b) = (a.load()?, b.load()?);
        let registry = registry.load_or(&a)?;
        match compare::diff(&a, &b, &registry, form, map_free_vars != 0) {
            Ok(text) => {
                out.set(Text::store(Arc::new(OwnedText::new(text)))?);
                Ok(())
            }
            Err(error) => report(Findings::of_print(&error, &a), errors),
        }
    })
}

/// Returns a number that structurally equal nodes share, the same in every process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_hash(object: Object, out_hash: *mut u64) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_hash)? };
        out.set(tvmscript::structural_hash(&object.load()?.node));
        Ok(())
    })
}

/// Returns the key of a program for caches, 32 hexadecimal digits: names do not count, and it never changes between versions.
///
/// @param ignore_attributes whether to leave out the attributes of functions and modules
/// @param out_errors the reason why there is no key; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_key(
    object: Object,
    ignore_attributes: u8,
    out_key: *mut Text,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_key)?, Out::optional(out_errors)?) };
        let part = object.load()?;
        match compare::key(&part, ignore_attributes != 0) {
            Ok(key) => {
                out.set(Text::store(Arc::new(OwnedText::new(key)))?);
                Ok(())
            }
            Err(error) => report(Findings::of_rewrite(&error, &part), errors),
        }
    })
}
