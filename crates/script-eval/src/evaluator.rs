//! The state of an evaluation.

use std::rc::Rc;

use tvmscript_ir_core::{SourceId, Span, Str, Token};
use tvmscript_python_syntax::ast::{
    Ast, Expr, ExprId, HasRange, List, Listed, Name, Stmt, StmtId, TextRange,
};
use tvmscript_script_value::ScriptValue;

use crate::diagnostics::Diagnostics;
use crate::errors::ParseError;
use crate::eval::{Env, Explorer, Placeholder};
use crate::program::Program;
use crate::rules::Mode;

/// The state of an evaluation: where in the text it is, the variables around it, the mistakes so far.
///
/// A [`Host`](crate::Host) owns one and dereferences to it.
pub struct Evaluator {
    /// What all evaluators of the text share.
    pub program: Rc<Program>,
    /// The syntax tree of the text.
    pub ast: Rc<Ast>,
    /// The variables of the host code that runs, or that is around the script body.
    pub(crate) env: Option<Rc<Env>>,
    /// Whether host code runs: names are those of `env` then, not those of the script body.
    pub in_env: bool,
    /// The rules under which code is read.
    pub token: Token,
    /// The rules that operators follow.
    pub mode: Mode,
    /// Errors, warnings and notes so far.
    pub diagnostics: Diagnostics,
    /// Names as strings of IR, made once.
    strs: Vec<Option<Str>>,
    /// Whether what cannot be evaluated becomes a [`Placeholder`] instead of an error. Hosts set it for code around scripts,
    /// and clear it in code that a script runs.
    pub tolerant: bool,
    /// The value of the expression that failed because it is not known.
    pub(crate) pending: Option<Placeholder>,
    /// The values of the generator that runs.
    pub(crate) yielded: Option<Vec<ScriptValue>>,
    /// Whether those are too many: what runs is left.
    pub(crate) is_overfull: bool,
    /// The statement of host code that runs.
    pub(crate) statement: Option<TextRange>,
    /// Whether the decorators of a definition of host code are evaluated.
    pub(crate) in_decorator: bool,
    /// The path of the function or class that runs; empty at module level.
    pub(crate) path: Rc<str>,
    /// Number of functions and classes in that path.
    pub depth: u32,
    /// What is known of host code that the file does not run.
    pub(crate) explorer: Explorer,
    /// Whether the class body that runs is of a class that compares scripts.
    pub(crate) compares: bool,
    /// An `import *` of a module that is not evaluated.
    pub(crate) star_import: Option<TextRange>,
    /// The value of the last expression statement of host code.
    pub last_value: Option<ScriptValue>,
}

impl Evaluator {
    /// The state at the beginning of a program.
    pub fn new(program: Rc<Program>) -> Evaluator {
        let diagnostics = Diagnostics::new(program.budget.max_errors());
        Evaluator {
            ast: program.ast.clone(),
            program,
            env: None,
            in_env: false,
            token: Token::DEFAULT,
            mode: Mode::Host,
            diagnostics,
            strs: Vec::new(),
            tolerant: false,
            pending: None,
            yielded: None,
            is_overfull: false,
            statement: None,
            in_decorator: false,
            path: "".into(),
            depth: 0,
            explorer: Explorer::default(),
            compares: false,
            star_import: None,
            last_value: None,
        }
    }

    /// The syntax tree of the text. Cheap: it is shared.
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

    /// The text of a name as a string of IR; made once per name.
    pub fn name_str(&mut self, name: Name) -> Str {
        let index = name.index();
        if self.strs.len() <= index {
            self.strs.resize(self.ast.name_count().max(index + 1), None);
        }
        self.strs[index].get_or_insert_with(|| Str::new(self.ast.name(name))).clone()
    }

    /// Where something stands in the text.
    pub fn range(&self, of: impl HasRange) -> TextRange {
        self.ast.range(of)
    }

    /// The span of something in the text, for nodes.
    pub fn span(&self, of: impl HasRange) -> Span {
        self.span_of(self.ast.range(of))
    }

    /// The span of bytes of the text.
    pub fn span_of(&self, range: TextRange) -> Span {
        Span::range(self.program.source, range.start, range.end)
    }

    /// The source that spans name.
    pub fn source(&self) -> SourceId {
        self.program.source
    }

    /// The path of a name that is defined here.
    pub fn path_of(&self, name: Name) -> String {
        let name = self.ast.name(name);
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Remembers a statement that was cut out: names in it are not called undefined.
    pub fn note_invalid(&mut self, id: StmtId) {
        let range = self.ast.range(id);
        self.diagnostics.failures += 1;
        self.diagnostics.invalid.push(range);
    }

    /// Takes the warnings and notes so far, including those of functions that other code called back.
    pub fn take_warnings(&mut self) -> Vec<ParseError> {
        let mut warnings = std::mem::take(&mut self.diagnostics.warnings);
        warnings.append(&mut self.program.inner_warnings.borrow_mut());
        warnings
    }

    /// Whether mistakes are expected in the code that runs.
    pub fn expects_failure(&self) -> bool {
        self.explorer.may_fail > 0
    }
}
