//! The state of one print, and dispatch.

mod definitions;
mod frames;
mod paths;

use std::any::{Any, TypeId};
use std::rc::Rc;

use hashbrown::HashMap;
use tvmscript_doc::{Doc, DocArena, DocError, ExprDoc, Sym};
use tvmscript_ir_core::containers::{ArrayNode, MapNode, ShapeNode};
use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Object, PathId, Registry, Str, TextProfile, Token, Value, with_stack};
use tvmscript_ir_core::{FieldRef, Ref};

use crate::config::PrinterConfig;
use crate::error::{DocsifyError, Result};
use crate::frame::Frame;
use crate::free_vars::CommonPrefix;
use crate::hindsight::Hindsight;
use crate::memory::Memory;
use crate::messages::Messages;
use crate::metadata::Metadata;
use crate::names::Namer;
use crate::stmts::Stmts;
use crate::table::{Handler, PrinterTable, Printers};
use crate::unfolded::is_endless;

/// What is known of a node that was defined.
pub(crate) struct Definition {
    /// The number of the frame that has it.
    frame: u32,
    /// Of one whose scope ended: how many roots there were before.
    root: u32,
    form: DefinedAs,
}

/// How a defined node is written where it is used.
#[derive(Clone, Copy)]
pub(crate) enum DefinedAs {
    /// A name.
    Name(Sym),
    /// An expression made anew at each use (`A.data`), by the factory of this number.
    Doc(u32),
    /// Not any more: its scope ended. The name stays taken until the frame closes.
    Ended(Sym),
    /// Not any more: its frame closed.
    Closed,
}

/// Makes the expression that stands for a node, at each use.
pub type DocFactory = Rc<dyn Fn(&mut Docsifier<'_>) -> Result<ExprDoc>>;

/// The state of one print.
pub struct Docsifier<'r> {
    /// The docs made so far.
    pub docs: DocArena,
    registry: &'r Registry,
    table: &'r PrinterTable,
    config: &'r PrinterConfig,
    profile: &'static TextProfile,
    root: Object,
    /// How many roots there were before.
    root_number: u32,
    frames: Vec<Frame>,
    /// For each node that an open frame prints, the outermost such frame.
    open: HashMap<usize, usize>,
    /// Statements handed back last, not yet part of a frame.
    loose: Option<Stmts>,
    binding_names: Vec<Sym>,
    states: Vec<(TypeId, Box<dyn Any>)>,
    tokens: Vec<Token>,
    names: Namer,
    defined: AddressMap<Definition>,
    factories: Vec<DocFactory>,
    metadata: Metadata,
    prefixes: Vec<PrefixEntry>,
    known: Hindsight,
    found: Hindsight,
    common_prefix: Option<CommonPrefix>,
    cache: HashMap<TypeId, Box<dyn Any>>,
    typed: bool,
    /// The address of the node that is printed as data.
    data: Option<usize>,
    tracks_paths: bool,
    /// Whether the header was written.
    pub(crate) has_header: bool,
    pub(crate) messages: Messages,
    /// With more docs than this, the size of the root is looked at.
    next_look: usize,
}

struct PrefixEntry {
    name: &'static str,
    prefix: Box<str>,
    is_default: bool,
    used: bool,
}

/// A prefix that the text uses.
pub(crate) struct UsedPrefix<'a> {
    pub(crate) dialect: &'static str,
    pub(crate) prefix: &'a str,
    /// Whether it is the dialect's own.
    pub(crate) is_default: bool,
}

static EMPTY_TABLE: std::sync::LazyLock<PrinterTable> = std::sync::LazyLock::new(PrinterTable::default);

impl<'r> Docsifier<'r> {
    /// A print of `root`.
    ///
    /// # Errors
    /// As [`PrinterConfig::check`].
    pub fn new(registry: &'r Registry, config: &'r PrinterConfig, root: &Object) -> Result<Docsifier<'r>> {
        config.check(registry)?;
        let table = match registry.slot::<Printers>().map(Printers::table) {
            Some(table) => table,
            None => &EMPTY_TABLE,
        };
        // Nearly every doc makes text: a short text has few.
        let longest = u32::try_from(config.max_bytes).unwrap_or(u32::MAX);
        let max_docs = config.max_docs.min(longest.max(1 << 12));
        let Memory { mut docs, mut names, defined } = Memory::take(max_docs);
        let mut prefixes = Vec::new();
        for (name, default) in table.prefixes() {
            let prefix = config.prefix(name, default);
            names.reserve(docs.sym(prefix));
            prefixes.push(PrefixEntry {
                name,
                prefix: prefix.into(),
                is_default: prefix == default,
                used: false,
            });
        }
        if !config.module_alias.is_empty() {
            names.reserve(docs.sym(&config.module_alias));
        }
        Ok(Docsifier {
            docs,
            registry,
            table,
            config,
            profile: config.text_profile(registry)?,
            root: root.clone(),
            root_number: 0,
            frames: Vec::new(),
            open: HashMap::new(),
            loose: None,
            binding_names: Vec::new(),
            states: Vec::new(),
            tokens: vec![Token::DEFAULT],
            names,
            defined,
            factories: Vec::new(),
            metadata: Metadata::default(),
            prefixes,
            known: Hindsight::default(),
            found: Hindsight::default(),
            common_prefix: None,
            cache: HashMap::new(),
            typed: false,
            data: None,
            has_header: false,
            tracks_paths: config.has_messages(),
            messages: Messages::default(),
            next_look: MANY_DOCS,
        })
    }

    /// The same print as `former` made, with what that one found out too late; nothing if there is no such thing.
    ///
    /// # Errors
    /// As [`Docsifier::new`].
    pub(crate) fn again(former: &Docsifier<'r>) -> Result<Option<Docsifier<'r>>> {
        if former.found.is_empty() {
            return Ok(None);
        }
        let mut d = Docsifier::new(former.registry, former.config, &former.root)?;
        d.tracks_paths = former.tracks_paths;
        d.known = former.known.and(&former.found);
        for word in d.known.words() {
            d.names.reserve(d.docs.sym(word));
        }
        Ok(Some(d))
    }

    /// Records for every doc which part of the root it stands for, as it is done where the options ask for underlines.
    pub fn track_paths(&mut self) {
        self.tracks_paths = true;
    }

    /// Whether docs say which part of the root they stand for.
    pub fn tracks_paths(&self) -> bool {
        self.tracks_paths
    }

    /// Runs `f` for nodes that text needs and the root does not hold (`min + extent`): the docs that it makes stand for
    /// nothing.
    pub fn untracked<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.tracks_paths, false);
        let result = f(self);
        self.tracks_paths = before;
        result
    }

    /// Whether nothing was found out too late: what the last print still found would be missing from the text.
    ///
    /// # Errors
    /// [`DocsifyError::Unsettled`].
    pub(crate) fn check_settled(&self) -> Result<()> {
        match self.found.conflict() {
            None => Ok(()),
            Some(conflict) => Err(DocsifyError::Unsettled { conflict }.into()),
        }
    }

    /// Ends the print: its memory is for the next one.
    pub(crate) fn keep_memory(self) {
        let Docsifier { docs, names, defined, .. } = self;
        Memory { docs, names, defined }.keep();
    }

    /// What a dialect finds out about the whole root, once per print.
    pub fn cache<T: Any>(&mut self, make: impl FnOnce(&Object) -> T) -> &T {
        let root = &self.root;
        let entry = self.cache.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(make(root)));
        match entry.downcast_ref::<T>() {
            Some(value) => value,
            None => unreachable!("entries are stored under their own type"),
        }
    }

    /// The options of this print.
    pub fn config(&self) -> &'r PrinterConfig {
        self.config
    }

    /// The text profile of this print.
    pub fn profile(&self) -> &'static TextProfile {
        self.profile
    }

    /// The dialects of this print.
    pub fn registry(&self) -> &'r Registry {
        self.registry
    }

    pub(crate) fn table(&self) -> &'r PrinterTable {
        self.table
    }

    // --- dispatch --------------------------------------------------------------------------------------------

    /// Prints a node by the rule of the current token, else the default one, else as a reference into the metadata.
    ///
    /// # Errors
    /// Whatever the handler says.
    pub fn doc(&mut self, object: &Object, path: PathId) -> Result<Doc> {
        // A graph that shares its parts may stand for more text than there is room for.
        self.docs.check()?;
        if self.docs.doc_count() > self.next_look {
            self.look_at_size()?;
        }
        with_stack(|| match self.table.handler(self.token(), object.info()) {
            // What the handler writes is handed on where it is: to copy a result right after its parts were written waits
            // for all that was written before.
            Some(handler) if !self.tracks_paths => handler(object, path, self),
            handler => self.decorated(object, path, handler),
        })
    }

    /// Looks how large the tree is that the root stands for, once it has many docs: if it is far too large, the print need
    /// not go on to the limit.
    #[cold]
    fn look_at_size(&mut self) -> Result<()> {
        self.next_look = usize::MAX;
        match is_endless(&self.root, self.config.max_docs) {
            true => Err(DocError::Full { limit: self.config.max_docs }.into()),
            false => Ok(()),
        }
    }

    fn decorated(&mut self, object: &Object, path: PathId, handler: Option<&Handler>) -> Result<Doc> {
        let doc = match handler {
            Some(handler) => handler(object, path, self)?,
            None => self.container(object, path)?.into(),
        };
        if self.tracks_paths {
            self.decorate(object, doc, path);
        }
        Ok(doc)
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or whatever the handler says.
    #[inline]
    pub fn expr_object(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        match self.doc(object, path)? {
            Doc::Expr(doc) => Ok(doc),
            _ => Err(DocsifyError::NotAnExpression { key: object.info().display_key() }.into()),
        }
    }

    /// Prints a node that is an expression.
    ///
    /// # Errors
    /// [`DocsifyError::NotAnExpression`], or whatever the handler says.
    #[inline]
    pub fn expr<T: ?Sized>(&mut self, node: &Ref<T>, path: PathId) -> Result<ExprDoc> {
        self.expr_object(node.object(), path)
    }

    /// Prints any value.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn value(&mut self, value: &Value, path: PathId) -> Result<ExprDoc> {
        let doc = match value {
            Value::None => self.docs.none(),
            Value::Bool(b) => self.docs.bool(*b),
            Value::Int(i) => self.docs.int(*i),
            Value::Float(f) if f.is_finite() => self.docs.float(*f),
            Value::Float(f) => self.not_finite(*f),
            Value::DType(d) => self.dtype(*d),
            Value::Node(object) => return self.expr_object(object, path),
        };
        if self.tracks_paths {
            self.docs.add_path(doc, path);
        }
        Ok(doc)
    }

    /// `float("inf")`: the text alone would be read as a text.
    fn not_finite(&mut self, value: f64) -> ExprDoc {
        let text = self.docs.float(value);
        let callee = self.word("float");
        self.docs.call_args(callee, &[text])
    }

    /// Prints where the reader takes a plain number or text as it is, so that literal nodes must say their types.
    pub fn typed<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.typed, true);
        let result = f(self);
        self.typed = before;
        result
    }

    /// Whether literal nodes must say their types ([`Docsifier::typed`]).
    pub fn is_typed(&self) -> bool {
        self.typed
    }

    /// Prints a node as data, which the reader keeps as it is: there the name of a function alone is that function, not the
    /// node that it would make.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn expr_as_data(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        let before = self.data.replace(object.address());
        let result = self.expr_object(object, path);
        self.data = before;
        result
    }

    /// Whether a node is the one that is printed.
    pub fn is_root(&self, object: &Object) -> bool {
        self.root.ptr_eq(object)
    }

    /// Whether a node is an element of data ([`Docsifier::expr_as_data`]).
    pub fn is_data(&self, object: &Object) -> bool {
        self.data == Some(object.address())
    }

    /// Whether a node stands alone, as the root or as an element of data: where a node of another type would have the same
    /// text, it says more.
    pub fn is_alone(&self, object: &Object) -> bool {
        self.is_root(object) || self.is_data(object)
    }

    /// The node that a function makes without arguments: by the function's name alone, but in data by a call
    /// ([`Docsifier::expr_as_data`]).
    pub fn made_by(&mut self, callee: ExprDoc, object: &Object) -> ExprDoc {
        match self.is_data(object) {
            true => self.docs.call_args(callee, &[]),
            false => callee,
        }
    }

    /// A data type as a string literal.
    pub fn dtype(&mut self, dtype: DataType) -> ExprDoc {
        self.docs.str(&*dtype.to_string())
    }

    /// Strings, arrays, maps, and whatever no dialect prints.
    fn container(&mut self, object: &Object, path: PathId) -> Result<ExprDoc> {
        if let Some(text) = text_of(object) {
            return Ok(if text.contains('\n') { self.metadata(object) } else { self.docs.str(text) });
        }
        if let Some(array) = object.as_node::<ArrayNode>() {
            let items = self.values(array.items(), path)?;
            return Ok(self.docs.list(&items));
        }
        if let Some(map) = object.as_node::<MapNode>() {
            return self.map(map, path);
        }
        if let Some(shape) = object.as_node::<ShapeNode>() {
            let items: Vec<ExprDoc> = shape.values.iter().map(|v| self.docs.int(*v)).collect();
            return Ok(self.docs.tuple(&items));
        }
        Ok(self.metadata(object))
    }

    /// Prints the elements of an array.
    ///
    /// # Errors
    /// As for [`Docsifier::expr_object`].
    pub fn values(&mut self, values: &[Value], path: PathId) -> Result<Vec<ExprDoc>> {
        values
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let path = self.item(path, i);
                self.value(value, path)
            })
            .collect()
    }

    /// A dictionary; keys sorted when all are strings.
    fn map(&mut self, map: &MapNode, path: PathId) -> Result<ExprDoc> {
        let mut entries: Vec<(&Value, &Value)> = map.entries().iter().map(|(k, v)| (k.value(), v)).collect();
        if entries.iter().all(|(k, _)| k.as_str().is_some()) {
            entries.sort_by(|(a, _), (b, _)| a.as_str().cmp(&b.as_str()));
        }
        let mut docs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let at = self.key_itself(path, key);
            let key_doc = self.value(key, at)?;
            let at = self.entry(path, key);
            docs.push((key_doc, self.value(value, at)?));
        }
        Ok(self.docs.dict(&docs))
    }

    /// A reference to a node that the text cannot say, kept in the metadata section.
    pub fn metadata(&mut self, object: &Object) -> ExprDoc {
        let (key, index) = self.metadata.add(object, self.profile.metadata.type_key);
        let base = self.word(self.profile.metadata.variable);
        let key = self.docs.str(key);
        let list = self.docs.index(base, &[key]);
        let index = self.docs.int(index as i64);
        self.docs.index(list, &[index])
    }

    pub(crate) fn metadata_section(&self) -> &Metadata {
        &self.metadata
    }

    // --- tokens and prefixes ---------------------------------------------------------------------------------

    /// The current dispatch token.
    #[inline]
    pub fn token(&self) -> Token {
        self.tokens.last().copied().unwrap_or(Token::DEFAULT)
    }

    /// Whether the rules of the token of this name apply now.
    pub fn is_under(&self, name: &str) -> bool {
        self.registry.token(name) == Some(self.token())
    }

    /// Runs `f` under the token of this name; unknown names are the default.
    pub fn with_token<R>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        let token = self.registry.token(name).unwrap_or(Token::DEFAULT);
        self.with_token_id(token, f)
    }

    pub(crate) fn with_token_id<R>(&mut self, token: Token, f: impl FnOnce(&mut Self) -> R) -> R {
        self.tokens.push(token);
        let result = f(self);
        self.tokens.pop();
        result
    }

    /// The prefix of a dialect (`T`), which is then listed in the header.
    pub fn prefix(&mut self, name: &str) -> ExprDoc {
        match self.prefixes.iter_mut().find(|p| p.name == name) {
            Some(entry) => {
                entry.used = true;
                self.docs.id(&*entry.prefix)
            }
            None => self.docs.id(name),
        }
    }

    /// A name of the language itself or of the script (`range`, `metadata`), which no variable around may have. Where one
    /// has it, the print is made anew with the name reserved.
    pub fn word(&mut self, word: &'static str) -> ExprDoc {
        let name = self.docs.sym(word);
        if self.names.is_taken(name) && !self.names.is_reserved(name) {
            self.found.add_word(word);
        }
        self.docs.id(name)
    }

    /// A name of a dialect (`T.block`).
    pub fn prefixed(&mut self, dialect: &str, name: &str) -> ExprDoc {
        let prefix = self.prefix(dialect);
        self.docs.attr(prefix, name)
    }

    /// The prefixes used so far.
    pub(crate) fn used_prefixes(&self) -> impl Iterator<Item = UsedPrefix<'_>> {
        let used = self.prefixes.iter().filter(|p| p.used);
        used.map(|p| UsedPrefix { dialect: p.name, prefix: &p.prefix, is_default: p.is_default })
    }

    // --- what dialects keep ----------------------------------------------------------------------------------

    /// What a dialect keeps during this print, made on first use.
    pub fn state<S: Any>(&mut self, make: impl FnOnce(&PrinterConfig) -> S) -> &mut S {
        let id = TypeId::of::<S>();
        let at = match self.states.iter().position(|(other, _)| *other == id) {
            Some(at) => at,
            None => {
                self.states.push((id, Box::new(make(self.config))));
                self.states.len() - 1
            }
        };
        match self.states[at].1.downcast_mut::<S>() {
            Some(state) => state,
            None => unreachable!("states are stored under their own type"),
        }
    }

    /// Runs `f` while what it prints is bound to `name`: a function of a module takes that name.
    pub fn with_binding_name<R>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> R) -> R {
        let name = self.docs.sym(name);
        self.binding_names.push(name);
        let result = f(self);
        self.binding_names.pop();
        result
    }

    /// The name that what is printed now is bound to: the innermost one, or the option `name`.
    pub fn binding_name(&mut self) -> Option<Sym> {
        match self.binding_names.last() {
            Some(name) => Some(*name),
            None => self.config.name.as_deref().map(|name| self.docs.sym(name)),
        }
    }
}

/// A print of so many docs has the size of its root looked at.
const MANY_DOCS: usize = 1 << 19;

/// A field's value as an owned one, for handlers of types made at run time.
pub fn field_value(object: &Object, name: &str) -> Option<Value> {
    let index = object.info().field_index(name)?;
    Some(match object.field(index) {
        FieldRef::Node(o) => Value::Node(o.clone()),
        other => other.to_value(),
    })
}

/// A string node's text, if the node is one.
pub fn text_of(object: &Object) -> Option<&str> {
    use tvmscript_ir_core::ObjectLike;
    Str::try_ref(object).map(Str::as_str)
}

impl std::fmt::Debug for Docsifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Docsifier")
            .field("root", &self.root)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}
