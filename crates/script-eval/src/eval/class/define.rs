//! Definition of classes, and their instances.

use std::cell::RefCell;
use std::rc::Rc;

use tvmscript_ir_core::{Str, with_stack};
use tvmscript_python_syntax::ast::{ClassDef, Constant, Expr, ExprId, Stmt, StmtId, TextRange};
use tvmscript_python_syntax::walk;
use tvmscript_script_value::{CallArgs, Dict, DictKey, ScriptValue};

use super::descriptor::{Property, Wrapper, WrapperKind};
use super::mro::linearize;
use super::super_object::SuperObject;
use super::{Annotation, ClassObject, Instance, closure_of, is_class, is_function, lookup, mro_of};
use super::{enumeration, named_tuple};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::{EvalErrorKind, EvalResult};
use crate::eval::placeholder::as_placeholder;
use crate::eval::{Closure, Env, Raise};
use crate::python::builtins::{self, Builtin, BuiltinKind};
use crate::python::{Outcome, cost, library, object};

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

impl Eval<'_> {
    /// Runs the body of a class that is not a script.
    pub(crate) fn plain_class(&mut self, id: StmtId, def: ClassDef) -> EvalResult<ScriptValue> {
        let ast = self.state.ast.clone();
        let mut bases = Vec::with_capacity(def.bases.len());
        for base in ast.list(def.bases) {
            let base = self.eval(*base)?;
            bases.push(library::class_of_form(&base).unwrap_or(base));
        }
        let mut keywords = CallArgs::default();
        let mut metaclass = None;
        for keyword in ast.list(def.keywords) {
            let value = self.eval(keyword.value)?;
            match keyword.arg {
                Some(name) if ast.name(name) == "metaclass" => {
                    metaclass = self.metaclass(keyword.value, value)?;
                }
                Some(name) => keywords.keywords.push((self.state.name_str(name), value)),
                None => {}
            }
        }
        let range = ast.range(def.name_place);
        let inherits = |base: &ScriptValue| base.as_host::<ClassObject>().is_some_and(|c| c.compares);
        let compares =
            ast.list(def.bases).iter().any(|base| self.is_comparison(*base)) || bases.iter().any(inherits);
        let is_compared = self.state.compares
            && self.host.bare_scripts().is_some_and(|bare| bare.methods.contains(&ast.name(def.name)));
        let names = self.state.program.local_names.class(id, def.name, || walk::bound_names(&ast, def.body));
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
                let read = |p: &mut Self| p.read_bare_scripts(def, &bases, compares, is_compared);
                if marks.may_fail {
                    p.expecting_failure(read)
                } else {
                    read(p)
                }
                Ok(())
            })
        });
        self.state.compares = around;
        ran?;
        let members = self.class_members(def, &env).map_err(|raise| self.raise(range, None, raise))?;
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
        let class = self.make_class(parts).map_err(|raise| self.raise(range, None, raise));
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

    /// The metaclass that `metaclass=` names. One that is not known is assumed to change nothing.
    fn metaclass(&mut self, at: ExprId, value: ScriptValue) -> EvalResult<Option<ScriptValue>> {
        if self.state.unknown(&value).is_some() {
            return Ok(Some(value));
        }
        match value.as_host::<Builtin>().map(|builtin| builtin.native.name) {
            Some("type") => Ok(None),
            Some("ABCMeta" | "EnumType") => Ok(Some(value)),
            _ => {
                let reported =
                    self.state.error(at, EvalErrorKind::UnsupportedExpression { what: "this metaclass" });
                match self.state.pending.take().filter(|_| self.state.is_tolerant()) {
                    Some(placeholder) => Ok(Some(placeholder.value())),
                    None => Err(reported),
                }
            }
        }
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
            order.extend(walk::names_bound_by(&ast, *id));
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
    /// Fails if the bases do not fit together, or `__init_subclass__` fails.
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
        let inherited = bases.iter().find_map(|base| base.as_host::<ClassObject>()?.metaclass.clone());
        let metaclass = metaclass.or(inherited);
        // The keywords of the class belong to an unknown metaclass.
        let is_unknown = metaclass.as_ref().is_some_and(|meta| as_placeholder(meta).is_some())
            || bases
                .iter()
                .any(|base| self.state.unknown(base).is_some() || self.state.failed_instance(base).is_some());
        let base = enumeration::class(self, "Enum");
        let is_enumeration =
            base.is_some_and(|base| bases.iter().any(|class| super::is_subclass(class, &base)));
        let declared = if is_enumeration { enumeration::declared(&mut members)? } else { Vec::new() };
        if let Some(what) = unsupported(&bases, &members) {
            return Err(EvalErrorKind::UnsupportedExpression { what }.into());
        }
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
        let mut layouts = payloads.map(|builtin| builtin.native.name).filter(|name| *name != "object");
        let layout = layouts.next();
        if layouts.any(|other| Some(other) != layout) {
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
        name_members(&value);
        if !is_unknown {
            self.init_subclass(&value, keywords)?;
        }
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
                "Enum" => builtins::class("EnumType"),
                _ => bases.iter().find_map(|base| base.as_host::<ClassObject>()?.metaclass.clone()),
            },
            bases,
            namespace: Rc::new(RefCell::new(namespace)),
            annotations: Vec::new(),
            abstracts: Vec::new(),
            compares: false,
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

    /// `type(name, bases, members)`
    pub(crate) fn type_with_members(&mut self, args: &[ScriptValue], keywords: CallArgs) -> Outcome {
        let [name, bases, namespace] = args else {
            raise!(Type, "type.__new__() takes a name, a tuple of bases and a dict");
        };
        let ScriptValue::Str(name) = name.plain() else {
            return Err(wrong_type!("type.__new__() argument 1 must be str, not {}", name).into());
        };
        let ScriptValue::Tuple(bases) = bases.plain() else {
            return Err(wrong_type!("type.__new__() argument 2 must be tuple, not {}", bases).into());
        };
        let ScriptValue::Dict(namespace) = namespace else {
            return Err(wrong_type!("type.__new__() argument 3 must be dict, not {}", namespace).into());
        };
        cost::entries(self.state, namespace.borrow().len())?;
        let mut members = Dict::new();
        members.insert(DictKey::text("__module__"), ScriptValue::str("__main__"));
        members.insert(DictKey::text("__qualname__"), ScriptValue::Str(name.clone()));
        members.insert(DictKey::text("__doc__"), ScriptValue::None);
        members.extend(namespace.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
        self.make_class(ClassParts {
            name: name.clone(),
            place: self.state.statement.unwrap_or_default(),
            bases: bases.to_vec(),
            members,
            annotations: Vec::new(),
            keywords,
            compares: false,
            metaclass: None,
            env: None,
        })
    }

    /// `issubclass(class, of)` for a single class.
    pub(crate) fn issubclass(&mut self, class: &ScriptValue, of: &ScriptValue) -> Result<bool, Raise> {
        if !is_class(class) {
            raise!(Type, "issubclass() arg 1 must be a class");
        }
        if !is_class(of) && as_placeholder(of).is_none() {
            raise!(Type, "issubclass() arg 2 must be a class, a tuple of classes, or a union");
        }
        if super::is_subclass(class, of) {
            return Ok(true);
        }
        match class.as_host::<ClassObject>() {
            Some(object) if !mro_of(class).iter().all(is_class) => Err(super::unknown(self.state, object)),
            _ => Ok(false),
        }
    }

    /// `C[key]`
    pub(crate) fn class_item(&mut self, class: &ScriptValue, key: &ScriptValue) -> Outcome {
        if let Some(member) = enumeration::by_name(class, key) {
            return member;
        }
        match lookup(class, "__class_getitem__") {
            Some(method) if as_placeholder(&method).is_none() => {
                let method = self.bind_member(method, None, class, "__class_getitem__")?;
                self.call_value(&method, CallArgs::positional([key.clone()]))
            }
            // A parameterized class is the class itself.
            _ => Ok(class.clone()),
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
    fn read_bare_scripts(&mut self, def: ClassDef, bases: &[ScriptValue], compares: bool, is_compared: bool) {
        let Some(bare) = self.host.bare_scripts().filter(|_| compares || is_compared) else { return };
        let ast = self.state.ast.clone();
        let own = ast.find_name(bare.checked).map(|name| self.state.host_binding(name));
        let checked = match own {
            Some(Binding::Value(value)) => Some(value),
            _ => bases.iter().find_map(|base| lookup(base, bare.checked)),
        };
        let is_checked = !matches!(checked, Some(ScriptValue::Bool(false)));
        let decorator = if is_checked { &bare.decorator } else { &bare.unchecked };
        for id in ast.list(def.body) {
            let Stmt::FunctionDef(method) = *ast.stmt(*id) else { continue };
            let name = ast.name(method.name);
            let takes_self = ast.list(method.params).first().is_some_and(|p| p.annotation.is_none());
            if takes_self || !method.decorators.is_empty() || !is_compared && !bare.methods.contains(&name) {
                continue;
            }
            let place = ast.range(method.name_place);
            let binding = match self.bare_script(*id, method, decorator) {
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
    let is_abstract =
        |member: &ScriptValue| closure_of(member).is_some_and(|function| function.is_abstract.get());
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

/// Tells the properties of a class their names.
fn name_members(class: &ScriptValue) {
    let Some(object) = class.as_host::<ClassObject>() else { return };
    for (key, member) in object.namespace.borrow().iter() {
        let ScriptValue::Str(name) = &key.0 else { continue };
        if let Some(wrapper) = member.as_host::<Wrapper>() {
            wrapper.name.borrow_mut().get_or_insert_with(|| name.clone());
        } else if let Some(property) = member.as_host::<Property>() {
            property.name.replace(Some(name.clone()));
        }
    }
}

/// The part of a class that is not evaluated: a base class or special method.
fn unsupported(bases: &[ScriptValue], members: &Dict) -> Option<&'static str> {
    let of_base = |base: &ScriptValue| match base.as_host::<Builtin>() {
        Some(builtin) => match builtin.native.name {
            "dict" | "OrderedDict" | "defaultdict" | "Counter" => Some("a class that extends `dict`"),
            "type" | "ABCMeta" | "EnumType" => Some("a metaclass"),
            "property" | "cached_property" | "classmethod" | "staticmethod" => {
                Some("a class that extends a descriptor")
            }
            _ => None,
        },
        None => library::is_abstract_class(base).then_some("a class that extends one of `collections.abc`"),
    };
    let of_method =
        |(name, what): &(&str, &'static str)| members.contains_key(&DictKey::text(*name)).then_some(*what);
    bases.iter().find_map(of_base).or_else(|| UNSUPPORTED_METHODS.iter().find_map(of_method))
}

/// Special methods that are not evaluated.
const UNSUPPORTED_METHODS: &[(&str, &str)] = &[
    ("__get__", "a descriptor, a class with `__get__`,"),
    ("__set__", "a descriptor, a class with `__set__`,"),
    ("__delete__", "a descriptor, a class with `__delete__`,"),
    ("__set_name__", "a class with `__set_name__`"),
    ("__subclasshook__", "a class with `__subclasshook__`"),
];

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
