//! Tensor intrinsics: pairs of functions, of which one describes what the other computes.

#[cfg(feature = "parse")]
mod families;
#[cfg(feature = "parse")]
mod registered;
#[cfg(feature = "parse")]
mod text;

#[cfg(feature = "parse")]
pub use registered::{PYTHON_MODULES, RegisteredIntrinsics};

use std::collections::BTreeMap;

use tvmscript_ir_core::{Object, Ref, Str};
use tvmscript_tir::PrimFunc;

use crate::error::{Result, ScheduleError};

/// A tensor intrinsic.
#[derive(Debug, Clone)]
pub struct TensorIntrinsic {
    /// The computation, as loops around a block in the root block.
    pub description: Ref<PrimFunc>,
    /// The function that computes it, with the same parameters.
    pub implementation: Ref<PrimFunc>,
}

/// Intrinsics by name.
#[derive(Debug, Clone, Default)]
pub struct TensorIntrinsics(BTreeMap<Str, TensorIntrinsic>);

impl TensorIntrinsics {
    /// Adds an intrinsic, in place of one with this name.
    pub fn insert(&mut self, name: &str, intrinsic: TensorIntrinsic) {
        self.0.insert(Str::from(name), intrinsic);
    }

    /// Tests whether a function describes or implements an intrinsic that was added.
    pub fn has_function(&self, function: &Object) -> bool {
        let functions = self.0.values().flat_map(|own| [&own.description, &own.implementation]);
        functions.into_iter().any(|own| own.object().ptr_eq(function))
    }

    /// The names of the intrinsics of TVM.
    #[cfg(feature = "parse")]
    pub fn names_of_tvm() -> impl Iterator<Item = &'static str> {
        families::names()
    }

    /// The intrinsic with a name: one that was added, or one of TVM.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, name: &str) -> Result<TensorIntrinsic> {
        let own = self.0.iter().find(|(known, _)| known.as_str() == name);
        if let Some((_, intrinsic)) = own {
            return Ok(intrinsic.clone());
        }
        #[cfg(feature = "parse")]
        if let Some(known) = families::find(name, crate::registry::registry()?)? {
            return Ok(known);
        }
        Err(ScheduleError::plain(format!("no tensor intrinsic is named `{name}`")))
    }
}
