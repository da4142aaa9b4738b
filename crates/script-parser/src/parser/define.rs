//! Decorated definitions: which handler reads them, and where what they build goes.

use tvmscript_ir_core::Object;
use tvmscript_irbuilder::{
    ArgumentRef, BuildError, BuildErrorKind, BuildErrors, Builder, CallArgs, ScriptValue,
};

use super::{Built, Decorator, Namespace, Outermost, Parser};
use crate::errors::{ParseError, ParseErrorKind, Result};
use crate::eval::{Cause, Placeholder};
use crate::table::{DecoratorEntry, DecoratorRule, Definition, Mode};
use tvmscript_python_syntax::ast::{ClassDef, ExprId, FunctionDef, List, Name, Place, Stmt, StmtId};

/// The decorators of a definition of host code.
#[derive(Default)]
pub(crate) struct Decorators {
    /// The one of a dialect, which makes it a script.
    pub(crate) dialect: Option<(ExprId, Decorator)>,
    /// The others, in order.
    pub(crate) others: Vec<(ExprId, ScriptValue)>,
}

impl Parser<'_> {
    /// Declares a function of a module by its signature; its dialect says how. Nothing happens when that dialect's
    /// functions need no declaration.
    ///
    /// # Errors
    /// When the function has no decorator of a dialect, or its signature is wrong.
    pub fn declare_definition(&mut self, id: StmtId) -> Result<()> {
        let Stmt::FunctionDef(stmt) = *self.ast.stmt(id) else { return Ok(()) };
        let (entry, definition) = self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
        match entry.rule {
            DecoratorRule::Function { declare: Some(declare), .. } => {
                self.with_token(entry.token, |p| declare(p, &definition))
            }
            DecoratorRule::Function { declare: None, .. } => Ok(()),
            DecoratorRule::Class { .. } => Err(self.wrong_decorator(&definition, "a class", "a function")),
        }
    }

    /// Reads a decorated function or class into the open builder; its dialect says how. Gives the value of its name, or
    /// nothing when the builder holds it.
    ///
    /// # Errors
    /// When the definition has no decorator of a dialect, or the dialect's handler fails.
    pub fn read_definition(&mut self, id: StmtId) -> Result<Option<ScriptValue>> {
        match *self.ast.stmt(id) {
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
    ) -> Result<Option<ScriptValue>> {
        match entry.rule {
            DecoratorRule::Function { define, .. } => self.with_token(entry.token, |p| define(p, definition)),
            DecoratorRule::Class { .. } => Err(self.wrong_decorator(definition, "a class", "a function")),
        }
    }

    fn read_class(
        &mut self,
        entry: DecoratorEntry,
        definition: &Definition<ClassDef>,
    ) -> Result<Option<ScriptValue>> {
        match entry.rule {
            DecoratorRule::Class { define } => self.with_token(entry.token, |p| define(p, definition)),
            DecoratorRule::Function { .. } => Err(self.wrong_decorator(definition, "a function", "a class")),
        }
    }

    /// A decorated function inside a function of a dialect: that dialect's hooks run around it.
    pub(crate) fn local_function(&mut self, id: StmtId, stmt: FunctionDef) -> Result<()> {
        let (entry, definition) = self.definition(id, stmt, stmt.decorators, stmt.name, stmt.name_place)?;
        let around = self.shared.table.entry(self.token).and_then(|entry| entry.around_local);
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
    ) -> crate::errors::Reported {
        let decorator = self.shared.text_of(self.ast.range(definition.decorator)).to_owned();
        self.error(definition.decorator, ParseErrorKind::WrongDecorator { decorator, expected, found })
    }

    /// Evaluates the decorator that decides: the last one.
    fn definition<S>(
        &mut self,
        id: StmtId,
        stmt: S,
        decorators: List<ExprId>,
        name: Name,
        place: Place,
    ) -> Result<(DecoratorEntry, Definition<S>)> {
        let Some(decorator) = decorators.len().checked_sub(1).and_then(|last| self.item(decorators, last))
        else {
            let name = self.ast.name(name).to_owned();
            let example =
                self.profile().examples.function.map(|decorator| format!(" such as `@{decorator}`"));
            let help = format!("put a decorator{} in front of it", example.unwrap_or_default());
            return Err(self.error_with_help(place, ParseErrorKind::MissingDecorator { name }, help));
        };
        let value = self.with_mode(Mode::Host, |p| p.eval(decorator))?;
        match value.as_host::<Decorator>() {
            Some(found) => {
                let args = found.args.clone();
                Ok((found.entry, Definition { id, stmt, decorator, args }))
            }
            None => {
                let what = self.describe(&value);
                Err(self.error(decorator, ParseErrorKind::NotADecorator { what }))
            }
        }
    }

    /// Evaluates the decorators of a definition of host code. The last one of a dialect decides.
    ///
    /// # Errors
    /// When one cannot be evaluated, or is no decorator.
    pub(crate) fn decorators(&mut self, decorators: List<ExprId>) -> Result<Decorators> {
        let ast = self.ast.clone();
        let mut found = Decorators::default();
        let list = ast.list(decorators);
        // A host function that a script calls makes scripts, nothing else.
        let list = if self.absorbs { list } else { &list[list.len().saturating_sub(1)..] };
        for at in list {
            let before = std::mem::replace(&mut self.in_decorator, true);
            let value = self.with_mode(Mode::Host, |p| p.eval(*at));
            self.in_decorator = before;
            let value = value.inspect_err(|_| self.keep_decorator_error())?;
            if let Some(decorator) = value.as_host::<Decorator>() {
                found.dialect = Some((*at, decorator.clone()));
            } else if self.absorbs
                && matches!(value, ScriptValue::Host(_))
                && value.as_host::<Namespace>().is_none()
            {
                found.others.push((*at, value));
            } else {
                let what = self.describe(&value);
                let reported = self.error(*at, ParseErrorKind::NotADecorator { what });
                self.keep_decorator_error();
                return Err(reported);
            }
        }
        Ok(found)
    }

    /// Keeps the error of a decorator also in code that is only explored: what it decorates may be a script.
    fn keep_decorator_error(&mut self) {
        if self.explorer.exploring > 0
            && let Some(error) = self.raised.pop()
            && !self.errors.contains(&error)
        {
            self.errors.push(error);
        }
    }

    /// Reads a script of host code. One that needs the arguments of a function that nobody calls is noted.
    pub(crate) fn host_definition(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &Decorator,
    ) -> Result<ScriptValue> {
        if self.mark_read(id) {
            // It was read already, with arguments.
            let cause = Cause::Statement("it is read where the function is called".into());
            return Ok(Placeholder::new(cause, self.ast.range(id)).value());
        }
        self.met_script = true;
        let errors = self.errors.len();
        let result = self.build_definition(id, at, decorator);
        match result {
            Ok(_) => drop(self.explorer.built.insert(id)),
            Err(_) => self.note_arguments(id, errors),
        }
        result
    }

    /// Takes the errors of a script that needs arguments for one note. Names that nothing defines stay mistakes.
    fn note_arguments(&mut self, id: StmtId, from: usize) {
        let needs = |e: &ParseError| matches!(e.kind, ParseErrorKind::NeedsArguments { .. });
        let Some(first) = self.errors.iter().skip(from).find(|e| needs(e)).cloned() else { return };
        let is_sure = |e: &ParseError| {
            matches!(
                e.kind,
                ParseErrorKind::UndefinedName { .. }
                    | ParseErrorKind::NoAttribute { .. }
                    | ParseErrorKind::AlreadyDefined { .. }
                    | ParseErrorKind::Syntax(_)
            )
        };
        let mut index = 0;
        self.errors.retain(|e| {
            index += 1;
            index <= from || is_sure(e)
        });
        let name = match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => def.name,
            Stmt::ClassDef(def) => def.name,
            _ => return,
        };
        let at = first.range();
        let ParseErrorKind::NeedsArguments { parameter, function, .. } = first.kind else { return };
        let kind = ParseErrorKind::NeedsArguments { script: self.path_of(name), parameter, function };
        let note = ParseError::note_at(kind, at);
        // One note for each script, however often its function is explored or called.
        if self.explorer.needy.iter().all(|(noted, _)| *noted != id) {
            self.explorer.needy.push((id, ParseError { labels: first.labels, ..note }));
        }
    }

    /// Reads a bare function of a class as the script that the class's base makes of it; nothing when no dialect has such.
    pub(crate) fn bare_script(&mut self, id: StmtId, def: FunctionDef) -> Option<Result<ScriptValue>> {
        let (dialect, name) = self.shared.table.bare_decorator?;
        let entry = self.shared.table.decorator(dialect, name)?;
        let at = self.ast.list(def.params).iter().find_map(|param| param.annotation)?;
        let decorator = Decorator { entry, args: CallArgs::default() };
        self.explorer.units.retain(|unit| !unit.is_of(id));
        Some(self.host_definition(id, at, &decorator))
    }

    /// Calls a decorator on a function or class of host code: `T.prim_func(f)`.
    pub(crate) fn decorate_value(
        &mut self,
        decorator: &Decorator,
        value: &ScriptValue,
    ) -> Option<Result<ScriptValue>> {
        let id = crate::eval::definition_of(value)?;
        let at = match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => self.ast.list(def.params).iter().find_map(|param| param.annotation)?,
            _ => return None,
        };
        self.explorer.called.insert(id);
        Some(self.host_definition(id, at, decorator))
    }

    /// Reads a decorated definition of host code in a builder of its own, and gives what it builds.
    fn build_definition(&mut self, id: StmtId, at: ExprId, decorator: &Decorator) -> Result<ScriptValue> {
        // A definition inside a host function that a script body calls does not see that body's variables.
        let fresh = self.scopes.depth() > 0;
        let scopes = if fresh { Some(std::mem::take(&mut self.scopes)) } else { None };
        let in_env = std::mem::replace(&mut self.in_env, false);
        let absorbs = std::mem::replace(&mut self.absorbs, false);
        let failures = self.failures;
        let is_inner = self.outermost.is_some();
        let outermost = self.outermost.replace(Outermost { id, is_checked: true });
        let builder = self.registry().map_or_else(Builder::new, Builder::for_registry);
        let result = self.read_decorated(id, at, decorator);
        let is_checked = std::mem::replace(&mut self.outermost, outermost).is_none_or(|o| o.is_checked);
        let result = match result {
            Ok(Some(value)) => Ok(value),
            // A result with mistakes in it is none.
            Ok(None) if self.failures > failures => Err(crate::errors::Reported(())),
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
        self.in_env = in_env;
        self.absorbs = absorbs;
        if let Some(scopes) = scopes {
            self.scopes = scopes;
        }
        result
    }

    fn read_decorated(
        &mut self,
        id: StmtId,
        at: ExprId,
        decorator: &Decorator,
    ) -> Result<Option<ScriptValue>> {
        let (entry, args) = (decorator.entry, decorator.args.clone());
        match *self.ast.stmt(id) {
            Stmt::FunctionDef(stmt) => {
                self.read_function(entry, &Definition { id, stmt, decorator: at, args })
            }
            Stmt::ClassDef(stmt) => self.read_class(entry, &Definition { id, stmt, decorator: at, args }),
            other => Err(self.error(id, ParseErrorKind::unsupported_statement(other.kind(), "here"))),
        }
    }

    /// Remembers what a definition built, until a name of the module level or the end of the statement takes it.
    fn add_built(&mut self, id: StmtId, node: Object, is_checked: bool) {
        let name = match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => def.name,
            Stmt::ClassDef(def) => def.name,
            _ => return,
        };
        let (range, path, depth) = (self.ast.range(id), self.path_of(name), self.depth);
        // What is built where a mistake is expected may well be ill-formed.
        let is_checked = is_checked && self.explorer.may_fail == 0;
        let definition = range;
        self.built.push(Built { node, is_checked, range, definition, path, depth, is_taken: false });
    }

    /// What this definition builds is not to be checked for well-formedness: its decorator says so. Without effect inside
    /// of another definition, whose decorator decides.
    pub fn skip_check<S>(&mut self, definition: &Definition<S>) {
        if let Some(outermost) = self.outermost.as_mut().filter(|o| o.id == definition.id) {
            outermost.is_checked = false;
        }
    }

    /// The values of the `True`/`False` arguments of a decorator, all of which have a default.
    ///
    /// # Errors
    /// When one is something else, or the decorator has arguments that are none of these.
    pub fn decorator_flags<S, const N: usize>(
        &mut self,
        definition: &Definition<S>,
        flags: [(&'static str, bool); N],
    ) -> Result<[bool; N]> {
        let known = flags.map(|(name, _)| name);
        let mut values = flags.map(|(_, default)| default);
        let at = definition.decorator;
        let function = self.shared.text_of(self.ast.range(at));
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
                (None, _) => {
                    let (name, known) = (key.to_string(), known.to_vec());
                    BuildError::from(BuildErrorKind::UnknownKeyword { function, name, known })
                        .with_usage(&usage)
                }
            };
            result = Err(error.at(ArgumentRef::Keyword(key.as_str().into())));
        }
        match result {
            Ok(()) => Ok(values),
            Err(error) => {
                let range = self.ast.range(at);
                Err(self.build_error_at(range, Some(at), error))
            }
        }
    }
}
