//! Patterns and how to make them.

use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use tvmscript_ir_core::{DataType, Ref, Str, Value};
use tvmscript_prim as prim;
use tvmscript_relax::{Expr, StructInfo};

/// The description of an expression; see the [module](super). Clones are the same pattern.
#[derive(Debug, Clone)]
pub struct Pattern(pub(super) Arc<Kind>);

/// The kinds of patterns.
#[derive(Debug)]
pub(super) enum Kind {
    Wildcard,
    Op(Str),
    Constant,
    Global(Option<Str>),
    External(Option<Str>),
    Exactly(Expr),
    /// A call; any arguments without a list.
    Call(Pattern, Option<Vec<Pattern>>),
    CallTir(Pattern, Pattern),
    Tuple(Vec<Pattern>),
    /// An item of a tuple; any without an index.
    Item(Pattern, Option<i64>),
    Or(Pattern, Pattern),
    And(Pattern, Pattern),
    Not(Pattern),
    Attr(Pattern, Str, Value),
    Dtype(Pattern, DataType),
    Shape(Pattern, Vec<Option<prim::Expr>>),
    StructInfo(Pattern, Ref<StructInfo>),
    UsedBy(Pattern, Pattern),
    OnlyUsedBy(Pattern, Pattern),
    Named(Pattern, Str),
}

fn pattern(kind: Kind) -> Pattern {
    Pattern(Arc::new(kind))
}

/// Matches any expression. A variable matches as itself.
pub fn wildcard() -> Pattern {
    pattern(Kind::Wildcard)
}

/// Matches an operator by its full name, such as `relax.add`.
pub fn op(name: impl Into<Str>) -> Pattern {
    pattern(Kind::Op(name.into()))
}

/// Matches a constant tensor.
pub fn constant() -> Pattern {
    pattern(Kind::Constant)
}

/// Matches a function of the module, by name or any.
pub fn global(name: Option<&str>) -> Pattern {
    pattern(Kind::Global(name.map(Str::from)))
}

/// Matches an external function, by name or any.
pub fn external(name: Option<&str>) -> Pattern {
    pattern(Kind::External(name.map(Str::from)))
}

/// Matches a node itself. A variable also matches where it is used.
pub fn exactly(expr: Expr) -> Pattern {
    pattern(Kind::Exactly(expr))
}

/// Matches a call of the operator with this name.
pub fn call(name: impl Into<Str>, args: impl IntoIterator<Item = Pattern>) -> Pattern {
    op(name).call(args)
}

/// Matches `R.call_tir(function, (args..))`.
pub fn call_tir(function: Pattern, args: impl IntoIterator<Item = Pattern>) -> Pattern {
    pattern(Kind::CallTir(function, tuple(args)))
}

/// Matches a tuple with these fields.
pub fn tuple(fields: impl IntoIterator<Item = Pattern>) -> Pattern {
    pattern(Kind::Tuple(fields.into_iter().collect()))
}

impl Pattern {
    /// Matches a call of what `self` matches, with these arguments.
    #[must_use]
    pub fn call(self, args: impl IntoIterator<Item = Pattern>) -> Pattern {
        pattern(Kind::Call(self, Some(args.into_iter().collect())))
    }

    /// Matches a call of what `self` matches, with any arguments.
    #[must_use]
    pub fn call_any(self) -> Pattern {
        pattern(Kind::Call(self, None))
    }

    /// Matches an item of a tuple that `self` matches.
    #[must_use]
    pub fn item(self, index: i64) -> Pattern {
        pattern(Kind::Item(self, Some(index)))
    }

    /// Matches any item of a tuple that `self` matches.
    #[must_use]
    pub fn any_item(self) -> Pattern {
        pattern(Kind::Item(self, None))
    }

    /// Requires an attribute of a call or function, compared by structure.
    #[must_use]
    pub fn with_attr(self, name: impl Into<Str>, value: impl Into<Value>) -> Pattern {
        pattern(Kind::Attr(self, name.into(), value.into()))
    }

    /// Requires an element type.
    #[must_use]
    pub fn with_dtype(self, dtype: DataType) -> Pattern {
        pattern(Kind::Dtype(self, dtype))
    }

    /// Requires a shape; `None` stands for any dimension. Dimensions match if they are provably equal.
    #[must_use]
    pub fn with_shape(self, dims: impl IntoIterator<Item = Option<prim::Expr>>) -> Pattern {
        pattern(Kind::Shape(self, dims.into_iter().collect()))
    }

    /// Requires struct info of which the given one is a base.
    #[must_use]
    pub fn with_struct_info(self, info: Ref<StructInfo>) -> Pattern {
        pattern(Kind::StructInfo(self, info))
    }

    /// Requires a variable that a value which `user` matches uses.
    #[must_use]
    pub fn used_by(self, user: Pattern) -> Pattern {
        pattern(Kind::UsedBy(self, user))
    }

    /// Requires a variable that is used, and only by values that `user` matches. A variable that is part of the
    /// function's result does not match.
    #[must_use]
    pub fn only_used_by(self, user: Pattern) -> Pattern {
        pattern(Kind::OnlyUsedBy(self, user))
    }

    /// Names the matched expression in the [`Match`](super::Match).
    #[must_use]
    pub fn named(self, name: impl Into<Str>) -> Pattern {
        pattern(Kind::Named(self, name.into()))
    }
}

impl BitOr for Pattern {
    type Output = Pattern;
    fn bitor(self, other: Pattern) -> Pattern {
        pattern(Kind::Or(self, other))
    }
}

impl BitAnd for Pattern {
    type Output = Pattern;
    fn bitand(self, other: Pattern) -> Pattern {
        pattern(Kind::And(self, other))
    }
}

impl Not for Pattern {
    type Output = Pattern;
    fn not(self) -> Pattern {
        pattern(Kind::Not(self))
    }
}
