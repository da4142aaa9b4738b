//! Naming of built nodes: `def_` and `def_many` of RFC 0079.

use std::panic::Location;

use tvmscript_ir_core::operators::is_poison;
use tvmscript_ir_core::{Class, Object, Ref, Str};

use crate::builder::Builder;
use crate::emit::{Emit, Poison};
use tvmscript_script_value::ScriptValue;
use tvmscript_script_value::{BuildErrorKind, BuildResult};

/// Names a node, as an assignment in a script does.
///
/// # Errors
/// [`BuildErrorKind::Unnameable`] if nodes of its type have no name.
/// # Source
/// `IRBuilder::Name`, `src/script/ir_builder/base.cc`.
pub fn try_name(name: &str, node: &Object) -> BuildResult<()> {
    // A name for nothing.
    if is_poison(node) || node.give_name(&Str::new(name)) {
        return Ok(());
    }
    Err(BuildErrorKind::Unnameable { name: name.to_owned(), what: node.info().display_key() }.into())
}

/// A node, or a call that builds one.
pub trait Built {
    /// The result type.
    type Out;

    /// Executes the call, if it is one.
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

/// A value that may hold a node with a name.
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

/// Names the node that `value` builds and returns it: `let vi = name("vi", T::axis::spatial(128, &i));`. The RFC calls
/// it `def_`. Errors are recorded in the current builder with the call site.
///
/// # Panics
/// Panics on an error if no builder is open.
#[track_caller]
pub fn name<B: Built>(name: &str, value: B) -> B::Out
where
    B::Out: Nameable,
{
    named(name, value, Location::caller())
}

/// Names several values, each by its own name, and returns them. The RFC calls it `def_many`.
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
