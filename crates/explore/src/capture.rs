//! The program after each pass.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tvmscript_ir_core::Object;
use tvmscript_pass::{PassError, PassInfo, PassInstrument, PassRun};

/// A program before any pass, or after a pass.
#[derive(Debug, Clone)]
pub struct Captured {
    /// Name of the pass; empty for the input.
    pub pass: String,
    /// Index of the pass that ran this one as a part of it. It ends later, so the index is a higher one.
    pub inside: Option<usize>,
    /// Time of the pass.
    pub elapsed: Option<Duration>,
    /// The program.
    pub root: Object,
}

/// Keeps the program before the first pass and after each pass, also after those that other passes run. The outermost
/// sequence is the run itself and not an item. Clones share their record.
///
/// Nodes are shared between versions, so a version costs as much memory as its pass changed.
#[derive(Debug, Clone, Default)]
pub struct Capture {
    record: Rc<RefCell<Record>>,
}

#[derive(Debug, Default)]
struct Record {
    versions: Vec<Captured>,
    /// The passes that run now, outermost first.
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    /// Number of versions when the pass began.
    first: usize,
    start: Instant,
}

impl Capture {
    /// The versions in the order in which their passes ended; the first is the input. Empty if no pass began.
    pub fn versions(&self) -> Vec<Captured> {
        self.record.borrow().versions.clone()
    }
}

impl Record {
    fn begin(&mut self, root: &Object) {
        if self.versions.is_empty() {
            let root = root.clone();
            self.versions.push(Captured { pass: String::new(), inside: None, elapsed: None, root });
        }
        self.open.push(Open { first: self.versions.len(), start: Instant::now() });
    }

    fn end(&mut self, root: &Object, pass: &PassInfo, elapsed: Option<Duration>) {
        let Some(open) = self.open.pop() else { return };
        if pass.is_sequence && self.open.is_empty() {
            return;
        }
        let index = self.versions.len();
        for version in self.versions.iter_mut().skip(open.first) {
            version.inside.get_or_insert(index);
        }
        let elapsed = Some(elapsed.unwrap_or_else(|| open.start.elapsed()));
        let (pass, root) = (pass.name.clone(), root.clone());
        self.versions.push(Captured { pass, inside: None, elapsed, root });
    }
}

impl PassInstrument for Capture {
    fn before(&mut self, root: &Object, _: &PassInfo) -> Result<(), PassError> {
        self.record.borrow_mut().begin(root);
        Ok(())
    }

    fn after(&mut self, run: &PassRun<'_>) -> Result<(), PassError> {
        self.record.borrow_mut().end(run.after, run.pass, Some(run.elapsed));
        Ok(())
    }

    fn before_sequence(&mut self, root: &Object, _: &PassInfo) -> Result<(), PassError> {
        self.record.borrow_mut().begin(root);
        Ok(())
    }

    fn after_sequence(&mut self, root: &Object, sequence: &PassInfo) -> Result<(), PassError> {
        self.record.borrow_mut().end(root, sequence, None);
        Ok(())
    }
}
