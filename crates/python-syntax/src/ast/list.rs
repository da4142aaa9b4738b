//! Handles of lists in the side arrays of an [`Ast`].

use std::fmt;
use std::marker::PhantomData;

use super::{
    Alias, Ast, Clause, Comparison, Comprehension, DictItem, ExceptHandler, ExprId, Keyword, MatchCase, Name,
    Parameter, Pattern, StmtId, WithItem,
};

/// Handle of a list in an [`Ast`]: eight bytes, `Copy`. [`Ast::list`] returns the elements.
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The empty list.
    pub const EMPTY: List<T> = List { start: 0, len: 0, of: PhantomData };

    pub(super) fn new(start: u32, len: u32) -> Self {
        List { start, len, of: PhantomData }
    }

    pub(super) fn bounds(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// Number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the list is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Handles are equal if they refer to the same elements of the same array. Elements are not compared.
impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.len == other.len
    }
}

impl<T> Eq for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}; {}]", self.start, self.len)
    }
}

/// Side arrays of an [`Ast`], one per element type of lists.
#[derive(Debug, Clone, Default)]
pub struct Pools {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    names: Vec<Name>,
    keywords: Vec<Keyword>,
    parameters: Vec<Parameter>,
    comparisons: Vec<Comparison>,
    dict_items: Vec<DictItem>,
    comprehensions: Vec<Comprehension>,
    clauses: Vec<Clause>,
    with_items: Vec<WithItem>,
    handlers: Vec<ExceptHandler>,
    aliases: Vec<Alias>,
    cases: Vec<MatchCase>,
    patterns: Vec<Pattern>,
}

mod sealed {
    pub trait Sealed {}
}

/// Element types of [`List`]s. Sealed.
pub trait Listed: Copy + sealed::Sealed + 'static {
    #[doc(hidden)]
    fn pool(pools: &Pools) -> &Vec<Self>;
    #[doc(hidden)]
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
}

macro_rules! listed {
    ($($t:ty => $field:ident),* $(,)?) => {$(
        impl sealed::Sealed for $t {}
        impl Listed for $t {
            fn pool(pools: &Pools) -> &Vec<Self> {
                &pools.$field
            }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> {
                &mut pools.$field
            }
        }
    )*};
}

listed! {
    ExprId => exprs,
    StmtId => stmts,
    Name => names,
    Keyword => keywords,
    Parameter => parameters,
    Comparison => comparisons,
    DictItem => dict_items,
    Comprehension => comprehensions,
    Clause => clauses,
    WithItem => with_items,
    ExceptHandler => handlers,
    Alias => aliases,
    MatchCase => cases,
    Pattern => patterns,
}

impl Ast {
    /// The elements of a list.
    #[expect(clippy::indexing_slicing, reason = "lists are ranges of the pools of their tree")]
    pub fn list<T: Listed>(&self, list: List<T>) -> &[T] {
        &T::pool(&self.pools)[list.bounds()]
    }

    /// The keywords of all calls and classes, in no particular order.
    pub fn all_keywords(&self) -> &[Keyword] {
        &self.pools.keywords
    }

    /// The expressions of a list.
    pub fn exprs(&self, list: List<ExprId>) -> &[ExprId] {
        self.list(list)
    }

    /// The statements of a list, such as the body of a loop.
    pub fn stmts(&self, list: List<StmtId>) -> &[StmtId] {
        self.list(list)
    }
}
