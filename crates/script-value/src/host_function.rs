//! Functions created at run time.

use crate::error::Result;
use crate::function::CallArgs;
use crate::value::{HostObject, ScriptValue};

/// A function that a dialect creates at run time, e.g. a method of a node.
pub struct HostFunction<F> {
    name: String,
    body: F,
}

impl<F> HostFunction<F>
where
    F: Fn(CallArgs) -> Result<ScriptValue> + 'static,
{
    /// A function with this name, for messages.
    pub fn value(name: impl Into<String>, body: F) -> ScriptValue {
        ScriptValue::host(HostFunction { name: name.into(), body })
    }
}

impl<F> HostObject for HostFunction<F>
where
    F: Fn(CallArgs) -> Result<ScriptValue> + 'static,
{
    fn type_name(&self) -> &str {
        &self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, args: CallArgs) -> Result<ScriptValue> {
        (self.body)(args)
    }
}
