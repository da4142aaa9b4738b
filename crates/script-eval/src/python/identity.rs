//! Numbers of `id`.
//!
//! They count the values that were asked for, so that they are the same in each run.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

use tvmscript_script_value::{DictKey, ScriptValue};

use super::builtins::Builtin;
use super::cost;
use crate::EvalState;
use crate::eval::Raise;

/// The distance of two numbers.
const STEP: i64 = 64;

/// The part of a value by which it is the same.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Address(usize),
    Key(Discriminant<ScriptValue>, DictKey),
}

/// A number, with a weak reference: as long as it exists, no other value has the address.
type Numbered = (i64, Option<Box<dyn Any>>);

/// The values that have a number.
#[derive(Default)]
pub(crate) struct Identities {
    known: RefCell<HashMap<Identity, Numbered>>,
}

impl Identities {
    /// The number of a value.
    pub(crate) fn number(&self, p: &EvalState, value: &ScriptValue) -> Result<i64, Raise> {
        let (identity, weak) = identity_of(value);
        if let Some((number, _)) = self.known.borrow().get(&identity) {
            return Ok(*number);
        }
        p.program.budget.allocate(cost::ENTRY_BYTES)?;
        let mut known = self.known.borrow_mut();
        let number = (known.len() as i64 + 1).saturating_mul(STEP);
        known.insert(identity, (number, weak));
        Ok(number)
    }
}

fn identity_of(value: &ScriptValue) -> (Identity, Option<Box<dyn Any>>) {
    fn shared<T: ?Sized + 'static>(value: &Rc<T>) -> (Identity, Option<Box<dyn Any>>) {
        let address = Rc::as_ptr(value).cast::<()>().addr();
        (Identity::Address(address), Some(Box::new(Rc::downgrade(value))))
    }
    match value {
        ScriptValue::List(items) => shared(items),
        ScriptValue::Tuple(items) => shared(items),
        ScriptValue::Dict(items) => shared(items),
        ScriptValue::Host(host) if value.as_host::<Builtin>().is_none() => shared(host),
        other => match DictKey::new(other.clone()) {
            Ok(key) => (Identity::Key(discriminant(other), key), None),
            Err(_) => (Identity::Address(0), None),
        },
    }
}
