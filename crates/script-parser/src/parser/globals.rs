//! Values that a program gives to the texts it parses.

use std::sync::Arc;

use tvmscript_irbuilder::{ScriptValue, TypedFunction, typed_function};

/// Predefined names of a text: Rust functions and values, which the text uses without an import and may redefine.
///
/// A function can build IR, as the functions of a dialect do. A value of any Rust type is one that implements
/// [`HostObject`](tvmscript_irbuilder::HostObject).
#[derive(Clone, Default)]
pub struct Globals(Vec<(String, Arc<MakeValue>)>);

/// Values belong to one thread; each parse makes its own.
type MakeValue = dyn Fn() -> ScriptValue + Send + Sync;

impl Globals {
    /// Defines a function by its name and the names of its parameters. A parameter of type `Option` may be left out.
    pub fn function<A, F>(
        &mut self,
        name: &'static str,
        params: &'static [&'static str],
        function: F,
    ) -> &mut Globals
    where
        F: TypedFunction<A> + Clone + Send + Sync,
    {
        self.value(name, move || typed_function(name, params, function.clone()))
    }

    /// Defines a value, which `make` makes for each parse.
    pub fn value(
        &mut self,
        name: impl Into<String>,
        make: impl Fn() -> ScriptValue + Send + Sync + 'static,
    ) -> &mut Globals {
        self.0.push((name.into(), Arc::new(make)));
        self
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, ScriptValue)> {
        self.0.iter().map(|(name, make)| (name.as_str(), make()))
    }
}

impl std::fmt::Debug for Globals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
