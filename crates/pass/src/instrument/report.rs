//! A record of each pass, for programs.

use std::cell::RefCell;
use std::rc::Rc;

use super::{PassInstrument, PassRun, SourceCoverage, source_coverage};
use crate::PassError;

/// The record of one pass.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PassReport {
    /// Name of the pass.
    pub pass: String,
    /// Time in milliseconds.
    pub ms: f64,
    /// `true` if the result differs structurally from the input.
    pub changed: bool,
    /// Nodes of the result, and those with a source.
    #[serde(flatten)]
    pub coverage: SourceCoverage,
}

/// Records each pass. Clones share their records.
#[derive(Debug, Clone, Default)]
pub struct Report {
    passes: Rc<RefCell<Vec<PassReport>>>,
}

impl Report {
    /// Returns the records in the order in which the passes ran.
    pub fn passes(&self) -> Vec<PassReport> {
        self.passes.borrow().clone()
    }
}

impl PassInstrument for Report {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        self.passes.borrow_mut().push(PassReport {
            pass: run.pass.name.clone(),
            ms: run.elapsed.as_secs_f64() * 1e3,
            changed: run.is_change(),
            coverage: source_coverage(run.after),
        });
        Ok(())
    }
}
