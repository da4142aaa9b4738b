//! Of the operators that call functions outside Relax, and of devices.

use tvmscript_ir::Attrs;
use tvmscript_ir::VDevice;
use tvmscript_ir_core::{Array, Map, Node, Ref, Str, Value};
use tvmscript_prim::IntImm;

use crate::node::{DeviceMesh, Placement};

/// Of `R.call_tir_inplace`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.CallTIRInplaceAttrs", parent = Attrs)]
pub struct CallTIRInplaceAttrs {
    /// For each output the argument that it takes the place of; -1 for none.
    pub inplace_indices: Array<Ref<IntImm>>,
}

/// Of `R.call_tir_with_grad`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.CallTIRWithGradAttrs", parent = Attrs)]
pub struct CallTIRWithGradAttrs {
    /// The name of the gradient function.
    pub te_grad_name: Str,
    /// What the gradient function is given besides.
    pub te_grad_kwargs: Map<Str, Value>,
}

/// Of `R.call_inplace_packed`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.CallInplacePackedAttrs", parent = Attrs)]
pub struct CallInplacePackedAttrs {
    /// For each output the argument that it takes the place of; -1 for none.
    pub inplace_indices: Array<Ref<IntImm>>,
}

/// Of `R.hint_on_device`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.HintOnDeviceAttrs", parent = Attrs)]
pub struct HintOnDeviceAttrs {
    /// The number of the kind of device.
    pub device_type: i64,
    /// Which of several devices.
    pub index: i64,
    /// Which memory.
    pub memory_scope: Str,
}

/// Of `R.to_vdevice`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ToVDeviceAttrs", parent = Attrs)]
pub struct ToVDeviceAttrs {
    /// The device.
    pub dst_vdevice: Ref<VDevice>,
}

/// Of `R.ccl.allreduce`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AllReduceAttrs", parent = Attrs)]
pub struct AllReduceAttrs {
    /// How values are combined: `sum`, `prod`, `min`, `max`, `avg`.
    pub op_type: Str,
    /// Within the group of workers, not among all.
    pub in_group: bool,
}

/// Of `R.ccl.allgather`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AllGatherAttrs", parent = Attrs)]
pub struct AllGatherAttrs {
    /// How many workers.
    pub num_workers: i64,
    /// Within the group of workers, not among all.
    pub in_group: bool,
}

/// Of `R.ccl.scatter_from_worker0`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.ScatterCollectiveAttrs", parent = Attrs)]
pub struct ScatterCollectiveAttrs {
    /// How many workers.
    pub num_workers: i64,
    /// The axis; negative ones count from the last.
    pub axis: i64,
}

/// Of `R.dist.annotate_sharding` and `R.dist.redistribute`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.DistributionAttrs", parent = Attrs)]
pub struct DistributionAttrs {
    /// The devices.
    pub device_mesh: Ref<DeviceMesh>,
    /// How the tensor lies on them.
    pub placement: Ref<Placement>,
}
