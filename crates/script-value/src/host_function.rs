//! Functions created at run time.

use crate::arguments::{Arguments, Signature};
use crate::error::BuildResult;
use crate::function::{CallArgs, Declaration, FromScript, IntoScript};
use crate::value::{HostObject, ScriptValue};

/// A function that a dialect creates at run time, e.g. a method of a node.
pub struct HostFunction<F> {
    name: String,
    declaration: Option<&'static Declaration>,
    body: F,
}

impl<F> HostFunction<F>
where
    F: Fn(CallArgs) -> BuildResult<ScriptValue> + 'static,
{
    /// A function with this name, for messages.
    pub fn value(name: impl Into<String>, body: F) -> ScriptValue {
        ScriptValue::host(HostFunction { name: name.into(), declaration: None, body })
    }

    /// A function with this name and declaration.
    pub fn declared(name: impl Into<String>, declaration: &'static Declaration, body: F) -> ScriptValue {
        ScriptValue::host(HostFunction { name: name.into(), declaration: Some(declaration), body })
    }
}

impl<F> HostObject for HostFunction<F>
where
    F: Fn(CallArgs) -> BuildResult<ScriptValue> + 'static,
{
    fn type_name(&self) -> &str {
        &self.name
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn declaration(&self) -> Option<Declaration> {
        self.declaration.cloned()
    }
    fn call(&self, args: CallArgs) -> BuildResult<ScriptValue> {
        (self.body)(args)
    }
}

/// A Rust function that scripts can call: its parameters are [`FromScript`], its result is [`IntoScript`].
pub trait TypedFunction<A>: 'static {
    /// Calls the function with converted arguments.
    ///
    /// # Errors
    /// Fails if an argument is missing or of another type, or the function fails.
    fn call_typed(&self, arguments: Arguments) -> BuildResult<ScriptValue>;
}

/// Converts an argument. A parameter whose type accepts `None` may be left out.
fn converted<T: FromScript>(arguments: &mut Arguments, index: usize) -> BuildResult<T> {
    match arguments.optional(index, T::from_script)? {
        Some(value) => Ok(value),
        None => match T::from_script(ScriptValue::None) {
            Ok(value) => Ok(value),
            Err(_) => arguments.required(index, T::from_script),
        },
    }
}

macro_rules! typed_functions {
    ($(($($type:ident $index:tt),*))*) => {$(
        impl<F, R, $($type),*> TypedFunction<($($type,)*)> for F
        where
            F: Fn($($type),*) -> BuildResult<R> + 'static,
            R: IntoScript,
            $($type: FromScript,)*
        {
            #[allow(unused_mut, unused_variables, reason = "a function may have no parameters")]
            fn call_typed(&self, mut arguments: Arguments) -> BuildResult<ScriptValue> {
                Ok(self($(converted::<$type>(&mut arguments, $index)?),*)?.into_script())
            }
        }
    )*};
}
typed_functions! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, G 5)
}

/// A Rust function as a value, with the names of its parameters.
///
/// ```
/// use tvmscript_script_value::{CallArgs, ScriptValue, typed_function};
///
/// let round_up = typed_function("round_up", &["n", "to"], |n: i64, to: Option<i64>| {
///     let to = to.unwrap_or(8);
///     Ok((n + to - 1) / to * to)
/// });
/// let ScriptValue::Host(round_up) = round_up else { unreachable!() };
/// let result = round_up.call(CallArgs::positional([ScriptValue::Int(13)]))?;
/// assert!(matches!(result, ScriptValue::Int(16)));
/// # Ok::<(), tvmscript_script_value::BuildError>(())
/// ```
pub fn typed_function<A, F>(name: &'static str, params: &'static [&'static str], function: F) -> ScriptValue
where
    F: TypedFunction<A>,
{
    let signature = Signature::new(name, params).with_required(0);
    HostFunction::value(name, move |args| function.call_typed(signature.bind(args)?))
}
