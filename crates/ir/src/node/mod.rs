//! Nodes of modules and of their members.

mod attrs;
mod global;
mod module;
mod omitted;
mod target;

pub use attrs::{Attrs, DictAttrs, GLOBAL_SYMBOL, global_symbol};
#[cfg(feature = "print")]
pub(crate) use global::has_parameter;
pub use global::{
    BaseFunc, DummyGlobalInfo, EnvFunc, GlobalInfo, GlobalVar, RelaxExpr, VDevice, function_attrs,
    function_type,
};
pub use module::{IRModule, SourceMap, path_of_function};
pub use omitted::Omitted;
pub use target::{Target, TargetKind};
