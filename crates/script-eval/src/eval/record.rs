//! Dataclasses and named tuples: classes with declared fields.

use std::rc::Rc;

use tvmscript_python_syntax::ast::{ClassDef, Expr, ExprId, Name, Stmt};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::class::{ClassObject, Instance, is_named_tuple};
use super::placeholder::as_placeholder;
use super::{Cause, Env, Raise};
use crate::binding::Binding;
use crate::python::Outcome;
use crate::{Evaluator, Host};

/// Names and values of fields.
type Fields = Vec<(String, ScriptValue)>;
type Keywords = smallvec::SmallVec<[(tvmscript_ir_core::Str, ScriptValue); 2]>;

/// The fields of a dataclass or named tuple in order, with their defaults.
pub(super) struct Record {
    pub(super) fields: Vec<(Name, Option<ScriptValue>)>,
    pub(super) is_tuple: bool,
}

impl Evaluator {
    /// The fields of a dataclass instance in order; `None` for other values.
    ///
    /// # Errors
    /// Fails if a field has a value that a copy of the instance would copy too.
    pub(crate) fn record_fields(&self, value: &ScriptValue) -> Result<Option<Fields>, Raise> {
        let Some(instance) = value.as_host::<Instance>() else { return Ok(None) };
        let Some(class) = instance.class.as_host::<ClassObject>() else { return Ok(None) };
        let Some(record) = class.record.as_ref().filter(|record| !record.is_tuple) else { return Ok(None) };
        let fields = instance.fields.borrow();
        let mut found = Vec::with_capacity(record.fields.len());
        for (name, _) in &record.fields {
            match fields.get(name) {
                Some(
                    value @ (ScriptValue::None
                    | ScriptValue::Bool(_)
                    | ScriptValue::Int(_)
                    | ScriptValue::BigInt(_)
                    | ScriptValue::Float(_)
                    | ScriptValue::Str(_)),
                ) => found.push((self.ast.name(*name).to_owned(), value.clone())),
                _ => return Err(Raise::Unknown(self.unknown_instance(class))),
            }
        }
        Ok(Some(found))
    }
}

impl dyn Host + '_ {
    /// The fields that a class body declares, if it is a plain dataclass or named tuple.
    pub(super) fn record(&mut self, def: ClassDef, bases: &[ScriptValue], env: &Rc<Env>) -> Option<Record> {
        let ast = self.ast.clone();
        let is_tuple = bases.iter().filter_map(as_placeholder).any(|base| match &base.cause {
            Cause::Module(path) => is_named_tuple(path),
            _ => false,
        });
        let is_dataclass = |id: &ExprId| {
            let (func, keywords) = match *ast.expr(*id) {
                Expr::Call { func, keywords, .. } => (func, ast.list(keywords)),
                _ => (*id, &[][..]),
            };
            let name = match *ast.expr(func) {
                Expr::Name(name) | Expr::Attribute { attr: name, .. } => ast.name(name),
                _ => return false,
            };
            let is_usual =
                |arg: Option<Name>| arg.is_some_and(|arg| !matches!(ast.name(arg), "init" | "kw_only"));
            name == "dataclass" && keywords.iter().all(|keyword| is_usual(keyword.arg))
        };
        if !is_tuple && !ast.list(def.decorators).iter().any(is_dataclass) {
            return None;
        }
        let mut fields: Vec<(Name, Option<ScriptValue>)> = Vec::new();
        for base in bases.iter().filter_map(|base| base.as_host::<ClassObject>()) {
            fields.extend(base.record.iter().flat_map(|record| record.fields.iter().cloned()));
        }
        for id in ast.list(def.body) {
            let Stmt::AnnAssign(stmt) = *ast.stmt(*id) else { continue };
            let Expr::Name(name) = *ast.expr(stmt.target) else { continue };
            let annotation = self.program.text_of(ast.range(stmt.annotation));
            if annotation.contains("ClassVar") {
                continue;
            }
            let is_odd = stmt.value.is_some_and(|value| match *ast.expr(value) {
                Expr::Call { keywords, .. } => ast.list(keywords).iter().any(|keyword| {
                    keyword.arg.is_some_and(|arg| matches!(ast.name(arg), "init" | "kw_only"))
                }),
                _ => false,
            });
            if is_odd || annotation.contains("InitVar") || annotation.contains("KW_ONLY") {
                return None;
            }
            let default = stmt.value.map(|_| match env.own(name) {
                Some(Binding::Value(value)) => value,
                Some(Binding::Unknown(placeholder)) => ScriptValue::Host(placeholder),
                _ => ScriptValue::None,
            });
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = default,
                None => fields.push((name, default)),
            }
        }
        Some(Record { fields, is_tuple })
    }

    /// Sets the fields of an instance; returns `false` if the arguments do not fit.
    fn fill(&mut self, record: &Record, instance: &ScriptValue, args: CallArgs) -> bool {
        let Some(to) = instance.as_host::<Instance>() else { return false };
        let ast = self.ast.clone();
        let (mut positional, mut keywords) = (args.positional.into_iter(), args.keywords);
        for (name, default) in &record.fields {
            let by_name = keywords.iter().position(|(key, _)| key.as_str() == ast.name(*name));
            let value = match (positional.next(), by_name) {
                (Some(value), None) => value,
                (None, Some(at)) => keywords.remove(at).1,
                (None, None) => match default {
                    Some(default) => default.clone(),
                    None => return false,
                },
                (Some(_), Some(_)) => return false,
            };
            to.fields.borrow_mut().insert(*name, value);
        }
        positional.next().is_none() && keywords.is_empty()
    }

    /// Makes an instance of a dataclass or named tuple.
    pub(super) fn new_record(&mut self, value: &ScriptValue, args: CallArgs) -> Outcome {
        let Some(class) = value.as_host::<ClassObject>() else { return Ok(ScriptValue::None) };
        let instance = Instance::value(value.clone());
        match &class.record {
            Some(record) if self.fill(record, &instance, args) => {
                if let Some(init) = class.member("__post_init__").filter(|_| !record.is_tuple) {
                    self.call_value(&init, CallArgs::positional([instance.clone()]))?;
                }
                Ok(instance)
            }
            _ => Err(Raise::Unknown(self.unknown_instance(class))),
        }
    }

    /// Copies a dataclass instance with some fields replaced.
    pub(crate) fn replaced(&mut self, value: &ScriptValue, changes: Keywords) -> Outcome {
        let Some(instance) = value.as_host::<Instance>() else {
            raise!(Type, "replace() should be called on dataclass instances");
        };
        let class = instance.class.clone();
        let mut args = CallArgs { keywords: changes, ..CallArgs::default() };
        let record = class.as_host::<ClassObject>().and_then(|class| class.record.as_ref());
        for (name, _) in record.into_iter().flat_map(|record| &record.fields) {
            let text = self.ast.name(*name);
            let old = instance.fields.borrow().get(name).cloned();
            if let Some(old) = old
                && !args.keywords.iter().any(|(key, _)| key.as_str() == text)
            {
                args.keywords.push((tvmscript_ir_core::Str::new(text), old));
            }
        }
        self.new_record(&class, args)
    }
}
