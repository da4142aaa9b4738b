//! Loads, stores and regions of buffers from Rust.

use std::panic::Location;

use tvmscript_ir_core::{PoisonNode, Ref};
use tvmscript_irbuilder::{
    BuildResult, FromScript, IntoArg, Poison, PyType, ScriptValue, argument, value_or_poison,
};
use tvmscript_prim::{Expr, PrimExpr};

use super::args::{ExprArg, region_to_load};
use super::into_arg::Indices;
use super::stmt;
use super::subscript::{self, Index, Subscript, subscript};
use crate::node::{Buffer, BufferRegion};

impl FromScript for Indices {
    const TYPE: PyType = PyType::Generic { name: "Sequence", of: &[Index::TYPE] };
    fn from_script(value: ScriptValue) -> BuildResult<Self> {
        match value.items() {
            Some(items) => items.into_iter().map(Index::from_script).collect::<BuildResult<_>>().map(Indices),
            None => Ok(Indices(vec![Index::from_script(value)?])),
        }
    }
    fn is_poison(&self) -> bool {
        self.0.iter().any(Index::is_poison)
    }
}

/// Loads, stores and regions. Indices are an array, a tuple, or one index; each index is an expression, a number, or
/// a range (`0..4`, `..`). Errors are recorded in the current builder with the caller's location.
pub trait BufferAccess {
    /// Loads `A[i, j]`; a vector if an index is a range.
    ///
    /// # Shapes
    /// One index per dimension; ranges have a constant length.
    ///
    /// # Panics
    /// If there is an error and no builder is open.
    #[track_caller]
    fn at(&self, indices: impl IntoArg<Indices>) -> Expr;

    /// Stores a value, cast to the buffer's type: `A[i, j] = value`.
    ///
    /// # Shapes
    /// As [`BufferAccess::at`]; the value has one lane per indexed element.
    ///
    /// # Panics
    /// If there is an error and no builder is open.
    #[track_caller]
    fn set(&self, indices: impl IntoArg<Indices>, value: impl IntoArg<ExprArg>);

    /// The region `A[0:16, j]`, as `T::reads` takes it.
    ///
    /// # Shapes
    /// As [`BufferAccess::at`]; ranges may have any length.
    ///
    /// # Panics
    /// If there is an error and no builder is open.
    #[track_caller]
    fn region(&self, indices: impl IntoArg<Indices>) -> Ref<BufferRegion>;
}

impl BufferAccess for Ref<Buffer> {
    fn at(&self, indices: impl IntoArg<Indices>) -> Expr {
        let load = || {
            let buffer: Ref<Buffer> = argument(self, 0)?;
            Ok(match subscript(&buffer, &argument::<Indices>(indices, 1)?.0)? {
                Subscript::Load(load) => load,
                Subscript::Region(region) => region_to_load(&region)?,
            })
        };
        value_or_poison(load(), Location::caller(), PrimExpr::poison)
    }

    fn set(&self, indices: impl IntoArg<Indices>, value: impl IntoArg<ExprArg>) {
        let store = || {
            let buffer: Ref<Buffer> = argument(self, 0)?;
            let indices = subscript::all_lanes(&buffer, &argument::<Indices>(indices, 1)?.0)?;
            stmt::store(&buffer, argument::<ExprArg>(value, 2)?.0, indices, None)
        };
        value_or_poison(store(), Location::caller(), <()>::poison);
    }

    fn region(&self, indices: impl IntoArg<Indices>) -> Ref<BufferRegion> {
        let region = || {
            let buffer: Ref<Buffer> = argument(self, 0)?;
            subscript::region(&buffer, &argument::<Indices>(indices, 1)?.0)
        };
        value_or_poison(region(), Location::caller(), BufferRegion::poison)
    }
}
