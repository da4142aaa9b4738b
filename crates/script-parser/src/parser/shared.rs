//! What all parsers of one text share: the tree, the tables, the variables of the module level, the budget.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use tvmscript_ir_core::{Registry, SourceId, TextProfile, node_bytes_made};
use tvmscript_irbuilder::{Dict, Items, Names, ScriptValue};

use super::{ParseOptions, Parser};
use crate::errors::{ParseError, ParseErrorKind};
use crate::eval::{Env, LocalNames, Raise};
use crate::scope::{Binding, Slot};
use crate::table::{ParseTable, Parsers};
use tvmscript_python_syntax::ast::{Ast, Name, TextRange};

/// How many steps lie between two looks at the size of the nodes.
const STEPS_PER_LOOK: u64 = 64;

/// Memory of a container that is remembered.
const CIRCLE_BYTES: u64 = 96;

/// A container that may hold itself.
enum Container {
    List(Weak<RefCell<Items>>),
    Dict(Weak<RefCell<Dict>>),
}

/// What all parsers of one text share.
pub(crate) struct Shared {
    pub(crate) ast: Rc<Ast>,
    text: Box<str>,
    pub(crate) source: SourceId,
    pub(crate) table: Arc<ParseTable>,
    pub(crate) profile: &'static TextProfile,
    /// The dialects' names, in the order of the registry.
    pub(crate) namespaces: Vec<(&'static str, Arc<Names>)>,
    globals: RefCell<Vec<Slot>>,
    global_names: RefCell<Vec<Name>>,
    pub(crate) local_names: LocalNames,
    /// Characters of long texts by number.
    pub(crate) text_indexes: crate::host::text_index::TextIndexes,
    steps: Cell<u64>,
    exhausted: Cell<bool>,
    memory: Cell<u64>,
    call_depth: Cell<u32>,
    /// How many `try` statements are open.
    tries: Cell<u32>,
    max_steps: u64,
    max_node_bytes: u64,
    /// What nodes of this thread took before.
    node_bytes_before: u64,
    max_memory: u64,
    max_call_depth: u32,
    pub(crate) max_errors: usize,
    /// Environments that functions hold: they may hold those functions in turn.
    environments: RefCell<Vec<Weak<Env>>>,
    /// Containers that were given containers: they may hold themselves. By address.
    circles: RefCell<HashMap<usize, Container>>,
    /// Parsers for functions that a dialect calls back.
    spare: RefCell<Vec<Parser<'static>>>,
}

impl Shared {
    pub(crate) fn new(
        ast: Ast,
        text: &str,
        source: SourceId,
        registry: &Registry,
        profile: &'static TextProfile,
        options: &ParseOptions,
    ) -> Shared {
        let table = registry.slot::<Parsers>().map(|p| p.table().clone()).unwrap_or_default();
        let names = registry.slot::<tvmscript_irbuilder::Namespaces>();
        let namespaces = registry
            .dialects()
            .iter()
            .map(|dialect| (*dialect, names.and_then(|n| n.dialect(dialect)).cloned().unwrap_or_default()));
        let max_steps = options.max_steps.saturating_add(2 * ast.expr_count() as u64);
        Shared {
            text: text.into(),
            source,
            namespaces: namespaces.collect(),
            table,
            profile,
            globals: RefCell::new(Vec::new()),
            global_names: RefCell::new(Vec::new()),
            local_names: LocalNames::default(),
            text_indexes: Default::default(),
            steps: Cell::new(max_steps),
            exhausted: Cell::new(false),
            memory: Cell::new(options.max_memory_bytes),
            call_depth: Cell::new(0),
            tries: Cell::new(0),
            max_steps,
            max_node_bytes: options.max_node_bytes,
            node_bytes_before: node_bytes_made(),
            max_memory: options.max_memory_bytes,
            max_call_depth: options.max_call_depth,
            max_errors: options.max_errors.max(1),
            environments: RefCell::new(Vec::new()),
            circles: RefCell::default(),
            spare: RefCell::new(Vec::new()),
            ast: Rc::new(ast),
        }
    }

    /// Takes steps off the budget.
    #[inline]
    pub(crate) fn step(&self, count: u64) -> Result<(), Raise> {
        let before = self.steps.get();
        match before.checked_sub(count) {
            Some(left) => {
                self.steps.set(left);
                if left / STEPS_PER_LOOK == before / STEPS_PER_LOOK { Ok(()) } else { self.check_nodes() }
            }
            None => Err(self.no_steps()),
        }
    }

    /// Looks whether the nodes that were built are too large.
    #[inline]
    pub(crate) fn check_nodes(&self) -> Result<(), Raise> {
        let made = node_bytes_made().wrapping_sub(self.node_bytes_before);
        if made <= self.max_node_bytes { Ok(()) } else { Err(self.too_large()) }
    }

    #[cold]
    fn too_large(&self) -> Raise {
        // Said once: afterwards nothing more can be built.
        if self.exhausted.replace(true) {
            return Raise::Reported;
        }
        Raise::Kind(ParseErrorKind::TooLargeProgram { limit: self.max_node_bytes })
    }

    #[cold]
    fn no_steps(&self) -> Raise {
        // Said once: afterwards nothing more can be evaluated.
        if self.exhausted.get() {
            return Raise::Reported;
        }
        self.exhausted.set(self.steps.get() < 1000);
        Raise::Kind(ParseErrorKind::TooManySteps { limit: self.max_steps })
    }

    /// Lets at most so many steps be taken until [`Shared::end_slice`], which takes what this gives.
    pub(crate) fn begin_slice(&self, steps: u64) -> u64 {
        let slice = self.steps.get().min(steps.saturating_add(2 * self.ast.expr_count() as u64));
        let reserve = self.steps.get() - slice;
        self.steps.set(slice);
        reserve
    }

    /// Whether no step is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps.get() == 0 || self.exhausted.get()
    }

    /// Gives the steps back that [`Shared::begin_slice`] kept.
    pub(crate) fn end_slice(&self, reserve: u64) {
        self.steps.set(self.steps.get().saturating_add(reserve));
        if reserve > 0 {
            self.exhausted.set(false);
        }
    }

    /// How many calls of host functions are open.
    pub(crate) fn calls(&self) -> u32 {
        self.call_depth.get()
    }

    /// How many `try` statements are open.
    pub(crate) fn open_tries(&self) -> u32 {
        self.tries.get()
    }

    /// Takes bytes off the budget. What is freed is not given back: the sum bounds the time as well.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<(), ParseErrorKind> {
        match self.memory.get().checked_sub(bytes) {
            Some(left) => {
                self.memory.set(left);
                Ok(())
            }
            None => Err(ParseErrorKind::TooMuchMemory { limit: self.max_memory }),
        }
    }

    /// Enters a call of a host function.
    pub(crate) fn enter_call(&self) -> Result<(), ParseErrorKind> {
        if self.call_depth.get() >= self.max_call_depth {
            return Err(ParseErrorKind::CallsTooDeep { limit: self.max_call_depth });
        }
        self.call_depth.set(self.call_depth.get() + 1);
        Ok(())
    }

    /// Whether the first error ends the evaluation, as in Python: inside of host functions, since what calls itself twice
    /// would fail twice at each level, and where the error may be caught.
    pub(crate) fn stops_at_first_error(&self) -> bool {
        self.call_depth.get() > 0 || self.tries.get() > 0
    }

    /// Runs `f`, whose error may be caught.
    pub(crate) fn tries<R>(&self, f: impl FnOnce() -> R) -> R {
        self.tries.set(self.tries.get() + 1);
        let result = f();
        self.tries.set(self.tries.get() - 1);
        result
    }

    /// Leaves a call of a host function.
    pub(crate) fn leave_call(&self) {
        self.call_depth.set(self.call_depth.get().saturating_sub(1));
    }

    /// Remembers an environment that a function holds.
    pub(crate) fn keep_environment(&self, env: &Rc<Env>) {
        if env.mark_held() {
            self.environments.borrow_mut().push(Rc::downgrade(env));
        }
    }

    /// Remembers a list or dictionary into which a value is put that may lead back to it.
    pub(crate) fn keep_container(&self, container: &ScriptValue, value: &ScriptValue) -> Result<(), Raise> {
        if !value.holds_values() {
            return Ok(());
        }
        let (address, container) = match container {
            ScriptValue::List(items) => (Rc::as_ptr(items).addr(), Container::List(Rc::downgrade(items))),
            ScriptValue::Dict(dict) => (Rc::as_ptr(dict).addr(), Container::Dict(Rc::downgrade(dict))),
            _ => return Ok(()),
        };
        if let Entry::Vacant(entry) = self.circles.borrow_mut().entry(address) {
            self.allocate(CIRCLE_BYTES)?;
            entry.insert(container);
        }
        Ok(())
    }

    /// Breaks the circles of containers, and of functions and the environments that hold them.
    pub(crate) fn close(&self) {
        for container in std::mem::take(&mut *self.circles.borrow_mut()).into_values() {
            match container {
                Container::List(items) => drop(items.upgrade().map(|items| items.take())),
                Container::Dict(dict) => drop(dict.upgrade().map(|dict| dict.take())),
            }
        }
        self.globals.borrow_mut().clear();
        let environments = std::mem::take(&mut *self.environments.borrow_mut());
        environments.iter().filter_map(Weak::upgrade).for_each(|env| env.clear());
        let spare = std::mem::take(&mut *self.spare.borrow_mut());
        drop(spare);
    }

    /// A variable of the module level.
    pub(crate) fn set_global(&self, name: Name, slot: Slot) {
        let mut globals = self.globals.borrow_mut();
        if globals.len() <= name.index() {
            globals.resize_with(self.ast.name_count().max(name.index() + 1), Slot::default);
        }
        let old = std::mem::replace(&mut globals[name.index()], slot);
        if matches!(old.binding, Binding::Unbound) {
            self.global_names.borrow_mut().push(name);
        }
        drop(globals);
        drop(old);
    }

    /// Gives a name of the module level a value, unless the text itself gave it one that is no script of before; gives its
    /// slot before.
    pub(crate) fn set_unless_written(&self, name: Name, slot: Slot) -> Option<Slot> {
        let known = self.globals.borrow().get(name.index()).cloned().unwrap_or_default();
        let is_script = matches!(known.binding, Binding::Value(ScriptValue::Node(_)));
        let is_free = known.place == TextRange::default() || is_script;
        is_free.then(|| {
            self.set_global(name, slot);
            known
        })
    }

    /// Whether the text itself gave a name of the module level its value.
    pub(crate) fn is_written(&self, name: Name) -> bool {
        self.globals.borrow().get(name.index()).is_some_and(|slot| slot.place != TextRange::default())
    }

    /// The names of the module level, for suggestions.
    pub(crate) fn bound_globals(&self) -> Vec<Name> {
        self.global_names.borrow().clone()
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A piece of the text.
    pub(crate) fn text_of(&self, range: TextRange) -> &str {
        self.text.get(range.to_usize()).unwrap_or("")
    }

    pub(crate) fn global(&self, name: Name) -> Binding {
        self.globals.borrow().get(name.index()).map_or(Binding::Unbound, |slot| slot.binding.clone())
    }

    /// Runs `f` with a parser of its own: for functions that a dialect calls back. What it reports is the error.
    pub(crate) fn call_back<R>(
        self: &Rc<Self>,
        f: impl FnOnce(&mut Parser<'static>) -> crate::errors::Result<R>,
    ) -> Result<R, tvmscript_irbuilder::BuildError> {
        let spare = self.spare.borrow_mut().pop();
        let mut parser = spare.unwrap_or_else(|| Parser::new(self.clone(), None));
        let result = f(&mut parser);
        let errors = std::mem::take(&mut parser.errors);
        self.spare.borrow_mut().push(parser);
        result.map_err(|_| InnerErrors::new(errors).into())
    }
}

/// Errors on their way from a function that a dialect called back, through the dialect.
#[derive(Debug, Clone)]
pub(crate) struct InnerErrors(Arc<std::sync::Mutex<Vec<ParseError>>>);

impl InnerErrors {
    fn new(errors: Vec<ParseError>) -> InnerErrors {
        InnerErrors(Arc::new(std::sync::Mutex::new(errors)))
    }

    pub(crate) fn take(&self) -> Vec<ParseError> {
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
