//! An interpreter for TIR functions, of all releases and on tiles: checked, deterministic, fast enough for real sizes.
//!
//! A function is compiled once to a flat list of instructions on registers (`compile`, `program`), which a loop executes
//! (`execute`). Integers wrap at their width, floats are rounded to their format after each operation, and each access is
//! checked against the shape of its buffer and the size of its memory. Loops run serially, vectorized ones included.
//! Threads that wait for each other run as a group (`threads`), each with its own registers, from one barrier to the next.
//!
//! Operations that are left out are errors when they are reached: calls of external functions beyond those of the C
//! library that depend on their arguments alone, and instructions of devices that `intrinsics` does not list.
//!
//! ```
//! use tvmscript_interpreter::{Argument, Limits, Scalar, Tensor, run};
//! use tvmscript_prim::{DataType, IntImm, Var};
//! use tvmscript_tir::node::{Buffer, BufferParts, BufferStore, PrimFunc};
//! # use tvmscript_ir::DictAttrs;
//! # use tvmscript_ir_core::{Array, Map, Ref, Span, ObjectLike};
//!
//! // A[0] = n * 3
//! let shape = [IntImm::int32(1)];
//! let buffer = Buffer::try_new(BufferParts::compact("A", DataType::INT32, shape))?;
//! let (a, n) = (Var::new("a", DataType::HANDLE), Var::new("n", DataType::INT32));
//! let product = tvmscript_prim::ops::mul(n.clone().upcast(), IntImm::int32(3))?;
//! let body = BufferStore::try_new(buffer.clone(), product, Array::new([IntImm::int32(0)]), None)?;
//! # let function = Ref::new(PrimFunc {
//! #     span: Span::UNKNOWN, struct_info_: None, attrs: DictAttrs::new([]), params: Array::new([a.clone(), n]),
//! #     ret_type: tvmscript_prim::PrimType::new(DataType::VOID), buffer_map: Map::new([(a, buffer)]), body,
//! # });
//!
//! let mut arguments = [Argument::Tensor(Tensor::zeros(DataType::INT32, &[1])?), Argument::Scalar(Scalar::Int(7))];
//! run(&function, &mut arguments, Limits::default())?;
//! assert_eq!(arguments[0].tensor().and_then(|a| a.get(0)), Some(Scalar::Int(21)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

mod arguments;
mod c_source;
mod compile;
mod device;
mod error;
mod execute;
mod functions;
mod intrinsics;
mod library;
mod machine;
mod matrix;
mod memory;
mod program;
mod records;
mod scalar;
mod scan;
mod signature;
mod tensor;
mod tensor_map;
mod threads;
mod warp;
mod warpgroup;
mod wavefront;

pub use arguments::{Argument, InputOptions, generate};
pub use c_source::{CError, CFunction, CInput, COptions, CParameter, CSource, CValue, NO_C_FORM, c_source};
pub use compile::Functions;
pub use error::{RunError, RunErrorKind};
pub use machine::{Limits, Progress, run, run_in};
pub use scalar::Scalar;
pub use signature::{Signature, signature};
pub use tensor::Tensor;
