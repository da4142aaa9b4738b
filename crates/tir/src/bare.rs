//! What text may leave unsaid: the types of literals and of buffers, where the header of the text names them.
//!
//! The rules of literals are [`tvmscript_prim::ops::bare`]'s; here are those of buffers, and which types there can be.

#[cfg(feature = "build")]
use std::cell::Cell;

use tvmscript_ir_core::DataType;
#[cfg(any(feature = "print", feature = "parse"))]
use tvmscript_prim::ops::bare;

#[cfg(feature = "build")]
thread_local! {
    static BUFFER: Cell<Option<DataType>> = const { Cell::new(None) };
}

#[cfg(feature = "build")]
/// The element type of a buffer that names none, in the text that this thread reads: the header's, else `plain`.
pub(crate) fn buffer_dtype_or(plain: DataType) -> DataType {
    BUFFER.get().unwrap_or(plain)
}

/// Sets the element type of buffers that name none; `None` is that of plain text.
#[cfg(feature = "parse")]
pub(crate) fn set_buffer_dtype(dtype: Option<DataType>) {
    BUFFER.set(dtype);
}

/// Whether literals of the type can stand bare as integers.
#[cfg(any(feature = "print", feature = "parse"))]
pub(crate) fn bare_int(dtype: DataType) -> Result<(), String> {
    check(dtype, bare::is_int(dtype), "a scalar integer type such as `int64`")
}

/// Whether literals of the type can stand bare as floats.
#[cfg(any(feature = "print", feature = "parse"))]
pub(crate) fn bare_float(dtype: DataType) -> Result<(), String> {
    check(dtype, bare::is_float(dtype), "a scalar float type such as `float16`")
}

/// Whether buffers can have the type.
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
