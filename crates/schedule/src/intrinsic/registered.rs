//! Intrinsics that Python files register with `TensorIntrin.register`.
//!
//! They are known to the program that runs the file, by the context [`RegisteredIntrinsics`] of a builder around the run. Without
//! it, a registration has no effect.

use std::sync::{Arc, Mutex, PoisonError};

use tvmscript_ir_core::{Ref, Registry, Str};
use tvmscript_irbuilder::{BuildError, BuildResult, Builder, HostObject, ScriptValue, script_fn};
use tvmscript_script_parser::{
    Member, ParseError, ParseErrorKind, ParseOptions, PythonModule, parse_script, unknown_value,
};
use tvmscript_tir::PrimFunc;

use super::{TensorIntrinsic, TensorIntrinsics};

/// The Python modules with the class `TensorIntrin`, for the registry of a dialect.
pub static PYTHON_MODULES: &[PythonModule] = &[
    PythonModule::new(&["tvm.tir", "tvm.tir.function"]).members(MEMBERS),
    PythonModule::new(&["tvm.s_tir"]).members(MEMBERS).others(|| "`tvm.s_tir` is not evaluated".to_owned()),
];

const MEMBERS: &[(&str, Member)] = &[("TensorIntrin", Member::Value(|| ScriptValue::host(TensorIntrin)))];

/// The intrinsics that a file registers.
#[derive(Debug, Clone, Default)]
pub struct RegisteredIntrinsics(Arc<Mutex<TensorIntrinsics>>);

impl RegisteredIntrinsics {
    /// Runs a function, with the intrinsics that files register meanwhile.
    pub fn of<R>(registry: &Registry, run: impl FnOnce() -> R) -> (R, TensorIntrinsics) {
        let registered = RegisteredIntrinsics::default();
        let builder = Builder::for_registry(registry);
        builder.set_context(registered.clone());
        let result = run();
        drop(builder);
        let intrinsics = std::mem::take(&mut *registered.0.lock().unwrap_or_else(PoisonError::into_inner));
        (result, intrinsics)
    }
}

impl TensorIntrinsics {
    /// Adds the intrinsics that a Python file registers.
    ///
    /// # Errors
    /// All errors of the file.
    pub fn read_python(
        &mut self,
        name: &str,
        text: &str,
        registry: &Registry,
        options: &ParseOptions,
    ) -> Result<(), Vec<ParseError>> {
        let (read, registered) =
            RegisteredIntrinsics::of(registry, || parse_script(name, text, registry, options));
        self.extend(registered);
        // The functions may be made by helpers, so that the file has no script.
        let is_mistake = |error: &ParseError| !matches!(error.kind, ParseErrorKind::NoScript);
        let errors: Vec<ParseError> = read.errors.into_iter().filter(is_mistake).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Adds other intrinsics, in place of those with their names.
    pub fn extend(&mut self, others: TensorIntrinsics) {
        self.0.extend(others.0);
    }
}

/// The class `TensorIntrin`.
struct TensorIntrin;

impl HostObject for TensorIntrin {
    fn type_name(&self) -> &str {
        "tir.TensorIntrin"
    }

    fn attribute(&self, name: &str) -> Option<ScriptValue> {
        match name {
            "register" => Some(ScriptValue::Function(&REGISTER)),
            "get" => Some(unknown_value("intrinsics are known by name only; they are not values")),
            _ => None,
        }
    }

    fn attribute_names(&self) -> Vec<String> {
        ["register", "get"].map(str::to_owned).to_vec()
    }
}

/// Registers an intrinsic.
#[script_fn]
pub fn register(
    name: Str,
    desc: Ref<PrimFunc>,
    r#impl: Ref<PrimFunc>,
    #[default = false] r#override: bool,
) -> BuildResult<()> {
    let (described, implemented) = (desc.params.len(), r#impl.params.len());
    if described != implemented {
        let error = format!("the description has {described} parameters, the implementation {implemented}");
        return Err(BuildError::message(error));
    }
    let Some(registered) = Builder::context::<RegisteredIntrinsics>() else { return Ok(()) };
    let mut registered = registered.0.lock().unwrap_or_else(PoisonError::into_inner);
    if !r#override && registered.0.contains_key(&name) {
        let error = BuildError::message(format!("the intrinsic `{name}` is registered already"));
        return Err(error.at_position(0).with_help("add `override=True`"));
    }
    registered.insert(name.as_str(), TensorIntrinsic { description: desc, implementation: r#impl });
    Ok(())
}
