//! Names that a release changes.

use std::borrow::Cow;

/// Names that differ from those of the first release. Each pair is the name there and the name in this release.
#[derive(Debug, Clone, Copy)]
pub struct Renames {
    /// Functions of dialects in texts, in groups, so that releases may share some. A new name with dots is in namespaces.
    pub functions: &'static [&'static [FunctionChange]],
    /// Old names that the release reads beside the new ones: `(dialect, name)`.
    pub kept: &'static [(&'static str, &'static str)],
    /// Keywords of calls: `(dialect, keyword, new keyword)`.
    pub keywords: &'static [(&'static str, &'static str, &'static str)],
    /// Names by which programs and JSON refer to operators.
    pub operators: OperatorKeys,
    /// Prefix of the keys of attributes.
    pub key_prefix: Option<(&'static str, &'static str)>,
    /// Type keys in JSON, in groups, so that releases may share some. Of two pairs for a key, the first one counts.
    pub types: &'static [&'static [(&'static str, &'static str)]],
    /// Python modules by path, and the last part of their new path.
    pub modules: &'static [(&'static str, &'static str)],
}

/// A function of a dialect and its change: `(dialect, name, change)`.
pub type FunctionChange = (&'static str, &'static str, NameChange);

/// A change of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameChange {
    /// The release has it under another name, with the same arguments; dots lead into namespaces.
    Renamed(&'static str),
    /// Another function of the release takes its place, with the same arguments. The old name may be that of a third one.
    Replaced(&'static str),
    /// The release has nothing with the same meaning; the text names what comes next, if anything does.
    Removed(&'static str),
}

/// Names by which programs and JSON refer to operators, such as `tensor.exp`.
#[derive(Debug, Clone, Copy)]
pub struct OperatorKeys {
    /// Operators with new names of their own.
    pub names: &'static [(&'static str, &'static str)],
    /// New prefix of all others.
    pub prefix: Option<(&'static str, &'static str)>,
}

impl Renames {
    /// No changes.
    pub const NONE: Renames = Renames {
        functions: &[],
        kept: &[],
        keywords: &[],
        operators: OperatorKeys { names: &[], prefix: None },
        key_prefix: None,
        types: &[],
        modules: &[],
    };

    /// Returns `true` for an old name that the release reads, too.
    pub fn keeps(&self, dialect: &str, name: &str) -> bool {
        self.kept.iter().any(|(of, own)| *own == name && *of == dialect)
    }

    /// Returns the changed functions of all dialects.
    pub fn function_changes(&self) -> impl Iterator<Item = &'static FunctionChange> {
        self.functions.iter().copied().flatten()
    }

    /// Returns the change of a dialect's function, if there is one.
    pub fn function(&self, dialect: &str, name: &str) -> Option<NameChange> {
        let is_it = |(of, own, _): &&FunctionChange| *own == name && *of == dialect;
        self.function_changes().find(is_it).map(|(_, _, change)| *change)
    }

    /// Returns the name of a dialect's function in the release. A function that another one replaces keeps its name, which
    /// the release may have given to something else.
    pub fn function_name<'n>(&self, dialect: &str, name: &'n str) -> &'n str {
        if self.functions.is_empty() {
            return name;
        }
        match self.function(dialect, name) {
            Some(NameChange::Renamed(new)) => new,
            _ => name,
        }
    }

    /// Returns the name of the function that has the place of a dialect's function in the release.
    pub fn successor_name<'n>(&self, dialect: &str, name: &'n str) -> &'n str {
        match self.function(dialect, name) {
            Some(NameChange::Renamed(new) | NameChange::Replaced(new)) => new,
            _ => name,
        }
    }

    /// Returns the renamed functions of a dialect: the name, and the name in the release.
    pub fn renamed_functions(&self, dialect: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.function_changes().filter_map(move |(of, own, change)| match change {
            NameChange::Renamed(new) if *of == dialect => Some((*own, *new)),
            _ => None,
        })
    }

    /// Returns the name of a keyword in the release.
    pub fn keyword<'n>(&self, dialect: &str, name: &'n str) -> &'n str {
        let is_it = |(of, own, _): &&(&str, &str, &str)| *own == name && *of == dialect;
        self.keywords.iter().find(is_it).map_or(name, |(_, _, new)| new)
    }

    /// Returns the keyword that the release writes as `name`.
    pub fn own_keyword<'n>(&self, dialect: &str, name: &'n str) -> &'n str {
        let is_it = |(of, _, new): &&(&str, &str, &str)| *new == name && *of == dialect;
        self.keywords.iter().find(is_it).map_or(name, |(_, own, _)| own)
    }

    /// Returns the type key in the release's JSON, if it differs.
    pub fn new_type_key(&self, key: &str) -> Option<&'static str> {
        self.types.iter().copied().flatten().find(|(own, _)| *own == key).map(|(_, new)| *new)
    }

    /// Returns the type key for one of the release's JSON, if it differs.
    pub fn old_type_key(&self, key: &str) -> Option<&'static str> {
        self.types.iter().copied().flatten().find(|(_, new)| *new == key).map(|(own, _)| *own)
    }

    /// Returns the new last part of a module's path, if it changes.
    pub fn module(&self, path: &str) -> Option<&'static str> {
        self.modules.iter().find(|(module, _)| *module == path).map(|(_, new)| *new)
    }
}

impl OperatorKeys {
    /// Returns the operator's name in the release.
    pub fn name<'n>(&self, own: &'n str) -> Cow<'n, str> {
        if let Some((_, new)) = self.names.iter().find(|(from, _)| *from == own) {
            return Cow::Borrowed(new);
        }
        with_prefix(own, self.prefix)
    }

    /// Returns the operator that the release names so.
    pub fn own_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if let Some((own, _)) = self.names.iter().find(|(_, new)| *new == name) {
            return Cow::Borrowed(own);
        }
        with_prefix(name, self.prefix.map(|(own, new)| (new, own)))
    }
}

fn with_prefix<'n>(name: &'n str, prefix: Option<(&str, &str)>) -> Cow<'n, str> {
    let changed = prefix.and_then(|(from, to)| Some(format!("{to}{}", name.strip_prefix(from)?)));
    changed.map_or(Cow::Borrowed(name), Cow::Owned)
}
