//! Placement of tensors on devices.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use super::CallForm;
use super::prelude::*;
#[cfg(feature = "build")]
use crate::build::{args::ExprArg, device::Device};
use crate::node::attrs::{HintOnDeviceAttrs, ToVDeviceAttrs};

operators! {
    /// A copy of the tensor on a device of the module.
    to_vdevice(data: Expr; dst_vdevice: ModuleDevice) -> infer(moved), attrs = ToVDeviceAttrs;
    /// The tensor, with the device that it should be placed on.
    hint_on_device(
        data: ExprArg, dst_vdevice: Device, memory_scope: Str = "global"
    ) -> infer(super::elementwise::same_as_operand), form = CallForm::DeviceHint {
        let Device { device_type, index } = dst_vdevice;
        let attrs = HintOnDeviceAttrs { device_type: device_type.into(), index: index.into(), memory_scope };
        Ok(super::HINT_ON_DEVICE.call(Some(Ref::new(attrs).upcast()), [data.0]))
    }
}

fn moved(cx: &mut Infer<'_>) -> Inferred {
    let [data] = cx.tensors()?;
    let vdevice = Some(cx.attrs::<ToVDeviceAttrs>()?.dst_vdevice.clone());
    Ok(Ref::new(TensorStructInfo { vdevice, ..(*data).clone() }).upcast())
}
