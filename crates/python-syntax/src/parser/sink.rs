//! Construction of the tree, shared by all parsers.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use super::edits::Edits;
use super::error::{SyntaxError, SyntaxErrorKind};
use crate::ast::{
    AstBuilder, Clause, Expr, ExprId, ExprKind, List, Name, Stmt, StmtId, TextRange, Unsupported,
    UnsupportedStmt,
};

/// Adds the nodes of one piece: maps positions of the parsed text to the piece, interns names, checks targets and
/// parameters, and holds open lists.
pub(super) struct Sink<'a> {
    pub(super) ast: &'a mut AstBuilder,
    /// The parsed text.
    pub(super) text: &'a str,
    pub(super) edits: &'a Edits,
    pub(super) errors: &'a mut Vec<SyntaxError>,
    /// Start of the piece in the whole text.
    pub(super) base: u32,
    pub(super) frame: Frame,
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    /// `true` if an identifier differs from its normalised form.
    has_normalised: bool,
}

/// Relation of the parsed text to the piece if it is only a part of it.
#[derive(Default)]
pub(super) struct Frame {
    /// Added to positions, modulo 2^32.
    pub(super) shift: u32,
    /// `true` if the text is one `if` around the statements.
    pub(super) is_nested: bool,
    /// Block that replaces the placeholder body of the statement.
    pub(super) body: Option<List<StmtId>>,
}

/// The entries of a stack above a mark.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "a mark is an earlier length of the stack, which was not shorter since"
)]
fn above<T>(stack: &[T], mark: usize) -> &[T] {
    &stack[mark..]
}

impl<'a> Sink<'a> {
    pub(super) fn new(
        ast: &'a mut AstBuilder,
        text: &'a str,
        edits: &'a Edits,
        errors: &'a mut Vec<SyntaxError>,
        base: u32,
    ) -> Self {
        Sink {
            ast,
            text,
            edits,
            errors,
            base,
            frame: Frame::default(),
            exprs: Vec::new(),
            stmts: Vec::new(),
            has_normalised: false,
        }
    }

    /// Sets the frame.
    pub(super) fn framed(self, frame: Frame) -> Self {
        Sink { frame, ..self }
    }

    /// Maps a position of the text to the piece.
    #[inline]
    fn at(&self, pos: u32) -> u32 {
        self.edits.original(pos).wrapping_add(self.frame.shift)
    }

    /// Maps an end position of the text to the piece.
    #[inline]
    fn end_at(&self, pos: u32) -> u32 {
        self.edits.original_end(pos).wrapping_add(self.frame.shift)
    }

    #[inline]
    pub(super) fn expr(&mut self, expr: Expr, start: u32, end: u32) -> ExprId {
        if self.edits.is_empty() {
            let shift = self.frame.shift;
            self.ast.expr(expr, start.wrapping_add(shift), end.wrapping_add(shift))
        } else {
            self.ast.expr(expr, self.at(start), self.at(end))
        }
    }

    /// Adds a statement, or [`Stmt::Invalid`] if it is a placeholder.
    #[inline]
    pub(super) fn stmt(&mut self, stmt: Stmt, start: u32, end: u32) -> StmtId {
        let is_cut = !self.edits.is_empty() && self.edits.is_placeholder(start);
        let stmt = if is_cut { Stmt::Invalid } else { stmt };
        self.ast.stmt(stmt, self.at(start), self.end_at(end))
    }

    /// Adds the statement without its `async` or `*`, and returns the unsupported statement.
    pub(super) fn unsupported(&mut self, kind: Unsupported, plain: Stmt, (start, end): (u32, u32)) -> Stmt {
        if matches!(plain, Stmt::Invalid | Stmt::Unsupported(_)) {
            return plain;
        }
        let plain = Some(self.stmt(plain, start, end));
        Stmt::Unsupported(UnsupportedStmt { kind, plain })
    }

    pub(super) fn place(&self, start: u32, end: u32) -> crate::ast::PieceRange {
        self.ast.place(self.at(start), self.at(end))
    }

    #[inline]
    pub(super) fn name(&mut self, text: &str) -> Name {
        self.ast.name(text)
    }

    /// Interns an identifier in normalised form (NFKC), in which Python compares identifiers.
    #[inline]
    pub(super) fn identifier(&mut self, text: &str) -> Name {
        if text.is_ascii() { self.ast.name(text) } else { self.normalised(text) }
    }

    #[cold]
    fn normalised(&mut self, text: &str) -> Name {
        let normal: String = text.nfkc().collect();
        self.has_normalised |= normal != text;
        self.ast.name(&normal)
    }

    /// Interns the identifier at a range.
    #[cfg(feature = "ruff")]
    #[inline]
    pub(super) fn source_name(&mut self, (start, end): (u32, u32)) -> Name {
        let text = self.text.get(start as usize..end as usize).unwrap_or_default();
        self.identifier(text)
    }

    /// Reports parameters of the same name.
    pub(super) fn check_parameters(&mut self, parameters: &[crate::ast::Parameter]) {
        let mut seen = HashSet::with_capacity(parameters.len());
        for parameter in parameters {
            if !seen.insert(parameter.name) {
                let range = self.ast.ast().range(parameter.place);
                let name = self.ast.ast().name(parameter.name).into();
                self.error_at(SyntaxErrorKind::DuplicateParameter { name }, range);
            }
        }
    }

    /// Reports keyword arguments whose names are equal after normalisation. The parsers compare unnormalised names.
    pub(super) fn check_keywords(&mut self, keywords: &[crate::ast::Keyword]) {
        if !self.has_normalised {
            return;
        }
        let mut seen = HashSet::with_capacity(keywords.len());
        for keyword in keywords {
            let Some(arg) = keyword.arg else { continue };
            if !seen.insert(arg) {
                let range = self.ast.ast().range(keyword.place);
                let name = self.ast.ast().name(arg).into();
                self.error_at(SyntaxErrorKind::DuplicateKeyword { name }, range);
            }
        }
    }

    #[cfg(feature = "ruff")]
    pub(super) fn error(&mut self, kind: SyntaxErrorKind, start: u32, end: u32) {
        let (start, end) = (self.base + self.at(start), self.base + self.end_at(end));
        self.error_at(kind, TextRange::new(start, end));
    }

    fn error_at(&mut self, kind: SyntaxErrorKind, range: TextRange) -> &mut SyntaxError {
        self.errors.push(SyntaxError::new(kind, range));
        self.errors.last_mut().expect("just pushed")
    }

    #[inline]
    pub(super) fn open_exprs(&self) -> usize {
        self.exprs.len()
    }

    #[inline]
    pub(super) fn push_expr(&mut self, id: ExprId) {
        self.exprs.push(id);
    }

    #[inline]
    pub(super) fn close_exprs(&mut self, mark: usize) -> List<ExprId> {
        let list = self.ast.list(above(&self.exprs, mark));
        self.exprs.truncate(mark);
        list
    }

    pub(super) fn open_stmts(&self) -> usize {
        self.stmts.len()
    }

    pub(super) fn push_stmt(&mut self, id: StmtId) {
        self.stmts.push(id);
    }

    pub(super) fn close_stmts(&mut self, mark: usize) -> List<StmtId> {
        let list = self.ast.list(above(&self.stmts, mark));
        self.stmts.truncate(mark);
        list
    }

    /// A clause of an `if`, from its keyword to the end of its body.
    pub(super) fn clause(&mut self, test: ExprId, body: List<StmtId>, start: u32) -> Clause {
        let ast = self.ast.ast();
        let end = ast.stmts(body).last().map_or(0, |&last| ast.range(last).end);
        let start = self.at(start);
        Clause { test, body, place: self.ast.place(start, end.saturating_sub(self.base)) }
    }

    /// Reports targets that cannot be assigned to. Returns `true` if there are none.
    pub(super) fn check_targets(&mut self, targets: List<ExprId>) -> bool {
        let mut ok = true;
        for index in 0..targets.len() {
            let Some(&target) = self.ast.ast().exprs(targets).get(index) else { break };
            ok &= self.check_target(target);
        }
        ok
    }

    /// Checks a target of an assignment or loop.
    #[inline]
    pub(super) fn check_target(&mut self, target: ExprId) -> bool {
        match self.ast.ast().expr(target) {
            Expr::Name(_) | Expr::Subscript { .. } | Expr::Attribute { .. } => true,
            Expr::Starred { .. } => {
                let range = self.ast.ast().range(target);
                let name = &self.text_of(range);
                let help = format!("write `{name},` to bind a list of the rest");
                let error = self.error_at(SyntaxErrorKind::StarredTarget, range);
                error.help = Some(help.into());
                error.fix = Some((TextRange::at(error.range.end), ",".into()));
                false
            }
            _ => self.check_compound_target(target),
        }
    }

    fn text_of(&self, range: TextRange) -> String {
        let place = |at: u32| self.edits.edited((at - self.base).wrapping_sub(self.frame.shift)) as usize;
        let (start, end) = (place(range.start), place(range.end));
        self.text.get(start..end).unwrap_or_default().to_owned()
    }

    #[cold]
    fn check_compound_target(&mut self, target: ExprId) -> bool {
        let mut work = vec![target];
        let mut ok = true;
        while let Some(id) = work.pop() {
            let ast = self.ast.ast();
            match *ast.expr(id) {
                Expr::Name(_) | Expr::Subscript { .. } | Expr::Attribute { .. } => {}
                Expr::Tuple { elts } | Expr::List { elts } => work.extend(ast.exprs(elts).iter().rev()),
                Expr::Starred { value } => work.push(value),
                ref other => {
                    let what = describe(other.kind());
                    let range = ast.range(id);
                    let compare = matches!(other.kind(), ExprKind::Compare);
                    let error = self.error_at(SyntaxErrorKind::InvalidTarget { what }, range);
                    if compare {
                        error.help = Some("`==` compares, `=` assigns".into());
                    }
                    ok = false;
                }
            }
        }
        ok
    }

    /// Checks the target of `op=` or of an annotation, which must be a single one.
    pub(super) fn check_single_target(&mut self, target: ExprId) -> bool {
        match self.ast.ast().expr(target).kind() {
            ExprKind::Name | ExprKind::Subscript | ExprKind::Attribute => true,
            other => {
                let range = self.ast.ast().range(target);
                self.error_at(SyntaxErrorKind::InvalidTarget { what: describe(other) }, range);
                false
            }
        }
    }
}

fn describe(kind: ExprKind) -> &'static str {
    match kind {
        ExprKind::BoolOp | ExprKind::BinOp | ExprKind::UnaryOp => "an operation",
        ExprKind::Compare => "a comparison",
        ExprKind::Lambda => "a lambda",
        ExprKind::IfExp => "a conditional",
        ExprKind::Dict => "a dict",
        ExprKind::Set => "a set",
        ExprKind::ListComp | ExprKind::SetComp | ExprKind::DictComp => "a comprehension",
        ExprKind::GeneratorExp => "a generator",
        ExprKind::Await => "an `await`",
        ExprKind::Yield | ExprKind::YieldFrom => "a `yield`",
        ExprKind::Call => "a call",
        ExprKind::FormattedValue | ExprKind::JoinedStr => "an f-string",
        ExprKind::Constant => "a literal",
        ExprKind::NamedExpr => "a `:=`",
        ExprKind::Attribute => "an attribute",
        ExprKind::Subscript => "a subscript",
        ExprKind::Starred => "a starred expression",
        ExprKind::Name => "a name",
        ExprKind::List => "a list",
        ExprKind::Tuple => "a tuple",
        ExprKind::Slice => "a slice",
    }
}
