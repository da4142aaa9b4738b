//! Decorated definitions: dispatch to handlers, and registration of the results.

use tvmscript_ir_core::{Object, Span};
use tvmscript_irbuilder::{ArgumentRef, BuildError, BuildErrorKind, BuildErrors, Builder, ScriptValue};

use super::{Built, Decorator, Outermost, Parser};
use crate::errors::ParseErrorKind;
use crate::table::{DecoratorEntry, DecoratorRule, Definition};
use tvmscript_python_syntax::ast::{ClassDef, ExprId, FunctionDef, List, Name, PieceRange, Stmt, StmtId};
use tvmscript_script_eval::Position;
use tvmscript_script_eval::errors::{EvalErrorKind, EvalResult};

impl Parser<'_> {
    /// Declares a function of a module by its signature, if its decorator has a rule for that.
    ///
    /// # Errors
    /// If the function has no decorator of a dialect, or its signature is invalid.
    pub fn declare_definition(&mut self, id: StmtId) -> EvalResult<()> {
        let Stmt::FunctionDef(stmt) = *self.state.ast.stmt(id) else { return Ok(()) };
        let (entry, definition) = self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
        match entry.rule {
            DecoratorRule::Function { declare: Some(declare), .. } => {
                self.with_type_params(stmt, |p| p.with_token(entry.token, |p| declare(p, &definition)))
            }
            DecoratorRule::Function { declare: None, .. }
            | DecoratorRule::Described { .. }
            | DecoratorRule::Macro { .. } => Ok(()),
            DecoratorRule::Class { .. } => Err(self.wrong_decorator(&definition, "a class", "a function")),
        }
    }

    /// Parses a decorated function or class into the open builder. Returns the value of its name, or `None` if the
    /// result is in the builder.
    ///
    /// # Errors
    /// If the definition has no decorator of a dialect, or the handler fails.
    pub fn read_definition(&mut self, id: StmtId) -> EvalResult<Option<ScriptValue>> {
        match *self.state.ast.stmt(id) {
            Stmt::FunctionDef(stmt) => {
                let (entry, definition) =
                    self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
                self.read_function(entry, &definition)
            }
            Stmt::ClassDef(stmt) => {
                let (entry, definition) =
                    self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
                self.read_class(entry, &definition)
            }
            other => Err(self.error(id, ParseErrorKind::unsupported_statement(other.kind(), "here"))),
        }
    }

    fn read_function(
        &mut self,
        entry: DecoratorEntry,
        definition: &Definition<FunctionDef>,
    ) -> EvalResult<Option<ScriptValue>> {
        self.check_captures(definition)?;
        match entry.rule {
            DecoratorRule::Function { define, .. } => self.define_function(entry, definition, define),
            DecoratorRule::Described { define } => self.define_function(entry, definition, define),
            DecoratorRule::Macro { expand } => self.define_macro(entry, expand, definition).map(Some),
            DecoratorRule::Class { .. } => Err(self.wrong_decorator(definition, "a class", "a function")),
        }
    }

    fn define_function(
        &mut self,
        entry: DecoratorEntry,
        definition: &Definition<FunctionDef>,
        define: impl FnOnce(&mut Self, &Definition<FunctionDef>) -> EvalResult<Option<ScriptValue>>,
    ) -> EvalResult<Option<ScriptValue>> {
        let before = Span::set_current(self.span(definition.id));
        let result =
            self.with_type_params(definition.stmt, |p| p.with_token(entry.token, |p| define(p, definition)));
        Span::set_current(before);
        result
    }

    /// Runs `f` in a frame with the type parameters of a function, if it has any.
    fn with_type_params<R>(&mut self, def: FunctionDef, f: impl FnOnce(&mut Self) -> R) -> R {
        if def.type_params.is_empty() {
            return f(self);
        }
        self.with_scope(|p| {
            let ast = p.state.ast.clone();
            for param in ast.list(def.type_params) {
                let value = tvmscript_script_eval::type_variable(ast.name(param.name));
                p.set(param.name, value);
            }
            f(p)
        })
    }

    fn read_class(
        &mut self,
        entry: DecoratorEntry,
        definition: &Definition<ClassDef>,
    ) -> EvalResult<Option<ScriptValue>> {
        match entry.rule {
            DecoratorRule::Class { define } => {
                let before = Span::set_current(self.span(definition.id));
                let result = self.with_token(entry.token, |p| define(p, definition));
                Span::set_current(before);
                result
            }
            DecoratorRule::Function { .. }
            | DecoratorRule::Described { .. }
            | DecoratorRule::Macro { .. } => Err(self.wrong_decorator(definition, "a function", "a class")),
        }
    }

    /// Parses a decorated function inside a function of a dialect, with the hooks of that dialect.
    pub(crate) fn local_function(&mut self, id: StmtId, stmt: FunctionDef) -> EvalResult<()> {
        let (entry, definition) = self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
        let is_macro = matches!(entry.rule, DecoratorRule::Macro { .. });
        let around = self.script.tables.handlers.entry(self.token()).and_then(|entry| entry.around_local);
        let around = around.filter(|_| !is_macro);
        if let Some((before, _)) = around {
            before(self, &definition)?;
        }
        if let Some(value) = self.read_function(entry, &definition)? {
            self.define(stmt.name, value, stmt.name_place, crate::Shadowing::OuterFrames)?;
        }
        match around {
            Some((_, after)) => after(self, &definition),
            None => Ok(()),
        }
    }

    fn wrong_decorator<S>(
        &mut self,
        definition: &Definition<S>,
        expected: &'static str,
        found: &'static str,
    ) -> crate::Reported {
        let decorator = self.state.program.text_of(self.state.ast.range(definition.decorator)).to_owned();
        self.error(definition.decorator, ParseErrorKind::WrongDecorator { decorator, expected, found })
    }

    /// Evaluates the last decorator, whose rule applies.
    fn definition<S>(
        &mut self,
        id: StmtId,
        stmt: S,
        decorators: List<ExprId>,
        name: Name,
        place: PieceRange,
    ) -> EvalResult<(DecoratorEntry, Definition<S>)> {
        let Some(decorator) = decorators.len().checked_sub(1).and_then(|last| self.item(decorators, last))
        else {
            let name = self.state.ast.name(name).to_owned();
            let example = self.syntax().examples.function.map(|decorator| format!(" such as `@{decorator}`"));
            let help = format!("put a decorator{} in front of it", example.unwrap_or_default());
            return Err(self.error_with_help(place, ParseErrorKind::MissingDecorator { name }, help));
        };
        let value = self.eval_host(decorator)?;
        match value.as_host::<Decorator>() {
            Some(found) => {
                let mut args = found.args.clone();
                let capture = args.take_keyword("capture");
                Ok((found.entry, Definition { id, stmt, decorator, args, capture }))
            }
            None => {
                let what = self.describe(&value);
                Err(self.error(decorator, EvalErrorKind::NotADecorator { what }))
            }
        }
    }

    /// Parses a decorated definition of host code in a new builder and returns the result.
    pub(super) fn build_definition(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &Decorator,
    ) -> EvalResult<ScriptValue> {
        // A definition in a host function that a script body calls does not see the variables of that body.
        let fresh = self.script.scopes.depth() > 0;
        let scopes = if fresh { Some(std::mem::take(&mut self.script.scopes)) } else { None };
        let position = self.state.move_by(Position::script);
        let failures = self.state.diagnostics.failures;
        let is_inner = self.script.scripts.outermost.is_some();
        let outermost = self.script.scripts.outermost.replace(Outermost { id, is_checked: true });
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        let result = self.read_decorated(id, at, decorator);
        let is_checked =
            std::mem::replace(&mut self.script.scripts.outermost, outermost).is_none_or(|o| o.is_checked);
        let result = match result {
            Ok(Some(value)) => Ok(value),
            // The result of a definition with errors is discarded.
            Ok(None) if self.state.diagnostics.failures > failures => Err(crate::Reported::already()),
            Ok(None) => {
                let built = builder.finish().map_err(BuildErrors::into_first);
                self.checked(id, built).map(|object| {
                    if !is_inner {
                        self.add_built(id, object.clone(), is_checked);
                    }
                    ScriptValue::Node(object)
                })
            }
            Err(reported) => Err(reported),
        };
        self.state.move_to(position);
        if let Some(scopes) = scopes {
            self.script.scopes = scopes;
        }
        result
    }

    pub(super) fn read_decorated(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &Decorator,
    ) -> EvalResult<Option<ScriptValue>> {
        let (entry, mut args) = (decorator.entry, decorator.args.clone());
        let capture = args.take_keyword("capture");
        match *self.state.ast.stmt(id) {
            Stmt::FunctionDef(stmt) => {
                self.read_function(entry, &Definition { id, stmt, decorator: at, args, capture })
            }
            Stmt::ClassDef(stmt) => {
                self.read_class(entry, &Definition { id, stmt, decorator: at, args, capture })
            }
            other => Err(self.error(id, ParseErrorKind::unsupported_statement(other.kind(), "here"))),
        }
    }

    /// Stores the result of a definition until a module-level name or the end of the statement takes it.
    fn add_built(&mut self, id: StmtId, node: Object, is_checked: bool) {
        let name = match *self.state.ast.stmt(id) {
            Stmt::FunctionDef(def) => def.name,
            Stmt::ClassDef(def) => def.name,
            _ => return,
        };
        let (range, path, depth) = (self.state.ast.range(id), self.state.path_of(name), self.state.depth());
        // Scripts in code that is expected to fail may be ill-formed.
        let is_checked = is_checked && !self.state.expects_failure();
        let definition = range;
        self.script.scripts.built.push(Built {
            node,
            is_checked,
            range,
            definition,
            path,
            depth,
            is_taken: false,
        });
    }

    /// Disables the well-formedness check of a definition. Has no effect inside another definition, whose decorator
    /// decides.
    pub fn skip_check<S>(&mut self, definition: &Definition<S>) {
        if let Some(outermost) = self.script.scripts.outermost.as_mut().filter(|o| o.id == definition.id) {
            outermost.is_checked = false;
        }
    }

    /// Returns `true` for a flag that the release reads and ignores.
    fn is_ignored_flag(&self, function: &str, flag: &str) -> bool {
        let decorator = function.rsplit('.').next().unwrap_or(function);
        self.syntax().ignored_flags.contains(&(decorator, flag))
    }

    /// Values of the boolean arguments of a decorator, given with their defaults.
    ///
    /// # Errors
    /// If an argument is not a boolean, or not in `flags`.
    pub fn decorator_flags<S, const N: usize>(
        &mut self,
        definition: &Definition<S>,
        flags: [(&'static str, bool); N],
    ) -> EvalResult<[bool; N]> {
        let known = flags.map(|(name, _)| name);
        let mut values = flags.map(|(_, default)| default);
        let at = definition.decorator;
        let function = self.state.program.text_of(self.state.ast.range(at));
        let function = function.split('(').next().unwrap_or_default().trim().to_owned();
        let usage: Vec<String> =
            flags.iter().map(|(name, on)| format!("{name}={}", if *on { "True" } else { "False" })).collect();
        let usage = format!("{function}({})", usage.join(", "));
        let mut result = Ok(());
        let found = definition.args.positional.len();
        if found > 0 {
            let kind = BuildErrorKind::TooManyArguments { function: function.clone(), limit: 0, found };
            result = Err(BuildError::from(kind).with_usage(&usage).at_position(0));
        }
        for (key, value) in &definition.args.keywords {
            let flag = known.iter().zip(&mut values).find(|(name, _)| **name == key.as_str());
            let function = function.clone();
            let error = match (flag, value) {
                (Some((_, slot)), ScriptValue::Bool(flag)) => {
                    *slot = *flag;
                    continue;
                }
                (Some((name, _)), other) => {
                    let (expected, found) = ("a bool".to_owned(), other.type_name());
                    BuildError::from(BuildErrorKind::ArgumentType { function, name, expected, found })
                }
                (None, ScriptValue::Bool(_)) if self.is_ignored_flag(&function, key.as_str()) => continue,
                (None, _) => {
                    let (name, known) = (key.to_string(), known.to_vec());
                    BuildError::from(BuildErrorKind::UnknownKeyword { function, name, known })
                        .with_usage(&usage)
                }
            };
            result = Err(error.at(ArgumentRef::Keyword(key.clone())));
        }
        match result {
            Ok(()) => Ok(values),
            Err(error) => {
                let range = self.state.ast.range(at);
                Err(self.build_error_at(range, Some(at), error))
            }
        }
    }
}
