//! Rust's operators on handles, for every class that opts in.
//!
//! Dialects cannot implement `Add` for `Ref<T>`, which is foreign to them. This module does so once; a dialect
//! defines the operators of a class with [`OperandClass`], and the nodes that take part with [`Operand`].
//!
//! `a + b` cannot return a `Result`. What it does on an error, such as operands of different types, depends on the
//! thread:
//!
//! - Inside an error sink ([`set_error_sink`]; an open builder is one) it reports the error with the caller's
//!   location and returns the class's *poison* ([`PoisonNode`]). An operator with a poisoned operand returns poison
//!   and reports nothing, so one mistake is one message.
//! - Without a sink it panics.
//!
//! [`Ref::try_add`] and its siblings return the error instead.
//!
//! No state outlives a sink: poison is a mark in the header of a node ([`Ref::into_poison`]), which the node keeps
//! also after its builder is gone.

use std::cell::RefCell;
use std::error::Error;
use std::ops;
use std::panic::Location;

use crate::node::Class;
use crate::raw::{Object, Ref};

/// An operator of two operands; [`OperandClass::binary`] defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
}

/// An operator of one operand; [`OperandClass::unary`] defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Neg,
    Not,
}

/// An operand: a node, or a number that the class turns into one.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum OperandValue<C> {
    Node(Ref<C>),
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl<C: OperandClass> OperandValue<C> {
    /// Returns `true` if the operand is a poison node.
    pub fn is_poison(&self) -> bool {
        matches!(self, OperandValue::Node(node) if is_poison(node.object()))
    }
}

/// A class of nodes whose handles have operators.
pub trait OperandClass: PoisonNode {
    /// Error of an operation that the class rejects.
    type Error: Error + Send + Sync + 'static;

    /// `a op b`; at least one of them is a node.
    /// # Errors
    /// Defined by the class.
    fn binary(
        op: BinaryOperator,
        a: OperandValue<Self>,
        b: OperandValue<Self>,
    ) -> Result<Ref<Self>, Self::Error>;

    /// `op a`.
    /// # Errors
    /// Defined by the class.
    fn unary(op: UnaryOperator, a: Ref<Self>) -> Result<Ref<Self>, Self::Error>;
}

/// A class or node whose handles are operands.
pub trait Operand: Class {
    /// The class that defines the operators.
    type Class: OperandClass;

    /// Upcasts the handle.
    fn widen(node: Ref<Self>) -> Ref<Self::Class>;
}

/// Conversion into the other operand of a node of class `C`.
pub trait IntoOperand<C: OperandClass> {
    /// Converts the value.
    fn into_operand(self) -> OperandValue<C>;
}

impl<T: Operand> IntoOperand<T::Class> for Ref<T> {
    fn into_operand(self) -> OperandValue<T::Class> {
        OperandValue::Node(T::widen(self))
    }
}

impl<T: Operand> IntoOperand<T::Class> for &Ref<T> {
    fn into_operand(self) -> OperandValue<T::Class> {
        OperandValue::Node(T::widen(self.clone()))
    }
}

macro_rules! numbers {
    ($($number:ty => $variant:ident;)*) => {$(
        impl<C: OperandClass> IntoOperand<C> for $number {
            fn into_operand(self) -> OperandValue<C> {
                OperandValue::$variant(self.into())
            }
        }
    )*};
}

numbers! {
    i32 => Int;
    i64 => Int;
    u32 => Int;
    f32 => Float;
    f64 => Float;
    bool => Bool;
}

/// A class with a node that stands for one that could not be made; see [`poison_node!`](crate::poison_node).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no poison node",
    note = "`poison_node!` gives it one; the `try_` form of a script function needs none"
)]
pub trait PoisonNode: Class + Sized {
    /// Makes a stand-in, which [`is_poison`] recognizes.
    fn poison() -> Ref<Self>;
}

/// Defines the poison nodes of classes: `poison_node! { Buffer => Ref::new(Buffer { .. }); }`.
///
/// A class needs one if a script function returns a `Ref` of it, or a frame yields one, and Rust code calls the function
/// in the form that records errors.
#[macro_export]
macro_rules! poison_node {
    ($($class:ty => $make:expr;)*) => {$(
        impl $crate::operators::PoisonNode for $class {
            fn poison() -> $crate::Ref<$class> {
                let node: $crate::Ref<$class> = $make;
                node.into_poison()
            }
        }
    )*};
}

/// Returns `true` if `node` stands for the result of an operation that failed.
#[inline]
pub fn is_poison(node: &Object) -> bool {
    node.is_poison()
}

type Report = Box<dyn FnMut(Box<dyn Error + Send + Sync>, &'static Location<'static>)>;

thread_local! {
    /// The open sinks. A sink is taken out of its slot while it runs.
    static SINKS: RefCell<Vec<Option<Report>>> = const { RefCell::new(Vec::new()) };
}

/// An error sink, active until dropped.
#[derive(Debug)]
#[must_use = "the sink is removed when this is dropped"]
pub struct ErrorSink {
    depth: usize,
    not_send: std::marker::PhantomData<*const ()>,
}

/// Sends errors of operators on this thread to `report` until the result is dropped. Sinks nest; errors go to the
/// innermost one.
pub fn set_error_sink(
    report: impl FnMut(Box<dyn Error + Send + Sync>, &'static Location<'static>) + 'static,
) -> ErrorSink {
    SINKS.with_borrow_mut(|sinks| {
        sinks.push(Some(Box::new(report)));
        ErrorSink { depth: sinks.len() - 1, not_send: std::marker::PhantomData }
    })
}

impl Drop for ErrorSink {
    fn drop(&mut self) {
        // Inner sinks go with this one. They are dropped outside the borrow: a closure may own anything.
        let removed = SINKS.try_with(|sinks| {
            let mut sinks = sinks.try_borrow_mut().ok()?;
            let depth = self.depth.min(sinks.len());
            Some(sinks.split_off(depth))
        });
        drop(removed);
    }
}

/// Reports an error to the innermost sink. Errors that a sink causes itself are dropped.
/// # Errors
/// Returns the error if no sink is set.
pub fn report<E: Error + Send + Sync + 'static>(
    error: E,
    caller: &'static Location<'static>,
) -> Result<(), E> {
    let taken = SINKS.with_borrow_mut(|sinks| {
        let depth = sinks.len().checked_sub(1)?;
        Some((depth, sinks.get_mut(depth)?.take()))
    });
    match taken {
        None => Err(error),
        Some((_, None)) => Ok(()),
        Some((depth, Some(mut report))) => {
            report(Box::new(error), caller);
            SINKS.with_borrow_mut(|sinks| {
                if let Some(slot @ None) = sinks.get_mut(depth) {
                    *slot = Some(report);
                }
            });
            Ok(())
        }
    }
}

/// Returns the result of an operation, or reports its error with the caller's location and returns poison.
/// # Panics
/// Panics if the operation failed and no sink is set.
#[track_caller]
#[allow(clippy::panic, reason = "documented: operators cannot return an error")]
pub fn value_or_poison<C: OperandClass>(result: Result<Ref<C>, C::Error>) -> Ref<C> {
    let caller = Location::caller();
    match result.or_else(|error| report(error, caller).map(|()| C::poison())) {
        Ok(node) => node,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn binary<C: OperandClass>(op: BinaryOperator, a: OperandValue<C>, b: OperandValue<C>) -> Ref<C> {
    if a.is_poison() || b.is_poison() { C::poison() } else { value_or_poison(C::binary(op, a, b)) }
}

macro_rules! binary_operator {
    ([$($parameters:tt)*] $trait:ident::$method:ident for $lhs:ty, $rhs:ty) => {
        impl<$($parameters)*> ops::$trait<$rhs> for $lhs {
            type Output = Ref<T::Class>;
            /// # Panics
            /// Panics if the operation fails and no error sink is set.
            #[track_caller]
            fn $method(self, rhs: $rhs) -> Ref<T::Class> {
                binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
            }
        }
    };
}

/// `1 + x`: for one integer and one float type only, or the type of `1` would be ambiguous.
macro_rules! number_on_the_left {
    ($trait:ident::$method:ident for $($number:ty)*) => {$(
        binary_operator! { [T: Operand] $trait::$method for $number, Ref<T> }
        binary_operator! { [T: Operand] $trait::$method for $number, &Ref<T> }
    )*};
}

macro_rules! binary_operators {
    ($($trait:ident::$method:ident, $try:ident, $text:literal;)*) => {
        $(
            binary_operator! { [T: Operand, R: IntoOperand<T::Class>] $trait::$method for Ref<T>, R }
            binary_operator! { [T: Operand, R: IntoOperand<T::Class>] $trait::$method for &Ref<T>, R }
            number_on_the_left! { $trait::$method for i64 f64 bool }
        )*

        impl<T: Operand> Ref<T> {
            $(
                #[doc = concat!("`a ", $text, " b`, with the error as a value.")]
                /// # Errors
                /// Defined by the class.
                pub fn $try(
                    &self,
                    rhs: impl IntoOperand<T::Class>,
                ) -> Result<Ref<T::Class>, <T::Class as OperandClass>::Error> {
                    T::Class::binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
                }
            )*
        }
    };
}

binary_operators! {
    Add::add, try_add, "+";
    Sub::sub, try_sub, "-";
    Mul::mul, try_mul, "*";
    Div::div, try_div, "/";
    Rem::rem, try_rem, "%";
    Shl::shl, try_shl, "<<";
    Shr::shr, try_shr, ">>";
    BitAnd::bitand, try_bitand, "&";
    BitOr::bitor, try_bitor, "|";
    BitXor::bitxor, try_bitxor, "^";
}

macro_rules! unary_operators {
    ($($trait:ident::$method:ident, $try:ident, $text:literal;)*) => {
        $(
            impl<T: Operand> ops::$trait for Ref<T> {
                type Output = Ref<T::Class>;
                /// # Panics
                /// Panics if the operation fails and no error sink is set.
                #[track_caller]
                fn $method(self) -> Ref<T::Class> {
                    let a = T::widen(self);
                    if is_poison(a.object()) { a } else { value_or_poison(T::Class::unary(UnaryOperator::$trait, a)) }
                }
            }

            impl<T: Operand> ops::$trait for &Ref<T> {
                type Output = Ref<T::Class>;
                /// # Panics
                /// Panics if the operation fails and no error sink is set.
                #[track_caller]
                fn $method(self) -> Ref<T::Class> {
                    ops::$trait::$method(self.clone())
                }
            }
        )*

        impl<T: Operand> Ref<T> {
            $(
                #[doc = concat!("`", $text, "a`, with the error as a value.")]
                /// # Errors
                /// Defined by the class.
                pub fn $try(&self) -> Result<Ref<T::Class>, <T::Class as OperandClass>::Error> {
                    T::Class::unary(UnaryOperator::$trait, T::widen(self.clone()))
                }
            )*
        }
    };
}

unary_operators! {
    Neg::neg, try_neg, "-";
    Not::not, try_not, "!";
}
