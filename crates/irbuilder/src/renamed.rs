//! Names of functions and keywords in a release, by its table of [`Renames`].

use hashbrown::{HashMap, HashSet};
use tvmscript_ir_core::release::Renames;
use tvmscript_script_value::{BuildResult, CallArgs, Declaration, HostObject, Param, ScriptFn, ScriptValue};

/// The names of one dialect that a release changes.
#[derive(Clone)]
pub(crate) struct RenamedNames {
    dialect: &'static str,
    renames: &'static Renames,
    /// Old names by new names.
    old: HashMap<&'static str, &'static str>,
    hidden: HashSet<&'static str>,
}

impl RenamedNames {
    /// The changes of a dialect; `None` if there are none.
    pub(crate) fn new(dialect: &'static str, renames: &'static Renames) -> Option<RenamedNames> {
        let old: HashMap<_, _> = renames.renamed_functions(dialect).map(|(own, new)| (new, own)).collect();
        let has_keywords = renames.keywords.iter().any(|(of, ..)| *of == dialect);
        let hidden = old.values().copied().filter(|name| !renames.keeps(dialect, name)).collect();
        (has_keywords || !old.is_empty()).then(|| RenamedNames { dialect, renames, old, hidden })
    }

    /// New names.
    pub(crate) fn new_names(&self) -> impl Iterator<Item = &'static str> {
        self.old.keys().copied()
    }

    /// Returns `true` if the release has the function under another name.
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// The value of a name, given the lookup by old names.
    pub(crate) fn get(&self, name: &str, find: impl Fn(&str) -> Option<ScriptValue>) -> Option<ScriptValue> {
        let own = match self.old.get(name) {
            Some(own) => own,
            None if self.hides(name) => return None,
            None => name,
        };
        find(own).map(|value| self.with_keywords(value))
    }

    fn with_keywords(&self, value: ScriptValue) -> ScriptValue {
        let is_renamed = |name: &str| self.renames.keyword(self.dialect, name) != name;
        match value {
            ScriptValue::Function(function) if function.params.iter().any(|param| is_renamed(param.name)) => {
                ScriptValue::host(WithKeywords { function, dialect: self.dialect, renames: self.renames })
            }
            other => other,
        }
    }
}

/// A function with the keywords of a release.
struct WithKeywords {
    function: &'static ScriptFn,
    dialect: &'static str,
    renames: &'static Renames,
}

impl HostObject for WithKeywords {
    fn type_name(&self) -> &str {
        self.function.name
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn declaration(&self) -> Option<Declaration> {
        let params = self.function.params.iter();
        let params = params.map(|param| {
            let name = self.renames.keyword(self.dialect, param.name);
            Param { name, ..*param }
        });
        Some(Declaration { params: params.collect(), ..self.function.declaration() })
    }

    fn call(&self, mut args: CallArgs) -> BuildResult<ScriptValue> {
        for (key, _) in &mut args.keywords {
            let own = self.renames.own_keyword(self.dialect, key.as_str());
            if own != key.as_str() {
                *key = own.into();
            }
        }
        self.function.call(args)
    }
}
