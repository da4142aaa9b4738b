//! Python values as scripts see them, and binding of call arguments to parameters.
//!
//! [`ScriptValue`] is a value of a Python expression: numbers, text, containers, functions and IR nodes. [`ScriptFn`]
//! and [`Signature`] describe functions; [`Binding`] and [`Arguments`] bind arguments to their parameters, with errors
//! for wrong calls.
//!
//! ```
//! use tvmscript_script_value::{CallArgs, FromScript, ScriptValue, Signature};
//!
//! const POWER: Signature = Signature::new("power", &["base", "exponent"]);
//!
//! let mut args = CallArgs::positional([ScriptValue::Int(2)]);
//! args.keywords.push(("exponent".into(), ScriptValue::Int(10)));
//! assert_eq!(POWER.bind(args)?.all(i64::from_script)?, [2, 10]);
//!
//! let error = POWER.bind(CallArgs::positional([ScriptValue::Int(2)])).unwrap_err();
//! assert_eq!(error.to_string(), "`power` is missing the argument `exponent`");
//! # Ok::<(), tvmscript_script_value::BuildError>(())
//! ```
//!
//! The crate evaluates nothing and builds nothing: operations on values are in `tvmscript-script-eval`, the frames
//! behind [`PendingScope`] in `tvmscript-irbuilder`.

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod args;
mod arguments;
mod error;
mod function;
mod host_function;
mod items;
mod key;
mod py_type;
pub mod record;
mod value;

pub use args::{IntoArg, argument};
pub use arguments::{Arguments, Signature};
pub use error::{ArgumentPart, ArgumentRef, BuildError, BuildErrorKind, BuildResult};
pub use function::{
    Around, BindFn, Binding, CallArgs, Declaration, FromScript, IntoScript, Param, ParamKind, ScriptFn,
    ScriptResult,
};
pub use host_function::{HostFunction, TypedFunction, typed_function};
pub use items::{Dict, Items, release};
pub use key::{DictKey, Hashing, TextKey};
pub use py_type::{PyType, class_name};
pub use value::{HostObject, PendingScope, ScriptValue, Slice};
