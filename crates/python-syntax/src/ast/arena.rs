//! The arrays of a tree, and the only way to fill them.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use num_bigint::BigInt;

use super::list::Pools;
use super::name::Interner;
use super::place::RelRange;
use super::{Constant, Expr, ExprId, HasRange, List, Listed, Name, Place, Stmt, StmtId, TextRange};

/// A piece of the text: a top-level definition, or a run of simple top-level statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes.
    pub range: TextRange,
    /// Its statements.
    pub body: List<StmtId>,
    first_expr: u32,
    first_stmt: u32,
}

/// The syntax tree of one text. See the [module documentation](super).
///
/// Ids and lists are those of the tree that made them; with those of another tree the answer is wrong or a panic.
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
    /// The piece that was asked for last: neighbouring questions are about the same one.
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

impl Ast {
    /// The statements at top level, in order.
    pub fn module_body(&self) -> &[StmtId] {
        self.list(self.module)
    }

    /// The pieces of the text that hold statements, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// All expressions, in no particular order.
    pub fn all_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.exprs.iter()
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// The text of an identifier or string constant.
    pub fn name(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// The name with this text, if it occurs in the tree.
    pub fn find_name(&self, text: &str) -> Option<Name> {
        self.names.find(text)
    }

    /// All names, in the order they were met.
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        self.names.all()
    }

    /// Number of different names: all have an [index](Name::index) below it.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// Number of expressions: all have an [index](ExprId::index) of at most it.
    pub fn expr_count(&self) -> usize {
        self.exprs.len().saturating_sub(1)
    }

    /// Number of statements: all have an [index](StmtId::index) of at most it.
    pub fn stmt_count(&self) -> usize {
        self.stmts.len().saturating_sub(1)
    }

    /// The value of a [`Constant::BigInt`].
    pub fn big_int(&self, index: u32) -> &BigInt {
        &self.big_ints[index as usize]
    }

    /// The value of a [`Constant::Bytes`].
    pub fn bytes(&self, index: u32) -> &[u8] {
        &self.bytes[index as usize]
    }

    /// Where an expression, a statement or a part of one stands in the text.
    pub fn range(&self, of: impl HasRange) -> TextRange {
        of.range_in(self)
    }

    /// Where the name behind the dot of an [`Expr::Attribute`] stands; of any other expression, its end.
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

    pub(super) fn expr_range(&self, id: ExprId) -> TextRange {
        let index = id.0.get();
        self.absolute(self.piece_of(index, |p| p.first_expr), self.expr_ranges[index as usize])
    }

    pub(super) fn stmt_range(&self, id: StmtId) -> TextRange {
        let index = id.0.get();
        self.absolute(self.piece_of(index, |p| p.first_stmt), self.stmt_ranges[index as usize])
    }

    pub(super) fn place_range(&self, place: Place) -> TextRange {
        self.absolute(place.piece as usize, place.rel)
    }

    fn absolute(&self, piece: usize, rel: RelRange) -> TextRange {
        let base = self.pieces.get(piece).map_or(0, |p| p.range.start);
        TextRange { start: base + rel.start, end: base + rel.start + rel.len }
    }

    /// The piece whose nodes begin at or before `index`, `first` being the index of a piece's first node.
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

/// A state of an [`AstBuilder`].
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    exprs: usize,
    stmts: usize,
}

/// Fills an [`Ast`]: pieces in order, children before their parents.
#[derive(Debug)]
pub struct AstBuilder {
    ast: Ast,
    module: Vec<StmtId>,
}

impl Default for AstBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl AstBuilder {
    /// A builder of an empty tree.
    pub fn new() -> Self {
        let mut ast = Ast::default();
        // Index 0 is nobody's, so that `Option<ExprId>` takes four bytes.
        ast.exprs.push(Expr::Constant(Constant::None));
        ast.expr_ranges.push(RelRange::default());
        ast.stmts.push(Stmt::Pass);
        ast.stmt_ranges.push(RelRange::default());
        AstBuilder { ast, module: Vec::new() }
    }

    /// Makes room for the tree of a text of this many bytes.
    pub fn reserve(&mut self, text_bytes: usize) {
        // Scripts have an expression in five to six bytes of text at most; a little too much costs nothing.
        let exprs = text_bytes / 5;
        self.ast.exprs.reserve(exprs);
        self.ast.expr_ranges.reserve(exprs);
        let stmts = text_bytes / 64;
        self.ast.stmts.reserve(stmts);
        self.ast.stmt_ranges.reserve(stmts);
    }

    /// Opens the next piece of the text; every node made from now on lies in it.
    pub fn begin_piece(&mut self, range: TextRange) {
        self.ast.pieces.push(Piece {
            range,
            body: List::EMPTY,
            first_expr: self.ast.exprs.len() as u32,
            first_stmt: self.ast.stmts.len() as u32,
        });
    }

    /// Closes the piece: these are its statements.
    pub fn end_piece(&mut self, body: &[StmtId]) {
        let list = self.list(body);
        if let Some(piece) = self.ast.pieces.last_mut() {
            piece.body = list;
        }
        self.module.extend_from_slice(body);
    }

    /// The finished tree.
    pub fn finish(mut self) -> Ast {
        let module = std::mem::take(&mut self.module);
        self.ast.module = self.list(&module);
        self.ast
    }

    /// Adds an expression; `start` and `end` are bytes from the beginning of the piece.
    #[inline]
    pub fn expr(&mut self, expr: Expr, start: u32, end: u32) -> ExprId {
        let id = ExprId(id(self.ast.exprs.len()));
        self.ast.exprs.push(expr);
        self.ast.expr_ranges.push(RelRange { start, len: end.saturating_sub(start) });
        id
    }

    /// Adds a statement; `start` and `end` are bytes from the beginning of the piece.
    #[inline]
    pub fn stmt(&mut self, stmt: Stmt, start: u32, end: u32) -> StmtId {
        let id = StmtId(id(self.ast.stmts.len()));
        self.ast.stmts.push(stmt);
        self.ast.stmt_ranges.push(RelRange { start, len: end.saturating_sub(start) });
        id
    }

    /// Says where a statement of the open piece ends.
    pub fn set_end(&mut self, stmt: StmtId, end: u32) {
        let range = &mut self.ast.stmt_ranges[stmt.index()];
        range.len = end.saturating_sub(range.start);
    }

    /// What there is now, for [`AstBuilder::reset`].
    pub fn mark(&self) -> Mark {
        Mark { exprs: self.ast.exprs.len(), stmts: self.ast.stmts.len() }
    }

    /// Drops the expressions and statements made since the mark, of which no others may speak.
    pub fn reset(&mut self, mark: Mark) {
        self.ast.exprs.truncate(mark.exprs);
        self.ast.expr_ranges.truncate(mark.exprs);
        self.ast.stmts.truncate(mark.stmts);
        self.ast.stmt_ranges.truncate(mark.stmts);
    }

    /// A range in the open piece, for parts without an id.
    pub fn place(&self, start: u32, end: u32) -> Place {
        let piece = self.ast.pieces.len().saturating_sub(1) as u32;
        Place { piece, rel: RelRange { start, len: end.saturating_sub(start) } }
    }

    /// Adds a list.
    pub fn list<T: Listed>(&mut self, items: &[T]) -> List<T> {
        let pool = T::pool_mut(&mut self.ast.pools);
        let start = pool.len() as u32;
        pool.extend_from_slice(items);
        List::new(start, items.len() as u32)
    }

    /// Interns an identifier or string constant.
    #[inline]
    pub fn name(&mut self, text: &str) -> Name {
        self.ast.names.intern(text)
    }

    /// A constant of an integer beyond 64 bits.
    pub fn big_int(&mut self, value: BigInt) -> Constant {
        self.ast.big_ints.push(value);
        Constant::BigInt(self.ast.big_ints.len() as u32 - 1)
    }

    /// A constant of bytes.
    pub fn bytes(&mut self, value: &[u8]) -> Constant {
        self.ast.bytes.push(value.into());
        Constant::Bytes(self.ast.bytes.len() as u32 - 1)
    }

    /// What is built so far, to look at a node that was just added.
    pub fn ast(&self) -> &Ast {
        &self.ast
    }
}

/// Text is limited to 4 GiB and a node takes at least one byte of it, so the index fits.
fn id(index: usize) -> NonZeroU32 {
    u32::try_from(index)
        .ok()
        .and_then(NonZeroU32::new)
        .expect("a text below 4 GiB has fewer nodes than bytes")
}
