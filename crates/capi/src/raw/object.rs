//! Nodes by reflection.

use std::sync::Arc;

use tvmscript::diagnostics::LineIndex;
use tvmscript::ir_core::{Array, ObjectLike as _};

use super::findings::{Position, report};
use super::handle::{Errors, Handle as _, Object, Registry, Text};
use super::value::{Value, read_values};
use super::{Out, Str, absent, enter, read_texts};
use crate::diagnostics::Findings;
use crate::program::{Origin, Part};
use crate::reflect;
use crate::status::Status;
use crate::text::OwnedText;
use crate::value::Datum;

/// Structure of a node.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Named fields.
    Fields = 0,
    /// Elements in order.
    Array = 1,
    /// Entries of keys and values.
    Map = 2,
    /// A tensor or a tuple of integers, without parts.
    Tensor = 3,
}

absent! { Shape => Shape::Fields }

/// Returns the type key of a node, such as "tir.PrimFunc". The text lives as long as the library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_type(object: Object, out_key: *mut Str) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_key)? };
        out.set(Str::of(object.load()?.node.info().key()));
        Ok(())
    })
}

/// Tests whether a node is of a type, or of a class such as "ir.BaseFunc" or "tir.Stmt".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_is(object: Object, key: Str, out_is: *mut bool) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, key) = unsafe { (Out::new(out_is)?, key.read()?) };
        out.set(reflect::is_a(&object.load()?.node, key));
        Ok(())
    })
}

/// Tests whether two handles are of one node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_same(a: Object, b: Object, out_same: *mut bool) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_same)? };
        out.set(a.load()?.node.ptr_eq(&b.load()?.node));
        Ok(())
    })
}

/// Returns the structure of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_shape(object: Object, out_shape: *mut Shape) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_shape)? };
        use tvmscript::ir_core::type_table::Shape as Of;
        out.set(match object.load()?.node.info().shape() {
            Of::Fields => Shape::Fields,
            Of::Array => Shape::Array,
            Of::Map => Shape::Map,
            Of::Str | Of::Tensor => Shape::Tensor,
        });
        Ok(())
    })
}

/// Returns the number of fields, elements or entries of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_count(object: Object, out_count: *mut usize) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_count)? };
        out.set(reflect::count(&object.load()?.node));
        Ok(())
    })
}

/// Returns a field by index, an element of an array, or the value of an entry of a map.
///
/// @param out_value the value, to be freed with `tvmscript_value_free`; positions are absent: see `tvmscript_object_span`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_item(
    object: Object,
    index: usize,
    out_value: *mut Value,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_value)? };
        out.set(Value::store(reflect::item(&object.load()?, index)?)?);
        Ok(())
    })
}

/// Returns the key of an entry of a map, to be freed with `tvmscript_value_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_key(object: Object, index: usize, out_key: *mut Value) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_key)? };
        out.set(Value::store(reflect::key(&object.load()?, index)?)?);
        Ok(())
    })
}

/// Returns the name of a field. The text lives as long as the library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_field_name(
    object: Object,
    index: usize,
    out_name: *mut Str,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_name)? };
        out.set(Str::of(reflect::field_name(&object.load()?.node, index)?));
        Ok(())
    })
}

/// Returns a field by name, to be freed with `tvmscript_value_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_field(object: Object, name: Str, out_value: *mut Value) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, name) = unsafe { (Out::new(out_value)?, name.read()?) };
        out.set(Value::store(reflect::field(&object.load()?, name)?)?);
        Ok(())
    })
}

/// Returns the part at an access path such as `<root>.body.seq[2]` or `functions["main"]`, to be freed with
/// `tvmscript_value_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_at(object: Object, path: Str, out_value: *mut Value) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, path) = unsafe { (Out::new(out_value)?, path.read()?) };
        out.set(Value::store(reflect::at(&object.load()?, path)?)?);
        Ok(())
    })
}

/// Writes the part at an access path as text: a text as it is, another node as it prints, "None" for an absent part.
///
/// @param path the path; empty for the node itself
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_text(object: Object, path: Str, out_text: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, path) = unsafe { (Out::new(out_text)?, path.read()?) };
        let text = reflect::text(&object.load()?, path)?;
        out.set(Text::store(Arc::new(OwnedText::new(text)))?);
        Ok(())
    })
}

/// Returns the position of a node in the text that it comes from.
///
/// @param out_source name of the text, to be freed with `tvmscript_text_free`; null if the position is unknown
/// @param out_start NULL to ignore it
/// @param out_end NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_span(
    object: Object,
    out_source: *mut Text,
    out_start: *mut Position,
    out_end: *mut Position,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (source, start, end) =
            unsafe { (Out::new(out_source)?, Out::optional(out_start)?, Out::optional(out_end)?) };
        let part = object.load()?;
        if let Some(range) = part.origin.range(part.node.span()) {
            let lines = LineIndex::new(&part.origin.text);
            start.set(lines.position(range.start as usize).into());
            end.set(lines.position(range.end as usize).into());
            source.set(Text::store(Arc::new(OwnedText::new(part.origin.name.to_string())))?);
        }
        Ok(())
    })
}

/// Makes a node of a type from its fields; those that are not given are absent.
///
/// @param registry the dialects; the null handle for all types of the process, in callbacks of a plugin
/// @param key type key, such as "ir.IntImm" or one of a plugin
/// @param names names of fields
/// @param values their values
/// @param count number of names and of values
/// @param out_errors the reason why there is no such node; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_new(
    registry: Registry,
    key: Str,
    names: *const Str,
    values: *const Value,
    count: usize,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors, key) = unsafe { (Out::new(out_object)?, Out::optional(out_errors)?, key.read()?) };
        // SAFETY: as above.
        let (names, values) = unsafe { (read_texts(names, count)?, read_values(values, count)?) };
        let dialects = registry.load_or_shared()?;
        let only_known = registry.id != 0;
        let origin = Datum::origin(&values);
        let fields: Result<Vec<_>, Status> = names
            .iter()
            .zip(values)
            .map(|(name, value)| Ok(((*name).to_owned(), value.into_value()?)))
            .collect();
        match reflect::construct(only_known.then_some(&**dialects), key, fields?)? {
            Ok(node) => {
                let registry = dialects;
                let release = registry.release();
                let origin =
                    origin.unwrap_or_else(|| Arc::new(Origin::without_text(registry, release, "<built>")));
                out.set(Object::store(Part { node, origin })?);
                Ok(())
            }
            Err(message) => report(Findings::ill_formed(&message), errors),
        }
    })
}

/// Makes an array of values.
///
/// @param registry the dialects that the array prints with; the null handle for those of the library
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_array_new(
    registry: Registry,
    values: *const Value,
    count: usize,
    out_object: *mut Object,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, values) = unsafe { (Out::new(out_object)?, read_values(values, count)?) };
        let registry = registry.load_or_shared()?;
        let release = registry.release();
        let origin = Datum::origin(&values)
            .unwrap_or_else(|| Arc::new(Origin::without_text(registry, release, "<built>")));
        let values = values.into_iter().map(Datum::into_value).collect::<Result<Vec<_>, Status>>()?;
        out.set(Object::store(Part { node: Array::of_values(values).into_object(), origin })?);
        Ok(())
    })
}

/// Makes a copy of a node with another value in a field. The node itself does not change.
///
/// @param out_errors the reason why there is no such node; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_with_field(
    object: Object,
    name: Str,
    value: *const Value,
    out_object: *mut Object,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors, name) =
            unsafe { (Out::new(out_object)?, Out::optional(out_errors)?, name.read()?) };
        // SAFETY: as above.
        let value = unsafe { read_values(value, 1)? }.pop().ok_or(Status::InternalError)?;
        let part = object.load()?;
        match reflect::with_field(&part, name, value.into_value()?)? {
            Ok(node) => {
                out.set(Object::store(part.with(node))?);
                Ok(())
            }
            Err(message) => report(Findings::ill_formed(&message), errors),
        }
    })
}
