//! The lines of a program, from the steps of a parse.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, EqKind, Object, ObjectLike as _, Registry, Span, Value};
use tvmscript_irbuilder::record::{Action, Callee, Step};
use tvmscript_irbuilder::{CallArgs, ScriptFn, ScriptValue};
use tvmscript_python_syntax::is_identifier;
use tvmscript_relax::FuncStructInfo;

use super::expression::{self, Known, has_identity};
use super::program::{BUILD, BUILDER, EXIT_STACK, Program, Wanted, imports};
use super::{BuilderCall, qualified_names};
use crate::names::Names;

/// Maximum number of bytes of a program.
const MAX_BYTES: usize = 64 << 20;

/// Maximum nesting of containers in an argument.
const MAX_DEPTH: usize = 64;

/// Names that are not given, since the builder gives them to values without a name.
const DEFAULT_NAMES: [&str; 2] = ["v", "buffer"];

/// The loop that a script writes as `range`, and its name in host code, where the step is a keyword.
const RANGE: &str = "T.range";
const HOST_RANGE: &str = "T.serial";

fn host_name(name: &str) -> &str {
    if name == RANGE { HOST_RANGE } else { name }
}

/// A data type that is stored as it is.
const DATA_TYPE: &str = "tvm.DataType";

/// Lines that stand or fall together: those of an outermost builder, or of a call outside of all builders.
#[derive(Default)]
struct Section {
    lines: Vec<BuilderCall>,
    /// Nodes that the lines give a Python variable.
    defines: Vec<usize>,
    /// Nodes that the lines use.
    uses: HashSet<usize>,
    /// Reason for which the calls have no text.
    error: Option<String>,
}

/// An open builder.
struct OpenBuilder {
    /// Its variable.
    name: String,
    /// Number of lines before it.
    start: usize,
}

/// The body of an open scope.
struct Body {
    /// Number of lines up to its header.
    start: usize,
    /// The variable of the manager that closes inner scopes with it.
    manager: Option<String>,
    /// `true` if it has no lines of its own: a manager closes it.
    is_kept: bool,
}

pub(super) struct Writer<'s> {
    steps: &'s [Step],
    scripts: &'s [Wanted<'s>],
    registry: &'s Registry,
    functions: HashMap<*const ScriptFn, String>,
    names: Names,
    /// The Python expressions for nodes with identity.
    known: Known,
    /// Variables of functions of modules, by the name of the function.
    globals: HashMap<String, Object>,
    /// Calls that made scopes which are not entered yet.
    scopes: HashMap<usize, String>,
    /// Calls that made the value of the next call's argument.
    inline: HashMap<usize, String>,
    done: Vec<Section>,
    section: Section,
    builders: Vec<OpenBuilder>,
    /// The open scopes.
    bodies: Vec<Body>,
    /// That of the scope that was left last.
    left: Option<usize>,
    depth: usize,
    bytes: usize,
    /// `true` in the values of a dictionary, which are stored as they are.
    is_data: bool,
    /// The prefixes of dialects.
    prefixes: HashSet<String>,
    /// Variables of the scripts.
    variables: HashMap<usize, String>,
}

impl<'s> Writer<'s> {
    pub(super) fn new(steps: &'s [Step], scripts: &'s [Wanted<'s>], registry: &'s Registry) -> Writer<'s> {
        let functions = qualified_names(registry);
        let prefixes: HashSet<String> =
            functions.values().filter_map(|name| Some(name.split_once('.')?.0.to_owned())).collect();
        let mut names = Names::default();
        for name in prefixes.iter().map(String::as_str).chain([BUILDER, EXIT_STACK, BUILD]) {
            names.insert(name);
        }
        for name in expression::WORDS {
            names.insert(name);
        }
        Writer {
            steps,
            scripts,
            registry,
            functions,
            names,
            known: Known::default(),
            globals: HashMap::new(),
            scopes: HashMap::new(),
            inline: HashMap::new(),
            done: Vec::new(),
            section: Section::default(),
            builders: Vec::new(),
            bodies: Vec::new(),
            left: None,
            depth: 0,
            bytes: 0,
            is_data: false,
            prefixes,
            variables: HashMap::new(),
        }
    }

    pub(super) fn step(&mut self, index: usize) {
        let Some(step) = self.steps.get(index) else { return };
        match &step.action {
            Action::Open => self.open(step.span),
            Action::Close { result } => self.close(result.as_ref()),
            Action::Call { callee, args, result } => {
                let done = match *callee {
                    Callee::Syntax(name) if name.starts_with('.') => {
                        self.given(name, result);
                        Ok(())
                    }
                    callee => self.call(callee, args, result).map(|call| {
                        if let Some(call) = call {
                            self.made(index, args, result, call);
                        }
                    }),
                };
                self.check(done);
            }
            Action::Enter { name, scope, args, value } => {
                let call = match self.scopes.remove(scope) {
                    Some(call) => Ok(call),
                    None => self.arguments(name, args).map(|args| format!("{}({args})", host_name(name))),
                };
                let done = call.map(|call| self.enter(call, value, step.span));
                self.check(done);
            }
            Action::KeepOpen => self.keep_open(),
            Action::Leave => self.leave(),
            Action::Name { .. } => {}
        }
        if self.builders.is_empty() {
            self.end_section();
        }
    }

    /// Keeps the first error of a section.
    fn check(&mut self, done: Result<(), String>) {
        if let Err(reason) = done {
            self.section.error.get_or_insert(reason);
        }
    }

    fn line(&mut self, text: String, span: Span) {
        self.bytes = self.bytes.saturating_add(text.len() + 4 * self.depth);
        if self.bytes > MAX_BYTES {
            self.check(Err(format!("the program is longer than {MAX_BYTES} bytes")));
        } else {
            self.section.lines.push(BuilderCall { depth: self.depth, text, span });
        }
    }

    fn open(&mut self, span: Span) {
        let name = self.names.fresh("b");
        let start = self.section.lines.len();
        self.line(format!("with {BUILDER}() as {name}:"), span);
        self.builders.push(OpenBuilder { name, start });
        self.enter_body();
    }

    fn close(&mut self, result: Option<&Object>) {
        let Some(OpenBuilder { name, start }) = self.builders.pop() else { return };
        self.leave();
        let Some(node) = result else {
            self.section.lines.truncate(start);
            // What failed is not part of the program.
            self.section.error = self.section.error.take().filter(|_| !self.builders.is_empty());
            return;
        };
        let wanted = self.scripts.iter().find(|wanted| wanted.node.ptr_eq(node));
        let hint = wanted.and_then(|wanted| wanted.name).unwrap_or("script");
        let variable = self.names.fresh(&expression::identifier(hint));
        self.line(format!("{variable} = {name}.get()"), Span::UNKNOWN);
        self.variables.insert(node.address(), variable.clone());
        self.define(node, &variable);
    }

    fn enter(&mut self, call: String, value: &ScriptValue, span: Span) {
        let is_new = |node: &Object| has_identity(node) && !self.known.contains(node);
        let nodes: Vec<Object> = nodes_of(value).into_iter().filter(is_new).collect();
        let variables: Vec<String> = nodes.iter().map(|node| self.variable(node)).collect();
        let bound = match (value, variables.as_slice()) {
            (_, []) => String::new(),
            (ScriptValue::Node(node), [name]) if nodes.first().is_some_and(|only| only.ptr_eq(node)) => {
                format!(" as {name}")
            }
            (_, [name]) => format!(" as ({name},)"),
            (_, names) => format!(" as ({})", names.join(", ")),
        };
        self.line(format!("with {call}{bound}:"), span);
        self.enter_body();
        let named: Vec<(String, &String)> = nodes
            .iter()
            .zip(&variables)
            .filter_map(|(node, variable)| Some((self.own_name(node)?, variable)))
            .collect();
        match named.as_slice() {
            [] => {}
            [(name, variable)] => {
                self.line(format!("{BUILDER}.name({}, {variable})", expression::string(name)), Span::UNKNOWN)
            }
            many => {
                let names: Vec<String> = many.iter().map(|(name, _)| expression::string(name)).collect();
                let variables: Vec<&str> = many.iter().map(|(_, variable)| variable.as_str()).collect();
                let text = format!("{BUILDER}.name_many([{}], [{}])", names.join(", "), variables.join(", "));
                self.line(text, Span::UNKNOWN);
            }
        }
    }

    fn enter_body(&mut self) {
        self.bodies.push(Body { start: self.section.lines.len(), manager: None, is_kept: false });
        self.depth += 1;
    }

    /// Leaves the closing of the innermost scope to a manager of the scope around it, so that its body is not nested.
    fn keep_open(&mut self) {
        let Some((inner, around)) = self.bodies.split_last_mut() else { return };
        let Some(outer) = around.iter_mut().rfind(|body| !body.is_kept) else { return };
        let Some(header) = inner.start.checked_sub(1) else { return };
        let manager = match &outer.manager {
            Some(manager) => manager,
            None => {
                let manager = self.names.fresh("scopes");
                let line = outer.start.checked_sub(1).and_then(|line| self.section.lines.get_mut(line));
                if let Some(line) = line.filter(|line| line.text.ends_with(':')) {
                    line.text.truncate(line.text.len() - 1);
                    line.text.push_str(&format!(", {EXIT_STACK}() as {manager}:"));
                }
                outer.manager.insert(manager)
            }
        };
        let mut lines = self.section.lines.iter_mut().skip(header);
        if let Some(line) = lines.next() {
            let scope = line.text.strip_prefix("with ").and_then(|text| text.strip_suffix(':'));
            let (call, target) = match scope.and_then(|scope| scope.rsplit_once(" as ")) {
                Some((call, target)) => (call, format!("{target} = ")),
                None => (scope.unwrap_or_default(), String::new()),
            };
            line.text = format!("{target}{manager}.enter_context({call})");
        }
        lines.for_each(|line| line.depth = line.depth.saturating_sub(1));
        inner.is_kept = true;
        self.depth = self.depth.saturating_sub(1);
    }

    fn leave(&mut self) {
        let Some(body) = self.bodies.pop() else { return };
        if body.is_kept {
            return;
        }
        if body.start == self.section.lines.len() {
            self.line("pass".to_owned(), Span::UNKNOWN);
        }
        self.left = Some(body.start);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Assigns the variables that a scope defines when it closes.
    fn given(&mut self, attribute: &str, result: &ScriptValue) {
        let nodes: Vec<Object> = nodes_of(result).into_iter().filter(has_identity).collect();
        let header = self.left.and_then(|header| self.section.lines.get_mut(header.checked_sub(1)?));
        let Some(header) = header.filter(|_| !nodes.is_empty()) else { return };
        let scope = self.names.fresh("scope");
        if let Some(call) = header.text.strip_suffix(':') {
            header.text = format!("{call} as {scope}:");
        }
        let variables: Vec<String> = nodes.iter().map(|node| self.variable(node)).collect();
        let targets = targets(result, &variables);
        self.line(format!("{targets} = {scope}{attribute}"), Span::UNKNOWN);
    }

    /// Writes a call with its result.
    fn made(&mut self, index: usize, args: &CallArgs, result: &ScriptValue, call: String) {
        let span = self.steps.get(index).map_or(Span::UNKNOWN, |step| step.span);
        let nodes = match result {
            ScriptValue::Frame(frame) => {
                self.scopes.insert(Rc::as_ptr(frame).cast::<()>() as usize, call);
                return;
            }
            ScriptValue::None => return self.line(call, span),
            result => nodes_of(result),
        };
        if nodes.is_empty() || !nodes.iter().all(has_identity) {
            return;
        }
        if let [node] = nodes.as_slice()
            && matches!(result, ScriptValue::Node(only) if only.ptr_eq(node))
        {
            if self.known.contains(node) {
                self.line(call, span);
            } else if self.is_next_argument(index, node) {
                self.inline.insert(node.address(), call);
            } else {
                // `T.arg` gives the name itself.
                let is_named = matches!(args.positional.first(), Some(ScriptValue::Str(_)));
                self.assign(node, call, span, !is_named);
            }
            return;
        }
        let names: Vec<Option<String>> = nodes.iter().map(|node| self.own_name(node)).collect();
        let variables: Vec<String> = nodes.iter().map(|node| self.variable(node)).collect();
        let targets = targets(result, &variables);
        let names: Option<Vec<String>> =
            names.iter().map(|name| Some(expression::string(name.as_ref()?))).collect();
        let text = match names {
            Some(names) => format!("{targets} = {BUILDER}.name_many([{}], {call})", names.join(", ")),
            None => format!("{targets} = {call}"),
        };
        self.line(text, span);
    }

    /// Assigns a node to a new variable.
    fn assign(&mut self, node: &Object, made: String, span: Span, names: bool) {
        let name = self.own_name(node).filter(|_| names);
        let variable = self.variable(node);
        let text = match name {
            Some(name) => format!("{variable} = {BUILDER}.name({}, {made})", expression::string(&name)),
            None => format!("{variable} = {made}"),
        };
        self.line(text, span);
    }

    /// Tests whether the next step is a call with the node as an argument.
    fn is_next_argument(&self, index: usize, node: &Object) -> bool {
        match self.steps.get(index + 1).map(|step| &step.action) {
            Some(Action::Call { callee, args, .. }) if self.is_named(*callee) => {
                args.positional.iter().any(|arg| matches!(arg, ScriptValue::Node(arg) if arg.ptr_eq(node)))
            }
            _ => false,
        }
    }

    fn is_named(&self, callee: Callee) -> bool {
        match callee {
            Callee::Syntax(_) => true,
            Callee::Script(function) => self.functions.contains_key(&std::ptr::from_ref(function)),
        }
    }

    /// The text of a call; `None` if it needs none.
    fn call(
        &mut self,
        callee: Callee,
        args: &CallArgs,
        result: &ScriptValue,
    ) -> Result<Option<String>, String> {
        let name = match callee {
            Callee::Syntax(name) => name.to_owned(),
            Callee::Script(function) => match self.functions.get(&std::ptr::from_ref(function)) {
                Some(name) => name.clone(),
                None => return self.definition_of(function, result),
            },
        };
        // Without effect and without identity: the text of the result stands for the call.
        let is_written = match result {
            ScriptValue::None | ScriptValue::Frame(_) => true,
            result => {
                let nodes = nodes_of(result);
                !nodes.is_empty() && nodes.iter().all(has_identity)
            }
        };
        if matches!(callee, Callee::Script(_)) && !is_written {
            return Ok(None);
        }
        // The function returns its argument, which nothing has named.
        if let ScriptValue::Node(node) = result
            && has_identity(node)
            && !self.known.contains(node)
            && !self.inline.contains_key(&node.address())
            && args.positional.iter().any(|arg| matches!(arg, ScriptValue::Node(arg) if arg.ptr_eq(node)))
        {
            let made = self.definition(node)?;
            self.inline.insert(node.address(), made);
        }
        let mut text = self.arguments(&name, args)?;
        if let ScriptValue::Node(node) = result
            && let Some(var) = node.as_node::<GlobalVar>()
        {
            self.globals.insert(var.name_hint.to_string(), node.clone());
            if let Some(info) = var.struct_info_.as_ref().filter(|_| args.positional.len() == 1) {
                text.push_str(", ");
                text.push_str(&self.signature(info)?);
            }
        }
        Ok(Some(format!("{}({text})", host_name(&name))))
    }

    /// A function without a body that has the given type.
    fn signature(&mut self, info: &Object) -> Result<String, String> {
        let Some(function) = info.as_node::<FuncStructInfo>() else { return self.node(info) };
        let Some(params) = &function.params else { return self.node(info) };
        let mut texts = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            texts.push(format!("relax.Var(\"p{index}\", {})", self.node(param.object())?));
        }
        let result = self.node(function.ret.object())?;
        let purity = if function.purity { "" } else { ", is_pure=False" };
        Ok(format!("relax.Function.create_empty([{}], {result}{purity})", texts.join(", ")))
    }

    /// The text for a call of a function that no dialect names.
    fn definition_of(&mut self, function: &ScriptFn, result: &ScriptValue) -> Result<Option<String>, String> {
        match result {
            // Functions that name a node return one that is made already.
            ScriptValue::Node(node) if self.known.contains(node) || !has_identity(node) => Ok(None),
            ScriptValue::Node(node) if node.info().eq_kind() == EqKind::FreeVar => {
                self.definition(node).map(Some)
            }
            ScriptValue::None | ScriptValue::Frame(_) => {
                Err(format!("`{}` has no name in host code", function.name))
            }
            _ => Ok(None),
        }
    }

    fn arguments(&mut self, name: &str, args: &CallArgs) -> Result<String, String> {
        let mut texts = Vec::with_capacity(args.positional.len() + args.keywords.len());
        for (index, arg) in args.positional.iter().enumerate() {
            let text = self.value(arg, 0)?;
            texts.push(match name == RANGE && index == 2 {
                true => format!("step={text}"),
                false => text,
            });
        }
        for (key, arg) in &args.keywords {
            let text = self.value(arg, 0)?;
            texts.push(format!("{key}={text}"));
        }
        Ok(texts.join(", "))
    }

    fn value(&mut self, value: &ScriptValue, depth: usize) -> Result<String, String> {
        if depth > MAX_DEPTH {
            return Err("an argument is nested too deeply".to_owned());
        }
        let text = match value {
            ScriptValue::None => "None".to_owned(),
            ScriptValue::Bool(true) => "True".to_owned(),
            ScriptValue::Bool(false) => "False".to_owned(),
            ScriptValue::Int(number) => number.to_string(),
            ScriptValue::BigInt(number) => number.to_string(),
            ScriptValue::Float(number) => expression::float(*number),
            ScriptValue::Str(text) => expression::string(text.as_str()),
            ScriptValue::DType(dtype) if self.is_data => format!("{DATA_TYPE}(\"{dtype}\")"),
            ScriptValue::DType(dtype) => format!("\"{dtype}\""),
            ScriptValue::Ellipsis => "...".to_owned(),
            ScriptValue::Node(node) => self.node(node)?,
            ScriptValue::Tuple(items) => match self.items(items, depth)?.as_slice() {
                [one] => format!("({one},)"),
                many => format!("({})", many.join(", ")),
            },
            ScriptValue::List(items) => format!("[{}]", self.items(&items.borrow(), depth)?.join(", ")),
            ScriptValue::Dict(dict) => {
                let mut texts = Vec::new();
                for (key, value) in dict.borrow().iter() {
                    let key = self.value(&key.0, depth + 1)?;
                    let was_data = std::mem::replace(&mut self.is_data, true);
                    let value = self.value(value, depth + 1);
                    self.is_data = was_data;
                    texts.push(format!("{key}: {}", value?));
                }
                format!("{{{}}}", texts.join(", "))
            }
            ScriptValue::Slice(slice) => {
                let parts = [&slice.start, &slice.stop, &slice.step];
                let mut texts = Vec::with_capacity(parts.len());
                for part in parts {
                    texts.push(self.value(part, depth + 1)?);
                }
                format!("slice({})", texts.join(", "))
            }
            ScriptValue::Function(function) => match self.functions.get(&std::ptr::from_ref(*function)) {
                Some(name) => name.clone(),
                None => return Err(format!("`{}` has no name in host code", function.name)),
            },
            other => {
                let name = other.type_name();
                match name.split_once('.') {
                    Some((prefix, rest)) if self.prefixes.contains(prefix) && is_identifier(rest) => name,
                    _ => return Err(format!("an argument is {name}")),
                }
            }
        };
        Ok(text)
    }

    fn items(&mut self, items: &[ScriptValue], depth: usize) -> Result<Vec<String>, String> {
        items.iter().map(|item| self.value(item, depth + 1)).collect()
    }

    /// The text of a node, after the definitions of the variables in it that have no Python variable yet.
    fn node(&mut self, node: &Object) -> Result<String, String> {
        if let Some(call) = self.inline.remove(&node.address()) {
            return Ok(call);
        }
        for part in expression::parts_of(node, &self.known).missing {
            if let Some(name) = expression::global_name(&part) {
                if let Some(text) = self.globals.get(name).and_then(|var| self.known.text(var)) {
                    self.known.insert(&part, text);
                }
            } else if !self.known.contains(&part) {
                let made = self.definition(&part)?;
                self.assign(&part, made, Span::UNKNOWN, true);
            }
        }
        let used = expression::parts_of(node, &self.known).known;
        self.section.uses.extend(expression::keys(&used));
        expression::text(node, &used, &self.known, self.registry, self.is_data)
    }

    /// The text that makes a new variable or buffer.
    fn definition(&mut self, node: &Object) -> Result<String, String> {
        let used = expression::parts_below(node, &self.known).known;
        self.section.uses.extend(expression::keys(&used));
        expression::definition(node, &used, &self.known, self.registry)
    }

    /// The name that a node is given; `None` for a default name.
    fn own_name(&self, node: &Object) -> Option<String> {
        if node.is::<GlobalVar>() {
            return None;
        }
        let name = expression::name(node, self.registry)?;
        (!DEFAULT_NAMES.contains(&name.as_str())).then_some(name)
    }

    /// A Python variable for a node.
    fn variable(&mut self, node: &Object) -> String {
        if let Some(known) = self.known.text(node) {
            return known.to_string();
        }
        let hint = match node.as_node::<GlobalVar>() {
            Some(var) => expression::identifier(var.name_hint.as_str()),
            None => expression::name(node, self.registry).unwrap_or_else(|| "value".to_owned()),
        };
        let variable = self.names.fresh(&hint);
        self.define(node, &variable);
        variable
    }

    /// Makes a node and the variables in it known.
    fn define(&mut self, node: &Object, variable: &str) {
        self.section.defines.extend(self.known.define(node, variable));
    }

    fn end_section(&mut self) {
        let section = std::mem::take(&mut self.section);
        if !section.lines.is_empty() || section.error.is_some() {
            self.done.push(section);
        }
    }

    /// The sections of the scripts and those that they need.
    pub(super) fn finish(mut self) -> Program {
        self.end_section();
        let mut needed: HashSet<usize> = self.scripts.iter().map(|wanted| wanted.node.address()).collect();
        let mut errors: HashMap<usize, String> = HashMap::new();
        let mut kept = Vec::new();
        for section in self.done.into_iter().rev() {
            if !section.defines.iter().any(|node| needed.contains(node)) {
                continue;
            }
            match section.error {
                Some(error) => errors.extend(section.defines.iter().map(|node| (*node, error.clone()))),
                None => {
                    needed.extend(section.uses.iter().copied());
                    kept.push(section);
                }
            }
        }
        let body: Vec<BuilderCall> = kept.into_iter().rev().flat_map(|section| section.lines).collect();
        let imports = imports(&body, self.registry);
        let variables = self.scripts.iter().map(|wanted| {
            let address = wanted.node.address();
            match (errors.get(&address), self.variables.get(&address)) {
                (Some(reason), _) => Err(reason.clone()),
                (None, Some(variable)) => Ok(variable.clone()),
                (None, None) => Err("no builder made it".to_owned()),
            }
        });
        Program { imports, variables: variables.collect(), body }
    }
}

/// The nodes of a result: the value itself or its items.
fn nodes_of(value: &ScriptValue) -> Vec<Object> {
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

/// The targets of an assignment of a result to variables.
fn targets(result: &ScriptValue, variables: &[String]) -> String {
    let is_one = matches!(result, ScriptValue::Node(node) if Array::<Value>::try_ref(node).is_none());
    match variables {
        [one] if !is_one => format!("{one},"),
        many => many.join(", "),
    }
}
