//! Default types that the header of a text may set: those of bare literals and of buffers without a type.
//!
//! [`tvmscript_prim::ops::bare`] has the rules for literals; this module has those for buffers, and validates the
//! types.

use tvmscript_ir_core::DataType;
#[cfg(feature = "build")]
use tvmscript_ir_core::TextRules;
#[cfg(any(feature = "print", feature = "parse"))]
use tvmscript_prim::ops::bare;

#[cfg(feature = "build")]
/// The default element type of buffers in the text that this thread parses: the header's, otherwise `plain`.
pub(crate) fn buffer_dtype_or(plain: DataType) -> DataType {
    TextRules::current().storage.unwrap_or(plain)
}

/// Checks that a type can be the default of integer literals.
#[cfg(any(feature = "print", feature = "parse"))]
pub(crate) fn bare_int(dtype: DataType) -> Result<(), String> {
    check(dtype, bare::is_int(dtype), "a scalar integer type such as `int64`")
}

/// Checks that a type can be the default of float literals.
#[cfg(any(feature = "print", feature = "parse"))]
pub(crate) fn bare_float(dtype: DataType) -> Result<(), String> {
    check(dtype, bare::is_float(dtype), "a scalar float type such as `float16`")
}

/// Checks that a type can be the default of buffers.
#[cfg(any(feature = "print", feature = "parse"))]
pub(crate) fn bare_buffer(dtype: DataType) -> Result<(), String> {
    check(dtype, true, "an element type")
}

#[cfg(any(feature = "print", feature = "parse"))]
fn check(dtype: DataType, fits: bool, expected: &str) -> Result<(), String> {
    match fits || dtype == DataType::VOID {
        true => Ok(()),
        false => Err(format!("`{dtype}` is not {expected}")),
    }
}
