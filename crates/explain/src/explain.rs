//! The builder calls that a parse made, as text: [`builder_calls`] for reading, [`builder_program`] as a program.
//!
//! A parse with [`ParseOptions::record_steps`](tvmscript_script_parser::ParseOptions) records its steps; [`builder_calls`] shows each as a
//! line of the Python program that makes the same calls:
//!
//! ```
//! use tvmscript::explain::builder_calls;
//! use tvmscript::{ParseOptions, parse, registry};
//!
//! let text = r#"
//! @T.prim_func
//! def f(A: T.Buffer((4,), "float32")):
//!     for i in T.serial(4):
//!         A[i] = T.float32(1)
//! "#;
//! let mut options = ParseOptions::default();
//! options.record_steps = true;
//! let parsed = parse("f.py", text, registry(), &options);
//! let lines: Vec<String> = builder_calls(&parsed.steps, registry())
//!     .iter()
//!     .map(|call| format!("{:1$}{2}", "", call.depth * 4, call.text))
//!     .collect();
//! assert_eq!(lines, [
//!     "with T.prim_func():",
//!     "    T.func_name(\"f\")",
//!     "    A = T.arg(\"A\", T.Buffer((4,), \"float32\"))",
//!     "    with T.serial(4) as i:",
//!     "        T.buffer_store(A, T.float32(1.0), [i])",
//! ]);
//! ```

mod emit;
mod expression;
mod program;
mod writer;

use std::collections::{HashMap, HashSet};

use tvmscript_docsifier::{PrinterConfig, PrinterTable, Printers, print};
use tvmscript_ir_core::{Array, Object, ObjectLike as _, Registry, Span, Value};
use tvmscript_irbuilder::record::{Action, Callee, Step};
use tvmscript_irbuilder::{CallArgs, Namespaces, ScriptFn, ScriptValue};
use tvmscript_python_syntax::is_identifier;

pub use emit::{EmitError, Target, emit};
pub use program::{Program, Wanted, builder_program};

/// A call of the builder.
#[derive(Debug, Clone)]
pub struct BuilderCall {
    /// Number of scopes around it.
    pub depth: usize,
    /// The statement that makes it.
    pub text: String,
    /// The code that made it; in a helper, with the call of the helper.
    pub span: Span,
}

/// Maximum number of characters of one argument.
const MAX_ARGUMENT_CHARS: usize = 120;

/// Maximum number of elements shown of a container, and of its nesting.
const MAX_ITEMS: usize = 32;
const MAX_DEPTH: usize = 4;

/// The calls of recorded steps, in order: those that open a scope, add a statement, or make something that gets a name.
/// Calls that only compute expressions are part of the arguments of others.
pub fn builder_calls(steps: &[Step], registry: &Registry) -> Vec<BuilderCall> {
    let mut writer = Writer {
        names: qualified_names(registry),
        registry,
        lines: Vec::new(),
        depth: 0,
        made: HashMap::new(),
        named: HashSet::new(),
    };
    let mut scopes = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let rest = steps.get(index + 1..).unwrap_or_default();
        match &step.action {
            // Variables that a scope defines when it closes.
            Action::Call { callee: Callee::Syntax(name), .. } if name.starts_with('.') => {}
            Action::Call { callee, args, result } => {
                let call = writer.call(*callee, args);
                match result {
                    ScriptValue::Node(node)
                        if matches!(callee, Callee::Script(_)) && Array::<Value>::try_ref(node).is_none() =>
                    {
                        writer.made.insert(node.address(), (call, step.span));
                    }
                    ScriptValue::Frame(frame) => {
                        scopes.insert(std::rc::Rc::as_ptr(frame).cast::<()>() as usize, call);
                    }
                    ScriptValue::None => writer.line(call, step.span),
                    result => {
                        let names = names_of(result, rest);
                        if !names.is_empty() {
                            writer.line(format!("{} = {call}", names.join(", ")), step.span);
                        } else if matches!(callee, Callee::Syntax(_)) {
                            writer.line(call, step.span);
                        }
                    }
                }
            }
            Action::Enter { name, scope, args, value } => {
                let call = scopes.remove(scope).unwrap_or_else(|| {
                    let args: Vec<String> = args.positional.iter().map(|arg| writer.value(arg, 0)).collect();
                    format!("{name}({})", args.join(", "))
                });
                let bound = writer.bound(value, rest);
                writer.line(format!("with {call}{bound}:"), step.span);
                writer.depth += 1;
            }
            Action::Open | Action::Close { .. } | Action::KeepOpen => {}
            Action::Leave => writer.depth = writer.depth.saturating_sub(1),
            Action::Name { name, value } => writer.name(name, value),
        }
    }
    writer.lines
}

/// Number of steps behind a value in which its name is searched.
const NAMING_STEPS: usize = 64;

/// The name that a value gets next.
fn name_of<'s>(value: &ScriptValue, rest: &'s [Step]) -> Option<&'s str> {
    let ScriptValue::Node(node) = value else { return None };
    rest.iter().take(NAMING_STEPS).find_map(|step| match &step.action {
        Action::Name { name, value: ScriptValue::Node(named) } if named.ptr_eq(node) => Some(name.as_str()),
        _ => None,
    })
}

/// The names that a value or its items get next.
fn names_of<'s>(value: &ScriptValue, rest: &'s [Step]) -> Vec<&'s str> {
    match value {
        ScriptValue::Tuple(items) => items.iter().filter_map(|item| name_of(item, rest)).collect(),
        ScriptValue::List(items) => items.borrow().iter().filter_map(|item| name_of(item, rest)).collect(),
        ScriptValue::Node(node) => match Array::<Value>::try_ref(node) {
            Some(items) => items
                .values()
                .iter()
                .filter_map(|item| name_of(&ScriptValue::Node(item.as_object()?.clone()), rest))
                .collect(),
            None => name_of(value, rest).into_iter().collect(),
        },
        _ => Vec::new(),
    }
}

/// The names of functions with the prefixes of their dialects.
fn qualified_names(registry: &Registry) -> HashMap<*const ScriptFn, String> {
    let Some(namespaces) = registry.slot::<Namespaces>() else { return HashMap::new() };
    let mut names = HashMap::new();
    let table = registry.slot::<Printers>().map(Printers::table);
    for (dialect, prefix) in table.into_iter().flat_map(PrinterTable::prefixes) {
        let Some(functions) = namespaces.dialect(dialect) else { continue };
        for function in functions.functions() {
            names.insert(std::ptr::from_ref(function), format!("{prefix}.{}", function.name));
        }
    }
    names
}

struct Writer<'r> {
    names: HashMap<*const ScriptFn, String>,
    registry: &'r Registry,
    lines: Vec<BuilderCall>,
    depth: usize,
    /// The calls that made nodes which have no name yet.
    made: HashMap<usize, (String, Span)>,
    /// The nodes that have names.
    named: HashSet<usize>,
}

impl Writer<'_> {
    fn line(&mut self, text: String, span: Span) {
        self.lines.push(BuilderCall { depth: self.depth, text, span });
    }

    /// Shows the call that made a value when the value gets its name.
    fn name(&mut self, name: &str, value: &ScriptValue) {
        let ScriptValue::Node(node) = value else { return };
        self.named.insert(node.address());
        if let Some((call, span)) = self.made.remove(&node.address()) {
            self.line(format!("{name} = {call}"), span);
        }
    }

    fn call(&mut self, callee: Callee, args: &CallArgs) -> String {
        let name = match callee {
            Callee::Syntax(name) => name,
            Callee::Script(function) => {
                self.names.get(&std::ptr::from_ref(function)).map_or(function.name, String::as_str)
            }
        };
        let mut positional = Vec::with_capacity(args.positional.len());
        for arg in &args.positional {
            let text = self.value(arg, 0);
            // A variable that has no name yet is shown by the call that made it.
            let made = match arg {
                ScriptValue::Node(node) if is_identifier(&text) => self.made.remove(&node.address()),
                _ => None,
            };
            positional.push(match (made, arg) {
                (Some((call, _)), _) => call,
                (None, ScriptValue::Node(node))
                    if is_identifier(&text) && !self.named.contains(&node.address()) =>
                {
                    self.definition(node).unwrap_or(text)
                }
                _ => text,
            });
        }
        let keywords = args.keywords.iter().map(|(key, arg)| format!("{key}={}", self.value(arg, 0)));
        let args: Vec<String> = positional.into_iter().chain(keywords).collect();
        format!("{name}({})", args.join(", "))
    }

    /// ` as NAME` for a scope whose value gets a name.
    fn bound(&self, value: &ScriptValue, rest: &[Step]) -> String {
        match names_of(value, rest).as_slice() {
            [] => String::new(),
            [name] => format!(" as {name}"),
            names => format!(" as ({})", names.join(", ")),
        }
    }

    fn value(&self, value: &ScriptValue, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return "...".to_owned();
        }
        let list = |items: &[ScriptValue]| {
            let mut texts: Vec<String> =
                items.iter().take(MAX_ITEMS).map(|item| self.value(item, depth + 1)).collect();
            if items.len() > MAX_ITEMS {
                texts.push("...".to_owned());
            }
            texts.join(", ")
        };
        let text = match value {
            ScriptValue::None => "None".to_owned(),
            ScriptValue::Bool(true) => "True".to_owned(),
            ScriptValue::Bool(false) => "False".to_owned(),
            ScriptValue::Int(number) => number.to_string(),
            ScriptValue::BigInt(number) => number.to_string(),
            ScriptValue::Float(number) => format!("{number:?}"),
            ScriptValue::Str(text) => format!("{:?}", text.as_str()),
            ScriptValue::DType(dtype) => format!("\"{dtype}\""),
            ScriptValue::Node(node) => self.node(node),
            ScriptValue::Tuple(items) if items.len() == 1 => format!("({},)", list(items)),
            ScriptValue::Tuple(items) => format!("({})", list(items)),
            ScriptValue::List(items) => format!("[{}]", list(&items.borrow())),
            ScriptValue::Dict(dict) => {
                let dict = dict.borrow();
                let entries = dict.iter().take(MAX_ITEMS);
                let texts: Vec<String> = entries
                    .map(|(key, value)| {
                        format!("{}: {}", self.value(&key.0, depth + 1), self.value(value, depth + 1))
                    })
                    .collect();
                format!("{{{}}}", texts.join(", "))
            }
            ScriptValue::Ellipsis => "...".to_owned(),
            ScriptValue::Slice(slice) => {
                let part = |value: &ScriptValue| match value {
                    ScriptValue::None => String::new(),
                    value => self.value(value, depth + 1),
                };
                format!("{}:{}", part(&slice.start), part(&slice.stop))
            }
            other => other.type_name(),
        };
        match text.char_indices().nth(MAX_ARGUMENT_CHARS) {
            Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }

    /// The text that makes a variable: `T.int32()`.
    fn definition(&self, node: &Object) -> Option<String> {
        let options = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() };
        let text = print(node, self.registry, &options).ok()?;
        let (_, made) = text.lines().next()?.split_once(" = ")?;
        Some(made.to_owned())
    }

    /// The text of a node: its name if it has one, else the last line of its fragment.
    fn node(&self, node: &Object) -> String {
        match print(node, self.registry, &PrinterConfig::default()) {
            Ok(text) => text.lines().last().unwrap_or_default().to_owned(),
            Err(_) => node.info().display_key().to_owned(),
        }
    }
}
