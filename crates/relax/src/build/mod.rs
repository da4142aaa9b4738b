//! Builder: frames, bindings, and script functions for expressions.

/// Declares arguments: the type they hold, their type in stubs, and the conversion from a script value.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident($ty:ty): $text:expr, $convert:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(pub $ty);

        impl FromScript for $name {
            const TYPE: PyType = $text;
            fn from_script(value: ScriptValue) -> BuildResult<Self> {
                let convert: fn(ScriptValue) -> BuildResult<$ty> = $convert;
                convert(value).map($name)
            }
        }
    )*};
}

/// Declares conversions of plain values to arguments, for defaults of parameters.
macro_rules! defaults {
    ($($from:ty => $($name:ident($convert:expr)),*;)*) => {$($(
        impl From<$from> for $name {
            fn from(value: $from) -> $name {
                $name(($convert)(value))
            }
        }
    )*)*};
}

pub mod args;
pub mod call_args;
mod constant;
pub mod device;
pub mod distributed;
mod emit_te;
pub mod expr;
mod frame;
pub mod function;
mod match_cast;
mod names;
pub mod operator;
pub mod operator_args;
#[cfg(feature = "parse")]
mod python;
pub mod struct_info;

pub use constant::constant_of;
pub use emit_te::emit_te;
pub use frame::{BranchFrame, DataflowFrame, FunctionFrame, IfFrame, with_blocks, with_function};
pub use function::DataflowVarInfo;
pub use match_cast::MatchCastPair;
pub use names::{ALIASES, functions};
#[cfg(feature = "parse")]
pub(crate) use names::{is_operator, operators};
#[cfg(feature = "parse")]
pub(crate) use python::{
    CALL_NODE, CREATE_EMPTY, DATAFLOW_VAR_NODE, FUNC_STRUCT_INFO, GET_SHAPE_OF, TENSOR_STRUCT_INFO,
    TUPLE_STRUCT_INFO, VAR_NODE,
};
pub use struct_info::StructInfoProxy;
