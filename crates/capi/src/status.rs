//! Results of calls.

use std::ffi::CStr;

/// Result of a call. Functions that fail set the handles that they would return to null.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// The input has errors, which the list of errors describes.
    Errors = 1,
    /// A pointer is null or misaligned.
    InvalidPointer = 2,
    /// A length is larger than any object can be.
    InvalidLength = 3,
    /// A text is not UTF-8.
    InvalidUtf8 = 4,
    /// A handle is null, or was never given out.
    InvalidHandle = 5,
    /// A handle was freed before.
    FreedHandle = 6,
    /// A handle is of another kind than the parameter.
    WrongKind = 7,
    /// An index is not less than the count.
    OutOfRange = 8,
    /// A name, such as that of a field, a pass, a function or a release, is unknown.
    UnknownName = 9,
    /// An option or argument has a value that it cannot have.
    InvalidArgument = 10,
    /// A callback asked to stop, or failed.
    Stopped = 11,
    /// There are too many handles.
    TooManyHandles = 12,
    /// There is no builder on this thread.
    NoBuilder = 13,
    /// A bug in the library. The program may go on; please report the input.
    InternalError = 14,
}

impl Status {
    /// The status as a sentence without full stop.
    pub(crate) fn describe(self) -> &'static CStr {
        match self {
            Status::Ok => c"the call succeeded",
            Status::Errors => c"the input has errors, which the list of errors describes",
            Status::InvalidPointer => c"a pointer is null or misaligned",
            Status::InvalidLength => c"a length is larger than any object can be",
            Status::InvalidUtf8 => c"a text is not UTF-8",
            Status::InvalidHandle => c"a handle is null, or was never given out",
            Status::FreedHandle => c"a handle was freed before",
            Status::WrongKind => c"a handle is of another kind than the parameter",
            Status::OutOfRange => c"an index is not less than the count",
            Status::UnknownName => c"a name is unknown",
            Status::InvalidArgument => c"an option or argument has a value that it cannot have",
            Status::Stopped => c"a callback asked to stop, or failed",
            Status::TooManyHandles => c"there are too many handles",
            Status::NoBuilder => c"there is no builder on this thread",
            Status::InternalError => c"a bug in the library; please report the input",
        }
    }

    /// The status of a number.
    pub(crate) fn of_number(number: i32) -> Option<Status> {
        const ALL: [Status; 15] = [
            Status::Ok,
            Status::Errors,
            Status::InvalidPointer,
            Status::InvalidLength,
            Status::InvalidUtf8,
            Status::InvalidHandle,
            Status::FreedHandle,
            Status::WrongKind,
            Status::OutOfRange,
            Status::UnknownName,
            Status::InvalidArgument,
            Status::Stopped,
            Status::TooManyHandles,
            Status::NoBuilder,
            Status::InternalError,
        ];
        usize::try_from(number).ok().and_then(|number| ALL.get(number).copied())
    }
}

/// Result of a safe function behind the border.
pub(crate) type Outcome<T = ()> = Result<T, Status>;
