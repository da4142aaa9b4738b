//! Expressions of a program: nodes as Python code around the builder.

use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_docsifier::names::{is_identifier, sanitize};
use tvmscript_docsifier::{PrinterConfig, print, print_known};
use tvmscript_ir::{GlobalVar, VDevice};
use tvmscript_ir_core::{
    Array, EqKind, FieldRef, Object, ObjectLike as _, Registry, Value, free_variables, pre_order_visit,
};
use tvmscript_prim::{Let, PrimExpr, PrimExprExt as _};
use tvmscript_tir::{Buffer, IterVar};

/// Names of Python that programs use.
pub(super) const WORDS: [&str; 8] = ["float", "slice", "range", "metadata", "cls", "print", "len", "list"];

/// The Python expressions for nodes with identity, by [`key`].
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<usize, Rc<str>>);

/// The address that stands for a node: a variable of Relax may be several nodes with the same identity.
fn key(node: &Object) -> usize {
    node.as_node::<tvmscript_relax::Var>().map_or(node.address(), |var| var.vid.object().address())
}

impl Known {
    pub(super) fn contains(&self, node: &Object) -> bool {
        self.0.contains_key(&key(node))
    }

    pub(super) fn text(&self, node: &Object) -> Option<Rc<str>> {
        self.0.get(&key(node)).cloned()
    }

    pub(super) fn insert(&mut self, node: &Object, text: Rc<str>) {
        self.0.insert(key(node), text);
    }

    /// Makes a node known, and the variables that are made with it. Returns the keys of all.
    pub(super) fn define(&mut self, node: &Object, variable: &str) -> Vec<usize> {
        self.insert(node, variable.into());
        let mut keys = vec![key(node)];
        if !node.is::<Buffer>() && !node.is::<IterVar>() {
            return keys;
        }
        let mut part = |part: &Object, text: String| {
            if part.info().eq_kind() == EqKind::FreeVar && !self.contains(part) {
                self.insert(part, text.into());
                keys.push(key(part));
            }
        };
        for (index, field) in node.info().fields().iter().enumerate() {
            let FieldRef::Node(value) = node.field(index) else { continue };
            let path = format!("{variable}.{}", field.name);
            match Array::<Value>::try_ref(value) {
                Some(items) => {
                    for (index, item) in items.values().iter().enumerate() {
                        if let Some(item) = item.as_object() {
                            part(item, format!("{path}[{index}]"));
                        }
                    }
                }
                None => part(value, path),
            }
        }
        keys
    }
}

/// Tests whether each node of this kind is another one, even if all its fields are the same.
pub(super) fn has_identity(node: &Object) -> bool {
    node.info().eq_kind() == EqKind::FreeVar
        || node.is::<Buffer>()
        || node.is::<IterVar>()
        || node.is::<tvmscript_relax::Var>()
        || node.is::<VDevice>()
}

/// The variables and other nodes with identity in an expression.
#[derive(Debug, Default)]
pub(super) struct NamedNodes {
    /// Those that a program can name.
    pub(super) known: Vec<Object>,
    /// Those that it has to define first, in this order.
    pub(super) missing: Vec<Object>,
}

/// The keys of nodes.
pub(super) fn keys(nodes: &[Object]) -> impl Iterator<Item = usize> {
    nodes.iter().map(key)
}

/// Finds the nodes with identity in an expression.
pub(super) fn parts_of(root: &Object, known: &Known) -> NamedNodes {
    parts(root, known, false)
}

/// Finds the nodes with identity below a node with identity.
pub(super) fn parts_below(root: &Object, known: &Known) -> NamedNodes {
    parts(root, known, true)
}

fn parts(root: &Object, known: &Known, below: bool) -> NamedNodes {
    let mut parts = NamedNodes::default();
    let mut bound_here = Vec::new();
    pre_order_visit(root, |node| {
        if below && node.ptr_eq(root) {
            return true;
        }
        if known.contains(node) {
            parts.known.push(node.clone());
            return false;
        }
        if let Some(binding) = node.as_node::<Let>() {
            bound_here.push(binding.var.object().address());
        }
        if has_identity(node) {
            parts.missing.push(node.clone());
        }
        // The parts of a variable of Relax have no names of their own.
        !node.is::<tvmscript_relax::Var>()
    });
    if !parts.missing.is_empty() {
        let free: Vec<usize> = free_variables(root).iter().map(Object::address).collect();
        // A parameter of a lambda expression is defined there, that of a `Let` is a variable of the program.
        parts.missing.retain(|node| {
            node.info().eq_kind() != EqKind::FreeVar
                || free.contains(&node.address())
                || bound_here.contains(&node.address())
        });
        // Inner parts before those that contain them.
        parts.missing.reverse();
    }
    parts
}

/// The text of an expression. The nodes of `used` are known.
///
/// # Errors
/// If the node has no text.
pub(super) fn text(
    node: &Object,
    used: &[Object],
    known: &Known,
    registry: &Registry,
    is_data: bool,
) -> Result<String, String> {
    if let Some(text) = known.text(node) {
        return Ok(text.to_string());
    }
    // Data tells the types of its numbers.
    let config = PrinterConfig { verbose_expr: is_data, ..PrinterConfig::default() };
    let text = printed(node, used, known, registry, &config)?;
    if text.contains('\n') {
        return Err(format!("a `{}` is not an expression", node.info().display_key()));
    }
    let is_number =
        text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || text == "True" || text == "False";
    match node.downcast_ref::<PrimExpr>() {
        Some(expr) if is_data && is_number => Ok(format!("T.{}({text})", expr.dtype())),
        Some(_) if text.starts_with('"') => Ok(format!("T.StringImm({text})")),
        _ => Ok(text),
    }
}

/// The text that makes a new variable or buffer: `T.int32()`.
///
/// # Errors
/// If the node has no text.
pub(super) fn definition(
    node: &Object,
    used: &[Object],
    known: &Known,
    registry: &Registry,
) -> Result<String, String> {
    let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() };
    let text = printed(node, used, known, registry, &config)?;
    let made = text.lines().filter_map(|line| line.split_once(" = ")).next_back();
    match made {
        Some((_, made)) => Ok(made.to_owned()),
        None => Err(format!("a `{}` has no definition in host code", node.info().display_key())),
    }
}

fn printed(
    node: &Object,
    used: &[Object],
    known: &Known,
    registry: &Registry,
    config: &PrinterConfig,
) -> Result<String, String> {
    let config = PrinterConfig { host_code: true, ..config.clone() };
    let known: Vec<(Object, Rc<str>)> =
        used.iter().filter_map(|node| Some((node.clone(), known.text(node)?))).collect();
    let printed = print_known(node, &known, registry, &config).map_err(|error| error.to_string())?;
    match printed.omits_metadata {
        true => Err(format!("a `{}` has no text but the metadata section", node.info().display_key())),
        false => Ok(printed.text),
    }
}

/// The name of a variable or buffer in printed text.
pub(super) fn name(node: &Object, registry: &Registry) -> Option<String> {
    print(node, registry, &PrinterConfig::default()).ok().filter(|text| is_identifier(text))
}

/// An identifier for a name.
pub(super) fn identifier(name: &str) -> String {
    sanitize(name)
}

/// The name of the function of a module.
pub(super) fn global_name(node: &Object) -> Option<&str> {
    node.as_node::<GlobalVar>().map(|var| var.name_hint.as_str())
}

/// A string of Python.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A float of Python.
pub(super) fn float(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:?}"),
        false if value.is_nan() => "float(\"nan\")".to_owned(),
        false if value < 0.0 => "float(\"-inf\")".to_owned(),
        false => "float(\"inf\")".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{float, string};

    #[test]
    fn literals_are_those_of_python() {
        assert_eq!(string("a\"\\\n\u{1}é"), "\"a\\\"\\\\\\n\\x01é\"");
        assert_eq!([1.0, 1e300, f64::NEG_INFINITY].map(float), ["1.0", "1e300", "float(\"-inf\")"]);
    }
}
