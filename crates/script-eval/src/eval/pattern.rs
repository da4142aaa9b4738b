//! `match` statements.
//!
//! A pattern binds its names only if all of it matches, before the guard is evaluated, as in CPython.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use tvmscript_ir_core::with_stack;
use tvmscript_script_value::{CallArgs, Dict, ScriptValue};

use super::class::is_instance;
use super::statement::Flow;
use super::{Cause, Placeholder, Raise, exception};
use crate::Eval;
use crate::binding::Binding;
use crate::errors::{EvalResult, HostError};
use crate::host::Operator;
use crate::python::compare::identical;
use crate::python::{builtins, cost, object, range, type_name};
use tvmscript_python_syntax::ast::{
    CmpOp, Constant, Expr, ExprId, List, Match, MatchCase, Name, Pattern, PatternKind, StmtId,
};
use tvmscript_python_syntax::walk;

/// The names that a pattern binds, with their values.
type Captures = Vec<(Name, ScriptValue)>;

/// Types that a class pattern with one positional part matches as a whole.
const WHOLE: &[&str] = &["bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"];

/// The case that runs.
pub(super) enum Chosen {
    Case(MatchCase),
    None,
    /// The subject or a condition is not known.
    Unknown(Placeholder),
}

impl Eval<'_> {
    /// Finds the case of a `match` statement and binds the names of its pattern.
    pub(super) fn choose_case(&mut self, stmt: Match) -> EvalResult<Chosen> {
        let subject = self.eval(stmt.subject)?;
        if self.state.is_tolerant()
            && let Some(why) = self.state.unknown(&subject)
        {
            return Ok(Chosen::Unknown(why));
        }
        for index in 0..stmt.cases.len() {
            let Some(case) = self.state.item(stmt.cases, index) else { break };
            let mut captures = Captures::new();
            let matches = match self.matches(case.pattern, 0, &subject, &mut captures) {
                Err(Raise::Unknown(why)) if self.state.is_tolerant() => return Ok(Chosen::Unknown(why)),
                matches => self.at(stmt.subject, matches)?,
            };
            if !matches {
                continue;
            }
            for (name, value) in captures {
                let place = self.state.ast.range(stmt.subject);
                self.assign_host(name, value, place);
            }
            match case.guard.map_or(Ok(Ok(true)), |guard| self.decide(guard))? {
                Ok(true) => return Ok(Chosen::Case(case)),
                Ok(false) => {}
                Err(why) => return Ok(Chosen::Unknown(why)),
            }
        }
        Ok(Chosen::None)
    }

    /// Tests whether the pattern at an index of a list matches a value.
    fn matches(
        &mut self,
        list: List<Pattern>,
        at: usize,
        subject: &ScriptValue,
        captures: &mut Captures,
    ) -> Result<bool, Raise> {
        self.state.program.budget.step(1)?;
        let Some(pattern) = self.state.item(list, at) else { return Ok(false) };
        match pattern.kind {
            PatternKind::Wildcard => Ok(true),
            PatternKind::Capture(name) => {
                captures.push((name, subject.clone()));
                Ok(true)
            }
            PatternKind::As(name) => {
                let found = with_stack(|| self.matches(list, at + 1, subject, captures))?;
                captures.push((name, subject.clone()));
                Ok(found)
            }
            PatternKind::Value(value) => self.matches_value(value, subject),
            PatternKind::Star(_) => Ok(false),
            PatternKind::Or { .. } => {
                let before = captures.len();
                for part in self.parts_of_pattern(list, at) {
                    if with_stack(|| self.matches(list, part, subject, captures))? {
                        return Ok(true);
                    }
                    captures.truncate(before);
                }
                Ok(false)
            }
            PatternKind::Sequence { .. } => self.matches_sequence(list, at, subject, captures),
            PatternKind::Mapping { keys, rest } => {
                self.matches_mapping(list, at, (keys, rest), subject, captures)
            }
            PatternKind::Class { class, positional, keywords } => {
                let class = self.eval(class)?;
                self.matches_class(list, at, (&class, positional as usize, keywords), subject, captures)
            }
        }
    }

    /// The indices of the parts of a pattern.
    fn parts_of_pattern(&self, list: List<Pattern>, at: usize) -> Vec<usize> {
        let patterns = self.state.ast.list(list);
        let Some(end) = patterns.get(at).map(|pattern| at + pattern.size as usize) else { return Vec::new() };
        let mut parts = Vec::new();
        let mut next = at + 1;
        while next < end {
            parts.push(next);
            next += patterns.get(next).map_or(1, |pattern| pattern.size as usize);
        }
        parts
    }

    /// Matches parts in order.
    fn all_match(
        &mut self,
        list: List<Pattern>,
        parts: impl IntoIterator<Item = (usize, ScriptValue)>,
        captures: &mut Captures,
    ) -> Result<bool, Raise> {
        for (part, value) in parts {
            if !with_stack(|| self.matches(list, part, &value, captures))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Matches a literal or dotted name: `None`, `True` and `False` by identity, others by equality.
    fn matches_value(&mut self, pattern: ExprId, subject: &ScriptValue) -> Result<bool, Raise> {
        let value = self.eval(pattern)?;
        let op = match self.state.ast.expr(pattern) {
            Expr::Constant(Constant::None | Constant::Bool(_)) => CmpOp::Is,
            _ => CmpOp::Eq,
        };
        let equal = self.apply(Operator::Compare(op), &[subject.clone(), value])?;
        self.truth(&equal)
    }

    /// Tests whether a subject is an instance of a class of `collections.abc`.
    fn is_of_kind(&mut self, subject: &ScriptValue, name: &str) -> Result<bool, Raise> {
        Ok(crate::python::library::is_abstract_instance(self, subject, name) == Some(true))
    }

    fn matches_sequence(
        &mut self,
        list: List<Pattern>,
        at: usize,
        subject: &ScriptValue,
        captures: &mut Captures,
    ) -> Result<bool, Raise> {
        let is_sequence = match subject.plain() {
            ScriptValue::List(_) | ScriptValue::Tuple(_) => true,
            plain if is_instance(plain) => self.is_of_kind(subject, "Sequence")?,
            ScriptValue::Host(_) => {
                range::of(subject).is_some()
                    || object::of(subject)
                        .is_some_and(|object| matches!(object.class(), "collections.deque" | "range"))
            }
            _ => false,
        };
        if !is_sequence {
            return Ok(false);
        }
        let parts = self.parts_of_pattern(list, at);
        let star = parts.iter().position(|part| {
            matches!(self.state.item(list, *part), Some(Pattern { kind: PatternKind::Star(_), .. }))
        });
        let values = self.collect_values(subject)?;
        let fits = match star {
            Some(_) => values.len() + 1 >= parts.len(),
            None => values.len() == parts.len(),
        };
        if !fits {
            return Ok(false);
        }
        let rest = (values.len() + 1).saturating_sub(parts.len());
        let mut values = values.into_iter();
        for (index, part) in parts.into_iter().enumerate() {
            if Some(index) == star {
                let taken: Vec<ScriptValue> = values.by_ref().take(rest).collect();
                if let Some(Pattern { kind: PatternKind::Star(Some(name)), .. }) = self.state.item(list, part)
                {
                    captures.push((name, ScriptValue::list(taken)));
                }
                continue;
            }
            let Some(value) = values.next() else { return Ok(false) };
            if !self.all_match(list, [(part, value)], captures)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn matches_mapping(
        &mut self,
        list: List<Pattern>,
        at: usize,
        (keys, rest): (List<ExprId>, Option<Name>),
        subject: &ScriptValue,
        captures: &mut Captures,
    ) -> Result<bool, Raise> {
        let dict = match subject.plain() {
            ScriptValue::Dict(dict) => Some(dict),
            plain if is_instance(plain) && self.is_of_kind(subject, "Mapping")? => None,
            _ => return Ok(false),
        };
        let len = match dict {
            Some(dict) => dict.borrow().len(),
            None => self.special_len(subject)?.and_then(|len| usize::try_from(len).ok()).unwrap_or(0),
        };
        if len < keys.len() {
            return Ok(false);
        }
        let mut known = Dict::with_capacity(keys.len());
        let mut found = Vec::with_capacity(keys.len());
        for (index, part) in self.parts_of_pattern(list, at).into_iter().enumerate() {
            let Some(key_id) = self.state.item(keys, index) else { break };
            let value = self.eval(key_id)?;
            let key = self.hashable(value.clone())?;
            if known.insert(key.clone(), ScriptValue::None).is_some() {
                let text = crate::python::repr::repr(self, &value)?;
                raise!(Value, "mapping pattern checks duplicate key ({text})");
            }
            let item = match dict {
                Some(dict) => dict.borrow().get(&key).cloned(),
                None => self.item_of_mapping(subject, value)?,
            };
            let Some(item) = item else { return Ok(false) };
            found.push((part, item));
        }
        if !self.all_match(list, found, captures)? {
            return Ok(false);
        }
        if let Some(rest) = rest {
            let all = match dict {
                Some(dict) => dict.clone(),
                None => {
                    let class = builtins::class("dict").unwrap_or_default();
                    match self.call_value(&class, CallArgs::positional([subject.clone()]))? {
                        ScriptValue::Dict(all) => all,
                        _ => return Ok(false),
                    }
                }
            };
            cost::entries(self.state, all.borrow().len())?;
            let mut others = Dict::new();
            let entries = all.borrow();
            let left = entries.iter().filter(|(key, _)| !known.contains_key(*key));
            others.extend(left.map(|(key, value)| (key.clone(), value.clone())));
            drop(entries);
            captures.push((rest, ScriptValue::Dict(Rc::new(RefCell::new(others)))));
        }
        Ok(true)
    }

    /// The value of a key in an instance of a mapping class, by its method `get`.
    fn item_of_mapping(
        &mut self,
        mapping: &ScriptValue,
        key: ScriptValue,
    ) -> Result<Option<ScriptValue>, Raise> {
        let Some(get) = self.find_attribute(mapping, "get")? else { return Ok(None) };
        let absent = ScriptValue::list(Vec::new());
        let found = self.call_value(&get, CallArgs::positional([key, absent.clone()]))?;
        Ok(Some(found).filter(|found| !identical(found, &absent)))
    }

    fn matches_class(
        &mut self,
        list: List<Pattern>,
        at: usize,
        (class, positional, keywords): (&ScriptValue, usize, List<Name>),
        subject: &ScriptValue,
        captures: &mut Captures,
    ) -> Result<bool, Raise> {
        if let Some(why) = self.state.unknown(class) {
            return Err(Raise::Unknown(why));
        }
        if !self.is_instance_of(subject, class)? {
            return Ok(false);
        }
        let parts = self.parts_of_pattern(list, at);
        let mut found = Vec::with_capacity(parts.len());
        let mut names = HashSet::new();
        let class_name = self.class_name(class)?;
        if positional > 0 {
            let args = self.match_args(class, &class_name)?;
            let accepted = args.as_ref().map_or(1, Vec::len);
            if positional > accepted {
                let plural = if accepted == 1 { "" } else { "s" };
                raise!(
                    Type,
                    "{class_name}() accepts {accepted} positional sub-pattern{plural} ({positional} given)"
                );
            }
            match args {
                None => found.extend(parts.first().map(|part| (*part, subject.clone()))),
                Some(args) => {
                    for (part, name) in parts.iter().zip(args).take(positional) {
                        let Some(name) = name.as_str().map(str::to_owned) else {
                            let found = type_name(&name);
                            raise!(Type, "__match_args__ elements must be strings (got {found})");
                        };
                        let Some(value) = self.attribute_or_none(subject, &name)? else { return Ok(false) };
                        found.push((*part, value));
                        if !names.insert(name.clone()) {
                            raise!(Type, "{class_name}() got multiple sub-patterns for attribute '{name}'");
                        }
                    }
                }
            }
        }
        let ast = self.state.ast.clone();
        for (part, name) in parts.iter().skip(positional).zip(ast.list(keywords)) {
            let name = ast.name(*name);
            if !names.insert(name.to_owned()) {
                raise!(Type, "{class_name}() got multiple sub-patterns for attribute '{name}'");
            }
            let Some(value) = self.attribute_or_none(subject, name)? else { return Ok(false) };
            found.push((*part, value));
        }
        self.all_match(list, found, captures)
    }

    /// `isinstance`, for a class pattern.
    fn is_instance_of(&mut self, subject: &ScriptValue, class: &ScriptValue) -> Result<bool, Raise> {
        let not_a_class = || HostError::type_error("called match pattern must be a type");
        if let ScriptValue::Tuple(_) = class {
            return Err(not_a_class().into());
        }
        let Some(isinstance) = builtins::value("isinstance") else { return Ok(false) };
        let args = CallArgs::positional([subject.clone(), class.clone()]);
        let answer = self
            .call_value(&isinstance, args)
            .map_err(|raise| builtins::instead_of_type_error(raise, not_a_class))?;
        self.truth(&answer)
    }

    fn class_name(&mut self, class: &ScriptValue) -> Result<String, Raise> {
        let name = self.find_attribute(class, "__name__")?;
        Ok(name.as_ref().and_then(ScriptValue::as_str).unwrap_or_default().to_owned())
    }

    /// The `__match_args__` of a class; `None` for a built-in type whose only part is the value itself.
    fn match_args(
        &mut self,
        class: &ScriptValue,
        class_name: &str,
    ) -> Result<Option<Vec<ScriptValue>>, Raise> {
        match self.attribute_or_none(class, "__match_args__")? {
            Some(ScriptValue::Tuple(names)) => Ok(Some(names.to_vec())),
            Some(other) => {
                raise!(Type, "{class_name}.__match_args__ must be a tuple (got {})", type_name(&other))
            }
            None if builtins::class(class_name).is_some() && WHOLE.contains(&class_name) => Ok(None),
            None => Ok(Some(Vec::new())),
        }
    }

    /// The attribute of a value; `None` if it has none.
    fn attribute_or_none(&mut self, value: &ScriptValue, name: &str) -> Result<Option<ScriptValue>, Raise> {
        match self.attempt(|p| p.find_attribute(value, name))? {
            Ok(found) => Ok(found),
            Err(error) if exception::is_of(&error, "AttributeError") => Ok(None),
            Err(error) => Err(Raise::Exception(error)),
        }
    }

    /// Runs a `match` whose case is not known: every body runs.
    pub(super) fn uncertain_match(&mut self, id: StmtId, stmt: Match, why: &Placeholder) -> EvalResult<Flow> {
        let ast = self.state.ast.clone();
        let place = ast.range(id);
        let cause = Cause::Statement("the case of a `match` is not known".into());
        let unknown = Binding::Unknown(Rc::new(Placeholder::new(cause, place)));
        let (mut names, mut branches, mut is_total) = (Vec::new(), Vec::new(), false);
        for case in ast.list(stmt.cases) {
            for name in ast.list(case.names) {
                self.state.set_host(*name, unknown.clone(), place);
            }
            names.extend(ast.list(case.names));
            names.extend(walk::bound_names(&ast, case.body));
            branches.push(Some(case.body));
            is_total |= case.is_irrefutable;
        }
        if !is_total {
            branches.push(None);
        }
        self.branches(names, &branches, why)
    }
}
