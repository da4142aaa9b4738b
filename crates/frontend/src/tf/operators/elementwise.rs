//! Arithmetic, comparisons and functions of single elements.

use tvmscript_ir_core::{DataType, Ref};
use tvmscript_prim::ops as dim;
use tvmscript_relax::op::elementwise as op;
use tvmscript_relax::op::nn::activation as nn;
use tvmscript_relax::op::tvm_0_27::tensor::atan2;
use tvmscript_relax::{Call, Expr};

use super::super::dims::DimOp;
use super::super::node::{Converted, Node};
use super::rows;
use crate::error::Reason;
use crate::ops::{dtype_of, int_operand, integer_power, number};

rows! {
    "Abs" => |cx| unary(cx, op::abs), "abs";
    "Acos" => |cx| unary(cx, op::acos), "acos";
    "Acosh" => |cx| unary(cx, op::acosh), "acosh";
    "Add", "AddV2" => |cx| arithmetic(cx, op::add, dim::add), "add";
    "AddN", "AccumulateNV2" => add_n, "add of each further operand";
    "Asin" => |cx| unary(cx, op::asin), "asin";
    "Asinh" => |cx| unary(cx, op::asinh), "asinh";
    "Atan" => |cx| unary(cx, op::atan), "atan";
    "Atanh" => |cx| unary(cx, op::atanh), "atanh";
    "BitwiseAnd" => |cx| binary(cx, op::bitwise_and), "bitwise_and";
    "BitwiseOr" => |cx| binary(cx, op::bitwise_or), "bitwise_or";
    "BitwiseXor" => |cx| binary(cx, op::bitwise_xor), "bitwise_xor";
    "Atan2" => |cx| binary(cx, atan2), "atan2";
    "Ceil" => |cx| unary(cx, op::ceil), "ceil";
    "ClipByValue" => clip_by_value, "maximum, minimum";
    "Cos" => |cx| unary(cx, op::cos), "cos";
    "Cosh" => |cx| unary(cx, op::cosh), "cosh";
    "Div", "RealDiv", "TruncateDiv" => |cx| binary(cx, op::divide), "divide";
    "DivNoNan" => div_no_nan, "equal, divide, where";
    "Elu" => elu, "exp, subtract, nn.relu, multiply, add";
    "Equal" => |cx| compare(cx, op::equal, false), "equal; for `bool` logical_xor, logical_not", "shapes that cannot be broadcast";
    "Erf" => |cx| unary(cx, op::erf), "erf";
    "Erfc" => |cx| with_one(cx, |x, one| op::subtract(one, op::erf(x).upcast())), "erf, subtract";
    "Exp" => |cx| unary(cx, op::exp), "exp";
    "Expm1" => |cx| with_one(cx, |x, one| op::subtract(op::exp(x).upcast(), one)), "exp, subtract";
    "Floor" => |cx| unary(cx, op::floor), "floor";
    "FloorDiv" => |cx| arithmetic(cx, op::floor_divide, dim::floordiv), "floor_divide";
    "FloorMod" => |cx| arithmetic(cx, op::floor_mod, dim::floormod), "floor_mod";
    "Greater" => |cx| binary(cx, op::greater), "greater";
    "GreaterEqual" => |cx| binary(cx, op::greater_equal), "greater_equal";
    "Inv", "Reciprocal" => |cx| with_one(cx, |x, one| op::divide(one, x)), "divide";
    "Invert" => |cx| unary(cx, op::bitwise_not), "bitwise_not";
    "IsFinite" => |cx| unary(cx, op::isfinite), "isfinite";
    "IsInf" => |cx| unary(cx, op::isinf), "isinf";
    "IsNan" => |cx| unary(cx, op::isnan), "isnan";
    "LeakyRelu" => |cx| {
        let alpha = cx.float_attr("alpha").unwrap_or(0.2);
        Ok(nn::leakyrelu(cx.input(0)?, alpha).into())
    }, "nn.leakyrelu";
    "LeftShift" => |cx| binary(cx, op::left_shift), "left_shift";
    "Less" => |cx| binary(cx, op::less), "less";
    "LessEqual" => |cx| binary(cx, op::less_equal), "less_equal";
    "Log" => |cx| unary(cx, op::log), "log";
    "Log1p" => |cx| with_one(cx, |x, one| op::log(op::add(one, x).upcast())), "add, log";
    "LogicalAnd" => |cx| binary(cx, op::logical_and), "logical_and";
    "LogicalNot" => |cx| unary(cx, op::logical_not), "logical_not";
    "LogicalOr" => |cx| binary(cx, op::logical_or), "logical_or";
    "Maximum" => |cx| arithmetic(cx, op::maximum, dim::max), "maximum";
    "Minimum" => |cx| arithmetic(cx, op::minimum, dim::min), "minimum";
    "Mod", "TruncateMod" => |cx| binary(cx, op::mod_), "mod";
    "Mul" => |cx| arithmetic(cx, op::multiply, dim::mul), "multiply";
    "MulNoNan" => mul_no_nan, "equal, multiply, where";
    "Neg" => |cx| unary(cx, op::negative), "negative";
    "NotEqual" => |cx| compare(cx, op::not_equal, true), "not_equal; for `bool` logical_xor", "shapes that cannot be broadcast";
    "Pow" => |cx| {
        let [a, b] = cx.pair()?;
        Ok(match dtype_of(&a) {
            dtype if dtype.is_integer() => integer_power(a, b, dtype).into(),
            _ => op::power(a, b).into(),
        })
    }, "power; for integers astype, round";
    "Relu" => |cx| unary(cx, nn::relu), "nn.relu";
    "Relu6" => |cx| Ok(relu6(cx.input(0)?).into()), "clip";
    "RightShift" => |cx| binary(cx, op::right_shift), "right_shift";
    "Rint", "Round" => |cx| unary(cx, op::round), "round";
    "Rsqrt" => |cx| unary(cx, op::rsqrt), "rsqrt";
    "Selu" => |cx| unary(cx, nn::selu), "nn.selu";
    "Sigmoid" => |cx| unary(cx, op::sigmoid), "sigmoid";
    "Sign" => |cx| unary(cx, op::sign), "sign";
    "Sin" => |cx| unary(cx, op::sin), "sin";
    "Sinh" => |cx| unary(cx, op::sinh), "sinh";
    "Softplus" => softplus, "abs, negative, exp, add, log, maximum";
    "Softsign" => |cx| {
        with_one(cx, |x, one| op::divide(x.clone(), op::add(op::abs(x).upcast(), one).upcast()))
    }, "abs, add, divide";
    "Sqrt" => |cx| unary(cx, op::sqrt), "sqrt";
    "Square" => |cx| unary(cx, op::square), "square";
    "SquaredDifference" => |cx| {
        let [a, b] = cx.pair()?;
        let difference = op::subtract(a, b);
        Ok(op::square(difference.upcast()).into())
    }, "subtract, square";
    "Sub" => |cx| arithmetic(cx, op::subtract, dim::sub), "subtract";
    "Tan" => |cx| unary(cx, op::tan), "tan";
    "Tanh" => |cx| unary(cx, op::tanh), "tanh";
    "Xlog1py" => |cx| {
        unless_zero(cx, |x, y| {
            let one = number(dtype_of(&y), 1.0);
            op::multiply(x, op::log(op::add(one, y).upcast()).upcast())
        })
    }, "equal, add, log, multiply, where";
    "Xdivy" => |cx| unless_zero(cx, op::divide), "equal, divide, where";
    "Xlogy" => |cx| unless_zero(cx, |x, y| op::multiply(x, op::log(y).upcast())), "equal, log, multiply, where";
}

/// An operator of one tensor.
fn unary(cx: &mut Node<'_, '_>, op: fn(Expr) -> Ref<Call>) -> Converted {
    Ok(op(cx.input(0)?).into())
}

/// An operator of two tensors that are broadcast.
fn binary(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let [a, b] = cx.pair()?;
    Ok(op(a, b).into())
}

/// A test for equality. TVM cannot compile it for `bool`.
fn compare(cx: &mut Node<'_, '_>, test: fn(Expr, Expr) -> Ref<Call>, is_negated: bool) -> Converted {
    let [a, b] = cx.pair()?;
    if dtype_of(&a) != DataType::BOOL {
        return Ok(test(a, b).into());
    }
    let differ = op::logical_xor(a, b);
    Ok(match is_negated {
        true => differ.into(),
        false => op::logical_not(differ.upcast()).into(),
    })
}

/// An operator of two tensors, or of integers that come from shapes.
fn arithmetic(cx: &mut Node<'_, '_>, op: fn(Expr, Expr) -> Ref<Call>, on_dims: DimOp) -> Converted {
    if (cx.is_symbolic(0) || cx.is_symbolic(1))
        && let (Some(a), Some(b)) = (cx.known_dims(0), cx.known_dims(1))
    {
        return Ok(a.zip(&b, on_dims)?.into());
    }
    binary(cx, op)
}

/// An expression of the operand and of 1 in its type.
fn with_one(cx: &mut Node<'_, '_>, expression: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let x = cx.input(0)?;
    let one = number(dtype_of(&x), 1.0);
    Ok(expression(x, one).into())
}

fn add_n(cx: &mut Node<'_, '_>) -> Converted {
    let mut terms = cx.inputs(0..cx.count())?.into_iter();
    let first = terms.next().ok_or_else(|| Reason::from("has no operands"))?;
    let mut sum = first.clone();
    for term in terms {
        let term = cx.broadcast_with(&first, term)?;
        sum = op::add(sum, term).upcast();
    }
    Ok(sum.into())
}

fn clip_by_value(cx: &mut Node<'_, '_>) -> Converted {
    let (x, low, high) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
    Ok(op::minimum(op::maximum(x, low).upcast(), high).into())
}

/// 0 where the divisor is 0.
fn div_no_nan(cx: &mut Node<'_, '_>) -> Converted {
    let [x, y] = cx.pair()?;
    let zero = number(dtype_of(&y), 0.0);
    let quotient = op::divide(x, y.clone()).upcast();
    Ok(op::where_(op::equal(y, zero.clone()).upcast(), zero, quotient).into())
}

/// 0 where the second factor is 0.
fn mul_no_nan(cx: &mut Node<'_, '_>) -> Converted {
    let [x, y] = cx.pair()?;
    let zero = number(dtype_of(&y), 0.0);
    let product = op::multiply(x, y.clone()).upcast();
    Ok(op::where_(op::equal(y, zero.clone()).upcast(), zero, product).into())
}

/// 0 where the first operand is 0.
fn unless_zero(cx: &mut Node<'_, '_>, value: fn(Expr, Expr) -> Ref<Call>) -> Converted {
    let [x, y] = cx.pair()?;
    let zero = number(dtype_of(&x), 0.0);
    let value = value(x.clone(), y).upcast();
    Ok(op::where_(op::equal(x, zero.clone()).upcast(), zero, value).into())
}

/// The value between 0 and 6.
pub(super) fn relu6(x: Expr) -> Ref<Call> {
    op::clip(x, int_operand(0), int_operand(6))
}

/// The exponential minus 1 below 0.
pub(super) fn elu_of(x: Expr) -> Ref<Call> {
    let dtype = dtype_of(&x);
    let below = op::subtract(number(dtype, 1.0), op::exp(x.clone()).upcast());
    let below = op::multiply(number(dtype, -1.0), nn::relu(below.upcast()).upcast());
    op::add(below.upcast(), nn::relu(x).upcast())
}

fn elu(cx: &mut Node<'_, '_>) -> Converted {
    Ok(elu_of(cx.input(0)?).into())
}

fn softplus(cx: &mut Node<'_, '_>) -> Converted {
    let x = cx.input(0)?;
    let dtype = dtype_of(&x);
    let decayed = op::exp(op::negative(op::abs(x.clone()).upcast()).upcast());
    let rest = op::log(op::add(number(dtype, 1.0), decayed.upcast()).upcast());
    Ok(op::add(op::maximum(x, number(dtype, 0.0)).upcast(), rest.upcast()).into())
}
