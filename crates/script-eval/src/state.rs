//! The state of an evaluation.

use std::rc::Rc;

use tvmscript_ir_core::{SourceId, Span, SpanKind, Str};
use tvmscript_python_syntax::ast::{
    Ast, Expr, ExprId, HasRange, List, Listed, Name, Stmt, StmtId, TextRange,
};
use tvmscript_script_value::ScriptValue;

use crate::diagnostics::Diagnostics;
use crate::errors::EvalError;
use crate::eval::{Env, Explorer, Placeholder};
use crate::host::Mode;
use crate::position::{Position, Run};
use crate::program::Program;

/// The state of an evaluation: position, variables and diagnostics.
///
/// An [`Evaluator`](crate::Evaluator) owns one, beside its host; code that evaluates borrows both as an
/// [`Eval`](crate::Eval).
pub struct EvalState {
    /// State shared by all evaluators of the text.
    pub program: Rc<Program>,
    /// The syntax tree of the text.
    pub ast: Rc<Ast>,
    /// Variables of the running host code, or of the code around the script body.
    pub(crate) env: Option<Rc<Env>>,
    /// The position of the evaluation.
    position: Position,
    /// Errors, warnings and notes so far.
    pub diagnostics: Diagnostics,
    /// Cache of names as IR strings.
    strs: Vec<Option<Str>>,
    /// The placeholder of the expression that just failed.
    pub(crate) pending: Option<Placeholder>,
    /// The running statement of host code.
    pub(crate) statement: Option<TextRange>,
    /// Path of the running function or class; empty at module level.
    pub(crate) path: Rc<str>,
    /// Number of functions and classes in the path.
    pub(crate) depth: u32,
    /// State of the exploration of host code.
    pub(crate) explorer: Explorer,
    /// `true` inside the body of a comparing test class.
    pub(crate) compares: bool,
    /// An `import *` of an unknown module.
    pub(crate) star_import: Option<TextRange>,
    /// The value of the last expression statement of host code.
    pub(crate) last_value: Option<ScriptValue>,
}

impl EvalState {
    /// The initial state for a program.
    pub fn new(program: Rc<Program>) -> EvalState {
        let diagnostics = Diagnostics::new(program.budget.max_errors());
        EvalState {
            ast: program.ast.clone(),
            program,
            env: None,
            position: Position::Module(Run::Strict),
            diagnostics,
            strs: Vec::new(),
            pending: None,
            statement: None,
            path: "".into(),
            depth: 0,
            explorer: Explorer::default(),
            compares: false,
            star_import: None,
            last_value: None,
        }
    }

    /// The position of the evaluation.
    #[inline]
    pub fn position(&self) -> Position {
        self.position
    }

    /// Moves to another position and returns the one before, to move back to.
    #[inline]
    pub fn move_to(&mut self, position: Position) -> Position {
        std::mem::replace(&mut self.position, position)
    }

    /// Moves to a position relative to this one and returns this one, to move back to.
    #[inline]
    pub fn move_by(&mut self, to: impl FnOnce(Position) -> Position) -> Position {
        self.move_to(to(self.position))
    }

    /// Tests whether failures become [`Placeholder`]s instead of errors.
    #[inline]
    pub(crate) fn is_tolerant(&self) -> bool {
        self.position.is_tolerant()
    }

    /// Tests whether the code runs only for the scripts in it.
    #[inline]
    pub(crate) fn is_exploring(&self) -> bool {
        self.position.is_exploring()
    }

    /// Tests whether names resolve in the environment of host code, not in a script body.
    #[inline]
    pub(crate) fn is_local(&self) -> bool {
        self.position.is_local()
    }

    /// The rules for operators.
    #[inline]
    pub(crate) fn mode(&self) -> Mode {
        self.position.mode()
    }

    /// Number of functions and classes around the running code.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Takes the value of the last expression statement of host code.
    pub fn take_last_value(&mut self) -> Option<ScriptValue> {
        self.last_value.take()
    }

    /// The syntax tree of the text, shared.
    pub fn ast(&self) -> Rc<Ast> {
        self.ast.clone()
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> Stmt {
        *self.ast.stmt(id)
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        *self.ast.expr(id)
    }

    /// The element of a list of the tree.
    pub fn item<T: Listed>(&self, list: List<T>, index: usize) -> Option<T> {
        self.ast.list(list).get(index).copied()
    }

    /// The text of a name.
    pub fn name_text(&self, name: Name) -> &str {
        self.ast.name(name)
    }

    /// The text of a name as an IR string, cached.
    pub fn name_str(&mut self, name: Name) -> Str {
        let index = name.index();
        if self.strs.len() <= index {
            self.strs.resize(self.ast.name_count().max(index + 1), None);
        }
        let new = || Str::new(self.ast.name(name));
        self.strs.get_mut(index).map_or_else(new, |known| known.get_or_insert_with(new).clone())
    }

    /// The range of a syntax element.
    pub fn range(&self, of: impl HasRange) -> TextRange {
        self.ast.range(of)
    }

    /// The span of a syntax element.
    pub fn span(&self, of: impl HasRange) -> Span {
        self.span_of(self.ast.range(of))
    }

    /// Makes the span of a syntax element the current one.
    #[inline]
    pub(crate) fn point_at(&self, of: impl HasRange) {
        self.program.point_at(self.ast.range(of));
    }

    /// The place in the text at which the current value is used, for functions that do not know their call.
    pub(crate) fn current_range(&self) -> TextRange {
        match Span::current().kind() {
            SpanKind::Range { source, start_bytes, end_bytes } if source == self.program.source => {
                TextRange { start: start_bytes, end: end_bytes }
            }
            _ => TextRange::default(),
        }
    }

    /// The span of nodes that a byte range makes: the range, or what a marker states; inside a helper that a script
    /// calls, a call site.
    #[inline]
    pub(crate) fn span_of(&self, range: TextRange) -> Span {
        let program = &self.program;
        if program.spans.are_plain.get() {
            return Span::range(program.source, range.start, range.end);
        }
        program.unusual_span(range)
    }

    /// The source of spans.
    pub fn source(&self) -> SourceId {
        self.program.source
    }

    /// The path of a name defined here.
    pub fn path_of(&self, name: Name) -> String {
        let name = self.ast.name(name);
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Records a statement with syntax errors, so that names in it are not reported as undefined.
    pub fn note_invalid(&mut self, id: StmtId) {
        let range = self.ast.range(id);
        self.diagnostics.failures += 1;
        self.diagnostics.add_invalid(range, self.program.text_of(range));
    }

    /// Takes the warnings and notes so far, including those of functions that other code called back.
    pub fn take_warnings(&mut self) -> Vec<EvalError> {
        let mut warnings = std::mem::take(&mut self.diagnostics.warnings);
        warnings.append(&mut self.program.inner_warnings.borrow_mut());
        warnings
    }

    /// Tests whether errors are expected in the running code.
    pub fn expects_failure(&self) -> bool {
        self.explorer.may_fail > 0
    }
}
