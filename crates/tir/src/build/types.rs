//! Types as arguments and annotations: `T.int32`, `T.handle("float32", "global")`.

use tvmscript_ir_core::Ref;
use tvmscript_ir_core::operators::is_poison;
use tvmscript_irbuilder::{BuildError, CallArgs, FromScript, Result, ScriptValue};
use tvmscript_prim::{PrimType, TupleType, Type, Var};

/// A type: a type node, a variable (its type), a function that makes a variable (`T.int32`), `None` for void.
#[derive(Debug, Clone)]
pub struct TypeArg(pub Ref<Type>);

impl FromScript for TypeArg {
    const TYPE: &'static str = "Type";
    fn from_script(value: ScriptValue) -> Result<Self> {
        if matches!(value, ScriptValue::None) {
            return Ok(TypeArg(TupleType::void()));
        }
        let found = value.type_name();
        let called = call_annotation(value)?;
        if let Some(var) = called.as_node::<Var>() {
            return Ok(TypeArg(var.type_annotation.clone()));
        }
        if let Some(ty) = called.as_node::<Type>() {
            return Ok(TypeArg(ty.clone()));
        }
        match called {
            ScriptValue::DType(d) => Ok(TypeArg(PrimType::new(d))),
            _ => Err(BuildError::expected("a type such as `T.int32`", found)),
        }
    }
    fn is_poison(&self) -> bool {
        is_poison(self.0.object())
    }
}

/// What an annotation means: a function is called without arguments, other values stand for themselves.
///
/// # Errors
/// Whatever the called function says.
pub fn call_annotation(value: ScriptValue) -> Result<ScriptValue> {
    match value {
        ScriptValue::Function(function) => function.call(CallArgs::default()),
        ScriptValue::Host(host) if host.is_callable() => host.call(CallArgs::default()),
        other => Ok(other),
    }
}
