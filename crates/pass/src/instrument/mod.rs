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

use std::cell::OnceCell;
use std::time::Duration;

use tvmscript_ir_core::{Object, structural_equal};

#[cfg(feature = "print")]
pub use dump::{DumpFormat, DumpModules, file_stem};
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
    fn should_run(&mut self, _root: &Object, _pass: &PassInfo) -> bool {
        true
    }

    /// Runs before a pass.
    ///
    /// # Errors
    /// An error ends the run.
    fn before(&mut self, _root: &Object, _pass: &PassInfo) -> Result<(), PassError> {
        Ok(())
    }

    /// Runs after a pass that succeeded.
    ///
    /// # Errors
    /// An error ends the run.
    fn after(&mut self, _run: &PassRun<'_>) -> Result<(), PassError> {
        Ok(())
    }

    /// Runs before a sequence, and so before its passes.
    ///
    /// # Errors
    /// An error ends the run.
    fn before_sequence(&mut self, _root: &Object, _sequence: &PassInfo) -> Result<(), PassError> {
        Ok(())
    }

    /// Runs after a sequence whose passes all succeeded.
    ///
    /// # Errors
    /// An error ends the run.
    fn after_sequence(&mut self, _root: &Object, _sequence: &PassInfo) -> Result<(), PassError> {
        Ok(())
    }
}

/// A run of a pass that succeeded.
#[derive(Debug)]
pub struct PassRun<'a> {
    /// The pass.
    pub pass: &'a PassInfo,
    /// The root before the pass.
    pub before: &'a Object,
    /// The root after the pass.
    pub after: &'a Object,
    /// Time that the pass took.
    pub elapsed: Duration,
    changed: OnceCell<bool>,
}

impl<'a> PassRun<'a> {
    pub(crate) fn new(
        pass: &'a PassInfo,
        before: &'a Object,
        after: &'a Object,
        elapsed: Duration,
    ) -> PassRun<'a> {
        PassRun { pass, before, after, elapsed, changed: OnceCell::new() }
    }

    /// Returns `true` if the roots differ structurally. They are compared once for all instruments.
    pub fn is_change(&self) -> bool {
        let differ = || !structural_equal(self.before, self.after);
        !self.before.ptr_eq(self.after) && *self.changed.get_or_init(differ)
    }
}
