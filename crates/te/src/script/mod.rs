//! Tensor expressions in Python files: the functions of `tvm.te` that make tensors, functions and schedules.

mod file;
mod schedule;
mod tensor;
mod topi;

pub use file::{FileError, schedule_of_file};
pub use schedule::Schedules;

use tvmscript_ir_core::Dialect;
use tvmscript_irbuilder::ContextDialect as _;
use tvmscript_script_parser::{Member, ParseDialect, PythonModule};

use crate::Tensor;
use Member::Function;

/// Members of `tvm.te`.
const MEMBERS: &[(&str, Member)] = &[
    ("compute", Function(&tensor::COMPUTE)),
    ("create_prim_func", Function(&tensor::CREATE_PRIM_FUNC)),
    ("create_schedule", Function(&schedule::CREATE_SCHEDULE)),
    ("placeholder", Function(&tensor::PLACEHOLDER)),
];

static MODULES: &[PythonModule] =
    &[PythonModule::new(&["tvm.te", "tvm.te.operation", "tvm.te.schedule"]).members(MEMBERS)];

/// Registers the functions and the operations on tensors, and the modules of schedules of TIR, which are no dialect.
pub(crate) fn register(dialect: Dialect) -> Dialect {
    dialect
        .context(tensor::EXPRESSIONS)
        .python_modules(MODULES)
        .python_modules(topi::MODULES)
        .python_modules(tvmscript_schedule::PYTHON_MODULES)
        .on::<Tensor>()
        .subscript(tensor::subscript)
        .call(tensor::call)
        .attribute(tensor::attribute, tensor::attribute_names)
        .finish()
}
