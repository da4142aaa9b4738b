//! Stable codes and kinds of diagnostics.

use std::fmt;

/// A stable code with its explanation. A code never changes its meaning and is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode {
    /// The code, e.g. `E0201`.
    pub code: &'static str,
    /// Name of the kind, for programs, e.g. `undefined-name`. Several codes may share one.
    pub name: &'static str,
    /// The cause and what to do, in one or more sentences.
    pub meaning: &'static str,
}

/// A kind of diagnostics: its text is the message.
pub trait DiagnosticKind: fmt::Display {
    /// The code.
    fn error_code(&self) -> &'static ErrorCode;
}

/// A message with its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The code.
    pub code: &'static ErrorCode,
    /// The message: lower case, no full stop, names in backticks.
    pub text: String,
}

impl Message {
    /// A message.
    pub fn new(code: &'static ErrorCode, text: impl Into<String>) -> Message {
        Message { code, text: text.into() }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl DiagnosticKind for Message {
    fn error_code(&self) -> &'static ErrorCode {
        self.code
    }
}

/// Declares the codes of an enum of kinds: the constant `CODES` and [`DiagnosticKind`].
///
/// A row is `PATTERN => "CODE" "name" "Meaning."`; kinds that wrap another one delegate to its code.
///
/// ```
/// use tvmscript_ir_core::diagnostic::DiagnosticKind;
///
/// #[derive(Debug, thiserror::Error)]
/// enum Mistake {
///     #[error("the list has no element")]
///     Empty,
///     #[error("{0}")]
///     Format(#[from] std::fmt::Error),
/// }
///
/// tvmscript_ir_core::error_codes! {
///     Mistake {
///         Mistake::Empty => "X0001" "empty" "The list has no element, but one is required.";
///         Mistake::Format(_) => "X0002" "format" "A value cannot be formatted.";
///     }
/// }
///
/// assert_eq!(Mistake::Empty.error_code().code, "X0001");
/// assert_eq!(Mistake::CODES.len(), 2);
/// ```
#[macro_export]
macro_rules! error_codes {
    ($kind:ty {
        $($pattern:pat => $code:literal $name:literal $meaning:literal;)*
    } $(delegate { $($inner:pat => $error_code:expr;)* })?) => {
        impl $kind {
            /// The codes of this type, in the order of their declaration.
            pub const CODES: &'static [$crate::diagnostic::ErrorCode] = &[
                $($crate::diagnostic::ErrorCode { code: $code, name: $name, meaning: $meaning },)*
            ];
        }

        impl $crate::diagnostic::DiagnosticKind for $kind {
            fn error_code(&self) -> &'static $crate::diagnostic::ErrorCode {
                match self {
                    $($pattern => {
                        &$crate::diagnostic::ErrorCode { code: $code, name: $name, meaning: $meaning }
                    })*
                    $($($inner => $error_code,)*)?
                }
            }
        }
    };
}
