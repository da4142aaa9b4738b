//! Names of functions whose keyword arguments have other names in a release.

use tvmscript_irbuilder::{ScriptFn, ScriptValue};

use crate::build::renamed::{has_renamed, in_release};
use crate::build::{find_function, functions};
use crate::surface::Surface;

/// The function of a name, if the release names keyword arguments of it otherwise.
pub(super) fn find(name: &str) -> Option<ScriptValue> {
    find_function(name).filter(|function| has_renamed(function, Surface::open())).map(in_release)
}

/// The names of these functions.
pub(super) fn names() -> Vec<&'static str> {
    let is_renamed = |function: &&ScriptFn| has_renamed(function, Surface::open());
    functions().into_iter().filter(is_renamed).map(|function| function.name).collect()
}
