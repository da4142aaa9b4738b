//! Compilation targets, as plain data: there is no registry of target kinds.

use tvmscript_ir_core::{Array, Map, Node, Object, Ref, Str, Value};

/// A kind of target (`llvm`, `cuda`), by name.
#[derive(Debug, Clone, Node)]
#[node(key = "target.TargetKind", by_name = TargetKind::new)]
pub struct TargetKind {
    /// The name.
    pub name: Str,
}

impl TargetKind {
    /// Creates the kind with this name.
    pub fn new(name: &str) -> Ref<TargetKind> {
        Ref::new(TargetKind { name: name.into() })
    }
}

/// A target with its options.
#[derive(Debug, Clone, Node)]
#[node(key = "target.Target")]
pub struct Target {
    /// The kind.
    pub kind: Ref<TargetKind>,
    /// The tag that names this set of options.
    pub tag: Str,
    /// Keys by which schedules and lowering rules select the target (`cpu`, `gpu`).
    pub keys: Array<Str>,
    /// The options.
    pub attrs: Map<Str, Value>,
    /// Features derived from the options.
    pub features: Map<Str, Value>,
    /// The host target.
    pub host: Option<Object>,
}
