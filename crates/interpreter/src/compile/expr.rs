//! Expressions.

use tvmscript_ir_core::arithmetic::{Comparison, Operator};
use tvmscript_ir_core::{DataType, TypeCode, with_stack};
use tvmscript_prim::ops::BinaryOp;
use tvmscript_prim::{Expr, ExprKind, ExprView as _, PrimExprExt as _};
use tvmscript_tir::node::BufferLoad;
use tvmscript_tirx::{AnnotatedCall, TypedCall};

use super::buffer::lane_of;
use super::{Compiler, Lanes};
use crate::error::{Result, RunErrorKind, unsupported, unsupported_type};
use crate::program::{Instruction as I, Register};
use crate::scalar::{is_float, number, wrap};

impl Compiler<'_> {
    /// Compiles an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Lanes> {
        match expr.kind() {
            ExprKind::IntImm(node) => Ok(vec![self.constant(wrap(node.dtype, node.value))]),
            ExprKind::Var(node) => match self.variables.get(&expr.object().address()) {
                Some(lanes) => Ok(lanes.clone()),
                None => {
                    let kind = RunErrorKind::Unbound { name: node.name.get().to_string() };
                    Err(kind.into())
                }
            },
            _ => {
                let outer = self.span;
                if expr.span().is_known() {
                    self.span = expr.span();
                }
                let result = with_stack(|| self.expr_kind(expr)).map_err(|error| error.at(self.span));
                self.span = outer;
                result
            }
        }
    }

    /// Compiles a scalar.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Result<Register> {
        match self.expr(expr)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(RunErrorKind::Kind { expected: "a scalar" }.into()),
        }
    }

    pub(super) fn scalars<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>) -> Result<Vec<Register>> {
        exprs.map(|expr| self.scalar(expr)).collect()
    }

    /// Compiles an expression that may not be reached. What cannot be compiled fails when it is.
    pub(super) fn lazy(&mut self, expr: &Expr) -> Lanes {
        self.open_scope();
        let depth = self.scopes.len();
        let result = self.expr(expr);
        while self.scopes.len() > depth {
            self.close_scope();
        }
        self.merge_scope();
        match result {
            Ok(lanes) => lanes,
            Err(error) => {
                self.fail_with(error);
                let zero = self.int(0);
                vec![zero; lane_count(expr.dtype()).unwrap_or(1)]
            }
        }
    }

    fn expr_kind(&mut self, expr: &Expr) -> Result<Lanes> {
        macro_rules! binary_of {
            ($node:expr, $operator:ident) => {
                self.binary(BinaryOp::$operator, &$node.a, &$node.b)
            };
        }
        match expr.kind() {
            ExprKind::IntImm(_) | ExprKind::Var(_) => self.expr(expr),
            ExprKind::FloatImm(node) => {
                let value = number(node.dtype, node.value)?;
                Ok(vec![self.constant(value.bits())])
            }
            ExprKind::StringImm(_) => Err(RunErrorKind::Kind { expected: "a number" }.into()),
            ExprKind::Cast(node) => {
                let (from, to) = (node.value.dtype().element(), node.dtype.element());
                let value = self.expr(&node.value)?;
                Ok(self.cast(&value, from, to))
            }
            ExprKind::Add(node) => binary_of!(node, Add),
            ExprKind::Sub(node) => binary_of!(node, Sub),
            ExprKind::Mul(node) => binary_of!(node, Mul),
            ExprKind::Div(node) => binary_of!(node, Div),
            ExprKind::Mod(node) => binary_of!(node, Mod),
            ExprKind::FloorDiv(node) => binary_of!(node, FloorDiv),
            ExprKind::FloorMod(node) => binary_of!(node, FloorMod),
            ExprKind::Min(node) => binary_of!(node, Min),
            ExprKind::Max(node) => binary_of!(node, Max),
            ExprKind::EQ(node) => binary_of!(node, Eq),
            ExprKind::NE(node) => binary_of!(node, Ne),
            ExprKind::LT(node) => binary_of!(node, Lt),
            ExprKind::LE(node) => binary_of!(node, Le),
            ExprKind::GT(node) => binary_of!(node, Gt),
            ExprKind::GE(node) => binary_of!(node, Ge),
            ExprKind::And(node) => self.logic(&node.a, &node.b, true),
            ExprKind::Or(node) => self.logic(&node.a, &node.b, false),
            ExprKind::Not(node) => {
                let value = self.expr(&node.a)?;
                Ok(self.each(&value, |d, a| I::Not { d, a }))
            }
            ExprKind::Select(node) => {
                let condition = self.expr(&node.condition)?;
                let (a, b) = (self.expr(&node.true_value)?, self.expr(&node.false_value)?);
                self.select(&condition, &a, &b)
            }
            ExprKind::Let(node) => {
                let value = self.expr(&node.value)?;
                self.bind(&node.var, value);
                self.expr(&node.body)
            }
            ExprKind::Ramp(node) => {
                let (base, stride) = (self.expr(&node.base)?, self.expr(&node.stride)?);
                let dtype = node.base.dtype().element();
                let count = lane_count(node.dtype)? / base.len().max(1);
                let mut out = Lanes::new();
                for step in 0..count {
                    let step = self.constant(wrap(dtype, step as i64));
                    for (lane, base) in base.iter().enumerate() {
                        let stride = lane_of(&stride, lane)?;
                        let part = self.operate(Operator::Mul, dtype, step, stride)?;
                        out.push(self.operate(Operator::Add, dtype, *base, part)?);
                    }
                }
                Ok(out)
            }
            ExprKind::Broadcast(node) => {
                let value = self.expr(&node.value)?;
                let count = lane_count(node.dtype)? / value.len().max(1);
                Ok(value.repeat(count))
            }
            ExprKind::Shuffle(node) => {
                let mut all = Lanes::new();
                for vector in node.vectors.iter() {
                    all.extend(self.expr(vector)?);
                }
                let indices = self.scalars(node.indices.iter())?;
                let lanes: Option<Lanes> = indices
                    .iter()
                    .map(|index| all.get(usize::try_from(self.known(*index)?).ok()?).copied())
                    .collect();
                lanes.ok_or_else(|| RunErrorKind::Kind { expected: "indices of lanes" }.into())
            }
            ExprKind::Call(node) => self.call(&node.op, &node.args, node.dtype),
            ExprKind::Other(other) => {
                if let Some(node) = other.as_node::<BufferLoad>() {
                    self.load(&node.buffer, &node.indices, node.predicate.as_ref())
                } else if let Some(node) = other.as_node::<AnnotatedCall>() {
                    let lanes = self.call(&node.op, &node.args, node.dtype)?;
                    self.arrive_after(node)?;
                    Ok(lanes)
                } else if let Some(node) = other.as_node::<TypedCall>() {
                    self.call(&node.op, &node.args, node.dtype)
                } else if let Some(node) = other.as_node::<tvmscript_tirx::BufferArgument>() {
                    let view = self.view(&node.buffer)?;
                    Ok(vec![view.pointer])
                } else {
                    unsupported(format!("the expression {}", other.object().info().display_key()))
                }
            }
        }
    }

    fn binary(&mut self, operator: BinaryOp, a: &Expr, b: &Expr) -> Result<Lanes> {
        let dtype = a.dtype().element();
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        self.zip(&a, &b, |this, a, b| match kind_of(operator) {
            Kind::Value(operator) => this.operate(operator, dtype, a, b),
            Kind::Truth(comparison) => Ok(this.compare(comparison, dtype, a, b)),
        })
    }

    /// Scalars are evaluated from left to right and only as far as needed.
    fn logic(&mut self, a: &Expr, b: &Expr, is_and: bool) -> Result<Lanes> {
        let a = self.expr(a)?;
        let [first] = a.as_slice() else {
            let b = self.expr(b)?;
            return self.zip(&a, &b, |this, a, b| {
                let d = this.fresh();
                this.emit(if is_and { I::AndInt { d, a, b } } else { I::OrInt { d, a, b } });
                Ok(d)
            });
        };
        let d = self.fresh();
        self.emit(I::Move { d, a: *first });
        let out = if is_and { self.jump_unless(d) } else { self.jump_if(d) };
        let b = self.lazy(b);
        let [second] = b.as_slice() else {
            return Err(RunErrorKind::Kind { expected: "a scalar" }.into());
        };
        self.emit(I::Move { d, a: *second });
        self.land(out);
        Ok(vec![d])
    }

    /// An operator on scalars of a type.
    pub(super) fn operate(
        &mut self,
        operator: Operator,
        dtype: DataType,
        a: Register,
        b: Register,
    ) -> Result<Register> {
        if let (Some(x), Some(y)) = (self.known(a), self.known(b))
            && let Some(value) = crate::scalar::operate(operator, dtype, x as u64, y as u64)
        {
            return Ok(self.constant(value));
        }
        let d = self.fresh();
        let generic = I::Operate { operator, dtype, d, a, b };
        let instruction = match (dtype.code, dtype.bits) {
            (TypeCode::Int, 32) => match operator {
                Operator::Add => I::AddInt32 { d, a, b },
                Operator::Sub => I::SubInt32 { d, a, b },
                Operator::Mul => I::MulInt32 { d, a, b },
                Operator::FloorDiv => I::FloorDivInt32 { d, a, b },
                Operator::FloorMod => I::FloorModInt32 { d, a, b },
                Operator::Min => I::MinInt { d, a, b },
                Operator::Max => I::MaxInt { d, a, b },
                _ => generic,
            },
            (TypeCode::Int | TypeCode::Handle, 64) => match operator {
                Operator::Add => I::AddInt { d, a, b },
                Operator::Sub => I::SubInt { d, a, b },
                Operator::Mul => I::MulInt { d, a, b },
                Operator::Min => I::MinInt { d, a, b },
                Operator::Max => I::MaxInt { d, a, b },
                _ => generic,
            },
            (TypeCode::Float, 32) => match operator {
                Operator::Add => I::AddFloat32 { d, a, b },
                Operator::Sub => I::SubFloat32 { d, a, b },
                Operator::Mul => I::MulFloat32 { d, a, b },
                Operator::Div => I::DivFloat32 { d, a, b },
                Operator::Min => I::MinFloat { d, a, b },
                Operator::Max => I::MaxFloat { d, a, b },
                _ => generic,
            },
            (TypeCode::Float, 64) => match operator {
                Operator::Add => I::AddFloat { d, a, b },
                Operator::Sub => I::SubFloat { d, a, b },
                Operator::Mul => I::MulFloat { d, a, b },
                Operator::Div => I::DivFloat { d, a, b },
                Operator::Min => I::MinFloat { d, a, b },
                Operator::Max => I::MaxFloat { d, a, b },
                _ => generic,
            },
            _ if is_float(dtype) && operator == Operator::Min => I::MinFloat { d, a, b },
            _ if is_float(dtype) && operator == Operator::Max => I::MaxFloat { d, a, b },
            (TypeCode::Bool | TypeCode::Int | TypeCode::UInt, 1..=64) => generic,
            _ if is_float(dtype) => generic,
            _ => return unsupported_type(dtype),
        };
        self.emit(instruction);
        Ok(d)
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        dtype: DataType,
        a: Register,
        b: Register,
    ) -> Register {
        let d = self.fresh();
        let is_wide = dtype.code == TypeCode::UInt && dtype.bits == 64;
        self.emit(match (is_float(dtype), comparison) {
            (true, Comparison::Lt) => I::LtFloat { d, a, b },
            (true, Comparison::Le) => I::LeFloat { d, a, b },
            (true, Comparison::Gt) => I::LtFloat { d, a: b, b: a },
            (true, Comparison::Ge) => I::LeFloat { d, a: b, b: a },
            (true, Comparison::Eq) => I::EqFloat { d, a, b },
            (true, Comparison::Ne) => I::NeFloat { d, a, b },
            (false, Comparison::Eq) => I::EqInt { d, a, b },
            (false, Comparison::Ne) => I::NeInt { d, a, b },
            (false, _) if is_wide => I::Compare { comparison, dtype, d, a, b },
            (false, Comparison::Lt) => I::LtInt { d, a, b },
            (false, Comparison::Le) => I::LeInt { d, a, b },
            (false, Comparison::Gt) => I::LtInt { d, a: b, b: a },
            (false, Comparison::Ge) => I::LeInt { d, a: b, b: a },
        });
        d
    }

    pub(super) fn cast(&mut self, value: &Lanes, from: DataType, to: DataType) -> Lanes {
        // A wider type has all values of a narrower one of the same kind.
        let widens = from.code == to.code
            && from.bits <= to.bits
            && matches!(from.code, TypeCode::Int | TypeCode::UInt | TypeCode::Float);
        if from == to || widens {
            return value.clone();
        }
        self.each(value, |d, a| I::Cast { from, to, d, a })
    }

    /// Chooses between values, lane by lane if the condition is a vector.
    pub(super) fn select(&mut self, condition: &Lanes, a: &Lanes, b: &Lanes) -> Result<Lanes> {
        let count = [condition, a, b].iter().map(|lanes| lanes.len()).max().unwrap_or(1);
        let mut out = Lanes::new();
        for lane in 0..count {
            let (c, a, b) = (lane_of(condition, lane)?, lane_of(a, lane)?, lane_of(b, lane)?);
            let d = self.fresh();
            self.emit(I::Select { d, c, a, b });
            out.push(d);
        }
        Ok(out)
    }

    /// An instruction per lane.
    pub(super) fn each(&mut self, value: &Lanes, f: impl Fn(Register, Register) -> I) -> Lanes {
        let mut out = Lanes::new();
        for a in value {
            let d = self.fresh();
            self.emit(f(d, *a));
            out.push(d);
        }
        out
    }

    /// An operation per pair of lanes. A pair that occurs again has the same result.
    pub(super) fn zip(
        &mut self,
        a: &Lanes,
        b: &Lanes,
        mut f: impl FnMut(&mut Self, Register, Register) -> Result<Register>,
    ) -> Result<Lanes> {
        let mut out = Lanes::new();
        let mut last = None;
        for lane in 0..a.len().max(b.len()) {
            let pair = (lane_of(a, lane)?, lane_of(b, lane)?);
            let d = match last {
                Some((known, d)) if known == pair => d,
                _ => f(self, pair.0, pair.1)?,
            };
            last = Some((pair, d));
            out.push(d);
        }
        self.check_size()?;
        Ok(out)
    }
}

/// An operator by the kind of its result.
pub(crate) enum Kind {
    Value(Operator),
    Truth(Comparison),
}

pub(crate) fn kind_of(operator: BinaryOp) -> Kind {
    match operator {
        BinaryOp::Add => Kind::Value(Operator::Add),
        BinaryOp::Sub => Kind::Value(Operator::Sub),
        BinaryOp::Mul => Kind::Value(Operator::Mul),
        BinaryOp::Div => Kind::Value(Operator::Div),
        BinaryOp::Mod => Kind::Value(Operator::Mod),
        BinaryOp::FloorDiv => Kind::Value(Operator::FloorDiv),
        BinaryOp::FloorMod => Kind::Value(Operator::FloorMod),
        BinaryOp::Min => Kind::Value(Operator::Min),
        BinaryOp::Max => Kind::Value(Operator::Max),
        BinaryOp::And => Kind::Value(Operator::BitAnd),
        BinaryOp::Or => Kind::Value(Operator::BitOr),
        BinaryOp::Eq => Kind::Truth(Comparison::Eq),
        BinaryOp::Ne => Kind::Truth(Comparison::Ne),
        BinaryOp::Lt => Kind::Truth(Comparison::Lt),
        BinaryOp::Le => Kind::Truth(Comparison::Le),
        BinaryOp::Gt => Kind::Truth(Comparison::Gt),
        BinaryOp::Ge => Kind::Truth(Comparison::Ge),
    }
}

/// Maximum number of lanes of a vector.
const MAX_LANES: usize = 1 << 12;

/// The number of lanes of a vector.
pub(crate) fn lane_count(dtype: DataType) -> Result<usize> {
    match usize::try_from(dtype.lanes) {
        Ok(lanes) if lanes > MAX_LANES => unsupported(format!("a vector of {lanes} lanes")),
        Ok(lanes @ 1..) => Ok(lanes),
        _ => unsupported("a vector of unknown length"),
    }
}
