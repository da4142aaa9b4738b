//! Registration of parsing rules of a dialect.

use std::panic::Location;
use std::sync::Arc;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Class, Dialect, TypeInfo};
use tvmscript_irbuilder::ScriptFn;

use super::{
    DecoratorRule, FragmentReader, Hooks, LocalFunctionHook, NodeTextFn, OmittedFn, ParserFn, Parsers,
    PythonModule, ScopeFn, Statement, StmtHandler, TextRulesFn, UnknownFn, WholeTextReader,
};
use tvmscript_script_eval::errors::EvalResult;
use tvmscript_script_eval::{
    AttributeFn, CallFn, ItemsFn, NamesFn, NodeRules, NumberFn, OperatorFn, SubscriptFn, TruthFn,
};

use crate::header::ReaderOption;
use crate::parser::Parser;
use tvmscript_python_syntax::ast::{StmtId, StmtKind};

/// Methods of [`Dialect`] that register parsing rules.
///
/// ```
/// # use tvmscript_ir_core::{Class, Dialect};
/// # use tvmscript_irbuilder::{BuildError, ScriptValue};
/// # use tvmscript_python_syntax::ast;
/// # use tvmscript_script_parser::{Mode, Operator, ParseDialect, ParseErrorKind, Parser, EvalResult};
/// # #[derive(Class)]
/// # #[class(key = "doc.Expr")]
/// # struct Expr(());
/// /// A call of a function without result. `p.eval(stmt.value).map(drop)` would also accept `x`, `1` and `D.f`.
/// fn evaluate(p: &mut Parser, _: ast::StmtId, stmt: &ast::ExprStmt) -> EvalResult<()> {
///     let is_call = matches!(p.expr(stmt.value), ast::Expr::Call { .. });
///     let value = p.eval(stmt.value)?;
///     if is_call && matches!(value, ScriptValue::None) {
///         return Ok(());
///     }
///     let kind = ParseErrorKind::expected("a call such as `D.output(..)`", p.describe(&value));
///     Err(p.error(stmt.value, kind))
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
    /// Class of the preceding [`on`](Dialect::on).
    type Node: 'static;

    /// Prefixes of the dialect in scripts without an import.
    fn namespace(self, names: &[&'static str]) -> Self;

    /// Registers the handler of a kind of statement under this dialect's token.
    ///
    /// A statement is handled under the token of the decorated function around it. In a function of this dialect, a kind
    /// of statement without a handler here or under the default token is an error, except `pass` and decorated
    /// definitions. A dialect with a decorator of its own therefore registers handlers for [`Assign`], [`ExprStmt`] and
    /// [`With`], as `tests/circuit-dialect` does; a dialect whose statements occur only in functions of another one
    /// needs none. The shortest ones:
    ///
    /// ```
    /// # use tvmscript_irbuilder::{ScriptValue, try_name};
    /// # use tvmscript_python_syntax::ast::{Assign, ExprId, ExprStmt, Name, StmtId, With};
    /// # use tvmscript_script_parser::{Parser, EvalResult, Shadowing};
    /// fn assign(p: &mut Parser, _: StmtId, stmt: &Assign) -> EvalResult<()> {
    ///     let value = p.eval_assigned(stmt.value)?;
    ///     for target in p.ast().list(stmt.targets) {
    ///         p.unpack(*target, value.clone(), bind)?;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// /// Names the node, or renames one that has a name, and defines the name.
    /// fn bind(p: &mut Parser, name: Name, at: ExprId, value: ScriptValue) -> EvalResult<()> {
    ///     if let ScriptValue::Node(node) = &value {
    ///         let named = try_name(p.name_text(name), node);
    ///         p.checked(at, named)?;
    ///     }
    ///     p.define(name, value, at, Shadowing::SameFrame)
    /// }
    ///
    /// /// `with frame:`; names end with the scope.
    /// fn with(p: &mut Parser, _: StmtId, stmt: &With) -> EvalResult<()> {
    ///     let mut open = Vec::new();
    ///     for item in p.ast().list(stmt.items) {
    ///         let frame = p.eval(item.context)?;
    ///         open.push((p.enter_frame(&frame, item.context)?.1, item.context));
    ///     }
    ///     let mut result = p.with_scope(|p| p.visit_all(stmt.body));
    ///     while let Some((frame, at)) = open.pop() {
    ///         result = result.and(p.leave_frame(frame, at));
    ///     }
    ///     result
    /// }
    /// ```
    ///
    /// The handler of [`ExprStmt`] is in the example of this trait.
    ///
    /// [`Assign`]: tvmscript_python_syntax::ast::Assign
    /// [`ExprStmt`]: tvmscript_python_syntax::ast::ExprStmt
    /// [`With`]: tvmscript_python_syntax::ast::With
    fn parse<S: Statement>(
        self,
        handler: impl Fn(&mut Parser, StmtId, &S) -> EvalResult<()> + Send + Sync + 'static,
    ) -> Self;

    /// Registers the handler of a kind of statement under the token of another dialect, which does not handle it itself:
    /// functions of that dialect may then contain the statement.
    fn parse_in<S: Statement>(
        self,
        token: &'static str,
        handler: impl Fn(&mut Parser, StmtId, &S) -> EvalResult<()> + Send + Sync + 'static,
    ) -> Self;

    /// Registers the handler of a kind of statement without fields, such as `pass`, or of any kind.
    fn parse_kind(self, kind: StmtKind, handler: fn(&mut Parser, StmtId) -> EvalResult<()>) -> Self;

    /// Registers a decorator in this dialect's namespace. Definitions with it are parsed under this dialect's token.
    fn decorator(self, name: &'static str, rule: DecoratorRule) -> Self;

    /// Registers a decorator in the namespace of another dialect, whose token definitions with it are parsed under.
    fn decorator_in(self, dialect: &'static str, name: &'static str, rule: DecoratorRule) -> Self;

    /// Makes a decorator usable as a scope of host code, `with D.function(): ..`, where `scope` makes the frame from
    /// the arguments of the call.
    fn decorator_scope(self, name: &'static str, scope: ScopeFn) -> Self;

    /// Registers a function in this dialect's namespace that has access to the parser.
    fn parser_function(self, name: &'static str, function: ParserFn) -> Self;

    /// Registers a function under a name that is in no namespace, such as `node.Walk`; see
    /// [`Parser::global_function`](crate::Parser::global_function).
    fn global_function(self, name: &'static str, function: ParserFn) -> Self;

    /// Functions whose arguments are regions, in which a slice without a step stays as it is.
    fn region_functions(self, functions: &[&'static ScriptFn]) -> Self;

    /// Reads calls of functions that this dialect does not have, where the text may have them
    /// ([`UnknownFunctions`](crate::UnknownFunctions)).
    fn unknown_functions(self, call: UnknownFn) -> Self;

    /// Options that headers can set, besides prefixes.
    fn reader_options(self, options: &'static [ReaderOption]) -> Self;
    /// Names that are missing in this dialect's namespace, each with an alternative.
    fn absent_names(self, names: &[(&'static str, &'static str)]) -> Self;

    /// Names of this dialect's namespace whose results only a run of other code gives, each with the reason. Their values are
    /// unknown ([`Placeholder`](tvmscript_script_eval::Placeholder)).
    fn unevaluated_names(self, names: &[(&'static str, &'static str)]) -> Self;

    /// Members that this dialect defines in Python modules.
    fn python_modules(self, modules: &'static [PythonModule]) -> Self;

    /// Python modules that scripts can use without an import.
    fn predefined_modules(self, names: &[&'static str]) -> Self;

    /// Functions of Python's library that scripts can use without an import: names with their modules.
    fn predefined_names(self, names: &'static [(&'static str, &'static str)]) -> Self;

    /// Decorator of this dialect for the bare functions of [comparing
    /// tests](tvmscript_ir_core::release::ComparisonTests). Only one dialect can name one.
    fn bare_decorator(self, name: &'static str) -> Self;

    /// Prints nodes of every dialect for `str`, `repr` and f-strings of Python code. At most one dialect registers it.
    fn node_text(self, print: NodeTextFn) -> Self;

    /// Makes the node of a place of the metadata section, for texts that leave out the section. At most one dialect
    /// registers it.
    fn omitted(self, make: OmittedFn) -> Self;

    /// Rules for the text of this dialect inside that of others.
    fn text_rules(self, rules: TextRulesFn) -> Self;

    /// Hooks that run around decorated functions nested in functions of this dialect.
    fn around_local_functions(self, before: LocalFunctionHook, after: LocalFunctionHook) -> Self;

    /// Parser of statements of this dialect outside any function.
    fn fragments(self, read: FragmentReader) -> Self;

    /// Parser of texts that are one script of this dialect: those that begin, after imports, with these statements. The
    /// reader gets the statements after them.
    fn whole_text(self, lines: &'static [&'static str], read: WholeTextReader) -> Self;

    /// Functions that scripts can use without a prefix.
    fn predefined_functions(self, functions: &[(&'static str, &'static ScriptFn)]) -> Self;

    /// Operators on nodes of a type without a Rust struct.
    fn operator_info(self, info: &'static TypeInfo, operator: OperatorFn) -> Self;

    /// Operators on nodes of the class.
    fn operator(self, operator: OperatorFn) -> Self
    where
        Self::Node: Class;

    /// Attributes of nodes of the class, and the names to suggest.
    fn attribute(self, attribute: AttributeFn, names: NamesFn) -> Self
    where
        Self::Node: Class;

    /// Subscripts of nodes of the class.
    fn subscript(self, subscript: SubscriptFn) -> Self
    where
        Self::Node: Class;

    /// Calls of nodes of the class.
    fn call(self, call: CallFn) -> Self
    where
        Self::Node: Class;

    /// Calls of nodes of the class inside functions of this dialect; takes precedence over all other rules.
    fn call_here(self, call: CallFn) -> Self
    where
        Self::Node: Class;

    /// Truth value of nodes of the class in host code.
    fn truth(self, truth: TruthFn) -> Self
    where
        Self::Node: Class;

    /// Value of constant nodes of the class, for `int` and `float`.
    fn number(self, number: NumberFn) -> Self
    where
        Self::Node: Class;

    /// Elements of nodes of the class, for unpacking and iteration.
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
    fn parse<S: Statement>(
        self,
        handler: impl Fn(&mut Parser, StmtId, &S) -> EvalResult<()> + Send + Sync + 'static,
    ) -> Self {
        let token = self.name();
        self.parse_in(token, handler)
    }

    #[track_caller]
    fn parse_in<S: Statement>(
        mut self,
        token: &'static str,
        handler: impl Fn(&mut Parser, StmtId, &S) -> EvalResult<()> + Send + Sync + 'static,
    ) -> Self {
        let place = Location::caller();
        let erased: StmtHandler = Arc::new(move |p, id, stmt| match S::of(stmt) {
            Some(parts) => handler(p, id, &parts),
            None => unreachable!("handlers are found by the kind of the statement"),
        });
        self.slot_mut::<Parsers>().statements.push((token, S::KIND, erased, place));
        self
    }

    #[track_caller]
    fn parse_kind(mut self, kind: StmtKind, handler: fn(&mut Parser, StmtId) -> EvalResult<()>) -> Self {
        let (token, place) = (self.name(), Location::caller());
        let erased: StmtHandler = Arc::new(move |p, id, _| handler(p, id));
        self.slot_mut::<Parsers>().statements.push((token, kind, erased, place));
        self
    }

    #[track_caller]
    fn decorator(self, name: &'static str, rule: DecoratorRule) -> Self {
        let dialect = self.name();
        self.decorator_in(dialect, name, rule)
    }

    #[track_caller]
    fn decorator_in(mut self, dialect: &'static str, name: &'static str, rule: DecoratorRule) -> Self {
        let place = Location::caller();
        self.slot_mut::<Parsers>().decorators.push((dialect, name, rule, place));
        self
    }

    #[track_caller]
    fn decorator_scope(mut self, name: &'static str, scope: ScopeFn) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().scopes.push((dialect, name, scope, place));
        self
    }

    #[track_caller]
    fn parser_function(mut self, name: &'static str, function: ParserFn) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().functions.push((dialect, name, function, place));
        self
    }

    #[track_caller]
    fn global_function(mut self, name: &'static str, function: ParserFn) -> Self {
        let place = Location::caller();
        self.slot_mut::<Parsers>().global_functions.push((name, function, place));
        self
    }

    fn region_functions(mut self, functions: &[&'static ScriptFn]) -> Self {
        self.slot_mut::<Parsers>().region_functions.extend(functions);
        self
    }

    #[track_caller]
    fn unknown_functions(mut self, call: UnknownFn) -> Self {
        let (dialect, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().unknown.push((dialect, call, place));
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

    fn unevaluated_names(mut self, names: &[(&'static str, &'static str)]) -> Self {
        let dialect = self.name();
        let names = names.iter().map(|(name, reason)| (dialect, *name, *reason));
        self.slot_mut::<Parsers>().unevaluated.extend(names);
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

    fn predefined_names(mut self, names: &'static [(&'static str, &'static str)]) -> Self {
        self.slot_mut::<Parsers>().predefined_names.extend(names);
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
    fn omitted(mut self, make: OmittedFn) -> Self {
        self.slot_mut::<Parsers>().omitted = Some((make, Location::caller()));
        self
    }

    #[track_caller]
    fn text_rules(mut self, rules: TextRulesFn) -> Self {
        let token = self.name();
        self.slot_mut::<Parsers>().hooks.push((token, Hooks::TextRules(rules), Location::caller()));
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
    fn whole_text(mut self, lines: &'static [&'static str], read: WholeTextReader) -> Self {
        let (token, place) = (self.name(), Location::caller());
        self.slot_mut::<Parsers>().whole_texts.push((token, lines, read, place));
        self
    }

    #[track_caller]
    fn predefined_functions(mut self, functions: &[(&'static str, &'static ScriptFn)]) -> Self {
        let place = Location::caller();
        let functions = functions.iter().map(|(name, function)| (*name, *function, place));
        self.slot_mut::<Parsers>().predefined_functions.extend(functions);
        self
    }

    #[track_caller]
    fn operator_info(mut self, info: &'static TypeInfo, operator: OperatorFn) -> Self {
        let rules = NodeRules { operator: Some(operator), ..NodeRules::default() };
        self.slot_mut::<Parsers>().nodes.push((info, rules, Location::caller()));
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
    fn number(self, number: NumberFn) -> Self
    where
        N: Class,
    {
        on(self, Location::caller(), NodeRules { number: Some(number), ..NodeRules::default() })
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
