//! Roots before and after passes, as text.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir_core::{Object, Registry};

use super::{PassInstrument, PassRun};
use crate::{PassError, PassInfo};

/// The roots that [`PrintModules`] prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintWhen {
    /// The root before each pass.
    Before,
    /// The root after each pass.
    After,
}

/// Passes the printed roots to a function, with a heading.
pub struct PrintModules<'r, F> {
    when: PrintWhen,
    registry: &'r Registry,
    config: PrinterConfig,
    write: F,
}

impl<'r, F: FnMut(&str)> PrintModules<'r, F> {
    /// Creates the instrument.
    pub fn new(when: PrintWhen, registry: &'r Registry, config: PrinterConfig, write: F) -> Self {
        PrintModules { when, registry, config, write }
    }

    fn print(&mut self, root: &Object, heading: &str) {
        let text = print(root, self.registry, &self.config)
            .unwrap_or_else(|error| format!("# cannot be printed: {error}"));
        (self.write)(&format!("# {heading}\n{text}\n"));
    }
}

impl<F: FnMut(&str)> PassInstrument for PrintModules<'_, F> {
    fn before(&mut self, root: &Object, pass: &PassInfo) -> Result<(), PassError> {
        if self.when == PrintWhen::Before {
            self.print(root, &format!("before {}", pass.name));
        }
        Ok(())
    }

    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        if self.when == PrintWhen::After {
            self.print(run.after, &format!("after {}", run.pass.name));
        }
        Ok(())
    }
}

/// Calls a function for each pass that changes something, such as for a comparison.
pub struct OnChange<F>(pub F);

impl<F: FnMut(&PassRun<'_>)> PassInstrument for OnChange<F> {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        if run.is_change() {
            (self.0)(run);
        }
        Ok(())
    }
}
