//! Building IR from the inside out: a thread-local stack of frames, and functions that look at it.
//!
//! A script function is declared once by `#[script_fn]` on a plain Rust function: its signature gives the binding of
//! positional and keyword arguments, the Rust face, the stub and the hover text. This crate knows no dialect, no parser
//! and no Python syntax.
//!
//! Values, signatures and errors of calls come from `tvmscript-script-value`. They are exported here as well, since the
//! code that `#[script_fn]` writes names them by this crate alone.

extern crate self as tvmscript_irbuilder;

mod builder;
mod context;
mod emit;
mod frame;
mod namespace;
mod naming;

pub use builder::{BuildErrors, Builder, RecordedError};
pub use context::{ContextDialect, Contexts};
pub use emit::{Emit, Poison, PoisonAfter, settle};
pub use frame::{Entered, Frame, FrameOf, OpenFrame, PendingFrame};
pub use namespace::{BuildDialect, NameFallback, Names, Namespaces};
pub use naming::{Built, Nameable, name, name as def_, name_many, name_many as def_many, try_name};
pub use tvmscript_ir_macros::script_fn;
pub use tvmscript_script_value::{
    ArgumentPart, ArgumentRef, Arguments, Binding, BuildError, BuildErrorKind, CallArgs, Dict, DictKey,
    FromScript, Hashing, HostFunction, HostObject, IntoArg, IntoScript, Items, Param, ParamKind,
    PendingScope, Result, ScriptFn, ScriptResult, ScriptValue, Signature, Slice, argument, release,
};

#[cfg(test)]
mod tests {
    use tvmscript_ir_core::DataType;

    use super::*;

    /// Adds things up.
    #[script_fn(name = "sum_of")]
    fn total(
        first: i64,
        #[default = 2] second: i64,
        #[args] rest: Vec<i64>,
        #[kw_only]
        #[default = false]
        negate: bool,
    ) -> Result<i64> {
        let sum = first + second + rest.iter().sum::<i64>();
        Ok(if negate { -sum } else { sum })
    }

    /// Names a dtype.
    #[script_fn]
    fn name_of(dtype: DataType) -> Result<ScriptValue> {
        Ok(ScriptValue::str(&dtype.to_string()))
    }

    fn ints(values: &[i64]) -> CallArgs {
        CallArgs::positional(values.iter().map(|v| ScriptValue::Int(*v)))
    }

    #[test]
    fn arguments_are_bound_by_position_keyword_and_default() {
        assert!(matches!(TOTAL.call(ints(&[1])), Ok(ScriptValue::Int(3))));
        assert!(matches!(TOTAL.call(ints(&[1, 5, 7, 9])), Ok(ScriptValue::Int(22))));
        let mut args = ints(&[1]);
        args.keywords.push(("negate".into(), ScriptValue::Bool(true)));
        assert!(matches!(TOTAL.call(args), Ok(ScriptValue::Int(-3))));
        assert_eq!(TOTAL.name, "sum_of");
        assert_eq!(TOTAL.doc, "Adds things up.");
        assert_eq!(TOTAL.params[3].default, Some("False"));
    }

    #[test]
    fn the_rust_face_takes_the_rest_as_setters() {
        assert_eq!(total(1).second(5).rest(vec![4]).try_emit().ok(), Some(10));
    }

    #[test]
    fn wrong_arguments_are_named() {
        let error =
            NAME_OF.call(CallArgs::positional([ScriptValue::Int(1)])).expect_err("an int is no dtype");
        assert!(matches!(error.argument, Some(ArgumentRef::Parameter { index: 0, .. })));
        assert!(matches!(error.kind(), Some(BuildErrorKind::ArgumentType { name: "dtype", .. })), "{error}");
        let error = NAME_OF.call(CallArgs::default()).expect_err("an argument is missing");
        assert!(
            matches!(error.kind(), Some(BuildErrorKind::MissingArgument { name: "dtype", .. })),
            "{error}"
        );
        let mut args = CallArgs::default();
        args.keywords.push(("dtyp".into(), ScriptValue::None));
        let error = NAME_OF.call(args).expect_err("no such parameter");
        assert!(matches!(error.kind(), Some(BuildErrorKind::UnknownKeyword { .. })), "{error}");
    }

    #[test]
    fn nothing_on_the_stack_says_what_to_do() {
        let error = Builder::set_result(tvmscript_ir_core::Str::new("x").as_object().clone())
            .expect_err("no builder");
        assert_eq!(error.help.as_deref(), Some("open one with `Builder::new()`"));
    }

    use tvmscript_ir_core::ObjectLike;
}
