//! Evaluation of Python host code without a Python interpreter.
//!
//! The evaluator runs the Python code around scripts: functions, classes, comprehensions, the built-in types with their
//! methods, modules of Python's library, and arrays of `numpy`. Values and error messages are
//! CPython 3.11's; `tests/cpython` contains its recorded results. Steps, memory and call depth are limited by a
//! [`Budget`].
//!
//! It knows no dialect, no registry and no parser of scripts, and asks its [`Host`] for the rest. A host owns an
//! [`Evaluator`], the state; evaluation is implemented on `dyn Host`:
//!
//! ```
//! # use std::ops::{Deref, DerefMut};
//! # use std::rc::Rc;
//! use tvmscript_ir_core::SourceId;
//! use tvmscript_python_syntax::{PythonOptions, parse_python};
//! use tvmscript_script_eval::{Evaluator, Host, Limits, Program};
//!
//! struct Calculator(Evaluator);
//! impl Host for Calculator {}
//! # impl Deref for Calculator {
//! #     type Target = Evaluator;
//! #     fn deref(&self) -> &Evaluator { &self.0 }
//! # }
//! # impl DerefMut for Calculator {
//! #     fn deref_mut(&mut self) -> &mut Evaluator { &mut self.0 }
//! # }
//!
//! let text = "total = sum(n * n for n in range(4))\ntotal // 4\n";
//! let parsed = parse_python(text, &PythonOptions::default());
//! let make_host = Box::new(|program| Box::new(Calculator(Evaluator::new(program))) as Box<dyn Host>);
//! let program = Program::new(parsed.ast, text, SourceId::new("sum.py"), Limits::default(), make_host);
//! let program = Rc::new(program);
//! let host: &mut dyn Host = &mut Calculator(Evaluator::new(program.clone()));
//! host.define_python_builtins();
//! for statement in program.ast.module_body() {
//!     host.run_statement(*statement).expect("no mistakes");
//! }
//! assert_eq!(format!("{:?}", host.last_value), "Some(3)");
//! program.close();
//! ```
//!
//! Errors are recorded with their range in the text; see [`errors`].
//!
//! Host code that a file does not run, such as the functions of tests, can be explored for the scripts in it. Unknown
//! values are then [`Placeholder`]s, and both branches of an unknown condition run.

#![warn(clippy::unwrap_used, clippy::panic)]
// What only modules of the library use stays in the crate without them.
#![cfg_attr(not(all(feature = "library", feature = "numpy")), allow(dead_code, unused_imports))]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

#[macro_use]
mod raise;

mod binding;
mod budget;
mod comments;
mod diagnostics;
pub mod errors;
mod eval;
mod evaluator;
mod host;
mod id_hash;
mod parts;
mod program;
mod python;
mod report;

pub use binding::{Binding, Slot, same};
pub use budget::{Budget, Limits};
pub use comments::Comments;
pub use diagnostics::Diagnostics;
pub use errors::{HostError, HostErrorKind, Label, ParseError, ParseErrorKind, Reported, Result, Severity};
pub use eval::walk::{
    FunctionMentions, exprs_in, function_mentions, mentions, names_bound_by, names_in, own_exprs, uses_free,
};
pub use eval::{Cause, Module, Placeholder, absolute_module, is_library_module, parameter_names};
pub use eval::{OpenTemplate, Template};
pub use evaluator::Evaluator;
pub use host::{
    AttributeFn, BareScripts, CallFn, Host, Indices, ItemsFn, MissingAttribute, Mode, Modules, NamesFn,
    NodeRules, NumberFn, Operator, OperatorFn, SubscriptFn, TruthFn,
};
pub use parts::{Part, Parts};
pub use program::{MakeHost, Program};
pub use python::builtins::is_python_builtin;
pub use python::library::member as library_member;
pub use python::library::type_variable;
pub use raise::Raise;
