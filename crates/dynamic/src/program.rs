//! Programs: the values and errors of a thread's builder calls by name.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

use tvmscript_ir_core::{Object, Registry};
use tvmscript_irbuilder::{
    BuildError, BuildErrors, BuildResult, CallArgs, HostObject, RecordedError, ScriptValue,
};
use tvmscript_script_eval::{EvalResult, Indices, Operator};
use tvmscript_script_parser::{OpenScope, Operations, ParseOptions};

use crate::value::FAILED;
use crate::{Arg, Value};

thread_local! {
    static PROGRAMS: RefCell<Vec<Rc<State>>> = const { RefCell::new(Vec::new()) };
}

/// The state of a program.
struct State {
    registry: &'static Registry,
    values: RefCell<Vec<ScriptValue>>,
    /// The values of imported names.
    names: RefCell<HashMap<String, ScriptValue>>,
    /// The values of paths that were called.
    paths: RefCell<HashMap<String, ScriptValue>>,
    /// `None` while an operation runs, which may run others.
    operations: RefCell<Option<Operations<'static>>>,
    errors: RefCell<Vec<RecordedError>>,
}

/// A program of this thread. Values belong to the innermost one; dropping it ends them.
#[must_use]
pub struct Program(Rc<State>);

impl Program {
    /// Starts a program with the dialects of a registry.
    pub fn new(registry: &'static Registry) -> Program {
        let state = Rc::new(State {
            registry,
            values: RefCell::default(),
            names: RefCell::default(),
            paths: RefCell::default(),
            operations: RefCell::default(),
            errors: RefCell::default(),
        });
        PROGRAMS.with_borrow_mut(|programs| programs.push(state.clone()));
        Program(state)
    }

    /// `from module import member as name`
    #[track_caller]
    pub fn import(&self, module: &str, member: &str, name: &str) {
        self.bind(module, Some(member), name);
    }

    /// `import module as name`
    #[track_caller]
    pub fn import_module(&self, module: &str, name: &str) {
        self.bind(module, None, name);
    }

    #[track_caller]
    fn bind(&self, module: &str, member: Option<&str>, name: &str) {
        let caller = Location::caller();
        let value = self.0.run(caller, |operations| {
            let path = member.map(|member| format!("{module}.{member}"));
            Ok(operations.name(path.as_deref().unwrap_or(module)))
        });
        if let Some(value) = value {
            self.0.names.borrow_mut().insert(name.to_owned(), value);
        }
    }

    /// The node that the program built.
    ///
    /// # Errors
    /// All errors of its operations, or that the value is not a node.
    #[track_caller]
    pub fn finish(self, result: Value) -> Result<Object, BuildErrors> {
        let caller = Location::caller();
        let value = self.0.get(result);
        let mut errors = self.0.errors.take().into_iter();
        if let Some(first) = errors.next() {
            return Err(BuildErrors { first, rest: errors.collect() });
        }
        let found = match value {
            Some(ScriptValue::Node(node)) => return Ok(node),
            Some(other) => other.type_name(),
            None => "no value of the program".to_owned(),
        };
        let error = BuildError::expected("a node", found);
        Err(BuildErrors { first: RecordedError { error, caller }, rest: Vec::new() })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let state = PROGRAMS.with_borrow_mut(|programs| {
            let index = programs.iter().rposition(|state| Rc::ptr_eq(state, &self.0))?;
            Some(programs.remove(index))
        });
        // Values may end in code that asks for the program.
        drop(state);
    }
}

impl State {
    /// Runs an operation, and records its errors.
    fn run<R>(
        &self,
        caller: &'static Location<'static>,
        operation: impl FnOnce(&mut Operations<'static>) -> EvalResult<R>,
    ) -> Option<R> {
        let idle = self.operations.take();
        let options = ParseOptions::default();
        let mut operations = idle.or_else(|| Operations::new(self.registry, &options))?;
        let result = operation(&mut operations);
        for error in operations.take_errors() {
            let mut recorded = BuildError::message(error.to_string());
            recorded.help = error.help.as_ref().map(|help| help.to_string().into());
            self.errors.borrow_mut().push(RecordedError { error: recorded, caller });
        }
        self.operations.borrow_mut().get_or_insert(operations);
        result.ok()
    }

    fn fail(&self, caller: &'static Location<'static>, error: BuildError) -> Value {
        self.errors.borrow_mut().push(RecordedError { error, caller });
        FAILED
    }

    fn get(&self, value: Value) -> Option<ScriptValue> {
        self.values.borrow().get(value.number() as usize).cloned()
    }

    fn add(&self, value: ScriptValue) -> Value {
        let mut values = self.values.borrow_mut();
        match u32::try_from(values.len()) {
            Ok(number) if number != u32::MAX => {
                values.push(value);
                Value::from_number(number)
            }
            _ => FAILED,
        }
    }

    /// The value at a path of names.
    fn path(&self, path: &str, caller: &'static Location<'static>) -> Option<ScriptValue> {
        if let Some(known) = self.paths.borrow().get(path) {
            return Some(known.clone());
        }
        let mut names = path.split('.');
        let first = names.next().unwrap_or_default();
        let bound = self.names.borrow().get(first).cloned();
        let value = self.run(caller, |operations| {
            let first = bound.unwrap_or_else(|| operations.name(first));
            names.try_fold(first, |value, name| operations.attribute(&value, name))
        })?;
        self.paths.borrow_mut().insert(path.to_owned(), value.clone());
        Some(value)
    }

    /// The arguments of a call; `None` if one of them failed.
    fn args(&self, args: &[Arg<'_>]) -> Option<CallArgs> {
        let mut bound = CallArgs::default();
        for Arg { keyword, value } in args {
            let value = self.get(*value)?;
            match keyword {
                Some(keyword) => bound.keywords.push(((*keyword).into(), value)),
                None => bound.positional.push(value),
            }
        }
        Some(bound)
    }
}

/// The innermost program of the thread.
fn innermost() -> Option<Rc<State>> {
    PROGRAMS.with_borrow(|programs| programs.last().cloned())
}

/// Stores a value.
pub(crate) fn add(value: ScriptValue) -> Value {
    innermost().map_or(FAILED, |program| program.add(value))
}

/// A stored value.
pub(crate) fn get(value: Value) -> Option<ScriptValue> {
    innermost()?.get(value)
}

/// Runs an operation on values, unless one of them failed.
#[track_caller]
pub(crate) fn operation<const N: usize>(
    operands: [Value; N],
    operation: impl FnOnce(&mut Operations<'static>, [&ScriptValue; N]) -> EvalResult<ScriptValue>,
) -> Value {
    let caller = Location::caller();
    let Some(program) = innermost() else { return FAILED };
    let values = operands.map(|operand| program.get(operand));
    if values.iter().any(Option::is_none) {
        return FAILED;
    }
    let values = values.map(Option::unwrap_or_default);
    let result = program.run(caller, |operations| operation(operations, values.each_ref()));
    result.map_or(FAILED, |value| program.add(value))
}

/// Applies an operator of Python to as many values as it takes.
#[track_caller]
pub fn operate(operator: Operator, operands: &[Value]) -> Value {
    let caller = Location::caller();
    let Some(program) = innermost() else { return FAILED };
    let values: Option<Vec<ScriptValue>> = operands.iter().map(|operand| program.get(*operand)).collect();
    let Some(values) = values else { return FAILED };
    let result = program.run(caller, |operations| operations.operate(operator, &values));
    result.map_or(FAILED, |value| program.add(value))
}

#[track_caller]
pub(crate) fn subscript(value: Value, items: &[Arg<'_>]) -> Value {
    let Some(items) = innermost().and_then(|program| program.args(items)) else { return FAILED };
    let items = items.positional;
    operation([value], |operations, [value]| {
        let is_tuple = items.len() != 1;
        operations.subscript(value, Indices { items, is_tuple })
    })
}

#[track_caller]
pub(crate) fn call_value(callee: Value, args: &[Arg<'_>]) -> Value {
    let Some(args) = innermost().and_then(|program| program.args(args)) else { return FAILED };
    operation([callee], |operations, [callee]| operations.call(callee, args))
}

/// Calls the function at a path: a name that the program imported, or one of Python (`float`), and attributes.
#[track_caller]
pub fn call(path: &str, args: &[Arg<'_>]) -> Value {
    let caller = Location::caller();
    let Some(program) = innermost() else { return FAILED };
    let (Some(callee), Some(args)) = (program.path(path, caller), program.args(args)) else { return FAILED };
    let result = program.run(caller, |operations| operations.call(&callee, args));
    result.map_or(FAILED, |value| program.add(value))
}

#[track_caller]
pub(crate) fn name(path: &str) -> Value {
    let caller = Location::caller();
    let Some(program) = innermost() else { return FAILED };
    program.path(path, caller).map_or(FAILED, |value| program.add(value))
}

#[track_caller]
pub(crate) fn items<const N: usize>(value: Value) -> [Value; N] {
    let caller = Location::caller();
    let failed = [FAILED; N];
    let Some((program, value)) = innermost().and_then(|program| {
        let value = program.get(value)?;
        Some((program, value))
    }) else {
        return failed;
    };
    let Some(items) = program.run(caller, |operations| operations.items(&value)) else { return failed };
    let values: Vec<Value> = items.into_iter().map(|item| program.add(item)).collect();
    let found = values.len();
    values.try_into().unwrap_or_else(|_| {
        program.fail(caller, BuildError::message(format!("expected {N} values, found {found}")));
        failed
    })
}

pub(crate) fn collect(items: &[Arg<'_>], make: impl FnOnce(Vec<ScriptValue>) -> ScriptValue) -> Value {
    let Some(program) = innermost() else { return FAILED };
    match program.args(items) {
        Some(items) => program.add(make(items.positional.into_vec())),
        None => FAILED,
    }
}

#[track_caller]
pub(crate) fn dict(entries: &[Arg<'_>]) -> Value {
    let pairs: Vec<Arg<'_>> = entries.chunks(2).map(|pair| Arg::new(crate::tuple(pair))).collect();
    call("dict", &[Arg::new(crate::list(&pairs))])
}

/// A function of the program as a value.
struct Function<F> {
    names: Vec<String>,
    body: F,
}

impl<F: Fn(&[Value]) -> Value + 'static> HostObject for Function<F> {
    fn type_name(&self) -> &str {
        "a function"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        let names = || ScriptValue::tuple(self.names.iter().map(|name| ScriptValue::str(name)));
        (name == "__parameters__").then(names)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        let (count, found) = (self.names.len(), args.positional.len());
        let values: Vec<Value> = args.positional.into_iter().map(add).collect();
        if found != count {
            return Err(BuildError::message(format!("the function takes {count} arguments, not {found}")));
        }
        get((self.body)(&values)).ok_or_else(|| BuildError::message("the function fails"))
    }
}

pub(crate) fn function(names: &[&str], body: impl Fn(&[Value]) -> Value + 'static) -> Value {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    add(ScriptValue::host(Function { names, body }))
}

/// An open scope. Dropping it leaves the scope.
#[must_use]
pub struct Scope {
    program: Option<Rc<State>>,
    open: Option<OpenScope>,
    value: Value,
    caller: &'static Location<'static>,
}

/// Enters a scope: a builder, or what a function like `T.serial` returns.
#[track_caller]
pub fn with(scope: Value) -> Scope {
    let caller = Location::caller();
    let mut entered = Scope { program: innermost(), open: None, value: FAILED, caller };
    if let Some(program) = &entered.program
        && let Some(scope) = program.get(scope)
        && let Some((value, open)) = program.run(caller, |operations| operations.enter(&scope))
    {
        entered.value = program.add(value);
        entered.open = Some(open);
    }
    entered
}

impl Scope {
    /// The value that the scope gives: a loop variable, several of them, or nothing.
    pub fn value(&self) -> Value {
        self.value
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if let (Some(program), Some(open)) = (&self.program, self.open.take()) {
            // Errors are recorded.
            program.run(self.caller, |operations| operations.leave(open));
        }
    }
}
