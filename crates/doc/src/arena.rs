//! The arena that holds the docs of one print.
//!
//! Docs are small `Copy` records in vectors: no allocation per doc, no recursion on drop. Lists are ranges of side
//! vectors, strings are interned. Builder methods are in [`build_expr`](crate::build_expr) and
//! [`build_stmt`](crate::build_stmt).
//!
//! An arena has a limit, because a graph with shared nodes can unfold to exponentially many docs. Builder methods
//! return a plain id and cannot fail, so beyond the limit they return a placeholder; [`DocArena::check`] reports it,
//! and printing fails.

use std::num::NonZeroU32;

use hashbrown::HashMap;
use tvmscript_ir_core::{Limits, PathId, PathStep, PathTable, fallible};

use crate::dense::{at, at_mut, run};
use crate::error::DocError;
use crate::expr::{ByteText, Call, CallId, Expr, ExprDoc, ExprList, KwargList, ScriptFnId};
use crate::margin::Margin;
use crate::stmt::{DocRef, Function, FunctionId, Stmt, StmtDoc, StmtList, StmtRole};
use crate::sym::{Name, Sym, Symbols};

/// The docs of one print.
#[derive(Debug)]
pub struct DocArena {
    pub(crate) symbols: Symbols,
    exprs: Vec<Expr>,
    stmts: Vec<Stmt>,
    stmt_notes: Vec<StmtNote>,
    expr_items: Vec<ExprDoc>,
    stmt_items: Vec<StmtDoc>,
    /// Start and end of each statement list in `stmt_items`; the empty list comes first.
    stmt_runs: Vec<(u32, u32)>,
    kwargs: Vec<(Sym, ExprDoc)>,
    calls: Vec<Call>,
    functions: Vec<Function>,
    bytes: Vec<u8>,
    expr_paths: Vec<Option<PathId>>,
    stmt_paths: Vec<Option<PathId>>,
    more_paths: HashMap<DocRef, Vec<PathId>>,
    pub(crate) margins: HashMap<StmtDoc, Margin>,
    paths: PathTable,
    max_docs: u32,
    full: bool,
    max_text_bytes: usize,
    /// Bytes of long texts that may still be added.
    text_bytes_left: usize,
    has_too_much_text: bool,
}

/// Texts up to this length are not counted: the number of docs bounds them.
const SHORT_TEXT_BYTES: usize = 256;

/// Properties of a statement besides its syntax.
#[derive(Debug, Clone, Copy, Default)]
struct StmtNote {
    comment: Option<Sym>,
    role: StmtRole,
    chained: bool,
}

/// The doc that builder methods return if the arena is full.
const PLACEHOLDER: NonZeroU32 = NonZeroU32::MIN;

impl Default for DocArena {
    fn default() -> Self {
        Self::new()
    }
}

impl DocArena {
    /// Default limit for expressions and for statements. A doc takes 50 to 100 bytes including its operands.
    pub const DEFAULT_MAX_DOCS: u32 = Limits::DEFAULT.max_docs;

    /// Creates an empty arena with the default limit.
    pub fn new() -> Self {
        Self::with_max_docs(Self::DEFAULT_MAX_DOCS)
    }

    /// Creates an empty arena for at most `max_docs` expressions and as many statements.
    pub fn with_max_docs(max_docs: u32) -> Self {
        let mut arena = Self {
            symbols: Symbols::default(),
            exprs: Vec::new(),
            stmts: Vec::new(),
            stmt_notes: Vec::new(),
            expr_items: Vec::new(),
            stmt_items: Vec::new(),
            stmt_runs: Vec::new(),
            kwargs: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            bytes: Vec::new(),
            expr_paths: Vec::new(),
            stmt_paths: Vec::new(),
            more_paths: HashMap::new(),
            margins: HashMap::new(),
            paths: PathTable::new(),
            max_docs: max_docs.min(u32::MAX - 2),
            full: false,
            max_text_bytes: usize::MAX,
            text_bytes_left: usize::MAX,
            has_too_much_text: false,
        };
        arena.seed();
        arena
    }

    /// Limits the sum of all long texts to `max_bytes`, each counted as often as it is added, so that a print of a few
    /// texts that recur many times fails before it is written.
    pub fn limit_text(&mut self, max_bytes: usize) {
        self.max_text_bytes = max_bytes;
        self.text_bytes_left = max_bytes;
    }

    /// Charges a text; `false` if the sum exceeds the limit.
    #[cold]
    fn charge_text(&mut self, bytes: usize) -> bool {
        match self.text_bytes_left.checked_sub(bytes) {
            Some(left) => {
                self.text_bytes_left = left;
                true
            }
            None => {
                self.text_bytes_left = 0;
                self.full = true;
                self.has_too_much_text = true;
                false
            }
        }
    }

    /// Reserves index 0, so that ids are never zero, and index 1 for the placeholder.
    fn seed(&mut self) {
        self.exprs.extend([Expr::None; 2]);
        self.stmts.extend([Stmt::Comment; 2]);
        self.stmt_notes.extend([StmtNote::default(); 2]);
        self.stmt_runs.push((0, 0));
    }

    /// Number of expressions and statements.
    pub fn doc_count(&self) -> usize {
        self.exprs.len() + self.stmts.len() - 4
    }

    /// Checks that no placeholder was returned.
    ///
    /// # Errors
    /// [`DocError::Full`] or [`DocError::TooMuchText`] if a limit was reached.
    pub fn check(&self) -> Result<(), DocError> {
        match (self.full, self.has_too_much_text) {
            (false, _) => Ok(()),
            (true, false) => Err(DocError::Full { limit: self.max_docs }),
            (true, true) => Err(DocError::TooMuchText { max_bytes: self.max_text_bytes }),
        }
    }

    // --- access ----------------------------------------------------------------------------------------------

    /// The expression of a doc.
    #[inline]
    pub fn expr(&self, doc: ExprDoc) -> Expr {
        *at(&self.exprs, doc.0.get())
    }

    /// The expression of a doc by reference, so that matching copies only the fields in use.
    #[inline]
    pub(crate) fn expr_ref(&self, doc: ExprDoc) -> &Expr {
        at(&self.exprs, doc.0.get())
    }

    /// The statement of a doc.
    #[inline]
    pub fn stmt(&self, doc: StmtDoc) -> Stmt {
        *at(&self.stmts, doc.0.get())
    }

    /// The docs of a list.
    #[inline]
    pub fn items(&self, list: ExprList) -> &[ExprDoc] {
        run(&self.expr_items, list.start, list.len)
    }

    /// The expression at an index of the vector that all lists share.
    #[inline]
    pub(crate) fn item(&self, position: u32) -> ExprDoc {
        *at(&self.expr_items, position)
    }

    /// The statement at an index of the vector that all lists share.
    #[inline]
    pub(crate) fn stmt_item(&self, position: u32) -> StmtDoc {
        *at(&self.stmt_items, position)
    }

    /// Start and end of a list in the vector that all lists share.
    #[inline]
    pub(crate) fn stmt_run(&self, list: StmtList) -> (u32, u32) {
        *at(&self.stmt_runs, list.0)
    }

    /// The docs of a list.
    #[inline]
    pub fn stmts(&self, list: StmtList) -> &[StmtDoc] {
        let (start, end) = self.stmt_run(list);
        run(&self.stmt_items, start, end - start)
    }

    /// The callee and arguments of a call.
    #[inline]
    pub fn call_of(&self, call: CallId) -> &Call {
        at(&self.calls, call.0)
    }

    /// The keyword arguments of a list.
    #[inline]
    pub fn kwargs(&self, list: KwargList) -> &[(Sym, ExprDoc)] {
        run(&self.kwargs, list.start, list.len)
    }

    /// The components of a function definition.
    #[inline]
    pub fn function_of(&self, function: FunctionId) -> &Function {
        at(&self.functions, function.0)
    }

    /// The text of a symbol.
    #[inline]
    pub fn text(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    /// The bytes of a literal.
    pub fn byte_text(&self, bytes: ByteText) -> &[u8] {
        run(&self.bytes, bytes.start, bytes.len)
    }

    /// The symbol, if `doc` is a name.
    pub fn sym_of(&self, doc: ExprDoc) -> Option<Sym> {
        if let Expr::Id(name) = self.expr(doc) { Some(name) } else { None }
    }

    /// The text, if `doc` is a name.
    pub fn name_of(&self, doc: ExprDoc) -> Option<&str> {
        if let Expr::Id(name) = self.expr(doc) { Some(self.text(name)) } else { None }
    }

    /// The comment of a statement; for `Comment` and `DocString` the text itself.
    pub fn comment_of(&self, stmt: StmtDoc) -> Option<&str> {
        self.comment_sym(stmt).map(|sym| self.text(sym))
    }

    #[inline]
    pub(crate) fn comment_sym(&self, stmt: StmtDoc) -> Option<Sym> {
        at(&self.stmt_notes, stmt.0.get()).comment
    }

    /// The name of a function or class.
    pub fn definition_name(&self, stmt: StmtDoc) -> Option<ExprDoc> {
        match self.stmt(stmt) {
            Stmt::Function(function) => Some(self.function_of(function).name),
            Stmt::Class { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The role of a statement.
    pub fn role_of(&self, stmt: StmtDoc) -> StmtRole {
        at(&self.stmt_notes, stmt.0.get()).role
    }

    /// The access paths of a doc, in the order in which they were added.
    pub fn paths_of(&self, doc: impl Into<DocRef>) -> impl Iterator<Item = PathId> + '_ {
        let doc = doc.into();
        let first = match doc {
            DocRef::Expr(doc) => self.expr_paths.get(doc.0.get() as usize),
            DocRef::Stmt(doc) => self.stmt_paths.get(doc.0.get() as usize),
        };
        let first = first.copied().flatten();
        let more =
            if first.is_some() && !self.more_paths.is_empty() { self.more_paths.get(&doc) } else { None };
        first.into_iter().chain(more.into_iter().flatten().copied())
    }

    /// All pairs of a doc and one of its access paths.
    pub fn docs_with_paths(&self) -> impl Iterator<Item = (DocRef, PathId)> + '_ {
        let id = |index: usize| NonZeroU32::new(index as u32);
        let exprs = self.expr_paths.iter().enumerate().filter(|(_, path)| path.is_some());
        let exprs = exprs.filter_map(move |(index, _)| Some(DocRef::Expr(ExprDoc(id(index)?))));
        let stmts = self.stmt_paths.iter().enumerate().filter(|(_, path)| path.is_some());
        let stmts = stmts.filter_map(move |(index, _)| Some(DocRef::Stmt(StmtDoc(id(index)?))));
        exprs.chain(stmts).flat_map(|doc| self.paths_of(doc).map(move |path| (doc, path)))
    }

    /// The table of the docs' paths.
    pub fn paths(&self) -> &PathTable {
        &self.paths
    }

    /// The path `step` below `parent`.
    #[inline]
    pub fn child_path(&mut self, parent: PathId, step: PathStep) -> PathId {
        self.paths.child(parent, step)
    }

    // --- modification ----------------------------------------------------------------------------------------

    /// Interns a string.
    #[inline]
    pub fn sym(&mut self, text: &str) -> Sym {
        let fits = text.len() <= SHORT_TEXT_BYTES || self.charge_text(text.len());
        if fits && let Some(sym) = self.symbols.intern(text) {
            return sym;
        }
        self.full = true;
        self.symbols.intern("").expect("the empty string needs no room")
    }

    /// Creates a mutable symbol with the text of another ([`DocArena::set_text`]).
    pub fn own_sym(&mut self, sym: Sym) -> Sym {
        match self.symbols.duplicate(sym) {
            Some(own) => own,
            None => {
                self.full = true;
                sym
            }
        }
    }

    /// Changes the text of a symbol made by [`DocArena::own_sym`], in all docs that hold it.
    pub fn set_text(&mut self, own: Sym, text: &str) {
        let text = self.sym(text);
        self.symbols.set(own, text);
    }

    /// Sets the comment of a statement, or removes it.
    pub fn set_comment(&mut self, stmt: StmtDoc, comment: Option<&str>) {
        let comment = comment.map(|text| self.sym(text));
        at_mut(&mut self.stmt_notes, stmt.0.get()).comment = comment;
    }

    /// Adds a line to the comment of a statement.
    pub fn add_comment(&mut self, stmt: StmtDoc, text: &str) {
        match self.comment_of(stmt) {
            Some(old) => {
                let joined = [old, text].join("\n");
                self.set_comment(stmt, Some(&joined));
            }
            None => self.set_comment(stmt, Some(text)),
        }
    }

    /// Sets the role of a statement.
    pub fn set_role(&mut self, stmt: StmtDoc, role: StmtRole) {
        at_mut(&mut self.stmt_notes, stmt.0.get()).role = role;
    }

    /// Allows an `if` that is alone in an else branch to print as `elif`, so that a long chain is not nested.
    pub fn set_chained(&mut self, stmt: StmtDoc) {
        at_mut(&mut self.stmt_notes, stmt.0.get()).chained = true;
    }

    /// The `if` of an else branch that prints as `elif`.
    pub(crate) fn chained(&self, else_branch: StmtList) -> Option<StmtDoc> {
        let [stmt] = self.stmts(else_branch) else { return None };
        let note = at(&self.stmt_notes, stmt.0.get());
        let is_if = matches!(self.stmt(*stmt), Stmt::If { .. });
        let is_bare = self.margin(*stmt).is_none_or(|m| m.above.is_empty() && m.below.is_empty());
        (note.chained && is_if && is_bare && note.comment.is_none()).then_some(*stmt)
    }

    /// Sets the script function of a call. Other docs are not changed.
    pub fn set_function(&mut self, doc: ExprDoc, function: ScriptFnId) {
        if let Expr::Call(call) = self.expr(doc) {
            at_mut(&mut self.calls, call.0).function = Some(function);
        }
    }

    /// Adds an access path to a doc: the part of the IR that its text stands for.
    pub fn add_path(&mut self, doc: impl Into<DocRef>, path: PathId) {
        let doc = doc.into();
        let (paths, index) = match doc {
            DocRef::Expr(doc) => (&mut self.expr_paths, doc.0.get() as usize),
            DocRef::Stmt(doc) => (&mut self.stmt_paths, doc.0.get() as usize),
        };
        if paths.len() <= index {
            if !fallible::reserve(paths, index + 1 - paths.len()) {
                self.full = true;
                return;
            }
            paths.resize(index + 1, None);
        }
        match at_mut(paths, index as u32) {
            slot @ None => *slot = Some(path),
            Some(first) if *first == path => {}
            Some(_) => {
                let more = self.more_paths.entry(doc).or_default();
                if !more.contains(&path) {
                    more.push(path);
                }
            }
        }
    }

    // --- storing ---------------------------------------------------------------------------------------------

    #[inline]
    pub(crate) fn push_expr(&mut self, expr: Expr) -> ExprDoc {
        let index = self.exprs.len() as u32;
        match NonZeroU32::new(index) {
            Some(id) if index - 2 < self.max_docs && fallible::push(&mut self.exprs, expr) => ExprDoc(id),
            _ => {
                self.full = true;
                ExprDoc(PLACEHOLDER)
            }
        }
    }

    #[inline]
    pub(crate) fn push_stmt(&mut self, stmt: Stmt, role: StmtRole) -> StmtDoc {
        let index = self.stmts.len() as u32;
        match NonZeroU32::new(index) {
            Some(id) if index - 2 < self.max_docs && fallible::reserve(&mut self.stmts, 1) => {
                if !fallible::push(&mut self.stmt_notes, StmtNote { comment: None, role, chained: false }) {
                    self.full = true;
                    return StmtDoc(PLACEHOLDER);
                }
                self.stmts.push(stmt);
                StmtDoc(id)
            }
            _ => {
                self.full = true;
                StmtDoc(PLACEHOLDER)
            }
        }
    }

    /// The position of a list of `len` elements appended to a vector of length `old`; `None` if full.
    #[inline]
    fn run(&mut self, old: usize, len: usize) -> Option<(u32, u32)> {
        let end = old.saturating_add(len);
        if end > u32::MAX as usize || self.full {
            self.full = true;
            return None;
        }
        Some((old as u32, len as u32))
    }

    #[inline]
    pub(crate) fn push_list(&mut self, docs: impl ExactSizeIterator<Item = ExprDoc>) -> ExprList {
        let Some((start, len)) = self.run(self.expr_items.len(), docs.len()) else {
            return ExprList::default();
        };
        if !fallible::reserve(&mut self.expr_items, docs.len()) {
            self.full = true;
            return ExprList::default();
        }
        self.expr_items.extend(docs);
        ExprList { start, len }
    }

    #[inline]
    pub(crate) fn push_pairs(&mut self, pairs: &[(ExprDoc, ExprDoc)]) -> ExprList {
        let room = self.run(self.expr_items.len(), pairs.len().saturating_mul(2));
        let Some((start, len)) = room else { return ExprList::default() };
        if !fallible::reserve(&mut self.expr_items, len as usize) {
            self.full = true;
            return ExprList::default();
        }
        self.expr_items.extend(pairs.iter().flat_map(|&(key, value)| [key, value]));
        ExprList { start, len }
    }

    #[inline]
    pub(crate) fn push_stmts(&mut self, docs: &[StmtDoc]) -> StmtList {
        if docs.is_empty() {
            return StmtList::default();
        }
        let (items, runs) = (self.stmt_items.len(), self.stmt_runs.len());
        let (Some((start, len)), Some((run, _))) = (self.run(items, docs.len()), self.run(runs, 1)) else {
            return StmtList::default();
        };
        let has_room = fallible::reserve(&mut self.stmt_items, docs.len())
            && fallible::push(&mut self.stmt_runs, (start, start + len));
        if !has_room {
            self.full = true;
            return StmtList::default();
        }
        self.stmt_items.extend_from_slice(docs);
        StmtList(run)
    }

    #[inline]
    pub(crate) fn push_kwargs<N: Name + Copy>(&mut self, pairs: &[(N, ExprDoc)]) -> KwargList {
        if pairs.is_empty() {
            return KwargList::default();
        }
        let Some((start, len)) = self.run(self.kwargs.len(), pairs.len()) else {
            return KwargList::default();
        };
        if !fallible::reserve(&mut self.kwargs, pairs.len()) {
            self.full = true;
            return KwargList::default();
        }
        for &(name, value) in pairs {
            let name = name.sym_in(self);
            self.kwargs.push((name, value));
        }
        KwargList { start, len }
    }

    #[inline]
    pub(crate) fn push_call(&mut self, call: Call) -> ExprDoc {
        let Some((index, _)) = self.run(self.calls.len(), 1) else { return ExprDoc(PLACEHOLDER) };
        if !fallible::push(&mut self.calls, call) {
            self.full = true;
            return ExprDoc(PLACEHOLDER);
        }
        self.push_expr(Expr::Call(CallId(index)))
    }

    pub(crate) fn push_function(&mut self, function: Function) -> StmtDoc {
        let Some((index, _)) = self.run(self.functions.len(), 1) else { return StmtDoc(PLACEHOLDER) };
        if !fallible::push(&mut self.functions, function) {
            self.full = true;
            return StmtDoc(PLACEHOLDER);
        }
        self.push_stmt(Stmt::Function(FunctionId(index)), StmtRole::Plain)
    }

    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> ExprDoc {
        let Some((start, len)) = self.run(self.bytes.len(), bytes.len()) else { return ExprDoc(PLACEHOLDER) };
        let fits = bytes.len() <= SHORT_TEXT_BYTES || self.charge_text(bytes.len());
        if !fits || !fallible::reserve(&mut self.bytes, bytes.len()) {
            self.full = true;
            return ExprDoc(PLACEHOLDER);
        }
        self.bytes.extend_from_slice(bytes);
        self.push_expr(Expr::Bytes(ByteText { start, len }))
    }
}
