//! Findings: choices of rules, and parts of a program without an equivalent.

use tvmscript_ir_core::diagnostic::{Anchor, Diagnostic, ErrorCode, Message};
use tvmscript_ir_core::{Object, ObjectLike};

/// A choice or a loss at a node.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The code.
    pub code: &'static ErrorCode,
    /// The program loses something, or the target does not read its text.
    pub is_loss: bool,
    /// The message.
    pub message: String,
    /// The advice.
    pub help: &'static str,
    /// The node before the rewrite.
    pub node: Object,
}

impl Finding {
    /// A choice that a rule took.
    pub(crate) fn choice(
        code: &'static ErrorCode,
        message: impl Into<String>,
        help: &'static str,
        node: &impl ObjectLike,
    ) -> Finding {
        Finding { code, is_loss: false, message: message.into(), help, node: node.as_object().clone() }
    }

    /// A loss.
    pub(crate) fn loss(
        code: &'static ErrorCode,
        message: impl Into<String>,
        help: &'static str,
        node: &impl ObjectLike,
    ) -> Finding {
        Finding { is_loss: true, ..Finding::choice(code, message, help, node) }
    }

    /// The finding as a diagnostic: a note, or a warning for a loss that is accepted, or an error.
    pub fn diagnostic(&self, accept_losses: bool) -> Diagnostic {
        let message = Message::new(self.code, self.message.clone());
        let at = match self.node.span() {
            span if span.is_known() => Anchor::Span(span),
            _ => Anchor::Node(self.node.clone()),
        };
        let diagnostic = match (self.is_loss, accept_losses) {
            (false, _) => Diagnostic::note_at(message, at),
            (true, true) => Diagnostic::warning(message, at),
            (true, false) => Diagnostic::new(message, at),
        };
        diagnostic.with_help(self.help)
    }
}

macro_rules! codes {
    ($($name:ident: $code:literal $text:literal $meaning:literal;)*) => {
        /// The codes of findings.
        pub mod codes {
            use tvmscript_ir_core::diagnostic::ErrorCode;

            $(#[doc = $meaning] pub static $name: ErrorCode =
                ErrorCode { code: $code, name: $text, meaning: $meaning };)*

            /// All of them, in ascending order.
            pub static ALL: &[&ErrorCode] = &[$(&$name),*];
        }
    };
}

codes! {
    SCHEDULABLE: "E1001" "upgrade-schedulable"
        "A function without blocks becomes one with `s_tir=True`: without it, the release would give its buffers layouts, \
         which the older release does not have. Remove it from functions that are not to be scheduled.";
    SIZE_VARIABLE: "E1002" "upgrade-size-variable"
        "The release has no variables that are known not to be negative: the knowledge is lost. Write `T.assume(n >= 0)` \
         where it matters.";
    BUFFER_KIND: "E1003" "upgrade-buffer-kind"
        "The release has buffers without axis separators and without automatic broadcasting: they are left out.";
    CONDITION: "E1004" "upgrade-allocation-condition"
        "The release allocates without a condition: the memory is allocated always.";
    CONSTANT_ARRAY: "E1005" "upgrade-constant-array"
        "The release has no constant arrays in functions, and the old form stays. Pass the array as a parameter, or write \
         its elements with stores.";
    OLD_STATEMENT: "E1006" "upgrade-statement"
        "The release has no such statement or expression, and the old form stays. Lower it in the older release first.";
    LLVM_NUMBER: "E1007" "upgrade-llvm-intrinsic"
        "The release calls intrinsics of LLVM by name, and the program by a number that depends on the version of LLVM. Write \
         the name, such as `\"llvm.fabs\"`.";
    OPERATOR: "E1008" "upgrade-operator"
        "The release has no operator with this meaning and these arguments, and the old call stays. The message names the \
         operators that come next.";
    KNOWN_VALUE: "E1009" "upgrade-known-value"
        "The types of scalars state no values in the release: the known value is left out.";
    PARAMETERS: "E1011" "upgrade-parameter-order"
        "The release passes symbolic values among the arguments of a call, in front of the results. The parameters of the called \
         function are reordered; so are its callers in this module, but not those outside.";
    CALLERS: "E1012" "upgrade-callers"
        "Callers pass different numbers of symbolic values or results to a function, so its parameters have no one order. The old \
         calls stay.";
    NO_FORM: "E1013" "upgrade-no-form"
        "The older release has no such node, and it stays. The target's reader does not know its text.";
    LAYOUT: "E1014" "upgrade-layout"
        "Buffers have no layout in the older release: it is left out. The elements then lie in row-major order.";
    ERROR_KIND: "E1015" "upgrade-error-kind"
        "Assertions raise one kind of error in the older release: the kind is left out.";
    CAPTURED: "E1016" "upgrade-captured"
        "The script in a Python file uses values of the code around it, or is made by code, and the form of a part of it in the \
         release depends on these values. Or its upgraded text does not read back as the upgraded program. It stays as it \
         is. Write the values into it, or upgrade it by hand.";
    POINTER: "E1017" "upgrade-pointer"
        "The release prints conditional expressions of pointers, but its reader refuses them. They stay; bind the pointer in both \
         branches of an `if`.";
    REDUCER: "E1018" "upgrade-reducer"
        "The release prints reducers with `and`, `or` and `not`, but its reader refuses these operators there. They stay; write \
         the reducer with `T.Select`.";
    DEVICE: "E1019" "upgrade-device"
        "The newer release allocates a tensor for a device that the call names, the older one on the device of the storage. The \
         function does not show the storage's device, or it shows another one.";
    UNCOMPARED: "E1020" "upgrade-uncompared"
        "The script in a Python file needs arguments, so no program of it is known. Its words and forms are edited, but the text is \
         not compared with an upgraded program.";
    AROUND: "E1021" "upgrade-around"
        "The code around the scripts of a Python file uses a name that the release has otherwise, or not at all. Code around \
         scripts stays as it is: change it by hand.";
    OLDER: "E1022" "upgrade-older"
        "The text has blocks or types as releases before 0.23 wrote them. They are written anew first.";
}
