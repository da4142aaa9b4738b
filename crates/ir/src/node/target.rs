//! What code is made for. Kept as data: no registry of real targets stands behind it.

use tvmscript_ir_core::{Array, Map, Node, Object, Ref, Str, Value};

/// A kind of target (`llvm`, `cuda`), by name.
#[derive(Debug, Clone, Node)]
#[node(key = "target.TargetKind", by_name = TargetKind::new)]
pub struct TargetKind {
    /// The name.
    pub name: Str,
}

impl TargetKind {
    /// The kind with this name.
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
    /// A name for this choice of options.
    pub tag: Str,
    /// What the target answers to (`cpu`, `gpu`).
    pub keys: Array<Str>,
    /// The options.
    pub attrs: Map<Str, Value>,
    /// What follows from the options.
    pub features: Map<Str, Value>,
    /// The target of the code that drives this one.
    pub host: Option<Object>,
}
