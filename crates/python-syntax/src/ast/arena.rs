//! The arrays of a syntax tree and the builder that fills them.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use num_bigint::BigInt;

use super::list::Pools;
use super::name::Interner;
use super::place::RelRange;
use super::{Constant, Expr, ExprId, HasRange, List, Listed, Name, PieceRange, Stmt, StmtId, TextRange};

/// A top-level definition, or a run of simple top-level statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    range: TextRange,
    first_expr: u32,
    first_stmt: u32,
}

/// The syntax tree of one text. See the [module documentation](super).
///
/// Ids and lists are valid for the tree that created them. With another tree, lookups return unrelated nodes or
/// panic.
#[derive(Debug, Default)]
pub struct Ast {
    exprs: Vec<Expr>,
    expr_ranges: Vec<RelRange>,
    stmts: Vec<Stmt>,
    stmt_ranges: Vec<RelRange>,
    pub(super) pools: Pools,
    names: Interner,
    big_ints: Vec<BigInt>,
    bytes: Vec<Box<[u8]>>,
    pieces: Vec<Piece>,
    module: List<StmtId>,
    /// Piece of the last lookup, since consecutive lookups tend to hit the same piece.
    last_piece: AtomicU32,
}

impl Clone for Ast {
    fn clone(&self) -> Self {
        Ast {
            exprs: self.exprs.clone(),
            expr_ranges: self.expr_ranges.clone(),
            stmts: self.stmts.clone(),
            stmt_ranges: self.stmt_ranges.clone(),
            pools: self.pools.clone(),
            names: self.names.clone(),
            big_ints: self.big_ints.clone(),
            bytes: self.bytes.clone(),
            pieces: self.pieces.clone(),
            module: self.module,
            last_piece: AtomicU32::new(0),
        }
    }
}

/// An entry of one of the arrays.
#[inline]
#[expect(clippy::indexing_slicing, reason = "ids are positions in the arrays of their tree")]
fn node<T>(array: &[T], index: usize) -> &T {
    &array[index]
}

impl Ast {
    /// Top-level statements in source order.
    pub fn module_body(&self) -> &[StmtId] {
        self.list(self.module)
    }

    /// Returns an expression.
    #[inline]
    pub fn expr(&self, id: ExprId) -> &Expr {
        node(&self.exprs, id.index())
    }

    /// All expressions, in no particular order.
    pub fn all_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.exprs.iter()
    }

    /// Returns a statement.
    #[inline]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        node(&self.stmts, id.index())
    }

    /// All statements, in no particular order.
    pub fn all_stmts(&self) -> impl Iterator<Item = &Stmt> {
        self.stmts.iter()
    }

    /// Text of an identifier or string constant.
    #[inline]
    pub fn name(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// The name with a text, if the tree contains it.
    pub fn find_name(&self, text: &str) -> Option<Name> {
        self.names.find(text)
    }

    /// All names, in order of first occurrence.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        self.names.all()
    }

    /// Number of different names; each has a smaller [index](Name::index).
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// Number of expressions; the [index](ExprId::index) of each is at most this.
    pub fn expr_count(&self) -> usize {
        self.exprs.len().saturating_sub(1)
    }

    /// Number of statements; the [index](StmtId::index) of each is at most this.
    pub fn stmt_count(&self) -> usize {
        self.stmts.len().saturating_sub(1)
    }

    /// Value of a [`Constant::BigInt`].
    pub fn big_int(&self, index: u32) -> &BigInt {
        node(&self.big_ints, index as usize)
    }

    /// Value of a [`Constant::Bytes`].
    pub fn bytes(&self, index: u32) -> &[u8] {
        node::<Box<[u8]>>(&self.bytes, index as usize)
    }

    /// Range of an expression, a statement or a part of one in the text.
    #[inline]
    pub fn range(&self, of: impl HasRange) -> TextRange {
        of.range_in(self)
    }

    /// Range of the attribute name of an [`Expr::Attribute`]; for other expressions, their end.
    pub fn attr_range(&self, id: ExprId) -> TextRange {
        let range = self.expr_range(id);
        match self.expr(id) {
            Expr::Attribute { attr, .. } => {
                let len = self.name(*attr).len() as u32;
                TextRange::new(range.end.saturating_sub(len).max(range.start), range.end)
            }
            _ => TextRange::at(range.end),
        }
    }

    #[inline]
    pub(super) fn expr_range(&self, id: ExprId) -> TextRange {
        let index = id.0.get();
        self.absolute(self.piece_of(index, |p| p.first_expr), *node(&self.expr_ranges, index as usize))
    }

    #[inline]
    pub(super) fn stmt_range(&self, id: StmtId) -> TextRange {
        let index = id.0.get();
        self.absolute(self.piece_of(index, |p| p.first_stmt), *node(&self.stmt_ranges, index as usize))
    }

    pub(super) fn place_range(&self, place: PieceRange) -> TextRange {
        self.absolute(place.piece as usize, place.rel)
    }

    fn absolute(&self, piece: usize, rel: RelRange) -> TextRange {
        let base = self.pieces.get(piece).map_or(0, |p| p.range.start);
        TextRange { start: base + rel.start, end: base + rel.start + rel.len }
    }

    /// Index of the piece that contains a node; `first` returns the index of the first node of a piece.
    fn piece_of(&self, index: u32, first: impl Fn(&Piece) -> u32) -> usize {
        let holds = |i: usize| {
            self.pieces.get(i).is_some_and(|p| first(p) <= index)
                && self.pieces.get(i + 1).is_none_or(|p| index < first(p))
        };
        let last = self.last_piece.load(Ordering::Relaxed) as usize;
        if holds(last) {
            return last;
        }
        let found = self.pieces.partition_point(|p| first(p) <= index).saturating_sub(1);
        self.last_piece.store(found as u32, Ordering::Relaxed);
        found
    }
}

/// Nodes added to a finished tree, e.g. for a rewritten form of its code.
impl Ast {
    /// Begins a piece of added nodes, whose ranges may lie anywhere in the text.
    pub fn begin_added(&mut self) {
        self.pieces.push(Piece {
            range: TextRange::default(),
            first_expr: self.exprs.len() as u32,
            first_stmt: self.stmts.len() as u32,
        });
    }

    /// Adds an expression to the piece of added nodes.
    pub fn add_expr(&mut self, expr: Expr, range: TextRange) -> ExprId {
        self.exprs.push(expr);
        self.expr_ranges.push(RelRange { start: range.start, len: range.len() });
        ExprId(id(self.exprs.len() - 1))
    }

    /// Adds a statement to the piece of added nodes.
    pub fn add_stmt(&mut self, stmt: Stmt, range: TextRange) -> StmtId {
        self.stmts.push(stmt);
        self.stmt_ranges.push(RelRange { start: range.start, len: range.len() });
        StmtId(id(self.stmts.len() - 1))
    }

    /// Adds a list.
    pub fn add_list<T: Listed>(&mut self, items: &[T]) -> List<T> {
        let pool = T::pool_mut(&mut self.pools);
        let start = pool.len() as u32;
        pool.extend_from_slice(items);
        List::new(start, items.len() as u32)
    }

    /// Interns a name.
    pub fn add_name(&mut self, text: &str) -> Name {
        self.names.intern(text)
    }

    /// Ids of all expressions, children before their parents.
    pub fn expr_ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (1..self.exprs.len()).map(|index| ExprId(id(index)))
    }

    /// Ids of all statements, children before their parents.
    pub fn stmt_ids(&self) -> impl Iterator<Item = StmtId> + use<> {
        (1..self.stmts.len()).map(|index| StmtId(id(index)))
    }
}

/// Position in the arrays of an [`AstBuilder`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checkpoint {
    exprs: usize,
    stmts: usize,
}

/// Builds an [`Ast`]: pieces in source order, children before their parents.
#[derive(Debug)]
pub(crate) struct AstBuilder {
    ast: Ast,
    module: Vec<StmtId>,
}

impl AstBuilder {
    pub(crate) fn new() -> Self {
        let mut ast = Ast::default();
        // Index 0 is unused, so that `Option<ExprId>` takes four bytes.
        ast.exprs.push(Expr::Constant(Constant::None));
        ast.expr_ranges.push(RelRange::default());
        ast.stmts.push(Stmt::Pass);
        ast.stmt_ranges.push(RelRange::default());
        AstBuilder { ast, module: Vec::new() }
    }

    /// Reserves capacity for the tree of a text of this many bytes.
    pub(crate) fn reserve(&mut self, text_bytes: usize) {
        // Scripts have at most one expression per five to six bytes of text.
        let exprs = text_bytes / 5;
        self.ast.exprs.reserve(exprs);
        self.ast.expr_ranges.reserve(exprs);
        let stmts = text_bytes / 64;
        self.ast.stmts.reserve(stmts);
        self.ast.stmt_ranges.reserve(stmts);
    }

    /// Opens the next piece, which contains all nodes added from now on.
    pub(crate) fn begin_piece(&mut self, range: TextRange) {
        self.ast.pieces.push(Piece {
            range,
            first_expr: self.ast.exprs.len() as u32,
            first_stmt: self.ast.stmts.len() as u32,
        });
    }

    /// Adds the statements of the open piece to the module.
    pub(crate) fn end_piece(&mut self, body: &[StmtId]) {
        self.module.extend_from_slice(body);
    }

    pub(crate) fn finish(mut self) -> Ast {
        let module = std::mem::take(&mut self.module);
        self.ast.module = self.list(&module);
        self.ast
    }

    /// Adds an expression; `start` and `end` are offsets in the piece.
    #[inline]
    pub(crate) fn expr(&mut self, expr: Expr, start: u32, end: u32) -> ExprId {
        let id = ExprId(id(self.ast.exprs.len()));
        self.ast.exprs.push(expr);
        self.ast.expr_ranges.push(RelRange { start, len: end.saturating_sub(start) });
        id
    }

    /// Adds a statement; `start` and `end` are offsets in the piece.
    #[inline]
    pub(crate) fn stmt(&mut self, stmt: Stmt, start: u32, end: u32) -> StmtId {
        let id = StmtId(id(self.ast.stmts.len()));
        self.ast.stmts.push(stmt);
        self.ast.stmt_ranges.push(RelRange { start, len: end.saturating_sub(start) });
        id
    }

    /// Sets the end of a statement of the open piece.
    pub(crate) fn set_end(&mut self, stmt: StmtId, end: u32) {
        if let Some(range) = self.ast.stmt_ranges.get_mut(stmt.index()) {
            range.len = end.saturating_sub(range.start);
        }
    }

    /// Current position, for [`AstBuilder::reset`].
    pub(crate) fn mark(&self) -> Checkpoint {
        Checkpoint { exprs: self.ast.exprs.len(), stmts: self.ast.stmts.len() }
    }

    /// Removes the expressions and statements added since the mark. Remaining nodes must not refer to them.
    pub(crate) fn reset(&mut self, mark: Checkpoint) {
        self.ast.exprs.truncate(mark.exprs);
        self.ast.expr_ranges.truncate(mark.exprs);
        self.ast.stmts.truncate(mark.stmts);
        self.ast.stmt_ranges.truncate(mark.stmts);
    }

    /// A range in the open piece, for parts without an id.
    pub(crate) fn place(&self, start: u32, end: u32) -> PieceRange {
        let piece = self.ast.pieces.len().saturating_sub(1) as u32;
        PieceRange { piece, rel: RelRange { start, len: end.saturating_sub(start) } }
    }

    pub(crate) fn list<T: Listed>(&mut self, items: &[T]) -> List<T> {
        self.ast.add_list(items)
    }

    /// Interns an identifier or string constant.
    #[inline]
    pub(crate) fn name(&mut self, text: &str) -> Name {
        self.ast.add_name(text)
    }

    /// Constant of an integer that does not fit into 64 bits.
    pub(crate) fn big_int(&mut self, value: BigInt) -> Constant {
        self.ast.big_ints.push(value);
        Constant::BigInt(self.ast.big_ints.len() as u32 - 1)
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) -> Constant {
        self.ast.bytes.push(value.into());
        Constant::Bytes(self.ast.bytes.len() as u32 - 1)
    }

    /// The tree built so far.
    pub(crate) fn ast(&self) -> &Ast {
        &self.ast
    }
}

/// Texts are limited to 4 GiB and each node takes at least one byte, so the index fits.
fn id(index: usize) -> NonZeroU32 {
    u32::try_from(index)
        .ok()
        .and_then(NonZeroU32::new)
        .expect("a text below 4 GiB has fewer nodes than bytes")
}
