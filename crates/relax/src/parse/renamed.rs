//! Functions whose keyword arguments have other names in a release.

use tvmscript_irbuilder::{Builder, CallArgs, Declaration, HostObject, Result, ScriptFn, ScriptValue};

use crate::build::{find_function, functions};
use crate::surface::{Surface, TVM_0_23};

/// Returns `true` if the release names a keyword argument of the function otherwise.
pub(super) fn has_renamed(function: &ScriptFn, surface: &Surface) -> bool {
    function.params.iter().any(|param| surface.keywords.iter().any(|(own, _)| param.name == *own))
}

/// The surface of the open builder.
fn surface() -> &'static Surface {
    Builder::context::<&'static Surface>().map_or(&TVM_0_23, |surface| *surface)
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
        let surface = surface();
        for (key, _) in &mut args.keywords {
            if let Some((own, _)) = surface.keywords.iter().find(|(_, renamed)| key.as_str() == *renamed) {
                *key = (*own).into();
            }
        }
        self.0.call(args)
    }
}

/// The function of a name, with the keyword arguments of the release.
pub(super) fn find(name: &str) -> Option<ScriptValue> {
    let function = find_function(name)?;
    has_renamed(function, surface()).then(|| ScriptValue::host(Renamed(function)))
}

pub(super) fn names() -> Vec<&'static str> {
    let surface = surface();
    functions()
        .into_iter()
        .filter(|function| has_renamed(function, surface))
        .map(|function| function.name)
        .collect()
}
