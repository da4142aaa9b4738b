//! The words of this layer in a dialect's table.

use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Class, Dialect};
use tvmscript_irbuilder::ScriptFn;

use super::{
    AttributeFn, CallFn, DecoratorRule, FragmentReader, Hooks, ItemsFn, LocalFunctionHook, NamesFn,
    NodeTextFn, OperatorFn, ParserFn, Parsers, PythonModule, Statement, StmtHandler, SubscriptFn, TokenHook,
    TruthFn,
};
use tvmscript_script_eval::NodeRules;

use crate::errors::Result;
use crate::header::ReaderOption;
use crate::parser::Parser;
use tvmscript_python_syntax::ast::{StmtId, StmtKind};

/// The words of this layer in a dialect's table.
///
/// ```
/// # use tvmscript_ir_core::{Class, Dialect};
/// # use tvmscript_irbuilder::{BuildError, ScriptValue};
/// # use tvmscript_python_syntax::ast;
/// # use tvmscript_script_parser::{ParseDialect, Parser, Result, table::*};
/// # #[derive(Class)]
/// # #[class(key = "doc.Expr")]
/// # struct Expr(());
/// fn evaluate(p: &mut Parser, _: ast::StmtId, stmt: &ast::ExprStmt) -> Result<()> {
///     p.eval(stmt.value).map(drop)
/// }
/// # fn operator(_: Operator, _: &[ScriptValue], _: Mode) -> Result<Option<ScriptValue>, BuildError> { Ok(None) }
///
/// let dialect = Dialect::new("doc")
///     .namespace(&["D"])
///     .parse::<ast::ExprStmt>(evaluate)
///     .on::<Expr>()
///     .operator(operator);
/// ```
pub trait ParseDialect: Sized {
    /// The class named last.
    type Node: 'static;

    /// Names by which the dialect's functions are known in a script without an import (`T`).
    fn namespace(self, names: &[&'static str]) -> Self;

    /// Handles a kind of statement under this dialect's token.
    fn parse<S: Statement>(self, handler: fn(&mut Parser, StmtId, &S) -> Result<()>) -> Self;

    /// Handles a kind of statement that has no parts (`pass`, `break`, `continue`), or any.
    fn parse_kind(self, kind: StmtKind, handler: fn(&mut Parser, StmtId) -> Result<()>) -> Self;

    /// A decorator in this dialect's namespace. Its definitions are read under this dialect's token.
    fn decorator(self, name: &'static str, rule: DecoratorRule) -> Self;

    /// A function in this dialect's namespace that needs the parser, such as its registry.
    fn parser_function(self, name: &'static str, function: ParserFn) -> Self;

    /// Functions whose arguments are regions: `T.reads(A[0:4])` keeps the slice as it is. Functions of other dialects with
    /// the same name are not concerned.
    fn region_functions(self, functions: &[&'static ScriptFn]) -> Self;

    /// What headers of texts can name, beside prefixes.
    fn reader_options(self, options: &'static [ReaderOption]) -> Self;
    /// Names that scripts look for in this dialect's namespace without finding them, each with what to do instead.
    fn absent_names(self, names: &[(&'static str, &'static str)]) -> Self;

    /// Python modules with what this dialect offers in them, for imports.
    fn python_modules(self, modules: &'static [PythonModule]) -> Self;

    /// Python modules that scripts name without an import.
    fn predefined_modules(self, names: &[&'static str]) -> Self;

    /// The decorator of this dialect that [comparing tests](tvmscript_ir_core::profile::ComparisonTests) put on their bare
    /// functions; the first dialect that names one decides.
    fn bare_decorator(self, name: &'static str) -> Self;

    /// Prints nodes of every dialect for `str`, `repr` and f-strings of Python code. At most one dialect registers it.
    fn node_text(self, print: NodeTextFn) -> Self;

    /// Runs whenever this dialect's token is entered and left.
    fn around_token(self, enter: TokenHook, exit: TokenHook) -> Self;

    /// Runs around decorated functions that are nested in functions of this dialect.
    fn around_local_functions(self, before: LocalFunctionHook, after: LocalFunctionHook) -> Self;

    /// Reads statements of this dialect that stand by themselves, in no function.
    fn fragments(self, read: FragmentReader) -> Self;

    /// Operators on nodes of the class named last.
    fn operator(self, operator: OperatorFn) -> Self
    where
        Self::Node: Class;

    /// Attributes of nodes of the class named last, and which are worth suggesting.
    fn attribute(self, attribute: AttributeFn, names: NamesFn) -> Self
    where
        Self::Node: Class;

    /// Subscripts of nodes of the class named last.
    fn subscript(self, subscript: SubscriptFn) -> Self
    where
        Self::Node: Class;

    /// Calls of nodes of the class named last.
    fn call(self, call: CallFn) -> Self
    where
        Self::Node: Class;

    /// Calls of nodes of the class named last, inside of this dialect's functions only: there the rule comes before any
    /// other.
    fn call_here(self, call: CallFn) -> Self
    where
        Self::Node: Class;

    /// The truth of nodes of the class named last, in host code.
    fn truth(self, truth: TruthFn) -> Self
    where
        Self::Node: Class;

    /// The elements of nodes of the class named last, for unpacking and iterating.
    fn items(self, items: ItemsFn) -> Self
    where
        Self::Node: Class;
}

impl<N: 'static> ParseDialect for Dialect<N> {
    type Node = N;

    #[track_caller]
    fn namespace(mut self, names: &[&'static str]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().prefixes.extend(names.iter().map(|name| (*name, dialect, place)));
        self
    }

    #[track_caller]
    fn parse<S: Statement>(mut self, handler: fn(&mut Parser, StmtId, &S) -> Result<()>) -> Self {
        let (token, place) = (self.name(), Location::caller());
        let erased: StmtHandler = Arc::new(move |p, id, stmt| match S::of(stmt) {
            Some(parts) => handler(p, id, &parts),
            None => unreachable!("handlers are found by the kind of the statement"),
        });
        self.slot_mut::<Parsers>().statements.push((token, S::KIND, erased, place));
        self
    }

    #[track_caller]
    fn parse_kind(mut self, kind: StmtKind, handler: fn(&mut Parser, StmtId) -> Result<()>) -> Self {
        let (token, place) = (self.name(), Location::caller());
        let erased: StmtHandler = Arc::new(move |p, id, _| handler(p, id));
        self.slot_mut::<Parsers>().statements.push((token, kind, erased, place));
        self
    }

    #[track_caller]
    fn decorator(mut self, name: &'static str, rule: DecoratorRule) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().decorators.push((dialect, name, rule, place));
        self
    }

    #[track_caller]
    fn parser_function(mut self, name: &'static str, function: ParserFn) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().functions.push((dialect, name, function, place));
        self
    }

    fn region_functions(mut self, functions: &[&'static ScriptFn]) -> Self {
        self.slot_mut::<Parsers>().region_functions.extend(functions);
        self
    }

    #[track_caller]
    fn reader_options(mut self, options: &'static [ReaderOption]) -> Self {
        let place = Location::caller();
        self.slot_mut::<Parsers>().options.push((options, place));
        self
    }

    fn absent_names(mut self, names: &[(&'static str, &'static str)]) -> Self {
        let dialect = self.name();
        let names = names.iter().map(|(name, instead)| (dialect, *name, *instead));
        self.slot_mut::<Parsers>().absent.extend(names);
        self
    }

    #[track_caller]
    fn python_modules(mut self, modules: &'static [PythonModule]) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        let modules = modules.iter().map(|module| (dialect, module, place));
        self.slot_mut::<Parsers>().modules.extend(modules);
        self
    }

    #[track_caller]
    fn predefined_modules(mut self, names: &[&'static str]) -> Self {
        let place = Location::caller();
        self.slot_mut::<Parsers>().predefined_modules.extend(names.iter().map(|name| (*name, place)));
        self
    }

    #[track_caller]
    fn bare_decorator(mut self, name: &'static str) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().bare_decorator = Some((dialect, name, place));
        self
    }

    #[track_caller]
    fn node_text(mut self, print: NodeTextFn) -> Self {
        self.slot_mut::<Parsers>().node_text = Some((print, Location::caller()));
        self
    }

    #[track_caller]
    fn around_token(mut self, enter: TokenHook, exit: TokenHook) -> Self {
        let token = self.name();
        self.slot_mut::<Parsers>().hooks.push((token, Hooks::Token { enter, exit }, Location::caller()));
        self
    }

    #[track_caller]
    fn around_local_functions(mut self, before: LocalFunctionHook, after: LocalFunctionHook) -> Self {
        let token = self.name();
        self.slot_mut::<Parsers>().hooks.push((token, Hooks::Local { before, after }, Location::caller()));
        self
    }

    #[track_caller]
    fn fragments(mut self, read: FragmentReader) -> Self {
        let token = self.name();
        self.slot_mut::<Parsers>().hooks.push((token, Hooks::Fragment(read), Location::caller()));
        self
    }

    #[track_caller]
    fn operator(self, operator: OperatorFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { operator: Some(operator), ..NodeRules::default() })
    }

    #[track_caller]
    fn attribute(self, attribute: AttributeFn, names: NamesFn) -> Self
    where
        N: Class,
    {
        let rules = NodeRules { attribute: Some(attribute), names: Some(names), ..NodeRules::default() };
        on(self, Location::caller(), rules)
    }

    #[track_caller]
    fn subscript(self, subscript: SubscriptFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { subscript: Some(subscript), ..NodeRules::default() })
    }

    #[track_caller]
    fn call(self, call: CallFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { call: Some(call), ..NodeRules::default() })
    }

    #[track_caller]
    fn call_here(mut self, call: CallFn) -> Self
    where
        N: Class,
    {
        let (token, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().calls.push((token, N::type_info(), call, place));
        self
    }

    #[track_caller]
    fn truth(self, truth: TruthFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { truth: Some(truth), ..NodeRules::default() })
    }

    #[track_caller]
    fn items(self, items: ItemsFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { items: Some(items), ..NodeRules::default() })
    }
}

fn on<T: Class>(mut dialect: Dialect<T>, place: RegistrationSite, rules: NodeRules) -> Dialect<T> {
    dialect.slot_mut::<Parsers>().nodes.push((T::type_info(), rules, place));
    dialect
}
