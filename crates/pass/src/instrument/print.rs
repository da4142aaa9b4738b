//! Modules before and after passes, as text.

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Registry};

use super::{PassInstrument, PassRun};
use crate::{PassError, PassInfo};

/// The modules that [`PrintModules`] prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintWhen {
    /// The module before each pass.
    Before,
    /// The module after each pass.
    After,
}

/// Passes the printed modules to a function, with a heading.
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

    fn print(&mut self, module: &Ref<IRModule>, heading: &str) {
        let text = print(module.object(), self.registry, &self.config)
            .unwrap_or_else(|error| format!("# cannot be printed: {error}"));
        (self.write)(&format!("# {heading}\n{text}\n"));
    }
}

impl<F: FnMut(&str)> PassInstrument for PrintModules<'_, F> {
    fn before(&mut self, module: &Ref<IRModule>, pass: &PassInfo) -> Result<(), PassError> {
        if self.when == PrintWhen::Before {
            self.print(module, &format!("before {}", pass.name));
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
