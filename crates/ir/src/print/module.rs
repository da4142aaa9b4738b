//! Modules.

use std::panic::Location;

use hashbrown::{HashMap, HashSet};
use tvmscript_docsifier::doc::{Doc, StmtDoc, StmtList};
use tvmscript_docsifier::{Docsifier, DocsifyResult, Frame, names, script};
use tvmscript_ir_core::registry::{RegistrationSite, Slot};
use tvmscript_ir_core::{
    Array, Class, Dialect, Map, Object, ObjectLike, PathId, Ref, Resolver, Str, TypeInfo, Value, field,
};

use crate::DictAttrs;
use crate::node::{BaseFunc, GlobalInfo, GlobalVar, IRModule};

/// Data of a module's frame, for functions that refer to global infos.
#[derive(Debug, Clone)]
pub struct ModuleFrame {
    /// The module's global infos.
    pub global_infos: Map<Str, Array<Ref<GlobalInfo>>>,
    /// The functions in the order of their text.
    pub functions: Vec<(Ref<GlobalVar>, Ref<BaseFunc>)>,
}

/// Ranks of function types in a module.
#[derive(Debug, Default, Clone)]
struct Order(HashMap<usize, (&'static TypeInfo, u32, RegistrationSite)>);

impl Slot for Order {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        for (index, (info, rank, place)) in other.0 {
            if resolver.claim(format!("the rank of `{}` in modules", info.key()), place) {
                self.0.insert(index, (info, rank, place));
            }
        }
    }
}

/// The form of modules in a release.
#[derive(Debug, Default, Clone)]
struct Form {
    /// The dialect whose namespace has the words of modules, if it is not this one.
    words: Option<(&'static str, RegistrationSite)>,
}

impl Slot for Form {
    fn merge(&mut self, other: Self, resolver: &mut Resolver) {
        if let Some((dialect, place)) = other.words
            && resolver.claim("the namespace of modules", place)
        {
            self.words = Some((dialect, place));
        }
    }
}

/// Registration of the form of modules.
pub trait ModuleForm {
    /// The dialect's own namespace has the words of modules, and functions print in the order of their definition.
    #[must_use]
    #[track_caller]
    fn module_words(self) -> Self;
}

impl<N> ModuleForm for Dialect<N> {
    #[track_caller]
    fn module_words(mut self) -> Self {
        let words = (self.name(), Location::caller());
        self.slot_mut::<Form>().words = Some(words);
        self
    }
}

fn words(d: &Docsifier<'_>) -> Option<&'static str> {
    d.registry().slot::<Form>().and_then(|form| form.words).map(|(dialect, _)| dialect)
}

/// Registration of ranks.
pub trait ModuleOrder {
    /// Sets the rank of the last node: functions print in ascending rank, unranked types after ranked ones, and `main`
    /// last.
    #[must_use]
    fn module_order(self, rank: u32) -> Self;
}

impl<N: Class> ModuleOrder for Dialect<N> {
    #[track_caller]
    fn module_order(mut self, rank: u32) -> Self {
        let (info, place) = (N::type_info(), Location::caller());
        self.slot_mut::<Order>().0.insert(info.index(), (info, rank, place));
        self
    }
}

const UNRANKED: u32 = u32::MAX - 1;
const MAIN: u32 = u32::MAX;

type Function<'a> = (&'a Ref<GlobalVar>, &'a Ref<BaseFunc>);

fn in_order<'a>(node: &'a IRModule, d: &Docsifier<'_>) -> Vec<Function<'a>> {
    let order = d.registry().slot::<Order>();
    let rank = |(var, function): &Function<'_>| match var.name_hint.as_str() {
        "main" => MAIN,
        _ => {
            let index = function.object().info().index();
            order.and_then(|order| order.0.get(&index)).map_or(UNRANKED, |(_, rank, _)| *rank)
        }
    };
    let mut functions: Vec<Function<'a>> = node.functions.iter().collect();
    if words(d).is_some() {
        return functions;
    }
    functions.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then_with(|| a.0.name_hint.as_str().cmp(b.0.name_hint.as_str()))
    });
    functions
}

/// The names under which functions print: their own, unless Python cannot spell it.
fn member_names(functions: &[Function<'_>]) -> Vec<Str> {
    let valid = |name: &str| names::is_wide_identifier(name);
    let mut taken: HashSet<String> =
        functions.iter().map(|(var, _)| var.name_hint.to_string()).filter(|n| valid(n)).collect();
    let name_of = |(var, _): &Function<'_>| {
        if valid(&var.name_hint) {
            return var.name_hint.clone();
        }
        let base = names::sanitize(&var.name_hint);
        let free = std::iter::once(base.clone()).chain((1..).map(|i| format!("{base}_{i}")));
        let name = free.into_iter().find(|name| taken.insert(name.clone())).unwrap_or(base);
        Str::new(name)
    };
    functions.iter().map(name_of).collect()
}

/// `@I.ir_module`, `class Module:`
pub(super) fn module(node: &Ref<IRModule>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<StmtList> {
    let functions = d.field(path, field!(IRModule, functions));
    let class = d.with_token("ir", |d| class(node, path, functions, d))?;
    script(d, class)
}

/// The map of a module's functions, alone: the module that has no more than these functions.
pub(super) fn functions(object: &Object, d: &mut Docsifier<'_>) -> DocsifyResult<Option<Doc>> {
    let Some(functions) = Map::<Ref<GlobalVar>, Ref<BaseFunc>>::try_ref(object) else { return Ok(None) };
    let functions = functions.iter().map(|(var, function)| (var.clone(), function.clone()));
    let module = IRModule::new(functions, DictAttrs::new([]), Map::default());
    // A module has no functions of equal names.
    if module.functions.is_empty() || module.functions.len() != module.global_var_map_.len() {
        return Ok(None);
    }
    let class = d.with_token("ir", |d| class(&module, PathId::ROOT, PathId::ROOT, d))?;
    Ok(Some(script(d, class)?.into()))
}

fn class(
    node: &Ref<IRModule>,
    path: PathId,
    functions_path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<StmtDoc> {
    let IRModule { functions: _, global_var_map_: _, source_map: _, attrs, global_infos } = &**node;
    let functions = in_order(node, d);
    super::shared::declare(functions.iter().map(|(_, function)| *function), d)?;
    let ordered = functions.iter().map(|(var, function)| ((*var).clone(), (*function).clone())).collect();
    let frame = Frame::new(None, ModuleFrame { global_infos: global_infos.clone(), functions: ordered });
    let name = match d.binding_name() {
        Some(name) => d.docs.text(name).to_owned(),
        None => "Module".to_owned(),
    };
    let (name, stmts) = d.with_frame(frame, |d| {
        let name = d.define(node.object(), &name)?;
        if !attrs.dict.is_empty() {
            let at = d.field(path, field!(IRModule, attrs));
            let attrs = d.expr(attrs, at)?;
            call_stmt("module_attrs", attrs, at, d);
        }
        if !global_infos.is_empty() {
            let at = d.field(path, field!(IRModule, global_infos));
            let infos = d.expr_object(&global_infos.clone().into_object(), at)?;
            call_stmt("module_global_infos", infos, at, d);
        }
        let names = member_names(&functions);
        function_names(&functions, &names, functions_path, d);
        for ((var, _), name) in functions.iter().zip(&names) {
            let (module, member) = (node.object().clone(), name.clone());
            let factory = move |d: &mut Docsifier<'_>| {
                let module = d.expr_object(&module, path)?;
                Ok(d.docs.attr(module, member.as_str()))
            };
            d.define_by_doc(var.object(), std::rc::Rc::new(factory))?;
        }
        for ((var, function), name) in functions.iter().zip(&names) {
            let key = key_itself(functions_path, var, d);
            let at = d.entry(functions_path, &Value::Node(var.object().clone()));
            let bound = d.docs.sym(name);
            let doc = d.with_binding_name(bound, |d| d.doc(function.object(), at))?;
            member(name, doc, key, d);
            d.close_preamble_group();
        }
        Ok(name)
    })?;
    let dialect = words(d).unwrap_or("ir");
    let decorator = d.prefixed(dialect, "ir_module");
    Ok(d.docs.class(name, &[decorator], &stmts)?)
}

/// `I.module_function_names({"in_": "in"})` for functions whose name Python cannot spell.
fn function_names(functions: &[Function<'_>], names: &[Str], path: PathId, d: &mut Docsifier<'_>) {
    let other = functions.iter().zip(names).filter(|((var, _), name)| var.name_hint != **name);
    let entries: Vec<_> = other
        .map(|((var, _), name)| {
            let real = d.docs.str(var.name_hint.as_str());
            let at = key_itself(path, var, d);
            (d.docs.str(name.as_str()), d.at_field(real, at, field!(GlobalVar, name_hint)))
        })
        .collect();
    if !entries.is_empty() {
        let names = d.docs.dict(&entries);
        call_stmt("module_function_names", names, path, d);
    }
}

/// The path of a function's global var.
fn key_itself(functions: PathId, var: &Ref<GlobalVar>, d: &mut Docsifier<'_>) -> PathId {
    d.key_itself(functions, &Value::Node(var.object().clone()))
}

fn call_stmt(name: &str, arg: tvmscript_docsifier::doc::ExprDoc, path: PathId, d: &mut Docsifier<'_>) {
    let dialect = words(d).unwrap_or("ir");
    let callee = d.prefixed(dialect, name);
    let call = d.docs.call_args(callee, &[arg]);
    let call = d.at(call, path);
    let stmt = d.docs.expr_stmt(call);
    d.push_stmt(stmt);
}

/// Adds a function: its definition without header lines, or an assignment of its value to the name.
fn member(name: &Str, doc: Doc, key: PathId, d: &mut Docsifier<'_>) {
    match doc {
        Doc::Block(list) if !list.is_empty() => {
            let last = d.docs.stmts(list).last().copied();
            if let Some(last) = last {
                if let Some(name) = d.docs.definition_name(last) {
                    let name = d.at(name, key);
                    d.at_field(name, key, field!(GlobalVar, name_hint));
                }
                d.push_stmt(last);
            }
        }
        Doc::Expr(value) => {
            let name = d.docs.id(name.as_str());
            let name = d.at(name, key);
            let name = d.at_field(name, key, field!(GlobalVar, name_hint));
            let stmt = d.docs.bind(name, value);
            d.push_stmt(stmt);
        }
        doc => d.push_doc(doc),
    }
}
