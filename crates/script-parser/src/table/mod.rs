//! Table of the parsing rules of all dialects.
//!
//! Statement handlers are looked up by dispatch token and kind, with the default token as fallback; decorators by
//! name in the namespace of their dialect; operators, attributes, subscripts and calls by the class of the node,
//! nearest ancestor first. Dialects register rules with [`ParseDialect`].

mod catalog;
mod dialect;
mod python_module;
mod statement;

use std::sync::Arc;

use hashbrown::HashMap;
use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Object, Registry, Resolver, Slot, Str, TextRules, Token, TypeInfo};
use tvmscript_irbuilder::{BuildError, CallArgs, ScriptFn, ScriptValue};

pub use catalog::{ModuleMember, Provided};
pub use dialect::ParseDialect;
pub(crate) use python_module::{Found, PythonModules};
pub use python_module::{Member, NodeClass, PythonModule, unknown_value};
pub use statement::Statement;

use crate::header::ReaderOption;
use crate::parser::{Expansion, Parser};
use crate::scope::grown;
use tvmscript_python_syntax::ast::{ClassDef, ExprId, FunctionDef, Stmt, StmtId, StmtKind};
use tvmscript_script_eval::errors::EvalResult;
use tvmscript_script_eval::{CallFn, NodeRules};

/// A decorated definition.
#[derive(Debug, Clone)]
pub struct Definition<S> {
    /// Id of the statement.
    pub id: StmtId,
    /// The statement.
    pub stmt: S,
    /// The last decorator, whose rule applies.
    pub decorator: ExprId,
    /// Arguments of the decorator besides `capture`; empty if it is not called.
    pub args: CallArgs,
    /// The variables that the function captures, if the decorator declares them; see
    /// [`CaptureRule`](crate::CaptureRule).
    pub capture: Option<ScriptValue>,
}

/// Parses a decorated definition. Returns the value of its name, or `None` if the result is in the builder.
///
/// A builder is open. It is new for a definition in Python code, at module level or in a helper function. A definition
/// inside a function or module of a dialect shares the builder and its frames with the outer definition, unless the
/// hooks of that dialect ([`ParseDialect::around_local_functions`]) or its parser of modules open another one; then
/// [`Builder::find_around`] reaches the outer frames. So [`Builder::depth`]` > 0` tests for an inner definition that
/// shares the builder: a dialect without nested functions reports an error there.
///
/// [`Builder::find_around`]: tvmscript_irbuilder::Builder::find_around
/// [`Builder::depth`]: tvmscript_irbuilder::Builder::depth
pub type DefineFn<S> = fn(&mut Parser, &Definition<S>) -> EvalResult<Option<ScriptValue>>;
/// As [`DefineFn`], for functions that are described at run time.
pub type DescribedFn =
    &'static (dyn Fn(&mut Parser, &Definition<FunctionDef>) -> EvalResult<Option<ScriptValue>> + Send + Sync);
/// Visits the body of a macro; see [`DecoratorRule::Macro`].
pub type ExpandFn = fn(&mut Parser, &Expansion) -> EvalResult<ScriptValue>;
/// Declares a function of a module by its signature, before any function of the module is defined.
pub type DeclareFn = fn(&mut Parser, &Definition<FunctionDef>) -> EvalResult<()>;

/// A script function with access to the parser.
pub type ParserFn = fn(&mut Parser, CallArgs) -> Result<ScriptValue, BuildError>;

/// Makes the frame of a decorator that host code enters with `with`, from the arguments of the call.
pub type ScopeFn = fn(CallArgs) -> Result<ScriptValue, BuildError>;

/// Prints a node for `str`, `repr` and f-strings of Python code.
pub type NodeTextFn = fn(&Object, &Registry) -> Result<String, BuildError>;

/// Makes the node of a place of a metadata section: of the key of a list and the index in it.
pub type OmittedFn = fn(Str, i64) -> Object;

/// Rule of a decorator.
#[derive(Clone, Copy)]
pub enum DecoratorRule {
    /// A decorator of functions.
    Function {
        /// Parses the function.
        define: DefineFn<FunctionDef>,
        /// Declares the function in a module, if it can be a member of one.
        declare: Option<DeclareFn>,
    },
    /// A decorator of functions that is described at run time.
    Described {
        /// Parses the function.
        define: DescribedFn,
    },
    /// A decorator of functions whose bodies are visited where they are called.
    Macro {
        /// Visits the body in the open builder, with the arguments as variables, and returns the value of the call.
        expand: ExpandFn,
    },
    /// A decorator of classes.
    Class {
        /// Parses the class.
        define: DefineFn<ClassDef>,
    },
}

pub(crate) type StmtHandler = Arc<dyn Fn(&mut Parser, StmtId, &Stmt) -> EvalResult<()> + Send + Sync>;
/// Makes the rules of the text of a dialect from those of the text around it.
pub type TextRulesFn = fn(TextRules) -> TextRules;
/// Hook that runs before or after the definition of a nested function.
pub type LocalFunctionHook = fn(&mut Parser, &Definition<FunctionDef>) -> EvalResult<()>;

/// Parses the statements of a fragment into the open builder; see
/// [`ParseOptions::fragment_of`](crate::ParseOptions::fragment_of).
pub type FragmentReader = fn(&mut Parser, &[StmtId]) -> EvalResult<()>;

/// Parses the statements of a text that is one script, into the open builder; see [`ParseDialect::whole_text`].
pub type WholeTextReader = &'static (dyn Fn(&mut Parser, &[StmtId]) -> EvalResult<()> + Send + Sync);

/// Texts that are one script as a whole: those that begin with these statements.
#[derive(Clone, Copy)]
pub(crate) struct WholeText {
    pub(crate) lines: &'static [&'static str],
    pub(crate) token: Token,
    pub(crate) read: WholeTextReader,
}

/// Makes the value of a call of a function that the dialect does not have, from its dotted name and its arguments.
pub type UnknownFn = fn(&str, CallArgs) -> std::result::Result<ScriptValue, BuildError>;

#[derive(Clone, Default)]
pub(crate) struct TokenEntry {
    pub(crate) handlers: Vec<Option<StmtHandler>>,
    pub(crate) text_rules: Option<TextRulesFn>,
    pub(crate) around_local: Option<(LocalFunctionHook, LocalFunctionHook)>,
    pub(crate) fragment: Option<FragmentReader>,
}

/// Rule of a decorator and token of its dialect.
#[derive(Clone, Copy)]
pub(crate) struct DecoratorEntry {
    pub(crate) rule: DecoratorRule,
    pub(crate) token: Token,
}

/// The rules of all dialects.
#[derive(Clone, Default)]
pub(crate) struct ParseTable {
    tokens: Vec<TokenEntry>,
    nodes: HashMap<usize, NodeRules>,
    /// Call rules by token and type index.
    calls: HashMap<(Token, usize), CallFn>,
    decorators: HashMap<(&'static str, &'static str), DecoratorEntry>,
    functions: HashMap<(&'static str, &'static str), ParserFn>,
    /// Functions that host code finds by a name of their own.
    global_functions: HashMap<&'static str, ParserFn>,
    scopes: HashMap<(&'static str, &'static str), ScopeFn>,
    /// Prefixes that need no import, with their dialects.
    pub(crate) prefixes: Vec<(&'static str, &'static str)>,
    options: Vec<ReaderOption>,
    /// Alternatives to missing names, by dialect and name.
    absent: HashMap<(&'static str, &'static str), &'static str>,
    /// Reasons why values are unknown, by dialect and name.
    unevaluated: HashMap<(&'static str, &'static str), &'static str>,
    /// Reading of calls of unknown functions, by dialect.
    unknown: HashMap<&'static str, UnknownFn>,
    pub(crate) modules: PythonModules,
    pub(crate) region_functions: Vec<&'static ScriptFn>,
    /// Dialects with a parser of fragments, in the order of registration.
    fragment_dialects: Vec<&'static str>,
    pub(crate) whole_texts: Vec<WholeText>,
    /// Functions that need no prefix.
    pub(crate) predefined_functions: Vec<(&'static str, &'static ScriptFn)>,
    /// Decorator of bare functions in comparing tests, by dialect and name.
    pub(crate) bare_decorator: Option<(&'static str, &'static str)>,
    /// The printer of nodes for `str` and `repr`.
    pub(crate) node_text: Option<NodeTextFn>,
    /// Makes the nodes of a metadata section that a text leaves out.
    pub(crate) omitted: Option<OmittedFn>,
}

impl std::fmt::Debug for ParseTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.prefixes).finish()
    }
}

impl ParseTable {
    /// Options that headers can set.
    pub(crate) fn options(&self) -> impl Iterator<Item = ReaderOption> {
        self.options.iter().copied()
    }

    pub(crate) fn option(&self, name: &str) -> Option<ReaderOption> {
        self.options().find(|option| option.name == name)
    }

    fn entry_mut(&mut self, token: Token) -> &mut TokenEntry {
        grown(&mut self.tokens, token.index())
    }

    /// Rules of a token.
    pub(crate) fn entry(&self, token: Token) -> Option<&TokenEntry> {
        self.tokens.get(token.index())
    }

    /// Handler of a statement under a token or else under the default token.
    pub(crate) fn handler(&self, token: Token, kind: StmtKind) -> Option<&StmtHandler> {
        let find = |t: Token| self.entry(t)?.handlers.get(kind as usize)?.as_ref();
        find(token).or_else(|| find(Token::DEFAULT))
    }

    pub(crate) fn decorator(&self, dialect: &str, name: &str) -> Option<DecoratorEntry> {
        self.decorators.get(&(dialect, name)).copied()
    }

    pub(crate) fn function(&self, dialect: &str, name: &str) -> Option<ParserFn> {
        self.functions.get(&(dialect, name)).copied()
    }

    pub(crate) fn global_function(&self, name: &str) -> Option<ParserFn> {
        self.global_functions.get(name).copied()
    }

    pub(crate) fn global_function_names(&self) -> impl Iterator<Item = &'static str> {
        self.global_functions.keys().copied()
    }

    /// The frame of a decorator.
    pub(crate) fn scope(&self, dialect: &str, name: &str) -> Option<ScopeFn> {
        self.scopes.get(&(dialect, name)).copied()
    }

    /// Alternative to a name that is missing in a dialect's namespace.
    pub(crate) fn instead_of(&self, dialect: &str, name: &str) -> Option<&'static str> {
        self.absent.get(&(dialect, name)).copied()
    }

    /// Why the value of a name of a dialect's namespace is unknown.
    pub(crate) fn unevaluated(&self, dialect: &str, name: &str) -> Option<&'static str> {
        self.unevaluated.get(&(dialect, name)).copied()
    }

    /// Reading of calls of functions that a dialect does not have.
    pub(crate) fn unknown(&self, dialect: &str) -> Option<UnknownFn> {
        self.unknown.get(dialect).copied()
    }

    pub(crate) fn decorator_names<'a>(&'a self, dialect: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let names = self.decorators.keys().chain(self.functions.keys());
        names.filter(move |(d, _)| *d == dialect).map(|(_, name)| *name)
    }

    /// Call rule of a node under a token.
    #[inline]
    pub(crate) fn call_under(&self, token: Token, object: &Object) -> Option<CallFn> {
        if self.calls.is_empty() {
            return None;
        }
        self.calls.get(&(token, object.info().index())).copied()
    }

    /// Rules of nodes of a type, including those of its ancestors.
    pub(crate) fn rules(&self, info: &'static TypeInfo) -> NodeRules {
        let mut rules = NodeRules::default();
        let mut at = Some(info);
        while let Some(class) = at {
            if let Some(own) = self.nodes.get(&class.index()) {
                rules = inherit(rules, *own);
            }
            at = class.parent();
        }
        rules
    }
}

/// Parsing rules that a dialect registers, merged into the table of a registry.
#[derive(Default, Clone)]
pub struct Parsers {
    statements: Vec<(&'static str, StmtKind, StmtHandler, RegistrationSite)>,
    nodes: Vec<(&'static TypeInfo, NodeRules, RegistrationSite)>,
    calls: Vec<(&'static str, &'static TypeInfo, CallFn, RegistrationSite)>,
    decorators: Vec<(&'static str, &'static str, DecoratorRule, RegistrationSite)>,
    functions: Vec<(&'static str, &'static str, ParserFn, RegistrationSite)>,
    global_functions: Vec<(&'static str, ParserFn, RegistrationSite)>,
    scopes: Vec<(&'static str, &'static str, ScopeFn, RegistrationSite)>,
    prefixes: Vec<(&'static str, &'static str, RegistrationSite)>,
    options: Vec<(&'static [ReaderOption], RegistrationSite)>,
    absent: Vec<(&'static str, &'static str, &'static str)>,
    unevaluated: Vec<(&'static str, &'static str, &'static str)>,
    unknown: Vec<(&'static str, UnknownFn, RegistrationSite)>,
    modules: Vec<python_module::Declared>,
    predefined_modules: Vec<(&'static str, RegistrationSite)>,
    predefined_names: Vec<(&'static str, &'static str)>,
    predefined_functions: Vec<(&'static str, &'static ScriptFn, RegistrationSite)>,
    whole_texts: Vec<(&'static str, &'static [&'static str], WholeTextReader, RegistrationSite)>,
    region_functions: Vec<&'static ScriptFn>,
    hooks: Vec<(&'static str, Hooks, RegistrationSite)>,
    bare_decorator: Option<(&'static str, &'static str, RegistrationSite)>,
    node_text: Option<(NodeTextFn, RegistrationSite)>,
    omitted: Option<(OmittedFn, RegistrationSite)>,
    table: Arc<ParseTable>,
}

#[derive(Clone, Copy)]
enum Hooks {
    TextRules(TextRulesFn),
    Local { before: LocalFunctionHook, after: LocalFunctionHook },
    Fragment(FragmentReader),
}

impl std::fmt::Debug for Parsers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.table.fmt(f)
    }
}

impl Parsers {
    pub(crate) fn table(&self) -> &Arc<ParseTable> {
        &self.table
    }

    /// Dialects whose fragments can be parsed, in the order of registration; see
    /// [`ParseOptions::fragment_of`](crate::ParseOptions::fragment_of).
    pub fn fragment_dialects(&self) -> impl Iterator<Item = &'static str> {
        self.table.fragment_dialects.iter().copied()
    }
}

impl Slot for Parsers {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        let table = Arc::make_mut(&mut self.table);
        let renames = &resolver.release().renames;
        for (name, kind, handler, place) in other.statements {
            let token = resolver.token(name);
            if resolver.claim(format!("the parser of `{}` under the token `{name}`", kind.as_str()), place) {
                *grown(&mut table.entry_mut(token).handlers, kind as usize) = Some(handler);
            }
        }
        for (dialect, name, rule, place) in other.decorators {
            let token = resolver.token(dialect);
            let name = renames.function_name(dialect, name);
            if resolver.claim(format!("the decorator `{dialect}.{name}`"), place) {
                table.decorators.insert((dialect, name), DecoratorEntry { rule, token });
            }
        }
        for (dialect, name, function, place) in other.functions {
            let name = renames.function_name(dialect, name);
            if resolver.claim(format!("the parser's function `{dialect}.{name}`"), place) {
                table.functions.insert((dialect, name), function);
            }
        }
        for (name, function, place) in other.global_functions {
            if resolver.claim(format!("the function `{name}`"), place) {
                table.global_functions.insert(name, function);
            }
        }
        for (dialect, name, scope, place) in other.scopes {
            let name = renames.function_name(dialect, name);
            if resolver.claim(format!("the scope of the decorator `{dialect}.{name}`"), place) {
                table.scopes.insert((dialect, name), scope);
            }
        }
        for (info, rules, place) in other.nodes {
            let clashes =
                words(&rules).filter(|word| !resolver.claim(format!("`.{word}` of `{}`", info.key()), place));
            if clashes.count() == 0 {
                let own = table.nodes.entry(info.index()).or_default();
                *own = inherit(rules, *own);
            }
        }
        for (name, info, call, place) in other.calls {
            let token = resolver.token(name);
            if resolver.claim(format!("`.call_here` of `{}` under the token `{name}`", info.key()), place) {
                table.calls.insert((token, info.index()), call);
            }
        }
        for (name, hooks, place) in other.hooks {
            let token = resolver.token(name);
            let word = match hooks {
                Hooks::TextRules(_) => "text_rules",
                Hooks::Local { .. } => "around_local_functions",
                Hooks::Fragment(_) => "fragments",
            };
            if !resolver.claim(format!("`.{word}` of the token `{name}`"), place) {
                continue;
            }
            let entry = table.entry_mut(token);
            match hooks {
                Hooks::TextRules(rules) => entry.text_rules = Some(rules),
                Hooks::Local { before, after } => entry.around_local = Some((before, after)),
                Hooks::Fragment(read) => {
                    entry.fragment = Some(read);
                    table.fragment_dialects.push(name);
                }
            }
        }
        for (prefix, dialect, place) in other.prefixes {
            if resolver.claim(format!("the name `{prefix}` of a dialect"), place) {
                table.prefixes.push((prefix, dialect));
            }
        }
        for (options, place) in other.options {
            for option in options {
                if resolver.claim(format!("the option `{}` of headers", option.name), place) {
                    table.options.push(*option);
                }
            }
        }
        table.region_functions.extend(other.region_functions);
        table
            .absent
            .extend(other.absent.into_iter().map(|(dialect, name, instead)| ((dialect, name), instead)));
        table
            .unevaluated
            .extend(other.unevaluated.into_iter().map(|(dialect, name, reason)| ((dialect, name), reason)));
        for (dialect, call, place) in other.unknown {
            if resolver.claim(format!("the unknown functions of `{dialect}`"), place) {
                table.unknown.insert(dialect, call);
            }
        }
        for declared in other.modules {
            table.modules.add(declared, resolver);
        }
        for (name, function, place) in other.predefined_functions {
            if resolver.claim(format!("the predefined name `{name}`"), place) {
                table.predefined_functions.push((name, function));
            }
        }
        for (name, lines, read, place) in other.whole_texts {
            let token = resolver.token(name);
            if resolver.claim(format!("texts that begin with `{}`", lines.join("`, `")), place) {
                table.whole_texts.push(WholeText { lines, token, read });
            }
        }
        self.predefined_modules.extend(other.predefined_modules);
        self.predefined_names.extend(other.predefined_names);
        if let Some((dialect, name, place)) = other.bare_decorator
            && resolver.claim("the decorator of bare functions in test classes", place)
        {
            let name = renames.function_name(dialect, name);
            table.bare_decorator = Some((dialect, name));
            self.bare_decorator = Some((dialect, name, place));
        }
        if let Some((print, place)) = other.node_text
            && resolver.claim("the printer of nodes for `str`", place)
        {
            table.node_text = Some(print);
        }
        if let Some((make, place)) = other.omitted
            && resolver.claim("the nodes of a metadata section that a text leaves out", place)
        {
            table.omitted = Some(make);
        }
    }

    fn finish(&mut self, resolver: &mut Resolver) {
        let table = Arc::make_mut(&mut self.table);
        table.modules.predefined_names.append(&mut self.predefined_names);
        for (name, place) in std::mem::take(&mut self.predefined_modules) {
            if table.modules.contains(name) {
                table.modules.predefined.push(name);
            } else {
                resolver.missing(format!("the predefined Python module `{name}`"), place);
            }
        }
        if let Some((dialect, name, place)) = self.bare_decorator
            && table.decorator(dialect, name).is_none()
        {
            resolver.missing(format!("the decorator `{dialect}.{name}`"), place);
        }
    }
}

/// Methods of [`ParseDialect`] that register the given rules.
fn words(rules: &NodeRules) -> impl Iterator<Item = &'static str> + use<> {
    [
        ("operator", rules.operator.is_some()),
        ("attribute", rules.attribute.is_some()),
        ("subscript", rules.subscript.is_some()),
        ("call", rules.call.is_some()),
        ("truth", rules.truth.is_some()),
        ("number", rules.number.is_some()),
        ("items", rules.items.is_some()),
    ]
    .into_iter()
    .filter_map(|(word, set)| set.then_some(word))
}

/// Rules of a class, completed with those of its parent.
fn inherit(own: NodeRules, parent: NodeRules) -> NodeRules {
    NodeRules {
        operator: own.operator.or(parent.operator),
        attribute: own.attribute.or(parent.attribute),
        names: own.names.or(parent.names),
        subscript: own.subscript.or(parent.subscript),
        call: own.call.or(parent.call),
        truth: own.truth.or(parent.truth),
        number: own.number.or(parent.number),
        items: own.items.or(parent.items),
    }
}
