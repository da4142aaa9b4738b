//! Names of functions and keywords in a release, by its table of [`Renames`].

use std::collections::{HashMap, HashSet};

use tvmscript_ir_core::release::Renames;
use tvmscript_script_value::{CallArgs, HostObject, Result, ScriptFn, ScriptValue};

use crate::Builder;

/// The names of one dialect that a release changes.
#[derive(Clone)]
pub(crate) struct RenamedNames {
    dialect: &'static str,
    renames: &'static Renames,
    /// Old names by new names.
    old: HashMap<&'static str, &'static str>,
    hidden: HashSet<&'static str>,
    /// Namespaces of new names with dots: the rest of each, and the old name.
    groups: HashMap<&'static str, Vec<(&'static str, &'static str)>>,
}

impl RenamedNames {
    /// The changes of a dialect; `None` if there are none.
    pub(crate) fn new(dialect: &'static str, renames: &'static Renames) -> Option<RenamedNames> {
        let mut names = RenamedNames {
            dialect,
            renames,
            old: HashMap::new(),
            hidden: HashSet::new(),
            groups: HashMap::new(),
        };
        for (own, new) in renames.renamed_functions(dialect) {
            names.hidden.insert(own);
            match new.split_once('.') {
                Some((group, rest)) => names.groups.entry(group).or_default().push((rest, own)),
                None => drop(names.old.insert(new, own)),
            }
        }
        let has_keywords = renames.keywords.iter().any(|(of, ..)| *of == dialect);
        (has_keywords || !names.hidden.is_empty()).then_some(names)
    }

    /// New names without dots.
    pub(crate) fn new_names(&self) -> impl Iterator<Item = &'static str> {
        self.old.keys().copied()
    }

    /// Returns `true` if the release has the function under another name.
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// All names, given those without changes.
    pub(crate) fn all(&self, mut names: Vec<&'static str>) -> Vec<&'static str> {
        names.retain(|name| !self.hides(name));
        names.extend(self.old.keys().chain(self.groups.keys()));
        names
    }

    /// The value of a name, given the lookup by old names.
    pub(crate) fn get(&self, name: &str, find: impl Fn(&str) -> Option<ScriptValue>) -> Option<ScriptValue> {
        let find = |name: &str| find(name).map(|value| self.with_keywords(value));
        if let Some(old) = self.old.get(name) {
            return find(old);
        }
        match self.groups.get(name) {
            Some(members) => {
                let members = members.iter().filter_map(|(rest, own)| Some((*rest, find(own)?))).collect();
                Some(ScriptValue::host(Group { name: name.to_owned(), members, other: find(name) }))
            }
            None if self.hides(name) => None,
            None => find(name),
        }
    }

    fn with_keywords(&self, value: ScriptValue) -> ScriptValue {
        match value {
            ScriptValue::Function(function) => in_release(self.dialect, self.renames, function),
            other => other,
        }
    }
}

/// A namespace that renamed functions are in.
struct Group {
    name: String,
    members: Vec<(&'static str, ScriptValue)>,
    /// The namespace that the dialect has under the name.
    other: Option<ScriptValue>,
}

impl HostObject for Group {
    fn type_name(&self) -> &str {
        &self.name
    }

    fn is_namespace(&self) -> bool {
        true
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match self.members.iter().find(|(member, _)| *member == name) {
            Some((_, value)) => Some(value.clone()),
            None => match self.other.as_ref()? {
                ScriptValue::Host(other) => other.attribute(name),
                _ => None,
            },
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        self.members.iter().map(|(name, _)| (*name).to_owned()).collect()
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

    fn call(&self, mut args: CallArgs) -> Result<ScriptValue> {
        for (key, _) in &mut args.keywords {
            let own = self.renames.own_keyword(self.dialect, key.as_str());
            if own != key.as_str() {
                *key = own.into();
            }
        }
        self.function.call(args)
    }
}

fn in_release(dialect: &'static str, renames: &'static Renames, function: &'static ScriptFn) -> ScriptValue {
    let is_renamed = |name: &str| renames.keywords.iter().any(|(of, own, _)| *own == name && *of == dialect);
    match function.params.iter().any(|param| is_renamed(param.name)) {
        true => ScriptValue::host(WithKeywords { function, dialect, renames }),
        false => ScriptValue::Function(function),
    }
}

/// A dialect's function with the keywords that the release of the open builder gives it.
pub fn function_in_release(dialect: &'static str, function: &'static ScriptFn) -> ScriptValue {
    in_release(dialect, &Builder::release().renames, function)
}
