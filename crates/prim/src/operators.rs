//! Rust's operators on expressions, with the meaning of the same operators in Python ([`crate::ops::python`]).
//!
//! `x + 1`, `2 * &x`, `x % y` (floor remainder, as in Python), `x << 3`. `!` of a bool expression is the logical not.
//! Errors are reported as described in [`tvmscript_ir_core::operators`]. `/` of two signed integers is an error; use
//! [`crate::ops::floordiv`] or [`crate::ops::truncdiv`].

use tvmscript_ir_core::arithmetic::Comparison;
use tvmscript_ir_core::operators::{
    BinaryOperator, IntoOperand, OperandClass, OperandValue, PoisonNode, UnaryOperator, value_or_poison,
};
use tvmscript_ir_core::{Array, DataType, Operand, Ref, Span};

use crate::class::{Expr, PrimExpr, PrimExprExt};
use crate::error::PrimError;
use crate::node::*;
use crate::ops::{self, python, script};
use crate::types::{FuncType, Range, TupleType};

impl From<OperandValue<PrimExpr>> for python::Operand {
    fn from(value: OperandValue<PrimExpr>) -> python::Operand {
        match value {
            OperandValue::Node(e) => python::Operand::Expr(e),
            OperandValue::Int(value) => python::Operand::Int(value),
            OperandValue::Float(value) => python::Operand::Float(value),
            OperandValue::Bool(value) => python::Operand::Bool(value),
        }
    }
}

impl OperandClass for PrimExpr {
    type Error = PrimError;

    fn binary(
        op: BinaryOperator,
        a: OperandValue<PrimExpr>,
        b: OperandValue<PrimExpr>,
    ) -> Result<Expr, PrimError> {
        let op = match op {
            BinaryOperator::Add => python::BinaryOperator::Add,
            BinaryOperator::Sub => python::BinaryOperator::Sub,
            BinaryOperator::Mul => python::BinaryOperator::Mult,
            BinaryOperator::Div => python::BinaryOperator::Div,
            BinaryOperator::Rem => python::BinaryOperator::Mod,
            BinaryOperator::Shl => python::BinaryOperator::LShift,
            BinaryOperator::Shr => python::BinaryOperator::RShift,
            BinaryOperator::BitAnd => python::BinaryOperator::BitAnd,
            BinaryOperator::BitOr => python::BinaryOperator::BitOr,
            BinaryOperator::BitXor => python::BinaryOperator::BitXor,
        };
        python::binary(op, a, b)
    }

    fn unary(op: UnaryOperator, a: Expr) -> Result<Expr, PrimError> {
        match op {
            UnaryOperator::Neg => python::unary(python::UnaryOperator::Minus, a),
            UnaryOperator::Not if a.dtype().is_bool() => ops::not(a),
            UnaryOperator::Not => ops::bitwise_not(a),
        }
    }
}

tvmscript_ir_core::poison_node! {
    IndexMap => Ref::new(IndexMap {
        initial_indices: Array::default(),
        final_indices: Array::default(),
        inverse_index_map: None,
    });
    Var => Var::new("poison", DataType::VOID);
    PrimExpr => Var::poison().upcast();
    Range => Range::from_min_extent(PrimExpr::poison(), PrimExpr::poison());
    TupleType => Ref::new(TupleType { span: Span::UNKNOWN, fields: Array::default() });
    FuncType => Ref::new(FuncType {
        span: Span::UNKNOWN,
        arg_types: Array::default(),
        ret_type: TupleType::void(),
    });
    CommReducer => Ref::new(CommReducer {
        lhs: Array::default(),
        rhs: Array::default(),
        result: Array::default(),
        identity_element: Array::default(),
        span: Span::UNKNOWN,
    });
}

impl Operand for PrimExpr {
    type Class = PrimExpr;
    fn widen(node: Expr) -> Expr {
        node
    }
}

macro_rules! operands {
    ($($node:ident)*) => {$(
        impl Operand for $node {
            type Class = PrimExpr;
            fn widen(node: Ref<$node>) -> Expr {
                node.upcast()
            }
        }
    )*};
}

operands! {
    IntImm FloatImm Var Cast Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or Not Select Ramp
    Broadcast Shuffle Let Call
}

macro_rules! comparisons {
    ($($text:literal $method:ident($a:ident, $b:ident) = $make:expr;)*) => {
        /// Comparisons and logic, for which Rust has no operators that return expressions: `i.less(&n)`, `p.and(q)`.
        ///
        /// They mean what Python's operators mean in the body of a script ([`crate::ops::script`]): no folding, and a
        /// number takes the type of the other operand. Errors are reported as for operators.
        pub trait Compare {
            $(
                #[doc = concat!("`", $text, "`.")]
                /// # Panics
                /// Panics on an error if no error sink is set.
                #[track_caller]
                fn $method(&self, other: impl IntoOperand<PrimExpr>) -> Expr;
            )*
        }

        impl<T: Operand<Class = PrimExpr>> Compare for Ref<T> {
            $(
                fn $method(&self, other: impl IntoOperand<PrimExpr>) -> Expr {
                    let ($a, $b) = (self.into_operand(), other.into_operand());
                    if $a.is_poison() || $b.is_poison() {
                        return PrimExpr::poison();
                    }
                    value_or_poison($make)
                }
            )*
        }
    };
}

comparisons! {
    "a < b" less(a, b) = script::compare(Comparison::Lt, a, b);
    "a <= b" less_equal(a, b) = script::compare(Comparison::Le, a, b);
    "a > b" greater(a, b) = script::compare(Comparison::Gt, a, b);
    "a >= b" greater_equal(a, b) = script::compare(Comparison::Ge, a, b);
    "a == b" equals(a, b) = script::compare(Comparison::Eq, a, b);
    "a != b" not_equals(a, b) = script::compare(Comparison::Ne, a, b);
    "a and b" and(a, b) = script::logic(script::Connective::And, a, b);
    "a or b" or(a, b) = script::logic(script::Connective::Or, a, b);
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use tvmscript_ir_core::operators::{is_poison, set_error_sink};

    use super::*;
    use crate::ExprView;
    use crate::kind::ExprKind;

    fn int32(name: &str) -> Ref<Var> {
        Var::new(name, DataType::INT32)
    }

    #[test]
    fn operators_take_values_references_and_numbers() {
        let (x, y) = (int32("x"), int32("y"));
        let sum = &x + &y;
        assert!(matches!(sum.kind(), ExprKind::Add(add) if add.a.ptr_eq(&x) && add.b.ptr_eq(&y)));
        assert!(matches!((2 * &x).kind(), ExprKind::Mul(mul) if mul.b.ptr_eq(&x)));
        assert!(matches!((x.clone() % 3).kind(), ExprKind::FloorMod(_)));
        assert!((&x + 0).ptr_eq(&x));
        assert!(
            matches!((x.clone() << 1 | y.clone()).kind(), ExprKind::Call(call) if call.op_name() == Some("tir.bitwise_or"))
        );
        assert!(matches!((-sum + 1.5).kind(), ExprKind::Add(add) if add.dtype == DataType::FLOAT32));
        assert!(matches!((!IntImm::bool(true)).kind(), ExprKind::IntImm(lit) if lit.value == 0));
    }

    #[test]
    fn try_operators_return_the_error() {
        assert_eq!(int32("x").try_div(2).map(drop), Err(PrimError::AmbiguousDivision));
        assert_eq!(int32("x").try_rem(0).map(drop), Err(PrimError::DivideByZero));
    }

    #[test]
    fn a_sink_gets_one_message_with_the_callers_place() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&seen);
        let sink =
            set_error_sink(move |error, place| log.borrow_mut().push((error.to_string(), place.line())));
        let line = line!() + 1;
        let wrong = int32("x") / int32("y");
        assert!(is_poison(wrong.object()));
        let more = -(wrong + 1) * 2;
        assert!(is_poison(more.object()));
        drop(sink);
        assert_eq!(*seen.borrow(), [(PrimError::AmbiguousDivision.to_string(), line)]);
    }

    #[test]
    fn without_a_sink_operators_panic() {
        let result = std::panic::catch_unwind(|| int32("x") / int32("y"));
        assert!(result.is_err());
    }

    #[test]
    fn inner_sinks_go_first_and_errors_inside_a_sink_are_dropped() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let (outer_log, inner_log) = (Rc::clone(&seen), Rc::clone(&seen));
        let outer = set_error_sink(move |_, _| outer_log.borrow_mut().push("outer"));
        let inner = set_error_sink(move |_, _| {
            drop(int32("x") / 2);
            inner_log.borrow_mut().push("inner");
        });
        drop(int32("x") / 2);
        drop(inner);
        drop(int32("x") / 2);
        drop(outer);
        assert_eq!(*seen.borrow(), ["inner", "outer"]);
    }
}
