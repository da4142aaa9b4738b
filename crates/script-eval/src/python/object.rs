//! Values of library classes: deques, arrays, namespaces, wrapped functions.
//!
//! Such a value is a [`LibraryObject`] around a [`Protocol`], which defines its operators and methods. Everything that
//! works on values of any type asks the functions of this module first.

use std::any::Any;
use std::rc::Rc;

use tvmscript_ir_core::Object;
use tvmscript_script_value::{CallArgs, Hashing, HostObject, ScriptValue, release};

use super::Outcome;
use super::builtins::Table;
use crate::Eval;
use crate::eval::{Iter, Raise};
use crate::host::Operator;

/// The behaviour of a value of a library class. State that changes is behind cells.
pub(crate) trait Protocol: Any {
    /// The name of the class as messages show it, such as `collections.deque`.
    fn class(&self) -> &'static str;

    /// The methods.
    fn methods(&self) -> Table {
        &[]
    }

    /// Moves out the values that it holds, to drop them without recursion.
    fn parts(&mut self, _out: &mut Vec<ScriptValue>) {}

    /// `len(value)`; `None` if it has none.
    fn len(&self) -> Option<Result<usize, Raise>> {
        None
    }

    /// The truth; by default of the length.
    fn truth(&self, _p: &mut Eval<'_>) -> Result<bool, Raise> {
        self.len().unwrap_or(Ok(1)).map(|len| len > 0)
    }

    /// An iterator; `None` if it is not iterable.
    fn iterate(&self, _p: &mut Eval<'_>, _this: &Rc<dyn HostObject>) -> Result<Option<Iter>, Raise> {
        Ok(None)
    }

    /// An iterator from the last element to the first; `None` if there is none.
    fn reversed(&self, _this: &ScriptValue) -> Option<Iter> {
        None
    }

    /// A shallow copy; `None` for values that are their own copy.
    fn copy(&self, _p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise> {
        Ok(None)
    }

    /// `value[key]`; `None` if it is not subscriptable.
    fn get(
        &self,
        _p: &mut Eval<'_>,
        _this: &ScriptValue,
        _key: &ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        Ok(None)
    }

    /// `value[key] = new`; `false` if elements cannot be set.
    fn set(
        &self,
        _p: &mut Eval<'_>,
        _this: &ScriptValue,
        _key: &ScriptValue,
        _new: ScriptValue,
    ) -> Result<bool, Raise> {
        Ok(false)
    }

    /// `del value[key]`; `false` if elements cannot be deleted.
    fn delete(&self, _p: &mut Eval<'_>, _key: &ScriptValue) -> Result<bool, Raise> {
        Ok(false)
    }

    /// `item in value`; `None` to search the elements.
    fn contains(&self, _p: &mut Eval<'_>, _item: &ScriptValue) -> Result<Option<bool>, Raise> {
        Ok(None)
    }

    /// Applies an operator to operands, among which is this value; `None` if it does not define it.
    fn operate(
        &self,
        _p: &mut Eval<'_>,
        _operator: Operator,
        _operands: &[ScriptValue],
    ) -> Result<Option<ScriptValue>, Raise> {
        Ok(None)
    }

    /// Applies `value op= other` in place; `false` if it makes a new value.
    fn in_place(
        &self,
        _p: &mut Eval<'_>,
        _operator: Operator,
        _this: &ScriptValue,
        _other: &ScriptValue,
    ) -> Result<bool, Raise> {
        Ok(false)
    }

    /// An attribute that is not a method.
    fn attribute(&self, _name: &str) -> Option<ScriptValue> {
        None
    }

    /// The names of its attributes, for `dir` and suggestions.
    fn attribute_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Sets or, with `None`, deletes an attribute; `false` if it cannot be.
    fn set_attribute(
        &self,
        _p: &mut Eval<'_>,
        _name: &str,
        _new: Option<ScriptValue>,
    ) -> Result<bool, Raise> {
        Ok(false)
    }

    /// Tests whether the value can be called.
    fn is_callable(&self) -> bool {
        false
    }

    /// Calls the value.
    fn call(&self, _p: &mut Eval<'_>, _this: &ScriptValue, _args: CallArgs) -> Outcome {
        Ok(ScriptValue::None)
    }

    /// Writes its `repr`; `open` contains the enclosing containers.
    fn write(&self, _p: &mut Eval<'_>, out: &mut String, _open: &mut Vec<*const ()>) -> Result<(), Raise> {
        out.push_str(&format!("<{} object>", self.class()));
        Ok(())
    }

    /// Its text for `str` and `format`; by default its `repr`.
    fn text(&self, _p: &mut Eval<'_>) -> Result<Option<String>, Raise> {
        Ok(None)
    }

    /// The number that it converts to, for `int`, `float`, indices and formats.
    fn number(&self) -> Option<ScriptValue> {
        None
    }

    /// Tests whether a value is an instance of this class; `None` if this is not a class.
    fn is_class_of(&self, _p: &mut Eval<'_>, _value: &ScriptValue) -> Option<Result<bool, Raise>> {
        None
    }

    /// Behaviour as a key.
    fn hashing(&self) -> Hashing {
        Hashing::Identity
    }

    /// Tests whether both are the same key, for [`Hashing::Value`].
    fn same_key(&self, _other: &dyn Protocol) -> bool {
        false
    }

    /// The node that scripts see.
    fn node(&self) -> Option<Object> {
        None
    }
}

impl dyn Protocol {
    pub(crate) fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A value of a library class.
pub(crate) struct LibraryObject(Box<dyn Protocol>);

impl LibraryObject {
    pub(crate) fn value(object: impl Protocol) -> ScriptValue {
        ScriptValue::host(LibraryObject(Box::new(object)))
    }
}

impl Drop for LibraryObject {
    fn drop(&mut self) {
        let mut parts = Vec::new();
        self.0.parts(&mut parts);
        release(parts);
    }
}

impl HostObject for LibraryObject {
    fn type_name(&self) -> &str {
        self.0.class()
    }
    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        self.0.attribute(name)
    }
    fn attribute_names(&self) -> Vec<String> {
        let methods = self.0.methods().iter().map(|native| native.name.to_owned());
        self.0.attribute_names().into_iter().chain(methods).collect()
    }
    fn is_callable(&self) -> bool {
        self.0.is_callable()
    }
    fn hashing(&self) -> Hashing {
        self.0.hashing()
    }
    fn same_key(&self, other: &dyn HostObject) -> bool {
        let other = other.as_any().downcast_ref::<LibraryObject>();
        other.is_some_and(|other| self.0.same_key(&*other.0))
    }
    fn node(&self) -> Option<Object> {
        self.0.node()
    }
}

/// The behaviour of a value of a library class; `None` for other values.
pub(crate) fn of(value: &ScriptValue) -> Option<&dyn Protocol> {
    value.as_host::<LibraryObject>().map(|object| &*object.0)
}

/// The value, if it is of this class.
pub(crate) fn cast<T: Protocol>(value: &ScriptValue) -> Option<&T> {
    of(value)?.as_any().downcast_ref()
}

/// The number that a value of a library class stands for.
pub(crate) fn number(value: &ScriptValue) -> Option<ScriptValue> {
    of(value)?.number()
}

/// Asks each operand in turn for an operator.
pub(crate) fn operate(
    p: &mut Eval<'_>,
    operator: Operator,
    operands: &[ScriptValue],
) -> Result<Option<ScriptValue>, Raise> {
    for operand in operands {
        let Some(object) = of(operand) else { continue };
        if let Some(value) = object.operate(p, operator, operands)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// An iterator of a library module.
pub(crate) trait Advance {
    /// The next element.
    fn next(&mut self, p: &mut Eval<'_>) -> Result<Option<ScriptValue>, Raise>;

    /// Moves out the values that it holds.
    fn parts(&mut self, out: &mut Vec<ScriptValue>);
}
