//! The names of a namespace, as a tree.

use std::collections::BTreeMap;

use tvmscript_ir_core::Registry;
use tvmscript_irbuilder::{Declaration, Namespaces, ScriptFn, ScriptValue};
use tvmscript_python_syntax::{is_identifier, is_keyword};
use tvmscript_script_parser::{DecoratorRule, Parsers};

/// Maximum nesting of namespaces; objects of a dialect may give out themselves as attributes.
const MAX_DEPTH: usize = 8;

/// A name that scripts can use.
pub(crate) enum Item {
    /// A function, with the functions that are its attributes.
    Function { declaration: Declaration, members: Items },
    /// Another name of a function in the same namespace.
    Alias(&'static str),
    /// A decorator, with the function that it is outside of decorators, if there is one. `is_called`: most texts call it.
    Decorator { rule: DecoratorRule, is_called: bool, function: Option<Declaration> },
    /// A class of the library, with its functions.
    Class(Items),
    /// Something to call whose parameters are not declared.
    Callable,
    /// A namespace.
    Namespace(Items),
    /// An object without declared attributes, such as one that scripts subscript.
    Object,
    /// Any other value.
    Value,
}

/// Names in alphabetical order.
pub(crate) type Items = BTreeMap<String, Item>;

impl Item {
    pub(crate) fn function(function: &'static ScriptFn) -> Item {
        let members = function.members.iter();
        let members = members.map(|member| (member.name.to_owned(), Item::function(member))).collect();
        Item::Function { declaration: function.declaration(), members }
    }

    /// The item that a value stands for.
    pub(crate) fn of(value: &ScriptValue, depth: usize) -> Item {
        let host = match value {
            ScriptValue::Function(function) => return Item::function(function),
            ScriptValue::Host(host) => host,
            _ => return Item::Value,
        };
        let declaration = host.declaration();
        let is_class = host.is_class_of(&ScriptValue::None).is_some();
        if declaration.is_none() && host.is_callable() && !is_class {
            return Item::Callable;
        }
        let names = if depth < MAX_DEPTH { host.attribute_names() } else { Vec::new() };
        let mut items = Items::new();
        for name in &names {
            if let Some(value) = host.attribute(name) {
                insert(&mut items, name, Item::of(&value, depth + 1));
            }
        }
        match declaration {
            Some(declaration) => Item::Function { declaration, members: items },
            None if is_class && depth < MAX_DEPTH => Item::Class(items),
            None if names.is_empty() => Item::Object,
            None => Item::Namespace(items),
        }
    }
}

/// Adds an item under a name with dots. Names that Python code cannot write are left out.
fn insert(items: &mut Items, name: &str, item: Item) {
    let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    if !is_identifier(first) || is_keyword(first) {
        return;
    }
    match rest {
        Some(rest) => {
            let inner = items.entry(first.to_owned()).or_insert_with(|| Item::Namespace(Items::new()));
            if let Item::Namespace(inner) = inner {
                insert(inner, rest, item);
            }
        }
        None => {
            items.entry(first.to_owned()).or_insert(item);
        }
    }
}

/// The names of a dialect's namespace, in the order in which a script looks them up.
pub(crate) fn namespace(registry: &Registry, dialect: &str) -> Items {
    let names = registry.slot::<Namespaces>().and_then(|all| all.dialect(dialect));
    let mut items = Items::new();
    if let Some(parsers) = registry.slot::<Parsers>() {
        for (name, rule) in parsers.decorators(dialect) {
            let function = match names.and_then(|names| names.get(name)) {
                Some(ScriptValue::Function(function)) => Some(function.declaration()),
                _ => None,
            };
            let is_called = registry.release().syntax.called_decorators.contains(&(dialect, name));
            insert(&mut items, name, Item::Decorator { rule, is_called, function });
        }
        for name in parsers.parser_functions(dialect) {
            insert(&mut items, name, Item::Callable);
        }
    }
    let Some(names) = names else { return items };
    for name in names.all() {
        let item = match names.get(name) {
            Some(ScriptValue::Function(function)) if function.name != name && !name.contains('.') => {
                let is_alias = matches!(names.get(function.name),
                    Some(ScriptValue::Function(other)) if std::ptr::eq(other, function));
                match is_alias && !function.name.contains('.') {
                    true => Item::Alias(function.name),
                    false => Item::function(function),
                }
            }
            Some(value) => Item::of(&value, 0),
            None => continue,
        };
        insert(&mut items, name, item);
    }
    items
}

/// Dialects with names for scripts, in the order of registration.
pub(crate) fn dialects(registry: &Registry) -> Vec<&'static str> {
    let all = registry.dialects().iter().copied();
    all.filter(|dialect| !namespace(registry, dialect).is_empty()).collect()
}
