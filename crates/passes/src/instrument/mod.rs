//! Instruments: observers of passes.

mod report;
mod survival;

use std::time::Duration;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::Ref;

pub use report::{PassReport, Report};
pub use survival::{SourceCoverage, SpanSurvival, source_coverage};

use crate::{PassError, PassInfo};

/// An observer of the passes of a [`PassContext`](crate::PassContext).
pub trait PassInstrument {
    /// Returns `false` to leave out a pass.
    fn should_run(&mut self, _module: &Ref<IRModule>, _pass: &PassInfo) -> bool {
        true
    }

    /// Runs before a pass.
    ///
    /// # Errors
    /// An error ends the run.
    fn before(&mut self, _module: &Ref<IRModule>, _pass: &PassInfo) -> Result<(), PassError> {
        Ok(())
    }

    /// Runs after a pass that succeeded.
    ///
    /// # Errors
    /// An error ends the run.
    fn after(
        &mut self,
        _before: &Ref<IRModule>,
        _after: &Ref<IRModule>,
        _pass: &PassInfo,
        _elapsed: Duration,
    ) -> Result<(), PassError> {
        Ok(())
    }
}
