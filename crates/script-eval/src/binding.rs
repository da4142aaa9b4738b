//! Meanings of names.

use std::rc::Rc;

use tvmscript_python_syntax::ast::TextRange;
use tvmscript_script_value::ScriptValue;

use crate::eval::Placeholder;

/// The meaning of a name.
#[derive(Debug, Clone, Default)]
pub enum Binding {
    /// None.
    #[default]
    Unbound,
    /// A value.
    Value(ScriptValue),
    /// The definition failed and was reported: using the name is silent.
    Poison,
    /// A value of host code that is not known: using the name in a script is an error.
    Unknown(Rc<Placeholder>),
}

/// A variable of the module level.
#[derive(Debug, Clone, Default)]
pub struct Slot {
    /// What it stands for.
    pub binding: Binding,
    /// Where it was defined; empty for names that need no definition.
    pub place: TextRange,
}

impl Slot {
    /// A variable of the module level.
    pub fn new(binding: Binding, place: TextRange) -> Slot {
        Slot { binding, place }
    }

    /// A variable of the module level whose definition failed.
    pub(crate) fn poison(place: TextRange) -> Slot {
        Slot::new(Binding::Poison, place)
    }
}

/// Maximum number of values that [`same`] compares; larger values count as different.
const MAX_COMPARED: u32 = 10_000;

/// Whether both values are of one kind and equal, so that replacing one by the other changes nothing. Nodes, functions and
/// host objects are compared by identity.
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
