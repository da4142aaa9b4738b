//! Classes of nodes: one module for each first part of the type keys, with fields and operations.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use tvmscript_ir_core::type_table::FieldKind;
use tvmscript_ir_core::{Registry, TypeInfo};
use tvmscript_irbuilder::{ScriptFn, class_name};
use tvmscript_python_syntax::{is_identifier, is_keyword};
use tvmscript_script_parser::{Parsers, Provided};

use crate::function::{Header, write_docstring, write_function};
use crate::module::{Module, Shared};

/// Methods of classes whose nodes are operands.
const BINARY: &[&str] = &[
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "xor",
    "or",
];
const COMPARISONS: &[&str] = &["lt", "le", "gt", "ge"];
const UNARY: &[&str] = &["neg", "pos", "invert"];

/// The place of a class.
struct ClassName {
    group: String,
    name: String,
}

/// The classes of the nodes of a registry.
pub(crate) struct Classes {
    package: String,
    places: HashMap<usize, ClassName>,
    /// The types of each module, bases before derived ones.
    groups: BTreeMap<String, Vec<&'static TypeInfo>>,
    /// Functions that construct nodes, by type.
    constructors: HashMap<usize, &'static ScriptFn>,
}

fn ancestors(info: &'static TypeInfo) -> impl Iterator<Item = &'static TypeInfo> {
    std::iter::successors(Some(info), |info| info.parent())
}

/// The text with characters that no identifier has replaced.
fn identifier(text: &str) -> String {
    let out: String = text.chars().map(|c| if is_identifier(&format!("_{c}")) { c } else { '_' }).collect();
    match is_identifier(&out) && !is_keyword(&out) {
        true => out,
        false => format!("_{out}"),
    }
}

impl Classes {
    pub(crate) fn new(registry: &Registry, package: &str) -> Classes {
        let mut all: Vec<&'static TypeInfo> = registry.nodes().flat_map(ancestors).collect();
        all.sort_by_key(|info| (ancestors(info).count(), info.key()));
        all.dedup_by_key(|info| info.index());
        let mut places: HashMap<usize, ClassName> = HashMap::new();
        let mut groups: BTreeMap<String, Vec<&'static TypeInfo>> = BTreeMap::new();
        let mut taken: HashMap<(String, String), ()> = HashMap::new();
        for info in all {
            let (group, rest) = info.key().split_once('.').unwrap_or(("nodes", info.key()));
            let group = identifier(group);
            let short = identifier(class_name(info));
            // The rest of the key is unique in its module.
            let name = match taken.insert((group.clone(), short.clone()), ()) {
                None => short,
                Some(()) => identifier(&rest.replace('.', "_")),
            };
            places.insert(info.index(), ClassName { group: group.clone(), name });
            groups.entry(group).or_default().push(info);
        }
        let mut constructors = HashMap::new();
        if let Some(parsers) = registry.slot::<Parsers>() {
            for path in parsers.python_modules() {
                for member in parsers.module_members(path) {
                    if let Provided::Class(info, Some(constructor)) = member.provided {
                        constructors.entry(info.index()).or_insert(constructor);
                    }
                }
            }
        }
        Classes { package: package.to_owned(), places, groups, constructors }
    }

    /// The module of a class, the name under which other modules import that module, and the name of the class.
    pub(crate) fn find(&self, info: &TypeInfo) -> Option<(String, String, String)> {
        let ClassName { group, name } = self.places.get(&info.index())?;
        Some((format!("{}.{group}", self.package), format!("_{group}_nodes"), name.clone()))
    }

    /// The modules of the classes.
    pub(crate) fn modules<'a>(&self, registry: &Registry, shared: &'a Shared) -> Vec<Module<'a>> {
        let modules = self.groups.iter().map(|(group, classes)| {
            let mut module = Module::new(shared, &format!("{}.{group}", self.package));
            for info in classes {
                self.write(registry, &mut module, info);
            }
            module
        });
        modules.collect()
    }

    fn write(&self, registry: &Registry, module: &mut Module<'_>, info: &'static TypeInfo) {
        let Some(ClassName { name, .. }) = self.places.get(&info.index()) else { return };
        let base = info.parent().and_then(|parent| module.class(parent));
        let base = base.map_or_else(String::new, |base| format!("({base})"));
        let _ = writeln!(module.body, "\nclass {name}{base}:");
        write_docstring(&mut module.body, "    ", &format!("Nodes of the type `{}`.", info.key()));
        let inherited = |name: &str| {
            let parents = info.parent().into_iter().flat_map(ancestors);
            parents.flat_map(TypeInfo::fields).any(|field| field.name == name)
        };
        for field in info.fields().iter().filter(|field| !inherited(field.name)) {
            if !is_identifier(field.name) || is_keyword(field.name) {
                continue;
            }
            let ty = match field.kind {
                FieldKind::Bool => module.builtin("bool"),
                FieldKind::Int => module.builtin("int"),
                FieldKind::Float => module.builtin("float"),
                FieldKind::DType => module.builtin("str"),
                FieldKind::Span | FieldKind::Node | FieldKind::Any => module.typing("Any"),
            };
            let _ = writeln!(module.body, "    {}: {ty}", field.name);
        }
        if let Some(constructor) = self.constructors.get(&info.index()) {
            let header =
                Header { name: "__init__", receiver: Some("self"), returns: Some("None"), indent: "    " };
            write_function(module, &header, &constructor.declaration());
            for member in constructor.members {
                let header = Header { name: member.name, receiver: None, returns: None, indent: "    " };
                write_function(module, &header, &member.declaration());
            }
        }
        if let Some(parsers) = registry.slot::<Parsers>() {
            let rules = parsers.own_rules(info);
            let any = module.typing("Any");
            let mut method = |name: &str, params: &str, returns: &str| {
                let _ = writeln!(module.body, "    def __{name}__(self{params}) -> {returns}: ...");
            };
            if rules.operator.is_some() {
                let other = format!(", other: {any}");
                for name in BINARY {
                    method(name, &other, &any);
                    method(&format!("r{name}"), &other, &any);
                }
                COMPARISONS.iter().for_each(|name| method(name, &other, &any));
                UNARY.iter().for_each(|name| method(name, "", &any));
                // Declared as in the class `object`, whose rules bind subclasses.
                method("eq", ", other: object", &any);
                method("ne", ", other: object", &any);
                method("hash", "", "int");
            }
            if rules.subscript.is_some() {
                method("getitem", &format!(", index: {any}"), &any);
                method("setitem", &format!(", index: {any}, value: {any}"), "None");
            }
            if rules.call.is_some() {
                method("call", &format!(", *args: {any}, **kwargs: {any}"), &any);
            }
            if rules.number.is_some() {
                method("int", "", "int");
                method("float", "", "float");
                method("index", "", "int");
            }
            if rules.items.is_some() {
                method("iter", "", &any);
                method("len", "", "int");
            }
            // Attributes that are not fields are computed from the node.
            if rules.attribute.is_some() {
                method("getattr", ", name: str", &any);
            }
        }
    }
}
