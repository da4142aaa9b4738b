//! Arguments of a run, and their generation.

use std::collections::BTreeMap;

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::Var;
use tvmscript_tir::node::PrimFunc;

use crate::error::{RunError, RunErrorKind};
use crate::machine::{Limits, Machine, Value};
use crate::scalar::{Scalar, round, wrap};
use crate::tensor::Tensor;
use tvmscript_ir_core::arithmetic::is_float;

/// The argument of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number.
    Scalar(Scalar),
    /// The content of a buffer.
    Tensor(Tensor),
}

impl Argument {
    /// Returns the tensor.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Argument::Tensor(tensor) => Some(tensor),
            Argument::Scalar(_) => None,
        }
    }
}

/// Options of [`generate`].
#[derive(Debug, Clone, Default)]
pub struct InputOptions {
    /// Values of scalar parameters and of variables in shapes, by name.
    pub sizes: BTreeMap<String, i64>,
    /// Value of the ones that are not named; 8 if it is 0.
    pub default_size: i64,
    /// Seed of the content.
    pub seed: u64,
    /// Maximum number of bytes of all tensors; that of [`Limits`] if it is 0.
    pub max_bytes: usize,
}

/// Makes arguments for a function: buffers of their shape with small random numbers, and sizes for scalar parameters.
/// The same function, sizes and seed give the same arguments.
///
/// # Errors
/// Fails if a shape cannot be computed, or if a buffer is too large or has elements that cannot be stored.
pub fn generate(function: &Ref<PrimFunc>, options: &InputOptions) -> Result<Vec<Argument>, RunError> {
    let mut machine = Machine::new(Limits::default());
    let mut left = if options.max_bytes == 0 { Limits::default().bytes } else { options.max_bytes };
    let mut random = Random(options.seed ^ 0x9E37_79B9_7F4A_7C15);
    for param in function.params.iter().filter(|param| !param.dtype.is_handle()) {
        machine.bind(param, Value::Scalar(options.size(param)));
    }
    for (_, buffer) in function.buffer_map.iter() {
        for variable in buffer.shape.iter().filter_map(|extent| extent.downcast_ref::<Var>()) {
            if !machine.is_bound(variable) {
                machine.bind(variable, Value::Scalar(options.size(variable)));
            }
        }
    }
    let mut arguments = Vec::new();
    for param in function.params.iter() {
        let buffer = function.buffer_map.iter().find(|(var, _)| var.ptr_eq(param)).map(|(_, buffer)| buffer);
        arguments.push(match buffer {
            Some(buffer) => {
                let shape = machine.integers(buffer.shape.iter())?;
                let bytes = crate::tensor::byte_count(buffer.dtype, &shape, left)?;
                left -= bytes;
                let mut tensor = Tensor::zeros(buffer.dtype, &shape)?;
                for index in 0..tensor.len() {
                    let value = random.number(buffer.dtype.element())?;
                    tensor.set(index, value);
                }
                Argument::Tensor(tensor)
            }
            None if param.dtype.is_handle() => {
                let parameter = param.name.get().to_string();
                let reason = "it is a pointer without a buffer".to_owned();
                return Err(RunErrorKind::Argument { parameter, reason }.into());
            }
            None => Argument::Scalar(options.size(param)),
        });
    }
    Ok(arguments)
}

impl InputOptions {
    fn size(&self, variable: &Var) -> Scalar {
        let default = if self.default_size == 0 { 8 } else { self.default_size };
        let value = self.sizes.get(variable.name.get().as_str()).copied().unwrap_or(default);
        match is_float(variable.dtype) {
            true => Scalar::Float(value as f64),
            false => Scalar::Int(value),
        }
    }
}

/// A splitmix generator.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A float from -2 to 2, a truth value, or an integer from 0 or -8 to 8.
    fn number(&mut self, dtype: DataType) -> Result<Scalar, RunError> {
        let word = self.word();
        if is_float(dtype) {
            return round(dtype, (word >> 11) as f64 / (1u64 << 51) as f64 - 2.0);
        }
        let value = (word % 9) as i64;
        let is_negative = dtype.is_int() && word >> 32 & 1 == 1;
        wrap(dtype, if is_negative { -value } else { value })
    }
}
