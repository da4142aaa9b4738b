//! Parsing of a text into the nodes that its scripts build.
//!
//! [`parse_script`] parses a printed script, or a Python file with imports, helper functions and several scripts. The
//! evaluator runs module-level statements as host code; a decorated function or class goes to the handler of its
//! dialect, with a new builder.
//!
//! Handlers work with a [`Parser`], which consists of:
//!
//! | part | module |
//! |---|---|
//! | tree, errors, evaluation | [`EvalState`], with the parser as host (`host`, `evaluate`) |
//! | variables of script bodies | `scope`, `bind` |
//! | statements and their handlers | `statements` |
//! | decorated definitions | `define` |
//! | macros, specialized functions | `macros`, `specialize` |
//! | variables that scripts capture | `capture` |
//! | frames of the builder | `frames` |
//! | builders as values of host code | `host_builder` |
//! | a function that builds the script of a text without scripts | `build_function` |
//! | headers | `headers` |
//! | scripts and their names | `scripts` |
//! | namespaces, decorators and modules as values | `namespace`, `tables` |
//!
//! Invariant: a [`Reported`](crate::Reported) exists only if an error was recorded, so a failed parse has at least
//! one error.

mod bind;
mod build_function;
mod capture;
mod compose;
mod define;
mod evaluate;
mod frames;
mod globals;
mod headers;
mod host;
mod host_builder;
mod macros;
mod module;
mod namespace;
mod omitted;
mod operations;
mod options;
mod scripts;
mod specialize;
mod state;
mod statements;
mod tables;
mod text;
mod unknown;

use std::cell::OnceCell;
use std::rc::Rc;

use crate::comments::Comments;
use tvmscript_ir_core::release::{Reason, ReleaseChoice, UnknownRelease};
use tvmscript_ir_core::{
    Registry, Release, SourceComments, SourceId, SourceTexts, Span, Syntax, TextRules, Token,
};
use tvmscript_irbuilder::ScriptValue;
use tvmscript_irbuilder::record::{self, Recording, Step};
use tvmscript_python_syntax::ast::{Ast, HasRange, Keyword, Name, TextRange};
use tvmscript_python_syntax::{ParsedPython, parse_python};
use tvmscript_script_eval::{Binding, EvalState, Host, Mode, NodeRules, Position, Program};

pub use bind::{Binder, is_type_variable};
use build_function::BuildFunction;
pub use capture::CaptureRule;
pub use globals::Globals;
use host::ScriptHost;
pub use host_builder::HostBuilder;
pub use macros::Expansion;
pub(crate) use namespace::ParserFunction;
pub use namespace::{Decorator, Namespace};
pub use operations::{OpenScope, Operations};
pub use options::{ModuleLoader, ModuleText, ParseOptions, UnknownFunctions};
pub use scripts::Script;
pub(crate) use scripts::{Built, Outermost, Scripts};
pub(crate) use tables::Tables;

use crate::errors::{ParseError, ParseErrorKind, parse_errors};
use crate::header;
use crate::release;
use crate::scope::Scopes;
use tvmscript_script_eval::errors::{EvalError, syntax_error};

/// Result of [`parse_script`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// Results of the scripts without errors, in source order.
    pub scripts: Vec<Script>,
    /// Errors in source order.
    pub errors: Vec<ParseError>,
    /// Warnings and notes in source order, e.g. for host code that is not evaluated and for scripts that need
    /// arguments.
    pub warnings: Vec<ParseError>,
    /// Source of the spans in the nodes.
    ///
    /// It stays open, so that the nodes may outlive this value. A long-running process calls
    /// [`SourceId::release`] when it no longer needs the positions of the nodes.
    pub source: SourceId,
    /// Sources that span markers of the text name, and those of imported modules, open like `source`.
    pub named_sources: Vec<SourceId>,
    /// Lines of imported modules and of the expressions that the options give, for positions of spans in them.
    pub other_texts: SourceTexts,
    /// The comments of the text by statement, for a printer; empty if it has none but headers.
    pub comments: SourceComments,
    /// The release of the text.
    pub release: &'static Release,
    /// The reason why it is taken for a text of this release.
    pub release_reason: Reason,
    /// Number of parsed statements.
    pub statements: usize,
    /// The steps of the scripts' builders in order, if [`ParseOptions::record_steps`] asks for it.
    pub steps: Vec<Step>,
}

impl Parsed {
    /// Releases all sources that the parse opened ([`SourceId::release`]).
    pub fn release_sources(&self) {
        self.named_sources.iter().chain([&self.source]).for_each(|source| source.release());
    }
}

/// Parses a text. Never fails as a whole: see [`Parsed::errors`].
pub fn parse_script(source_name: &str, text: &str, registry: &Registry, options: &ParseOptions) -> Parsed {
    match parse_text(source_name, text, registry, options) {
        Ok(parsed) => match reads_better_in(text, registry, options, &parsed) {
            Some(release) => {
                parsed.release_sources();
                let options = ParseOptions { release: Some(release), ..options.clone() };
                Parsed {
                    release_reason: Reason::Names,
                    ..parse_script(source_name, text, registry, &options)
                }
            }
            None => parsed,
        },
        Err(function) => function.call(source_name, text, registry, options),
    }
}

/// The release that lacks fewer of the functions of a text that did not read.
fn reads_better_in(
    text: &str,
    registry: &Registry,
    options: &ParseOptions,
    parsed: &Parsed,
) -> Option<&'static Release> {
    let is_unknown = |note: &ParseError| matches!(note.kind, ParseErrorKind::UnknownFunction { .. });
    if options.release.is_some() || (parsed.errors.is_empty() && !parsed.warnings.iter().any(is_unknown)) {
        return None;
    }
    let mut python = options.python.clone();
    python.dotted_keywords = release::has_dotted_keywords(registry);
    let rules = release::Rules::WithPrintedNames;
    let choice = release::detect_release_of(text, &parse_python(text, &python), registry, rules);
    (choice.release != parsed.release).then_some(choice.release)
}

/// Parses a text once. Fails if it has no script but the function that builds one.
fn parse_text(
    source_name: &str,
    text: &str,
    registry: &Registry,
    options: &ParseOptions,
) -> Result<Parsed, BuildFunction> {
    let composed = compose::Composed::new(text, options);
    let family = registry;
    let (parsed, Selected { registry, reason, unknown }) =
        parse_in_release(text, &composed.text, registry, options);
    let release = registry.release();
    let syntax = &release.syntax;
    let statements = parsed.ast.stmt_count();
    let source = SourceId::new(source_name);
    let keeps_unknown = options.unknown_functions.are_kept(&composed.text, &parsed, syntax);
    let tables = Rc::new(Tables::new(registry, keeps_unknown));
    let is_kept = |comment: &str| header::is_comment(comment, syntax);
    let Comments { by_stmt, mut sources } =
        Comments::attach(&parsed.ast, &composed.text, source, &parsed.comments, is_kept);
    let package = options.modules.as_ref().map_or("", |modules| &modules.package);
    let with_spans = |program: Program| {
        let program = program.with_comments(by_stmt).with_parts(composed.parts, package);
        let program = program.with_host_code(options.host_code);
        if options.omit_spans { program.with_fixed_span(Span::UNKNOWN) } else { program }
    };
    let mut parse = Parse::open(parsed.ast, &composed.text, source, tables, options, with_spans);
    let mut parser = parse.parser(registry, Some(family));
    parser.state.diagnostics.errors.extend(parsed.errors.into_iter().map(syntax_error));
    parser.state.diagnostics.errors.extend(composed.errors);
    if let Some(error) = unknown {
        parser
            .state
            .diagnostics
            .errors
            .push(EvalError::new(ParseErrorKind::UnknownRelease(error), TextRange::at(0)));
    }
    parser.script.captures = options.capture;
    parser.define_globals(&options.globals);
    parser.begin_headers(&parsed.comments, &options.header);
    let recording = if options.record_steps { Recording::start() } else { Recording::pause() };
    let span = Span::set_current(Span::UNKNOWN);
    match options.fragment_of {
        Some(dialect) => parser.fragment(dialect),
        None => parser.module(options),
    }
    Span::set_current(span);
    let mut steps = recording.finish();
    let mut errors = std::mem::take(&mut parser.state.diagnostics.errors);
    let mut warnings = parser.state.take_warnings();
    warnings.append(&mut parser.notes_of_unknown());
    warnings.extend(parser.note_of_omitted());
    let mut scripts = std::mem::take(&mut parser.script.scripts.done);
    let program = parser.state.program.clone();
    let is_here = |range: TextRange| program.parts.at(range.start).is_none();
    scripts.retain(|script| is_here(script.range));
    if !options.calls.is_empty() && options.record_steps {
        let wanted = build_function::parts(&scripts);
        record::retain_builders(&mut steps, |node| wanted.contains(&node.id()));
    }
    warnings.retain(|warning| is_here(warning.range().into()));
    compose::localize(&mut errors, &program.parts, &composed.text);
    compose::localize(&mut warnings, &program.parts, &composed.text);
    scripts.sort_by_key(|script| script.range.start);
    if scripts.is_empty() && errors.is_empty() && !parser.script.scripts.met_script {
        if let Some(function) = parser.build_function().filter(|_| options.calls.is_empty()) {
            program.close();
            sources.iter().chain([&source]).for_each(|source| source.release());
            return Err(function);
        }
        let mut error = EvalError::new(ParseErrorKind::NoScript, TextRange::at(0));
        if let Some((range, module)) = parser.undeclared_decorator() {
            error = error.with_label(range, format!("from `{module}`, which no dialect declares"));
        }
        errors.push(match syntax.examples.script() {
            Some(help) => error.with_help(help),
            None => error,
        });
    }
    for found in [&mut errors, &mut warnings] {
        found.sort_by_key(|e| (e.range().start, e.range().end));
        // A helper that is called twice reports the same error twice.
        found.dedup_by(|a, b| a.range() == b.range() && a.kind == b.kind);
    }
    program.close();
    let comments = program.comments.clone();
    let other_texts = compose::texts(&program.parts, &composed.text);
    sources.extend(program.parts.iter().map(|part| part.source));
    Ok(Parsed {
        comments,
        named_sources: sources,
        other_texts,
        scripts,
        errors: parse_errors(errors),
        warnings: parse_errors(warnings),
        source,
        release,
        release_reason: reason,
        statements,
        steps,
    })
}

/// The dialects as the release of a parse has them.
struct Selected<'r> {
    registry: &'r Registry,
    reason: Reason,
    unknown: Option<UnknownRelease>,
}

/// Parses a text with its parts, and selects its release. Only the text tells the release, not the parts.
fn parse_in_release<'r>(
    text: &str,
    whole: &str,
    registry: &'r Registry,
    options: &ParseOptions,
) -> (ParsedPython, Selected<'r>) {
    let parse = |dotted: bool| {
        let mut python = options.python.clone();
        python.dotted_keywords |= dotted;
        parse_python(whole, &python)
    };
    if let Some(release) = options.release {
        return match registry.select_release(Some(release)) {
            Ok(registry) => (
                parse(release.syntax.dotted_keywords),
                Selected { registry, reason: Reason::Option, unknown: None },
            ),
            Err(error) => (parse(false), Selected { registry, reason: Reason::Option, unknown: Some(error) }),
        };
    }
    let parsed = parse(release::has_dotted_keywords(registry));
    let ReleaseChoice { release, reason } =
        release::detect_release_of(text, &parsed, registry, release::Rules::Usual);
    // In a release without keywords with dots, they are errors.
    let is_refused = |keyword: &Keyword| keyword.arg.is_some_and(|name| parsed.ast.name(name).contains('.'));
    let has_refused = || parsed.ast.all_keywords().iter().any(is_refused);
    let parsed = match release.syntax.dotted_keywords || !has_refused() {
        true => parsed,
        false => parse(false),
    };
    let registry = registry.of_release(release).unwrap_or(registry);
    (parsed, Selected { registry, reason, unknown: None })
}

/// The reader of scripts that handlers work with: an evaluator, and the state of scripts beside it.
pub struct Parser<'p> {
    state: &'p mut EvalState,
    script: &'p mut ScriptState,
    registry: Option<&'p Registry>,
    /// The dialects of all releases.
    family: Option<&'p Registry>,
}

/// State of the scripts of a parse.
pub(crate) struct ScriptState {
    tables: Rc<Tables>,
    /// The tables of all releases, once a name is missing.
    releases: OnceCell<Vec<Tables>>,
    headers: headers::Headers,
    /// Variables of script bodies.
    scopes: Scopes,
    /// Closed scopes, each with a hint for using its names afterwards.
    explained: Vec<(TextRange, &'static str)>,
    /// Cache of rules by type index.
    rules: Vec<Option<NodeRules>>,
    /// Cache of attributes by namespace and name.
    attributes: Vec<Vec<Binding>>,
    scripts: Scripts,
    captures: CaptureRule,
    /// Values of the parameters that a specialization fixes.
    constants: Option<Vec<(Name, ScriptValue)>>,
    /// Number of statements visited.
    visited: u64,
}

impl ScriptState {
    fn new(tables: Rc<Tables>) -> ScriptState {
        ScriptState {
            tables,
            releases: OnceCell::new(),
            headers: headers::Headers::default(),
            scopes: Scopes::default(),
            explained: Vec::new(),
            rules: Vec::new(),
            attributes: Vec::new(),
            scripts: Scripts::default(),
            captures: CaptureRule::default(),
            constants: None,
            visited: 0,
        }
    }
}

/// A program with its evaluator and the state of its scripts.
struct Parse {
    state: EvalState,
    script: ScriptState,
}

impl Parse {
    fn open(
        ast: Ast,
        text: &str,
        source: SourceId,
        tables: Rc<Tables>,
        options: &ParseOptions,
        with_spans: impl FnOnce(Program) -> Program,
    ) -> Parse {
        let shared = tables.clone();
        // Functions that a dialect calls back have no access to the registry.
        let lend_host = Box::new(move |evaluate: &mut dyn FnMut(&mut dyn Host)| {
            let mut script = ScriptState::new(shared.clone());
            evaluate(&mut ScriptHost { script: &mut script, registry: None, family: None });
        });
        let program = Program::new(ast, text, source, options.limits)
            .with_host(lend_host)
            .with_nested_comparisons(tables.release.syntax.comparisons_nest)
            .with_python_keywords(tables.release.syntax.keywords_follow_python);
        let state = EvalState::new(Rc::new(with_spans(program)));
        Parse { state, script: ScriptState::new(tables) }
    }

    /// Returns the parser, with the dialects of the release and with those of all releases.
    fn parser<'p>(&'p mut self, registry: &'p Registry, family: Option<&'p Registry>) -> Parser<'p> {
        Parser { state: &mut self.state, script: &mut self.script, registry: Some(registry), family }
    }
}

impl<'p> Parser<'p> {
    /// The registry; `None` in functions that a dialect calls back.
    pub fn registry(&self) -> Option<&'p Registry> {
        self.registry
    }

    /// The release of the text.
    pub fn release(&self) -> &'static Release {
        self.script.tables.release
    }

    /// The syntax of the release.
    pub fn syntax(&self) -> &'static Syntax {
        &self.release().syntax
    }

    /// The current dispatch token.
    pub fn token(&self) -> Token {
        self.state.position().token()
    }

    /// The token of a dialect.
    pub fn token_of(&self, dialect: &str) -> Option<Token> {
        self.registry?.token(dialect)
    }

    /// Runs `f` under another token. Operators follow Python's rules under the default token, and the rules of
    /// scripts under all others.
    pub fn with_token<R>(&mut self, token: Token, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.state.move_to(Position::of_token(token));
        let rules = self.script.tables.handlers.entry(token).and_then(|entry| entry.text_rules);
        let scope = rules.map(|rules| rules(TextRules::current()).enter());
        let result = f(self);
        drop(scope);
        self.state.move_to(before);
        result
    }

    /// The rules that operators follow.
    pub fn mode(&self) -> Mode {
        self.state.position().mode()
    }

    /// Sets a hint for uses of names after their scope.
    pub fn explain_scope(&mut self, scope: impl HasRange, help: &'static str) {
        let range = scope.range_in(&self.state.ast);
        self.script.explained.push((range, help));
    }
}
