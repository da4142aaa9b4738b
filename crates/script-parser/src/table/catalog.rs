//! The names that dialects provide to scripts, for tools that describe them.

use tvmscript_ir_core::TypeInfo;
use tvmscript_irbuilder::{ScriptFn, ScriptValue};
use tvmscript_script_eval::NodeRules;

use super::{DecoratorRule, Member, Parsers};

/// A member of a Python module that scripts can use.
#[derive(Debug, Clone)]
pub struct ModuleMember {
    /// Name in the module.
    pub name: &'static str,
    /// Its meaning.
    pub provided: Provided,
}

/// The meaning of a member of a Python module.
#[derive(Debug, Clone)]
pub enum Provided {
    /// A function.
    Function(&'static ScriptFn),
    /// A class of nodes, with the function that constructs them if scripts can.
    Class(&'static TypeInfo, Option<&'static ScriptFn>),
    /// A value.
    Value(ScriptValue),
    /// The namespace of a dialect.
    Namespace(&'static str),
    /// The namespace of a dialect, in which decorators are scopes; see [`PythonModule::scopes`].
    ///
    /// [`PythonModule::scopes`]: super::PythonModule::scopes
    ScopeNamespace(&'static str),
    /// The function or decorator of the same name in the namespace of a dialect.
    Own(&'static str),
}

impl Parsers {
    /// Prefixes that need no import, with their dialects, in the order of registration.
    pub fn prefixes(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.table.prefixes.iter().copied()
    }

    /// The decorators of a dialect, by name.
    pub fn decorators(&self, dialect: &str) -> Vec<(&'static str, DecoratorRule)> {
        let all = self.table.decorators.iter().filter(|((of, _), _)| *of == dialect);
        let mut all: Vec<_> = all.map(|((_, name), entry)| (*name, entry.rule)).collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all
    }

    /// The functions of a dialect that have access to the parser, in alphabetical order.
    pub fn parser_functions(&self, dialect: &str) -> Vec<&'static str> {
        let all = self.table.functions.keys().filter(|(of, _)| *of == dialect);
        let mut all: Vec<_> = all.map(|(_, name)| *name).collect();
        all.sort_unstable();
        all
    }

    /// Paths of the Python modules that dialects declare and of their parents, in alphabetical order.
    pub fn python_modules(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.table.modules.paths().collect();
        paths.sort_unstable();
        paths
    }

    /// The members of a Python module that dialects list, in alphabetical order, without submodules.
    pub fn module_members(&self, path: &str) -> Vec<ModuleMember> {
        let provided = |dialect, member, is_scopes| {
            Some(match member {
                None => Provided::Own(dialect),
                Some(Member::Function(function)) => Provided::Function(function),
                Some(Member::Class(class)) => Provided::Class((class.info)(), class.constructor),
                Some(Member::Value(make)) => Provided::Value(make()),
                Some(Member::Namespace) if is_scopes => Provided::ScopeNamespace(dialect),
                Some(Member::Namespace) => Provided::Namespace(dialect),
                Some(Member::LeftOut(_)) => return None,
            })
        };
        let members = self.table.modules.declared(path).filter_map(|(name, dialect, member, is_scopes)| {
            Some(ModuleMember { name, provided: provided(dialect, member, is_scopes)? })
        });
        let mut members: Vec<ModuleMember> = members.collect();
        members.sort_by_key(|member| member.name);
        members
    }

    /// The rules that are registered for a class of nodes itself, not for its ancestors.
    pub fn own_rules(&self, info: &TypeInfo) -> NodeRules {
        self.table.nodes.get(&info.index()).copied().unwrap_or_default()
    }
}
