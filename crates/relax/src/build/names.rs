//! The names of the namespace `R`.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use tvmscript_irbuilder::{HostObject, ScriptFn, ScriptValue, function_in_release};

use super::{device, distributed, expr, function, struct_info};
use crate::op;

/// Functions that do not belong to operators.
const OWN: [&[&ScriptFn]; 5] =
    [struct_info::FUNCTIONS, expr::FUNCTIONS, device::FUNCTIONS, distributed::FUNCTIONS, function::FUNCTIONS];

/// Returns all script functions, including those of operators.
pub fn functions() -> Vec<&'static ScriptFn> {
    let mut all: Vec<&'static ScriptFn> = OWN.into_iter().flatten().copied().collect();
    all.extend(op::functions());
    all
}

/// Aliases of functions.
pub static ALIASES: &[(&str, &str)] = &[
    ("stop_lift_params", "builtin.stop_lift_params"),
    ("dist.DTensor", "DTensor"),
    ("dist.device_mesh", "device_mesh"),
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static ScriptFn>> = LazyLock::new(|| {
    let mut all: HashMap<_, _> = functions().into_iter().map(|function| (function.name, function)).collect();
    for (alias, name) in ALIASES {
        if let Some(function) = all.get(name).copied() {
            all.insert(alias, function);
        }
    }
    all
});

/// Namespaces inside `R`: `nn`, `image`, `memory`.
static GROUPS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let names = BY_NAME.keys();
    names.flat_map(|name| name.match_indices('.').map(move |(at, _)| &name[..at])).collect()
});

/// A namespace inside `R`.
struct Group {
    name: &'static str,
    shown: String,
}

impl HostObject for Group {
    fn type_name(&self) -> &str {
        &self.shown
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let full = format!("{}.{name}", self.name);
        match BY_NAME.get(full.as_str()) {
            Some(function) => Some(function_in_release("relax", function)),
            None => find(&full),
        }
    }
    fn is_namespace(&self) -> bool {
        true
    }
    fn attribute_names(&self) -> Vec<String> {
        let inside = |name: &&'static str| name.strip_prefix(self.name)?.strip_prefix('.').map(str::to_owned);
        BY_NAME.keys().filter_map(inside).collect()
    }
}

/// Returns the function with this name if it belongs to an operator.
#[cfg(feature = "parse")]
pub(crate) fn operator_function(name: &str) -> Option<&'static ScriptFn> {
    let function = BY_NAME.get(name).copied()?;
    let is_own = OWN.into_iter().flatten().any(|own| std::ptr::eq(*own, function));
    (!is_own).then_some(function)
}

/// Returns the namespace with this name.
pub fn find(name: &str) -> Option<ScriptValue> {
    let name = GROUPS.get(name)?;
    Some(ScriptValue::host(Group { name, shown: format!("the namespace `R.{name}`") }))
}

/// Returns the names of namespaces, for suggestions.
pub fn other_names() -> Vec<&'static str> {
    GROUPS.iter().copied().filter(|name| !name.contains('.')).collect()
}
