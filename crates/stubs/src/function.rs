//! The text of functions, of classes that stand for their results, and of decorators.

use std::fmt::Write as _;

use tvmscript_irbuilder::{Declaration, Param, ParamKind, PyType};
use tvmscript_python_syntax::{is_identifier, is_keyword};
use tvmscript_script_parser::DecoratorRule;

use crate::item::{Item, Items};
use crate::module::Module;

/// Maximum length of a line before a signature is split into one line per parameter.
const LINE: usize = 100;

/// The parts of a definition that its declaration does not state.
pub(crate) struct Header<'a> {
    /// The name.
    pub(crate) name: &'a str,
    /// Name of the parameter before the others, of a method.
    pub(crate) receiver: Option<&'a str>,
    /// The result type, if it is not that of the declaration.
    pub(crate) returns: Option<&'a str>,
    /// Indentation.
    pub(crate) indent: &'a str,
}

/// Writes a docstring, if there is a text.
pub(crate) fn write_docstring(out: &mut String, indent: &str, doc: &str) {
    let doc = doc.trim().replace('\\', "\\\\").replace('"', "\\\"");
    if doc.is_empty() {
        return;
    }
    let mut lines = doc.lines();
    let _ = write!(out, "{indent}\"\"\"{}", lines.next().unwrap_or_default());
    let mut several = false;
    for line in lines {
        several = true;
        let line = line.trim_end();
        let _ = match line.is_empty() {
            true => writeln!(out),
            false => write!(out, "\n{indent}{line}"),
        };
    }
    let _ = match several {
        true => writeln!(out, "\n{indent}\"\"\""),
        false => writeln!(out, "\"\"\""),
    };
}

/// The parameters as Python writes them. `annotate` gives the text of a type.
pub(crate) fn parameters(params: &[Param], mut annotate: impl FnMut(&PyType) -> String) -> Vec<String> {
    let mut out = Vec::with_capacity(params.len());
    let (mut star, mut optional) = (false, false);
    for param in params {
        // A keyword of Python cannot be passed by name.
        let affix = if is_identifier(param.name) && !is_keyword(param.name) { "" } else { "_" };
        let name = format!("{}{affix}", param.name);
        match param.kind {
            ParamKind::Args => {
                star = true;
                let item = match param.py_type {
                    PyType::Generic { of: [item], .. } => annotate(item),
                    _ => annotate(&PyType::ANY),
                };
                out.push(format!("*{name}: {item}"));
            }
            ParamKind::Kwargs => out.push(format!("**{name}: {}", annotate(&param.py_type))),
            ParamKind::Plain | ParamKind::KeywordOnly => {
                if param.kind == ParamKind::KeywordOnly && !star {
                    out.push("*".to_owned());
                    star = true;
                }
                let mut ty = annotate(&param.py_type);
                if param.default == Some("None") && !ty.ends_with("None") && !ty.ends_with("Any") {
                    ty.push_str(" | None");
                }
                optional |= param.kind == ParamKind::Plain && param.default.is_some();
                // Behind an optional parameter all positional ones need a default in Python's syntax.
                let default = param.default.or((optional && param.kind == ParamKind::Plain).then_some("..."));
                let default = default.map_or_else(String::new, |default| format!(" = {default}"));
                out.push(format!("{name}: {ty}{default}"));
            }
        }
    }
    out
}

/// Writes `def name(..) -> ..:` with its documentation, and an overload for each other form of its calls.
pub(crate) fn write_function(module: &mut Module<'_>, header: &Header<'_>, declaration: &Declaration) {
    let forms = declaration.other_forms();
    let is_static = header.receiver.is_none() && !header.indent.is_empty();
    let mut decorators: Vec<String> = Vec::new();
    if !forms.is_empty() {
        decorators.push(module.typing("overload"));
    }
    if is_static {
        decorators.push("staticmethod".to_owned());
    }
    for params in std::iter::once(&*declaration.params).chain(forms.iter().map(Vec::as_slice)) {
        for decorator in &decorators {
            let _ = writeln!(module.body, "{}@{decorator}", header.indent);
        }
        write_form(module, header, declaration, params);
    }
}

fn write_form(module: &mut Module<'_>, header: &Header<'_>, declaration: &Declaration, params: &[Param]) {
    let Header { name, receiver, returns, indent } = *header;
    let declared = params;
    let mut params: Vec<String> = receiver.map(str::to_owned).into_iter().collect();
    params.extend(parameters(declared, |ty| module.annotation(ty)));
    let returns = match returns {
        Some(returns) => returns.to_owned(),
        None => module.annotation(&declaration.returns),
    };
    let line = format!("{indent}def {name}({}) -> {returns}:", params.join(", "));
    if line.len() <= LINE {
        let _ = writeln!(module.body, "{line}");
    } else {
        let _ = writeln!(module.body, "{indent}def {name}(");
        for param in params {
            let _ = writeln!(module.body, "{indent}    {param},");
        }
        let _ = writeln!(module.body, "{indent}) -> {returns}:");
    }
    let inner = format!("{indent}    ");
    write_docstring(&mut module.body, &inner, declaration.doc);
    let _ = writeln!(module.body, "{inner}...");
}

/// Writes the class of a function that stands for the type of its results, or that has members.
fn write_class(
    module: &mut Module<'_>,
    name: &str,
    declaration: &Declaration,
    members: &Items,
    indent: &str,
) {
    let base = match declaration.returns {
        PyType::Node(info) => module.class(info()),
        PyType::Class(info) => module.class(info),
        PyType::Opaque(_) => Some(module.annotation(&declaration.returns)),
        _ => None,
    };
    let base = base.unwrap_or_else(|| module.typing("Any"));
    let _ = writeln!(module.body, "{indent}class {name}({base}):");
    let inner = format!("{indent}    ");
    write_docstring(&mut module.body, &inner, declaration.doc);
    let header = Header { name: "__init__", receiver: Some("self"), returns: Some("None"), indent: &inner };
    write_function(module, &header, &Declaration { doc: "", ..declaration.clone() });
    for (name, member) in members {
        write_item(module, name, member, &inner);
    }
}

/// Makes a decorator a member of the module.
fn write_decorator(module: &mut Module<'_>, name: &str, rule: DecoratorRule, is_called: bool) {
    match rule {
        DecoratorRule::Function { .. } if is_called => module.decorator("called_function", name),
        DecoratorRule::Function { .. } | DecoratorRule::Described { .. } => {
            module.decorator("function", name);
        }
        DecoratorRule::Macro { .. } => module.decorator("macro", name),
        DecoratorRule::Class { .. } => {
            let any = module.typing("Any");
            let _ = writeln!(module.body, "\ndef {name}(*args: {any}, **options: {any}) -> {any}: ...");
        }
    }
}

/// Writes the definition of a name.
pub(crate) fn write_item(module: &mut Module<'_>, name: &str, item: &Item, indent: &str) {
    let is_inner = !indent.is_empty();
    if let Item::Decorator { rule, is_called, .. } = item {
        return write_decorator(module, name, *rule, *is_called);
    }
    if !is_inner {
        module.body.push('\n');
    }
    let any = module.typing("Any");
    match item {
        Item::Function { declaration, members } if declaration.is_annotation || !members.is_empty() => {
            write_class(module, name, declaration, members, indent);
        }
        Item::Function { declaration, .. } => {
            write_function(module, &Header { name, receiver: None, returns: None, indent }, declaration);
        }
        Item::Alias(of) => {
            let _ = writeln!(module.body, "{indent}{name} = {of}");
        }
        Item::Decorator { .. } => {}
        Item::Callable => {
            if is_inner {
                let _ = writeln!(module.body, "{indent}@staticmethod");
            }
            let _ = writeln!(module.body, "{indent}def {name}(*args: {any}, **kwargs: {any}) -> {any}: ...");
        }
        Item::Namespace(items) => write_namespace(module, name, items, indent),
        Item::Class(items) => {
            write_namespace(module, name, items, indent);
            let _ = write!(
                module.body,
                "{indent}    def __init__(self, *args: {any}, **kwargs: {any}) -> None: ...\n\
                 {indent}    def __enter__(self) -> {any}: ...\n\
                 {indent}    def __exit__(self, *args: {any}) -> None: ...\n\
                 {indent}    def __getattr__(self, name: str) -> {any}: ...\n"
            );
        }
        Item::Object => {
            let _ = write!(
                module.body,
                "{indent}class {name}({any}):\n\
                 {indent}    def __class_getitem__(cls, index: {any}) -> {any}: ...\n"
            );
        }
        Item::Value => {
            let alias = module.typing("TypeAlias");
            let _ = writeln!(module.body, "{indent}{name}: {alias} = {any}");
        }
    }
}

fn write_namespace(module: &mut Module<'_>, name: &str, items: &Items, indent: &str) {
    let _ = writeln!(module.body, "{indent}class {name}:");
    let inner = format!("{indent}    ");
    if items.is_empty() {
        let _ = writeln!(module.body, "{inner}...");
    }
    for (name, item) in items {
        write_item(module, name, item, &inner);
    }
}
