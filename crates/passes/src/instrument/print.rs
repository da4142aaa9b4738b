//! Modules before and after passes, as text.

use std::time::Duration;

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Registry, structural_equal};

use super::PassInstrument;
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

    fn after(
        &mut self,
        _: &Ref<IRModule>,
        after: &Ref<IRModule>,
        pass: &PassInfo,
        _: Duration,
    ) -> Result<(), PassError> {
        if self.when == PrintWhen::After {
            self.print(after, &format!("after {}", pass.name));
        }
        Ok(())
    }
}

/// Calls a function with both modules of each pass that changes something, for a comparison.
pub struct OnChange<F>(pub F);

impl<F: FnMut(&PassInfo, &Ref<IRModule>, &Ref<IRModule>)> PassInstrument for OnChange<F> {
    fn after(
        &mut self,
        before: &Ref<IRModule>,
        after: &Ref<IRModule>,
        pass: &PassInfo,
        _: Duration,
    ) -> Result<(), PassError> {
        if !before.ptr_eq(after) && !structural_equal(before.object(), after.object()) {
            (self.0)(pass, before, after);
        }
        Ok(())
    }
}
