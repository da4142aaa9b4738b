//! Operators by name: each [`Op`] is interned, one node per name and process, with the effect that its dialect declares.
//!
//! [`Op::get`] accepts any name. Scripts and JSON may use the names that the dialects of the registry declare
//! ([`NameDialect::names`](tvmscript_ir_core::registry::NameDialect::names)), provided that any are declared; other
//! names fail with [`UnknownOperator`] or an error of the JSON reader.

use std::sync::{OnceLock, RwLock};

use hashbrown::HashMap;
use tvmscript_ir_core::{Class, Node, Ref, Str};

/// Base class of all expressions (`ir.BaseExpr`).
#[derive(Class)]
#[class(key = "ir.BaseExpr")]
pub struct BaseExpr(());

/// An operator (`ir.Op`), identified by its name.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.Op", parent = BaseExpr, eq = unique, by_name = Op::get)]
pub struct Op {
    /// Qualified name, e.g. `tir.exp`.
    pub name: Str,
}

/// No dialect declares an operator with this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operator `{name}` is not registered")]
pub struct UnknownOperator {
    /// The name.
    pub name: String,
}

/// The effect of evaluating a call, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// A mark on its argument.
    Annotation,
    /// The value depends on the arguments alone.
    Pure,
    /// Reads state.
    Read,
    /// Changes state.
    Update,
    /// Anything.
    Opaque,
    /// An argument of a special kind of another call.
    Special,
    /// Information for the compiler, embedded in the code.
    Embed,
    /// A jump.
    Jump,
    /// Not recorded upstream.
    Unknown,
}

/// An interned operator and what its dialect declares of it.
#[derive(Debug)]
struct OpEntry {
    op: Ref<Op>,
    effect: Option<Effect>,
    has_open_result: bool,
}

static OPS: OnceLock<RwLock<HashMap<Box<str>, OpEntry>>> = OnceLock::new();

impl Op {
    /// Returns the operator with this name; creates it on first use.
    pub fn get(name: &str) -> Ref<Op> {
        let ops = OPS.get_or_init(Default::default);
        if let Some(entry) = ops.read().unwrap_or_else(|e| e.into_inner()).get(name) {
            return entry.op.clone();
        }
        Op::intern(name, None, false)
    }

    /// Returns the operator with a name and declares its effect. The first declaration in the process stands.
    pub fn declare(name: &str, effect: Effect) -> Ref<Op> {
        Op::intern(name, Some(effect), false)
    }

    /// Declares an operator ([`Op::declare`]) of which neither the table nor the text of a call states the type of the
    /// result: a call of type `void` takes the type that its place asks for
    /// ([`ops::undetermined`](crate::ops::undetermined)).
    pub fn declare_with_open_result(name: &str, effect: Effect) -> Ref<Op> {
        Op::intern(name, Some(effect), true)
    }

    fn intern(name: &str, effect: Option<Effect>, has_open_result: bool) -> Ref<Op> {
        let mut ops = OPS.get_or_init(Default::default).write().unwrap_or_else(|e| e.into_inner());
        let op = || Ref::new(Op { name: Str::new(name) });
        let new = || OpEntry { op: op(), effect: None, has_open_result: false };
        let entry = ops.entry(name.into()).or_insert_with(new);
        entry.effect = entry.effect.or(effect);
        entry.has_open_result |= has_open_result;
        entry.op.clone()
    }

    /// Tests whether the type of a call's result is open, as [`Op::declare_with_open_result`] declares it.
    pub fn has_open_result(&self) -> bool {
        let ops = OPS.get_or_init(Default::default).read().unwrap_or_else(|e| e.into_inner());
        ops.get(self.name.as_str()).is_some_and(|entry| entry.has_open_result)
    }

    /// The declared effect of a call of this operator; [`Effect::Opaque`] if no dialect declared it.
    pub fn effect(&self) -> Effect {
        let ops = OPS.get_or_init(Default::default).read().unwrap_or_else(|e| e.into_inner());
        ops.get(self.name.as_str()).and_then(|entry| entry.effect).unwrap_or(Effect::Opaque)
    }
}
