//! Expression docs.
//!
//! An [`ExprDoc`] is an index; its [`Expr`] is read with [`DocArena::expr`](crate::DocArena::expr) and matched without
//! `_`, so that printers handle every kind.

use std::num::NonZeroU32;

use crate::operation::{BinaryOp, UnaryOp};
use crate::sym::Sym;

/// An expression doc of one arena.
///
/// Docs refer only to earlier docs, so there are no cycles. A doc may be used several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprDoc(pub(crate) NonZeroU32);

/// A slice `start:stop:step` of one arena, valid only in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SliceDoc(pub(crate) ExprDoc);

/// An element of an index: an expression or a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subscript(pub(crate) ExprDoc);

impl From<ExprDoc> for Subscript {
    #[inline]
    fn from(doc: ExprDoc) -> Self {
        Self(doc)
    }
}

impl From<SliceDoc> for Subscript {
    #[inline]
    fn from(doc: SliceDoc) -> Self {
        Self(doc.0)
    }
}

/// A list of expression docs; read it with [`DocArena::items`](crate::DocArena::items).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExprList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl ExprList {
    /// Number of docs.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The bytes of a literal; read them with [`DocArena::byte_text`](crate::DocArena::byte_text).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteText {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A call; read it with [`DocArena::call_of`](crate::DocArena::call_of).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallId(pub(crate) u32);

/// The callee and arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The callee.
    pub callee: ExprDoc,
    /// Positional arguments.
    pub args: ExprList,
    /// Keyword arguments, after the positional ones.
    pub kwargs: KwargList,
    /// The called script function, if known; used by targets that print builder code.
    pub function: Option<ScriptFnId>,
}

/// A list of keyword arguments; read it with [`DocArena::kwargs`](crate::DocArena::kwargs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KwargList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl KwargList {
    /// Number of arguments.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A script function (`Toy.trace`), numbered by the docsifier. This crate only stores the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScriptFnId(pub u32);

/// An expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expr {
    /// The literal `None`.
    None,
    /// A bool literal.
    Bool(bool),
    /// An integer literal, possibly negative.
    Int(i64),
    /// A float literal. Infinities and NaN print as quoted text, as upstream does.
    Float(f64),
    /// A string literal.
    Str(Sym),
    /// A literal of raw bytes.
    Bytes(ByteText),
    /// A name.
    Id(Sym),
    /// `value.name`
    Attr {
        /// The expression before the dot.
        value: ExprDoc,
        /// The attribute.
        name: Sym,
    },
    /// `value[indices]`
    Index {
        /// The expression before the bracket.
        value: ExprDoc,
        /// Expressions and slices; an empty index prints as `value[()]`.
        indices: ExprList,
    },
    /// `start:stop:step`; occurs only as a direct element of [`Expr::Index`].
    Slice {
        /// The first index.
        start: Option<ExprDoc>,
        /// The end, exclusive.
        stop: Option<ExprDoc>,
        /// The step.
        step: Option<ExprDoc>,
    },
    /// A call; see [`Call`].
    Call(CallId),
    /// `-x`, `~x`, `not x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: ExprDoc,
    },
    /// `left op right`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: ExprDoc,
        /// The right operand.
        right: ExprDoc,
    },
    /// `then_value if condition else else_value`
    Conditional {
        /// The condition.
        condition: ExprDoc,
        /// The value if true.
        then_value: ExprDoc,
        /// The value if false.
        else_value: ExprDoc,
        /// `true` if a conditional `else_value` prints without parentheses.
        is_chained: bool,
    },
    /// `lambda args: body`
    Lambda {
        /// Names, each an [`Expr::Id`].
        args: ExprList,
        /// The body.
        body: ExprDoc,
    },
    /// `(a, b)`
    Tuple(ExprList),
    /// `[a, b]`
    List(ExprList),
    /// `{k: v}`: keys and values alternate.
    Dict(ExprList),
    /// An expression in a string literal, such as a symbolic shape `"n * 2"`.
    Quoted(ExprDoc),
}

impl Expr {
    /// The kind's name in debug output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::Id(_) => "id",
            Self::Attr { .. } => "attr",
            Self::Index { .. } => "index",
            Self::Slice { .. } => "slice",
            Self::Call(_) => "call",
            Self::Unary { .. } => "unary",
            Self::Binary { .. } => "binary",
            Self::Conditional { .. } => "conditional",
            Self::Lambda { .. } => "lambda",
            Self::Tuple(_) => "tuple",
            Self::List(_) => "list",
            Self::Dict(_) => "dict",
            Self::Quoted(_) => "quoted",
        }
    }
}
