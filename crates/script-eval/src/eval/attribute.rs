//! Attributes of values.

use tvmscript_script_value::ScriptValue;

use super::class::{BoundMethod, ClassObject, Instance, is_function, mangled, natives};
use super::placeholder::{Cause, Placeholder, as_placeholder};
use super::{Closure, Module, Raise};
use crate::errors::{EvalError, EvalErrorKind, EvalResult, Reported, suggest};
use crate::python;
use crate::python::builtins::Builtin;
use crate::{Binding, Eval};
use tvmscript_python_syntax::ast::{Expr, ExprId, Name};

impl Eval<'_> {
    /// Evaluates `value.attr`.
    pub fn attribute(&mut self, id: ExprId, value: &ScriptValue, attr: Name) -> EvalResult<ScriptValue> {
        if let ScriptValue::Host(host) = value
            && let Some(found) = self.host.namespace_attribute(self.state, &**host, attr)
        {
            return match found {
                Binding::Value(value) => Ok(value),
                Binding::Unknown(placeholder) => self.unknown_value(id, &placeholder),
                Binding::Poison => Err(Reported(())),
                Binding::Unbound => {
                    let ast = self.state.ast.clone();
                    Err(self.no_attribute(id, value, ast.name(attr)))
                }
            };
        }
        if let ScriptValue::Node(_) | ScriptValue::Host(_) = value {
            self.state.point_at(id);
        }
        if let Some(placeholder) = as_placeholder(value) {
            let placeholder = placeholder.member(self.state.ast.name(attr));
            return self.unknown_value(id, &placeholder);
        }
        let ast = self.state.ast.clone();
        match self.find_attribute(value, &self.attribute_name(ast.name(attr))) {
            Ok(Some(found)) => match as_placeholder(&found) {
                Some(placeholder) => self.unknown_value(id, &placeholder.clone()),
                None => Ok(found),
            },
            Ok(None) => Err(self.no_attribute(id, value, ast.name(attr))),
            Err(raise) => self.at(id, Err(raise)),
        }
    }

    /// The attribute of a value by a name that need not occur in the text.
    ///
    /// # Errors
    /// Fails if there is none; the error is recorded at `at`.
    pub fn attribute_named(
        &mut self,
        at: ExprId,
        value: &ScriptValue,
        name: &str,
    ) -> EvalResult<ScriptValue> {
        self.state.point_at(at);
        match self.find_attribute(value, name) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(self.no_attribute(at, value, name)),
            Err(raise) => self.at(at, Err(raise)),
        }
    }

    /// The name of an attribute as Python stores it: private names contain the class.
    pub(crate) fn attribute_name<'a>(&self, name: &'a str) -> std::borrow::Cow<'a, str> {
        if !name.starts_with("__") {
            return name.into();
        }
        match self.state.env.as_ref().filter(|_| self.state.is_local()).and_then(|env| env.class_around()) {
            Some(class) => mangled(self.state.ast.name(class), name),
            None => name.into(),
        }
    }

    /// Looks up an attribute by name.
    pub(crate) fn find_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
    ) -> Result<Option<ScriptValue>, Raise> {
        match value {
            ScriptValue::Node(object) => {
                if let Some(attribute) = self.host.rules(object).attribute
                    && let Some(value) = attribute(object, name)?
                {
                    return Ok(Some(value));
                }
                Ok(python::methods::of(value, name))
            }
            ScriptValue::Host(host) => {
                if let Some(module) = host.as_any().downcast_ref::<Module>() {
                    if name == "__name__" {
                        return Ok(Some(ScriptValue::str(&module.path)));
                    }
                    return Ok(self.module_member(module, name));
                }
                if let Some(found) = self.class_attribute(value, name) {
                    return found;
                }
                if let Some(builtin) = value.as_host::<Builtin>().filter(|builtin| builtin.is_type())
                    && let Some(found) = self.type_attribute(value, builtin, name)?
                {
                    return Ok(Some(found));
                }
                if let Some(found) = self.function_attribute(value, name)? {
                    return Ok(Some(found));
                }
                let found = host.attribute(name).or_else(|| python::methods::of(value, name));
                Ok(found.or_else(|| self.common_attribute(value, name)))
            }
            ScriptValue::Function(function) => {
                if name == "__name__" || name == "__qualname__" {
                    return Ok(Some(ScriptValue::str(self.host.function_name(function))));
                }
                let member = function.members.iter().find(|member| member.name == name);
                Ok(member
                    .map(|member| ScriptValue::Function(member))
                    .or_else(|| python::methods::of(value, name)))
            }
            other => {
                let found = python::methods::of(other, name);
                Ok(found.or_else(|| self.common_attribute(other, name)))
            }
        }
    }

    /// An attribute of a built-in type that describes it.
    fn type_attribute(
        &mut self,
        value: &ScriptValue,
        builtin: &Builtin,
        name: &str,
    ) -> Result<Option<ScriptValue>, Raise> {
        let order = || super::class::mro_of(value);
        Ok(Some(match name {
            "__mro__" => ScriptValue::tuple(order()),
            "__bases__" => ScriptValue::tuple(order().into_iter().nth(1)),
            "__base__" => order().into_iter().nth(1).unwrap_or_default(),
            "__qualname__" => ScriptValue::str(builtin.native.name),
            "__dict__" => {
                let names: Vec<&str> = python::methods::type_names(builtin.native.name).collect();
                python::cost::entries(self.state, names.len())?;
                let mut dict = tvmscript_script_value::Dict::new();
                for name in names {
                    let member = natives::member(builtin.native.name, name).unwrap_or_default();
                    dict.insert(tvmscript_script_value::DictKey::text(name), member);
                }
                ScriptValue::Dict(std::rc::Rc::new(std::cell::RefCell::new(dict)))
            }
            _ => return Ok(super::class::natives::type_method(value, name)),
        }))
    }

    /// An attribute that Python gives every value of a built-in type: its class, or a special method.
    fn common_attribute(&self, value: &ScriptValue, name: &str) -> Option<ScriptValue> {
        if !name.starts_with("__") {
            return None;
        }
        let class = self.class_of(value)?;
        if name == "__class__" {
            return Some(class);
        }
        let owner = class.as_host::<Builtin>()?.native.name;
        let method = natives::member(owner, name).or_else(|| natives::member("object", name))?;
        Some(if is_function(&method) { BoundMethod::value(method, value) } else { method })
    }

    /// Sets or, with `None`, deletes an attribute of a function or of a value of a library class; `false` for others.
    pub(crate) fn set_function_attribute(
        &mut self,
        value: &ScriptValue,
        name: &str,
        new: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        if let Some(closure) = value.as_host::<Closure>() {
            let program = self.state.program.clone();
            return closure.set_attribute(&program, name, new);
        }
        if let Some(property) = value.plain().as_host::<super::class::Property>()
            && name == "__doc__"
        {
            property.doc.replace(Some(new.unwrap_or_default()));
            return Ok(true);
        }
        match python::object::of(value) {
            Some(object) => object.set_attribute(self, name, new),
            None => Ok(false),
        }
    }

    #[cold]
    fn no_attribute(&mut self, id: ExprId, value: &ScriptValue, name: &str) -> Reported {
        let ast = self.state.ast.clone();
        let range = ast.attr_range(id);
        if let ScriptValue::Host(host) = value
            && (host.lacks_by_mistake(name)
                || host.takes_definitions() && self.state.diagnostics.is_in_invalid(name))
        {
            return Reported(());
        }
        if self.state.is_tolerant()
            && let Some(placeholder) = self.unknown_owner(id)
        {
            self.state.pending = Some(placeholder);
            return Reported(());
        }
        if self.state.is_tolerant() && self.is_gap(value, name) {
            return self.missing_member(id, value, name);
        }
        if !self.state.is_tolerant()
            && let Some(unknown) = self.state.failed_instance(value)
        {
            let cause =
                if is_explored_receiver(value) { self.receiver_cause(id, name) } else { unknown.cause };
            return self.use_unknown(range, &Placeholder::new(cause, unknown.place));
        }
        if let Some(what) = python::methods::left_out(value, name) {
            return self.state.report(EvalError::new(EvalErrorKind::UnsupportedExpression { what }, range));
        }
        if self.state.drops_errors() {
            // Nobody will see the suggestion, which is expensive.
            let kind = EvalErrorKind::NoAttribute { what: String::new(), name: name.to_owned() };
            return self.state.report(EvalError::new(kind, range));
        }
        let mut instead = None;
        let (what, names) = match value {
            ScriptValue::Node(object) => {
                let names = self.host.rules(object).names.map(|names| names(object)).unwrap_or_default();
                (format!("`{}`", object.info().display_key()), names)
            }
            ScriptValue::Host(host) => {
                if let Some(module) = host.as_any().downcast_ref::<Module>() {
                    if python::library::lacks(&module.path, name) {
                        let error = self.no_library_member(&module.path, name, range);
                        return self.state.report(error);
                    }
                    if !self.host.modules().contains(&module.path) {
                        let (error, _) = self.unusable(&format!("{}.{name}", module.path));
                        return self.state.report(EvalError::new(error, ast.range(id)));
                    }
                    let path = format!("{}.{name}", module.path);
                    let (error, help) = self.unusable(&path);
                    let mut error = EvalError::new(error, ast.range(id));
                    error.help = help;
                    return self.state.report(error);
                }
                let what = match self.host.missing_attribute(&**host, name) {
                    Some(missing) => {
                        instead = missing.help;
                        missing.what
                    }
                    None if python::object::of(value).is_some() => format!("'{}' object", host.type_name()),
                    None => class_description(value).unwrap_or_else(|| host.type_name().to_owned()),
                };
                (what, host.attribute_names())
            }
            ScriptValue::Function(function) => {
                let names = function.members.iter().map(|member| member.name.to_owned());
                (format!("function `{}`", function.name), names.collect())
            }
            other => (
                format!("'{}' object", self.state.python_type(other)),
                python::methods::names(other).map(str::to_owned).collect(),
            ),
        };
        let mut error = EvalError::new(EvalErrorKind::NoAttribute { what, name: name.to_owned() }, range);
        let prefix = match *ast.expr(id) {
            Expr::Attribute { value, .. } => self.state.program.text_of(ast.range(value)),
            _ => "",
        };
        if instead.is_some() {
            error.help = instead;
        } else if let Some(near) = suggest::nearest(name, names.iter().map(String::as_str)) {
            let prefix = if prefix.len() <= 20 { prefix } else { ".." };
            near.suggest(&mut error, range, &format!("{prefix}."));
        }
        self.state.report(error)
    }

    /// The placeholder for `C.member.attribute`, if an unknown base of the class `C` may have replaced the member.
    fn unknown_owner(&self, id: ExprId) -> Option<Placeholder> {
        let ast = &self.state.ast;
        let Expr::Attribute { value: member, .. } = *ast.expr(id) else { return None };
        let Expr::Attribute { value: owner, .. } = *ast.expr(member) else { return None };
        let Expr::Name(owner) = *ast.expr(owner) else { return None };
        match self.state.host_binding(owner) {
            crate::Binding::Value(owner) => self.state.failed_instance(&owner),
            _ => None,
        }
    }

    /// Tests whether Python may have the attribute: its absence here is then a gap of the evaluator, not an error in
    /// the text.
    fn is_gap(&self, value: &ScriptValue, name: &str) -> bool {
        let is_known = |class: &ClassObject| class.is_known() && !name.starts_with("__");
        if let Some(class) = value.as_host::<ClassObject>() {
            let metaclass = class.metaclass.as_ref();
            return !is_known(class) || metaclass.is_some_and(|meta| as_placeholder(meta).is_some());
        }
        if let Some(instance) = value.as_host::<Instance>() {
            return instance.is_explored || !instance.class().is_some_and(is_known);
        }
        match value {
            ScriptValue::Host(host) => match host.as_any().downcast_ref::<Module>() {
                Some(module) => {
                    !self.host.modules().is_complete(&module.path)
                        && !python::library::lacks(&module.path, name)
                }
                None => match self.host.missing_attribute(&**host, name) {
                    None if python::object::of(value).is_some() => false,
                    // A wrong decorator is an error, unless the dialect leaves it out on purpose.
                    Some(missing) => !self.state.position().is_decorator() || missing.is_left_out,
                    None => true,
                },
            },
            ScriptValue::Node(_) | ScriptValue::Function(_) | ScriptValue::Frame(_) => true,
            _ => name.starts_with("__"),
        }
    }

    /// The cause of an unknown attribute of the receiver of a method that nothing calls.
    fn receiver_cause(&self, id: ExprId, name: &str) -> Cause {
        let receiver = match *self.state.ast.expr(id) {
            Expr::Attribute { value, .. } => self.state.program.text_of(self.state.ast.range(value)),
            _ => "self",
        };
        let name = format!("{receiver}.{name}").into();
        Cause::Parameter { name, function: self.state.path.clone(), argument: None }
    }

    /// The placeholder for a member that Python may have and the evaluator lacks.
    fn missing_member(&mut self, id: ExprId, value: &ScriptValue, name: &str) -> Reported {
        let range = self.state.ast.range(id);
        if let ScriptValue::Host(host) = value
            && let Some(missing) = self.host.missing_attribute(&**host, name)
        {
            let reason = format!("`{name}` of {} is not evaluated", missing.what);
            return self.state.give_up_for(range, &reason, Cause::LeftOut(reason.as_str().into()));
        }
        if let ScriptValue::Host(host) = value {
            let cause = match host.as_any().downcast_ref::<Module>() {
                Some(module) => Cause::Module(format!("{}.{name}", module.path).into()),
                None if is_explored_receiver(value) => self.receiver_cause(id, name),
                None => Cause::Statement(format!("`{name}` of {} is not evaluated", host.type_name()).into()),
            };
            let place = self.state.statement.unwrap_or(range);
            self.state.pending = Some(Placeholder::new(cause, place));
            return Reported(());
        }
        let reason = format!("`{name}` of {} is not evaluated", python::describe(value));
        self.state.give_up(range, &reason)
    }
}

/// Tests for the receiver of a method that nothing calls.
fn is_explored_receiver(value: &ScriptValue) -> bool {
    value.as_host::<Instance>().is_some_and(|instance| instance.is_explored)
}

/// CPython's description of a class or instance that lacks an attribute.
fn class_description(value: &ScriptValue) -> Option<String> {
    match value.as_host::<ClassObject>() {
        Some(class) => Some(format!("type object '{}'", class.name)),
        None => value.as_host::<Instance>().map(|_| format!("'{}' object", python::type_name(value))),
    }
}
