//! Attributes of targets in Python code: fields, and options that TVM's class offers as properties.

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::{BuildResult, ScriptValue};

use crate::build::{field, field_names};
use crate::node::Target;

/// Options that are attributes of their own, as far as a target has them.
const OPTIONS: &[&str] = &[
    "arch",
    "max_block_size_x",
    "max_block_size_y",
    "max_function_args",
    "max_num_threads",
    "max_shared_memory_per_block",
    "mcpu",
    "model",
    "thread_warp_size",
    "vtcm_capacity",
];

pub(super) fn attribute(object: &Object, name: &str) -> BuildResult<Option<ScriptValue>> {
    if let Some(target) = object.downcast_ref::<Target>()
        && OPTIONS.contains(&name)
        && let Some(value) = target.attrs.get_str(name)
    {
        return Ok(Some(ScriptValue::from(value)));
    }
    field(object, name)
}

pub(super) fn attribute_names(object: &Object) -> Vec<String> {
    let target = object.downcast_ref::<Target>();
    let options =
        OPTIONS.iter().filter(|name| target.is_some_and(|target| target.attrs.get_str(name).is_some()));
    field_names(object).into_iter().chain(options.map(|name| (*name).to_owned())).collect()
}
