//! Device meshes and distributed tensors: `R.device_mesh((2, 2), I.Range(0, 4))`, `R.DTensor((8, 8), "float32",
//! "mesh[0]", "S[0], R")`.
//!
//! Upstream counterpart: `python/tvm/script/parser/relax/dist.py`.

use tvmscript_ir::build::global_infos;
use tvmscript_ir_core::containers::{ShapeNode, TensorNode};
use tvmscript_ir_core::{Array, Ref};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, PyType, ScriptFn, ScriptValue, script_fn};
use tvmscript_prim::Range;

use super::args::{IntArg, IntListArg};
use super::constant::constant_of;
use super::struct_info::{StructInfoProxy, tensor_of_arguments};
use crate::node::*;

/// A mesh, or its position among the module's global infos: `mesh[0]`.
#[derive(Debug, Clone)]
pub struct DeviceMeshArg(pub Ref<DeviceMesh>);

impl FromScript for DeviceMeshArg {
    const TYPE: PyType = PyType::Union { of: &[PyType::node::<DeviceMesh>(), PyType::STR] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        let ScriptValue::Str(text) = &value else {
            return match value.as_node::<DeviceMesh>() {
                Some(mesh) => Ok(DeviceMeshArg(mesh.clone())),
                None => Err(BuildError::expected("a mesh such as `mesh[0]`", value.type_name())),
            };
        };
        let place = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let place = place.and_then(|(name, index)| Some((name, index.trim().parse::<usize>().ok()?)));
        let Some((name, index)) = place else {
            let message = format!("expected a mesh such as `mesh[0]`, found `{text}`");
            return Err(BuildError::message(message));
        };
        match global_infos(name).get(index).and_then(|info| info.downcast_ref::<DeviceMesh>()) {
            Some(mesh) => Ok(DeviceMeshArg(mesh.clone())),
            None => Err(BuildError::message(format!("the module has no mesh `{text}`")).with_help(
                "list it in `I.module_global_infos({\"mesh\": [R.device_mesh((2, 2), I.Range(0, 4))]})`",
            )),
        }
    }
}

/// A placement on a mesh, or its text: `S[0], R`.
#[derive(Debug, Clone)]
pub struct PlacementArg(pub Ref<Placement>);

impl FromScript for PlacementArg {
    const TYPE: PyType = PyType::Union { of: &[PyType::node::<Placement>(), PyType::STR] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        if let ScriptValue::Str(text) = &value {
            return Ok(PlacementArg(Placement::from_text(text)?));
        }
        match value.as_node::<Placement>() {
            Some(placement) => Ok(PlacementArg(placement.clone())),
            None => Err(BuildError::expected("a placement such as `S[0], R`", value.type_name())),
        }
    }
}

/// The axes of a mesh: a list or tuple of integers, or a shape.
fn axes(value: &ScriptValue) -> BuildResult<Vec<i64>> {
    if let Some(shape) = value.as_node::<ShapeNode>() {
        return Ok(shape.values.to_vec());
    }
    let Some(items) = value.items() else {
        return Err(BuildError::expected("a list or tuple of integers", value.type_name()));
    };
    items.into_iter().map(|item| IntArg::from_script(item).map(|int| int.0)).collect()
}

/// A mesh of devices: a range, or their row-major indices.
#[script_fn]
pub fn device_mesh(shape: ScriptValue, device_ids: ScriptValue) -> BuildResult<Ref<DeviceMesh>> {
    let shape = axes(&shape).map_err(|e| e.at_position(0))?;
    let mesh = match device_ids.as_node::<Range>() {
        Some(range) => DeviceMesh::try_of_range(&shape, range.clone()),
        None => {
            let ids = IntListArg::from_script(device_ids).map_err(|e| e.at_position(1))?;
            DeviceMesh::try_new(&shape, ids.0)
        }
    };
    mesh.map_err(|e| BuildError::from(e).at_position(1))
}

/// A distributed tensor: shape, element type, mesh, and placement along each axis of the mesh.
#[script_fn(name = "DTensor", annotation)]
pub fn dtensor(
    #[default = None] shape: Option<ScriptValue>,
    #[default = None] dtype: Option<ScriptValue>,
    #[default = None] device_mesh: Option<DeviceMeshArg>,
    #[default = None] placement: Option<PlacementArg>,
    #[kw_only]
    #[default = -1]
    ndim: i64,
) -> BuildResult<ScriptValue> {
    let whole = StructInfoProxy::of(&tensor_of_arguments(shape, dtype, None, ndim)?)?;
    let device_mesh = match device_mesh {
        Some(mesh) => mesh.0,
        None => single_device()?,
    };
    let placement = placement.map_or_else(|| Ref::new(Placement { dim_specs: Array::default() }), |p| p.0);
    StructInfoProxy::DTensor { tensor: whole.into(), device_mesh, placement }.settled()
}

/// A mesh without axes, of one device.
fn single_device() -> BuildResult<Ref<DeviceMesh>> {
    let range = Range::try_from_bounds(
        tvmscript_prim::ops::python::int_literal(0),
        tvmscript_prim::ops::python::int_literal(1),
    )?;
    Ok(DeviceMesh::try_of_range(&[], range)?)
}

/// A distributed constant.
#[script_fn(name = "dist.const")]
pub fn dist_const(value: ScriptValue, struct_info: ScriptValue) -> BuildResult<Ref<Constant>> {
    let info = StructInfoProxy::of(&struct_info).and_then(|info| info.resolve(None));
    let info = info.map_err(|e| e.at_position(1))?;
    let spread: Ref<DTensorStructInfo> = info.downcast().map_err(|info| {
        let found = crate::describe::struct_info(&info).to_string();
        BuildError::expected("struct info such as `R.DTensor(..)`", found).at_position(1)
    })?;
    let dtype = spread.tensor_sinfo.dtype;
    let dtype = (!dtype.is_void()).then_some(dtype);
    // A constant may be in the metadata section, with plain struct info.
    let data: Ref<TensorNode> = match value.as_node::<Constant>() {
        Some(constant) => constant.data.clone(),
        None => constant_of(&value, dtype).map_err(|e| e.at_position(0))?.data.clone(),
    };
    let mut constant = Constant::new(data);
    constant.make_mut().struct_info_ = Some(spread.into());
    Ok(constant)
}

/// The script functions of this module.
pub static FUNCTIONS: &[&ScriptFn] = &[&DEVICE_MESH, &DTENSOR, &DIST_CONST];
