//! Elementwise operators.

use crate::node::attrs::LeakyReluAttrs;
use tvmscript_ir_core::DataType;
use tvmscript_ir_core::arithmetic::{self, Comparison, Operator, is_float, wrap};

use super::Operands;
use super::tensor::{Data, Tensor, rounded};

/// Computes an elementwise operator.
pub(super) fn evaluate(cx: &Operands<'_>) -> Option<Tensor> {
    match cx.call.args.len() {
        1 => unary(cx, &cx.tensor(0)?),
        2 => binary(cx, &cx.tensor(0)?, &cx.tensor(1)?),
        3 => match cx.name {
            "clip" => clip(cx),
            "where" => choose(cx),
            "ewise_fma" => {
                let product = arithmetic("multiply", &cx.tensor(0)?, &cx.tensor(1)?, &cx.shape)?;
                arithmetic("add", &product, &cx.tensor(2)?, &cx.shape)
            }
            _ => None,
        },
        _ => None,
    }
}

fn unary(cx: &Operands<'_>, x: &Tensor) -> Option<Tensor> {
    let dtype = x.dtype;
    let shape = cx.shape.clone();
    if cx.name == "astype" {
        return converted(x, cx.dtype);
    }
    match &x.data {
        Data::Float(values) => {
            if let Some(test) = float_test(cx.name) {
                return Some(Tensor::of_ints(
                    DataType::BOOL,
                    shape,
                    values.iter().map(|x| i128::from(test(*x))),
                ));
            }
            let apply = |x: &f64| float_unary(cx, dtype, *x);
            Some(Tensor::of_floats(dtype, shape, values.iter().map(apply).collect::<Option<Vec<_>>>()?))
        }
        Data::Int(values) => {
            let dtype = cx.dtype;
            let apply = |x: &i128| {
                Some(match cx.name {
                    "abs" => x.abs(),
                    "negative" => -x,
                    "sign" => x.signum(),
                    "square" => x * x,
                    "bitwise_not" => !x,
                    "logical_not" => i128::from(*x == 0),
                    "ceil" | "floor" | "round" | "trunc" => *x,
                    "isfinite" => 1,
                    "isinf" | "isnan" => 0,
                    "nn.relu" => (*x).max(0),
                    _ => return None,
                })
            };
            Some(Tensor::of_ints(dtype, shape, values.iter().map(apply).collect::<Option<Vec<_>>>()?))
        }
    }
}

fn float_test(name: &str) -> Option<fn(f64) -> bool> {
    Some(match name {
        "isfinite" => f64::is_finite,
        "isinf" => f64::is_infinite,
        "isnan" => f64::is_nan,
        _ => return None,
    })
}

fn float_unary(cx: &Operands<'_>, dtype: DataType, x: f64) -> Option<f64> {
    let round = |value| rounded(dtype, value);
    let sigmoid = || round(1.0 / round(1.0 + round((-x).exp())));
    Some(match cx.name {
        "abs" => x.abs(),
        "acos" => x.acos(),
        "acosh" => x.acosh(),
        "asin" => x.asin(),
        "asinh" => x.asinh(),
        "atan" => x.atan(),
        "atanh" => x.atanh(),
        "ceil" => x.ceil(),
        "cos" => x.cos(),
        "cosh" => x.cosh(),
        "exp" => x.exp(),
        "floor" => x.floor(),
        "log" => x.ln(),
        "negative" => -x,
        "round" => x.round(),
        "rsqrt" => 1.0 / round(x.sqrt()),
        "sigmoid" => sigmoid(),
        "sign" if x > 0.0 => 1.0,
        "sign" if x < 0.0 => -1.0,
        "sign" => 0.0,
        "sin" => x.sin(),
        "sinh" => x.sinh(),
        "square" => x * x,
        "sqrt" => x.sqrt(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        "trunc" => x.trunc(),
        "nn.relu" => x.max(0.0),
        "nn.silu" => x * sigmoid(),
        "nn.leakyrelu" => {
            let slope = round(cx.attrs::<LeakyReluAttrs>()?.alpha);
            if x > 0.0 { x } else { x * slope }
        }
        _ => return None,
    })
}

/// Converts the elements. Numbers that the type does not hold have no defined value.
fn converted(x: &Tensor, dtype: DataType) -> Option<Tensor> {
    let shape = x.shape.clone();
    Some(match (&x.data, is_float(dtype)) {
        (Data::Int(values), false) => Tensor::of_ints(dtype, shape, values.iter().copied()),
        (Data::Int(values), true) => {
            Tensor::of_floats(dtype, shape, values.iter().map(|value| *value as f64))
        }
        (Data::Float(values), true) => Tensor::of_floats(dtype, shape, values.iter().copied()),
        (Data::Float(values), false) if dtype.is_bool() => {
            Tensor::of_ints(dtype, shape, values.iter().map(|value| i128::from(*value != 0.0)))
        }
        (Data::Float(values), false) => {
            let whole = |value: &f64| {
                let int = value.trunc() as i128;
                (value.is_finite() && wrap(dtype, int) == int).then_some(int)
            };
            Tensor::of_ints(dtype, shape, values.iter().map(whole).collect::<Option<Vec<_>>>()?)
        }
    })
}

fn binary(cx: &Operands<'_>, a: &Tensor, b: &Tensor) -> Option<Tensor> {
    comparison(cx.name, a, b, &cx.shape).or_else(|| arithmetic(cx.name, a, b, &cx.shape))
}

fn comparison(name: &str, a: &Tensor, b: &Tensor, shape: &[usize]) -> Option<Tensor> {
    let comparison = match name {
        "equal" => Comparison::Eq,
        "not_equal" => Comparison::Ne,
        "less" => Comparison::Lt,
        "less_equal" => Comparison::Le,
        "greater" => Comparison::Gt,
        "greater_equal" => Comparison::Ge,
        _ => return None,
    };
    fn all<T: PartialOrd + Copy>(comparison: Comparison, a: &[T], b: &[T]) -> Vec<i128> {
        a.iter().zip(b).map(|(a, b)| i128::from(comparison.holds(*a, *b))).collect()
    }
    let (a, b) = (a.broadcast(shape)?, b.broadcast(shape)?);
    let results = match (&a.data, &b.data) {
        (Data::Int(a), Data::Int(b)) => all(comparison, a, b),
        (Data::Float(a), Data::Float(b)) => all(comparison, a, b),
        _ => return None,
    };
    Some(Tensor::of_ints(DataType::BOOL, shape.to_vec(), results))
}

/// Applies an arithmetic operator to tensors that are broadcast to a shape.
pub(super) fn arithmetic(name: &str, a: &Tensor, b: &Tensor, shape: &[usize]) -> Option<Tensor> {
    let (a, b) = (a.broadcast(shape)?, b.broadcast(shape)?);
    let dtype = a.dtype;
    if dtype != b.dtype {
        return None;
    }
    match (&a.data, &b.data) {
        (Data::Int(x), Data::Int(y)) => {
            let values = x.iter().zip(y).map(|(x, y)| int_binary(name, dtype, *x, *y));
            Some(Tensor::of_ints(dtype, shape.to_vec(), values.collect::<Option<Vec<_>>>()?))
        }
        (Data::Float(x), Data::Float(y)) => {
            let values = x.iter().zip(y).map(|(x, y)| float_binary(name, dtype, *x, *y));
            Some(Tensor::of_floats(dtype, shape.to_vec(), values.collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}

/// The operator of this name.
fn operator(name: &str) -> Option<Operator> {
    Some(match name {
        "add" => Operator::Add,
        "subtract" => Operator::Sub,
        "multiply" => Operator::Mul,
        "divide" => Operator::Div,
        "mod" => Operator::Mod,
        "floor_divide" => Operator::FloorDiv,
        "floor_mod" => Operator::FloorMod,
        "maximum" => Operator::Max,
        "minimum" => Operator::Min,
        "bitwise_and" => Operator::BitAnd,
        "bitwise_or" => Operator::BitOr,
        "bitwise_xor" => Operator::BitXor,
        "left_shift" => Operator::ShiftLeft,
        "right_shift" => Operator::ShiftRight,
        _ => return None,
    })
}

fn int_binary(name: &str, dtype: DataType, x: i128, y: i128) -> Option<i128> {
    Some(match name {
        "logical_and" => i128::from(x != 0 && y != 0),
        "logical_or" => i128::from(x != 0 || y != 0),
        "logical_xor" => i128::from((x != 0) != (y != 0)),
        "power" => wrap(dtype, x.checked_pow(u32::try_from(y).ok()?)?),
        name => return arithmetic::integers(operator(name)?, dtype, x, y),
    })
}

fn float_binary(name: &str, dtype: DataType, x: f64, y: f64) -> Option<f64> {
    match name {
        "power" => Some(x.powf(y)),
        name => arithmetic::floats(operator(name)?, dtype, x, y),
    }
}

fn clip(cx: &Operands<'_>) -> Option<Tensor> {
    let x = cx.tensor(0)?;
    let (min, max) = (cx.number(1)?, cx.number(2)?);
    Some(match &x.data {
        Data::Float(values) => {
            let (min, max) = (rounded(x.dtype, min), rounded(x.dtype, max));
            Tensor::of_floats(x.dtype, cx.shape.clone(), values.iter().map(|x| x.min(max).max(min)))
        }
        Data::Int(values) => {
            let (min, max) = (min as i128, max as i128);
            Tensor::of_ints(x.dtype, cx.shape.clone(), values.iter().map(|x| (*x).min(max).max(min)))
        }
    })
}

fn choose(cx: &Operands<'_>) -> Option<Tensor> {
    let condition = cx.tensor(0)?.broadcast(&cx.shape)?;
    let (a, b) = (cx.tensor(1)?.broadcast(&cx.shape)?, cx.tensor(2)?.broadcast(&cx.shape)?);
    let condition = condition.ints()?;
    fn pick<T: Copy>(condition: &[i128], a: &[T], b: &[T]) -> Vec<T> {
        condition.iter().zip(a.iter().zip(b)).map(|(c, (a, b))| if *c != 0 { *a } else { *b }).collect()
    }
    let data = match (&a.data, &b.data) {
        (Data::Int(a), Data::Int(b)) => Data::Int(pick(condition, a, b)),
        (Data::Float(a), Data::Float(b)) => Data::Float(pick(condition, a, b)),
        _ => return None,
    };
    Some(Tensor { dtype: a.dtype, shape: cx.shape.clone(), data })
}
