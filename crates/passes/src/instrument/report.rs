//! A record of each pass, for programs.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, structural_equal};

use super::{PassInstrument, SourceCoverage, source_coverage};
use crate::{PassError, PassInfo};

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
    fn after(
        &mut self,
        before: &Ref<IRModule>,
        after: &Ref<IRModule>,
        pass: &PassInfo,
        elapsed: Duration,
    ) -> Result<(), PassError> {
        let changed = !before.ptr_eq(after) && !structural_equal(before.object(), after.object());
        let ms = elapsed.as_secs_f64() * 1e3;
        let coverage = source_coverage(after);
        self.passes.borrow_mut().push(PassReport { pass: pass.name.clone(), ms, changed, coverage });
        Ok(())
    }
}
