//! `types`.

use std::cell::RefCell;

use indexmap::IndexMap;
use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::{Hashing, ScriptValue};

use super::Library;
use crate::Eval;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::builtins::{Table, own};
use crate::python::object::{LibraryObject, Protocol, cast};
use crate::python::{compare, cost, repr};

pub(super) static TYPES: Library = Library {
    path: "types",
    types: &[ROWS],
    missing: "AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CellType ClassMethodDescriptorType CodeType \
        CoroutineType DynamicClassAttribute EllipsisType FrameType FunctionType GeneratorType GenericAlias \
        GetSetDescriptorType LambdaType MappingProxyType MemberDescriptorType MethodDescriptorType MethodType \
        MethodWrapperType ModuleType NoneType NotImplementedType TracebackType UnionType WrapperDescriptorType \
        coroutine get_original_bases new_class prepare_class resolve_bases",
    ..Library::EMPTY
};

static ROWS: Table = &[own("SimpleNamespace").any(|p, _, a| {
    if !a.positional.is_empty() {
        raise!(Type, "no positional arguments expected");
    }
    cost::entries(p.state, a.keywords.len())?;
    let fields = a.keywords.into_iter().map(|(key, value)| (key.as_str().into(), value));
    Ok(LibraryObject::value(Namespace { fields: RefCell::new(fields.collect()) }))
})];

/// `SimpleNamespace`.
struct Namespace {
    fields: RefCell<IndexMap<Box<str>, ScriptValue>>,
}

impl Protocol for Namespace {
    fn class(&self) -> &'static str {
        "types.SimpleNamespace"
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.extend(std::mem::take(self.fields.get_mut()).into_values());
    }
    fn operate(
        &self,
        p: &mut Eval<'_>,
        operator: Operator,
        operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        let (Operator::Compare(op @ (CmpOp::Eq | CmpOp::NotEq)), [a, b]) = (operator, operands) else {
            return Ok(None);
        };
        let (Some(a), Some(b)) = (cast::<Namespace>(a), cast::<Namespace>(b)) else { return Ok(None) };
        let (x, y) = (a.fields.borrow().clone(), b.fields.borrow().clone());
        p.state.program.budget.step(x.len() as u64)?;
        let mut is_equal = x.len() == y.len();
        for (name, value) in &x {
            is_equal = is_equal && y.get(name).map_or(Ok(false), |other| compare::same(p, value, other))?;
        }
        Ok(Some(ScriptValue::Bool(is_equal == (op == CmpOp::Eq))))
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        if name == "__dict__" {
            let fields = self.fields.borrow();
            let entries = fields
                .iter()
                .map(|(key, value)| (tvmscript_script_value::DictKey::text(&**key), value.clone()));
            return Some(ScriptValue::dict(entries.collect::<Vec<_>>()));
        }
        self.fields.borrow().get(name).cloned()
    }
    fn attribute_names(&self) -> Vec<String> {
        self.fields.borrow().keys().map(|key| key.to_string()).collect()
    }
    fn set_attribute(&self, p: &mut Eval<'_>, name: &str, new: Option<ScriptValue>) -> Result<bool, Raise> {
        let Some(new) = new else {
            let old = self.fields.borrow_mut().shift_remove(name);
            return match old {
                Some(_) => Ok(true),
                None => raise!(Attribute, "{name}"),
            };
        };
        p.state.program.budget.allocate(cost::ENTRY_BYTES)?;
        let old = self.fields.borrow_mut().insert(name.into(), new);
        drop(old);
        Ok(true)
    }
    fn hashing(&self) -> Hashing {
        Hashing::Unhashable
    }
    fn copy(&self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        cost::entries(p.state, self.fields.borrow().len())?;
        Ok(Some(LibraryObject::value(Namespace { fields: RefCell::new(self.fields.borrow().clone()) })))
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        out.push_str("namespace(");
        let fields = self.fields.borrow().clone();
        for (index, (name, value)) in fields.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            out.push_str(&format!("{name}="));
            repr::write(p, value, out, open)?;
        }
        out.push(')');
        Ok(())
    }
}
