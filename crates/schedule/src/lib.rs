//! Schedules of tensor programs: primitives that rewrite loops and blocks, and the traces that record them.
//!
//! A [`Schedule`] holds a module of TIR. Its methods are primitives with TVM's names: `get_block`, `get_loops`, `split`,
//! `reorder`. Each rewrites the module, or refuses with a [`ScheduleError`] that names the nodes at fault and changes
//! nothing. What was done is in the [`Trace`], as text and JSON that TVM reads.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod accesses;
mod affine;
mod ancestry;
mod api;
mod argument;
mod bindings;
mod buffers;
#[cfg(feature = "parse")]
mod build;
mod cache;
mod comparison;
mod copies;
mod database;
mod definition;
mod division;
mod domains;
mod error;
mod flags;
mod fresh;
mod index_map;
mod inline;
mod insertion;
mod intrinsic;
mod layout;
mod loops;
mod primitive;
mod random;
mod reads;
mod record;
mod redirect;
mod reducers;
mod regions;
mod registry;
mod removal;
mod rust_source;
mod schedule;
mod scope;
#[cfg(feature = "parse")]
mod script;
mod state;
mod storage;
mod subexpressions;
mod substitution;
mod trace;
mod walk;

pub use api::results;
pub use argument::{Argument, Rv, RvValue};
#[cfg(feature = "parse")]
pub use build::{BuildFailure, GraphNode, TracedBuild, graph_nodes};
pub use database::{Database, Tuned, TuningRecord};
pub use error::{Refusal, RefusalKind, Result, ScheduleError};
pub use index_map::index_map;
#[cfg(feature = "parse")]
pub use intrinsic::{PYTHON_MODULES, RegisteredIntrinsics};
pub use intrinsic::{TensorIntrinsic, TensorIntrinsics};
pub use primitive::{Default, PRIMITIVES, Parameter, Place, Primitive, Results, ScheduleDialect, primitives};
pub use record::{Record, VANILLA};
pub use schedule::Schedule;
pub use state::{Item, State};
pub use trace::{Instruction, RustTraceError, Trace, TraceError};
