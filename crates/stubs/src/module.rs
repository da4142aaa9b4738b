//! The text of one stub module: imports, definitions, and annotations that refer to other modules.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use indexmap::IndexMap;
use tvmscript_irbuilder::PyType;

use crate::classes::Classes;

/// Built-in classes that types of declarations name. Stubs write them with their module, since a namespace may define
/// the same names.
const BUILTINS: &[&str] = &[
    "bool",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
    "type",
];

/// Names of `typing` that types of declarations name.
const TYPING: &[&str] = &[
    "Any",
    "Callable",
    "Hashable",
    "Iterable",
    "Iterator",
    "Mapping",
    "Sequence",
    "Sized",
    "SupportsFloat",
    "SupportsIndex",
    "SupportsInt",
];

/// Name of the package of decorators, below that of the classes.
pub(crate) const DECORATORS: &str = "decorators";

/// The definitions that all modules share.
pub(crate) struct Shared {
    /// Classes of nodes.
    pub(crate) classes: Classes,
    /// Module of the types with names of their own, and package of the classes.
    pub(crate) types_module: String,
    /// Definitions by name, in the order of their first use; `None` for classes without members.
    pub(crate) types: RefCell<IndexMap<String, Option<&'static PyType>>>,
}

impl Shared {
    /// The name of a type with a definition. Two definitions of one name get different ones.
    fn named(&self, name: &str, is: Option<&'static PyType>) -> String {
        let mut types = self.types.borrow_mut();
        let text = |ty: &Option<&'static PyType>| ty.map(ToString::to_string);
        let mut unique = name.to_owned();
        let mut count = 1;
        while types.get(&unique).is_some_and(|other| text(other) != text(&is)) {
            count += 1;
            unique = format!("{name}{count}");
        }
        types.entry(unique.clone()).or_insert(is);
        unique
    }
}

/// A stub module in the making.
pub(crate) struct Module<'a> {
    shared: &'a Shared,
    /// Dotted path.
    pub(crate) path: String,
    /// Imported modules by the name under which they are used.
    modules: BTreeMap<String, String>,
    /// Names that are members of other modules: (module, name there, name here).
    names: BTreeSet<(String, String, String)>,
    /// Names for `__all__`; `None` if the module lists none.
    pub(crate) exported: Option<BTreeSet<String>>,
    /// Definitions.
    pub(crate) body: String,
    /// `true` if the module has members that are not declared.
    pub(crate) is_partial: bool,
}

impl<'a> Module<'a> {
    pub(crate) fn new(shared: &'a Shared, path: &str) -> Module<'a> {
        Module {
            shared,
            path: path.to_owned(),
            modules: BTreeMap::new(),
            names: BTreeSet::new(),
            exported: None,
            body: String::new(),
            is_partial: false,
        }
    }

    /// A name of Python's module `typing`.
    pub(crate) fn typing(&mut self, name: &str) -> String {
        self.modules.insert("_typing".to_owned(), "typing".to_owned());
        format!("_typing.{name}")
    }

    /// A built-in class.
    pub(crate) fn builtin(&mut self, name: &str) -> String {
        self.modules.insert("_builtins".to_owned(), "builtins".to_owned());
        format!("_builtins.{name}")
    }

    /// A member of another module under a private name for that module.
    fn member(&mut self, module: &str, private: &str, name: &str) -> String {
        if module == self.path {
            return name.to_owned();
        }
        self.modules.insert(private.to_owned(), module.to_owned());
        format!("{private}.{name}")
    }

    /// Makes a member of another module a member of this one.
    pub(crate) fn reexport(&mut self, module: &str, name: &str, here: &str) {
        self.names.insert((module.to_owned(), name.to_owned(), here.to_owned()));
    }

    /// Makes a decorator of scripts, under its name in the module of decorators, a member of this module.
    pub(crate) fn decorator(&mut self, kind: &str, here: &str) {
        let module = format!("{}.{DECORATORS}", self.shared.types_module);
        self.reexport(&module, kind, here);
    }

    /// The class of a node type; `None` if the registry lacks it.
    pub(crate) fn class(&mut self, info: &tvmscript_ir_core::TypeInfo) -> Option<String> {
        let (module, private, name) = self.shared.classes.find(info)?;
        Some(self.member(&module, &private, &name))
    }

    /// A type as an annotation. Unknown names become `Any`.
    pub(crate) fn annotation(&mut self, ty: &PyType) -> String {
        let types_module = self.shared.types_module.clone();
        match ty {
            PyType::Name("None") => "None".to_owned(),
            PyType::Name(name) => self.name(name),
            PyType::Node(info) => self.class(info()).unwrap_or_else(|| self.typing("Any")),
            PyType::Class(info) => self.class(info).unwrap_or_else(|| self.typing("Any")),
            PyType::Generic { name, of } => {
                let name = self.name(name);
                let of: Vec<String> = of.iter().map(|ty| self.annotation(ty)).collect();
                format!("{name}[{}]", of.join(", "))
            }
            PyType::Union { of } => {
                let mut parts: Vec<String> = Vec::with_capacity(of.len());
                for part in *of {
                    let part = self.annotation(part);
                    if !parts.contains(&part) {
                        parts.push(part);
                    }
                }
                parts.join(" | ")
            }
            PyType::Scope { of } => {
                let of = self.annotation(of);
                format!("{}[{of}]", self.member(&types_module, "_types", "Scope"))
            }
            PyType::Alias { name, is } => {
                let name = self.shared.named(name, Some(is));
                self.member(&types_module, "_types", &name)
            }
            PyType::Opaque(name) => {
                let name = self.shared.named(name, None);
                self.member(&types_module, "_types", &name)
            }
        }
    }

    fn name(&mut self, name: &str) -> String {
        match name {
            _ if BUILTINS.contains(&name) => self.builtin(name),
            _ if TYPING.contains(&name) => self.typing(name),
            _ => self.typing("Any"),
        }
    }

    /// The text of the module.
    pub(crate) fn text(mut self) -> String {
        if self.is_partial {
            let any = self.typing("Any");
            let text = self.builtin("str");
            let _ = writeln!(self.body, "\ndef __getattr__(name: {text}) -> {any}: ...");
        }
        let mut out = "# Generated by `tvmscript stubs`.\n".to_owned();
        for (private, module) in &self.modules {
            let _ = match private == module {
                true => writeln!(out, "import {module}"),
                false => writeln!(out, "import {module} as {private}"),
            };
        }
        for (module, name, here) in &self.names {
            let _ = match &**name {
                "*" => writeln!(out, "from {module} import *"),
                _ => writeln!(out, "from {module} import {name} as {here}"),
            };
        }
        if let Some(exported) = &self.exported {
            out.push_str("\n__all__ = [\n");
            for name in exported {
                let _ = writeln!(out, "    \"{name}\",");
            }
            out.push_str("]\n");
        }
        out.push_str(&self.body);
        out
    }
}
