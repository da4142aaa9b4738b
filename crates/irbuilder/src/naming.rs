//! Names for what builder functions give: the RFC's `def_` and `def_many`.

use std::panic::Location;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Class, Object, Ref, Str};

use crate::builder::Builder;
use crate::emit::{Emit, Poison};
use tvmscript_script_value::ScriptValue;
use tvmscript_script_value::{BuildErrorKind, Result};

/// Gives a node its name, as an assignment in a script does.
///
/// # Errors
/// [`BuildErrorKind::Unnameable`] when nodes of its type have no name.
/// # Source
/// `IRBuilder::Name`, `src/script/ir_builder/base.cc`.
pub fn try_name(name: &str, node: &Object) -> Result<()> {
    // A name for nothing.
    if is_poison(node) || node.give_name(&Str::new(name)) {
        return Ok(());
    }
    Err(BuildErrorKind::Unnameable { name: name.to_owned(), what: node.info().display_key() }.into())
}

/// A node, or a call that gives one when it is made.
pub trait Built {
    /// What it gives.
    type Out;

    /// The node.
    fn built(self) -> Self::Out;
}

impl<C: Emit> Built for C
where
    C::Out: Poison,
{
    type Out = C::Out;
    fn built(self) -> C::Out {
        self.emit()
    }
}

impl<T: Class> Built for Ref<T> {
    type Out = Ref<T>;
    fn built(self) -> Ref<T> {
        self
    }
}

impl<T: Class> Built for &Ref<T> {
    type Out = Ref<T>;
    fn built(self) -> Ref<T> {
        self.clone()
    }
}

impl Built for ScriptValue {
    type Out = ScriptValue;
    fn built(self) -> ScriptValue {
        self
    }
}

/// What may hold a node that has a name.
pub trait Nameable {
    /// The node, if there is one.
    fn node(&self) -> Option<&Object>;
}

impl<T: Class> Nameable for Ref<T> {
    fn node(&self) -> Option<&Object> {
        Some(self.object())
    }
}

impl Nameable for ScriptValue {
    fn node(&self) -> Option<&Object> {
        match self {
            ScriptValue::Node(object) => Some(object),
            _ => None,
        }
    }
}

fn named<B: Built>(name: &str, value: B, caller: &'static Location<'static>) -> B::Out
where
    B::Out: Nameable,
{
    let out = value.built();
    let named = match out.node() {
        Some(node) => try_name(name, node),
        None => Err(BuildErrorKind::Unnameable { name: name.to_owned(), what: "value" }.into()),
    };
    if let Err(error) = named {
        Builder::record(error, caller);
    }
    out
}

/// Names what `value` gives, and gives it: `let vi = name("vi", T::axis::spatial(128, &i));`. The RFC calls it `def_`. An
/// error is recorded in the current builder, with the caller's place.
///
/// # Panics
/// When there is an error and no builder is open.
#[track_caller]
pub fn name<B: Built>(name: &str, value: B) -> B::Out
where
    B::Out: Nameable,
{
    named(name, value, Location::caller())
}

/// Names several values at once, each by its own name, and gives them. The RFC calls it `def_many`.
///
/// # Panics
/// As [`name`].
#[track_caller]
pub fn name_many<B: Built, const N: usize>(names: [&str; N], values: [B; N]) -> [B::Out; N]
where
    B::Out: Nameable,
{
    let caller = Location::caller();
    let mut names = names.into_iter();
    values.map(|value| named(names.next().unwrap_or_default(), value, caller))
}
