//! Distributed tensors and device meshes.
//!
//! Upstream counterpart: `src/relax/distributed/{global_info,struct_info}.cc`.

use std::fmt::{self, Display, Formatter};

use tvmscript_ir::GlobalInfo;
use tvmscript_ir_core::containers::ShapeNode;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, IntField, Node, Ref, Span};
use tvmscript_prim::{IntImm, Range};

use super::{StructInfo, TensorStructInfo};

/// An invalid mesh, placement or distributed tensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The number of devices does not match the axes.
    #[error("expected {expected} devices for a mesh of shape {shape:?}, found {found}")]
    DeviceCount {
        /// Devices per axis.
        shape: Box<[i64]>,
        /// Product of the axes.
        expected: i64,
        /// Number of devices.
        found: i64,
    },
    /// A range of devices without literal bounds of 32 bits.
    #[error("the bounds of a range of devices must be literals of 32 bits")]
    DeviceRange,
    /// Invalid placement text.
    #[error(
        "invalid placement `{text}`: expected `R` or `S[axis]` for each axis of the mesh, separated by commas"
    )]
    PlacementText {
        /// Text.
        text: String,
    },
    /// The number of axes of placement and mesh differ.
    #[error("the mesh has {mesh} axes, but the placement `{placement}` has {found}")]
    AxisCount {
        /// Number of axes of the mesh.
        mesh: usize,
        /// Placement.
        placement: String,
        /// Number of axes of the placement.
        found: usize,
    },
    /// The sharded axis does not exist.
    #[error("the sharded axis {axis} is out of range for a tensor of rank {ndim}")]
    NoSuchAxis {
        /// Axis.
        axis: i64,
        /// Rank.
        ndim: i64,
    },
}

/// Devices arranged along axes.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.DeviceMesh", parent = GlobalInfo, check = DeviceMesh::check)]
pub struct DeviceMesh {
    /// Devices per axis.
    pub shape: Ref<ShapeNode>,
    /// Devices, row-major.
    pub device_ids: Array<Ref<IntImm>>,
    /// Devices, if they are consecutive.
    pub device_range: Option<Ref<Range>>,
}

/// Maximum number of devices in a mesh; each is a node.
const MAX_DEVICES: i64 = 1 << 20;

impl DeviceMesh {
    /// Creates a mesh of devices in row-major order.
    ///
    /// # Errors
    /// Fails if the number of devices does not match the axes.
    pub fn try_new(shape: &[i64], device_ids: Array<Ref<IntImm>>) -> Result<Ref<DeviceMesh>, MeshError> {
        DeviceMesh::checked(shape, device_ids, None)
    }

    /// Creates a mesh of consecutive devices.
    ///
    /// # Errors
    /// Fails if the number of devices does not match the axes, or the bounds are not literals.
    pub fn try_of_range(shape: &[i64], devices: Ref<Range>) -> Result<Ref<DeviceMesh>, MeshError> {
        let literal = |bound: &tvmscript_prim::Expr| bound.as_node::<IntImm>().map(|literal| literal.value);
        let bounds = literal(&devices.min).zip(literal(&devices.extent));
        let (min, extent) = bounds.ok_or(MeshError::DeviceRange)?;
        let end = min.checked_add(extent).filter(|end| i32::try_from(*end).is_ok() && extent <= MAX_DEVICES);
        let end = end.filter(|_| i32::try_from(min).is_ok()).ok_or(MeshError::DeviceRange)?;
        let id = |value| Ref::new(IntImm { span: Span::current(), dtype: DataType::INT32, value });
        DeviceMesh::checked(shape, (min..end).map(id).collect(), Some(devices))
    }

    fn checked(
        shape: &[i64],
        device_ids: Array<Ref<IntImm>>,
        device_range: Option<Ref<Range>>,
    ) -> Result<Ref<DeviceMesh>, MeshError> {
        DeviceMesh::check_count(shape, device_ids.len())?;
        let shape = Ref::new(ShapeNode { values: shape.into() });
        Ok(Ref::new(DeviceMesh { shape, device_ids, device_range }))
    }

    fn check_count(shape: &[i64], devices: usize) -> Result<(), MeshError> {
        let expected = shape.iter().fold(1i64, |product, axis| product.saturating_mul(*axis));
        let found = devices as i64;
        match expected == found {
            true => Ok(()),
            false => Err(MeshError::DeviceCount { shape: shape.into(), expected, found }),
        }
    }

    fn check(&self) -> Checked {
        DeviceMesh::check_count(&self.shape.values, self.device_ids.len())
            .map_err(|error| Invalid::at("device_ids", error))
    }

    /// Number of axes of the mesh.
    pub fn ndim(&self) -> usize {
        self.shape.values.len()
    }
}

/// Distribution of a tensor along one axis of the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementSpecKind {
    /// An axis of the tensor is split.
    Sharding,
    /// Every device holds the whole tensor.
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

/// Placement along one axis of the mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.PlacementSpec", eq = const_tree)]
pub struct PlacementSpec {
    /// Sharded axis of the tensor; -1 if replicated.
    pub axis: i64,
    /// Distribution.
    pub kind: PlacementSpecKind,
}

/// Placement on a mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.Placement", eq = const_tree)]
pub struct Placement {
    /// Placement per axis of the mesh.
    pub dim_specs: Array<Ref<PlacementSpec>>,
}

impl PlacementSpec {
    /// Every device holds the whole tensor.
    pub fn replica() -> Ref<PlacementSpec> {
        Ref::new(PlacementSpec { axis: -1, kind: PlacementSpecKind::Replica })
    }

    /// An axis of the tensor is split.
    pub fn sharding(axis: i64) -> Ref<PlacementSpec> {
        Ref::new(PlacementSpec { axis, kind: PlacementSpecKind::Sharding })
    }
}

impl Placement {
    /// Parses a placement such as `S[0], R`.
    ///
    /// # Errors
    /// Fails for any other text.
    pub fn from_text(text: &str) -> Result<Ref<Placement>, MeshError> {
        let wrong = || MeshError::PlacementText { text: text.to_owned() };
        let mut specs = Vec::new();
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t', '\n']);
            if rest.is_empty() {
                return Ok(Ref::new(Placement { dim_specs: specs.into_iter().collect() }));
            }
            if let Some(after) = rest.strip_prefix('R') {
                specs.push(PlacementSpec::replica());
                rest = after;
                continue;
            }
            let inside = rest.strip_prefix('S').map(str::trim_start).and_then(|rest| rest.strip_prefix('['));
            let (axis, after) = inside.and_then(|rest| rest.split_once(']')).ok_or_else(wrong)?;
            let axis: i32 = axis.trim().parse().map_err(|_| wrong())?;
            specs.push(PlacementSpec::sharding(axis.into()));
            rest = after;
        }
    }
}

impl Display for Placement {
    /// `S[0], R`
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, spec) in self.dim_specs.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match spec.kind {
                PlacementSpecKind::Sharding => write!(f, "S[{}]", spec.axis)?,
                PlacementSpecKind::Replica => f.write_str("R")?,
            }
        }
        Ok(())
    }
}

/// A distributed tensor.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.DTensorStructInfo", parent = StructInfo, check = DTensorStructInfo::check)]
pub struct DTensorStructInfo {
    /// Source span.
    pub span: Span,
    /// Mesh of devices.
    pub device_mesh: Ref<DeviceMesh>,
    /// Placement of the tensor.
    pub placement: Ref<Placement>,
    /// The whole tensor.
    pub tensor_sinfo: Ref<TensorStructInfo>,
}

impl DTensorStructInfo {
    /// Creates the struct info of a distributed tensor.
    ///
    /// # Errors
    /// Fails if the axes do not match those of mesh and tensor.
    pub fn try_new(
        tensor_sinfo: Ref<TensorStructInfo>,
        device_mesh: Ref<DeviceMesh>,
        placement: Ref<Placement>,
    ) -> Result<Ref<DTensorStructInfo>, MeshError> {
        let info = DTensorStructInfo { span: Span::current(), device_mesh, placement, tensor_sinfo };
        info.check_axes()?;
        Ok(Ref::new(info))
    }

    fn check(&self) -> Checked {
        self.check_axes().map_err(|error| Invalid::at("placement", error))
    }

    fn check_axes(&self) -> Result<(), MeshError> {
        let DTensorStructInfo { span: _, device_mesh, placement, tensor_sinfo } = self;
        let (mesh, found) = (device_mesh.ndim(), placement.dim_specs.len());
        if mesh != found {
            return Err(MeshError::AxisCount { mesh, placement: placement.to_string(), found });
        }
        let is_beyond = |spec: &&Ref<PlacementSpec>| {
            spec.kind == PlacementSpecKind::Sharding && spec.axis >= tensor_sinfo.ndim
        };
        if let Some(spec) = placement.dim_specs.iter().find(is_beyond) {
            return Err(MeshError::NoSuchAxis { axis: spec.axis, ndim: tensor_sinfo.ndim });
        }
        Ok(())
    }
}
