//! State shared by all evaluators of one text: syntax tree, module-level variables, budget.
//!
//! A function that a script passes to other code may be called without an evaluator at hand. [`Program::call_back`]
//! then makes one, with a host that [`Program::with_host`] provides.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use tvmscript_ir_core::{CurrentSpan, OpenCall, SourceComments, SourceId, Span, SpanKind};
use tvmscript_python_syntax::ast::{Ast, Name, StmtId, TextRange};
use tvmscript_python_syntax::walk::names_of_module;
use tvmscript_script_value::{BuildError, Dict, Items, ScriptValue};

use crate::binding::{Binding, Slot};
use crate::budget::{Budget, Limits};
use crate::errors::{EvalError, Reported};
use crate::eval::class::Keys;
use crate::eval::generator::Generators;
use crate::eval::{Env, Exceptions, HostCode, LocalNames, Raise};
use crate::evaluator::Eval;
use crate::host::{Host, Plain};
use crate::parts::Parts;
use crate::python::identity::Identities;
use crate::python::text_index::TextIndexes;
use crate::state::EvalState;

/// Size of a cycle candidate.
const CYCLE_BYTES: u64 = 96;

/// Lends a host to a function that is called back.
pub type LendHost = Box<dyn Fn(&mut dyn FnMut(&mut dyn Host))>;

/// A text with its syntax tree and shared evaluation state.
pub struct Program {
    /// The syntax tree.
    pub ast: Rc<Ast>,
    text: Box<str>,
    /// The source of spans.
    pub source: SourceId,
    /// Comments and markers by statement.
    pub comments: SourceComments,
    /// The parts of the text behind the program's own.
    pub parts: Parts,
    /// Dotted path of the package of the program's own text, for relative imports.
    pub package: Box<str>,
    /// Modules of the program that were imported, by dotted path.
    pub(crate) loaded_modules: RefCell<HashMap<Box<str>, ScriptValue>>,
    /// Module-level variables that assignments of the text leave unchanged.
    fixed_globals: RefCell<Vec<Name>>,
    pub(crate) spans: Spans,
    /// The remaining budget.
    pub budget: Budget,
    globals: RefCell<Vec<Slot>>,
    global_names: RefCell<Vec<Name>>,
    pub(crate) local_names: LocalNames,
    pub(crate) generators: Generators,
    /// Character indices of long texts.
    pub(crate) text_indexes: TextIndexes,
    cycles: Cycles,
    /// Instances that were keys.
    pub(crate) keys: Keys,
    /// Numbers of `id`.
    pub(crate) identities: Identities,
    /// Instances whose `__repr__` is running.
    pub(crate) open_reprs: OpenReprs,
    /// Classes of Python's library, by name.
    pub(crate) native_classes: RefCell<HashMap<&'static str, ScriptValue>>,
    lend_host: LendHost,
    /// Idle states for functions that are called back.
    spare: RefCell<Vec<EvalState>>,
    /// `true` if `a < b == c` is `(a < b) == c` where nodes are compared.
    pub(crate) comparisons_nest: bool,
    /// `true` if values of keyword arguments follow Python's rules in scripts, too.
    pub(crate) keywords_follow_python: bool,
    pub(crate) host_code: HostCode,
    /// Warnings and notes of functions that were called back.
    pub(crate) inner_warnings: RefCell<Vec<EvalError>>,
    /// Exceptions that are being raised or handled.
    pub(crate) exceptions: Exceptions,
}

/// Addresses of the instances whose generated `__repr__` is running.
#[derive(Default)]
pub(crate) struct OpenReprs(RefCell<Vec<usize>>);

/// Ends the `__repr__` of an instance when it is dropped.
pub(crate) struct OpenRepr<'a>(&'a OpenReprs);

impl OpenReprs {
    /// Begins the `__repr__` of an instance; `None` if it is running already.
    pub(crate) fn enter(&self, value: &ScriptValue) -> Option<OpenRepr<'_>> {
        let ScriptValue::Host(host) = value else { return None };
        let address = Rc::as_ptr(host).cast::<()>().addr();
        if self.0.borrow().contains(&address) {
            return None;
        }
        self.0.borrow_mut().push(address);
        Some(OpenRepr(self))
    }
}

impl Drop for OpenRepr<'_> {
    fn drop(&mut self) {
        self.0.0.borrow_mut().pop();
    }
}

/// Longest chain of calls in a span. Deeper helpers add their line only.
const MAX_CALL_SITES: u32 = 16;

/// The spans that nodes get.
pub(crate) struct Spans {
    /// `true` if the span of a node is the range of its syntax.
    pub(crate) are_plain: Cell<bool>,
    /// The span of all nodes.
    pub(crate) fixed: Option<Span>,
    /// The call of the running helper by a script, and the number of calls in it; `None` outside helpers.
    caller: Cell<(Option<OpenCall>, u32)>,
}

/// The state of spans around the body of a helper.
pub(crate) struct Helper {
    /// The current span at the call.
    at_call: CurrentSpan,
    call: OpenCall,
    were_plain: bool,
    outer: (Option<OpenCall>, u32),
}

impl Default for Spans {
    fn default() -> Self {
        Spans { are_plain: Cell::new(true), fixed: None, caller: Cell::default() }
    }
}

/// Values that may be part of reference cycles; [`Program::close`] breaks them.
#[derive(Default)]
struct Cycles {
    /// Environments captured by functions, which they may contain in turn.
    environments: RefCell<Vec<Weak<Env>>>,
    /// Containers that contain others, by address.
    containers: RefCell<HashMap<usize, Container>>,
}

enum Container {
    List(Weak<RefCell<Items>>),
    Dict(Weak<RefCell<Dict>>),
}

impl Program {
    /// A program for a text and its tree.
    pub fn new(ast: impl Into<Rc<Ast>>, text: &str, source: SourceId, limits: Limits) -> Program {
        let mut ast = ast.into();
        let generators = Generators::new(&mut ast);
        Program {
            text: text.into(),
            source,
            comments: SourceComments::default(),
            parts: Parts::default(),
            package: "".into(),
            loaded_modules: RefCell::default(),
            fixed_globals: RefCell::default(),
            spans: Spans::default(),
            budget: Budget::new(limits, ast.expr_count()),
            globals: RefCell::default(),
            global_names: RefCell::default(),
            local_names: LocalNames::default(),
            generators,
            text_indexes: TextIndexes::default(),
            cycles: Cycles::default(),
            keys: Keys::default(),
            identities: Identities::default(),
            open_reprs: OpenReprs::default(),
            native_classes: RefCell::default(),
            lend_host: Box::new(|evaluate| evaluate(&mut Plain)),
            comparisons_nest: false,
            keywords_follow_python: true,
            host_code: HostCode::Runs,
            spare: RefCell::default(),
            inner_warnings: RefCell::default(),
            exceptions: Exceptions::default(),
            ast,
        }
    }

    /// Declares where functions that other code calls back get their host; [`Plain`] otherwise.
    #[must_use]
    pub fn with_host(self, lend_host: LendHost) -> Program {
        Program { lend_host, ..self }
    }

    /// Declares that `a < b == c` is `(a < b) == c` where nodes are compared.
    #[must_use]
    pub fn with_nested_comparisons(self, comparisons_nest: bool) -> Program {
        Program { comparisons_nest, ..self }
    }

    /// Declares if values of keyword arguments follow Python's rules in scripts as well.
    #[must_use]
    pub fn with_python_keywords(self, keywords_follow_python: bool) -> Program {
        Program { keywords_follow_python, ..self }
    }

    /// Adds the comments, whose markers state the spans of their statements' nodes.
    #[must_use]
    pub fn with_comments(self, comments: SourceComments) -> Program {
        self.spans.are_plain.set(self.spans.are_plain.get() && !comments.has_markers());
        Program { comments, ..self }
    }

    /// Declares that parts of the text are other sources. `package` is that of the program's own text.
    #[must_use]
    pub fn with_parts(self, parts: Parts, package: &str) -> Program {
        self.spans.are_plain.set(self.spans.are_plain.get() && parts.is_empty());
        Program { parts, package: package.into(), ..self }
    }

    /// The module-level statements of the program's own text.
    pub fn main_body(&self) -> &[StmtId] {
        let body = self.ast.module_body();
        let Some(first) = self.parts.iter().next() else { return body };
        let len = body.partition_point(|id| self.ast.range(*id).start < first.start);
        body.get(..len).unwrap_or(body)
    }

    /// Tests whether a statement of the program's own text binds a module-level variable.
    pub fn binds_global(&self, name: Name) -> bool {
        names_of_module(&self.ast, self.main_body()).contains(&name)
    }

    /// Says if host code runs.
    #[must_use]
    pub fn with_host_code(mut self, host_code: HostCode) -> Program {
        self.host_code = host_code;
        self
    }

    /// Gives all nodes this span.
    #[must_use]
    pub fn with_fixed_span(mut self, span: Span) -> Program {
        self.spans.are_plain.set(false);
        self.spans.fixed = Some(span);
        self
    }

    /// The span of nodes that a byte range makes, if it is not just that range.
    #[cold]
    pub(crate) fn unusual_span(&self, range: TextRange) -> Span {
        let here = self.stated_span(range);
        match self.spans.caller.get() {
            (Some(call), _) if self.spans.fixed.is_none() => call.span(here),
            _ => here,
        }
    }

    /// The span of a byte range without the calls that led there.
    fn stated_span(&self, range: TextRange) -> Span {
        if let Some(span) = self.spans.fixed {
            return span;
        }
        let marker = if self.comments.has_markers() { self.comments.marker_at(range.start) } else { None };
        marker.unwrap_or_else(|| self.parts.span(range, self.source))
    }

    /// Makes the span of a byte range the current one.
    pub(crate) fn point_at(&self, range: TextRange) {
        let (here, call) = match self.spans.are_plain.get() {
            true => (Span::range(self.source, range.start, range.end), None),
            false => (self.stated_span(range), self.spans.caller.get().0),
        };
        Span::set_current_in(call.filter(|_| self.spans.fixed.is_none()), here);
    }

    /// Enters the body of a helper at `body`, whose nodes carry the call at [`Span::current`].
    pub(crate) fn enter_helper(&self, body: TextRange) -> Option<Helper> {
        let (outer, depth) = self.spans.caller.get();
        let at_call = Span::save_current();
        let here = at_call.here();
        if depth >= MAX_CALL_SITES || !here.is_known() || self.spans.fixed.is_some() {
            return None;
        }
        // A lambda inside the call is not another place.
        let is_inside = || {
            matches!(
                here.kind(),
                SpanKind::Range { source, start_bytes, end_bytes }
                    if source == self.source && start_bytes <= body.start && body.end <= end_bytes
            )
        };
        if !at_call.is_in_call() && is_inside() {
            return None;
        }
        let call = at_call.open_call();
        let were_plain = self.spans.are_plain.replace(false);
        self.spans.caller.set((Some(call), depth + 1));
        Some(Helper { at_call, call, were_plain, outer: (outer, depth) })
    }

    /// Leaves the body of a helper.
    pub(crate) fn leave_helper(&self, helper: Option<Helper>) {
        let Some(Helper { at_call, call, were_plain, outer }) = helper else { return };
        self.spans.caller.set(outer);
        self.spans.are_plain.set(were_plain);
        call.close();
        at_call.restore();
    }

    /// Registers an environment captured by a function as a cycle candidate.
    pub(crate) fn keep_environment(&self, env: &Rc<Env>) {
        if env.mark_held() {
            self.cycles.environments.borrow_mut().push(Rc::downgrade(env));
        }
    }

    /// Registers a container as a cycle candidate if `value` may lead back to it.
    pub(crate) fn keep_container(&self, container: &ScriptValue, value: &ScriptValue) -> Result<(), Raise> {
        if !value.holds_values() {
            return Ok(());
        }
        let (address, container) = match container {
            ScriptValue::List(items) => (Rc::as_ptr(items).addr(), Container::List(Rc::downgrade(items))),
            ScriptValue::Dict(dict) => (Rc::as_ptr(dict).addr(), Container::Dict(Rc::downgrade(dict))),
            _ => return Ok(()),
        };
        if let Entry::Vacant(entry) = self.cycles.containers.borrow_mut().entry(address) {
            self.budget.allocate(CYCLE_BYTES)?;
            entry.insert(container);
        }
        Ok(())
    }

    /// Ends the program and breaks its reference cycles.
    pub fn close(&self) {
        for container in std::mem::take(&mut *self.cycles.containers.borrow_mut()).into_values() {
            match container {
                Container::List(items) => drop(items.upgrade().map(|items| items.take())),
                Container::Dict(dict) => drop(dict.upgrade().map(|dict| dict.take())),
            }
        }
        self.globals.borrow_mut().clear();
        let classes = std::mem::take(&mut *self.native_classes.borrow_mut());
        drop(classes);
        self.exceptions.clear();
        self.loaded_modules.borrow_mut().clear();
        let environments = std::mem::take(&mut *self.cycles.environments.borrow_mut());
        environments.iter().filter_map(Weak::upgrade).for_each(|env| env.clear());
        let spare = std::mem::take(&mut *self.spare.borrow_mut());
        drop(spare);
    }

    /// Sets a module-level variable to a value that assignments of the text leave unchanged.
    pub fn fix_global(&self, name: Name, value: ScriptValue) {
        self.set_global(name, Slot::new(Binding::Value(value), TextRange::at(0)));
        self.fixed_globals.borrow_mut().push(name);
    }

    /// Sets a module-level variable, unless it is fixed.
    pub fn set_global(&self, name: Name, slot: Slot) {
        if self.fixed_globals.borrow().contains(&name) {
            return;
        }
        let mut globals = self.globals.borrow_mut();
        if globals.len() <= name.index() {
            globals.resize_with(self.ast.name_count().max(name.index() + 1), Slot::default);
        }
        let Some(global) = globals.get_mut(name.index()) else { return };
        let old = std::mem::replace(global, slot);
        if matches!(old.binding, Binding::Unbound) {
            self.global_names.borrow_mut().push(name);
        }
        drop(globals);
        drop(old);
    }

    /// Sets a module-level variable unless the text itself assigned it a value other than a node. Returns the previous
    /// slot.
    pub fn set_unless_written(&self, name: Name, slot: Slot) -> Option<Slot> {
        let known = self.globals.borrow().get(name.index()).cloned().unwrap_or_default();
        let is_script = matches!(known.binding, Binding::Value(ScriptValue::Node(_)));
        let is_free = known.place == TextRange::default() || is_script;
        is_free.then(|| {
            self.set_global(name, slot);
            known
        })
    }

    /// Tests whether the text itself assigned a module-level variable.
    pub fn is_written(&self, name: Name) -> bool {
        self.globals.borrow().get(name.index()).is_some_and(|slot| slot.place != TextRange::default())
    }

    /// The binding of one of Python's built-in names that the text does not rebind.
    pub(crate) fn builtin(&self, name: Name) -> Binding {
        if self.is_written(name) { Binding::Unbound } else { self.global(name) }
    }

    pub(crate) fn bound_globals(&self) -> Vec<Name> {
        self.global_names.borrow().clone()
    }

    /// The value of a module-level name; fails for names with another binding.
    #[inline]
    pub(crate) fn global_value(&self, name: Name) -> crate::errors::EvalResult<ScriptValue> {
        match self.globals.borrow().get(name.index()) {
            Some(Slot { binding: Binding::Value(value), .. }) => Ok(value.clone()),
            _ => Err(Reported(())),
        }
    }

    /// The binding of a module-level name.
    pub fn global(&self, name: Name) -> Binding {
        self.globals.borrow().get(name.index()).map_or(Binding::Unbound, |slot| slot.binding.clone())
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A range of the text.
    pub fn text_of(&self, range: TextRange) -> &str {
        self.text.get(range.to_usize()).unwrap_or("")
    }

    /// Runs `f` with a state and a host of its own, for functions that other code calls back. Its errors become the
    /// result's.
    pub(crate) fn call_back<R>(
        self: &Rc<Self>,
        f: impl FnOnce(&mut Eval<'_>) -> crate::errors::EvalResult<R>,
    ) -> Result<R, BuildError> {
        let spare = self.spare.borrow_mut().pop();
        let mut state = spare.unwrap_or_else(|| EvalState::new(self.clone()));
        let (mut f, mut result) = (Some(f), Err(Reported(())));
        (self.lend_host)(&mut |host| {
            if let Some(f) = f.take() {
                result = f(&mut Eval::new(&mut state, host));
            }
        });
        let errors = std::mem::take(&mut state.diagnostics.errors);
        self.inner_warnings.borrow_mut().append(&mut state.diagnostics.warnings);
        self.spare.borrow_mut().push(state);
        result.map_err(|_| InnerErrors::new(errors).into())
    }
}

/// Errors of a function that was called back, on their way through the calling code.
#[derive(Debug, Clone)]
pub(crate) struct InnerErrors(Arc<std::sync::Mutex<Vec<EvalError>>>);

impl InnerErrors {
    fn new(errors: Vec<EvalError>) -> InnerErrors {
        InnerErrors(Arc::new(std::sync::Mutex::new(errors)))
    }

    pub(crate) fn take(&self) -> Vec<EvalError> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(|e| e.into_inner()))
    }
}

impl std::fmt::Display for InnerErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.0.lock().unwrap_or_else(|e| e.into_inner());
        errors.first().map_or(Ok(()), |e| e.kind.fmt(f))
    }
}

impl std::error::Error for InnerErrors {}
