//! The tree of stub modules: namespaces of dialects, Python modules that dialects declare, classes of nodes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use indexmap::IndexMap;
use tvmscript_ir_core::Registry;
use tvmscript_ir_core::release::PythonNames;
use tvmscript_irbuilder::{Namespaces, PyType};
use tvmscript_script_parser::{DecoratorRule, ModuleMember, Parsers, Provided};

use crate::classes::Classes;
use crate::function::write_item;
use crate::item::{Item, dialects, namespace};
use crate::module::{DECORATORS, Module, Shared};

/// Name of the package of node classes.
const TYPES: &str = "_nodes";

/// A file of stubs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubFile {
    /// Path below the chosen folder, with `/` between its parts.
    pub path: String,
    /// Content.
    pub text: String,
}

/// The folders in which stubs are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Packages under their own names, for a folder that tools search for stubs: `netlist/circuit/__init__.pyi` in `typings`.
    #[default]
    Sources,
    /// Stub-only packages of PEP 561, for `site-packages`: `netlist-stubs/circuit/__init__.pyi`. They are partial: modules
    /// without a stub are looked up in the installed package.
    StubPackages,
}

/// The paths of modules by their meaning.
pub(crate) struct Plan {
    /// The module in which each dialect's names are defined.
    namespaces: IndexMap<&'static str, String>,
    /// The names of each dialect. A Python module may declare more of them than the release has.
    members: BTreeMap<&'static str, BTreeSet<String>>,
    /// Modules that are the namespace of a dialect.
    pub(crate) homes: BTreeMap<String, &'static str>,
    /// Modules that are a namespace in which decorators are scopes.
    pub(crate) scopes: BTreeSet<String>,
    /// Package of the classes.
    types_module: String,
}

impl Plan {
    pub(crate) fn new(registry: &Registry, python: PythonNames) -> Plan {
        let below = |name: &str| match python.script_module {
            "" => name.to_owned(),
            module => format!("{module}.{name}"),
        };
        let mut homes: BTreeMap<String, &'static str> = BTreeMap::new();
        let mut namespaces = IndexMap::new();
        let mut members: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        let mut scopes = BTreeSet::new();
        if let Some(parsers) = registry.slot::<Parsers>() {
            for path in parsers.python_modules() {
                for ModuleMember { name, provided } in parsers.module_members(path) {
                    if let Provided::Namespace(dialect) = provided {
                        homes.insert(format!("{path}.{name}"), dialect);
                    } else if let Provided::ScopeNamespace(dialect) = provided {
                        homes.insert(format!("{path}.{name}"), dialect);
                        scopes.insert(format!("{path}.{name}"));
                    }
                }
            }
        }
        for dialect in dialects(registry) {
            // The shortest path; without a declaration, the one that headers of scripts name.
            let declared = homes.iter().filter(|(path, of)| **of == dialect && !scopes.contains(*path));
            let declared = declared.map(|(path, _)| path);
            let path = declared.min_by_key(|path| (path.len(), path.as_str())).cloned();
            let path = path.unwrap_or_else(|| below(dialect));
            homes.entry(path.clone()).or_insert(dialect);
            namespaces.insert(dialect, path);
            members.insert(dialect, namespace(registry, dialect).into_keys().collect());
        }
        Plan { namespaces, members, homes, scopes, types_module: below(TYPES) }
    }

    /// Tests whether a dialect has a name.
    fn has(&self, dialect: &str, name: &str) -> bool {
        self.members.get(dialect).is_some_and(|members| members.contains(name))
    }
}

/// Stubs for all names that the dialects of a registry provide to scripts of its release. Those of another release are in
/// its registry ([`Registry::of_release`]).
///
/// The modules of namespaces list all their names, so that a checker reports others. Python modules, of which dialects
/// declare a part only, take any other name too.
pub fn stubs(registry: &Registry, layout: Layout) -> Vec<StubFile> {
    let python = registry.release().syntax.python;
    let plan = Plan::new(registry, python);
    let shared = Shared {
        classes: Classes::new(registry, &plan.types_module),
        types_module: plan.types_module.clone(),
        types: RefCell::default(),
    };
    let mut modules: BTreeMap<String, Module<'_>> = BTreeMap::new();
    for module in shared.classes.modules(registry, &shared) {
        modules.insert(module.path.clone(), module);
    }
    for (path, dialect) in &plan.homes {
        let module = match plan.namespaces.get(dialect) {
            Some(own) if own == path => namespace_module(registry, &shared, path, dialect),
            Some(other) if plan.scopes.contains(path) => {
                scopes_module(registry, &shared, path, dialect, other)
            }
            Some(other) => {
                let mut module = Module::new(&shared, path);
                module.reexport(other, "*", "*");
                module
            }
            None => continue,
        };
        modules.insert(path.clone(), module);
    }
    if let Some(parsers) = registry.slot::<Parsers>() {
        for path in parsers.python_modules() {
            let module = modules.entry(path.to_owned()).or_insert_with(|| Module::new(&shared, path));
            module.is_partial = !plan.homes.contains_key(path);
            for ModuleMember { name, provided } in parsers.module_members(path) {
                // A namespace has its names already.
                if plan.homes.get(path).is_some_and(|dialect| plan.has(dialect, name)) {
                    continue;
                }
                write_member(module, name, &provided, &shared, &plan);
            }
        }
    }
    let testing = python.testing;
    if testing.strip_prefix(python.package).is_some_and(|below| below.starts_with('.')) {
        let module = modules.entry(testing.to_owned()).or_insert_with(|| Module::new(&shared, testing));
        module.is_partial = true;
    }
    add_parents(&mut modules, &shared);
    let types = types_module(&shared);
    modules.insert(plan.types_module.clone(), types);
    add_parents(&mut modules, &shared);
    let mut files = files(modules, layout);
    if has_scripts(registry) {
        let folder = folder(&format!("{}.{DECORATORS}", plan.types_module), layout);
        let of_template = |(name, text): &(&str, &str)| StubFile {
            path: format!("{folder}/{name}"),
            text: (*text).to_owned(),
        };
        files.extend(DECORATOR_FILES.iter().map(of_template));
    }
    files
}

/// The modules of decorators, which are the same for all dialects.
const DECORATOR_FILES: [(&str, &str); 4] = [
    ("__init__.pyi", include_str!("../templates/decorators/__init__.pyi")),
    ("mypy.pyi", include_str!("../templates/decorators/mypy.pyi")),
    ("ty.pyi", include_str!("../templates/decorators/ty.pyi")),
    ("typing_extensions.pyi", include_str!("../templates/decorators/typing_extensions.pyi")),
];

/// Returns `true` if a dialect has decorators of functions.
fn has_scripts(registry: &Registry) -> bool {
    let is_function = |rule: &DecoratorRule| !matches!(rule, DecoratorRule::Class { .. });
    registry.slot::<Parsers>().is_some_and(|parsers| {
        let mut decorators = dialects(registry).into_iter().flat_map(|dialect| parsers.decorators(dialect));
        decorators.any(|(_, rule)| is_function(&rule))
    })
}

/// Adds packages that have no members of their own, and makes submodules members of their packages.
fn add_parents<'a>(modules: &mut BTreeMap<String, Module<'a>>, shared: &'a Shared) {
    let paths: Vec<String> = modules.keys().cloned().collect();
    for path in &paths {
        for (at, _) in path.match_indices('.') {
            let (parent, _) = path.split_at(at);
            modules.entry(parent.to_owned()).or_insert_with(|| Module::new(shared, parent));
        }
    }
    let paths: Vec<String> = modules.keys().cloned().collect();
    for path in paths {
        if let Some((parent, name)) = path.rsplit_once('.')
            && !name.starts_with('_')
            && let Some(module) = modules.get_mut(parent)
        {
            module.reexport(parent, name, name);
        }
    }
}

/// The module in which the names of a dialect are defined.
fn namespace_module<'a>(registry: &Registry, shared: &'a Shared, path: &str, dialect: &str) -> Module<'a> {
    let mut module = Module::new(shared, path);
    let items = namespace(registry, dialect);
    let names = registry.slot::<Namespaces>().and_then(|all| all.dialect(dialect));
    let is_exported = |name: &&String| names.is_none_or(|names| names.exports(name));
    module.exported = Some(items.keys().filter(is_exported).cloned().collect());
    // A name of the same module is defined before its aliases.
    let (aliases, others): (Vec<_>, Vec<_>) =
        items.iter().partition(|(_, item)| matches!(item, Item::Alias(_)));
    for (name, item) in others.into_iter().chain(aliases) {
        write_item(&mut module, name, item, "");
    }
    module
}

/// The names of a dialect, with the decorators as functions that open a scope. `home` defines the others.
fn scopes_module<'a>(
    registry: &Registry,
    shared: &'a Shared,
    path: &str,
    dialect: &str,
    home: &str,
) -> Module<'a> {
    let mut module = Module::new(shared, path);
    for (name, item) in namespace(registry, dialect) {
        if !matches!(item, Item::Decorator { .. }) {
            module.reexport(home, &name, &name);
            continue;
        }
        let any = module.typing("Any");
        let scope = module.annotation(&PyType::Scope { of: &PyType::ANY });
        let _ = writeln!(module.body, "\ndef {name}(*args: {any}, **options: {any}) -> {scope}: ...");
    }
    module
}

/// Adds a member of a Python module.
fn write_member(module: &mut Module<'_>, name: &str, provided: &Provided, shared: &Shared, plan: &Plan) {
    match provided {
        Provided::Function(function) => write_item(module, name, &Item::function(function), ""),
        Provided::Class(info, _) => {
            if let Some((from, _, class)) = shared.classes.find(info) {
                module.reexport(&from, &class, name);
            }
        }
        Provided::Value(value) => write_item(module, name, &Item::of(value, 0), ""),
        // A submodule.
        Provided::Namespace(_) | Provided::ScopeNamespace(_) => {}
        Provided::Own(dialect) => {
            if let Some(from) = plan.namespaces.get(dialect)
                && plan.has(dialect, name)
            {
                module.reexport(from, name, name);
            }
        }
    }
}

/// The module of scopes, and of types with names of their own.
fn types_module(shared: &Shared) -> Module<'_> {
    let mut module = Module::new(shared, &shared.types_module);
    let [any, type_var, generic, iterator] =
        ["Any", "TypeVar", "Generic", "Iterator"].map(|name| module.typing(name));
    let _ = write!(
        module.body,
        "\n_V = {type_var}(\"_V\", covariant=True)\n\nclass Scope({any}, {generic}[_V]):\n    \
         \"\"\"A scope of a script: what `with` enters, or a loop that `for` runs.\"\"\"\n    \
         def __enter__(self) -> _V: ...\n    \
         def __exit__(self, *args: {any}) -> None: ...\n    \
         def __iter__(self) -> {iterator}[_V]: ...\n    \
         def __getattr__(self, name: str) -> {any}: ...\n"
    );
    // Definitions may use further types.
    let mut next = 0;
    loop {
        let definition = shared.types.borrow().get_index(next).map(|(name, ty)| (name.clone(), *ty));
        let Some((name, ty)) = definition else { break };
        next += 1;
        let _ = match ty {
            None => writeln!(module.body, "\nclass {name}: ..."),
            Some(ty) => {
                let alias = module.typing("TypeAlias");
                let ty = module.annotation(ty);
                writeln!(module.body, "\n{name}: {alias} = {ty}")
            }
        };
    }
    module
}

/// The folder of a package.
fn folder(path: &str, layout: Layout) -> String {
    let (top, rest) = path.split_once('.').unwrap_or((path, ""));
    let suffix = match layout {
        Layout::Sources => "",
        Layout::StubPackages => "-stubs",
    };
    let mut folder = format!("{top}{suffix}");
    for part in rest.split('.').filter(|part| !part.is_empty()) {
        let _ = write!(folder, "/{part}");
    }
    folder
}

/// The files of the modules. Each module is a package: some tools find no other stubs.
fn files(modules: BTreeMap<String, Module<'_>>, layout: Layout) -> Vec<StubFile> {
    let mut out = Vec::with_capacity(modules.len() + 1);
    for (path, module) in modules {
        let folder = folder(&path, layout);
        if !path.contains('.') && layout == Layout::StubPackages {
            out.push(StubFile { path: format!("{folder}/py.typed"), text: "partial\n".to_owned() });
        }
        out.push(StubFile { path: format!("{folder}/__init__.pyi"), text: module.text() });
    }
    out
}
