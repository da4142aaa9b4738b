//! Tensors spread over a mesh of devices.

use tvmscript_ir::GlobalInfo;
use tvmscript_ir_core::containers::ShapeNode;
use tvmscript_ir_core::{Array, IntField, Node, Ref, Span};
use tvmscript_prim::{IntImm, Range};

use super::{StructInfo, TensorStructInfo};

/// Devices, laid out along axes.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.DeviceMesh", parent = GlobalInfo)]
pub struct DeviceMesh {
    /// Devices per axis.
    pub shape: Ref<ShapeNode>,
    /// The devices, row-major.
    pub device_ids: Array<Ref<IntImm>>,
    /// The devices, where they are consecutive.
    pub device_range: Option<Ref<Range>>,
}

/// What happens to a tensor along one axis of the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementSpecKind {
    /// An axis of the tensor is divided.
    Sharding,
    /// Every device has all of it.
    Replica,
}

impl IntField for PlacementSpecKind {
    fn to_int(self) -> i64 {
        match self {
            PlacementSpecKind::Sharding => 0,
            PlacementSpecKind::Replica => 1,
        }
    }
    fn from_int(value: i64) -> Option<Self> {
        match value {
            0 => Some(PlacementSpecKind::Sharding),
            1 => Some(PlacementSpecKind::Replica),
            _ => None,
        }
    }
}

/// How a tensor lies along one axis of the mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.PlacementSpec", eq = const_tree)]
pub struct PlacementSpec {
    /// The divided axis of the tensor; -1 where none is.
    pub axis: i64,
    /// What happens.
    pub kind: PlacementSpecKind,
}

/// How a tensor lies on the mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.Placement", eq = const_tree)]
pub struct Placement {
    /// One per axis of the mesh.
    pub dim_specs: Array<Ref<PlacementSpec>>,
}

/// A tensor spread over a mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.DTensorStructInfo", parent = StructInfo)]
pub struct DTensorStructInfo {
    /// Where it was written.
    pub span: Span,
    /// The devices.
    pub device_mesh: Ref<DeviceMesh>,
    /// How the tensor lies on them.
    pub placement: Ref<Placement>,
    /// The whole tensor.
    pub tensor_sinfo: Ref<TensorStructInfo>,
}
