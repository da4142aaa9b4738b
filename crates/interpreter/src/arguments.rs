//! Arguments of a run, and their generation.

use std::collections::BTreeMap;

use tvmscript_ir_core::{DataType, Ref, pre_order_visit};
use tvmscript_prim::{Expr, Var};
use tvmscript_tir::node::{Buffer, PrimFunc};

use crate::compile::{buffer_of, evaluate};
use crate::error::RunError;
use crate::machine::Limits;
use crate::records::PackedKind;
use crate::scalar::{Scalar, is_float, number, wrap};
use crate::signature::Packed;
use crate::tensor::Tensor;

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
    /// Number of elements behind a pointer whose memory no buffer declares; 65,536 if it is 0.
    pub pointer_elements: i64,
    /// Maximum number of bytes of all tensors; that of [`Limits`] if it is 0.
    pub max_bytes: usize,
}

/// Makes arguments for a function: buffers of their shape with small random numbers, and sizes for scalar parameters.
/// The same function, sizes and seed give the same arguments.
///
/// # Errors
/// Fails if a shape cannot be computed, or if a buffer is too large or has elements that cannot be stored.
pub fn generate(function: &Ref<PrimFunc>, options: &InputOptions) -> Result<Vec<Argument>, RunError> {
    let mut left = if options.max_bytes == 0 { Limits::default().bytes } else { options.max_bytes };
    let mut random = Random(options.seed ^ 0x9E37_79B9_7F4A_7C15);
    if let Some(packed) = Packed::of(function) {
        return packed_arguments(packed, options, left, &mut random);
    }
    let sizes = sizes(function, options);
    let mut arguments = Vec::new();
    for param in function.params.iter() {
        let (dtype, shape) = match buffer_of(function, param) {
            Some(buffer) => {
                let extents: Vec<Expr> = buffer.shape.iter().cloned().collect();
                (buffer.dtype, evaluate(&extents, &sizes)?)
            }
            None if param.dtype.is_handle() => pointer_target(function, param, &sizes, options),
            None => {
                arguments.push(Argument::Scalar(options.size(param)));
                continue;
            }
        };
        arguments.push(random.tensor(dtype, &shape, &mut left)?);
    }
    Ok(arguments)
}

/// The arguments that a packed function expects.
fn packed_arguments(
    mut packed: Packed,
    options: &InputOptions,
    mut left: usize,
    random: &mut Random,
) -> Result<Vec<Argument>, RunError> {
    let sizes: Vec<(Ref<Var>, u64)> =
        packed.sizes.iter().map(|variable| (variable.clone(), options.size(variable).bits())).collect();
    let mut arguments = Vec::new();
    for (at, parameter) in packed.parameters.clone().iter().enumerate() {
        arguments.push(match parameter.kind {
            PackedKind::Int => Argument::Scalar(Scalar::Int(options.value(&parameter.name))),
            PackedKind::Float => Argument::Scalar(Scalar::Float(options.value(&parameter.name) as f64)),
            PackedKind::Pointer => {
                random.tensor(parameter.element(), &[options.pointer_elements()], &mut left)?
            }
            PackedKind::Tensor { .. } => {
                let shape = packed.shape(at, &sizes, options.default());
                random.tensor(parameter.element(), &shape, &mut left)?
            }
        });
    }
    Ok(arguments)
}

/// The values of scalar parameters and of the variables in shapes.
fn sizes(function: &PrimFunc, options: &InputOptions) -> Vec<(Ref<Var>, u64)> {
    let mut sizes: Vec<(Ref<Var>, u64)> = Vec::new();
    let mut add = |variable: &Ref<Var>| {
        if !sizes.iter().any(|(known, _)| known.ptr_eq(variable)) {
            sizes.push((variable.clone(), options.size(variable).bits()));
        }
    };
    function.params.iter().filter(|param| !param.dtype.is_handle()).for_each(&mut add);
    for (_, buffer) in function.buffer_map.iter() {
        for extent in buffer.shape.iter() {
            pre_order_visit(extent, |node| {
                node.downcast_ref::<Var>().into_iter().for_each(&mut add);
                true
            });
        }
    }
    sizes
}

/// Default number of elements of a pointer's memory if no buffer says it.
const POINTER_ELEMENTS: i64 = 1 << 16;

/// The type and shape of the memory that a pointer needs: the largest of the buffers that the body declares over it.
fn pointer_target(
    function: &PrimFunc,
    param: &Ref<Var>,
    sizes: &[(Ref<Var>, u64)],
    options: &InputOptions,
) -> (DataType, Vec<i64>) {
    let mut dtype = None;
    let mut elements = 0;
    pre_order_visit(&function.body, |node| {
        if let Some(buffer) = node.as_node::<Buffer>()
            && buffer.data.ptr_eq(param)
        {
            let extents: Vec<Expr> = buffer.shape.iter().cloned().collect();
            let own = evaluate(&extents, sizes).unwrap_or_default();
            let count = own.iter().fold(1i64, |product, extent| product.saturating_mul((*extent).max(0)));
            elements = elements.max(count);
            dtype = Some(buffer.dtype);
        }
        true
    });
    let pointee = crate::compile::pointee(&param.clone().upcast()).filter(|dtype| !dtype.is_handle());
    let dtype = dtype.or(pointee).unwrap_or(DataType::FLOAT32);
    (dtype, vec![if elements == 0 { options.pointer_elements() } else { elements }])
}

impl InputOptions {
    fn default(&self) -> i64 {
        if self.default_size == 0 { 8 } else { self.default_size }
    }

    fn pointer_elements(&self) -> i64 {
        if self.pointer_elements <= 0 { POINTER_ELEMENTS } else { self.pointer_elements }
    }

    fn value(&self, name: &str) -> i64 {
        self.sizes.get(name).copied().unwrap_or_else(|| self.default())
    }

    fn size(&self, variable: &Var) -> Scalar {
        let value = self.value(variable.name.get().as_str());
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

    fn tensor(&mut self, dtype: DataType, shape: &[i64], left: &mut usize) -> Result<Argument, RunError> {
        *left -= crate::tensor::byte_count(dtype, shape, *left)?;
        let mut tensor = Tensor::zeros(dtype, shape)?;
        for index in 0..tensor.len() {
            let value = self.number(dtype.element())?;
            tensor.set(index, value);
        }
        Ok(Argument::Tensor(tensor))
    }

    /// A float from -2 to 2, a truth value, or an integer from 0 or -8 to 8.
    fn number(&mut self, dtype: DataType) -> Result<Scalar, RunError> {
        let word = self.word();
        if is_float(dtype) {
            return number(dtype, (word >> 11) as f64 / (1u64 << 51) as f64 - 2.0);
        }
        let value = (word % 9) as i64;
        let is_negative = dtype.is_int() && word >> 32 & 1 == 1;
        Ok(Scalar::Int(wrap(dtype, if is_negative { -value } else { value }) as i64))
    }
}
