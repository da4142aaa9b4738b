//! Errors of the builder.

use tvmscript_ir_core::Ref;
#[cfg(feature = "build")]
use tvmscript_ir_core::Span;
#[cfg(feature = "build")]
use tvmscript_irbuilder::{ArgumentRef, BuildError};

use crate::node::{Call, StructInfo};
use crate::op::InferError;
#[cfg(feature = "build")]
use crate::op::operator;

/// An invalid binding or scope.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RelaxError {
    /// A branch without bindings.
    #[error("the {} branch has no bindings", if *.name == "R.Then" { "`if`" } else { "`else`" })]
    EmptyBranch {
        /// `R.Then` or `R.Else`.
        name: &'static str,
    },
    /// Branches whose last bindings have different names.
    #[error("both branches must end with a binding of the same name, found `{first}` and `{second}`")]
    BranchNames {
        /// Name in the first branch.
        first: String,
        /// Name in the second branch.
        second: String,
    },
    /// A conditional inside a dataflow block.
    #[error("a conditional is not allowed inside a dataflow block")]
    IfInDataflow,
    /// A dataflow block inside another.
    #[error("dataflow blocks cannot be nested")]
    NestedDataflow,
    /// `R.output` outside a dataflow block.
    #[error("`R.output` is only allowed inside a dataflow block")]
    OutputOutsideDataflow,
    /// A second `R.output` in a dataflow block.
    #[error("the dataflow block already has an output")]
    SecondOutput,
    /// An output that is bound in another block.
    #[error("the output `{name}` is not bound in this dataflow block")]
    ForeignOutput {
        /// Index of the argument, from 0.
        index: usize,
        /// Name.
        name: String,
    },
    /// A binding after the output.
    #[error("no binding is allowed after the output of a dataflow block")]
    AfterOutput,
    /// An annotation that contradicts the value.
    #[error("the value has struct info {}, which does not match the annotation {}", text(.found), text(.annotated))]
    Annotation {
        /// Struct info of the value.
        found: Ref<StructInfo>,
        /// Annotation.
        annotated: Ref<StructInfo>,
    },
    /// An impossible cast.
    #[error("cannot cast {} to {}", text(.found), text(.stated))]
    ImpossibleCast {
        /// Struct info of the value.
        found: Ref<StructInfo>,
        /// Struct info that the cast states.
        stated: Ref<StructInfo>,
    },
    /// A field that the tuple does not have.
    #[error("index {index} is out of range for {}", text(.found))]
    NoSuchField {
        /// Index.
        index: i64,
        /// Struct info of the value.
        found: Ref<StructInfo>,
    },
    /// A callee that is not a function.
    #[error("expected a function to call, found {}", text(.found))]
    NotAFunction {
        /// Found value.
        found: Ref<StructInfo>,
    },
    /// Wrong number of arguments.
    #[error("expected {expected} arguments, found {found}")]
    ArgumentCount {
        /// Call.
        call: Ref<Call>,
        /// Number of parameters.
        expected: usize,
        /// Found.
        found: usize,
    },
    /// An argument does not match its parameter.
    #[error("expected {} for this parameter, found {}", text(.expected), text(.found))]
    Argument {
        /// Call.
        call: Ref<Call>,
        /// Index of the argument, from 0.
        index: usize,
        /// Struct info of the parameter.
        expected: Ref<StructInfo>,
        /// Struct info of the argument.
        found: Ref<StructInfo>,
    },
    /// Type inference of an operator fails.
    #[error("{kind}")]
    Infer {
        /// Call.
        call: Ref<Call>,
        /// Message of the inference error.
        kind: InferError,
    },
}

pub(crate) fn text(info: &Ref<StructInfo>) -> String {
    format!("`{}`", crate::describe::struct_info(info))
}

/// The argument that an inference error refers to: an operand or an attribute.
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
    /// Converts the error, located at the argument or call that it refers to. `value` is the span of the bound value:
    /// arguments of that call are identified by position, nested calls by span.
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
