//! The names of the namespace `R`.

#[cfg(feature = "parse")]
use std::sync::LazyLock;

#[cfg(feature = "parse")]
use hashbrown::HashSet;
use tvmscript_irbuilder::ScriptFn;
#[cfg(feature = "parse")]
use tvmscript_irbuilder::{HostObject, ScriptValue};

use super::{device, distributed, expr, function, struct_info};
use crate::op;

/// Functions that do not belong to operators.
const OWN: [&[&ScriptFn]; 5] =
    [struct_info::FUNCTIONS, expr::FUNCTIONS, device::FUNCTIONS, distributed::FUNCTIONS, function::FUNCTIONS];

/// Returns the script functions of all releases, including those of operators.
pub fn functions() -> Vec<&'static ScriptFn> {
    let mut all: Vec<&'static ScriptFn> = OWN.into_iter().flatten().copied().collect();
    all.extend(op::SHARED.functions());
    all
}

/// Aliases of functions.
pub static ALIASES: &[(&str, &str)] = &[
    ("stop_lift_params", "builtin.stop_lift_params"),
    ("dist.DTensor", "DTensor"),
    ("dist.device_mesh", "device_mesh"),
];

/// Names of operators of any release, and of the groups of functions: `add`, `nn`.
#[cfg(feature = "parse")]
static OPERATORS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let operators = op::ALL.into_iter().flat_map(|families| families.functions());
    let operators = operators.map(|function| function.name);
    let groups = functions().into_iter().filter_map(|function| function.name.split_once('.'));
    operators.chain(groups.map(|(group, _)| group)).collect()
});

/// Returns `true` for the name of an operator or of a group of functions.
#[cfg(feature = "parse")]
pub(crate) fn is_operator(name: &str) -> bool {
    OPERATORS.contains(name)
}

/// `R.op`, the operators under the name of their Python module, and `R.Call`.
#[cfg(feature = "parse")]
pub(crate) fn operators(name: &str) -> Option<ScriptValue> {
    match name {
        "op" => Some(ScriptValue::host(Operators { group: String::new() })),
        "Call" => Some(ScriptValue::Function(&super::CALL_NODE)),
        _ => None,
    }
}

/// The operators of a group; of all, if it is empty.
#[cfg(feature = "parse")]
struct Operators {
    group: String,
}

#[cfg(feature = "parse")]
impl HostObject for Operators {
    fn type_name(&self) -> &str {
        "the namespace `R.op`"
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let path = format!("{}{name}", self.group);
        if let Some(function) = BY_NAME.get(path.as_str()) {
            return Some(ScriptValue::Function(function));
        }
        let group = format!("{path}.");
        let is_group = BY_NAME.keys().any(|known| known.starts_with(&group));
        is_group.then(|| ScriptValue::host(Operators { group }))
    }
    fn attribute_names(&self) -> Vec<String> {
        let names = BY_NAME.keys().filter_map(|name| name.strip_prefix(self.group.as_str()));
        names.map(|name| name.split('.').next().unwrap_or(name).to_owned()).collect()
    }
}

/// The functions of all releases by name.
#[cfg(feature = "parse")]
static BY_NAME: LazyLock<hashbrown::HashMap<&'static str, &'static ScriptFn>> =
    LazyLock::new(|| op::SHARED.functions().map(|function| (function.name, function)).collect());
