//! Rust's operators on handles, for every class that opts in.
//!
//! `Ref` is foreign to dialects, so they cannot implement `Add` for it. This module does, once, for all of
//! `Ref<T>`, `&Ref<T>` and numbers; a dialect says by [`OperandClass`] what the operators of its class mean and by
//! [`Operand`] which nodes take part.
//!
//! `a + b` cannot return a `Result`. Where an error sink is set ([`set_error_sink`]; a builder sets one), the error goes
//! there with the caller's place and the result is the class's *poison* ([`PoisonNode`]); an operator with a poisoned operand gives poison
//! and reports nothing, so that one mistake is one message. Without a sink the operator panics. [`Ref::try_add`] and its
//! like return the error.

use std::cell::RefCell;
use std::error::Error;
use std::ops;
use std::panic::Location;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::node::Class;
use crate::raw::{Object, Ref};

/// An operator of two operands. What it means is the class's affair ([`OperandClass::binary`]).
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

/// An operator of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Neg,
    Not,
}

/// One operand: a node, or a number that becomes one.
#[derive(Debug, Clone)]
pub enum OperandValue<C> {
    /// A node.
    Node(Ref<C>),
    /// A whole number.
    Int(i64),
    /// A floating number.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

/// A class of nodes whose handles have operators.
pub trait OperandClass: PoisonNode {
    /// Why an operation may be impossible.
    type Error: Error + Send + Sync + 'static;

    /// `a op b`; at least one of them is a node.
    /// # Errors
    /// What the class decides.
    fn binary(
        op: BinaryOperator,
        a: OperandValue<Self>,
        b: OperandValue<Self>,
    ) -> Result<Ref<Self>, Self::Error>;

    /// `op a`.
    /// # Errors
    /// What the class decides.
    fn unary(op: UnaryOperator, a: Ref<Self>) -> Result<Ref<Self>, Self::Error>;
}

/// A class with a node that stands for one that could not be made. [`poison_node!`](crate::poison_node) implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no poison node",
    note = "`poison_node!` gives it one; the `try_` form of a script function needs none"
)]
pub trait PoisonNode: Class + Sized {
    /// The stand-in: the same one every time, made known by [`register_poison`].
    fn poison() -> Ref<Self>;
}

/// Gives classes their poison node: `poison_node! { Buffer => make(); }`. The expression runs once in a process.
#[macro_export]
macro_rules! poison_node {
    ($($class:ty => $make:expr;)*) => {$(
        impl $crate::operators::PoisonNode for $class {
            fn poison() -> $crate::Ref<$class> {
                static POISON: ::std::sync::OnceLock<$crate::Ref<$class>> = ::std::sync::OnceLock::new();
                let make = || {
                    let node: $crate::Ref<$class> = $make;
                    $crate::operators::register_poison(node.object().clone());
                    node
                };
                POISON.get_or_init(make).clone()
            }
        }
    )*};
}

/// A class or node whose handles may stand as operands.
pub trait Operand: Class {
    /// The class that says what the operators mean.
    type Class: OperandClass;

    /// The handle as one to that class.
    fn widen(node: Ref<Self>) -> Ref<Self::Class>;
}

/// What may stand beside a node of class `C`.
pub trait IntoOperand<C: OperandClass> {
    /// The operand.
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

type Sink = Box<dyn FnMut(Box<dyn Error + Send + Sync>, &'static Location<'static>)>;

thread_local! {
    /// A sink is out of its slot while it runs.
    static SINKS: RefCell<Vec<Option<Sink>>> = const { RefCell::new(Vec::new()) };
}

/// The poison nodes of all classes.
static POISONS: RwLock<Vec<Object>> = RwLock::new(Vec::new());

/// Whether any poison was ever asked for: in a run without errors nothing else is looked at.
static ANY_POISON: AtomicBool = AtomicBool::new(false);

/// Takes the sink away when dropped.
#[derive(Debug)]
#[must_use = "the sink is taken away when this is dropped"]
pub struct ErrorSink {
    depth: usize,
}

/// Sends the errors of operators on this thread to `sink` until the result is dropped. Sinks stack: the last one set gets
/// the errors.
pub fn set_error_sink(
    sink: impl FnMut(Box<dyn Error + Send + Sync>, &'static Location<'static>) + 'static,
) -> ErrorSink {
    SINKS.with_borrow_mut(|sinks| {
        sinks.push(Some(Box::new(sink)));
        ErrorSink { depth: sinks.len() - 1 }
    })
}

impl Drop for ErrorSink {
    fn drop(&mut self) {
        // Sinks above this one go with it. They are dropped outside the borrow: a closure may own anything.
        let gone = SINKS.try_with(|sinks| match sinks.try_borrow_mut() {
            Ok(mut sinks) if sinks.len() > self.depth => sinks.split_off(self.depth),
            _ => Vec::new(),
        });
        drop(gone);
    }
}

/// Hands an error to the sink in force. An error that a sink causes while it runs is dropped.
/// # Errors
/// Gives the error back when no sink is set.
pub fn report<E: Error + Send + Sync + 'static>(
    error: E,
    place: &'static Location<'static>,
) -> Result<(), E> {
    let taken = SINKS.with_borrow_mut(|sinks| sinks.last_mut().map(|slot| slot.take()));
    match taken {
        None => Err(error),
        Some(None) => Ok(()),
        Some(Some(mut sink)) => {
            let depth = SINKS.with_borrow(Vec::len);
            sink(Box::new(error), place);
            SINKS.with_borrow_mut(|sinks| {
                if let Some(slot @ None) = sinks.get_mut(depth - 1) {
                    *slot = Some(sink);
                }
            });
            Ok(())
        }
    }
}

/// Makes a class's poison known to [`is_poison`].
pub fn register_poison(node: Object) {
    POISONS.write().unwrap_or_else(|e| e.into_inner()).push(node);
    ANY_POISON.store(true, Ordering::Release);
}

/// Whether a node stands for the result of a failed operation of any class.
pub fn is_poison(node: &Object) -> bool {
    ANY_POISON.load(Ordering::Acquire)
        && POISONS.read().unwrap_or_else(|e| e.into_inner()).iter().any(|poison| poison.ptr_eq(node))
}

impl<C: OperandClass> OperandValue<C> {
    /// Whether it stands for the result of a failed operation.
    pub fn is_poison(&self) -> bool {
        matches!(self, OperandValue::Node(node) if is_poison(node.object()))
    }
}

/// The result of an operation; an error goes to the sink in force, with the caller's place, and poison is given.
/// # Panics
/// When it is an error and no sink is set.
#[track_caller]
pub fn settle<C: OperandClass>(result: Result<Ref<C>, C::Error>) -> Ref<C> {
    let place = Location::caller();
    match result.or_else(|error| report(error, place).map(|()| C::poison())) {
        Ok(node) => node,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn binary<C: OperandClass>(op: BinaryOperator, a: OperandValue<C>, b: OperandValue<C>) -> Ref<C> {
    if a.is_poison() || b.is_poison() { C::poison() } else { settle(C::binary(op, a, b)) }
}

macro_rules! binary_operators {
    ($($trait:ident::$method:ident, $try:ident, $text:literal;)*) => {
        $(
            impl<T: Operand, R: IntoOperand<T::Class>> ops::$trait<R> for Ref<T> {
                type Output = Ref<T::Class>;
                /// # Panics
                /// When the operation is impossible and no error sink is set.
                #[track_caller]
                fn $method(self, rhs: R) -> Ref<T::Class> {
                    binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
                }
            }

            impl<T: Operand, R: IntoOperand<T::Class>> ops::$trait<R> for &Ref<T> {
                type Output = Ref<T::Class>;
                /// # Panics
                /// When the operation is impossible and no error sink is set.
                #[track_caller]
                fn $method(self, rhs: R) -> Ref<T::Class> {
                    binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
                }
            }
        )*

        impl<T: Operand> Ref<T> {
            $(
                #[doc = concat!("`a ", $text, " b`, with the error where the operator would report it.")]
                /// # Errors
                /// What the class decides.
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
                /// When the operation is impossible and no error sink is set.
                #[track_caller]
                fn $method(self) -> Ref<T::Class> {
                    let a = T::widen(self);
                    if is_poison(a.object()) { a } else { settle(T::Class::unary(UnaryOperator::$trait, a)) }
                }
            }

            impl<T: Operand> ops::$trait for &Ref<T> {
                type Output = Ref<T::Class>;
                /// # Panics
                /// When the operation is impossible and no error sink is set.
                #[track_caller]
                fn $method(self) -> Ref<T::Class> {
                    ops::$trait::$method(self.clone())
                }
            }
        )*

        impl<T: Operand> Ref<T> {
            $(
                #[doc = concat!("`", $text, "a`, with the error where the operator would report it.")]
                /// # Errors
                /// What the class decides.
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

/// `1 + x`: one impl an operator and number type, as the number comes first. One integer and one float type only, or the
/// compiler could not tell what `1` is.
macro_rules! number_on_the_left {
    ($number:ty: $($trait:ident::$method:ident)*) => {$(
        impl<T: Operand> ops::$trait<Ref<T>> for $number {
            type Output = Ref<T::Class>;
            /// # Panics
            /// When the operation is impossible and no error sink is set.
            #[track_caller]
            fn $method(self, rhs: Ref<T>) -> Ref<T::Class> {
                binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
            }
        }

        impl<T: Operand> ops::$trait<&Ref<T>> for $number {
            type Output = Ref<T::Class>;
            /// # Panics
            /// When the operation is impossible and no error sink is set.
            #[track_caller]
            fn $method(self, rhs: &Ref<T>) -> Ref<T::Class> {
                binary(BinaryOperator::$trait, self.into_operand(), rhs.into_operand())
            }
        }
    )*};
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

macro_rules! numbers_on_the_left {
    ($($number:ty)*) => {$(
        number_on_the_left! {
            $number: Add::add Sub::sub Mul::mul Div::div Rem::rem Shl::shl Shr::shr BitAnd::bitand BitOr::bitor
                BitXor::bitxor
        }
    )*};
}

numbers_on_the_left! { i64 f64 bool }
