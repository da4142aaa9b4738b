//! From a text to what its scripts build.
//!
//! [`parse_script`] reads a whole text: one script as it is printed, or a Python file with imports, helper functions and
//! several scripts. Module level is host code; a decorated function or class goes to its dialect's handler, in a builder
//! of its own. A [`Parser`] is what handlers work with: the tree, the evaluator, scopes, frames, errors.
//!
//! Invariant: a [`Reported`] exists only when an error was recorded, so a failed parse always says why.

mod bind;
mod define;
mod frames;
mod headers;
mod import;
mod literal;
mod module;
mod shared;
mod statements;
mod text;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tvmscript_ir_core::{Object, Registry, SourceId, Span, SpanKind, Str, TextProfile, Token};
use tvmscript_irbuilder::{ArgumentPart, ArgumentRef, BuildError, BuildErrorKind, ScriptValue};

pub use bind::Binder;
pub(crate) use define::Decorators;
pub use import::{Decorator, Namespace};
pub(crate) use import::{Module, ParserFunction};
pub(crate) use shared::Shared;

use crate::errors::{HostErrorKind, ParseError, ParseErrorKind, Reported, Result};
use crate::eval::{Env, Explorer, Placeholder, TYPE_NAME};
use crate::header::Header;
use crate::scope::Scopes;
use crate::table::{Mode, NodeRules};
use tvmscript_python_syntax::ast::{
    Ast, Expr, ExprId, HasRange, List, Listed, Name, Stmt, StmtId, TextRange,
};
use tvmscript_python_syntax::{PythonOptions, parse_python};

/// How to read scripts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseOptions {
    /// How to read the Python syntax.
    pub python: PythonOptions,
    /// How many steps evaluation may take, beyond one per expression of the text.
    pub max_steps: u64,
    /// How many bytes values of host code may take in all.
    pub max_memory_bytes: u64,
    /// How many bytes the nodes that a text builds may take, counting also those that are gone when it is read.
    pub max_node_bytes: u64,
    /// How deep calls of host functions may be nested.
    pub max_call_depth: u32,
    /// After how many errors to stop reading.
    pub max_errors: usize,
    /// The text is a fragment of this dialect: statements in no function, as one prints that is no function or module.
    pub fragment_of: Option<&'static str>,
    /// Id of the text profile, such as `family-1.0`; the registry's first one without.
    pub profile: Option<String>,
    /// What a text is read with as if a header in front of it said so; its own headers come after it.
    pub header: Header,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions {
            python: PythonOptions::default(),
            max_steps: 10_000_000,
            max_memory_bytes: 512 << 20,
            max_node_bytes: 1 << 30,
            max_call_depth: 1000,
            max_errors: 1000,
            fragment_of: None,
            profile: None,
            header: Header::default(),
        }
    }
}

/// One thing that a text builds.
#[derive(Debug, Clone)]
pub struct Script {
    /// The name of its definition; the path of one in functions or classes: `test_split.before`.
    pub name: Option<String>,
    /// The function, module or other node.
    pub node: Object,
    /// The statement that gives it its name: its definition, or the assignment of what a factory built.
    pub range: TextRange,
    /// Its decorated definition; the statement itself where there is none.
    pub definition: TextRange,
    /// Whether it is meant to be well-formed: its decorator does not say `check_well_formed=False`.
    pub is_checked: bool,
}

/// What a definition built.
pub(crate) struct Built {
    pub(crate) node: Object,
    pub(crate) is_checked: bool,
    /// The definition, or the statement that gives it a name further out.
    pub(crate) range: TextRange,
    /// The definition.
    pub(crate) definition: TextRange,
    /// The path of that name.
    pub(crate) path: String,
    /// How many functions and classes stand around that name.
    pub(crate) depth: u32,
    /// Whether it was taken down as a script.
    pub(crate) is_taken: bool,
}

/// A definition in a builder of its own; see [`Script::is_checked`].
pub(crate) struct Outermost {
    pub(crate) id: StmtId,
    pub(crate) is_checked: bool,
}

/// What was read from a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// What it builds, in order; what has errors is left out.
    pub scripts: Vec<Script>,
    /// All mistakes, in order of place.
    pub errors: Vec<ParseError>,
    /// Warnings and notes, in order of place: of host code that is not evaluated, of scripts that need arguments.
    pub warnings: Vec<ParseError>,
    /// The source that spans in the nodes name.
    pub source: SourceId,
    /// The number of statements that were read.
    pub statements: usize,
}

/// Reads a text. Never fails as a whole: see [`Parsed::errors`].
pub fn parse_script(source_name: &str, text: &str, registry: &Registry, options: &ParseOptions) -> Parsed {
    let parsed = parse_python(text, &options.python);
    let statements = parsed.ast.stmt_count();
    let source = SourceId::new(source_name);
    let (profile, unknown) = match registry.text_profile(options.profile.as_deref()) {
        Ok(profile) => (profile, None),
        Err(error) => (&TextProfile::PLAIN, Some(error)),
    };
    let shared = Shared::new(parsed.ast, text, source, registry, profile, options);
    let mut parser = Parser::new(Rc::new(shared), Some(registry));
    parser.errors.extend(parsed.errors.into_iter().map(ParseError::from));
    if let Some(error) = unknown {
        parser.errors.push(ParseError::new(ParseErrorKind::UnknownProfile(error), TextRange::at(0)));
    }
    let _reset = parser.begin_headers(&parsed.comments, &options.header);
    let span = Span::set_current(Span::UNKNOWN);
    match options.fragment_of {
        Some(dialect) => parser.fragment(dialect),
        None => parser.module(),
    }
    Span::set_current(span);
    let mut errors = std::mem::take(&mut parser.errors);
    let mut warnings = std::mem::take(&mut parser.warnings);
    let mut scripts = std::mem::take(&mut parser.scripts);
    scripts.sort_by_key(|script| script.range.start);
    if scripts.is_empty() && errors.is_empty() && !parser.met_script {
        let error = ParseError::new(ParseErrorKind::NoScript, TextRange::at(0));
        errors.push(match profile.examples.script() {
            Some(help) => error.with_help(help),
            None => error,
        });
    }
    for found in [&mut errors, &mut warnings] {
        found.sort_by_key(|e| (e.range().start, e.range().end));
        // A helper that is called twice makes the same mistake twice.
        found.dedup_by(|a, b| a.range() == b.range() && a.kind == b.kind);
    }
    parser.shared.close();
    Parsed { scripts, errors, warnings, source, statements }
}

/// What handlers work with while a text is read.
pub struct Parser<'r> {
    pub(crate) shared: Rc<Shared>,
    pub(crate) ast: Rc<Ast>,
    registry: Option<&'r Registry>,
    /// The headers that are still to come, and what the one that holds now has set.
    headers: headers::Headers,
    /// The variables of script bodies.
    pub(crate) scopes: Scopes,
    /// The variables of the host code that runs, or that is around the script body.
    pub(crate) env: Option<Rc<Env>>,
    /// Whether host code runs: names are those of `env` then, not those of the script body.
    pub(crate) in_env: bool,
    pub(crate) token: Token,
    pub(crate) mode: Mode,
    pub(crate) errors: Vec<ParseError>,
    pub(crate) warnings: Vec<ParseError>,
    /// Rules by type index, found once.
    rules: Vec<Option<NodeRules>>,
    /// Names as strings of IR, made once.
    strs: Vec<Option<Str>>,
    /// Attributes of namespaces by namespace and name, found once.
    pub(crate) namespace_cache: Vec<Vec<Option<ScriptValue>>>,
    pub(crate) scripts: Vec<Script>,
    /// The numbers of those that were found in functions and classes, by path and place.
    pub(crate) found: HashMap<(String, u32), usize>,
    /// What definitions built and no name of the module level stands for yet.
    pub(crate) built: Vec<Built>,
    /// The definition that is read in a builder of its own.
    pub(crate) outermost: Option<Outermost>,
    /// Whether a definition was read as a script, also one that is wrong and may be.
    pub(crate) met_script: bool,
    /// Whether host code runs that no script called: what it cannot evaluate is a placeholder.
    pub(crate) absorbs: bool,
    /// The value of the expression that failed because it is not known.
    pub(crate) pending: Option<Placeholder>,
    /// The values of the generator that runs.
    pub(crate) yielded: Option<Vec<ScriptValue>>,
    /// Whether those are too many: what runs is left.
    pub(crate) is_overfull: bool,
    /// What host code raised that may yet be caught.
    pub(crate) raised: Vec<ParseError>,
    /// The reasons that were warned of.
    pub(crate) warned: HashSet<String>,
    /// The statement of host code that runs.
    pub(crate) statement: Option<TextRange>,
    /// Whether the decorators of a definition of host code are evaluated.
    pub(crate) in_decorator: bool,
    /// The path of the function or class that runs; empty at module level.
    pub(crate) path: Rc<str>,
    /// How many functions and classes that is.
    pub(crate) depth: u32,
    /// What is known of host code that the file does not run.
    pub(crate) explorer: Explorer,
    /// Whether the class body that runs is of a class that compares scripts.
    pub(crate) compares: bool,
    /// An `import *` of a module that is not evaluated.
    pub(crate) star_import: Option<TextRange>,
    /// The value of the last expression statement of host code.
    pub(crate) last_value: Option<ScriptValue>,
    /// How many statements were visited.
    visited: u64,
    /// How many statements failed, silently or not: what they stand in has mistakes.
    pub(crate) failures: u64,
    /// Above zero in bodies whose frame could not be entered: what the builder says there is silent.
    lost: u32,
    /// Statements that could not be read: names they may have defined.
    pub(crate) invalid: Vec<TextRange>,
    /// Scopes that are over, with what makes names of theirs known behind them.
    pub(crate) explained: Vec<(TextRange, &'static str)>,
}

impl<'r> Parser<'r> {
    pub(crate) fn new(shared: Rc<Shared>, registry: Option<&'r Registry>) -> Parser<'r> {
        Parser {
            ast: shared.ast.clone(),
            shared,
            registry,
            headers: headers::Headers::default(),
            scopes: Scopes::default(),
            env: None,
            in_env: false,
            token: Token::DEFAULT,
            mode: Mode::Host,
            errors: Vec::new(),
            warnings: Vec::new(),
            rules: Vec::new(),
            strs: Vec::new(),
            namespace_cache: Vec::new(),
            scripts: Vec::new(),
            found: HashMap::new(),
            built: Vec::new(),
            outermost: None,
            met_script: false,
            absorbs: false,
            pending: None,
            yielded: None,
            is_overfull: false,
            raised: Vec::new(),
            warned: HashSet::new(),
            statement: None,
            in_decorator: false,
            path: "".into(),
            depth: 0,
            explorer: Explorer::default(),
            compares: false,
            star_import: None,
            last_value: None,
            visited: 0,
            failures: 0,
            lost: 0,
            invalid: Vec::new(),
            explained: Vec::new(),
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
        Span::range(self.shared.source, range.start, range.end)
    }

    /// The source that spans name.
    pub fn source(&self) -> SourceId {
        self.shared.source
    }

    /// The text profile that the text is read with.
    pub fn profile(&self) -> &'static TextProfile {
        self.shared.profile
    }

    /// The registry, where one is at hand: not in functions that a dialect calls back.
    pub fn registry(&self) -> Option<&'r Registry> {
        self.registry
    }

    /// The dispatch token whose rules apply now.
    pub fn token(&self) -> Token {
        self.token
    }

    /// The token of a dialect, by the dialect's name.
    pub fn token_of(&self, dialect: &str) -> Option<Token> {
        self.registry?.token(dialect)
    }

    /// Runs `f` under another token. Under the default token operators follow Python's rules, else the script's.
    pub fn with_token<R>(&mut self, token: Token, f: impl FnOnce(&mut Self) -> R) -> R {
        let mode = if token == Token::DEFAULT { Mode::Host } else { Mode::Script };
        let before = (std::mem::replace(&mut self.token, token), std::mem::replace(&mut self.mode, mode));
        let around = self.shared.table.entry(token).and_then(|entry| entry.around);
        if let Some((enter, _)) = around {
            enter(self);
        }
        let result = f(self);
        if let Some((_, exit)) = around {
            exit(self);
        }
        (self.token, self.mode) = before;
        result
    }

    /// Which rules operators follow now.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Runs `f` with operators following these rules.
    pub fn with_mode<R>(&mut self, mode: Mode, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.mode, mode);
        let result = f(self);
        self.mode = before;
        result
    }

    /// What is known of nodes of the type of this one.
    #[inline]
    pub(crate) fn rules(&mut self, object: &Object) -> NodeRules {
        let info = object.info();
        match self.rules.get(info.index()) {
            Some(Some(rules)) => *rules,
            _ => self.find_rules(info),
        }
    }

    #[cold]
    fn find_rules(&mut self, info: &'static tvmscript_ir_core::TypeInfo) -> NodeRules {
        let index = info.index();
        if self.rules.len() <= index {
            self.rules.resize_with(index + 1, || None);
        }
        *self.rules[index].get_or_insert_with(|| self.shared.table.rules(info))
    }

    /// Records an error.
    pub fn report(&mut self, error: ParseError) -> Reported {
        self.failures += 1;
        if self.absorbs {
            return self.report_host(error);
        }
        if !self.is_exhausted() {
            self.errors.push(error);
        }
        Reported(())
    }

    /// Records a note at a span of this text: nothing has to be changed.
    pub fn note(&mut self, at: Span, kind: impl Into<ParseErrorKind>) {
        if let Some(range) = self.range_of_span(at)
            && self.warnings.len() < self.shared.max_errors
        {
            self.warnings.push(ParseError::note_at(kind, range));
        }
    }

    /// Records a failure of host code that no script called: what Python would raise as a mistake that may yet be caught,
    /// what only this crate does not do as a placeholder.
    #[cold]
    fn report_host(&mut self, error: ParseError) -> Reported {
        let is_gap = match &error.kind {
            ParseErrorKind::UnsupportedExpression { .. }
            | ParseErrorKind::UnsupportedStatement { .. }
            | ParseErrorKind::InvalidTarget { .. } => true,
            // A dialect that is not read here cannot be left out: its decorators make scripts.
            ParseErrorKind::Host(error) if error.kind == HostErrorKind::Import => !self.in_decorator,
            ParseErrorKind::Host(error) => error.to_string().contains(&TYPE_NAME["a ".len()..]),
            _ => false,
        };
        if is_gap {
            let reason = error.kind.to_string();
            return self.give_up(error.range(), &reason);
        }
        if self.raised.len() < self.shared.max_errors {
            self.raised.push(error);
        }
        Reported(())
    }

    /// Records a mistake at a place that no code of the file can catch.
    pub(crate) fn mistake(&mut self, at: impl HasRange, kind: ParseErrorKind) -> Reported {
        let range = self.shown(at);
        self.failures += 1;
        if !self.is_exhausted() {
            self.errors.push(ParseError::new(kind, range));
        }
        Reported(())
    }

    /// The part of the text that a message shows for a place.
    fn shown(&self, at: impl HasRange) -> TextRange {
        at.shown_in(&self.ast, self.shared.text())
    }

    /// Records an error at a place.
    pub fn error(&mut self, at: impl HasRange, kind: impl Into<ParseErrorKind>) -> Reported {
        let range = self.shown(at);
        self.report(ParseError::new(kind, range))
    }

    /// Records an error at a place, with how to mend it.
    pub fn error_with_help(
        &mut self,
        at: impl HasRange,
        kind: impl Into<ParseErrorKind>,
        help: impl Into<String>,
    ) -> Reported {
        let range = self.shown(at);
        self.report(ParseError::new(kind, range).with_help(help))
    }

    /// Records a dialect's error at a place; where it speaks of an argument of the call there, at that argument.
    pub fn build_error(&mut self, at: impl HasRange, error: BuildError) -> Reported {
        let range = self.shown(at);
        self.build_error_at(range, None, error)
    }

    /// The value of a dialect's result; its error is recorded at a place.
    pub fn checked<T>(&mut self, at: impl HasRange, result: Result<T, BuildError>) -> Result<T> {
        result.map_err(|error| self.build_error(at, error))
    }

    /// The value of a dialect's result for a call; its error is recorded at the argument that it speaks of, else at the call.
    ///
    /// # Errors
    /// When the result is one.
    pub fn checked_call<T>(&mut self, call: ExprId, result: Result<T, BuildError>) -> Result<T> {
        let range = self.ast.range(call);
        result.map_err(|error| self.build_error_at(range, Some(call), error))
    }

    pub(crate) fn build_error_at(
        &mut self,
        range: TextRange,
        call: Option<ExprId>,
        error: BuildError,
    ) -> Reported {
        if let Some(inner) = error.downcast_ref::<shared::InnerErrors>() {
            for mut error in inner.take() {
                error.called_from(range);
                let _ = self.report(error);
            }
            return Reported(());
        }
        if self.lost > 0 && !self.errors.is_empty() {
            return Reported(());
        }
        let argument =
            error.argument.as_ref().and_then(|a| self.argument_range(call?, a, error.part.as_deref()));
        let argument = argument.map(|range| {
            error
                .part
                .as_ref()
                .and_then(|part| part.byte)
                .and_then(|byte| self.byte_range(range, byte))
                .unwrap_or(range)
        });
        let place = self.range_of_span(error.span).or(argument).unwrap_or(range);
        let mut out = ParseError::new(&error, place);
        out.notes.extend(error.note.as_deref().map(str::to_owned));
        out.help = error.help.as_deref().map(str::to_owned);
        if let Some(BuildErrorKind::UnknownKeyword { name, known, .. }) = error.kind()
            && let Some(near) = crate::errors::suggest::nearest(name, known.iter().copied())
        {
            out.help = Some(format!("did you mean `{near}`?"));
        }
        self.report(out)
    }

    /// Says what makes a name that was bound in a scope known behind it, for those who use one that is not.
    pub fn explain_scope(&mut self, scope: impl HasRange, help: &'static str) {
        let range = scope.range_in(&self.ast);
        self.explained.push((range, help));
    }

    /// The range of a span in this text.
    pub fn range_of_span(&self, span: Span) -> Option<TextRange> {
        match span.kind() {
            SpanKind::Range { source, start_bytes, end_bytes } if source == self.shared.source => {
                Some(TextRange::new(start_bytes, end_bytes))
            }
            _ => None,
        }
    }

    /// Where a byte of the text is written that the literal at a place stands for.
    fn byte_range(&self, literal: TextRange, byte: usize) -> Option<TextRange> {
        let place = literal::place_in_literal(self.shared.text_of(literal), byte)?;
        let at = |offset: usize| u32::try_from(offset).ok().map(|offset| literal.start + offset);
        Some(TextRange::new(at(place.start)?, at(place.end)?))
    }

    /// Where an argument of a call stands, or an item of the list or tuple that is written there.
    fn argument_range(
        &self,
        call: ExprId,
        argument: &ArgumentRef,
        path: Option<&ArgumentPart>,
    ) -> Option<TextRange> {
        let (value, whole) = match argument {
            ArgumentRef::Position(index) => self.positional_range(call, *index)?,
            ArgumentRef::Keyword(name) => self.keyword_range(call, name)?,
            ArgumentRef::Parameter { name, index } => {
                self.keyword_range(call, name).or_else(|| self.positional_range(call, *index as usize))?
            }
        };
        let mut item = value;
        for index in path.into_iter().flat_map(|path| path.items.iter().rev()) {
            let (Expr::Tuple { elts } | Expr::List { elts }) = *self.ast.expr(item) else { break };
            let Some(next) = self.ast.list(elts).get(*index) else { break };
            item = *next;
        }
        Some(if item == value { whole } else { self.ast.range(item) })
    }

    /// An argument by its number: of a call, a subscript or an operator.
    fn positional_range(&self, call: ExprId, index: usize) -> Option<(ExprId, TextRange)> {
        let value = match *self.ast.expr(call) {
            Expr::Call { args, .. } => {
                let args = self.ast.list(args);
                let starred = |id: &ExprId| matches!(self.ast.expr(*id), Expr::Starred { .. });
                let star = args.iter().position(starred).unwrap_or(usize::MAX);
                *args.get(index.min(star))?
            }
            Expr::Subscript { index: subscript, .. } => match *self.ast.expr(subscript) {
                Expr::Tuple { elts } => *self.ast.list(elts).get(index)?,
                _ => subscript,
            },
            Expr::BinOp { left, right, .. } => *[left, right].get(index)?,
            _ => return None,
        };
        Some((value, self.ast.range(value)))
    }

    /// An argument by its keyword, and the place of both.
    fn keyword_range(&self, call: ExprId, name: &str) -> Option<(ExprId, TextRange)> {
        let Expr::Call { keywords, .. } = *self.ast.expr(call) else { return None };
        let keywords = self.ast.list(keywords);
        let keyword = keywords.iter().find(|k| k.arg.is_some_and(|a| self.ast.name(a) == name))?;
        Some((keyword.value, self.ast.range(keyword.place)))
    }

    /// Whether too many errors were recorded to go on.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.errors.len() >= self.shared.max_errors
    }
}
