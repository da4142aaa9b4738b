//! Definition of classes, and their instances.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::{Str, with_stack};
use tvmscript_python_syntax::ast::{ClassDef, Constant, Expr, ExprId, Stmt, StmtId, TextRange};
use tvmscript_script_value::{CallArgs, Dict, DictKey, ScriptValue};

use super::descriptor::{Property, Wrapper, WrapperKind};
use super::mro::linearize;
use super::natives::Generated;
use super::super_object::SuperObject;
use super::{Annotation, ClassObject, Instance, Special, closure_of, is_class, is_function, lookup, mro_of};
use super::{collections_abc, enumeration, metaclass, named_tuple};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::Result;
use crate::eval::placeholder::as_placeholder;
use crate::eval::{Closure, Env, Raise, exception};
use crate::python::builtins::{self, Builtin, BuiltinKind};
use crate::python::compare::identical;
use crate::python::{Outcome, cost, object};

/// The parts of a class.
pub(crate) struct ClassParts {
    pub(crate) name: Str,
    pub(crate) place: TextRange,
    pub(crate) bases: Vec<ScriptValue>,
    /// Members in order of their definition.
    pub(crate) members: Dict,
    pub(crate) annotations: Vec<Annotation>,
    /// Keyword arguments for `__init_subclass__`.
    pub(crate) keywords: CallArgs,
    pub(crate) compares: bool,
    /// The metaclass that the class statement names.
    pub(crate) metaclass: Option<ScriptValue>,
    /// The environment of the body, whose methods refer to the class.
    pub(crate) env: Option<Rc<Env>>,
}

/// The parts of a class that its namespace does not contain, while its metaclass runs.
#[derive(Default)]
pub(crate) struct PendingClass {
    pub(super) place: TextRange,
    pub(super) annotations: Vec<Annotation>,
    pub(super) compares: bool,
    pub(super) env: Option<Rc<Env>>,
}

impl Eval<'_> {
    /// Runs the body of a class that is not a script.
    pub(crate) fn plain_class(&mut self, id: StmtId, def: ClassDef) -> Result<ScriptValue> {
        let ast = self.state.ast.clone();
        let mut bases = Vec::with_capacity(def.bases.len());
        for base in ast.list(def.bases) {
            bases.push(self.eval(*base)?);
        }
        let mut keywords = CallArgs::default();
        let mut explicit = None;
        for keyword in ast.list(def.keywords) {
            let value = self.eval(keyword.value)?;
            match keyword.arg {
                Some(name) if ast.name(name) == "metaclass" => explicit = self.known_metaclass(value),
                Some(name) => keywords.keywords.push((self.state.name_str(name), value)),
                None => {}
            }
        }
        let range = ast.range(def.name_place);
        let given = bases;
        let resolved = self.resolved_bases(&given);
        let bases = self.at_range(range, resolved)?;
        let is_callable = explicit.as_ref().is_some_and(|meta| !is_class(meta));
        let metaclass = match is_callable {
            true => explicit,
            false => self.at_range(range, metaclass::winner(explicit, &bases))?,
        };
        let metaclass_called =
            metaclass.clone().filter(|meta| is_callable || meta.as_host::<ClassObject>().is_some());
        let namespace = match &metaclass_called {
            Some(meta) => {
                let name = self.state.name_str(def.name);
                let prepared = self.prepared(meta, &name, &bases, &keywords);
                self.at_range(range, prepared)?
            }
            None => None,
        };
        let inherits = |base: &ScriptValue| base.as_host::<ClassObject>().is_some_and(|c| c.compares);
        let compares =
            ast.list(def.bases).iter().any(|base| self.is_comparison(*base)) || bases.iter().any(inherits);
        let is_compared = self.state.compares
            && self.host.bare_scripts().is_some_and(|bare| bare.methods.contains(&ast.name(def.name)));
        let names = self
            .state
            .program
            .local_names
            .class(id, def.name, || crate::eval::walk::bound_names(&ast, def.body));
        let qualified = format!("{}{}", self.qualified_prefix(), ast.name(def.name));
        let env = Env::of_call(names, self.state.env.clone(), Some(qualified.into()));
        self.state.program.keep_environment(&env);
        if bases.iter().any(|base| self.is_enum_base(base)) {
            env.begin_enumeration(bases.clone());
        }
        let start = self.state.explorer.units.len();
        let marks = self.test_marks(def.decorators)?;
        let around = std::mem::replace(&mut self.state.compares, compares);
        let ran = self.within(def.name, |p| {
            p.in_environment(Some(env.clone()), |p| {
                with_stack(|| p.exec_body(def.body))?;
                p.read_bare_scripts(def, compares, is_compared);
                Ok(())
            })
        });
        self.state.compares = around;
        ran?;
        let mut members = self.class_members(def, &env).map_err(|raise| self.raise(range, None, raise))?;
        if given.len() != bases.len() || given.iter().zip(&bases).any(|(a, b)| !identical(a, b)) {
            members.insert(DictKey::text("__orig_bases__"), ScriptValue::tuple(given));
        }
        let parts = ClassParts {
            name: self.state.name_str(def.name),
            place: ast.range(def.name_place),
            bases,
            members,
            annotations: self.class_annotations(def),
            keywords,
            compares,
            metaclass,
            env: Some(env.clone()),
        };
        let class = match &metaclass_called {
            Some(meta) => self.call_metaclass(meta, parts, namespace),
            None => self.make_class(parts),
        };
        let class = class.map_err(|raise| self.raise(range, None, raise));
        let owner = match &class {
            Ok(class) => class.clone(),
            // The units of a failed class are explored without a receiver.
            Err(_) => return class,
        };
        for unit in self.state.explorer.units.iter_mut().skip(start).filter(|unit| unit.is_method_of(&env)) {
            unit.owner = Some(owner.clone());
            unit.add_marks(&marks);
        }
        class
    }

    /// A metaclass whose behaviour is known. Others are assumed to change nothing.
    fn known_metaclass(&self, value: ScriptValue) -> Option<ScriptValue> {
        Some(value).filter(|value| self.state.unknown(value).is_none())
    }

    fn at_range<T>(&mut self, range: TextRange, result: Result<T, Raise>) -> Result<T> {
        result.map_err(|raise| self.raise(range, None, raise))
    }

    /// The members that a class body bound, in the order of its statements.
    fn class_members(&mut self, def: ClassDef, env: &Rc<Env>) -> Result<Dict, Raise> {
        let ast = self.state.ast.clone();
        let mut members = Dict::new();
        let qualified = env.prefix().unwrap_or_default();
        members.insert(DictKey::text("__module__"), ScriptValue::str("__main__"));
        members.insert(DictKey::text("__qualname__"), ScriptValue::str(&qualified));
        members.insert(DictKey::text("__doc__"), self.doc_of(def));
        let mut order = Vec::new();
        for id in ast.list(def.body) {
            order.extend(crate::eval::walk::names_bound_by(&ast, *id));
        }
        order.extend(env.own_names());
        for name in order {
            let value = match env.own(name) {
                Some(Binding::Value(value)) => value,
                Some(Binding::Unknown(placeholder)) => ScriptValue::Host(placeholder),
                Some(Binding::Unbound | Binding::Poison) | None => continue,
            };
            self.state.program.budget.allocate(cost::ENTRY_BYTES)?;
            let text = mangled(ast.name(def.name), ast.name(name));
            members.insert(DictKey::text(&*text), value);
        }
        Ok(members)
    }

    fn doc_of(&self, def: ClassDef) -> ScriptValue {
        let first = self.state.ast.list(def.body).first().map(|id| *self.state.ast.stmt(*id));
        match first {
            Some(Stmt::Expr(stmt)) => match *self.state.ast.expr(stmt.value) {
                Expr::Constant(Constant::Str(text)) => ScriptValue::str(self.state.ast.name(text)),
                _ => ScriptValue::None,
            },
            _ => ScriptValue::None,
        }
    }

    /// The names that a class body annotates.
    fn class_annotations(&mut self, def: ClassDef) -> Vec<Annotation> {
        let ast = self.state.ast.clone();
        let annotated = ast.list(def.body).iter().filter_map(|id| match *ast.stmt(*id) {
            Stmt::AnnAssign(stmt) => match *ast.expr(stmt.target) {
                Expr::Name(name) => Some((name, stmt.annotation)),
                _ => None,
            },
            _ => None,
        });
        let mut found: Vec<Annotation> = Vec::new();
        for (name, annotation) in annotated {
            let name = self.state.name_str(name);
            let text = Str::new(self.state.program.text_of(ast.range(annotation)));
            if !found.iter().any(|known| known.name == name) {
                let value = match *ast.expr(annotation) {
                    Expr::Name(name) => match self.state.host_binding(name) {
                        Binding::Value(value) => value,
                        _ => ScriptValue::Str(text.clone()),
                    },
                    _ => ScriptValue::Str(text.clone()),
                };
                found.push(Annotation { name, text, value });
            }
        }
        found
    }

    /// Makes a class of its parts: `class`, `type(name, bases, members)`.
    ///
    /// # Errors
    /// Fails if the bases do not fit together, or `__set_name__` or `__init_subclass__` fails.
    pub(crate) fn make_class(&mut self, parts: ClassParts) -> Outcome {
        let is_named_tuple = parts.bases.iter().any(named_tuple::is_marker);
        let parts = if is_named_tuple { named_tuple::of_class(parts)? } else { parts };
        let ClassParts {
            name,
            place,
            mut bases,
            mut members,
            annotations,
            keywords,
            compares,
            metaclass,
            env,
        } = parts;
        let metaclass = metaclass::winner(metaclass, &bases)?;
        let base = enumeration::class(self, "Enum");
        let is_enumeration =
            base.is_some_and(|base| bases.iter().any(|class| super::is_subclass(class, &base)));
        let declared = if is_enumeration { enumeration::declared(&mut members)? } else { Vec::new() };
        // Tests of subclasses do not need the classes that only help type checkers.
        bases.retain(|base| !is_typing(base) && object::of(base).is_none());
        for base in &bases {
            if let Some(builtin) = base.as_host::<Builtin>()
                && matches!(builtin.native.name, "bool" | "range" | "slice" | "memoryview")
            {
                raise!(Type, "type '{}' is not an acceptable base type", builtin.native.name);
            }
            if !is_class(base) && self.state.unknown(base).is_none() && self.class_of(base).is_some() {
                return Err(wrong_type!("'{}' object is not an acceptable base class", base).into());
            }
        }
        if bases.is_empty() {
            bases.extend(builtins::class("object"));
        }
        let mro = linearize(self.state, &bases)?;
        let builtins = mro.iter().filter_map(|base| base.as_host::<Builtin>());
        let payloads = builtins.filter(|builtin| matches!(builtin.kind, BuiltinKind::Type));
        let layouts = payloads.map(|builtin| metaclass::layout(builtin.native.name));
        let mut layouts = layouts.filter(|name| *name != "object");
        let layout = layouts.next();
        // A class of the library may extend another built-in one.
        let extended: Vec<ScriptValue> =
            layout.and_then(builtins::class).map(|class| mro_of(&class)).unwrap_or_default();
        let extends = |name: &str| {
            extended.iter().any(|class| class.as_host::<Builtin>().is_some_and(|b| b.native.name == name))
        };
        if layouts.any(|other| Some(other) != layout && !extends(other)) {
            raise!(Type, "multiple bases have instance lay-out conflict");
        }
        cost::entries(self.state, members.len())?;
        let class = ClassObject {
            name,
            place,
            abstracts: Vec::new(),
            bases,
            mro,
            namespace: Rc::new(RefCell::new(members)),
            annotations,
            layout,
            compares,
            metaclass,
            abstract_name: None,
            registered: RefCell::default(),
            members: super::Members::default(),
        };
        let class = completed(class);
        let value = ScriptValue::host(class);
        self.keep_members(&value)?;
        if let Some(env) = env {
            env.set_owner(value.clone());
        }
        if is_enumeration {
            enumeration::complete(self, &value, declared)?;
        }
        self.name_members(&value)?;
        self.init_subclass(&value, keywords)?;
        Ok(value)
    }

    /// A class of Python's library. Each program has its own.
    pub(crate) fn native_class(
        &self,
        module: &str,
        name: &'static str,
        bases: &[ScriptValue],
        members: Vec<(&str, ScriptValue)>,
    ) -> ScriptValue {
        if let Some(class) = self.state.program.native_classes.borrow().get(name) {
            return class.clone();
        }
        let mut namespace = Dict::new();
        namespace.insert(DictKey::text("__module__"), ScriptValue::str(module));
        namespace.insert(DictKey::text("__qualname__"), ScriptValue::str(name));
        namespace.insert(DictKey::text("__doc__"), ScriptValue::None);
        namespace.extend(members.into_iter().map(|(name, value)| (DictKey::text(name), value)));
        let bases = match bases {
            [] => builtins::class("object").into_iter().collect(),
            bases => bases.to_vec(),
        };
        let layout = |base: &ScriptValue| base.as_host::<ClassObject>().and_then(|base| base.layout);
        let is_abstract = module == collections_abc::MODULE;
        let class = ClassObject {
            name: Str::new(name),
            place: TextRange::default(),
            mro: linearize(self.state, &bases).unwrap_or_default(),
            layout: bases.iter().find_map(|base| match base.as_host::<Builtin>() {
                Some(builtin) if matches!(builtin.kind, BuiltinKind::Exception) => None,
                Some(builtin) => Some(builtin.native.name).filter(|name| *name != "object"),
                None => layout(base),
            }),
            metaclass: match name {
                "ABC" => builtins::class("ABCMeta"),
                _ if is_abstract => builtins::class("ABCMeta"),
                "Enum" => builtins::class("EnumType"),
                _ => bases.iter().find_map(|base| base.as_host::<ClassObject>()?.metaclass.clone()),
            },
            abstract_name: is_abstract.then_some(name),
            registered: RefCell::default(),
            bases,
            namespace: Rc::new(RefCell::new(namespace)),
            annotations: Vec::new(),
            abstracts: Vec::new(),
            compares: false,
            members: super::Members::default(),
        };
        let class = ScriptValue::host(completed(class));
        self.state.program.native_classes.borrow_mut().insert(name, class.clone());
        class
    }

    /// Registers the members as parts of reference cycles.
    fn keep_members(&mut self, class: &ScriptValue) -> Result<(), Raise> {
        let Some(object) = class.as_host::<ClassObject>() else { return Ok(()) };
        self.state.program.keep_container(&ScriptValue::Dict(object.namespace.clone()), class)
    }

    /// Calls `__set_name__` of the members.
    fn name_members(&mut self, class: &ScriptValue) -> Result<(), Raise> {
        let Some(object) = class.as_host::<ClassObject>() else { return Ok(()) };
        let members: Vec<(Str, ScriptValue)> = object
            .namespace
            .borrow()
            .iter()
            .filter_map(|(key, value)| match &key.0 {
                ScriptValue::Str(name) => Some((name.clone(), value.clone())),
                _ => None,
            })
            .collect();
        for (name, member) in members {
            if let Some(wrapper) = member.plain().as_host::<Wrapper>() {
                let known = wrapper.name.borrow().clone();
                match known.filter(|known| wrapper.kind == WrapperKind::Cached && *known != name) {
                    Some(known) => {
                        let text = format!(
                            "Cannot assign the same cached_property to two different names ({:?} and {:?}).",
                            known.as_str(),
                            name.as_str()
                        );
                        let cause = exception::of_builtin("TypeError", [ScriptValue::str(&text)]);
                        return Err(set_name_failed(&member, &name, object, cause));
                    }
                    None => {
                        wrapper.name.borrow_mut().get_or_insert(name);
                    }
                }
            } else if let Some(property) = member.as_host::<Property>() {
                property.name.replace(Some(name));
            } else if member
                .as_host::<Instance>()
                .is_some_and(|i| i.class().is_some_and(ClassObject::is_known))
            {
                let args = [class.clone(), ScriptValue::Str(name.clone())];
                match self.attempt(|p| p.call_special(&member, "__set_name__", args))? {
                    Ok(Special::Missing) => {
                        if let Some(property) = member.plain().as_host::<Property>() {
                            property.name.replace(Some(name));
                        }
                    }
                    Ok(_) => {}
                    Err(cause) => {
                        return Err(set_name_failed(&member, &name, object, cause));
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls `__init_subclass__` of the base classes.
    fn init_subclass(&mut self, class: &ScriptValue, keywords: CallArgs) -> Result<(), Raise> {
        let method = match self.super_of(class.clone(), class.clone())?.as_host::<SuperObject>() {
            Some(bases) => bases.member("__init_subclass__"),
            None => None,
        };
        let Some(method) = method.filter(|method| as_placeholder(method).is_none()) else { return Ok(()) };
        let method = match is_function(&method) {
            true => super::BoundMethod::value(method, class),
            false => self.bind_member(method, None, class, "__init_subclass__")?,
        };
        self.call_value(&method, keywords).map(drop)
    }

    /// Calls a class: `__new__`, then `__init__`.
    pub(crate) fn instantiate(&mut self, value: &ScriptValue, args: CallArgs) -> Outcome {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(ScriptValue::None) };
        if enumeration::is_enumeration(value) || self.is_enum_base(value) {
            return enumeration::call(self, value, args);
        }
        let new = lookup(value, "__new__").filter(|new| as_placeholder(new).is_none());
        let init = lookup(value, "__init__");
        if !class.is_known() {
            // The unknown base may take arguments and do anything with them.
            let is_empty = args.positional.is_empty() && args.keywords.is_empty();
            let has_init = init.as_ref().is_some_and(|init| init.as_host::<Closure>().is_some());
            if !has_init && !is_empty {
                return Err(super::unknown(self.state, class));
            }
        }
        let instance = match new.filter(|new| new.as_host::<Builtin>().is_none() || class.is_known()) {
            Some(new) => {
                let new = match new.as_host::<Wrapper>() {
                    Some(wrapper) => wrapper.function.clone(),
                    None => new,
                };
                let mut with_class = args.clone();
                with_class.positional.insert(0, value.clone());
                self.call_value(&new, with_class)?
            }
            None => ScriptValue::host(Instance::new(value.clone(), None)),
        };
        if metaclass::is_metaclass(value)
            && let Some(made) = metaclass::metaclass_of(&instance).filter(|_| is_class(&instance))
            && super::is_subclass(&made, value)
        {
            metaclass::init_class(self, &made, &instance, args)?;
            return Ok(instance);
        }
        let made = instance.as_host::<Instance>().filter(|made| super::is_subclass(&made.class, value));
        let Some(made) = made else { return Ok(instance) };
        if let Some(init) = lookup(&made.class, "__init__").filter(|init| as_placeholder(init).is_none()) {
            let class = made.class.clone();
            let init = self.bind_member(init, Some(&instance), &class, "__init__")?;
            let result = self.call_value(&init, args)?;
            if !matches!(result, ScriptValue::None) && as_placeholder(&result).is_none() {
                return Err(wrong_type!("__init__() should return None, not '{}'", &result).into());
            }
        }
        Ok(instance)
    }

    /// Tests for the classes of the module `enum`, which make enumerations when they are called.
    fn is_enum_base(&self, class: &ScriptValue) -> bool {
        let base = self.state.program.native_classes.borrow().get("Enum").cloned();
        base.is_some_and(|base| super::is_subclass(class, &base))
    }

    /// `issubclass(class, of)` for a single class.
    pub(crate) fn issubclass(&mut self, class: &ScriptValue, of: &ScriptValue) -> Result<bool, Raise> {
        if !is_class(class) {
            raise!(Type, "issubclass() arg 1 must be a class");
        }
        if !is_class(of) && as_placeholder(of).is_none() {
            raise!(Type, "issubclass() arg 2 must be a class, a tuple of classes, or a union");
        }
        if let Special::Value(found) = self.call_special(of, "__subclasscheck__", [class.clone()])? {
            return self.truth(&found);
        }
        if let Some(found) = self.subclass_hook(of, class)? {
            return Ok(found);
        }
        if super::is_subclass(class, of) || metaclass::is_registered(self, class, of)? {
            return Ok(true);
        }
        match class.as_host::<ClassObject>() {
            Some(object) if !mro_of(class).iter().all(is_class) => Err(super::unknown(self.state, object)),
            _ => Ok(false),
        }
    }

    /// The answer of `__subclasshook__`; `None` if it leaves the question open.
    pub(crate) fn subclass_hook(
        &mut self,
        of: &ScriptValue,
        class: &ScriptValue,
    ) -> Result<Option<bool>, Raise> {
        let Some(hook) = super::special::find(of, "__subclasshook__") else { return Ok(None) };
        let hook = self.bind_member(hook, None, of, "__subclasshook__")?;
        let found = self.call_value(&hook, CallArgs::positional([class.clone()]))?;
        if super::natives::is_not_implemented(&found) {
            return Ok(None);
        }
        self.truth(&found).map(Some)
    }

    /// `C[key]`
    pub(crate) fn class_item(&mut self, class: &ScriptValue, key: &ScriptValue) -> Outcome {
        if let Special::Value(value) = self.call_special(class, "__getitem__", [key.clone()])? {
            return Ok(value);
        }
        if let Some(member) = enumeration::by_name(class, key) {
            return member;
        }
        match lookup(class, "__class_getitem__") {
            Some(method) if as_placeholder(&method).is_none() => {
                let method = self.bind_member(method, None, class, "__class_getitem__")?;
                self.call_value(&method, CallArgs::positional([key.clone()]))
            }
            _ => Ok(match collections_abc::name_of(class) {
                Some(name) => crate::python::library::parameterized(name, key),
                // A parameterized class is the class itself.
                None => class.clone(),
            }),
        }
    }

    /// Tests whether an expression names the base of test classes that compare two scripts.
    fn is_comparison(&self, base: ExprId) -> bool {
        let name = match *self.state.ast.expr(base) {
            Expr::Name(name) | Expr::Attribute { attr: name, .. } => self.state.ast.name(name),
            _ => return false,
        };
        self.host.bare_scripts().is_some_and(|bare| name.ends_with(bare.base_suffix))
    }

    /// Reads the bare methods of a comparing test class as scripts, since its base decorates them.
    fn read_bare_scripts(&mut self, def: ClassDef, compares: bool, is_compared: bool) {
        let Some(bare) = self.host.bare_scripts().filter(|_| compares || is_compared) else { return };
        let ast = self.state.ast.clone();
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
            self.state.set_host(method.name, binding, place);
        }
    }
}

/// Adds what Python adds to the members of a class: `__hash__ = None` beside `__eq__`, implicit class methods, the
/// names of abstract methods.
fn completed(mut class: ClassObject) -> ClassObject {
    if class.own("__eq__").is_some() && class.own("__hash__").is_none() {
        class.set("__hash__", ScriptValue::None);
    }
    for name in ["__init_subclass__", "__class_getitem__"] {
        if let Some(function) = class.own(name).filter(is_function) {
            class.set(name, Wrapper::value(WrapperKind::Class, function));
        }
    }
    let is_abstract = |member: &ScriptValue| {
        closure_of(member).is_some_and(|function| function.is_abstract.get())
            || member.as_host::<Generated>().is_some_and(|function| function.is_abstract)
    };
    let inherited = class.mro.iter().filter_map(|base| base.as_host::<ClassObject>());
    let mut names: Vec<Str> = inherited.flat_map(|base| base.abstracts.iter().cloned()).collect();
    let own = class.namespace.borrow();
    names.extend(own.keys().filter_map(|key| match &key.0 {
        ScriptValue::Str(name) => Some(name.clone()),
        _ => None,
    }));
    drop(own);
    names.sort_unstable();
    names.dedup();
    let find = |name: &Str| {
        let own = class.own(name.as_str());
        let bases = || class.mro.iter().filter_map(|base| base.as_host::<ClassObject>());
        own.or_else(|| bases().find_map(|base| base.own(name.as_str())))
    };
    names.retain(|name| find(name).is_some_and(|member| is_abstract(&member)));
    class.abstracts = names;
    class
}

/// The error of a member whose `__set_name__` raised an exception.
fn set_name_failed(member: &ScriptValue, name: &Str, class: &ClassObject, cause: ScriptValue) -> Raise {
    let (own, owner) = (crate::python::type_name(member), &class.name);
    let text = format!("Error calling __set_name__ on '{own}' instance '{name}' in '{owner}'");
    Raise::Exception(exception::caused_by("RuntimeError", [ScriptValue::str(&text)], cause))
}

/// Tests for the base classes that only help type checkers: `Generic[T]`, `Protocol`.
fn is_typing(base: &ScriptValue) -> bool {
    as_placeholder(base).is_some_and(|placeholder| match &placeholder.cause {
        crate::eval::Cause::Module(path) => {
            matches!(path.split_once('.'), Some(("typing" | "typing_extensions", "Generic" | "Protocol")))
        }
        _ => false,
    })
}

/// The name of a private attribute as Python stores it: `__x` in the class `C` is `_C__x`.
pub(crate) fn mangled<'a>(class: &str, name: &'a str) -> std::borrow::Cow<'a, str> {
    let class = class.trim_start_matches('_');
    if !name.starts_with("__") || name.ends_with("__") || name.contains('.') || class.is_empty() {
        return name.into();
    }
    format!("_{class}{name}").into()
}
