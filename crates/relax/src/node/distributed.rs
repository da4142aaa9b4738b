//! Tensors spread over a mesh of devices.
//!
//! Upstream counterpart: `src/relax/distributed/{global_info,struct_info}.cc`.

use std::fmt::{self, Display, Formatter};

use tvmscript_ir::GlobalInfo;
use tvmscript_ir_core::containers::ShapeNode;
use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, DataType, IntField, Node, Ref, Span};
use tvmscript_prim::{IntImm, Range};

use super::{StructInfo, TensorStructInfo};

/// What does not fit together about a mesh, or a tensor on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The axes of the mesh have room for more or fewer devices.
    #[error("a mesh of shape {shape:?} has {expected} devices, not {found}")]
    DeviceCount {
        /// Devices per axis.
        shape: Box<[i64]>,
        /// Their product.
        expected: i64,
        /// How many devices are given.
        found: i64,
    },
    /// The bounds of a range of devices are no small literals.
    #[error("the range of devices is no range of literals that fit 32 bits")]
    DeviceRange,
    /// A placement cannot be read.
    #[error(
        "`{text}` is no placement: for each axis of the mesh write `R`, or `S[axis]`, separated by commas"
    )]
    PlacementText {
        /// The text.
        text: String,
    },
    /// The placement speaks of more or fewer axes than the mesh has.
    #[error("the mesh has {mesh} axes, and the placement `{placement}` speaks of {found}")]
    AxisCount {
        /// How many axes the mesh has.
        mesh: usize,
        /// The placement.
        placement: String,
        /// How many axes it has.
        found: usize,
    },
    /// The divided axis does not exist.
    #[error("axis {axis} is divided, and the tensor is of rank {ndim}")]
    NoSuchAxis {
        /// The axis.
        axis: i64,
        /// The rank.
        ndim: i64,
    },
}

/// Devices, laid out along axes.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.distributed.DeviceMesh", parent = GlobalInfo, check = DeviceMesh::check)]
pub struct DeviceMesh {
    /// Devices per axis.
    pub shape: Ref<ShapeNode>,
    /// The devices, row-major.
    pub device_ids: Array<Ref<IntImm>>,
    /// The devices, where they are consecutive.
    pub device_range: Option<Ref<Range>>,
}

/// How many devices a mesh holds at most: each is a node.
const MAX_DEVICES: i64 = 1 << 20;

impl DeviceMesh {
    /// A mesh of these devices, row-major.
    ///
    /// # Errors
    /// When there are more or fewer than the axes have room for.
    pub fn try_new(shape: &[i64], device_ids: Array<Ref<IntImm>>) -> Result<Ref<DeviceMesh>, MeshError> {
        DeviceMesh::checked(shape, device_ids, None)
    }

    /// A mesh of consecutive devices.
    ///
    /// # Errors
    /// When there are more or fewer than the axes have room for, or the range has no literal bounds.
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

    /// How many axes the mesh has.
    pub fn ndim(&self) -> usize {
        self.shape.values.len()
    }
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

impl PlacementSpec {
    /// Every device has all of the tensor.
    pub fn replica() -> Ref<PlacementSpec> {
        Ref::new(PlacementSpec { axis: -1, kind: PlacementSpecKind::Replica })
    }

    /// An axis of the tensor is divided.
    pub fn sharding(axis: i64) -> Ref<PlacementSpec> {
        Ref::new(PlacementSpec { axis, kind: PlacementSpecKind::Sharding })
    }
}

impl Placement {
    /// The placement that a text such as `S[0], R` says.
    ///
    /// # Errors
    /// When the text has another form.
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

/// A tensor spread over a mesh.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.DTensorStructInfo", parent = StructInfo, check = DTensorStructInfo::check)]
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

impl DTensorStructInfo {
    /// A tensor as it lies on a mesh.
    ///
    /// # Errors
    /// When the placement speaks of other axes than mesh and tensor have.
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
