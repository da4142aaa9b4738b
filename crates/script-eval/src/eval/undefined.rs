//! Unbound names of host code.

use std::collections::HashSet;

use super::{Cause, Placeholder, walk};
use crate::Host;
use crate::errors::{ParseError, Reported};
use tvmscript_python_syntax::ast::Name;

impl dyn Host + '_ {
    /// A placeholder for an unbound name that Python, another module or another path may bind.
    pub(crate) fn bound_elsewhere(&mut self, name: Name) -> Option<Placeholder> {
        let ast = self.ast.clone();
        let text = ast.name(name);
        let unknown = |reason: String, place| Some(Placeholder::new(Cause::Statement(reason.into()), place));
        if self.tolerant {
            if PYTHON_NAMES.split(' ').any(|known| known == text) || text.starts_with("__") {
                return unknown(format!("`{text}` is not evaluated"), self.statement.unwrap_or_default());
            }
            if self.explorer.exploring > 0 {
                let is_local = self.in_env && self.env.as_ref().is_some_and(|env| env.get(name).is_some());
                if is_local || self.module_names().contains(&name) {
                    let reason = format!("the value of `{text}` is unknown here");
                    return unknown(reason, self.statement.unwrap_or_default());
                }
            }
        }
        let place = self.star_import?;
        unknown(format!("`{text}` may come from here, which is not evaluated"), place)
    }

    /// The names that the file binds at module level.
    fn module_names(&mut self) -> &HashSet<Name> {
        if self.explorer.module_names.is_none() {
            self.explorer.module_names = Some(walk::module_names(&self.ast));
        }
        self.explorer.module_names.get_or_insert_default()
    }

    /// Reports an unbound name. In explored code this is the only error that is certain without a run.
    pub(crate) fn report_undefined(&mut self, error: ParseError) -> Reported {
        let may_be_caught = self.program.budget.open_tries() > 0
            || self.explorer.uncertain > 0 && self.explorer.exploring == 0;
        if !self.tolerant || self.explorer.exploring == 0 || may_be_caught {
            return self.report(error);
        }
        let range = error.range();
        if !self.diagnostics.errors.iter().any(|other| other.range() == range) {
            self.diagnostics.failures += 1;
            self.diagnostics.errors.push(error);
        }
        let place = self.statement.unwrap_or(range);
        self.pending = Some(Placeholder::new(Cause::Statement("it has a mistake".into()), place));
        Reported(())
    }
}

/// Names that Python or a notebook binds and the evaluator lacks, separated by spaces.
const PYTHON_NAMES: &str = "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError \
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionError DeprecationWarning EOFError \
    EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError \
    FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError \
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError \
    ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError \
    OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError \
    ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration \
    SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning \
    ValueError Warning ZeroDivisionError aiter anext breakpoint bytearray classmethod compile complex \
    copyright credits delattr dir display eval exec exit get_ipython globals help input issubclass license \
    locals memoryview open property quit setattr staticmethod super vars";
