//! Of operators that create, convert, quantise and sample tensors, and of matrix products.

use tvmscript_ir::Attrs;
use tvmscript_ir_core::{DataType, Node, Str};

/// Of `R.full`, `R.zeros`, `R.ones`, `R.arange` and their like.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.InitAttrs", parent = Attrs)]
pub struct InitAttrs {
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}

/// Of triangular parts; no operator carries it.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.TriluAttrs", parent = Attrs)]
pub struct TriluAttrs {
    /// Which diagonal, counted from the main one.
    pub k: i64,
}

/// Of `R.astype`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.AstypeAttrs", parent = Attrs)]
pub struct AstypeAttrs {
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}

/// Of `R.wrap_param`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.WrapParamAttrs", parent = Attrs)]
pub struct WrapParamAttrs {
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}

/// Of `R.matmul`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.MatmulAttrs", parent = Attrs)]
pub struct MatmulAttrs {
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
}

/// Of `R.einsum`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.EinsumAttrs", parent = Attrs)]
pub struct EinsumAttrs {
    /// The subscripts, as in `ij,jk->ik`.
    pub subscripts: Str,
}

/// Of `R.quantize` and `R.dequantize`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.QuantizeAttrs", parent = Attrs)]
pub struct QuantizeAttrs {
    /// The element type of the result; void for that of the operands.
    pub out_dtype: DataType,
    /// The axis; negative ones count from the last.
    pub axis: i64,
}

/// Of `R.multinomial_from_uniform`.
#[derive(Debug, Clone, Node)]
#[node(key = "relax.attrs.MultinomialFromUniformAttrs", parent = Attrs)]
pub struct MultinomialFromUniformAttrs {
    /// The element type of the result; void for that of the operand.
    pub dtype: DataType,
}
