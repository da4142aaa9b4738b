//! The parser as host of the evaluator.

use std::any::Any;

use tvmscript_ir_core::release::NameChange;
use tvmscript_ir_core::{Object, Registry, Token, TypeInfo};
use tvmscript_irbuilder::{CallArgs, HostObject, ScriptFn, ScriptValue};
use tvmscript_python_syntax::ast::{ExprId, Name, StmtId, TextRange};
use tvmscript_script_eval::{
    BareScripts, Binding, CallFn, EvalState, Host, MissingAttribute, Modules, NodeRules, Raise,
};

use super::macros::Macro;
use super::specialize::Specializable;
use super::tables::Tables;
use super::unknown::{OpenNamespace, UnknownFunction};
use super::{Decorator, Namespace, Parser, ParserFunction, ScriptState};
use crate::scope::{Shadowing, grown};
use crate::table::DecoratorRule;
use tvmscript_script_eval::errors::{EvalResult, Reported};

/// The parser's side of an evaluation: the host of the evaluator.
pub(super) struct ScriptHost<'p> {
    pub(super) script: &'p mut ScriptState,
    pub(super) registry: Option<&'p Registry>,
    pub(super) family: Option<&'p Registry>,
}

impl ScriptHost<'_> {
    /// The parser that handlers work with.
    fn parser<'p>(&'p mut self, state: &'p mut EvalState) -> Parser<'p> {
        Parser { state, script: self.script, registry: self.registry, family: self.family }
    }

    /// Names the releases in which a dialect has a name that is missing here.
    fn in_other_releases(&self, dialect: &str, name: &str) -> Option<String> {
        let family = self.family?;
        let all = self.script.releases.get_or_init(|| {
            let registries = family.releases().filter_map(|release| family.of_release(release));
            registries.map(|registry| Tables::new(registry, false)).collect()
        });
        let has_name =
            |tables: &&Tables| tables.namespace(dialect).and_then(|names| names.attribute(name)).is_some();
        let releases: Vec<String> =
            all.iter().filter(has_name).map(|tables| format!("`{}`", tables.release.id())).collect();
        let here = self.script.tables.release.id();
        let found = (!releases.is_empty()).then(|| releases.join(", "))?;
        Some(format!("`{name}` is in {found}; this text is read as `{here}`"))
    }

    #[cold]
    fn find_rules(&mut self, info: &'static TypeInfo) -> NodeRules {
        let ScriptState { rules, tables, .. } = &mut *self.script;
        *grown(rules, info.index()).get_or_insert_with(|| tables.handlers.rules(info))
    }
}

impl Host for ScriptHost<'_> {
    fn in_script(&self) -> bool {
        self.script.scopes.depth() > 0
    }

    fn local(&self, name: Name) -> Binding {
        self.script.scopes.get(name).binding.clone()
    }

    fn captured(&self, name: Name) -> Option<Binding> {
        let slot = self.script.scopes.get(name);
        let is_bound = !matches!(slot.binding, Binding::Unbound) && !slot.place.is_empty();
        is_bound.then(|| slot.binding.clone())
    }

    fn bind(&mut self, state: &mut EvalState, name: Name, value: ScriptValue, at: ExprId) -> EvalResult<()> {
        self.parser(state).define(name, value, at, Shadowing::OuterFrames)
    }

    fn local_names(&self) -> Vec<Name> {
        self.script.scopes.bound_names().collect()
    }

    fn ended(&self, name: Name) -> Option<(TextRange, Option<&'static str>)> {
        let place = self.script.scopes.get(name).place;
        let around = |(range, _): &&(TextRange, &str)| range.start <= place.start && place.end <= range.end;
        // The innermost scope ends first.
        Some((place, self.script.explained.iter().find(around).map(|(_, help)| *help)))
    }

    /// Suggests the qualified name of a dialect's function.
    fn suggestion(&self, name: &str) -> Option<String> {
        let (prefix, _) = self.script.tables.handlers.prefixes.iter().find(|(prefix, dialect)| {
            let names = self.script.tables.namespaces.iter().find(|(d, _)| d == dialect);
            prefix.len() == 1 && names.is_some_and(|(_, names)| names.get(name).is_some())
        })?;
        Some(format!("did you mean `{prefix}.{name}`?"))
    }

    #[inline]
    fn rules(&mut self, node: &Object) -> NodeRules {
        let info = node.info();
        match self.script.rules.get(info.index()) {
            Some(Some(rules)) => *rules,
            _ => self.find_rules(info),
        }
    }

    fn prints_nodes(&self) -> bool {
        self.registry.is_some() && self.script.tables.handlers.node_text.is_some()
    }

    fn node_text(&mut self, node: &Object) -> Result<String, Raise> {
        match (self.registry, self.script.tables.handlers.node_text) {
            (Some(registry), Some(print)) => Ok(print(node, registry)?),
            _ => Ok(String::new()),
        }
    }

    fn call_rule(&mut self, node: &Object, token: Token) -> Option<CallFn> {
        self.script.tables.handlers.call_under(token, node).or_else(|| self.rules(node).call)
    }

    fn namespace_attribute(
        &mut self,
        state: &EvalState,
        value: &dyn HostObject,
        attr: Name,
    ) -> Option<Binding> {
        let namespace = value.as_any().downcast_ref::<Namespace>()?;
        if self.script.tables.keeps_unknown && (namespace.is_known() || state.position().is_decorator()) {
            let namespace = namespace.known();
            return Some(namespace.attribute(state.name_text(attr)).map_or(Binding::Unbound, Binding::of));
        }
        let (space, index) = (namespace.index(), attr.index());
        match self.script.attributes.get(space).and_then(|known| known.get(index)) {
            Some(Binding::Unbound) | None => {}
            Some(known) => return Some(known.clone()),
        }
        let Some(value) = namespace.attribute(state.name_text(attr)) else { return Some(Binding::Unbound) };
        let found = Binding::of(value);
        *grown(grown(&mut self.script.attributes, space), index) = found.clone();
        Some(found)
    }

    fn is_namespace(&self, value: &ScriptValue) -> bool {
        value.as_host::<Namespace>().is_some()
    }

    fn missing_attribute(&self, value: &dyn HostObject, name: &str) -> Option<MissingAttribute> {
        let dialect = value.as_any().downcast_ref::<Namespace>()?.dialect();
        let instead = self.script.tables.handlers.instead_of(dialect, name);
        Some(MissingAttribute {
            what: format!("the dialect `{dialect}`"),
            is_left_out: instead.is_some(),
            help: instead.map(str::to_owned).or_else(|| self.in_other_releases(dialect, name)),
        })
    }

    fn call_own(
        &mut self,
        state: &mut EvalState,
        callee: &dyn HostObject,
        args: &mut CallArgs,
    ) -> Option<Result<ScriptValue, Raise>> {
        if let Some(called) = callee.as_any().downcast_ref::<Macro>() {
            return Some(self.parser(state).call_macro(called, std::mem::take(args)));
        }
        if let Some(called) = callee.as_any().downcast_ref::<Specializable>() {
            let called = called.clone();
            return Some(self.parser(state).specialize(&called, std::mem::take(args)));
        }
        if let Some(open) = callee.as_any().downcast_ref::<OpenNamespace>() {
            let called = open.unknown_form(args)?;
            self.parser(state).count_unknown(called);
            return Some(called.call(std::mem::take(args)).map_err(Raise::from));
        }
        if let Some(called) = callee.as_any().downcast_ref::<UnknownFunction>() {
            self.parser(state).count_unknown(called);
            return None;
        }
        let function = callee.as_any().downcast_ref::<ParserFunction>()?.function;
        Some(function(&mut self.parser(state), std::mem::take(args)).map_err(Raise::from))
    }

    fn takes_regions(&self, function: &'static ScriptFn) -> bool {
        self.script.tables.handlers.region_functions.iter().any(|region| std::ptr::eq(*region, function))
    }

    fn function_name(&self, function: &'static ScriptFn) -> &'static str {
        let tables = &self.script.tables;
        let functions = tables.release.renames.function_changes();
        let mut new = functions.filter_map(|(dialect, own, change)| match change {
            NameChange::Renamed(new) if *own == function.name => Some((*dialect, *new)),
            _ => None,
        });
        let is_it = |(dialect, new): &(&'static str, &'static str)| {
            let value = tables.namespace(dialect).and_then(|namespace| namespace.attribute(new));
            matches!(value, Some(ScriptValue::Function(found)) if std::ptr::eq(found, function))
        };
        new.find(is_it).map_or(function.name, |(_, new)| new)
    }

    fn enter_scope(
        &mut self,
        state: &mut EvalState,
        value: &ScriptValue,
        at: TextRange,
    ) -> Option<EvalResult<(ScriptValue, Box<dyn Any>)>> {
        self.parser(state).open_scope(value, at)
    }

    fn leave_scope(&mut self, state: &mut EvalState, scope: Box<dyn Any>, at: TextRange) -> EvalResult<()> {
        self.parser(state).close_scope(scope, at)
    }

    fn modules(&self) -> &dyn Modules {
        &*self.script.tables
    }

    fn is_decorator(&self, value: &ScriptValue) -> bool {
        value.as_host::<Decorator>().is_some()
    }

    fn read_script(
        &mut self,
        state: &mut EvalState,
        id: StmtId,
        at: ExprId,
        decorator: &ScriptValue,
    ) -> EvalResult<ScriptValue> {
        let Some(decorator) = decorator.as_host::<Decorator>().cloned() else {
            return Err(Reported::already());
        };
        if matches!(decorator.entry.rule, DecoratorRule::Macro { .. }) {
            return self.parser(state).read_macro(id, at, &decorator);
        }
        self.script.scripts.met_script = true;
        self.parser(state).build_definition(id, at, &decorator)
    }

    fn is_script_decorator(&self, text: &str) -> bool {
        let mut prefixes = self.script.tables.handlers.prefixes.iter();
        prefixes.any(|(prefix, _)| text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')))
    }

    fn bare_scripts(&self) -> Option<BareScripts> {
        let tests = self.script.tables.release.syntax.python.comparison?;
        let (dialect, name) = self.script.tables.handlers.bare_decorator?;
        let entry = self.script.tables.handlers.decorator(dialect, name)?;
        let keywords = [(tests.checked.into(), ScriptValue::Bool(false))].into_iter().collect();
        let unchecked = CallArgs { keywords, ..CallArgs::default() };
        Some(BareScripts {
            base_suffix: tests.base_suffix,
            methods: tests.scripts,
            decorator: ScriptValue::host(Decorator::new(entry, None)),
            checked: tests.checked,
            unchecked: ScriptValue::host(Decorator { args: unchecked, ..Decorator::new(entry, None) }),
        })
    }

    fn assigned(&mut self, state: &mut EvalState, id: StmtId) {
        self.parser(state).rename_to_outer(id);
    }

    fn explored(&mut self) {
        self.script.scripts.commit();
    }
}
