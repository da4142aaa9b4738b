//! Operators by name: each [`Op`] is interned, one node per name in the process.

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

static OPS: OnceLock<RwLock<HashMap<Box<str>, Ref<Op>>>> = OnceLock::new();

impl Op {
    /// Returns the operator with a name; creates it on first use.
    pub fn get(name: &str) -> Ref<Op> {
        let ops = OPS.get_or_init(Default::default);
        if let Some(op) = ops.read().unwrap_or_else(|e| e.into_inner()).get(name) {
            return op.clone();
        }
        let mut ops = ops.write().unwrap_or_else(|e| e.into_inner());
        ops.entry(name.into()).or_insert_with(|| Ref::new(Op { name: Str::new(name) })).clone()
    }
}
