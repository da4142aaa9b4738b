//! Evaluation of Python host code without a Python interpreter.
//!
//! The evaluator runs the Python code around scripts: functions, classes, comprehensions, the built-in types with their
//! methods, modules of Python's library, and arrays of `numpy`. Values and error messages are
//! CPython 3.11's; `tests/cpython` contains its recorded results. Steps, memory and call depth are limited by a
//! [`Budget`].
//!
//! It knows no dialect, no registry and no parser of scripts, and asks its [`Host`] for the rest. An [`Evaluator`] owns
//! the state of the evaluation ([`EvalState`]) and its host. Evaluation is implemented on [`Eval`], which borrows both:
//!
//! ```
//! use tvmscript_ir_core::SourceId;
//! use tvmscript_python_syntax::{PythonOptions, parse_python};
//! use tvmscript_script_eval::{Evaluator, Limits, Plain, Program};
//!
//! let text = "total = sum(n * n for n in range(4))\ntotal // 4\n";
//! let parsed = parse_python(text, &PythonOptions::default());
//! let program = Program::new(parsed.ast, text, SourceId::new("sum.py"), Limits::default());
//! let mut evaluator = Evaluator::new(program, Plain);
//! let ast = evaluator.program().ast.clone();
//! let mut last = None;
//! for statement in ast.module_body() {
//!     last = evaluator.run_statement(*statement).expect("no mistakes");
//! }
//! assert_eq!(format!("{last:?}"), "Some(3)");
//! ```
//!
//! Errors are recorded with their range in the text; see [`errors`].
//!
//! Host code that a file does not run, such as the functions of tests, can be explored for the scripts in it. Unknown
//! values are then [`Placeholder`]s, and both branches of an unknown condition run.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
// What only modules of the library use stays in the crate without them.
#![cfg_attr(not(all(feature = "library", feature = "numpy")), allow(dead_code, unused_imports))]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

#[macro_use]
mod raise;

mod binding;
mod budget;
mod diagnostics;
pub mod errors;
mod eval;
mod evaluator;
mod host;
mod id_hash;
mod parts;
mod position;
mod program;
mod python;
mod report;
mod state;

pub use binding::{Binding, Slot, same};
pub use budget::{Budget, Limits};
pub use diagnostics::Diagnostics;
pub use errors::{EvalError, EvalErrorKind, EvalResult, HostError, HostErrorKind, Label, Reported, Severity};
pub use eval::{Cause, HostCode, Module, Placeholder, absolute_module, is_library_module, parameter_names};
pub use eval::{OpenTemplate, Template};
pub use evaluator::{Eval, Evaluator};
pub use host::{
    AttributeFn, BareScripts, CallFn, Host, Indices, ItemsFn, MissingAttribute, Mode, Modules, NamesFn,
    NodeRules, NumberFn, Operator, OperatorFn, Plain, SubscriptFn, TruthFn,
};
pub use parts::{Part, Parts};
pub use position::{Position, Run};
pub use program::{LendHost, Program};
pub use python::builtins::{is_python_builtin, value as builtin};
pub use python::library::member as library_member;
pub use python::library::type_variable;
pub use raise::Raise;
pub use state::EvalState;
