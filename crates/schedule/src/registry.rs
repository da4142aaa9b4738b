//! The dialects that traces and intrinsics are written in.

use std::sync::OnceLock;

use tvmscript_ir_core::{Registry, RegistryBuilder};

use crate::error::{Result, ScheduleError};

/// The registry of TIR, built on first use.
pub(crate) fn registry() -> Result<&'static Registry> {
    static REGISTRY: OnceLock<Option<Registry>> = OnceLock::new();
    let dialects = [tvmscript_prim::dialect, tvmscript_ir::dialect, tvmscript_tir::dialect];
    let built = REGISTRY.get_or_init(|| {
        let builder = dialects.into_iter().fold(RegistryBuilder::new(), |all, dialect| all.with(dialect()));
        builder.build().ok()
    });
    built.as_ref().ok_or_else(|| ScheduleError::plain("the dialects of TIR are in conflict"))
}
