//! Operators by name: an [`Op`] is one interned node per name, the same pointer under every registry.

use std::collections::HashMap;
use std::sync::{OnceLock, RwLock};

use crate::raw::{Ref, Str};
use crate::{Class, Node};

/// The class of every expression of every dialect (`ir.BaseExpr`).
#[derive(Class)]
#[class(key = "ir.BaseExpr")]
pub struct BaseExpr(());

/// An operator, known by its name (`tir.exp`); compared by pointer.
#[derive(Debug, Clone, Node)]
#[node(key = "ir.Op", parent = BaseExpr, eq = unique, by_name = Op::get)]
pub struct Op {
    /// The full name.
    pub name: Str,
}

static OPS: OnceLock<RwLock<HashMap<Box<str>, Ref<Op>>>> = OnceLock::new();

impl Op {
    /// The operator with this name; made on first use.
    pub fn get(name: &str) -> Ref<Op> {
        let ops = OPS.get_or_init(Default::default);
        if let Some(op) = ops.read().unwrap_or_else(|e| e.into_inner()).get(name) {
            return op.clone();
        }
        let mut ops = ops.write().unwrap_or_else(|e| e.into_inner());
        ops.entry(name.into()).or_insert_with(|| Ref::new(Op { name: Str::new(name) })).clone()
    }
}
