//! Distributed tensors and device meshes.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir::print::ModuleFrame;
use tvmscript_ir_core::{PathId, Ref, field};

use super::state::{RelaxDocsifier, RelaxFrame};
use super::struct_info::tensor_shape;
use crate::node::{DTensorStructInfo, DeviceMesh, Placement, TensorStructInfo};

/// `"S[0], R"`
pub(crate) fn placement(node: &Ref<Placement>, _: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    // A string alone would parse as a string.
    if d.is_root(node.object()) && d.config().verbose_expr || d.is_data(node.object()) {
        return Ok(d.metadata(node.object()));
    }
    Ok(d.docs.str(&*node.to_string()))
}

/// `"mesh[0]"` in a function of a module with this mesh, otherwise `R.device_mesh((2, 2), I.Range(0, 4))`
pub(crate) fn device_mesh(
    node: &Ref<DeviceMesh>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let DeviceMesh { shape, device_ids, device_range } = &**node;
    let in_function = d.frames().any(|frame| frame.data.is::<RelaxFrame>());
    if let Some(module) = d.frame_data::<ModuleFrame>().filter(|_| in_function) {
        let place = module.global_infos.iter().find_map(|(name, infos)| {
            let index = infos.iter().position(|info| info.ptr_eq(node))?;
            Some(format!("{name}[{index}]"))
        });
        if let Some(place) = place {
            return Ok(d.docs.str(&*place));
        }
    }
    let shape = d.expr_field(shape, path, field!(DeviceMesh, shape))?;
    let devices = match device_range {
        Some(range) => {
            let at = d.field(path, field!(DeviceMesh, device_range));
            d.expr(range, at)?
        }
        None => {
            let at = d.field(path, field!(DeviceMesh, device_ids));
            d.expr_object(device_ids.object(), at)?
        }
    };
    Ok(d.r_call("device_mesh", &[shape, devices]))
}

/// `R.DTensor((2, 3), "float32", "mesh[0]", "S[0], R")`
pub(crate) fn dtensor(
    node: &Ref<DTensorStructInfo>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let DTensorStructInfo { span: _, device_mesh, placement, tensor_sinfo } = &**node;
    let at_tensor = d.field(path, field!(DTensorStructInfo, tensor_sinfo));
    let mut args: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    let mut kwargs: SmallVec<[(&str, ExprDoc); 4]> = SmallVec::new();
    if let Some(shape) = &tensor_sinfo.shape {
        let at = d.field(at_tensor, field!(TensorStructInfo, shape));
        args.push(tensor_shape(shape.object(), at, d)?);
    }
    let mut add = |args: &mut SmallVec<_>, name, doc, by_name: bool| match by_name {
        false => args.push(doc),
        true => kwargs.push((name, doc)),
    };
    let mut by_name = args.is_empty();
    if tensor_sinfo.dtype.is_void() {
        by_name = true;
    } else {
        let dtype = d.dtype(tensor_sinfo.dtype);
        let dtype = d.at_field(dtype, at_tensor, field!(TensorStructInfo, dtype));
        add(&mut args, "dtype", dtype, by_name);
    }
    let mesh = d.expr_field(device_mesh, path, field!(DTensorStructInfo, device_mesh))?;
    add(&mut args, "device_mesh", mesh, by_name);
    let placement = d.expr_field(placement, path, field!(DTensorStructInfo, placement))?;
    add(&mut args, "placement", placement, by_name);
    if tensor_sinfo.shape.is_none() && tensor_sinfo.ndim != -1 {
        let ndim = d.docs.int(tensor_sinfo.ndim);
        kwargs.push(("ndim", d.at_field(ndim, at_tensor, field!(TensorStructInfo, ndim))));
    }
    let callee = d.r("DTensor");
    Ok(d.docs.call(callee, &args, &kwargs))
}
