//! The builder of modules, and the functions of `I.*`.

mod as_written;
mod constants;
mod field;
mod functions;
mod lambda;
mod module;
mod operator;
mod poison;
mod python;
pub mod script;
mod target;
mod target_tags;

pub use as_written::{AsWritten, arguments_as_written};
pub use constants::elided_tensor;
pub use field::{field, field_names};
pub use functions::{
    DUMMY_GLOBAL_INFO, FROM_MIN_EXTENT, FUNC_TYPE, FUNCTIONS, GLOBAL_VAR, IR_MODULE_NODE, MODULE_FUNCTIONS,
    OP, RANGE, TUPLE_TYPE, VDEVICE, module_attrs,
};
pub use lambda::{call_with_vars, index_map_of, parameter_names};
pub use module::{
    FunctionCaller, MakeFunction, ModuleFrame, TensorExpressions, TensorType, decl_function, def_function,
    global_infos, in_module, ir_module, lookup, member_names,
};
pub use operator::operator;
pub use python::{
    CONST, CONVERT, DATA_TYPE, INT_CONST, POINTER_TYPE, PRIM_TYPE, TARGET_CLASS, TENSOR, const_,
};
pub use target::{TargetArg, target};
