//! The operators that have a template, with the names of their functions.

use tvmscript_prim::ops;

use super::Outcome;
use super::pool::Kind;
use super::scalar::{Scalar, constant};
use super::site::Site;
use super::tensor::{Answer, Combine};
use super::{
    all_class_nms, conv, elementwise as each, grad, grid, grid_sample, image, index, layout, loss,
    manipulate as move_, multibox, nms, nn, pad, pool, reduce, roi_align, roi_pool, scatter, search, sort,
    window,
};

/// The template of an operator.
pub(super) struct Template {
    /// Name of the operator, without `relax.`.
    pub(super) operator: &'static str,
    /// Name of the function.
    pub(super) function: &'static str,
    /// Makes the results.
    pub(super) define: fn(&mut Site<'_>) -> Answer<Outcome>,
}

/// Rows of templates: operator, function if it is named otherwise, definition.
macro_rules! templates {
    ($($operator:literal $(as $function:literal)? => $define:expr;)*) => {
        &[$(Template {
            operator: $operator,
            function: templates!(@name $operator $(, $function)?),
            define: $define,
        }),*]
    };
    (@name $operator:literal, $function:literal) => { $function };
    (@name $operator:literal) => { $operator };
}

/// Rows of elementwise operators that call an operator of TIR.
macro_rules! calls {
    ($($operator:literal => $tir:literal;)*) => {
        &[$(Template {
            operator: $operator,
            function: concat!("tir_", $operator),
            define: |site| each::unary(site, |x| x.call($tir)),
        }),*]
    };
}

/// Rows of operators of two broadcast tensors.
macro_rules! binary {
    ($($operator:literal => $value:expr;)*) => {
        &[$(Template {
            operator: $operator,
            function: $operator,
            define: |site| {
                let value: fn(Scalar, Scalar) -> Scalar = $value;
                each::binary(site, $operator, value)
            },
        }),*]
    };
}

const CALLS: &[Template] = calls! {
    "acos" => "acos";
    "acosh" => "acosh";
    "asin" => "asin";
    "asinh" => "asinh";
    "atan" => "atan";
    "atanh" => "atanh";
    "cos" => "cos";
    "cosh" => "cosh";
    "exp" => "exp";
    "rsqrt" => "rsqrt";
    "sigmoid" => "sigmoid";
    "sin" => "sin";
    "sinh" => "sinh";
    "sqrt" => "sqrt";
    "tan" => "tan";
    "tanh" => "tanh";
};

const UNARY: &[Template] = templates! {
    "abs" as "tir_abs" => |site| each::unary(site, |x| each::abs(&x));
    "astype" as "cast" => each::cast;
    "bitwise_not" as "tir_bitwise_not" => |site| each::unary_named(site, "T_bitwise_not", |x| x.map(ops::bitwise_not));
    "ceil" as "tir_ceil" => |site| each::unary(site, |x| x.round_with("ceil"));
    "clip" as "tir_clip" => each::clip;
    "erf" => |site| Outcome::one(each::erf(&site.tensor(0)?)?);
    "floor" as "tir_floor" => |site| each::unary(site, |x| x.round_with("floor"));
    "isfinite" as "tir_isfinite" => |site| each::unary(site, |x| each::is_inf(&x).not().and(each::is_nan(&x).not()));
    "isinf" as "tir_isinf" => |site| each::unary(site, |x| each::is_inf(&x));
    "isnan" as "tir_isnan" => |site| each::unary(site, |x| each::is_nan(&x));
    "log" as "tir_log" => each::log;
    "logical_not" as "tir_logical_not" => |site| each::unary_named(site, "T_logical_not", |x| x.not());
    "negative" as "tir_negative" => |site| each::unary(site, |x| &x * constant(x.dtype(), -1.0));
    "round" as "tir_round" => |site| each::unary(site, |x| x.round_with("nearbyint"));
    "sign" as "tir_sign" => |site| each::unary_named(site, "T_sign", |x| each::sign(&x));
    "square" as "tir_square" => |site| {
        let x = site.tensor(0)?;
        Outcome::one(each::combine_tensors(&x, &x, "multiply", |a, b| a * b)?)
    };
    "trunc" as "tir_trunc" => |site| each::unary(site, |x| x.round_with("trunc"));
};

const BINARY: &[Template] = binary! {
    "add" => |a, b| a + b;
    "atan2" => |a, b| each::call2("atan2", &a, &b);
    "bitwise_and" => |a, b| a.with(b, ops::bitwise_and);
    "bitwise_or" => |a, b| a.with(b, ops::bitwise_or);
    "bitwise_xor" => |a, b| a.with(b, ops::bitwise_xor);
    "divide" => |a, b| a / b;
    "equal" => |a, b| a.equals(b);
    "floor_divide" => |a, b| each::floor_divide(&a, &b);
    "floor_mod" => |a, b| each::floor_mod(&a, &b);
    "greater" => |a, b| a.gt(b);
    "greater_equal" => |a, b| a.ge(b);
    "left_shift" => |a, b| a.with(b, ops::shift_left);
    "less" => |a, b| a.lt(b);
    "less_equal" => |a, b| a.le(b);
    "log_add_exp" => |a, b| each::log_add_exp(&a, &b);
    "logical_and" => |a, b| a.and(b);
    "logical_or" => |a, b| a.or(b);
    "logical_xor" => |a, b| a.with(b, ops::bitwise_xor);
    "maximum" => |a, b| a.max(b);
    "minimum" => |a, b| a.min(b);
    "mod" => |a, b| a.truncmod(b);
    "multiply" => |a, b| a * b;
    "not_equal" => |a, b| a.differs(b);
    "power" => |a, b| each::call2("pow", &a, &b);
    "right_shift" => |a, b| a.with(b, ops::shift_right);
    "subtract" => |a, b| a - b;
};

const MOVES: &[Template] = templates! {
    "arange" => move_::arange;
    "broadcast_to" => move_::broadcast_to;
    "concat" as "concatenate" => move_::concat;
    "eye" => |site| grid::eye(site, 2);
    "eye_like" => |site| grid::eye(site, 1);
    "expand_dims" => move_::expand_dims;
    "flatten" as "reshape" => move_::flatten;
    "flip" => move_::flip;
    "full" => |site| move_::full(site, false, None);
    "full_like" as "full" => |site| move_::full(site, true, None);
    "gather_elements" as "gather" => move_::gather_elements;
    "gather_nd" as "te_gather_nd" => move_::gather_nd;
    "grad.end_checkpoint" => |_| Ok(Outcome::Operand(0));
    "grad.no_grad" => |_| Ok(Outcome::Operand(0));
    "grad.start_checkpoint" => |_| Ok(Outcome::Operand(0));
    "grad.take_backward" as "take_backward" => grad::take_backward;
    "hamming_window" => window::hamming_window;
    "index_put" => index::index_put;
    "index_tensor" => index::index_tensor;
    "layout_transform" => layout::layout_transform;
    "meshgrid" => grid::meshgrid;
    "nn.batch_flatten" as "reshape" => move_::flatten;
    "nn.dropout" as "dropout" => move_::dropout;
    "nn.pad" as "pad" => pad::pad;
    "one_hot" => move_::one_hot;
    "ones" => |site| move_::full(site, false, Some(1.0));
    "ones_like" as "ones" => |site| move_::full(site, true, Some(1.0));
    "permute_dims" as "transpose" => move_::permute_dims;
    "repeat" => move_::repeat;
    "reshape" => move_::reshape;
    "reverse_sequence" => index::reverse_sequence;
    "scatter_elements" => scatter::scatter_elements;
    "scatter_nd" => scatter::scatter_nd;
    "shape_to_tensor" => move_::shape_to_tensor;
    "slice_scatter" => index::slice_scatter;
    "split" => move_::split;
    "squeeze" => move_::squeeze;
    "stack" => move_::stack;
    "strided_slice" => move_::strided_slice;
    "take" => move_::take;
    "tile" => move_::tile;
    "tril" => |site| move_::triangular(site, false);
    "triu" => |site| move_::triangular(site, true);
    "where" => each::choose;
    "zeros" => |site| move_::full(site, false, Some(0.0));
    "zeros_like" as "zeros" => |site| move_::full(site, true, Some(0.0));
};

const REDUCTIONS: &[Template] = templates! {
    "argmax" => |site| reduce::extreme_index(site, true);
    "argmin" => |site| reduce::extreme_index(site, false);
    "bucketize" as "searchsorted" => search::bucketize;
    "collapse_sum_like" as "collapse_sum" => reduce::collapse_sum;
    "collapse_sum_to" as "collapse_sum" => reduce::collapse_sum;
    "einsum" => grid::einsum;
    "matmul" => reduce::matmul;
    "max" => |site| reduce::statistic(site, Combine::Max);
    "mean" => reduce::mean;
    "median" => sort::median;
    "min" => |site| reduce::statistic(site, Combine::Min);
    "nn.log_softmax" as "log_softmax" => reduce::log_softmax;
    "nn.softmax" as "softmax" => reduce::softmax;
    "outer" => reduce::outer;
    "prod" => |site| reduce::statistic(site, Combine::Product);
    "std" => |site| reduce::variance(site, true);
    "sum" => |site| reduce::statistic(site, Combine::Sum);
    "variance" => |site| reduce::variance(site, false);
};

const NN: &[Template] = templates! {
    "dequantize" => each::dequantize;
    "grad.avg_pool2d_backward" as "avg_pool2d_backward" => |site| grad::pool2d_backward(site, Kind::Average);
    "grad.max_pool2d_backward" as "max_pool2d_backward" => |site| grad::pool2d_backward(site, Kind::Max);
    "grad.nll_loss_backward" => loss::nll_loss_backward;
    "image.affine_grid" as "affine_grid" => image::affine_grid;
    "image.grid_sample" as "grid_sample" => grid_sample::grid_sample;
    "image.resize2d" as "resize2d" => image::resize2d;
    "image.resize3d" as "resize3d" => image::resize3d;
    "nn.adaptive_avg_pool1d" as "adaptive_avg_pool1d" => pool::adaptive_pool1d;
    "nn.adaptive_avg_pool2d" as "adaptive_avg_pool2d" => pool::adaptive_pool2d;
    "nn.adaptive_avg_pool3d" as "adaptive_avg_pool3d" => pool::adaptive_pool3d;
    "nn.attention" as "attention" => |site| nn::attention(site, false);
    "nn.attention_bias" as "attention_bias" => |site| nn::attention(site, true);
    "nn.avg_pool1d" as "avg_pool1d" => |site| pool::pool1d(site, Kind::Average);
    "nn.avg_pool2d" as "avg_pool2d" => |site| pool::pool2d(site, Kind::Average);
    "nn.avg_pool3d" as "avg_pool3d" => |site| pool::pool3d(site, Kind::Average);
    "nn.batch_norm" as "batch_norm" => nn::batch_norm;
    "nn.conv1d" as "conv1d" => conv::conv1d;
    "nn.conv1d_transpose" as "conv1d_transpose" => conv::conv1d_transpose;
    "nn.conv2d" as "conv2d" => conv::conv2d;
    "nn.conv2d_transpose" as "conv2d_transpose" => conv::conv2d_transpose;
    "nn.conv3d" as "conv3d" => conv::conv3d;
    "nn.conv3d_transpose" as "conv3d_transpose" => conv::conv3d_transpose;
    "nn.cross_entropy_with_logits" as "cross_entropy_with_logits" => nn::cross_entropy;
    "nn.gelu" as "gelu" => nn::gelu;
    "nn.gelu_tanh" as "gelu_tanh" => nn::gelu_tanh;
    "nn.group_norm" as "group_norm" => nn::group_norm;
    "nn.instance_norm" as "instance_norm" => nn::instance_norm;
    "nn.layer_norm" as "layer_norm" => nn::layer_norm;
    "nn.leakyrelu" as "leaky_relu" => nn::leaky_relu;
    "nn.max_pool1d" as "max_pool1d" => |site| pool::pool1d(site, Kind::Max);
    "nn.max_pool2d" as "max_pool2d" => |site| pool::pool2d(site, Kind::Max);
    "nn.max_pool3d" as "max_pool3d" => |site| pool::pool3d(site, Kind::Max);
    "nn.nll_loss" => loss::nll_loss;
    "nn.prelu" as "prelu" => nn::prelu;
    "nn.relu" as "relu" => |site| each::unary(site, |x| x.max(0));
    "nn.rms_norm" as "rms_norm" => nn::rms_norm;
    "nn.selu" as "selu" => nn::selu;
    "nn.silu" as "silu" => nn::silu;
    "nn.softplus" as "softplus" => nn::softplus;
    "quantize" => each::quantize;
    "vision.all_class_non_max_suppression" as "all_class_non_max_suppression"
        => all_class_nms::all_class_non_max_suppression;
    "vision.get_valid_counts" as "get_valid_counts" => nms::get_valid_counts;
    "vision.multibox_transform_loc" as "multibox_transform_loc" => multibox::multibox_transform_loc;
    "vision.non_max_suppression" as "non_max_suppression" => nms::non_max_suppression;
    "vision.roi_align" as "roi_align" => roi_align::roi_align;
    "vision.roi_pool" as "roi_pool" => roi_pool::roi_pool;
};

/// The template of an operator, by its name.
pub(super) fn template(operator: &str) -> Option<&'static Template> {
    let operator = operator.strip_prefix("relax.")?;
    let mut families = [CALLS, UNARY, BINARY, MOVES, REDUCTIONS, NN].into_iter();
    families.find_map(|family| family.iter().find(|template| template.operator == operator))
}
