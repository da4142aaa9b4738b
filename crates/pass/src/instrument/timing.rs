//! Time of each pass.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use tvmscript_ir_core::Object;

use super::{PassInstrument, PassRun};
use crate::{PassError, PassInfo};

/// Measures passes. Clones share their times; `Display` shows them as a table.
#[derive(Debug, Clone, Default)]
pub struct Timing {
    passes: Rc<RefCell<Vec<(String, Duration)>>>,
}

impl Timing {
    /// Returns name and time of each pass, in the order in which they ran.
    pub fn passes(&self) -> Vec<(String, Duration)> {
        self.passes.borrow().clone()
    }
}

impl PassInstrument for Timing {
    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        self.passes.borrow_mut().push((run.pass.name.clone(), run.elapsed));
        Ok(())
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passes = self.passes.borrow();
        let total: Duration = passes.iter().map(|(_, time)| *time).sum();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        for (name, time) in passes.iter() {
            let share = time.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE) * 100.0;
            writeln!(f, "{:>10.3} ms {share:>5.1} %  {name}", ms(*time))?;
        }
        writeln!(f, "{:>10.3} ms          in all", ms(total))
    }
}

/// Calls a function with the number of finished passes and the name of the pass that starts, such as for a progress line.
pub struct Progress<F> {
    notify: F,
    started: usize,
}

impl<F: FnMut(usize, &str)> Progress<F> {
    /// Creates the instrument.
    pub fn new(notify: F) -> Progress<F> {
        Progress { notify, started: 0 }
    }
}

impl<F: FnMut(usize, &str)> PassInstrument for Progress<F> {
    fn before(&mut self, _: &Object, pass: &PassInfo) -> Result<(), PassError> {
        (self.notify)(self.started, &pass.name);
        self.started += 1;
        Ok(())
    }
}
