//! Expressions.

use std::num::NonZeroU32;

use super::children::Children;
use super::{Ast, List, Name, PieceRange};

/// Id of an expression of one [`Ast`](super::Ast). Ids of one piece are contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(super) NonZeroU32);

impl ExprId {
    /// Dense index, from 1, for arrays indexed by expression.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

macro_rules! expressions {
    ($($(#[$doc:meta])* $kind:ident $({ $($field:ident: $ty:ty),* })? $(($payload:ty))?),* $(,)?) => {
        /// An expression. Small and `Copy`; children are ids, lists are handles.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[expect(missing_docs, reason = "the fields are those of Python's own tree")]
        pub enum Expr {
            $($(#[$doc])* $kind $({ $($field: $ty),* })? $(($payload))?,)*
        }

        /// The kinds of [`Expr`], for tables and messages.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ExprKind {
            $($(#[$doc])* $kind,)*
        }

        impl Expr {
            /// The kind of the expression.
            pub fn kind(&self) -> ExprKind {
                match self { $(Expr::$kind { .. } => ExprKind::$kind),* }
            }
        }

        impl Children for Expr {
            fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
                match self {
                    $(Expr::$kind { $($($field,)*)? .. } => { $($($field.children(ast, out);)*)? })*
                }
            }

            fn with_children(mut self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
                match &mut self {
                    $(Expr::$kind { $($($field,)*)? .. } => {
                        $($(*$field = $field.with_children(ast, new);)*)?
                    })*
                }
                self
            }
        }
    };
}

// The fields are in the order in which Python evaluates them.
expressions! {
    /// `a and b and c`: two or more values joined by the same operator.
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
    ListComp { generators: List<Comprehension>, elt: ExprId },
    /// `{elt for ..}`.
    SetComp { generators: List<Comprehension>, elt: ExprId },
    /// `{key: value for ..}`.
    DictComp { generators: List<Comprehension>, key: ExprId, value: ExprId },
    /// `(elt for ..)`.
    GeneratorExp { generators: List<Comprehension>, elt: ExprId },
    /// `await value`.
    Await { value: ExprId },
    /// `yield value`.
    Yield { value: Option<ExprId> },
    /// `yield from value`.
    YieldFrom { value: ExprId },
    /// `left < a <= b`: one or more comparisons.
    Compare { left: ExprId, rest: List<Comparison> },
    /// `func(args, keywords)`; `*rest` is an [`Expr::Starred`] in `args`, `**rest` a keyword without a name.
    Call { func: ExprId, args: List<ExprId>, keywords: List<Keyword> },
    /// `{value!conversion:spec}` of an f-string; `spec` is an [`Expr::JoinedStr`].
    FormattedValue { value: ExprId, conversion: Option<Conversion>, spec: Option<ExprId> },
    /// An f-string: string constants and [`Expr::FormattedValue`]s.
    JoinedStr { values: List<ExprId> },
    /// A literal.
    Constant(Constant),
    /// `target := value`; the target is an [`Expr::Name`].
    NamedExpr { value: ExprId, target: ExprId },
    /// `value.attr`; see [`Ast::attr_range`](super::Ast::attr_range) for the range of `attr`.
    Attribute { value: ExprId, attr: Name },
    /// `value[index]`; several indices are an [`Expr::Tuple`].
    Subscript { value: ExprId, index: ExprId },
    /// `*value`.
    Starred { value: ExprId },
    /// An identifier.
    Name(Name),
    /// `[a, b]`.
    List { elts: List<ExprId> },
    /// `(a, b)` or `a, b`.
    Tuple { elts: List<ExprId> },
    /// `lower:upper:step` of a subscript.
    Slice { lower: Option<ExprId>, upper: Option<ExprId>, step: Option<ExprId> },
}

/// A literal value. Large values are stored in side arrays of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// `None`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// An integer that fits into 64 bits.
    Int(i64),
    /// A larger integer: see [`Ast::big_int`](super::Ast::big_int). Literals have no sign, so it is above `i64::MAX`.
    BigInt(u32),
    /// A floating point number.
    Float(f64),
    /// The imaginary part of a literal such as `2j`, which has no real part.
    Imaginary(f64),
    /// A string with escapes decoded and adjacent literals joined.
    Str(Name),
    /// Bytes: see [`Ast::bytes`](super::Ast::bytes).
    Bytes(u32),
    /// `...`.
    Ellipsis,
}

/// Defines enums of operators and their spelling.
macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are the documentation")]
        pub enum $name { $($variant),* }

        impl $name {
            /// The operator as written in source text.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    )*};
}

operators! {
    /// Boolean operators.
    BoolOp { And "and", Or "or" }

    /// Binary operators.
    BinOp {
        Add "+", Sub "-", Mult "*", MatMult "@", Div "/", Mod "%", Pow "**", LShift "<<", RShift ">>", BitOr "|",
        BitXor "^", BitAnd "&", FloorDiv "//",
    }

    /// Unary operators.
    UnaryOp { Invert "~", Not "not", UAdd "+", USub "-" }

    /// Comparison operators.
    CmpOp {
        Eq "==", NotEq "!=", Lt "<", LtE "<=", Gt ">", GtE ">=", Is "is", IsNot "is not", In "in", NotIn "not in",
    }
}

/// `op right` of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Comparison {
    pub op: CmpOp,
    pub right: ExprId,
}

/// `key: value` of a dict; `**value` has no key.
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

/// `arg=value` of a call or class; `**value` has no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Keyword {
    pub arg: Option<Name>,
    pub value: ExprId,
    /// Range of `arg=value` or `**value`.
    pub place: PieceRange,
}

/// Kind of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// Before `/`.
    PositionalOnly,
    /// By position or by name.
    Normal,
    /// `*args`.
    VarArgs,
    /// After `*`.
    KeywordOnly,
    /// `**kwargs`.
    KwArgs,
}

/// A parameter of a function or lambda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Parameter {
    pub name: Name,
    pub kind: ParamKind,
    /// `name: annotation`.
    pub annotation: Option<ExprId>,
    /// `name=default`.
    pub default: Option<ExprId>,
    /// Range of name and annotation, without stars and default.
    pub place: PieceRange,
}

/// `!s`, `!r` or `!a` of an f-string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Conversion {
    Str,
    Repr,
    Ascii,
}
