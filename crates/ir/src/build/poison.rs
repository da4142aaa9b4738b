//! Poison values of this dialect's nodes, which stand for arguments and results that could not be built.

use tvmscript_ir_core::{Array, Map, Ref, poison_node};
use tvmscript_irbuilder::{BuildResult, FromScript, IntoArg, ScriptValue};

use super::TargetArg;
use crate::node::{DummyGlobalInfo, GlobalVar, Target, TargetKind, VDevice};

poison_node! {
    DummyGlobalInfo => Ref::new(DummyGlobalInfo {});
    GlobalVar => GlobalVar::new("poison");
    VDevice => Ref::new(VDevice { target: None, vdevice_id: 0, memory_scope: "".into() });
    Target => Ref::new(Target {
        kind: TargetKind::new("poison"),
        tag: "".into(),
        keys: Array::default(),
        attrs: Map::default(),
        features: Map::default(),
        host: None,
    });
}

impl IntoArg<TargetArg> for &str {
    fn into_arg(self) -> BuildResult<TargetArg> {
        TargetArg::from_script(ScriptValue::str(self))
    }
}

impl IntoArg<TargetArg> for Ref<Target> {
    fn into_arg(self) -> BuildResult<TargetArg> {
        Ok(TargetArg(self))
    }
}
