//! Expressions.

use std::num::NonZeroU32;

use super::{List, Name, Place};

/// An expression of one [`Ast`](super::Ast). Ids of one piece of the text are contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(super) NonZeroU32);

impl ExprId {
    /// The dense index of this expression, from 1: tables by expression are plain arrays.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

/// An expression. Small and `Copy`; children by id, lists by handle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of Python's own tree")]
pub enum Expr {
    /// `a and b and c`: two values or more, all joined by one operator.
    BoolOp { op: BoolOp, values: List<ExprId> },
    /// `left op right`.
    BinOp { left: ExprId, op: BinOp, right: ExprId },
    /// `op operand`.
    UnaryOp { op: UnaryOp, operand: ExprId },
    /// `lambda params: body`.
    Lambda { params: List<Parameter>, body: ExprId },
    /// `body if test else orelse`.
    IfExp { test: ExprId, body: ExprId, orelse: ExprId },
    /// `{k: v, **rest}`.
    Dict { items: List<DictItem> },
    /// `{a, b}`.
    Set { elts: List<ExprId> },
    /// `[elt for ..]`.
    ListComp { elt: ExprId, generators: List<Comprehension> },
    /// `{elt for ..}`.
    SetComp { elt: ExprId, generators: List<Comprehension> },
    /// `{key: value for ..}`.
    DictComp { key: ExprId, value: ExprId, generators: List<Comprehension> },
    /// `(elt for ..)`.
    GeneratorExp { elt: ExprId, generators: List<Comprehension> },
    /// `await value`.
    Await { value: ExprId },
    /// `yield value`.
    Yield { value: Option<ExprId> },
    /// `yield from value`.
    YieldFrom { value: ExprId },
    /// `left < a <= b`: one comparison or more.
    Compare { left: ExprId, rest: List<Comparison> },
    /// `func(args, keywords)`; a `*rest` is a [`Expr::Starred`] among `args`, a `**rest` a keyword without name.
    Call { func: ExprId, args: List<ExprId>, keywords: List<Keyword> },
    /// `{value!conversion:spec}` of an f-string; `spec` is a [`Expr::JoinedStr`].
    FormattedValue { value: ExprId, conversion: Option<Conversion>, spec: Option<ExprId> },
    /// An f-string: string constants and [`Expr::FormattedValue`]s.
    JoinedStr { values: List<ExprId> },
    /// A literal.
    Constant(Constant),
    /// `target := value`; the target is a [`Expr::Name`].
    NamedExpr { target: ExprId, value: ExprId },
    /// `value.attr`; [`Ast::attr_range`](super::Ast::attr_range) is the place of `attr`.
    Attribute { value: ExprId, attr: Name },
    /// `value[index]`; several indices are one [`Expr::Tuple`].
    Subscript { value: ExprId, index: ExprId },
    /// `*value`.
    Starred { value: ExprId },
    /// An identifier.
    Name(Name),
    /// `[a, b]`.
    List { elts: List<ExprId> },
    /// `(a, b)` or `a, b`.
    Tuple { elts: List<ExprId> },
    /// `lower:upper:step`, inside a subscript only.
    Slice { lower: Option<ExprId>, upper: Option<ExprId>, step: Option<ExprId> },
}

/// The kinds of [`Expr`], for tables and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum ExprKind {
    BoolOp,
    BinOp,
    UnaryOp,
    Lambda,
    IfExp,
    Dict,
    Set,
    ListComp,
    SetComp,
    DictComp,
    GeneratorExp,
    Await,
    Yield,
    YieldFrom,
    Compare,
    Call,
    FormattedValue,
    JoinedStr,
    Constant,
    NamedExpr,
    Attribute,
    Subscript,
    Starred,
    Name,
    List,
    Tuple,
    Slice,
}

impl Expr {
    /// Which kind of expression it is.
    pub fn kind(&self) -> ExprKind {
        match self {
            Expr::BoolOp { .. } => ExprKind::BoolOp,
            Expr::BinOp { .. } => ExprKind::BinOp,
            Expr::UnaryOp { .. } => ExprKind::UnaryOp,
            Expr::Lambda { .. } => ExprKind::Lambda,
            Expr::IfExp { .. } => ExprKind::IfExp,
            Expr::Dict { .. } => ExprKind::Dict,
            Expr::Set { .. } => ExprKind::Set,
            Expr::ListComp { .. } => ExprKind::ListComp,
            Expr::SetComp { .. } => ExprKind::SetComp,
            Expr::DictComp { .. } => ExprKind::DictComp,
            Expr::GeneratorExp { .. } => ExprKind::GeneratorExp,
            Expr::Await { .. } => ExprKind::Await,
            Expr::Yield { .. } => ExprKind::Yield,
            Expr::YieldFrom { .. } => ExprKind::YieldFrom,
            Expr::Compare { .. } => ExprKind::Compare,
            Expr::Call { .. } => ExprKind::Call,
            Expr::FormattedValue { .. } => ExprKind::FormattedValue,
            Expr::JoinedStr { .. } => ExprKind::JoinedStr,
            Expr::Constant(_) => ExprKind::Constant,
            Expr::NamedExpr { .. } => ExprKind::NamedExpr,
            Expr::Attribute { .. } => ExprKind::Attribute,
            Expr::Subscript { .. } => ExprKind::Subscript,
            Expr::Starred { .. } => ExprKind::Starred,
            Expr::Name(_) => ExprKind::Name,
            Expr::List { .. } => ExprKind::List,
            Expr::Tuple { .. } => ExprKind::Tuple,
            Expr::Slice { .. } => ExprKind::Slice,
        }
    }
}

/// A literal value. Large ones live in side arrays of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// `None`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other integer: [`Ast::big_int`](super::Ast::big_int). Literals have no sign, so it is above `i64::MAX`.
    BigInt(u32),
    /// A floating point number.
    Float(f64),
    /// The imaginary part of `2j`: literals have no real part.
    Imaginary(f64),
    /// A string, escapes decoded and adjacent literals joined. It never holds half surrogates.
    Str(Name),
    /// Bytes: [`Ast::bytes`](super::Ast::bytes).
    Bytes(u32),
    /// `...`.
    Ellipsis,
}

/// `and`, `or`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum BoolOp {
    And,
    Or,
}

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum BinOp {
    Add,
    Sub,
    Mult,
    MatMult,
    Div,
    Mod,
    Pow,
    LShift,
    RShift,
    BitOr,
    BitXor,
    BitAnd,
    FloorDiv,
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum UnaryOp {
    Invert,
    Not,
    UAdd,
    USub,
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum CmpOp {
    Eq,
    NotEq,
    Lt,
    LtE,
    Gt,
    GtE,
    Is,
    IsNot,
    In,
    NotIn,
}

impl BoolOp {
    /// How it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            BoolOp::And => "and",
            BoolOp::Or => "or",
        }
    }
}

impl BinOp {
    /// How it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mult => "*",
            BinOp::MatMult => "@",
            BinOp::Div => "/",
            BinOp::Mod => "%",
            BinOp::Pow => "**",
            BinOp::LShift => "<<",
            BinOp::RShift => ">>",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::BitAnd => "&",
            BinOp::FloorDiv => "//",
        }
    }
}

impl UnaryOp {
    /// How it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            UnaryOp::Invert => "~",
            UnaryOp::Not => "not",
            UnaryOp::UAdd => "+",
            UnaryOp::USub => "-",
        }
    }
}

impl CmpOp {
    /// How it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            CmpOp::Eq => "==",
            CmpOp::NotEq => "!=",
            CmpOp::Lt => "<",
            CmpOp::LtE => "<=",
            CmpOp::Gt => ">",
            CmpOp::GtE => ">=",
            CmpOp::Is => "is",
            CmpOp::IsNot => "is not",
            CmpOp::In => "in",
            CmpOp::NotIn => "not in",
        }
    }
}

/// `op right` of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Comparison {
    pub op: CmpOp,
    pub right: ExprId,
}

/// `key: value` of a dict, or `**value` without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct DictItem {
    pub key: Option<ExprId>,
    pub value: ExprId,
}

/// `for target in iter if .. if ..` of a comprehension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Comprehension {
    pub target: ExprId,
    pub iter: ExprId,
    pub ifs: List<ExprId>,
    pub is_async: bool,
}

/// `arg=value` of a call or class, or `**value` without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keyword {
    /// The name before `=`; absent in `**value`.
    pub arg: Option<Name>,
    /// The value.
    pub value: ExprId,
    /// The whole of `arg=value` or `**value`; the name is its beginning.
    pub place: Place,
}

/// How a parameter takes its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// Before `/`.
    PositionalOnly,
    /// By position or by name.
    Normal,
    /// `*args`.
    VarArgs,
    /// Behind `*`.
    KeywordOnly,
    /// `**kwargs`.
    KwArgs,
}

/// A parameter of a function or lambda; a list of them is in source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// How it takes its argument.
    pub kind: ParamKind,
    /// `name: annotation`.
    pub annotation: Option<ExprId>,
    /// `name=default`.
    pub default: Option<ExprId>,
    /// The name and the annotation, without stars and default.
    pub place: Place,
}

/// `!s`, `!r`, `!a` in an f-string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Conversion {
    Str,
    Repr,
    Ascii,
}
