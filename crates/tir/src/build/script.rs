//! Script functions from Rust: `T::grid([16, 16]).body(|[i, j]| ..)` for `for i, j in T.grid(16, 16):`.
//!
//! Import it under the name that scripts use: `use tvmscript_tir::build::script as T;`. Names that are Rust keywords
//! end in an underscore (`T::where_`, `T::if_`). Required arguments are parameters, optional ones are setters of the
//! call; [`Emit::emit`](tvmscript_irbuilder::Emit::emit) makes the call, and `body` runs a closure in the scope that
//! it opens. Errors are recorded in the open [`Builder`](tvmscript_irbuilder::Builder) with the caller's location.

use std::marker::PhantomData;
use std::panic::Location;

use tvmscript_ir_core::{DataType, PoisonNode, Ref, TypeCode};
use tvmscript_irbuilder::{
    BuildResult, Built, FrameOf, IntoArg, Poison, ScriptValue, argument, value_or_poison,
};
use tvmscript_prim::{Expr, PrimExpr, Var};

pub use super::access::BufferAccess;
use super::args::Domain;
pub use super::block::{block, block_attr, init, reads, where_, writes};
pub use super::buffer::{alloc_buffer, buffer, decl_buffer, match_buffer};
pub use super::expr::{
    broadcast, buffer_load, buffer_region, call, cast, comm_reducer, float_imm, index_map, int_imm, iter_var,
    let_expr, ramp, range_node, reduce, select, shuffle, size_var, string_imm, target, var,
};
use super::frame::TirFrame;
pub use super::function::{func_attr, func_name, func_ret, prim_func, private_prim_func};
use super::loops;
pub use super::loops::{parallel, serial, thread_binding, unroll, vectorized, while_};
pub use super::operator::call_intrin;
pub use super::stmt::{
    allocate, allocate_const, assert_, attr, buffer_store, else_, evaluate, if_, let_stmt, realize, then_,
};
pub use super::thread::{env_thread, launch_thread};
pub use super::types::{handle, ptr};
use super::{function, types};
use crate::node::Buffer;
pub use crate::op::bits::script::*;
pub use crate::op::call::script::*;
pub use crate::op::control::script::*;
pub use crate::op::math::script::*;
pub use crate::op::memory::script::*;
pub use crate::op::tensor_core::script::*;
pub use crate::op::thread::script::*;
pub use crate::op::vector::script::*;

/// `T.axis`.
pub mod axis {
    pub use crate::build::block::{
        axis_iter_var as iter_var, axis_opaque as opaque, axis_reduce as reduce, axis_remap as remap,
        axis_scan as scan, axis_spatial as spatial,
    };
}

/// Nodes that never fold: `T.Add`, `T.Min`, `T.Cast`.
pub mod strict {
    pub use crate::build::expr::{
        add, and, cast_node as cast, div, eq, floor_div, floor_mod, ge, gt, le, lt, max, min, mod_, mul, ne,
        not, or, sub,
    };
}

/// A value that can be a parameter of a function.
pub trait Parameter: Clone + Poison + Into<ScriptValue> {}
impl Parameter for Ref<Var> {}
impl Parameter for Ref<Buffer> {}

/// Adds a parameter and returns it: a variable, or a buffer with an implicit handle.
///
/// # Panics
/// If there is an error and no builder is open.
#[track_caller]
pub fn arg<B: Built>(name: &str, parameter: B) -> B::Out
where
    B::Out: Parameter,
{
    let parameter = parameter.built();
    let added = argument::<ScriptValue>(parameter.clone().into(), 1)
        .and_then(|value| function::try_arg(name.into(), value));
    value_or_poison(added, Location::caller(), ScriptValue::poison);
    parameter
}

/// The domains of nested loops: an array, a tuple or a vector of extents (`16`, `&n`) and ranges (`2..16`).
pub trait Extents {
    /// The loop variables, in the form of the extents.
    type Vars: Poison;

    /// The number of loops.
    fn count(&self) -> usize;

    /// The domains.
    ///
    /// # Errors
    /// If an element is not a domain; the error has its position.
    fn domains(self) -> BuildResult<Vec<Domain>>;

    /// The loop variables in the form of the extents; `None` if their number differs.
    fn vars(vars: Vec<Ref<Var>>) -> Option<Self::Vars>;
}

impl<A: IntoArg<Domain>, const N: usize> Extents for [A; N] {
    type Vars = [Ref<Var>; N];
    fn count(&self) -> usize {
        N
    }
    fn domains(self) -> BuildResult<Vec<Domain>> {
        self.into_iter().enumerate().map(|(index, domain)| argument(domain, index)).collect()
    }
    fn vars(vars: Vec<Ref<Var>>) -> Option<Self::Vars> {
        vars.try_into().ok()
    }
}

impl<A: IntoArg<Domain>> Extents for Vec<A> {
    type Vars = Vec<Ref<Var>>;
    fn count(&self) -> usize {
        self.len()
    }
    fn domains(self) -> BuildResult<Vec<Domain>> {
        self.into_iter().enumerate().map(|(index, domain)| argument(domain, index)).collect()
    }
    fn vars(vars: Vec<Ref<Var>>) -> Option<Self::Vars> {
        Some(vars)
    }
}

macro_rules! tuples {
    ($($count:literal: $($name:ident)+;)*) => {$(
        impl<$($name: IntoArg<Domain>),+> Extents for ($($name,)+) {
            type Vars = [Ref<Var>; $count];
            fn count(&self) -> usize {
                $count
            }
            #[allow(non_snake_case)]
            fn domains(self) -> BuildResult<Vec<Domain>> {
                let ($($name,)+) = self;
                let mut index = 0..$count;
                Ok(vec![$(argument($name, index.next().unwrap_or_default())?),+])
            }
            fn vars(vars: Vec<Ref<Var>>) -> Option<Self::Vars> {
                vars.try_into().ok()
            }
        }
    )*};
}
tuples! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
}

/// Opens nested loops, one per domain: `T::grid((16, &n, 2..8)).body(|[i, j, k]| ..)`.
#[track_caller]
pub fn grid<E: Extents>(extents: E) -> GridCall<E> {
    let count = extents.count();
    let made = extents.domains().map(loops::grid_of);
    GridCall { caller: Location::caller(), count, made, vars: PhantomData }
}

/// A call of [`grid`].
#[must_use = "nothing is built before `body`"]
pub struct GridCall<E> {
    caller: &'static Location<'static>,
    count: usize,
    made: BuildResult<FrameOf<TirFrame>>,
    vars: PhantomData<fn() -> E>,
}

impl<E: Extents> GridCall<E> {
    /// Opens the loops, runs `body` in the innermost one with the loop variables, and closes them. Errors are
    /// recorded in the current builder.
    ///
    /// # Panics
    /// If there is an error and no builder is open.
    pub fn body<R>(self, body: impl FnOnce(E::Vars) -> R) -> R {
        let mut frame = value_or_poison(self.made, self.caller, FrameOf::poison);
        let vars = frame.frame_mut().and_then(|frame| frame.loop_vars());
        let vars = E::vars(vars.unwrap_or_else(|| vec![Var::poison(); self.count]));
        frame.body_at(self.caller, |()| body(vars.unwrap_or_else(E::Vars::poison)))
    }
}

macro_rules! dtypes {
    ($($name:ident $dtype:expr;)*) => {$(
        #[doc = concat!("The value as a `", stringify!($name), "`: a literal of a number or text, a conversion of an expression.")]
        ///
        /// # Panics
        /// If there is an error and no builder is open.
        #[track_caller]
        pub fn $name(value: impl IntoArg<ScriptValue>) -> Expr {
            let made = argument::<ScriptValue>(value, 0).and_then(|value| types::try_convert($dtype, value));
            value_or_poison(made, Location::caller(), PrimExpr::poison)
        }
    )*};
}
dtypes! {
    int8 DataType::int(8);
    int16 DataType::int(16);
    int32 DataType::int(32);
    int64 DataType::int(64);
    uint8 DataType::uint(8);
    uint16 DataType::uint(16);
    uint32 DataType::uint(32);
    uint64 DataType::uint(64);
    float16 DataType::float(16);
    float32 DataType::float(32);
    float64 DataType::float(64);
    bfloat16 DataType { code: TypeCode::BFloat, bits: 16, lanes: 1 };
    boolean DataType::BOOL;
}
