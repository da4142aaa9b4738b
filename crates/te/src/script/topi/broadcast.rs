//! Functions of two tensors whose dimensions are broadcast, or of a tensor and a scalar.

use std::iter;

use tvmscript_ir_core::Ref;
use tvmscript_irbuilder::{BuildError, BuildResult, ScriptValue, script_fn};
use tvmscript_prim::{Expr, PrimExprExt as _, Select, ops};
use tvmscript_script_parser::Member::{self, Function};
use tvmscript_tir::build::args::Shape;
use tvmscript_tir::op::fold;

use super::{BROADCAST, ELEMENTWISE, Operand, Style, at, dims, same};
use crate::Tensor;

/// Two shapes that are broadcast to one.
struct Common {
    shape: Vec<Expr>,
    /// Tests per dimension of each operand whether it is read at the index, and not at 0.
    moves: [Vec<bool>; 2],
}

impl Common {
    /// Upstream: `BroadcastShape`, `include/tvm/topi/detail/broadcast.h`.
    fn new(a: &[Expr], b: &[Expr]) -> BuildResult<Common> {
        let one = ops::python::int_literal(1);
        let mut shape = Vec::new();
        let mut moves = [Vec::new(), Vec::new()];
        let pad = |dims: &[Expr], other: &[Expr]| {
            let missing = other.len().saturating_sub(dims.len());
            iter::repeat_n(None, missing).chain(dims.iter().cloned().map(Some)).collect::<Vec<_>>()
        };
        for pair in pad(a, b).into_iter().zip(pad(b, a)) {
            let (a, b) = match pair {
                (Some(a), Some(b)) => (a, b),
                (a, b) => {
                    moves
                        .iter_mut()
                        .zip([&a, &b])
                        .for_each(|(moves, dim)| moves.extend(dim.iter().map(|_| true)));
                    shape.extend(a.or(b));
                    continue;
                }
            };
            let (dim, does_move) = match (ops::int_value(&a), ops::int_value(&b)) {
                _ if same(&a, &b) => (a.clone(), [true, true]),
                _ if same(&one, &a) => (b.clone(), [false, true]),
                _ if same(&one, &b) => (a.clone(), [true, false]),
                (None, None) => (ops::max(a.clone(), b.clone())?, [true, true]),
                (None, Some(_)) => (b.clone(), [true, true]),
                (Some(_), None) => (a.clone(), [true, true]),
                (Some(a), Some(b)) => {
                    return Err(BuildError::message(format!("dimensions {a} and {b} cannot be broadcast")));
                }
            };
            let dtype = if a.dtype().bits < b.dtype().bits { b.dtype() } else { a.dtype() };
            shape.push(ops::cast(dtype, dim)?);
            moves.iter_mut().zip(does_move).for_each(|(moves, does_move)| moves.push(does_move));
        }
        Ok(Common { shape, moves })
    }
}

/// The element of an operand for the indices of the result.
fn element(tensor: &Ref<Tensor>, moves: &[bool], indices: &[Expr]) -> BuildResult<Expr> {
    let own = indices.iter().skip(indices.len().saturating_sub(moves.len())).zip(moves);
    let own = own.map(|(index, moves)| match moves {
        true => Ok(index.clone()),
        false => ops::make_zero(index.dtype()),
    });
    at(tensor, own.collect::<Result<Vec<_>, _>>()?)
}

fn combined(
    name: &str,
    lhs: Operand,
    rhs: Operand,
    value: impl FnOnce(Expr, Expr) -> BuildResult<Expr>,
) -> BuildResult<ScriptValue> {
    let with_scalar = |x: &Ref<Tensor>, value: &mut dyn FnMut(Expr) -> BuildResult<Expr>| {
        let compute = |indices: &[Expr]| value(at(x, indices.iter().cloned())?);
        Style::cpp(name, ELEMENTWISE).compute(&dims(x), compute)
    };
    let mut value = Some(value);
    let mut value = |a, b| match value.take() {
        Some(value) => value(a, b),
        None => Ok(a),
    };
    let tensor = match (lhs, rhs) {
        (Operand::Scalar(a), Operand::Scalar(b)) => return Ok(value(a, b)?.into()),
        (Operand::Tensor(x), Operand::Scalar(b)) => with_scalar(&x, &mut |x| value(x, b.clone()))?,
        (Operand::Scalar(a), Operand::Tensor(x)) => with_scalar(&x, &mut |x| value(a.clone(), x))?,
        (Operand::Tensor(a), Operand::Tensor(b)) => {
            let common = Common::new(&dims(&a), &dims(&b))?;
            let [of_a, of_b] = &common.moves;
            Style::cpp(name, BROADCAST).compute(&common.shape, |indices| {
                value(element(&a, of_a, indices)?, element(&b, of_b, indices)?)
            })?
        }
    };
    Ok(tensor.into())
}

macro_rules! binary {
    ($($(#[$doc:meta])* $text:literal $name:ident $row:ident => |$a:ident, $b:ident| $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[script_fn(name = $text)]
            pub fn $name(lhs: Operand, rhs: Operand) -> BuildResult<ScriptValue> {
                combined(concat!("T_", $text), lhs, rhs, |$a, $b| Ok($value?))
            }
        )*
        pub(super) const MEMBERS: &[(&str, Member)] = &[
            $(($text, Function(&$row)),)*
            ("broadcast_to", Function(&BROADCAST_TO)),
            ("where", Function(&SELECTED)),
        ];
    };
}

binary! {
    /// Sum.
    "add" add ADD => |a, b| ops::add(a, b);
    /// Bits of both.
    "bitwise_and" bitwise_and BITWISE_AND => |a, b| ops::bitwise_and(a, b);
    /// Bits of either.
    "bitwise_or" bitwise_or BITWISE_OR => |a, b| ops::bitwise_or(a, b);
    /// Bits of one.
    "bitwise_xor" bitwise_xor BITWISE_XOR => |a, b| ops::bitwise_xor(a, b);
    /// Quotient; truncates integers toward zero.
    "divide" divide DIVIDE => |a, b| ops::div(a, b);
    /// Equality.
    "equal" equal EQUAL => |a, b| ops::eq(a, b);
    /// Quotient rounded toward negative infinity.
    "floor_divide" floor_divide FLOOR_DIVIDE => |a, b| floor_division(a, b);
    /// Remainder of the quotient rounded toward negative infinity.
    "floor_mod" floor_mod FLOOR_MOD => |a, b| floor_remainder(a, b);
    /// `>`.
    "greater" greater GREATER => |a, b| ops::gt(a, b);
    /// `>=`.
    "greater_equal" greater_equal GREATER_EQUAL => |a, b| ops::ge(a, b);
    /// Shift to the left.
    "left_shift" left_shift LEFT_SHIFT => |a, b| ops::shift_left(a, b);
    /// `<`.
    "less" less LESS => |a, b| ops::lt(a, b);
    /// `<=`.
    "less_equal" less_equal LESS_EQUAL => |a, b| ops::le(a, b);
    /// Logarithm of the sum of exponentials.
    "log_add_exp" log_add_exp LOG_ADD_EXP => |a, b| fold::logaddexp(a, b);
    /// Conjunction.
    "logical_and" logical_and LOGICAL_AND => |a, b| ops::and(a, b);
    /// Disjunction.
    "logical_or" logical_or LOGICAL_OR => |a, b| ops::or(a, b);
    /// Exclusive disjunction.
    "logical_xor" logical_xor LOGICAL_XOR => |a, b| ops::bitwise_xor(a, b);
    /// Greater of two.
    "maximum" maximum MAXIMUM => |a, b| ops::max(a, b);
    /// Lesser of two.
    "minimum" minimum MINIMUM => |a, b| ops::min(a, b);
    /// Remainder of the truncated quotient.
    "mod" remainder REMAINDER => |a, b| ops::truncmod(a, b);
    /// Product.
    "multiply" multiply MULTIPLY => |a, b| ops::mul(a, b);
    /// Inequality.
    "not_equal" not_equal NOT_EQUAL => |a, b| ops::ne(a, b);
    /// Power of floats.
    "power" power POWER => |a, b| fold::pow(a, b);
    /// Shift to the right.
    "right_shift" right_shift RIGHT_SHIFT => |a, b| ops::shift_right(a, b);
    /// Difference.
    "subtract" subtract SUBTRACT => |a, b| ops::sub(a, b);
}

fn floor_division(a: Expr, b: Expr) -> BuildResult<Expr> {
    Ok(if a.dtype().is_integer() { ops::floordiv(a, b)? } else { fold::floor(ops::div(a, b)?)? })
}

fn floor_remainder(a: Expr, b: Expr) -> BuildResult<Expr> {
    if a.dtype().is_integer() {
        return Ok(ops::floormod(a, b)?);
    }
    Ok(ops::sub(a.clone(), ops::mul(floor_division(a, b.clone())?, b)?)?)
}

/// The tensor with dimensions that are repeated.
#[script_fn]
pub fn broadcast_to(data: Ref<Tensor>, shape: Shape) -> BuildResult<Ref<Tensor>> {
    let wanted: Vec<Expr> = shape.0.iter().cloned().collect();
    let Common { mut shape, moves: [_, moves] } = Common::new(&wanted, &dims(&data))?;
    if shape.len() > wanted.len() {
        return Err(
            BuildError::expected("at least as many dimensions as the tensor has", "fewer").at_position(1)
        );
    }
    for (common, wanted) in shape.iter_mut().zip(wanted) {
        match ops::int_value(&wanted) {
            None => *common = wanted,
            Some(wanted) if ops::int_value(common) != Some(wanted) => {
                let error = format!("a dimension of the tensor cannot be broadcast to {wanted}");
                return Err(BuildError::message(error).at_position(1));
            }
            Some(_) => {}
        }
    }
    Style::cpp("T_broadcast_to", BROADCAST).compute(&shape, |indices| element(&data, &moves, indices))
}

/// Elements of `x` where the condition holds, else of `y`.
#[script_fn(name = "where")]
pub fn selected(condition: Ref<Tensor>, x: Ref<Tensor>, y: Ref<Tensor>) -> BuildResult<Ref<Tensor>> {
    let values = Common::new(&dims(&x), &dims(&y))?.shape;
    let shape = Common::new(&dims(&condition), &values)?.shape;
    let read = |tensor: &Ref<Tensor>, indices: &[Expr]| {
        let [moves, _] = Common::new(&dims(tensor), &shape)?.moves;
        element(tensor, &moves, indices)
    };
    Style::cpp("T_where", BROADCAST).compute(&shape, |indices| {
        let condition = read(&condition, indices)?;
        let zero = ops::python::int_literal(0);
        Ok(Select::try_new(ops::ne(condition, zero)?, read(&x, indices)?, read(&y, indices)?)?)
    })
}
