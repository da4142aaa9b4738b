//! Functions whose keyword arguments have other names in a release.

use tvmscript_irbuilder::{CallArgs, Declaration, HostObject, Result, ScriptFn, ScriptValue};

use crate::surface::Surface;

/// Returns `true` if the release names a keyword argument of the function otherwise.
pub(crate) fn has_renamed(function: &ScriptFn, surface: &Surface) -> bool {
    function.params.iter().any(|param| surface.keywords.iter().any(|(own, _)| param.name == *own))
}

/// A function with the keyword arguments of a release.
struct Renamed(&'static ScriptFn);

impl HostObject for Renamed {
    fn type_name(&self) -> &str {
        self.0.name
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn declaration(&self) -> Option<Declaration> {
        None
    }

    fn call(&self, mut args: CallArgs) -> Result<ScriptValue> {
        let surface = Surface::open();
        for (key, _) in &mut args.keywords {
            if let Some((own, _)) = surface.keywords.iter().find(|(_, renamed)| key.as_str() == *renamed) {
                *key = (*own).into();
            }
        }
        self.0.call(args)
    }
}

/// A function with the keyword arguments of the release.
pub(crate) fn in_release(function: &'static ScriptFn) -> ScriptValue {
    match has_renamed(function, Surface::open()) {
        true => ScriptValue::host(Renamed(function)),
        false => ScriptValue::Function(function),
    }
}
