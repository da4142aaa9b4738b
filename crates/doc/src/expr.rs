//! Expression docs.
//!
//! An [`ExprDoc`] is a number; what it stands for is an [`Expr`], read with [`DocArena::expr`](crate::DocArena::expr)
//! and matched without `_`, so that a printer cannot forget a kind.

use std::num::NonZeroU32;

use crate::operation::{BinaryOp, UnaryOp};
use crate::sym::Sym;

/// An expression doc of one arena.
///
/// Docs refer only to docs made before them, so that a tree of docs has no cycle; one doc may be used in several
/// places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprDoc(pub(crate) NonZeroU32);

/// A slice `start:stop:step` of one arena; it can stand only between the brackets of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SliceDoc(pub(crate) ExprDoc);

/// What may stand between the brackets of an index: an expression or a slice.
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

/// A run of expression docs; read it with [`DocArena::items`](crate::DocArena::items).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExprList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl ExprList {
    /// How many docs the run holds.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the run holds no doc.
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

/// The parts of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub callee: ExprDoc,
    /// Positional arguments.
    pub args: ExprList,
    /// Keyword arguments, after the positional ones.
    pub kwargs: KwargList,
    /// The script function that is called, when known: what a target that prints builder code goes by.
    pub function: Option<ScriptFnId>,
}

/// A run of keyword arguments; read it with [`DocArena::kwargs`](crate::DocArena::kwargs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KwargList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl KwargList {
    /// How many arguments the run holds.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the run holds no argument.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A script function (`T.match_buffer`), numbered by whoever docsifies; this crate only carries the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScriptFnId(pub u32);

/// What an [`ExprDoc`] stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expr {
    /// The literal `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer literal; it may be negative.
    Int(i64),
    /// A float literal; infinities and NaN are printed as quoted text, as upstream does.
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
        /// The name after it.
        name: Sym,
    },
    /// `value[indices]`
    Index {
        /// The expression before the bracket.
        value: ExprDoc,
        /// Expressions and slices; none prints as `value[()]`.
        indices: ExprList,
    },
    /// `start:stop:step`; only an [`Expr::Index`] holds one, directly.
    Slice {
        /// The first position.
        start: Option<ExprDoc>,
        /// The position after the last.
        stop: Option<ExprDoc>,
        /// The distance between two positions.
        step: Option<ExprDoc>,
    },
    /// A call; its parts are a [`Call`].
    Call(CallId),
    /// `-x`, `~x`, `not x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it applies to.
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
        /// Decides.
        condition: ExprDoc,
        /// The value if true.
        then_value: ExprDoc,
        /// The value if false.
        else_value: ExprDoc,
        /// Whether a conditional as `else_value` goes without parentheses.
        is_chained: bool,
    },
    /// `lambda args: body`
    Lambda {
        /// Names, each an [`Expr::Id`].
        args: ExprList,
        /// The value.
        body: ExprDoc,
    },
    /// `(a, b)`
    Tuple(ExprList),
    /// `[a, b]`
    List(ExprList),
    /// `{k: v}`: keys and values in turn.
    Dict(ExprList),
    /// An expression written inside a string literal, such as a symbolic shape `"n * 2"`.
    Quoted(ExprDoc),
}

impl Expr {
    /// The name of the kind, as debug output shows it.
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
