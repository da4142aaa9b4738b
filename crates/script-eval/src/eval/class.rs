//! Plain classes of host code: members, instances and bound methods.
//!
//! A class body runs as in Python. Its methods run when they are called, or are explored for the scripts in them.
//! Members inherited from an unknown class are unknown.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, HostObject, ScriptValue, release};

use super::exception::{self, ExceptionState};
use super::placeholder::as_placeholder;
use super::record::Record;
use super::{Cause, Closure, Env, Placeholder, Raise};
use crate::binding::Binding;
use crate::errors::Result;
use crate::python::builtins::Builtin;
use crate::python::{Outcome, exceptions};
use crate::{Evaluator, Host, Program};
use tvmscript_python_syntax::ast::{ClassDef, Expr, ExprId, Name, Stmt, StmtId, TextRange};

/// Binding of a method on access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MethodKind {
    /// To the instance.
    #[default]
    Plain,
    /// Not at all: `@staticmethod`.
    Static,
    /// To the class: `@classmethod`.
    Class,
    /// Called when it is read: `@property`.
    Property,
}

/// A plain class.
pub(crate) struct ClassObject {
    program: Rc<Program>,
    name: Name,
    place: TextRange,
    env: Rc<Env>,
    pub(super) bases: Vec<ScriptValue>,
    /// `true` if all bases are known. Others may replace members, as enumerations do.
    is_plain: bool,
    /// The declared fields of a dataclass or named tuple.
    pub(super) record: Option<Record>,
    /// `true` for test classes whose bare methods are scripts.
    compares: bool,
}

impl HostObject for ClassObject {
    fn type_name(&self) -> &str {
        "a class"
    }
    fn is_callable(&self) -> bool {
        true
    }
}

impl Drop for ClassObject {
    fn drop(&mut self) {
        let defaults = self.record.take().into_iter().flat_map(|record| record.fields);
        release(self.bases.drain(..).chain(defaults.filter_map(|(_, default)| default)));
    }
}

impl ClassObject {
    pub(super) fn name(&self) -> &str {
        self.program.ast.name(self.name)
    }

    /// Looks up a member in the class and its bases, in breadth of declaration.
    pub(super) fn member(&self, name: &str) -> Option<ScriptValue> {
        let ast = &self.program.ast;
        if name == "__name__" {
            return Some(ScriptValue::str(ast.name(self.name)));
        }
        let name = ast.find_name(name)?;
        let (mut work, mut seen) = (vec![self], HashSet::new());
        while let Some(class) = work.pop() {
            if !seen.insert(std::ptr::from_ref(class)) {
                continue;
            }
            match class.env.own(name) {
                Some(Binding::Value(value)) if class.is_plain || is_definition(&value) => return Some(value),
                // An unknown base may have replaced the member.
                Some(Binding::Value(_)) => {
                    let reason = format!("members of the class `{}` are not evaluated", ast.name(class.name));
                    return Some(Placeholder::new(Cause::Statement(reason.into()), class.place).value());
                }
                Some(Binding::Unknown(placeholder)) => return Some(ScriptValue::Host(placeholder)),
                Some(Binding::Poison) => return None,
                Some(Binding::Unbound) | None => {}
            }
            work.extend(class.bases.iter().rev().filter_map(|base| base.as_host::<ClassObject>()));
        }
        None
    }
}

/// Tests whether a base class leaves the members of its subclasses unchanged.
fn is_plain_base(base: &ScriptValue) -> bool {
    match (base.as_host::<ClassObject>(), as_placeholder(base)) {
        (Some(class), _) => class.is_plain,
        // Members of integer enumerations are integers; the other bases add nothing.
        (_, Some(Placeholder { cause: Cause::Module(path), .. })) => {
            matches!(&**path, "enum.IntEnum" | "enum.IntFlag" | "abc.ABC" | "typing.Protocol")
                || is_named_tuple(path)
        }
        (_, Some(_)) => false,
        _ => base.as_host::<Builtin>().is_some_and(Builtin::is_type),
    }
}

pub(super) fn is_named_tuple(path: &str) -> bool {
    matches!(path, "typing.NamedTuple" | "typing_extensions.NamedTuple")
}

/// Tests whether a member was made by a definition.
fn is_definition(value: &ScriptValue) -> bool {
    matches!(value, ScriptValue::Node(_))
        || value.as_host::<Closure>().is_some()
        || value.as_host::<ClassObject>().is_some()
}

/// An instance of a plain class.
pub(crate) struct Instance {
    pub(super) class: ScriptValue,
    pub(super) fields: RefCell<HashMap<Name, ScriptValue>>,
    /// The state of an exception.
    pub(super) exception: Option<Box<ExceptionState>>,
}

impl Instance {
    pub(crate) fn value(class: ScriptValue) -> ScriptValue {
        ScriptValue::host(Instance { class, fields: RefCell::new(HashMap::new()), exception: None })
    }

    /// An instance of an exception class.
    pub(crate) fn exception(class: ScriptValue, state: Box<ExceptionState>) -> ScriptValue {
        ScriptValue::host(Instance { class, fields: RefCell::new(HashMap::new()), exception: Some(state) })
    }
}

impl HostObject for Instance {
    fn type_name(&self) -> &str {
        if self.exception.is_none() {
            return "an instance";
        }
        match (exceptions::class_name(&self.class), self.class.as_host::<ClassObject>()) {
            (Some(name), _) => name,
            (None, Some(class)) => class.name(),
            (None, None) => "an instance",
        }
    }
    /// Returns the fields of a named tuple.
    fn items(&self) -> Option<Vec<ScriptValue>> {
        let class = self.class.as_host::<ClassObject>()?;
        let record = class.record.as_ref().filter(|record| record.is_tuple)?;
        let fields = self.fields.borrow();
        record.fields.iter().map(|(name, _)| fields.get(name).cloned()).collect()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let fields = std::mem::take(self.fields.get_mut()).into_values();
        release(fields.chain([std::mem::take(&mut self.class)]));
    }
}

/// A method bound to an instance or class.
pub(crate) struct BoundMethod {
    pub(crate) function: ScriptValue,
    pub(crate) receiver: ScriptValue,
}

impl HostObject for BoundMethod {
    fn type_name(&self) -> &str {
        "a method"
    }
    fn is_callable(&self) -> bool {
        true
    }
}

impl Drop for BoundMethod {
    fn drop(&mut self) {
        release([&mut self.function, &mut self.receiver].map(std::mem::take));
    }
}

/// Methods by which classes define operators, separated by spaces.
const OPERATORS: &str = "__add__ __and__ __bool__ __contains__ __eq__ __floordiv__ __ge__ __getitem__ __gt__ __hash__ \
    __invert__ __iter__ __le__ __len__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ \
    __pow__ __radd__ __rmul__ __rshift__ __rsub__ __sub__ __truediv__ __xor__";

impl Evaluator {
    /// Returns a placeholder for the operand of an operator if its class may define operators.
    pub(crate) fn unknown_operand(&self, value: &ScriptValue, compares: bool) -> Option<Placeholder> {
        let class = value.as_host::<Instance>()?.class.as_host::<ClassObject>()?;
        let defines = |name: &str| class.member(name).is_some();
        if class.is_plain && !OPERATORS.split(' ').any(defines) && !(compares && class.record.is_some()) {
            return None;
        }
        Some(self.unknown_instance(class))
    }

    /// A placeholder for an instance that is not evaluated.
    pub(super) fn unknown_instance(&self, class: &ClassObject) -> Placeholder {
        let reason = format!("instances of the class `{}` are not evaluated", self.ast.name(class.name));
        Placeholder::new(Cause::Statement(reason.into()), self.statement.unwrap_or_default())
    }

    /// Returns a placeholder for an instance, to explain why an operation on it failed.
    pub(crate) fn failed_instance(&self, value: &ScriptValue) -> Option<Placeholder> {
        let class = value.as_host::<Instance>()?.class.as_host::<ClassObject>()?;
        Some(self.unknown_instance(class))
    }

    /// `value.name = new`; returns `false` if the value is neither a plain class nor an instance of one.
    pub(crate) fn set_class_attribute(&mut self, value: &ScriptValue, name: Name, new: ScriptValue) -> bool {
        if let Some(instance) = value.as_host::<Instance>() {
            let old = instance.fields.borrow_mut().insert(name, new);
            drop(old);
            return true;
        }
        match value.as_host::<ClassObject>() {
            Some(class) => class.env.set(name, Binding::of(new)),
            None => false,
        }
    }
}

impl dyn Host + '_ {
    /// Runs the body of a class that is not a script.
    pub(crate) fn plain_class(&mut self, id: StmtId, def: ClassDef) -> Result<ScriptValue> {
        let ast = self.ast.clone();
        let mut bases = Vec::with_capacity(def.bases.len());
        for base in ast.list(def.bases) {
            bases.push(self.eval(*base)?);
        }
        let inherits = |base: &ScriptValue| base.as_host::<ClassObject>().is_some_and(|c| c.compares);
        let compares =
            ast.list(def.bases).iter().any(|base| self.is_comparison(*base)) || bases.iter().any(inherits);
        let is_compared = self.compares
            && Host::bare_scripts(self).is_some_and(|bare| bare.methods.contains(&ast.name(def.name)));
        let names = self.program.local_names.class(id, || super::walk::bound_names(&ast, def.body));
        let env = Env::of_class(names, self.env.clone());
        self.program.keep_environment(&env);
        let start = self.explorer.units.len();
        let marks = self.test_marks(def.decorators)?;
        let around = std::mem::replace(&mut self.compares, compares);
        let ran = self.within(def.name, |p| {
            p.in_environment(Some(env.clone()), |p| {
                with_stack(|| p.exec_body(def.body))?;
                p.read_bare_scripts(def, compares, is_compared);
                Ok(())
            })
        });
        self.compares = around;
        ran?;
        let is_plain = bases.iter().all(is_plain_base);
        let record = self.record(def, &bases, &env);
        let (program, place) = (self.program.clone(), ast.range(def.name_place));
        let class = ScriptValue::host(ClassObject {
            program,
            name: def.name,
            place,
            env: env.clone(),
            bases,
            is_plain,
            record,
            compares,
        });
        for unit in self.explorer.units.iter_mut().skip(start).filter(|unit| unit.is_method_of(&env)) {
            unit.owner = Some(class.clone());
            unit.add_marks(&marks);
        }
        Ok(class)
    }

    /// Tests whether an expression names the base of test classes that compare two scripts.
    fn is_comparison(&self, base: ExprId) -> bool {
        let name = match *self.ast.expr(base) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => self.ast.name(name),
            _ => return false,
        };
        Host::bare_scripts(self).is_some_and(|bare| name.ends_with(bare.base_suffix))
    }

    /// Reads the bare methods of a comparing test class as scripts, since its base decorates them.
    fn read_bare_scripts(&mut self, def: ClassDef, compares: bool, is_compared: bool) {
        let Some(bare) = Host::bare_scripts(self).filter(|_| compares || is_compared) else { return };
        let ast = self.ast.clone();
        for id in ast.list(def.body) {
            let Stmt::FunctionDef(method) = *ast.stmt(*id) else { continue };
            let name = ast.name(method.name);
            let takes_self = ast.list(method.params).first().is_some_and(|p| p.annotation.is_none());
            if takes_self || !method.decorators.is_empty() || !is_compared && !bare.methods.contains(&name) {
                continue;
            }
            let place = ast.range(method.name_place);
            let binding = match self.bare_script(*id, method) {
                None => continue,
                Some(Ok(value)) => Binding::of(value),
                Some(Err(_)) => Binding::Poison,
            };
            self.set_host(method.name, binding, place);
        }
    }

    /// Looks up an attribute of a class or instance; `None` for other values.
    pub(crate) fn class_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
    ) -> Option<Result<Option<ScriptValue>, Raise>> {
        let ScriptValue::Host(host) = value else { return None };
        let any = host.as_any();
        if let Some(class) = any.downcast_ref::<ClassObject>() {
            let member = class.member(name);
            return Some(Ok(member.map(|member| match member.as_host::<Closure>() {
                Some(function) if function.kind == MethodKind::Class => bound(member, value),
                _ => member,
            })));
        }
        let instance = any.downcast_ref::<Instance>()?;
        let field = self.ast.find_name(name);
        let field = field.and_then(|name| instance.fields.borrow().get(&name).cloned());
        if field.is_some() {
            return Some(Ok(field));
        }
        let member = instance.class.as_host::<ClassObject>().and_then(|class| class.member(name));
        let Some(member) = member else { return Some(Ok(exception::attribute(value, name))) };
        Some(match member.as_host::<Closure>().map(|function| function.kind) {
            Some(MethodKind::Plain) => Ok(Some(bound(member, value))),
            Some(MethodKind::Class) => Ok(Some(bound(member, &instance.class))),
            Some(MethodKind::Property) => {
                self.call_value(&member, CallArgs::positional([value.clone()])).map(Some)
            }
            Some(MethodKind::Static) | None => Ok(Some(member)),
        })
    }

    pub(crate) fn instantiate(&mut self, value: &ScriptValue, mut args: CallArgs) -> Outcome {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(ScriptValue::None) };
        let is_exception = exception::is_class(value);
        let instance = match is_exception {
            true => Instance::exception(value.clone(), ExceptionState::new(args.positional.iter().cloned())),
            false => Instance::value(value.clone()),
        };
        let is_empty = args.positional.is_empty() && args.keywords.is_empty();
        match class.member("__init__") {
            Some(init) if init.as_host::<Closure>().is_some() => {
                args.positional.insert(0, instance.clone());
                self.call_value(&init, args)?;
            }
            None if class.record.is_some() => return self.new_record(value, args),
            None if is_exception => {
                exception::init(self, &instance, args)?;
            }
            None if is_empty => {}
            None => return Err(Raise::Unknown(self.unknown_instance(class))),
            Some(_) => return Err(Raise::Unknown(self.unknown_instance(class))),
        }
        Ok(instance)
    }
}

fn bound(function: ScriptValue, receiver: &ScriptValue) -> ScriptValue {
    ScriptValue::host(BoundMethod { function, receiver: receiver.clone() })
}
