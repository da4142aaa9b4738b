//! The names of the namespace `R`.

#[cfg(feature = "parse")]
use std::sync::LazyLock;

#[cfg(feature = "parse")]
use hashbrown::HashSet;
use tvmscript_irbuilder::ScriptFn;

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
