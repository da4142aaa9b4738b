//! Bindings of names.

use std::rc::Rc;

use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_value::ScriptValue;

use crate::eval::Placeholder;

/// The binding of a name.
#[derive(Debug, Clone, Default)]
pub enum Binding {
    /// The name has no binding.
    #[default]
    Unbound,
    /// A value.
    Value(ScriptValue),
    /// The definition failed and was reported; uses are silent.
    Poison,
    /// A value of host code that the evaluator does not know; a use in a script is an error.
    Unknown(Rc<Placeholder>),
}

/// A module-level variable.
#[derive(Debug, Clone, Default)]
pub struct Slot {
    /// The variable's binding.
    pub binding: Binding,
    /// Definition site in the text; empty for predefined names.
    pub place: TextRange,
}

impl Slot {
    /// A module-level variable.
    pub fn new(binding: Binding, place: TextRange) -> Slot {
        Slot { binding, place }
    }

    pub(crate) fn poison(place: TextRange) -> Slot {
        Slot::new(Binding::Poison, place)
    }
}

/// Maximum number of values that [`same`] compares; larger values count as different.
const MAX_COMPARED: u32 = 10_000;

/// Tests whether both values have the same type and are equal, so that one can replace the other. Nodes, functions and
/// host objects compare by identity.
pub fn same(a: &ScriptValue, b: &ScriptValue) -> bool {
    let mut work = vec![(a.clone(), b.clone())];
    let mut count = 0;
    while let Some((a, b)) = work.pop() {
        count += 1;
        if count > MAX_COMPARED || !same_or_parts(&a, &b, &mut work) {
            return false;
        }
    }
    true
}

fn same_or_parts(a: &ScriptValue, b: &ScriptValue, parts: &mut Vec<(ScriptValue, ScriptValue)>) -> bool {
    use ScriptValue::*;
    let mut all = |a: &[ScriptValue], b: &[ScriptValue]| {
        parts.extend(a.iter().cloned().zip(b.iter().cloned()));
        a.len() == b.len()
    };
    match (a, b) {
        (None, None) | (Ellipsis, Ellipsis) => true,
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (BigInt(a), BigInt(b)) => a == b,
        (Float(a), Float(b)) => a == b,
        (Str(a), Str(b)) => a == b,
        (Bytes(a), Bytes(b)) => a == b,
        (DType(a), DType(b)) => a == b,
        (Node(a), Node(b)) => a.ptr_eq(b),
        (Tuple(a), Tuple(b)) => Rc::ptr_eq(a, b) || all(a, b),
        (List(a), List(b)) => Rc::ptr_eq(a, b) || all(&a.borrow(), &b.borrow()),
        (Function(a), Function(b)) => std::ptr::eq(*a, *b),
        (Host(a), Host(b)) => Rc::ptr_eq(a, b),
        _ => false,
    }
}
