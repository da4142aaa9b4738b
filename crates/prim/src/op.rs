//! Operators by name: each [`Op`] is interned, one node per name and process, with the effect that its dialect declares.
//!
//! [`Op::get`] accepts any name. Scripts and JSON may use the names that the dialects of the registry declare
//! ([`NameDialect::names`](tvmscript_ir_core::registry::NameDialect::names)), provided that any are declared; other
//! names fail with [`UnknownOperator`] or an error of the JSON reader.

use std::collections::HashMap;
use std::sync::{OnceLock, RwLock};

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

/// An interned operator and its declared effect.
#[derive(Debug)]
struct OpEntry {
    op: Ref<Op>,
    effect: Option<Effect>,
}

static OPS: OnceLock<RwLock<HashMap<Box<str>, OpEntry>>> = OnceLock::new();

impl Op {
    /// Returns the operator with this name; creates it on first use.
    pub fn get(name: &str) -> Ref<Op> {
        let ops = OPS.get_or_init(Default::default);
        if let Some(entry) = ops.read().unwrap_or_else(|e| e.into_inner()).get(name) {
            return entry.op.clone();
        }
        Op::intern(name, None)
    }

    /// Returns the operator with a name and declares its effect. The first declaration in the process stands.
    pub fn declare(name: &str, effect: Effect) -> Ref<Op> {
        Op::intern(name, Some(effect))
    }

    fn intern(name: &str, effect: Option<Effect>) -> Ref<Op> {
        let mut ops = OPS.get_or_init(Default::default).write().unwrap_or_else(|e| e.into_inner());
        let new = || OpEntry { op: Ref::new(Op { name: Str::new(name) }), effect: None };
        let entry = ops.entry(name.into()).or_insert_with(new);
        entry.effect = entry.effect.or(effect);
        entry.op.clone()
    }

    /// The declared effect of a call of this operator; [`Effect::Opaque`] if no dialect declared it.
    pub fn effect(&self) -> Effect {
        let ops = OPS.get_or_init(Default::default).read().unwrap_or_else(|e| e.into_inner());
        ops.get(self.name.as_str()).and_then(|entry| entry.effect).unwrap_or(Effect::Opaque)
    }
}
