//! Scalar expressions of templates.
//!
//! A [`Scalar`] is an expression or the first error of what it was made from, so that a template reads like the formula
//! that it states. Operators match types and fold as those of TVM's C++ library ([`tvmscript_prim::ops`]); a number takes
//! the type of the other operand.

use tvmscript_ir_core::DataType;
use tvmscript_prim::error::PrimResult;
use tvmscript_prim::{Call, Expr, IntImm, Op, PrimExprExt, Select, ops};
use tvmscript_te::TeError;

/// An expression under construction.
#[derive(Debug, Clone)]
pub(super) struct Scalar(pub Result<Expr, TeError>);

/// A second operand: an expression, or a number of the type of the first one.
pub(super) trait Operand {
    fn scalar(self, like: DataType) -> Scalar;
}

impl Operand for Scalar {
    fn scalar(self, _: DataType) -> Scalar {
        self
    }
}

impl Operand for &Scalar {
    fn scalar(self, _: DataType) -> Scalar {
        self.clone()
    }
}

impl Operand for i64 {
    fn scalar(self, like: DataType) -> Scalar {
        Scalar::of(ops::make_const(like, self))
    }
}

impl Operand for f64 {
    fn scalar(self, like: DataType) -> Scalar {
        Scalar::of(ops::make_const(like, self))
    }
}

impl From<Expr> for Scalar {
    fn from(expr: Expr) -> Scalar {
        Scalar(Ok(expr))
    }
}

impl From<&Expr> for Scalar {
    fn from(expr: &Expr) -> Scalar {
        Scalar(Ok(expr.clone()))
    }
}

/// An index or a length.
pub(super) fn int(value: i64) -> Scalar {
    Scalar::from(IntImm::int64(value))
}

/// A number of this type.
pub(super) fn constant(dtype: DataType, value: f64) -> Scalar {
    value.scalar(dtype)
}

impl Scalar {
    pub(super) fn of<E: Into<TeError>>(made: Result<Expr, E>) -> Scalar {
        Scalar(made.map_err(Into::into))
    }

    /// An expression that cannot be made; the message names the cause.
    pub(super) fn error(message: impl Into<String>) -> Scalar {
        Scalar(Err(TeError::Node(message.into())))
    }

    pub(super) fn dtype(&self) -> DataType {
        self.0.as_ref().map_or(DataType::VOID, |expr| expr.dtype())
    }

    /// The value of an integer literal.
    pub(super) fn known(&self) -> Option<i64> {
        self.0.as_ref().ok().and_then(ops::int_value)
    }

    pub(super) fn with(&self, b: impl Operand, make: fn(Expr, Expr) -> PrimResult<Expr>) -> Scalar {
        let b = b.scalar(self.dtype());
        match (self.0.clone(), b.0) {
            (Ok(a), Ok(b)) => Scalar::of(make(a, b)),
            (Err(error), _) | (_, Err(error)) => Scalar(Err(error)),
        }
    }

    pub(super) fn map(&self, make: impl FnOnce(Expr) -> PrimResult<Expr>) -> Scalar {
        Scalar(self.0.clone().and_then(|expr| Ok(make(expr)?)))
    }

    pub(super) fn cast(&self, dtype: DataType) -> Scalar {
        self.map(|expr| ops::cast(dtype, expr))
    }

    /// The expression with the rules of the simplifier applied.
    pub(super) fn simplified(&self) -> Scalar {
        self.map(|expr| Ok(tvmscript_arith::Analyzer::new().simplify(&expr)))
    }

    pub(super) fn not(&self) -> Scalar {
        self.map(ops::not)
    }

    /// A choice that evaluates both values.
    pub(super) fn select(&self, yes: impl Operand, no: &Scalar) -> Scalar {
        let yes = yes.scalar(no.dtype());
        match (self.0.clone(), yes.0, no.0.clone()) {
            (Ok(condition), Ok(yes), Ok(no)) => Scalar::of(Select::try_new(condition, yes, no)),
            (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => Scalar(Err(error)),
        }
    }

    /// A choice that evaluates one value only.
    pub(super) fn if_then_else(&self, yes: impl Operand, no: &Scalar) -> Scalar {
        let yes = yes.scalar(no.dtype());
        match (self.0.clone(), yes.0, no.0.clone()) {
            (Ok(condition), Ok(yes), Ok(no)) => Scalar::of(ops::if_then_else(condition, yes, no)),
            (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => Scalar(Err(error)),
        }
    }

    /// A call of an operator of TIR with this name, such as `exp`.
    pub(super) fn call(&self, name: &str) -> Scalar {
        self.call_to(self.dtype(), name)
    }

    /// A call with a result of another type.
    pub(super) fn call_to(&self, dtype: DataType, name: &str) -> Scalar {
        self.map(|expr| Ok(Call::new(dtype, Op::get(&format!("tir.{name}")), [expr])))
    }

    /// A rounding operator of TIR, which leaves integers.
    pub(super) fn round_with(&self, name: &str) -> Scalar {
        match self.dtype().is_any_float() {
            true => self.call(name),
            false => self.clone(),
        }
    }
}

macro_rules! methods {
    ($($name:ident = $make:path;)*) => {
        impl Scalar {
            $(pub(super) fn $name(&self, b: impl Operand) -> Scalar {
                self.with(b, $make)
            })*
        }
    };
}

methods! {
    lt = ops::lt;
    le = ops::le;
    gt = ops::gt;
    ge = ops::ge;
    equals = ops::eq;
    differs = ops::ne;
    and = ops::and;
    or = ops::or;
    min = ops::min;
    max = ops::max;
    truncdiv = ops::truncdiv;
    floordiv = ops::floordiv;
    floormod = ops::floormod;
    truncmod = ops::truncmod;
    ceildiv = ops::ceildiv;
}

macro_rules! operators {
    ($($class:ident $method:ident = $make:path;)*) => {$(
        impl<B: Operand> std::ops::$class<B> for &Scalar {
            type Output = Scalar;
            fn $method(self, b: B) -> Scalar {
                self.with(b, $make)
            }
        }
        impl<B: Operand> std::ops::$class<B> for Scalar {
            type Output = Scalar;
            fn $method(self, b: B) -> Scalar {
                self.with(b, $make)
            }
        }
    )*};
}

operators! {
    Add add = ops::add;
    Sub sub = ops::sub;
    Mul mul = ops::mul;
    Div div = ops::div;
}

/// Lists of indices or lengths.
pub(super) trait Scalars {
    /// The scalar at a position.
    fn pick(&self, index: usize) -> Scalar;
    /// All but those at some positions.
    fn without(&self, axes: &[usize]) -> Vec<Scalar>;
    /// With another one at a position.
    fn with_at(&self, axis: usize, value: Scalar) -> Vec<Scalar>;
    /// With one more before a position.
    fn with_inserted(&self, axis: usize, value: Scalar) -> Vec<Scalar>;
    /// Those of a range of positions; none beyond the end.
    fn range(&self, from: usize, to: usize) -> Vec<Scalar>;
    /// The product.
    fn product(&self) -> Scalar;
    /// `true` if one is the literal 0.
    fn is_empty_shape(&self) -> bool;
}

impl Scalars for [Scalar] {
    fn pick(&self, index: usize) -> Scalar {
        self.get(index).cloned().unwrap_or_else(|| Scalar::error(format!("there is no axis {index}")))
    }

    fn without(&self, axes: &[usize]) -> Vec<Scalar> {
        let kept = self.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        kept.map(|(_, value)| value.clone()).collect()
    }

    fn with_at(&self, axis: usize, value: Scalar) -> Vec<Scalar> {
        let mut new = self.to_vec();
        if let Some(old) = new.get_mut(axis) {
            *old = value;
        }
        new
    }

    fn with_inserted(&self, axis: usize, value: Scalar) -> Vec<Scalar> {
        let mut new = self.to_vec();
        new.insert(axis.min(self.len()), value);
        new
    }

    fn range(&self, from: usize, to: usize) -> Vec<Scalar> {
        self.iter().take(to).skip(from).cloned().collect()
    }

    fn product(&self) -> Scalar {
        self.iter().fold(int(1), |product, length| product * length)
    }

    fn is_empty_shape(&self) -> bool {
        self.iter().any(|length| length.known() == Some(0))
    }
}

/// The position in row-major order of an element.
pub(super) fn ravel(indices: &[Scalar], dims: &[Scalar]) -> Scalar {
    let mut places = indices.iter().zip(dims);
    let Some((first, _)) = places.next() else { return int(0) };
    places.fold(first.clone(), |position, (index, length)| position * length + index)
}

/// The indices of the element at a position in row-major order.
pub(super) fn unravel(position: Scalar, dims: &[Scalar]) -> Vec<Scalar> {
    unravel_below(position, dims).1
}

/// The rest of a position in row-major order above dimensions, and the indices in them.
pub(super) fn unravel_below(mut position: Scalar, dims: &[Scalar]) -> (Scalar, Vec<Scalar>) {
    let mut indices = Vec::with_capacity(dims.len());
    for length in dims.iter().rev() {
        indices.push(position.floormod(length));
        position = position.floordiv(length);
    }
    indices.reverse();
    (position, indices)
}
