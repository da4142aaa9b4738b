//! The statements of a program, from the steps of a parse.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_doc::{ExprDoc, Stmt, StmtDoc, StmtRole};
use tvmscript_docsifier::DocsifyResult;
use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::{Array, EqKind, Object, ObjectLike as _, Registry, Span, Value};
use tvmscript_irbuilder::record::{Action, Callee, Step};
use tvmscript_irbuilder::{CallArgs, ScriptFn, ScriptValue};
use tvmscript_python_syntax::is_identifier;
use tvmscript_relax::FuncStructInfo;

use super::expression::{self, Configs, Expressions, has_identity, nodes_of};
use super::program::{BUILDER, NAME, NAME_MANY, Program, Wanted, modules};
use super::qualified_names;

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

/// Statements that stand or fall together: those of an outermost builder, or of a call outside of all builders.
#[derive(Default)]
struct Section {
    stmts: Vec<StmtDoc>,
    /// Nodes that the statements give a Python variable.
    defines: Vec<usize>,
    /// Nodes that the statements use.
    uses: HashSet<usize>,
    /// Reason for which the calls have no text.
    error: Option<String>,
}

/// The body of an open scope.
struct Body {
    /// The scope, and the target of its value.
    scope: ExprDoc,
    target: Option<ExprDoc>,
    span: Span,
    stmts: Vec<StmtDoc>,
    /// `true` if its statements are in the list around it, with which the scope ends.
    is_kept: bool,
}

pub(super) struct Writer<'s> {
    steps: &'s [Step],
    scripts: &'s [Wanted<'s>],
    registry: &'s Registry,
    functions: HashMap<*const ScriptFn, String>,
    names: UniqueNames,
    exprs: Expressions<'s>,
    /// Variables of functions of modules, by the name of the function.
    globals: HashMap<String, Object>,
    /// Calls that made scopes which are not entered yet.
    scopes: HashMap<usize, ExprDoc>,
    /// Calls that made the value of the next call's argument.
    inline: HashMap<usize, ExprDoc>,
    /// The code that statements come from.
    spans: HashMap<StmtDoc, Span>,
    done: Vec<Section>,
    section: Section,
    /// The variables of the open builders.
    builders: Vec<String>,
    /// The open scopes.
    bodies: Vec<Body>,
    /// Place in its list of the scope that was left last.
    left: Option<usize>,
    /// `true` in the values of a dictionary, which are stored as they are.
    is_data: bool,
    /// The prefixes of dialects.
    prefixes: HashSet<String>,
    /// Variables of the scripts.
    variables: HashMap<usize, String>,
}

impl<'s> Writer<'s> {
    pub(super) fn new(
        steps: &'s [Step],
        scripts: &'s [Wanted<'s>],
        root: &Object,
        registry: &'s Registry,
        configs: &'s Configs,
    ) -> DocsifyResult<Writer<'s>> {
        let functions = qualified_names(registry);
        let prefixes: HashSet<String> =
            functions.values().filter_map(|name| Some(name.split_once('.')?.0.to_owned())).collect();
        let mut names = UniqueNames::numbered_from(1);
        let modules = modules(registry);
        let reserved = modules.iter().map(|module| module.name.as_str());
        for name in reserved.chain([tvmscript_doc::builder::BUILD]).chain(expression::WORDS) {
            names.insert(name);
        }
        Ok(Writer {
            steps,
            scripts,
            registry,
            functions,
            names,
            exprs: Expressions::new(root, registry, configs)?,
            globals: HashMap::new(),
            scopes: HashMap::new(),
            inline: HashMap::new(),
            spans: HashMap::new(),
            done: Vec::new(),
            section: Section::default(),
            builders: Vec::new(),
            bodies: Vec::new(),
            left: None,
            is_data: false,
            prefixes,
            variables: HashMap::new(),
        })
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
                    None => self.call_of(name, args),
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

    // --- statements ------------------------------------------------------------------------------------------

    /// The list that the next statement is in.
    fn list(&mut self) -> &mut Vec<StmtDoc> {
        match self.bodies.iter_mut().rfind(|body| !body.is_kept) {
            Some(body) => &mut body.stmts,
            None => &mut self.section.stmts,
        }
    }

    fn push(&mut self, stmt: StmtDoc, span: Span) {
        if span != Span::UNKNOWN {
            self.spans.insert(stmt, span);
        }
        self.list().push(stmt);
    }

    fn run(&mut self, call: ExprDoc, span: Span) {
        let stmt = self.exprs.d.docs.expr_stmt(call);
        self.push(stmt, span);
    }

    fn bind(&mut self, target: ExprDoc, value: ExprDoc, span: Span) {
        let stmt = self.exprs.d.docs.bind(target, value);
        self.push(stmt, span);
    }

    fn id(&mut self, name: &str) -> ExprDoc {
        self.exprs.d.docs.id(name)
    }

    fn str(&mut self, text: &str) -> ExprDoc {
        self.exprs.d.docs.str(text)
    }

    fn open(&mut self, span: Span) {
        let name = self.names.take("b");
        let scope = self.exprs.call(BUILDER, &[]);
        let target = self.id(&name);
        self.builders.push(name);
        self.enter_body(scope, Some(target), span);
    }

    fn close(&mut self, result: Option<&Object>) {
        let Some(name) = self.builders.pop() else { return };
        let Some(node) = result else {
            self.bodies.pop();
            // What failed is not part of the program.
            self.section.error = self.section.error.take().filter(|_| !self.builders.is_empty());
            return;
        };
        self.leave();
        let wanted = self.scripts.iter().find(|wanted| wanted.node.ptr_eq(node));
        let hint = wanted.and_then(|wanted| wanted.name).unwrap_or("script");
        let variable = self.names.take(&expression::identifier(hint));
        let target = self.id(&variable);
        let call = self.exprs.call(&format!("{name}.get"), &[]);
        self.bind(target, call, Span::UNKNOWN);
        self.variables.insert(node.address(), variable.clone());
        self.define(node, &variable);
    }

    fn enter(&mut self, call: ExprDoc, value: &ScriptValue, span: Span) {
        let is_new = |node: &Object| has_identity(node) && !self.exprs.known.contains(node);
        let nodes: Vec<Object> = nodes_of(value).into_iter().filter(is_new).collect();
        let variables: Vec<ExprDoc> = nodes.iter().map(|node| self.variable(node)).collect();
        let target = match (value, variables.as_slice()) {
            (_, []) => None,
            (ScriptValue::Node(node), [name]) if nodes.first().is_some_and(|only| only.ptr_eq(node)) => {
                Some(*name)
            }
            (_, names) => Some(self.exprs.d.docs.tuple(names)),
        };
        self.enter_body(call, target, span);
        let named: Vec<(ExprDoc, ExprDoc)> = nodes
            .iter()
            .zip(&variables)
            .filter_map(|(node, variable)| {
                let name = self.own_name(node)?;
                Some((self.str(&name), *variable))
            })
            .collect();
        let call = match named.as_slice() {
            [] => return,
            [(name, variable)] => self.exprs.call(NAME, &[*name, *variable]),
            many => {
                let (names, variables): (Vec<ExprDoc>, Vec<ExprDoc>) = many.iter().copied().unzip();
                let (names, variables) = (self.exprs.d.docs.list(&names), self.exprs.d.docs.list(&variables));
                self.exprs.call(NAME_MANY, &[names, variables])
            }
        };
        self.run(call, Span::UNKNOWN);
    }

    fn enter_body(&mut self, scope: ExprDoc, target: Option<ExprDoc>, span: Span) {
        self.bodies.push(Body { scope, target, span, stmts: Vec::new(), is_kept: false });
    }

    /// Ends the innermost scope with the one around it, so that its body is not nested.
    fn keep_open(&mut self) {
        let Some(inner) = self.bodies.last_mut() else { return };
        inner.is_kept = true;
        let (scope, target, span) = (inner.scope, inner.target, inner.span);
        let stmts = std::mem::take(&mut inner.stmts);
        let docs = &mut self.exprs.d.docs;
        let stmt = match target {
            Some(target) => docs.bind(target, scope),
            None => docs.expr_stmt(scope),
        };
        docs.set_role(stmt, StmtRole::OpenScope);
        self.push(stmt, span);
        self.list().extend(stmts);
    }

    fn leave(&mut self) {
        let Some(body) = self.bodies.pop() else { return };
        if body.is_kept {
            return;
        }
        let stmt = self.exprs.d.docs.scope(body.target, body.scope, &body.stmts);
        self.left = Some(self.list().len());
        self.push(stmt, body.span);
    }

    /// Assigns the variables that a scope defines when it closes.
    fn given(&mut self, attribute: &str, result: &ScriptValue) {
        let nodes: Vec<Object> = nodes_of(result).into_iter().filter(has_identity).collect();
        let Some(left) = self.left.filter(|_| !nodes.is_empty()) else { return };
        let Some(stmt) = self.list().get(left).copied() else { return };
        let Stmt::Scope { lhs: None, rhs, body } = self.exprs.d.docs.stmt(stmt) else { return };
        let scope = self.names.take("scope");
        let target = self.id(&scope);
        let docs = &mut self.exprs.d.docs;
        let body = docs.stmts(body).to_vec();
        let named = docs.scope(Some(target), rhs, &body);
        if let Some(span) = self.spans.remove(&stmt) {
            self.spans.insert(named, span);
        }
        if let Some(stmt) = self.list().get_mut(left) {
            *stmt = named;
        }
        let variables: Vec<ExprDoc> = nodes.iter().map(|node| self.variable(node)).collect();
        let targets = self.targets(result, &variables);
        let value = self.exprs.path(&format!("{scope}{attribute}"));
        self.bind(targets, value, Span::UNKNOWN);
    }

    /// Writes a call with its result.
    fn made(&mut self, index: usize, args: &CallArgs, result: &ScriptValue, call: ExprDoc) {
        let span = self.steps.get(index).map_or(Span::UNKNOWN, |step| step.span);
        let nodes = match result {
            ScriptValue::Frame(frame) => {
                self.scopes.insert(Rc::as_ptr(frame).cast::<()>() as usize, call);
                return;
            }
            ScriptValue::None => return self.run(call, span),
            result => nodes_of(result),
        };
        if nodes.is_empty() || !nodes.iter().all(has_identity) {
            return;
        }
        if let [node] = nodes.as_slice()
            && matches!(result, ScriptValue::Node(only) if only.ptr_eq(node))
        {
            if self.exprs.known.contains(node) {
                self.run(call, span);
            } else if self.is_next_argument(index, node) {
                self.inline.insert(node.address(), call);
            } else {
                // `T.arg` gives the name itself.
                let is_named = matches!(args.positional.first(), Some(ScriptValue::Str(_)));
                self.assign(node, call, span, !is_named);
            }
            return;
        }
        let names: Option<Vec<String>> = nodes.iter().map(|node| self.own_name(node)).collect();
        let variables: Vec<ExprDoc> = nodes.iter().map(|node| self.variable(node)).collect();
        let targets = self.targets(result, &variables);
        let value = match names {
            Some(names) => {
                let names: Vec<ExprDoc> = names.iter().map(|name| self.str(name)).collect();
                let names = self.exprs.d.docs.list(&names);
                self.exprs.call(NAME_MANY, &[names, call])
            }
            None => call,
        };
        self.bind(targets, value, span);
    }

    /// Assigns a node to a new variable.
    fn assign(&mut self, node: &Object, made: ExprDoc, span: Span, names: bool) {
        let name = if names { self.own_name(node) } else { None };
        let variable = self.variable(node);
        let value = match name {
            Some(name) => {
                let name = self.str(&name);
                self.exprs.call(NAME, &[name, made])
            }
            None => made,
        };
        self.bind(variable, value, span);
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

    // --- calls -----------------------------------------------------------------------------------------------

    fn is_named(&self, callee: Callee) -> bool {
        match callee {
            Callee::Syntax(_) => true,
            Callee::Script(function) => self.functions.contains_key(&std::ptr::from_ref(function)),
        }
    }

    /// A call; `None` if it needs none.
    fn call(
        &mut self,
        callee: Callee,
        args: &CallArgs,
        result: &ScriptValue,
    ) -> Result<Option<ExprDoc>, String> {
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
            && !self.exprs.known.contains(node)
            && !self.inline.contains_key(&node.address())
            && args.positional.iter().any(|arg| matches!(arg, ScriptValue::Node(arg) if arg.ptr_eq(node)))
        {
            let made = self.definition(node)?;
            self.inline.insert(node.address(), made);
        }
        let (mut positional, keywords) = self.arguments(&name, args)?;
        if let ScriptValue::Node(node) = result
            && let Some(var) = node.as_node::<GlobalVar>()
        {
            self.globals.insert(var.name_hint.to_string(), node.clone());
            if let Some(info) = var.struct_info_.as_ref().filter(|_| args.positional.len() == 1) {
                positional.push(self.signature(info)?);
            }
        }
        Ok(Some(self.call_with(&name, &positional, &keywords)))
    }

    fn call_of(&mut self, name: &str, args: &CallArgs) -> Result<ExprDoc, String> {
        let (positional, keywords) = self.arguments(name, args)?;
        Ok(self.call_with(name, &positional, &keywords))
    }

    fn call_with(&mut self, name: &str, args: &[ExprDoc], keywords: &[(&str, ExprDoc)]) -> ExprDoc {
        let callee = self.exprs.path(host_name(name));
        self.exprs.d.docs.call(callee, args, keywords)
    }

    /// A function without a body that has the given type.
    fn signature(&mut self, info: &Object) -> Result<ExprDoc, String> {
        let Some(function) = info.as_node::<FuncStructInfo>() else { return self.node(info) };
        let Some(params) = &function.params else { return self.node(info) };
        let mut docs = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let args = [self.str(&format!("p{index}")), self.node(param.object())?];
            docs.push(self.exprs.call("relax.Var", &args));
        }
        let params = self.exprs.d.docs.list(&docs);
        let result = self.node(function.ret.object())?;
        let impure = self.exprs.d.docs.bool(false);
        let keywords = if function.purity { &[][..] } else { &[("is_pure", impure)][..] };
        let callee = self.exprs.path("relax.Function.create_empty");
        Ok(self.exprs.d.docs.call(callee, &[params, result], keywords))
    }

    /// The call of a function that no dialect names.
    fn definition_of(
        &mut self,
        function: &ScriptFn,
        result: &ScriptValue,
    ) -> Result<Option<ExprDoc>, String> {
        match result {
            // Functions that name a node return one that is made already.
            ScriptValue::Node(node) if self.exprs.known.contains(node) || !has_identity(node) => Ok(None),
            ScriptValue::Node(node) if node.info().eq_kind() == EqKind::FreeVar => {
                self.definition(node).map(Some)
            }
            ScriptValue::None | ScriptValue::Frame(_) => {
                Err(format!("`{}` has no name in host code", function.name))
            }
            _ => Ok(None),
        }
    }

    fn arguments<'a>(&mut self, name: &str, args: &'a CallArgs) -> Result<Arguments<'a>, String> {
        let mut positional = Vec::with_capacity(args.positional.len());
        let mut keywords = Vec::with_capacity(args.keywords.len());
        for (index, arg) in args.positional.iter().enumerate() {
            let value = self.value(arg, 0)?;
            match name == RANGE && index == 2 {
                true => keywords.push(("step", value)),
                false => positional.push(value),
            }
        }
        for (key, arg) in &args.keywords {
            keywords.push((key.as_str(), self.value(arg, 0)?));
        }
        Ok((positional, keywords))
    }

    fn value(&mut self, value: &ScriptValue, depth: usize) -> Result<ExprDoc, String> {
        if depth > MAX_DEPTH {
            return Err("an argument is nested too deeply".to_owned());
        }
        let docs = &mut self.exprs.d.docs;
        Ok(match value {
            ScriptValue::None => docs.none(),
            ScriptValue::Bool(value) => docs.bool(*value),
            ScriptValue::Int(number) => docs.int(*number),
            ScriptValue::BigInt(number) => {
                let text = docs.str(number.to_string().as_str());
                self.exprs.call("int", &[text])
            }
            ScriptValue::Float(number) => self.exprs.float(*number),
            ScriptValue::Str(text) => docs.str(text.as_str()),
            ScriptValue::DType(dtype) => {
                let text = self.str(&dtype.to_string());
                match self.is_data {
                    true => self.exprs.call(DATA_TYPE, &[text]),
                    false => text,
                }
            }
            ScriptValue::Ellipsis => docs.id("Ellipsis"),
            ScriptValue::Node(node) => self.node(node)?,
            ScriptValue::Tuple(items) => {
                let items = self.items(items, depth)?;
                self.exprs.d.docs.tuple(&items)
            }
            ScriptValue::List(items) => {
                let items = self.items(&items.borrow(), depth)?;
                self.exprs.d.docs.list(&items)
            }
            ScriptValue::Dict(dict) => {
                let mut entries = Vec::new();
                for (key, value) in dict.borrow().iter() {
                    let key = self.value(&key.0, depth + 1)?;
                    let was_data = std::mem::replace(&mut self.is_data, true);
                    let value = self.value(value, depth + 1);
                    self.is_data = was_data;
                    entries.push((key, value?));
                }
                self.exprs.d.docs.dict(&entries)
            }
            ScriptValue::Slice(slice) => {
                let mut parts = Vec::with_capacity(3);
                for part in [&slice.start, &slice.stop, &slice.step] {
                    parts.push(self.value(part, depth + 1)?);
                }
                self.exprs.call("slice", &parts)
            }
            ScriptValue::Function(function) => match self.functions.get(&std::ptr::from_ref(*function)) {
                Some(name) => self.exprs.path(&name.clone()),
                None => return Err(format!("`{}` has no name in host code", function.name)),
            },
            other => {
                let name = other.type_name();
                match name.split_once('.') {
                    Some((prefix, rest)) if self.prefixes.contains(prefix) && is_identifier(rest) => {
                        self.exprs.path(&name)
                    }
                    _ => return Err(format!("an argument is {name}")),
                }
            }
        })
    }

    fn items(&mut self, items: &[ScriptValue], depth: usize) -> Result<Vec<ExprDoc>, String> {
        items.iter().map(|item| self.value(item, depth + 1)).collect()
    }

    // --- nodes -----------------------------------------------------------------------------------------------

    /// The expression for a node, after the definitions of the variables in it that have no Python variable yet.
    fn node(&mut self, node: &Object) -> Result<ExprDoc, String> {
        if let Some(call) = self.inline.remove(&node.address()) {
            return Ok(call);
        }
        for part in expression::parts_of(node, &self.exprs.known).missing {
            if let Some(name) = expression::global_name(&part) {
                if let Some(doc) = self.globals.get(name).and_then(|var| self.exprs.known.doc(var)) {
                    self.exprs.known.insert(&part, doc);
                }
            } else if !self.exprs.known.contains(&part) {
                let made = self.definition(&part)?;
                self.assign(&part, made, Span::UNKNOWN, true);
            }
        }
        let used = expression::parts_of(node, &self.exprs.known).known;
        self.section.uses.extend(expression::keys(&used));
        self.exprs.node(node, &used, self.is_data)
    }

    /// The expression that makes a new variable or buffer.
    fn definition(&mut self, node: &Object) -> Result<ExprDoc, String> {
        let used = expression::parts_below(node, &self.exprs.known).known;
        self.section.uses.extend(expression::keys(&used));
        self.exprs.definition(node, &used)
    }

    /// The name that a node is given; `None` for a default name.
    fn own_name(&mut self, node: &Object) -> Option<String> {
        if node.is::<GlobalVar>() {
            return None;
        }
        let name = self.exprs.name(node)?;
        (!DEFAULT_NAMES.contains(&name.as_str())).then_some(name)
    }

    /// A Python variable for a node, or the expression that it is known by.
    fn variable(&mut self, node: &Object) -> ExprDoc {
        if let Some(known) = self.exprs.known.doc(node) {
            return known;
        }
        let hint = match node.as_node::<GlobalVar>() {
            Some(var) => expression::identifier(var.name_hint.as_str()),
            None => self.exprs.name(node).unwrap_or_else(|| "value".to_owned()),
        };
        let variable = self.names.take(&hint);
        self.define(node, &variable);
        self.id(&variable)
    }

    /// Makes a node and the variables in it known.
    fn define(&mut self, node: &Object, variable: &str) {
        self.section.defines.extend(self.exprs.define(node, variable));
    }

    /// The target of an assignment of a result to variables.
    fn targets(&mut self, result: &ScriptValue, variables: &[ExprDoc]) -> ExprDoc {
        let is_one = matches!(result, ScriptValue::Node(node) if Array::<Value>::try_ref(node).is_none());
        match variables {
            [one] if is_one => *one,
            // A tuple of one target has no comma in text.
            [_] => self.exprs.d.docs.list(variables),
            many => self.exprs.d.docs.tuple(many),
        }
    }

    fn end_section(&mut self) {
        let section = std::mem::take(&mut self.section);
        if !section.stmts.is_empty() || section.error.is_some() {
            self.done.push(section);
        }
    }

    /// The sections of the scripts and those that they need.
    pub(super) fn finish(mut self) -> DocsifyResult<Program> {
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
        let body: Vec<StmtDoc> = kept.into_iter().rev().flat_map(|section| section.stmts).collect();
        let variables = self.scripts.iter().map(|wanted| {
            let address = wanted.node.address();
            match (errors.get(&address), self.variables.get(&address)) {
                (Some(reason), _) => Err(reason.clone()),
                (None, Some(variable)) => Ok(variable.clone()),
                (None, None) => Err("no builder made it".to_owned()),
            }
        });
        let variables = variables.collect();
        let docs = self.exprs.d.into_docs()?;
        Ok(Program { docs, body, spans: self.spans, modules: modules(self.registry), variables })
    }
}

/// The arguments of a call: positional ones, and those with keywords.
type Arguments<'a> = (Vec<ExprDoc>, Vec<(&'a str, ExprDoc)>);
