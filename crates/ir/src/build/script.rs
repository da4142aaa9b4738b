//! Script functions under their names in scripts: `I::ir_module().body(|| ..)` for `@I.ir_module class Module:`.
//!
//! Import it under the scripts' prefix: `use tvmscript_ir::build::script as I;`.

pub use super::functions::{
    dummy_global_info, func_type, global_var, lookup_vdevice, module_attrs, module_get_attr,
    module_get_attrs, module_global_infos, module_set_attr, op, range, tuple_type, vdevice,
};
pub use super::module::ir_module;
