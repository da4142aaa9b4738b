//! Where tensors are.
//!
//! Upstream counterpart: `src/relax/op/op.cc`.

use tvmscript_ir_core::{Ref, Str};
use tvmscript_ir_macros::operators;

use super::{Infer, InferError, Operator};
#[cfg(feature = "build")]
use crate::build::args::ExprArg;
#[cfg(feature = "build")]
use crate::build::device::Device;
#[cfg(feature = "build")]
use crate::build::operator_args::VDeviceArg;
use crate::node::attrs::{HintOnDeviceAttrs, ToVDeviceAttrs};
use crate::node::*;

type Inferred = std::result::Result<Ref<StructInfo>, InferError>;

operators! {
    prefix = "relax.";
    result = Ref<Call>;
    script = crate::build::operator;

    /// The tensor, copied to a device of the module.
    to_vdevice(data: ExprArg, dst_vdevice: VDeviceArg) -> infer(moved) {
        let attrs = ToVDeviceAttrs { dst_vdevice: dst_vdevice.0 };
        Ok(Call::of_op("relax.to_vdevice", [data.0], Some(Ref::new(attrs).upcast())))
    }
    /// The tensor, which is wanted on a device.
    hint_on_device(
        data: ExprArg, dst_vdevice: Device, memory_scope: Str = "global"
    ) -> infer(super::elementwise::same_as_operand) {
        let Device { device_type, index } = dst_vdevice;
        let attrs = HintOnDeviceAttrs { device_type: device_type.into(), index: index.into(), memory_scope };
        Ok(Call::of_op("relax.hint_on_device", [data.0], Some(Ref::new(attrs).upcast())))
    }
}

fn moved(cx: &mut Infer<'_>) -> Inferred {
    let [data] = cx.tensors()?;
    let vdevice = Some(cx.attrs::<ToVDeviceAttrs>()?.dst_vdevice.clone());
    Ok(Ref::new(TensorStructInfo { vdevice, ..(*data).clone() }).upcast())
}
