//! Instruments: observers of passes.

#[cfg(feature = "print")]
mod dump;
#[cfg(feature = "print")]
mod print;
mod provenance;
mod report;
mod survival;
mod timing;
mod verify;

use std::time::Duration;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::Ref;

#[cfg(feature = "print")]
pub use dump::{DumpFormat, DumpModules};
#[cfg(feature = "print")]
pub use print::{OnChange, PrintModules, PrintWhen};
pub use provenance::{PassEffect, Provenance};
pub use report::{PassReport, Report};
pub use survival::{SourceCoverage, SpanSurvival, source_coverage};

pub use timing::{Progress, Timing};
#[cfg(all(feature = "print", feature = "parse"))]
pub use verify::RoundTrip;
pub use verify::WellFormed;

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
