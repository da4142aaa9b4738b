//! What can go wrong while a function is built.

use tvmscript_ir_core::Ref;
#[cfg(feature = "build")]
use tvmscript_ir_core::Span;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{ArgumentRef, BuildError};

use crate::node::{Call, StructInfo};
use crate::op::InferError;
#[cfg(feature = "build")]
use crate::op::operator;

/// Why a value cannot be bound, or a scope cannot be closed: one variant, one cause.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RelaxError {
    /// A branch binds nothing.
    #[error("the {} branch binds nothing", if *.name == "R.Then" { "`if`" } else { "`else`" })]
    EmptyBranch {
        /// `R.Then` or `R.Else`.
        name: &'static str,
    },
    /// The branches end with different names.
    #[error(
        "both branches end with a binding of one name; the first ends with `{first}`, the second with `{second}`"
    )]
    BranchNames {
        /// That of the first.
        first: String,
        /// That of the second.
        second: String,
    },
    /// A conditional stands in a dataflow block.
    #[error("a dataflow block has no conditionals")]
    IfInDataflow,
    /// A dataflow block stands in another.
    #[error("a dataflow block stands inside another")]
    NestedDataflow,
    /// `R.output` stands outside of a dataflow block.
    #[error("`R.output` ends a dataflow block, and none is open")]
    OutputOutsideDataflow,
    /// A dataflow block has a second `R.output`.
    #[error("the dataflow block has its output already")]
    SecondOutput,
    /// A variable of another block is said to be visible outside of this one.
    #[error("the output `{name}` is not bound in this dataflow block")]
    ForeignOutput {
        /// Which argument, from 0.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A binding follows the output.
    #[error("nothing can be bound after the output of a dataflow block")]
    AfterOutput,
    /// A value is annotated with what it is not.
    #[error("the value is {}, not {} as annotated", text(.found), text(.annotated))]
    Annotation {
        /// What the value is.
        found: Ref<StructInfo>,
        /// What is said.
        annotated: Ref<StructInfo>,
    },
    /// A cast cannot succeed.
    #[error("the value is {}; it can never be {}", text(.found), text(.stated))]
    ImpossibleCast {
        /// What the value is.
        found: Ref<StructInfo>,
        /// What is stated.
        stated: Ref<StructInfo>,
    },
    /// A tuple has no such field.
    #[error("there is no field {index} in {}", text(.found))]
    NoSuchField {
        /// Which.
        index: i64,
        /// What the value is.
        found: Ref<StructInfo>,
    },
    /// What is called is no function.
    #[error("only functions can be called, not {}", text(.found))]
    NotAFunction {
        /// What it is.
        found: Ref<StructInfo>,
    },
    /// A function is called with too many or too few arguments.
    #[error("the function takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// The call.
        call: Ref<Call>,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An argument does not fit.
    #[error("the function takes {} here, not {}", text(.expected), text(.found))]
    Argument {
        /// The call.
        call: Ref<Call>,
        /// Which argument, from 0.
        index: usize,
        /// What the function takes.
        expected: Ref<StructInfo>,
        /// What the argument is.
        found: Ref<StructInfo>,
    },
    /// An operator's operands do not fit.
    #[error("{kind}")]
    Infer {
        /// The call.
        call: Ref<Call>,
        /// Why.
        kind: InferError,
    },
}

/// Struct info in a message.
pub(crate) fn text(info: &Ref<StructInfo>) -> String {
    format!("`{}`", crate::describe::struct_info(info))
}

/// The argument of the operator's function that an error of inference speaks of: an operand, or an attribute.
#[cfg(feature = "build")]
fn infer_argument(call: &Call, error: &InferError) -> Option<ArgumentRef> {
    let function = call.op_name().and_then(operator).and_then(|op| op.function);
    let argument = match (error.argument, function) {
        (Some(index), _) => ArgumentRef::Position(index),
        (None, Some(function)) => {
            let names: Vec<_> = function.params.iter().map(|param| param.name).collect();
            ArgumentRef::Keyword(error.parameter(&names)?.into())
        }
        (None, None) => return None,
    };
    Some(match function {
        Some(function) => function.argument(argument),
        None => argument,
    })
}

#[cfg(feature = "build")]
impl RelaxError {
    /// The error as one of the builder, at the argument or call that it speaks of. `value` is the span of what is bound:
    /// arguments of its own call are found by their number, calls further in by their place.
    pub fn at(self, value: Option<Span>) -> BuildError {
        let at = |index: usize| Some(ArgumentRef::Position(index));
        let (call, argument) = match &self {
            RelaxError::Infer { call, kind } => (Some(call.clone()), infer_argument(call, kind)),
            RelaxError::ArgumentCount { call, .. } => (Some(call.clone()), None),
            RelaxError::Argument { call, index, .. } => (Some(call.clone()), at(*index)),
            RelaxError::ForeignOutput { index, .. } => (None, at(*index)),
            _ => (None, None),
        };
        let is_outer = match (&call, value) {
            (Some(call), Some(outer)) => call.span == outer,
            (None, _) => true,
            _ => false,
        };
        let error = BuildError::from(self);
        match (call, argument) {
            (Some(call), _) if !is_outer => error.at_span(call.span),
            (_, Some(argument)) => error.at(argument),
            _ => error,
        }
    }
}
