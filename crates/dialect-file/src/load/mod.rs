//! From a description to types and functions: names of other dialects are resolved, types registered, texts made.

mod check;
mod enums;
mod function;
mod text;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use tvmscript_docsifier::Printers;
use tvmscript_docsifier::doc::OperationKind;
use tvmscript_ir_core::{Content, DynamicField, DynamicType, EqKind, Origin, Registry, TypeInfo};
use tvmscript_irbuilder::ScriptFn;
use tvmscript_python_syntax::ast::FunctionDef;
use tvmscript_script_parser::{Definition, DescribedFn, Parser, Parsers, PythonModule};

use crate::description::{Description, Entry, Field, Rule, Table, unknown};
use crate::edition::Editions;
use crate::error::DescriptionErrorKind;
use crate::key::ContentKey;
use crate::kind::{Kind, Role};
use crate::node::{Convert, Enumeration, NodeText};
use crate::operators;
use crate::source::{Mistakes, Text};
use crate::template::Form;
use crate::traits::Traits;
use function::function;

/// A loaded dialect.
pub(crate) struct Loaded {
    pub(crate) name: &'static str,
    pub(crate) prefix: &'static str,
    pub(crate) edition: String,
    pub(crate) doc: String,
    pub(crate) key: ContentKey,
    /// Types in the order of the file.
    pub(crate) types: Vec<&'static TypeInfo>,
    pub(crate) texts: Vec<&'static NodeText>,
    /// The texts by the index of the type.
    by_type: HashMap<usize, &'static NodeText>,
    pub(crate) functions: Vec<&'static ScriptFn>,
    /// Traits of the types, in their order.
    pub(crate) traits: Vec<Traits>,
    /// Names of other editions, each with advice.
    pub(crate) absent: Vec<(&'static str, &'static str)>,
    /// Nodes of earlier editions with those that replace them.
    pub(crate) replaced: Vec<(&'static NodeText, &'static NodeText)>,
    /// Decorators of functions by name.
    pub(crate) decorators: Vec<(&'static str, DescribedFn)>,
    /// Operators of Python.
    pub(crate) operations: HashMap<OperationKind, &'static NodeText>,
    /// Statements of Python, and texts as a whole.
    pub(crate) statements: Vec<&'static NodeText>,
    /// Values of enums without the prefix.
    pub(crate) words: Vec<(&'static str, &'static ScriptFn)>,
    pub(crate) modules: &'static [PythonModule],
    /// `true` if functions have the lines that import prefixes in front of them.
    pub(crate) has_header: bool,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Loaded").field(&self.name).finish()
    }
}

impl Loaded {
    /// The text of the nodes of a type.
    pub(crate) fn text_of(&self, info: &TypeInfo) -> Option<&'static NodeText> {
        self.by_type.get(&info.index()).copied()
    }
}

/// What a dialect is made from: its text, and the types of other dialects that it names.
type Source = (ContentKey, String, Vec<usize>);

/// The dialects that the process has loaded.
static LOADED: Mutex<Option<HashMap<Source, &'static Loaded>>> = Mutex::new(None);

fn leak(text: &str) -> &'static str {
    Box::leak(text.into())
}

/// Loads a description, once per process for one text.
pub(crate) fn load(
    description: Description,
    key: ContentKey,
    editions: Editions<'_>,
    base: &Registry,
    mistakes: &mut Mistakes,
) -> Option<&'static Loaded> {
    check_taken(&description, base, mistakes);
    let loader = Loader::new(description, base, mistakes)?;
    if !mistakes.0.is_empty() {
        return None;
    }
    let mut others: Vec<usize> = loader.others.values().map(|info| info.index()).collect();
    others.sort_unstable();
    let source = (key, format!("{editions:?}"), others);
    // Loading has no other effect than registrations, which a panic does not undo.
    let mut all = LOADED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let all = all.get_or_insert_default();
    if let Some(loaded) = all.get(&source) {
        return Some(loaded);
    }
    let loaded: &'static Loaded = Box::leak(Box::new(loader.finish(key, mistakes)?));
    if !loaded.operations.is_empty() {
        operators::register(loaded);
    }
    all.insert(source, loaded);
    Some(loaded)
}

/// Reports names that dialects of the registry have.
fn check_taken(description: &Description, base: &Registry, mistakes: &mut Mistakes) {
    let Description { name, prefix, entries, .. } = description;
    let fragments = base.slot::<Parsers>().map(|parsers| parsers.fragment_dialects().collect::<Vec<_>>());
    if let Some(target) = &description.lowers_to
        && !fragments.unwrap_or_default().contains(&target.text.as_str())
    {
        let kind = DescriptionErrorKind::Unknown {
            what: "`lowers_to` of `[dialect]`".to_owned(),
            name: target.text.clone(),
            expected: "a loaded dialect with fragments".to_owned(),
        };
        mistakes.add(kind, &target.at);
    }
    let mut taken = |what: String, dialect: &str, at: &Text, help: &str| {
        let kind = DescriptionErrorKind::Taken { what, dialect: dialect.to_owned() };
        mistakes.with_help(kind, &at.at, help);
    };
    if base.dialects().contains(&name.text.as_str()) {
        let help = "choose another `name`, or load the file once";
        taken(format!("the name `{}`", name.text), &name.text, name, help);
    }
    let printed = base.slot::<Printers>().map(|printers| printers.table().prefixes());
    let printed = printed.into_iter().flatten().find(|(_, other)| *other == prefix.text);
    let parsed = base.slot::<Parsers>().map(|parsers| parsers.prefixes());
    let parsed = parsed.into_iter().flatten().find(|(other, _)| *other == prefix.text);
    if let Some(dialect) = printed.map(|(dialect, _)| dialect).or(parsed.map(|(_, dialect)| dialect)) {
        taken(format!("the prefix `{}`", prefix.text), dialect, prefix, "choose another `prefix`");
    }
    for entry in entries.iter().filter(|entry| base.node(&entry.key).is_some()) {
        let dialect = entry.key.split('.').next().unwrap_or_default();
        taken(format!("the node `{}`", entry.key), dialect, &entry.name, "choose another name");
    }
}

/// A class that a description names: of the file, by the index of its entry, or of another dialect.
#[derive(Clone, Copy)]
enum ClassName {
    Own(usize),
    Other(&'static TypeInfo),
}

struct Loader {
    description: Description,
    /// Classes of other dialects by type key.
    others: HashMap<String, &'static TypeInfo>,
    own: HashMap<String, usize>,
    /// Types of the entries, set when they are registered.
    cells: Vec<Arc<OnceLock<&'static TypeInfo>>>,
    /// Entries with their parents in front.
    order: Vec<usize>,
    enums: HashMap<String, &'static Enumeration>,
}

impl Loader {
    /// Resolves the names of other dialects.
    fn new(description: Description, base: &Registry, mistakes: &mut Mistakes) -> Option<Loader> {
        let mut others = HashMap::new();
        let own: HashMap<String, usize> =
            description.entries.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
        for entry in &description.entries {
            if let Some(parent) = &entry.parent
                && !own.contains_key(&parent.text)
            {
                let what = format!("`parent` of {}", entry.what);
                match base.node(&parent.text) {
                    None => not_registered(&what, parent, mistakes),
                    Some(info) if info.is_concrete() => {
                        let reason = "it is not an abstract class".to_owned();
                        refuse_parent(entry, parent, reason, mistakes);
                    }
                    Some(info) => _ = others.insert(parent.text.clone(), info),
                }
            }
            for (field, key) in entry
                .fields
                .iter()
                .flat_map(|field| field.kind.classes().into_iter().map(move |key| (field, key)))
            {
                // Own names without a dot are reported before.
                if own.contains_key(key) || !key.contains('.') || key.starts_with(&own_prefix(&description)) {
                    continue;
                }
                match base.node(key) {
                    Some(info) => _ = others.insert(key.to_owned(), info),
                    None => {
                        let what = format!("`{}` of {}", field.name.text, entry.what);
                        not_registered(&what, &Text::implied(key, &field.at), mistakes);
                    }
                }
            }
        }
        let cells = description.entries.iter().map(|_| Arc::new(OnceLock::new())).collect();
        let mut loader = Loader { description, others, own, cells, order: Vec::new(), enums: HashMap::new() };
        loader.order = loader.parents_first(mistakes);
        loader.check_targets(mistakes);
        Some(loader)
    }

    fn parent_entry(&self, entry: &Entry) -> Option<usize> {
        self.own.get(&entry.parent.as_ref()?.text).copied()
    }

    /// The entries with their parents in front. Reports parents that are not abstract, and circles.
    fn parents_first(&self, mistakes: &mut Mistakes) -> Vec<usize> {
        let entries = &self.description.entries;
        let mut order = Vec::with_capacity(entries.len());
        let mut is_done = vec![false; entries.len()];
        for start in 0..entries.len() {
            let mut chain = Vec::new();
            let mut at = Some(start);
            while let Some(index) = at {
                if is_done.get(index).copied().unwrap_or(true) {
                    break;
                }
                let Some(entry) = entries.get(index) else { break };
                if chain.contains(&index) {
                    if let Some(parent) = &entry.parent {
                        refuse_parent(entry, parent, "a node is not its own ancestor".to_owned(), mistakes);
                    }
                    return order;
                }
                chain.push(index);
                at = self.parent_entry(entry);
                if let (Some(parent), Some(own)) = (&entry.parent, at.and_then(|at| entries.get(at)))
                    && !own.is_abstract
                {
                    let reason = format!("it is not abstract: add `abstract = true` to {}", own.what);
                    refuse_parent(entry, parent, reason, mistakes);
                }
            }
            for index in chain.into_iter().rev() {
                if let Some(done) = is_done.get_mut(index) {
                    *done = true;
                }
                order.push(index);
            }
        }
        order
    }

    /// Reports targets of bindings and scopes that no statement can make: the variable has fields of its own.
    fn check_targets(&self, mistakes: &mut Mistakes) {
        for entry in &self.description.entries {
            let Some(template) = &entry.template else { continue };
            let target = template.form.target();
            let params = match template.form {
                Form::Function { params, .. } if template.annotation.is_some() => params,
                _ => None,
            };
            let Some(field) = target.or(params).and_then(|target| entry.fields.get(target)) else { continue };
            let classes = field.kind.classes();
            let Some(key) = classes.first() else { continue };
            let class = self.own.get(*key).and_then(|index| self.description.entries.get(*index));
            let annotation = template.annotation.as_ref();
            let is_annotation =
                |field: &Field| annotation.is_some_and(|annotation| annotation.text == field.name.text);
            if let Some(annotation) = annotation
                && let Some(class) = class
                && !class.fields.iter().any(is_annotation)
            {
                let what = format!("the annotation of `{}` in {}", field.name.text, entry.what);
                unknown(&what, annotation, &format!("a field of {}", class.what), mistakes);
            }
            let needs_more = |class: &Entry| {
                class.fields.iter().any(|field| field.default.is_none() && !is_annotation(field))
            };
            if class.is_none_or(|class| !class.is_variable || needs_more(class)) {
                let reason = format!("binds a new `{key}`, which needs more than a name");
                let kind = DescriptionErrorKind::Assembly { entry: entry.name.text.clone(), reason };
                let help = "bind a node of the file with `variable = true`, whose fields have defaults or are its annotation";
                mistakes.with_help(kind, &field.at, help);
            }
        }
    }

    fn class(&self, key: &str) -> Option<ClassName> {
        match self.own.get(key) {
            Some(index) => Some(ClassName::Own(*index)),
            None => self.others.get(key).copied().map(ClassName::Other),
        }
    }

    /// The type of a class, after all types are registered.
    fn info(&self, key: &str) -> Option<&'static TypeInfo> {
        match self.class(key)? {
            ClassName::Own(index) => self.cells.get(index)?.get().copied(),
            ClassName::Other(info) => Some(info),
        }
    }

    fn content(&self, kind: &Kind) -> Content {
        match kind {
            Kind::Any => Content::Any,
            Kind::Bool => Content::Bool,
            Kind::Int => Content::Int,
            Kind::Float => Content::Float,
            Kind::DType => Content::DType,
            Kind::Str => Content::Str,
            Kind::Expr | Kind::Node | Kind::Variable(_) => Content::Node,
            Kind::Class(key) => match self.class(key) {
                Some(ClassName::Own(index)) => match self.cells.get(index) {
                    Some(cell) => Content::Later(Arc::clone(cell)),
                    None => Content::Node,
                },
                Some(ClassName::Other(info)) => Content::Class(info),
                None => Content::Node,
            },
            Kind::Enum(name) => match self.enums.get(name) {
                Some(found) => Content::OneOf(found.values.clone().into()),
                None => Content::Str,
            },
            Kind::List(item) => Content::List(Box::new(self.content(item))),
            Kind::Optional(inner) => Content::Optional(Box::new(self.content(inner))),
            Kind::Either(all) => Content::Either(all.iter().map(|one| self.content(one)).collect()),
        }
    }

    fn convert(&self, kind: &Kind) -> Convert {
        match kind {
            Kind::Any => Convert::Any,
            Kind::Bool => Convert::Bool,
            Kind::Int => Convert::Int,
            Kind::Float => Convert::Float,
            Kind::DType => Convert::DType,
            Kind::Str => Convert::Str,
            Kind::Expr => Convert::Expr,
            Kind::Variable(_) => Convert::Typed,
            Kind::Node => Convert::Node,
            Kind::Class(key) => self.info(key).map_or(Convert::Node, Convert::Class),
            Kind::Enum(name) => self.enums.get(name).map_or(Convert::Str, |found| Convert::Enum(found)),
            Kind::List(item) => Convert::List(Box::new(self.convert(item))),
            Kind::Optional(inner) => Convert::Optional(Box::new(self.convert(inner))),
            Kind::Either(all) => Convert::Either(all.iter().map(|one| self.convert(one)).collect()),
        }
    }

    /// Registers the types and makes the functions.
    fn finish(mut self, key: ContentKey, mistakes: &mut Mistakes) -> Option<Loaded> {
        self.make_enums();
        let edition = self.description.edition.as_ref().map_or("", |edition| edition.text.as_str());
        let origin = Arc::new(Origin {
            dialect: self.description.name.text.clone(),
            description: format!("{edition} {key}").trim_start().to_owned(),
        });
        for index in &self.order {
            let entry = self.description.entries.get(*index)?;
            let parent = match &entry.parent {
                Some(parent) => Some(self.info(&parent.text)?),
                None => None,
            };
            let described = DynamicType {
                key: entry.key.clone(),
                parent,
                eq: if entry.is_variable { EqKind::FreeVar } else { EqKind::Tree },
                fields: self.fields(entry),
                check: self.checks(entry),
                origin: Some(Arc::clone(&origin)),
                is_abstract: entry.is_abstract,
                // A type or variable is no operation.
                is_pure: entry.table != Table::Op || entry.traits.pure,
            };
            match described.register() {
                Ok(info) => _ = self.cells.get(*index)?.set(info),
                Err(error) => {
                    let reason = error.to_string();
                    let parent = entry.parent.as_ref().unwrap_or(&entry.name);
                    refuse_parent(entry, parent, reason, mistakes);
                    return None;
                }
            }
        }
        let name = leak(&self.description.name.text);
        let prefix = leak(&self.description.prefix.text);
        let mut types = Vec::new();
        let mut texts = Vec::new();
        let mut functions = Vec::new();
        let mut decorators = Vec::new();
        let mut own_texts: Vec<Option<&'static NodeText>> = Vec::new();
        let mut replaced = Vec::new();
        let mut operations = HashMap::new();
        let mut statements = Vec::new();
        for (entry, cell) in self.description.entries.iter().zip(&self.cells) {
            let info = *cell.get()?;
            types.push(info);
            own_texts.push(None);
            if let Some(template) = &entry.template {
                let text: &'static NodeText =
                    Box::leak(Box::new(self.text(entry, template, info, name, prefix)));
                texts.push(text);
                if let Some(last) = own_texts.last_mut() {
                    *last = Some(text);
                }
                match text.form {
                    Form::Function { .. } => {
                        let function = function(entry, text);
                        let define: DescribedFn = Box::leak(Box::new(
                            move |p: &mut Parser<'_>, definition: &Definition<FunctionDef>| {
                                crate::function::define(text, function, p, definition)
                            },
                        ));
                        decorators.push((text.function, define));
                    }
                    Form::Operation(kind) => _ = operations.insert(kind, text),
                    form if form.is_called() => functions.push(function(entry, text)),
                    _ => statements.push(text),
                }
            }
        }
        for (entry, text) in self.description.entries.iter().zip(&own_texts) {
            let Some((instead, text)) = entry.instead.as_ref().zip(*text) else { continue };
            let new = self.description.entries.iter().position(|new| new.name.text == instead.text);
            if let Some(Some(new)) = new.and_then(|new| own_texts.get(new)) {
                replaced.push((text, *new));
            }
        }
        let absent = &self.description.absent;
        let absent = absent.iter().map(|(name, advice)| (leak(name), leak(advice))).collect();
        let traits = self.description.entries.iter().map(|entry| entry.traits).collect();
        let by_type = texts.iter().map(|text: &&'static NodeText| (text.info.index(), *text)).collect();
        let (values, words) = self.enum_values();
        functions.extend(values);
        let roots =
            functions.iter().map(|function| function.name).chain(decorators.iter().map(|(name, _)| *name));
        let mut roots: Vec<&'static str> = roots.map(|name| name.split('.').next().unwrap_or(name)).collect();
        roots.sort_unstable();
        roots.dedup();
        let paths: Vec<&'static str> = self.description.modules.iter().map(|path| leak(&path.text)).collect();
        let modules: &'static [PythonModule] = match paths.is_empty() {
            true => &[],
            false => vec![PythonModule::new(paths.leak()).names(roots.leak())].leak(),
        };
        let Description { edition, doc, has_header, .. } = self.description;
        let edition = edition.map(|edition| edition.text).unwrap_or_default();
        Some(Loaded {
            name,
            prefix,
            edition,
            doc,
            key,
            types,
            texts,
            by_type,
            functions,
            traits,
            absent,
            replaced,
            decorators,
            operations,
            statements,
            words,
            modules,
            has_header,
        })
    }

    fn fields(&self, entry: &Entry) -> Vec<DynamicField> {
        let hidden =
            |name: &str, content| DynamicField { name: name.to_owned(), content, def: false, skip_eq: false };
        if entry.is_abstract {
            return Vec::new();
        }
        let mut fields = vec![hidden("span", Content::Span)];
        if entry.is_variable {
            fields.push(hidden("name", Content::Name));
        }
        match &entry.result {
            Some(Rule::Variable(index))
                if entry.variables.get(*index).is_some_and(|v| v.pattern.is_some()) =>
            {
                fields.push(hidden("type", Content::Node));
            }
            Some(_) => fields.push(hidden("dtype", Content::DType)),
            None => {}
        }
        fields.extend(entry.fields.iter().map(|field| DynamicField {
            name: field.name.text.clone(),
            content: self.content(&field.kind),
            def: field.role == Role::Definition,
            skip_eq: field.role == Role::Ignored,
        }));
        fields
    }
}

fn own_prefix(description: &Description) -> String {
    format!("{}.", description.name.text)
}

fn not_registered(what: &str, key: &Text, mistakes: &mut Mistakes) {
    unknown(what, key, "a type key of a loaded dialect", mistakes);
    if let Some(error) = mistakes.0.last_mut() {
        error.help = Some("load the dialect that declares it first".to_owned());
    }
}

fn refuse_parent(entry: &Entry, parent: &Text, reason: String, mistakes: &mut Mistakes) {
    let kind = DescriptionErrorKind::Parent { parent: parent.text.clone(), node: entry.key.clone(), reason };
    mistakes.add(kind, &parent.at);
}
