//! Expressions of a program: nodes as docs of Python code around the builder.

use std::collections::HashMap;

use tvmscript_doc::{Expr, ExprDoc, Stmt, StmtDoc, UnaryOp};
use tvmscript_docsifier::names::{is_identifier, sanitize};
use tvmscript_docsifier::{Docsifier, DocsifyResult, PrinterConfig};
use tvmscript_ir::{GlobalVar, VDevice};
use tvmscript_ir_core::{
    Array, EqKind, FieldRef, Object, ObjectLike as _, Registry, Value, free_variables, pre_order_visit,
};
use tvmscript_irbuilder::ScriptValue;
use tvmscript_prim::{Let, PrimExpr, PrimExprExt as _};
use tvmscript_tir::{Buffer, IterVar};

/// Names of Python that programs use.
pub(super) const WORDS: [&str; 10] =
    ["float", "int", "slice", "range", "metadata", "cls", "print", "len", "list", "Ellipsis"];

/// The prefix of the functions that make numbers and strings.
const NUMBERS: &str = "T";

/// The ways in which nodes are printed.
pub(super) struct Configs {
    /// As an expression of the program.
    expr: PrinterConfig,
    /// With the definitions of variables, and the types of numbers.
    verbose: PrinterConfig,
    /// As in a script.
    script: PrinterConfig,
}

impl Configs {
    pub(super) fn new() -> Configs {
        let expr = PrinterConfig { host_code: true, ..PrinterConfig::default() };
        let verbose = PrinterConfig { verbose_expr: true, ..expr.clone() };
        Configs { expr, verbose, script: PrinterConfig::default() }
    }
}

/// The docs of a program, and the expressions in it for nodes with identity.
pub(super) struct Expressions<'r> {
    pub(super) d: Docsifier<'r>,
    pub(super) known: Known,
    configs: &'r Configs,
}

impl<'r> Expressions<'r> {
    pub(super) fn new(
        root: &Object,
        registry: &'r Registry,
        configs: &'r Configs,
    ) -> DocsifyResult<Expressions<'r>> {
        let d = Docsifier::new(registry, &configs.expr, root)?;
        Ok(Expressions { d, known: Known::default(), configs })
    }

    /// `a.b.c`
    pub(super) fn path(&mut self, path: &str) -> ExprDoc {
        let mut names = path.split('.');
        let first = self.d.docs.id(names.next().unwrap_or_default());
        names.fold(first, |doc, name| self.d.docs.attr(doc, name))
    }

    /// `a.b(args)`
    pub(super) fn call(&mut self, path: &str, args: &[ExprDoc]) -> ExprDoc {
        let callee = self.path(path);
        self.d.docs.call_args(callee, args)
    }

    /// A float of Python.
    pub(super) fn float(&mut self, value: f64) -> ExprDoc {
        let text = match value {
            _ if value.is_finite() => return self.d.docs.float(value),
            _ if value.is_nan() => "nan",
            _ if value < 0.0 => "-inf",
            _ => "inf",
        };
        let text = self.d.docs.str(text);
        self.call("float", &[text])
    }

    /// An expression. The nodes of `used` are known. Data tells the types of its numbers.
    ///
    /// # Errors
    /// If the node has no text.
    pub(super) fn node(&mut self, node: &Object, used: &[Object], is_data: bool) -> Result<ExprDoc, String> {
        if let Some(doc) = self.known.doc(node) {
            return Ok(doc);
        }
        let config = if is_data { &self.configs.verbose } else { &self.configs.expr };
        let stmts = self.printed(node, used, config)?;
        let [stmt] = stmts.as_slice() else {
            return Err(format!("a `{}` is not an expression", node.info().display_key()));
        };
        let Stmt::ExprStmt(doc) = self.d.docs.stmt(*stmt) else {
            return Err(format!("a `{}` is a statement", node.info().display_key()));
        };
        Ok(match node.downcast_ref::<PrimExpr>() {
            Some(expr) if is_data && self.is_number(doc) => {
                self.call(&format!("{NUMBERS}.{}", expr.dtype()), &[doc])
            }
            Some(_) if matches!(self.d.docs.expr(doc), Expr::Str(_)) => {
                self.call(&format!("{NUMBERS}.StringImm"), &[doc])
            }
            _ => doc,
        })
    }

    fn is_number(&self, doc: ExprDoc) -> bool {
        let is_literal = |doc| matches!(self.d.docs.expr(doc), Expr::Int(_) | Expr::Float(_) | Expr::Bool(_));
        match self.d.docs.expr(doc) {
            Expr::Unary { op: UnaryOp::USub, operand } => is_literal(operand),
            _ => is_literal(doc),
        }
    }

    /// The expression that makes a new variable or buffer: `T.int32()`.
    ///
    /// # Errors
    /// If the node has no definition.
    pub(super) fn definition(&mut self, node: &Object, used: &[Object]) -> Result<ExprDoc, String> {
        let stmts = self.printed(node, used, &self.configs.verbose)?;
        let made = stmts.iter().rev().find_map(|stmt| match self.d.docs.stmt(*stmt) {
            Stmt::Assign { rhs, .. } => rhs,
            _ => None,
        });
        if let Some(made) = made {
            return Ok(made);
        }
        // A variable of Relax that nothing binds is only declared.
        let declared = node.as_node::<tvmscript_relax::Var>();
        let Some((name, info)) =
            declared.and_then(|var| Some((var.vid.name_hint.text(), var.struct_info_.as_ref()?)))
        else {
            return Err(format!("a `{}` has no definition in host code", node.info().display_key()));
        };
        let args = [self.d.docs.str(name), self.node(info, used, false)?];
        Ok(self.call("relax.Var", &args))
    }

    fn printed(
        &mut self,
        node: &Object,
        used: &[Object],
        config: &'r PrinterConfig,
    ) -> Result<Vec<StmtDoc>, String> {
        let known: Vec<(Object, ExprDoc)> =
            used.iter().filter_map(|node| Some((node.clone(), self.known.doc(node)?))).collect();
        self.d.fragment(node, &known, config).map_err(|error| error.to_string())
    }

    /// The name of a variable or buffer in printed text.
    pub(super) fn name(&mut self, node: &Object) -> Option<String> {
        let stmts = self.d.fragment(node, &[], &self.configs.script).ok()?;
        let [stmt] = stmts.as_slice() else { return None };
        let Stmt::ExprStmt(doc) = self.d.docs.stmt(*stmt) else { return None };
        self.d.docs.name_of(doc).filter(|name| is_identifier(name)).map(str::to_owned)
    }

    /// Makes a node known under a variable, and the variables that are made with it. Returns the keys of all.
    pub(super) fn define(&mut self, node: &Object, variable: &str) -> Vec<usize> {
        let doc = self.d.docs.id(variable);
        self.known.insert(node, doc);
        let mut keys = vec![key(node)];
        if !node.is::<Buffer>() && !node.is::<IterVar>() {
            return keys;
        }
        for (index, field) in node.info().fields().iter().enumerate() {
            let FieldRef::Node(value) = node.field(index) else { continue };
            let is_new = |part: &Object, known: &Known| {
                part.info().eq_kind() == EqKind::FreeVar && !known.contains(part)
            };
            let mut add = |part: &Object, doc: ExprDoc, known: &mut Known| {
                known.insert(part, doc);
                keys.push(key(part));
            };
            let Some(items) = Array::<Value>::try_ref(value) else {
                if is_new(value, &self.known) {
                    let part = self.d.docs.attr(doc, field.name);
                    add(value, part, &mut self.known);
                }
                continue;
            };
            for (index, item) in items.values().iter().enumerate() {
                if let Some(item) = item.as_object().filter(|item| is_new(item, &self.known)) {
                    let list = self.d.docs.attr(doc, field.name);
                    let index = self.d.docs.int(index as i64);
                    let part = self.d.docs.index(list, &[index]);
                    add(item, part, &mut self.known);
                }
            }
        }
        keys
    }
}

/// The expressions for nodes with identity, by [`key`].
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<usize, ExprDoc>);

/// The address that stands for a node: a variable of Relax may be several nodes with the same identity.
fn key(node: &Object) -> usize {
    node.as_node::<tvmscript_relax::Var>().map_or(node.address(), |var| var.vid.object().address())
}

impl Known {
    pub(super) fn contains(&self, node: &Object) -> bool {
        self.0.contains_key(&key(node))
    }

    pub(super) fn doc(&self, node: &Object) -> Option<ExprDoc> {
        self.0.get(&key(node)).copied()
    }

    pub(super) fn insert(&mut self, node: &Object, doc: ExprDoc) {
        self.0.insert(key(node), doc);
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

/// An identifier for a name.
pub(super) fn identifier(name: &str) -> String {
    sanitize(name)
}

/// The name of the function of a module.
pub(super) fn global_name(node: &Object) -> Option<&str> {
    node.as_node::<GlobalVar>().map(|var| var.name_hint.as_str())
}

/// The nodes of a result: the value itself or its items.
pub(super) fn nodes_of(value: &ScriptValue) -> Vec<Object> {
    let of_items = |items: &[ScriptValue]| -> Vec<Object> {
        let node = |item: &ScriptValue| match item {
            ScriptValue::Node(node) => Some(node.clone()),
            _ => None,
        };
        let nodes: Option<Vec<Object>> = items.iter().map(node).collect();
        nodes.unwrap_or_default()
    };
    match value {
        ScriptValue::Node(node) => match Array::<Value>::try_ref(node) {
            Some(items) => {
                let nodes: Option<Vec<Object>> =
                    items.values().iter().map(|item| item.as_object().cloned()).collect();
                nodes.unwrap_or_default()
            }
            None => vec![node.clone()],
        },
        ScriptValue::Tuple(items) => of_items(items),
        ScriptValue::List(items) => of_items(&items.borrow()),
        _ => Vec::new(),
    }
}
