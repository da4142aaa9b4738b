//! Plugins and settings of Python's type checkers and linters, beside the stubs.
//!
//! The files are templates. They need one thing of a registry: the full names of the decorators of scripts.

use std::collections::BTreeMap;

use tvmscript_ir_core::Registry;
use tvmscript_script_parser::{DecoratorRule, Parsers, Provided};

use crate::package::{Layout, Plan, StubFile};

/// The files by name. A template in Python has one of the lines [`KINDS`] and [`FUNCTIONS`].
const FILES: [(&str, &str); 4] = [
    ("README.md", include_str!("../templates/tools/README.md")),
    ("ruff.toml", include_str!("../templates/tools/ruff.toml")),
    ("tvmscript_mypy.py", include_str!("../templates/tools/tvmscript_mypy.py")),
    ("tvmscript_pylint.py", include_str!("../templates/tools/tvmscript_pylint.py")),
];

/// The line of a template that becomes the decorators with their kinds.
const KINDS: &str = "DECORATORS: dict[str, str] = {}";

/// The line of a template that becomes the decorators of functions.
const FUNCTIONS: &str = "DECORATORS: set[str] = set()";

/// A plugin of mypy, a plugin of pylint and a setting of ruff for files with scripts, and a page that tells how to use them.
///
/// In the layout of stub packages, plugins are modules beside the packages, and the other files are in the package of stubs.
pub fn tools(registry: &Registry, layout: Layout) -> Vec<StubFile> {
    let decorators = decorators(registry);
    let functions = decorators.iter().filter(|(_, kind)| **kind == "function");
    let functions = filled(FUNCTIONS, functions.map(|(name, _)| format!("\"{name}\"")));
    let kinds = filled(KINDS, decorators.iter().map(|(name, kind)| format!("\"{name}\": \"{kind}\"")));
    let package = registry.release().syntax.python.package;
    let file = |(name, text): (&str, &str)| {
        let is_module = name.ends_with(".py");
        let path = match layout {
            Layout::StubPackages if !is_module && !package.is_empty() => format!("{package}-stubs/{name}"),
            Layout::Sources | Layout::StubPackages => name.to_owned(),
        };
        let text = text.replace(KINDS, &kinds).replace(FUNCTIONS, &functions);
        StubFile { path, text }
    };
    FILES.into_iter().map(file).collect()
}

/// The decorators of scripts by full name, with their kinds.
fn decorators(registry: &Registry) -> BTreeMap<String, &'static str> {
    let mut out = BTreeMap::new();
    let Some(parsers) = registry.slot::<Parsers>() else { return out };
    let kind = |rule: &DecoratorRule| match rule {
        DecoratorRule::Function { .. } | DecoratorRule::Described { .. } => "function",
        DecoratorRule::Macro { .. } => "macro",
        DecoratorRule::Class { .. } => "class",
    };
    let plan = Plan::new(registry, registry.release().syntax.python);
    for (path, dialect) in plan.homes.iter().filter(|(path, _)| !plan.scopes.contains(*path)) {
        for (name, rule) in parsers.decorators(dialect) {
            out.insert(format!("{path}.{name}"), kind(&rule));
        }
    }
    for path in parsers.python_modules() {
        for member in parsers.module_members(path) {
            let Provided::Own(dialect) = member.provided else { continue };
            let rules = parsers.decorators(dialect);
            if let Some((name, rule)) = rules.iter().find(|(name, _)| *name == member.name) {
                out.insert(format!("{path}.{name}"), kind(rule));
            }
        }
    }
    out
}

/// A line of a template, with entries in its empty collection.
fn filled(line: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: String = entries.map(|entry| format!("    {entry},\n")).collect();
    match line.split_once(" = ") {
        Some((name, _)) if !entries.is_empty() => format!("{name} = {{\n{entries}}}"),
        _ => line.to_owned(),
    }
}
