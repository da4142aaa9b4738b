//! Intrinsics as scripts.

use tvmscript_ir_core::{Ref, Registry};
use tvmscript_script_parser::{ParseError, ParseOptions, parse_script};
use tvmscript_tir::PrimFunc;

use super::{TensorIntrinsic, TensorIntrinsics};
use crate::error::{Result, ScheduleError};

impl TensorIntrinsics {
    /// Adds the intrinsics of a JSON file: `{name: {"desc": script, "impl": script}}`.
    ///
    /// # Errors
    /// If the text is something else, or a script is not a function.
    pub fn read_json(&mut self, text: &str, registry: &Registry) -> Result<()> {
        let fail = |message: String| ScheduleError::plain(format!("the intrinsics are not read: {message}"));
        let file: serde_json::Value = serde_json::from_str(text).map_err(|error| fail(error.to_string()))?;
        let entries = file.as_object().ok_or_else(|| fail("expected an object by name".to_owned()))?;
        for (name, entry) in entries {
            let function = |key: &str| {
                let script = entry.get(key).and_then(serde_json::Value::as_str);
                let script = script.ok_or_else(|| fail(format!("`{name}` needs a script `{key}`")))?;
                function(name, script, registry)
            };
            let (description, implementation) = (function("desc")?, function("impl")?);
            self.insert(name, TensorIntrinsic { description, implementation });
        }
        Ok(())
    }
}

/// The only function of a script.
pub(super) fn function(name: &str, script: &str, registry: &Registry) -> Result<Ref<PrimFunc>> {
    let read = parse_script(name, script, registry, &ParseOptions::default());
    let fail =
        |message: String| ScheduleError::plain(format!("the intrinsic `{name}` is not read: {message}"));
    if let Some(error) = read.errors.first() {
        let error: &ParseError = error;
        return Err(fail(error.to_string()));
    }
    let found = read.scripts.iter().find_map(|script| script.node.downcast_ref::<PrimFunc>());
    found.cloned().ok_or_else(|| fail("there is no function".to_owned()))
}
