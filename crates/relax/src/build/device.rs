//! Physical devices, by kind and index: `R.cuda(0)`, `R.device("vulkan:1")`.

use tvmscript_irbuilder::{
    BuildError, BuildResult, FromScript, HostObject, IntoScript, PyType, ScriptFn, ScriptValue, script_fn,
};

use super::args::IntArg;

/// A physical device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// The number of its kind in DLPack.
    pub device_type: i32,
    /// The index among the devices of its kind.
    pub index: i32,
}

impl HostObject for Device {
    fn type_name(&self) -> &str {
        "a device"
    }
}

impl IntoScript for Device {
    const TYPE: PyType = PyType::Opaque("Device");
    fn into_script(self) -> ScriptValue {
        ScriptValue::host(self)
    }
}

impl FromScript for Device {
    const TYPE: PyType = PyType::Opaque("Device");
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value.as_host::<Device>() {
            Some(device) => Ok(*device),
            None => {
                let error = BuildError::expected("a device", value.type_name());
                Err(error.with_help("write `R.device(\"cuda\", 0)`, or `R.cuda(0)`"))
            }
        }
    }
}

/// The number of a kind of device.
///
/// # Source
/// `Device._DEVICE_NAME_TO_TYPE` of `tvm_ffi`; the numbers are `DLDeviceType` of DLPack.
fn kind_by_name(name: &str) -> Option<i32> {
    Some(match name {
        "llvm" | "cpu" | "c" | "test" => 1,
        "cuda" | "nvptx" => 2,
        "cl" | "opencl" => 4,
        "vulkan" => 7,
        "metal" => 8,
        "vpi" => 9,
        "rocm" => 10,
        "ext_dev" => 12,
        "webgpu" => 15,
        "hexagon" => 16,
        "trn" => 17,
        _ => return None,
    })
}

fn number(value: IntArg) -> BuildResult<i32> {
    i32::try_from(value.0)
        .map_err(|_| BuildError::message(format!("the number {} does not fit 32 bits", value.0)))
}

/// A device by its kind, a name or a number, and its index, which the name may include: `cuda:1`.
#[script_fn]
pub fn device(device_type: ScriptValue, #[default = None] index: Option<IntArg>) -> BuildResult<Device> {
    let index = index.map(number).transpose().map_err(|e| e.at_position(1))?.unwrap_or(0);
    let ScriptValue::Str(text) = &device_type else {
        let kind = IntArg::from_script(device_type).and_then(number).map_err(|e| e.at_position(0))?;
        return Ok(Device { device_type: kind, index });
    };
    let unknown = || BuildError::message(format!("unknown device `{text}`")).at_position(0);
    let (name, index) = match text.split_once(':') {
        Some((name, index)) => (name, index.parse().map_err(|_| unknown())?),
        None => (text.as_str(), index),
    };
    Ok(Device { device_type: kind_by_name(name).ok_or_else(unknown)?, index })
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $function:ident $CONST:ident;)*) => {
        $(
            $(#[$doc])*
            #[script_fn]
            pub fn $function(#[default = 0] dev_id: IntArg) -> BuildResult<Device> {
                let Some(device_type) = kind_by_name(stringify!($function)) else {
                    unreachable!("the table has the kind")
                };
                Ok(Device { device_type, index: number(dev_id)? })
            }
        )*
        /// The script functions of this module.
        pub static FUNCTIONS: &[&ScriptFn] = &[&DEVICE, $(&$CONST),*];
    };
}

kinds! {
    /// The CPU.
    cpu CPU;
    /// A GPU with CUDA.
    cuda CUDA;
    /// An extension device.
    ext_dev EXT_DEV;
    /// A Hexagon processor.
    hexagon HEXAGON;
    /// A GPU with Metal.
    metal METAL;
    /// An OpenCL device.
    opencl OPENCL;
    /// A GPU with ROCm.
    rocm ROCM;
    /// A simulated device (VPI).
    vpi VPI;
    /// A GPU with Vulkan.
    vulkan VULKAN;
    /// A GPU with WebGPU.
    webgpu WEBGPU;
}
