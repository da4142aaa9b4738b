//! The evaluator: its state, and a host for everything that is not Python.

use std::rc::Rc;

use tvmscript_python_syntax::ast::StmtId;
use tvmscript_script_value::ScriptValue;

use crate::errors::{EvalError, EvalResult, Reported};
use crate::host::Host;
use crate::position::{Position, Run};
use crate::program::Program;
use crate::state::EvalState;

/// An evaluator of a program. It has a [`Host`].
///
/// Dropping it ends the program ([`Program::close`]).
pub struct Evaluator<H: Host> {
    state: EvalState,
    host: H,
}

impl<H: Host> Evaluator<H> {
    /// An evaluator at the beginning of a program, whose text knows Python's built-in names.
    pub fn new(program: Program, host: H) -> Evaluator<H> {
        let mut evaluator = Evaluator { state: EvalState::new(Rc::new(program)), host };
        evaluator.eval().define_python_builtins();
        evaluator
    }

    /// The running evaluation.
    pub fn eval(&mut self) -> Eval<'_> {
        Eval::new(&mut self.state, &mut self.host)
    }

    /// Runs a module-level statement and returns the value of an expression statement. If the statement fails, the
    /// error is recorded and the names that it binds are poisoned.
    ///
    /// # Errors
    /// Fails if the statement fails. After the maximum number of errors, no statement runs.
    pub fn run_statement(&mut self, id: StmtId) -> EvalResult<Option<ScriptValue>> {
        if self.state.is_exhausted() {
            return Err(Reported::already());
        }
        self.eval().run_statement(id)?;
        Ok(self.state.last_value.take())
    }

    /// Sets how the module-level statements run; [`Run::Strict`] at first.
    pub fn run_as(&mut self, run: Run) {
        self.state.move_to(Position::Module(run));
    }

    /// The program.
    pub fn program(&self) -> &Rc<Program> {
        &self.state.program
    }

    /// The host.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// Takes the errors so far.
    pub fn take_errors(&mut self) -> Vec<EvalError> {
        std::mem::take(&mut self.state.diagnostics.errors)
    }
}

impl<H: Host> Drop for Evaluator<H> {
    fn drop(&mut self) {
        self.state.program.close();
    }
}

/// A running evaluation: the state of an evaluator and its host.
pub struct Eval<'a> {
    pub(crate) state: &'a mut EvalState,
    pub(crate) host: &'a mut dyn Host,
}

impl<'a> Eval<'a> {
    /// An evaluation with a state and a host.
    pub fn new(state: &'a mut EvalState, host: &'a mut dyn Host) -> Eval<'a> {
        Eval { state, host }
    }
}
