//! The builder: modules, and what scripts call as `I.*`.

mod constants;
mod functions;
mod lambda;
mod module;
mod poison;
pub mod script;
mod target;

pub use constants::elided_tensor;
pub use functions::{FROM_MIN_EXTENT, FUNCTIONS};
pub use lambda::{call_with_vars, index_map_of, parameter_names};
pub use module::{
    ModuleFrame, decl_function, def_function, global_infos, in_module, ir_module, lookup, member_names,
};
pub use target::{TargetArg, target};
