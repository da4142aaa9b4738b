//! The border: exported functions, and the conversion of what C passes and expects.
//!
//! All unsafe code of the interface is here, and nothing else: each exported function converts its arguments, calls safe
//! functions of the other modules, and writes the results. There are four kinds of unsafe operations:
//!
//! - *Reading a text* ([`Str::read`]): the caller promises that `len` bytes are at `data` and stay there during the call. Null
//!   pointers with a length, lengths over `isize::MAX` and bytes that are not UTF-8 are errors.
//! - *Writing a result* ([`Out::new`]): the caller promises that an object of the type is at the pointer, and that nobody else
//!   uses it during the call. Null and misaligned pointers are errors. The pointer is checked before any work, so no handle is
//!   lost, and a null value is written at once, so the object is never left uninitialised.
//! - *Reading options* ([`read_options`]): the caller promises that as many bytes are at the pointer as the first field says. The
//!   fields that an older caller does not know are zero. Option types hold numbers, texts and pointers, so every pattern of
//!   bytes is a value ([`Plain`]).
//! - *Calling back*: the caller promises that a function pointer has the declared signature and returns, without throwing an
//!   exception through the library.
//!
//! Handles need none of it: a handle is a number that [`crate::handles`] checks. The promises are the same for all functions, and
//! are those of any function in C; `# Safety` sections would repeat them.
//!
//! Exported functions catch panics ([`enter`]): nothing unwinds into the caller.
#![allow(clippy::missing_safety_doc)]

mod builder;
mod compare;
mod emit;
mod findings;
mod function;
mod handle;
mod json;
mod library;
mod object;
mod passes;
pub(crate) mod plugin;
mod program;
mod text;
mod value;

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::status::{Outcome, Status};

/// A text in UTF-8 with its length in bytes. A text that the library returns belongs to the object that it is a part of; one
/// that it gets is read during the call only. Null with length 0 is the empty text.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Str {
    /// The bytes. There need not be a zero byte after them.
    pub data: *const c_char,
    /// Number of bytes.
    pub len: usize,
}

impl Str {
    /// The empty text.
    pub(crate) const EMPTY: Str = Str { data: std::ptr::null(), len: 0 };

    /// A view of a text, whose owner has to live as long as the view is used.
    pub(crate) fn of(text: &str) -> Str {
        Str::of_bytes(text.as_bytes())
    }

    pub(crate) fn of_bytes(text: &[u8]) -> Str {
        Str { data: text.as_ptr().cast(), len: text.len() }
    }

    /// Reads a text that the caller passes.
    ///
    /// # Safety
    /// As for all functions here: `len` bytes have to be at `data` for the lifetime that the caller of this function picks, which
    /// must end with the exported function.
    pub(crate) unsafe fn read<'a>(self) -> Outcome<&'a str> {
        if self.data.is_null() {
            return if self.len == 0 { Ok("") } else { Err(Status::InvalidPointer) };
        }
        if isize::try_from(self.len).is_err() {
            return Err(Status::InvalidLength);
        }
        // SAFETY: not null; the length fits; the caller promises the bytes, which nobody writes during the call.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.len) };
        std::str::from_utf8(bytes).map_err(|_| Status::InvalidUtf8)
    }
}

/// Reads an array of the caller.
///
/// # Safety
/// If `count` is not 0 and the pointer neither null nor misaligned, `count` initialised values have to be there for the lifetime
/// that the caller of this function picks, which must end with the exported function.
pub(crate) unsafe fn read_slice<'a, T: Copy>(values: *const T, count: usize) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if values.is_null() || !values.is_aligned() {
        return Err(Status::InvalidPointer);
    }
    let bytes = count.checked_mul(size_of::<T>()).and_then(|bytes| isize::try_from(bytes).ok());
    bytes.ok_or(Status::InvalidLength)?;
    // SAFETY: not null, aligned, of a length that fits, and there by contract.
    Ok(unsafe { std::slice::from_raw_parts(values, count) })
}

/// Reads an array of texts of the caller.
///
/// # Safety
/// As for [`read_slice`] and [`Str::read`].
pub(crate) unsafe fn read_texts<'a>(texts: *const Str, count: usize) -> Outcome<Vec<&'a str>> {
    // SAFETY: the same contract.
    let texts = unsafe { read_slice(texts, count)? };
    // SAFETY: the same contract.
    texts.iter().map(|text| unsafe { text.read() }).collect()
}

/// A type with a value that stands for nothing, which a failed call leaves in its results.
pub(crate) trait Absent {
    /// The value.
    const ABSENT: Self;
}

macro_rules! absent {
    ($($ty:ty => $value:expr),* $(,)?) => {$(
        impl $crate::raw::Absent for $ty {
            const ABSENT: Self = $value;
        }
    )*};
}
absent! { Str => Str::EMPTY, bool => false, u64 => 0, usize => 0, u32 => builder::BUILDER_FAILED }
pub(crate) use absent;

/// Where a result goes. It is a raw pointer until the end, so that a caller who passes one pointer twice gets one of the results.
pub(crate) struct Out<T>(Option<NonNull<T>>);

impl<T: Absent> Out<T> {
    /// A result that the caller must take.
    ///
    /// # Safety
    /// A pointer that is not null and aligned has to point to memory for a `T` that nobody else uses until the result is written.
    pub(crate) unsafe fn new(pointer: *mut T) -> Outcome<Out<T>> {
        if pointer.is_null() {
            return Err(Status::InvalidPointer);
        }
        // SAFETY: the same contract.
        unsafe { Out::optional(pointer) }
    }

    /// A result that the caller may decline by a null pointer.
    ///
    /// # Safety
    /// As for [`Out::new`].
    pub(crate) unsafe fn optional(pointer: *mut T) -> Outcome<Out<T>> {
        let place = NonNull::new(pointer);
        if place.is_some_and(|place| !place.is_aligned()) {
            return Err(Status::InvalidPointer);
        }
        if let Some(place) = place {
            // SAFETY: aligned, and memory for a `T` by contract; `write` does not read what is there.
            unsafe { place.write(T::ABSENT) };
        }
        Ok(Out(place))
    }

    /// Returns `true` if the caller takes the result.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Writes the result.
    pub(crate) fn set(self, value: T) {
        if let Some(place) = self.0 {
            // SAFETY: the contract of the constructors, which every `Out` comes from.
            unsafe { place.write(value) };
        }
    }
}

/// A `repr(C)` struct of options, whose first field is its size as the caller knows it.
///
/// # Safety
/// Every pattern of bytes must be a value, and the first field must be a `usize`.
pub(crate) unsafe trait Plain: Copy {}

/// Size beyond which a struct of options is taken for garbage.
const MAX_OPTIONS_BYTES: usize = 1 << 12;

/// Reads options; null for the defaults, which are zero in all fields.
///
/// # Safety
/// If the pointer is not null and aligned, its first field has to be readable, and as many bytes as that says.
pub(crate) unsafe fn read_options<T: Plain>(pointer: *const T) -> Outcome<T> {
    // SAFETY: zero is a value of a plain type.
    let mut options: T = unsafe { MaybeUninit::zeroed().assume_init() };
    if pointer.is_null() {
        return Ok(options);
    }
    if !pointer.is_aligned() {
        return Err(Status::InvalidPointer);
    }
    // SAFETY: aligned and readable by contract; the first field of a plain type is a `usize`.
    let size = unsafe { *pointer.cast::<usize>() };
    if !(size_of::<usize>()..=MAX_OPTIONS_BYTES).contains(&size) {
        return Err(Status::InvalidArgument);
    }
    let known = size.min(size_of::<T>());
    // SAFETY: `size` bytes are readable by contract, and `known` is at most that and at most the size of `options`; any bytes are
    // a value of a plain type.
    unsafe { std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), (&raw mut options).cast::<u8>(), known) };
    // SAFETY: as above, for the rest that only a newer caller has.
    let rest = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>().add(known), size - known) };
    if rest.iter().any(|byte| *byte != 0) {
        return Err(Status::InvalidArgument);
    }
    Ok(options)
}

/// Runs an exported function.
pub(crate) fn enter(body: impl FnOnce() -> Outcome) -> Status {
    // What a panic leaves half done are values of this call, which it drops: tables are unlocked before values are made.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(payload) => {
            // The payload's own destructor may panic.
            std::mem::forget(payload);
            Status::InternalError
        }
    }
}
